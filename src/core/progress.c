#include "core/progress.h"

#include <inttypes.h>
#include <unistd.h>

#include "core/numbers.h"
#include "core/timer.h"

void torre_progress_start(torre_progress *p, FILE *out, bool wanted)
{
    p->noun = "step";
    p->out = out;
    p->active = wanted && isatty(fileno(out));
    p->started = torre_time_now();
    p->shown = 0;
}

void torre_progress_show(torre_progress *p, int64_t step, int64_t steps, double rate,
                         const char *rate_unit)
{
    double now = torre_time_now();
    if (!p->active || step == 0 || now - p->shown < 0.1) return;
    p->shown = now;
    char left[32];
    double done = (double)step / (double)steps;
    torre_format_seconds((now - p->started) * (1 - done) / done, left, sizeof left);
    fprintf(p->out, "\r\x1b[K%s %" PRId64 " of %" PRId64 ", %.0f %%, %.3g %s, %s left", p->noun,
            step, steps, 100 * done, rate, rate_unit, left);
    fflush(p->out);
}

void torre_progress_end(torre_progress *p)
{
    if (p->active && p->shown > 0) {
        fprintf(p->out, "\r\x1b[K");
        fflush(p->out);
    }
}
