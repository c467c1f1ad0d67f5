/*
 * Moore curves: closed relatives of the Hilbert curve (E. H. Moore, Trans. AMS 1 (1900) 72). Only
 * the first level differs: the Hilbert curves in its sub-blocks are turned so that the last cell is
 * a neighbour of the first. Two dimensions: all four run along axis 1, up in the lower half, down
 * in the upper one, from (N/2-1, 0) to (N/2, 0). Three dimensions: all eight run along axis 0.
 */
#ifndef TORRE_CURVE_MOORE_H
#define TORRE_CURVE_MOORE_H

#include "curve.h"

#define TORRE_MOORE_2D                                                                             \
    {                                                                                              \
        2, 2, 4, TORRE_HILBERT, 0, 0,                                                              \
            {TORRE_TURN(1, 0, 2, 0, 1, 0), TORRE_TURN(1, 0, 2, 0, 1, 0),                           \
             TORRE_TURN(1, 0, 2, 1, 0, 0), TORRE_TURN(1, 0, 2, 1, 0, 0)},                          \
            {TORRE_DIGITS(0, 0, 0), TORRE_DIGITS(0, 1, 0), TORRE_DIGITS(1, 1, 0),                  \
             TORRE_DIGITS(1, 0, 0)},                                                               \
    }

#define TORRE_MOORE_3D                                                                             \
    {                                                                                              \
        2, 3, 8, TORRE_HILBERT, 0, 0,                                                              \
            {TORRE_TURN(0, 1, 2, 1, 1, 1), TORRE_TURN(0, 1, 2, 0, 0, 1),                           \
             TORRE_TURN(0, 1, 2, 1, 0, 0), TORRE_TURN(0, 1, 2, 0, 1, 0),                           \
             TORRE_TURN(0, 1, 2, 0, 1, 0), TORRE_TURN(0, 1, 2, 1, 0, 0),                           \
             TORRE_TURN(0, 1, 2, 0, 0, 1), TORRE_TURN(0, 1, 2, 1, 1, 1)},                          \
            {TORRE_DIGITS(0, 0, 0), TORRE_DIGITS(0, 1, 0), TORRE_DIGITS(0, 1, 1),                  \
             TORRE_DIGITS(0, 0, 1), TORRE_DIGITS(1, 0, 1), TORRE_DIGITS(1, 1, 1),                  \
             TORRE_DIGITS(1, 1, 0), TORRE_DIGITS(1, 0, 0)},                                        \
    }

#endif
