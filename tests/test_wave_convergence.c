/*
 * Order of convergence against exact solutions: standing waves in a cube, of the equation that is
 * discrete in time and continuous in space, for the order in space, and of the differential
 * equation, for that in time.
 */
#include <math.h>
#include <stdlib.h>

#include "wave_case.h"

/* The frequency of a wave number in steps of dt, sin(w dt / 2) = c k dt / 2; dt 0: c k. */
static double frequency(double ck, double dt) { return dt > 0 ? 2 / dt * asin(ck * dt / 2) : ck; }

/*
 * Cube of side 1: rigid along x, free along y, periodic along z; two waves of different frequency.
 * With n cells a side the free axis has n - 1, since its walls are nodes.
 */
static double standing_waves(const double r[3], double c, double t, double dt)
{
    double w1 = frequency(c * M_PI * sqrt(4 + 1 + 4), dt);
    double w2 = frequency(c * M_PI * sqrt(1 + 4 + 0), dt);
    double one = cos(2 * M_PI * r[0]) * sin(M_PI * r[1]) * cos(2 * M_PI * r[2] + 1);
    double two = cos(M_PI * r[0]) * sin(2 * M_PI * r[1]);
    return one * cos(w1 * t) + 0.7 * two * cos(w2 * t);
}

static void fill(const torre_wave_problem *p, double n, double t, double dt, double *u)
{
    int64_t i = 0;
    for (int64_t x = 0; x < p->size[0]; x++)
        for (int64_t y = 0; y < p->size[1]; y++)
            for (int64_t z = 0; z < p->size[2]; z++) {
                const double r[3] = {((double)x + 0.5) / n, ((double)y + 1) / n, (double)z / n};
                u[i++] = standing_waves(r, p->velocity, t, dt);
            }
}

/*
 * Error relative to the norm of the start; -1 where refused. At the time compared both waves pass
 * through zero (almost), where a phase error shows to first order.
 */
static const double end = 1.0 / 6;

static double error_with(const wave_way *way, int order, int64_t n, double dt, bool of_space)
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
    const double stride = of_space ? dt : 0;
    fill(&p, (double)n, 0, stride, u);
    if (of_space) {
        fill(&p, (double)n, -dt, stride, v);
    } else { /* at rest: u[-1] = u[1] = u[0] + (c dt)^2 / 2 Lap u[0] */
        wave_laplacian(&p, u, v);
        for (int64_t i = 0; i < sim.cells; i++) v[i] = u[i] + dt * dt / 2 * v[i];
    }
    double scale = wave_norm(u, sim.cells);
    wave_sim_set(&sim, u, v);
    wave_sim_advance(&sim, (int64_t)lround(end / dt));
    wave_sim_get(&sim, 0, u);
    fill(&p, (double)n, end, stride, v);
    double error = wave_distance(u, v, sim.cells) / scale;
    free(u);
    free(v);
    wave_sim_close(&sim);
    return error;
}

/*
 * From 8 cells a side to 16. The eigenvalue of a wave is k^2 (1 - e), where e is what the series
 *
 *     k^2 h^2 = sum_{j=1..} g_j s^(2j),   g_j = 2 (j-1)!^2 / (2j)!,   s = 2 sin(k h / 2)
 *
 * has beyond the first p / 2 terms, that is a (k h)^p (1 - b (k h)^2 + ..) with b = (p + 2) / 24 -
 * g_(p/2+2) / g_(p/2+1): 0.03 at order 2, 0.38 at order 12. So p is measured too low by
 * log2(1 - b (k h)^2 / 4) - log2(1 - b (k h)^2) with k h = 2 pi / 8 of the shorter waves, which
 * have all but 2^-p of the error. Beside that, an error e of the phase shows in u with a term in
 * e^2 (most at order 2, where e is 0.05), and the next term of the series is about the square of
 * the first.
 */
static void space_converges_with_its_order(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        const double p = order, kh2 = pow(2 * M_PI / 8, 2);
        const double b = (p + 2) / 24 - pow(p + 2, 2) / 4 / ((p + 4) * (p + 3));
        const double low = log2((1 - b * kh2) / (1 - b * kh2 / 4)), slack = 0.02 + pow(b * kh2, 2);
        for (int w = 0; w < wave_way_count; w++) {
            const int64_t n = 8, steps = 8;
            double dt = end / (double)steps;
            double coarse = error_with(&wave_ways[w], order, n, dt, true);
            if (coarse < 0) continue;
            double fine = error_with(&wave_ways[w], order, 2 * n, dt, true);
            double measured = log2(coarse / fine);
            printf("%s: order %d measured %.3f, expected %.3f (errors %.2e, %.2e)\n",
                   wave_ways[w].name, order, measured, order + low, coarse, fine);
            CHECK(fabs(measured - order - low) < slack, "%s: order %d converges with order %g",
                  wave_ways[w].name, order, measured);
        }
    }
}

/* With the time step halved alone, an order-8 grid shows the second order of time. */
static void time_converges_with_order_two(void **state)
{
    (void)state;
    for (int w = 0; w < wave_way_count; w++) {
        double coarse = error_with(&wave_ways[w], 8, 24, end / 10, false);
        if (coarse < 0) continue;
        double fine = error_with(&wave_ways[w], 8, 24, end / 20, false),
               measured = log2(coarse / fine);
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
