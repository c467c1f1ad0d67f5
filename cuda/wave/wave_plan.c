/* What the cuda backend can do, and its choices: axes, engine, kernel, dts, tower height. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/numbers.h"
#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_solver.h"
#include "wave/part.h"
#include "wave/pml.h"
#include "wave/ring.h"
#include "wave/wave_tile.h"

int64_t torre_cuda_parts(const torre_tower_shape *shape, int64_t nz, torre_precision precision)
{
    int64_t v = 16 / (int64_t)precision, vectors = (nz + v - 1) / v, most = shape->planes / v;
    return (vectors + most - 1) / most;
}

/* By what towers are chosen. */
typedef struct chooser {
    const torre_gpu_data *gpu;
    int multiprocessors;
    int64_t planes; /* TORRE_CUDA_PLANES; 0: no wish */
} chooser;

/* Towers that are at work at a time, each in as many blocks as it has parts, by the time of a step.
 * A wide block takes half as long again for one, and so does a block of half size beside another as
 * a whole one that is hardly half full, since warps share schedulers. TORRE_CUDA_PLANES decides
 * otherwise. */
static double tower_rate(const chooser *c, const torre_wave_problem *p, const torre_tower_kernel *k,
                         const torre_tower_shape *shape)
{
    int64_t blocks = (int64_t)c->multiprocessors * shape->blocks_per_sm;
    int64_t towers = blocks / torre_cuda_parts(shape, p->size[2], p->precision);
    if (shape->planes == c->planes) return HUGE_VAL;
    return c->gpu->pace[k->size] * (double)towers;
}

/* Whether a kernel is for the problem with this dts. Those of most sizes are for constant velocity
 * and density. */
static bool is_for(const torre_tower_kernel *k, const torre_wave_problem *p, int dts)
{
    if (k->order != p->order || k->dts != dts || k->precision != (int)p->precision) return false;
    if (k->size == TORRE_TOWER_DENSE) return p->density_cells;
    if (k->size == TORRE_TOWER_USUAL) return !p->density_cells || p->order > 2;
    return !p->velocity_cells && !p->density_cells;
}

/* The kernel of the table that fits the GPU and the problem (a register tower, if wanted);
 * NULL for none, and *e says why (cudaSuccess: not in this build). */
static const torre_tower_kernel *find_kernel(const chooser *c, const torre_wave_problem *p, int dts,
                                             bool in_registers, cudaError_t *e,
                                             torre_tower_shape *shape)
{
    const torre_tower_kernel *best = NULL;
    *e = cudaSuccess;
    for (int i = 0; torre_tower_kernels[i]; i++) {
        const torre_tower_kernel *k = torre_tower_kernels[i];
        torre_tower_shape its = {0};
        if (!is_for(k, p, dts) || (in_registers && !k->in_registers)) continue;
        if (k->size == TORRE_TOWER_USUAL && best) continue; /* the first of them that fits */
        cudaError_t unfit = k->shape(p->face[2][0] == TORRE_PERIODIC, &its);
        if (unfit && !best) *e = unfit;
        if (unfit || (best && tower_rate(c, p, k, &its) <= tower_rate(c, p, best, shape))) continue;
        best = k;
        *shape = its;
    }
    return best;
}

/* Whether a wish for blocks of so many planes can be fulfilled; otherwise names those there are. */
static torre_status check_planes(const torre_wave_problem *p, int dts, int64_t planes)
{
    int known[8], count = 0;
    bool usual = false;
    for (int i = 0; torre_tower_kernels[i] && count < 8; i++) { /* as find_kernel does */
        const torre_tower_kernel *k = torre_tower_kernels[i];
        torre_tower_shape its = {0};
        if (!is_for(k, p, dts) || (k->size == TORRE_TOWER_USUAL && usual)) continue;
        if (k->shape(p->face[2][0] == TORRE_PERIODIC, &its)) continue;
        if (k->size == TORRE_TOWER_USUAL) usual = true;
        known[count++] = its.planes;
    }
    cudaGetLastError(); /* a shape that does not fit leaves no error behind */
    return torre_cuda_planes_check(planes, known, count, p, dts);
}

