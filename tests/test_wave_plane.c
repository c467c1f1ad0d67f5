/*
 * Two dimensions: planes have the modes, the limit of dt and the sources of the two-dimensional
 * equation, and are what a grid computes in which nothing varies along y. (The exact solution of a
 * point source in a plane: test_wave_point_source.c; random planes: test_wave_fuzz.c.)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/initial.h"
#include "wave_case.h"

/* Pairs of faces along x, and along z. */
static const torre_face pairs[][4] = {
    {TORRE_FREE, TORRE_FREE, TORRE_RIGID, TORRE_FREE},
    {TORRE_RIGID, TORRE_RIGID, TORRE_FREE, TORRE_FREE},
    {TORRE_FREE, TORRE_RIGID, TORRE_PERIODIC, TORRE_PERIODIC},
    {TORRE_PERIODIC, TORRE_PERIODIC, TORRE_PERIODIC, TORRE_PERIODIC}};

static torre_wave_problem plane(int64_t nx, int64_t nz, int order, const torre_face faces[4])
{
    torre_wave_problem p = wave_case_problem(nx, 1, nz, order);
    for (int i = 0; i < 4; i++) p.face[i < 2 ? 0 : 2][i % 2] = faces[i];
    wave_case_flatten(&p);
    return p;
}

/* A mode of the plane after n steps is cos(n theta) times itself: see test_wave_dispersion.c. */
static void check_mode(const torre_wave_problem *p, const wave_way *way, const int64_t m[3],
                       int64_t steps)
{
    wave_sim sim;
    if (!wave_sim_open(&sim, p, way)) return;
    double *mode = wave_alloc(sim.cells, sizeof *mode), *u = wave_alloc(sim.cells, sizeof *u);
    double lambda = wave_mode_field(p, m, mode), c_dt = p->velocity * p->dt;
    double theta = 2 * asin(sqrt(c_dt * c_dt * lambda / 4));
    for (int64_t i = 0; i < sim.cells; i++) u[i] = mode[i] * cos(theta);
    wave_sim_set(&sim, mode, u);
    wave_sim_advance(&sim, steps);
    wave_sim_get(&sim, 0, u);
    for (int64_t i = 0; i < sim.cells; i++) u[i] -= cos((double)steps * theta) * mode[i];
    double bound = wave_rounding(p, steps) + 10 * wave_eps(p->precision) * (double)steps;
    double error = wave_norm(u, sim.cells) / wave_norm(mode, sim.cells);
    CHECK(error <= bound, "%s, order %d, %lldx%lld, mode %lld %lld: error %g, bound %g", way->name,
          p->order, (long long)p->size[0], (long long)p->size[2], (long long)m[0], (long long)m[2],
          error, bound);
    free(mode);
    free(u);
    wave_sim_close(&sim);
}

static void modes_have_the_frequency_of_two_dimensions(void **state)
{
    (void)state;
    const int64_t sizes[][2] = {{9, 14}, {41, 37}, {3, 50}, {50, 2}};
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int f = 0; f < 4; f++)
            for (int s = 0; s < 4; s++)
                for (int w = 0; w < wave_way_count; w++) {
                    torre_wave_problem p = plane(sizes[s][0], sizes[s][1], order, pairs[f]);
                    const int64_t m[3] = {p.size[0] / 3, 0, p.size[2] / 2};
                    check_mode(&p, &wave_ways[w], m, 61);
                    p.spacing[2] = 7;
                    p.precision = TORRE_F32;
                    wave_case_courant(&p, 0.9);
                    check_mode(&p, &wave_ways[w], m, 13);
                }
}

/*
 * 2 / (c sqrt(S (1 / hx^2 + 1 / hz^2))). At 1.001 times it the shortest wave of a plane grows as
 * cosh(n phi) (test_wave_stability.c), so that the limit is neither too low nor too high.
 */
