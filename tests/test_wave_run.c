/* The driver: start at rest, traces, chunks, frames, stopping, and the watch for bad numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/driver.h"
#include "wave/initial.h"
#include "wave/trial.h"
#include "wave_case.h"

enum { STEPS = 37 };

/* 9 x 7 x 8 cells, two sources, receivers on and between nodes, some damping. */
typedef struct run_case {
    torre_wave_problem p;
    torre_point sources[2], receivers[3];
    double *wavelet;
} run_case;

static void run_case_make(run_case *c, torre_precision precision)
{
    c->p = wave_case_problem(9, 7, 8, 4);
    c->p.precision = precision;
    c->p.steps = STEPS;
    c->p.face[2][1] = TORRE_ABSORBING;
    c->p.absorbing_width = 4;
    c->sources[0] = (torre_point){.position = {30, 20, 40}, .amplitude = 1};
    c->sources[1] = (torre_point){.position = {51, 33, 18}, .amplitude = -2};
    c->receivers[0] = (torre_point){.position = {30, 20, 40}, .amplitude = 1};
    c->receivers[1] = (torre_point){.position = {12.5, 47, 3}, .amplitude = 1};
    c->receivers[2] = (torre_point){.position = {80, 60, 70}, .amplitude = 1}; /* the last corner */
    c->p.sources = c->sources;
    c->p.source_count = 2;
    c->p.receivers = c->receivers;
    c->p.receiver_count = 3;
    CHECK_OK(torre_wavelet_ricker(15, 1e6, c->p.dt, STEPS, &c->wavelet));
    c->p.wavelet = c->wavelet;
}

static double value(const torre_array *a, int64_t i)
{
    return a->precision == TORRE_F32 ? ((float *)a->data)[i] : ((double *)a->data)[i];
}

/* Trilinear interpolation of a dense field, written from its definition. */
static double interpolate(const torre_wave_problem *p, const torre_array *u, const double at[3])
{
    double sum = 0;
    for (int64_t i = 0; i < p->size[0]; i++)
        for (int64_t j = 0; j < p->size[1]; j++)
            for (int64_t k = 0; k < p->size[2]; k++) {
                const int64_t cell[3] = {i, j, k};
                double w = 1;
                for (int a = 0; a < 3; a++)
                    w *= fmax(0, 1 - fabs(at[a] / p->spacing[a] - (double)cell[a]));
                sum += w * value(u, (i * p->size[1] + j) * p->size[2] + k);
            }
    return sum;
}

/* Traces against the field itself, looked at after every step. */
static torre_status compare_frame(void *context, torre_wave_run *run)
{
    const torre_wave_problem *p = run->problem;
    torre_array u = {p->precision, {0}, context};
    CHECK_OK(torre_wave_run_field(run, 0, u.data));
    for (int64_t r = 0; r < p->receiver_count; r++) {
        double expected = interpolate(p, &u, p->receivers[r].position);
        double found = value(&run->traces, r * (p->steps + 1) + run->step);
        /* eight products and their sum in f64, rounded once to the precision of the traces */
        double slack = (wave_eps(p->precision) + 16 * wave_eps(TORRE_F64)) * 10 * fabs(expected);
        CHECK(fabs(found - expected) <= slack + 1e-300, "receiver %d, step %d: %g is not %g",
              (int)r, (int)run->step, found, expected);
    }
    return TORRE_OK;
}

static void test_traces(void **state)
{
    (void)state;
    for (int w = 4; w <= 8; w += 4) {
        run_case c;
        torre_wave_run *run;
        run_case_make(&c, (torre_precision)w);
        int64_t cells = 9 * 7 * 8;
        void *u = wave_alloc(cells, sizeof(double)), *field = wave_alloc(cells, sizeof(double));
        const torre_region all = torre_region_whole(c.p.size);
        torre_wave_noise(&all, c.p.precision, 7, u);
        CHECK_OK(torre_wave_run_new(&c.p, wave_backend->name, &wave_fast_way()->plan, &run));
        CHECK_OK(torre_wave_run_start(run, u, NULL));
        memcpy(field, u, (size_t)cells * sizeof(double));
        torre_array first = {c.p.precision, {0}, u};
        double at_start = interpolate(&c.p, &first, c.receivers[1].position);
        double found = value(&run->traces, STEPS + 1);
        CHECK(fabs(found - at_start) <= 2 * wave_eps(c.p.precision), "sample 0: %g, %g", found,
              at_start);
        torre_wave_watch watch = {.frame_every = {1}, .frame = compare_frame, .context = field};
        CHECK_OK(torre_wave_run_advance(run, STEPS, &watch));
        CHECK(run->step == STEPS && run->norms.finite, "the run did not end well");
        torre_wave_run_free(run);
        free(u);
        free(field);
        free(c.wavelet);
    }
}

