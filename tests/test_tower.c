/*
 * Legality of towers, by enumeration.
 *
 * Every value carries the time level it stands for. A tower step t may only read level t, within R
 * cells along x and along y, and only overwrite level t - 1. Workers take towers from the traversal
 * list one after another and obey nothing but the progress rule of diamond.h: step t of a tower
 * starts when every upwind tower has completed t steps. Workers advance cell by cell, interleaved
 * as badly as a scheduler can.
 */
#include "tiling/diamond.h"
#include "tiling/traversal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

typedef enum policy {
    EAGER_UPWIND,   /* the first tower of the list that can move: upwind runs far ahead */
    EAGER_DOWNWIND, /* the last one that can move: everyone is followed as closely as possible */
    RANDOM
} policy;

typedef struct worker {
    torre_tower tower;
    int64_t step; /* completed steps */
    int64_t x, y; /* next cell of the current step */
    bool busy;    /* inside a step */
} worker;

/* What a solver holds of a plane: the time level in each of its two arrays, cell by cell. */
typedef struct part {
    torre_region region;
    torre_tower_grid grid;
    int64_t unit;      /* cells of a side of the squares that the grid counts */
    int64_t *level[2]; /* of stored cells */
    int64_t *updates;  /* of each of them so far */
} part;

typedef struct simulation {
    const part *part;
    torre_tower_grid grid;
    bool skip_far_rule; /* forget the tower (s + 2, m): for the test of the test */
    int64_t n;          /* steps before this pass */
    int64_t *done;      /* completed steps of each tower */
    worker *workers;
    int64_t violations;
    uint64_t seed;
} simulation;

static int64_t draw(simulation *s, int64_t n)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(s->seed >> 33) % n;
}

static int64_t wrap(int64_t y, int64_t n) { return ((y % n) + n) % n; }

static bool stores(const part *p, int64_t x, int64_t y)
{
    const torre_box *b = &p->region.stored;
    return x >= b->low[0] && x < b->high[0] && y >= b->low[1] && y < b->high[1];
}

static int64_t stored_rows(const part *p)
{
    return p->region.stored.high[1] - p->region.stored.low[1];
}

static int64_t stored_cells(const part *p)
{
    return (p->region.stored.high[0] - p->region.stored.low[0]) * stored_rows(p);
}

static int64_t place(const part *p, int64_t x, int64_t y)
{
    return (x - p->region.stored.low[0]) * stored_rows(p) + y - p->region.stored.low[1];
}

/* Cells outside the plane are ghosts that the engines derive from inside; they are not read here.
 * Others must be stored. */
static void check_read(simulation *s, int64_t x, int64_t y, int64_t t)
{
    const part *p = s->part;
    const int64_t *n = p->region.global;
    if (s->grid.periodic_y) y = wrap(y, n[1]);
    if (x < 0 || x >= n[0] || (!p->region.periodic[1] && (y < 0 || y >= n[1]))) return;
    s->violations += !stores(p, x, y) || p->level[t & 1][place(p, x, y)] != t;
}

static void update_cell(simulation *s, int64_t x, int64_t y, int64_t t)
{
    const part *p = s->part;
    const int64_t R = s->grid.half_width * p->unit;
    check_read(s, x, y, t);
    for (int64_t d = 1; d <= R; d++) {
        check_read(s, x - d, y, t);
        check_read(s, x + d, y, t);
        check_read(s, x, y - d, t);
        check_read(s, x, y + d, t);
    }
    if (!stores(p, x, y)) return;
    int64_t *overwritten = &p->level[(t + 1) & 1][place(p, x, y)];
    s->violations += *overwritten != t - 1;
    p->updates[place(p, x, y)]++;
    *overwritten = t + 1;
}

/* The cells of a square, as far as the region needs them at step t of the pass. */
static void update_square(simulation *s, int64_t x, int64_t y, int64_t t)
{
    const part *p = s->part;
    const int64_t u = p->unit, left = (s->grid.height - 1 - t) * s->grid.half_width * u;
    int64_t low, high;
    if (s->grid.periodic_y) y = wrap(y, s->grid.y_max);
    torre_region_legal(&p->region, 1, left, &low, &high);
    for (int64_t i = u * x; i < u * (x + 1); i++)
        for (int64_t j = u * y; j < u * (y + 1); j++)
            if (i >= 0 && i < p->region.global[0] && j >= low && j < high)
                update_cell(s, i, j, s->n + t);
}

