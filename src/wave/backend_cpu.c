/*
 * The cpu backend: chooses among the engines. Each engine has the shape of a backend, so that a
 * solver, once created, is served by its own engine; the functions here only forward.
 */
#include "wave/backend_cpu.h"

#include "wave/cpu_solver.h"
#include "wave/engine_reference.h"

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

static bool cpu_available(const torre_wave_plan *plan, char *why, size_t why_size)
{
    (void)plan, (void)why, (void)why_size;
    return true;
}

/* Towers, unless they cannot do what one step at a time can, and nothing says that they are
 * wanted. */
static torre_status plan_auto(const torre_wave_setup *setup, const torre_wave_plan *wish,
                              torre_wave_info *info)
{
    torre_wave_plan plan = *wish;
    plan.engine = TORRE_TORRE;
    torre_status status = torre_wave_torre.plan(setup, &plan, info);
    if (status != TORRE_ERR_USAGE || wish->dts || wish->tower_height) return status;
    plan.engine = TORRE_STEPWISE;
    if (torre_wave_stepwise.plan(setup, &plan, info) == TORRE_OK) {
        info->reason = TORRE_TOWERS_REFUSED;
        return TORRE_OK;
    }
    plan.engine = TORRE_TORRE; /* whose message says more */
    return torre_wave_torre.plan(setup, &plan, info);
}

static torre_status cpu_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                             torre_wave_info *info)
{
    if (wish->engine == TORRE_AUTO) return plan_auto(setup, wish, info);
    return engine_of(wish)->plan(setup, wish, info);
}

static torre_status cpu_create(const torre_wave_setup *setup, const torre_wave_info *info,
                               torre_wave_solver **solver)
{
    return engine_of(&info->plan)->create(setup, info, solver);
}

static torre_status cpu_set_fields(torre_wave_solver *solver, const void *now, const void *previous)
{
    return solver->backend->set_fields(solver, now, previous);
}

static torre_status cpu_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    return solver->backend->advance(solver, steps, samples);
}

static torre_status cpu_get_field(torre_wave_solver *solver, int level, void *cells)
{
    return solver->backend->get_field(solver, level, cells);
}

static torre_status cpu_get_plane(torre_wave_solver *solver, int axis, int64_t index, void *cells)
{
    return solver->backend->get_plane(solver, axis, index, cells);
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
    .available = cpu_available,
    .plan = cpu_plan,
    .create = cpu_create,
    .set_fields = cpu_set_fields,
    .advance = cpu_advance,
    .get_field = cpu_get_field,
    .get_plane = cpu_get_plane,
    .norms = cpu_norms,
    .destroy = cpu_destroy,
};
