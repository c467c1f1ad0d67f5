/*
 * Running a wave problem from beginning to end, whatever the backend and engine.
 *
 *     torre_wave_run *run;
 *     TORRE_TRY(torre_wave_run_new(&problem, "auto", &plan, &run));    nothing large allocated yet
 *     status = torre_wave_run_start(run, NULL, NULL);                  fields and traces
 *     if (!status) status = torre_wave_run_advance(run, problem.steps, NULL);
 *     ... run->traces, run->norms, torre_wave_run_field(run, 0, cells) ...
 *     torre_wave_run_free(run);
 */
#ifndef TORRE_DRIVER_H
#define TORRE_DRIVER_H

#include "wave/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A run in progress. The members may be read at any time. */
typedef struct torre_wave_run {
    const torre_wave_problem *problem; /* the caller's; must outlive the run */
    const torre_wave_backend *backend;
    char passed_over[160]; /* why "auto" did not take a better backend: "cuda: ..."; or empty */
    torre_wave_setup *setup;
    torre_wave_info info;      /* plan with all choices made, device, memory */
    torre_wave_solver *solver; /* NULL before start */
    /*
     * Samples u(receiver, n dt): shape (receivers, steps + 1, 1) in the problem's precision, filled
     * up to column `step`, zero after it. Column 0 is u[0]. data is NULL without receivers.
     */
    torre_array traces;
    int64_t step;           /* n of the present level u[n] */
    double compute_s;       /* seconds spent in the time loop alone, device synchronised */
    torre_wave_norms norms; /* of u[step], once advance has returned */
    int64_t finite_step;    /* the last step at which the field was seen to be finite */
} torre_wave_run;

/* Where a run stands, for progress lines. */
typedef struct torre_wave_progress {
    int64_t step, steps;
    double compute_s, gcells_per_s;
} torre_wave_progress;

/* What the caller wants on the way. Everything optional; zero means no. */
typedef struct torre_wave_watch {
    int64_t frame_every; /* call frame whenever step is a multiple of this (not at step 0) */
    torre_status (*frame)(void *context, torre_wave_run *run); /* a failure ends the run */
    void (*progress)(void *context, const torre_wave_progress *progress); /* a few times a second */
    bool (*stop)(void *context); /* asked as often; true ends the run cleanly at run->step */
    void *context;
} torre_wave_watch;

/*
 * Check the problem, build the setup, find the backend ("cpu", "cuda"; "auto": the first available
 * one that offers what the plan asks for; with a plan that names a device above 0 as "cuda") and
 * let it plan. Afterwards run->info says what the run will use. Refuses whatever problem check,
 * backend and engine refuse, but not what is too large for this machine.
 */
torre_status torre_wave_run_new(const torre_wave_problem *problem, const char *backend,
                                const torre_wave_plan *plan, torre_wave_run **run);

/* Whether this machine has the memory for solver and traces; else TORRE_ERR_RESOURCE with bytes
 * needed and available. */
torre_status torre_wave_run_check_memory(const torre_wave_run *run);

/*
 * Check the memory, allocate the solver and the traces and set u[0] and u[-1] from dense host
 * arrays of the problem's precision (NULL: zero), which are not needed afterwards.
 */
torre_status torre_wave_run_start(torre_wave_run *run, const void *now, const void *previous);

/*
 * Advance by steps (step + steps <= problem->steps), in chunks that are multiples of the tower
 * height. The field is checked for numbers that are not finite now and then (at most about 2 % of
 * the time) and at the end: TORRE_ERR_UNSTABLE names the range of steps and a cell. When watch asks
 * to stop, TORRE_OK with run->step short of the goal.
 */
torre_status torre_wave_run_advance(torre_wave_run *run, int64_t steps,
                                    const torre_wave_watch *watch);

/* Copy u[step] (level 0) or u[step-1] (level -1) into a dense host array. */
torre_status torre_wave_run_field(torre_wave_run *run, int level, void *cells);

/* Copy the plane `index` across axis of u[step]: the two other axes, C order. */
torre_status torre_wave_run_plane(torre_wave_run *run, int axis, int64_t index, void *cells);

/* Billions of cell updates a second of the time loop so far; 0 before the first. */
double torre_wave_run_rate(const torre_wave_run *run);

/* Host memory for traces and their staging, bytes; -1 on overflow. */
int64_t torre_wave_run_trace_bytes(const torre_wave_run *run);

/* Free everything the run owns. NULL is fine. */
void torre_wave_run_free(torre_wave_run *run);

#ifdef __cplusplus
}
#endif

#endif
