/*
 * A closed tank with water in it: the collapse of a water column,
 *
 *      +--------------------------+ y = size[1]
 *      |                          |
 *      |-------- column[1]        |
 *      | water  |                 |
 *      +--------+-----------------+ size[0]
 *             column[0]
 *
 * or boxes of water, obstacles and a gate (mps_boxes.h). Particles stand on one cubic (2-D: square)
 * lattice of the given spacing, fluid ones half a spacing off the walls; every length is rounded to
 * whole spacings. Behind each wall stand one layer of wall particles and as many of dummies as the
 * radius of influence reaches. Across the tank (z) it is periodic, or has walls there, too.
 */
#ifndef TORRE_MPS_TANK_H
#define TORRE_MPS_TANK_H

#include "particles/md_start.h"
#include "particles/mps.h"
#include "torre/fluid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Places of the lattice: low <= place < high along each axis, from the tank's inner corner. */
typedef struct torre_mps_places {
    int64_t low[3], high[3];
} torre_mps_places;

/* What the rounding made of a tank, and how many particles it takes. */
typedef struct torre_mps_layout {
    int64_t cells[3]; /* of the tank, in spacings; cells[2] = 1 in 2-D */
    bool sides;       /* there are walls at both ends of z, too */
    int64_t layers;   /* wall and dummies */
    int waters, obstacles;
    torre_mps_places water[TORRE_MPS_BOXES], obstacle[TORRE_MPS_BOXES]; /* the column is a box */
    torre_mps_places gate; /* and as much of the slot above it as walls are thick */
    bool gated;            /* there is one */
    int64_t fluid, wall, count;
    int64_t gate_wall, gate_dummy; /* of these, of the gate */
    double origin[3];              /* of the tank's inner corner in the box */
    double box[3];
} torre_mps_layout;

/* TORRE_ERR_USAGE for lengths that make no tank, or water that does not fit in. */
torre_status torre_mps_tank_layout(const torre_mps_tank *tank, torre_mps_layout *layout);

/* Fill in the problem of a tank (model, particles without their arrays, box, spacing, influence,
 * gate); the rest of it is left. */
void torre_mps_tank_problem(const torre_mps_tank *tank, const torre_mps_layout *layout,
                            torre_md_problem *problem);

/* The particles at rest, in the order of mps.h; free with torre_md_particles_free. */
torre_status torre_mps_tank_make(const torre_mps_tank *tank, torre_md_particles *particles);

#ifdef __cplusplus
}
#endif

#endif
