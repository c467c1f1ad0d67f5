/*
 * The cpu backend: chooses the engine and the order of the axes. A solver, once created, is served
 * by the functions of its own engine (or by those around it that turn axes, turned_solver.h, or
 * stream the fields through less memory, ring.h); the functions here only forward.
 */
#include "wave/cpu/backend_cpu.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "wave/cpu/cpu_solver.h"
#include "wave/part.h"
#include "wave/ring.h"
#include "wave/turned_solver.h"
#include "wave/wave_tile.h"

static const torre_cpu_engine *const engines[] = {[TORRE_REFERENCE] = &torre_cpu_reference,
                                                  [TORRE_STEPWISE] = &torre_cpu_stepwise,
                                                  [TORRE_TORRE] = &torre_cpu_towers};

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

/* The memory that the program takes, and whether it is there. */
static void count_memory(torre_cpu_program *program)
{
    const torre_wave_setup *setup = program->base.setup;
    torre_wave_info *info = &program->base.info;
    torre_turned turned;
    if (turns(info->plan.axes)) {
        torre_turn_region(setup, info->plan.axes, &turned);
        info->memory_bytes =
            program->engine->bytes(&turned.setup, program) + torre_turned_solver_bytes(setup);
    } else {
        info->memory_bytes = program->engine->bytes(setup, program);
    }
    info->lacking[0] = '\0';
    if (torre_memory_check("the wave field", info->memory_bytes))
        snprintf(info->lacking, sizeof info->lacking, "%s", torre_error_text());
}

/* What layers remember goes from part to part with planes across the x of towers alone. */
static torre_status check_part_layers(const torre_wave_setup *setup, const torre_wave_plan *plan)
{
    if (!setup->region || !setup->pml_a) return TORRE_OK;
    const int across = plan->axes[0] ? plan->axes[0] - 'x' : 0;
    for (int f = 0; f < 6; f++) {
        if (!torre_region_continues(setup->region, f / 2, f % 2)) continue;
        if (plan->engine == TORRE_TORRE && f / 2 == across) continue;
        return torre_fail(TORRE_ERR_USAGE,
                          "the cpu backend computes parts of a problem with {absorbing} pml by "
                          "{engine} torre alone, cut along the first of its axes");
    }
    return TORRE_OK;
}

/* Everything but the choice of the engine, which is that of the plan. */
static torre_status plan_engine(const torre_wave_plan *plan, torre_cpu_program *program)
{
    const torre_wave_setup *setup = program->base.setup;
    torre_wave_info *info = &program->base.info;
    torre_turned turned;
    info->plan = *plan;
    program->engine = engines[plan->engine];
    if (info->plan.axes[0]) TORRE_TRY(torre_axes_check(setup->problem, info->plan.axes));
    if (plan->engine == TORRE_REFERENCE)
        info->plan.axes[0] = '\0'; /* it has no other order */
    else if (!info->plan.axes[0])
        strcpy(info->plan.axes, suitable_axes(setup));
    if (turns(info->plan.axes)) {
        torre_turn_region(setup, info->plan.axes, &turned);
        TORRE_TRY(program->engine->plan(&turned.setup, program));
    } else {
        TORRE_TRY(program->engine->plan(setup, program));
    }
    TORRE_TRY(torre_wave_part_check(setup, &info->plan));
    TORRE_TRY(check_part_layers(setup, &info->plan));
    count_memory(program);
    return TORRE_OK;
}

/* Towers, unless they cannot do what one step at a time can, and nothing says that they are
 * wanted. */
static torre_status plan_auto(const torre_wave_plan *wish, torre_cpu_program *program)
{
    torre_wave_info *info = &program->base.info;
    torre_wave_plan plan = *wish;
    plan.engine = TORRE_TORRE;
    torre_status status = plan_engine(&plan, program);
    if (status != TORRE_ERR_USAGE || wish->dts || wish->tower_height) return status;
    snprintf(info->why, sizeof info->why, "%s", torre_error_text());
    plan.engine = TORRE_STEPWISE;
    if (plan_engine(&plan, program) != TORRE_OK)
        return torre_fail(TORRE_ERR_USAGE, "%s", info->why); /* which says more */
    info->reason = TORRE_TOWERS_REFUSED;
    return TORRE_OK;
}

