/*
 * The stability limit: its documented values, exact growth of the shortest wave just above it,
 * bounded fields just below it.
 */
#include <math.h>
#include <stdlib.h>

#include "wave_case.h"

static void limits_have_their_values(void **state)
{
    (void)state;
    const double spacing[3] = {1, 1, 1}, flat[3] = {2, 2, 1e6};
    static const double printed[] = {0.57735, 0.5, 0.46967, 0.45286, 0.44194, 0.43418};
    for (int r = 1; r <= (int)(sizeof printed / sizeof *printed); r++) /* NUMERICS.md has these */
        CHECK(fabs(torre_wave_dt_limit(2 * r, spacing, 1) - printed[r - 1]) < 5e-6,
              "order %d: %.5f", 2 * r, torre_wave_dt_limit(2 * r, spacing, 1));
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        double courant = torre_wave_dt_limit(order, spacing, 1);
        double limit = 2 / sqrt(3 * wave_stencil_norm(order));
        CHECK(fabs(courant / limit - 1) < 16 * wave_eps(TORRE_F64), "order %d: limit %g", order,
              courant);
        /* 3 / h^2 becomes 2 / (2 h)^2 + tiny; twice the velocity halves dt */
        double other = torre_wave_dt_limit(order, flat, 2);
        CHECK(fabs(other / (courant * sqrt(1.5)) - 1) < 1e-9, "order %d: flat limit %g", order,
              other);
    }
}

/*
 * The checkerboard (-1)^(i+j+k) of a periodic grid has the largest eigenvalue there is. Above the
 * limit, Lambda = (c dt)^2 lambda > 4, it grows as (-1)^n cosh(n phi), sinh^2(phi / 2) = Lambda / 4
 * - 1. Errors grow by at most sinh(n phi) / sinh(phi) <= n cosh(n phi), which gives the bound of
 * wave_case.h relative to the exact value.
 */
static void checkerboard_grows_just_above_the_limit(void **state)
{
    (void)state;
    const int64_t steps = 300;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        for (int w = 0; w < wave_way_count; w++) {
            torre_wave_problem p = wave_case_problem(6, 4, 8, order);
            for (int f = 0; f < 6; f++) p.face[f / 2][f % 2] = TORRE_PERIODIC;
            wave_case_courant(&p, 1.001);
            wave_sim sim;
            if (!wave_sim_open(&sim, &p, &wave_ways[w])) continue;
            double phi = 2 * asinh(sqrt(1.001 * 1.001 - 1)), norm = sqrt((double)sim.cells);
            double *u = wave_alloc(sim.cells, sizeof *u), *v = wave_alloc(sim.cells, sizeof *v);
            for (int64_t i = 0; i < sim.cells; i++) {
                u[i] = (i / 8 / 4 + i / 8 % 4 + i % 8) % 2 ? -1 : 1;
                v[i] = -u[i] * cosh(phi);
            }
            wave_sim_set(&sim, u, v);
            wave_sim_advance(&sim, steps);
            wave_sim_get(&sim, 0, v);
            double factor = cosh((double)steps * phi);
            for (int64_t i = 0; i < sim.cells; i++) v[i] = v[i] / factor - u[i];
            /* phi is known to 1e-13 (1.001^2 - 1 cancels three digits), and n multiplies that */
            double bound = wave_rounding(&p, steps) + 1e-13 * (double)steps;
            CHECK(factor > 1e10 && wave_norm(v, sim.cells) / norm <= bound,
                  "%s, order %d: off the growth %g by %g of it, bound %g", wave_ways[w].name, order,
                  factor, wave_norm(v, sim.cells) / norm, bound);
            free(u);
            free(v);
            wave_sim_close(&sim);
        }
    }
}

/*
 * From rest between levels (u[-1] = u[0]) mode by mode u[n] = cos((n + 1/2) theta) / cos(theta / 2)
 * u[0], and cos^2(theta / 2) = 1 - Lambda / 4 >= 1 - 0.999^2 just below the limit, so the norm
 * stays below 22.4 times that of u[0]. The same noise grows without bound 2 % above it, where the
 * grid's largest eigenvalue (at least cos^2(pi / 34) of the largest) gives phi > 0.3 a step.
 */
