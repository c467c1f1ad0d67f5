/*
 * The cpu backend: chooses the engine and the order of the axes. Each engine has the shape of a
 * backend, so that a solver, once created, is served by its own engine (or by the one that turns
 * axes around it, turned_solver.h); the functions here only forward.
 */
#include "wave/cpu/backend_cpu.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "wave/cpu/cpu_solver.h"
#include "wave/engine_reference.h"
#include "wave/part.h"
#include "wave/turned_solver.h"

static const torre_wave_backend *engine_of(const torre_wave_plan *plan)
{
    switch (plan->engine) {
    case TORRE_REFERENCE:
        return &torre_wave_reference;
    case TORRE_STEPWISE:
        return &torre_wave_stepwise;
    default:
        return &torre_wave_torre;
    }
}

/*
 * The order of the axes: as they are, unless lines along z are so short that vectors and the loops
 * over them are hardly filled; then the longest axis becomes z, and z becomes y. With 1, 4 and 16
 * cells along z that is 70, 15 and 3 times as fast at order 2, 16, 3 and 1.8 times at order 8
 * (README.md, "How fast"). A function of the whole problem
 * alone, so that the bits of all engines and of all parts agree.
 */
static const char *suitable_axes(const torre_wave_setup *setup)
{
    const torre_region region = torre_wave_region(setup);
    const int64_t *n = region.global, longest = n[0] > n[1] ? n[0] : n[1];
    for (int a = 0; a < 3; a++)
        if (region.periodic[a]) return ""; /* towers cannot have every axis so */
    if (n[2] > 16 || longest < 4 * n[2] || n[0] * n[1] * n[2] < 1 << 16) return "";
    if (torre_wave_is_flat(setup->problem, 1)) return "zyx"; /* never y first (turn.h) */
    return n[1] >= n[0] ? "xzy" : "yzx";
}

static bool turns(const char *axes) { return axes[0] && strcmp(axes, "xyz") != 0; }

static torre_status plan_engine(const torre_wave_setup *setup, const torre_wave_plan *wish,
                                torre_wave_info *info)
{
    const torre_wave_backend *engine = engine_of(wish);
    torre_wave_plan plan = *wish;
    if (plan.axes[0]) TORRE_TRY(torre_axes_check(setup->problem, plan.axes));
    if (wish->engine == TORRE_REFERENCE)
        plan.axes[0] = '\0'; /* it has no other order */
    else if (!plan.axes[0])
        strcpy(plan.axes, suitable_axes(setup));
    if (turns(plan.axes)) {
        torre_turned turned;
        torre_turn_region(setup, plan.axes, &turned);
        TORRE_TRY(engine->plan(&turned.setup, &plan, info));
        info->memory_bytes += torre_turned_solver_bytes(setup->problem);
    } else {
        TORRE_TRY(engine->plan(setup, &plan, info));
    }
    TORRE_TRY(torre_wave_part_check(setup, &info->plan));
    if (torre_memory_check("the wave field", info->memory_bytes))
        snprintf(info->lacking, sizeof info->lacking, "%s", torre_error_text());
    return TORRE_OK;
}

/* Towers, unless they cannot do what one step at a time can, and nothing says that they are
 * wanted. */
static torre_status plan_auto(const torre_wave_setup *setup, const torre_wave_plan *wish,
                              torre_wave_info *info)
{
    torre_wave_plan plan = *wish;
    plan.engine = TORRE_TORRE;
    torre_status status = plan_engine(setup, &plan, info);
    if (status != TORRE_ERR_USAGE || wish->dts || wish->tower_height) return status;
    plan.engine = TORRE_STEPWISE;
    if (plan_engine(setup, &plan, info) == TORRE_OK) {
        info->reason = TORRE_TOWERS_REFUSED;
        return TORRE_OK;
    }
    plan.engine = TORRE_TORRE; /* whose message says more */
    return plan_engine(setup, &plan, info);
}

static torre_status cpu_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                             torre_wave_info *info)
{
    TORRE_TRY(torre_wave_part_named(setup, wish));
    return wish->engine == TORRE_AUTO ? plan_auto(setup, wish, info)
                                      : plan_engine(setup, wish, info);
}

static torre_status cpu_create(const torre_wave_setup *setup, const torre_wave_info *info,
                               torre_wave_solver **solver)
{
    const torre_wave_backend *engine = engine_of(&info->plan);
    if (info->lacking[0]) return torre_fail(TORRE_ERR_RESOURCE, "%s", info->lacking);
    if (turns(info->plan.axes)) return torre_turned_solver_new(engine, setup, info, solver);
    return engine->create(setup, info, solver);
}

static torre_status cpu_set_step(torre_wave_solver *solver, int64_t n)
{
    return solver->backend->set_step(solver, n);
}

static torre_status cpu_write_box(torre_wave_solver *solver, int level, const torre_box *box,
                                  const int64_t stride[3], const void *values)
{
    return solver->backend->write_box(solver, level, box, stride, values);
}

static torre_status cpu_read_box(torre_wave_solver *solver, int level, const torre_box *box,
                                 const int64_t stride[3], void *values)
{
    return solver->backend->read_box(solver, level, box, stride, values);
}

static torre_status cpu_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    return solver->backend->advance(solver, steps, samples);
}

static torre_status cpu_norms(torre_wave_solver *solver, torre_wave_norms *norms)
{
    return solver->backend->norms(solver, norms);
}

static void cpu_destroy(torre_wave_solver *solver)
{
    if (solver) solver->backend->destroy(solver);
}

const torre_wave_backend torre_wave_cpu = {
    .name = "cpu",
    .plan = cpu_plan,
    .create = cpu_create,
    .set_step = cpu_set_step,
    .write_box = cpu_write_box,
    .read_box = cpu_read_box,
    .advance = cpu_advance,
    .norms = cpu_norms,
    .destroy = cpu_destroy,
};
