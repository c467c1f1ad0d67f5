/*
 * The cpu backend on thin grids, whose axes it turns: which it takes, and what comes out, in fields
 * and at receivers. (The other physics tests run turned solvers on grids of all shapes, too.)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "wave/turn.h"
#include "wave_case.h"

enum { STEPS = 12, RECEIVERS = 5 };

static const char *axes_of(const torre_wave_problem *p, torre_engine engine)
{
    static torre_wave_info info;
    const torre_wave_plan plan = {.engine = engine};
    torre_wave_setup *setup;
    CHECK_OK(torre_wave_setup_new(p, &setup));
    CHECK_OK(wave_plan(setup, &plan, &info));
    torre_wave_setup_free(setup);
    return info.plan.axes;
}

static void choices(void **unused)
{
    (void)unused;
    static const struct {
        int64_t size[3];
        const char *axes;
    } cases[] = {
        {{300, 200, 3}, "yzx"}, {{200, 300, 3}, "xzy"}, {{300, 1, 300}, ""},
        {{1, 300, 300}, ""},    {{20, 20, 3}, ""},      {{200, 200, 64}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int64_t *n = cases[i].size;
        torre_wave_problem p = wave_case_problem(n[0], n[1], n[2], 4);
        const torre_engine engines[] = {TORRE_AUTO, TORRE_TORRE, TORRE_STEPWISE};
        for (int e = 0; e < 3; e++)
            CHECK(strcmp(axes_of(&p, engines[e]), cases[i].axes) == 0, "%dx%dx%d: axes '%s'",
                  (int)n[0], (int)n[1], (int)n[2], axes_of(&p, engines[e]));
        CHECK(axes_of(&p, TORRE_REFERENCE)[0] == '\0', "the reference is turned");
        p.face[1][0] = p.face[1][1] = TORRE_PERIODIC;
        CHECK(axes_of(&p, TORRE_STEPWISE)[0] == '\0', "a periodic axis is turned");
    }
    torre_wave_problem p = wave_case_problem(20000, 1, 8, 4); /* y last, so x and z change places */
    wave_case_flatten(&p);
    CHECK(strcmp(axes_of(&p, TORRE_TORRE), "zyx") == 0, "plane: axes '%s'",
          axes_of(&p, TORRE_TORRE));
    p = wave_case_problem(30, 20, 10, 4);
    torre_wave_setup *setup;
    torre_wave_info info;
    const torre_wave_plan wrong = {.engine = TORRE_TORRE, .axes = "xxy"};
    CHECK_OK(torre_wave_setup_new(&p, &setup));
    CHECK(wave_plan(setup, &wrong, &info) == TORRE_ERR_USAGE, "axes xxy are taken");
    torre_wave_setup_free(setup);
}

/* What turning takes counts: velocities beside what the turned problem takes by itself, and what it
 * takes without them (test_wave_memory counts to the byte). */
static void memory(void **unused)
{
    (void)unused;
    int64_t beside = 0; /* the turned problem, without velocities */
    for (int model = 0; model < 2; model++) {
        torre_wave_problem p = wave_case_problem(40, 30, 20, 4);
        torre_array velocity = {TORRE_F32, {40, 30, 20}, NULL};
        float *cells = velocity.data = wave_alloc(40 * 30 * 20, sizeof *cells);
        for (int i = 0; i < 40 * 30 * 20; i++) cells[i] = 1500;
        if (model) p.velocity_cells = &velocity;
        torre_turned turned;
        torre_wave_info own, its;
        torre_wave_setup *setup;
        torre_wave_plan plan = {.engine = TORRE_TORRE, .threads = 1, .axes = "zxy"};
        CHECK_OK(torre_wave_setup_new(&p, &setup));
        CHECK_OK(wave_plan(setup, &plan, &own));
        torre_turn_problem(&p, plan.axes, &turned);
        strcpy(plan.axes, "xyz");
        CHECK_OK(wave_plan(&turned.setup, &plan, &its));
        const int64_t more = own.memory_bytes - its.memory_bytes;
        CHECK(more == (model ? 40 * 30 * 20 * 4 + beside : more) && more > 0,
              "%lld bytes more than %lld", (long long)more, (long long)its.memory_bytes);
        beside = more;
        torre_wave_setup_free(setup);
        free(cells);
    }
}

/* u[n], u[n-1] and all samples of a way. largest: NULL, or to be raised to the largest norm of any
 * level, which takes one step after the other. */