static bool may_start(const simulation *s, const worker *w)
{
    torre_tower up;
    for (int i = 0; i < (s->skip_far_rule ? 2 : 3); i++)
        if (torre_tower_upwind(&s->grid, w->tower, i, &up) &&
            s->done[torre_tower_index(&s->grid, up)] < w->step)
            return false;
    return true;
}

/* Move to the next cell of the step at or after (x, y); false at the end of the step. */
static bool find_cell(const torre_tower_grid *g, worker *w)
{
    int64_t x_low, x_high, y_low, y_high;
    torre_tower_x_range(g, w->tower, w->step, &x_low, &x_high);
    if (w->x < x_low) {
        w->x = x_low;
        w->y = INT64_MIN;
    }
    for (; w->x < x_high; w->x++, w->y = INT64_MIN) {
        torre_tower_y_range(g, w->tower, w->step, w->x, &y_low, &y_high);
        if (w->y < y_low) w->y = y_low;
        if (w->y < y_high) return true;
    }
    return false;
}

/* One cell update, or the start or the end of a step; false when the worker has to wait. */
static bool advance(simulation *s, worker *w)
{
    if (!w->busy) {
        if (!may_start(s, w)) return false;
        w->busy = true;
        w->x = INT64_MIN;
    }
    if (find_cell(&s->grid, w)) {
        update_square(s, w->x, w->y, w->step);
        w->y++;
    } else {
        w->busy = false;
        s->done[torre_tower_index(&s->grid, w->tower)] = ++w->step;
    }
    return true;
}

static part part_new(const torre_region *region, int64_t unit, int64_t half_width, int64_t dts,
                     int64_t height)
{
    part p = {*region, torre_tower_grid_of(region, unit, half_width, dts, height), unit, {0}, NULL};
    const int64_t cells = stored_cells(&p);
    for (int l = 0; l < 2; l++) p.level[l] = malloc((size_t)cells * sizeof(int64_t));
    p.updates = calloc((size_t)cells, sizeof(int64_t));
    assert_true(p.level[0] && p.level[1] && p.updates);
    for (int64_t i = 0; i < cells; i++) {
        p.level[0][i] = 0;
        p.level[1][i] = -1;
    }
    return p;
}

static void part_free(part *p)
{
    free(p->level[0]);
    free(p->level[1]);
    free(p->updates);
}

/* Run a pass from step n on with so many workers; returns the number of violations, -1 for a
 * deadlock. */
static int64_t simulate(const part *p, int64_t n, const torre_tower *list, int64_t worker_count,
                        policy how, bool skip_far_rule)
{
    const torre_tower_grid *g = &p->grid;
    int64_t towers = torre_traversal_count(g), next = 0, active = 0;
    simulation s = {.part = p, .grid = *g, .skip_far_rule = skip_far_rule, .n = n, .seed = 7};
    s.done = calloc((size_t)torre_tower_slots(g) + 1, sizeof(int64_t));
    s.workers = calloc((size_t)worker_count + 1, sizeof(worker));
    assert_true(s.done && s.workers);
    while (true) {
        /* workers stay sorted by the place of their tower in the list */
        for (; active < worker_count && next < towers; active++)
            s.workers[active] = (worker){.tower = list[next++]};
        if (active == 0) break;
        int64_t first = how == RANDOM ? draw(&s, active) : how == EAGER_UPWIND ? 0 : active - 1;
        int64_t tried = 0, i = first;
        for (; tried < active && !advance(&s, &s.workers[i]); tried++)
            i = how == EAGER_DOWNWIND ? (i + active - 1) % active : (i + 1) % active;
        if (tried == active) {
            s.violations = -1;
            break;
        }
        if (s.workers[i].step == g->height) {
            active--;
            for (int64_t k = i; k < active; k++) s.workers[k] = s.workers[k + 1];
        }
    }
    free(s.done);
    free(s.workers);
    return s.violations;
}

