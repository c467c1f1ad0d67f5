#include "core/phase.h"

#include <stdbool.h>
#include <time.h>

#include "core/timer.h"

typedef struct phase_clock {
    bool counts;
    torre_phase now;
    double since; /* torre_time_now() when the present phase was entered */
    double seconds[TORRE_PHASES];
} phase_clock;

static _Thread_local phase_clock own;

void torre_phase_begin(void)
{
    struct timespec t;
    own = (phase_clock){.counts = true, .since = torre_time_now()};
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0)
        own.seconds[TORRE_PHASE_START] = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

torre_phase torre_phase_enter(torre_phase phase)
{
    const torre_phase before = own.now;
    if (!own.counts) return before;
    const double now = torre_time_now();
    own.seconds[before] += now - own.since;
    own.since = now;
    own.now = phase;
    return before;
}

double torre_phase_seconds(double seconds[TORRE_PHASES])
{
    double sum = 0;
    torre_phase_enter(own.now);
    for (int p = 0; p < TORRE_PHASES; p++) sum += seconds[p] = own.seconds[p];
    return sum;
}

const char *torre_phase_name(torre_phase phase)
{
    static const char *const name[] = {"start", "read",   "check", "upload",
                                       "loop",  "output", "exit"};
    return name[phase];
}
