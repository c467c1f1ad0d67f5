/*
 * The pressure on a wall or an obstacle: what its particles, walls and dummies, push the water off
 * with, over a patch of their face.
 *
 *     p = sum over fluid particles j in front of the patch of s_j F_j . n / A
 *
 * F_j is the force (mps_weight.h: pressure gradient and collisions) of all that is solid on j, n
 * the normal of the face towards the water, A the area of the patch, 4 spacings wide and cut where
 * the face ends, and s_j how much of the particle's cube, as it is seen along n, is on the patch.
 * So pressures over a whole face add up to the force on it (a mean of the pressures of wall
 * particles, which are never below 0, does not: it is some spacings of water too large).
 */
#ifndef TORRE_MPS_PROBE_H
#define TORRE_MPS_PROBE_H

#include "particles/mps_dam.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The distance of a point of the tank, m from its inner corner, from the nearest face of its walls
 * and obstacles: a probe is where it is less than a spacing. */
double torre_mps_probe_distance(const torre_mps_dam *dam, const double at[3]);

/* The pressure there, Pa, from the last row, whose state is there. Not a number where no face is
 * near. */
double torre_mps_probe(const torre_mps_dam *dam, const torre_mps_measure *measure,
                       const double at[3]);
/* What of the state that needs, with some more. */
torre_mps_region torre_mps_probe_region(const torre_mps_dam *dam, const torre_md_problem *problem,
                                        const double at[3]);

#ifdef __cplusplus
}
#endif

#endif
