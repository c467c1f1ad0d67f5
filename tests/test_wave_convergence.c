/*
 * Order of convergence against an exact solution of the differential equation: standing waves in a
 * cube. The error of the scheme is a (w dt)^2 + b (k h)^p; with dt proportional to h^(p/2) both
 * terms shrink as h^p, so that the error at a fixed time measures p itself.
 */
#include <math.h>
#include <stdlib.h>

#include "wave_case.h"

/*
 * Cube of side 1: rigid along x, free along y, periodic along z; two waves of different frequency.
 * With n cells a side the free axis has n - 1, since its walls are nodes.
 */
static double standing_waves(const double r[3], double c, double t)
{
    double w1 = c * M_PI * sqrt(4 + 1 + 4), w2 = c * M_PI * sqrt(1 + 4 + 0);
    double one = cos(2 * M_PI * r[0]) * sin(M_PI * r[1]) * cos(2 * M_PI * r[2] + 1);
    double two = cos(M_PI * r[0]) * sin(2 * M_PI * r[1]);
    return one * cos(w1 * t) + 0.7 * two * cos(w2 * t);
}

static void fill(const torre_wave_problem *p, double n, double t, double *u)
{
    int64_t i = 0;
    for (int64_t x = 0; x < p->size[0]; x++)
        for (int64_t y = 0; y < p->size[1]; y++)
            for (int64_t z = 0; z < p->size[2]; z++) {
                const double r[3] = {((double)x + 0.5) / n, ((double)y + 1) / n, (double)z / n};
                u[i++] = standing_waves(r, p->velocity, t);
            }
}

/*
 * Error relative to the norm of the start; -1 where refused. At the time compared both waves pass
 * through zero (almost), where a phase error shows to first order.
 */
static const double end = 1.0 / 6;

static double error_with(const wave_way *way, int order, int64_t n, double dt)
{
    torre_wave_problem p = wave_case_problem(n, n - 1, n, order);
    p.face[0][0] = p.face[0][1] = TORRE_RIGID;
    p.face[2][0] = p.face[2][1] = TORRE_PERIODIC;
    p.velocity = 1;
    for (int a = 0; a < 3; a++) p.spacing[a] = 1 / (double)n;
    p.dt = dt;
    wave_sim sim;
    if (!wave_sim_open(&sim, &p, way)) return -1;
    double *u = wave_alloc(sim.cells, sizeof *u), *v = wave_alloc(sim.cells, sizeof *v);
    fill(&p, (double)n, 0, u);
    wave_laplacian(&p, u, v); /* at rest: u[-1] = u[1] = u[0] + (c dt)^2 / 2 Lap u[0] */
    for (int64_t i = 0; i < sim.cells; i++) v[i] = u[i] + dt * dt / 2 * v[i];
    double scale = wave_norm(u, sim.cells);
    wave_sim_set(&sim, u, v);
    wave_sim_advance(&sim, (int64_t)lround(end / dt));
    wave_sim_get(&sim, 0, u);
    fill(&p, (double)n, end, v);
    double error = wave_distance(u, v, sim.cells) / scale;
    free(u);
    free(v);
    wave_sim_close(&sim);
    return error;
}

/*
 * From 8 cells a side to 16, with so many steps that time has at most a third of the error (that of
 * order 8 would hide behind it otherwise). The eigenvalue k^2 (1 - a (k h)^p (1 - b (k h)^2)) has
 * b = 1/30, 5/56, 7/45, 5/22 for p = 2 to 8. With k h = 2 pi / 8 the measured order of order 8 may
 * lie below p by 5/22 (k h)^2 (1 - 1/4) / ln 2 = 0.15, and by half more since time and space
 * have errors of opposite sign: 0.23.
 */
static void space_converges_with_its_order(void **state)
{
    (void)state;
    for (int order = 2; order <= 8; order += 2) {
        for (int w = 0; w < wave_way_count; w++) {
            const int64_t n = 8, steps[5] = {0, 8, 24, 60, 120};
            double dt = end / (double)steps[order / 2];
            double coarse = error_with(&wave_ways[w], order, n, dt);
            if (coarse < 0) continue;
            double fine = error_with(&wave_ways[w], order, 2 * n, dt / (1 << order / 2));
            double measured = log2(coarse / fine);
            printf("%s: order %d measured %.3f (errors %.2e, %.2e)\n", wave_ways[w].name, order,
                   measured, coarse, fine);
            CHECK(fabs(measured - order) < 0.23, "%s: order %d converges with order %g",
                  wave_ways[w].name, order, measured);
        }
    }
}

/* With the time step halved alone, an order-8 grid shows the second order of time. */
static void time_converges_with_order_two(void **state)
{
    (void)state;
    for (int w = 0; w < wave_way_count; w++) {
        double coarse = error_with(&wave_ways[w], 8, 24, end / 10);
        if (coarse < 0) continue;
        double fine = error_with(&wave_ways[w], 8, 24, end / 20), measured = log2(coarse / fine);
        printf("%s: time measured %.3f\n", wave_ways[w].name, measured);
        /* the next term is smaller by (w dt)^2 / 10 or so, w dt = 0.18 */
        CHECK(fabs(measured - 2) < 0.02, "%s: time converges with order %g", wave_ways[w].name,
              measured);
    }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(space_converges_with_its_order),
        cmocka_unit_test(time_converges_with_order_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
