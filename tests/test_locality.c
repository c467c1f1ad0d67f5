/* Stencils, offset statistics and the cache model, against print, hand and brute force. */
#include "locality/offsets.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "locality/hit_series.h"
#include "locality/ranking.h"

static torre_stencil_bins stencil(torre_bin_shape shape, int dims, int64_t reach, bool half)
{
    return torre_stencil_of_cubes(shape, dims, reach, half);
}

static torre_ordering cube(torre_ordering_kind kind, int64_t m)
{
    torre_ordering o;
    assert_true(torre_ordering_make(kind, 3, (int64_t[]){m, m, m}, &o, NULL));
    return o;
}

/* Table 2 of the paper. */
static void spherical_stencils_are_as_printed(void **state)
{
    (void)state;
    static const struct {
        int64_t bins;
        double deviation;
    } printed[9] = {{27, 84.49},   {125, 73.19},  {311, 63.63},  {613, 56.27}, {1015, 48.41},
                    {1689, 46.43}, {2399, 40.11}, {3449, 37.82}, {4675, 34.68}};
    for (int64_t g = 1; g <= 9; g++) {
        torre_stencil_bins s = stencil(TORRE_BIN_SPHERICAL, 3, g, false);
        assert_int_equal(torre_stencil_bins_count(&s), printed[g - 1].bins);
        assert_true(fabs(torre_stencil_bins_deviation(&s) - printed[g - 1].deviation) <= 0.005);
    }
    for (int64_t g = 1; g <= 100; g++) { /* "less than 10% for g > 40" */
        torre_stencil_bins s = stencil(TORRE_BIN_SPHERICAL, 3, g, false);
        assert_int_equal(torre_stencil_bins_deviation(&s) < 10, g > 40);
    }
}

/* Closest points of two unit boxes, in doubled coordinates to stay with integers. */
static bool is_near(const int64_t d[3], int64_t g)
{
    int64_t gap2 = 0;
    for (int a = 0; a < 3; a++) {
        int64_t low = 2 * d[a] - 2, high = -2 * d[a] - 2; /* twice the gap, on either side */
        int64_t gap = low > high ? low : high;
        if (gap > 0) gap2 += gap * gap;
    }
    return gap2 < 4 * g * g;
}

static void stencils_are_what_they_say(void **state)
{
    (void)state;
    for (int shape = TORRE_BIN_BLOCK; shape <= TORRE_BIN_SPHERICAL; shape++) {
        for (int dims = 2; dims <= 3; dims++) {
            for (int64_t g = 1; g <= 7; g++) {
                torre_stencil_bins full = stencil((torre_bin_shape)shape, dims, g, false);
                torre_stencil_bins half = stencil((torre_bin_shape)shape, dims, g, true);
                int64_t n = torre_stencil_bins_count(&full), found = 0, halves = 0, flat = dims - 2;
                int32_t(*offset)[3] = malloc((size_t)n * sizeof *offset);
                assert_non_null(offset);
                torre_stencil_bins_fill(&full, offset);
                for (int64_t i = -g - 1; i <= g + 1; i++)
                    for (int64_t j = -g - 1; j <= g + 1; j++)
                        for (int64_t k = flat * (-g - 1); k <= flat * (g + 1); k++) {
                            int64_t d[3] = {i, j, k};
                            bool in = shape == TORRE_BIN_BLOCK
                                          ? llabs(i) <= g && llabs(j) <= g && llabs(k) <= g
                                          : is_near(d, g);
                            assert_int_equal(torre_stencil_bins_has(&full, i, j, k), in);
                            bool here = torre_stencil_bins_has(&half, i, j, k);
                            bool there = torre_stencil_bins_has(&half, -i, -j, -k);
                            assert_int_equal(here || there, in);
                            assert_int_equal(here && there, i == 0 && j == 0 && k == 0);
                            halves += here;
                            if (!in) continue;
                            for (int a = 0; a < 3; a++) assert_int_equal(offset[found][a], d[a]);
                            found++;
                        }
                assert_int_equal(found, n);
                assert_int_equal(halves, torre_stencil_bins_count(&half));
                if (shape == TORRE_BIN_BLOCK && dims == 3)
                    assert_int_equal(halves, 1 + 3 * g + 6 * g * g + 4 * g * g * g); /* eq. 11 */
                free(offset);
            }
        }
    }
}

