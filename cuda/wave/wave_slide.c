/*
 * Steps that slide: parts of a problem (wave_part.c) one step at a time, for what towers cannot
 * compute in parts. They are towers of dts 1 that all rows along y climb together:
 *
 *     step t = 0, 1, .. of a pass takes planes   low + R t .. high + R t - 1
 *
 * of a part that owns low .. high - 1, but all from the first or up to the last one of the grid
 * where the part ends with it. What it reads the part above has left at steps before, as towers
 * do (tiling/diamond.h), so all else, halos and what goes from part to part, is as for these.
 *
 * What layers across y and z remember of a plane lies behind its rows in the same array, and goes
 * wherever that goes. A layer across x is never cut: the parts at both ends of the grid are large
 * enough to have all of it in each step, and its memory, of the piece of layers, stays there.
 */
#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_solver.h"
#include "wave/part.h"

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Beyond all planes, however far steps slide. */
static const int64_t far = INT64_C(1) << 40;

static torre_region region_of(const torre_cuda_program *program)
{
    return torre_cuda_is_part(program) ? program->turned.region
                                       : torre_region_whole(program->turned.problem.size);
}

/* Cells at a face that a layer across x changes, if the program has that layer; or 0. */
static int64_t layer_at(const torre_cuda_program *program, int side)
{
    const torre_wave_problem *p = &program->turned.problem;
    if (!torre_cuda_ends_at(program, side) || program->layers.first[0][side] < 0 ||
        program->layers.width == 0)
        return 0;
    return torre_cuda_layer_cells(p);
}

bool torre_cuda_ends_at(const torre_cuda_program *program, int side)
{
    const torre_region r = region_of(program);
    return side ? r.owned.high[0] == r.global[0] : r.owned.low[0] == 0;
}

int64_t torre_cuda_end_planes(const torre_wave_setup *setup, const torre_wave_plan *plan)
{
    const int x = plan->axes[0] ? plan->axes[0] - 'x' : 0;
    const torre_wave_problem *p = setup->problem;
    if (plan->dts != 1 || !setup->pml_a || !(setup->layer[x][0] || setup->layer[x][1])) return 1;
    return torre_cuda_layer_cells(p) + 1;
}

torre_status torre_cuda_slide_check(const torre_cuda_program *program)
{
    const torre_region r = region_of(program);
    const int64_t steps = program->base.info.plan.tower_height,
                  R = program->turned.problem.order / 2, owned = r.owned.high[0] - r.owned.low[0];
    if (owned == r.global[0]) return TORRE_OK;
    for (int side = 0; side < 2; side++) {
        const int64_t layer = layer_at(program, side),
                      need = layer > 0 && side ? layer + R * (steps - 1) : layer;
        if (owned < need)
            return torre_fail(TORRE_ERR_USAGE,
                              "a part at an end of the grid with layers of {absorbing} %s must "
                              "own %lld planes for a pass of %lld steps, not %lld",
                              torre_absorbing_name(program->turned.problem.absorbing),
                              (long long)need, (long long)steps, (long long)owned);
    }
    return TORRE_OK;
}

torre_status torre_cuda_plan_slide(torre_cuda_program *program)
{
    const torre_wave_problem *p = program->base.setup->problem;
    torre_wave_info *info = &program->base.info;
    torre_turned t;
    torre_turn_problem(p, info->plan.axes, &t);
    if (t.problem.face[0][0] == TORRE_PERIODIC)
        return torre_fail(TORRE_ERR_USAGE,
                          "{engine} torre cannot have periodic %c faces (towers slide along %c)",
                          'x' + t.axis[0], 'x' + t.axis[0]);
    program->slides = true;
    info->plan.dts = 1;
    if (info->plan.tower_height == 0) info->plan.tower_height = 128;
    if (p->steps > 0 && info->plan.tower_height > p->steps) info->plan.tower_height = p->steps;
    return TORRE_OK;
}

int64_t torre_cuda_slide_from(const torre_cuda_program *program, int64_t steps, int64_t plane)
{
    const int64_t n = region_of(program).global[0], R = program->turned.problem.order / 2,
                  low = layer_at(program, 0), high = layer_at(program, 1);
    if (plane < -far || (low > 0 && plane < low)) return -far;
    if (plane > far || (high > 0 && plane + R * (steps - 1) > n - high)) return far;
    return plane;
}

