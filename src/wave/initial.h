/* Initial fields that a run computes itself, beside torre_wave_rest_level (torre/wave.h). */
#ifndef TORRE_INITIAL_H
#define TORRE_INITIAL_H

#include "core/array_value.h"
#include "core/random.h"
#include "core/status.h"
#include "tiling/region.h"
#include "torre/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

/* That of a cell, by its number in the whole grid. */
static inline double torre_wave_noise_at(uint64_t seed, int64_t cell)
{
    return 2 * torre_random_unit(torre_random_at(seed, (uint64_t)cell)) - 1;
}

/*
 * Fill the cells that a region stores (dense, of the precision) with independent numbers, uniform
 * in -1 .. 1; the value of a cell depends on the seed and the cell's number in the whole grid alone
 * (core/random.h). For comparing engines: every cell differs.
 */
void torre_wave_noise(const torre_region *region, torre_precision precision, uint64_t seed,
                      void *cells);

/* The planes of a grid from x = first on, and as many around them as their sums need. */
torre_region torre_wave_slab(const torre_wave_problem *problem, int64_t first, int64_t planes);

/*
 * torre_wave_rest_level of some planes alone. now: of the planes that the slab stores, which hold
 * order / 2 beyond those it owns, as torre_wave_slab has them, or all; previous: of those it owns.
 * TORRE_ERR_RESOURCE, where density varies alone.
 */
torre_status torre_wave_rest_planes(const torre_wave_problem *problem, const torre_region *slab,
                                    const void *now, void *previous);

#ifdef __cplusplus
}
#endif

#endif
