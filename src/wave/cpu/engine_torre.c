/*
 * Towers on the CPU (tiling/diamond.h): a diamond of columns climbs through `height` steps while it
 * slides along x, so that its cells stay in the second level cache for about dts steps.
 *
 * The line kernel is fastest with two planes at once, or, at order 6, with three. So a diamond
 * consists not of single columns but, where R allows it, of bundles of 2 x 2 (R even) or 3 x 3
 * (R = 3): diamond.h then counts in bundles, and a bundle depends on those R / 2 (1) away. At
 * orders 2 and 10, where a bundle would depend on cells further away than its cells do, there are
 * none.
 *
 * Along z a tower takes the whole column, or, when that does not fit into the cache, windows. A
 * window slides along +z by one block of 64 bytes (at least R cells) a step, as the diamond slides
 * along +x, and windows are treated from high z to low z: whatever a window reads was written by
 * itself, by a higher window of the same tower or by the upwind towers in the same or a higher
 * window, and the same argument as along x shows that nothing is overwritten too early. A tower
 * counts its progress through all windows: window * height + step.
 *
 * Main memory traffic: a cell enters and leaves the diamond once for about dts updates, that is two
 * values read and two written (three read with a velocity array): 16/dts bytes per update in f32
 * (20/dts), and the same times block/window again when there are windows.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/cpu/cpu_solver.h"
#include "wave/cpu/cpu_subnormal.h"
#include "wave/cpu/cpu_wait.h"
#include "wave/cpu/tower_schedule.h"
#include "wave/model_acoustic.h"
#include "wave/part.h"

/* Cells along x and along y of a bundle: as many planes as the line kernel takes, where R is a
 * multiple of that. */
static int64_t bundle(int64_t half_width)
{
    const int64_t planes = torre_line_planes((int)half_width);
    return half_width % planes ? 1 : planes;
}

/*
 * Bundles of an axis. Those at the ends are as wide as perfectly matched layers want it
 * (torre_layers_held), so that a tower has all cells of a layer along its normal at once: a bundle
 * may be wider than others, since what it depends on is then no further away in bundles.
 */
typedef struct bundles {
    int64_t unit, cells;
    int64_t low, high; /* cells of the first and, at least, of the last; 0: as others */
    int64_t count;     /* where one is wider: from 0 on */
} bundles;

static bundles bundles_of(const torre_layers *layers, const torre_region *region, int64_t unit,
                          int axis)
{
    bundles b = {.unit = unit, .cells = region->global[axis]};
    if (layers->bytes == 0) return b;
    b.low = torre_layers_held(layers, axis, 0);
    b.high = torre_layers_held(layers, axis, 1);
    const int64_t rest = b.cells - b.low - b.high;
    b.count = (b.low > 0) + (b.high > 0 ? rest / unit + 1 : torre_ceil_div(rest, unit));
    return b;
}

static bool any_wide(const bundles *b) { return b->low > 0 || b->high > 0; }

/* The first cell of bundle i of the whole grid. */
static int64_t bundle_cell(const bundles *b, int64_t i)
{
    if (!any_wide(b)) return i * b->unit;
    if (i <= 0) return i * b->unit;
    if (i >= b->count) return b->cells + (i - b->count) * b->unit;
    return b->low > 0 ? b->low + (i - 1) * b->unit : i * b->unit;
}

/* Whether bundle i is wider than others. */
static bool is_wide(const bundles *b, int64_t i)
{
    return (b->low > 0 && i == 0) || (b->high > 0 && i == b->count - 1);
}

static torre_tower_grid grid_of(const torre_region *region, const torre_layers *layers, int order,
                                int64_t dts, int64_t height)
{
    const int64_t R = order / 2, P = bundle(R);
    torre_region even = *region; /* with all bundles alike */
    for (int a = 0; a < 2; a++) {
        const bundles b = bundles_of(layers, region, P, a);
        if (any_wide(&b)) even.global[a] = even.owned.high[a] = even.stored.high[a] = P * b.count;
    }
    return torre_tower_grid_of(&even, P, R / P, dts, height);
}

