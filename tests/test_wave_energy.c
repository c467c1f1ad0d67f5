/*
 * The discrete energy. Multiply the scheme without sources,
 *     (u+ - 2 u + u-) + s dt (u+ - u-) = (c dt)^2 Lap u,
 * by (u+ - u-) / (c dt)^2 and sum over the cells. Lap is symmetric (mirrors and wrap-around
 * included), so <u+ - u-, Lap u> = <u+, Lap u> - <u, Lap u->, and with
 *     E(n + 1/2) = sum (u[n+1] - u[n])^2 / (c dt)^2 - sum u[n+1] Lap u[n]
 * every step gives exactly, for any velocity c(x, y, z) and damping s(x, y, z),
 *     E(n + 1/2) - E(n - 1/2) = - sum s dt (u[n+1] - u[n-1])^2 / (c dt)^2.
 *
 * Rounding: an error e in u[n+1] changes E by at most |e| (2 |u[n+1] - u[n]| + (c dt)^2 |Lap u|) /
 * (c dt)^2 <= 8 |e| U / (c dt)^2 with U the norm of the largest level, and |e| <= gamma eps U
 * (wave_case.h); summing E over the cells rounds at most cells times more.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave_case.h"

/* 12 x 10 x 14 cells of velocity 1000 to 3000 m/s without any pattern, all kinds of mirrors. */
typedef struct rough_case {
    torre_wave_problem p;
    torre_array velocity;
    double *cells, *now, *previous;
    int64_t count;
} rough_case;

static rough_case rough_case_new(int order)
{
    rough_case r = {.p = wave_case_problem(12, 10, 14, order)};
    uint64_t seed = (uint64_t)order;
    r.count = 12 * 10 * 14;
    r.cells = wave_alloc(r.count, sizeof(double));
    r.now = wave_alloc(r.count, sizeof(double));
    r.previous = wave_alloc(r.count, sizeof(double));
    for (int64_t i = 0; i < r.count; i++) r.cells[i] = 2000 + 1000 * wave_random(&seed);
    wave_random_field(&seed, r.now, r.count);
    wave_random_field(&seed, r.previous, r.count);
    r.velocity = (torre_array){TORRE_F64, {12, 10, 14}, r.cells};
    const torre_face faces[3][2] = {
        {TORRE_RIGID, TORRE_FREE}, {TORRE_FREE, TORRE_RIGID}, {TORRE_PERIODIC, TORRE_PERIODIC}};
    memcpy(r.p.face, faces, sizeof faces);
    r.p.spacing[1] = 8;
    return r;
}

/* The velocity array cannot be bound before the struct has its final address. */
static void rough_case_bind(rough_case *r)
{
    r->p.velocity_cells = &r->velocity;
    wave_case_courant(&r->p, 0.95);
}

static void rough_case_free(rough_case *r)
{
    free(r->cells);
    free(r->now);
    free(r->previous);
}

static double energy(const rough_case *r, const double *next, const double *now)
{
    double *lap = wave_alloc(r->count, sizeof *lap), sum = 0;
    wave_laplacian(&r->p, now, lap);
    for (int64_t i = 0; i < r->count; i++) {
        double rate = (next[i] - now[i]) / (r->cells[i] * r->p.dt);
        sum += rate * rate - next[i] * lap[i];
    }
    free(lap);
    return sum;
}

/* What rounding may change E by in that many steps, for levels of at most that norm. */
static double energy_bound(const rough_case *r, int64_t steps, double norm)
{
    double gamma = wave_gamma(r->p.order), low, high;
    torre_wave_velocity_range(&r->p, &low, &high);
    double scale = norm * norm / (low * r->p.dt * low * r->p.dt);
    return 8 * (gamma * (double)steps + (double)r->count) * wave_eps(TORRE_F64) * scale;
}

static void energy_is_conserved(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        for (int w = 0; w < wave_way_count; w++) {
            rough_case r = rough_case_new(order);
            rough_case_bind(&r);
            wave_sim sim;
            if (wave_sim_open(&sim, &r.p, &wave_ways[w])) {
                double start = energy(&r, r.now, r.previous);
                double norm = fmax(wave_norm(r.now, r.count), wave_norm(r.previous, r.count));
                wave_sim_set(&sim, r.now, r.previous);
                for (int part = 1; part <= 20; part++) {
                    wave_sim_advance(&sim, 17);
                    wave_sim_get(&sim, 0, r.now);
                    wave_sim_get(&sim, -1, r.previous);
                    norm = fmax(norm, wave_norm(r.now, r.count));
                    double change = energy(&r, r.now, r.previous) - start;
                    CHECK(
                        fabs(change) <= energy_bound(&r, sim.n, norm),
                        "%s, order %d: the energy changed by %g of itself in %lld steps, bound %g",
                        wave_ways[w].name, order, change / start, (long long)sim.n,
                        energy_bound(&r, sim.n, norm) / start);
                }
                wave_sim_close(&sim);
            }
            rough_case_free(&r);
        }
    }
}

