/*
 * The cuda backend against the reference engine: every order, dts, precision and face kind, odd and
 * thin sizes, models, damping, sources and receivers. Needs no test library, so that it builds on a
 * bare GPU machine. Exit code 77: no usable GPU.
 *
 * Tolerance: an update adds numbers whose magnitudes sum to at most 7.7 U (U the largest |u|; below
 * the stability limit (c dt)^2 sum S / h^2 <= 4; see wave_case.h), each through at most 6 R + 6
 * roundings in a kernel (the weight, 6 R + 2 operations in a chain, damping) and 2 R + 6 in the
 * reference, so that a step parts them by at most gamma eps U a cell, gamma = 7.7 (8 R + 12). An
 * error committed k steps ago has grown by at most k in every mode, so after N steps |error|_2 <=
 * gamma eps |U|_2 N (N + 1) / 2,  |U|_2 the largest norm of any level so far. stepwise and torre
 * must agree bit for bit. Where density varies gamma is 1.7 times that (wave_case.h).
 *
 * Usage: test_wave_cuda [all|small|pml|parts|slides|density|sums|many] [ORDER]   (small: for the
 * sanitizers; the others alone: pml layers, parts parts of problems, slides those by steps that
 * slide, density such as varies, sums receivers between the nodes, many so many of them that they
 * have kernels of their own)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend.h"
#include "cuda/wave/wave_args.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_solver.h"
#include "tiling/diamond.h"
#include "wave/backend.h"
#include "wave/box.h"
#include "wave/cpu/backend_cpu.h"
#include "wave/initial.h"
#include "wave/part.h"
#include "wave/planes.h"
#include "wave/program.h"
#include "wave/ring_program.h"
#include "wave/stencil.h"
#include "wave/traces.h"

static int checks, failures;

static void fail(const char *what, const char *why)
{
    failures++;
    printf("FAIL %s: %s\n", what, why);
    fflush(stdout);
}

static void must(torre_status status, const char *what)
{
    if (!status) return;
    printf("FAIL %s: status %d: %s\n", what, (int)status, torre_error_text());
    exit(1);
}

static void *memory(size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);
    if (!p) exit(1);
    return p;
}

static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

/* A problem with everything it points to. */
typedef struct sample_problem {
    char name[128];
    torre_wave_problem p;
    torre_array model, density;
    torre_point source[6], receiver[25];
    double wavelet[64];
    void *now, *previous;
    int64_t cells;
    const char *axes; /* the order in which engines take them; "": as they choose */
} sample_problem;

static void fill_field(const torre_wave_problem *p, void *u, uint64_t *state)
{
    int64_t n = p->size[0] * p->size[1] * p->size[2];
    for (int64_t i = 0; i < n; i++) {
        if (p->precision == TORRE_F32)
            ((float *)u)[i] = (float)noise(state);
        else
            ((double *)u)[i] = noise(state);
    }
}

/* model: 0 constant, 1 per cell, 2 without y; square: the same spacing along x and y, for which
 * order 2 has kernels of its own. */
static sample_problem *new_problem_spaced(const char *name, int order, torre_precision precision,
                                          int64_t nx, int64_t ny, int64_t nz, int model,
                                          bool points, bool square)
{
    sample_problem *s = memory(sizeof *s);
    torre_wave_problem *p = &s->p;
    uint64_t state = 12345 + (uint64_t)order;
    const double spacing[3] = {10, square ? 10 : 11, 9.5};
    p->size[0] = nx, p->size[1] = ny, p->size[2] = nz;
    for (int a = 0; a < 3; a++) p->spacing[a] = spacing[a];
    p->order = order;
    p->precision = precision;
    p->velocity = 2000;
    p->absorbing_width = 5;
    p->steps = 64;
    s->cells = nx * ny * nz;
    s->axes = "xyz";
    p->dt = 0.9 * torre_wave_dt_limit(order, spacing, 2000);
    if (model) {
        s->model = (torre_array){TORRE_F32, {nx, model == 1 ? ny : 1, nz}, NULL};
        int64_t n = nx * s->model.shape[1] * nz;
        float *c = s->model.data = memory((size_t)n * sizeof *c);
        for (int64_t i = 0; i < n; i++) c[i] = (float)(1500 + 499 * noise(&state));
        p->velocity_cells = &s->model;
    }
    for (int i = 0; i < 64; i++) s->wavelet[i] = cos(0.3 * i);
    p->wavelet = s->wavelet;
    for (int i = 0; i < 9; i++)
        for (int a = 0; a < 3; a++) {
            double top = (double)(p->size[a] - 1) * p->spacing[a];
            double at = 0.5 * (1 + noise(&state));
            if (i % 3 == 0) at = floor(at * (double)p->size[a]) / (double)p->size[a];
            if (i == 5 && a == 2) /* near the upper face: it has images beyond it */
                s->source[i].position[a] = fmax(0, top - 1.5 * p->spacing[a]);
            else if (i < 6)
                s->source[i].position[a] = at * top;
            s->receiver[i].position[a] = (1 - at) * top;
            if (i < 6) s->source[i].amplitude = 5e7 * (1 + i);
        }
    for (int i = 9; i < 25; i++) /* in a line along z: more than a tower lists */
        for (int a = 0; a < 3; a++)
            s->receiver[i].position[a] =
                (a < 2 ? 0.4 : (i - 9) / 15.0) * (double)(p->size[a] - 1) * p->spacing[a];
    p->sources = s->source;
    p->receivers = s->receiver;
    p->source_count = points ? 6 : 0;
    p->receiver_count = points ? 25 : 0;
    s->now = memory((size_t)s->cells * (size_t)precision);
    s->previous = memory((size_t)s->cells * (size_t)precision);
    fill_field(p, s->now, &state);
    fill_field(p, s->previous, &state);
    snprintf(s->name, sizeof s->name, "%s order %d f%d %lldx%lldx%lld", name, order,
             8 * (int)precision, (long long)nx, (long long)ny, (long long)nz);
    return s;
}

/* Half of them square. */
static sample_problem *new_problem(const char *name, int order, torre_precision precision,
                                   int64_t nx, int64_t ny, int64_t nz, int model, bool points)
{
    static int problems;
    return new_problem_spaced(name, order, precision, nx, ny, nz, model, points,
                              problems++ % 6 < 3);
}

static void free_problem(sample_problem *s)
{
    free(s->model.data);
    free(s->density.data);
    free(s->now);
    free(s->previous);
    free(s);
}

/* Everything one run gives. */
typedef struct outcome {
    void *level[2], *samples;
    size_t field_bytes, sample_bytes;
    double top;   /* largest norm on the way */
    char axes[4]; /* as taken */
    torre_engine engine;
    torre_stepwise_reason reason;
    int64_t windows; /* through which it streams */
} outcome;

static void free_outcome(outcome *o)
{
    free(o->level[0]);
    free(o->level[1]);
    free(o->samples);
}

/* A plane across every axis beside the whole field. */
static void check_planes(const sample_problem *s, torre_wave_solver *solver, const void *field)
{
    const int64_t *n = s->p.size;
    size_t size = (size_t)s->p.precision;
    for (int axis = 0; axis < 3; axis++) {
        int64_t count = s->cells / n[axis], index = (n[axis] - 1) * 2 / 3, wrong = 0;
        char *plane = memory((size_t)count * size);
        const torre_box box = torre_box_plane(n, axis, index);
        int64_t stride[3];
        torre_box_strides(&box, stride);
        must(solver->backend->read_box(solver, 0, &box, stride, plane), s->name);
        for (int64_t i = 0; i < count; i++) {
            int64_t cell = axis == 0   ? index * n[1] * n[2] + i
                           : axis == 1 ? (i / n[2] * n[1] + index) * n[2] + i % n[2]
                                       : i * n[2] + index;
            wrong += memcmp(plane + (size_t)i * size, (const char *)field + (size_t)cell * size,
                            size) != 0;
        }
        free(plane);
        checks++;
        if (wrong) fail(s->name, "a plane is not that of the field");
    }
}

/* What receivers record in so many steps, by rows of a step: as the backend sums them, or from its
 * samples of nodes. */
static void advance_recording(const sample_problem *s, torre_wave_solver *solver,
                              const torre_wave_setup *setup, int64_t steps, outcome *o)
{
    const int64_t receivers = s->p.receiver_count;
    torre_array traces = {0};
    o->sample_bytes = (size_t)(steps * receivers) * (size_t)s->p.precision;
    o->samples = memory(o->sample_bytes);
    if (torre_wave_program_sums(solver->program)) {
        must(solver->backend->advance_receivers(solver, steps, o->samples), s->name);
        return;
    }
    void *nodes = memory((size_t)(steps * setup->receiver_node_count) * (size_t)s->p.precision);
    must(solver->backend->advance(solver, steps, nodes), s->name);
    must(torre_traces_new(&s->p, &traces), s->name);
    torre_traces_weigh(setup, nodes, steps);
    if (receivers) torre_traces_record(setup, false, nodes, 0, steps, &traces);
    for (int64_t r = 0; r < receivers; r++)
        for (int64_t n = 0; n < steps; n++)
            torre_value_set(s->p.precision, o->samples, n * receivers + r,
                            torre_value(s->p.precision, traces.data, r * traces.shape[1] + 1 + n));
    free(traces.data);
    free(nodes);
}

/* Planes of a window beside the least that it can have, of two in memory: plans of grids as small
 * as these take one. Odd: the highest owns as few as it may. -1: as planned. */
static int64_t two_windows = -1;

static void take_two_windows(torre_wave_program *program)
{
    torre_ring_program *ring = (torre_ring_program *)program;
    if (two_windows < 0 || program->info.windows == 0) return;
    ring->hands = 2;
    ring->shape.even = true;
    ring->shape.stored =
        ring->shape.below + ring->shape.above + 2 * ring->shape.ends - 1 + two_windows;
    ring->shape.top = two_windows % 2 ? ring->shape.above + ring->shape.ends : 0;
}

/* 1: done, 0: refused. */
static int compute(const sample_problem *s, const torre_wave_backend *backend,
                   const torre_wave_plan *plan, int64_t steps, outcome *o)
{
    torre_wave_setup *setup;
    torre_wave_program *program;
    torre_wave_solver *solver;
    torre_wave_norms norms;
    must(torre_wave_problem_check(&s->p), s->name);
    must(torre_wave_setup_new(&s->p, &setup), s->name);
    if (backend->plan(setup, plan, &program)) {
        torre_wave_setup_free(setup);
        return 0;
    }
    take_two_windows(program);
    must(backend->create(program, &solver), s->name);
    must(torre_wave_set_fields(backend, solver, setup, s->now, s->previous), s->name);
    memset(o, 0, sizeof *o);
    o->field_bytes = (size_t)s->cells * (size_t)s->p.precision;
    o->windows = torre_wave_program_info(program)->windows;
    advance_recording(s, solver, setup, steps, o);
    for (int l = 0; l < 2; l++) {
        o->level[l] = memory(o->field_bytes);
        must(torre_wave_get_field(backend, solver, setup, -l, o->level[l]), s->name);
    }
    if (backend == &torre_wave_cuda) check_planes(s, solver, o->level[0]);
    const torre_wave_info *info = torre_wave_program_info(program);
    memcpy(o->axes, info->plan.axes, sizeof o->axes);
    o->engine = info->plan.engine;
    o->reason = info->reason;
    must(backend->norms(solver, &norms), s->name);
    o->top = norms.l2;
    backend->destroy(solver);
    torre_wave_setup_free(setup);
    return 1;
}

