/*
 * The particles of a start in the bins of a grid, which is displaced from time to time so that they
 * get from bin to bin. Those of a bin lie beside each other, and bins in row-major order: what
 * scans meet is near in memory, and a grid that was displaced finds nearly all where they belong.
 */
#ifndef TORRE_GRANULAR_BINS_H
#define TORRE_GRANULAR_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "tiling/bins.h"

/* Particles, those of a bin by number. */
typedef struct torre_granular_members {
    double (*place)[3];
    int32_t *number;  /* in the order in which they came */
    uint8_t *touches; /* somebody overlapped it when it was last offered a move */
} torre_granular_members;

typedef struct torre_granular_bins {
    torre_bin_grid grid;
    double shift[3], per_length[3]; /* of the grid; bins */
    int64_t bins, count;
    int32_t *start;                   /* [bins + 1]: the first member of each */
    torre_granular_members now, next; /* next: where they go as the grid is displaced, by ... */
    int32_t *rank, *order, *row;      /* ... the new bin of each, all by rows, where rows begin */
} torre_granular_bins;

/* Of so many particles, numbered as they lie in now.place, which is to be filled in; the first
 * displacement sorts them. Zero before; free it in any case. TORRE_ERR_RESOURCE. */
torre_status torre_granular_bins_make(const torre_bin_grid *grid, int64_t count,
                                      torre_granular_bins *bins);
void torre_granular_bins_free(torre_granular_bins *bins);

/* Sort the particles into the grid, displaced by so much. */
void torre_granular_bins_displace(torre_granular_bins *bins, const double shift[3]);

/* Places by number, to bins->next.place. */
void torre_granular_bins_places(torre_granular_bins *bins);

static inline double torre_granular_wrapped(double r, double edge)
{
    if (r >= edge) r -= edge;
    if (r < 0) r += edge;
    return r < edge ? r : 0;
}

/* Rank of the bin of a position: ranks are row-major. */
static inline int64_t torre_granular_bin_of(const torre_granular_bins *b, const double r[3])
{
    int64_t rank = 0;
    for (int a = 0; a < 3; a++) {
        const double at = torre_granular_wrapped(r[a] + b->shift[a], b->grid.box[a]);
        const int64_t cell = (int64_t)(at * b->per_length[a]);
        rank = rank * b->grid.n[a] + (cell < b->grid.n[a] ? cell : b->grid.n[a] - 1);
    }
    return rank;
}

static inline void torre_granular_cell(const torre_granular_bins *b, int64_t rank, int64_t cell[3])
{
    const uint32_t n1 = (uint32_t)b->grid.n[1], n2 = (uint32_t)b->grid.n[2];
    const uint32_t row = (uint32_t)rank / n2;
    cell[0] = row / n1;
    cell[1] = row % n1;
    cell[2] = (uint32_t)rank % n2;
}

enum { TORRE_GRANULAR_BLOCK = 27 }; /* bins around one, itself among them */

/* Number o of the cells around one, which is the first, the others row-major. In a small box one
 * may be there several times. Returns the rank of its bin. */
static inline int64_t torre_granular_around_cell(const torre_granular_bins *b,
                                                 const int64_t cell[3], int o, int64_t other[3])
{
    const int own = TORRE_GRANULAR_BLOCK / 2, k = o == 0 ? own : o <= own ? o - 1 : o;
    const int offset[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
    const int64_t *n = b->grid.n;
    for (int a = 0; a < 3; a++) {
        const int64_t at = cell[a] + offset[a];
        other[a] = at < 0 ? n[a] - 1 : at < n[a] ? at : 0;
    }
    return (other[0] * n[1] + other[1]) * n[2] + other[2];
}

/* Members from[k] .. to[k] - 1 of those bins, in that order. */
typedef struct torre_granular_around {
    int32_t from[TORRE_GRANULAR_BLOCK], to[TORRE_GRANULAR_BLOCK];
    int count;
    bool whole; /* the box does not end among them, so that no distance is across its ends */
} torre_granular_around;
void torre_granular_bins_around(const torre_granular_bins *bins, int64_t rank,
                                torre_granular_around *around);

#endif
