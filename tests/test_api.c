/*
 * The public library: every function of include/torre, through these headers and libtorre.so alone
 * (exports.sh looks that none is missing here). What results are worth is the matter of the other
 * tests; here it is that each function does what its comment says: legal calls, refusals with their
 * status and one line, callbacks, who owns what (with the preset sanitize), two runs side by side.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <torre/torre.h>
#include <unistd.h>

#include <cmocka.h>

#include "scratch.h"

#define OK(expr)                                                                                   \
    do {                                                                                           \
        if (expr) fail_msg("%s: %s", #expr, torre_error_text());                                   \
    } while (0)

/* That status, and one line that contains the text and knows nothing of options. */
#define REFUSED(expr, status, text) check_refusal(#expr, expr, status, text)

static void check_refusal(const char *call, torre_status got, torre_status wanted, const char *text)
{
    const char *said = torre_error_text();
    if (got != wanted)
        fail_msg("%s: status %d, not %d: %s", call, (int)got, (int)wanted, got ? said : "");
    if (!strstr(said, text)) fail_msg("%s: \"%s\" does not say \"%s\"", call, said, text);
    if (strchr(said, '\n') || strstr(said, "--") || strchr(said, '{'))
        fail_msg("%s: \"%s\" is not for callers of the library", call, said);
}

/* What callbacks are given, and what they do. */
typedef struct watcher {
    int frames, progresses, stops;
    int fail_at, stop_at; /* counted from 1; 0: never */
} watcher;

static torre_status next_frame(watcher *w)
{
    if (++w->frames == w->fail_at) return torre_fail(TORRE_ERR_INPUT, "frame %d", w->frames);
    return TORRE_OK;
}

static bool next_stop(void *context)
{
    watcher *w = context;
    return ++w->stops == w->stop_at;
}

static void test_status(void **state)
{
    (void)state;
    assert_int_equal(torre_fail(TORRE_ERR_INPUT, "%s:%d", "file", 7), TORRE_ERR_INPUT);
    assert_string_equal(torre_error_text(), "file:7");
    torre_fail(TORRE_ERR_USAGE, "two\nlines"); /* of which one is made */
    assert_null(strchr(torre_error_text(), '\n'));
    assert_true(torre_version_text()[0] >= '0' && torre_version_text()[0] <= '9');
    assert_true(strlen(torre_build_text()) > 0 && !strchr(torre_build_text(), '\n'));
    assert_int_equal(strlen(torre_interface_text()), 16);
}

static void test_ordering_words(void **state)
{
    (void)state;
    const char *why = NULL;
    torre_ordering_spec spec, kept = {.kind = TORRE_MOORE};
    for (int k = 0; k < TORRE_ORDERING_KINDS; k++) {
        torre_ordering_kind kind = TORRE_ORDERING_KINDS;
        const char *name = torre_ordering_name((torre_ordering_kind)k);
        assert_non_null(strstr(torre_ordering_names(), name));
        assert_non_null(torre_ordering_text((torre_ordering_kind)k));
        assert_true(torre_ordering_by_name(name, &kind));
        assert_int_equal(kind, k);
        assert_true(torre_ordering_parse(name, &spec, NULL));
        assert_string_equal(torre_ordering_write(&spec).text, name);
    }
    assert_null(torre_ordering_name(TORRE_ORDERING_KINDS));
    assert_null(torre_ordering_text((torre_ordering_kind)-1));
    torre_ordering_kind same = TORRE_PEANO;
    assert_false(torre_ordering_by_name("circle", &same));
    assert_int_equal(same, TORRE_PEANO);
    static const char *const full[] = {"morton:kji", "hybrid:row-major/hilbert/4", "strips:3"};
    for (int i = 0; i < 3; i++) {
        assert_true(torre_ordering_parse(full[i], &spec, &why));
        assert_string_equal(torre_ordering_write(&spec).text, full[i]);
        assert_true(torre_ordering_same(&spec, &spec));
        assert_false(torre_ordering_same(&spec, &kept));
    }
    static const char *const bad[] = {"",
                                      "circle",
                                      "morton:kjj",
                                      "hybrid:morton",
                                      "strips",
                                      "strips:0",
                                      "hybrid:a/b/4",
                                      "morton:",
                                      ":",
                                      "hilbert:ij ",
                                      "hybrid:morton/morton/0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        spec = kept;
        why = NULL;
        if (torre_ordering_parse(bad[i], &spec, &why)) fail_msg("\"%s\" is taken", bad[i]);
        assert_true(torre_ordering_same(&spec, &kept) && why && *why);
    }
}

static void test_ordering(void **state)
{
    (void)state;
    const int64_t size[3] = {4, 3, 5}, none[3] = {4, 0, 5}, huge[3] = {4, 3, (1 << 20) + 1};
    torre_ordering_spec spec = {.kind = TORRE_HILBERT};
    torre_ordering *o = NULL;
    int64_t path[60], cell[3];
    REFUSED(torre_ordering_new(&spec, 4, size, &o), TORRE_ERR_USAGE, "dimensions");
    REFUSED(torre_ordering_new(&spec, 3, none, &o), TORRE_ERR_USAGE, "1048576");
    REFUSED(torre_ordering_new(&spec, 3, huge, &o), TORRE_ERR_USAGE, "1048576");
    spec.kind = (torre_ordering_kind)99;
    REFUSED(torre_ordering_new(&spec, 3, size, &o), TORRE_ERR_USAGE, "unknown");
    spec = (torre_ordering_spec){.kind = TORRE_HYBRID, .inner = TORRE_HYBRID, .tile = 2};
    REFUSED(torre_ordering_new(&spec, 3, size, &o), TORRE_ERR_USAGE, "simple");
    spec = (torre_ordering_spec){.kind = TORRE_HYBRID, .tile = -2};
    REFUSED(torre_ordering_new(&spec, 3, size, &o), TORRE_ERR_USAGE, "tile");
    spec = (torre_ordering_spec){.strip = 2};
    REFUSED(torre_ordering_new(&spec, 3, size, &o), TORRE_ERR_USAGE, "strips");
    assert_true(torre_ordering_parse("hilbert:kji", &spec, NULL));
    REFUSED(torre_ordering_new(&spec, 2, size, &o), TORRE_ERR_USAGE, "plane");
    assert_null(o);
    OK(torre_ordering_new(&spec, 3, size, &o));
    assert_int_equal(torre_ordering_cells(o), 60);
    assert_false(torre_ordering_is_exact(o));
    torre_ordering_path(o, path);
    for (int64_t r = 0; r < 60; r++) {
        torre_ordering_cell(o, r, cell);
        assert_int_equal(torre_ordering_rank(o, cell), r);
        assert_int_equal(path[r], (cell[0] * 3 + cell[1]) * 5 + cell[2]);
    }
    torre_ordering_free(o);
    torre_ordering_free(NULL);
    OK(torre_ordering_new(&(torre_ordering_spec){.kind = TORRE_MORTON}, 2, (const int64_t[]){8, 8},
                          &o));
    assert_true(torre_ordering_is_exact(o));
    torre_ordering_free(o);
}

