/*
 * Perfectly matched layers (src/wave/pml.h): what they reflect, that nothing grows in them, and
 * what is refused. test_wave_engines and test_wave_fuzz compare engines.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/pml.h"
#include "wave_case.h"

enum { WIDTH = 8, RECEIVERS = 6 };

/* What is computed, and traces of it: RECEIVERS of so many steps. */
typedef struct shot {
    int order;
    torre_precision precision;
    double points; /* cells in a wavelength at the peak */
    double ahead;  /* cells along x that the layers are away */
} shot;

static const double aside = 8; /* cells to the layers along y and z: one width */

/* Steps until waves have gone along the box, to a layer and back. */
static int64_t steps_of(const shot *s)
{
    const double courant = 0.9 * 2 / sqrt(3 * wave_stencil_norm(s->order));
    return (int64_t)((hypot(s->ahead, 2 * aside) + 4 * s->points) / courant);
}

/*
 * One octant (rigid walls make the others) of a box of 2 `ahead` x 16 x 16 cells, the source in its
 * middle; around it layers of 8 cells, or so many more cells that no wave comes back from behind.
 */
static double *octant_traces(const shot *s, bool layers)
{
    const int64_t steps = steps_of(s), more = layers ? WIDTH : 0;
    const double courant = 0.9 * 2 / sqrt(3 * wave_stencil_norm(s->order));
    int64_t n[3] = {(int64_t)s->ahead + 1, (int64_t)aside + 1, (int64_t)aside + 1};
    for (int a = 0; a < 3 && !layers; a++) {
        const int64_t apart = (int64_t)((double)steps * courant / 2) + 2 + s->order;
        n[a] = n[a] / 2 + apart;
    }
    torre_wave_problem p = wave_case_problem(n[0] + more, n[1] + more, n[2] + more, s->order);
    const torre_point source = {.position = {0, 0, 0}, .amplitude = 1};
    torre_point receivers[RECEIVERS] = {{.position = {aside, 0, 0}, .amplitude = 0},
                                        {.position = {aside, aside, aside}, .amplitude = 0},
                                        {.position = {0, aside, 0}, .amplitude = 0},
                                        {.position = {28, aside, 0}, .amplitude = 0},
                                        {.position = {60, 0, 0}, .amplitude = 0},
                                        {.position = {3, 2, 1}, .amplitude = 0}};
    double *wavelet = wave_alloc(steps, sizeof *wavelet);
    double *trace = wave_alloc(RECEIVERS * steps, sizeof *trace);
    p.velocity = 1;
    p.precision = s->precision;
    p.absorbing = TORRE_PML;
    p.absorbing_width = WIDTH;
    for (int a = 0; a < 3; a++) {
        p.spacing[a] = 1;
        p.face[a][0] = TORRE_RIGID;
        if (layers) p.face[a][1] = TORRE_ABSORBING;
    }
    wave_case_courant(&p, 0.9);
    p.steps = steps;
    for (int64_t i = 0; i < steps; i++) wavelet[i] = torre_ricker(1 / s->points, (double)i * p.dt);
    p.wavelet = wavelet;
    p.sources = &source;
    p.source_count = 1;
    p.receivers = receivers;
    p.receiver_count = RECEIVERS;
    for (int r = 0; r < RECEIVERS; r++)
        receivers[r].position[0] = fmin(receivers[r].position[0], s->ahead);
    wave_sim sim;
    CHECK(wave_sim_open(&sim, &p, wave_fast_way()), "refused");
    wave_sim_advance(&sim, steps);
    for (int r = 0; r < RECEIVERS; r++)
        for (int64_t i = 0; i < steps; i++) trace[r * steps + i] = wave_sim_trace(&sim, r, i + 1);
    wave_sim_close(&sim);
    free(wavelet);
    return trace;
}

/* The largest difference of a trace that layers make, over its largest value, in dB. */
static double reflection(const shot *s)
{
    double *here = octant_traces(s, true), *open = octant_traces(s, false);
    const double worst = wave_reflection_db(here, open, RECEIVERS, steps_of(s));
    free(here);
    free(open);
    return worst;
}

