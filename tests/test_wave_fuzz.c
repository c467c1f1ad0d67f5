/*
 * Random problems, fixed seeds: stepwise and torre against the reference, and against each other
 * bit by bit, whatever the sizes, faces, models, points, plans and the lengths of the advances.
 *
 *     test_wave_fuzz [BACKEND [ENGINE [COUNT [FIRST SEED]]]]
 *
 * Tolerance: both results are within the bound of wave_case.h of the exact one, in the norm
 * weighted by 1 / c^2, hence 2 (c_max / c_min) wave_rounding(N) |U|_2. A wrong ghost shows far
 * above that in f64. For f32 the bound is taken cell by cell (rounding errors have no reason to
 * gather in one cell), and what is left is seen by comparing bits: all engines of a backend do the
 * same arithmetic.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/turn.h"
#include "wave_case.h"

enum { MOST_POINTS = 8, MOST_STEPS = 24 };

/* A random problem with what it points to. */
typedef struct fuzz_case {
    uint64_t seed, random;
    bool plane; /* of two dimensions */
    torre_wave_problem p;
    torre_array model;
    double *now, *previous;
    torre_point sources[MOST_POINTS], receivers[MOST_POINTS];
    double wavelet[MOST_STEPS];
    int64_t cells;
    char text[512];
} fuzz_case;

/* An integer in low .. high. */
static int64_t pick(fuzz_case *f, int64_t low, int64_t high)
{
    int64_t i = low + (int64_t)((wave_random(&f->random) + 1) / 2 * (double)(high - low + 1));
    return i > high ? high : i;
}

static double between(fuzz_case *f, double low, double high)
{
    return low + (wave_random(&f->random) + 1) / 2 * (high - low);
}

static void pick_points(fuzz_case *f, torre_point *points, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        for (int a = 0; a < 3; a++) {
            int64_t last = f->p.size[a] - 1, kind = pick(f, 0, 4);
            double x = between(f, 0, (double)last);
            if (kind == 0) x = 0;
            if (kind == 1) x = (double)last;
            if (kind == 2) x = floor(x);
            points[i].position[a] = torre_wave_is_flat(&f->p, a) ? 0 : x * f->p.spacing[a];
        }
        points[i].amplitude = between(f, -1, 1);
        points[i].component = TORRE_PRESSURE;
    }
}

static void pick_faces(fuzz_case *f)
{
    for (int a = 0; a < 3; a++) {
        /* periodic x and y are rare: towers may refuse them */
        bool wraps = pick(f, 0, a == 2 ? 3 : 15) == 0;
        for (int side = 0; side < 2; side++)
            f->p.face[a][side] = wraps ? TORRE_PERIODIC : (torre_face)pick(f, 0, 2);
    }
    f->p.absorbing_width = (int)pick(f, 1, 12);
    if (pick(f, 0, 1)) wave_case_pml(&f->p);
}

static void pick_model(fuzz_case *f)
{
    torre_wave_problem *p = &f->p;
    int64_t kind = pick(f, 0, 4); /* 0, 1: constant */
    p->velocity = between(f, 500, 5000);
    if (kind < 2) return;
    f->model.precision = pick(f, 0, 1) ? TORRE_F32 : TORRE_F64;
    memcpy(f->model.shape, p->size, sizeof f->model.shape);
    if (kind == 2) f->model.shape[1] = 1;
    int64_t count = f->model.shape[0] * f->model.shape[1] * f->model.shape[2];
    f->model.data = wave_alloc(count, (size_t)f->model.precision);
    for (int64_t i = 0; i < count; i++) {
        double c = between(f, 1000, 3000);
        if (f->model.precision == TORRE_F32)
            ((float *)f->model.data)[i] = (float)c;
        else
            ((double *)f->model.data)[i] = c;
    }
    p->velocity_cells = &f->model;
}

/* One case of five is a plane, of cells enough for several windows and towers. */
static void pick_size(fuzz_case *f, int64_t n[3])
{
    for (int a = 0; a < 3; a++) {
        int64_t kind = pick(f, 0, 5);
        n[a] = kind == 0 ? pick(f, 1, 4) : kind == 1 ? 8 * pick(f, 1, 5) : pick(f, 1, 40);
    }
    int64_t shape = pick(f, 0, 9);
    if (shape == 0) { /* needles */
        for (int a = 0; a < 3; a++) n[a] = pick(f, 1, 5);
        n[pick(f, 0, 2)] = pick(f, 300, 1500);
    } else if (shape < 4) { /* tall columns */
        for (int a = 0; a < 2; a++) n[a] = pick(f, 1, 15);
        n[2] = pick(f, 30, 300);
    }
    f->plane = pick(f, 0, 4) == 0;
    if (f->plane) n[0] *= pick(f, 1, 4), n[1] = 1;
}