/* A small wave problem with a source and two receivers. */
enum { NX = 24, NY = 20, NZ = 16, CELLS = NX * NY * NZ, STEPS = 24 };
static const torre_point source = {.position = {50, 60, 70}, .amplitude = 1};
static const torre_point receivers[2] = {{.position = {100, 100, 100}, .amplitude = 0},
                                         {.position = {57, 81, 33}, .amplitude = 0}};
static const double wavelet[STEPS] = {0, 1e6, 3e6, 4e6, 2e6, -1e6, -2e6};
static const torre_wave_plan small_plan = {.threads = 1};

static torre_wave_problem small_problem(void)
{
    torre_wave_problem p = {.size = {NX, NY, NZ},
                            .spacing = {10, 10, 10},
                            .order = 4,
                            .precision = TORRE_F32,
                            .dt = 1.5e-3,
                            .steps = STEPS,
                            .velocity = 2000,
                            .face = {{TORRE_FREE, TORRE_RIGID}, {TORRE_PERIODIC, TORRE_PERIODIC}},
                            .absorbing_width = 5,
                            .sources = &source,
                            .source_count = 1,
                            .wavelet = wavelet,
                            .receivers = receivers,
                            .receiver_count = 2};
    p.face[2][0] = p.face[2][1] = TORRE_ABSORBING;
    return p;
}

static void test_wave_words(void **state)
{
    (void)state;
    const double spacing[3] = {10, 10, 10};
    torre_face face = TORRE_RIGID;
    torre_engine engine = TORRE_TORRE;
    for (int f = TORRE_FREE; f <= TORRE_PERIODIC; f++) {
        assert_true(torre_face_by_name(torre_face_name((torre_face)f), &face));
        assert_int_equal(face, f);
    }
    for (int e = TORRE_AUTO; e <= TORRE_TORRE; e++) {
        assert_true(torre_engine_by_name(torre_engine_name((torre_engine)e), &engine));
        assert_int_equal(engine, e);
    }
    assert_false(torre_face_by_name("wet", &face));
    assert_false(torre_engine_by_name("steam", &engine));
    assert_true(face == TORRE_PERIODIC && engine == TORRE_TORRE);
    assert_null(torre_face_name((torre_face)99));
    assert_null(torre_face_name((torre_face)-1));
    assert_null(torre_engine_name((torre_engine)99));
    /* order 2: 2 / (c sqrt(4 3 / h^2)) = h / (c sqrt 3) */
    assert_true(fabs(torre_wave_dt_limit(2, spacing, 2000) * 2000 * sqrt(3) / 10 - 1) < 1e-14);
    assert_true(torre_wave_dt_limit(12, spacing, 2000) < torre_wave_dt_limit(2, spacing, 2000));
    static const int unknown[] = {-2, 0, 1, 3, 14, 1 << 30};
    for (int i = 0; i < 6; i++) assert_true(isnan(torre_wave_dt_limit(unknown[i], spacing, 2000)));
}

