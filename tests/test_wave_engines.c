/*
 * The engines of the cpu backend against each other, on random problems: stepwise within the
 * rounding bound of the reference (wave_case.h), torre equal to stepwise bit for bit.
 *
 * The bound of wave_case.h holds for orthogonal modes. With a velocity that varies, modes are
 * orthogonal with weight c^-2, which costs a factor c_max / c_min in the Euclidean norm; damping
 * shrinks errors. Sources add numbers below the largest |u|, one rounding more.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tiling/diamond.h"
#include "wave/cpu/cpu_solver.h"
#include "wave/pml.h"
#include "wave_case.h"

enum { STEPS_MAX = 40, POINTS_MAX = 3 };

typedef struct random_case {
    torre_wave_problem problem;
    torre_array velocity, density;
    torre_point source[POINTS_MAX], receiver[POINTS_MAX];
    double wavelet[STEPS_MAX];
    double *now, *previous; /* NULL: zero */
    int64_t first;          /* steps of the first of two advances */
    double contrast;        /* c_max / c_min, and what density adds to rounding */
} random_case;

/* A run's outcome: u[n], u[n-1], samples. */
typedef struct outcome {
    double *u[2], *samples;
    int64_t cells, sample_count;
    double largest; /* Euclidean norm over all levels; reference only */
} outcome;

static int64_t pick(uint64_t *state, int64_t low, int64_t high)
{
    double r = 0.5 * (wave_random(state) + 1);
    int64_t i = low + (int64_t)(r * (double)(high - low + 1));
    return i > high ? high : i;
}

static void random_faces(uint64_t *state, torre_wave_problem *p)
{
    for (int a = 0; a < 3; a++) {
        p->face[a][0] = (torre_face)pick(state, 0, 2);
        p->face[a][1] = (torre_face)pick(state, 0, 2);
        if (pick(state, 0, 4) == 0) p->face[a][0] = p->face[a][1] = TORRE_PERIODIC;
    }
}

static void random_points(uint64_t *state, const torre_wave_problem *p, torre_point *point,
                          int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        for (int a = 0; a < 3; a++) {
            double top = (double)(p->size[a] - 1);
            double x = 0.5 * (wave_random(state) + 1) * top;
            if (pick(state, 0, 1)) x = (double)(int64_t)x; /* on the grid */
            point[i].position[a] = x * p->spacing[a];
        }
        point[i].amplitude = 1e3 * wave_random(state);
    }
}

static double *random_field(uint64_t *state, int64_t cells)
{
    double *u = wave_alloc(cells, sizeof *u);
    wave_random_field(state, u, cells);
    return u;
}

static void random_velocity(uint64_t *state, random_case *c)
{
    torre_wave_problem *p = &c->problem;
    torre_array *v = &c->velocity;
    c->contrast = 1;
    if (pick(state, 0, 2) == 0) return;
    v->precision = pick(state, 0, 1) ? TORRE_F32 : TORRE_F64;
    memcpy(v->shape, p->size, sizeof v->shape);
    if (pick(state, 0, 1)) v->shape[1] = 1;
    int64_t n = v->shape[0] * v->shape[1] * v->shape[2];
    v->data = wave_alloc(n, (size_t)v->precision);
    for (int64_t i = 0; i < n; i++) {
        double value = 1500 + 500 * wave_random(state);
        if (v->precision == TORRE_F32)
            ((float *)v->data)[i] = (float)value;
        else
            ((double *)v->data)[i] = value;
    }
    p->velocity_cells = v;
    double low, high;
    torre_wave_velocity_range(p, &low, &high);
    c->contrast = high / low;
}

/* In one of three cases; with a state of its own, so that the others are what they were. */
static void random_density(const uint64_t *state, random_case *c)
{
    uint64_t own = *state + 1;
    if (wave_random(&own) > -0.3) return;
    c->density = wave_random_cells(&own, &c->problem, 1750, 750);
    c->problem.density_cells = &c->density;
    if (torre_pml_check(&c->problem)) { /* layers too close for it */
        c->problem.density_cells = NULL;
        return;
    }
    c->contrast *= 1.7; /* wave_case.h */
}