static void fuzz_case_make(fuzz_case *f, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    f->seed = seed;
    f->random = seed * 1000003;
    int64_t n[3];
    pick_size(f, n);
    f->p = wave_case_problem(n[0], n[1], n[2], 2 * (int)pick(f, 1, TORRE_MAX_HALF_WIDTH));
    f->p.precision = pick(f, 0, 1) ? TORRE_F32 : TORRE_F64;
    for (int a = 0; a < 3; a++) f->p.spacing[a] = between(f, 7, 13);
    pick_faces(f);
    pick_model(f);
    if (f->plane) wave_case_flatten(&f->p);
    wave_case_courant(&f->p, between(f, 0.3, 0.99));
    f->p.steps = pick(f, 1, MOST_STEPS);
    f->p.source_count = pick(f, 0, 3) ? pick(f, 1, MOST_POINTS) : 0;
    f->p.receiver_count = pick(f, 0, 3) ? pick(f, 1, MOST_POINTS) : 0;
    pick_points(f, f->sources, f->p.source_count);
    pick_points(f, f->receivers, f->p.receiver_count);
    f->p.sources = f->sources;
    f->p.receivers = f->receivers;
    wave_random_field(&f->random, f->wavelet, MOST_STEPS);
    /* sources as strong as the fields, whatever the units */
    const double scale = 1 / torre_wave_source_scale(&f->p);
    for (int i = 0; i < MOST_STEPS; i++) f->wavelet[i] *= scale;
    f->p.wavelet = f->wavelet;
    f->cells = n[0] * n[1] * n[2];
    f->now = wave_alloc(f->cells, sizeof(double));
    f->previous = wave_alloc(f->cells, sizeof(double));
    if (pick(f, 0, 4)) wave_random_field(&f->random, f->now, f->cells);
    if (pick(f, 0, 1)) wave_random_field(&f->random, f->previous, f->cells);
    snprintf(
        f->text, sizeof f->text,
        "seed %llu: %s%lldx%lldx%lld order %d %s faces %d%d %d%d %d%d %s %d model %d steps %lld "
        "sources %lld receivers %lld",
        (unsigned long long)seed, f->plane ? "plane " : "", (long long)n[0], (long long)n[1],
        (long long)n[2], f->p.order, f->p.precision == TORRE_F32 ? "f32" : "f64", f->p.face[0][0],
        f->p.face[0][1], f->p.face[1][0], f->p.face[1][1], f->p.face[2][0], f->p.face[2][1],
        f->p.absorbing == TORRE_PML ? "pml" : "sponge", f->p.absorbing_width,
        f->p.velocity_cells ? (int)f->model.shape[1] : 0, (long long)f->p.steps,
        (long long)f->p.source_count, (long long)f->p.receiver_count);
}

static void fuzz_case_free(fuzz_case *f)
{
    free(f->model.data);
    free(f->now);
    free(f->previous);
}

/* What a run leaves. */
typedef struct outcome {
    char name[128];
    double *level[2], *samples;
    int64_t count;    /* of samples */
    double norm, top; /* largest Euclidean and maximum norm of any level (reference only) */
} outcome;

static void outcome_free(outcome *o)
{
    free(o->level[0]);
    free(o->level[1]);
    free(o->samples);
    memset(o, 0, sizeof *o);
}

/* Advance in pieces of 1 .. longest steps. */
static bool compute(fuzz_case *f, const wave_way *way, int64_t longest, outcome *o)
{
    wave_sim sim;
    memset(o, 0, sizeof *o);
    if (!wave_sim_open(&sim, &f->p, way)) return false;
    const torre_wave_plan *plan = &way->plan;
    snprintf(o->name, sizeof o->name, "%s dts %d height %lld ordering %d threads %d pieces %lld",
             way->name, plan->dts, (long long)plan->tower_height, (int)plan->ordering.kind,
             plan->threads, (long long)longest);
    int64_t nodes = sim.setup->receiver_node_count;
    o->samples = wave_alloc(nodes * f->p.steps, sizeof(double));
    for (int l = 0; l < 2; l++) o->level[l] = wave_alloc(f->cells, sizeof(double));
    if (pick(f, 0, 7) == 0) { /* what was there before must not matter */
        wave_sim_set(&sim, f->previous, f->now);
        wave_sim_advance(&sim, pick(f, 0, f->p.steps));
    }
    wave_sim_set(&sim, f->now, f->previous);
    o->norm = fmax(wave_norm(f->now, f->cells), wave_norm(f->previous, f->cells));
    while (sim.n < f->p.steps) {
        int64_t left = f->p.steps - sim.n, length = pick(f, 1, longest < left ? longest : left);
        wave_sim_advance(&sim, length);
        for (int64_t i = 0; i < length * nodes; i++) o->samples[o->count++] = sim.samples[i];
        if (longest > 1) continue;
        wave_sim_get(&sim, 0, o->level[0]);
        o->norm = fmax(o->norm, wave_norm(o->level[0], f->cells));
        for (int64_t i = 0; i < f->cells; i++) o->top = fmax(o->top, fabs(o->level[0][i]));
    }
    wave_sim_get(&sim, 0, o->level[0]);
    wave_sim_get(&sim, -1, o->level[1]);
    wave_sim_close(&sim);
    return true;
}

