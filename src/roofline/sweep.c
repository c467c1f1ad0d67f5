#include "roofline/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/box.h"

#include "core/timer.h"
#include "roofline/engine_compare.h"
#include "wave/cpu/backend_cpu.h"
#include "wave/stencil.h"

enum { MIN_REPETITIONS = 3, SLOW_REPETITIONS = 2, MAX_REPETITIONS = 9 };

struct torre_sweep {
    torre_sweep_setting set;
    void *field; /* dense, random: zeros are cheaper to move on some machines */
    torre_compare *reference[TORRE_MAX_HALF_WIDTH]; /* small problems, made when first needed */
    torre_compare *stepwise[TORRE_MAX_HALF_WIDTH];
    bool no_stepwise[TORRE_MAX_HALF_WIDTH];
};

const char *torre_point_state_name(torre_point_state state)
{
    static const char *const name[] = {"timed", "refused", "wrong"};
    return name[state];
}

torre_status torre_sweep_new(const torre_sweep_setting *setting, torre_sweep **sweep)
{
    torre_sweep *s = calloc(1, sizeof *s);
    if (!s) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    s->set = *setting;
    int64_t cells = setting->size[0] * setting->size[1] * setting->size[2];
    s->field = malloc((size_t)cells * (size_t)setting->precision);
    if (!s->field) {
        torre_sweep_free(s);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a field of %lld cells",
                          (long long)cells);
    }
    torre_random_fill(s->field, cells, setting->precision);
    *sweep = s;
    return TORRE_OK;
}

void torre_sweep_free(torre_sweep *s)
{
    if (!s) return;
    for (int o = 0; o < TORRE_MAX_HALF_WIDTH; o++) {
        torre_compare_free(s->reference[o]);
        torre_compare_free(s->stepwise[o]);
    }
    free(s->field);
    free(s);
}

void torre_sweep_set_seconds(torre_sweep *sweep, double seconds) { sweep->set.seconds = seconds; }

static void note(torre_sweep_point *point, torre_point_state state, const char *text)
{
    point->state = state;
    snprintf(point->remark, sizeof point->remark, "%s", text);
}

/* The stepwise engine's own answer, to compare bits with; its absence is no failure. */
static void prepare_stepwise(torre_sweep *s, int order)
{
    int o = order / 2 - 1;
    torre_wave_plan plan = {.engine = TORRE_STEPWISE, .axes = "xyz"};
    if (s->stepwise[o] || s->no_stepwise[o]) return;
    s->no_stepwise[o] = torre_compare_new(order, s->set.precision, s->set.check_steps,
                                          s->set.backend, &plan, &s->stepwise[o]) != TORRE_OK;
}

static torre_status check(torre_sweep *s, torre_sweep_point *point)
{
    int o = point->order / 2 - 1;
    torre_wave_plan oracle = {.engine = TORRE_REFERENCE};
    if (!s->reference[o])
        TORRE_TRY(torre_compare_new(point->order, s->set.precision, s->set.check_steps,
                                    &torre_wave_cpu, &oracle, &s->reference[o]));
    prepare_stepwise(s, point->order);
    torre_status status =
        torre_compare_run(s->reference[o], s->set.backend, &point->plan, &point->check_difference);
    if (status == TORRE_ERR_USAGE) {
        note(point, TORRE_POINT_REFUSED, torre_error_text());
        return TORRE_OK;
    }
    TORRE_TRY(status);
    point->check_allowed = torre_compare_allowed(s->reference[o]);
    if (!(point->check_difference <= point->check_allowed)) {
        note(point, TORRE_POINT_WRONG, "differs from the reference by more than rounding");
        return TORRE_OK;
    }
    point->same_bits = -1;
    if (s->stepwise[o]) {
        double difference;
        torre_wave_plan plan = point->plan;
        strcpy(plan.axes, "xyz"); /* bits depend on them, and the choice on the kernel */
        TORRE_TRY(torre_compare_run(s->stepwise[o], s->set.backend, &plan, &difference));
        point->same_bits = difference == 0;
    }
    return TORRE_OK;
}

/* Time repetitions of a whole number of passes, each long enough for the clock and short enough for
 * the time there is. */