static void random_case_make(uint64_t *state, const int64_t size[3], int order, random_case *c)
{
    memset(c, 0, sizeof *c);
    torre_wave_problem *p = &c->problem;
    *p = wave_case_problem(size[0], size[1], size[2], order);
    p->precision = pick(state, 0, 1) ? TORRE_F32 : TORRE_F64;
    if (pick(state, 0, 1)) p->spacing[pick(state, 0, 2)] = 7;
    p->absorbing_width = (int)pick(state, 1, 12);
    p->steps = pick(state, 1, STEPS_MAX);
    c->first = pick(state, 0, p->steps);
    random_faces(state, p);
    if (pick(state, 0, 1)) wave_case_pml(p);
    random_velocity(state, c);
    random_density(state, c);
    wave_case_courant(p, 0.9);
    for (int n = 0; n < STEPS_MAX; n++) c->wavelet[n] = 1e8 * wave_random(state);
    p->wavelet = c->wavelet;
    p->source_count = pick(state, 0, POINTS_MAX);
    p->receiver_count = pick(state, 0, POINTS_MAX);
    p->sources = c->source;
    p->receivers = c->receiver;
    random_points(state, p, c->source, p->source_count);
    random_points(state, p, c->receiver, p->receiver_count);
    int64_t cells = size[0] * size[1] * size[2];
    if (pick(state, 0, 3)) c->now = random_field(state, cells);
    if (pick(state, 0, 3)) c->previous = random_field(state, cells);
}

static void random_case_free(random_case *c)
{
    free(c->velocity.data);
    free(c->density.data);
    free(c->now);
    free(c->previous);
}

/* Changes to the blocking of a solver before it runs; 0 leaves what the library chose. */
typedef struct blocking {
    int64_t rows, depth, window;
} blocking;

/* As far as layers across z allow it. */
static void set_blocking(torre_wave_solver *solver, const torre_wave_problem *p, const blocking *b)
{
    torre_cpu_shape *shape = &((torre_cpu_solver *)solver)->shape;
    const bool layers = torre_pml_face(p, 2, 0) || torre_pml_face(p, 2, 1);
    if (b->rows) shape->rows = b->rows;
    if (b->depth && torre_cpu_shape_keeps_layers(p, b->depth)) shape->depth = b->depth;
    if (b->window && !layers) shape->window = b->window;
}

static void keep_samples(const wave_sim *sim, int64_t first, int64_t steps, outcome *out)
{
    int64_t nodes = sim->setup->receiver_node_count;
    if (nodes > 0 && steps > 0)
        memcpy(out->samples + first * nodes, sim->samples,
               (size_t)(nodes * steps) * sizeof(double));
}

/* Run a case; false where the engine may refuse it. */
static bool run(const random_case *c, const wave_way *way, const blocking *b, outcome *out)
{
    const torre_wave_problem *p = &c->problem;
    wave_sim sim;
    if (!wave_sim_open(&sim, p, way)) return false;
    if (way->plan.engine != TORRE_REFERENCE) set_blocking(sim.solver, p, b);
    memset(out, 0, sizeof *out);
    out->cells = sim.cells;
    out->sample_count = sim.setup->receiver_node_count * p->steps;
    out->samples = wave_alloc(out->sample_count + 1, sizeof(double));
    for (int l = 0; l < 2; l++) out->u[l] = wave_alloc(sim.cells, sizeof(double));
    wave_sim_set(&sim, c->now, c->previous);
    if (way->plan.engine == TORRE_REFERENCE) {
        for (int64_t n = 0; n < p->steps; n++) {
            for (int l = 0; l < 2; l++) {
                wave_sim_get(&sim, -l, out->u[l]);
                double norm = wave_norm(out->u[l], sim.cells);
                if (norm > out->largest) out->largest = norm;
            }
            wave_sim_advance(&sim, 1);
            keep_samples(&sim, n, 1, out);
        }
    } else {
        wave_sim_advance(&sim, c->first);
        keep_samples(&sim, 0, c->first, out);
        wave_sim_advance(&sim, p->steps - c->first);
        keep_samples(&sim, c->first, p->steps - c->first, out);
    }
    for (int l = 0; l < 2; l++) {
        wave_sim_get(&sim, -l, out->u[l]);
        double norm = wave_norm(out->u[l], sim.cells);
        if (norm > out->largest) out->largest = norm;
    }
    wave_sim_close(&sim);
    return true;
}

