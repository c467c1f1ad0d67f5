/*
 * A progress line on a terminal, rewritten in place:
 *
 *     step 240 of 400, 60 %, 1.21 Gcells/s, 0.9 s left
 *
 * Nothing is ever written to what is not a terminal.
 */
#ifndef TORRE_PROGRESS_H
#define TORRE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct torre_progress {
    FILE *out;
    const char *noun; /* "step"; the caller's to change */
    bool active;
    double started, shown; /* torre_time_now() */
} torre_progress;

/* Begin; out is usually stderr. wanted = false keeps it silent. */
void torre_progress_start(torre_progress *progress, FILE *out, bool wanted);

/* Show step of steps and a rate, at most ten times a second; the time left is an extrapolation. */
void torre_progress_show(torre_progress *progress, int64_t step, int64_t steps, double rate,
                         const char *rate_unit);

/* Erase the line. */
void torre_progress_end(torre_progress *progress);

#endif