static torre_status refuse_kernel(const torre_wave_problem *p, int dts, const char *why)
{
    char known[128] = "";
    for (int i = 0; torre_tower_kernels[i]; i++) {
        const torre_tower_kernel *k = torre_tower_kernels[i];
        size_t used = strlen(known);
        const torre_tower_kernel *before = i > 0 ? torre_tower_kernels[i - 1] : NULL;
        bool again = before && before->dts == k->dts && is_for(before, p, k->dts);
        if (is_for(k, p, k->dts) && !again)
            snprintf(known + used, sizeof known - used, "%s%d", used ? ", " : "", k->dts);
    }
    return torre_fail(
        TORRE_ERR_USAGE,
        "{engine} torre {order} %d {dts} %d {precision} %s on this GPU: %s (built for "
        "dts %s); choose another {dts} or {engine} stepwise",
        p->order, dts, p->precision == TORRE_F32 ? "f32" : "f64", why, known[0] ? known : "none");
}

/* Whether an error says that a kernel does not suit the GPU, and not that the GPU fails. */
static bool is_unfit(cudaError_t e)
{
    return e == cudaErrorInvalidConfiguration || e == cudaErrorInvalidValue ||
           e == cudaErrorInvalidDeviceFunction || e == cudaErrorNoKernelImageForDevice ||
           e == cudaErrorUnsupportedPtxVersion || e == cudaErrorInvalidPtx;
}

/* Towers that can do a problem. */
typedef struct tower_choice {
    torre_wave_plan plan;
    const torre_tower_kernel *kernel;
    torre_tower_shape shape;
    torre_tower_room room;
} tower_choice;

/* Whether towers may have kernels of the order. */
static bool order_has_towers(int order) { return order / 2 <= TORRE_TOWER_HALF_WIDTH; }

static torre_status refuse_order(int order)
{
    return torre_fail(TORRE_ERR_USAGE,
                      "{engine} torre has no towers of {order} %d on a GPU, of orders up to %d "
                      "alone; use {engine} stepwise",
                      order, 2 * TORRE_TOWER_HALF_WIDTH);
}

/* The first of the tiles that can do the problem (wave_tile.h); of several, register towers before
 * others. choice: of whose plan the axes and the device are given. */
static torre_status choose_tower(const chooser *c, const torre_turned *t, const torre_tile *tile,
                                 int count, const char *advice, tower_choice *choice)
{
    const torre_wave_problem *p = &t->problem;
    torre_wave_plan *plan = &choice->plan;
    torre_tower_shape *shape = &choice->shape;
    const torre_tower_kernel *k = NULL;
    cudaError_t e = cudaSuccess;
    int i = 0;
    if (!order_has_towers(p->order)) return refuse_order(p->order);
    if (count == 1) {
        k = find_kernel(c, p, tile->dts, false, &e, shape);
    } else {
        for (int any = 0; any < 2 && !k; any++)
            for (i = 0; i < count; i++) {
                k = find_kernel(c, p, tile[i].dts, !any, &e, shape);
                if (k && torre_towers_fit(t, tile[i].dts, advice) == TORRE_OK) break;
                k = NULL;
            }
        if (!k) i = 0;
    }
    const int tried = tile[i].dts;
    cudaGetLastError(); /* a shape that does not fit leaves no error behind */
    if (!k && e && !is_unfit(e)) return torre_cuda_status(e, "asking for the kernels of towers");
    if (!k && count > 1) TORRE_TRY(torre_towers_fit(t, tried, advice));
    if (!k && !e) return refuse_kernel(p, tried, "no kernel of this shape in this build");
    if (!k) return refuse_kernel(p, tried, "its shared memory or machine code does not fit");
    TORRE_TRY(torre_towers_fit(t, tried, advice));
    torre_tower_room room = {.dts = tried,
                             .planes = shape->planes,
                             .blocks = (int64_t)c->multiprocessors * shape->blocks_per_sm,
                             .in_registers = k->in_registers,
                             .points = t->points};
    if (torre_pml_any(p)) {
        TORRE_TRY(torre_cuda_shell_check(t, k));
        room.height =
            plan->tower_height ? plan->tower_height : torre_shell_height(c->gpu->rates, p, &room);
    }
    const int64_t parts = torre_cuda_parts(shape, p->size[2], p->precision);
    if (parts > room.blocks)
        return torre_fail(TORRE_ERR_USAGE,
                          "{engine} torre {order} %d {dts} %d: n%c = %lld exceeds the %lld planes "
                          "that fit on the GPU at a time; %s",
                          p->order, tried, 'x' + t->axis[2], (long long)p->size[2],
                          (long long)room.blocks * shape->planes, advice);
    plan->dts = tried;
    plan->tower_height = room.height ? room.height : tile[i].tower_height;
    if (plan->tower_height > 1 << 20) plan->tower_height = 1 << 20;
    if (p->steps > 0 && plan->tower_height > p->steps) plan->tower_height = p->steps;
    TORRE_TRY(torre_cuda_pass_check(p, plan, parts));
    choice->kernel = k;
    choice->room = room;
    return TORRE_OK;
}