/* A pass over all of a plane: violations, and cells that have not got all their steps. */
static int64_t simulate_plane(int64_t nx, int64_t ny, int64_t half_width, int64_t dts,
                              int64_t height, bool periodic_y, const torre_tower *list,
                              int64_t workers, policy how, bool skip_far_rule)
{
    torre_region all = torre_region_whole((const int64_t[]){nx, ny, 1});
    all.periodic[1] = periodic_y;
    part p = part_new(&all, 1, half_width, dts, height);
    int64_t violations = simulate(&p, 0, list, workers, how, skip_far_rule);
    for (int64_t i = 0; violations >= 0 && i < stored_cells(&p); i++)
        violations += p.updates[i] != height;
    part_free(&p);
    return violations;
}

static int64_t simulate_grid(const torre_tower_grid *g, const torre_tower *list, int64_t workers,
                             policy how, bool skip_far_rule)
{
    return simulate_plane(g->x_max, g->y_max, g->half_width, g->half_size / g->half_width,
                          g->height, g->periodic_y, list, workers, how, skip_far_rule);
}

/* Every ordering by its name, the full specifications that change the order, and strips. */
static const char *const spec_names[] = {"row-major",
                                         "morton",
                                         "hilbert",
                                         "moore",
                                         "peano",
                                         "hybrid",
                                         "pancake",
                                         "turtle",
                                         "row-major:ji",
                                         "peano:ji",
                                         "hybrid:morton/row-major/3",
                                         "strips:1",
                                         "strips:2",
                                         "strips:3",
                                         "strips:1000"};
enum { SPECS = sizeof spec_names / sizeof *spec_names };

static torre_tower *traversal(const torre_tower_grid *g, const char *name)
{
    int64_t n = torre_traversal_count(g);
    torre_tower *list = malloc((size_t)(n + 1) * sizeof *list);
    torre_ordering_spec spec;
    const char *why;
    assert_non_null(list);
    assert_true(torre_ordering_parse(name, &spec, &why));
    assert_true(torre_traversal_exists(&spec, &why));
    assert_int_equal(torre_traversal_build(g, &spec, list, &why), 0);
    assert_int_equal(torre_traversal_check(g, list, n), 0);
    return list;
}

static void check_grid(const torre_tower_grid *g)
{
    int64_t towers = torre_traversal_count(g);
    for (int k = 0; k < SPECS; k++) {
        torre_tower *list = traversal(g, spec_names[k]);
        const int64_t workers[3] = {1, 3, towers};
        for (int i = 0; i < 9; i++) {
            int64_t bad = simulate_grid(g, list, workers[i % 3], (policy)(i / 3), false);
            if (bad != 0)
                fail_msg("nx %lld ny %lld R %lld D %lld NT %lld %s: %lld violations",
                         (long long)g->x_max, (long long)g->y_max, (long long)g->half_width,
                         (long long)g->half_size, (long long)g->height, spec_names[k],
                         (long long)bad);
        }
        free(list);
    }
}

static void towers_are_legal(void **state)
{
    (void)state;
    for (int64_t R = 1; R <= 4; R++) {
        for (int64_t dts = 1; dts <= 5; dts++) {
            int64_t D = R * dts;
            const int64_t sizes[][2] = {{1, 1}, {1, 7}, {11, 1}, {13, 17}, {2 * D, 3 * D + 1}};
            const int64_t heights[] = {1, 2, 3, dts, 2 * dts + 1};
            for (size_t h = 0; h < sizeof heights / sizeof *heights; h++) {
                for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
                    torre_tower_grid g =
                        torre_tower_grid_make(sizes[n][0], sizes[n][1], R, dts, heights[h], false);
                    check_grid(&g);
                }
                for (int64_t ny = 2 * D; ny <= 4 * D; ny += 2 * D) {
                    assert_true(torre_tower_grid_can_wrap(ny, R, dts));
                    torre_tower_grid g =
                        torre_tower_grid_make(2 * D - 1, ny, R, dts, heights[h], true);
                    check_grid(&g);
                }
            }
        }
    }
}