static void compare_rounding(const sample_problem *s, const char *what, const outcome *a,
                             const outcome *b, int64_t steps)
{
    double eps = s->p.precision == TORRE_F32 ? ldexp(1, -24) : ldexp(1, -53), top = 0;
    double gamma = 7.7 * (4 * s->p.order + 12) * (s->p.density_cells ? 1.7 : 1);
    char text[200];
    for (int l = 0; l < 2; l++) {
        double sum = 0;
        for (int64_t i = 0; i < s->cells; i++) {
            double v = torre_value(s->p.precision, a->level[l], i);
            sum += v * v;
        }
        if (sqrt(sum) > top) top = sqrt(sum);
    }
    double start = 0;
    for (int64_t i = 0; i < s->cells; i++)
        start += pow(torre_value(s->p.precision, s->now, i), 2) +
                 pow(torre_value(s->p.precision, s->previous, i), 2);
    if (sqrt(start) > top) top = sqrt(start);
    double bound = gamma * eps * top * (double)steps * (double)(steps + 1) / 2;
    for (int l = 0; l < 2; l++) {
        double sum = 0;
        for (int64_t i = 0; i < s->cells; i++) {
            double d = torre_value(s->p.precision, a->level[l], i) -
                       torre_value(s->p.precision, b->level[l], i);
            sum += d * d;
        }
        checks++;
        if (!(sqrt(sum) <= bound)) {
            snprintf(text, sizeof text, "%s, level -%d: differs by %.3e, bound %.3e", what, l,
                     sqrt(sum), bound);
            fail(s->name, text);
        }
    }
    int64_t samples = (int64_t)(a->sample_bytes / (size_t)s->p.precision);
    for (int64_t i = 0; i < samples; i++) {
        double d = fabs(torre_value(s->p.precision, a->samples, i) -
                        torre_value(s->p.precision, b->samples, i));
        if (!(d <= bound)) {
            snprintf(text, sizeof text, "%s: sample %lld differs by %.3e, bound %.3e", what,
                     (long long)i, d, bound);
            fail(s->name, text);
            return;
        }
    }
}

static void compare_bits(const sample_problem *s, const char *what, const outcome *a,
                         const outcome *b)
{
    char text[240];
    checks++;
    for (int l = 0; l < 2; l++) {
        int64_t wrong = 0, first = -1;
        for (int64_t i = 0; i < s->cells; i++) {
            size_t at = (size_t)i * (size_t)s->p.precision;
            if (memcmp((char *)a->level[l] + at, (char *)b->level[l] + at,
                       (size_t)s->p.precision) == 0)
                continue;
            wrong++;
            if (first < 0) first = i;
        }
        if (!wrong) continue;
        snprintf(text, sizeof text,
                 "%s, level -%d: %lld cells differ from stepwise, first (%lld, %lld, %lld): %.9g, "
                 "%.9g",
                 what, l, (long long)wrong, (long long)(first / s->p.size[2] / s->p.size[1]),
                 (long long)(first / s->p.size[2] % s->p.size[1]),
                 (long long)(first % s->p.size[2]), torre_value(s->p.precision, a->level[l], first),
                 torre_value(s->p.precision, b->level[l], first));
        fail(s->name, text);
        return;
    }
    if (memcmp(a->samples, b->samples, a->sample_bytes) != 0) {
        snprintf(text, sizeof text, "%s: samples differ from stepwise", what);
        fail(s->name, text);
    }
}

/* Whether the plan can take kernel k: of several of the usual size it takes the first that fits. */
static bool can_take(const torre_tower_kernel *k, bool periodic_z, torre_tower_shape *shape)
{
    for (int i = 0; k->size == TORRE_TOWER_USUAL && torre_tower_kernels[i] != k; i++) {
        const torre_tower_kernel *other = torre_tower_kernels[i];
        if (other->order == k->order && other->dts == k->dts && other->precision == k->precision &&
            other->size == TORRE_TOWER_USUAL && !other->shape(periodic_z, shape))
            return false;
    }
    memset(shape, 0, sizeof *shape);
    return !k->shape(periodic_z, shape);
}

/* Whether kernel k is for the medium of a problem of its order. */
static bool is_for_medium(const torre_tower_kernel *k, const torre_wave_problem *p)
{
    if (k->size == TORRE_TOWER_DENSE) return p->density_cells;
    if (k->size == TORRE_TOWER_USUAL) return k->order > 2 || !p->density_cells;
    return !p->velocity_cells && !p->density_cells;
}

/* From now on the plan should take kernel k, or none in particular, by the planes of its blocks. */
static void wish_for(const torre_tower_kernel *k, bool periodic_z)
{
    torre_tower_shape shape;
    char planes[16];
    unsetenv("TORRE_CUDA_PLANES");
    if (!k || !can_take(k, periodic_z, &shape)) return;
    snprintf(planes, sizeof planes, "%d", shape.planes);
    setenv("TORRE_CUDA_PLANES", planes, 1);
}

/* Kernels for points that few towers meet, or those for any; returns the former. */
static bool wish_for_rare(bool rare)
{
    setenv("TORRE_CUDA_RARE", rare ? "1" : "0", 1);
    return rare;
}

/* The kernel that the plan takes; NULL: it refuses. */
static const torre_tower_kernel *kernel_taken(const sample_problem *s, const torre_wave_plan *plan)
{
    torre_wave_setup *setup;
    torre_wave_program *program = NULL;
    const torre_tower_kernel *taken = NULL;
    must(torre_wave_setup_new(&s->p, &setup), s->name);
    if (!torre_wave_cuda.plan(setup, plan, &program))
        taken = ((const torre_cuda_program *)program)->kernel;
    torre_wave_program_free(program);
    torre_wave_setup_free(setup);
    return taken;
}

/* Blocks of another size than the usual one are taken where they are wished for and fit; without a
 * wish those of half size where they hold all planes. From now on the plan should take kernel k. */
static void check_taken(const sample_problem *s, const torre_wave_plan *plan,
                        const torre_tower_kernel *k)
{
    const int z = s->axes[2] - 'x';
    const bool periodic_z = s->p.face[z][0] == TORRE_PERIODIC;
    torre_tower_shape shape = {0};
    bool fits = can_take(k, periodic_z, &shape);
    const bool some = is_for_medium(k, &s->p); /* beside an array blocks of the usual size alone */
    wish_for(NULL, periodic_z);
    const torre_tower_kernel *freely = kernel_taken(s, plan);
    wish_for(k, periodic_z);
    const torre_tower_kernel *taken = kernel_taken(s, plan);
    if (k->size == TORRE_TOWER_USUAL || !fits) return;
    checks++;
    if (k->size == TORRE_TOWER_DENSE) { /* whose blocks have as many planes as usual ones */
        if ((freely == k) != some) fail(s->name, "towers for density not taken, or without it");
        return;
    }
    if (taken && taken != k) fail(s->name, "wish for blocks ignored");
    if (taken && !some) fail(s->name, "blocks beside an array that are not for it");
    if (!some) wish_for(NULL, periodic_z); /* the wish is refused */
    if (k->size != TORRE_TOWER_HALF || !freely) return;
    if ((freely == k) != (some && s->p.size[z] <= shape.planes))
        fail(s->name, "blocks of half size taken or not against the rule");
}

/* Leave towers out (the argument `steps`). */
static bool steps_alone;

/*
 * All kernels and some heights and orderings of one problem; frees it. Returns the towers that ran.
 */
static int check_problem(sample_problem *s, int64_t steps, bool small)
{
    static const torre_ordering_spec orderings[] = {
        {.kind = TORRE_ROW_MAJOR}, {.strip = 2}, {.kind = TORRE_MORTON}, {.kind = TORRE_HILBERT}};
    static const int64_t heights[] = {5, 8, 1};
    outcome reference = {0}, stepwise, torre;
    torre_wave_plan plan = {.engine = TORRE_REFERENCE};
    int ran = 0;
    compute(s, &torre_wave_cpu, &plan, steps, &reference);
    plan.engine = TORRE_STEPWISE;
    plan.ordering.kind = TORRE_HILBERT;
    strcpy(plan.axes, s->axes);
    if (!compute(s, &torre_wave_cuda, &plan, steps, &stepwise)) {
        fail(s->name, torre_error_text());
        free_outcome(&reference);
        free_problem(s);
        return 0;
    }
    compare_rounding(s, "stepwise", &reference, &stepwise, steps);
    for (int i = 0; torre_tower_kernels[i] && !steps_alone; i++) {
        const torre_tower_kernel *k = torre_tower_kernels[i];
        if (k->order != s->p.order || k->precision != (int)s->p.precision) continue;
        if (k->size == TORRE_TOWER_DENSE && !s->p.density_cells) continue;
        plan = (torre_wave_plan){.engine = TORRE_TORRE, .dts = k->dts};
        strcpy(plan.axes, s->axes);
        check_taken(s, &plan, k);
        for (int h = 0; h < (small ? 1 : 3); h++) {
            char what[128];
            plan.tower_height = heights[h];
            plan.ordering = orderings[(i + h) % 4];
            const bool rare = wish_for_rare((i + h) % 2 == 0);
            snprintf(what, sizeof what, "torre dts %d height %d %s%s", k->dts, (int)heights[h],
                     torre_ordering_write(&plan.ordering).text, rare ? " rare points" : "");
            if (!compute(s, &torre_wave_cuda, &plan, steps, &torre)) {
                if (h == 0) printf("  refused: %s\n", torre_error_text());
                break;
            }
            compare_bits(s, what, &torre, &stepwise);
            free_outcome(&torre);
            ran++;
        }
    }
    wish_for(NULL, false);
    unsetenv("TORRE_CUDA_RARE");
    printf("%-52s %d tower runs, %d failures so far\n", s->name, ran, failures);
    fflush(stdout);
    free_outcome(&reference);
    free_outcome(&stepwise);
    free_problem(s);
    return ran;
}

static void set_faces(sample_problem *s, torre_face x0, torre_face x1, torre_face y0, torre_face y1,
                      torre_face z0, torre_face z1)
{
    const torre_face f[3][2] = {{x0, x1}, {y0, y1}, {z0, z1}};
    memcpy(s->p.face, f, sizeof f);
    /* points anywhere would have their sinc reach over a rigid face, which setup refuses */
    for (int i = 0; i < 6; i++)
        if (f[i / 2][i % 2] == TORRE_RIGID) s->p.interpolation = TORRE_TRILINEAR;
}

