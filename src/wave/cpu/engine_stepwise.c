/*
 * One step at a time: the best that can be done without reusing a cell over several steps. Every
 * value crosses the memory bus once per step (u[n] and u[n-1] in, u[n+1] out: 12 bytes an update in
 * f32, 16 with a velocity array), so the 2 R + 1 planes that a plane of updates reads must stay in
 * cache: blocks of rows along y (and, where columns are long, along z), swept along x.
 */
#include <omp.h>
#include <stdio.h>

#include "core/timer.h"
#include "wave/cpu/cpu_solver.h"
#include "wave/cpu/cpu_subnormal.h"
#include "wave/cpu/cpu_wait.h"
#include "wave/model_acoustic.h"
#include "wave/part.h"

enum { PLANES = 2 }; /* updated together */

/* Steps, half of them with fetches ahead and half without, after which the faster way is taken. */
enum { TRIALS = 8 };

static torre_status stepwise_plan(const torre_wave_setup *setup, torre_cpu_program *program)
{
    const torre_wave_problem *p = setup->problem;
    torre_wave_info *info = &program->base.info;
    info->plan.dts = 1;
    info->plan.tower_height = 1;
    info->model_bytes_per_update =
        (torre_acoustic_arrays(p) + TORRE_ACOUSTIC_FIELDS) * (double)p->precision;
    program->shape = torre_cpu_shape_choose(p, torre_caches_get(), 1, 1);
    snprintf(info->kernel, sizeof info->kernel, "one step at a time, blocks of %d rows of %d cells",
             (int)program->shape.rows, (int)program->shape.depth);
    return torre_cpu_plan(setup, program);
}

static torre_status stepwise_create(const torre_wave_setup *setup, const torre_cpu_program *program,
                                    torre_wave_solver **solver)
{
    return torre_cpu_create(setup, program, &torre_wave_stepwise, solver);
}

const torre_cpu_engine torre_cpu_stepwise = {stepwise_plan, torre_cpu_bytes, stepwise_create};

/* What the run will read that the planes before it did not: row[PLANES (4 rows + 2 R)]. */
static torre_fetch next_planes(const torre_cpu_solver *s, int64_t n, torre_run run,
                               const char **row)
{
    const int64_t R = s->field.half_width;
    int64_t count = 0;
    for (int64_t x = run.x; x < run.x + PLANES && x < s->field.size[0]; x++) {
        for (int64_t y = run.y0; y < run.y1; y++) {
            row[count++] = torre_cpu_row(s, n + 1, x, y);
            row[count++] = torre_cpu_row(s, n, x + R, y);
            if (s->field.factor) row[count++] = torre_cpu_factor_row(s, x, y);
            if (s->field.potential) row[count++] = torre_cpu_potential_row(s, x, y);
        }
        for (int64_t i = 1; i <= R; i++) {
            row[count++] = torre_cpu_row(s, n, x + R, run.y0 - i);
            row[count++] = torre_cpu_row(s, n, x + R, run.y1 - 1 + i);
        }
    }
    return (torre_fetch){row, count};
}

/*
 * Whether fetching ahead helps depends on what the machine fetches by itself: the rate without is
 * 0.45 to 1.17 times that with it (bench/WAVE.md). So the first steps are timed, in turns.
 */
static bool trial_fetches(const torre_cpu_solver *s, int64_t trial)
{
    return trial < TRIALS ? trial % 2 == 0 : s->trial_seconds[0] <= s->trial_seconds[1];
}