/* However the steps are cut into chunks and frames, all results are the same bits. */
static torre_status count_frame(void *context, torre_wave_run *run)
{
    CHECK(run->step % 5 == 0, "frame at step %d", (int)run->step);
    ++*(int *)context;
    return TORRE_OK;
}

static void test_chunks(void **state)
{
    (void)state;
    run_case c;
    run_case_make(&c, TORRE_F64);
    torre_wave_run *whole, *parts;
    int frames = 0;
    torre_wave_watch watch = {.frame_every = {5}, .frame = count_frame, .context = &frames};
    CHECK_OK(torre_wave_run_new(&c.p, wave_backend->name, &wave_fast_way()->plan, &whole));
    CHECK_OK(torre_wave_run_start(whole, NULL, NULL));
    CHECK_OK(torre_wave_run_advance(whole, STEPS, NULL));
    CHECK_OK(torre_wave_run_new(&c.p, wave_backend->name, &wave_fast_way()->plan, &parts));
    CHECK_OK(torre_wave_run_start(parts, NULL, NULL));
    for (int64_t n = 0; n < STEPS; n += 3)
        CHECK_OK(torre_wave_run_advance(parts, n + 3 > STEPS ? STEPS - n : 3, &watch));
    CHECK(frames == STEPS / 5, "%d frames", frames);
    CHECK(memcmp(whole->traces.data, parts->traces.data, 3 * (STEPS + 1) * 8) == 0,
          "traces differ");
    CHECK(whole->norms.max_abs == parts->norms.max_abs && whole->norms.max_abs > 0,
          "fields differ");
    CHECK(torre_wave_run_advance(whole, 1, NULL) == TORRE_ERR_USAGE, "went beyond the last step");
    torre_wave_run_free(whole);
    torre_wave_run_free(parts);
    free(c.wavelet);
}

static bool stop_at_10(void *context) { return *(int *)context >= 2; }

static void test_stop(void **state)
{
    (void)state;
    run_case c;
    run_case_make(&c, TORRE_F64);
    torre_wave_run *run;
    int frames = 0;
    torre_wave_watch watch = {
        .stop = stop_at_10, .frame = count_frame, .frame_every = {5}, .context = &frames};
    CHECK_OK(torre_wave_run_new(&c.p, wave_backend->name, &wave_fast_way()->plan, &run));
    CHECK_OK(torre_wave_run_start(run, NULL, NULL));
    CHECK_OK(torre_wave_run_advance(run, STEPS, &watch));
    CHECK(run->step == 10 && run->norms.finite, "stopped at %d", (int)run->step);
    torre_wave_run_free(run);
    free(c.wavelet);
}

/* One given field: u[1] = u[0] + (c dt)^2/2 Lap u[0], with damping and mirrors of every kind. */
static void test_start_at_rest(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        torre_wave_problem p = wave_case_problem(7, 9, 8, order);
        p.steps = 1;
        p.spacing[1] = 7;
        p.face[0][0] = TORRE_ABSORBING;
        p.face[0][1] = p.face[1][0] = TORRE_RIGID;
        p.face[2][0] = p.face[2][1] = TORRE_PERIODIC;
        p.absorbing_width = 5;
        wave_case_courant(&p, 0.9);
        int64_t cells = 7 * 9 * 8;
        double *now = wave_alloc(cells, 8), *previous = wave_alloc(cells, 8);
        double *lap = wave_alloc(cells, 8), *next = wave_alloc(cells, 8);
        uint64_t seed = 3;
        wave_random_field(&seed, now, cells);
        CHECK_OK(torre_wave_rest_level(&p, now, previous));
        wave_laplacian(&p, now, lap);
        torre_wave_run *run;
        CHECK_OK(torre_wave_run_new(&p, wave_backend->name, &wave_fast_way()->plan, &run));
        CHECK_OK(torre_wave_run_start(run, now, previous));
        CHECK_OK(torre_wave_run_advance(run, 1, NULL));
        CHECK_OK(torre_wave_run_field(run, 0, next));
        double k = p.velocity * p.dt * p.velocity * p.dt / 2;
        for (int64_t i = 0; i < cells; i++) {
            /* one step commits gamma eps (wave_case.h), u[-1] half of it; (1 + s dt) divides */
            double slack = 2 * wave_gamma(order) * wave_eps(TORRE_F64);
            CHECK(fabs(next[i] - (now[i] + k * lap[i])) <= slack, "order %d, cell %d: %g", order,
                  (int)i, next[i] - (now[i] + k * lap[i]));
        }
        torre_wave_run_free(run);
        free(now);
        free(previous);
        free(lap);
        free(next);
    }
}

