/*
 * Runs that stream through less memory than their fields take (src/wave/ring.h) against runs in
 * memory: the same bits of both levels, samples and norms, with every order, precision, kind of
 * face, order of axes, velocities, densities, layers, sources and receivers, whatever the windows
 * and passes, and with everything that may happen between passes. Fields begin as noise. What is in
 * memory is computed one step at a time.
 */
#include "wave/ring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/box.h"
#include "wave/driver.h"
#include "wave/initial.h"
#include "wave/part.h"
#include "wave_random_case.h"

/* A solver and its setup, with noise in its fields. */
typedef struct sim {
    torre_wave_setup *setup;
    torre_wave_solver *solver;
    char *samples;
    int64_t n;
} sim;

static size_t field_bytes(const torre_wave_problem *p)
{
    return (size_t)torre_wave_cells(p) * (size_t)p->precision;
}

static void set_noise(const sim *s)
{
    const torre_region region = torre_wave_region(s->setup);
    const torre_wave_problem *p = s->setup->problem;
    void *u[2];
    for (int l = 0; l < 2; l++) {
        u[l] = wave_alloc(1, field_bytes(p));
        torre_wave_noise(&region, p->precision, (uint64_t)(l + 1), u[l]);
    }
    CHECK_OK(torre_wave_set_fields(wave_backend, s->solver, s->setup, u[0], u[1]));
    free(u[0]);
    free(u[1]);
}

static sim make_sim(const wave_random_case *c, const torre_wave_plan *plan, torre_wave_info *info)
{
    sim s = {.n = 0};
    torre_wave_program *program;
    CHECK_OK(torre_wave_problem_check(&c->problem));
    CHECK_OK(torre_wave_setup_new(&c->problem, &s.setup));
    CHECK(wave_backend->plan(s.setup, plan, &program) == TORRE_OK, "%s: %s", c->text,
          torre_error_text());
    *info = *torre_wave_program_info(program);
    CHECK_OK(wave_backend->create(program, &s.solver));
    s.samples = wave_alloc(c->problem.steps * s.setup->sample_columns + 1, 8);
    set_noise(&s);
    return s;
}

static void free_sim(sim *s)
{
    wave_backend->destroy(s->solver);
    torre_wave_setup_free(s->setup);
    free(s->samples);
}

static void advance(sim *s, int64_t steps)
{
    const int64_t row = s->setup->sample_columns * (int64_t)s->setup->problem->precision;
    CHECK_OK(wave_backend->advance(s->solver, steps, s->samples + s->n * row));
    s->n += steps;
}

/* A box of either level, of two solvers. */
static void compare_box(const wave_random_case *c, const sim *a, const sim *b, int level,
                        const torre_box *box)
{
    int64_t stride[3], cells = 1;
    torre_box_strides(box, stride);
    for (int axis = 0; axis < 3; axis++) cells *= box->high[axis] - box->low[axis];
    const size_t bytes = (size_t)cells * (size_t)c->problem.precision;
    void *u = wave_alloc(1, bytes), *v = wave_alloc(1, bytes);
    CHECK_OK(wave_backend->read_box(a->solver, level, box, stride, u));
    CHECK_OK(wave_backend->read_box(b->solver, level, box, stride, v));
    for (int64_t i = 0; i < cells; i++)
        CHECK(torre_value(c->problem.precision, u, i) == torre_value(c->problem.precision, v, i),
              "%s: step %d, level %d, value %lld of a box: %.17g, not %.17g", c->text, (int)a->n,
              level, (long long)i, torre_value(c->problem.precision, v, i),
              torre_value(c->problem.precision, u, i));
    free(u);
    free(v);
}

/* What layers remember, of two solvers; or what a has goes to b, which has forgotten it. */
static void pass_layers(const wave_random_case *c, const sim *a, const sim *b, bool write)
{
    const torre_wave_problem *p = &c->problem;
    torre_layer_slice slice;
    if (write && torre_layer_slice_get(p, 0, &slice))
        CHECK_OK(wave_backend->write_layer(b->solver, NULL, NULL, NULL));
    for (int64_t i = 0; torre_layer_slice_get(p, i, &slice); i++) {
        torre_box box = torre_box_all(p->size);
        int64_t stride[3];
        box.high[slice.axis] = 1;
        torre_box_strides(&box, stride);
        const size_t bytes = (size_t)(box.high[0] * stride[0]) * (size_t)p->precision;
        void *u = wave_alloc(1, bytes), *v = wave_alloc(1, bytes);
        CHECK_OK(wave_backend->read_layer(a->solver, &slice, stride, u));
        if (write) CHECK_OK(wave_backend->write_layer(b->solver, &slice, stride, u));
        CHECK_OK(wave_backend->read_layer(b->solver, &slice, stride, v));
        CHECK(memcmp(u, v, bytes) == 0, "%s: step %d, another layer, axis %d, side %d, j %d, i %d",
              c->text, (int)a->n, slice.axis, slice.side, slice.j, slice.i);
        free(u);
        free(v);
    }
}

