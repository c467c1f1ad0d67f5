/*
 * Orderings: bijections between the cells of a box and the ranks 0 .. cells - 1. torre/ordering.h
 * has their names and parameters.
 *
 * Conventions: coordinates (i, j, k) with sizes (M, N, P); row-major has the last axis fastest;
 * Morton gives the last axis the lowest bit; Hilbert in three dimensions is the L-system of
 * Al-Kharusi and Walker (IJHPCA 33 (2019) 998) mirrored so that the 4x4x4 curve runs from (0,0,0)
 * to (3,0,0).
 * A curve whose natural domain is a power (of two or three) ranks only the cells of the enclosing
 * domain that lie in the box: the order is kept, there are no holes.
 *
 * An ordering consists of one or two parts. A part orders the unit blocks (cubes of `unit` cells a
 * side, the last ones cut by the box) of its box; the second part orders the cells inside each unit
 * block of the first: a hybrid ordering.
 *
 * The pancake orders a flat box by a two-dimensional Hilbert curve, whose squares, once their side
 * has come down to the thickness of the box, are cubes filled by three-dimensional Hilbert curves.
 * Both curves run along the first axis of their frame from corner to corner, in the same bottom
 * layer, so that the joints are unit steps too.
 *
 * Encode and decode descend the recursion of the curve. At each level they count the cells of the
 * sub-blocks that the curve visits earlier, each the intersection of two boxes: O(log n) for any
 * box, without tables.
 */
#ifndef TORRE_ORDERING_H
#define TORRE_ORDERING_H

#include "curve_table.h"
#include "hd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TORRE_ORDERING_MAX_SIZE (INT64_C(1) << 20) /* cells along one axis */

typedef struct torre_ordering_part {
    int kind;        /* row-major or one with a motif */
    int levels;      /* recursion depth; 0 for row-major */
    int flat_levels; /* above this level only the first two frame axes are divided (pancake) */
    int turn;
    int64_t unit; /* side of the blocks that this part orders, in cells */
} torre_ordering_part;

/* An ordering of one box. Plain data, copied freely, usable on host and device. */
struct torre_ordering {
    torre_ordering_kind kind;
    int dims;        /* 2 or 3 */
    int64_t size[3]; /* box; size[2] = 1 when dims = 2 */
    int part_count;
    torre_ordering_part part[2];
};

/*
 * Ordering of kind over a box of dims axes. Returns false, with a static text in *why (may be
 * NULL), when dims is not 2 or 3 or a size is not in 1 .. 2^20.
 */
bool torre_ordering_make(torre_ordering_kind kind, int dims, const int64_t *size, torre_ordering *o,
                         const char **why);

/*
 * The same with parameters; also refuses AXES that the box does not have, a tile out of range and
 * strips.
 */
bool torre_ordering_make_spec(const torre_ordering_spec *spec, int dims, const int64_t *size,
                              torre_ordering *o, const char **why);

/* A block of the recursion: its low corner and its extent before it is cut to the box. */
typedef struct torre_ordering_block {
    int64_t low[3], extent[3];
    int turn;
    int kind; /* whose motif divides it */
} torre_ordering_block;

/* Cells of the block below the corner high[3]. */
static inline TORRE_HD int64_t torre_ordering_count(const torre_ordering_block *b,
                                                    const int64_t *high)
{
    int64_t cells = 1;
    for (int a = 0; a < 3; a++) {
        int64_t n = high[a] - b->low[a];
        if (n <= 0) return 0;
        cells *= n < b->extent[a] ? n : b->extent[a];
    }
    return cells;
}

/* The whole box as a block. */
static inline TORRE_HD torre_ordering_block torre_ordering_box(const torre_ordering *o)
{
    torre_ordering_block b = {{0, 0, 0}, {o->size[0], o->size[1], o->size[2]}, 0, 0};
    return b;
}

/* Cut a block to the corner high. */
static inline TORRE_HD void torre_ordering_cut(torre_ordering_block *b, const int64_t *high)
{
    for (int a = 0; a < 3; a++)
        if (b->low[a] + b->extent[a] > high[a]) b->extent[a] = high[a] - b->low[a];
}

/* The enclosing domain of a curve that orders the unit blocks of the box. */
static inline TORRE_HD torre_ordering_block torre_ordering_root(const torre_ordering *o,
                                                                const torre_ordering_part *p,
                                                                const torre_ordering_block *box)
{
    torre_ordering_block b = *box;
    int base = torre_motif_of(p->kind, o->dims)->base;
    for (int f = 0; f < 3; f++) {
        int64_t side = p->unit;
        for (int l = f < 2 ? p->levels : p->flat_levels; l > 0; l--) side *= base;
        b.extent[torre_turn_axis(p->turn, f)] = side;
    }
    b.turn = p->turn;
    b.kind = p->kind;
    return b;
}

/* The motif that divides the block b at this level of the part (part->levels at the root). */
static inline TORRE_HD const torre_motif *torre_ordering_motif(const torre_ordering *o,
                                                               const torre_ordering_part *p,
                                                               const torre_ordering_block *b,
                                                               int level)
{
    return torre_motif_of(b->kind, level > p->flat_levels ? 2 : o->dims);
}