/* The problem with a change is refused, whoever looks at it. */
#define BAD_PROBLEM(change, status, text)                                                          \
    do {                                                                                           \
        torre_wave_problem p = small_problem();                                                    \
        torre_wave_run *run = NULL;                                                                \
        change;                                                                                    \
        check_refusal(#change, torre_wave_problem_check(&p), status, text);                        \
        check_refusal(#change, torre_wave_run_new(&p, "cpu", &small_plan, &run), status, text);    \
        assert_null(run);                                                                          \
    } while (0)

static void test_wave_problem(void **state)
{
    (void)state;
    static float cells[CELLS];
    double low, high, bad_wavelet[STEPS] = {0, NAN};
    torre_point outside = {.position = {1e6, 0, 0}, .amplitude = 1},
                endless = {.position = {0, 0, 0}, .amplitude = INFINITY};
    torre_array velocity = {TORRE_F32, {NX, NY, NZ}, cells};
    for (int i = 0; i < CELLS; i++) cells[i] = 1500 + (float)(i % 100);
    torre_wave_problem good = small_problem();
    OK(torre_wave_problem_check(&good));
    torre_wave_velocity_range(&good, &low, &high);
    assert_true(low == 2000 && high == 2000);
    good.velocity_cells = &velocity;
    OK(torre_wave_problem_check(&good));
    torre_wave_velocity_range(&good, &low, &high);
    assert_true(low == 1500 && high == 1599);
    double limit;
    OK(torre_wave_problem_dt_limit(&good, &limit));
    assert_true(limit == torre_wave_dt_limit(good.order, good.spacing, high));
    good.density_cells = &velocity; /* any numbers, which vary: some cell is stiffer */
    good.velocity_cells = NULL;
    OK(torre_wave_problem_check(&good));
    OK(torre_wave_problem_dt_limit(&good, &limit));
    assert_true(limit > 0 && limit < torre_wave_dt_limit(good.order, good.spacing, good.velocity));
    BAD_PROBLEM(p.order = 5, TORRE_ERR_USAGE, "order must be");
    BAD_PROBLEM(p.precision = (torre_precision)2, TORRE_ERR_USAGE, "precision");
    BAD_PROBLEM(p.size[1] = 0, TORRE_ERR_USAGE, "size along y");
    BAD_PROBLEM(p.size[0] = p.size[1] = INT64_C(1) << 32, TORRE_ERR_USAGE, "overflows");
    BAD_PROBLEM(p.spacing[2] = 0, TORRE_ERR_USAGE, "spacing along z");
    BAD_PROBLEM(p.spacing[1] = INFINITY, TORRE_ERR_USAGE, "size along y must be 1");
    BAD_PROBLEM(p.dt = NAN, TORRE_ERR_USAGE, "dt must be");
    BAD_PROBLEM(p.steps = -1, TORRE_ERR_USAGE, "steps");
    BAD_PROBLEM(p.velocity = -1, TORRE_ERR_USAGE, "velocity");
    BAD_PROBLEM(p.face[0][0] = (torre_face)9, TORRE_ERR_USAGE, "boundary x-");
    BAD_PROBLEM(p.face[0][0] = TORRE_CONTINUES, TORRE_ERR_USAGE, "boundary x-");
    BAD_PROBLEM(p.face[1][0] = TORRE_FREE, TORRE_ERR_USAGE, "periodic");
    BAD_PROBLEM(p.absorbing_width = 0, TORRE_ERR_USAGE, "width");
    BAD_PROBLEM(p.sources = &outside, TORRE_ERR_USAGE, "outside the grid");
    BAD_PROBLEM(p.sources = &endless, TORRE_ERR_USAGE, "amplitude");
    BAD_PROBLEM(p.sources = NULL, TORRE_ERR_USAGE, "source count");
    BAD_PROBLEM(p.receiver_count = -1, TORRE_ERR_USAGE, "receiver count");
    BAD_PROBLEM(p.wavelet = NULL, TORRE_ERR_USAGE, "wavelet");
    BAD_PROBLEM(p.wavelet = bad_wavelet, TORRE_ERR_USAGE, "sample 1");
    torre_array other = {TORRE_F32, {NX, NY, NZ - 1}, cells};
    BAD_PROBLEM(p.velocity_cells = &other, TORRE_ERR_INPUT, "shape");
    cells[7] = -1;
    BAD_PROBLEM(p.velocity_cells = &velocity, TORRE_ERR_INPUT, "velocity at cell (0, 0, 7)");
    BAD_PROBLEM(p.density_cells = &velocity, TORRE_ERR_INPUT, "density at cell (0, 0, 7)");
}

#define BAD_PLAN(change, text)                                                                     \
    do {                                                                                           \
        const torre_wave_problem p = small_problem();                                              \
        torre_wave_plan plan = small_plan;                                                         \
        torre_wave_run *run = NULL;                                                                \
        change;                                                                                    \
        check_refusal(#change, torre_wave_run_new(&p, "cpu", &plan, &run), TORRE_ERR_USAGE, text); \
        assert_null(run);                                                                          \
    } while (0)

static void test_wave_plan(void **state)
{
    (void)state;
    const torre_wave_problem good = small_problem();
    torre_wave_run *none = NULL;
    REFUSED(torre_wave_run_new(&good, "steam", &small_plan, &none), TORRE_ERR_USAGE, "steam");
    assert_null(none);
    BAD_PLAN(plan.engine = (torre_engine)7, "engine");
    BAD_PLAN(plan.dts = -1, "dts");
    BAD_PLAN(plan.tower_height = -1, "tower_height");
    BAD_PLAN(plan.threads = -1, "threads");
    BAD_PLAN(plan.ordering.kind = (torre_ordering_kind)77, "ordering");
    BAD_PLAN(strcpy(plan.axes, "xxz"), "axes");
}

static torre_status on_wave_frame(void *context, torre_wave_run *run)
{
    const int64_t step = torre_wave_run_step(run);
    if (step % 3 && step % 8) return torre_fail(TORRE_ERR_USAGE, "a frame at step %d", (int)step);
    return next_frame(context);
}

static void on_wave_progress(void *context, const torre_wave_progress *progress)
{
    ((watcher *)context)->progresses += progress->step <= progress->steps;
}

/* Nothing that needs a started run gets one that is not; start is once. */
static void test_wave_before_start(void **state)
{
    (void)state;
    static float cells[CELLS];
    const torre_wave_problem p = small_problem();
    torre_wave_run *run;
    OK(torre_wave_run_new(&p, "auto", &small_plan, &run));
    assert_ptr_equal(torre_wave_run_problem(run), &p);
    assert_non_null(torre_wave_run_info(run)->device);
    assert_non_null(torre_wave_run_backend(run));
    assert_non_null(torre_wave_run_passed_over(run));
    OK(torre_wave_run_check_memory(run));
    assert_int_equal(torre_wave_run_step(run), 0);
    assert_true(torre_wave_run_rate(run) == 0 && torre_wave_run_seconds(run) == 0);
    assert_int_equal(torre_wave_run_streamed(run), 0);
    assert_true(torre_wave_run_trace_bytes(run) >= 2 * (STEPS + 1) * 4);
    assert_null(torre_wave_run_traces(run)->data);
    REFUSED(torre_wave_run_advance(run, 1, NULL), TORRE_ERR_USAGE, "not been started");
    REFUSED(torre_wave_run_field(run, 0, cells), TORRE_ERR_USAGE, "not been started");
    REFUSED(torre_wave_run_plane(run, 0, 0, cells), TORRE_ERR_USAGE, "not been started");
    REFUSED(torre_wave_run_end_traces(run), TORRE_ERR_USAGE, "not been started");
    REFUSED(torre_wave_run_save_traces(run, "t.npy"), TORRE_ERR_USAGE, "not been started");
    REFUSED(torre_wave_run_save_field(run, "u.npy"), TORRE_ERR_USAGE, "not been started");
    REFUSED(torre_wave_run_save_plane(run, 0, 0, "u.npy"), TORRE_ERR_USAGE, "not been started");
    OK(torre_wave_run_start(run, NULL, NULL));
    REFUSED(torre_wave_run_start(run, NULL, NULL), TORRE_ERR_USAGE, "been started");
    torre_wave_run_free(run);
    torre_wave_run_free(NULL);
    assert_int_equal(scratch_entries(), 0);
}

static void test_wave_run(void **state)
{
    (void)state;
    static float cells[CELLS], plane[NX * NZ];
    const torre_wave_problem p = small_problem();
    watcher w = {0};
    torre_wave_watch watch = {.frame_every = {3, 8},
                              .frame = on_wave_frame,
                              .progress = on_wave_progress,
                              .stop = next_stop,
                              .context = &w};
    torre_wave_run *run;
    OK(torre_wave_run_new(&p, "cpu", &small_plan, &run));
    OK(torre_wave_run_start(run, NULL, NULL));
    REFUSED(torre_wave_run_advance(run, -1, NULL), TORRE_ERR_USAGE, "cannot advance");
    REFUSED(torre_wave_run_advance(run, STEPS + 1, NULL), TORRE_ERR_USAGE, "cannot advance");
    OK(torre_wave_run_advance(run, 0, NULL));
    OK(torre_wave_run_advance(run, 9, &watch));
    assert_int_equal(torre_wave_run_step(run), 9);
    assert_int_equal(w.frames, 4); /* 3, 6, 8, 9 */
    assert_true(w.progresses > 0 && w.stops > 0);
    w = (watcher){.fail_at = 1};
    REFUSED(torre_wave_run_advance(run, 9, &watch), TORRE_ERR_INPUT, "frame 1");
    assert_int_equal(torre_wave_run_step(run), 12);
    w = (watcher){.stop_at = 1};
    OK(torre_wave_run_advance(run, 9, &watch));
    assert_int_equal(torre_wave_run_step(run), 12);
    OK(torre_wave_run_advance(run, 9, NULL));
    assert_true(torre_wave_run_seconds(run) > 0 && torre_wave_run_rate(run) > 0);
    const torre_wave_norms *norms = torre_wave_run_norms(run);
    assert_true(norms->finite && norms->max_abs > 0 && norms->l2 >= norms->max_abs);

    OK(torre_wave_run_field(run, -1, cells));
    OK(torre_wave_run_field(run, 0, cells));
    REFUSED(torre_wave_run_field(run, 1, cells), TORRE_ERR_USAGE, "level");
    REFUSED(torre_wave_run_field(run, -2, cells), TORRE_ERR_USAGE, "level");
    OK(torre_wave_run_plane(run, 1, NY - 1, plane));
    for (int x = 0; x < NX; x++)
        for (int z = 0; z < NZ; z++)
            assert_true(plane[x * NZ + z] == cells[(x * NY + NY - 1) * NZ + z]);
    REFUSED(torre_wave_run_plane(run, 1, NY, plane), TORRE_ERR_USAGE, "index");
    REFUSED(torre_wave_run_plane(run, 1, -1, plane), TORRE_ERR_USAGE, "index");
    REFUSED(torre_wave_run_plane(run, 3, 0, plane), TORRE_ERR_USAGE, "axis");
    REFUSED(torre_wave_run_plane(run, -1, 0, plane), TORRE_ERR_USAGE, "axis");

    const torre_array *traces = torre_wave_run_traces(run);
    assert_true(traces->shape[0] == 2 && traces->shape[1] == STEPS + 1);
    OK(torre_wave_run_end_traces(run));
    OK(torre_wave_run_end_traces(run));
    REFUSED(torre_wave_run_advance(run, 1, NULL), TORRE_ERR_USAGE, "final");
    torre_wave_run_free(run);
}

static void test_wave_fields(void **state)
{
    (void)state;
    static float now[CELLS], before[CELLS], found[CELLS];
    torre_wave_problem p = small_problem();
    p.source_count = p.receiver_count = 0;
    for (int i = 0; i < CELLS; i++) now[i] = (float)(i % 7);
    OK(torre_wave_rest_level(&p, now, before));
    assert_true(before[CELLS / 2] != 0);
    torre_wave_run *run;
    OK(torre_wave_run_new(&p, "cpu", &small_plan, &run));
    OK(torre_wave_run_start(run, now, before));
    OK(torre_wave_run_field(run, 0, found));
    assert_memory_equal(found, now, sizeof now);
    OK(torre_wave_run_field(run, -1, found));
    assert_memory_equal(found, before, sizeof before);
    assert_null(torre_wave_run_traces(run)->data);
    REFUSED(torre_wave_run_save_traces(run, "t.npy"), TORRE_ERR_USAGE, "receivers");
    torre_wave_run_free(run);

    p.dt *= 3; /* above the limit */
    p.steps = 2000;
    OK(torre_wave_run_new(&p, "cpu", &small_plan, &run));
    OK(torre_wave_run_start(run, now, before));
    REFUSED(torre_wave_run_advance(run, 2000, NULL), TORRE_ERR_UNSTABLE, "Courant number");
    assert_false(torre_wave_run_norms(run)->finite);
    torre_wave_run_free(run);
}

static void test_wave_files(void **state)
{
    (void)state;
    static const char *const files[] = {"t.npy", "t.sgy", "t.su", "t.png",
                                        "u.npy", "p.npy", "p.png"};
    const torre_wave_problem p = small_problem();
    torre_wave_run *run;
    torre_array a;
    int dims;
    OK(torre_wave_run_new(&p, "cpu", &small_plan, &run));
    OK(torre_wave_run_start(run, NULL, NULL));
    OK(torre_wave_run_advance(run, STEPS, NULL));
    OK(torre_wave_run_save_traces(run, "t.npy"));
    OK(torre_wave_run_save_traces(run, "t.su"));
    OK(torre_wave_run_save_traces(run, "t.png"));
    OK(torre_wave_run_save_traces(run, "t.sgy"));
    OK(torre_wave_run_save_field(run, "u.npy"));
    OK(torre_wave_run_save_plane(run, 2, 3, "p.npy"));
    OK(torre_wave_run_save_plane(run, 2, 3, "p.png"));
    REFUSED(torre_wave_run_save_traces(run, "t.txt"), TORRE_ERR_USAGE, ".npy");
    REFUSED(torre_wave_run_save_field(run, "u.png"), TORRE_ERR_USAGE, ".npy");
    REFUSED(torre_wave_run_save_plane(run, 2, 3, "p"), TORRE_ERR_USAGE, ".npy");
    REFUSED(torre_wave_run_save_plane(run, 2, NZ, "p.npy"), TORRE_ERR_USAGE, "index");
    REFUSED(torre_wave_run_save_plane(run, 3, 0, "p.npy"), TORRE_ERR_USAGE, "axis");
    REFUSED(torre_wave_run_save_field(run, "no/u.npy"), TORRE_ERR_INPUT, "no/u.npy");
    assert_int_equal(scratch_entries(), 7);
    OK(torre_npy_read("t.npy", &a, &dims));
    assert_true(dims == 2 && a.shape[0] == 2 && a.shape[1] == STEPS + 1);
    assert_memory_equal(a.data, torre_wave_run_traces(run)->data, 2 * (STEPS + 1) * 4);
    free(a.data);
    for (int i = 0; i < 7; i++) unlink(files[i]);
    torre_wave_run_free(run);
}

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void test_files(void **state)
{
    (void)state;
    const double values[6] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[4] = {1, 2, 3, 1}, none[2] = {0, 3}, below[2] = {-2, 3};
    torre_array a = {.data = NULL};
    torre_point *points = NULL;
    int64_t count;
    OK(torre_npy_write("a.npy", TORRE_F64, 3, shape, values));
    OK(torre_npy_read("a.npy", &a, NULL));
    assert_true(a.precision == TORRE_F64 && a.shape[1] == 2 && a.shape[2] == 3);
    assert_memory_equal(a.data, values, sizeof values);
    free(a.data);
    REFUSED(torre_npy_write("b.npy", TORRE_F64, 0, shape, values), TORRE_ERR_USAGE, "axes");
    REFUSED(torre_npy_write("b.npy", TORRE_F64, 5, shape, values), TORRE_ERR_USAGE, "axes");
    REFUSED(torre_npy_write("b.npy", TORRE_F64, 2, below, values), TORRE_ERR_USAGE, "axis 0");
    REFUSED(torre_npy_write("b.npy", TORRE_F64, 2, none, values), TORRE_ERR_USAGE, "axis 0");
    REFUSED(torre_npy_write("b.npy", (torre_precision)3, 3, shape, values), TORRE_ERR_USAGE,
            "precision");
    REFUSED(torre_npy_write("no/b.npy", TORRE_F64, 3, shape, values), TORRE_ERR_INPUT, "no/b.npy");
    REFUSED(torre_npy_read("b.npy", &a, NULL), TORRE_ERR_INPUT, "b.npy");
    REFUSED(torre_npy_read(".", &a, NULL), TORRE_ERR_INPUT, ".");
    put("p.csv", "x,y,z,amplitude\n1,2,3\n4,5,6,2 # two\n");
    REFUSED(torre_npy_read("p.csv", &a, NULL), TORRE_ERR_INPUT, "p.csv");
    OK(torre_points_read("p.csv", 3, &points, &count));
    assert_true(count == 2 && points[0].amplitude == 1 && points[1].position[2] == 6);
    free(points);
    put("p.csv", "1,2\n");
    OK(torre_points_read("p.csv", 2, &points, &count));
    assert_true(points[0].position[1] == 0 && points[0].position[2] == 2);
    free(points);
    points = NULL;
    REFUSED(torre_points_read("p.csv", 3, &points, &count), TORRE_ERR_INPUT, "p.csv:1");
    REFUSED(torre_points_read("q.csv", 3, &points, &count), TORRE_ERR_INPUT, "q.csv");
    REFUSED(torre_points_read("p.csv", 4, &points, &count), TORRE_ERR_USAGE, "dimensions");
    assert_null(points);
    put("p.csv", "# nothing\n");
    REFUSED(torre_points_read("p.csv", 3, &points, &count), TORRE_ERR_INPUT, "p.csv");
    unlink("a.npy");
    unlink("p.csv");
    assert_int_equal(scratch_entries(), 0);
}

static void test_wavelets(void **state)
{
    (void)state;
    double *s = NULL;
    int64_t count;
    OK(torre_wavelet_ricker(20, 3, 1e-3, 200, &s));
    for (int n = 0; n < 200; n++) assert_true(s[n] == 3 * torre_ricker(20, n * 1e-3));
    assert_true(fabs(torre_wavelet_peak(s, 200, 1e-3) / 20 - 1) < 0.02);
    free(s);
    OK(torre_wavelet_ricker(20, 3, 1e-3, 0, &s));
    assert_true(torre_wavelet_peak(s, 0, 1e-3) == 0);
    free(s);
    s = NULL;
    REFUSED(torre_wavelet_ricker(20, 3, 1e-3, -1, &s), TORRE_ERR_USAGE, "steps");
    REFUSED(torre_wavelet_ricker(20, 3, 1e-3, INT64_MAX, &s), TORRE_ERR_RESOURCE, "wavelet");
    put("w.txt", "1\n# two\n2\n3\n");
    OK(torre_wavelet_read("w.txt", 2, 4, &s, &count));
    assert_true(count == 3 && s[0] == 2 && s[2] == 6 && s[3] == 0);
    free(s);
    s = NULL;
    REFUSED(torre_wavelet_read("w.txt", 2, -1, &s, &count), TORRE_ERR_USAGE, "steps");
    REFUSED(torre_wavelet_read("v.txt", 2, 4, &s, &count), TORRE_ERR_INPUT, "v.txt");
    put("w.txt", "1\nnothing\n");
    REFUSED(torre_wavelet_read("w.txt", 2, 4, &s, &count), TORRE_ERR_INPUT, "w.txt:2");
    assert_null(s);
    unlink("w.txt");
}

#define BAD_SPEC(change, status, text)                                                             \
    do {                                                                                           \
        torre_wave_spec spec = small_spec();                                                       \
        torre_wave_input *input = NULL;                                                            \
        change;                                                                                    \
        check_refusal(#change, torre_wave_input_new(&spec, &input), status, text);                 \
        assert_null(input);                                                                        \
    } while (0)

static torre_wave_spec small_spec(void)
{
    torre_wave_spec spec = torre_wave_spec_default();
    spec.size[0] = spec.size[1] = spec.size[2] = 24;
    spec.steps = 10;
    spec.threads = 1;
    return spec;
}

static void test_wave_spec(void **state)
{
    (void)state;
    torre_wave_spec spec = small_spec();
    torre_wave_input *input;
    torre_wave_run *run;
    spec.initial = "noise";
    spec.receivers = "50,50,50:60,60,60:3";
    spec.time = (torre_time_step_wish){.courant = 0.7, .force = true}; /* above the limit */
    OK(torre_wave_input_new(&spec, &input));
    assert_non_null(torre_wave_input_caution(input, 0));
    int last = 0;
    while (torre_wave_input_caution(input, last)) last++;
    assert_null(torre_wave_input_caution(input, last));
    assert_null(torre_wave_input_caution(input, -1));
    const torre_wave_problem *p = torre_wave_input_problem(input);
    assert_true(p->receiver_count == 3 && p->size[2] == 24 && p->source_count == 0);
    OK(torre_wave_run_new(p, "cpu", torre_wave_input_plan(input), &run));
    OK(torre_wave_input_start(input, run));
    OK(torre_wave_run_advance(run, 10, NULL));
    torre_wave_run_free(run);
    torre_wave_input_free(input);
    torre_wave_input_free(NULL);
}

static void test_spec_refused(void **state)
{
    (void)state;
    BAD_SPEC(spec.size[1] = -1, TORRE_ERR_USAGE, "size");
    BAD_SPEC(spec.spacing[0] = -1, TORRE_ERR_USAGE, "spacing");
    BAD_SPEC(spec.velocity = "fast", TORRE_ERR_USAGE, "velocity");
    BAD_SPEC(spec.velocity = "no.npy", TORRE_ERR_INPUT, "no.npy");
    BAD_SPEC(spec.order = 7, TORRE_ERR_USAGE, "order");
    BAD_SPEC(spec.precision = (torre_precision)5, TORRE_ERR_USAGE, "precision");
    BAD_SPEC(spec.boundary = "x=wet", TORRE_ERR_USAGE, "boundary");
    BAD_SPEC((spec.boundary = "absorbing", spec.absorbing_width = -1), TORRE_ERR_USAGE,
             "absorbing");
    BAD_SPEC(spec.steps = -1, TORRE_ERR_USAGE, "steps");
    BAD_SPEC(spec.time.dt = -1, TORRE_ERR_USAGE, "dt");
    BAD_SPEC(spec.time.dt = 1, TORRE_ERR_USAGE, "unstable");
    BAD_SPEC((spec.time.dt = 1e-3, spec.time.courant = 0.5), TORRE_ERR_USAGE, "courant");
    BAD_SPEC(spec.source = "1,2", TORRE_ERR_USAGE, "source");
    BAD_SPEC(spec.wavelet = "no.txt", TORRE_ERR_INPUT, "no.txt");
    BAD_SPEC(spec.frequency = -1, TORRE_ERR_USAGE, "frequency");
    BAD_SPEC(spec.amplitude = NAN, TORRE_ERR_USAGE, "amplitude");
    BAD_SPEC(spec.initial = "no.npy", TORRE_ERR_INPUT, "no.npy");
    BAD_SPEC(spec.receivers = "a", TORRE_ERR_USAGE, "receivers");
    BAD_SPEC(spec.ordering = "circle", TORRE_ERR_USAGE, "ordering");
}

static const torre_md_plan md_plan = {.threads = 1};

static torre_lj small_melt(void)
{
    return (torre_lj){.cells = {5, 5, 5}, .temperature = 1.44, .precision = TORRE_MD_F64};
}

static torre_status on_particle_frame(void *context, torre_particles *particles)
{
    if (torre_particles_step(particles) % 5) return torre_fail(TORRE_ERR_USAGE, "not a fifth step");
    return next_frame(context);
}

static void test_particles(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    static double x[3][COUNT], v[3][COUNT], one[COUNT];
    double *const position[3] = {x[0], x[1], x[2]}, *const velocity[3] = {v[0], v[1], v[2]};
    double box[3];
    const torre_lj lj = small_melt();
    watcher w = {0};
    torre_particles_watch watch = {
        .every = 5, .frame = on_particle_frame, .stop = next_stop, .context = &w};
    torre_particles *p;
    OK(torre_particles_lj(&lj, &p));
    assert_int_equal(torre_particles_count(p), COUNT);
    torre_particles_box(p, box);
    assert_null(torre_particles_row(p));
    assert_null(torre_particles_info(p));
    assert_true(torre_particles_step(p) == 0 && torre_particles_rate(p) == 0);
    REFUSED(torre_particles_advance(p, 1, NULL), TORRE_ERR_USAGE, "not been started");
    OK(torre_particles_get(p, position, velocity));
    REFUSED(torre_particles_start(p, "steam", &md_plan), TORRE_ERR_USAGE, "steam");
    OK(torre_particles_start(p, "cpu", &md_plan));
    REFUSED(torre_particles_start(p, "cpu", &md_plan), TORRE_ERR_USAGE, "been started");
    assert_true(torre_particles_info(p)->memory_bytes > 0);
    assert_int_equal(torre_particles_row(p)->step, 0);
    REFUSED(torre_particles_advance(p, -1, NULL), TORRE_ERR_USAGE, "steps");
    OK(torre_particles_advance(p, 12, &watch));
    assert_int_equal(w.frames, 2); /* 5 and 10 */
    assert_true(torre_particles_row(p)->step == 12 && torre_particles_rate(p) > 0);
    w = (watcher){.fail_at = 1};
    REFUSED(torre_particles_advance(p, 9, &watch), TORRE_ERR_INPUT, "frame 1");
    assert_int_equal(torre_particles_step(p), 15);
    w = (watcher){.stop_at = 1};
    OK(torre_particles_advance(p, 100000, &watch));
    assert_true(torre_particles_step(p) < 100015);
    watch = (torre_particles_watch){.every = -1};
    REFUSED(torre_particles_advance(p, 1, &watch), TORRE_ERR_USAGE, "every");
    OK(torre_particles_get(p, position, velocity));
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < COUNT; i++) assert_true(x[a][i] >= 0 && x[a][i] < box[a]);
    OK(torre_particles_get(p, (double *const[3]){NULL, one, NULL}, NULL));
    assert_memory_equal(one, x[1], sizeof one);
    static const char *const files[] = {"a.data", "a.dump", "a.xyz", "a.xyz.gz", "a.png"};
    for (int i = 0; i < 5; i++) OK(torre_particles_save(p, files[i]));
    REFUSED(torre_particles_save(p, "a.txt"), TORRE_ERR_USAGE, ".xyz");
    REFUSED(torre_particles_save(p, "no/a.xyz"), TORRE_ERR_INPUT, "no/a.xyz");
    assert_int_equal(scratch_entries(), 5);
    for (int i = 0; i < 5; i++) unlink(files[i]);
    torre_particles_free(p);
    torre_particles_free(NULL);
}

static void test_grains(void **state)
{
    (void)state;
    enum { MOST = 4096 };
    static double radius[MOST], spin[3][MOST];
    const torre_granular rough = {.dimensions = 3,
                                  .size = {0.01, 0.01, 0.01},
                                  .diameter = 1e-3,
                                  .mass = 1e-6,
                                  .stiffness = 1000,
                                  .restitution = 0.9,
                                  .wall_restitution = 0.9,
                                  .filling = 0.2,
                                  .temperature = 0.01,
                                  .sweeps = 5,
                                  .sizes = TORRE_GRANULAR_TWO_SIZES,
                                  .size_ratio = 0.5};
    const torre_lj lj = small_melt();
    torre_particles *p;
    OK(torre_particles_granular(&rough, 0, TORRE_MD_F64, &p));
    const int64_t count = torre_particles_count(p);
    assert_true(count > 10 && count <= MOST);
    OK(torre_particles_get_grains(p, radius, NULL));
    for (int64_t i = 0; i < count; i++)
        assert_true(fabs(radius[i] - 5e-4) < 1e-18 || fabs(radius[i] - 2.5e-4) < 1e-18);
    OK(torre_particles_start(p, "cpu", &md_plan));
    OK(torre_particles_get_grains(p, NULL, (double *const[3]){spin[0], NULL, spin[2]}));
    for (int64_t i = 0; i < count; i++) assert_true(spin[0][i] == 0 && spin[2][i] == 0);
    torre_particles_free(p);
    OK(torre_particles_lj(&lj, &p));
    REFUSED(torre_particles_get_grains(p, radius, NULL), TORRE_ERR_USAGE, "do not spin");
    torre_particles_free(p);
}

/* The box follows the pressure, and positions are in it. */
static void test_pressure(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    static double x[3][COUNT], v[3][COUNT];
    double before[3], after[3];
    torre_lj lj = small_melt();
    lj.ensemble = TORRE_NPT;
    lj.pressure = 40;
    lj.pressure_damping = 0.2;
    lj.pressure_axes = TORRE_PRESSURE_AXES;
    torre_particles *p;
    OK(torre_particles_lj(&lj, &p));
    torre_particles_box(p, before);
    OK(torre_particles_start(p, "cpu", &md_plan));
    OK(torre_particles_advance(p, 40, NULL));
    torre_particles_box(p, after);
    assert_true(after[0] < before[0] && after[0] != after[1]);
    assert_memory_equal(after, torre_particles_row(p)->box, sizeof after);
    OK(torre_particles_get(p, (double *const[3]){x[0], x[1], x[2]},
                           (double *const[3]){v[0], v[1], v[2]}));
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < COUNT; i++) assert_true(x[a][i] >= 0 && x[a][i] < after[a]);
    torre_particles_free(p);
}

#define BAD_LJ(change, status, text)                                                               \
    do {                                                                                           \
        torre_lj lj = small_melt();                                                                \
        torre_particles *p = NULL;                                                                 \
        change;                                                                                    \
        check_refusal(#change, torre_particles_lj(&lj, &p), status, text);                         \
        assert_null(p);                                                                            \
    } while (0)

#define BAD_MD_PLAN(change, text)                                                                  \
    do {                                                                                           \
        torre_md_plan plan = md_plan;                                                              \
        change;                                                                                    \
        check_refusal(#change, torre_particles_start(melt, "cpu", &plan), TORRE_ERR_USAGE, text);  \
        assert_null(torre_particles_info(melt));                                                   \
    } while (0)

static void test_lj_refused(void **state)
{
    (void)state;
    const double r[3] = {0, NAN, 1};
    BAD_LJ(lj.cells[1] = 0, TORRE_ERR_USAGE, "cells");
    BAD_LJ(lj.cells[0] = lj.cells[1] = INT64_C(1) << 40, TORRE_ERR_USAGE, "cells");
    BAD_LJ(lj.density = -1, TORRE_ERR_USAGE, "density");
    BAD_LJ(lj.temperature = -1, TORRE_ERR_USAGE, "temperature");
    BAD_LJ(lj.temperature = NAN, TORRE_ERR_USAGE, "temperature");
    BAD_LJ(lj.epsilon = -1, TORRE_ERR_USAGE, "epsilon");
    BAD_LJ(lj.sigma = -1, TORRE_ERR_USAGE, "sigma");
    BAD_LJ(lj.cutoff = 20, TORRE_ERR_USAGE, "cutoff");
    BAD_LJ(lj.cutoff = -1, TORRE_ERR_USAGE, "cutoff");
    BAD_LJ(lj.dt = -1, TORRE_ERR_USAGE, "dt");
    BAD_LJ(lj.ensemble = (torre_md_ensemble)9, TORRE_ERR_USAGE, "ensemble");
    BAD_LJ((lj.ensemble = TORRE_LANGEVIN, lj.damping_time = -1), TORRE_ERR_USAGE, "damping");
    BAD_LJ((lj.ensemble = TORRE_NPT, lj.pressure = NAN), TORRE_ERR_USAGE, "pressure");
    BAD_LJ((lj.ensemble = TORRE_NPT, lj.pressure_damping = 0.04), TORRE_ERR_USAGE, "ten time");
    BAD_LJ((lj.ensemble = TORRE_NPT, lj.pressure_axes = (torre_md_pressure_axes)2), TORRE_ERR_USAGE,
           "pressure_axes");
    BAD_LJ(lj.precision = (torre_md_precision)9, TORRE_ERR_USAGE, "precision");
    BAD_LJ(lj.input = "no.data", TORRE_ERR_INPUT, "no.data");
    BAD_LJ(lj.input = "no.txt", TORRE_ERR_INPUT, "no.txt");
    BAD_LJ(lj.count = -1, TORRE_ERR_USAGE, "position");
    BAD_LJ((lj.count = 3, lj.position[0] = lj.position[1] = lj.position[2] = r, lj.box[0] = 9,
            lj.box[1] = 9, lj.box[2] = 9),
           TORRE_ERR_INPUT, "particle 2: x = nan");
    BAD_LJ((lj.count = 3, lj.box[0] = 9, lj.box[1] = 9, lj.box[2] = 9), TORRE_ERR_USAGE,
           "position");
}

static void test_md_plan(void **state)
{
    (void)state;
    const torre_lj lj = small_melt();
    torre_particles *melt;
    OK(torre_particles_lj(&lj, &melt));
    BAD_MD_PLAN(plan.neighbor = (torre_neighbor)9, "neighbor");
    BAD_MD_PLAN(plan.bin_stencil = (torre_bin_stencil)9, "stencil");
    BAD_MD_PLAN(plan.skin = -1, "skin");
    BAD_MD_PLAN(plan.skin = 20, "skin");
    BAD_MD_PLAN(plan.rebuild_every = -1, "rebuild_every");
    BAD_MD_PLAN(plan.sort_every = -3, "sort_every");
    BAD_MD_PLAN(plan.bin_size = -1, "bin_size");
    BAD_MD_PLAN(plan.threads = -1, "threads");
    BAD_MD_PLAN(plan.ordering.kind = (torre_ordering_kind)50, "ordering");
    OK(torre_particles_start(melt, "cpu", &md_plan)); /* after all these */
    torre_particles_free(melt);
}

static torre_granular small_gas(void)
{
    return (torre_granular){.dimensions = 3,
                            .size = {0.012, 0.012, 0.012},
                            .diameter = 1e-3,
                            .mass = 1.3e-6,
                            .stiffness = 1000,
                            .restitution = 0.8,
                            .wall_restitution = 0.8,
                            .filling = 0.2,
                            .temperature = 0.01,
                            .sweeps = 10};
}

#define BAD_GAS(change, text)                                                                      \
    do {                                                                                           \
        torre_granular gas = small_gas();                                                          \
        torre_particles *p = NULL;                                                                 \
        change;                                                                                    \
        check_refusal(#change, torre_particles_granular(&gas, 0, TORRE_MD_F64, &p),                \
                      TORRE_ERR_USAGE, text);                                                      \
        assert_null(p);                                                                            \
    } while (0)

static void test_granular(void **state)
{
    (void)state;
    torre_granular gas = small_gas();
    torre_particles *p = NULL;
    REFUSED(torre_particles_granular(&gas, 1, TORRE_MD_F64, &p), TORRE_ERR_UNSTABLE, "dt");
    REFUSED(torre_particles_granular(&gas, -1, TORRE_MD_F64, &p), TORRE_ERR_USAGE, "dt");
    REFUSED(torre_particles_granular(&gas, 0, (torre_md_precision)9, &p), TORRE_ERR_USAGE,
            "precision");
    assert_null(p);
    OK(torre_particles_granular(&gas, 0, TORRE_MD_MIXED, &p));
    OK(torre_particles_start(p, "cpu", NULL));
    OK(torre_particles_advance(p, 20, NULL));
    assert_true(torre_particles_row(p)->lost > 0);
    torre_particles_free(p);
    gas.friction = 0.5;
    gas.sizes = TORRE_GRANULAR_UNIFORM_SIZES;
    gas.size_ratio = 0.5;
    OK(torre_particles_granular(&gas, 0, TORRE_MD_F32, &p));
    OK(torre_particles_start(p, "cpu", NULL));
    OK(torre_particles_advance(p, 20, NULL));
    OK(torre_particles_save(p, "rough.dump"));
    unlink("rough.dump");
    torre_particles_free(p);
}

static void test_granular_refused(void **state)
{
    (void)state;
    BAD_GAS(gas.dimensions = 4, "dimensions");
    BAD_GAS(gas.size[0] = 0, "size");
    BAD_GAS(gas.diameter = NAN, "diameter");
    BAD_GAS(gas.mass = 0, "mass");
    BAD_GAS(gas.stiffness = -1, "stiffness");
    BAD_GAS(gas.gas = (torre_granular_gas)9, "gas");
    BAD_GAS(gas.restitution = 2, "restitution");
    BAD_GAS((gas.walls = true, gas.wall_restitution = 0), "wall_restitution");
    BAD_GAS(gas.gravity = 1, "gravity");
    BAD_GAS(gas.shake_amplitude = 1, "shake");
    BAD_GAS(gas.filling = 0.8, "filling");
    BAD_GAS(gas.temperature = -1, "temperature");
    BAD_GAS(gas.sweeps = -1, "sweeps");
    BAD_GAS(gas.friction = -1, "friction");
    BAD_GAS((gas.walls = true, gas.wall_friction = -1), "wall_friction");
    BAD_GAS(gas.wall_friction = 1, "walls");
    BAD_GAS(gas.rolling_friction = NAN, "rolling_friction");
    BAD_GAS(gas.tangential_stiffness = -1, "tangential_stiffness");
    BAD_GAS(gas.tangential_restitution = 2, "tangential_restitution");
    BAD_GAS(gas.side_walls = true, "walls");
    BAD_GAS(gas.sizes = (torre_granular_sizes)9, "sizes");
    BAD_GAS(gas.sizes = TORRE_GRANULAR_TWO_SIZES, "size_ratio");
    BAD_GAS(gas.incline = 10, "gravity");
    BAD_GAS((gas.friction = 1, gas.gas = TORRE_GRANULAR_IDEAL), "gas");
}

static torre_fluid_dam small_dam(void)
{
    return (torre_fluid_dam){
        .tank = {.dims = 2, .spacing = 0.02, .column = {0.2, 0.4}, .size = {0.8, 0.6}},
        .gravity = 9.81,
        .precision = TORRE_MD_F64};
}

static torre_status on_fluid_frame(void *context, torre_fluid *fluid)
{
    if (torre_fluid_row(fluid)->step % 5) return torre_fail(TORRE_ERR_USAGE, "not a fifth step");
    return next_frame(context);
}

static void test_fluid(void **state)
{
    (void)state;
    const torre_fluid_dam dam = small_dam();
    const double bottom[3] = {0.1, 0.01, 0};
    watcher w = {0};
    torre_fluid_watch watch = {
        .every = 5, .frame = on_fluid_frame, .stop = next_stop, .context = &w};
    torre_fluid *f;
    double origin[3];
    OK(torre_fluid_new(&dam, &f));
    const int64_t count = torre_fluid_count(f), moving = torre_fluid_moving(f);
    assert_true(moving == 200 && count > moving && torre_fluid_dt(f) > 0);
    torre_fluid_origin(f, origin);
    assert_true(origin[0] > 0 && origin[1] > 0);
    assert_null(torre_fluid_row(f));
    assert_true(torre_fluid_rate(f) == 0);
    double *x = malloc(sizeof *x * (size_t)count), *n = malloc(sizeof *n * (size_t)count);
    assert_true(x && n);
    REFUSED(torre_fluid_advance(f, 1, NULL), TORRE_ERR_USAGE, "not been started");
    REFUSED(torre_fluid_save(f, "f.xyz"), TORRE_ERR_USAGE, "not been started");
    REFUSED(torre_fluid_get(f, NULL, NULL, n, NULL), TORRE_ERR_USAGE, "not been started");
    REFUSED(torre_fluid_start(f, "steam", NULL), TORRE_ERR_USAGE, "steam");
    REFUSED(torre_fluid_start(f, "cpu", &(torre_md_plan){.skin = -1}), TORRE_ERR_USAGE, "skin");
    REFUSED(torre_fluid_start(f, "cpu", &(torre_md_plan){.threads = -1}), TORRE_ERR_USAGE,
            "threads");
    OK(torre_fluid_start(f, "cpu", &md_plan));
    REFUSED(torre_fluid_start(f, "cpu", &md_plan), TORRE_ERR_USAGE, "been started");
    REFUSED(torre_fluid_advance(f, -1, NULL), TORRE_ERR_USAGE, "steps");
    OK(torre_fluid_advance(f, 10, &watch));
    assert_int_equal(w.frames, 2);
    assert_true(torre_fluid_row(f)->step == 10 && torre_fluid_rate(f) > 0);
    assert_true(isfinite(torre_fluid_gauge(f, bottom)));
    assert_true(isfinite(torre_fluid_probe(f, bottom)));
    assert_true(fabs(torre_fluid_height(f, 0.02, 0) - 0.4) < 0.02); /* it has hardly begun */
    w = (watcher){.fail_at = 1};
    REFUSED(torre_fluid_advance(f, 10, &watch), TORRE_ERR_INPUT, "frame 1");
    w = (watcher){.stop_at = 1};
    OK(torre_fluid_advance(f, 100000, &watch));
    assert_true(torre_fluid_row(f)->step < 100000);
    watch = (torre_fluid_watch){.every = -1};
    REFUSED(torre_fluid_advance(f, 1, &watch), TORRE_ERR_USAGE, "every");
    OK(torre_fluid_get(f, (double *const[3]){x, NULL, NULL}, NULL, NULL, n));
    double most = 0;
    for (int64_t i = 0; i < moving; i++) most = fmax(most, n[i]);
    assert_true(most > 0);
    OK(torre_fluid_save(f, "f.xyz"));
    REFUSED(torre_fluid_save(f, "f.txt"), TORRE_ERR_USAGE, ".xyz");
    unlink("f.xyz");
    assert_int_equal(scratch_entries(), 0);
    free(x);
    free(n);
    torre_fluid_free(f);
    torre_fluid_free(NULL);
}

#define BAD_DAM(change, text)                                                                      \
    do {                                                                                           \
        torre_fluid_dam dam = small_dam();                                                         \
        torre_fluid *f = NULL;                                                                     \
        change;                                                                                    \
        check_refusal(#change, torre_fluid_new(&dam, &f), TORRE_ERR_USAGE, text);                  \
        assert_null(f);                                                                            \
    } while (0)

static void test_fluid_refused(void **state)
{
    (void)state;
    torre_fluid_dam slow = small_dam();
    torre_fluid *none = NULL;
    slow.dt = 1;
    BAD_DAM(dam.tank.dims = 1, "dimensions");
    BAD_DAM(dam.tank.dims = 7, "dimensions");
    BAD_DAM(dam.tank.spacing = 0, "spacing");
    BAD_DAM(dam.tank.influence = -1, "influence");
    BAD_DAM(dam.tank.influence = 1e3, "influence");
    BAD_DAM(dam.tank.column[0] = NAN, "column");
    BAD_DAM(dam.tank.waters = TORRE_MPS_BOXES + 1, "water");
    BAD_DAM(dam.tank.gate.x = 9, "gate");
    BAD_DAM(dam.tank.column[1] = 9, "tank");
    BAD_DAM(dam.tank.size[0] = 0, "tank");
    BAD_DAM(dam.density = -1, "density");
    BAD_DAM(dam.viscosity = -1, "viscosity");
    BAD_DAM(dam.gravity = -1, "gravity");
    BAD_DAM(dam.gravity = 0, "sound_speed");
    BAD_DAM(dam.sound_speed = -1, "sound");
    BAD_DAM(dam.surface = 2, "surface");
    REFUSED(torre_fluid_new(&slow, &none), TORRE_ERR_UNSTABLE, "dt");
    BAD_DAM(dam.precision = (torre_md_precision)9, "precision");
}

/* A wave, a melt and a failure of one's own, from start to end. */
typedef struct side {
    int number;
    float field[CELLS];
    double energy;
    torre_status status;
    char text[100];
} side;

static void *run_side(void *context)
{
    side *s = context;
    const torre_wave_problem p = small_problem();
    const torre_lj lj = small_melt();
    const torre_md_plan plan = {.threads = 1, .deterministic = true};
    torre_wave_run *run = NULL;
    torre_particles *melt = NULL;
    torre_fail(TORRE_ERR_INPUT, "side %d", s->number);
    s->status = torre_wave_run_new(&p, "cpu", &small_plan, &run);
    if (!s->status) s->status = torre_wave_run_start(run, NULL, NULL);
    if (!s->status) s->status = torre_wave_run_advance(run, STEPS, NULL);
    if (!s->status) s->status = torre_wave_run_field(run, 0, s->field);
    torre_wave_run_free(run);
    if (!s->status) s->status = torre_particles_lj(&lj, &melt);
    if (!s->status) s->status = torre_particles_start(melt, "cpu", &plan);
    if (!s->status) s->status = torre_particles_advance(melt, 50, NULL);
    if (!s->status) s->energy = torre_particles_row(melt)->total_energy;
    torre_particles_free(melt);
    snprintf(s->text, sizeof s->text, "%s", torre_error_text());
    return NULL;
}

/* Two threads get what one gets, bit for bit, each with its own last failure. */
static void test_side_by_side(void **state)
{
    (void)state;
    static side alone, two[2];
    pthread_t thread[2];
    run_side(&alone);
    assert_int_equal(alone.status, TORRE_OK);
    for (int k = 0; k < 2; k++) {
        two[k].number = k + 1;
        assert_int_equal(pthread_create(&thread[k], NULL, run_side, &two[k]), 0);
    }
    for (int k = 0; k < 2; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(two[k].status, TORRE_OK);
        assert_memory_equal(two[k].field, alone.field, sizeof alone.field);
        assert_true(two[k].energy == alone.energy);
        assert_string_equal(two[k].text, k ? "side 2" : "side 1");
    }
    assert_string_equal(torre_error_text(), "side 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_ordering_words),
        cmocka_unit_test(test_ordering),
        cmocka_unit_test(test_wave_words),
        cmocka_unit_test(test_wave_problem),
        cmocka_unit_test(test_wave_plan),
        cmocka_unit_test(test_wave_before_start),
        cmocka_unit_test(test_wave_run),
        cmocka_unit_test(test_wave_fields),
        cmocka_unit_test(test_wave_files),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_wavelets),
        cmocka_unit_test(test_wave_spec),
        cmocka_unit_test(test_particles),
        cmocka_unit_test(test_grains),
        cmocka_unit_test(test_pressure),
        cmocka_unit_test(test_lj_refused),
        cmocka_unit_test(test_md_plan),
        cmocka_unit_test(test_granular),
        cmocka_unit_test(test_fluid),
        cmocka_unit_test(test_fluid_refused),
        cmocka_unit_test(test_spec_refused),
        cmocka_unit_test(test_granular_refused),
        cmocka_unit_test(test_side_by_side),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
