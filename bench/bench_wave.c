/*
 * bench_wave: how fast are the CPU engines, and how far from the ceiling? For every order and
 * velocity model: updates per second of stepwise and torre beside the bandwidth of the wave scheme
 * itself (two streams read, one of them written back: 12 bytes per f32 update; with a velocity
 * array three read, 16 bytes), measured on the same threads in the same run.
 *
 * The engines are first checked against each other, bit for bit, which also warms up; then
 * roofline, stepwise and torre take turns, and medians are reported. Axes are taken as they are.
 * --sweep tries tile sizes, and windows instead; --start subnormal shows what numbers below the
 * smallest normal one cost, as they fill the faint tail in front of a wave. CSV on standard output.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program.h"
#include "core/memory.h"
#include "core/timer.h"
#include "wave/box.h"
#include "wave/cpu/backend_cpu.h"
#include "wave/cpu/cpu_solver.h"
#include "wave/stencil.h"

enum { REPEATS_MAX = 101, STEPWISE_STEPS = 8 };

typedef struct bench_options {
    int64_t size[3], order, threads, repeats, dts, height, window, rows;
    int precision, velocity, ordering, start;
    bool sweep, help;
} bench_options;

/* A problem on both engines. */
typedef struct bench_case {
    torre_wave_problem problem;
    torre_array velocity;
    torre_wave_setup *setup;
    torre_wave_solver *solver[2]; /* stepwise, torre */
    torre_cpu_shape shape[2];
    int64_t steps;    /* that one advance of torre takes */
    double amplitude; /* of the noise at the start */
} bench_case;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(double *values, int64_t count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static double cells(const bench_case *c) { return (double)torre_wave_cells(&c->problem); }

/* Arrays of the ceiling: next = now - next, or next = factor now - next. */
typedef struct roofline {
    float *next, *now, *factor;
    int64_t count;
} roofline;

static torre_status roofline_new(const bench_case *c, int threads, roofline *r)
{
    memset(r, 0, sizeof *r);
    r->count = (int64_t)cells(c) * c->problem.precision / 4;
    size_t bytes = (size_t)r->count * sizeof(float);
    r->next = torre_memory_large(bytes);
    r->now = torre_memory_large(bytes);
    r->factor = c->problem.velocity_cells ? torre_memory_large(bytes) : NULL;
    if (!r->next || !r->now || (c->problem.velocity_cells && !r->factor))
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < r->count; i++) {
        r->next[i] = r->now[i] = 1;
        if (r->factor) r->factor[i] = 1;
    }
    return TORRE_OK;
}

static void roofline_free(roofline *r)
{
    free(r->next);
    free(r->now);
    free(r->factor);
}

/* Updates per second that memory can serve. */
static double roofline_run(const bench_case *c, const roofline *r, int threads)
{
    double start = torre_time_now();
    float *next = r->next;
    const float *now = r->now, *factor = r->factor;
    if (factor) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
        for (int64_t i = 0; i < r->count; i++) next[i] = factor[i] * now[i] - next[i];
    } else {
#pragma omp parallel for simd num_threads(threads) schedule(static)
        for (int64_t i = 0; i < r->count; i++) next[i] = now[i] - next[i];
    }
    return cells(c) / (torre_time_now() - start);
}

static double engine_run(bench_case *c, int engine, int64_t steps)
{
    double start = torre_time_now();
    c->solver[engine]->backend->advance(c->solver[engine], steps, NULL);
    return cells(c) * (double)steps / (torre_time_now() - start);
}

/* Whole blocks of 64 bytes. */
static int64_t blocks_up(const bench_case *c, int64_t values)
{
    int64_t block = TORRE_BLOCK_BYTES / c->problem.precision;
    return (values + block - 1) / block * block;
}

static torre_status solver_open(bench_case *c, const bench_options *o, int engine)
{
    torre_wave_plan wish = {.engine = engine ? TORRE_TORRE : TORRE_STEPWISE,
                            .dts = (int)o->dts,
                            .tower_height = o->height,
                            .ordering = {.kind = (torre_ordering_kind)o->ordering},
                            .threads = (int)o->threads,
                            .axes = "xyz"}; /* a solver that is turned has no shape */
    torre_wave_program *program;
    TORRE_TRY(torre_wave_cpu.plan(c->setup, &wish, &program));
    TORRE_TRY(torre_wave_cpu.create(program, &c->solver[engine]));
    torre_cpu_shape *shape = &((torre_cpu_solver *)c->solver[engine])->shape;
    if (o->window) shape->window = blocks_up(c, o->window);
    if (o->rows) shape->rows = o->rows;
    c->shape[engine] = *shape;
    if (engine) c->steps = shape->height;
    return TORRE_OK;
}

static void solver_close(bench_case *c, int engine)
{
    if (c->solver[engine]) torre_wave_cpu.destroy(c->solver[engine]);
    c->solver[engine] = NULL;
}

