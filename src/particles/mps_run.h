/*
 * Running a fluid from beginning to end, whatever the backend (as md_run.h does for pair models),
 * and what is measured on the way.
 */
#ifndef TORRE_MPS_RUN_H
#define TORRE_MPS_RUN_H

#include "particles/md_start.h"
#include "particles/mps.h"
#include "torre/fluid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kinetic + potential + elastic: it never grows (mps.h). */
double torre_mps_row_energy(const torre_mps_row *row);

/* A run in progress. The members may be read at any time. */
typedef struct torre_mps_run {
    const torre_mps_problem *problem; /* the caller's; must outlive the run */
    const torre_mps_backend *backend;
    torre_md_info info;
    torre_mps_solver *solver; /* NULL before start */
    int64_t step;
    double loop_s;                                 /* seconds in the time loop */
    torre_md_particles now;                        /* positions and velocities at the last row */
    double *pressure, *number_density, *collision; /* likewise */
    torre_mps_row row;                             /* the last one */
    torre_mps_norms norms;
    /* inner faces: half a spacing off the outermost wall particles; infinite where the box is
     * periodic or empty */
    double low[3], high[3];
} torre_mps_run;

/* What the caller wants on the way. Everything optional. */
typedef struct torre_mps_watch {
    int64_t every; /* steps between rows, and one at the end; 0: only that one */
    torre_status (*row)(void *context, torre_mps_run *run); /* a failure ends the run */
    bool (*stop)(void *context); /* asked after every chunk of steps; true ends the run cleanly */
    void (*progress)(void *context, const torre_mps_run *run, int64_t goal);
    void *context;
} torre_mps_watch;

/* Check the problem, find the backend and let it plan; nothing large is allocated yet. */
torre_status torre_mps_run_new(const torre_mps_problem *problem, const char *backend,
                               const torre_md_plan *plan, torre_mps_run **run);

/* Set the particles of the problem; the row of step 0. */
torre_status torre_mps_run_start(torre_mps_run *run, const torre_mps_watch *watch);

/* Advance by steps. TORRE_ERR_UNSTABLE where particles run away, too, or where a row finds one as
 * far outside as the wall particles stand (half a spacing beyond the inner face). */
torre_status torre_mps_run_advance(torre_mps_run *run, int64_t steps, const torre_mps_watch *watch);

/*
 * Pressure at a point of the box, from the last row: the mean over the fluid particles nearer than
 * r_e, weighted with 1 - r/r_e (w itself is singular); 0 where there are none.
 */
double torre_mps_run_gauge(const torre_mps_run *run, const double point[3]);

/* Particles (of all kinds) times steps per second of the time loop so far. */
double torre_mps_run_rate(const torre_mps_run *run);

/* NULL is fine. */
void torre_mps_run_free(torre_mps_run *run);

#ifdef __cplusplus
}
#endif

#endif