/* The grid of the highest pass there can be, which has the most towers. */
static torre_tower_grid highest_grid(const torre_wave_setup *setup, const torre_cpu_shape *shape)
{
    const torre_wave_problem *p = setup->problem;
    const torre_region region = torre_wave_region(setup);
    int64_t height = torre_wave_pass_limit(&region, TORRE_TORRE, p->order, shape->dts);
    if (height > shape->height) height = shape->height;
    if (height > p->steps) height = p->steps;
    torre_layers layers;
    torre_layers_layout(setup, &layers);
    return grid_of(&region, &layers, p->order, shape->dts, height > 1 ? height : 1);
}

static torre_status check_periodic(const torre_wave_setup *setup, const torre_cpu_shape *shape)
{
    const torre_wave_problem *p = setup->problem;
    if (torre_wave_region(setup).periodic[0])
        return torre_fail(TORRE_ERR_USAGE,
                          "{engine} torre has no periodic faces along x; use {engine} stepwise");
    if (p->face[1][0] == TORRE_PERIODIC &&
        !torre_tower_grid_can_wrap(p->size[1], p->order / 2, shape->dts))
        return torre_fail(TORRE_ERR_USAGE,
                          "{engine} torre with periodic faces along y needs ny to be a multiple of "
                          "order * dts = %lld (got %lld); use {engine} stepwise",
                          (long long)(p->order * shape->dts), (long long)p->size[1]);
    return TORRE_OK;
}

static torre_status check_ordering(const torre_wave_setup *setup, const torre_cpu_shape *shape,
                                   const torre_ordering_spec *ordering)
{
    const torre_tower_grid grid = highest_grid(setup, shape);
    const char *why;
    if (torre_traversal_exists(ordering, &why) && torre_traversal_fits(&grid, ordering, &why))
        return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "{ordering} %s: %s", torre_ordering_write(ordering).text,
                      why);
}

static torre_status towers_plan(const torre_wave_setup *setup, torre_cpu_program *program)
{
    const torre_wave_problem *p = setup->problem;
    const torre_cpu_shape *shape = &program->shape;
    torre_wave_info *info = &program->base.info;
    if (info->plan.dts < 0)
        return torre_fail(TORRE_ERR_USAGE, "dts must be at least 1 (got %d)", info->plan.dts);
    if (info->plan.tower_height < 0)
        return torre_fail(TORRE_ERR_USAGE, "tower height must be at least 1 (got %lld)",
                          (long long)info->plan.tower_height);
    program->shape =
        torre_cpu_shape_choose(p, torre_caches_get(), info->plan.dts, info->plan.tower_height);
    TORRE_TRY(check_periodic(setup, shape));
    TORRE_TRY(torre_cpu_plan(setup, program));
    TORRE_TRY(check_ordering(setup, shape, &info->plan.ordering));
    info->plan.dts = (int)shape->dts;
    info->plan.tower_height = shape->height;
    /* levels leave the cache, too */
    double values = torre_acoustic_arrays(p) + TORRE_ACOUSTIC_LEVELS, block = 64.0 / p->precision;
    double edges = 1.0 / (double)shape->dts;
    if (shape->window < p->size[2]) edges += block / (double)shape->window;
    info->model_bytes_per_update = values * p->precision * edges;
    snprintf(info->kernel, sizeof info->kernel, "towers of dts %d, windows of %d cells",
             (int)shape->dts, (int)shape->window);
    return TORRE_OK;
}

static int64_t towers_bytes(const torre_wave_setup *setup, const torre_cpu_program *program)
{
    const torre_tower_grid grid = highest_grid(setup, &program->shape);
    return torre_cpu_bytes(setup, program) + torre_tower_schedule_bytes(&grid);
}

/* The highest grid has room for that of every pass. */
static torre_status share_schedule(torre_cpu_solver *s)
{
    char *progress;
    TORRE_TRY(torre_rank_team_memory(s->team, torre_tower_schedule_progress_bytes(s->schedule),
                                     s->threads, &progress));
    torre_tower_schedule_share(s->schedule, progress);
    return TORRE_OK;
}

