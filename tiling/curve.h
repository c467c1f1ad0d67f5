/*
 * Space-filling curves as motifs.
 *
 * Every recursive curve of this project is one small table, its motif. The motif says in which
 * order the curve visits the base^dims sub-blocks of a block, and how the curve inside each
 * sub-block is turned: by a signed permutation of the axes, the "turn". Descending one level means
 * composing the turn of the block with the turn of the sub-block; no other state is needed.
 *
 *     frame axis a of the curve lies along axis p[a] of the box, backwards when f[a] = 1
 *
 *     digit along the box axis p[a] = f[a] ? base - 1 - d[a] : d[a],  d: digits of the motif
 *
 * A new curve is one header with its motif (see curve_hilbert.h) and one line in curve_table.h.
 */
#ifndef TORRE_CURVE_H
#define TORRE_CURVE_H

#include <stdint.h>

#include "hd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TORRE_MAX_CHILDREN 27

/* A turn in nine bits: two for each p[a], then one for each f[a]. */
#define TORRE_TURN(p0, p1, p2, f0, f1, f2)                                                         \
    ((p0) | (p1) << 2 | (p2) << 4 | (f0) << 6 | (f1) << 7 | (f2) << 8)
#define TORRE_TURN_NONE TORRE_TURN(0, 1, 2, 0, 0, 0)

/* Digits of a sub-block along the three frame axes, two bits each. */
#define TORRE_DIGITS(d0, d1, d2) ((d0) | (d1) << 2 | (d2) << 4)

/* dims = 0 stands for "no such curve in this dimension". */
typedef struct torre_motif {
    int16_t base;     /* sub-blocks per axis: 2 or 3 */
    int16_t dims;     /* axes that are divided: frame axes 0 .. dims - 1 */
    int16_t children; /* base^dims */
    int16_t body;     /* torre_ordering_kind whose motif of equal dims fills the sub-blocks ... */
    int16_t other;    /* ... except those with bit c of `others` set, which this one fills */
    uint32_t others;
    uint16_t turn[TORRE_MAX_CHILDREN];
    uint8_t digits[TORRE_MAX_CHILDREN];
} torre_motif;

/* Box axis along which frame axis a lies. */
static inline TORRE_HD int torre_turn_axis(int turn, int a) { return turn >> 2 * a & 3; }

/* 1 when frame axis a runs backwards. */
static inline TORRE_HD int torre_turn_flip(int turn, int a) { return turn >> (6 + a) & 1; }

/* The turn of a sub-block in the box, from that of the sub-block inside its block. */
static inline TORRE_HD int torre_turn_compose(int block, int sub)
{
    int result = 0;
    for (int a = 0; a < 3; a++) {
        int axis = torre_turn_axis(sub, a);
        int flip = torre_turn_flip(sub, a) ^ torre_turn_flip(block, axis);
        result |= torre_turn_axis(block, axis) << 2 * a | flip << (6 + a);
    }
    return result;
}

#ifdef __cplusplus
}
#endif

#endif
