/*
 * Single modes: each is an eigenvector of the discrete operator, so it must evolve with the exact
 * discrete frequency, sin^2(theta / 2) = (c dt)^2 sum(lambda_a / h_a^2) / 4, and with uniform
 * damping by the characteristic equation of the scheme, to rounding, for every face kind.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/stencil.h"
#include "wave_case.h"

/*
 * h^2 u'' is exact for even powers x^0 .. x^order only if the moments of the weights are 0, 2 and
 * then 0 again: order / 2 + 1 conditions for as many weights, so they have no other solution.
 */
static void stencil_weights_have_the_moments_of_their_order(void **state)
{
    (void)state;
    for (int r = 1; r <= TORRE_MAX_HALF_WIDTH; r++) /* the formula rounds twice a factor */
        for (int i = 0; i <= r; i++)
            CHECK(fabs(torre_stencil_weight(r, i) / wave_weight(2 * r, i) - 1) <=
                      2 * (r + 1) * wave_eps(TORRE_F64),
                  "order %d: C%d is %.17g", 2 * r, i, torre_stencil_weight(r, i));
    for (int r = 1; r <= TORRE_MAX_HALF_WIDTH; r++) {
        for (int power = 0; power <= 2 * r; power += 2) {
            double moment = power == 0 ? 2 * torre_stencil_weight(r, 0) : 0, scale = 0;
            for (int i = 1; i <= r; i++) {
                double term = 2 * torre_stencil_weight(r, i) * pow(i, power);
                moment += term;
                scale += fabs(term);
            }
            double wanted = power == 2 ? 2 : 0;
            /* each term is rounded a few times */
            CHECK(fabs(moment - wanted) <= 8 * wave_eps(TORRE_F64) * scale,
                  "order %d: moment %d is %g, not %g", 2 * r, power, moment, wanted);
        }
    }
}

/* The four pairs of faces that an axis can have, and the wrap. */
static const torre_face pairs[5][2] = {{TORRE_FREE, TORRE_FREE},
                                       {TORRE_RIGID, TORRE_RIGID},
                                       {TORRE_FREE, TORRE_RIGID},
                                       {TORRE_RIGID, TORRE_FREE},
                                       {TORRE_PERIODIC, TORRE_PERIODIC}};

static torre_wave_problem mode_problem(int order, const int kinds[3])
{
    torre_wave_problem p = wave_case_problem(9, 11, 14, order);
    p.spacing[1] = 12.5;
    p.spacing[2] = 8;
    for (int a = 0; a < 3; a++) memcpy(p.face[a], pairs[kinds[a]], sizeof p.face[a]);
    wave_case_courant(&p, 0.9);
    return p;
}

/* Compare with factor[n] mode halfway and at the last step; bound: 0 for that of wave_case.h. */
static void check_mode(const torre_wave_problem *p, const wave_way *way, const int64_t m[3],
                       int64_t steps, double given)
{
    wave_sim sim;
    if (!wave_sim_open(&sim, p, way)) return;
    double *mode = wave_alloc(sim.cells, sizeof *mode), *u = wave_alloc(sim.cells, sizeof *u);
    double *previous = wave_alloc(sim.cells, sizeof *u);
    double lambda = wave_mode_field(p, m, mode), c_dt = p->velocity * p->dt;
    double theta = 2 * asin(sqrt(c_dt * c_dt * lambda / 4));
    for (int64_t i = 0; i < sim.cells; i++) previous[i] = mode[i] * cos(theta);
    wave_sim_set(&sim, mode, previous);
    for (int64_t part = 0; part < 2; part++) {
        wave_sim_advance(&sim, part == 0 ? steps / 2 : steps - steps / 2);
        for (int level = 0; level >= -1; level--) {
            wave_sim_get(&sim, level, u);
            double factor = cos((double)(sim.n + level) * theta);
            for (int64_t i = 0; i < sim.cells; i++) u[i] -= factor * mode[i];
            /* wave_case.h; besides, the given levels are rounded (3 eps, growing with n), and so is
             * theta = 2 asin(x): x <= 0.9 has a few eps, the slope is below 5, and n multiplies */
            double bound = wave_rounding(p, sim.n) + 10 * wave_eps(p->precision) * (double)sim.n;
            if (given > 0) bound = given;
            double error = wave_norm(u, sim.cells) / wave_norm(mode, sim.cells);
            CHECK(error <= bound,
                  "%s, order %d, mode %lld %lld %lld, faces %d%d %d%d %d%d: error %g after %lld "
                  "steps, bound %g",
                  way->name, p->order, (long long)m[0], (long long)m[1], (long long)m[2],
                  p->face[0][0], p->face[0][1], p->face[1][0], p->face[1][1], p->face[2][0],
                  p->face[2][1], error, (long long)(sim.n + level), bound);
        }
    }
    free(mode);
    free(u);
    free(previous);
    wave_sim_close(&sim);
}

/* Every pair of faces on every axis, low, middle and highest modes. */
static const int kinds[][3] = {{0, 1, 2}, {1, 2, 3}, {2, 3, 0}, {3, 0, 1},
                               {0, 0, 4}, {1, 4, 0}, {4, 3, 4}};
static const int64_t modes[][3] = {{0, 0, 1}, {3, 7, 5}, {8, 10, 13}};

static void modes_keep_the_discrete_frequency(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int w = 0; w < wave_way_count; w++)
                for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
                    torre_wave_problem p = mode_problem(order, kinds[k]);
                    check_mode(&p, &wave_ways[w], modes[m], 203, 0);
                }
}

