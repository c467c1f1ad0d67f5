/* How a disturbance travels: never faster than the stencil, the same both ways, adding up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave_case.h"

/*
 * A step reaches R cells along one axis. After n steps of a start in one cell everything is exactly
 * zero where sum_a ceil(|d_a| / R) > n; at d = n R along an axis one path only leads there, with
 * the value (C_R (c dt / h)^2)^n, each factor rounded a few times and everything added to it zero.
 * C_R itself may be off by eps / 4, so that the sum of the weights is exact (line_kernel.h).
 */
static void check_cone(torre_precision precision)
{
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        for (int w = 0; w < wave_way_count; w++) {
            int64_t r = order / 2, steps = 6;
            torre_wave_problem p = wave_case_problem(6 * r + 13, 6 * r + 10, 6 * r + 15, order);
            p.precision = precision;
            p.spacing[2] = 14;
            p.face[1][0] = TORRE_RIGID;
            wave_case_courant(&p, 0.9);
            wave_sim sim;
            if (!wave_sim_open(&sim, &p, &wave_ways[w])) continue;
            double *u = wave_alloc(sim.cells, sizeof *u);
            const int64_t *n = p.size, centre[3] = {n[0] - 5, n[1] - 4, n[2] - 6};
            u[(centre[0] * n[1] + centre[1]) * n[2] + centre[2]] = 1;
            wave_sim_set(&sim, u, NULL);
            wave_sim_advance(&sim, steps);
            for (int level = 0; level >= -1; level--) {
                int64_t done = steps + level;
                wave_sim_get(&sim, level, u);
                for (int64_t i = 0; i < sim.cells; i++) {
                    int64_t at[3] = {i / n[2] / n[1], i / n[2] % n[1], i % n[2]}, needed = 0;
                    for (int a = 0; a < 3; a++) needed += (llabs(at[a] - centre[a]) + r - 1) / r;
                    CHECK(needed <= done || u[i] == 0,
                          "%s, order %d: %g at %lld %lld %lld, which takes %lld steps, after %lld",
                          wave_ways[w].name, order, u[i], (long long)at[0], (long long)at[1],
                          (long long)at[2], (long long)needed, (long long)done);
                }
                for (int a = 0; a < 3; a++) {
                    int64_t at[3] = {centre[0], centre[1], centre[2]};
                    at[a] -= done * r;
                    const double weight = wave_weight(order, (int)r);
                    double courant = p.velocity * p.dt / p.spacing[a];
                    double wanted = pow(weight * courant * courant, (double)done);
                    double tip = u[(at[0] * n[1] + at[1]) * n[2] + at[2]];
                    double bound = (8 + 1 / fabs(4 * weight)) * (double)done * wave_eps(precision);
                    CHECK(fabs(tip / wanted - 1) <= bound,
                          "%s, order %d, axis %d: %g at the tip of the cone, not %g",
                          wave_ways[w].name, order, a, tip, wanted);
                }
            }
            free(u);
            wave_sim_close(&sim);
        }
    }
}

static void nothing_is_faster_than_the_stencil(void **state)
{
    (void)state;
    check_cone(TORRE_F64);
    check_cone(TORRE_F32);
}

/* A rough model with layers, mirrors and on-grid points; wavelet of noise. */
static const int64_t size[3] = {13, 17, 15};
static double rough[13 * 15], noise[120];
static const torre_array rough_model = {TORRE_F64, {13, 1, 15}, rough};

static torre_wave_problem rough_problem(int order)
{
    torre_wave_problem p = wave_case_problem(size[0], size[1], size[2], order);
    uint64_t seed = 11;
    for (int i = 0; i < 13 * 15; i++) rough[i] = 2000 + 1000 * wave_random(&seed);
    wave_random_field(&seed, noise, 120);
    p.velocity_cells = &rough_model;
    p.spacing[0] = 9;
    p.face[0][0] = p.face[1][1] = TORRE_ABSORBING;
    p.face[2][0] = TORRE_RIGID;
    p.absorbing_width = 5;
    p.steps = 120;
    p.wavelet = noise;
    wave_case_courant(&p, 0.95);
    return p;
}

static torre_point node(const torre_wave_problem *p, int64_t x, int64_t y, int64_t z,
                        double amplitude)
{
    return (torre_point){.position = {(double)x * p->spacing[0], (double)y * p->spacing[1],
                                      (double)z * p->spacing[2]},
                         .amplitude = amplitude};
}

/* All steps of a run from rest; trace[n] for n = 1 .. steps of receiver 0. Returns the largest norm
 * met, -1 where the way refuses. */