/* A number that is not finite is found where the caller put it. */
static void check_first_bad(sample_problem *s, const char *axes)
{
    torre_wave_plan plan = {.engine = TORRE_STEPWISE};
    torre_wave_setup *setup;
    torre_wave_program *program;
    torre_wave_solver *solver;
    torre_wave_norms norms;
    const int64_t *n = s->p.size, at[3] = {n[0] - 3, n[1] / 2, 5};
    strcpy(plan.axes, axes);
    torre_value_set(s->p.precision, s->now, (at[0] * n[1] + at[1]) * n[2] + at[2], NAN);
    must(torre_wave_setup_new(&s->p, &setup), s->name);
    must(torre_wave_cuda.plan(setup, &plan, &program), s->name);
    must(torre_wave_cuda.create(program, &solver), s->name);
    must(torre_wave_set_fields(&torre_wave_cuda, solver, setup, s->now, NULL), s->name);
    must(torre_wave_cuda.norms(solver, &norms), s->name);
    checks++;
    if (norms.finite || memcmp(norms.first_bad, at, sizeof at) != 0)
        fail(s->name, "the cell that is not finite is another");
    torre_wave_cuda.destroy(solver);
    torre_wave_setup_free(setup);
}

/* Whether this build has towers of an order and precision: there are none of orders above 8. */
static bool has_towers(int order, torre_precision f)
{
    for (int i = 0; torre_tower_kernels[i] && !steps_alone; i++)
        if (torre_tower_kernels[i]->order == order && torre_tower_kernels[i]->precision == (int)f)
            return true;
    return false;
}

/* As the fast engine chooses, which has to turn the problem; frees it. */
static void check_chosen_axes(sample_problem *s, int64_t steps)
{
    const bool towers = has_towers(s->p.order, s->p.precision);
    torre_wave_plan plan = {.engine = towers ? TORRE_TORRE : TORRE_STEPWISE};
    outcome reference, stepwise, torre;
    char what[64];
    if (!compute(s, &torre_wave_cuda, &plan, steps, &torre)) {
        fail(s->name, torre_error_text());
        free_problem(s);
        return;
    }
    snprintf(what, sizeof what, "axes %s", torre.axes);
    if (towers) { /* cells one by one cost the same along every axis */
        checks++;
        if (strcmp(torre.axes, "xyz") == 0) fail(s->name, "not turned");
    }
    plan = (torre_wave_plan){.engine = TORRE_REFERENCE};
    compute(s, &torre_wave_cpu, &plan, steps, &reference);
    compare_rounding(s, what, &reference, &torre, steps);
    plan.engine = TORRE_STEPWISE; /* turned likewise */
    compute(s, &torre_wave_cuda, &plan, steps, &stepwise);
    compare_bits(s, what, &torre, &stepwise);
    for (int i = 0; torre_tower_kernels[i]; i++) { /* and with any dts */
        const torre_tower_kernel *k = torre_tower_kernels[i];
        torre_wave_setup *setup;
        torre_wave_program *program = NULL;
        if (k->order != s->p.order || k->precision != (int)s->p.precision) continue;
        plan = (torre_wave_plan){.engine = TORRE_TORRE, .dts = k->dts};
        must(torre_wave_setup_new(&s->p, &setup), s->name);
        checks++;
        if (!torre_wave_cuda.plan(setup, &plan, &program) &&
            strcmp(torre_wave_program_info(program)->plan.axes, torre.axes) != 0)
            fail(s->name, "other axes with another dts");
        torre_wave_program_free(program);
        torre_wave_setup_free(setup);
    }
    printf("%-52s %s, %d failures so far\n", s->name, what, failures);
    fflush(stdout);
    free_outcome(&reference);
    free_outcome(&stepwise);
    free_outcome(&torre);
    free_problem(s);
}

/* Without an engine asked for: one step at a time on a layer of one cell, where towers would be
 * slower, and where there are none; with the bits and axes of either engine. */
static void check_auto(int order, torre_precision f)
{
    const torre_face R = TORRE_RIGID, F = TORRE_FREE, P = TORRE_PERIODIC;
    struct cudaDeviceProp device;
    if (cudaGetDeviceProperties(&device, 0)) return;
    const bool wide = device.major == 9 || order > 2; /* wave_axes.h: torre_stepwise_pays */
    const bool towers = has_towers(order, f);
    for (int i = 0; i < 3; i++) {
        torre_wave_plan plan = {0};
        outcome chosen, other;
        sample_problem *s = i == 0   ? new_problem("auto, layer", order, f, 2048, 2048, 1, 0, false)
                            : i == 1 ? new_problem("auto, cube", order, f, 200, 200, 200, 0, true)
                                     : new_problem("auto, periodic", order, f, 13, 17, 19, 0, true);
        if (i == 0) set_faces(s, R, F, F, R, F, R);
        if (i == 2) set_faces(s, P, P, P, P, P, P);
        if (!compute(s, &torre_wave_cuda, &plan, 5, &chosen)) {
            fail(s->name, torre_error_text());
            free_problem(s);
            continue;
        }
        const torre_engine expected =
            !towers || i == 2 || (i == 0 && wide) || (i == 1 && order > 2 && device.major != 9)
                ? TORRE_STEPWISE
                : TORRE_TORRE;
        checks++;
        if (chosen.engine != expected) fail(s->name, torre_engine_name(chosen.engine));
        if ((chosen.reason == TORRE_NO_REASON) != (chosen.engine == TORRE_TORRE))
            fail(s->name, "no reason, or one too many");
        plan.engine = i == 0 && towers ? TORRE_TORRE : TORRE_STEPWISE;
        if (compute(s, &torre_wave_cuda, &plan, 5, &other)) {
            compare_bits(s, "auto", &chosen, &other);
            if (strcmp(chosen.axes, other.axes) != 0) fail(s->name, "axes depend on the engine");
            free_outcome(&other);
        } else {
            fail(s->name, torre_error_text());
        }
        plan = (torre_wave_plan){.tower_height = 4}; /* towers are wanted */
        if (compute(s, &torre_wave_cuda, &plan, 5, &other)) {
            if (other.engine != TORRE_TORRE) fail(s->name, "a wish for towers is ignored");
            free_outcome(&other);
        } else if (i < 2 && towers) {
            fail(s->name, torre_error_text());
        }
        printf("%-52s %s, %d failures so far\n", s->name, torre_engine_name(chosen.engine),
               failures);
        free_outcome(&chosen);
        free_problem(s);
    }
}

/* The caller's axes in every order: constant, with an array, and with one for all y. */
static void check_axes(int order, torre_precision f)
{
    static const char *const orders[] = {"xyz", "yxz", "xzy", "zxy", "yzx", "zyx"};
    const torre_face F = TORRE_FREE, R = TORRE_RIGID, A = TORRE_ABSORBING, P = TORRE_PERIODIC;
    sample_problem *s;
    for (int i = 0; i < 6; i++) {
        for (int model = 0; model < 3; model++) {
            char name[32];
            snprintf(name, sizeof name, "axes %s, model %d", orders[i], model);
            s = new_problem_spaced(name, order, f, 41, 52, 37, model, true, model == 0 && i % 2);
            s->axes = orders[i];
            set_faces(s, model ? A : R, F, R, A, F, model == 2 ? R : A);
            check_problem(s, 9, true);
        }
        s = new_problem("not finite", order, f, 19, 17, 21, 0, false);
        check_first_bad(s, orders[i]);
        free_problem(s);
    }
    if (f == TORRE_F32) { /* in f64 blocks have room for fewer planes */
        s = new_problem("narrow", order, f, 40, 350, 300, 1, true);
        set_faces(s, A, F, R, F, A, R);
        check_chosen_axes(s, 3);
    }
    s = new_problem("periodic x", order, f, 96, 61, 50, 2, true);
    set_faces(s, P, P, R, F, A, R);
    check_chosen_axes(s, 9);
    s = new_problem("periodic x and z", order, f, 96, 50, 192, 0, true);
    set_faces(s, P, P, R, F, P, P);
    check_chosen_axes(s, 9);
}

static void check_order(int order, torre_precision f, bool small)
{
    const torre_face F = TORRE_FREE, R = TORRE_RIGID, A = TORRE_ABSORBING, P = TORRE_PERIODIC;
    sample_problem *s;
    if (small) {
        s = new_problem("mixed", order, f, 21, 19, 43, 1, true);
        set_faces(s, A, R, F, A, R, F);
        check_problem(s, 7, true);
        s = new_problem("turned, flat model", order, f, 17, 22, 40, 2, true);
        s->axes = "yzx";
        set_faces(s, A, R, F, A, R, F);
        check_problem(s, 7, true);
        if (order == 2) return; /* with clusters racecheck does not come to an end */
        /* towers of several parts, which exchange edges */
        s = new_problem("mixed in parts", order, f, 15, 13, order == 4 ? 132 : 72, 0, true);
        set_faces(s, F, A, R, F, F, R);
        check_problem(s, 7, true);
        return;
    }
    check_problem(new_problem("free", order, f, 37, 29, 44, 0, false), 13, false);
    s = new_problem("rigid", order, f, 40, 33, 37, 0, true);
    set_faces(s, R, R, R, R, R, R);
    check_problem(s, 13, false);
    s = new_problem("absorbing, model", order, f, 41, 37, 50, 1, true);
    set_faces(s, A, A, A, A, A, A);
    check_problem(s, 13, false);
    s = new_problem("mixed, flat model", order, f, 30, 52, 261, 2, true);
    set_faces(s, F, A, A, R, R, F);
    check_problem(s, 13, false);
    s = new_problem("many tiles, model", order, f, 70, 61, 140, 1, true);
    set_faces(s, R, A, A, R, R, F);
    check_problem(s, 13, false);
    s = new_problem("periodic z", order, f, 33, 31, 64, 1, true);
    set_faces(s, A, F, R, F, P, P);
    check_problem(s, 13, false);
    s = new_problem("periodic z in parts", order, f, 25, 26, 272, 0, true);
    set_faces(s, F, F, R, F, P, P);
    check_problem(s, 13, false);
    s = new_problem("periodic y and z", order, f, 29, 96, 40, 1, true);
    set_faces(s, A, R, P, P, P, P);
    check_problem(s, 13, false);
    s = new_problem("all periodic", order, f, 13, 17, 19, 1, true);
    set_faces(s, P, P, P, P, P, P);
    check_problem(s, 13, false);
    /* on an H200 wide blocks of order 8 (wave_plan.c): two parts, and one */
    s = new_problem("wide", order, f, 41, 45, 76, 0, true);
    set_faces(s, A, R, R, F, R, A);
    check_problem(s, 13, false);
    s = new_problem("wide, periodic y", order, f, 30, 96, 40, 0, true);
    set_faces(s, F, A, P, P, F, R);
    check_problem(s, 13, false);
    /* 481 and 1121 planes: parts with different numbers of warps, and blocks that change between
     * them; 1001, 1409, 2003, 2437: clusters of four, six, eight and twice five register towers */
    static const int64_t thin[][3] = {
        {1, 1, 1},      {1, 5, 7},      {5, 1, 3},      {3, 2, 1},      {2, 40, 5},
        {40, 3, 2},     {4, 4, 300},    {20, 30, 289},  {20, 120, 481}, {20, 120, 1121},
        {20, 30, 1001}, {20, 30, 1409}, {20, 30, 2003}, {20, 30, 2437}};
    for (size_t i = 0; i < sizeof thin / sizeof thin[0]; i++) {
        s = new_problem("thin", order, f, thin[i][0], thin[i][1], thin[i][2], 0, false);
        if (i & 1) set_faces(s, R, F, F, R, F, R);
        check_problem(s, 9, false);
    }
}