/* That level row by row: long rows in pieces, f32 the rounded f64, and planes by themselves. */
static void test_rest_planes(void **state)
{
    (void)state;
    enum { NX = 5, NY = 3, NZ = 1100, PLANE = NY * NZ, CELLS = NX * PLANE };
    float *now32 = wave_alloc(CELLS, 4), *previous32 = wave_alloc(CELLS, 4);
    double *now = wave_alloc(CELLS, 8), *previous = wave_alloc(CELLS, 8);
    double *lap = wave_alloc(CELLS, 8), *plane = wave_alloc(PLANE, 8);
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        torre_wave_problem p = wave_case_problem(NX, NY, NZ, order);
        p.face[0][0] = p.face[0][1] = TORRE_PERIODIC;
        p.face[1][0] = p.face[2][1] = TORRE_RIGID;
        wave_case_courant(&p, 0.9);
        uint64_t seed = 3;
        wave_random_field(&seed, now, CELLS);
        for (int64_t i = 0; i < CELLS; i++) now[i] = (double)(now32[i] = (float)now[i]);
        wave_laplacian(&p, now, lap);
        CHECK_OK(torre_wave_rest_level(&p, now, previous));
        const double k = p.velocity * p.dt * p.velocity * p.dt / 2;
        const double slack = 2 * wave_gamma(order) * wave_eps(TORRE_F64); /* as above */
        for (int64_t i = 0; i < CELLS; i++)
            CHECK(fabs(previous[i] - (now[i] + k * lap[i])) <= slack, "order %d, cell %d: %g",
                  order, (int)i, previous[i] - (now[i] + k * lap[i]));
        for (int64_t x = 0; x < NX; x++) {
            torre_region slab = torre_wave_slab(&p, x, 1);
            slab.stored = torre_box_all(p.size);
            CHECK_OK(torre_wave_rest_planes(&p, &slab, now, plane));
            CHECK(memcmp(plane, previous + x * PLANE, PLANE * sizeof *plane) == 0, "plane %d",
                  (int)x);
        }
        p.precision = TORRE_F32;
        CHECK_OK(torre_wave_rest_level(&p, now32, previous32));
        for (int64_t i = 0; i < CELLS; i++)
            CHECK(previous32[i] == (float)previous[i], "order %d, cell %d in f32", order, (int)i);
    }
    free(now32);
    free(previous32);
    free(now);
    free(previous);
    free(lap);
    free(plane);
}

/* A slab of noise, which holds no more than it needs, has the level before it that the field
 * has. */
static void test_rest_slabs(void **state)
{
    (void)state;
    enum { NX = 30, NY = 5, NZ = 7, PLANE = NY * NZ, SLAB = 4, SEED = 5 };
    static const torre_face faces[][2] = {{TORRE_PERIODIC, TORRE_PERIODIC},
                                          {TORRE_FREE, TORRE_RIGID},
                                          {TORRE_RIGID, TORRE_ABSORBING}};
    double *now = wave_alloc(NX * PLANE, 8), *previous = wave_alloc(NX * PLANE, 8);
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int f = 0; f < 3; f++) {
            torre_wave_problem p = wave_case_problem(NX, NY, NZ, order);
            memcpy(p.face[0], faces[f], sizeof p.face[0]);
            wave_case_courant(&p, 0.9);
            const torre_region all = torre_region_whole(p.size);
            torre_wave_noise(&all, p.precision, SEED, now);
            CHECK_OK(torre_wave_rest_level(&p, now, previous));
            for (int64_t x = 0; x < NX; x += SLAB) {
                const torre_region slab = torre_wave_slab(&p, x, SLAB);
                const int64_t held = slab.stored.high[0] - slab.stored.low[0];
                const int64_t planes = slab.owned.high[0] - x;
                double *part = wave_alloc(held * PLANE, 8), *level = wave_alloc(planes * PLANE, 8);
                CHECK(held <= planes + order, "%d planes for %d", (int)held, (int)planes);
                torre_wave_noise(&slab, p.precision, SEED, part);
                CHECK(memcmp(part + (x - slab.stored.low[0]) * PLANE, now + x * PLANE,
                             (size_t)(planes * PLANE) * sizeof *part) == 0,
                      "order %d, faces %d: noise from plane %d on", order, f, (int)x);
                CHECK_OK(torre_wave_rest_planes(&p, &slab, part, level));
                CHECK(memcmp(level, previous + x * PLANE,
                             (size_t)(planes * PLANE) * sizeof *level) == 0,
                      "order %d, faces %d: the level before from plane %d on", order, f, (int)x);
                free(part);
                free(level);
            }
        }
    free(now);
    free(previous);
}