static torre_status towers_create(const torre_wave_setup *setup, const torre_cpu_program *program,
                                  torre_wave_solver **solver)
{
    const torre_tower_grid grid = highest_grid(setup, &program->shape);
    torre_wave_solver *made;
    TORRE_TRY(torre_cpu_create(setup, program, &torre_wave_torre, &made));
    torre_cpu_solver *s = (torre_cpu_solver *)made;
    s->frames = torre_cpu_frames_of(&program->base);
    torre_status status = torre_tower_schedule_make(&grid, &s->ordering, &s->schedule);
    if (!status && s->team) status = share_schedule(s);
    if (status)
        torre_cpu_destroy(made);
    else
        *solver = made;
    return status;
}

const torre_cpu_engine torre_cpu_towers = {towers_plan, towers_bytes, towers_create};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* The part of a run that lies in the grid after so many turns around a periodic y, -1 to 1. */
static bool turned(const torre_cpu_solver *s, torre_run run, int64_t turn, torre_run *part)
{
    const int64_t ny = s->field.size[1];
    *part = run;
    part->y0 = most(run.y0 - turn * ny, 0);
    part->y1 = least(run.y1 - turn * ny, ny);
    return part->y0 < part->y1;
}

/* The line kernel on a run with y modulo ny where the rows of towers wrap, and what follows it. */
static void update_rows(const torre_cpu_solver *s, int64_t n, torre_run run, torre_fetch fetch)
{
    torre_run part;
    for (int64_t turn = -1; turn <= 1; turn++) {
        if (!turned(s, run, turn, &part)) continue;
        torre_cpu_update_rows(s, n, part, fetch);
        fetch.count = 0; /* fetched with the first part */
    }
}

static void finish_rows(const torre_cpu_solver *s, int64_t n, torre_run run)
{
    torre_run part;
    for (int64_t turn = -1; turn <= 1; turn++)
        if (turned(s, run, turn, &part)) torre_cpu_finish_rows(s, n, part);
}

/* Part of the column of a tower at a step: cells z0 .. z1-1, of which z_low .. z_high-1 need to be
 * right, counted from the first that is stored. */
typedef struct window {
    int64_t z0, z1, z_low, z_high;
} window;

/* The bundles of a solver's grid along x and along y. */
typedef struct tiles {
    bundles x, y;
} tiles;

static tiles tiles_of(const torre_cpu_solver *s)
{
    const int64_t P = bundle(s->field.half_width);
    return (tiles){bundles_of(&s->layers, &s->region, P, 0),
                   bundles_of(&s->layers, &s->region, P, 1)};
}

/* The rows at step t of the planes of bundle i along x, in the window. */
static torre_run tower_planes(const torre_cpu_solver *s, const torre_tower_grid *grid,
                              const tiles *tile, torre_tower tower, int64_t t, int64_t i, window w)
{
    const int64_t *first = s->region.stored.low;
    const int64_t x = bundle_cell(&tile->x, i), end = bundle_cell(&tile->x, i + 1);
    torre_run run = {.x = x - first[0], .z0 = w.z0, .z1 = w.z1};
    run.planes = (int)(least(end, s->region.stored.high[0]) - x);
    run.z_low = w.z_low;
    run.z_high = w.z_high;
    torre_tower_y_range(grid, tower, t, i, &run.y0, &run.y1);
    run.y0 = bundle_cell(&tile->y, run.y0) - first[1];
    run.y1 = bundle_cell(&tile->y, run.y1) - first[1];
    if (grid->periodic_y) return run;
    int64_t low, high;
    torre_cpu_legal(s, 1, grid->height - 1 - t, &low, &high);
    run.y0 = most(run.y0, low);
    run.y1 = least(run.y1, high);
    return run;
}

/*
 * Two planes of different rows: together where both have some, the rest of each by itself; from low
 * to high rows, so that each finds those below it in the first level cache.
 */