/* Whether there is more than zeros. */
static bool compare(const wave_random_case *c, const sim *whole, const sim *windows)
{
    const torre_box all = torre_box_all(c->problem.size);
    torre_wave_norms a, b;
    for (int level = -1; level <= 0; level++) compare_box(c, whole, windows, level, &all);
    pass_layers(c, whole, windows, false);
    CHECK_OK(wave_backend->norms(whole->solver, &a));
    CHECK_OK(wave_backend->norms(windows->solver, &b));
    CHECK(a.max_abs == b.max_abs && a.l2 == b.l2 && b.finite,
          "%s: norms %.17g, %.17g, not %.17g, %.17g", c->text, b.max_abs, b.l2, a.max_abs, a.l2);
    const int64_t row = whole->setup->sample_columns * (int64_t)c->problem.precision;
    CHECK(memcmp(whole->samples, windows->samples, (size_t)(whole->n * row)) == 0,
          "%s: other samples", c->text);
    return a.max_abs > 0;
}

static torre_box random_box(uint64_t *state, const torre_wave_problem *p)
{
    torre_box box;
    for (int a = 0; a < 3; a++) {
        const bool all = wave_pick(state, 0, 2) == 0;
        box.low[a] = all ? 0 : wave_pick(state, 0, p->size[a] - 1);
        box.high[a] = all ? p->size[a] : wave_pick(state, box.low[a] + 1, p->size[a]);
    }
    return box;
}

/* New values of a box, or zeros, in both. */
static void write_same(uint64_t *state, const wave_random_case *c, const sim *a, const sim *b)
{
    const torre_box box = random_box(state, &c->problem);
    int64_t stride[3];
    torre_box_strides(&box, stride);
    const int64_t cells = stride[0] * (box.high[0] - box.low[0]);
    void *values = wave_alloc(cells, (size_t)c->problem.precision);
    for (int64_t i = 0; i < cells; i++)
        torre_value_set(c->problem.precision, values, i, wave_random(state));
    const void *what = wave_pick(state, 0, 3) ? values : NULL;
    const int level = (int)wave_pick(state, -1, 0);
    CHECK_OK(wave_backend->write_box(a->solver, level, &box, stride, what));
    CHECK_OK(wave_backend->write_box(b->solver, level, &box, stride, what));
    free(values);
}

/* Something that may happen between two advances. */
static void interfere(uint64_t *state, const wave_random_case *c, sim *a, sim *b)
{
    const torre_box box = random_box(state, &c->problem);
    const int64_t n = a->n > 0 ? a->n - 1 : a->n;
    torre_wave_norms norms;
    switch (wave_pick(state, 0, 5)) {
    case 0:
        compare_box(c, a, b, (int)wave_pick(state, -1, 0), &box);
        break;
    case 1:
        write_same(state, c, a, b);
        break;
    case 2: /* go back by a step, say: the levels change arrays */
        CHECK_OK(wave_backend->set_step(a->solver, n));
        CHECK_OK(wave_backend->set_step(b->solver, n));
        a->n = b->n = n;
        break;
    case 3:
        CHECK_OK(wave_backend->norms(b->solver, &norms));
        break;
    case 4:
        pass_layers(c, a, b, wave_pick(state, 0, 1));
        break;
    default:
        break;
    }
}

/* The least memory that the plan takes, by bisection; the run in memory takes `most`. */
static int64_t least_memory(const torre_wave_setup *setup, torre_wave_plan plan, int64_t most)
{
    int64_t low = 1, high = most; /* too little, and enough */
    torre_wave_info info;
    while (high - low > 1) {
        plan.memory = low + (high - low) / 2;
        if (wave_plan(setup, &plan, &info) == TORRE_OK)
            high = plan.memory;
        else
            low = plan.memory;
    }
    return high;
}

