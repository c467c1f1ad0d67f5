/* Initial fields that a run computes itself, beside torre_wave_rest_level (torre/wave.h). */
#ifndef TORRE_INITIAL_H
#define TORRE_INITIAL_H

#include "core/array_value.h"
#include "tiling/region.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Fill the cells that a region stores (dense, of the precision) with independent numbers, uniform
 * in -1 .. 1; the value of a cell depends on the seed and the cell's number in the whole grid alone
 * (core/random.h). For comparing engines: every cell differs.
 */
void torre_wave_noise(const torre_region *region, torre_precision precision, uint64_t seed,
                      void *cells);

#ifdef __cplusplus
}
#endif

#endif