/* Whether a tower at (s, m) has cells of the plane at some step. */
static bool has_cells(const torre_tower_grid *g, int64_t s, int64_t m)
{
    int64_t x, x_high, y, y_high;
    for (int64_t t = 0; t < g->height; t++) {
        torre_tower_x_range(g, (torre_tower){s, m}, t, &x, &x_high);
        for (; x < x_high; x++) {
            torre_tower_y_range(g, (torre_tower){s, m}, t, x, &y, &y_high);
            if (y < y_high) return true;
        }
    }
    return false;
}

/* Whether a stage (the rows of a grid are all taken together) or a row of towers has cells. */
static bool stage_has_cells(const torre_tower_grid *g, int64_t s)
{
    return has_cells(g, s, g->m_min) || has_cells(g, s, g->m_max);
}

static bool row_has_cells(const torre_tower_grid *g, int64_t m)
{
    for (int64_t s = g->s_min; s <= g->s_max; s++)
        if (has_cells(g, s, m)) return true;
    return false;
}

/* No stage and no row of the grid is without cells, and none beyond it has any. */
static void grids_are_no_larger_than_needed(void **state)
{
    (void)state;
    for (int64_t R = 1; R <= 4; R++)
        for (int64_t dts = 1; dts <= 4; dts++)
            for (int64_t n = 1; n <= 40; n += 3)
                for (int64_t height = 1; height <= 9; height += 4) {
                    const torre_tower_grid g =
                        torre_tower_grid_make(n, 41 - n, R, dts, height, false);
                    assert_true(stage_has_cells(&g, g.s_min) && stage_has_cells(&g, g.s_max));
                    assert_false(stage_has_cells(&g, g.s_min - 1));
                    assert_false(stage_has_cells(&g, g.s_max + 1));
                    assert_true(row_has_cells(&g, g.m_min) && row_has_cells(&g, g.m_max));
                    assert_false(row_has_cells(&g, g.m_min - 1) || row_has_cells(&g, g.m_max + 1));
                }
}

static void every_worker_count_and_policy_is_legal(void **state)
{
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++) {
        torre_tower_grid g = torre_tower_grid_make(23, periodic ? 16 : 19, 2, 2, 9, periodic);
        int64_t towers = torre_traversal_count(&g);
        for (int k = 0; k < SPECS; k++) {
            torre_tower *list = traversal(&g, spec_names[k]);
            for (int64_t workers = 1; workers <= towers; workers = workers * 3 / 2 + 1)
                for (int how = 0; how <= RANDOM; how++)
                    assert_int_equal(simulate_grid(&g, list, workers, (policy)how, false), 0);
            free(list);
        }
    }
}

/* The checks can fail: without the rule on (s + 2, m) they do, for every R and dts. */
static void the_far_rule_is_needed(void **state)
{
    (void)state;
    for (int64_t R = 1; R <= 4; R++) {
        for (int64_t dts = 1; dts <= 5; dts++) {
            int64_t D = R * dts;
            torre_tower_grid g = torre_tower_grid_make(4 * D, 4 * D, R, dts, 4, false);
            int64_t towers = torre_traversal_count(&g);
            torre_tower *list = traversal(&g, "row-major");
            assert_int_equal(simulate_grid(&g, list, towers, EAGER_DOWNWIND, false), 0);
            assert_true(simulate_grid(&g, list, towers, EAGER_DOWNWIND, true) > 0);
            free(list);
        }
    }
}

/* What one holds of a box to the other, both arrays as they are. */
static void copy_box(const part *from, const torre_box *box, const part *to, int64_t turn)
{
    for (int64_t x = box->low[0]; x < box->high[0]; x++)
        for (int64_t y = box->low[1]; y < box->high[1]; y++)
            for (int l = 0; l < 2; l++)
                if (stores(to, x, y + turn))
                    to->level[l][place(to, x, y + turn)] = from->level[l][place(from, x, y)];
}

static int64_t pass(const part *p, int64_t n, const char *ordering)
{
    torre_tower *list = traversal(&p->grid, ordering);
    int64_t bad = simulate(p, n, list, 3, ordering[0] == 'h' ? RANDOM : EAGER_DOWNWIND, false);
    free(list);
    return bad;
}