static void noise_is_bounded_below_the_limit_and_grows_above(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        for (int w = 0; w < wave_way_count; w++) {
            for (int above = 0; above < 2; above++) {
                torre_wave_problem p = wave_case_problem(16, 16, 16, order);
                wave_case_courant(&p, above ? 1.02 : 0.999);
                wave_sim sim;
                if (!wave_sim_open(&sim, &p, &wave_ways[w])) continue;
                double *u = wave_alloc(sim.cells, sizeof *u);
                uint64_t seed = 1;
                wave_random_field(&seed, u, sim.cells);
                double start = wave_norm(u, sim.cells);
                wave_sim_set(&sim, u, u);
                for (int part = 0; part < 5; part++) {
                    wave_sim_advance(&sim, 40);
                    wave_sim_get(&sim, 0, u);
                    double ratio = wave_norm(u, sim.cells) / start;
                    CHECK(above || ratio < 22.4, "%s, order %d: grew %g times below the limit",
                          wave_ways[w].name, order, ratio);
                    CHECK(!above || part < 4 || ratio > 1e20,
                          "%s, order %d: grew only %g times above the limit", wave_ways[w].name,
                          order, ratio);
                }
                free(u);
                wave_sim_close(&sim);
            }
        }
    }
}

/* What encloses a box: no mode leaves it, and constants are its modes of frequency zero. */
static const torre_face closed[3][3] = {{TORRE_RIGID, TORRE_RIGID, TORRE_RIGID},
                                        {TORRE_PERIODIC, TORRE_PERIODIC, TORRE_PERIODIC},
                                        {TORRE_RIGID, TORRE_RIGID, TORRE_PERIODIC}};
static const double spacings[2][3] = {{10, 10, 10}, {5, 7.5, 6}};

static torre_wave_problem box(int order, const torre_face face[3], const double spacing[3])
{
    torre_wave_problem p = wave_case_problem(6, 7, 8, order);
    p.precision = TORRE_F32;
    for (int a = 0; a < 3; a++) {
        p.spacing[a] = spacing[a];
        p.face[a][0] = p.face[a][1] = face[a];
    }
    return p;
}

/* Both levels after some steps from a constant, as bits. */
static void check_constant(const torre_wave_problem *p, const wave_way *way, double value,
                           int64_t steps)
{
    wave_sim sim;
    if (!wave_sim_open(&sim, p, way)) return;
    double *u = wave_alloc(sim.cells, sizeof *u);
    for (int64_t i = 0; i < sim.cells; i++) u[i] = value;
    wave_sim_set(&sim, u, u);
    wave_sim_advance(&sim, steps);
    for (int level = 0; level >= -1; level--) {
        wave_sim_get(&sim, level, u);
        for (int64_t i = 0; i < sim.cells; i++)
            CHECK(u[i] == (double)(float)value,
                  "%s, order %d, faces %d%d%d, hx %g: %.9g became %.9g in %lld steps", way->name,
                  p->order, p->face[0][0], p->face[1][0], p->face[2][0], p->spacing[0], value, u[i],
                  (long long)steps);
    }
    free(u);
    wave_sim_close(&sim);
}

/*
 * Differences of equal values are zero, and so is Lap u, in whatever arithmetic: u[n+1] = 2 u - u.
 * A step is a function of two levels that does not know n, so what one keeps all keep; a pass of
 * towers and one more step are tried everywhere, 10^6 steps once. Before, weights that did not sum
 * to zero, or sums that were rounded, set off growth.
 */
static void constants_stay_constant(void **state)
{
    (void)state;
    static const double values[] = {1, 0.1, 0.37, 1.0 / 3, -1e-3};
    float velocity[6 * 7 * 8];
    const torre_array array = {TORRE_F32, {6, 7, 8}, velocity};
    uint64_t seed = 4;
    for (int i = 0; i < 6 * 7 * 8; i++) velocity[i] = (float)(1200 + 300 * wave_random(&seed));
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int c = 0; c < 3 * 2 * 2; c++) {
            torre_wave_problem p = box(order, closed[c % 3], spacings[c / 3 % 2]);
            if (c >= 6) p.velocity_cells = &array;
            wave_case_courant(&p, 0.9);
            for (int w = 0; w < wave_way_count; w++)
                check_constant(&p, &wave_ways[w], values[(c + order / 2) % 5], 129);
        }
    torre_wave_problem p = box(8, closed[0], spacings[1]);
    wave_case_courant(&p, 0.9);
    check_constant(&p, wave_fast_way(), 0.37, 1000000);
}

static double mean_of(const double *u, int64_t cells)
{
    double sum = 0;
    for (int64_t i = 0; i < cells; i++) sum += u[i];
    return sum / (double)cells;
}

static double norm_around(double mean, const double *u, int64_t cells)
{
    double sum = 0;
    for (int64_t i = 0; i < cells; i++) sum += (u[i] - mean) * (u[i] - mean);
    return sqrt(sum);
}

/*
 * Noise around 1 at 0.999 of the limit, 20,000 steps in f32. Without rounding (see above) it stays
 * below 22.4 times what it was, and in a closed box its mean stays what it was.
 *
 * Rounding, as errors of random sign: each of the 6 R + 4 operations of a step may round a number
 * of up to 4 U by up to eps of it, which is 1 / sqrt(3) of that in the mean square: together e = 4
 * eps U sqrt((6 R + 4) / 3) a step and cell, U the mean and three times the 22.4-fold deviation of
 * a cell. The mean of the box moves by e k / sqrt(cells) in the k steps that follow, by
 * e sqrt(N^3 / (3 cells)) in all N, of which five times are allowed. In other modes an error grows
 * by less than 1 / sin(theta) < 12: 12 e sqrt(N) a cell.
 */