static void update_pair(const torre_cpu_solver *s, int64_t n, const torre_run run[2],
                        torre_fetch fetch)
{
    const torre_fetch none = {NULL, 0};
    torre_run both = run[0];
    both.planes = 2;
    both.y0 = most(run[0].y0, run[1].y0);
    both.y1 = least(run[0].y1, run[1].y1);
    const bool shared = both.y0 < both.y1;
    for (int p = 0; p < 2; p++) {
        torre_run low = run[p];
        low.planes = 1;
        if (shared) low.y1 = both.y0;
        if (low.y0 < low.y1) update_rows(s, n, low, shared ? none : fetch);
    }
    if (shared) update_rows(s, n, both, fetch);
    for (int p = 0; p < 2 && shared; p++) {
        torre_run high = run[p];
        high.planes = 1;
        high.y0 = both.y1;
        if (high.y0 < high.y1) update_rows(s, n, high, none);
    }
    for (int p = 0; p < 2; p++) finish_rows(s, n, run[p]);
}

/* Rows that are fetched at most; half-width and size of the diamond in cells. */
static int64_t edge_rows(int64_t half_width, int64_t half_size)
{
    return 4 * half_width * (2 * half_size + 2 * half_width);
}

/*
 * Rows to fetch during step t, in the order in which they are needed: the R columns that the
 * diamond of step t + 1, with its halo, has ahead of the one of step t, on both levels. Step t + 1
 * reads only the newer one there, step t + 2 the other one and k, too. With k, which fills the
 * cache, nothing is fetched that early: the newer level of those R columns and of the R before
 * them, and k and the potential of the latter. row[edge_rows(R, D)]: of wide bundles not all.
 */
static torre_fetch leading_edge(const torre_cpu_solver *s, const torre_tower_grid *grid,
                                const tiles *tile, torre_tower tower, int64_t t, const char **row)
{
    const int64_t P = bundle(s->field.half_width), *size = s->field.size;
    const int64_t R = grid->half_width, D = grid->half_size, room = edge_rows(P * R, P * D);
    const int64_t *origin = s->region.stored.low, middle = D * tower.m;
    const int64_t pitch = s->field.row_pitch * (int64_t)s->field.precision;
    const bool late = s->field.factor;
    int64_t count = 0;
    /* in bundles, plane xi of the diamond of step t + 1 newly holds rows +-eta with
     * 2 D <= xi + |eta| < 2 D + R */
    for (int64_t plane = P * (D - R + 1); plane < P * (2 * D + R); plane++) {
        const int64_t xi = plane / P, reach = 2 * D - xi;
        const int64_t x =
            bundle_cell(&tile->x, D * tower.s + R * (t + 1) + xi) + plane % P - origin[0];
        if (x < 0 || x >= size[0] + P * R) continue;
        const int64_t near = most(reach - (late ? R : 0), 0), far = least(reach + R, D + R);
        const int64_t inner_low = bundle_cell(&tile->y, middle + 1 - reach) - origin[1];
        const int64_t inner_high = bundle_cell(&tile->y, middle + reach) - origin[1];
        for (int64_t side = -1; side <= 1; side += 2) {
            const int64_t from = middle + (side < 0 ? 1 - far : near);
            const int64_t to = middle + (side < 0 ? 1 - most(near, 1) : far);
            const int64_t y0 = most(bundle_cell(&tile->y, from) - origin[1], -P * R);
            const int64_t y1 = least(bundle_cell(&tile->y, to) - origin[1], size[1] + P * R);
            const char *now = torre_cpu_row(s, s->n + t, x, y0);
            const char *next = torre_cpu_row(s, s->n + t + 1, x, y0);
            for (int64_t y = y0; y < y1 && count + 4 <= room; y++, now += pitch, next += pitch) {
                if (!late) row[count++] = now;
                row[count++] = next;
                if (!late || y < inner_low || y >= inner_high || x >= size[0] || y < 0 ||
                    y >= size[1])
                    continue;
                row[count++] = torre_cpu_factor_row(s, x, y);
                if (s->field.potential) row[count++] = torre_cpu_potential_row(s, x, y);
            }
        }
    }
    return (torre_fetch){row, count};
}