/*
 * Three regions along x, cut at any two places: two passes, from the upper region to the lower
 * ones, each handing over what it shares with the next, and back. Returns violations, among them
 * cells that are computed more than once or not at all. missing: cells less in the upper halo.
 */
static int64_t simulate_stages(int64_t nx, int64_t ny, const int64_t cut[2], int64_t unit,
                               int64_t half_width, int64_t dts, int64_t height, int64_t missing)
{
    const int64_t size[3] = {nx, ny, 1}, R = half_width * unit, end[4] = {0, cut[0], cut[1], nx};
    const bool periodic[3] = {false, false, false};
    const int64_t halo[3][2] = {
        {torre_tower_halo(R, dts, height, 0), torre_tower_halo(R, dts, height, 1) - missing}};
    part p[3];
    for (int i = 0; i < 3; i++) {
        const torre_box owned = {{end[i], 0, 0}, {end[i + 1], ny, 1}};
        const torre_region region = torre_region_make(size, periodic, &owned, halo);
        p[i] = part_new(&region, unit, half_width, dts, height);
    }
    int64_t violations = 0;
    for (int64_t n = 0; n < 2 * height; n += height) {
        for (int i = 2; i >= 0; i--) {
            violations += pass(&p[i], n, n ? "hilbert" : "strips:2");
            for (int below = i - 1; below >= 0; below--)
                copy_box(&p[i], &p[i].region.stored, &p[below], 0);
        }
        for (int i = 0; i < 2; i++)
            for (int above = i + 1; above < 3; above++)
                copy_box(&p[i], &p[i].region.stored, &p[above], 0);
    }
    for (int64_t x = 0; x < nx; x++)
        for (int64_t y = 0; y < ny; y++) {
            int64_t updates = 0;
            for (int i = 0; i < 3; i++)
                if (stores(&p[i], x, y)) updates += p[i].updates[place(&p[i], x, y)];
            violations += updates != 2 * height;
        }
    for (int i = 0; i < 3; i++) part_free(&p[i]);
    return violations;
}

/*
 * Two regions along y, cut anywhere: two passes, before each of which halos are filled. Cells in
 * halos are computed twice, those owned must be right. missing: cells less in each halo.
 */
static int64_t simulate_rows(int64_t nx, int64_t ny, int64_t cut, bool periodic_y, int64_t unit,
                             int64_t half_width, int64_t dts, int64_t height, int64_t missing)
{
    const int64_t size[3] = {nx, ny, 1}, reach = half_width * unit * height - missing;
    const bool periodic[3] = {false, periodic_y, false};
    const int64_t halo[3][2] = {{0, 0}, {reach, reach}};
    part p[2];
    for (int i = 0; i < 2; i++) {
        const torre_box owned = {{0, i ? cut : 0, 0}, {nx, i ? ny : cut, 1}};
        const torre_region region = torre_region_make(size, periodic, &owned, halo);
        p[i] = part_new(&region, unit, half_width, dts, height);
    }
    int64_t violations = 0;
    for (int64_t n = 0; n < 2 * height; n += height) {
        for (int i = 0; i < 4; i++) /* a halo may go all around, to the region's own cells */
            for (int64_t turn = -ny; turn <= ny; turn += ny)
                if (turn || i % 2 != i / 2)
                    copy_box(&p[i % 2], &p[i % 2].region.owned, &p[i / 2], turn);
        for (int i = 0; i < 2; i++) violations += pass(&p[i], n, n ? "hilbert" : "strips:2");
    }
    for (int i = 0; i < 2; i++)
        for (int64_t x = 0; x < nx; x++)
            for (int64_t y = p[i].region.owned.low[1]; y < p[i].region.owned.high[1]; y++)
                violations += p[i].updates[place(&p[i], x, y)] != 2 * height;
    for (int i = 0; i < 2; i++) part_free(&p[i]);
    return violations;
}