/*
 * Bins that are no cubes: a spherical stencil has the bins that come nearer than the distance, the
 * last of each row as _row says, and opposite bins about the own one in the middle.
 */
static void stencils_of_grids_hold_what_is_near(void **state)
{
    (void)state;
    const double distance = 2.5;
    for (int try = 0; try < 8; try++) {
        const double size[] = {0.31, 0.6, 1.25, 2.5, 0.9, 2, 7, 1.1};
        const double box[3] = {8, 5, 9.7};
        const torre_bin_grid grid = torre_bin_grid_fit(box, size[try], 1.1, 1e6);
        torre_stencil_bins s = torre_stencil_of_grid(TORRE_BIN_SPHERICAL, &grid, distance);
        int64_t n = torre_stencil_bins_count(&s), found = 0;
        int32_t(*offset)[3] = malloc((size_t)n * sizeof *offset);
        assert_non_null(offset);
        torre_stencil_bins_fill(&s, offset);
        for (int64_t i = -s.reach[0] - 1; i <= s.reach[0] + 1; i++)
            for (int64_t j = -s.reach[1] - 1; j <= s.reach[1] + 1; j++)
                for (int64_t z = -s.reach[2] - 1; z <= s.reach[2] + 1; z++) {
                    const int64_t d[3] = {i, j, z};
                    double sq = 0;
                    for (int a = 0; a < 3; a++)
                        sq += pow(fmax(0, (double)(llabs(d[a]) - 1)) * grid.edge[a], 2);
                    const bool in = sq < distance * distance;
                    assert_int_equal(torre_stencil_bins_has(&s, i, j, z), in);
                    assert_int_equal(llabs(z) <= torre_stencil_bins_row(&s, i, j), in);
                    for (int a = 0; a < 3 && in; a++) assert_int_equal(offset[found][a], d[a]);
                    found += in;
                }
        assert_int_equal(found, n);
        for (int a = 0; a < 3; a++) assert_int_equal(offset[n / 2][a], 0);
        free(offset);
    }
}

/* Edges of at least the size asked for, no more bins than allowed, and a bin for every position. */
static void grids_fit_their_box(void **state)
{
    (void)state;
    const double box[3] = {8, 5, 0.3};
    torre_bin_grid g = torre_bin_grid_fit(box, 0.5, 1.1, 1e6);
    const int64_t wanted[3] = {16, 10, 1};
    for (int a = 0; a < 3; a++) {
        assert_int_equal(g.n[a], wanted[a]);
        assert_true(g.edge[a] == box[a] / (double)wanted[a]);
    }
    g = torre_bin_grid_fit(box, 0.01, 1.25, 500);
    assert_true(torre_bin_grid_bins(&g) <= 500 && torre_bin_grid_bins(&g) > 500 / 1.25 / 1.25 / 2);
    double at[3] = {-0.1, 5, 1e9 + 0.1};
    torre_bin_grid_wrap(&g, at);
    assert_true(fabs(at[0] - 7.9) < 1e-15 * 16 && at[1] == 0 && at[2] >= 0 && at[2] < 0.3);
    at[0] = -1e-300; /* rounds to the edge itself */
    torre_bin_grid_wrap(&g, at);
    assert_true(at[0] == 0 && torre_bin_grid_index(&g, at) == 0);
    at[0] = nextafter(8, 0);
    at[1] = nextafter(5, 0);
    at[2] = nextafter(0.3, 0);
    assert_int_equal(torre_bin_grid_index(&g, at), torre_bin_grid_bins(&g) - 1);
}

/* Section 3.2 of the paper, M = 16; fractions are printed with three digits. */
static void offsets_are_as_printed(void **state)
{
    (void)state;
    static const struct {
        torre_ordering_kind kind;
        int64_t reach, total, max_abs;
        struct {
            int64_t limit;
            double fraction;
        } within[2];
    } printed[] = {
        {TORRE_ROW_MAJOR, 1, 74088, 273, {{199, 1.0 / 3}, {299, 1}}},
        {TORRE_HILBERT, 1, 74088, 3767, {{199, 0.817}, {299, 0.867}}},
        {TORRE_MORTON, 1, 74088, 3073, {{199, 0.787}, {299, 0.862}}},
        {TORRE_ROW_MAJOR, 3, 343000, 819, {{899, 1}, {819, 1}}},
        {TORRE_HILBERT, 3, 343000, 3794, {{899, 0.795}, {899, 1 - 0.205}}},
        {TORRE_MORTON, 3, 343000, 3129, {{899, 0.780}, {899, 1 - 0.220}}},
    };
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        torre_ordering o = cube(printed[i].kind, 16);
        torre_stencil_bins s = stencil(TORRE_BIN_BLOCK, 3, printed[i].reach, false);
        torre_offsets f;
        assert_true(torre_offsets_count(&o, &s, &f));
        assert_int_equal(f.total, printed[i].total);
        assert_int_equal(f.max_abs, printed[i].max_abs);
        for (int w = 0; w < 2; w++)
            assert_true(fabs(torre_offsets_within(&f, printed[i].within[w].limit) -
                             printed[i].within[w].fraction) <= 0.0005);
        torre_offsets_free(&f);
    }
}

