/* Block cache-hit ratio against hand and brute force; the gas that lets it decay. */
#include "locality/block_hits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "locality/gas.h"

static torre_bins bins_with(const torre_bin_grid *grid, int64_t n, const double (*position)[3])
{
    torre_bins bins;
    assert_int_equal(torre_block_hits_bins(grid, n, &bins), TORRE_OK);
    torre_block_hits_fill(position, &bins);
    return bins;
}

static void count(const torre_bins *bins, const double (*position)[3], const int64_t *slot,
                  int64_t cache, double contact, torre_block_hits *hits)
{
    *hits = (torre_block_hits){0};
    torre_block_hits_count(bins, position, slot, cache, contact, hits);
}

/*
 * A ring of five bins with one particle each, stored in order, blocks of two: 0 1 | 2 3 | 4.
 * Every particle reads its two neighbours; only 0-1 and 2-3 share a block: 4 hits of 10 reads.
 */
static void ring_worked_by_hand(void **state)
{
    (void)state;
    const torre_bin_grid grid =
        torre_bin_grid_make((const int64_t[]){5, 1, 1}, (const double[]){1, 1, 1});
    const double position[5][3] = {
        {0.5, 0.5, 0.5}, {1.5, 0.5, 0.5}, {2.5, 0.5, 0.5}, {3.5, 0.5, 0.5}, {4.5, 0.5, 0.5}};
    const int64_t slot[5] = {0, 1, 2, 3, 4};
    int64_t bin_reads[5] = {0}, bin_hits[5] = {0};
    torre_block_hits hits = {0, 0, bin_reads, bin_hits};
    torre_bins bins = bins_with(&grid, 5, position);
    torre_block_hits_count(&bins, position, slot, 2, 0, &hits);
    assert_int_equal(hits.reads, 10);
    assert_int_equal(hits.hits, 4);
    assert_true(fabs(torre_block_hits_ratio(&hits) - 0.4) < 1e-15);
    assert_int_equal(bin_reads[4], 2);
    assert_int_equal(bin_hits[4], 0);
    assert_int_equal(bin_hits[1], 1);
    /* neighbours are exactly one apart: not in contact at 1, all in contact at 1.01 */
    count(&bins, position, slot, 2, 1, &hits);
    assert_int_equal(hits.reads, 0);
    assert_true(torre_block_hits_ratio(&hits) == 1);
    count(&bins, position, slot, 2, 1.01, &hits);
    assert_int_equal(hits.reads, 10);
    /* a cache for all never misses, a cache for one never hits */
    count(&bins, position, slot, 5, 0, &hits);
    assert_int_equal(hits.hits, 10);
    count(&bins, position, slot, 1, 0, &hits);
    assert_int_equal(hits.hits, 0);
    torre_bins_free(&bins);
}

/* 1 / (0.9 / 100 + 0.1) = 9.174: the factor of 100 of the thesis. */
static void speedup_worked_by_hand(void **state)
{
    (void)state;
    assert_true(fabs(torre_block_hits_speedup(0.9, 100) - 1 / 0.109) < 1e-12);
    assert_true(torre_block_hits_speedup(0, 100) == 1);
    assert_true(fabs(torre_block_hits_speedup(1, 100) - 100) < 1e-12);
}

