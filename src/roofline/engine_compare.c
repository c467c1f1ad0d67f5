#include "roofline/engine_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "wave/box.h"

#define COURANT 0.9 /* dt over the stability limit */

struct torre_compare {
    torre_wave_problem problem;
    torre_wave_setup *setup;
    int64_t cells, steps;
    void *start;    /* u[0] = u[-1] */
    void *level[2]; /* u[steps], u[steps - 1] of the way compared with */
    void *other;    /* room for one level */
    double norm;    /* |u[0]|_2 */
};

torre_wave_problem torre_compare_problem(int order, torre_precision precision,
                                         const int64_t size[3])
{
    torre_wave_problem p = {
        .size = {size[0], size[1], size[2]},
        .spacing = {10, 10, 10},
        .order = order,
        .precision = precision,
        .steps = INT64_C(1) << 40, /* nothing depends on it without sources */
        .velocity = 1500,
        .absorbing_width = 1,
    };
    p.dt = COURANT * torre_wave_dt_limit(order, p.spacing, p.velocity);
    return p;
}

/* A function of the index, so that any thread can fill any part. */
static double random_at(uint64_t index)
{
    return 2 * torre_random_unit(torre_random_at(0, index)) - 1;
}

void torre_random_fill(void *values, int64_t count, torre_precision precision)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++) {
        if (precision == TORRE_F32)
            ((float *)values)[i] = (float)random_at((uint64_t)i);
        else
            ((double *)values)[i] = random_at((uint64_t)i);
    }
}

static double norm_of(const torre_compare *c, const void *a, const void *b)
{
    double sum = 0;
    for (int64_t i = 0; i < c->cells; i++) {
        double d = torre_value(c->problem.precision, a, i) -
                   (b ? torre_value(c->problem.precision, b, i) : 0);
        sum += d * d;
    }
    return isfinite(sum) ? sqrt(sum) : INFINITY;
}

void torre_compare_free(torre_compare *c)
{
    if (!c) return;
    torre_wave_setup_free(c->setup);
    free(c->start);
    for (int l = 0; l < 2; l++) free(c->level[l]);
    free(c->other);
    free(c);
}

static torre_status allocate(torre_compare *c)
{
    size_t bytes = (size_t)c->cells * (size_t)c->problem.precision;
    c->start = malloc(bytes);
    c->other = malloc(bytes);
    for (int l = 0; l < 2; l++) c->level[l] = malloc(bytes);
    if (c->start && c->other && c->level[0] && c->level[1]) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
}

/* A solver at step 0 with the starting fields. */
static torre_status open_solver(torre_compare *c, const torre_wave_backend *backend,
                                const torre_wave_plan *plan, torre_wave_solver **solver)
{
    torre_wave_program *program;
    TORRE_TRY(backend->plan(c->setup, plan, &program));
    torre_status status = backend->create(program, solver);
    if (status) {
        torre_wave_program_free(program);
        return status;
    }
    status = torre_wave_set_fields(backend, *solver, c->setup, c->start, c->start);
    if (status) backend->destroy(*solver);
    return status;
}

/* The levels to compare with. */
static torre_status compute(torre_compare *c, const torre_wave_backend *backend,
                            const torre_wave_plan *plan)
{
    torre_wave_solver *solver;
    torre_status status;
    TORRE_TRY(open_solver(c, backend, plan, &solver));
    c->norm = norm_of(c, c->start, NULL);
    status = backend->advance(solver, c->steps, NULL);
    for (int l = 0; l < 2 && !status; l++)
        status = torre_wave_get_field(backend, solver, c->setup, -l, c->level[l]);
    backend->destroy(solver);
    for (int l = 0; l < 2 && !status; l++)
        if (!isfinite(norm_of(c, c->level[l], NULL)))
            status = torre_fail(TORRE_ERR_UNSTABLE, "the comparison became not finite");
    return status;
}

torre_status torre_compare_new(int order, torre_precision precision, int64_t steps,
                               const torre_wave_backend *backend, const torre_wave_plan *plan,
                               torre_compare **compare)
{
    static const int64_t size[3] = {45, 38, 53};
    torre_compare *c = calloc(1, sizeof *c);
    if (!c) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    c->problem = torre_compare_problem(order, precision, size);
    c->cells = size[0] * size[1] * size[2];
    c->steps = steps;
    torre_status status = allocate(c);
    if (!status) status = torre_wave_problem_check(&c->problem);
    if (!status) status = torre_wave_setup_new(&c->problem, &c->setup);
    if (!status) {
        torre_random_fill(c->start, c->cells, precision);
        status = compute(c, backend, plan);
    }
    if (status) {
        torre_compare_free(c);
        return status;
    }
    *compare = c;
    return TORRE_OK;
}

torre_status torre_compare_run(torre_compare *c, const torre_wave_backend *backend,
                               const torre_wave_plan *plan, double *difference)
{
    torre_wave_solver *solver;
    TORRE_TRY(open_solver(c, backend, plan, &solver));
    torre_status status = backend->advance(solver, c->steps, NULL);
    *difference = 0;
    for (int l = 0; l < 2 && !status; l++) {
        status = torre_wave_get_field(backend, solver, c->setup, -l, c->other);
        if (!status) *difference = fmax(*difference, norm_of(c, c->level[l], c->other) / c->norm);
    }
    backend->destroy(solver);
    return status;
}

double torre_compare_allowed(const torre_compare *c)
{
    double n = (double)c->steps, eps = c->problem.precision == TORRE_F32 ? 0x1p-24 : 0x1p-53;
    return 2 * 7 * (c->problem.order + 6) * eps * n * (n + 1) / 2 / sqrt(1 - COURANT * COURANT);
}

void torre_compare_extent(const torre_compare *c, int64_t size[3], int64_t *steps)
{
    memcpy(size, c->problem.size, sizeof c->problem.size);
    *steps = c->steps;
}