/* How many windows; 0 where there is none that is smaller than the grid, or all became zero. */
static int64_t check_case(uint64_t *state, wave_random_case *c)
{
    torre_wave_plan in_memory = c->plan;
    torre_wave_info info, streams;
    in_memory.memory = 0;
    in_memory.scratch = NULL;
    torre_wave_setup *setup;
    CHECK_OK(torre_wave_setup_new(&c->problem, &setup));
    CHECK_OK(wave_plan(setup, &in_memory, &info));
    const int64_t least = least_memory(setup, c->plan, info.memory_bytes);
    torre_wave_setup_free(setup);
    if (least >= info.memory_bytes - 1) return 0;
    c->plan.memory =
        wave_pick(state, 0, 1) ? least : wave_pick(state, least, info.memory_bytes - 1);
    in_memory.engine = TORRE_STEPWISE;
    sim whole = make_sim(c, &in_memory, &info), windows = make_sim(c, &c->plan, &streams);
    CHECK(streams.windows >= 2 && streams.memory_bytes <= c->plan.memory &&
              streams.scratch_bytes >= 2 * (int64_t)field_bytes(&c->problem),
          "%s: %d windows, %lld bytes", c->text, (int)streams.windows,
          (long long)streams.memory_bytes);
    while (whole.n < c->problem.steps) {
        int64_t steps = wave_pick(state, 1, 2 * streams.plan.tower_height + 1);
        if (steps > c->problem.steps - whole.n) steps = c->problem.steps - whole.n;
        advance(&whole, steps);
        advance(&windows, steps);
        interfere(state, c, &whole, &windows);
    }
    const bool loud = compare(c, &whole, &windows);
    CHECK(windows.solver->streamed > 0, "%s: nothing streamed", c->text);
    free_sim(&whole);
    free_sim(&windows);
    return loud ? streams.windows : 0;
}

static void streaming_gives_the_bits_of_memory(void **unused)
{
    (void)unused;
    uint64_t state = 24;
    int64_t taken = 0, many = 0, kinds[3] = {0};
    for (int order = 2; order <= 2 * TORRE_MAX_HALF_WIDTH; order += 2)
        for (int i = 0; i < 24; i++) {
            wave_random_case c;
            wave_random_case_make(&state, order, &c);
            c.plan.memory = 1;
            c.plan.scratch = ".";
            const int64_t windows = check_case(&state, &c);
            wave_random_case_free(&c);
            taken += windows > 0;
            many += windows > 3;
            if (wave_random_case_absorbs(&c)) kinds[c.problem.absorbing] += windows > 0;
        }
    CHECK(kinds[TORRE_SPONGE] > 15 && kinds[TORRE_PML] > 30 && kinds[TORRE_CPML] > 10,
          "%d runs stream with sponges, %d with pml, %d with cpml", (int)kinds[TORRE_SPONGE],
          (int)kinds[TORRE_PML], (int)kinds[TORRE_CPML]);
    CHECK(taken > 120 && many > 40, "%d runs stream, %d through more than three windows",
          (int)taken, (int)many);
}

/* A problem that streams. */
static wave_random_case plain_case(void)
{
    wave_random_case c = {.problem = wave_case_problem(90, 20, 24, 4)};
    c.plan = (torre_wave_plan){.dts = 2, .threads = 2, .memory = 2700000, .scratch = "."};
    for (int n = 0; n < WAVE_STEPS; n++) c.wavelet[n] = 1e8 * sin(n);
    c.source[0] = (torre_point){.position = {450, 80, 70}, .amplitude = 1};
    c.receiver[0] = (torre_point){.position = {433, 91, 33}, .amplitude = 1};
    c.problem.steps = WAVE_STEPS;
    c.problem.source_count = c.problem.receiver_count = 1;
    return c;
}

/* The problem, which points into the case. */
static const torre_wave_problem *problem_of(wave_random_case *c)
{
    c->problem.sources = c->source;
    c->problem.receivers = c->receiver;
    c->problem.wavelet = c->wavelet;
    return &c->problem;
}

/* A run begun anew, with another source, has the bits of a run of its own. */
static void begin_anew(wave_random_case c)
{
    wave_random_case d = c;
    torre_wave_run *run, *alone;
    torre_wave_setup *setup;
    torre_wave_plan in_memory = {.dts = 2, .threads = 1};
    d.source[0].position[0] = 700;
    CHECK_OK(torre_wave_run_new(problem_of(&c), wave_backend->name, &c.plan, &run));
    CHECK_OK(torre_wave_run_start(run, NULL, NULL));
    CHECK_OK(torre_wave_run_advance(run, 17, NULL));
    CHECK(torre_wave_run_info(run)->windows > 1 && torre_wave_run_streamed(run) > 0,
          "the run streams");
    CHECK_OK(torre_wave_setup_new(problem_of(&d), &setup));
    CHECK_OK(torre_wave_run_restart(run, setup, false));
    CHECK_OK(torre_wave_run_advance(run, 33, NULL));
    CHECK_OK(torre_wave_run_new(&d.problem, wave_backend->name, &in_memory, &alone));
    CHECK_OK(torre_wave_run_start(alone, NULL, NULL));
    CHECK_OK(torre_wave_run_advance(alone, 33, NULL));
    const size_t bytes = field_bytes(&c.problem);
    void *u = wave_alloc(1, bytes), *v = wave_alloc(1, bytes);
    for (int level = -1; level <= 0; level++) {
        CHECK_OK(torre_wave_run_field(run, level, u));
        CHECK_OK(torre_wave_run_field(alone, level, v));
        CHECK(memcmp(u, v, bytes) == 0, "another field, level %d", level);
    }
    CHECK(memcmp(torre_wave_run_traces(run)->data, torre_wave_run_traces(alone)->data,
                 WAVE_STEPS * sizeof(double)) == 0,
          "other traces");
    free(u);
    free(v);
    torre_wave_run_free(run);
    torre_wave_run_free(alone);
}

