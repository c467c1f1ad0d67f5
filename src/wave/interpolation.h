/*
 * Points between cells: what a source is spread over, and a receiver takes.
 *
 * On a node, along an axis, a point is that cell. Between nodes (trilinear) it is the two around,
 * or, by a sinc in the window of Kaiser (Hicks, Geophysics 67 (2002) 156), 4 on either side: those
 * at the distance d cells have
 *
 *     sin(pi d) / (pi d) * I0(6.31 sqrt(1 - (d/4)^2)) / I0(6.31),
 *
 * which is exact to 0.13 % up to 4 points a wavelength. Those beyond a face are mirrored as the
 * field is: odd at a free face, where the cell outside is 0, around a periodic axis. The product of
 * the axes is the point.
 */
#ifndef TORRE_INTERPOLATION_H
#define TORRE_INTERPOLATION_H

#include "wave/problem.h"

enum { TORRE_TAPS = 8 };

/* Cells of one axis with their weights, none twice, in ascending order. At least one: what a face
 * leaves none of has cell 0 with weight 0. */
typedef struct torre_taps {
    int count;
    int64_t cell[TORRE_TAPS];
    double weight[TORRE_TAPS];
} torre_taps;

/* Those of a point in a checked problem; along the axis of its component they make the derivative
 * (slope.h), in 1/m. */
void torre_taps_find(const torre_wave_problem *problem, const torre_point *point,
                     torre_taps taps[3]);

/*
 * Refuse a point whose sinc would reach over a rigid face: between nodes, and along the axis of its
 * component, it needs 4 cells on either side. what, index: "receiver", 3.
 */
torre_status torre_taps_check(const torre_wave_problem *problem, const char *what, int64_t index,
                              const torre_point *point);

#endif