/* Of the free memory, what is not kept for the driver. */
static int64_t usable(const torre_gpu_data *gpu, size_t unused)
{
    return (int64_t)unused - gpu->reserve;
}

/* What of info->memory_bytes the GPU lacks, if anything, of *room. p: the caller's problem. */
static torre_status check_memory(const torre_wave_problem *p, const torre_gpu_data *gpu,
                                 torre_wave_info *info, int64_t *room)
{
    size_t unused, total;
    TORRE_CUDA_TRY(cudaMemGetInfo(&unused, &total), "asking for free memory");
    const int64_t needed = info->memory_bytes;
    *room = usable(gpu, unused);
    info->lacking[0] = '\0';
    if (needed <= *room) return TORRE_OK;
    const bool plane = torre_wave_is_flat(p, 1);
    const int64_t width =
        (int64_t)p->precision * (2 + (p->velocity_cells != NULL) + (p->density_cells != NULL));
    int64_t n = 0, next = 0;
    while (next <= *room) { /* bytes with n + 1 cells along each axis */
        n++;
        next = width * (n + 1) * (plane ? 1 : n + 1) * torre_cuda_pitch(n + 1, p->precision);
    }
    snprintf(info->lacking, sizeof info->lacking,
             "%lld x %lld x %lld cells need %.2f GB on the GPU, %.2f GB are free; the largest %s "
             "that fits has %lld along each axis",
             (long long)p->size[0], (long long)p->size[1], (long long)p->size[2],
             1e-9 * (double)needed, 1e-9 * (double)unused, plane ? "square" : "cube", (long long)n);
    return TORRE_OK;
}

/* Bytes that the axes may take: those there are, or, where no order fits, what the smallest takes.
 */
static torre_status room_for_axes(const torre_wave_problem *p, const torre_gpu_data *gpu,
                                  int64_t *room)
{
    int64_t smallest = INT64_MAX;
    size_t unused, total;
    for (int i = 0; i < TORRE_AXIS_ORDERS; i++) {
        torre_turned t;
        torre_turn_problem(p, torre_axis_orders[i], &t);
        const int64_t needed = torre_cuda_field_bytes(&t);
        if (needed < smallest && !torre_axes_check(p, torre_axis_orders[i])) smallest = needed;
    }
    TORRE_CUDA_TRY(cudaMemGetInfo(&unused, &total), "asking for free memory");
    *room = usable(gpu, unused) > smallest ? usable(gpu, unused) : smallest;
    return TORRE_OK;
}