/* Sub-block number child of b along the curve, 0 <= child < motif->children. */
static inline TORRE_HD torre_ordering_block torre_ordering_sub(const torre_motif *motif,
                                                               const torre_ordering_block *b,
                                                               int child)
{
    torre_ordering_block s = *b;
    for (int f = 0; f < motif->dims; f++) {
        int axis = torre_turn_axis(b->turn, f);
        int digit = motif->digits[child] >> 2 * f & 3;
        if (torre_turn_flip(b->turn, f)) digit = motif->base - 1 - digit;
        s.extent[axis] = b->extent[axis] / motif->base;
        s.low[axis] = b->low[axis] + digit * s.extent[axis];
    }
    s.turn = torre_turn_compose(b->turn, motif->turn[child]);
    s.kind = motif->others >> child & 1 ? motif->other : motif->body;
    return s;
}

static inline TORRE_HD bool torre_ordering_holds(const torre_ordering_block *b, const int64_t *cell)
{
    for (int a = 0; a < 3; a++)
        if (cell[a] < b->low[a] || cell[a] >= b->low[a] + b->extent[a]) return false;
    return true;
}

/* Rank of the unit block that holds the cell, counted in cells; *box shrinks to that block. */
static inline TORRE_HD int64_t torre_ordering_encode_part(const torre_ordering *o,
                                                          const torre_ordering_part *p,
                                                          torre_ordering_block *box,
                                                          const int64_t *cell)
{
    int64_t high[3], rank = 0;
    for (int a = 0; a < 3; a++) high[a] = box->low[a] + box->extent[a];
    if (p->kind == TORRE_ROW_MAJOR) {
        int64_t before = 1; /* cells of the box in a slab one cell thick, cut to the block so far */
        for (int a = 0; a < 3; a++) before *= box->extent[a];
        for (int f = 0; f < 3; f++) {
            int a = torre_turn_axis(p->turn, f);
            int64_t offset = (cell[a] - box->low[a]) / p->unit * p->unit;
            before /= box->extent[a];
            rank += before * offset;
            box->low[a] += offset;
            box->extent[a] = p->unit;
            torre_ordering_cut(box, high);
            before *= box->extent[a];
        }
        return rank;
    }
    torre_ordering_block b = torre_ordering_root(o, p, box);
    for (int level = p->levels; level > 0; level--) {
        const torre_motif *motif = torre_ordering_motif(o, p, &b, level);
        torre_ordering_block s = torre_ordering_sub(motif, &b, 0);
        for (int c = 1; !torre_ordering_holds(&s, cell); c++) {
            rank += torre_ordering_count(&s, high);
            s = torre_ordering_sub(motif, &b, c);
        }
        b = s;
    }
    torre_ordering_cut(&b, high);
    *box = b;
    return rank;
}

/* Inverse: *box shrinks to the unit block of that rank; returns the rank inside the block. */
static inline TORRE_HD int64_t torre_ordering_decode_part(const torre_ordering *o,
                                                          const torre_ordering_part *p,
                                                          torre_ordering_block *box, int64_t rank)
{
    int64_t high[3];
    for (int a = 0; a < 3; a++) high[a] = box->low[a] + box->extent[a];
    if (p->kind == TORRE_ROW_MAJOR) {
        int64_t before = 1;
        for (int a = 0; a < 3; a++) before *= box->extent[a];
        for (int f = 0; f < 3; f++) {
            int a = torre_turn_axis(p->turn, f);
            before /= box->extent[a];
            int64_t offset = rank / before / p->unit * p->unit;
            rank -= before * offset;
            box->low[a] += offset;
            box->extent[a] = p->unit;
            torre_ordering_cut(box, high);
            before *= box->extent[a];
        }
        return rank;
    }
    torre_ordering_block b = torre_ordering_root(o, p, box);
    for (int level = p->levels; level > 0; level--) {
        const torre_motif *motif = torre_ordering_motif(o, p, &b, level);
        torre_ordering_block s = torre_ordering_sub(motif, &b, 0);
        int64_t cells = torre_ordering_count(&s, high);
        for (int c = 1; rank >= cells; c++) {
            rank -= cells;
            s = torre_ordering_sub(motif, &b, c);
            cells = torre_ordering_count(&s, high);
        }
        b = s;
    }
    torre_ordering_cut(&b, high);
    *box = b;
    return rank;
}

/* Rank of a cell (cell[dims]) inside the box, O(log n). Inverse of torre_ordering_decode. */
static inline TORRE_HD int64_t torre_ordering_encode(const torre_ordering *o, const int64_t *cell)
{
    torre_ordering_block box = torre_ordering_box(o);
    int64_t at[3] = {0, 0, 0}, rank = 0;
    for (int a = 0; a < o->dims; a++) at[a] = cell[a];
    for (int i = 0; i < o->part_count; i++)
        rank += torre_ordering_encode_part(o, &o->part[i], &box, at);
    return rank;
}

/* Cell (cell[dims]) of a rank in 0 .. cells - 1, O(log n). */
static inline TORRE_HD void torre_ordering_decode(const torre_ordering *o, int64_t rank,
                                                  int64_t *cell)
{
    torre_ordering_block box = torre_ordering_box(o);
    for (int i = 0; i < o->part_count; i++)
        rank = torre_ordering_decode_part(o, &o->part[i], &box, rank);
    for (int a = 0; a < o->dims; a++) cell[a] = box.low[a];
}

#ifdef __cplusplus
}
#endif

#endif
