/*
 * Rates of the cuda backend: cell updates per second of the time loop, all cells counted once.
 *
 * Usage: bench_wave_cuda CASE...   CASE = ORDER:ENGINE:DTS:HEIGHT:NXxNYxNZ[:OPTION...]
 *   ENGINE s (stepwise), t (torre) or a (what the plan chooses); DTS and HEIGHT 0: default;
 *   OPTIONs: model, flat (a model without y), density (that varies), plane (two dimensions; NY is
 *   1, no points), points (100 sources, 10,000 receivers), nodes=S,R (so many of both), between=S,R
 *   (between the nodes, anywhere), level=S,R (the same, receivers at one depth), f64, absorbing
 *   (sponges), matched (8 cells of perfectly matched layers), px, py, pz (periodic faces), morton,
 *   hilbert, steps=N of a repetition (otherwise 32 of s, of others one pass of towers of HEIGHT,
 *   128 by default). Printed behind them: axes=zxy where the solver has turned the axes.
 * Prints one CSV line per case; the best and the median of the repetitions. Rooflines: one step at
 * a time at 4.24 TB/s (of an H200); and one operation of the scheme in each slot of every
 * scheduler: 8, 16, 27, 33 a cell at orders 2, 4, 6, 8 (cuda/wave/wave_cell.cuh; terms that cells
 * share count in parts), two more with a velocity array above order 2. Occupancy: warps of all that
 * a multiprocessor can hold.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/backend.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_solver.h"
#include "wave/box.h"

#define REPETITIONS 3
enum { SOURCES = 100, RECEIVERS = 10000 }; /* at most */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct bench_case {
    torre_wave_problem problem;
    torre_wave_plan plan;
    torre_array model, density;
    int64_t steps;
    int sources, receivers;
    bool between, level;
    const char *options;
} bench_case;

static bool read_case(const char *text, bench_case *c)
{
    char engine;
    int order, dts, used = 0;
    long long height, n[3];
    memset(c, 0, sizeof *c);
    if (sscanf(text, "%d:%c:%d:%lld:%lldx%lldx%lld%n", &order, &engine, &dts, &height, &n[0], &n[1],
               &n[2], &used) != 7)
        return false;
    c->options = text + used;
    c->problem.order = order;
    c->problem.precision = strstr(c->options, ":f64") ? TORRE_F64 : TORRE_F32;
    c->problem.velocity = 2000;
    c->problem.absorbing_width = 20;
    const bool matched = strstr(c->options, ":matched");
    if (matched) {
        c->problem.absorbing = TORRE_PML;
        c->problem.absorbing_width = 8;
    }
    for (int a = 0; a < 3; a++) {
        c->problem.size[a] = n[a];
        c->problem.spacing[a] = 10;
        for (int side = 0; side < 2 && (matched || strstr(c->options, ":absorbing")); side++)
            c->problem.face[a][side] = TORRE_ABSORBING;
        char periodic[] = {':', 'p', (char)('x' + a), '\0'};
        for (int side = 0; side < 2 && strstr(c->options, periodic); side++)
            c->problem.face[a][side] = TORRE_PERIODIC;
    }
    if (strstr(c->options, ":plane")) {
        c->problem.spacing[1] = INFINITY;
        c->problem.face[1][0] = c->problem.face[1][1] = TORRE_FREE;
    }
    c->problem.dt = 0.9 * torre_wave_dt_limit(order, c->problem.spacing, 2000);
    c->plan.engine = engine == 's' ? TORRE_STEPWISE : engine == 'a' ? TORRE_AUTO : TORRE_TORRE;
    c->plan.dts = dts;
    c->plan.tower_height = height;
    c->plan.ordering.kind = strstr(c->options, ":morton")    ? TORRE_MORTON
                            : strstr(c->options, ":hilbert") ? TORRE_HILBERT
                                                             : TORRE_ROW_MAJOR;
    const char *between = strstr(c->options, ":between="), *level = strstr(c->options, ":level=");
    if (strstr(c->options, ":points")) c->sources = SOURCES, c->receivers = RECEIVERS;
    c->between = between || level;
    c->level = level;
    const char *nodes = strstr(c->options, ":nodes="), *counts = between ? between : level;
    if (!counts) counts = nodes;
    if (counts && sscanf(strchr(counts, '=') + 1, "%d,%d", &c->sources, &c->receivers) != 2)
        return false;
    if (c->sources < 0 || c->sources > SOURCES || c->receivers < 0 || c->receivers > RECEIVERS)
        return false;
    const char *steps = strstr(c->options, ":steps=");
    c->steps = steps ? atoll(steps + 7) : engine == 's' ? 32 : height ? height : 128;
    return true;
}

