/*
 * Faces of the grid.
 *
 * Mirrors (free, rigid) and wrap-around (periodic) are written as one rule: the value at an index
 * outside 0 .. n-1 is sign * u(source) with sign in {-1, 0, 1}. Engines keep such ghost values in
 * memory and refresh a ghost whenever they write its source; for mirrors, whoever reads the ghost
 * lies within R of the source, too, so that the rule for towers (diamond.h) stays untouched.
 *
 * Absorbing faces are free faces behind a damping layer of `width` cells with
 *     s(d) = s_max ((width - d) / width)^2,  d = cells from the face (0 .. width - 1),
 *     s_max = 3 c ln(1/R0) / (2 width h),    R0 the reflection aimed at for vertical incidence
 * (continuous quadratic profile: a wave that crosses the layer twice is damped by
 * exp(-2/c int s dx) = R0; Israeli and Orszag, J. Comput. Phys. 41 (1981) 115).
 * Layers of different axes add: s = sx + sy + sz.
 */
#ifndef TORRE_BOUNDARY_H
#define TORRE_BOUNDARY_H

#include "wave/wave.h"

/* A value outside the grid: sign * u(source). sign 0: the value is 0. */
typedef struct torre_ghost {
    int64_t source;
    int sign;
} torre_ghost;

/*
 * Ghost of index i (any integer; inside 0 .. n-1 it is itself) on an axis of n cells with the two
 * face kinds. Thin axes reflect more than once.
 */
torre_ghost torre_ghost_find(int64_t i, int64_t n, torre_face low, torre_face high);

/* Whether any face of the axis absorbs. */
bool torre_axis_is_damped(const torre_wave_problem *problem, int axis);

/* The damping profile of one axis, 1/s, values[n] (caller's memory); zero where nothing absorbs. */
void torre_damping_profile(const torre_wave_problem *problem, int axis, double *values);

/* "free", "rigid", "absorbing", "periodic"; and back. */
const char *torre_face_name(torre_face face);
bool torre_face_by_name(const char *name, torre_face *face);

#endif
