/*
 * Reflection of the damping layers, as published in src/wave/NUMERICS.md. It is the same for every
 * engine (they compute the same numbers), so the cheapest one measures it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/boundary.h"
#include "wave_case.h"

/*
 * A strip along x, four cells wide between rigid walls, in its mode cos(pi m (j + 1/2) / 4): a
 * plane wave that bounces at the angle with sin^2(angle) = k_y^2 / k^2. hy is chosen to give that
 * angle.
 */
static torre_wave_problem strip(int64_t n, double ppw, double angle, int width)
{
    torre_wave_problem p = wave_case_problem(n, angle > 0 ? 4 : 1, 1, 4);
    double k = 2 * M_PI / ppw;
    p.velocity = 1;
    for (int a = 0; a < 3; a++) p.spacing[a] = 1;
    if (angle > 0) p.spacing[1] = sqrt(wave_eigenvalue(4, M_PI / 4)) / (k * sin(angle));
    for (int f = 2; f < 6; f++) p.face[f / 2][f % 2] = TORRE_RIGID;
    p.face[0][1] = TORRE_ABSORBING;
    p.absorbing_width = width;
    wave_case_courant(&p, 0.9);
    return p;
}

/* A packet of that wavelength and angle, its middle at x0 and moving to +x; at time t. */
static void packet(const torre_wave_problem *p, double ppw, double angle, double x0, double sigma,
                   double t, double *u)
{
    double k = 2 * M_PI / ppw, middle = x0 + cos(angle) * t;
    for (int64_t x = 0, i = 0; x < p->size[0]; x++)
        for (int64_t y = 0; y < p->size[1]; y++) {
            double r = ((double)x - middle) / sigma;
            double across = angle > 0 ? cos(M_PI / 4 * ((double)y + 0.5)) : 1;
            u[i++] = exp(-r * r) * cos(k * cos(angle) * ((double)x - x0) - k * t) * across;
        }
}

/*
 * |R| of a layer, in dB: Fourier transforms at the wave's frequency of the trace in front of the
 * layer, reflected (with the layer minus without) over incident (without). Without means so many
 * more cells that nothing returns from behind them in the time of the measurement.
 */
static double reflection(int width, double ppw, double angle)
{
    double sigma = 2.5 * ppw, speed = cos(angle);
    int64_t before = (int64_t)(6 * sigma); /* cells in front of the layer */
    double time = (8 * sigma + 4 * width + 20) / speed;
    const int64_t lengths[2] = {before + width, before + width + (int64_t)(time * speed / 2)};
    double part[2][2] = {{0}}; /* [layer, none][cos, sin] */
    for (int run = 0; run < 2; run++) {
        torre_wave_problem p = strip(lengths[run], ppw, angle, width);
        torre_point receiver = {.position = {(double)before - 4, 0, 0}, .amplitude = 0};
        if (run == 1) p.face[0][1] = TORRE_FREE;
        p.receivers = &receiver;
        p.receiver_count = 1;
        wave_sim sim;
        CHECK(wave_sim_open(&sim, &p, wave_fast_way()), "refused");
        double *u = wave_alloc(sim.cells, sizeof *u), *v = wave_alloc(sim.cells, sizeof *v);
        packet(&p, ppw, angle, 3 * sigma, sigma, 0, u);
        packet(&p, ppw, angle, 3 * sigma, sigma, -p.dt, v);
        wave_sim_set(&sim, u, v);
        int64_t steps = (int64_t)(time / p.dt);
        wave_sim_advance(&sim, steps);
        for (int64_t l = 1; l <= steps; l++) {
            double phase = 2 * M_PI / ppw * (double)l * p.dt, s = wave_sim_trace(&sim, 0, l);
            part[run][0] += s * cos(phase);
            part[run][1] += s * sin(phase);
        }
        free(u);
        free(v);
        wave_sim_close(&sim);
    }
    double back = hypot(part[0][0] - part[1][0], part[0][1] - part[1][1]);
    return 20 * log10(back / hypot(part[1][0], part[1][1]));
}

/*
 * The table of src/wave/NUMERICS.md: reflection in dB at most, for 6 to 12 points per wavelength.
 * The packet is not quite a plane wave: half a dB is allowed for that, and its tail limits what can
 * be seen to about -70 dB.
 */