/* Row-major: every one of the 27 offsets 14^3 times (figure 6). */
static void row_major_offsets_have_equal_heights(void **state)
{
    (void)state;
    torre_ordering o = cube(TORRE_ROW_MAJOR, 16);
    torre_stencil_bins s = stencil(TORRE_BIN_BLOCK, 3, 1, false);
    torre_offsets f;
    assert_true(torre_offsets_count(&o, &s, &f));
    int64_t used = 0;
    for (int64_t d = 0; d < 2 * f.cells - 1; d++) {
        if (f.histogram[d] == 0) continue;
        assert_int_equal(f.histogram[d], 2744);
        used++;
    }
    assert_int_equal(used, 27);
    assert_int_equal(f.histogram[f.cells - 1 + 273], 2744);
    assert_true(torre_offsets_within(&f, 1 << 20) == 1);
    torre_offsets_free(&f);
}

/* Traces worked out on paper: the cache content after each access, capacity 2.
 *     A: A miss   B: B,A miss   A: A,B hit   C: C,A miss   B: B,C miss   C: hit   A: A,C miss */
static void hand_worked_traces(void **state)
{
    (void)state;
    static const int trace[] = {0, 1, 0, 2, 1, 2, 0};
    int64_t misses[5];
    torre_reuse *r = torre_reuse_new(4);
    assert_non_null(r);
    for (int i = 0; i < 7; i++) torre_reuse_touch(r, trace[i]);
    torre_reuse_misses(r, misses);
    assert_int_equal(torre_reuse_accesses(r), 7);
    assert_int_equal(torre_reuse_first(r), 3);
    assert_int_equal(misses[0], 7);
    assert_int_equal(misses[1], 7); /* never the same block twice in a row */
    assert_int_equal(misses[2], 5);
    assert_int_equal(misses[3], 3); /* all three blocks fit */
    assert_int_equal(misses[4], 3);
    torre_reuse_free(r);

    /* A cycle one block longer than the cache misses always: the classic worst case of LRU. */
    r = torre_reuse_new(5);
    assert_non_null(r);
    for (int i = 0; i < 50; i++) torre_reuse_touch(r, i % 5);
    int64_t cycle[6];
    torre_reuse_misses(r, cycle);
    for (int c = 0; c <= 4; c++) assert_int_equal(cycle[c], 50);
    assert_int_equal(cycle[5], 5);
    torre_reuse_free(r);
    assert_null(torre_reuse_new(0));
    assert_null(torre_reuse_new((INT64_C(1) << 30) + 1));
}

/* An LRU cache as one would write it down: a list, the most recent block first. */
typedef struct lru {
    int64_t *block;
    int64_t used, capacity, misses;
} lru;

static void lru_touch(lru *c, int64_t block)
{
    int64_t i = 0;
    while (i < c->used && c->block[i] != block) i++;
    if (i == c->used) {
        c->misses++;
        if (c->used < c->capacity) c->used++;
        i = c->used - 1;
    }
    memmove(c->block + 1, c->block, (size_t)i * sizeof *c->block);
    c->block[0] = block;
}

static int64_t lru_misses(const int64_t *trace, int64_t length, int64_t capacity)
{
    lru c = {malloc((size_t)capacity * sizeof *c.block), 0, capacity, 0};
    assert_non_null(c.block);
    for (int64_t i = 0; i < length; i++) lru_touch(&c, trace[i]);
    free(c.block);
    return c.misses;
}

