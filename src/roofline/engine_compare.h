/*
 * One way of computing against another, on a small problem: random starting fields of every
 * wavelength, free faces, sizes that are no multiple of any tile.
 *
 * What may differ (eps the unit roundoff, U the largest Euclidean norm of a level, N steps):
 * below the stability limit one update adds numbers whose magnitudes sum to at most 7 U, each
 * passing through at most 2R + 6 roundings; an error made at one step has grown after k more steps
 * by at most |sin(k theta) / sin(theta)| <= k in each orthogonal mode. So each way is within
 *     7 (2R + 6) eps U N (N + 1) / 2
 * of the exact levels, and two ways within twice that of each other. Starting with u[-1] = u[0], a
 * mode does u[n] = u[0] cos((n + 1/2) theta) / cos(theta/2), and sin(theta/2) <= 0.9 (dt at 0.9 of
 * the stability limit): U <= |u[0]| / sqrt(1 - 0.81).
 */
#ifndef TORRE_ENGINE_COMPARE_H
#define TORRE_ENGINE_COMPARE_H

#include "wave/backend.h"

typedef struct torre_compare torre_compare;

/*
 * Compute the problem of that order and precision over `steps` steps by the given backend and plan,
 * which the others are to be compared with. Free with torre_compare_free (NULL is fine).
 */
torre_status torre_compare_new(int order, torre_precision precision, int64_t steps,
                               const torre_wave_backend *backend, const torre_wave_plan *plan,
                               torre_compare **compare);
void torre_compare_free(torre_compare *compare);

/*
 * Compute it another way: *difference = |u - u_other|_2 / |u[0]|_2, the larger of the last two
 * levels (infinite when a value is not finite; 0: the same numbers). Fails as backend->plan, create
 * and advance do.
 */
torre_status torre_compare_run(torre_compare *compare, const torre_wave_backend *backend,
                               const torre_wave_plan *plan, double *difference);

/* The difference that rounding explains. */
double torre_compare_allowed(const torre_compare *compare);

/* Cells and steps of the problem. */
void torre_compare_extent(const torre_compare *compare, int64_t size[3], int64_t *steps);

/* A problem at rest in a box with free faces, 0.9 of the stability limit, no sources. */
torre_wave_problem torre_compare_problem(int order, torre_precision precision,
                                         const int64_t size[3]);

/* Fill values[count] of the precision with numbers evenly spread over -1 .. 1, always the same. */
void torre_random_fill(void *values, int64_t count, torre_precision precision);

#endif
