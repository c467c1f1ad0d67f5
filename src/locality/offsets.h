/*
 * What an ordering does to memory: offsets of stencils, and the accesses of the cache model.
 *
 * The bins of a box are stored at their ranks. Every bin that is at least the reach of the stencil
 * away from the faces (the "interior") accesses the bins of its stencil; the interior is visited in
 * path order (by rank), the stencil scanned with the last axis fastest. Al-Kharusi and Walker,
 * IJHPCA 33 (2019) 998, section 3.2, algorithm 1.
 */
#ifndef TORRE_OFFSETS_H
#define TORRE_OFFSETS_H

#include "locality/reuse.h"
#include "tiling/bins.h"
#include "tiling/ordering.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of interior bins; 0 when the box is too small for the stencil. */
int64_t torre_locality_interior(const torre_ordering *o, const torre_stencil_bins *s);

/* Distribution of the memory offsets rank(neighbour) - rank(bin), in bins. */
typedef struct torre_offsets {
    int64_t total;      /* interior bins times bins of the stencil */
    int64_t max_abs;    /* largest |offset| that occurs */
    int64_t cells;      /* bins of the box */
    int64_t *histogram; /* [2 cells - 1], count of offset d at d + cells - 1 */
} torre_offsets;

/* Count all offsets. Returns false when out of memory. Free with torre_offsets_free. */
bool torre_offsets_count(const torre_ordering *o, const torre_stencil_bins *s,
                         torre_offsets *offsets);
void torre_offsets_free(torre_offsets *offsets);

/* Fraction of the offsets with absolute value <= limit (limit >= 0). */
double torre_offsets_within(const torre_offsets *offsets, int64_t limit);

/*
 * Feed all accesses to a reuse counter, in cache blocks of so many bins (>= 1): memory block
 * rank / block_bins. The counter must have been made for at least ceil(cells / block_bins) blocks.
 * Returns false when out of memory.
 */
bool torre_locality_accesses(const torre_ordering *o, const torre_stencil_bins *s,
                             int64_t block_bins, torre_reuse *reuse);

#ifdef __cplusplus
}
#endif

#endif