static void outcome_free(outcome *o)
{
    free(o->u[0]);
    free(o->u[1]);
    free(o->samples);
}

static void describe(const random_case *c, char *text, size_t size)
{
    const torre_wave_problem *p = &c->problem;
    snprintf(text, size,
             "%lldx%lldx%lld order %d %s, faces %d%d %d%d %d%d, velocity %s%s, %lld + %lld steps, "
             "%lld sources, %lld receivers",
             (long long)p->size[0], (long long)p->size[1], (long long)p->size[2], p->order,
             p->precision == TORRE_F32 ? "f32" : "f64", p->face[0][0], p->face[0][1], p->face[1][0],
             p->face[1][1], p->face[2][0], p->face[2][1],
             !p->velocity_cells                          ? "constant"
             : p->velocity_cells->shape[1] == p->size[1] ? "per cell"
                                                         : "per x and z",
             p->density_cells ? ", density" : "", (long long)c->first,
             (long long)(p->steps - c->first), (long long)p->source_count,
             (long long)p->receiver_count);
}

static wave_way way_of(torre_engine engine, int dts, int64_t height, torre_ordering_kind ordering,
                       int threads)
{
    wave_way way = {.name = "",
                    .plan = {.engine = engine,
                             .dts = dts,
                             .tower_height = height,
                             .ordering = {.kind = ordering},
                             .threads = threads,
                             .axes = "xyz"}}; /* a solver that is turned has no shape */
    snprintf(way.name, sizeof way.name, "%s dts %d height %lld threads %d",
             torre_engine_name(engine), dts, (long long)height, threads);
    return way;
}

static void compare_reference(const random_case *c, const outcome *stepwise, const char *text)
{
    const torre_wave_problem *p = &c->problem;
    wave_way way = way_of(TORRE_REFERENCE, 0, 0, TORRE_ROW_MAJOR, 1);
    outcome reference;
    CHECK(run(c, &way, NULL, &reference), "the reference refuses %s", text);
    double bound = c->contrast * wave_rounding(p, p->steps) * reference.largest;
    for (int l = 0; l < 2; l++) {
        double error = wave_distance(stepwise->u[l], reference.u[l], stepwise->cells);
        CHECK(error <= bound, "%s: stepwise differs from the reference by %g, more than %g", text,
              error, bound);
    }
    for (int64_t i = 0; i < reference.sample_count; i++) {
        double error = stepwise->samples[i] - reference.samples[i];
        CHECK(error <= bound && error >= -bound, "%s: sample %lld differs by %g, more than %g",
              text, (long long)i, error, bound);
    }
    outcome_free(&reference);
}

/* Bits, but for the sign of zeros (which == does not see). */
static void compare_bits(const outcome *a, const outcome *b, const char *what, const char *text)
{
    for (int l = 0; l < 2; l++)
        for (int64_t i = 0; i < a->cells; i++)
            CHECK(a->u[l][i] == b->u[l][i], "%s: %s: u[n-%d] of cell %lld is %.17g, not %.17g",
                  text, what, l, (long long)i, a->u[l][i], b->u[l][i]);
    for (int64_t i = 0; i < a->sample_count; i++)
        CHECK(a->samples[i] == b->samples[i], "%s: %s: sample %lld is %.17g, not %.17g", text, what,
              (long long)i, a->samples[i], b->samples[i]);
}