static void noise_is_bounded_for_long(void **state)
{
    (void)state;
    const double steps = 20000;
    static const torre_face all_free[3] = {TORRE_FREE, TORRE_FREE, TORRE_FREE};
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int c = 0; c < 4 * 2; c++)
            for (int w = 0; w < wave_way_count; w++) {
                const torre_wave_plan *plan = &wave_ways[w].plan;
                if (plan->engine == TORRE_REFERENCE || plan->dts || plan->axes[0]) continue;
                const bool open = c % 4 == 3;
                torre_wave_problem p = box(order, open ? all_free : closed[c % 4], spacings[c / 4]);
                wave_case_courant(&p, 0.999);
                wave_sim sim;
                if (!wave_sim_open(&sim, &p, &wave_ways[w])) continue;
                const double cells = (double)sim.cells;
                double *u = wave_alloc(sim.cells, sizeof *u);
                uint64_t seed = 1;
                wave_random_field(&seed, u, sim.cells);
                for (int64_t i = 0; i < sim.cells; i++) u[i] = (float)(0.01 * u[i] + !open);
                const double mean = open ? 0 : mean_of(u, sim.cells);
                const double start = norm_around(mean, u, sim.cells);
                wave_sim_set(&sim, u, u);
                wave_sim_advance(&sim, (int64_t)steps);
                wave_sim_get(&sim, 0, u);
                const double moved = open ? 0 : mean_of(u, sim.cells) - mean;
                const double end = norm_around(mean + moved, u, sim.cells);
                const double most = mean + 3 * 22.4 * start / sqrt(cells);
                const double e = 4 * wave_eps(TORRE_F32) * most * sqrt((3 * order + 4) / 3.0);
                CHECK(fabs(moved) <= 5 * e * sqrt(steps / (3 * cells)) * steps,
                      "%s, order %d, case %d: the mean went from %g to %g", wave_ways[w].name,
                      order, c, mean, mean + moved);
                CHECK(end <= 22.4 * start + 12 * e * sqrt(steps * cells),
                      "%s, order %d, case %d: grew from %g to %g", wave_ways[w].name, order, c,
                      start, end);
                free(u);
                wave_sim_close(&sim);
            }
}

/* A field that is not finite is found, with its first cell; one that is has its norms. */
static void norms_see_what_is_not_finite(void **state)
{
    (void)state;
    for (int w = 0; w < wave_way_count; w++) {
        torre_wave_problem p = wave_case_problem(7, 5, 9, 4);
        wave_sim sim;
        if (!wave_sim_open(&sim, &p, &wave_ways[w])) continue;
        double *u = wave_alloc(sim.cells, sizeof *u);
        uint64_t seed = 3;
        wave_random_field(&seed, u, sim.cells);
        u[100] = -7;
        torre_wave_norms norms;
        wave_sim_set(&sim, u, u);
        CHECK_OK(wave_backend->norms(sim.solver, &norms));
        double l2 = wave_norm(u, sim.cells);
        /* a sum of positive terms in any order: cells eps at most */
        CHECK(norms.finite && norms.max_abs == 7 &&
                  fabs(norms.l2 / l2 - 1) < (double)sim.cells * 2 * wave_eps(TORRE_F64),
              "%s: max %g, l2 %g not %g", wave_ways[w].name, norms.max_abs, norms.l2, l2);
        u[(3 * 5 + 2) * 9 + 8] = NAN;
        u[(6 * 5 + 4) * 9 + 8] = INFINITY;
        wave_sim_set(&sim, u, NULL);
        CHECK_OK(wave_backend->norms(sim.solver, &norms));
        CHECK(!norms.finite, "%s: missed a value that is not finite", wave_ways[w].name);
        int64_t bad = (norms.first_bad[0] * 5 + norms.first_bad[1]) * 9 + norms.first_bad[2];
        CHECK(bad >= 0 && bad < sim.cells && !isfinite(u[bad]), "%s: names cell %lld %lld %lld",
              wave_ways[w].name, (long long)norms.first_bad[0], (long long)norms.first_bad[1],
              (long long)norms.first_bad[2]);
        free(u);
        wave_sim_close(&sim);
    }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_have_their_values),
        cmocka_unit_test(checkerboard_grows_just_above_the_limit),
        cmocka_unit_test(noise_is_bounded_below_the_limit_and_grows_above),
        cmocka_unit_test(constants_stay_constant),
        cmocka_unit_test(noise_is_bounded_for_long),
        cmocka_unit_test(norms_see_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