static double *compute(const torre_wave_problem *p, torre_engine engine, const double *start,
                       double *largest)
{
    wave_sim sim;
    wave_way way = {.plan = {.engine = engine, .threads = 2}};
    strcpy(way.name, torre_engine_name(engine));
    CHECK(wave_sim_open(&sim, p, &way), "%s refuses", way.name);
    const int64_t nodes = sim.setup->receiver_node_count, at_once = largest ? 1 : STEPS;
    double *all = wave_alloc(2 * sim.cells + STEPS * nodes, sizeof *all);
    wave_sim_set(&sim, start, NULL);
    for (int64_t n = 0; n < STEPS; n += at_once) {
        wave_sim_advance(&sim, at_once);
        memcpy(all + 2 * sim.cells + n * nodes, sim.samples,
               (size_t)(at_once * nodes) * sizeof *all);
        for (int level = 0; level < 2; level++) wave_sim_get(&sim, -level, all + level * sim.cells);
        if (largest) *largest = fmax(*largest, wave_norm(all, sim.cells));
    }
    wave_sim_close(&sim);
    return all;
}

/* Layers, mixed faces, sources and receivers off the grid, velocities for each cell or for all y:
 * within the rounding of wave_case.h (times the contrast of velocities) of the reference, stepwise
 * and torre bit for bit. */
static void results(void **unused)
{
    (void)unused;
    double wavelet[STEPS];
    for (int n = 0; n < STEPS; n++) wavelet[n] = 1e7 * (n + 1);
    for (int kind = 0; kind < 6; kind++) {
        const bool wide = kind & 1;
        torre_wave_problem p = wave_case_problem(wide ? 150 : 160, wide ? 170 : 140, 3, 4);
        const int64_t cells = torre_wave_cells(&p);
        torre_point source[2] = {{.position = {333, 444, 11}, .amplitude = 1},
                                 {.position = {1200, 10, 20}, .amplitude = 2}},
                    receiver[RECEIVERS];
        for (int r = 0; r < RECEIVERS; r++)
            receiver[r] = (torre_point){.position = {1490 - 300.3 * r, 77.7 * r + 5, 4.9 * r},
                                        .amplitude = 0};
        p.face[0][1] = p.face[1][0] = TORRE_ABSORBING;
        p.face[2][0] = TORRE_RIGID;
        p.absorbing_width = 9;
        if (kind > 2) p.absorbing = TORRE_PML;
        p.sources = source;
        p.source_count = 2;
        p.receivers = receiver;
        p.receiver_count = RECEIVERS;
        p.wavelet = wavelet;
        p.steps = STEPS;
        torre_array velocity = {TORRE_F64, {p.size[0], kind < 4 ? 1 : p.size[1], p.size[2]}, NULL};
        const int64_t values = velocity.shape[0] * velocity.shape[1] * velocity.shape[2];
        uint64_t state = 7;
        double *v = velocity.data = wave_alloc(values, sizeof *v);
        for (int64_t i = 0; i < values; i++) v[i] = 1200 + 300 * wave_random(&state);
        if (kind > 1) p.velocity_cells = &velocity;
        torre_array density = wave_random_cells(&state, &p, 1750, 750);
        if (kind % 2) p.density_cells = &density;
        if (torre_pml_check(&p)) p.density_cells = NULL;
        double *start = wave_alloc(cells, sizeof *start);
        wave_random_field(&state, start, cells);
        double largest = wave_norm(start, cells);
        double *exact = compute(&p, TORRE_REFERENCE, start, &largest);
        double *towers = compute(&p, TORRE_TORRE, start, NULL);
        double *steps = compute(&p, TORRE_STEPWISE, start, NULL);
        const double error = wave_distance(exact, towers, cells), contrast = 1500. / 900 * 1.7;
        const double bound = contrast * wave_rounding(&p, STEPS) * largest;
        CHECK(error <= bound, "kind %d: differs by %g, bound %g", kind, error, bound);
        CHECK(memcmp(towers, steps, (size_t)(2 * cells) * sizeof *towers) == 0,
              "kind %d: other bits", kind);
        torre_wave_setup *setup;
        CHECK_OK(torre_wave_setup_new(&p, &setup));
        const int64_t nodes = setup->receiver_node_count;
        CHECK(memcmp(towers + 2 * cells, steps + 2 * cells,
                     (size_t)(STEPS * nodes) * sizeof *towers) == 0,
              "kind %d: other samples", kind);
        for (int64_t i = 0; i < nodes; i++) { /* of the last step: the field itself */
            const double sample = towers[2 * cells + (STEPS - 1) * nodes + i];
            CHECK(sample == towers[setup->receiver_nodes[i].cell], "kind %d: node %d has %g", kind,
                  (int)i, sample);
        }
        torre_wave_setup_free(setup);
        free(exact);
        free(towers);
        free(steps);
        free(start);
        free(v);
        free(density.data);
    }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(choices), cmocka_unit_test(memory),
                                       cmocka_unit_test(results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
