/*
 * The granular gas of `md` as the bins of a cache see it: spheres of diameter 1 and mass 1 in a
 * periodic box, one step = one unit of time, so that speeds are diameters a step.
 *
 * Start and integration are those of particles/granular.h, in f64. A contact takes 20 steps, the
 * longest step that the gas accepts: fast spheres overlap by about 20 v / pi diameters, hence the
 * limit on speeds. Spheres of the ideal gas do not collide; they fly straight on.
 */
#ifndef TORRE_LOCALITY_GAS_H
#define TORRE_LOCALITY_GAS_H

#include "particles/granular.h"
#include "particles/md_run.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TORRE_GAS_CONTACT_STEPS 20
#define TORRE_GAS_MAX_SPEED     0.05 /* of colliding gases: overlaps stay below a third */

typedef struct torre_gas_plan {
    double length[3];        /* of the box, in diameters, >= 1 */
    bool planar;             /* centres and velocities in the plane z = 1/2 */
    double filling;          /* volume of the spheres over volume of the box, > 0 */
    double speed;            /* root mean square at the start, diameters per step, >= 0 */
    torre_granular_gas kind; /* ideal, elastic or inelastic */
    double restitution;      /* of inelastic gases, in (0, 1] */
    uint64_t seed;
} torre_gas_plan;

/* Where the spheres are. Must not be moved in memory. */
typedef struct torre_gas {
    torre_gas_plan plan;
    int64_t count;
    double (*position)[3]; /* [count], inside the box */

    torre_md_particles particles; /* the same as of the last torre_gas_advance */
    torre_md_problem problem;
    torre_md_run *run; /* NULL before the first step, and of the ideal gas */
} torre_gas;

/*
 * Make the gas at its start: positions without overlaps (at random where nothing collides), Maxwell
 * velocities without drift. TORRE_ERR_USAGE for a filling that cannot be had, TORRE_ERR_RESOURCE.
 * Free with torre_gas_free.
 */
torre_status torre_gas_new(const torre_gas_plan *plan, torre_gas *gas);
void torre_gas_free(torre_gas *gas);

/*
 * Advance by so many steps. TORRE_ERR_USAGE where spheres collide in a box that is too small for
 * the lists of neighbours (2.6 diameters), TORRE_ERR_RESOURCE.
 */
torre_status torre_gas_advance(torre_gas *gas, int64_t steps);

#ifdef __cplusplus
}
#endif

#endif