/* Step `trial` began at that time and is over. */
static void trial_end(torre_cpu_solver *s, int64_t trial, double start)
{
    double seconds = torre_time_now() - start, *best = &s->trial_seconds[trial % 2];
    if (trial < 2 || seconds < *best) *best = seconds;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Where an axis is cut for a cut at `cell`: not within what a layer holds together. */
static int64_t cut(const torre_cpu_solver *s, int axis, int64_t cell)
{
    const int64_t n = s->field.size[axis], low = torre_layers_held(&s->layers, axis, 0);
    const int64_t high = n - torre_layers_held(&s->layers, axis, 1);
    if (cell > 0 && cell < low) return low;
    return cell > high && cell < n ? n : cell;
}

/* The planes from x on that are updated together, before `end`. */
static int64_t planes_from(const torre_cpu_solver *s, int64_t x, int64_t end)
{
    const int64_t n = s->field.size[0], low = torre_layers_held(&s->layers, 0, 0);
    const int64_t high = n - torre_layers_held(&s->layers, 0, 1);
    if (x < low) return low - x;
    return x < high ? least(PLANES, least(end, high) - x) : n - x;
}

/*
 * A thread's share of step n, with `left` steps of the pass to come: of blocks of rows, in so many
 * slabs along x. row: room for what is fetched ahead, or NULL.
 */
static void step_share(const torre_cpu_solver *s, int64_t n, int64_t left, int64_t slabs,
                       int64_t me, int64_t threads, const char **row)
{
    const int64_t rows = s->shape.rows, depth = s->shape.depth;
    int64_t x[2], y[2], z[2], begin_z, end_z;
    torre_cpu_legal(s, 0, left, &x[0], &x[1]);
    torre_cpu_legal(s, 1, left, &y[0], &y[1]);
    torre_cpu_legal(s, 2, left, &z[0], &z[1]);
    torre_cpu_blocks(s, z[0], z[1], &begin_z, &end_z);
    const int64_t blocks = (y[1] - y[0] + rows - 1) / rows, planes = x[1] - x[0];
    const int64_t top = begin_z + (end_z - begin_z - 1) / depth * depth;
    for (int64_t i = slabs * blocks * me / threads; i < slabs * blocks * (me + 1) / threads; i++) {
        const int64_t y0 = cut(s, 1, y[0] + i % blocks * rows);
        const int64_t y1 = cut(s, 1, least(y[0] + (i % blocks + 1) * rows, y[1]));
        const int64_t begin = cut(s, 0, x[0] + planes * (i / blocks) / slabs);
        const int64_t end = cut(s, 0, x[0] + planes * (i / blocks + 1) / slabs);
        if (y0 >= y1) continue;
        /* downwards: the last block of a row writes over ghosts that lower cells own */
        for (int64_t z0 = top; z0 >= begin_z; z0 -= depth)
            for (int64_t at = begin, planes_now; at < end; at += planes_now) {
                planes_now = planes_from(s, at, end);
                torre_run run = {at,   y0,  y1, z0, least(z0 + depth, end_z), (int)planes_now,
                                 z[0], z[1]};
                torre_run next = run;
                next.x += planes_now;
                next.y1 = least(next.y1, next.y0 + TORRE_ROWS_MAX);
                torre_cpu_update(s, n, run, row ? next_planes(s, n, next, row) : (torre_fetch){0});
            }
    }
}

static torre_status stepwise_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    TORRE_TRY(torre_wave_steps_check(s->setup->problem, s->n, steps));
    TORRE_TRY(torre_wave_pass_check(s->pass_limit, steps));
    s->samples = samples;
    s->samples_start = s->n;
    int64_t slabs = s->threads, most = s->field.size[0] / (4 * s->field.half_width);
    if (slabs > most) slabs = most > 0 ? most : 1;
    torre_barrier barrier = {0};
#pragma omp parallel num_threads(s->threads)
    {
        const unsigned control = torre_subnormals_off();
        const char *row[PLANES * (4 * TORRE_ROWS_MAX + 2 * TORRE_MAX_HALF_WIDTH)];
        const int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
#pragma omp single
        barrier.threads = (int)threads;
        int64_t trial = s->trials; /* every thread counts for itself */
        for (int64_t n = s->n; n < s->n + steps; n++) {
            const bool ahead = trial_fetches(s, trial);
            const double start = trial < TRIALS ? torre_time_now() : 0;
            step_share(s, n, s->n + steps - 1 - n, slabs, me, threads, ahead ? row : NULL);
            if (me == 0 && trial < TRIALS) trial_end(s, trial, start);
            trial++;
            torre_barrier_wait(&barrier);
        }
        torre_subnormals_restore(control);
    }
    s->n += steps;
    s->trials = least(s->trials + steps, TRIALS);
    return TORRE_OK;
}

const torre_wave_backend torre_wave_stepwise = {
    .name = "cpu",
    .restart = torre_cpu_restart,
    .set_step = torre_cpu_set_step,
    .write_box = torre_cpu_write_box,
    .read_box = torre_cpu_read_box,
    .write_layer = torre_cpu_write_layer,
    .read_layer = torre_cpu_read_layer,
    .advance = stepwise_advance,
    .norms = torre_cpu_norms,
    .destroy = torre_cpu_destroy,
};