/* Whether towers of every dts of this build can have the faces. */
static bool every_dts_fits(const torre_turned *t)
{
    for (int i = 0; torre_tower_kernels[i]; i++) {
        const torre_tower_kernel *k = torre_tower_kernels[i];
        if (is_for(k, &t->problem, k->dts) && torre_towers_fit(t, k->dts, "")) return false;
    }
    return true;
}

/* Whether towers may have to, or want to, take the axes in another order. */
static bool may_turn(const torre_wave_problem *p, bool for_rate)
{
    if (for_rate || p->size[2] > 1024) return true; /* lines may be too long for all blocks */
    for (int a = 0; a < 3; a++)
        if (p->face[a][0] == TORRE_PERIODIC) return true;
    return false;
}

/*
 * The order of the axes of the plan, unless it is given there. Bits depend on it, so it is a matter
 * of the problem, the GPU and the build alone: engine and tile have no say, not even by the
 * environment. advice: what to do about towers that cannot have it.
 */
static torre_status choose_axes(const chooser *given, const torre_wave_problem *p,
                                torre_wave_plan *plan, const char **advice)
{
    static const torre_wave_plan any_tile;
    const chooser c = {given->gpu, given->multiprocessors, 0};
    torre_tile tile[TORRE_TILES];
    const int tiles = torre_tiles_find("", p->order, p->precision, &any_tile, c.gpu->tiles, tile);
    torre_axes_choice choice = {.gpu = c.gpu, .for_rate = torre_axes_for_rate(c.gpu, p)};
    int64_t most = 0;
    *advice = "take the axes in another order or use " TORRE_PARAMETER("engine") " stepwise";
    if (plan->axes[0]) return TORRE_OK;
    *advice = plan->dts
                  ? "take another " TORRE_PARAMETER("dts") " or use " TORRE_PARAMETER(
                        "engine") " stepwise"
                  : "use " TORRE_PARAMETER("engine") " stepwise, or another order of the axes";
    strcpy(plan->axes, torre_axis_orders[0]);
    if (!may_turn(p, choice.for_rate)) return TORRE_OK;
    TORRE_TRY(room_for_axes(p, c.gpu, &most));
    for (int i = 0; i < TORRE_AXIS_ORDERS; i++) {
        const char *axes = torre_axis_orders[i];
        tower_choice usual = {.plan = {.device = plan->device}};
        torre_turned t;
        if (torre_axes_check(p, axes)) continue;
        torre_turn_problem(p, axes, &t);
        if (torre_cuda_field_bytes(&t) > most) continue;
        const bool layers = torre_pml_any(p); /* beside which towers are no better in any order */
        torre_status status =
            layers ? TORRE_ERR_USAGE : choose_tower(&c, &t, tile, tiles, "", &usual);
        if (status == TORRE_ERR_RESOURCE) return status;
        const bool towers = status == TORRE_OK;
        if (torre_axes_offer(&choice, axes, &t, towers ? &usual.room : NULL,
                             towers && every_dts_fits(&t)))
            break;
    }
    if (choice.worth == 0)
        *advice =
            "nor will another order of the axes do; use " TORRE_PARAMETER("engine") " stepwise";
    else
        strcpy(plan->axes, choice.axes);
    return TORRE_OK;
}

/* The stepwise kernel of the problem's order and precision; NULL: not in this build. */
static const torre_step_kernel *find_stepper(const torre_wave_problem *p)
{
    for (int i = 0; torre_step_kernels[i]; i++)
        if (torre_step_kernels[i]->order == p->order &&
            torre_step_kernels[i]->precision == (int)p->precision)
            return torre_step_kernels[i];
    return NULL;
}

static torre_status refuse_stepper(const torre_wave_problem *p)
{
    return torre_fail(TORRE_ERR_USAGE,
                      "{engine} stepwise {order} %d {precision} %s: no such kernel in this "
                      "build of the cuda backend (CMake: TORRE_ORDERS, TORRE_PRECISIONS)",
                      p->order, p->precision == TORRE_F32 ? "f32" : "f64");
}