/* The same noise for both engines, small: the scheme is stable, values stay far from overflow. */
static torre_status set_noise(bench_case *c, int engine)
{
    int64_t n = (int64_t)cells(c);
    void *u = malloc((size_t)n * c->problem.precision);
    if (!u) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        uint32_t h = (uint32_t)i * 2654435761u;
        double v = ((double)((h >> 8) & 0xffff) / 65536 - 0.5) * c->amplitude;
        torre_value_set(c->problem.precision, u, i, v);
    }
    torre_status status = torre_wave_set_fields(&torre_wave_cpu, c->solver[engine], c->setup, u, u);
    free(u);
    return status;
}

static torre_status validate(bench_case *c)
{
    size_t bytes = (size_t)cells(c) * c->problem.precision;
    int64_t steps = c->steps + 3; /* a full pass and a short one */
    void *u[2] = {malloc(bytes), malloc(bytes)};
    torre_status status = u[0] && u[1] ? TORRE_OK : TORRE_ERR_RESOURCE;
    for (int e = 0; e < 2 && !status; e++) {
        status = set_noise(c, e);
        if (!status) status = torre_wave_cpu.advance(c->solver[e], steps, NULL);
        if (!status)
            status = torre_wave_get_field(&torre_wave_cpu, c->solver[e], c->setup, 0, u[e]);
    }
    if (!status && memcmp(u[0], u[1], bytes) != 0)
        status = torre_fail(TORRE_ERR_UNSTABLE, "torre and stepwise differ");
    free(u[0]);
    free(u[1]);
    return status;
}

static torre_status case_open(const bench_options *o, int order, bool velocity, bench_case *c)
{
    memset(c, 0, sizeof *c);
    torre_wave_problem *p = &c->problem;
    memcpy(p->size, o->size, sizeof p->size);
    for (int a = 0; a < 3; a++) p->spacing[a] = 10;
    p->order = order;
    p->precision = o->precision ? TORRE_F64 : TORRE_F32;
    c->amplitude = !o->start ? 1 : o->precision ? 1e-310 : 1e-40;
    p->velocity = 1500;
    p->steps = (int64_t)1 << 40;
    p->absorbing_width = 1;
    p->dt = 0.9 * torre_wave_dt_limit(order, p->spacing, 1500);
    if (velocity) {
        int64_t n = (int64_t)cells(c);
        c->velocity = (torre_array){.precision = TORRE_F32};
        memcpy(c->velocity.shape, p->size, sizeof p->size);
        float *v = malloc((size_t)n * sizeof *v);
        if (!v) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) v[i] = 1500 - (float)(i % 100);
        c->velocity.data = v;
        p->velocity_cells = &c->velocity;
    }
    return torre_wave_setup_new(p, &c->setup);
}

static void case_close(bench_case *c)
{
    for (int e = 0; e < 2; e++) solver_close(c, e);
    torre_wave_setup_free(c->setup);
    free(c->velocity.data);
}

static void print_row(const bench_case *c, double wall, double stepwise, double torre)
{
    const torre_cpu_shape *s = &c->shape[1];
    double bytes = (c->problem.velocity_cells ? 4.0 : 3.0) * c->problem.precision;
    printf("%d,%s,%.1f,%.3f,%.3f,%.1f,%lld,%lld,%lld,%.3f,%.2f\n", c->problem.order,
           c->problem.velocity_cells ? "array" : "constant", wall * bytes * 1e-9, wall * 1e-9,
           stepwise * 1e-9, 100 * stepwise / wall, (long long)s->dts, (long long)s->height,
           (long long)s->window, torre * 1e-9, torre / stepwise);
    fflush(stdout);
}

static torre_status measure(const bench_options *o, bench_case *c)
{
    double value[3][REPEATS_MAX];
    roofline r;
    torre_status status = roofline_new(c, (int)o->threads, &r);
    for (int64_t i = 0; i < o->repeats && !status; i++) {
        value[0][i] = roofline_run(c, &r, (int)o->threads);
        value[1][i] = engine_run(c, 0, STEPWISE_STEPS);
        value[2][i] = engine_run(c, 1, c->steps);
    }
    roofline_free(&r);
    if (!status)
        print_row(c, median(value[0], o->repeats), median(value[1], o->repeats),
                  median(value[2], o->repeats));
    return status;
}

static torre_status bench_one(const bench_options *o, int order, bool velocity)
{
    bench_case c;
    torre_status status = case_open(o, order, velocity, &c);
    for (int e = 0; e < 2 && !status; e++) status = solver_open(&c, o, e);
    if (!status) status = validate(&c);
    if (!status) status = measure(o, &c);
    case_close(&c);
    return status;
}