/* Source and receivers one width from layers; with 60 cells ahead waves meet them at up to
 * atan(60 / 16) = 75 degrees. At most -80 dB of each trace come back. */
static void layers_hardly_reflect(void **state)
{
    (void)state;
    static const shot shots[] = {
        {2, TORRE_F64, 6, 60}, {2, TORRE_F64, 20, 60}, {4, TORRE_F64, 6, 60}, {4, TORRE_F64, 20, 8},
        {8, TORRE_F64, 6, 60}, {8, TORRE_F64, 20, 60}, {8, TORRE_F32, 6, 60}, {8, TORRE_F32, 10, 8},
        {12, TORRE_F64, 6, 8}, {12, TORRE_F32, 20, 8}};
    for (size_t i = 0; i < sizeof shots / sizeof *shots; i++) {
        const shot *s = &shots[i];
        const double decibel = reflection(s);
        printf("order %d, f%d, %g points, %g cells ahead: %.0f dB\n", s->order,
               8 * (int)s->precision, s->points, s->ahead, decibel);
        CHECK(decibel < -80, "order %d, %g points, %g cells ahead: %.1f dB", s->order, s->points,
              s->ahead, decibel);
    }
}

/* A small box between layers on all sides, unequal spacings, 0.99 of the limit. */
static torre_wave_problem small_box(int order, torre_precision precision, int width)
{
    const int64_t least = 2 * (width + order / 2 + 1) + 1; /* for density, too */
    torre_wave_problem p = wave_case_problem(least + 1, least, least + 2, order);
    p.precision = precision;
    p.absorbing = TORRE_PML;
    p.absorbing_width = width;
    p.spacing[1] = 7;
    p.spacing[2] = 13;
    for (int f = 0; f < 6; f++) p.face[f / 2][f % 2] = TORRE_ABSORBING;
    wave_case_courant(&p, 0.99);
    return p;
}

/* An array of the grid's cells, at random between low and high; the caller's. */
static torre_array random_cells(uint64_t *random, const torre_wave_problem *p, double low,
                                double high)
{
    const int64_t cells = torre_wave_cells(p);
    double *v = wave_alloc(cells, sizeof *v);
    for (int64_t i = 0; i < cells; i++) v[i] = low + (high - low) * (wave_random(random) + 1) / 2;
    return (torre_array){TORRE_F64, {p->size[0], p->size[1], p->size[2]}, v};
}

/* Noise leaves and nothing comes instead, with velocities at random within 1 : 3, and densities. */
static void noise_leaves_box(int order, torre_precision precision, int64_t steps, bool dense)
{
    torre_wave_problem p = small_box(order, precision, 4);
    const int64_t cells = torre_wave_cells(&p);
    uint64_t random = 3;
    torre_array velocity = random_cells(&random, &p, 1000, 3000);
    torre_array density = random_cells(&random, &p, 1000, 3000);
    double *u = wave_alloc(cells, sizeof *u), left = 1;
    wave_sim sim;
    wave_random_field(&random, u, cells);
    p.velocity_cells = &velocity;
    if (dense) p.density_cells = &density;
    wave_case_courant(&p, 0.99);
    CHECK(wave_sim_open(&sim, &p, wave_fast_way()), "refused");
    wave_sim_set(&sim, u, u);
    const double start = wave_norm(u, cells);
    for (int part = 0; part < 4; part++) {
        wave_sim_advance(&sim, steps / 4);
        wave_sim_get(&sim, 0, u);
        left = wave_norm(u, cells) / start;
        printf("order %d, f%d%s: %g of the noise after %lld steps\n", order, 8 * (int)precision,
               dense ? ", density" : "", left, (long long)sim.n);
        CHECK(left < 0.2, "order %d: %g of the noise after %lld steps", order, left,
              (long long)sim.n);
    }
    CHECK(steps < 20000 || left < 1e-2, "order %d: %g of the noise stays", order, left);
    wave_sim_close(&sim);
    free(u);
    free(velocity.data);
    free(density.data);
}

