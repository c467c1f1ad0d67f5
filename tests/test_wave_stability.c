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
    /* S = 4, 16/3, 272/45, 2048/315: the limit 2 / sqrt(3 S) is 0.57735, 0.5, 0.46967, 0.45286 */
    const double s[5] = {0, 4, 16.0 / 3, 272.0 / 45, 2048.0 / 315};
    for (int order = 2; order <= 8; order += 2) {
        double courant = torre_wave_dt_limit(order, spacing, 1);
        double limit = 2 / sqrt(3 * s[order / 2]);
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
    for (int order = 2; order <= 8; order += 2) {
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
    for (int order = 2; order <= 8; order += 2) {
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
        cmocka_unit_test(norms_see_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