/* Take these towers. */
static void take_towers(const tower_choice *towers, torre_cuda_program *program)
{
    const torre_wave_problem *p = program->base.setup->problem;
    torre_wave_info *info = &program->base.info;
    info->plan = towers->plan;
    info->model_bytes_per_update =
        (4.0 + (p->velocity_cells != NULL) + (p->density_cells != NULL)) / towers->plan.dts *
        p->precision;
    program->kernel = towers->kernel;
    program->shape = towers->shape;
}

/* Higher towers where stages are narrow, since begin and end of a pass weigh there; not where much
 * is kept of all steps of a pass, for receivers or frames. */
static void raise_towers(const chooser *c, const torre_turned *t, const tower_choice *towers,
                         torre_cuda_program *program)
{
    const torre_wave_problem *p = &t->problem;
    torre_wave_info *info = &program->base.info;
    const int64_t parts = torre_cuda_parts(&towers->shape, p->size[2], p->precision);
    if (info->wish.tower_height || towers->room.height || !towers->room.in_registers ||
        p->receiver_count > 0 || program->base.setup->planes.count > 0 ||
        !torre_cuda_by_stages(c->gpu, p, info->plan.dts, towers->room.blocks / parts))
        return;
    info->plan.tower_height = c->gpu->stages_height;
    if (p->steps > 0 && info->plan.tower_height > p->steps) info->plan.tower_height = p->steps;
}

/* Towers of the first measured tile that can do the problem, in place of those that were taken. */
static void take_measured(const chooser *c, const torre_turned *t, const torre_tile *tile,
                          int count, const char *advice, torre_cuda_program *program)
{
    for (int i = 0; i < count; i++) {
        tower_choice towers = {.plan = program->base.info.plan};
        if (choose_tower(c, t, &tile[i], 1, advice, &towers) ||
            check_planes(&t->problem, towers.plan.dts, c->planes))
            continue;
        take_towers(&towers, program);
        program->base.info.measured = true;
        return;
    }
}

/* Passes beside a shell end where planes are recorded: as many of equal height as they need. */
static void cut_passes(const torre_wave_setup *setup, tower_choice *towers)
{
    const int64_t every = setup->planes.every, height = towers->plan.tower_height;
    if (setup->planes.count == 0 || towers->room.height == 0) return;
    const int64_t passes = (every + height - 1) / height;
    towers->plan.tower_height = towers->room.height = (every + passes - 1) / passes;
}

/* Whether the GPU has room for the two levels of a shell, too, where memory has no limit that says
 * what to do without. */
static torre_status has_room_for_shell(const chooser *c, const torre_turned *t,
                                       const torre_wave_plan *wish, bool *room)
{
    size_t unused, total;
    TORRE_CUDA_TRY(cudaMemGetInfo(&unused, &total), "asking for free memory");
    *room = wish->memory == 0 && 2 * torre_cuda_field_bytes(t) <= usable(c->gpu, unused);
    return TORRE_OK;
}

/* Towers on the axes of the plan; or, where the caller left that open, the decision for one step at
 * a time, in info->plan.engine. */