static void compare_engines(uint64_t *state, const random_case *c, int variants)
{
    static const torre_ordering_kind kinds[] = {TORRE_ROW_MAJOR, TORRE_MORTON, TORRE_HILBERT};
    char text[256];
    describe(c, text, sizeof text);
    const torre_wave_problem *p = &c->problem;
    int64_t block = TORRE_BLOCK_BYTES / p->precision;
    blocking b = {.rows = pick(state, 0, 9), .depth = block * pick(state, 0, 3)};
    wave_way way = way_of(TORRE_STEPWISE, 0, 0, TORRE_ROW_MAJOR, (int)pick(state, 1, 4));
    outcome stepwise;
    CHECK(run(c, &way, &b, &stepwise), "stepwise refuses %s", text);
    compare_reference(c, &stepwise, text);

    for (int v = 0; v < variants; v++) {
        int dts = (int)pick(state, 1, 5);
        if (p->face[1][0] == TORRE_PERIODIC) /* a size that closes on itself, if there is one */
            while (dts > 1 && !torre_tower_grid_can_wrap(p->size[1], p->order / 2, dts)) dts--;
        way = way_of(TORRE_TORRE, dts, pick(state, 1, 24), kinds[pick(state, 0, 2)],
                     (int)pick(state, 1, 4));
        b = (blocking){0};
        if (p->face[2][0] != TORRE_PERIODIC) b.window = block * pick(state, 0, 3);
        outcome torre;
        if (!run(c, &way, &b, &torre)) continue;
        compare_bits(&torre, &stepwise, way.name, text);
        outcome_free(&torre);
    }
    outcome_free(&stepwise);
}

/* Sizes around tiles, blocks and half-widths, random faces and everything else random. */
static void test_random_problems(void **unused)
{
    (void)unused;
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 23, 31, 32, 33};
    uint64_t state = 20160821;
    for (int i = 0; i < 160; i++) {
        int64_t size[3];
        for (int a = 0; a < 3; a++) size[a] = sizes[pick(&state, 0, 13)];
        random_case c;
        random_case_make(&state, size, 2 * (int)pick(&state, 1, TORRE_MAX_HALF_WIDTH), &c);
        compare_engines(&state, &c, 3);
        random_case_free(&c);
    }
}

/* Larger grids, where threads really run beside each other and columns have several windows. */
static void test_large_problems(void **unused)
{
    (void)unused;
    uint64_t state = 4711;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        for (int i = 0; i < 3; i++) {
            int64_t size[3] = {pick(&state, 60, 90), pick(&state, 60, 90), pick(&state, 60, 150)};
            if (i == 2) size[1] = 48; /* a multiple of 2 D for every order and some dts */
            random_case c;
            random_case_make(&state, size, order, &c);
            compare_engines(&state, &c, 4);
            random_case_free(&c);
        }
    }
}

/* Columns too long for the cache: the library chooses windows, except where z is periodic. */
static void test_long_columns(void **unused)
{
    (void)unused;
    uint64_t state = 99;
    const torre_caches caches = {512 << 10};
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        int64_t size[3] = {24, 20, 5003};
        random_case c;
        random_case_make(&state, size, order, &c);
        torre_wave_problem *p = &c.problem;
        for (int periodic = 0; periodic < 2; periodic++) {
            p->face[2][0] = p->face[2][1] = periodic ? TORRE_PERIODIC : TORRE_FREE;
            torre_cpu_shape shape = torre_cpu_shape_choose(p, caches, 4, 8);
            int64_t block = TORRE_BLOCK_BYTES / p->precision, whole = 5003 / block * block + block;
            CHECK(shape.window % block == 0 && shape.window <= whole, "window %lld of %lld",
                  (long long)shape.window, (long long)whole);
            CHECK(periodic == (shape.window == whole), "order %d, periodic %d: window %lld", order,
                  periodic, (long long)shape.window);
        }
        p->face[2][0] = p->face[2][1] = TORRE_FREE;
        wave_way way = way_of(TORRE_STEPWISE, 0, 0, TORRE_ROW_MAJOR, 2);
        outcome stepwise, torre;
        CHECK(run(&c, &way, &(blocking){0}, &stepwise), "stepwise refuses order %d", order);
        way = way_of(TORRE_TORRE, 16, 40, TORRE_ROW_MAJOR, 2); /* too large for any cache's layer */
        if (run(&c, &way, &(blocking){0}, &torre)) {
            compare_bits(&torre, &stepwise, way.name, "long columns");
            outcome_free(&torre);
        }
        outcome_free(&stepwise);
        random_case_free(&c);
    }
}