/* --- A step --- */

/* Planes of the arrays. */
typedef struct planes {
    int64_t low, high;
} planes;

/* What layers across x make of a step, where the planes are those of an end of the grid. */
static torre_status layers_across_x(torre_cuda_solver *s, const torre_wave_args *args,
                                    torre_layer_args layers, planes p)
{
    const int64_t first = torre_cuda_first_plane(s->program), n = region_of(s->program).global[0];
    if (p.low + first > 0) layers.first[0][0] = -1;
    if (p.high + first < n) layers.first[0][1] = -1;
    for (int axis = 1; axis < 3; axis++) layers.first[axis][0] = layers.first[axis][1] = -1;
    return torre_cuda_status(s->program->stepper->layers(args, &layers, s->stream),
                             "computing a step in layers");
}

/* Arguments of planes alone, which kernels must not look beyond. */
static torre_wave_args of_planes(const torre_wave_args *args, planes p, int64_t width)
{
    torre_wave_args a = *args;
    for (int i = 0; i < 2; i++)
        a.field[i] = (char *)args->field[i] + p.low * args->stride_x * width;
    if (args->k) a.k = (const char *)args->k + p.low * args->k_stride_x * width;
    a.n[0] = (int)(p.high - p.low);
    return a;
}

/* What layers across y and z make of it, of which each plane has its own. */
static torre_status layers_in_planes(torre_cuda_solver *s, const torre_wave_args *args, planes p)
{
    const torre_wave_args own = of_planes(args, p, (int64_t)s->setup->problem->precision);
    torre_layer_args layers = s->layers;
    layers.first[0][0] = layers.first[0][1] = -1;
    layers.old = own.field[1];
    layers.made = own.field[0];
    TORRE_CUDA_TRY(s->program->stepper->layers(&own, &layers, s->stream),
                   "computing a step in layers");
    return torre_cuda_make_images(s, own.field[0], p.high - p.low);
}

static torre_status slide_step(torre_cuda_solver *s, const torre_wave_args *args,
                               const torre_layer_args *layers, planes p, int64_t row)
{
    const torre_cuda_program *program = s->program;
    const torre_span span = {p.low * args->stride_x, p.high * args->stride_x};
    torre_step_launch step = s->step;
    if (p.low >= p.high) return TORRE_OK;
    torre_cuda_step_planes(program, p.low, p.high, &step);
    TORRE_CUDA_TRY(program->stepper->launch(args, &program->stencil, &step, s->stream),
                   "computing a step");
    if (layers->width) {
        TORRE_TRY(layers_across_x(s, args, *layers, p));
        TORRE_TRY(layers_in_planes(s, args, p));
    }
    TORRE_TRY(torre_cuda_add_sources(s, args, &span, row));
    return torre_cuda_receivers_pick(s, args->field[0], &span, row);
}

/* Planes that step t takes of those that begin at low .. high - 1. */
static planes planes_at(const torre_cuda_program *program, int64_t low, int64_t high, int64_t t)
{
    const torre_region r = region_of(program);
    const int64_t R = program->turned.problem.order / 2, first = torre_cuda_first_plane(program);
    return (planes){most(low + R * t, r.stored.low[0]) - first,
                    least(high + R * t, r.stored.high[0]) - first};
}

torre_status torre_cuda_slide(torre_cuda_solver *s, int64_t steps, torre_stages stages)
{
    const torre_region r = region_of(s->program);
    const int64_t low = most(stages.low, torre_cuda_ends_at(s->program, 0) ? -far : r.owned.low[0]),
                  high =
                      least(stages.high, torre_cuda_ends_at(s->program, 1) ? far : r.owned.high[0]);
    torre_wave_args args = s->args;
    torre_layer_args layers = s->layers;
    for (int64_t t = 0; t < steps; t++) {
        TORRE_TRY(slide_step(s, &args, &layers, planes_at(s->program, low, high, t), t));
        torre_cuda_exchange_args(&args, &layers);
    }
    return TORRE_OK;
}
