/* What a run (md_run.h) of the moving-particle method measures at a row of its table. */
#ifndef TORRE_MPS_MEASURE_H
#define TORRE_MPS_MEASURE_H

#include "particles/md_start.h"
#include "particles/mps.h"
#include "torre/fluid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kinetic + potential + elastic: it never grows (mps.h). */
double torre_mps_row_energy(const torre_mps_row *row);

/* A part of the box: what is nearer to a point, along each axis and to the nearest image. */
typedef struct torre_mps_region {
    double centre[3], half[3]; /* m; half may be infinite */
} torre_mps_region;

/* Where a backend puts particles that it is asked for (near of torre_md_backend). */
typedef struct torre_mps_near {
    double *position[3], *pressure; /* [particles] */
    int64_t *id;                    /* [particles], of which count are filled */
    int64_t count;
} torre_mps_near;

/* The last row, the state at that step, and what belongs to the tank. The members may be read at
 * any time, those of the state after torre_mps_measure_fetch. */
typedef struct torre_mps_measure {
    const torre_md_problem *problem; /* the caller's */
    torre_mps_row row;
    torre_md_particles now;                        /* positions and velocities */
    double *pressure, *number_density, *collision; /* as in torre_md_fields */
    torre_md_solver *solver; /* that has the state, which has not been fetched yet; or NULL */
    bool gone;               /* the state was not fetched, and the solver has gone on */
    /* Of particles near gauges alone the state is there: their ids in order, the fluid's first; or
     * NULL, and all of them count. */
    int64_t *near, near_fluid, near_count;
    torre_mps_norms norms;
    /* inner faces: half a spacing off the outermost wall particles; infinite where the box is
     * periodic or empty */
    double low[3], high[3];
} torre_mps_measure;

/* Allocate for a problem that has its particles and outlives it. */
torre_status torre_mps_measure_new(const torre_md_problem *problem, torre_mps_measure **measure);

/* The row of this step of the solver. TORRE_ERR_UNSTABLE, with the row made, where a particle is as
 * far outside as those of the walls stand (half a spacing beyond the inner face). */
torre_status torre_mps_measure_take(torre_mps_measure *measure, torre_md_solver *solver,
                                    int64_t step);

/* Have the state of the last row, which backends that add up rows themselves do not give with them:
 * TORRE_ERR_USAGE once the solver has gone on. */
torre_status torre_mps_measure_fetch(torre_mps_measure *measure);
/* The same of particles within regions at least, without velocities, number densities and
 * collisions: what gauges, heights and probes there need. */
torre_status torre_mps_measure_fetch_near(torre_mps_measure *measure,
                                          const torre_mps_region *regions, int count);

/* The particles of the state that is there: those of the fluid are 0 .. fluid - 1, others behind
 * them. */
static inline int64_t torre_mps_there_fluid(const torre_mps_measure *m)
{
    return m->near ? m->near_fluid : m->problem->mps.fluid;
}
static inline int64_t torre_mps_there(const torre_mps_measure *m)
{
    return m->near ? m->near_count : m->problem->count;
}
static inline int64_t torre_mps_there_id(const torre_mps_measure *m, int64_t k)
{
    return m->near ? m->near[k] : k;
}

/* The solver is about to do that. */
void torre_mps_measure_leave(torre_mps_measure *measure);

/*
 * Pressure at a point of the box, from the last row, whose state is there: the mean over the fluid
 * particles nearer than r_e, weighted with 1 - r/r_e (w itself is singular); 0 where there are
 * none.
 */
double torre_mps_gauge(const torre_mps_measure *measure, const double point[3]);
/* What of the state that needs, with some more. */
torre_mps_region torre_mps_gauge_region(const torre_md_problem *problem, const double point[3]);

/* NULL is fine. */
void torre_mps_measure_free(torre_mps_measure *measure);

#ifdef __cplusplus
}
#endif

#endif