static void damping_takes_the_energy_it_should(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        for (int w = 0; w < wave_way_count; w++) {
            rough_case r = rough_case_new(order);
            rough_case_bind(&r);
            r.p.face[0][1] = r.p.face[1][0] = TORRE_ABSORBING;
            r.p.absorbing_width = 4;
            wave_sim sim;
            if (wave_sim_open(&sim, &r.p, &wave_ways[w])) {
                double *next = wave_alloc(r.count, sizeof *next);
                wave_sim_set(&sim, r.now, r.previous);
                double before = energy(&r, r.now, r.previous), start = before;
                for (int step = 0; step < 60; step++) {
                    wave_sim_advance(&sim, 1);
                    wave_sim_get(&sim, 0, next);
                    double loss = 0;
                    for (int64_t i = 0; i < r.count; i++) {
                        double s =
                            sim.setup->damping[0][i / 14 / 10] + sim.setup->damping[1][i / 14 % 10];
                        double change = (next[i] - r.previous[i]) / r.cells[i];
                        loss += s / r.p.dt * change * change;
                    }
                    double after = energy(&r, next, r.now);
                    double norm = fmax(wave_norm(next, r.count), wave_norm(r.now, r.count));
                    norm = fmax(norm, wave_norm(r.previous, r.count));
                    /* the loss is a sum like E, each term at most 4 s dt < 4 times as large */
                    CHECK(fabs(before - after - loss) <= 8 * energy_bound(&r, 1, norm),
                          "%s, order %d, step %d: energy %g became %g, the loss was to be %g",
                          wave_ways[w].name, order, step, before, after, loss);
                    before = after;
                    memcpy(r.previous, r.now, (size_t)r.count * sizeof(double));
                    memcpy(r.now, next, (size_t)r.count * sizeof(double));
                }
                CHECK(before < start / 2, "%s: hardly any energy was lost", wave_ways[w].name);
                free(next);
                wave_sim_close(&sim);
            }
            rough_case_free(&r);
        }
    }
}

/*
 * The scheme without damping is symmetric in u[n+1] and u[n-1]: with the levels exchanged it runs
 * back. Errors grow as in wave_case.h in the norm weighted by 1 / c^2, 3 times the plain one at
 * most.
 */
static void time_runs_back(void **state)
{
    (void)state;
    const int64_t steps = 150;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        for (int w = 0; w < wave_way_count; w++) {
            rough_case r = rough_case_new(order);
            rough_case_bind(&r);
            wave_sim sim;
            if (wave_sim_open(&sim, &r.p, &wave_ways[w])) {
                double *u = wave_alloc(r.count, sizeof *u), *v = wave_alloc(r.count, sizeof *v);
                wave_sim_set(&sim, r.now, r.previous);
                double norm = 0;
                for (int64_t n = 0; n < steps; n += 10) {
                    wave_sim_advance(&sim, 10);
                    wave_sim_get(&sim, 0, u);
                    norm = fmax(norm, wave_norm(u, r.count));
                }
                wave_sim_get(&sim, -1, v);
                wave_sim_set(&sim, v, u);
                wave_sim_advance(&sim, steps);
                wave_sim_get(&sim, 0, u); /* u[-1] again, and u[0] one level below */
                wave_sim_get(&sim, -1, v);
                double error =
                    fmax(wave_distance(u, r.previous, r.count), wave_distance(v, r.now, r.count));
                double bound = 3 * wave_rounding(&r.p, 2 * steps) * norm;
                CHECK(error <= bound, "%s, order %d: %g away after there and back, bound %g",
                      wave_ways[w].name, order, error, bound);
                free(u);
                free(v);
                wave_sim_close(&sim);
            }
            rough_case_free(&r);
        }
    }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_conserved),
        cmocka_unit_test(damping_takes_the_energy_it_should),
        cmocka_unit_test(time_runs_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
