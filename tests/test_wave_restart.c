/* A solver that begins anew with another problem: the bits of a solver of its own, with every
 * engine, in fields and traces, on grids as they are, turned and in two dimensions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/driver.h"
#include "wave_case.h"

enum { STEPS = 23, PROBLEMS = 4 };

/* A wavelet, velocities of two models and points of two shots, for grids of up to 4000 cells. */
typedef struct material {
    double wavelet[2][STEPS];
    float cells[2][4000];
    torre_array velocity[2];
    torre_point source[2], receivers[2][3];
} material;

static void make_material(const torre_wave_problem *p, material *m)
{
    uint64_t seed = 7;
    for (int k = 0; k < 2; k++) {
        for (int n = 0; n < STEPS; n++) m->wavelet[k][n] = wave_random(&seed);
        for (int i = 0; i < 4000; i++) m->cells[k][i] = (float)(1250 + 250 * wave_random(&seed));
        m->velocity[k] =
            (torre_array){TORRE_F32, {p->size[0], p->size[1], p->size[2]}, m->cells[k]};
        for (int a = 0; a < 3; a++) {
            const double end = isinf(p->spacing[a]) ? 0 : (double)(p->size[a] - 1) * p->spacing[a];
            m->source[k].position[a] = end * (k ? 0.31 : 0.6);
            for (int r = 0; r < 3; r++)
                m->receivers[k][r].position[a] = end * (0.2 + 0.17 * r + 0.1 * k);
        }
        m->source[k].amplitude = 1 + k;
    }
}

/* Shot k, recorded by 3 - k receivers, in model `model` or, -1, in a constant one. */
static torre_wave_problem shot(const torre_wave_problem *grid, material *m, int k, int model)
{
    torre_wave_problem p = *grid;
    p.steps = STEPS;
    p.sources = &m->source[k];
    p.source_count = 1;
    p.wavelet = m->wavelet[k];
    p.receivers = m->receivers[k];
    p.receiver_count = 3 - k;
    p.velocity_cells = model < 0 ? NULL : &m->velocity[model];
    p.density_cells = model < 0 || p.order == 2 ? NULL : &m->velocity[1 - model]; /* any numbers */
    return p;
}

static void same_results(torre_wave_run *again, torre_wave_run *alone, const char *name)
{
    const torre_array *t = torre_wave_run_traces(again), *u = torre_wave_run_traces(alone);
    const torre_wave_problem *p = torre_wave_run_problem(alone);
    const size_t bytes = (size_t)(p->size[0] * p->size[1] * p->size[2]) * (size_t)p->precision;
    void *field[2] = {wave_alloc((int64_t)bytes, 1), wave_alloc((int64_t)bytes, 1)};
    CHECK(t->shape[0] == u->shape[0] && t->shape[1] == STEPS + 1, "%s: shape of traces", name);
    CHECK(memcmp(t->data, u->data, (size_t)(t->shape[0] * t->shape[1]) * (size_t)p->precision) == 0,
          "%s: other traces than of a solver of its own", name);
    CHECK(torre_wave_run_norms(alone)->max_abs > 0, "%s: nothing happens", name);
    for (int level = -1; level <= 0; level++) {
        CHECK_OK(torre_wave_run_field(again, level, field[0]));
        CHECK_OK(torre_wave_run_field(alone, level, field[1]));
        CHECK(memcmp(field[0], field[1], bytes) == 0, "%s: another field, level %d", name, level);
    }
    free(field[0]);
    free(field[1]);
}

/* False where the way refuses the problem. */
static bool start_alone(const torre_wave_problem *p, const wave_way *way, torre_wave_run **run)
{
    torre_status status = torre_wave_run_new(p, wave_backend->name, &way->plan, run);
    if (status == TORRE_ERR_USAGE) return false;
    CHECK(!status, "%s: %s", way->name, torre_error_text());
    CHECK_OK(torre_wave_run_start(*run, NULL, NULL));
    CHECK_OK(torre_wave_run_advance(*run, STEPS, NULL));
    return true;
}

