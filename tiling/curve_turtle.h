/*
 * Another Hilbert curve of three dimensions: that of the thesis on space-filling curves for
 * granular gases (appendix), an L-system that steers a turtle with a heading (front) and an up
 * direction:
 *
 *     A -> B-#+C#C+#-D&#^D-#+&&C#C+#+B<<      C -> |D^|#^B-#+C^#^A&&#A&#^C+#+B^#^D<<
 *     B -> A&#^C#B^#^D^^-#-D^|#^B|#C^#^A<<    D -> |C#B-#+B|#A&#^A&&#B-#+B|#C<<
 *     # forward, + - turn left right, & ^ pitch down up, < roll left, | turn around
 *
 * It differs from the curve of curve_hilbert.h from 4x4x4 on. A and D are mirror images of each
 * other, as are B and C, so there are two motifs, and sub-blocks of both kinds in either. Here A is
 * turned to run from (0,0,0) to (N-1,0,0); a sub-block that is not marked is of the kind of A.
 */
#ifndef TORRE_CURVE_TURTLE_H
#define TORRE_CURVE_TURTLE_H

#include "curve.h"

#define TORRE_TURTLE_3D                                                                            \
    {                                                                                              \
        2, 3, 8, TORRE_TURTLE, TORRE_TURTLE_INNER,                                                 \
            1 << 0 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7,                                   \
            {TORRE_TURN(2, 1, 0, 0, 0, 0), TORRE_TURN(1, 2, 0, 0, 0, 0),                           \
             TORRE_TURN(1, 2, 0, 0, 0, 0), TORRE_TURN(0, 2, 1, 0, 1, 1),                           \
             TORRE_TURN(0, 2, 1, 0, 1, 1), TORRE_TURN(1, 2, 0, 1, 0, 1),                           \
             TORRE_TURN(1, 2, 0, 1, 0, 1), TORRE_TURN(2, 1, 0, 1, 0, 1)},                          \
            {TORRE_DIGITS(0, 0, 0), TORRE_DIGITS(0, 0, 1), TORRE_DIGITS(0, 1, 1),                  \
             TORRE_DIGITS(0, 1, 0), TORRE_DIGITS(1, 1, 0), TORRE_DIGITS(1, 1, 1),                  \
             TORRE_DIGITS(1, 0, 1), TORRE_DIGITS(1, 0, 0)},                                        \
    }

/* B and C, from (0,0,0) to (N-1,0,0), too. */
#define TORRE_TURTLE_INNER_3D                                                                      \
    {                                                                                              \
        2, 3, 8, TORRE_TURTLE, TORRE_TURTLE_INNER, 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6,              \
            {TORRE_TURN(2, 1, 0, 0, 0, 0), TORRE_TURN(1, 0, 2, 0, 0, 0),                           \
             TORRE_TURN(0, 1, 2, 0, 0, 0), TORRE_TURN(2, 0, 1, 1, 1, 0),                           \
             TORRE_TURN(2, 0, 1, 0, 0, 0), TORRE_TURN(0, 1, 2, 0, 0, 0),                           \
             TORRE_TURN(1, 0, 2, 1, 1, 0), TORRE_TURN(2, 1, 0, 1, 0, 1)},                          \
            {TORRE_DIGITS(0, 0, 0), TORRE_DIGITS(0, 0, 1), TORRE_DIGITS(0, 1, 1),                  \
             TORRE_DIGITS(0, 1, 0), TORRE_DIGITS(1, 1, 0), TORRE_DIGITS(1, 1, 1),                  \
             TORRE_DIGITS(1, 0, 1), TORRE_DIGITS(1, 0, 0)},                                        \
    }

#endif