/* What an engine cannot do it refuses by name. */
static void test_refusals(void **unused)
{
    (void)unused;
    torre_wave_problem p = wave_case_problem(24, 20, 16, 4);
    torre_wave_setup *setup;
    torre_wave_info info;
    torre_wave_plan plan = {.engine = TORRE_TORRE, .dts = 3};
    p.face[1][0] = p.face[1][1] = TORRE_PERIODIC;
    CHECK_OK(torre_wave_setup_new(&p, &setup));
    CHECK(wave_plan(setup, &plan, &info) == TORRE_ERR_USAGE &&
              strstr(torre_error_text(), "use engine stepwise"),
          "rows of towers that do not close: %s", torre_error_text());
    plan.dts = 5;
    CHECK_OK(wave_plan(setup, &plan, &info));
    plan.dts = 0;
    CHECK_OK(wave_plan(setup, &plan, &info)); /* chooses a size that closes */
    p.face[0][0] = p.face[0][1] = TORRE_PERIODIC;
    CHECK(wave_plan(setup, &plan, &info) == TORRE_ERR_USAGE &&
              strstr(torre_error_text(), "along x"),
          "periodic x: %s", torre_error_text());
    plan.engine = TORRE_STEPWISE;
    CHECK_OK(wave_plan(setup, &plan, &info));
    torre_wave_setup_free(setup);

    p = wave_case_problem(1 << 20, 1 << 12, 1 << 12, 2);
    CHECK_OK(torre_wave_setup_new(&p, &setup));
    torre_wave_program *program;
    torre_wave_solver *solver;
    CHECK_OK(wave_backend->plan(setup, &plan, &program)); /* for any machine */
    const char *lacking = torre_wave_program_info(program)->lacking;
    CHECK(strstr(lacking, "available"), "too large: %s", lacking);
    CHECK(wave_backend->create(program, &solver) == TORRE_ERR_RESOURCE &&
              strstr(torre_error_text(), "available"),
          "too large: %s", torre_error_text());
    torre_wave_program_free(program);
    torre_wave_setup_free(setup);
}

/* Without an engine: towers, and one step at a time where only that can do it. */
static void test_auto(void **unused)
{
    (void)unused;
    torre_wave_problem p = wave_case_problem(24, 20, 16, 4);
    torre_wave_setup *setup;
    torre_wave_info info;
    torre_wave_plan plan = {0};
    CHECK_OK(torre_wave_setup_new(&p, &setup));
    CHECK_OK(wave_plan(setup, &plan, &info));
    CHECK(info.plan.engine == TORRE_TORRE && info.reason == TORRE_NO_REASON && info.plan.dts > 0,
          "%s, reason %d", torre_engine_name(info.plan.engine), (int)info.reason);
    p.face[0][0] = p.face[0][1] = TORRE_PERIODIC;
    torre_wave_program *program;
    CHECK_OK(wave_backend->plan(setup, &plan, &program));
    info = *torre_wave_program_info(program);
    CHECK(info.plan.engine == TORRE_STEPWISE && info.reason == TORRE_TOWERS_REFUSED &&
              info.wish.engine == TORRE_AUTO && strstr(info.why, "along x"),
          "periodic x: %s, reason %d, %s", torre_engine_name(info.plan.engine), (int)info.reason,
          info.why);
    torre_wave_solver *solver;
    CHECK_OK(wave_backend->create(program, &solver));
    CHECK(solver->backend == &torre_wave_stepwise, "another engine than planned");
    wave_backend->destroy(solver);
    plan.tower_height = 8; /* towers are wanted */
    CHECK(wave_plan(setup, &plan, &info) == TORRE_ERR_USAGE, "a tower height is ignored");
    plan = (torre_wave_plan){.dts = 2};
    CHECK(wave_plan(setup, &plan, &info) == TORRE_ERR_USAGE, "a dts is ignored");
    plan = (torre_wave_plan){.threads = -1}; /* what no engine does */
    CHECK(wave_plan(setup, &plan, &info) == TORRE_ERR_USAGE &&
              strstr(torre_error_text(), "along x"),
          "says: %s", torre_error_text());
    torre_wave_setup_free(setup);
    CHECK(strcmp(torre_engine_name(TORRE_AUTO), "auto") == 0, "called otherwise");
}

int main(int argc, char **argv)
{
    (void)argc;
    wave_case_init(1, argv); /* whatever is asked for, the cpu backend */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_problems),
        cmocka_unit_test(test_large_problems),
        cmocka_unit_test(test_long_columns),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_auto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
