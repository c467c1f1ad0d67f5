/*
 * Point source in a homogeneous medium against the exact solution s(t - r / c) / (4 pi c^2 r), with
 * a Ricker wavelet; with mirrors, against the sum over the images of the source. In a plane the
 * exact solution is that of a line source,
 *
 *     1 / (2 pi c^2) integral from r / c to t of s(t - tau) / sqrt(tau^2 - (r / c)^2) d tau.
 */
#include <math.h>
#include <stdlib.h>

#include "wave_case.h"

enum { RECEIVERS = 5, MAX_STEPS = 400 };
static const double velocity = 1500, frequency = 15; /* 100 m wavelength */

static double ricker(double t)
{
    double a = M_PI * frequency * (t - 1.2 / frequency);
    return t < 0 ? 0 : (1 - 2 * a * a) * exp(-a * a);
}

/* Of a line at the distance r: tau = r / c cosh(a) takes the root out of the integral, which the
 * trapezoidal rule then has to 1e-6 (the integrand is smooth and almost 0 at the upper end). */
static double line(double r, double t)
{
    enum { PARTS = 400 };
    double top = velocity * t / r > 1 ? acosh(velocity * t / r) : 0, sum = 0;
    for (int i = 0; i <= PARTS; i++)
        sum += (i % PARTS == 0 ? 0.5 : 1) * ricker(t - r / velocity * cosh(top * i / PARTS));
    return sum * top / PARTS / (2 * M_PI * velocity * velocity);
}

static double direct(const double from[3], const double to[3], bool plane, double t)
{
    double r = sqrt((from[0] - to[0]) * (from[0] - to[0]) + (from[1] - to[1]) * (from[1] - to[1]) +
                    (from[2] - to[2]) * (from[2] - to[2]));
    if (plane) return line(r, t);
    return ricker(t - r / velocity) / (4 * M_PI * velocity * velocity * r);
}

/* A source, receivers about one to two wavelengths away, and the walls x = 0 (rigid: half a cell
 * below cell 0, image of equal sign) and z = 0 (free: one cell below cell 0, opposite sign). */
typedef struct scene {
    double source[3], receiver[RECEIVERS][3];
    bool walls;
    double side; /* of the cube of which the rest of the faces are too far to be heard */
    bool plane;  /* two dimensions: y is 0 everywhere */
} scene;

static double exact(const scene *s, int receiver, double t)
{
    double sum = direct(s->source, s->receiver[receiver], s->plane, t);
    for (int image = 1; s->walls && image < 4; image++) {
        double from[3] = {s->source[0], s->source[1], s->source[2]};
        if (image & 1) from[0] = -from[0];
        if (image & 2) from[2] = -from[2];
        sum += (image & 2 ? -1 : 1) * direct(from, s->receiver[receiver], s->plane, t);
    }
    return sum;
}

/*
 * Relative rms error over all receivers and 0 .. end seconds with n cells along the side; -1 where
 * refused. The grid's cell 0 stands at x = h / 2 and z = h of the scene where there are walls.
 */
static double trace_error(const scene *s, const wave_way *way, int order, int64_t n, double end)
{
    torre_wave_problem p = wave_case_problem(n, n, n, order);
    double h = s->side / (double)n, wavelet[MAX_STEPS];
    const double origin[3] = {s->walls ? h / 2 : 0, 0, s->walls ? h : 0};
    for (int a = 0; a < 3; a++) p.spacing[a] = h;
    if (s->plane) wave_case_flatten(&p);
    if (s->walls) p.face[0][0] = TORRE_RIGID;
    p.velocity = velocity;
    wave_case_courant(&p, 0.8);
    p.steps = (int64_t)ceil(end / p.dt);
    CHECK(p.steps <= MAX_STEPS, "too many steps");
    for (int64_t i = 0; i < p.steps; i++) wavelet[i] = ricker((double)i * p.dt);
    torre_point source = {.amplitude = 1},
                receivers[RECEIVERS] = {{.position = {0}, .amplitude = 0}};
    for (int a = 0; a < 3; a++) {
        source.position[a] = s->source[a] - origin[a];
        for (int r = 0; r < RECEIVERS; r++)
            receivers[r].position[a] = s->receiver[r][a] - origin[a];
    }
    p.wavelet = wavelet;
    p.sources = &source;
    p.source_count = 1;
    p.receivers = receivers;
    p.receiver_count = RECEIVERS;
    wave_sim sim;
    if (!wave_sim_open(&sim, &p, way)) return -1;
    wave_sim_advance(&sim, p.steps);
    double error = 0, scale = 0;
    for (int r = 0; r < RECEIVERS; r++)
        for (int64_t l = 1; l <= p.steps; l++) {
            double wanted = exact(s, r, (double)l * p.dt);
            double difference = wave_sim_trace(&sim, r, l) - wanted;
            error += difference * difference;
            scale += wanted * wanted;
        }
    wave_sim_close(&sim);
    return sqrt(error / scale);
}

