/*
 * Morton ordering (Z curve in two dimensions): sub-blocks in row-major order, never turned. The
 * last axis gives the lowest bit of the rank, the "recursive row-major 2x2x2 blocks" of the text of
 * Al-Kharusi and Walker, IJHPCA 33 (2019) 998, section 2.3 (their eq. 5 prints the reverse order of
 * axes; offset statistics are the same).
 */
#ifndef TORRE_CURVE_MORTON_H
#define TORRE_CURVE_MORTON_H

#include "curve.h"

#define TORRE_MORTON_2D                                                                            \
    {                                                                                              \
        2, 2, 4, TORRE_MORTON, 0, 0,                                                               \
            {TORRE_TURN_NONE, TORRE_TURN_NONE, TORRE_TURN_NONE, TORRE_TURN_NONE},                  \
            {TORRE_DIGITS(0, 0, 0), TORRE_DIGITS(0, 1, 0), TORRE_DIGITS(1, 0, 0),                  \
             TORRE_DIGITS(1, 1, 0)},                                                               \
    }

#define TORRE_MORTON_3D                                                                            \
    {                                                                                              \
        2, 3, 8, TORRE_MORTON, 0, 0,                                                               \
            {TORRE_TURN_NONE, TORRE_TURN_NONE, TORRE_TURN_NONE, TORRE_TURN_NONE,                   \
             TORRE_TURN_NONE, TORRE_TURN_NONE, TORRE_TURN_NONE, TORRE_TURN_NONE},                  \
            {TORRE_DIGITS(0, 0, 0), TORRE_DIGITS(0, 0, 1), TORRE_DIGITS(0, 1, 0),                  \
             TORRE_DIGITS(0, 1, 1), TORRE_DIGITS(1, 0, 0), TORRE_DIGITS(1, 0, 1),                  \
             TORRE_DIGITS(1, 1, 0), TORRE_DIGITS(1, 1, 1)},                                        \
    }

#endif
