/*
 * Peano curves (G. Peano, Math. Ann. 36 (1890) 157; H. Sagan, Space-Filling Curves, 1994): a
 * serpentine through 3^dims sub-blocks, last axis fastest, from the corner (0,..,0) to the opposite
 * one. The curve in a sub-block runs backwards along an axis when the other digits of the sub-block
 * add up to an odd number; that joins the ends.
 */
#ifndef TORRE_CURVE_PEANO_H
#define TORRE_CURVE_PEANO_H

#include "curve.h"

/* The turns and digits of the sub-blocks (i, j, .) in serpentine order. */
#define TORRE_PEANO_TURN(i, j, k)                                                                  \
    TORRE_TURN(0, 1, 2, ((j) + (k)) & 1, ((i) + (k)) & 1, ((i) + (j)) & 1)
#define TORRE_PEANO_UP(P, i, j)   P(i, j, 0), P(i, j, 1), P(i, j, 2)
#define TORRE_PEANO_DOWN(P, i, j) P(i, j, 2), P(i, j, 1), P(i, j, 0)
#define TORRE_PEANO_ALL(P)                                                                         \
    TORRE_PEANO_UP(P, 0, 0), TORRE_PEANO_DOWN(P, 0, 1), TORRE_PEANO_UP(P, 0, 2),                   \
        TORRE_PEANO_DOWN(P, 1, 2), TORRE_PEANO_UP(P, 1, 1), TORRE_PEANO_DOWN(P, 1, 0),             \
        TORRE_PEANO_UP(P, 2, 0), TORRE_PEANO_DOWN(P, 2, 1), TORRE_PEANO_UP(P, 2, 2)

/* In two dimensions the third digit is 0: the same formula for the plane (i, j, 0). */
#define TORRE_PEANO_FLAT(P)                                                                        \
    P(0, 0, 0), P(0, 1, 0), P(0, 2, 0), P(1, 2, 0), P(1, 1, 0), P(1, 0, 0), P(2, 0, 0),            \
        P(2, 1, 0), P(2, 2, 0)

#define TORRE_PEANO_FLAT_TURN(i, j, k) TORRE_TURN(0, 1, 2, (j)&1, (i)&1, 0)

#define TORRE_PEANO_2D                                                                             \
    {                                                                                              \
        3, 2, 9, TORRE_PEANO, 0, 0, {TORRE_PEANO_FLAT(TORRE_PEANO_FLAT_TURN)},                     \
            {TORRE_PEANO_FLAT(TORRE_DIGITS)},                                                      \
    }

#define TORRE_PEANO_3D                                                                             \
    {                                                                                              \
        3, 3, 27, TORRE_PEANO, 0, 0, {TORRE_PEANO_ALL(TORRE_PEANO_TURN)},                          \
            {TORRE_PEANO_ALL(TORRE_DIGITS)},                                                       \
    }

#endif
