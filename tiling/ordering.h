/*
 * Orderings: bijections between the cells of a box and the ranks 0 .. cells - 1.
 *
 * Conventions: coordinates (i, j, k) with sizes (M, N, P); row-major has the last axis fastest;
 * Morton gives the last axis the lowest bit; Hilbert in three dimensions is the L-system of
 * Al-Kharusi and Walker (IJHPCA 33 (2019) 998) mirrored so that the 4x4x4 curve runs from (0,0,0)
 * to (3,0,0).
 * A curve whose natural domain is a power (of two or three) ranks only the cells of the enclosing
 * domain that lie in the box: the order is kept, there are no holes.
 */
#ifndef TORRE_ORDERING_H
#define TORRE_ORDERING_H

#include <stdbool.h>
#include <stdint.h>

#include "hd.h"

typedef enum torre_ordering_kind {
    TORRE_ROW_MAJOR,
    TORRE_MORTON,
    TORRE_HILBERT,
    TORRE_ORDERING_KINDS
} torre_ordering_kind;

/* An ordering of one box. Plain data, copied freely, usable on host and device. */
typedef struct torre_ordering {
    torre_ordering_kind kind;
    int dims;        /* 2 or 3 */
    int64_t size[3]; /* box; size[2] = 1 when dims = 2 */
    int levels;      /* recursion depth of the enclosing curve domain */
} torre_ordering;

/* Name as in --ordering ("row-major", ...); NULL for an illegal kind. */
const char *torre_ordering_name(torre_ordering_kind kind);

/* Kind of that name; false (and *kind unchanged) for an unknown one. */
bool torre_ordering_by_name(const char *name, torre_ordering_kind *kind);

/* "row-major, morton, hilbert": the legal names for messages and help texts. */
const char *torre_ordering_names(void);

/*
 * Ordering of kind over a box of dims axes. Returns false, with a static text in *why (may be
 * NULL), when the kind does not exist in that dimension or a size is not in 1 .. 2^20.
 */
bool torre_ordering_make(torre_ordering_kind kind, int dims, const int64_t *size, torre_ordering *o,
                         const char **why);

/* Rank of a cell inside the box, O(log n). Inverse of torre_ordering_decode. */
TORRE_HD int64_t torre_ordering_encode(const torre_ordering *o, const int64_t *cell);

/* Cell of a rank in 0 .. cells - 1, O(log n). cell[dims]. */
TORRE_HD void torre_ordering_decode(const torre_ordering *o, int64_t rank, int64_t *cell);

#endif
