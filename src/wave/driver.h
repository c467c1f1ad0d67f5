/* What a run (torre/wave.h) holds. */
#ifndef TORRE_DRIVER_H
#define TORRE_DRIVER_H

#include "wave/backend.h"
#include "wave/pressure.h"
#include "wave/rank_crew.h"

struct torre_wave_run {
    const torre_wave_problem *problem; /* the caller's; must outlive the run */
    const torre_wave_backend *backend;
    char passed_over[160]; /* why "auto" did not take a better backend: "cuda: ..."; or empty */
    torre_wave_setup *setup;
    torre_wave_program *program; /* all that was decided, */
    torre_wave_info info;        /* what it says: plan with all choices made, device, memory */
    torre_wave_solver *solver;   /* NULL before start; owns the program from then on */
    /*
     * Samples u(receiver, n dt): shape (receivers, steps + 1, 1) in the problem's precision, filled
     * up to column `step`, zero after it. Column 0 is u[0]. data is NULL without receivers.
     */
    torre_array traces;
    const char *frame;      /* values of the setup's planes at `step`, as recorded; or NULL */
    torre_rank_crew *crew;  /* threads of the other GPUs that share it; or NULL */
    bool ended;             /* they are final (torre_wave_run_end_traces) */
    int64_t step;           /* n of the present level u[n] */
    double compute_s;       /* seconds spent in the time loop alone, device synchronised */
    torre_wave_norms norms; /* of u[step], once advance has returned */
    int64_t finite_step;    /* the last step at which the field was seen to be finite */
};

/* Where its fields are, once it has started. */
static inline torre_pressure torre_wave_run_pressure(const torre_wave_run *run)
{
    return (torre_pressure){run->backend, run->solver, run->setup};
}

/* TORRE_ERR_USAGE where there is no such plane, or no field yet. */
torre_status torre_wave_run_check_plane(const torre_wave_run *run, int axis, int64_t index);

/*
 * torre_wave_run_new of a run whose frames, at multiples of planes->every, look at these planes
 * alone (torre_wave_run_plane): where the program records them it does not stop for them, and
 * frames come later, one after the other, each with the run's step that of the frame. planes->at
 * must outlive the run; count 0: an ordinary run.
 */
torre_status torre_wave_run_new_planes(const torre_wave_problem *problem, const char *backend,
                                       const torre_wave_plan *plan,
                                       const torre_frame_planes *planes, torre_wave_run **run);

/* Bytes in which planes are recorded. */
int64_t torre_wave_run_frame_bytes(const torre_wave_run *run);

/*
 * A run of a slab of the grid of `run` (adapt in backend.h) with the program of that, nothing being
 * chosen anew. problem: as for torre_wave_run_new.
 */
torre_status torre_wave_run_adapt(const torre_wave_run *run, const torre_wave_problem *problem,
                                  torre_wave_run **slab);

/*
 * The next problem with the solver of the one before: fields zero, step 0, traces empty, and the
 * bits of a run of its own. setup is that of the problem, made beforehand by whomever; the run
 * takes it, also after a failure. The problem must outlive the run or its next restart.
 * new_medium: velocity_cells or density_cells hold other values than before. Where the grids differ
 * (torre_wave_same_grid), or the backend cannot, the solver is planned and made anew. After start;
 * TORRE_ERR_RESOURCE, and what planning refuses: then restart or free it.
 */
torre_status torre_wave_run_restart(torre_wave_run *run, torre_wave_setup *setup, bool new_medium);

/*
 * The run, started with fields of zero, is at that step: whatever its solver and its traces hold
 * after the calls that follow was computed elsewhere, in so many seconds.
 */
torre_status torre_wave_run_continue(torre_wave_run *run, int64_t step, double compute_s);

/* Bytes that all steps will stream from the scratch file and to it; 0 without one. */
int64_t torre_wave_run_will_stream(const torre_wave_run *run);

/* torre_wave_run_advance, but after the last step traces stay as recorded. */
torre_status torre_wave_run_record(torre_wave_run *run, int64_t steps,
                                   const torre_wave_watch *watch);

/* Bytes of its device that were free when the run was planned; 0: it takes memory of the host. */
int64_t torre_wave_run_room(const torre_wave_run *run);

/* Hand over the traces recorded so far, whose memory is the caller's to free, before a restart. */
torre_array torre_wave_run_take_traces(torre_wave_run *run);

#endif
