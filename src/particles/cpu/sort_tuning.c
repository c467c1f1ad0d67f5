#include "particles/cpu/sort_tuning.h"

#include <math.h>

#define KEPT        4000 /* steps that count, or those of the last KEPT_CYCLES cycles */
#define KEPT_CYCLES 4
#define MOST_TIMES  2 /* what is expected */
#define CLEAR       3 /* standard errors that a slope must differ from 0 by */

typedef torre_sort_tuning tuning;

tuning torre_sort_tuning_start(void) { return (tuning){.interval = TORRE_SORT_FIRST}; }

/* The line through the steps; false where there is none yet. */
static bool line_of(const tuning *t, double *level, double *slope, double *error)
{
    if (t->weight < 3) return false;
    const double a = t->a / t->weight, y = t->y / t->weight;
    const double aa = t->aa / t->weight - a * a, ay = t->ay / t->weight - a * y;
    if (!(aa > 1e-9 * a * a)) return false;
    *slope = ay / aa;
    *level = y - *slope * a;
    const double rest = fmax(0, t->yy / t->weight - y * y - *slope * ay);
    *error = sqrt(rest / aa / t->weight);
    return true;
}

void torre_sort_tuning_step(tuning *t, int64_t age, double seconds)
{
    double level, slope, error;
    const double a = (double)age;
    if (line_of(t, &level, &slope, &error))
        seconds = fmin(seconds, MOST_TIMES * fmax(level + slope * a, t->y / t->weight));
    t->weight += 1;
    t->a += a;
    t->y += seconds;
    t->aa += a * a;
    t->ay += a * seconds;
    t->yy += seconds * seconds;
}

static int64_t choose(const tuning *t)
{
    double level, slope, error, best = 2 * (double)t->interval;
    if (!line_of(t, &level, &slope, &error)) return t->interval;
    const double sort = t->sort_s / t->sorts - (t->others > 0 ? t->other_s / t->others : 0);
    if (slope > CLEAR * error) best = sqrt(2 * fmax(sort, 0) / slope);
    best = fmin(fmax(best, 0.5 * (double)t->interval), 2 * (double)t->interval);
    return (int64_t)fmin(fmax(best, 1), (double)TORRE_SORT_MOST);
}

static void forget(tuning *t)
{
    const double most = fmax(KEPT, KEPT_CYCLES * (double)t->interval);
    if (t->weight <= most) return;
    const double keep = most / t->weight;
    double *const sum[] = {&t->weight, &t->a,     &t->y,      &t->aa,     &t->ay,
                           &t->yy,     &t->sorts, &t->sort_s, &t->others, &t->other_s};
    for (unsigned k = 0; k < sizeof sum / sizeof sum[0]; k++) *sum[k] *= keep;
}

void torre_sort_tuning_rebuild(tuning *t, bool sort, double seconds)
{
    *(sort ? &t->sorts : &t->others) += 1;
    *(sort ? &t->sort_s : &t->other_s) += seconds;
    if (!sort) return;
    t->interval = choose(t);
    forget(t);
}