/* From the first problem on to each of the others and back, always compared with a run alone. */
static int check_way(const torre_wave_problem p[PROBLEMS], const bool new_medium[PROBLEMS],
                     const wave_way *way)
{
    torre_wave_run *run, *alone;
    if (!start_alone(&p[0], way, &run)) return 0;
    for (int i = 1; i <= PROBLEMS; i++) {
        const int k = i % PROBLEMS;
        torre_wave_setup *setup;
        CHECK_OK(torre_wave_setup_new(&p[k], &setup));
        CHECK_OK(torre_wave_run_restart(run, setup, new_medium[k]));
        CHECK(torre_wave_run_step(run) == 0, "step after restart");
        CHECK_OK(torre_wave_run_advance(run, STEPS, NULL));
        CHECK(start_alone(&p[k], way, &alone), "%s refuses now", way->name);
        same_results(run, alone, way->name);
        torre_wave_run_free(alone);
    }
    torre_wave_run_free(run);
    return 1;
}

static void check_grid(const torre_wave_problem *grid)
{
    static material m;
    int taken = 0;
    make_material(grid, &m);
    const torre_wave_problem constant[PROBLEMS] = {shot(grid, &m, 0, -1), shot(grid, &m, 1, -1),
                                                   shot(grid, &m, 0, -1), shot(grid, &m, 1, -1)};
    const torre_wave_problem varied[PROBLEMS] = {shot(grid, &m, 0, 0), shot(grid, &m, 1, 0),
                                                 shot(grid, &m, 1, 1), shot(grid, &m, 0, 1)};
    const bool same[PROBLEMS] = {false}, changes[PROBLEMS] = {true, false, true, false};
    for (int w = 0; w < wave_way_count; w++) {
        taken += check_way(constant, same, &wave_ways[w]);
        taken += check_way(varied, changes, &wave_ways[w]);
    }
    CHECK(taken > 2, "only %d ways took the problem", taken);
}

static void boxes(void **state)
{
    (void)state;
    torre_wave_problem p = wave_case_problem(19, 14, 15, 4);
    check_grid(&p);
    p.precision = TORRE_F32;
    p.face[0][0] = p.face[1][1] = p.face[2][1] = TORRE_ABSORBING;
    p.absorbing_width = 4;
    check_grid(&p);
    p.absorbing = TORRE_PML;
    check_grid(&p);
    p = wave_case_problem(14, 15, 18, 2);
    p.face[2][0] = p.face[2][1] = TORRE_PERIODIC;
    check_grid(&p);
}

static void planes(void **state)
{
    (void)state;
    torre_wave_problem p = wave_case_problem(60, 1, 41, 8);
    wave_case_flatten(&p);
    check_grid(&p);
}

static void turned(void **state)
{
    (void)state;
    torre_wave_problem p = wave_case_problem(60, 11, 6, 4);
    wave_way ways[16];
    const int count = wave_way_count;
    memcpy(ways, wave_ways, sizeof ways);
    for (int w = 0; w < count; w++) strcpy(wave_ways[w].plan.axes, "yzx");
    check_grid(&p);
    memcpy(wave_ways, ways, sizeof ways);
}

/* Another grid takes another solver, which is made in its place. */
static void another_grid(void **state)
{
    (void)state;
    static material m;
    torre_wave_problem small = wave_case_problem(12, 13, 14, 4),
                       large = wave_case_problem(19, 14, 15, 4);
    make_material(&small, &m);
    const torre_wave_problem p[PROBLEMS] = {shot(&small, &m, 0, -1), shot(&large, &m, 1, -1),
                                            shot(&large, &m, 0, -1), shot(&small, &m, 1, -1)};
    const bool same[PROBLEMS] = {false};
    for (int w = 0; w < wave_way_count; w++) check_way(p, same, &wave_ways[w]);
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),
        cmocka_unit_test(planes),
        cmocka_unit_test(turned),
        cmocka_unit_test(another_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
