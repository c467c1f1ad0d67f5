/*
 * Bins: equal cells of a periodic box that particles are sorted into, and which bins around a bin
 * hold the particles that one of its own may interact with.
 *
 * Axis a of the box [0, box[a]) is cut into n[a] bins. Bin (i, j, k) has the row-major index
 * (i n1 + j) n2 + k, and an ordering of n0 x n1 x n2 cells (ordering.h) gives it a rank. Bins wrap
 * around the box; walls, where there are any, stand inside it.
 *
 * A stencil with a reach of g bins (g >= 1; along each axis its own where bins are not cubes) is
 *
 *     block        every bin with |i|, |j|, |k| <= g:  (2 g + 1)^3
 *     spherical    of these every bin that lies wholly or partly closer than a distance to the own
 *                  bin: the gap between two bins i apart is max(|i| - 1, 0) edges, so
 *                      gap(i)^2 + gap(j)^2 + gap(k)^2 < distance^2;
 *                  for cubes and a distance of g edges M0(g) bins of eq. 6 of Al-Kharusi and
 *                  Walker, IJHPCA 33 (2019) 998 (table 2)
 *
 * Half sets (Newton's third law) keep the own bin and, of every two opposite ones, that with k > 0,
 * or k = 0 and j > 0, or k = j = 0 and i > 0: 1 + 3 g + 6 g^2 + 4 g^3 for the block (eq. 11).
 * In two dimensions k = 0 throughout and spheres become discs.
 */
#ifndef TORRE_BINS_H
#define TORRE_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "hd.h"
#include "ordering.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A box cut into bins. Plain data. */
typedef struct torre_bin_grid {
    int64_t n[3];           /* bins along each axis, >= 1 */
    double box[3], edge[3]; /* of the box and of a bin, > 0; box = n edge */
} torre_bin_grid;

/* So many bins of these edges. */
torre_bin_grid torre_bin_grid_make(const int64_t n[3], const double edge[3]);

/*
 * As many bins as fit with edges of at least size (a rounding error less), one at least; while that
 * makes more than `most` of them, size is multiplied by growth (> 1).
 */
torre_bin_grid torre_bin_grid_fit(const double box[3], double size, double growth, double most);

static inline int64_t torre_bin_grid_bins(const torre_bin_grid *g)
{
    return g->n[0] * g->n[1] * g->n[2];
}

/* Row-major index of the bin that holds a position inside the box. */
static inline int64_t torre_bin_grid_index(const torre_bin_grid *g, const double position[3])
{
    int64_t index = 0;
    for (int a = 0; a < 3; a++) {
        int64_t cell = (int64_t)(position[a] / g->edge[a]);
        if (cell >= g->n[a]) cell = g->n[a] - 1;
        index = index * g->n[a] + cell;
    }
    return index;
}

/* Turn a finite position round into the box. */
void torre_bin_grid_wrap(const torre_bin_grid *g, double position[3]);

/* Vector from p to the nearest image of q. */
void torre_bin_grid_nearest(const torre_bin_grid *g, const double p[3], const double q[3],
                            double d[3]);

#define TORRE_STENCIL_MAX_REACH 1000 /* counts stay far below 2^63 */

typedef enum torre_bin_shape { TORRE_BIN_BLOCK, TORRE_BIN_SPHERICAL } torre_bin_shape;

/* A stencil. Plain data. */
typedef struct torre_stencil_bins {
    torre_bin_shape shape;
    int64_t reach[3];   /* bins along each axis, 0 .. TORRE_STENCIL_MAX_REACH; 2-D: reach[2] is 0 */
    double edge[3];     /* of a bin */
    double distance_sq; /* of spherical stencils, squared */
    bool half;
} torre_stencil_bins;

/* Of cubes (dims 3) or squares (2); reach, 1 .. TORRE_STENCIL_MAX_REACH, is the distance, too. */
torre_stencil_bins torre_stencil_of_cubes(torre_bin_shape shape, int dims, int64_t reach,
                                          bool half);

/* Of the bins of a grid, for particles nearer than a distance (> 0). Full. */
torre_stencil_bins torre_stencil_of_grid(torre_bin_shape shape, const torre_bin_grid *grid,
                                         double distance);

/* Nearest distance along an axis between two bins that are so many bins apart. */
static inline TORRE_HD double torre_stencil_gap(const torre_stencil_bins *s, int axis,
                                                int64_t apart)
{
    int64_t between = (apart < 0 ? -apart : apart) - 1;
    return between > 0 ? (double)between * s->edge[axis] : 0;
}

/* Whether the bin at this distance belongs to the stencil. */
static inline TORRE_HD bool torre_stencil_bins_has(const torre_stencil_bins *s, int64_t i,
                                                   int64_t j, int64_t k)
{
    const int64_t d[3] = {i, j, k};
    if (s->half && (k < 0 || (k == 0 && (j < 0 || (j == 0 && i < 0))))) return false;
    for (int a = 0; a < 3; a++)
        if (d[a] > s->reach[a] || d[a] < -s->reach[a]) return false;
    const double x = torre_stencil_gap(s, 0, i), y = torre_stencil_gap(s, 1, j),
                 z = torre_stencil_gap(s, 2, k);
    return s->shape == TORRE_BIN_BLOCK || x * x + y * y + z * z < s->distance_sq;
}

/* The largest k of a bin (i, j, k) of the full stencil; -1 where there is none. */
int64_t torre_stencil_bins_row(const torre_stencil_bins *s, int64_t i, int64_t j);

/* Number of bins, the own one included; O(reach^2). */
int64_t torre_stencil_bins_count(const torre_stencil_bins *s);

/*
 * The distances (i, j, k) of all bins, last axis fastest, the own bin among them, of a full stencil
 * in the middle. Caller's memory, torre_stencil_bins_count(s) entries.
 */
void torre_stencil_bins_fill(const torre_stencil_bins *s, int32_t (*offset)[3]);

/*
 * How much of the full stencil of cubes lies outside the sphere (disc) of radius g around a point,
 * in percent: 100 (1 - (4 pi / 3) g^3 / bins), in two dimensions 100 (1 - pi g^2 / bins).
 */
double torre_stencil_bins_deviation(const torre_stencil_bins *s);

#ifdef __cplusplus
}
#endif

#endif
