/*
 * Bins over the periodic box, ranked by an ordering, and the particles in them.
 *
 * Axis a is cut into n[a] equal bins. Bin (i, j, k) has a row-major index (i n1 + j) n2 + k and a
 * rank in the ordering; members are kept by rank:
 *
 *     rank        0      1        2   ...
 *     start    [  0  ,   3   ,    4  , ... , count ]
 *     member   | 7 2 9 | 5 | 1 8 | ...              (indices of particles in storage)
 *
 * A particle looks for partners within reach in the bins of the stencil around its own: a list of
 * offsets (0, 0, 0 first), either the whole block or only those bins that come nearer than reach.
 * Bins wrap around the box, so a small box can hold the same bin at several offsets: these are
 * different periodic images.
 */
#ifndef TORRE_BINS_H
#define TORRE_BINS_H

#include <stdint.h>

#include "core/status.h"
#include "particles/md.h"
#include "tiling/ordering.h"

typedef struct torre_bins {
    int64_t n[3];
    double box[3], edge[3], reach;
    int64_t bins;
    int32_t (*cell)[3]; /* [rank]: coordinates */
    int32_t *rank;      /* [row-major index] */
    int8_t (*offset)[3];
    int offsets;
    int64_t count;
    int64_t *start;    /* [bins + 1] */
    int32_t *member;   /* [count] */
    int32_t *rank_of;  /* [count]: rank of the bin of each particle in storage */
    int64_t occupancy; /* largest number of particles in one bin */
    int threads;       /* that sort; the caller may change it from OpenMP's own choice */
} torre_bins;

/*
 * Bins for count particles in the box, edges at least bin_size (but never more than 2 count + 64
 * bins, and no more than 100 offsets along an axis). reach: cutoff + skin, at most half the box.
 * Fails for lack of memory or where the ordering does not exist. Free with _free.
 */
torre_status torre_bins_make(const double box[3], double reach, double bin_size,
                             torre_bin_stencil stencil, const torre_ordering_spec *ordering,
                             int64_t count, torre_bins *bins);

void torre_bins_free(torre_bins *bins);

/* Number of bins of each axis, and bytes, that torre_bins_make would take; fails where it would for
 * the size of bins. */
torre_status torre_bins_plan(const double box[3], double reach, double bin_size, int64_t count,
                             int64_t n[3], int64_t *bytes);

/*
 * Counting sort by rank: start, member and occupancy from rank_of. Particles of one bin keep the
 * order they have in storage.
 */
void torre_bins_sort(torre_bins *bins);

/* After storage has been put into member order: member[i] = i, rank_of sorted. */
void torre_bins_renumber(torre_bins *bins);

/* Particles in the stencil of a particle's bin, itself included: the mean over the particles. */
double torre_bins_pairs(const torre_bins *bins);

/* Row-major index of the bin that holds a position inside the box. */
static inline int64_t torre_bins_index(const torre_bins *bins, const double position[3])
{
    int64_t index = 0;
    for (int a = 0; a < 3; a++) {
        int64_t cell = (int64_t)(position[a] / bins->edge[a]);
        if (cell >= bins->n[a]) cell = bins->n[a] - 1;
        index = index * bins->n[a] + cell;
    }
    return index;
}

/* Row-major index of the bin at an offset from the one of a rank; image[a]: box edges to add to the
 * positions of its particles so that they lie around that bin. */
static inline int64_t torre_bins_at(const torre_bins *bins, int64_t rank, int offset, int image[3])
{
    int64_t index = 0;
    for (int a = 0; a < 3; a++) {
        int64_t cell = bins->cell[rank][a] + bins->offset[offset][a];
        image[a] = 0;
        while (cell < 0) cell += bins->n[a], image[a]--;
        while (cell >= bins->n[a]) cell -= bins->n[a], image[a]++;
        index = index * bins->n[a] + cell;
    }
    return index;
}

#endif