/* Layers, matched or convolved ones, which towers have in a shell beside them, or refuse. */
static void set_layers(sample_problem *s, torre_absorbing kind, int width)
{
    s->p.absorbing = kind;
    s->p.absorbing_width = width;
}

/* What layers remember goes from one solver to another, or to one of windows, of which so many are
 * in memory at a time (0: it has none): the bits of one that computes all. */
static void check_memory(int order, torre_precision f, torre_absorbing kind,
                         const torre_wave_plan *plan, int windows)
{
    const torre_face F = TORRE_FREE, R = TORRE_RIGID, A = TORRE_ABSORBING;
    sample_problem *s = new_problem("memory of layers", order, f, 75, 35, 38, 1, false);
    torre_wave_plan less = *plan;
    torre_wave_setup *setup;
    torre_wave_program *program;
    torre_wave_solver *from, *to;
    torre_layer_slice slice;
    const int64_t stride[3] = {s->p.size[1] * s->p.size[2], s->p.size[2], 1};
    void *values = memory((size_t)s->cells * (size_t)f),
         *other = memory((size_t)s->cells * (size_t)f);
    set_faces(s, A, F, R, A, A, A);
    set_layers(s, kind, 6);
    must(torre_wave_problem_check(&s->p), s->name);
    must(torre_wave_setup_new(&s->p, &setup), s->name);
    must(torre_wave_cuda.plan(setup, plan, &program), s->name);
    if (windows) less.memory = torre_wave_program_info(program)->memory_bytes - 1;
    must(torre_wave_cuda.create(program, &from), s->name);
    must(torre_wave_cuda.plan(setup, &less, &program), s->name);
    if (windows && torre_wave_program_info(program)->windows < 2) fail(s->name, "no windows");
    two_windows = windows > 1 ? 2 : -1;
    take_two_windows(program);
    two_windows = -1;
    must(torre_wave_cuda.create(program, &to), s->name);
    must(torre_wave_set_fields(&torre_wave_cuda, from, setup, s->now, s->previous), s->name);
    must(torre_wave_cuda.advance(from, 7, NULL), s->name);
    must(torre_wave_get_field(&torre_wave_cuda, from, setup, 0, values), s->name);
    must(torre_wave_get_field(&torre_wave_cuda, from, setup, -1, other), s->name);
    must(torre_wave_set_fields(&torre_wave_cuda, to, setup, values, other), s->name);
    for (int64_t i = 0; torre_layer_slice_get(&s->p, i, &slice); i++) {
        must(torre_wave_cuda.read_layer(from, &slice, stride, values), s->name);
        must(torre_wave_cuda.write_layer(to, &slice, stride, values), s->name);
    }
    must(torre_wave_cuda.advance(from, 6, NULL), s->name);
    must(torre_wave_cuda.advance(to, 3, NULL), s->name);
    for (int64_t i = 0; windows && torre_layer_slice_get(&s->p, i, &slice); i++) {
        must(torre_wave_cuda.read_layer(to, &slice, stride, values), s->name);
        must(torre_wave_cuda.write_layer(to, &slice, stride, values), s->name);
    }
    must(torre_wave_cuda.advance(to, 3, NULL), s->name);
    must(torre_wave_get_field(&torre_wave_cuda, from, setup, 0, values), s->name);
    must(torre_wave_get_field(&torre_wave_cuda, to, setup, 0, other), s->name);
    checks++;
    if (memcmp(values, other, (size_t)s->cells * (size_t)f) != 0)
        fail(s->name, "other bits after the memory of layers has moved");
    printf("%-52s %d failures so far\n", s->name, failures);
    torre_wave_cuda.destroy(from);
    torre_wave_cuda.destroy(to);
    torre_wave_setup_free(setup);
    free(values);
    free(other);
    free_problem(s);
}

/* Density that varies from cell to cell; or, with one cell along y, in a plane of them. */
static void set_density(sample_problem *s)
{
    const int64_t *n = s->p.size;
    uint64_t state = 77;
    float *rho = memory((size_t)s->cells * sizeof *rho);
    for (int64_t i = 0; i < s->cells; i++) rho[i] = (float)(1150 + 150 * noise(&state));
    s->density = (torre_array){TORRE_F32, {n[0], n[1], n[2]}, rho};
    s->p.density_cells = &s->density;
}

/* Whether the cells of the grid are those of the solver's field `level`, bit for bit. */
static bool same_cells(const torre_cuda_solver *s, int level, const void *other)
{
    const size_t bytes = s->program->bytes[TORRE_PIECE_FIELDS],
                 line = (size_t)s->args.n[2] * (size_t)s->setup->problem->precision,
                 pitch = (size_t)s->args.stride_y * (size_t)s->setup->problem->precision;
    char *a = memory(bytes), *b = memory(bytes);
    bool same = !cudaMemcpy(a, s->args.field[level], bytes, cudaMemcpyDeviceToHost) &&
                !cudaMemcpy(b, other, bytes, cudaMemcpyDeviceToHost);
    for (int64_t i = 0; i < (int64_t)s->args.n[0] * s->args.n[1] && same; i++)
        same = memcmp(a + (size_t)i * pitch, b + (size_t)i * pitch, line) == 0;
    free(a);
    free(b);
    return same;
}

/* A step in boxes, of fields that were copied in boxes, beside a step of all cells. */
static void check_boxes(int order, torre_precision f)
{
    const torre_face F = TORRE_FREE, R = TORRE_RIGID;
    const torre_wave_plan plan = {.engine = TORRE_STEPWISE, .axes = "xyz"};
    torre_wave_setup *setup;
    torre_wave_program *program;
    torre_wave_solver *solver;
    for (int model = 0; model < 2; model++) {
        sample_problem *p = new_problem("boxes", order, f, 41, 37, 150, model, false);
        set_faces(p, F, R, R, F, model ? F : R, R);
        must(torre_wave_problem_check(&p->p), p->name);
        must(torre_wave_setup_new(&p->p, &setup), p->name);
        must(torre_wave_cuda.plan(setup, &plan, &program), p->name);
        must(torre_wave_cuda.create(program, &solver), p->name);
        must(torre_wave_set_fields(&torre_wave_cuda, solver, setup, p->now, p->previous), p->name);
        torre_cuda_solver *s = (torre_cuda_solver *)solver;
        const int planes = (int)torre_cuda_planes(s->program);
        /* the middle is the last box; it and the slabs around it are all cells */
        const torre_boxes boxes = {
            6,
            {{0, 0, 0}, {19, 0, 0}, {9, 0, 0}, {9, 33, 0}, {9, 5, 0}, {9, 5, 16}},
            {{9, 37, planes},
             {41, 37, planes},
             {19, 5, planes},
             {19, 37, planes},
             {19, 33, 16},
             {19, 33, planes}}};
        torre_wave_args args = s->args;
        for (int i = 0; i < 2; i++)
            must(torre_cuda_allocate(&args.field[i], s->program->bytes[TORRE_PIECE_FIELDS]),
                 p->name);
        checks += 3;
        if (torre_copy_boxes((int)f, &args, &boxes, s->args.field, args.field, s->stream) ||
            cudaDeviceSynchronize())
            fail(p->name, "boxes are not copied");
        for (int i = 0; i < 2; i++)
            if (!same_cells(s, i, args.field[i])) fail(p->name, "other cells in the copy");
        if (s->program->stepper->shell(&args, &boxes, s->stream) || cudaDeviceSynchronize())
            fail(p->name, "no step in boxes");
        must(torre_wave_cuda.advance(solver, 1, NULL), p->name);
        if (!same_cells(s, 1, args.field[0])) fail(p->name, "other bits in boxes");
        for (int i = 0; i < 2; i++) cudaFree(args.field[i]);
        printf("%-52s %d failures so far\n", p->name, failures);
        torre_wave_cuda.destroy(solver);
        torre_wave_setup_free(setup);
        free_problem(p);
    }
}

/* Layers beside towers on grids that have cells far from all of them: any faces, sizes, widths. */
static void check_shell(int order, torre_precision f)
{
    static const torre_face faces[] = {TORRE_ABSORBING, TORRE_ABSORBING, TORRE_FREE, TORRE_RIGID};
    uint64_t state = 4711 + (uint64_t)order;
    for (int i = 0; i < 4; i++) {
        int64_t n[3];
        torre_face face[6];
        for (int a = 0; a < 3; a++) n[a] = (int64_t)(105 + 25 * noise(&state));
        for (int k = 0; k < 6; k++)
            face[k] = i == 0 ? TORRE_ABSORBING : faces[(int)(2 + 2 * noise(&state)) % 4];
        face[i % 6] = TORRE_ABSORBING;
        if (order > 2 && face[5] != TORRE_ABSORBING) n[2] = n[2] / 4 * 4;
        sample_problem *s = new_problem("shell", order, f, n[0], n[1], n[2], i % 3, true);
        set_faces(s, face[0], face[1], face[2], face[3], face[4], face[5]);
        set_layers(s, i == 1 ? TORRE_CPML : TORRE_PML, (int)(7 + 6 * noise(&state)));
        if (i % 2) set_density(s);
        if (check_problem(s, 13, false) == 0) fail("shell", "no towers");
    }
}

/* Layers with a memory: all faces, some, axes of every kind, layers of one cell and as wide as
 * fits, vectors that a face cuts, density that varies. */
