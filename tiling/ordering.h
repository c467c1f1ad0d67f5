/*
 * Orderings: bijections between the cells of a box and the ranks 0 .. cells - 1.
 *
 * Conventions: coordinates (i, j, k) with sizes (M, N, P); row-major has the last axis fastest;
 * Morton gives the last axis the lowest bit; Hilbert in three dimensions is the L-system of
 * Al-Kharusi and Walker (IJHPCA 33 (2019) 998) mirrored so that the 4x4x4 curve runs from (0,0,0)
 * to (3,0,0).
 * A curve whose natural domain is a power (of two or three) ranks only the cells of the enclosing
 * domain that lie in the box: the order is kept, there are no holes.
 *
 * Encode and decode descend the recursion of the curve. At each level they count the cells of the
 * sub-blocks that the curve visits earlier, each the intersection of two boxes: O(log n) for any
 * box, without tables.
 */
#ifndef TORRE_ORDERING_H
#define TORRE_ORDERING_H

#include <stdbool.h>
#include <stdint.h>

#include "curve_table.h"
#include "hd.h"

#define TORRE_ORDERING_MAX_SIZE (INT64_C(1) << 20) /* cells along one axis */

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

/* A block of the recursion: its low corner and its extent before it is cut to the box. */
typedef struct torre_ordering_block {
    int64_t low[3], extent[3];
    int turn;
    int kind; /* whose motif divides it */
} torre_ordering_block;

/* Cells of the box of o in the block. */
static inline TORRE_HD int64_t torre_ordering_count(const torre_ordering *o,
                                                    const torre_ordering_block *b)
{
    int64_t cells = 1;
    for (int a = 0; a < 3; a++) {
        int64_t n = o->size[a] - b->low[a];
        if (n <= 0) return 0;
        cells *= n < b->extent[a] ? n : b->extent[a];
    }
    return cells;
}

/* The enclosing domain of a curve. */
static inline TORRE_HD torre_ordering_block torre_ordering_root(const torre_ordering *o)
{
    torre_ordering_block b = {{0, 0, 0}, {1, 1, 1}, TORRE_TURN_NONE, (int)o->kind};
    int base = torre_motif_of(b.kind, o->dims)->base;
    for (int l = 0; l < o->levels; l++)
        for (int a = 0; a < o->dims; a++) b.extent[a] *= base;
    return b;
}

/* Sub-block number child of b along the curve, 0 <= child < motif->children. */
static inline TORRE_HD torre_ordering_block torre_ordering_sub(const torre_motif *motif,
                                                               const torre_ordering_block *b,
                                                               int child)
{
    torre_ordering_block s = *b;
    for (int a = 0; a < motif->dims; a++) {
        int axis = torre_turn_axis(b->turn, a);
        int digit = motif->digits[child] >> 2 * a & 3;
        if (torre_turn_flip(b->turn, a)) digit = motif->base - 1 - digit;
        s.extent[axis] = b->extent[axis] / motif->base;
        s.low[axis] = b->low[axis] + digit * s.extent[axis];
    }
    s.turn = torre_turn_compose(b->turn, motif->turn[child]);
    s.kind = motif->body;
    return s;
}

static inline TORRE_HD bool torre_ordering_holds(const torre_ordering_block *b,
                                                 const int64_t cell[3])
{
    for (int a = 0; a < 3; a++)
        if (cell[a] < b->low[a] || cell[a] >= b->low[a] + b->extent[a]) return false;
    return true;
}

/*
 * Rank of a cell (cell[dims]) inside the box, O(log n). Inverse of torre_ordering_decode.
 */
static inline TORRE_HD int64_t torre_ordering_encode(const torre_ordering *o, const int64_t *cell)
{
    int64_t at[3] = {0, 0, 0};
    for (int a = 0; a < o->dims; a++) at[a] = cell[a];
    if (o->kind == TORRE_ROW_MAJOR) return (at[0] * o->size[1] + at[1]) * o->size[2] + at[2];
    torre_ordering_block b = torre_ordering_root(o);
    int64_t rank = 0;
    for (int l = 0; l < o->levels; l++) {
        const torre_motif *motif = torre_motif_of(b.kind, o->dims);
        torre_ordering_block s = torre_ordering_sub(motif, &b, 0);
        for (int c = 1; !torre_ordering_holds(&s, at); c++) {
            rank += torre_ordering_count(o, &s);
            s = torre_ordering_sub(motif, &b, c);
        }
        b = s;
    }
    return rank;
}

/* Cell (cell[dims]) of a rank in 0 .. cells - 1, O(log n). */
static inline TORRE_HD void torre_ordering_decode(const torre_ordering *o, int64_t rank,
                                                  int64_t *cell)
{
    if (o->kind == TORRE_ROW_MAJOR) {
        for (int a = o->dims - 1; a >= 0; a--) {
            cell[a] = rank % o->size[a];
            rank /= o->size[a];
        }
        return;
    }
    torre_ordering_block b = torre_ordering_root(o);
    for (int l = 0; l < o->levels; l++) {
        const torre_motif *motif = torre_motif_of(b.kind, o->dims);
        torre_ordering_block s = torre_ordering_sub(motif, &b, 0);
        int64_t cells = torre_ordering_count(o, &s);
        for (int c = 1; rank >= cells; c++) {
            rank -= cells;
            s = torre_ordering_sub(motif, &b, c);
            cells = torre_ordering_count(o, &s);
        }
        b = s;
    }
    for (int a = 0; a < o->dims; a++) cell[a] = b.low[a];
}

#endif