/* Step t of the pass of one tower, in the window. */
static void tower_step(const torre_cpu_solver *s, const torre_tower_grid *grid, const tiles *tile,
                       torre_tower tower, int64_t t, window w, const char **row)
{
    const int64_t D = grid->half_size, base = D * tower.s + grid->half_width * t;
    int64_t low, high;
    torre_tower_x_range(grid, tower, t, &low, &high);
    torre_fetch edge = leading_edge(s, grid, tile, tower, t, row);
    int64_t fetched = 0;
    for (int64_t i = low, count; i < high; i += count) {
        const bool pair = bundle(s->field.half_width) == 1 && i + 1 < high &&
                          !is_wide(&tile->x, i) && !is_wide(&tile->x, i + 1);
        count = pair ? 2 : 1;
        /* in step with the columns done: i^2 of the 2 D^2 in the first i <= D bundles */
        const int64_t done = i + count - base, left = 2 * D - done;
        const int64_t columns = done <= D ? done * done : 2 * D * D - left * left;
        const int64_t until = edge.count * columns / (2 * D * D);
        const torre_fetch fetch = {edge.row + fetched, until - fetched};
        fetched = until;
        const torre_run first = tower_planes(s, grid, tile, tower, t, i, w);
        if (pair) {
            const torre_run run[2] = {first, tower_planes(s, grid, tile, tower, t, i + 1, w)};
            update_pair(s, s->n + t, run, fetch);
        } else {
            update_rows(s, s->n + t, first, fetch);
            finish_rows(s, s->n + t, first);
        }
    }
}

/* One tower through all its steps and windows. */
static void climb(const torre_cpu_solver *s, torre_tower tower, const char **row)
{
    torre_tower_schedule *schedule = s->schedule;
    const torre_tower_grid *grid = &schedule->grid;
    torre_tower_watch watch = torre_tower_watch_make(schedule, tower);
    const tiles tile = tiles_of(s);
    const int64_t nz = s->field.size[2], cells = s->shape.window, height = grid->height;
    const int64_t slide = cells < nz ? s->field.block : 0; /* a single window stays */
    const int64_t windows = (nz + slide * (height - 1) + cells - 1) / cells;
    for (int64_t w = 0; w < windows; w++) {
        /* at step t the windows tile everything below `windows * cells + slide * t - lift` */
        int64_t low = (windows - 1 - w) * cells - slide * (height - 1);
        if (slide == 0) low = 0;
        for (int64_t t = 0; t < height; t++) {
            torre_tower_watch_wait(&watch, w * height + t);
            window part;
            torre_cpu_legal(s, 2, height - 1 - t, &part.z_low, &part.z_high);
            torre_cpu_blocks(s, part.z_low, part.z_high, &part.z0, &part.z1);
            part.z0 = most(part.z0, low + slide * t);
            part.z1 = least(part.z1, low + cells + slide * t);
            if (part.z0 < part.z1) tower_step(s, grid, &tile, tower, t, part, row);
            torre_tower_publish(schedule, tower, w * height + t + 1);
        }
    }
}

/* Stages low .. high - 1 of a pass. */
typedef struct stages {
    int64_t low, high;
} stages;

static const stages all_stages = {INT64_MIN, INT64_MAX};

/* The towers of the next steps in those stages, none of them begun. *any: there are some. Back
 * when the whole team is there. */
static torre_status prepare_pass(torre_cpu_solver *s, int64_t height, stages which, bool *any)
{
    torre_tower_grid grid =
        grid_of(&s->region, &s->layers, s->setup->problem->order, s->shape.dts, height);
    grid.s_min = most(grid.s_min, which.low);
    grid.s_max = which.high < INT64_MAX ? least(grid.s_max, which.high - 1) : grid.s_max;
    *any = grid.s_min <= grid.s_max;
    if (*any) TORRE_TRY(torre_tower_schedule_make(&grid, &s->ordering, &s->schedule));
    if (*any && (!s->team || torre_rank_team_leads(s->team)))
        torre_tower_schedule_begin(s->schedule);
    return s->team ? torre_rank_team_wait(s->team) : TORRE_OK;
}