static void compare_with_reference(const fuzz_case *f, const outcome *exact, const outcome *o)
{
    double low, high, rounding = wave_rounding(&f->p, f->p.steps);
    torre_wave_velocity_range(&f->p, &low, &high);
    double bound = 2 * high / low * rounding * exact->norm;
    if (f->p.precision == TORRE_F32) bound = fmin(bound, 2 * rounding * fmax(exact->top, 1));
    for (int l = 0; l < 2; l++)
        for (int64_t i = 0; i < f->cells; i++)
            CHECK(fabs(o->level[l][i] - exact->level[l][i]) <= bound,
                  "%s; %s: level %d cell %lld is %g, reference %g, bound %g", f->text, o->name, -l,
                  (long long)i, o->level[l][i], exact->level[l][i], bound);
    for (int64_t i = 0; i < exact->count; i++)
        CHECK(fabs(o->samples[i] - exact->samples[i]) <= bound,
              "%s; %s: sample %lld is %g, reference %g, bound %g", f->text, o->name, (long long)i,
              o->samples[i], exact->samples[i], bound);
}

static void compare_bits(const fuzz_case *f, const outcome *a, const outcome *b)
{
    for (int l = 0; l < 2; l++)
        for (int64_t i = 0; i < f->cells; i++)
            CHECK(a->level[l][i] == b->level[l][i], "%s; level %d cell %lld: %s: %.17g, %s: %.17g",
                  f->text, -l, (long long)i, a->name, a->level[l][i], b->name, b->level[l][i]);
    for (int64_t i = 0; i < a->count; i++)
        CHECK(a->samples[i] == b->samples[i], "%s; sample %lld: %s: %.17g, %s: %.17g", f->text,
              (long long)i, a->name, a->samples[i], b->name, b->samples[i]);
}

/* axes: those of all ways of a case, since bits depend on them. */
static wave_way random_way(fuzz_case *f, torre_engine engine, const char *axes)
{
    wave_way way = {.plan = {.engine = engine}};
    snprintf(way.name, sizeof way.name, "%s", torre_engine_name(engine));
    way.plan.dts = (int)pick(f, 0, 5);
    way.plan.tower_height = pick(f, 0, 3) ? pick(f, 1, 2 * MOST_STEPS) : 0;
    way.plan.ordering.kind = (torre_ordering_kind)pick(f, 0, 2); /* row-major, morton, hilbert */
    way.plan.threads = (int)pick(f, 0, 5);
    strcpy(way.plan.axes, axes);
    return way;
}

static long long case_count = 400, first_seed = 1;

static void engines_agree_on_random_problems(void **state)
{
    (void)state;
    const wave_way reference = {.name = "reference", .plan = {.engine = TORRE_REFERENCE}};
    const torre_wave_backend *backend = wave_backend, *cpu = NULL;
    CHECK_OK(torre_wave_backend_find("cpu", NULL, &cpu));
    for (long long seed = first_seed; seed < first_seed + case_count; seed++) {
        fuzz_case f;
        fuzz_case_make(&f, (uint64_t)seed);
        outcome exact, first = {0}, o;
        wave_backend = cpu;
        CHECK(compute(&f, &reference, 1, &exact), "the reference refuses");
        wave_backend = backend;
        const int order = (int)pick(&f, 0, TORRE_AXIS_ORDERS);
        const char *axes = order < TORRE_AXIS_ORDERS ? torre_axis_orders[order] : "";
        if (f.plane && axes[0] == 'y') axes = ""; /* refused */
        for (int e = TORRE_STEPWISE; e <= TORRE_TORRE; e++) {
            for (int repeat = 0; repeat < 3 && wave_wants((torre_engine)e); repeat++) {
                wave_way way = random_way(&f, (torre_engine)e, axes);
                int64_t longest = repeat == 0 ? f.p.steps : pick(&f, 2, MOST_STEPS);
                if (!compute(&f, &way, longest, &o)) continue;
                compare_with_reference(&f, &exact, &o);
                if (first.count || first.level[0]) {
                    compare_bits(&f, &first, &o);
                    outcome_free(&o);
                } else {
                    first = o;
                }
            }
        }
        outcome_free(&exact);
        outcome_free(&first);
        fuzz_case_free(&f);
    }
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    if (argc > 3) case_count = atoll(argv[3]);
    if (argc > 4) first_seed = atoll(argv[4]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree_on_random_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
