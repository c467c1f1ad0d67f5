/*
 * The cpu backend: chooses among the engines. Each engine has the shape of a backend, so that a
 * solver, once created, is served by its own engine; the functions here only forward.
 */
#include "wave/backend_cpu.h"

#include "wave/engine_reference.h"

static torre_status engine_of(const torre_wave_plan *plan, const torre_wave_backend **engine)
{
    *engine = &torre_wave_reference;
    if (plan->engine == TORRE_REFERENCE) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "--engine %s is not ready on --backend cpu; use reference",
                      torre_engine_name(plan->engine));
}

static bool cpu_available(const torre_wave_plan *plan, char *why, size_t why_size)
{
    (void)plan, (void)why, (void)why_size;
    return true;
}

static torre_status cpu_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                             torre_wave_info *info)
{
    const torre_wave_backend *engine;
    TORRE_TRY(engine_of(wish, &engine));
    return engine->plan(setup, wish, info);
}

static torre_status cpu_create(const torre_wave_setup *setup, const torre_wave_info *info,
                               torre_wave_solver **solver)
{
    const torre_wave_backend *engine;
    TORRE_TRY(engine_of(&info->plan, &engine));
    return engine->create(setup, info, solver);
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
