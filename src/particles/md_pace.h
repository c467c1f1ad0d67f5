/* Steps in chunks, so that progress and a wish to stop are looked at a few times a second. */
#ifndef TORRE_MD_PACE_H
#define TORRE_MD_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/timer.h"

#define TORRE_MD_PULSE 0.2 /* seconds */

/* To begin: {.looked = torre_time_now()}. */
typedef struct torre_md_pace {
    double looked; /* torre_time_now() of the last look */
    double rate;   /* steps per second of the last chunk; 0 before the first */
} torre_md_pace;

/* Steps from now to the next multiple of every (below 1: none), no more than most. */
static inline int64_t torre_md_pace_until(int64_t step, int64_t every, int64_t most)
{
    if (every < 1) return most;
    int64_t left = every - step % every;
    return left < most ? left : most;
}

/* Steps to take before the next look, 1 to most. */
static inline int64_t torre_md_pace_chunk(const torre_md_pace *pace, int64_t most)
{
    double steps = pace->rate > 0 ? TORRE_MD_PULSE * pace->rate : 10;
    if (steps >= (double)most) return most;
    return steps < 1 ? 1 : (int64_t)steps;
}

/* A chunk took so many seconds. */
static inline void torre_md_pace_took(torre_md_pace *pace, int64_t chunk, double seconds)
{
    pace->rate = seconds > 0 ? (double)chunk / seconds : 0;
}

/* Whether it is time to look; last: after the last chunk it always is. */
static inline bool torre_md_pace_due(torre_md_pace *pace, bool last)
{
    double now = torre_time_now();
    if (!last && now - pace->looked < TORRE_MD_PULSE) return false;
    pace->looked = now;
    return true;
}

#endif