static void the_limit_is_that_of_two_dimensions(void **state)
{
    (void)state;
    enum { NX = 6, NZ = 8, STEPS = 300 };
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        torre_wave_problem p = plane(NX, NZ, order, pairs[3]);
        p.spacing[0] = 5;
        double limit = 2 / (1500 * sqrt(wave_stencil_norm(order) * (1.0 / 25 + 1.0 / 100)));
        CHECK(fabs(torre_wave_dt_limit(order, p.spacing, 1500) / limit - 1) <
                  16 * wave_eps(TORRE_F64),
              "order %d: limit %g, not %g", order, torre_wave_dt_limit(order, p.spacing, 1500),
              limit);
        p.dt = 1.001 * limit;
        for (int w = 0; w < wave_way_count; w++) {
            wave_sim sim;
            if (!wave_sim_open(&sim, &p, &wave_ways[w])) continue;
            double phi = 2 * asinh(sqrt(1.001 * 1.001 - 1)), u[NX * NZ], v[NX * NZ];
            for (int i = 0; i < NX * NZ; i++) {
                u[i] = (i / NZ + i % NZ) % 2 ? -1 : 1;
                v[i] = -u[i] * cosh(phi);
            }
            wave_sim_set(&sim, u, v);
            wave_sim_advance(&sim, STEPS);
            wave_sim_get(&sim, 0, v);
            for (int i = 0; i < NX * NZ; i++) v[i] = v[i] / cosh(STEPS * phi) - u[i];
            double error = wave_norm(v, NX * NZ) / wave_norm(u, NX * NZ);
            double bound = wave_rounding(&p, STEPS) + 1e-13 * STEPS; /* test_wave_stability.c */
            CHECK(error <= bound, "%s, order %d: off the growth by %g of it, bound %g",
                  wave_ways[w].name, order, error, bound);
            wave_sim_close(&sim);
        }
    }
}

enum { NX = 24, NY = 6, NZ = 31, STEPS = 25 };

/* A problem with everything, as a plane or as a grid in which nothing varies along y: there sources
 * are lines of amplitude hy each cell. */
typedef struct twin {
    torre_wave_problem p;
    torre_array velocity;
    torre_point sources[NY], receiver;
    double wavelet[STEPS], cells[NX * NZ];
} twin;

static void make_twin(twin *t, int order, bool is_plane)
{
    uint64_t seed = 11;
    t->p = wave_case_problem(NX, NY, NZ, order);
    torre_wave_problem *p = &t->p;
    p->spacing[1] = 4;
    p->spacing[2] = 7;
    p->face[0][1] = TORRE_RIGID;
    p->face[1][0] = p->face[1][1] = TORRE_PERIODIC;
    p->face[2][1] = TORRE_ABSORBING;
    p->absorbing_width = 6;
    for (int i = 0; i < NX * NZ; i++) t->cells[i] = 1500 + 400 * wave_random(&seed);
    t->velocity = (torre_array){TORRE_F64, {NX, 1, NZ}, t->cells};
    p->velocity_cells = &t->velocity;
    p->steps = STEPS;
    wave_case_courant(p, 0.9); /* a grid with y has the lower limit */
    const double dt = p->dt;
    for (int i = 0; i < NY; i++)
        t->sources[i] = (torre_point){.position = {53.1, 4 * i, 91.7}, .amplitude = 4e4};
    t->receiver = (torre_point){.position = {140.3, 0, 33.3}, .amplitude = 1};
    for (int i = 0; i < STEPS; i++) t->wavelet[i] = wave_random(&seed);
    p->source_count = NY;
    if (is_plane) {
        wave_case_flatten(p);
        p->dt = dt;
        p->source_count = 1;
        t->sources[0].amplitude = 1e4;
    }
    p->sources = t->sources;
    p->receivers = &t->receiver;
    p->receiver_count = 1;
    p->wavelet = t->wavelet;
}

/* Both are within wave_rounding of the exact field, in the norm weighted by 1 / c^2 (a factor of
 * 1900 / 1100 at most); the norm of the grid is sqrt(NY) times that of the plane. */