static int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Noise has a number of its own in every cell, spread evenly over -1 .. 1: of N such numbers the
 * share below any value is off by more than 2.5 / sqrt(N) once in 10^5 seeds (Kolmogorov), and the
 * sorted numbers by twice that. */
static void test_noise(void **state)
{
    (void)state;
    enum { CELLS = 30 * 20 * 10 };
    torre_wave_problem p = wave_case_problem(30, 20, 10, 2);
    double u[CELLS], v[CELLS];
    const torre_region all = torre_region_whole(p.size);
    torre_wave_noise(&all, p.precision, 7, u);
    torre_wave_noise(&all, p.precision, 8, v);
    for (int i = 0; i < CELLS; i++) CHECK(u[i] != v[i], "seeds 7 and 8: the same in cell %d", i);
    qsort(u, CELLS, sizeof *u, compare_values);
    for (int i = 0; i < CELLS; i++) {
        CHECK(i == 0 || u[i] > u[i - 1], "%.17g twice", u[i]);
        CHECK(fabs(u[i] - (2 * (i + 0.5) / CELLS - 1)) < 5 / sqrt(CELLS), "number %d is %g", i,
              u[i]);
    }
}

/* At twice the stable time step the field overflows; the message has the steps and a cell. */
static void test_unstable(void **state)
{
    (void)state;
    run_case c;
    run_case_make(&c, TORRE_F32);
    free(c.wavelet);
    c.p.steps = 400;
    c.p.dt *= 2.5;
    CHECK_OK(torre_wavelet_ricker(15, 1, c.p.dt, c.p.steps, &c.wavelet));
    c.p.wavelet = c.wavelet;
    torre_wave_run *run;
    CHECK_OK(torre_wave_run_new(&c.p, wave_backend->name, &wave_fast_way()->plan, &run));
    CHECK_OK(torre_wave_run_start(run, NULL, NULL));
    CHECK_OK(torre_wave_run_advance(run, 10, NULL)); /* growing, but finite */
    CHECK(torre_wave_run_advance(run, 390, NULL) == TORRE_ERR_UNSTABLE, "nothing was noticed");
    CHECK(strstr(torre_error_text(), "is not finite at cell (") != NULL, "%s", torre_error_text());
    const char *last = strstr(torre_error_text(), "(it was after step ");
    CHECK(last && strtoll(last + strlen("(it was after step "), NULL, 10) >= 10, "%s",
          torre_error_text());
    torre_wave_run_free(run);
    free(c.wavelet);
}

static void test_refusals(void **state)
{
    (void)state;
    run_case c;
    run_case_make(&c, TORRE_F64);
    torre_wave_run *run;
    CHECK(torre_wave_run_new(&c.p, "abacus", &wave_fast_way()->plan, &run) == TORRE_ERR_USAGE,
          "abacus");
    c.receivers[1].position[2] = 71;
    CHECK(torre_wave_run_new(&c.p, wave_backend->name, &wave_fast_way()->plan, &run) ==
              TORRE_ERR_USAGE,
          "outside");
    c.receivers[1].position[2] = 3;
    free(c.wavelet);
    c.p.source_count = 0;
    c.p.steps = INT64_C(1) << 50; /* 24 PiB of traces */
    CHECK_OK(torre_wave_run_new(&c.p, wave_backend->name, &wave_fast_way()->plan, &run));
    CHECK(torre_wave_run_start(run, NULL, NULL) == TORRE_ERR_RESOURCE, "memory");
    CHECK(strstr(torre_error_text(), "available") != NULL, "%s", torre_error_text());
    torre_wave_run_free(run);
    c.p.steps = INT64_MAX - 1;
    CHECK_OK(torre_wave_run_new(&c.p, wave_backend->name, &wave_fast_way()->plan, &run));
    CHECK(torre_wave_run_start(run, NULL, NULL) == TORRE_ERR_RESOURCE, "overflow");
    torre_wave_run_free(run);
}