/* One solver, many shapes; torre's time only matters relative to its neighbours in the list. */
static torre_status sweep_one(const bench_options *o, int order, bool velocity)
{
    static const int64_t parts[] = {1, 2, 3, 4, 6};
    bench_case c;
    torre_status status = case_open(o, order, velocity, &c);
    if (!status) status = solver_open(&c, o, 0);
    double stepwise[REPEATS_MAX], torre[REPEATS_MAX];
    for (int64_t i = 0; i < o->repeats && !status; i++)
        stepwise[i] = engine_run(&c, 0, STEPWISE_STEPS);
    if (!status) status = solver_open(&c, o, 1);
    torre_cpu_shape *shape = status ? NULL : &((torre_cpu_solver *)c.solver[1])->shape;
    for (int64_t dts = o->dts ? o->dts : 2; dts <= (o->dts ? o->dts : 16) && !status; dts++) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            shape->dts = dts;
            if (!o->window) shape->window = blocks_up(&c, (o->size[2] + parts[i] - 1) / parts[i]);
            c.shape[1] = *shape;
            for (int64_t r = 0; r < o->repeats; r++) torre[r] = engine_run(&c, 1, c.steps);
            print_row(&c, stepwise[0], stepwise[0], median(torre, o->repeats));
        }
    }
    case_close(&c);
    return status;
}

static torre_status run(int argc, char **argv)
{
    static const char *const precisions[] = {"f32", "f64", NULL};
    static const char *const velocities[] = {"both", "constant", "array", NULL};
    static const char *const orderings[] = {"row-major", "morton", "hilbert", NULL};
    static const char *const starts[] = {"noise", "subnormal", NULL};
    bench_options o = {.size = {512, 320, 320}, .repeats = 5, .threads = omp_get_max_threads()};
    torre_option table[] = {
        {.name = "Case", .kind = TORRE_OPTION_GROUP},
        {.name = "size",
         .kind = TORRE_OPTION_SIZE,
         .value = o.size,
         .low = 1,
         .high = 1 << 20,
         .help = "cells; choose far more than the last cache holds"},
        {.name = "order",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.order,
         .low = 0,
         .high = TORRE_MAX_ORDER,
         .help = "order of accuracy; 0 for all"},
        {.name = "velocity",
         .kind = TORRE_OPTION_CHOICE,
         .value = &o.velocity,
         .choices = velocities,
         .help = "one velocity, one per cell, or both cases"},
        {.name = "precision",
         .kind = TORRE_OPTION_CHOICE,
         .value = &o.precision,
         .choices = precisions,
         .help = "of fields and arithmetic"},
        {.name = "start",
         .kind = TORRE_OPTION_CHOICE,
         .value = &o.start,
         .choices = starts,
         .help = "noise of ordinary numbers, or of numbers too small to be normal"},
        {.name = "threads",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.threads,
         .low = 1,
         .high = 4096,
         .help = "OpenMP threads"},
        {.name = "repeats",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.repeats,
         .low = 1,
         .high = REPEATS_MAX,
         .help = "turns; the median counts"},
        {.name = "Shape (0: as the library chooses)", .kind = TORRE_OPTION_GROUP},
        {.name = "dts",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.dts,
         .low = 0,
         .high = 1024,
         .help = "tile size"},
        {.name = "tower-height",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.height,
         .low = 0,
         .high = 1 << 20,
         .help = "steps of a tower"},
        {.name = "ordering",
         .kind = TORRE_OPTION_CHOICE,
         .value = &o.ordering,
         .choices = orderings,
         .help = "of towers"},
        {.name = "window",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.window,
         .low = 0,
         .high = 1 << 20,
         .help = "cells along z that a tower climbs with"},
        {.name = "rows",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.rows,
         .low = 0,
         .high = TORRE_ROWS_MAX,
         .help = "rows of a block of stepwise"},
        {.name = "sweep",
         .kind = TORRE_OPTION_FLAG,
         .value = &o.sweep,
         .help = "try tile sizes and windows"},
        {.name = "help",
         .kind = TORRE_OPTION_FLAG,
         .value = &o.help,
         .stops = true,
         .help = "show this help"},
        {0}};
    TORRE_TRY(torre_options_parse(table, argc, argv, NULL, 0, NULL));
    if (o.help) {
        torre_options_help(table, stdout);
        return TORRE_OK;
    }
    printf("order,velocity,roofline_gb_s,wall_gcells_s,stepwise_gcells_s,stepwise_percent,dts,"
           "height,window,torre_gcells_s,ratio\n");
    for (int velocity = 0; velocity < 2; velocity++) {
        if (o.velocity && o.velocity != velocity + 1) continue;
        for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) {
            if (o.order && o.order != order) continue;
            TORRE_TRY(o.sweep ? sweep_one(&o, order, velocity) : bench_one(&o, order, velocity));
        }
    }
    return TORRE_OK;
}

int main(int argc, char **argv) { return torre_program_end("bench_wave", run(argc, argv)); }
