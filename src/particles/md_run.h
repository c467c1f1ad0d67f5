/*
 * Running a particle problem from beginning to end, whatever the backend and model.
 *
 *     torre_md_run *run;
 *     TORRE_TRY(torre_md_run_new(&problem, "auto", &plan, &run));    nothing large allocated yet
 *     status = torre_md_run_start(run);                              forces of step 0, first row
 *     if (!status) status = torre_md_run_advance(run, steps, &watch);
 *     ... run->row[0 .. run->rows - 1], run->loop_s, torre_md_run_particles(run, &now) ...
 *     torre_md_run_free(run);
 */
#ifndef TORRE_MD_RUN_H
#define TORRE_MD_RUN_H

#include "particles/md.h"
#include "particles/md_start.h"
#include "particles/mps_measure.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_md_crew torre_md_crew;   /* md_crew.h */
typedef struct torre_md_links torre_md_links; /* md_ranks.h */

/* A run in progress. The members may be read at any time. */
typedef struct torre_md_run {
    const torre_md_problem *problem; /* the caller's; must outlive the run */
    const torre_md_backend *backend;
    torre_md_program *program; /* before start; then the solver's */
    const torre_md_info *info; /* of the program: plan with all choices made, device, memory */
    torre_md_solver *solver;   /* NULL before start */
    int64_t step;
    bool relaxed;         /* the forces of a minimisation are as small as the problem wants them */
    double loop_s;        /* seconds in the time loop: steps and the sums of thermo rows, but not
                             the rows of mps, for which all particles are read */
    torre_md_thermo *row; /* thermo table so far; of pair models */
    torre_mps_row *fluid_row; /* the same of mps */
    int64_t rows, row_limit;
    torre_mps_measure *fluid;    /* the last row of mps; NULL for pair models and before start */
    int64_t row_step;            /* step of the last row; -1 before the first */
    double neighbors;            /* as in torre_md_sums, at the last row */
    torre_md_crew *crew;         /* threads of the other GPUs that share it; or NULL */
    torre_md_links *links;       /* to other ranks, past the host; or NULL */
    torre_md_times before_start; /* what the backend had counted when the loop began */
} torre_md_run;

/* Where a run stands, for progress lines. */
typedef struct torre_md_progress {
    int64_t step, steps; /* steps: the goal */
    double loop_s;
} torre_md_progress;

/* What the caller wants on the way. Everything optional; zero means no. */
typedef struct torre_md_watch {
    int64_t row_every; /* a row whenever step is a multiple of this, and at the end */
    torre_status (*row)(void *context,
                        torre_md_run *run); /* each new row; a failure ends the run */
    int64_t frame_every; /* call frame whenever step is a multiple of this (step 0 too) */
    torre_status (*frame)(void *context, torre_md_run *run);            /* likewise */
    void (*progress)(void *context, const torre_md_progress *progress); /* a few times a second */
    bool (*stop)(void *context); /* asked as often; true ends the run cleanly at run->step */
    /* Call save whenever step is a multiple of save_every or, asked as often, save_due says so, and
     * before a stop; before the goal alone, and between steps as if nobody had looked. */
    int64_t save_every;
    bool (*save_due)(void *context, const torre_md_run *run);
    torre_status (*save)(void *context, torre_md_run *run);
    void *context;
} torre_md_watch;

/*
 * Check the problem, find the backend ("auto", "cpu", "cuda", "reference") and let it plan.
 * Afterwards run->info says what the run will use.
 */
torre_status torre_md_run_new(const torre_md_problem *problem, const char *backend,
                              const torre_md_plan *plan, torre_md_run **run);

/* Allocate the solver, set the particles of the problem, compute the row of step 0. watch: its
 * row and frame are called for step 0 (NULL: nobody). */
torre_status torre_md_run_start(torre_md_run *run, const torre_md_watch *watch);

/* Whether rows have a conserved quantity that differs from the energy: with a thermostat whose
 * energy the backend counts. */
bool torre_md_run_conserves(const torre_md_run *run);

/* Visit all that torre_md_run_start_from needs; of a backend that has `state`. */
torre_status torre_md_run_state(torre_md_run *run, torre_md_visit *visit, void *context);

/* Instead of start: what visit writes over is that of another run of the same problem and program,
 * as torre_md_run_state has shown it. No row or frame is made. */
torre_status torre_md_run_start_from(torre_md_run *run, torre_md_visit *visit, void *context);

/*
 * Advance by steps. TORRE_ERR_UNSTABLE with step and particle when numbers stop being finite; what
 * was computed before stays readable. When watch asks to stop, TORRE_OK with run->step short.
 */
torre_status torre_md_run_advance(torre_md_run *run, int64_t steps, const torre_md_watch *watch);

/* Copy the present state; particles->count must be the problem's. */
torre_status torre_md_run_particles(torre_md_run *run, torre_md_particles *particles);

/* Seconds of each phase in the time loop, and counts; zeros before start. */
void torre_md_run_times(const torre_md_run *run, torre_md_times *times, torre_md_counts *counts);

/* Particles times steps per second of the time loop so far; 0 before the first. */
double torre_md_run_rate(const torre_md_run *run);

/*
 * Drift of what is conserved: slope of the least-squares line through the energy per particle that
 * is continuous at the cutoff, with what a thermostat and a barostat have taken (conserved), over
 * the thermo rows, per 10^4 steps; 0 with fewer than two rows.
 */
double torre_md_run_drift(const torre_md_run *run);

/* Free everything the run owns. NULL is fine. */
void torre_md_run_free(torre_md_run *run);

#ifdef __cplusplus
}
#endif

#endif