static void runs_begin_anew(void **unused)
{
    (void)unused;
    wave_random_case c = plain_case();
    begin_anew(c);
    for (int f = 0; f < 6; f++) c.problem.face[f / 2][f % 2] = TORRE_ABSORBING;
    c.problem.absorbing_width = 2;
    wave_case_pml(&c.problem);
    c.plan.memory = 4000000;
    begin_anew(c);
}

/* A value that is no number is found where it is. */
static void bad_numbers_are_found(void **unused)
{
    (void)unused;
    wave_random_case c = plain_case();
    torre_wave_info info;
    torre_wave_norms norms;
    problem_of(&c);
    sim s = make_sim(&c, &c.plan, &info);
    const double bad = NAN;
    const torre_box box = {{61, 7, 5}, {62, 8, 6}};
    int64_t stride[3];
    torre_box_strides(&box, stride);
    CHECK_OK(wave_backend->write_box(s.solver, 0, &box, stride, &bad));
    CHECK_OK(wave_backend->norms(s.solver, &norms));
    CHECK(!norms.finite && norms.first_bad[0] == 61 && norms.first_bad[1] == 7 &&
              norms.first_bad[2] == 5,
          "cell (%d, %d, %d)", (int)norms.first_bad[0], (int)norms.first_bad[1],
          (int)norms.first_bad[2]);
    free_sim(&s);
}

static void refused(torre_status status, torre_status wanted, const char *says)
{
    CHECK(status == wanted && strstr(torre_error_text(), says), "status %d: %s", (int)status,
          status ? torre_error_text() : "");
}

static void what_cannot_stream_is_refused(void **unused)
{
    (void)unused;
    wave_random_case c = plain_case();
    torre_wave_run *run;
    const char *name = wave_backend->name;
    problem_of(&c);
    c.plan.scratch = NULL;
    refused(torre_wave_run_new(&c.problem, name, &c.plan, &run), TORRE_ERR_USAGE, "scratch DIR");
    c.plan.memory = 0;
    c.plan.scratch = ".";
    refused(torre_wave_run_new(&c.problem, name, &c.plan, &run), TORRE_ERR_USAGE,
            "scratch belongs to memory");
    c.plan.memory = -1;
    refused(torre_wave_run_new(&c.problem, name, &c.plan, &run), TORRE_ERR_USAGE, "memory must be");
    c.plan.memory = 100000;
    refused(torre_wave_run_new(&c.problem, name, &c.plan, &run), TORRE_ERR_USAGE, "at least");
    c.plan.memory = 2700000;
    c.plan.tower_height = 60;
    refused(torre_wave_run_new(&c.problem, name, &c.plan, &run), TORRE_ERR_USAGE, "planes");
    c.plan.tower_height = 0;
    c.plan.dts = 0;
    c.plan.engine = TORRE_STEPWISE;
    refused(torre_wave_run_new(&c.problem, name, &c.plan, &run), TORRE_ERR_USAGE,
            "only engine torre");
    c.plan.engine = TORRE_AUTO;
    c.problem.face[0][0] = c.problem.face[0][1] = TORRE_PERIODIC;
    refused(torre_wave_run_new(&c.problem, name, &c.plan, &run), TORRE_ERR_USAGE, "periodic");
    c = plain_case();
    problem_of(&c);
    c.plan.scratch = "no/such/directory";
    CHECK_OK(torre_wave_run_new(&c.problem, name, &c.plan, &run));
    refused(torre_wave_run_start(run, NULL, NULL), TORRE_ERR_INPUT, "no/such/directory");
    torre_wave_run_free(run);
}

int main(int argc, char **argv)
{
    (void)argc;
    wave_case_init(1, argv); /* whatever is asked for, the cpu backend */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streaming_gives_the_bits_of_memory),
        cmocka_unit_test(runs_begin_anew),
        cmocka_unit_test(bad_numbers_are_found),
        cmocka_unit_test(what_cannot_stream_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