static void noise_leaves(void **state)
{
    (void)state;
    for (int order = 2; order <= 8; order += 6)
        for (int dense = 0; dense < 2; dense++) {
            noise_leaves_box(order, TORRE_F32, 20000, dense);
            noise_leaves_box(order, TORRE_F64, dense ? 4000 : 20000, dense);
        }
}

/* The energy of the cells that no layer takes: squares of rates over c and of differences along
 * the axes. */
static double energy(wave_sim *sim, double *u, double *v)
{
    const torre_wave_problem *p = sim->problem;
    const int64_t W = p->absorbing_width, *n = p->size, step[3] = {n[1] * n[2], n[2], 1};
    double sum = 0;
    wave_sim_get(sim, 0, u);
    wave_sim_get(sim, -1, v);
    for (int64_t x = W; x < n[0] - W; x++)
        for (int64_t y = W; y < n[1] - W; y++)
            for (int64_t z = W; z < n[2] - W; z++) {
                const int64_t i = x * step[0] + y * step[1] + z;
                sum += pow((u[i] - v[i]) / (p->velocity * p->dt), 2);
                for (int a = 0; a < 3; a++) sum += pow((u[i + step[a]] - u[i]) / p->spacing[a], 2);
            }
    return sum;
}

/* From one period of the wave to the next: within one it goes to and fro in any near field. */
static void energy_falls_in_silence(void **state)
{
    (void)state;
    enum { SILENT = 80, PERIOD = 40, STEPS = 400 };
    torre_wave_problem p = small_box(4, TORRE_F64, WIDTH);
    double wavelet[STEPS] = {0}, before = INFINITY, first = 0;
    for (int a = 0; a < 3; a++) p.size[a] += 10;
    const torre_point source = {
        .position = {15 * p.spacing[0], 15 * p.spacing[1], 14 * p.spacing[2]}, .amplitude = 1};
    for (int i = 0; i < SILENT; i++)
        wavelet[i] = 1e6 * torre_ricker(p.velocity / (8 * p.spacing[2]), i * p.dt);
    p.wavelet = wavelet;
    p.steps = STEPS;
    p.sources = &source;
    p.source_count = 1;
    wave_sim sim;
    CHECK(wave_sim_open(&sim, &p, wave_fast_way()), "refused");
    double *u = wave_alloc(sim.cells, sizeof *u), *v = wave_alloc(sim.cells, sizeof *v);
    for (int n = 0; n < SILENT; n += 10) {
        wave_sim_advance(&sim, 10);
        first = fmax(first, energy(&sim, u, v));
    }
    for (int n = SILENT; n < STEPS; n += PERIOD) {
        double now = 0;
        for (int k = 0; k < PERIOD; k += 10) {
            now = fmax(now, energy(&sim, u, v));
            wave_sim_advance(&sim, 10);
        }
        CHECK(now < before, "energy rises from %g to %g of %g at step %d", before, now, first, n);
        before = now;
    }
    printf("energy falls to %g of it in %d steps\n", before / first, STEPS - SILENT);
    CHECK(before < 1e-8 * first, "%g of the energy is left", before / first);
    free(u);
    free(v);
    wave_sim_close(&sim);
}

/* A field that is the same everywhere, and at rest, leaves like any other. */
static void stillness_leaves(void **state)
{
    (void)state;
    torre_wave_problem p = small_box(4, TORRE_F32, 4);
    wave_sim sim;
    torre_wave_norms norms;
    CHECK(wave_sim_open(&sim, &p, wave_fast_way()), "refused");
    double *u = wave_alloc(sim.cells, sizeof *u);
    for (int64_t i = 0; i < sim.cells; i++) u[i] = 1;
    wave_sim_set(&sim, u, u);
    wave_sim_advance(&sim, 5000);
    CHECK_OK(wave_backend->norms(sim.solver, &norms));
    printf("%g of a field that is 1 is left after 5000 steps\n", norms.max_abs);
    CHECK(norms.max_abs < 1e-3, "%g of it is left", norms.max_abs);
    free(u);
    wave_sim_close(&sim);
}

