#include "cli/checkpoint_options.h"

#include "cli/program_stop.h"
#include "core/numbers.h"
#include "core/timer.h"

void torre_checkpoint_options_wrote(torre_checkpoint_options *o, int64_t step)
{
    o->written = torre_time_now();
    o->step = step;
}

static torre_status read_every(torre_checkpoint_options *o)
{
    if (torre_parse_seconds(o->every, &o->every_s)) return TORRE_OK;
    if (torre_parse_integer(o->every, &o->every_steps) && o->every_steps > 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "--checkpoint-every must be a number of steps above 0, or a time such as "
                      "30s, 10min or 2h (got %s)",
                      o->every);
}

torre_status torre_checkpoint_options_read(torre_checkpoint_options *o, const torre_option *table)
{
    double seconds;
    if (torre_options_given(table, "checkpoint-every") && !o->file)
        return torre_fail(TORRE_ERR_USAGE, "--checkpoint-every belongs to --checkpoint FILE");
    TORRE_TRY(read_every(o));
    torre_checkpoint_options_wrote(o, -1);
    if (!o->max_time) return TORRE_OK;
    if (!torre_parse_seconds(o->max_time, &seconds))
        return torre_fail(TORRE_ERR_USAGE,
                          "--max-time must be a time such as 90s, 30min or 11.5h (got %s)",
                          o->max_time);
    torre_program_stop_after(seconds);
    return TORRE_OK;
}

bool torre_checkpoint_options_due(const torre_checkpoint_options *o, int64_t step)
{
    if (!o->file || o->every_s == 0 || step == o->step) return false;
    return torre_time_now() - o->written >= o->every_s;
}

int64_t torre_checkpoint_options_steps(const torre_checkpoint_options *o, int64_t step,
                                       int64_t most)
{
    if (!o->file || o->every_steps == 0) return most;
    const int64_t left = o->every_steps - step % o->every_steps;
    return left < most ? left : most;
}
