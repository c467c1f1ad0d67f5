/*
 * Block cache-hit ratio of a set of particles.
 *
 * Particles live in a periodic box that is cut into bins and are stored in memory one after
 * another. Memory is cut into blocks of `cache` particles; one block at a time is processed, and
 * only its particles are in the cache. Computing the forces, every particle reads its possible
 * partners, the other particles in its own and the adjacent bins. A read is a hit when the partner
 * is stored in the same block. The share of hits depends on how well the order in memory clusters
 * neighbours, and decays as the particles move on while the order stays.
 *
 * After a reorder the particles are stored by the rank of their bin. With hits costing 1 and misses
 * `cost`, a hit ratio p makes reading 1 / (p / cost + 1 - p) times faster than misses only.
 *
 * Source: the thesis on space-filling curves for granular gases, chapters 2 to 5.
 */
#ifndef TORRE_BLOCK_HITS_H
#define TORRE_BLOCK_HITS_H

#include "particles/bins.h"
#include "tiling/ordering.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bins of a grid for count particles, by row-major index; free with torre_bins_free. */
torre_status torre_block_hits_bins(const torre_bin_grid *grid, int64_t count, torre_bins *bins);

/* Sort particles, whose positions are inside the box, into them. */
void torre_block_hits_fill(const double (*position)[3], torre_bins *bins);

/*
 * Order in memory right after a reorder: slot[p] = place of particle p in 0 .. count - 1, sorted by
 * the rank of its bin (ordering of as many cells as there are bins), in a bin by particle number.
 * Returns false when out of memory.
 */
bool torre_block_hits_sort(const torre_bins *bins, const torre_ordering *ordering, int64_t *slot);

typedef struct torre_block_hits {
    int64_t reads, hits;
    int64_t *bin_reads, *bin_hits; /* [bins] the same bin by bin, caller's zeroed memory, or NULL */
} torre_block_hits;

/*
 * Count reads and hits of all particles, which are at the positions that the bins were filled with.
 * contact > 0: only partners closer than that (nearest image) count as reads. cache >= 1 particles
 * a block. The counts of result are overwritten, those of the bins added to.
 */
void torre_block_hits_count(const torre_bins *bins, const double (*position)[3],
                            const int64_t *slot, int64_t cache, double contact,
                            torre_block_hits *result);

/* hits / reads; 1 when nothing was read. */
double torre_block_hits_ratio(const torre_block_hits *hits);

/* How much faster reading gets with this hit ratio when a miss costs so much more than a hit. */
double torre_block_hits_speedup(double ratio, double cost);

#ifdef __cplusplus
}
#endif

#endif