static torre_status plan_towers(const chooser *c, bool open, const char *advice,
                                torre_cuda_program *program)
{
    const torre_wave_problem *p = program->base.setup->problem;
    torre_wave_info *info = &program->base.info;
    tower_choice towers = {.plan = info->plan};
    torre_tile tile[TORRE_TILES];
    const int tiles =
        torre_tiles_find(info->device, p->order, p->precision, &info->wish, c->gpu->tiles, tile);
    int measured = 0; /* the first ones */
    torre_turned t;
    while (measured < tiles && tile[measured].gcells_per_s > 0) measured++;
    if (open && !c->gpu->rates && p->order > 2 && order_has_towers(p->order)) {
        /* not even asked about, since the driver would compile them first */
        info->plan.engine = TORRE_STEPWISE;
        info->reason = TORRE_TOWERS_SLOWER;
        snprintf(info->why, sizeof info->why, "%s", torre_no_block_towers);
        return TORRE_OK;
    }
    torre_turn_problem(p, info->plan.axes, &t);
    torre_status status = choose_tower(c, &t, tile + measured, tiles - measured, advice, &towers);
    if (status && (!open || status != TORRE_ERR_USAGE)) return status;
    if (status) {
        info->plan.engine = TORRE_STEPWISE;
        info->reason = TORRE_TOWERS_REFUSED;
        snprintf(info->why, sizeof info->why, "%s", torre_error_text());
        return TORRE_OK;
    }
    TORRE_TRY(check_planes(&t.problem, towers.plan.dts, c->planes));
    if (!info->wish.tower_height) cut_passes(program->base.setup, &towers);
    if (open && towers.room.height) {
        bool room = false;
        TORRE_TRY(has_room_for_shell(c, &t, &info->wish, &room));
        if (!room) {
            info->plan.engine = TORRE_STEPWISE;
            info->reason = TORRE_TOWERS_REFUSED;
            snprintf(info->why, sizeof info->why, "no memory for layers beside towers");
            return TORRE_OK;
        }
    }
    if (open &&
        torre_stepwise_pays(c->gpu->rates, &t.problem, &towers.room, info->why, sizeof info->why)) {
        info->plan.engine = TORRE_STEPWISE;
        info->reason = TORRE_TOWERS_SLOWER;
        return TORRE_OK;
    }
    take_towers(&towers, program);
    raise_towers(c, &t, &towers, program);
    if (towers.room.height) {
        program->stepper = find_stepper(p);
        return program->stepper ? TORRE_OK : refuse_stepper(p);
    }
    take_measured(c, &t, tile, measured, advice, program);
    return TORRE_OK;
}

/* Engine stepwise, or with engine torre steps that slide. */
static torre_status plan_steps(torre_cuda_program *program)
{
    const torre_wave_problem *p = program->base.setup->problem;
    torre_wave_info *info = &program->base.info;
    program->stepper = find_stepper(p);
    if (!program->stepper) return refuse_stepper(p);
    if (info->plan.engine == TORRE_TORRE) {
        TORRE_TRY(torre_cuda_plan_slide(program));
    } else {
        info->plan.dts = info->plan.dts ? info->plan.dts : 1;
        info->plan.tower_height = 1;
    }
    info->model_bytes_per_update =
        (3.0 + (p->velocity_cells != NULL) + (p->density_cells != NULL)) * p->precision;
    return TORRE_OK;
}

/* What computes, in words. */
static void name_kernel(torre_cuda_program *program)
{
    torre_wave_info *info = &program->base.info;
    const size_t size = sizeof info->kernel;
    char *text = info->kernel;
    const torre_pass_plan *pass = &program->pass;
    const torre_step_launch *step = &program->step;
    if (!program->kernel && program->cuts_tiles) {
        snprintf(text, size, "steps that slide, one at a time, columns of %d x %d cells%s",
                 step->shape.rows, step->shape.planes,
                 step->shape.blocks ? ", planes copied ahead" : "");
        return;
    }
    if (!program->kernel) {
        snprintf(text, size, "%s, tiles of %d x %d x %d cells%s",
                 program->slides ? "steps that slide, one at a time" : "one step at a time",
                 step->chunk, step->shape.rows, step->shape.planes,
                 step->shape.blocks ? ", planes copied ahead" : "");
        return;
    }
    int used = snprintf(text, size, "%s towers of dts %d, blocks of %d planes, %d a multiprocessor",
                        program->kernel->in_registers ? "register" : "block", info->plan.dts,
                        program->shape.planes, program->shape.blocks_per_sm);
    if (pass->cluster > 1)
        used += snprintf(text + used, size - (size_t)used, ", clusters of %d", pass->cluster);
    if (pass->ordering.strip)
        used += snprintf(text + used, size - (size_t)used, ", strips of %lld",
                         (long long)pass->ordering.strip);
    if (program->shell.taken) snprintf(text + used, size - (size_t)used, ", layers beside them");
}

