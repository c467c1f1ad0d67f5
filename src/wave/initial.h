/* Initial fields that a run computes itself, beside torre_wave_rest_level (torre/wave.h). */
#ifndef TORRE_INITIAL_H
#define TORRE_INITIAL_H

#include "wave/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Fill cells (dense, of the problem's precision) with independent numbers, uniform in -1 .. 1; the
 * value of a cell depends on the seed and the cell's number alone (core/random.h). For comparing
 * engines: every cell differs.
 */
void torre_wave_noise(const torre_wave_problem *problem, uint64_t seed, void *cells);

#ifdef __cplusplus
}
#endif

#endif