static double run_trace(const torre_wave_problem *p, const wave_way *way, double *trace)
{
    wave_sim sim;
    if (!wave_sim_open(&sim, p, way)) return -1;
    double *u = wave_alloc(sim.cells, sizeof *u), norm = 0;
    for (int64_t n = 0; n < p->steps; n += 20) {
        wave_sim_advance(&sim, 20);
        for (int64_t l = 1; l <= 20; l++) trace[n + l] = wave_sim_trace(&sim, 0, l);
        wave_sim_get(&sim, 0, u);
        norm = fmax(norm, wave_norm(u, sim.cells));
    }
    free(u);
    wave_sim_close(&sim);
    return norm;
}

/*
 * With M = diag(1 / c^2) the scheme is M D_tt u + 2 M s D_t u - Lap u = M q, symmetric operators
 * all. So the response at B to a unit source in M q at A equals that at A to one at B, and since q
 * enters multiplied by 1 / c^2:  c_A^2 u_B(source at A) = c_B^2 u_A(source at B), at every step,
 * with damping and any faces. Rounding: wave_case.h, in the norm weighted by 1 / c^2 (c_max / c_min
 * = 3).
 */
static void source_and_receiver_exchange(void **state)
{
    (void)state;
    const int64_t places[][2][3] = {{{2, 3, 4}, {10, 12, 9}}, {{0, 16, 0}, {12, 0, 14}}};
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int w = 0; w < wave_way_count; w++)
            for (int k = 0; k < 2; k++) {
                torre_wave_problem p = rough_problem(order);
                const int64_t *a = places[k][0], *b = places[k][1];
                torre_point point[2] = {node(&p, a[0], a[1], a[2], 1e6),
                                        node(&p, b[0], b[1], b[2], 1e6)};
                double there[121], back[121];
                p.source_count = p.receiver_count = 1;
                p.sources = &point[0];
                p.receivers = &point[1];
                double norm = run_trace(&p, &wave_ways[w], there);
                if (norm < 0) continue;
                p.sources = &point[1];
                p.receivers = &point[0];
                norm = fmax(norm, run_trace(&p, &wave_ways[w], back));
                double ca = torre_wave_velocity_at(&p, a[0], a[1], a[2]);
                double cb = torre_wave_velocity_at(&p, b[0], b[1], b[2]);
                double bound = 2 * 3 * wave_rounding(&p, p.steps) * norm, top = 0;
                for (int n = 1; n <= 120; n++) {
                    double error = fabs(there[n] * (ca / cb) - back[n] * (cb / ca));
                    top = fmax(top, fabs(there[n]));
                    CHECK(error <= bound,
                          "%s, order %d, step %d: %g one way, %g the other, bound %g",
                          wave_ways[w].name, order, n, there[n] * (ca / cb), back[n] * (cb / ca),
                          bound);
                }
                CHECK(top > 1e3 * bound, "hardly anything arrived");
            }
}

/*
 * Sources together give the sum of what each gives alone; amplitudes scale. Rounding of each run.
 */
static void sources_add_up(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int w = 0; w < wave_way_count; w++) {
            torre_wave_problem p = rough_problem(order);
            /* the first two share nodes, the third stands in a damping layer */
            torre_point all[3] = {node(&p, 5, 6, 7, 1e6), node(&p, 5, 6, 7, 2e6),
                                  node(&p, 1, 15, 3, -1e6)};
            all[1].position[2] += 0.3 * p.spacing[2];
            torre_point receiver = node(&p, 9, 8, 6, 0);
            double together[121], alone[121], sum[121] = {0}, total;
            p.receivers = &receiver;
            p.receiver_count = 1;
            p.sources = all;
            p.source_count = 3;
            total = run_trace(&p, &wave_ways[w], together);
            if (total < 0) continue;
            p.source_count = 1;
            for (int s = 0; s < 3; s++) {
                torre_point twice = all[s];
                twice.amplitude *= 2;
                p.sources = &twice;
                total += run_trace(&p, &wave_ways[w], alone);
                for (int n = 1; n <= 120; n++) sum[n] += alone[n] / 2;
            }
            for (int n = 1; n <= 120; n++)
                CHECK(fabs(sum[n] - together[n]) <= 3 * wave_rounding(&p, p.steps) * total,
                      "%s, order %d, step %d: %g together, %g one by one", wave_ways[w].name, order,
                      n, together[n], sum[n]);
        }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_faster_than_the_stencil),
        cmocka_unit_test(source_and_receiver_exchange),
        cmocka_unit_test(sources_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
