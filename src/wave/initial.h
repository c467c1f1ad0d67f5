/* Initial fields that a run computes itself. */
#ifndef TORRE_INITIAL_H
#define TORRE_INITIAL_H

#include "wave/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The level before a start at rest: given u[0] = now (dense, of the problem's precision), fill
 *     u[-1] = u[0] + (c dt)^2 / 2 Lap u[0],
 * so that the scheme gives u[1] = u[0] + (c dt)^2 / 2 Lap u[0] whatever the damping s:
 *     (1 + s dt) u[1] = 2 u[0] - (1 - s dt) u[-1] + (c dt)^2 Lap u[0]
 *                     = (1 + s dt) (u[0] + (c dt)^2 / 2 Lap u[0]).
 * Lap with the problem's order, spacings and faces; computed in f64, rounded once. previous is the
 * caller's, as large as now.
 */
void torre_wave_rest_level(const torre_wave_problem *problem, const void *now, void *previous);

/*
 * Fill cells (dense, of the problem's precision) with independent numbers, uniform in -1 .. 1; the
 * value of a cell depends on the seed and the cell's number alone (splitmix64). For comparing
 * engines: every cell differs.
 */
void torre_wave_noise(const torre_wave_problem *problem, uint64_t seed, void *cells);

#ifdef __cplusplus
}
#endif

#endif