/* Cuts along x and along y, and around a periodic y. */
static void check_cuts(int64_t unit, int64_t half_width, int64_t dts, int64_t height)
{
    const int64_t R = half_width * unit, D = R * dts, nx = 2 * D + 7, ny = 2 * D + 3;
    for (int64_t c = 1; c < nx - 1; c += half_width) {
        const int64_t cut[2] = {c, c + 1 + c * 5 % (nx - 1 - c)};
        assert_int_equal(simulate_stages(nx, 6, cut, unit, half_width, dts, height, 0), 0);
    }
    for (int64_t c = 1; c < ny; c += half_width)
        for (int periodic = 0; periodic < 2; periodic++)
            if (!periodic || R * height <= ny)
                assert_int_equal(
                    simulate_rows(6, ny, c, periodic, unit, half_width, dts, height, 0), 0);
    /* halos must be as large as they are said to be (the cut after the first cell takes most) */
    if (1 + torre_tower_halo(R, dts, height, 1) <= nx)
        assert_true(simulate_stages(nx, 6, (const int64_t[]){1, nx - 1}, unit, half_width, dts,
                                    height, 1) > 0);
    if (1 + R * height <= ny)
        assert_true(simulate_rows(6, ny, 1, false, unit, half_width, dts, height, 1) > 0);
}

/* Towers of regions are legal wherever the plane is cut, in single cells and in larger squares. */
static void towers_of_regions_are_legal(void **state)
{
    (void)state;
    for (int64_t unit = 1; unit <= 3; unit++)
        for (int64_t R = 1; R <= (unit == 1 ? 4 : 2); R++)
            for (int64_t dts = 1; dts <= 3; dts++)
                for (int64_t height = 1; height <= 5; height += 2) check_cuts(unit, R, dts, height);
}

static void illegal_lists_are_found(void **state)
{
    (void)state;
    torre_tower_grid g = torre_tower_grid_make(20, 20, 2, 1, 4, false);
    int64_t n = torre_traversal_count(&g);
    torre_tower *list = traversal(&g, "hilbert");
    assert_int_equal(torre_traversal_check(&g, list, n - 1), n); /* one is missing at the end */
    torre_tower kept = list[n - 1], last_but_one = list[n - 2];
    list[n - 1] = list[0]; /* twice */
    assert_int_equal(torre_traversal_check(&g, list, n), n);
    list[n - 2] = list[0]; /* three times: the first of them is told */
    assert_int_equal(torre_traversal_check(&g, list, n), n - 1);
    list[n - 2] = last_but_one;
    list[n - 1] = list[0];
    list[0] = kept; /* far downwind first */
    assert_int_equal(torre_traversal_check(&g, list, n), 1);
    free(list);

    /* in a single row the tower two stages upwind is the only one to wait for */
    g = torre_tower_grid_make(20, 1, 1, 1, 4, false);
    n = torre_traversal_count(&g);
    list = traversal(&g, "row-major");
    kept = list[n - 1];
    list[n - 1] = list[n - 2];
    list[n - 2] = kept;
    assert_int_equal(torre_traversal_check(&g, list, n), n - 1);
    free(list);
}

/* Row-major goes by stages, Morton is the curve itself: both are legal without readiness. */
static void monotone_orderings_are_kept(void **state)
{
    (void)state;
    torre_tower_grid g = torre_tower_grid_make(50, 40, 1, 3, 7, false);
    int64_t n = torre_traversal_count(&g);
    torre_tower *list = traversal(&g, "row-major");
    for (int64_t i = 1; i < n; i++)
        assert_true(list[i].s < list[i - 1].s ||
                    (list[i].s == list[i - 1].s && list[i].m == list[i - 1].m + 2));
    free(list);

    list = traversal(&g, "morton");
    int64_t size[2] = {INT64_C(1) << 10, INT64_C(1) << 10}, before = -1;
    int64_t a_max = torre_floor_div(g.s_max + g.m_max, 2);
    int64_t b_max = torre_floor_div(g.s_max - g.m_min, 2);
    torre_ordering o;
    assert_true(torre_ordering_make(TORRE_MORTON, 2, size, &o, NULL));
    for (int64_t i = 0; i < n; i++) {
        int64_t tile[2] = {a_max - (list[i].s + list[i].m) / 2,
                           b_max - (list[i].s - list[i].m) / 2};
        int64_t rank = torre_ordering_encode(&o, tile);
        assert_true(rank > before);
        before = rank;
    }
    free(list);
}