/*
 * The scene with 20 and 40 cells a side: 5 and 10 points per wavelength of the wavelet's peak.
 * Leapfrog and interpolation are of second order in h, the stencil of its own, so that the error
 * must fall at least with the square of h (1.7: the next terms count at 5 points per wavelength).
 * Phase errors at 10 points, r = 1.2 wavelengths (k r = 7.5), peak frequency:
 *     leapfrog: k r (w dt)^2 / 24 = 0.02 to 0.025;   stencil of order 2: k r (k h)^2 / 24 = 0.12,
 * of opposite sign. The rms over a Ricker spectrum (which w^2 weighs towards its upper half, 1.3
 * times the peak) is 1.7 times that. A position off the grid costs a (1 - a) / 2 (k h)^2 of the
 * amplitude per axis, a the fraction of the cell: 0.05 at worst, times 1.7, for source and
 * receiver.
 */
static void check_scene(const scene *s, int order, double largest)
{
    for (int w = 0; w < wave_way_count; w++) {
        double coarse = trace_error(s, &wave_ways[w], order, 20, 0.2);
        if (coarse < 0) continue;
        double fine = trace_error(s, &wave_ways[w], order, 40, 0.2);
        double measured = log2(coarse / fine);
        printf("%s: order %d: errors %.4f, %.4f, convergence %.2f\n", wave_ways[w].name, order,
               coarse, fine, measured);
        CHECK(fine < largest && measured > 1.7,
              "%s, order %d: errors %g at 20 cells, %g at 40, convergence %g", wave_ways[w].name,
              order, coarse, fine, measured);
    }
}

/* All on nodes of both grids; the faces return nothing within 300 m, which is 0.2 s. */
static void nodes_in_free_space(void **state)
{
    (void)state;
    const scene s = {
        {200, 200, 200},
        {{300, 200, 200}, {100, 200, 200}, {200, 120, 200}, {260, 260, 200}, {140, 260, 260}},
        false,
        400,
        false};
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        check_scene(&s, order, order == 2 ? 0.21 : 0.04);
}

/*
 * A third of a cell off on the coarse grid is two thirds on the fine one: the same a (1 - a) / 2.
 */
static void positions_off_the_grid(void **state)
{
    (void)state;
    const double a = 20.0 / 3;
    const scene s = {{200 + a, 200 - a, 200 - a},
                     {{300 + a, 200 - a, 200 + a},
                      {100 + a, 200 - a, 200 - a},
                      {200 + a, 120 + a, 200 + a},
                      {260 - a, 260 - a, 200 - a},
                      {140 + a, 260 - a, 260 + a}},
                     false,
                     400,
                     false};
    check_scene(&s, 4, 0.17);
}

/*
 * The same in a plane. There dt at 0.8 of the limit is sqrt(3 / 2) times as long, and the phase
 * error of leapfrog 1.5 times as large: 0.024 to 0.030 from order 4 on, times 1.7.
 */
static void planes(void **state)
{
    (void)state;
    const scene s = {{200, 0, 200},
                     {{300, 0, 200}, {100, 0, 200}, {200, 0, 120}, {260, 0, 280}, {140, 0, 140}},
                     false,
                     400,
                     true};
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        check_scene(&s, order, order == 2 ? 0.21 : 0.051);
}

/* Near the corner of a rigid and a free wall, which the images continue; nodes of the fine grid. */
static void mirrors_make_images(void **state)
{
    (void)state;
    const scene s = {
        {75, 200, 100},
        {{35, 200, 20}, {155, 200, 60}, {15, 140, 120}, {95, 260, 160}, {55, 200, 200}},
        true,
        400,
        false};
    for (int order = 2; order <= 8; order += 6) {
        for (int w = 0; w < wave_way_count; w++) {
            double error = trace_error(&s, &wave_ways[w], order, 40, 0.2);
            printf("%s: order %d: error %.4f\n", wave_ways[w].name, order, error);
            CHECK(error < (order == 2 ? 0.21 : 0.04), "%s, order %d: error %g", wave_ways[w].name,
                  order, error);
        }
    }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_in_free_space),
        cmocka_unit_test(positions_off_the_grid),
        cmocka_unit_test(planes),
        cmocka_unit_test(mirrors_make_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
