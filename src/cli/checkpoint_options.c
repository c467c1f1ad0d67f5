#include "cli/checkpoint_options.h"

#include "cli/program_stop.h"
#include "core/numbers.h"
#include "core/units.h"

static torre_status read_every(torre_checkpoint_options *o)
{
    if (torre_parse_seconds(o->every, &o->saving.every_s)) return TORRE_OK;
    if (torre_parse_integer(o->every, &o->saving.every_steps) && o->saving.every_steps > 0)
        return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "--checkpoint-every must be a number of steps above 0, or a time such as "
                      "30s, 10min or 2h (got %s)",
                      o->every);
}

torre_status torre_checkpoint_options_read(torre_checkpoint_options *o, const torre_option *table)
{
    double seconds;
    if (torre_options_given(table, "checkpoint-every") && !o->saving.file)
        return torre_fail(TORRE_ERR_USAGE, "--checkpoint-every belongs to --checkpoint FILE");
    TORRE_TRY(read_every(o));
    torre_saving_wrote(&o->saving, -1);
    if (!o->max_time) return TORRE_OK;
    if (!torre_parse_seconds(o->max_time, &seconds))
        return torre_fail(TORRE_ERR_USAGE,
                          "--max-time must be a time such as 90s, 30min or 11.5h (got %s)",
                          o->max_time);
    torre_program_stop_after(seconds);
    return TORRE_OK;
}