static void check_layers(int order, torre_precision f, bool small)
{
    static const char *const orders[] = {"xyz", "yxz", "xzy", "zxy", "yzx", "zyx"};
    const torre_face F = TORRE_FREE, R = TORRE_RIGID, A = TORRE_ABSORBING, P = TORRE_PERIODIC;
    sample_problem *s;
    for (int i = 0; i < (small ? 2 : 6); i++) {
        s = new_problem("pml", order, f, 43, 38, 44, i % 3, true);
        set_faces(s, A, A, A, A, A, A);
        set_layers(s, i % 3 == 1 ? TORRE_CPML : TORRE_PML, 8);
        s->axes = orders[i];
        if (i % 2) set_density(s);
        check_problem(s, 13, true);
    }
    if (small) return;
    const int close = 9 + order / 2;
    const struct {
        const char *name;
        int n[3], model, width;
        bool sources, dense;
        torre_face face[6];
    } cases[] = {{"pml, odd, model", {41, 37, 49}, 1, 5, true, false, {A, F, R, A, A, R}},
                 {"pml, odd", {30, 31, 39}, 0, 7, true, false, {R, A, A, R, F, A}},
                 {"pml, one cell", {17, 18, 142}, 0, 1, true, false, {A, A, A, A, A, A}},
                 {"pml, wide", {40, 33, 280}, 1, 27, true, false, {F, A, A, R, A, A}},
                 {"pml, close", {2 * close, close, close}, 1, 9, false, false, {A, A, F, A, A, R}},
                 {"pml, plane", {60, 1, 70}, 0, 8, true, false, {A, A, R, R, A, F}},
                 {"pml, plane, model", {53, 1, 49}, 1, 6, true, false, {A, F, R, R, A, A}},
                 {"pml, periodic", {41, 96, 52}, 0, 8, true, false, {A, A, P, P, A, F}},
                 {"pml, density", {41, 37, 49}, 0, 5, true, true, {A, A, R, A, F, A}},
                 {"pml, density, model", {40, 43, 144}, 1, 8, true, true, {A, A, A, A, A, A}},
                 {"pml, density, plane", {60, 1, 70}, 2, 8, true, true, {A, A, R, R, A, F}},
                 {"cpml, odd, model", {41, 37, 49}, 1, 5, true, false, {A, F, R, A, A, R}},
                 {"cpml, one cell", {17, 18, 142}, 0, 1, true, false, {A, A, A, A, A, A}},
                 {"cpml, close", {2 * close, close, close}, 1, 9, false, false, {A, A, F, A, A, R}},
                 {"cpml, close", {close, close, 70}, 0, 9, true, false, {R, A, A, R, A, F}},
                 {"cpml, plane", {60, 1, 70}, 0, 8, true, false, {A, A, R, R, A, F}},
                 {"cpml, periodic", {41, 96, 52}, 0, 8, true, false, {A, A, P, P, A, F}},
                 {"cpml, density", {40, 43, 144}, 1, 8, true, true, {A, A, A, A, A, A}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int *n = cases[i].n;
        const torre_face *q = cases[i].face;
        s = new_problem(cases[i].name, order, f, n[0], n[1], n[2], cases[i].model,
                        cases[i].sources);
        set_faces(s, q[0], q[1], q[2], q[3], q[4], q[5]);
        set_layers(s, cases[i].name[0] == 'c' ? TORRE_CPML : TORRE_PML, cases[i].width);
        if (cases[i].dense) set_density(s);
        check_problem(s, 13, false);
    }
    const torre_wave_plan steps = {.engine = TORRE_STEPWISE, .axes = "yzx"},
                          towers = {.engine = TORRE_TORRE, .tower_height = 4, .axes = "xyz"};
    check_memory(order, f, TORRE_PML, &steps, 0);
    check_memory(order, f, TORRE_CPML, &steps, 0);
    if (order / 2 <= TORRE_TOWER_HALF_WIDTH) check_boxes(order, f);
    if (!has_towers(order, f)) return;
    check_memory(order, f, TORRE_PML, &towers, 0);
    check_memory(order, f, TORRE_CPML, &towers, 0);
    check_shell(order, f);
}

/* Beside an array and a constant velocity, sponges, whole vectors and such that a face cuts, many
 * blocks along z. */
static void check_density(int order, torre_precision f, bool small)
{
    const torre_face F = TORRE_FREE, R = TORRE_RIGID, A = TORRE_ABSORBING, P = TORRE_PERIODIC;
    const struct {
        const char *name;
        int n[3], model;
        torre_face face[6];
    } cases[] = {{"density, model", {41, 37, 49}, 1, {A, F, R, A, F, R}},
                 {"density", {33, 45, 140}, 0, {F, F, A, R, A, A}},
                 {"density, flat model", {26, 30, 72}, 2, {R, A, F, F, R, F}},
                 {"density, periodic", {29, 96, 52}, 1, {A, R, P, P, P, P}},
                 {"density, many planes", {21, 30, 290}, 1, {F, A, R, A, F, R}},
                 {"density, plane", {60, 1, 70}, 0, {F, A, R, R, A, F}}};
    for (size_t i = 0; i < (small ? 1 : sizeof cases / sizeof *cases); i++) {
        const int *n = cases[i].n;
        const torre_face *q = cases[i].face;
        sample_problem *s =
            new_problem(cases[i].name, order, f, n[0], n[1], n[2], cases[i].model, true);
        set_faces(s, q[0], q[1], q[2], q[3], q[4], q[5]);
        set_density(s);
        check_problem(s, small ? 7 : 13, small);
    }
}

/* Receivers anywhere between the nodes, so many that kernels for many points are taken; to be
 * freed. */
static torre_point *scatter_receivers(sample_problem *s, int64_t count)
{
    uint64_t state = 1234;
    torre_point *receiver = memory((size_t)count * sizeof *receiver);
    for (int64_t i = 0; i < count; i++) {
        receiver[i] = s->receiver[0];
        for (int a = 0; a < 3; a++)
            receiver[i].position[a] =
                s->p.spacing[a] * (5 + (double)(s->p.size[a] - 11) * (0.5 + 0.5 * noise(&state)));
    }
    s->p.receivers = receiver;
    s->p.receiver_count = count;
    return receiver;
}

/* Whether the kernels for many points are taken, if the towers of a plan have any. */
static void check_many(const sample_problem *s)
{
    const torre_wave_plan plan = {.engine = TORRE_TORRE, .axes = "xyz"};
    torre_wave_setup *setup;
    torre_wave_program *program;
    if (!has_towers(s->p.order, s->p.precision)) return;
    must(torre_wave_setup_new(&s->p, &setup), s->name);
    must(torre_wave_cuda.plan(setup, &plan, &program), s->name);
    const torre_cuda_program *own = (const torre_cuda_program *)program;
    checks++;
    if (own->shape.many[s->p.velocity_cells != NULL][0] && !own->args.points.many)
        fail(s->name, "kernels for few points");
    torre_wave_program_free(program);
    torre_wave_setup_free(setup);
}

/* How many towers have one of the nodes of the sources in the diamond of one of their steps, of
 * both stages in turn, as the plan counts them. */
static int64_t towers_with_sources(const torre_wave_setup *setup, const torre_wave_plan *plan)
{
    const int64_t *size = setup->problem->size, D = plan->dts, height = plan->tower_height;
    int64_t count = 0;
    for (int64_t m = 0; m <= size[1] / D + 1; m++)
        for (int64_t s = -height / D - 3; s <= size[0] / D; s++) {
            bool some = false;
            for (int64_t i = 0; i < setup->source_node_count && !some; i++) {
                const int64_t line = setup->source_nodes[i].cell / size[2],
                              row = llabs(line % size[1] - D * m),
                              ahead = line / size[1] - D * s; /* at the start */
                some = row < D && ahead - row >= 0 && ahead + row - (2 * D - 1) < height;
            }
            count += some;
        }
    return count;
}

/* Towers that meet points are counted, and kernels for rare ones taken where a hundredth meet some:
 * of one source here, and not beside receivers here and there. */
static void check_rare(int order, torre_precision f)
{
    const torre_wave_plan plan = {.engine = TORRE_TORRE, .axes = "xyz"};
    sample_problem *s = new_problem_spaced("rare points", order, f, 64, 2000, 64, 0, true, true);
    if (!has_towers(order, f)) return free_problem(s);
    s->p.source_count = 1;
    for (int many = 0; many < 2; many++) {
        torre_wave_setup *setup;
        torre_wave_program *program;
        s->p.receiver_count = many ? 25 : 0;
        must(torre_wave_setup_new(&s->p, &setup), s->name);
        must(torre_wave_cuda.plan(setup, &plan, &program), s->name);
        const torre_cuda_program *own = (const torre_cuda_program *)program;
        const int64_t counted = own->points.towers_met,
                      exact = towers_with_sources(setup, &program->info.plan);
        checks++;
        if (own->args.points.rare != !many) fail(s->name, many ? "taken" : "not taken");
        if (exact == 0 || counted < exact || (!many && 2 * counted > 3 * exact))
            fail(s->name, "towers that meet points miscounted");
        torre_wave_program_free(program);
        torre_wave_setup_free(setup);
    }
    printf("%-52s %d failures so far\n", s->name, failures);
    free_problem(s);
}

/* Each row of towers has lists of what it records, however many lines there are along y: a last row
 * without a cell, too, which some of these grids have. */
static void check_rows(int order, torre_precision f)
{
    const torre_wave_plan plan = {.engine = TORRE_TORRE, .axes = "xyz"};
    if (!has_towers(order, f)) return;
    for (int ny = 12; ny < 64; ny++) {
        sample_problem *s = new_problem("rows of towers", order, f, 24, ny, 64, 0, true);
        torre_wave_setup *setup;
        torre_wave_program *program;
        must(torre_wave_setup_new(&s->p, &setup), s->name);
        must(torre_wave_cuda.plan(setup, &plan, &program), s->name);
        const torre_tower_grid towers =
            torre_tower_grid_make(24, ny, order / 2, program->info.plan.dts, 1, false);
        checks++;
        if (((const torre_cuda_program *)program)->points.strips <= towers.m_max)
            fail(s->name, "without lists");
        torre_wave_program_free(program);
        torre_wave_setup_free(setup);
        free_problem(s);
    }
    printf("%-52s %d failures so far\n", "rows of towers", failures);
}

/* Bits of several runs of every dts, on a grid with many blocks at work and several along z. */
static void check_repeatable(int order, torre_precision f, int model, bool square, bool many)
{
    sample_problem *s = new_problem_spaced(many ? "repeated, many points" : "repeated", order, f,
                                           160, 200, 520, model, true, square);
    torre_point *receivers = many ? scatter_receivers(s, 3000) : NULL;
    torre_wave_plan plan = {.engine = TORRE_STEPWISE, .axes = "xyz"};
    outcome first, again;
    char what[64];
    if (many) check_many(s);
    compute(s, &torre_wave_cuda, &plan, 40, &first);
    plan.engine = TORRE_TORRE;
    for (int i = 0; torre_tower_kernels[i]; i++) {
        const torre_tower_kernel *k = torre_tower_kernels[i];
        if (k->order != order || k->precision != (int)f || k->size == TORRE_TOWER_DENSE) continue;
        plan.dts = k->dts;
        wish_for(model && k->size != TORRE_TOWER_USUAL ? NULL : k, false);
        for (int run = 0; run < 3; run++) {
            plan.tower_height = run < 2 ? 40 : 12;
            wish_for_rare(run < 2);
            snprintf(what, sizeof what, "torre dts %d run %d", k->dts, run);
            if (!compute(s, &torre_wave_cuda, &plan, 40, &again)) {
                fail(s->name, torre_error_text());
                break;
            }
            compare_bits(s, what, &again, &first);
            free_outcome(&again);
        }
    }
    wish_for(NULL, false);
    unsetenv("TORRE_CUDA_RARE");
    printf("%-52s %d failures so far\n", s->name, failures);
    free_outcome(&first);
    free_problem(s);
    free(receivers);
}

/* What receivers record one step at a time, by the sums of the host from the whole field. */
static void *sums_of_host(const sample_problem *s, const torre_wave_plan *plan, int64_t steps)
{
    const int64_t receivers = s->p.receiver_count;
    torre_wave_setup *setup;
    torre_wave_program *program;
    torre_wave_solver *solver;
    torre_array traces;
    void *sums = memory((size_t)(steps * receivers) * (size_t)s->p.precision),
         *field = memory((size_t)s->cells * (size_t)s->p.precision);
    must(torre_wave_setup_new(&s->p, &setup), s->name);
    must(torre_wave_cuda.plan(setup, plan, &program), s->name);
    must(torre_wave_cuda.create(program, &solver), s->name);
    must(torre_wave_set_fields(&torre_wave_cuda, solver, setup, s->now, s->previous), s->name);
    must(torre_traces_new(&s->p, &traces), s->name);
    for (int64_t n = 0; n < steps; n++) {
        must(torre_wave_cuda.advance(solver, 1, NULL), s->name);
        must(torre_wave_get_field(&torre_wave_cuda, solver, setup, 0, field), s->name);
        torre_traces_start(setup, field, &traces);
        for (int64_t r = 0; r < receivers; r++)
            torre_value_set(s->p.precision, sums, n * receivers + r,
                            torre_value(s->p.precision, traces.data, r * traces.shape[1]));
    }
    torre_wave_cuda.destroy(solver);
    torre_wave_setup_free(setup);
    free(traces.data);
    free(field);
    return sums;
}

/* The sums that a solver gives, in two parts, beside those. */
static void compare_sums(const sample_problem *s, const torre_wave_plan *plan, const void *expected,
                         int64_t steps)
{
    torre_wave_setup *setup;
    torre_wave_program *program;
    torre_wave_solver *solver;
    const int64_t receivers = s->p.receiver_count, first = steps / 3 * 2;
    const size_t row = (size_t)receivers * (size_t)s->p.precision;
    char *sums = memory((size_t)steps * row);
    must(torre_wave_setup_new(&s->p, &setup), s->name);
    must(torre_wave_cuda.plan(setup, plan, &program), s->name);
    checks++;
    if (!torre_wave_program_sums(program)) fail(s->name, "receivers are not summed");
    must(torre_wave_cuda.create(program, &solver), s->name);
    must(torre_wave_set_fields(&torre_wave_cuda, solver, setup, s->now, s->previous), s->name);
    must(torre_wave_cuda.advance_receivers(solver, first, sums), s->name);
    must(torre_wave_cuda.advance_receivers(solver, steps - first, sums + (size_t)first * row),
         s->name);
    checks++;
    if (memcmp(sums, expected, (size_t)steps * row) != 0)
        fail(s->name, "sums of samples differ from those of the host");
    torre_wave_cuda.destroy(solver);
    torre_wave_setup_free(setup);
    free(sums);
}

/* Receivers between nodes, by sinc and trilinear, of passes and of single steps, with the axes as
 * they are and turned, with a velocity for each cell and without. */
static void check_sums(int order, torre_precision f)
{
    enum { STEPS = 33 };
    for (int k = 0; k < 8; k++) {
        sample_problem *s = new_problem("receivers", order, f, 41, 37, 50, k < 4, true);
        const char *axes = k & 1 ? "yzx" : "xyz";
        torre_wave_plan stepwise = {.engine = TORRE_STEPWISE},
                        towers = {.engine = TORRE_TORRE, .tower_height = 12};
        snprintf(stepwise.axes, sizeof stepwise.axes, "%s", axes);
        snprintf(towers.axes, sizeof towers.axes, "%s", axes);
        s->p.interpolation = k & 2 ? TORRE_TRILINEAR : TORRE_SINC;
        void *expected = sums_of_host(s, &stepwise, STEPS);
        compare_sums(s, &stepwise, expected, STEPS);
        if (order <= 2 * TORRE_TOWER_HALF_WIDTH) compare_sums(s, &towers, expected, STEPS);
        free(expected);
        printf("%-52s %d failures so far\n", s->name, failures);
        free_problem(s);
    }
}

/* --- Fields at rest, made on the device --- */

static void new_solver(const sample_problem *s, const torre_wave_plan *plan,
                       torre_wave_setup **setup, torre_wave_solver **solver)
{
    torre_wave_program *program;
    must(torre_wave_setup_new(&s->p, setup), s->name);
    must(torre_wave_cuda.plan(*setup, plan, &program), s->name);
    must(torre_wave_cuda.create(program, solver), s->name);
}

static void compare_level(const sample_problem *s, const torre_wave_setup *setup,
                          torre_wave_solver *solver, int level, const void *expected)
{
    const size_t bytes = (size_t)s->cells * (size_t)s->p.precision;
    void *found = memory(bytes);
    must(torre_wave_get_field(&torre_wave_cuda, solver, setup, level, found), s->name);
    checks++;
    if (memcmp(expected, found, bytes) != 0)
        fail(s->name, level ? "u[-1] of a field at rest has other bits" : "noise has other bits");
    free(found);
}

/* Noise, then a field that the solver has; and the images of both levels, which steps show. */
static void check_rest_of(const sample_problem *s, torre_engine engine)
{
    const size_t bytes = (size_t)s->cells * (size_t)s->p.precision;
    torre_wave_plan plan = {.engine = engine, .tower_height = engine == TORRE_TORRE ? 6 : 0};
    const torre_region all = torre_region_whole(s->p.size);
    const uint64_t seed = 2 + (uint64_t)engine;
    torre_wave_setup *setup;
    torre_wave_solver *solver;
    void *now = memory(bytes), *previous = memory(bytes), *later = memory(bytes);
    bool made = false;
    strcpy(plan.axes, s->axes);
    new_solver(s, &plan, &setup, &solver);
    torre_wave_noise(&all, s->p.precision, seed, now);
    for (int i = 0; i < 2; i++) {
        must(torre_wave_rest_level(&s->p, now, previous), s->name);
        if (i) must(torre_wave_set_fields(&torre_wave_cuda, solver, setup, now, NULL), s->name);
        must(torre_wave_cuda.rest(solver, i ? NULL : &seed, &made), s->name);
        if (!made) fail(s->name, "a field at rest is not made on the device");
        compare_level(s, setup, solver, 0, now);
        compare_level(s, setup, solver, -1, previous);
        must(torre_wave_cuda.advance_receivers(solver, 5, NULL), s->name);
        must(torre_wave_get_field(&torre_wave_cuda, solver, setup, 0, later), s->name);
        must(torre_wave_set_fields(&torre_wave_cuda, solver, setup, now, previous), s->name);
        must(torre_wave_cuda.advance_receivers(solver, 5, NULL), s->name);
        compare_level(s, setup, solver, 0, later);
        memcpy(now, s->now, bytes);
    }
    free(now);
    free(previous);
    free(later);
    torre_wave_cuda.destroy(solver);
    torre_wave_setup_free(setup);
}

static void check_rest(int order, torre_precision f)
{
    static const char *const orders[] = {"xyz", "yxz", "xzy", "zxy", "yzx", "zyx"};
    const torre_face F = TORRE_FREE, R = TORRE_RIGID, A = TORRE_ABSORBING, P = TORRE_PERIODIC;
    for (int i = 0; i < 8; i++) {
        char name[32];
        const char *axes = orders[i % 6];
        snprintf(name, sizeof name, "at rest, axes %s", axes);
        sample_problem *s = new_problem(name, order, f, 41, 52, 37, i % 3, false);
        s->axes = axes;
        if (i < 6)
            set_faces(s, R, F, A, R, F, A);
        else
            set_faces(s, A, A, i == 7 ? P : F, i == 7 ? P : A, R, A);
        if (i == 7) s->axes = "xyz";
        if (i == 6) set_layers(s, TORRE_PML, 8);
        const torre_engine engine =
            i % 2 && i < 6 && has_towers(order, f) ? TORRE_TORRE : TORRE_STEPWISE;
        check_rest_of(s, engine);
        printf("%-52s %d failures so far\n", s->name, failures);
        free_problem(s);
    }
}

/* --- Another shot with the solver of the last one --- */

/* The newest field and what receivers record in so many steps from rest. */
static void *shot_of(const sample_problem *s, const torre_wave_setup *setup,
                     torre_wave_solver *solver, int64_t steps, size_t *bytes)
{
    const size_t width = (size_t)s->p.precision, field = (size_t)s->cells * width;
    const size_t samples = (size_t)(steps * s->p.receiver_count) * width;
    char *all = memory(*bytes = samples + field);
    must(torre_wave_cuda.advance_receivers(solver, steps, all), s->name);
    must(torre_wave_get_field(&torre_wave_cuda, solver, setup, 0, all + samples), s->name);
    return all;
}

/* A shot with few points, then one with all of them, and back; beside solvers of their own. */
static void check_restart_of(sample_problem *s, torre_engine engine)
{
    enum { SHOTS = 3, STEPS = 29 };
    const torre_wave_plan plan = {.engine = engine, .tower_height = engine == TORRE_TORRE ? 6 : 0};
    const int64_t points[SHOTS][2] = {{2, 5}, {6, 25}, {1, 1}};
    torre_wave_setup *setup = NULL, *own;
    torre_wave_solver *solver = NULL, *fresh;
    for (int shot = 0; shot < SHOTS; shot++) {
        torre_wave_setup *const before = setup;
        size_t bytes;
        s->p.source_count = points[shot][0];
        s->p.receiver_count = points[shot][1];
        if (s->model.data) ((float *)s->model.data)[s->cells / 2] += 100;
        if (shot == 0) {
            new_solver(s, &plan, &setup, &solver);
        } else {
            must(torre_wave_setup_new(&s->p, &setup), s->name);
            must(torre_wave_cuda.restart(solver, setup, s->model.data != NULL), s->name);
        }
        torre_wave_setup_free(before);
        new_solver(s, &plan, &own, &fresh);
        void *expected = shot_of(s, own, fresh, STEPS, &bytes),
             *found = shot_of(s, setup, solver, STEPS, &bytes);
        checks++;
        if (memcmp(expected, found, bytes) != 0)
            fail(s->name, "a shot with the solver of the last one has other bits");
        free(expected);
        free(found);
        torre_wave_cuda.destroy(fresh);
        torre_wave_setup_free(own);
    }
    torre_wave_cuda.destroy(solver);
    torre_wave_setup_free(setup);
}

static void check_restart(int order, torre_precision f)
{
    for (int k = 0; k < 6; k++) {
        const torre_engine engine = k % 2 ? TORRE_STEPWISE : TORRE_TORRE;
        const torre_face face = k < 2 ? TORRE_FREE : TORRE_ABSORBING;
        sample_problem *s = new_problem("shots", order, f, 70, 61, 52, k / 2 == 1, true);
        if (engine == TORRE_TORRE && !has_towers(order, f)) {
            free_problem(s);
            continue;
        }
        set_faces(s, face, face, face, face, face, face);
        if (k == 5) set_layers(s, TORRE_PML, 8);
        check_restart_of(s, engine);
        printf("%-52s %d failures so far\n", s->name, failures);
        free_problem(s);
    }
}

/* --- Planes that towers record in passing --- */

/* A plane every few steps of a run that does not stop for it, beside one that does. */
static void check_frames_of(const sample_problem *s, int axis, int64_t every)
{
    enum { STEPS = 47 };
    const int64_t index = s->p.size[axis] / 3, cells = s->cells / s->p.size[axis];
    const torre_plane_at at = {axis, index};
    /* a group of cells for each, at every step, as receivers have it: too much beside the fields */
    const bool much = s->axes[2] - 'x' == axis && s->p.receiver_count > 0;
    const size_t bytes = (size_t)cells * (size_t)s->p.precision;
    const torre_box box = torre_box_plane(s->p.size, axis, index);
    torre_wave_plan plan = {.engine = TORRE_TORRE, .tower_height = 12};
    torre_wave_setup *setup;
    torre_wave_program *program;
    torre_wave_solver *solver;
    int64_t stride[3];
    char *frames = memory(bytes * STEPS), *plane = memory(bytes), *next = frames;
    void *samples = memory((size_t)(STEPS * (s->p.receiver_count + 1)) * (size_t)s->p.precision);
    torre_box_strides(&box, stride);
    strcpy(plan.axes, s->axes);
    for (int stops = 0; stops < 2; stops++) {
        must(torre_wave_setup_new(&s->p, &setup), s->name);
        setup->planes = (torre_frame_planes){&at, 1, every};
        must(torre_wave_cuda.plan(setup, &plan, &program), s->name);
        checks++;
        if (program->planes != (much ? 0 : cells)) fail(s->name, "planes are not recorded");
        must(torre_wave_cuda.create(program, &solver), s->name);
        must(torre_wave_set_fields(&torre_wave_cuda, solver, setup, s->now, s->previous), s->name);
        if (program->planes && !stops)
            for (int64_t n = 0, now = 17; n < STEPS; n += now, now = STEPS - n) {
                must(torre_wave_cuda.advance_planes(solver, now, samples, next), s->name);
                next += (size_t)((n + now) / every - n / every) * bytes;
            }
        for (int64_t n = every; n <= STEPS && stops && program->planes; n += every) {
            must(torre_wave_cuda.advance_receivers(solver, every, samples), s->name);
            must(torre_wave_cuda.read_box(solver, 0, &box, stride, plane), s->name);
            checks++;
            if (memcmp(plane, frames + (size_t)(n / every - 1) * bytes, bytes) != 0)
                fail(s->name, "a recorded plane has other bits");
        }
        torre_wave_cuda.destroy(solver);
        torre_wave_setup_free(setup);
    }
    free(samples);
    free(plane);
    free(frames);
}

static void check_frames(int order, torre_precision f)
{
    static const char *const orders[] = {"xyz", "yzx", "zxy"};
    const torre_face F = TORRE_FREE, R = TORRE_RIGID, A = TORRE_ABSORBING, P = TORRE_PERIODIC;
    if (!has_towers(order, f)) return;
    for (int i = 0; i < 9; i++) {
        char name[32];
        const bool points = i >= 6;
        snprintf(name, sizeof name, "frames %d, axes %s", i, orders[i / 3]);
        sample_problem *s = new_problem(name, order, f, 96, 96, 120, i % 3 == 2, points);
        s->axes = orders[i / 3];
        set_faces(s, F, R, i == 1 ? P : A, i == 1 ? P : F, R, A);
        if (i == 1) s->axes = "xyz";
        check_frames_of(s, i % 3, i % 2 ? 5 : 9);
        printf("%-52s %d failures so far\n", s->name, failures);
        free_problem(s);
    }
}

/* --- Parts (wave/part.h), cut along the solver's x --- */

enum { PIECES = 3 };

typedef struct piece {
    torre_wave_part *part;
    torre_wave_solver *solver;
} piece;

/* A problem in parts, with what it is planned by and how its planes lie. */
typedef struct pieces {
    const sample_problem *s;
    torre_wave_setup *setup;
    torre_wave_plan plan;
    torre_plane_layout layout;
    piece piece[PIECES];
    int64_t n;
    void *buffer;
    torre_part_sums *sums; /* of receivers, if there are any */
} pieces;

static torre_planes planes_of(const pieces *a, int i)
{
    const torre_box *stored = &a->piece[i].part->region.stored;
    const int x = a->layout.axis[0];
    return (torre_planes){stored->low[x], stored->high[x]};
}

/* What both store, as it is, from a piece that may have been in a pass of `more` steps. */
static void share(const pieces *a, int from, int to, int64_t from_n, int64_t to_n)
{
    torre_planes p = planes_of(a, from), q = planes_of(a, to);
    if (p.low < q.low) p.low = q.low;
    if (p.high > q.high) p.high = q.high;
    if (p.low >= p.high) return;
    must(torre_planes_exchange(&a->layout, false, p, a->piece[from].solver, from_n, 0, a->buffer),
         "reading planes");
    must(torre_planes_exchange(&a->layout, true, p, a->piece[to].solver, to_n, 0, a->buffer),
         "writing planes");
}

/* A pass, in one go or by towers above one plane after the other. */
static void advance_piece(const pieces *a, int i, int64_t steps, char *samples)
{
    torre_wave_solver *solver = a->piece[i].solver;
    const torre_planes p = planes_of(a, i);
    const int64_t planes = p.high - p.low;
    if (a->n / a->plan.tower_height % 2 == 0) {
        must(torre_wave_cuda.advance(solver, steps, samples), "a pass of a part");
        return;
    }
    for (int64_t plane = p.high; plane > p.low - planes; plane -= 1 + planes / 3)
        must(torre_wave_cuda.advance_to(solver, steps, plane, samples), "a pass down to a plane");
    must(torre_wave_cuda.advance_to(solver, steps, INT64_MIN, samples), "the rest of a pass");
}

static void pass_pieces(pieces *a, int64_t steps, char *samples)
{
    for (int i = PIECES - 1; i >= 0; i--) {
        torre_wave_cuda.use_sums(a->piece[i].solver, a->sums, a->n);
        advance_piece(a, i, steps, samples);
        for (int j = 0; j < i; j++) share(a, i, j, a->n + steps, a->n);
    }
    a->n += steps;
    for (int i = 0; i < PIECES; i++)
        for (int j = i + 1; j < PIECES; j++) share(a, i, j, a->n, a->n);
}

/* What lies before the planes of a part is never used. */
static void spoil_pad(const pieces *a, int i)
{
    const int64_t first = planes_of(a, i).low,
                  pad = ((const torre_cuda_program *)a->piece[i].solver->program)->pad;
    const int64_t bytes = 2 * pad * a->layout.plane_bytes;
    memset(a->buffer, -1, (size_t)bytes);
    must(torre_cuda_write_planes(a->piece[i].solver, first - pad, first, 0, a->buffer),
         "writing the pad");
}

/* Noise of the whole, in what a part stores. */
static void start_piece(const pieces *a, const piece *q)
{
    const int64_t *n = a->s->p.size;
    const torre_box *stored = &q->part->region.stored, all = torre_box_all(n);
    const void *level[2] = {a->s->now, a->s->previous};
    int64_t stride[3], first = 0;
    torre_box_strides(&all, stride);
    for (int d = 0; d < 3; d++) first += stored->low[d] * stride[d];
    for (int l = 0; l < 2; l++)
        must(torre_wave_cuda.write_box(q->solver, -l, stored, stride,
                                       (const char *)level[l] + first * (int64_t)a->s->p.precision),
             a->s->name);
}

/* false: refused */
static bool make_pieces(pieces *a, const int64_t cut[PIECES + 1])
{
    const torre_wave_problem *p = &a->s->p;
    const torre_region whole = torre_wave_region(a->setup);
    const int x = a->plan.axes[0] - 'x';
    int64_t halo[3][2];
    torre_wave_halo(&a->plan, p->order, a->plan.tower_height, halo);
    for (int i = 0; i < PIECES; i++) {
        torre_box owned = whole.owned;
        torre_wave_program *program;
        owned.low[x] = cut[i];
        owned.high[x] = cut[i + 1];
        const torre_region region = torre_region_make(whole.global, whole.periodic, &owned, halo);
        must(torre_wave_part_new(a->setup, &region, &a->piece[i].part), a->s->name);
        if (torre_wave_cuda.plan(&a->piece[i].part->setup, &a->plan, &program)) return false;
        must(torre_wave_cuda.create(program, &a->piece[i].solver), a->s->name);
        a->layout = torre_plane_layout_in(&torre_wave_cuda, program, 1);
        start_piece(a, &a->piece[i]);
    }
    /* both arrays of all planes */
    a->layout.n[0] = p->size[x];
    a->buffer = memory((size_t)(2 * a->layout.n[0] * a->layout.plane_bytes));
    for (int i = 0; i < PIECES; i++) spoil_pad(a, i);
    return true;
}

static void free_pieces(pieces *a)
{
    for (int i = 0; i < PIECES; i++) {
        if (a->piece[i].solver) torre_wave_cuda.destroy(a->piece[i].solver);
        torre_wave_part_free(a->piece[i].part);
    }
    free(a->buffer);
    torre_part_sums_free(a->sums);
    torre_wave_setup_free(a->setup);
}

/* What the parts have together; norms of each are those of its own cells. */
static void collect_pieces(const pieces *a, const char *sums, int64_t steps, outcome *o)
{
    const sample_problem *s = a->s;
    const torre_box all = torre_box_all(s->p.size);
    int64_t stride[3];
    double squares = 0;
    torre_box_strides(&all, stride);
    for (int l = 0; l < 2; l++) o->level[l] = memory((size_t)s->cells * (size_t)s->p.precision);
    for (int i = 0; i < PIECES; i++) {
        const torre_box *own = &a->piece[i].part->region.owned;
        torre_wave_norms norms;
        int64_t first = 0;
        for (int d = 0; d < 3; d++) first += own->low[d] * stride[d];
        for (int l = 0; l < 2; l++)
            must(torre_wave_cuda.read_box(a->piece[i].solver, -l, own, stride,
                                          (char *)o->level[l] + first * (int64_t)s->p.precision),
                 s->name);
        must(torre_wave_cuda.norms(a->piece[i].solver, &norms), s->name);
        squares += norms.l2 * norms.l2;
    }
    o->top = sqrt(squares);
    o->sample_bytes = (size_t)(steps * s->p.receiver_count) * (size_t)s->p.precision;
    o->samples = memory(o->sample_bytes);
    memcpy(o->samples, sums, o->sample_bytes);
}

/* In pieces as the plan says, beside the whole; false: refused. */
static bool compare_pieces(const sample_problem *s, const torre_wave_plan *plan, int64_t steps,
                           const outcome *whole, const char *what)
{
    pieces a = {.s = s, .plan = *plan};
    outcome o = {0};
    const int64_t n = s->p.size[plan->axes[0] - 'x'], cut[] = {0, n / 3, n / 3 + 5, n};
    must(torre_wave_setup_new(&s->p, &a.setup), s->name);
    must(torre_part_sums_new(a.setup, &a.sums), s->name);
    const bool made = make_pieces(&a, cut);
    if (made) {
        const size_t row = (size_t)s->p.receiver_count * (size_t)s->p.precision;
        char *sums = memory((size_t)steps * row);
        torre_part_sums_begin(a.sums, sums);
        for (int64_t now; a.n < steps;) {
            now = steps - a.n < plan->tower_height ? steps - a.n : plan->tower_height;
            pass_pieces(&a, now, sums + (size_t)a.n * row);
        }
        for (int i = 0; i < PIECES; i++)
            must(torre_wave_cuda.settle_sums(a.piece[i].solver), s->name);
        torre_part_sums_finish(a.sums);
        collect_pieces(&a, sums, steps, &o);
        compare_bits(s, what, &o, whole);
        checks++;
        if (fabs(o.top - whole->top) > 1e-9 * whole->top) fail(s->name, "norms of parts");
        free(sums);
        free_outcome(&o);
    }
    free_pieces(&a);
    return made;
}

/* The same by windows that stream through less memory. */
static void compare_windows(const sample_problem *s, const torre_wave_plan *plan, int64_t steps,
                            const outcome *whole, const char *what)
{
    torre_wave_plan less = *plan;
    torre_wave_setup *setup;
    torre_wave_program *program;
    outcome o;
    must(torre_wave_setup_new(&s->p, &setup), s->name);
    must(torre_wave_cuda.plan(setup, plan, &program), s->name);
    less.memory = torre_wave_program_info(program)->memory_bytes - 1;
    torre_wave_program_free(program);
    torre_wave_setup_free(setup);
    for (int i = 0; i < 6; i++, less.memory = less.memory / 8 * 7) {
        less.scratch = i % 2 ? NULL : "/tmp";
        two_windows = i >= 2 && i < 5 ? 3 * i - 6 : -1;
        const bool done = compute(s, &torre_wave_cuda, &less, steps, &o);
        two_windows = -1;
        if (!done) {
            if (i == 0) fail(s->name, torre_error_text());
            return;
        }
        checks++;
        if (o.windows < 2) fail(s->name, "does not stream");
        compare_bits(s, what, &o, whole);
        free_outcome(&o);
    }
}

/* Every kernel in parts and windows, beside one piece. */
static void check_parts_of(sample_problem *s, const char *axes, int64_t steps)
{
    int ran = 0;
    s->axes = axes;
    for (int i = 0; torre_tower_kernels[i]; i++) {
        const torre_tower_kernel *k = torre_tower_kernels[i];
        torre_wave_plan plan = {.engine = TORRE_TORRE, .dts = k->dts, .tower_height = 4 + i % 2};
        outcome whole;
        char what[64];
        if (k->order != s->p.order || k->precision != (int)s->p.precision) continue;
        if (k->size == TORRE_TOWER_DENSE && !s->p.density_cells) continue;
        strcpy(plan.axes, axes);
        wish_for(s->p.velocity_cells && k->size != TORRE_TOWER_USUAL ? NULL : k, false);
        if (!compute(s, &torre_wave_cuda, &plan, steps, &whole)) continue;
        snprintf(what, sizeof what, "dts %d in parts", k->dts);
        if (!compare_pieces(s, &plan, steps, &whole, what)) fail(s->name, torre_error_text());
        snprintf(what, sizeof what, "dts %d in windows", k->dts);
        compare_windows(s, &plan, steps, &whole, what);
        free_outcome(&whole);
        ran++;
    }
    wish_for(NULL, false);
    printf("%-52s %d kernels in parts, %d failures so far\n", s->name, ran, failures);
    fflush(stdout);
    free_problem(s);
}

static void check_parts(int order, torre_precision f)
{
    const torre_face F = TORRE_FREE, R = TORRE_RIGID, A = TORRE_ABSORBING, P = TORRE_PERIODIC;
    sample_problem *s;
    if (!has_towers(order, f)) return;
    s = new_problem("parts", order, f, 190, 61, 50, 0, true);
    set_faces(s, R, F, F, R, R, F);
    check_parts_of(s, "xyz", 23);
    s = new_problem("parts, model", order, f, 193, 40, 47, 1, true);
    set_faces(s, A, A, A, A, A, A);
    check_parts_of(s, "xyz", 23);
    s = new_problem("parts, flat model, turned", order, f, 41, 37, 201, 2, true);
    set_faces(s, A, R, F, A, R, A);
    check_parts_of(s, "zxy", 23);
    s = new_problem("parts of y", order, f, 45, 190, 46, 2, true);
    set_faces(s, F, R, A, A, R, F);
    check_parts_of(s, "yzx", 14);
    s = new_problem("parts, periodic y", order, f, 180, 96, 40, 1, true);
    set_faces(s, F, A, P, P, F, R);
    check_parts_of(s, "xyz", 14);
    s = new_problem("parts, density", order, f, 186, 43, 45, 1, true);
    set_faces(s, A, R, F, A, R, A);
    set_density(s);
    check_parts_of(s, "xyz", 23);
    s = new_problem("parts, many planes", order, f, 170, 30, 530, 0, false);
    set_faces(s, F, A, R, R, F, R);
    check_parts_of(s, "xyz", 14);
}

/* --- The same by steps that slide --- */

/* By all GPUs, where there are several, from the same levels. (Beside density these are no
 * pressure, which is what a run has.) */
static void compare_devices(const sample_problem *s, const char *axes, int64_t steps,
                            const outcome *whole)
{
    torre_wave_plan plan = {.devices = "all"};
    torre_wave_run *run;
    outcome o = {0};
    int count;
    if (s->p.density_cells || cudaGetDeviceCount(&count) || count < 2) return;
    strcpy(plan.axes, axes);
    must(torre_wave_run_new(&s->p, "cuda", &plan, &run), s->name);
    must(torre_wave_run_start(run, s->now, s->previous), s->name);
    must(torre_wave_run_advance(run, steps, NULL), s->name);
    checks++;
    o.field_bytes = (size_t)s->cells * (size_t)s->p.precision;
    o.level[0] = memory(o.field_bytes);
    must(torre_wave_run_field(run, 0, o.level[0]), s->name);
    if (memcmp(o.level[0], whole->level[0], o.field_bytes) != 0)
        fail(s->name, "other bits by several GPUs");
    free(o.level[0]);
    torre_wave_run_free(run);
}

/* In parts and windows, beside one step at a time. */
static void check_slides_of(sample_problem *s, const char *axes, int64_t steps)
{
    torre_wave_plan plan = {.engine = TORRE_STEPWISE}, open = {0};
    outcome whole;
    s->axes = axes;
    strcpy(plan.axes, axes);
    strcpy(open.axes, axes);
    if (!compute(s, &torre_wave_cuda, &plan, steps, &whole)) {
        fail(s->name, torre_error_text());
        free_problem(s);
        return;
    }
    plan = (torre_wave_plan){.engine = TORRE_TORRE, .dts = 1, .tower_height = 5};
    strcpy(plan.axes, axes);
    if (!compare_pieces(s, &plan, steps, &whole, "in parts")) fail(s->name, torre_error_text());
    compare_windows(s, torre_pml_any(&s->p) || s->p.order == 2 ? &plan : &open, steps, &whole,
                    "in windows");
    compare_devices(s, axes, steps, &whole);
    printf("%-52s %d failures so far\n", s->name, failures);
    fflush(stdout);
    free_outcome(&whole);
    free_problem(s);
}

/* Layers on all sides and some, across planes and not; density, and both; vectors that a face
 * cuts; parts along every axis. */
static void check_slides(int order, torre_precision f)
{
    const torre_face F = TORRE_FREE, R = TORRE_RIGID, A = TORRE_ABSORBING, P = TORRE_PERIODIC;
    const struct {
        const char *name, *axes;
        int n[3], model, width; /* 0: sponges */
        bool dense;
        torre_face face[6];
    } cases[] = {
        {"slides, pml", "xyz", {107, 26, 31}, 0, 8, false, {A, A, A, A, A, A}},
        {"slides, pml, model", "zxy", {24, 27, 113}, 1, 6, false, {A, R, F, A, A, A}},
        {"slides, pml, flat model", "yzx", {30, 105, 19}, 2, 5, false, {A, A, A, F, R, A}},
        {"slides, pml, density", "xyz", {111, 26, 28}, 1, 7, true, {F, A, A, A, R, A}},
        {"slides, pml along planes", "xzy", {101, 22, 20}, 0, 6, false, {F, R, A, A, A, F}},
        {"slides, density", "xyz", {97, 21, 27}, 0, 0, true, {A, R, F, A, A, R}},
        {"slides, periodic", "xyz", {99, 20, 24}, 1, 6, false, {A, A, P, P, A, A}},
        {"slides, cpml", "xyz", {107, 26, 31}, 0, 8, false, {A, A, A, A, A, A}},
        {"slides, cpml, model", "zxy", {24, 27, 113}, 1, 6, false, {A, R, F, A, A, A}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int *n = cases[i].n;
        const torre_face *q = cases[i].face;
        sample_problem *s =
            new_problem(cases[i].name, order, f, n[0], n[1], n[2], cases[i].model, true);
        set_faces(s, q[0], q[1], q[2], q[3], q[4], q[5]);
        if (cases[i].width)
            set_layers(s, strstr(cases[i].name, "cpml") ? TORRE_CPML : TORRE_PML, cases[i].width);
        if (cases[i].dense) set_density(s);
        check_slides_of(s, cases[i].axes, 14);
    }
    const torre_wave_plan plan = {
        .engine = TORRE_TORRE, .dts = 1, .tower_height = 3, .axes = "xyz"};
    for (int windows = 1; windows <= 2; windows++) {
        check_memory(order, f, TORRE_PML, &plan, windows);
        check_memory(order, f, TORRE_CPML, &plan, windows);
    }
}

/* Whether this build has kernels of an order and precision. */
static bool built(int order, torre_precision f)
{
    for (int i = 0; torre_step_kernels[i]; i++)
        if (torre_step_kernels[i]->order == order && torre_step_kernels[i]->precision == (int)f)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    static const torre_precision precisions[] = {TORRE_F32, TORRE_F64};
    char why[256] = "";
    const char *part = argc > 1 ? argv[1] : "all";
    const bool small = strcmp(part, "small") == 0;
    steps_alone = strcmp(part, "steps") == 0;
    int only = argc > 2 ? atoi(argv[2]) : 0;
    torre_wave_plan plan = {.engine = TORRE_TORRE};
    if (!torre_cuda_available(plan.device, why, sizeof why)) {
        printf("skipped: %s\n", why);
        return 77;
    }
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
        if (only && order != only) continue;
        for (int i = 0; i < 2; i++) {
            if (!built(order, precisions[i])) continue;
            if (strcmp(part, "parts") == 0) {
                check_parts(order, precisions[i]);
                continue;
            }
            if (strcmp(part, "slides") == 0) {
                check_slides(order, precisions[i]);
                continue;
            }
            if (strcmp(part, "density") == 0) {
                check_density(order, precisions[i], false);
                continue;
            }
            if (strcmp(part, "sums") == 0) {
                check_sums(order, precisions[i]);
                continue;
            }
            if (strcmp(part, "many") == 0) {
                check_repeatable(order, precisions[i], 0, true, true);
                continue;
            }
            if (strcmp(part, "pml") != 0 && !steps_alone) check_order(order, precisions[i], small);
            check_layers(order, precisions[i], small);
            if (order == 2 && strcmp(part, "pml") != 0) check_rare(order, precisions[i]);
            check_rows(order, precisions[i]);
            if (small) check_density(order, precisions[i], true);
            if (strcmp(part, "all") != 0) continue;
            check_density(order, precisions[i], false);
            check_axes(order, precisions[i]);
            check_auto(order, precisions[i]);
            check_sums(order, precisions[i]);
            check_rest(order, precisions[i]);
            check_frames(order, precisions[i]);
            check_restart(order, precisions[i]);
            check_parts(order, precisions[i]);
            check_slides(order, precisions[i]);
            for (int many = 0; many < 2; many++) {
                check_repeatable(order, precisions[i], 0, true, many);
                check_repeatable(order, precisions[i], 1, false, many);
            }
            if (order == 2) check_repeatable(order, precisions[i], 0, false, false);
        }
    }
    if (checks == 0 && failures == 0) {
        printf("skipped: no kernels of that order in this build (CMake: TORRE_ORDERS)\n");
        return 77;
    }
    printf("%d checks, %d failures\n", checks, failures);
    return failures ? 1 : 0;
}