static torre_status repeat(const torre_sweep *s, torre_wave_solver *solver, int64_t height,
                           torre_sweep_point *point)
{
    const torre_wave_backend *backend = s->set.backend;
    double cells = (double)s->set.size[0] * (double)s->set.size[1] * (double)s->set.size[2];
    double rate[MAX_REPETITIONS], spent = 0;
    double start = torre_time_now();
    TORRE_TRY(backend->advance(solver, height, NULL)); /* warm-up */
    double pass = torre_time_now() - start, aim = s->set.seconds / 5;
    int64_t passes = pass < aim ? (int64_t)(aim / fmax(pass, 1e-6)) : 1;
    /* where a single pass takes longer than there is time for, more points are worth more */
    int n = 0, least = pass > s->set.seconds ? SLOW_REPETITIONS : MIN_REPETITIONS;
    while (n < least || (n < MAX_REPETITIONS && spent + spent / n < s->set.seconds)) {
        start = torre_time_now();
        TORRE_TRY(backend->advance(solver, passes * height, NULL));
        double seconds = torre_time_now() - start;
        rate[n++] = cells * (double)(passes * height) / seconds / 1e9;
        spent += seconds;
    }
    point->repetitions = n;
    point->steps = passes * height;
    point->gcells_per_s = torre_median(rate, n);
    point->low = rate[0];
    point->high = rate[n - 1];
    point->seconds = cells * (double)point->steps / point->gcells_per_s / 1e9;
    return TORRE_OK;
}

/* Time what is planned; frees the program. */
static torre_status time_program(torre_sweep *s, const torre_wave_setup *setup,
                                 torre_wave_program *program, torre_sweep_point *point)
{
    const torre_wave_backend *backend = s->set.backend;
    const torre_wave_info *info = torre_wave_program_info(program);
    torre_wave_solver *solver;
    point->plan = info->plan;
    torre_status status = backend->create(program, &solver);
    if (status) {
        torre_wave_program_free(program);
        return status;
    }
    status = torre_wave_set_fields(backend, solver, setup, s->field, s->field);
    int64_t height = info->plan.tower_height > 0 ? info->plan.tower_height : 1;
    if (!status) status = repeat(s, solver, height, point);
    if (!status)
        torre_model_bind(s->set.machine, info, point->order, s->set.precision, s->set.size,
                         &point->bound);
    backend->destroy(solver);
    return status;
}

static torre_status time_point(torre_sweep *s, const torre_wave_setup *setup,
                               torre_sweep_point *point)
{
    torre_wave_program *program;
    torre_status status = s->set.backend->plan(setup, &point->plan, &program);
    if (status == TORRE_ERR_USAGE) {
        note(point, TORRE_POINT_REFUSED, torre_error_text());
        return TORRE_OK;
    }
    TORRE_TRY(status);
    TORRE_TRY(time_program(s, setup, program, point));
    point->fraction =
        point->bound.gcells_per_s > 0 ? point->gcells_per_s / point->bound.gcells_per_s : 0;
    return TORRE_OK;
}

torre_status torre_sweep_measure(torre_sweep *s, torre_sweep_point *point)
{
    torre_wave_setup *setup;
    torre_wave_problem problem = torre_compare_problem(point->order, s->set.precision, s->set.size);
    point->state = TORRE_POINT_TIMED;
    point->remark[0] = 0;
    TORRE_TRY(check(s, point));
    if (point->state != TORRE_POINT_TIMED) return TORRE_OK;
    TORRE_TRY(torre_wave_problem_check(&problem));
    TORRE_TRY(torre_wave_setup_new(&problem, &setup));
    torre_status status = time_point(s, setup, point);
    torre_wave_setup_free(setup);
    return status;
}

torre_status torre_sweep_device(const torre_sweep_setting *setting, const torre_wave_plan *plan,
                                char *device, size_t size)
{
    torre_wave_setup *setup;
    torre_wave_program *program;
    torre_wave_problem problem = torre_compare_problem(2, setting->precision, setting->size);
    TORRE_TRY(torre_wave_setup_new(&problem, &setup));
    torre_status status = setting->backend->plan(setup, plan, &program);
    torre_wave_setup_free(setup);
    TORRE_TRY(status);
    snprintf(device, size, "%s", torre_wave_program_info(program)->device);
    torre_wave_program_free(program);
    return TORRE_OK;
}