static void counts_equal_brute_force(void **state)
{
    (void)state;
    const int64_t sizes[][3] = {{6, 5, 4}, {7, 6, 1}, {2, 1, 9}, {1, 1, 1}, {3, 2, 3}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const torre_bin_grid grid = torre_bin_grid_make(sizes[s], (const double[]){1, 1.5, 1});
        torre_ordering o;
        assert_true(torre_ordering_make(TORRE_HILBERT, 3, grid.n, &o, NULL));
        enum { COUNT = 120 };
        static double position[COUNT][3];
        int64_t slot[COUNT], bin[COUNT];
        srand(5);
        for (int p = 0; p < COUNT; p++) {
            for (int a = 0; a < 3; a++) /* also outside */
                position[p][a] = (3.0 * rand() / RAND_MAX - 1) * grid.box[a];
            torre_bin_grid_wrap(&grid, position[p]);
        }
        torre_bins bins = bins_with(&grid, COUNT, (const double(*)[3])position);
        assert_true(torre_block_hits_sort(&bins, &o, slot));
        bool used[COUNT] = {false};
        for (int p = 0; p < COUNT; p++) {
            assert_false(used[slot[p]]);
            used[slot[p]] = true;
            bin[p] = torre_bin_grid_index(&grid, position[p]);
        }
        for (int p = 0; p < COUNT; p++)
            for (int q = 0; q < COUNT; q++) {
                int64_t cp[3], cq[3];
                for (int a = 2, i = (int)bin[p], j = (int)bin[q]; a >= 0; a--) {
                    cp[a] = i % grid.n[a];
                    cq[a] = j % grid.n[a];
                    i /= (int)grid.n[a];
                    j /= (int)grid.n[a];
                }
                int64_t rp = torre_ordering_encode(&o, cp), rq = torre_ordering_encode(&o, cq);
                assert_int_equal(slot[p] < slot[q], rp < rq || (rp == rq && p < q));
            }
        for (double contact = 0; contact < 2; contact += 0.9) {
            int64_t reads = 0, hits = 0, cache = 7;
            for (int p = 0; p < COUNT; p++)
                for (int q = 0; q < COUNT; q++) {
                    bool near = p != q;
                    double r2 = 0;
                    for (int a = 2, i = (int)bin[p], j = (int)bin[q]; a >= 0; a--) {
                        int n = (int)grid.n[a], apart = abs(i % n - j % n);
                        near = near && (apart <= 1 || apart == n - 1);
                        i /= n;
                        j /= n;
                        double l = grid.box[a], d = position[p][a] - position[q][a];
                        d -= l * rint(d / l);
                        r2 += d * d;
                    }
                    if (!near || (contact > 0 && r2 >= contact * contact)) continue;
                    reads++;
                    hits += slot[p] / cache == slot[q] / cache;
                }
            torre_block_hits result;
            count(&bins, (const double(*)[3])position, slot, cache, contact, &result);
            assert_int_equal(result.reads, reads);
            assert_int_equal(result.hits, hits);
        }
        torre_bins_free(&bins);
    }
}

static const torre_granular_gas kinds[] = {TORRE_GRANULAR_IDEAL, TORRE_GRANULAR_ELASTIC,
                                           TORRE_GRANULAR_INELASTIC};

/* Mean square of the velocities. */
static double square_speed(const torre_gas *gas)
{
    double sum = 0;
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < gas->count; i++)
            sum += gas->particles.velocity[a][i] * gas->particles.velocity[a][i];
    return sum / (double)gas->count;
}

/*
 * The gas is what was asked for: number of spheres, speed, plane. Elastic: energy kept to the
 * O(1 / t_c^2) of velocity Verlet; inelastic: lost; ideal: untouched. (That collisions have
 * their restitution: test_md_granular.)
 */
