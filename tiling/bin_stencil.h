/*
 * Stencils over bins: which bins around a bin hold the particles it may interact with.
 *
 * A reach of g bins (g >= 1) gives
 *
 *     block        every bin with |i|, |j|, |k| <= g:  (2 g + 1)^3
 *     spherical    every bin that lies wholly or partly closer than g bins to the own bin: the gap
 *                  between two bins i apart is max(|i| - 1, 0), so
 *                      gap(i)^2 + gap(j)^2 + gap(k)^2 < g^2,
 *                  M0(g) bins of eq. 6 of Al-Kharusi and Walker, IJHPCA 33 (2019) 998 (table 2)
 *
 * Half sets (Newton's third law) keep the own bin and, of every two opposite ones, that with k > 0,
 * or k = 0 and j > 0, or k = j = 0 and i > 0: 1 + 3 g + 6 g^2 + 4 g^3 for the block (eq. 11).
 * In two dimensions k = 0 throughout and spheres become discs.
 */
#ifndef TORRE_BIN_STENCIL_H
#define TORRE_BIN_STENCIL_H

#include <stdbool.h>
#include <stdint.h>

#include "hd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TORRE_STENCIL_MAX_REACH 1000 /* counts stay far below 2^63 */

typedef enum torre_bin_shape { TORRE_BIN_BLOCK, TORRE_BIN_SPHERICAL } torre_bin_shape;

/* A stencil of one dimension number and reach. Plain data. */
typedef struct torre_stencil_bins {
    torre_bin_shape shape;
    int dims;      /* 2 or 3 */
    int64_t reach; /* g, 1 .. TORRE_STENCIL_MAX_REACH */
    bool half;
} torre_stencil_bins;

/* Whether the bin at this distance belongs to the stencil. */
static inline TORRE_HD bool torre_stencil_bins_has(const torre_stencil_bins *s, int64_t i,
                                                   int64_t j, int64_t k)
{
    if (s->half && (k < 0 || (k == 0 && (j < 0 || (j == 0 && i < 0))))) return false;
    int64_t d[3] = {i < 0 ? -i : i, j < 0 ? -j : j, k < 0 ? -k : k}, gap2 = 0;
    for (int a = 0; a < 3; a++) {
        if (d[a] > s->reach || (a >= s->dims && d[a])) return false;
        if (d[a] > 1) gap2 += (d[a] - 1) * (d[a] - 1);
    }
    return s->shape == TORRE_BIN_BLOCK || gap2 < s->reach * s->reach;
}

/* Number of bins, the own one included; O(g^2). */
int64_t torre_stencil_bins_count(const torre_stencil_bins *s);

/*
 * The distances (i, j, k) of all bins, last axis fastest, the own bin among them. Caller's memory,
 * torre_stencil_bins_count(s) entries.
 */
void torre_stencil_bins_fill(const torre_stencil_bins *s, int32_t (*offset)[3]);

/*
 * How much of the full stencil lies outside the sphere (disc) of radius g around a point, in
 * percent: 100 (1 - (4 pi / 3) g^3 / bins), in two dimensions 100 (1 - pi g^2 / bins).
 */
double torre_stencil_bins_deviation(const torre_stencil_bins *s);

#ifdef __cplusplus
}
#endif

#endif