/* From low on, less than `range` more, as it comes; flat: without y. */
static void fill_cells(const bench_case *c, bool flat, float low, size_t range, torre_array *cells)
{
    const int64_t *n = c->problem.size;
    *cells = (torre_array){TORRE_F32, {n[0], flat ? 1 : n[1], n[2]}, NULL};
    const size_t count = (size_t)(cells->shape[0] * cells->shape[1] * cells->shape[2]);
    float *v = cells->data = malloc(count * sizeof *v);
    if (!v) exit(1);
#pragma omp parallel for
    for (size_t i = 0; i < count; i++) v[i] = low + (float)(i * 2654435761u % range);
}

static void fill_medium(bench_case *c)
{
    const bool flat = strstr(c->options, ":flat");
    if (flat || strstr(c->options, ":model")) {
        fill_cells(c, flat, 1500, 499, &c->model);
        c->problem.velocity_cells = &c->model;
    }
    if (strstr(c->options, ":density")) {
        fill_cells(c, false, 1000, 199, &c->density);
        c->problem.density_cells = &c->density;
    }
}

/* Somewhere between the nodes, ten cells from all faces at least, or at one depth. */
static void scatter(const torre_wave_problem *p, uint64_t *state, bool level, torre_point *point)
{
    for (int a = 0; a < 3; a++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        const double u = (double)(*state >> 11) / 9007199254740992.0;
        point->position[a] =
            (10 + (level && a == 2 ? 0.4 : u * (double)(p->size[a] - 21))) * p->spacing[a];
    }
    point->amplitude = 1;
}

/* Sources scattered over the grid, receivers in a horizontal plane near the top, or all between
 * the nodes. */
static void fill_points(bench_case *c, torre_point *source, torre_point *receiver, double *wavelet)
{
    torre_wave_problem *p = &c->problem;
    uint64_t state = 5;
    for (int64_t i = 0; i < c->steps * (REPETITIONS + 1); i++) wavelet[i] = sin(0.1 * (double)i);
    p->sources = source;
    p->receivers = receiver;
    p->wavelet = wavelet;
    p->source_count = c->sources;
    p->receiver_count = c->receivers;
    p->interpolation = TORRE_SINC;
    for (int i = 0; c->between && i < c->sources; i++) scatter(p, &state, false, source + i);
    for (int i = 0; c->between && i < c->receivers; i++) scatter(p, &state, c->level, receiver + i);
    if (c->between) return;
    for (int i = 0; i < SOURCES; i++)
        for (int a = 0; a < 3; a++) {
            source[i].position[a] =
                floor((double)(p->size[a] - 1) * fmod(0.37 + 0.618 * (i + 1) * (a + 1), 1)) *
                p->spacing[a];
            source[i].amplitude = 1;
        }
    for (int i = 0; i < RECEIVERS; i++) {
        receiver[i].position[0] = floor((double)(p->size[0] - 1) * (i / 100) / 100) * p->spacing[0];
        receiver[i].position[1] = floor((double)(p->size[1] - 1) * (i % 100) / 100) * p->spacing[1];
        receiver[i].position[2] = 4 * p->spacing[2];
    }
}

/* Updates per second, 10^9, if multiprocessors did nothing but the operations of the scheme. */
static double issue_roofline(const torre_wave_problem *p)
{
    int device = 0, multiprocessors = 0, kilohertz = 0;
    cudaGetDevice(&device);
    if (cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) ||
        cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device))
        return NAN;
    double lanes = p->precision == TORRE_F32 ? 128 : 64; /* of compute capability 8.0, 9.0 */
    const int operations[4] = {8, 16, 27, 33};
    const bool factor = p->velocity_cells && p->order > 2;
    return multiprocessors * lanes * 1e-6 * kilohertz /
           (operations[p->order / 2 - 1] + (factor ? 2 : 0));
}