/* Towers of the first measured tile (wave_tile.h) that can do the problem; those that the caches
 * suggest, if none can. */
static void take_measured(torre_cpu_program *program)
{
    const torre_wave_problem *p = program->base.setup->problem;
    const torre_wave_info *info = &program->base.info;
    torre_tile tile[TORRE_TILES];
    if (info->plan.engine != TORRE_TORRE) return;
    const int count =
        torre_tiles_find(info->device, p->order, p->precision, &info->wish, NULL, tile);
    for (int i = 0; i < count; i++) {
        torre_cpu_program other = *program;
        torre_wave_plan plan = info->wish;
        plan.engine = TORRE_TORRE;
        plan.dts = tile[i].dts;
        plan.tower_height = tile[i].tower_height;
        if (plan_engine(&plan, &other) != TORRE_OK) continue;
        other.base.info.measured = true;
        *program = other;
        return;
    }
}

/* In place of a program that takes more memory than is wished, one that streams through less. */
static torre_status limit_memory(const torre_wave_setup *setup, const torre_wave_plan *wish,
                                 torre_wave_program **program)
{
    torre_wave_program *whole = *program, *streams;
    if (wish->memory == 0 || whole->info.memory_bytes <= wish->memory) return TORRE_OK;
    const torre_status status = torre_ring_plan(&torre_wave_cpu, whole, setup, wish, &streams);
    torre_wave_program_free(whole);
    *program = status ? NULL : streams;
    return status;
}

static torre_status cpu_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                             torre_wave_program **result)
{
    torre_wave_program *made;
    TORRE_TRY(torre_wave_part_named(setup, wish));
    TORRE_TRY(torre_wave_program_new(sizeof(torre_cpu_program), setup, wish, &made));
    torre_cpu_program *program = (torre_cpu_program *)made;
    torre_status status =
        wish->engine == TORRE_AUTO ? plan_auto(wish, program) : plan_engine(wish, program);
    if (status) {
        torre_wave_program_free(made);
        return status;
    }
    take_measured(program);
    made->planes = torre_cpu_frames_cells(made);
    status = limit_memory(setup, wish, &made);
    if (!status) *result = made;
    return status;
}

static torre_status cpu_adapt(const torre_wave_program *program, const torre_wave_setup *setup,
                              torre_wave_program **adapted)
{
    torre_cpu_program *made;
    if (program->maker) return program->maker->adapt(program, setup, adapted);
    TORRE_TRY(torre_wave_program_new(sizeof *made, setup, &program->info.wish,
                                     (torre_wave_program **)&made));
    *made = *(const torre_cpu_program *)program;
    made->base.setup = setup;
    made->base.planes = torre_cpu_frames_cells(&made->base);
    count_memory(made);
    *adapted = &made->base;
    return TORRE_OK;
}

static torre_status cpu_create(torre_wave_program *given, torre_wave_solver **solver)
{
    const torre_cpu_program *program = (const torre_cpu_program *)given;
    const torre_wave_info *info = &given->info;
    if (info->lacking[0]) return torre_fail(TORRE_ERR_RESOURCE, "%s", info->lacking);
    if (given->maker)
        TORRE_TRY(given->maker->create(given, solver));
    else
        TORRE_TRY(turns(info->plan.axes) ? torre_turned_solver_new(program, solver)
                                         : program->engine->create(given->setup, program, solver));
    (*solver)->program = given;
    return TORRE_OK;
}

static torre_status cpu_restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                                bool new_medium)
{
    solver->program->setup = setup;
    return solver->backend->restart(solver, setup, new_medium);
}

static torre_status cpu_move(torre_wave_solver *solver, const torre_wave_setup *setup, int64_t n)
{
    solver->program->setup = setup;
    return solver->backend->move(solver, setup, n);
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

static torre_status cpu_write_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                    const int64_t stride[3], const void *values)
{
    return solver->backend->write_layer(solver, slice, stride, values);
}

static torre_status cpu_read_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                   const int64_t stride[3], void *values)
{
    return solver->backend->read_layer(solver, slice, stride, values);
}