/* All towers of a pass have climbed, or those of some stages. */
static torre_status finish_pass(torre_cpu_solver *s, int64_t height, stages which)
{
    if (which.low == INT64_MIN) s->n += height;
    return s->team ? torre_rank_team_wait(s->team) : TORRE_OK;
}

/* Pass after pass, of those stages each. */
static torre_status climb_passes(torre_cpu_solver *s, int64_t steps, stages which)
{
    const int64_t R = s->setup->problem->order / 2, edge = edge_rows(R, R * s->shape.dts);
    const char **rows = malloc((size_t)(edge * s->threads) * sizeof *rows);
    if (!rows) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    torre_status status = TORRE_OK;
    torre_barrier barrier = {0};
    bool any = false;
#pragma omp parallel num_threads(s->threads)
    {
        const unsigned control = torre_subnormals_off();
        const int me = omp_get_thread_num();
#pragma omp single
        barrier.threads = omp_get_num_threads();
        for (int64_t done = 0, height; done < steps; done += height) {
            height = least(s->shape.height, steps - done);
            if (me == 0 && !status) status = prepare_pass(s, height, which, &any);
            torre_barrier_wait(&barrier);
            if (status) break;
            for (torre_tower tower; any && torre_tower_schedule_take(s->schedule, &tower);)
                climb(s, tower, rows + edge * me);
            torre_barrier_wait(&barrier);
            if (me == 0) status = finish_pass(s, height, which);
        }
        torre_subnormals_restore(control);
    }
    free(rows);
    return status;
}

/* Whether so many steps can begin now. */
static torre_status check_steps(const torre_cpu_solver *s, int64_t steps)
{
    TORRE_TRY(torre_wave_steps_check(s->setup->problem, s->n, steps));
    return torre_wave_pass_check(s->pass_limit, steps);
}

static torre_status torre_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    TORRE_TRY(check_steps(s, steps));
    s->samples = samples;
    s->samples_start = s->n;
    return climb_passes(s, steps, all_stages);
}

static torre_status torre_advance_planes(torre_wave_solver *solver, int64_t steps, void *samples,
                                         void *planes)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    torre_cpu_frames_begin(&s->frames, s->n, planes);
    const torre_status status = torre_advance(solver, steps, samples);
    torre_cpu_frames_begin(&s->frames, s->n, NULL);
    return status;
}

static torre_status torre_advance_to(torre_wave_solver *solver, int64_t steps, int64_t plane,
                                     void *samples)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    const int64_t D = s->setup->problem->order / 2 * s->shape.dts;
    const bool all = plane == INT64_MIN;
    stages which = {all ? INT64_MIN : torre_ceil_div(plane, D), INT64_MAX};
    TORRE_TRY(check_steps(s, steps));
    TORRE_TRY(torre_wave_pass_check(s->shape.height, steps));
    if (s->in_pass) which.high = s->stages_done;
    s->in_pass = !all;
    s->stages_done = least(which.low, which.high);
    s->samples = samples;
    s->samples_start = s->n;
    return climb_passes(s, steps, which);
}

const torre_wave_backend torre_wave_torre = {
    .name = "cpu",
    .restart = torre_cpu_restart,
    .move = torre_cpu_move,
    .set_step = torre_cpu_set_step,
    .write_box = torre_cpu_write_box,
    .read_box = torre_cpu_read_box,
    .write_layer = torre_cpu_write_layer,
    .read_layer = torre_cpu_read_layer,
    .write_layers = torre_cpu_write_layers,
    .read_layers = torre_cpu_read_layers,
    .lend = torre_cpu_lend,
    .advance = torre_advance,
    .advance_planes = torre_advance_planes,
    .advance_to = torre_advance_to,
    .norms = torre_cpu_norms,
    .destroy = torre_cpu_destroy,
};