/* The list above starts with the table. */
static void every_ordering_is_enumerated(void **state)
{
    (void)state;
    for (int kind = 0; kind < TORRE_ORDERING_KINDS; kind++)
        assert_string_equal(torre_ordering_name((torre_ordering_kind)kind), spec_names[kind]);
}

static uint64_t fnv(uint64_t hash, int64_t value)
{
    return (hash ^ (uint64_t)value) * UINT64_C(1099511628211);
}

/* The list of the grid is the definition of strips, sorted. Returns the hash of all so far. */
static uint64_t check_strips(const torre_tower_grid *g, int64_t width, uint64_t hash)
{
    char name[32];
    int64_t n = torre_traversal_count(g), before = -1;
    snprintf(name, sizeof name, "strips:%lld", (long long)width);
    torre_tower *list = traversal(g, name);
    for (int64_t i = 0; i < n; i++) {
        int64_t stage = g->s_max - list[i].s;
        int64_t strip = torre_floor_div(torre_floor_div(stage + list[i].m, 2), width);
        int64_t key = (strip << 40) + (stage << 20) + list[i].m;
        assert_true(key > before);
        before = key;
        hash = fnv(fnv(hash, list[i].s), list[i].m);
    }
    free(list);
    return hash;
}

/* Lists in strips are those that the GPU had when it sorted them itself: hashes recorded then. */
static void strips_are_those_of_the_gpu(void **state)
{
    (void)state;
    static const struct {
        int64_t width;
        uint64_t hash;
    } recorded[] = {{1, UINT64_C(0x863009ac3922ea9d)},      {2, UINT64_C(0xa35e47e9b7d53e1d)},
                    {3, UINT64_C(0xf87b3fcce34f9201)},      {8, UINT64_C(0x2976d5ea7b0e1e95)},
                    {12, UINT64_C(0x324f9e5f84c18825)},     {32, UINT64_C(0xf1ec079b055a49e1)},
                    {1000000, UINT64_C(0x140891ddb93ef341)}};
    static const int64_t sizes[][2] = {{1, 1}, {1, 300}, {500, 1}, {64, 64}, {333, 127}, {97, 512}};
    for (size_t w = 0; w < sizeof recorded / sizeof *recorded; w++) {
        uint64_t hash = UINT64_C(14695981039346656037);
        for (int64_t R = 1; R <= 4; R++)
            for (int64_t dts = 1; dts <= 6; dts++)
                for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
                    for (int64_t height = 1; height <= 64; height *= 8) {
                        const torre_tower_grid g =
                            torre_tower_grid_make(sizes[n][0], sizes[n][1], R, dts, height, false);
                        hash = check_strips(&g, recorded[w].width, hash);
                    }
        assert_true(hash == recorded[w].hash);
    }
}

static void what_orders_no_towers_is_refused(void **state)
{
    (void)state;
    torre_ordering_spec spec;
    const char *why = NULL;
    assert_true(torre_ordering_parse("hilbert:kji", &spec, &why));
    assert_false(torre_traversal_exists(&spec, &why));
    assert_string_equal(why, "a plane has only the axes i and j");
    const torre_tower_grid g =
        torre_tower_grid_make(INT64_C(1) << 24, INT64_C(1) << 24, 1, 1, 1, false);
    assert_int_equal(torre_traversal_build(&g, &(torre_ordering_spec){.strip = 1}, NULL, &why), -2);
    assert_string_equal(why, "the grid has too many towers for strips");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(towers_are_legal),
        cmocka_unit_test(towers_of_regions_are_legal),
        cmocka_unit_test(grids_are_no_larger_than_needed),
        cmocka_unit_test(every_worker_count_and_policy_is_legal),
        cmocka_unit_test(the_far_rule_is_needed),
        cmocka_unit_test(illegal_lists_are_found),
        cmocka_unit_test(monotone_orderings_are_kept),
        cmocka_unit_test(every_ordering_is_enumerated),
        cmocka_unit_test(strips_are_those_of_the_gpu),
        cmocka_unit_test(what_orders_no_towers_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