static void gases_keep_or_lose_energy(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        for (int kind = 0; kind < 3; kind++) {
            const torre_gas_plan plan = {.length = {16, 16, planar ? 1 : 8},
                                         .planar = planar,
                                         .filling = 0.2,
                                         .speed = 0.02,
                                         .kind = kinds[kind],
                                         .restitution = 0.8,
                                         .seed = 11};
            torre_gas gas;
            assert_int_equal(torre_gas_new(&plan, &gas), TORRE_OK);
            assert_int_equal(gas.count,
                             llround(0.2 * 16 * 16 * plan.length[2] * 6 / 3.14159265358979));
            assert_true(fabs(square_speed(&gas) - 0.0004) < 1e-12);
            for (int64_t p = 0; p < gas.count && kind > 0; p++)
                for (int64_t q = 0; q < p; q++) {
                    double d[3];
                    const torre_bin_grid grid = torre_bin_grid_make(
                        (const int64_t[]){16, 16, planar ? 1 : 8}, (const double[]){1, 1, 1});
                    torre_bin_grid_nearest(&grid, gas.position[p], gas.position[q], d);
                    assert_true(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] >= 1 - 1e-12);
                }
            assert_int_equal(torre_gas_advance(&gas, 1000), TORRE_OK);
            assert_int_equal(torre_gas_advance(&gas, 1000), TORRE_OK);
            double left =
                kind ? 2 * gas.run->row[gas.run->rows - 1].total_energy : square_speed(&gas);
            if (kind == 0) assert_true(fabs(left - 0.0004) < 1e-12);
            if (kind == 1) assert_true(fabs(left - 0.0004) < 0.02 * 0.0004);
            if (kind == 2) assert_true(left < 0.3 * 0.0004);
            double momentum[3] = {0, 0, 0};
            for (int64_t p = 0; p < gas.count; p++) {
                for (int a = 0; a < 3; a++) {
                    momentum[a] += gas.particles.velocity[a][p];
                    assert_true(gas.position[p][a] >= 0 && gas.position[p][a] <= plan.length[a]);
                }
                if (planar) assert_true(gas.position[p][2] == 0.5);
            }
            for (int a = 0; a < 3; a++) assert_true(fabs(momentum[a]) < 1e-10);
            torre_gas_free(&gas);
        }
    }
}

/* A contact lasts 20 steps: two spheres that meet at 0.02 touch at step 5 and part at step 25. */
static void a_contact_takes_twenty_steps(void **state)
{
    (void)state;
    const torre_gas_plan plan = {.length = {10, 10, 10},
                                 .filling = 2 * 3.14159265358979 / 6 / 1000,
                                 .kind = TORRE_GRANULAR_ELASTIC,
                                 .restitution = 1,
                                 .seed = 1};
    torre_gas gas;
    assert_int_equal(torre_gas_new(&plan, &gas), TORRE_OK);
    assert_int_equal(gas.count, 2);
    for (int a = 0; a < 3; a++)
        for (int p = 0; p < 2; p++) { /* across the periodic face, 1.1 apart */
            gas.particles.position[a][p] = a ? 5 : p ? 0.5 : 9.4;
            gas.particles.velocity[a][p] = a ? 0 : p ? -0.01 : 0.01;
        }
    for (int64_t step = 1; step <= 30; step++) {
        assert_int_equal(torre_gas_advance(&gas, 1), TORRE_OK);
        const double v = gas.particles.velocity[0][0];
        /* half a step either way: a half kick belongs to the step before */
        if (step <= 4) assert_true(v == 0.01);
        if (step == 15) assert_true(fabs(v) < 0.01 * 3.1416 / TORRE_GAS_CONTACT_STEPS);
        if (step >= 26) assert_true(fabs(v + 0.01) < 0.0002);
    }
    torre_gas_free(&gas);
}

static void what_is_no_gas_is_refused(void **state)
{
    (void)state;
    torre_gas_plan plan = {.length = {8, 8, 8},
                           .filling = 0.75,
                           .kind = TORRE_GRANULAR_ELASTIC,
                           .restitution = 1,
                           .seed = 1};
    torre_gas gas;
    assert_int_equal(torre_gas_new(&plan, &gas), TORRE_ERR_USAGE);
    assert_null(gas.position);
    plan.kind = TORRE_GRANULAR_IDEAL;
    assert_int_equal(torre_gas_new(&plan, &gas), TORRE_OK);
    torre_gas_free(&gas);
    plan.kind = TORRE_GRANULAR_ELASTIC;
    plan.filling = 0.1;
    plan.length[2] = 2.5;
    assert_int_equal(torre_gas_new(&plan, &gas), TORRE_OK);
    assert_int_equal(torre_gas_advance(&gas, 1), TORRE_ERR_USAGE);
    torre_gas_free(&gas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_worked_by_hand),          cmocka_unit_test(speedup_worked_by_hand),
        cmocka_unit_test(counts_equal_brute_force),     cmocka_unit_test(gases_keep_or_lose_energy),
        cmocka_unit_test(a_contact_takes_twenty_steps), cmocka_unit_test(what_is_no_gas_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