/* Whether kernels of towers may lack for the order, or for density with it: of order 2 there are
 * such for compute capability 9.0 alone, and none of dts 1. */
static bool lacks_towers(const torre_wave_problem *p)
{
    return !order_has_towers(p->order) || (p->density_cells && p->order == 2);
}

/* Where steps may slide in place of towers: in parts, beside layers, where there are no towers. */
static bool may_slide(const torre_wave_setup *setup)
{
    return setup->region || setup->pml_a || lacks_towers(setup->problem);
}

/* Whether towers of dts 1 are such steps. */
static bool slides(const torre_wave_setup *setup, const torre_wave_plan *wish)
{
    return wish->engine == TORRE_TORRE && wish->dts == 1 && may_slide(setup);
}

/* The choices: axes, engine, kernel, tile. */
static torre_status choose(torre_cuda_program *program)
{
    const torre_wave_problem *p = program->base.setup->problem;
    torre_wave_info *info = &program->base.info;
    const torre_wave_plan *wish = &info->wish;
    struct cudaDeviceProp device;
    const char *advice;
    TORRE_TRY(torre_cuda_part_check(program->base.setup, wish));
    if (wish->engine == TORRE_AUTO) info->plan.engine = TORRE_TORRE;
    TORRE_TRY(torre_cuda_settings_read(&program->settings));
    if (program->settings.axes[0]) strcpy(info->plan.axes, program->settings.axes);
    if (info->plan.axes[0]) TORRE_TRY(torre_axes_check(p, info->plan.axes));
    if (wish->engine == TORRE_REFERENCE)
        return torre_fail(TORRE_ERR_USAGE,
                          "{engine} reference runs on {backend} cpu only; use stepwise or torre");
    for (int a = 0; a < 3; a++)
        if (p->size[a] > INT32_MAX / 4)
            return torre_fail(TORRE_ERR_USAGE, "size: no axis may exceed %d cells on the GPU",
                              INT32_MAX / 4);
    TORRE_CUDA_TRY(cudaSetDevice(wish->device), "choosing the device");
    TORRE_CUDA_TRY(cudaGetDeviceProperties(&device, wish->device), "asking for the device");
    snprintf(info->device, sizeof info->device, "%.100s", device.name);
    program->multiprocessors = device.multiProcessorCount;
    program->gpu = torre_gpu_data_of(device.name, device.major);
    const chooser c = {program->gpu, program->multiprocessors, program->settings.planes};
    const bool open = wish->engine == TORRE_AUTO && !wish->dts && !wish->tower_height;
    TORRE_TRY(choose_axes(&c, p, &info->plan, &advice));
    bool steps = program->slides || slides(program->base.setup, wish);
    if (info->plan.engine == TORRE_TORRE && !steps) {
        const torre_status status = plan_towers(&c, open && find_stepper(p), advice, program);
        /* a height is wished for, and towers of no kind can have it */
        steps = status == TORRE_ERR_USAGE && wish->engine == TORRE_AUTO && !wish->dts &&
                may_slide(program->base.setup);
        if (!steps) TORRE_TRY(status);
    }
    if (info->plan.engine == TORRE_STEPWISE || steps) TORRE_TRY(plan_steps(program));
    return torre_wave_part_check(program->base.setup, &info->plan);
}

/* What follows from the choices. */
static torre_status lay_out(torre_cuda_program *program)
{
    TORRE_TRY(torre_cuda_lay_out(program));
    if (program->slides) TORRE_TRY(torre_cuda_slide_check(program));
    name_kernel(program);
    return check_memory(program->base.setup->problem, program->gpu, &program->base.info,
                        &program->base.room);
}

