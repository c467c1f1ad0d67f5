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

/* The last row, the state at that step, and what belongs to the tank. The members may be read at
 * any time, those of the state after torre_mps_measure_fetch. */
typedef struct torre_mps_measure {
    const torre_md_problem *problem; /* the caller's */
    torre_mps_row row;
    torre_md_particles now;                        /* positions and velocities */
    double *pressure, *number_density, *collision; /* as in torre_md_fields */
    torre_md_solver *solver; /* that has the state, which has not been fetched yet; or NULL */
    bool gone;               /* the state was not fetched, and the solver has gone on */
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
/* The solver is about to do that. */
void torre_mps_measure_leave(torre_mps_measure *measure);

/*
 * Pressure at a point of the box, from the last row, whose state is there: the mean over the fluid
 * particles nearer than r_e, weighted with 1 - r/r_e (w itself is singular); 0 where there are
 * none.
 */
double torre_mps_gauge(const torre_mps_measure *measure, const double point[3]);

/* NULL is fine. */
void torre_mps_measure_free(torre_mps_measure *measure);

#ifdef __cplusplus
}
#endif

#endif
