/*
 * Towers on the CPU (tiling/diamond.h): a diamond of columns climbs through `height` steps while it
 * slides along x, so that its cells stay in the second level cache for about dts steps.
 *
 * Along z a tower takes the whole column, or, when that does not fit into the cache, windows. A
 * window slides along +z by one block of 64 bytes (at least R cells) a step, as the diamond slides
 * along +x, and windows are treated from high z to low z: whatever a window reads was written by
 * itself, by a higher window of the same tower or by the upwind towers in the same or a higher
 * window, and the same argument as along x shows that nothing is overwritten too early. A tower
 * counts its progress through all windows: window * height + step.
 *
 * Inside a step the window is cut into slices, so that the 2 R + 1 planes that one plane of updates
 * reads stay in the first level cache.
 *
 * Main memory traffic: a cell enters and leaves the diamond once for about dts updates, that is two
 * values read and two written (three read with a velocity array): 16/dts bytes per update in f32
 * (20/dts), and the same times block/window again when there are windows.
 */
#include <string.h>

#include "wave/cpu_solver.h"
#include "wave/tower_schedule.h"

static torre_status check_periodic(const torre_wave_problem *p, const torre_cpu_shape *shape)
{
    if (p->face[0][0] == TORRE_PERIODIC)
        return torre_fail(TORRE_ERR_USAGE,
                          "--engine torre has no periodic faces along x; use --engine stepwise");
    if (p->face[1][0] == TORRE_PERIODIC &&
        !torre_tower_grid_can_wrap(p->size[1], p->order / 2, shape->dts))
        return torre_fail(TORRE_ERR_USAGE,
                          "--engine torre with periodic faces along y needs ny to be a multiple of "
                          "order * dts = %lld (got %lld); use --engine stepwise",
                          (long long)(p->order * shape->dts), (long long)p->size[1]);
    return TORRE_OK;
}

static torre_status torre_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                               torre_wave_info *info)
{
    const torre_wave_problem *p = setup->problem;
    if (wish->dts < 0)
        return torre_fail(TORRE_ERR_USAGE, "dts must be at least 1 (got %d)", wish->dts);
    if (wish->tower_height < 0)
        return torre_fail(TORRE_ERR_USAGE, "tower height must be at least 1 (got %lld)",
                          (long long)wish->tower_height);
    torre_cpu_shape shape =
        torre_cpu_shape_choose(p, torre_caches_get(), wish->dts, wish->tower_height);
    TORRE_TRY(check_periodic(p, &shape));
    memset(info, 0, sizeof *info);
    info->plan = *wish;
    info->plan.dts = (int)shape.dts;
    info->plan.tower_height = shape.height;
    double values = p->velocity_cells ? 5 : 4, block = 64.0 / p->precision;
    double edges = 1.0 / (double)shape.dts;
    if (shape.window < p->size[2]) edges += block / (double)shape.window;
    info->model_bytes_per_update = values * p->precision * edges;
    return torre_cpu_plan(setup, info);
}

static torre_status torre_create(const torre_wave_setup *setup, const torre_wave_info *info,
                                 torre_wave_solver **solver)
{
    return torre_cpu_create(setup, info, &torre_wave_torre, solver);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Rows y0 .. y1-1 of plane x, with y modulo ny where the rows of towers wrap. */
static void update_run(const torre_cpu_solver *s, int64_t n, int64_t x, int64_t y0, int64_t y1,
                       int64_t z0, int64_t z1)
{
    int64_t ny = s->field.size[1];
    if (y0 < 0) {
        torre_cpu_update(s, n, x, y0 + ny, ny, z0, z1);
        y0 = 0;
    }
    if (y1 > ny) {
        torre_cpu_update(s, n, x, 0, y1 - ny, z0, z1);
        y1 = ny;
    }
    torre_cpu_update(s, n, x, y0, y1, z0, z1);
}

/* Step t of the pass of one tower, in the window z0 .. z1-1. */
static void tower_step(const torre_cpu_solver *s, const torre_tower_grid *grid, torre_tower tower,
                       int64_t t, int64_t z0, int64_t z1)
{
    int64_t x0, x1;
    torre_tower_x_range(grid, tower, t, &x0, &x1);
    /* from high to low z: the last block of a row is written whole, so that ghosts in it must come
     * after it, and their sources may lie in the block before */
    const int64_t slice = s->shape.slice;
    for (int64_t low = z0 + (z1 - z0 - 1) / slice * slice; low >= z0; low -= slice) {
        int64_t high = least(low + slice, z1);
        for (int64_t x = x0; x < x1; x++) {
            int64_t y0, y1;
            torre_tower_y_range(grid, tower, t, x, &y0, &y1);
            if (y0 < y1) update_run(s, s->n + t, x, y0, y1, low, high);
        }
    }
}

/* One tower through all its steps and windows. */
static void climb(const torre_cpu_solver *s, torre_tower tower)
{
    torre_tower_schedule *schedule = s->schedule;
    const torre_tower_grid *grid = &schedule->grid;
    torre_tower_watch watch = torre_tower_watch_make(schedule, tower);
    const int64_t nz = s->field.size[2], window = s->shape.window, height = grid->height;
    const int64_t slide = window < nz ? s->field.block : 0; /* a single window stays */
    const int64_t windows = (nz + slide * (height - 1) + window - 1) / window;
    for (int64_t w = 0; w < windows; w++) {
        /* at step t the windows tile everything below `windows * window + slide * t - lift` */
        int64_t low = (windows - 1 - w) * window - slide * (height - 1);
        if (slide == 0) low = 0;
        for (int64_t t = 0; t < height; t++) {
            torre_tower_watch_wait(&watch, w * height + t);
            int64_t z0 = most(low + slide * t, 0), z1 = least(low + window + slide * t, nz);
            if (z0 < z1) tower_step(s, grid, tower, t, z0, z1);
            torre_tower_publish(schedule, tower, w * height + t + 1);
        }
    }
}

static torre_status torre_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    const torre_wave_problem *p = s->setup->problem;
    TORRE_TRY(torre_wave_steps_check(s->setup->problem, s->n, steps));
    s->samples = samples;
    s->samples_start = s->n;
    for (int64_t done = 0; done < steps;) {
        int64_t height = least(s->shape.height, steps - done);
        torre_tower_grid grid =
            torre_tower_grid_make(p->size[0], p->size[1], p->order / 2, s->shape.dts, height,
                                  p->face[1][0] == TORRE_PERIODIC);
        TORRE_TRY(torre_tower_schedule_make(&grid, s->ordering, &s->schedule));
#pragma omp parallel num_threads(s->threads)
        for (torre_tower tower; torre_tower_schedule_take(s->schedule, &tower);) climb(s, tower);
        s->n += height;
        done += height;
    }
    return TORRE_OK;
}

const torre_wave_backend torre_wave_torre = {
    .name = "cpu",
    .available = torre_cpu_available,
    .plan = torre_plan,
    .create = torre_create,
    .set_fields = torre_cpu_set_fields,
    .advance = torre_advance,
    .get_field = torre_cpu_get_field,
    .get_plane = torre_cpu_get_plane,
    .norms = torre_cpu_norms,
    .destroy = torre_cpu_destroy,
};
