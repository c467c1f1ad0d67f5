/*
 * Particles sorted into the bins of a grid (tiling/bins.h), in the order of an ordering. Members
 * are kept by the rank of their bin:
 *
 *     rank        0      1        2   ...
 *     start    [  0  ,   3   ,    4  , ... , count ]
 *     member   | 7 2 9 | 5 | 1 8 | ...              (indices of particles in storage)
 *
 * A particle looks for partners within reach in the bins of the stencil around its own: a list of
 * offsets (0, 0, 0 first). A small box can hold the same bin at several offsets: these are
 * different periodic images.
 */
#ifndef TORRE_PARTICLE_BINS_H
#define TORRE_PARTICLE_BINS_H

#include <stdint.h>

#include "core/status.h"
#include "tiling/bins.h"

typedef struct torre_bins {
    torre_bin_grid grid;
    double reach;
    int64_t bins;
    int32_t (*cell)[3]; /* [rank]: coordinates */
    int32_t *rank;      /* [row-major index] */
    int32_t (*offset)[3];
    int64_t offsets;
    int64_t count;
    int64_t own[2];    /* ranks own[0] to own[1] - 1 are this process's: all of one, else a run
                          (bin_split.h) of those around which others may have particles here */
    int64_t *start;    /* [bins + 1] */
    int64_t room;      /* particles that there is memory for */
    int32_t *member;   /* [count] */
    int32_t *rank_of;  /* [count]: rank of the bin of each particle in storage */
    int64_t occupancy; /* largest number of particles in one bin */
    int threads;       /* that sort; the caller may change it from OpenMP's own choice */
} torre_bins;

/*
 * Bins for count particles that look for partners nearer than reach. TORRE_ERR_USAGE where that is
 * more than 100 bins along an axis, or the ordering does not exist; TORRE_ERR_RESOURCE for lack of
 * memory. Free with _free.
 */
torre_status torre_bins_make(const torre_bin_grid *grid, double reach, torre_bin_shape shape,
                             const torre_ordering_spec *ordering, int64_t count, torre_bins *bins);

/* They have so many particles from now on, whose rank_of stay. TORRE_ERR_RESOURCE. */
torre_status torre_bins_grow(torre_bins *bins, int64_t count);

void torre_bins_free(torre_bins *bins);

/* Fit them to another box: a grid for the same reach. Shape and ordering as in torre_bins_make;
 * members are to be sorted anew. After a failure they are as before, or only to be freed. */
torre_status torre_bins_fit(torre_bins *bins, const torre_bin_grid *grid, torre_bin_shape shape,
                            const torre_ordering_spec *ordering);

/* The grid for count particles: edges of at least bin_size, and at most 2 count + 64 bins. */
torre_bin_grid torre_bins_grid(const double box[3], double bin_size, int64_t count);

/* Bytes that torre_bins_make would take; fails where it would for the size of bins. */
torre_status torre_bins_plan(const torre_bin_grid *grid, double reach, torre_bin_shape shape,
                             int64_t count, int64_t *bytes);

/*
 * Ranks of n[0] x n[1] x n[2] cells in an ordering: rank[row-major index], and cell[rank] (may be
 * NULL). TORRE_ERR_USAGE for an ordering that there is not over so many `what` ("bins").
 */
torre_status torre_bins_rank(const torre_ordering_spec *ordering, const int64_t n[3],
                             const char *what, int32_t *rank, int32_t (*cell)[3]);

/* Say where a particle is, inside the box. */
static inline void torre_bins_put(torre_bins *bins, int64_t particle, const double position[3])
{
    bins->rank_of[particle] = bins->rank[torre_bin_grid_index(&bins->grid, position)];
}

/*
 * Counting sort by rank: start, member and occupancy from rank_of. Particles of one bin keep the
 * order they have in storage.
 */
void torre_bins_sort(torre_bins *bins);

/*
 * The same of a part of the bins, in two steps, for several that sort the same particles: bins low
 * to high - 1 of particles 0 to count - 1, of which those in other bins are passed over.
 */
typedef struct torre_bins_part {
    int64_t low, high;
    const int32_t *rank_of;
    int64_t count;
    int64_t first; /* members of the bins before */
} torre_bins_part;

/* Their members, and occupancy of theirs; `first` is not looked at. */
int64_t torre_bins_count(torre_bins *bins, const torre_bins_part *part);
/* start[low + 1] to start[high]; the members of the part to member[0] and on, each as its place
 * beyond `first`. */
void torre_bins_deal(torre_bins *bins, const torre_bins_part *part);

/* After storage has been put into member order: member[i] = i, rank_of sorted. */
void torre_bins_renumber(torre_bins *bins);

/* Particles in the stencil of a particle's bin, itself included: summed over the particles of its
 * own bins. */
double torre_bins_pairs(const torre_bins *bins);

/* Row-major index of the bin at an offset from the one of a rank; image[a]: box edges to add to the
 * positions of its particles so that they lie around that bin. */
static inline int64_t torre_bins_at(const torre_bins *bins, int64_t rank, int64_t offset,
                                    int image[3])
{
    int64_t index = 0;
    for (int a = 0; a < 3; a++) {
        int64_t cell = bins->cell[rank][a] + bins->offset[offset][a];
        image[a] = 0;
        while (cell < 0) cell += bins->grid.n[a], image[a]--;
        while (cell >= bins->grid.n[a]) cell -= bins->grid.n[a], image[a]++;
        index = index * bins->grid.n[a] + cell;
    }
    return index;
}

#endif