/* In f32 the bound leaves two or three digits after 13 steps, enough to see a wrong weight. */
static void modes_keep_the_discrete_frequency_in_f32(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int w = 0; w < wave_way_count; w++) {
                torre_wave_problem p = mode_problem(order, kinds[k]);
                p.precision = TORRE_F32;
                check_mode(&p, &wave_ways[w], modes[1], 13, 0);
            }
}

/*
 * 1000 steps in f32, within 1e-4. That is no bound like the one of wave_case.h, which takes all
 * errors to be as large as they can be and of one sign, but what two independent ones come to:
 * - Weights have relative errors of up to eps, k or a ratio of spacings another; of random size and
 *   sign, those move an eigenvalue Lambda by about 0.6 eps of it. sin^2(theta / 2) = Lambda / 4, so
 *   theta moves by tan(theta / 2) as much, which is less than 2.06 at 0.9 of the limit, and the
 *   phase of step N by N times that: up to 7e-5, 1000 theta 0.6 eps / 2 of long waves.
 * - 6 R + 4 roundings a step, of random sign, of numbers of up to 4 U by eps / sqrt(3) of them,
 *   each of which grows by 1 / sin(theta), hardly more than sqrt(2) in the mean square: U 7e-7
 *   sqrt(N) at order 8, 2e-5 (a fifth more at order 12), and U is sqrt(8) times the mean of a mode:
 *   6e-5.
 * Weights whose sum is not zero by 2e-7, as rounding each C_i leaves it, move theta of the longest
 * waves here (k h = 0.2 along one axis) by 3e-6 of it, and errors of that kind grow with N.
 */
static void modes_keep_the_discrete_frequency_for_long_in_f32(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int w = 0; w < wave_way_count; w++)
                for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
                    torre_wave_problem p = mode_problem(order, kinds[k]);
                    if (&wave_ways[w] != wave_fast_way() && m != k % 3) continue;
                    if (k % 2) p.spacing[1] = p.spacing[2] = 10;
                    wave_case_courant(&p, 0.9);
                    p.precision = TORRE_F32;
                    check_mode(&p, &wave_ways[w], modes[m], 1000, 1e-4);
                }
}

/* Grids thinner than the stencil mirror a line more than once. */
static void modes_of_thin_grids(void **state)
{
    (void)state;
    const int64_t sizes[][3] = {{1, 9, 14}, {9, 1, 14}, {9, 11, 1},
                                {1, 1, 5},  {2, 3, 1},  {3, 2, 2}};
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int w = 0; w < wave_way_count; w++)
                for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                    torre_wave_problem p = mode_problem(order, kinds[k]);
                    int64_t m[3];
                    for (int a = 0; a < 3; a++) {
                        p.size[a] = sizes[s][a];
                        m[a] = p.size[a] / 2;
                    }
                    check_mode(&p, &wave_ways[w], m, 21, 0);
                }
}

/*
 * Uniform damping s: the amplitude a_n of a mode obeys (1 + b) a[n+1] = (2 - Lambda) a[n] -
 * (1 - b) a[n-1], b = s dt, Lambda = (c dt)^2 lambda, so a_n = z^n for the roots z of
 * (1 + b) z^2 - (2 - Lambda) z + (1 - b) = 0; for a complex pair Re z^n = |z|^n cos(n arg z) with
 * |z|^2 = (1 - b) / (1 + b).
 */
static void uniform_damping_follows_the_characteristic_equation(void **state)
{
    (void)state;
    const int64_t m[3] = {3, 7, 5}, steps = 100;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        for (int w = 0; w < wave_way_count; w++) {
            torre_wave_problem p = mode_problem(order, kinds[0]);
            double b = 0.02;
            wave_sim sim;
            wave_sim_prepare(&sim, &p);
            for (int a = 0; a < 3; a++) { /* a third of it from each axis */
                sim.setup->damping[a] = wave_alloc(p.size[a], sizeof(double));
                for (int64_t i = 0; i < p.size[a]; i++) sim.setup->damping[a][i] = b / p.dt / 3;
            }
            if (!wave_sim_create(&sim, &wave_ways[w])) continue;
            int64_t cells = sim.cells;
            double *mode = wave_alloc(cells, sizeof *mode), *u = wave_alloc(cells, sizeof *u);
            double c_dt = p.velocity * p.dt,
                   half = 1 - c_dt * c_dt * wave_mode_field(&p, m, mode) / 2;
            double modulus = sqrt((1 - b) / (1 + b));
            double angle = acos(half / sqrt((1 - b) * (1 + b)));
            for (int64_t i = 0; i < cells; i++) u[i] = mode[i] * cos(angle) / modulus;
            wave_sim_set(&sim, mode, u);
            wave_sim_advance(&sim, steps);
            wave_sim_get(&sim, 0, u);
            double factor = pow(modulus, (double)steps) * cos((double)steps * angle);
            for (int64_t i = 0; i < cells; i++) u[i] -= factor * mode[i];
            /* damping only shrinks what rounding adds (wave_case.h); acos as asin above */
            double bound = wave_rounding(&p, steps) + 10 * wave_eps(TORRE_F64) * (double)steps;
            double error = wave_norm(u, cells) / wave_norm(mode, cells);
            CHECK(error <= bound, "%s, order %d: error %g, bound %g", wave_ways[w].name, order,
                  error, bound);
            free(mode);
            free(u);
            wave_sim_close(&sim);
        }
    }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stencil_weights_have_the_moments_of_their_order),
        cmocka_unit_test(modes_keep_the_discrete_frequency),
        cmocka_unit_test(modes_keep_the_discrete_frequency_in_f32),
        cmocka_unit_test(modes_keep_the_discrete_frequency_for_long_in_f32),
        cmocka_unit_test(modes_of_thin_grids),
        cmocka_unit_test(uniform_damping_follows_the_characteristic_equation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