static void a_plane_is_a_grid_in_which_nothing_varies(void **state)
{
    (void)state;
    const wave_way stepwise = {.name = "stepwise", .plan = {.engine = TORRE_STEPWISE}};
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int w = 0; w < wave_way_count; w++) {
            static double level[2][NX * NZ], deep[2][NX * NY * NZ];
            twin flat, grid;
            wave_sim a, b;
            uint64_t seed = 5;
            make_twin(&flat, order, true);
            make_twin(&grid, order, false);
            if (!wave_sim_open(&a, &flat.p, &wave_ways[w])) continue;
            CHECK(wave_sim_open(&b, &grid.p, &stepwise), "stepwise refuses periodic y");
            for (int l = 0; l < 2; l++) {
                wave_random_field(&seed, level[l], NX * NZ);
                for (int i = 0; i < NX * NY * NZ; i++)
                    deep[l][i] = level[l][i / NZ / NY * NZ + i % NZ];
            }
            wave_sim_set(&a, level[0], level[1]);
            wave_sim_set(&b, deep[0], deep[1]);
            wave_sim_advance(&a, STEPS);
            wave_sim_advance(&b, STEPS);
            double bound = 2 * 1900. / 1100 * wave_rounding(&flat.p, STEPS) *
                           (wave_norm(level[0], NX * NZ) + STEPS) * sqrt(NY);
            double trace = wave_sim_trace(&a, 0, STEPS), other = wave_sim_trace(&b, 0, STEPS);
            wave_sim_get(&a, 0, level[0]);
            wave_sim_get(&b, 0, deep[0]);
            for (int i = 0; i < NX * NY * NZ; i++) {
                double difference = deep[0][i] - level[0][i / NZ / NY * NZ + i % NZ];
                CHECK(fabs(difference) <= bound, "%s, order %d, cell %d: differs by %g, bound %g",
                      wave_ways[w].name, order, i, difference, bound);
            }
            CHECK(fabs(trace - other) <= bound && fabs(trace) > 1e-3,
                  "%s, order %d: trace %g, not %g", wave_ways[w].name, order, trace, other);
            wave_sim_close(&a);
            wave_sim_close(&b);
        }
}

/* From rest: u[-1] = u[0] + (c dt)^2 / 2 Lap u[0], without a term along y. */
static void a_plane_starts_at_rest(void **state)
{
    (void)state;
    torre_wave_problem p = plane(13, 11, 6, pairs[0]);
    double u[13 * 11], previous[13 * 11], lap[13 * 11], c_dt = p.velocity * p.dt;
    uint64_t seed = 2;
    wave_random_field(&seed, u, 13 * 11);
    CHECK_OK(torre_wave_rest_level(&p, u, previous));
    wave_laplacian(&p, u, lap);
    for (int i = 0; i < 13 * 11; i++)
        CHECK(fabs(previous[i] - u[i] - c_dt * c_dt / 2 * lap[i]) <= wave_rounding(&p, 1),
              "cell %d: %g", i, previous[i]);
}

static void refuse(const torre_wave_problem *p, const char *word)
{
    CHECK(torre_wave_problem_check(p) == TORRE_ERR_USAGE, "%s: taken", word);
    CHECK(strstr(torre_error_text(), word), "'%s' does not say '%s'", torre_error_text(), word);
}

static void what_is_no_plane_is_refused(void **state)
{
    (void)state;
    torre_wave_problem p = plane(9, 8, 4, pairs[0]);
    CHECK_OK(torre_wave_problem_check(&p));
    CHECK(torre_wave_dimensions(&p) == 2, "%d dimensions", torre_wave_dimensions(&p));
    torre_point source = {.position = {10, 1, 10}, .amplitude = 1};
    double wavelet[1] = {1};
    p.size[1] = 2;
    refuse(&p, "size along y must be 1");
    p.size[1] = 1;
    p.face[1][1] = TORRE_RIGID;
    refuse(&p, "y faces must be left free");
    p.face[1][1] = TORRE_FREE;
    p.sources = &source;
    p.source_count = 1;
    p.steps = 1;
    p.wavelet = wavelet;
    refuse(&p, "source 0: y = 1 m lies outside the grid (0 to 0 m)");
    source.position[1] = 0;
    CHECK_OK(torre_wave_problem_check(&p));
    p.spacing[0] = INFINITY;
    refuse(&p, "spacing along x");

    torre_wave_setup *setup;
    torre_wave_info info;
    const torre_wave_plan wish = {.engine = TORRE_STEPWISE, .axes = "yxz"};
    p.spacing[0] = 10;
    CHECK_OK(torre_wave_setup_new(&p, &setup));
    CHECK(wave_plan(setup, &wish, &info) == TORRE_ERR_USAGE, "axes yxz are taken");
    torre_wave_setup_free(setup);
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_have_the_frequency_of_two_dimensions),
        cmocka_unit_test(the_limit_is_that_of_two_dimensions),
        cmocka_unit_test(a_plane_is_a_grid_in_which_nothing_varies),
        cmocka_unit_test(a_plane_starts_at_rest),
        cmocka_unit_test(what_is_no_plane_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