static void reuse_equals_direct_simulation(void **state)
{
    (void)state;
    enum { LENGTH = 4000 };
    static int64_t trace[LENGTH], misses[64];
    uint64_t seed = 3;
    for (int64_t blocks = 1; blocks <= 60; blocks += blocks < 6 ? 1 : 18) {
        torre_reuse *r = torre_reuse_new(blocks);
        assert_non_null(r);
        for (int i = 0; i < LENGTH; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            int64_t any = (int64_t)(seed >> 33) % blocks;
            trace[i] = i % 3 ? any : i / 7 % blocks; /* some locality */
            torre_reuse_touch(r, trace[i]);
        }
        torre_reuse_misses(r, misses);
        for (int64_t c = 1; c <= blocks; c++)
            assert_int_equal(misses[c], lru_misses(trace, LENGTH, c));
        torre_reuse_free(r);
    }
}

/* Algorithm 1 line by line: visit by rank, skip the border, scan the stencil, look up the cache. */
static int64_t algorithm_1(const torre_ordering *o, const torre_stencil_bins *s, int64_t b,
                           int64_t c, int64_t *accesses)
{
    lru cache = {malloc((size_t)c * sizeof *cache.block), 0, c, 0};
    assert_non_null(cache.block);
    int64_t g = s->reach[0];
    *accesses = 0;
    for (int64_t rank = 0; rank < torre_ordering_cells(o); rank++) {
        int64_t at[3];
        torre_ordering_decode(o, rank, at);
        bool border = false;
        for (int a = 0; a < 3; a++) border |= at[a] < g || at[a] >= o->size[a] - g;
        if (border) continue;
        for (int64_t i = -g; i <= g; i++)
            for (int64_t j = -g; j <= g; j++)
                for (int64_t k = -g; k <= g; k++) {
                    if (!torre_stencil_bins_has(s, i, j, k)) continue;
                    int64_t bin[3] = {at[0] + i, at[1] + j, at[2] + k};
                    ++*accesses;
                    lru_touch(&cache, torre_ordering_encode(o, bin) / b);
                }
    }
    free(cache.block);
    return cache.misses;
}

static void cache_model_is_algorithm_1(void **state)
{
    (void)state;
    for (int kind = 0; kind < TORRE_ORDERING_KINDS; kind++) {
        for (int64_t b = 1; b <= 8; b += 7) {
            torre_ordering o;
            torre_stencil_bins s =
                stencil(b == 1 ? TORRE_BIN_SPHERICAL : TORRE_BIN_BLOCK, 3, b == 1 ? 2 : 1, false);
            assert_true(torre_ordering_make((torre_ordering_kind)kind, 3, (int64_t[]){9, 12, 10},
                                            &o, NULL));
            int64_t blocks = (torre_ordering_cells(&o) + b - 1) / b, accesses;
            int64_t *misses = malloc((size_t)(blocks + 1) * sizeof *misses);
            torre_reuse *r = torre_reuse_new(blocks);
            assert_true(misses && r);
            assert_true(torre_locality_accesses(&o, &s, b, r));
            torre_reuse_misses(r, misses);
            for (int64_t c = 1; c <= blocks; c = c * 5 / 2 + 1) {
                assert_int_equal(misses[c], algorithm_1(&o, &s, b, c, &accesses));
                assert_int_equal(torre_reuse_accesses(r), accesses);
            }
            free(misses);
            torre_reuse_free(r);
        }
    }
}

static void thin_boxes_have_no_interior(void **state)
{
    (void)state;
    torre_ordering o = cube(TORRE_HILBERT, 6);
    torre_stencil_bins s = stencil(TORRE_BIN_BLOCK, 3, 3, false);
    assert_int_equal(torre_locality_interior(&o, &s), 0);
    s = stencil(TORRE_BIN_BLOCK, 3, 2, false);
    assert_int_equal(torre_locality_interior(&o, &s), 8);
    torre_ordering plane;
    assert_true(torre_ordering_make(TORRE_MORTON, 2, (int64_t[]){6, 9}, &plane, NULL));
    s = stencil(TORRE_BIN_BLOCK, 2, 2, false);
    assert_int_equal(torre_locality_interior(&plane, &s), 2 * 5);
    torre_offsets f;
    assert_true(torre_offsets_count(&plane, &s, &f));
    assert_int_equal(f.total, 10 * 25);
    torre_offsets_free(&f);
}