/* In place of a program that takes more memory than is wished, one that streams through less. */
static torre_status limit_memory(const torre_wave_setup *setup, const torre_wave_plan *wish,
                                 torre_wave_program **program)
{
    torre_wave_program *whole = *program, *streams;
    if (wish->memory == 0 || whole->info.memory_bytes <= wish->memory) return TORRE_OK;
    torre_status status = torre_cuda_for_parts(program);
    whole = *program;
    if (!status) status = torre_ring_plan(&torre_wave_cuda, whole, setup, wish, &streams);
    torre_wave_program_free(whole);
    *program = status ? NULL : streams;
    return status;
}

static void clear(torre_wave_program *program)
{
    torre_turned_free(&((torre_cuda_program *)program)->turned);
    torre_cuda_receivers_free(&((torre_cuda_program *)program)->receivers);
}

torre_status torre_cuda_adapt(const torre_wave_program *given, const torre_wave_setup *setup,
                              torre_wave_program **adapted)
{
    const torre_cuda_program *from = (const torre_cuda_program *)given;
    torre_cuda_program *made;
    TORRE_TRY(torre_wave_program_new(sizeof *made, setup, &given->info.wish,
                                     (torre_wave_program **)&made));
    made->base.clear = clear;
    made->base.info = given->info;
    made->settings = from->settings;
    made->gpu = from->gpu;
    made->multiprocessors = from->multiprocessors;
    made->kernel = from->kernel;
    made->shape = from->shape;
    made->stepper = from->stepper;
    made->slides = from->slides;
    torre_status status = lay_out(made);
    if (status)
        torre_wave_program_free(&made->base);
    else
        *adapted = &made->base;
    return status;
}

/* The program of one solver, whatever memory it takes; slide: of engine torre, by steps that do. */
static torre_status plan_whole(const torre_wave_setup *setup, const torre_wave_plan *wish,
                               bool slide, torre_wave_program **result)
{
    torre_wave_program *made;
    TORRE_TRY(torre_wave_program_new(sizeof(torre_cuda_program), setup, wish, &made));
    torre_cuda_program *program = (torre_cuda_program *)made;
    made->clear = clear;
    program->slides = slide;
    torre_status status = choose(program);
    if (!status) status = lay_out(program);
    if (status) {
        torre_wave_program_free(made);
        return status;
    }
    *result = made;
    return TORRE_OK;
}

torre_status torre_cuda_for_parts(torre_wave_program **program)
{
    const torre_cuda_program *whole = (const torre_cuda_program *)*program;
    const torre_wave_setup *setup = whole->base.setup;
    const torre_wave_plan wish = whole->base.info.wish;
    torre_wave_plan slide = wish;
    torre_wave_program *made;
    const bool towers = whole->kernel && !setup->pml_a && whole->base.info.plan.dts != 1;
    if (towers || whole->slides || wish.engine == TORRE_STEPWISE) return TORRE_OK;
    if (wish.dts > 1)
        return torre_fail(TORRE_ERR_USAGE,
                          "towers of {dts} %d have no layers of {absorbing} %s in parts of a grid "
                          "on a GPU: leave {dts} open, or take {absorbing} sponge",
                          wish.dts, torre_absorbing_name(setup->problem->absorbing));
    slide.engine = TORRE_TORRE;
    slide.dts = 1;
    snprintf(slide.axes, sizeof slide.axes, "%s", whole->base.info.plan.axes);
    TORRE_TRY(plan_whole(setup, &slide, true, &made));
    made->info.wish = wish;
    torre_wave_program_free(*program);
    *program = made;
    return TORRE_OK;
}

torre_status torre_cuda_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                             torre_wave_program **result)
{
    torre_wave_program *made;
    TORRE_TRY(plan_whole(setup, wish, false, &made));
    const torre_status status = limit_memory(setup, wish, &made);
    if (!status) *result = made;
    return status;
}
