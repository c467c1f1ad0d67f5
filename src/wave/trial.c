#include "wave/trial.h"

#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "io/scratch_file.h"
#include "wave/driver.h"

/* Cells of the slab: beyond any cache, but not for the engine that takes a second for them. */
static int64_t trial_cells(const torre_wave_run *run)
{
    return torre_wave_run_info(run)->plan.engine == TORRE_REFERENCE ? 200000 : 30000000;
}

/* Planes that a slab should have at least. */
enum { TRIAL_PLANES = 64 };

/* Leave so many cells of an axis, at least one. */
static void cut(torre_wave_problem *p, int axis, int64_t length)
{
    if (length < 1) length = 1;
    if (length >= p->size[axis]) return;
    p->size[axis] = length;
    if (p->face[axis][0] == TORRE_PERIODIC) /* engines may ask for certain lengths */
        p->face[axis][0] = p->face[axis][1] = TORRE_FREE;
}

/* Whether fewer cells of an axis need no other velocities: of an array with x slowest the first
 * planes are a shorter array. */
static bool can_cut(const torre_wave_problem *p, int axis)
{
    return axis == 0 || !p->velocity_cells || p->velocity_cells->shape[axis] == 1;
}

/* Cut what the engine takes as y, then as x: how fast it is depends on what it takes as z. */
static void cut_slab(const torre_wave_run *run, torre_wave_problem *p, torre_array *velocity)
{
    const torre_wave_plan *plan = &torre_wave_run_info(run)->plan;
    const char *axes = plan->axes[0] ? plan->axes : "xyz";
    const int x = axes[0] - 'x', y = axes[1] - 'x', z = axes[2] - 'x';
    const int64_t cells = trial_cells(run);
    if (can_cut(p, y)) cut(p, y, cells / TRIAL_PLANES / p->size[z]);
    if (can_cut(p, x)) cut(p, x, cells / p->size[y] / p->size[z]);
    if (!p->velocity_cells) return;
    cut(p, 0, cells / p->size[1] / p->size[2]);
    *velocity = *p->velocity_cells;
    velocity->shape[0] = p->size[0];
    p->velocity_cells = velocity;
}

torre_status torre_wave_trial(const torre_wave_run *run, double *gcells_per_s)
{
    torre_wave_problem p = *torre_wave_run_problem(run);
    torre_array velocity;
    torre_wave_run *trial;
    *gcells_per_s = 0;
    cut_slab(run, &p, &velocity);
    p.source_count = p.receiver_count = 0;
    p.steps = INT64_MAX / 4;
    const torre_status adapted = torre_wave_run_adapt(run, &p, &trial);
    if (adapted == TORRE_ERR_USAGE) return TORRE_OK; /* steps that there are in windows alone */
    TORRE_TRY(adapted);
    if (torre_wave_run_check_memory(trial)) {
        torre_wave_run_free(trial);
        return TORRE_OK;
    }
    torre_status status = torre_wave_run_start(trial, NULL, NULL);
    int64_t tower = torre_wave_run_info(run)->plan.tower_height > 1
                        ? torre_wave_run_info(run)->plan.tower_height
                        : 1;
    double start = torre_time_now();
    if (!status) status = torre_wave_run_advance(trial, tower, NULL); /* touches all memory */
    double first_s = torre_wave_run_seconds(trial);
    while (!status && torre_time_now() - start < 0.5)
        status = torre_wave_run_advance(trial, tower, NULL);
    double seconds = torre_wave_run_seconds(trial) - first_s;
    int64_t steps = torre_wave_run_step(trial) - tower;
    if (steps == 0) { /* one tower took longer than the trial may last */
        seconds = first_s;
        steps = tower;
    }
    *gcells_per_s = 1e-9 * (double)steps * (double)torre_wave_cells(&p) / seconds;
    torre_wave_run_free(trial);
    return status;
}

/* Of the scratch directory, and at once. */
static const int64_t scratch_bytes = 128 << 20, piece_bytes = 4 << 20;

/* Values that no file system makes shorter. */
static void fill(char *values, uint64_t seed)
{
    for (int64_t i = 0; i < piece_bytes; i += (int64_t)sizeof seed) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(values + i, &seed, sizeof seed);
    }
}

static torre_status there_and_back(torre_scratch *file, char *values)
{
    for (int64_t at = 0; at < scratch_bytes; at += piece_bytes)
        TORRE_TRY(torre_scratch_write(file, at, values, piece_bytes));
    TORRE_TRY(torre_scratch_settle(file));
    for (int64_t at = 0; at < scratch_bytes; at += piece_bytes)
        TORRE_TRY(torre_scratch_read(file, at, values, piece_bytes));
    return TORRE_OK;
}

torre_status torre_wave_trial_scratch(const torre_wave_run *run, double *bytes_per_s)
{
    const torre_wave_info *info = torre_wave_run_info(run);
    torre_scratch *file;
    *bytes_per_s = 0;
    if (info->windows == 0 || !info->plan.scratch) return TORRE_OK;
    char *values = malloc((size_t)piece_bytes);
    if (!values) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a trial of the disk");
    torre_status status = torre_scratch_new(info->plan.scratch, scratch_bytes, &file);
    if (!status) {
        fill(values, 1);
        const double start = torre_time_now();
        status = there_and_back(file, values);
        *bytes_per_s = 2 * (double)scratch_bytes / (torre_time_now() - start);
        torre_scratch_free(file);
    }
    free(values);
    return status;
}
