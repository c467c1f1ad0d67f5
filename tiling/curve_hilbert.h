/*
 * Hilbert curves, as the L-systems of Al-Kharusi and Walker, IJHPCA 33 (2019) 998, section 2.2.
 *
 * Two dimensions:   X -> +YF-XFX-FY+     Y -> -XF+YFY+FX-      (F forward, + right, - left)
 *   with the first heading along axis 0 and axis 1 on its right: from (0,0) to (N-1,0).
 *
 * Three dimensions: X -> ^<XF^<XFX-F^>>XFXvF+>>XFX-F>X->
 *   with the orientation D = [H L U] post-multiplied by the yaw, pitch and roll matrices
 *       Y = [0 1 0; -1 0 0; 0 0 1],  P = [0 0 1; 0 1 0; -1 0 0],  R = [1 0 0; 0 0 1; 0 -1 0]
 *   (+ ^ <, transposed for - v >) from H = (1,0,0), L = (0,0,-1), U = (0,1,0). Taken literally this
 *   curve leads into y < 0; here y is mirrored, so that it stays in the first octant and runs from
 *   (0,0,0) to (N-1,0,0), for N = 4 as in the paper's figure 2.
 *
 * The motifs below are those L-systems written as turns: the curve of depth n consists of copies of
 * the curve of depth n - 1, the copy in each sub-block being mapped by exactly one signed
 * permutation, the same for every n. The test rewrites the strings and compares cell by cell.
 */
#ifndef TORRE_CURVE_HILBERT_H
#define TORRE_CURVE_HILBERT_H

#include "curve.h"

#define TORRE_HILBERT_2D                                                                           \
    {                                                                                              \
        2, 2, 4, TORRE_HILBERT, 0, 0,                                                              \
            {TORRE_TURN(1, 0, 2, 0, 0, 0), TORRE_TURN_NONE, TORRE_TURN_NONE,                       \
             TORRE_TURN(1, 0, 2, 1, 1, 0)},                                                        \
            {TORRE_DIGITS(0, 0, 0), TORRE_DIGITS(0, 1, 0), TORRE_DIGITS(1, 1, 0),                  \
             TORRE_DIGITS(1, 0, 0)},                                                               \
    }

#define TORRE_HILBERT_3D                                                                           \
    {                                                                                              \
        2, 3, 8, TORRE_HILBERT, 0, 0,                                                              \
            {TORRE_TURN(1, 2, 0, 0, 0, 0), TORRE_TURN(2, 0, 1, 0, 0, 0),                           \
             TORRE_TURN(2, 0, 1, 0, 0, 0), TORRE_TURN(0, 1, 2, 0, 1, 1),                           \
             TORRE_TURN(0, 1, 2, 0, 1, 1), TORRE_TURN(2, 0, 1, 1, 1, 0),                           \
             TORRE_TURN(2, 0, 1, 1, 1, 0), TORRE_TURN(1, 2, 0, 1, 0, 1)},                          \
            {TORRE_DIGITS(0, 0, 0), TORRE_DIGITS(0, 1, 0), TORRE_DIGITS(0, 1, 1),                  \
             TORRE_DIGITS(0, 0, 1), TORRE_DIGITS(1, 0, 1), TORRE_DIGITS(1, 1, 1),                  \
             TORRE_DIGITS(1, 1, 0), TORRE_DIGITS(1, 0, 0)},                                        \
    }

#endif