static torre_status run_case(const char *text, bench_case *c)
{
    static torre_point source[SOURCES], receiver[RECEIVERS];
    torre_wave_problem *p = &c->problem;
    torre_wave_setup *setup;
    torre_wave_program *program;
    torre_wave_solver *solver;
    double best[REPETITIONS];
    fill_medium(c);
    p->steps = c->steps * (REPETITIONS + 1);
    double *wavelet = malloc((size_t)p->steps * sizeof *wavelet);
    if (!wavelet) exit(1);
    if (c->sources + c->receivers > 0) fill_points(c, source, receiver, wavelet);
    TORRE_TRY(torre_wave_setup_new(p, &setup));
    TORRE_TRY(torre_wave_cuda.plan(setup, &c->plan, &program));
    TORRE_TRY(torre_wave_cuda.create(program, &solver));
    const torre_wave_info *info = torre_wave_program_info(program);
    const torre_tower_shape shape = ((const torre_cuda_program *)program)->shape;
    void *samples = malloc((size_t)(c->steps * p->receiver_count + 1) * sizeof(double));
    if (!samples) exit(1);
    /* a field that is nowhere zero, so that arithmetic draws the power that it draws in earnest */
    size_t plane = (size_t)(p->size[0] * p->size[1] * p->size[2]);
    void *field = plane < ((size_t)1 << 31) ? malloc(plane * (size_t)p->precision) : NULL;
#pragma omp parallel for
    for (size_t i = 0; i < (field ? plane : 0); i++) {
        double v = (double)(i * 2654435761u % 65536) / 65536 - 0.5;
        if (p->precision == TORRE_F32)
            ((float *)field)[i] = (float)v;
        else
            ((double *)field)[i] = v;
    }
    TORRE_TRY(torre_wave_set_fields(&torre_wave_cuda, solver, setup, field, field));
    free(field);
    TORRE_TRY(torre_wave_cuda.advance_receivers(solver, c->steps, samples));
    for (int r = 0; r < REPETITIONS; r++) {
        double start = seconds();
        TORRE_TRY(torre_wave_cuda.advance_receivers(solver, c->steps, samples));
        best[r] = 1e-9 * (double)plane * (double)c->steps / (seconds() - start);
    }
    qsort(best, REPETITIONS, sizeof *best, compare_doubles);
    double top = best[REPETITIONS - 1];
    const int64_t height = info->plan.tower_height < c->steps ? info->plan.tower_height : c->steps;
    int threads = 1;
    cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, info->plan.device);
    const char *axes = info->plan.axes;
    bool turned = strcmp(axes, "xyz") != 0;
    printf("%d,%s,%d,%lld,%lldx%lldx%lld,%s%s%s,%.1f,%.1f,%.2f,%.2f,%.2f,%d,%d,%d,%d,%.2f,%s\n",
           p->order, torre_engine_name(info->plan.engine), info->plan.dts, (long long)height,
           (long long)p->size[0], (long long)p->size[1], (long long)p->size[2], c->options,
           turned ? ":axes=" : "", turned ? axes : "", top, best[REPETITIONS / 2],
           info->model_bytes_per_update, top / (4240.0 / 3 / p->precision), top / issue_roofline(p),
           shape.registers, shape.spill_bytes, shape.shared_bytes, shape.blocks_per_sm,
           (double)shape.blocks_per_sm * shape.threads / threads, info->device);
    fflush(stdout);
    torre_wave_cuda.destroy(solver);
    torre_wave_setup_free(setup);
    free(samples);
    free(wavelet);
    free(c->model.data);
    free(c->density.data);
    (void)text;
    return TORRE_OK;
}

int main(int argc, char **argv)
{
    char why[256];
    int failures = 0;
    torre_wave_plan plan = {.engine = TORRE_TORRE};
    if (!torre_cuda_available(plan.device, why, sizeof why)) {
        printf("skipped: %s\n", why);
        return 77;
    }
    printf(
        "order,engine,dts,height,size,options,best Gcells/s,median Gcells/s,"
        "model bytes/update,fraction of the stepwise roofline,"
        "fraction of the issue roofline,registers,spill,shared,blocks per SM,occupancy,device\n");
    for (int i = 1; i < argc; i++) {
        bench_case c;
        if (!read_case(argv[i], &c)) {
            fprintf(stderr, "not a case: %s\n", argv[i]);
            return 2;
        }
        if (run_case(argv[i], &c)) {
            fprintf(stderr, "%s: %s\n", argv[i], torre_error_text());
            failures++;
        }
    }
    return failures != 0;
}