static const double angles[4] = {0, 30, 45, 60};
static const struct {
    int width;
    double decibel[4];
} table[] = {
    {10, {-32, -30, -33, -16}},
    {20, {-51, -44, -43, -37}},
    {30, {-55, -56, -55, -41}},
    {40, {-66, -68, -64, -54}},
};

static void layers_reflect_what_is_published(void **state)
{
    (void)state;
    const double points[3] = {6, 9, 12};
    for (size_t t = 0; t < sizeof table / sizeof *table; t++)
        for (int a = 0; a < 4; a++)
            for (int i = 0; i < 3; i++) {
                double r = reflection(table[t].width, points[i], angles[a] * M_PI / 180);
                printf("width %d, %g degrees, %g points: %.1f dB\n", table[t].width, angles[a],
                       points[i], r);
                CHECK(r < fmax(table[t].decibel[a] + 0.5, -70),
                      "width %d, %g degrees, %g points: %.1f dB, published %.0f", table[t].width,
                      angles[a], points[i], r, table[t].decibel[a]);
            }
}

/*
 * Traces in one octant of a cube (rigid walls make the other seven) of n cells a side, with layers
 * on the outer faces where width > 0, and a source in its middle: cell 0.
 */
enum { STEPS = 200, RECEIVERS = 3 };

static double *cube_traces(int64_t n, int width)
{
    torre_wave_problem p = wave_case_problem(n, n, n, 4);
    torre_point source = {.position = {0, 0, 0}, .amplitude = 1};
    const torre_point receivers[RECEIVERS] = {{.position = {8, 0, 0}, .amplitude = 0},
                                              {.position = {6, 7, 5}, .amplitude = 0},
                                              {.position = {9, 9, 9}, .amplitude = 0}};
    double wavelet[STEPS], *trace = wave_alloc(RECEIVERS * STEPS, sizeof *trace);
    p.velocity = 1;
    for (int a = 0; a < 3; a++) {
        p.spacing[a] = 1;
        p.face[a][0] = TORRE_RIGID;
        if (width > 0) p.face[a][1] = TORRE_ABSORBING;
    }
    p.absorbing_width = width;
    wave_case_courant(&p, 0.9);
    p.steps = STEPS;
    for (int i = 0; i < STEPS; i++) { /* Ricker, 8 points per wavelength at the peak */
        double x = M_PI / 8 * (i * p.dt - 1.2 * 8);
        wavelet[i] = (1 - 2 * x * x) * exp(-x * x);
    }
    p.wavelet = wavelet;
    p.sources = &source;
    p.source_count = 1;
    p.receivers = receivers;
    p.receiver_count = RECEIVERS;
    wave_sim sim;
    CHECK(wave_sim_open(&sim, &p, wave_fast_way()), "refused");
    wave_sim_advance(&sim, STEPS);
    for (int r = 0; r < RECEIVERS; r++)
        for (int i = 0; i < STEPS; i++) trace[r * STEPS + i] = wave_sim_trace(&sim, r, i + 1);
    wave_sim_close(&sim);
    return trace;
}

/*
 * Layers on all faces (with edges and corners), 11 cells from the source, against a cube so large
 * that its faces are not heard within 200 dt = 90 cells / c: largest difference of a trace over its
 * largest value. Until then the walls behind the layers have answered: 2 * 31 + 9 cells, and the
 * wavelet.
 */
static void cubes_of_layers_let_a_point_source_go(void **state)
{
    (void)state;
    const double published[2] = {-26, -39};
    double *free_space = cube_traces(50, 0);
    for (int i = 0; i < 2; i++) {
        int width = 10 + 10 * i;
        double *trace = cube_traces(11 + width, width);
        const double worst = wave_reflection_db(trace, free_space, RECEIVERS, STEPS);
        free(trace);
        printf("cube with layers of %d: %.1f dB\n", width, worst);
        CHECK(worst < published[i], "cube with layers of %d: %.1f dB, published %.0f", width, worst,
              published[i]);
    }
    free(free_space);
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_reflect_what_is_published),
        cmocka_unit_test(cubes_of_layers_let_a_point_source_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