/* A slab of a run's grid takes the run's program: here axes in an order that a plan for the slab
 * would not choose, with the kernel of the run, and the bits that a plan of these axes gives. A
 * trial, which takes a slab, tells a rate. */
static void test_slab(void **state)
{
    (void)state;
    if (strcmp(wave_backend->name, "cpu") != 0) return; /* others turn axes by other rules */
    torre_wave_problem p = wave_case_problem(200, 100, 8, 4), part = p;
    part.size[0] = 60;
    for (int engine = TORRE_STEPWISE; engine <= TORRE_TORRE; engine++) {
        torre_wave_plan plan = {.engine = (torre_engine)engine, .threads = 2};
        torre_wave_run *run, *slab, *own;
        static double field[2][60 * 100 * 8], start[60 * 100 * 8];
        double rate = 0;
        uint64_t seed = 3;
        for (int i = 0; i < 60 * 100 * 8; i++) start[i] = wave_random(&seed);
        CHECK_OK(torre_wave_run_new(&p, "cpu", &plan, &run));
        CHECK_OK(torre_wave_run_adapt(run, &part, &slab));
        CHECK_OK(torre_wave_run_new(&part, "cpu", &plan, &own));
        CHECK(strcmp(own->info.plan.axes, run->info.plan.axes) != 0, "axes of the slab's own");
        CHECK(memcmp(&slab->info.plan, &run->info.plan, sizeof slab->info.plan) == 0 &&
                  strcmp(slab->info.kernel, run->info.kernel) == 0,
              "%s: another plan than the run's: %s, not %s", torre_engine_name(plan.engine),
              slab->info.kernel, run->info.kernel);
        CHECK(slab->info.memory_bytes < run->info.memory_bytes, "the memory of the run");
        torre_wave_run_free(own);
        strcpy(plan.axes, run->info.plan.axes);
        CHECK_OK(torre_wave_run_new(&part, "cpu", &plan, &own));
        torre_wave_run *both[2] = {slab, own};
        for (int i = 0; i < 2; i++) {
            CHECK_OK(torre_wave_run_start(both[i], start, NULL));
            CHECK_OK(torre_wave_run_advance(both[i], 9, NULL));
            CHECK_OK(torre_wave_run_field(both[i], 0, field[i]));
            torre_wave_run_free(both[i]);
        }
        CHECK(memcmp(field[0], field[1], sizeof field[0]) == 0, "%s: other bits",
              torre_engine_name(plan.engine));
        CHECK_OK(torre_wave_trial(run, &rate));
        CHECK(rate > 0, "%s: no rate", torre_engine_name(plan.engine));
        torre_wave_run_free(run);
    }
}

/* What is too large for this machine is planned all the same, and refused when it starts. */
static void test_too_large(void **state)
{
    (void)state;
    for (int w = 0; w < wave_way_count; w++) {
        torre_wave_problem p = wave_case_problem(100000, 100000, 1000, 4);
        torre_wave_run *run;
        torre_status status = torre_wave_run_new(&p, wave_backend->name, &wave_ways[w].plan, &run);
        if (status == TORRE_ERR_USAGE && strcmp(wave_backend->name, "cpu") != 0)
            continue; /* no such kernels in this build */
        CHECK(!status, "%s: %s", wave_ways[w].name, torre_error_text());
        CHECK(run->info.memory_bytes >= torre_wave_cells(&p) * 16 && run->info.lacking[0] &&
                  run->info.plan.tower_height > 0 && run->info.model_bytes_per_update > 0,
              "%s: %lld bytes, lacking '%s'", wave_ways[w].name, (long long)run->info.memory_bytes,
              run->info.lacking);
        CHECK(torre_wave_run_start(run, NULL, NULL) == TORRE_ERR_RESOURCE, "%s: started",
              wave_ways[w].name);
        torre_wave_solver *solver;
        CHECK(run->backend->create(run->program, &solver) == TORRE_ERR_RESOURCE &&
                  strcmp(torre_error_text(), run->info.lacking) == 0,
              "%s: %s", wave_ways[w].name, torre_error_text());
        torre_wave_run_free(run);
    }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traces),      cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_stop),        cmocka_unit_test(test_start_at_rest),
        cmocka_unit_test(test_rest_planes), cmocka_unit_test(test_rest_slabs),
        cmocka_unit_test(test_unstable),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_too_large),   cmocka_unit_test(test_noise),
        cmocka_unit_test(test_slab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
