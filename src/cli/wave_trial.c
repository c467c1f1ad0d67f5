#include "cli/wave_trial.h"

#include "core/timer.h"

/* Cells of the slab: beyond any cache, but not for the engine that takes a second for them. */
static int64_t trial_cells(const torre_wave_run *run)
{
    return run->info.plan.engine == TORRE_REFERENCE ? 200000 : 30000000;
}

torre_status wave_trial(const torre_wave_run *run, double *gcells_per_s)
{
    torre_wave_problem p = *run->problem;
    torre_array velocity;
    int64_t plane = p.size[1] * p.size[2], length = trial_cells(run) / plane;
    if (length < 1) length = 1;
    if (length < p.size[0]) {
        p.size[0] = length;
        if (p.face[0][0] == TORRE_PERIODIC) /* engines may ask for certain lengths */
            p.face[0][0] = p.face[0][1] = TORRE_FREE;
    }
    if (p.velocity_cells) { /* the first planes of an array with x slowest are a shorter array */
        velocity = *p.velocity_cells;
        velocity.shape[0] = p.size[0];
        p.velocity_cells = &velocity;
    }
    p.source_count = p.receiver_count = 0;
    p.steps = INT64_MAX / 4;
    torre_wave_plan plan = run->info.plan;
    plan.axes[0] = '\0'; /* a slab is of another shape */
    torre_wave_run *trial;
    TORRE_TRY(torre_wave_run_new(&p, run->backend->name, &plan, &trial));
    torre_status status = torre_wave_run_start(trial, NULL, NULL);
    int64_t tower = run->info.plan.tower_height > 1 ? run->info.plan.tower_height : 1;
    double start = torre_time_now();
    if (!status) status = torre_wave_run_advance(trial, tower, NULL); /* touches all memory */
    double first_s = trial->compute_s;
    while (!status && torre_time_now() - start < 0.5)
        status = torre_wave_run_advance(trial, tower, NULL);
    double seconds = trial->compute_s - first_s;
    int64_t steps = trial->step - tower;
    if (steps == 0) { /* one tower took longer than the trial may last */
        seconds = first_s;
        steps = tower;
    }
    *gcells_per_s = 1e-9 * (double)steps * (double)(p.size[0] * plane) / seconds;
    torre_wave_run_free(trial);
    return status;
}
