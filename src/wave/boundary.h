/*
 * Faces of the grid.
 *
 * Mirrors (free, rigid) and wrap-around (periodic) are written as one rule: the value at an index
 * outside 0 .. n-1 is sign * u(source) with sign in {-1, 0, 1}. Engines keep such ghost values in
 * memory and refresh a ghost whenever they write its source; for mirrors, whoever reads the ghost
 * lies within R of the source, too, so that the rule for towers (diamond.h) stays untouched.
 *
 * Absorbing faces have a perfectly matched layer (pml.h) in front of them or, as `sponge`, are free
 * faces behind a damping layer of `width` = W cells with
 *     s(d) = c/h q (1 - x)^q / (d + 1),   x = (d + 1) / (W + 1),   q = 1/2 + W/40 within [3/4, 3],
 * d = cells from the face (0 .. W - 1), c = the largest velocity inside that layer. The hyperbola
 * 1/(d + 1) is integrable only up to the wall, so that whatever reaches it is damped out, while
 * most of the layer stays thin enough not to reflect; unbounded profiles were found for perfectly
 * matched layers (Bermudez et al., J. Comput. Phys. 223 (2007) 469) and serve plain damping as
 * well: at W = 20 they reflect 15 dB less than a quadratic profile at 45 degrees.
 * src/wave/NUMERICS.md has the measured reflection. The exponent q balances the reflection of steep
 * (small W) and of weak (grazing incidence) layers; a velocity below c only damps more. Layers of
 * different axes add: s = sx + sy + sz.
 */
#ifndef TORRE_BOUNDARY_H
#define TORRE_BOUNDARY_H

#include "wave/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* The same of an axis of a problem: nothing lies beyond a perfectly matched layer (pml.h). */
torre_ghost torre_axis_ghost(const torre_wave_problem *problem, int axis, int64_t i);

/* "sponge", "pml", "cpml". */
const char *torre_absorbing_name(torre_absorbing absorbing);

/* Whether any face of the axis absorbs. */
bool torre_axis_absorbs(const torre_wave_problem *problem, int axis);

/* The damping profile of one axis, 1/s, values[n] (caller's memory); zero where nothing absorbs. */
void torre_damping_profile(const torre_wave_problem *problem, int axis, double *values);

/*
 * Set the faces of a problem whose spacing is known (a plane has no y) from KIND, FACE=KIND or a
 * list of them separated by commas: KIND, at the beginning alone, means all faces, and exceptions
 * follow: "absorbing,z-=free", "x=periodic,y+=rigid". Faces that are not named stay as they are.
 * TORRE_ERR_USAGE, also for a face named twice; p->face may have been changed by then.
 */
torre_status torre_boundary_parse(const char *text, torre_wave_problem *problem);

#ifdef __cplusplus
}
#endif

#endif