static void caches_are_blocks_of_bins(void **state)
{
    (void)state;
    torre_bin_cache c = {.bytes = 1000, .line = 64, .bin_bytes = 24}; /* two bins a line */
    assert_int_equal(torre_bin_cache_set(&c), TORRE_OK);
    assert_true(c.block == 2 && c.capacity == 15);
    c.bin_bytes = 100; /* a bin of two lines */
    assert_int_equal(torre_bin_cache_set(&c), TORRE_OK);
    assert_true(c.block == 1 && c.capacity == 7);
    c.bytes = 127;
    assert_int_equal(torre_bin_cache_set(&c), TORRE_ERR_USAGE);
}

static void rankings_are_by_misses(void **state)
{
    (void)state;
    const torre_ordering o[] = {cube(TORRE_ROW_MAJOR, 8), cube(TORRE_MORTON, 8),
                                cube(TORRE_HILBERT, 8)};
    const torre_ordering *list[] = {&o[0], &o[1], &o[2]};
    const torre_stencil_bins s = stencil(TORRE_BIN_BLOCK, 3, 1, false);
    const torre_bin_cache cache = {.block = 2, .capacity = 20};
    torre_ranked r[3];
    bool seen[3] = {false};
    assert_int_equal(torre_rank(list, 3, &s, &cache, r), TORRE_OK);
    for (int i = 0; i < 3; i++) {
        torre_misses m;
        assert_int_equal(torre_misses_make(&o[r[i].index], &s, 2, &m), TORRE_OK);
        assert_int_equal(r[i].misses, torre_misses_at(&m, 20));
        assert_true(i == 0 || r[i].misses >= r[i - 1].misses);
        seen[r[i].index] = true;
        torre_misses_free(&m);
    }
    assert_true(seen[0] && seen[1] && seen[2]);
    const torre_ranked made[] = {{2, 100, 0}, {1, 101, 0}, {0, 104, 0}};
    assert_int_equal(torre_rank_choose(made, 3, 0.5), 0);
    assert_int_equal(torre_rank_choose(made, 3, 2), 1);
    assert_int_equal(torre_rank_choose(made, 3, 4), 2);
}

/* A block that holds all particles is all hits, whatever the order, and there is nothing to win by
 * reorders: the best interval is the longest there is. */
static void a_block_of_all_is_all_hits(void **state)
{
    (void)state;
    const torre_ordering o = cube(TORRE_HILBERT, 6);
    const torre_hit_plan plan = {.bins = {{6, 6, 6}, {6, 6, 6}, {1, 1, 1}},
                                 .gas = {.filling = 0.2,
                                         .speed = 0.1,
                                         .kind = TORRE_GRANULAR_IDEAL,
                                         .restitution = 1,
                                         .seed = 3},
                                 .steps = 20,
                                 .every = 5,
                                 .cache = 1000,
                                 .orders = 2,
                                 .order = {NULL, &o},
                                 .cost = 100,
                                 .reorder_cost = 10};
    torre_hit_series s;
    assert_int_equal(torre_hit_series_make(&plan, &s), TORRE_OK);
    assert_int_equal(s.samples, 5);
    assert_true(s.gas.count > 50 && s.gas.count <= 1000);
    for (int i = 0; i < 2; i++)
        for (int64_t k = 0; k < s.samples; k++) {
            assert_true(torre_hit_series_ratio(&s, i, k) == 1);
            assert_true(fabs(torre_hit_series_speedup(&s, i, k) - 100) < 1e-9);
        }
    assert_true(isnan(torre_hit_series_interval(&s, 0)));
    assert_true(torre_hit_series_interval(&s, 1) == 20);
    torre_hit_series_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spherical_stencils_are_as_printed),
        cmocka_unit_test(stencils_are_what_they_say),
        cmocka_unit_test(stencils_of_grids_hold_what_is_near),
        cmocka_unit_test(grids_fit_their_box),
        cmocka_unit_test(offsets_are_as_printed),
        cmocka_unit_test(row_major_offsets_have_equal_heights),
        cmocka_unit_test(hand_worked_traces),
        cmocka_unit_test(reuse_equals_direct_simulation),
        cmocka_unit_test(cache_model_is_algorithm_1),
        cmocka_unit_test(thin_boxes_have_no_interior),
        cmocka_unit_test(caches_are_blocks_of_bins),
        cmocka_unit_test(rankings_are_by_misses),
        cmocka_unit_test(a_block_of_all_is_all_hits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