/* What is remembered goes from one solver to another: the bits of one that computes all. */
static void memory_of_layers_moves(torre_absorbing kind, int64_t slices)
{
    torre_wave_problem p = small_box(6, TORRE_F32, 3);
    p.absorbing = kind;
    p.face[1][0] = TORRE_FREE;
    p.face[2][1] = TORRE_RIGID;
    const int64_t cells = torre_wave_cells(&p);
    double *u = wave_alloc(3 * cells, sizeof *u), *v = u + cells, *values = v + cells;
    uint64_t random = 5;
    wave_random_field(&random, u, cells);
    const torre_wave_plan one = {.engine = TORRE_STEPWISE, .threads = 1, .axes = "yzx"};
    const wave_way ways[2] = {{"stepwise", one}, {"torre", {.engine = TORRE_TORRE, .axes = "yzx"}}};
    wave_sim from, to;
    CHECK(wave_sim_open(&from, &p, &ways[0]) && wave_sim_open(&to, &p, &ways[1]), "refused");
    wave_sim_set(&from, u, NULL);
    wave_sim_advance(&from, 11);
    wave_sim_get(&from, 0, u);
    wave_sim_get(&from, -1, v);
    wave_sim_set(&to, u, v);
    torre_layer_slice slice;
    const int64_t stride[3] = {p.size[1] * p.size[2], p.size[2], 1};
    int64_t count = 0;
    for (; torre_layer_slice_get(&p, count, &slice); count++) {
        CHECK_OK(wave_backend->read_layer(from.solver, &slice, stride, values));
        CHECK_OK(wave_backend->write_layer(to.solver, &slice, stride, values));
    }
    CHECK(count == slices, "%lld slices", (long long)count);
    wave_sim_advance(&from, 9);
    wave_sim_advance(&to, 9);
    wave_sim_get(&from, 0, u);
    wave_sim_get(&to, 0, v);
    CHECK(memcmp(u, v, (size_t)cells * sizeof *u) == 0, "other bits");
    free(u);
    wave_sim_close(&from);
    wave_sim_close(&to);
}

static void memory_moves(void **state)
{
    (void)state;
    memory_of_layers_moves(TORRE_PML, 4 * 3 * (2 * 3 - 1)); /* of four faces */
    memory_of_layers_moves(TORRE_CPML, 4 * 2 * 3);
}

static void refusals(void **state)
{
    (void)state;
    torre_wave_problem p = small_box(8, TORRE_F32, 5);
    torre_array density = random_cells(&(uint64_t){1}, &p, 1000, 3000);
    p.size[1] -= 3;
    CHECK_OK(torre_wave_problem_check(&p));
    density.shape[1] = p.size[1];
    p.density_cells = &density;
    CHECK(torre_wave_problem_check(&p) == TORRE_ERR_USAGE, "layers too close for density");
    CHECK(strstr(torre_error_text(), "21 cells along y at order 8 with density of cells"), "%s",
          torre_error_text());
    p.density_cells = NULL;
    free(density.data);
    p.size[1]--;
    CHECK(torre_wave_problem_check(&p) == TORRE_ERR_USAGE, "layers too close were taken");
    CHECK(strstr(torre_error_text(), "at least 18 cells along y at order 8 (got 17)"), "%s",
          torre_error_text());
    p.face[1][0] = TORRE_FREE;
    CHECK_OK(torre_wave_problem_check(&p));
    p.absorbing_width = 14;
    CHECK(torre_wave_problem_check(&p) == TORRE_ERR_USAGE, "a layer wider than the grid");
    p.absorbing_width = 0;
    CHECK(torre_wave_problem_check(&p) == TORRE_ERR_USAGE, "no width");
    p.absorbing_width = 5;
    p.absorbing = (torre_absorbing)7;
    CHECK(torre_wave_problem_check(&p) == TORRE_ERR_USAGE, "an unknown kind");
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_hardly_reflect),
        cmocka_unit_test(noise_leaves),
        cmocka_unit_test(energy_falls_in_silence),
        cmocka_unit_test(stillness_leaves),
        cmocka_unit_test(memory_moves),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