static int64_t cpu_layer_bytes(const torre_wave_setup *setup, const torre_wave_plan *plan,
                               int64_t low, int64_t high)
{
    torre_turned turned;
    torre_layers layers;
    if (turns(plan->axes)) torre_turn_region(setup, plan->axes, &turned);
    torre_layers_layout_part(turns(plan->axes) ? &turned.setup : setup, &layers);
    return torre_layers_planes_bytes(&layers, low, high);
}

static torre_layer_place cpu_layer_place(const torre_wave_setup *setup, const torre_wave_plan *plan,
                                         const torre_layer_slice *slice, int level)
{
    torre_turned turned;
    torre_layers layers;
    torre_layer_slice own = *slice;
    if (turns(plan->axes)) torre_turn_region(setup, plan->axes, &turned);
    for (int a = 0; a < 3 && turns(plan->axes); a++)
        if (turned.axis[a] == slice->axis) own.axis = a;
    torre_layers_layout_part(turns(plan->axes) ? &turned.setup : setup, &layers);
    return torre_layers_place(&layers, &own, level);
}

static torre_status cpu_write_layers(torre_wave_solver *solver, int64_t low, int64_t high,
                                     int first, const void *values)
{
    return solver->backend->write_layers(solver, low, high, first, values);
}

static torre_status cpu_read_layers(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                    void *values)
{
    return solver->backend->read_layers(solver, low, high, first, values);
}

static void cpu_lend(const torre_wave_solver *solver, int64_t low, torre_lent_planes *planes)
{
    solver->backend->lend(solver, low, planes);
}

static torre_status cpu_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    return solver->backend->advance(solver, steps, samples);
}

static torre_status cpu_advance_planes(torre_wave_solver *solver, int64_t steps, void *samples,
                                       void *planes)
{
    return solver->backend->advance_planes(solver, steps, samples, planes);
}

static torre_status cpu_advance_to(torre_wave_solver *solver, int64_t steps, int64_t plane,
                                   void *samples)
{
    if (!solver->backend->advance_to)
        return torre_fail(TORRE_ERR_USAGE, "only {engine} torre advances plane by plane");
    return solver->backend->advance_to(solver, steps, plane, samples);
}

static torre_status cpu_norms(torre_wave_solver *solver, torre_wave_norms *norms)
{
    return solver->backend->norms(solver, norms);
}

static void cpu_destroy(torre_wave_solver *solver)
{
    if (!solver) return;
    torre_wave_program *program = solver->program;
    solver->backend->destroy(solver);
    torre_wave_program_free(program);
}

/* Of a disk, which threads that compute wait for; towers read the first half of a diamond before
 * they advance it, as on a GPU. How fast they are is not known before they ran. */
/* The rate is about that of a core. */
static torre_part_cost cpu_part_cost(const torre_wave_program *program)
{
    const torre_wave_plan *plan = &torre_wave_program_info(program)->plan;
    const torre_wave_problem *p = program->setup->problem;
    const double core = (p->precision == TORRE_F64 ? 6e9 : 12e9) / p->order;
    return (torre_part_cost){
        .stream = 8, .move = 1, .climb = 0.5 * plan->dts, .rate = core * plan->threads};
}

const torre_wave_backend torre_wave_cpu = {
    .name = "cpu",
    .teams = true,
    .plan = cpu_plan,
    .adapt = cpu_adapt,
    .create = cpu_create,
    .restart = cpu_restart,
    .move = cpu_move,
    .set_step = cpu_set_step,
    .write_box = cpu_write_box,
    .read_box = cpu_read_box,
    .write_layer = cpu_write_layer,
    .read_layer = cpu_read_layer,
    .layer_bytes = cpu_layer_bytes,
    .layer_place = cpu_layer_place,
    .write_layers = cpu_write_layers,
    .read_layers = cpu_read_layers,
    .lend = cpu_lend,
    .advance = cpu_advance,
    .advance_planes = cpu_advance_planes,
    .advance_to = cpu_advance_to,
    .part_cost = cpu_part_cost,
    .norms = cpu_norms,
    .destroy = cpu_destroy,
};
