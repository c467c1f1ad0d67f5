/*
 * Parts of a problem (wave/part.h): cut along the solver's x, computed by towers, or by steps that
 * slide as these do (wave_slide.c).
 *
 * Towers have the places that they have in the whole grid. So the arrays begin with a plane of the
 * whole that is a multiple of 2 D, the pad before the stored planes, which nobody reads: there
 * stages and their parity are what they are in the whole, shifted. What a part computes lies far
 * enough from its open ends that nothing beyond is read (torre_tower_halo), so kernels know nothing
 * of parts.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_solver.h"
#include "tiling/diamond.h"
#include "wave/part.h"
#include "wave/planes.h"

static torre_status refuse(const char *why)
{
    return torre_fail(TORRE_ERR_USAGE, "the cuda backend computes parts of a problem %s", why);
}

torre_status torre_cuda_part_check(const torre_wave_setup *setup, const torre_wave_plan *wish)
{
    const torre_region *r = setup->region;
    if (!r) return TORRE_OK;
    TORRE_TRY(torre_wave_part_named(setup, wish));
    if (wish->engine != TORRE_TORRE) return refuse("by " TORRE_PARAMETER("engine") " torre alone");
    if (!wish->axes[0]) return refuse("with axes that the plan names alone");
    for (int i = 0; i < 3; i++) {
        const int axis = wish->axes[i] - 'x';
        for (int side = 0; side < 2; side++)
            if (i > 0 && torre_region_continues(r, axis, side))
                return refuse("that are cut along the first of its axes alone");
    }
    if (r->periodic[wish->axes[0] - 'x'])
        return refuse("without periodic faces where they are cut");
    if (setup->pml_a && wish->dts != 1)
        return refuse("with layers of " TORRE_PARAMETER(
            "absorbing") " other than sponge by " TORRE_PARAMETER("dts") " 1 alone");
    return TORRE_OK;
}

/* Planes between the first of the arrays and the first that is stored. */
static int64_t pad_of(const torre_region *turned, int64_t D)
{
    return turned->stored.low[0] % (2 * D);
}

static void shift_nodes(torre_node *node, int64_t count, int64_t cells)
{
    for (int64_t i = 0; i < count; i++) node[i].cell += cells;
}

void torre_cuda_part_plan(torre_cuda_program *program)
{
    torre_turned *t = &program->turned;
    torre_wave_problem *p = &t->problem;
    program->pad = 0;
    program->room = p->size[0];
    if (!torre_cuda_is_part(program)) return;
    const int64_t D = p->order / 2 * program->base.info.plan.dts;
    const int64_t pad = program->pad = pad_of(&t->region, D), cells = pad * p->size[1] * p->size[2];
    program->room = p->size[0] + 2 * D - 1;
    p->size[0] += pad;
    if (p->velocity_cells && t->velocity.shape[0] > 1) t->velocity.shape[0] += pad;
    shift_nodes(t->setup.source_nodes, t->setup.source_node_count, cells);
    shift_nodes(t->setup.receiver_nodes, t->setup.receiver_node_count, cells);
    t->points = t->setup.source_node_count > 0 || t->setup.receiver_node_count > 0;
}

int64_t torre_cuda_first_plane(const torre_cuda_program *program)
{
    if (!torre_cuda_is_part(program)) return 0;
    return program->turned.region.stored.low[0] - program->pad;
}

/* --- Planes as they lie --- */

static const char moving[] = "moving planes";

void torre_cuda_plane_rows(const torre_wave_program *program, torre_plane_layout *layout)
{
    const torre_cuda_program *p = (const torre_cuda_program *)program;
    const torre_wave_problem *turned = &p->turned.problem;
    layout->pitch = p->args.stride_y;
    layout->tail = (p->args.stride_x - layout->n[1] * layout->pitch) * (int64_t)turned->precision;
    layout->images = (int)(torre_cuda_planes(p) - turned->size[2]);
    for (int i = 0; i < layout->images; i++)
        layout->image[i] = torre_cuda_image(turned, turned->size[2] + i);
}

/* Both arrays of planes, as they are: the first of `values` that of even or odd steps. */
static torre_status copy_planes(torre_cuda_solver *s, int64_t low, int64_t high, int first,
                                char *values, bool into)
{
    const size_t bytes = (size_t)torre_cuda_plane_bytes(s), planes = (size_t)(high - low);
    const int64_t at = (low - torre_cuda_first_plane(s->program)) * (int64_t)bytes;
    cudaError_t e = cudaSuccess;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    for (int array = 0; array < 2 && !e; array++) {
        char *there = torre_cuda_array_of(s, array) + at,
             *here = values + (size_t)(array ^ first) * bytes;
        e = into ? cudaMemcpy2DAsync(there, bytes, here, 2 * bytes, bytes, planes,
                                     cudaMemcpyHostToDevice, s->stream)
                 : cudaMemcpy2DAsync(here, 2 * bytes, there, bytes, bytes, planes,
                                     cudaMemcpyDeviceToHost, s->stream);
    }
    const cudaError_t end = cudaStreamSynchronize(s->stream);
    return torre_cuda_status(e ? e : end, moving);
}

torre_status torre_cuda_write_planes(torre_wave_solver *solver, int64_t low, int64_t high,
                                     int first, const void *values)
{
    return copy_planes((torre_cuda_solver *)solver, low, high, first, (char *)values, true);
}

torre_status torre_cuda_read_planes(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                    void *values)
{
    return copy_planes((torre_cuda_solver *)solver, low, high, first, values, false);
}

/* --- Steps --- */

/* A pass begins: sources of its steps, and samples that nobody has computed yet. */
static torre_status begin_pass(torre_cuda_solver *s, int64_t steps)
{
    TORRE_TRY(torre_cuda_points_prepare(s, steps));
    TORRE_TRY(torre_cuda_receivers_turn(s));
    return torre_cuda_receivers_blank(s, steps);
}

/* Whether those stages are more than half of a part's. */
static bool are_most(const torre_cuda_program *program, torre_stages stages)
{
    const torre_box *owned = &program->turned.region.owned;
    const int64_t D = program->turned.problem.order / 2 * program->base.info.plan.dts,
                  planes = program->slides ? 1 : D, low = torre_floor_div(owned->low[0], planes),
                  high = torre_ceil_div(owned->high[0], planes);
    if (stages.low < low) stages.low = low;
    if (stages.high > high) stages.high = high;
    return 2 * (stages.high - stages.low) > high - low;
}

/* What the pass before has recorded comes while the device computes: beside as many stages as can
 * be, since others wait for the first ones; and goes on beside the last, for which none waits. */
static torre_status settle_beside(torre_cuda_solver *s, torre_stages stages)
{
    const bool last = stages.low == INT64_MIN;
    if (last || are_most(s->program, stages)) TORRE_TRY(torre_cuda_part_settle(s));
    return last && s->part.sums ? torre_part_sums_go_beside(s->part.sums) : TORRE_OK;
}

/* Towers of those stages, or steps that slide. A pass is all stages, from above. */
static torre_status climb(torre_cuda_solver *s, int64_t steps, torre_stages stages, void *samples)
{
    if (stages.high == INT64_MAX) TORRE_TRY(begin_pass(s, steps));
    TORRE_TRY(s->program->slides ? torre_cuda_slide(s, steps, stages)
                                 : torre_cuda_pass(s, steps, stages));
    TORRE_TRY(settle_beside(s, stages));
    if (stages.low == INT64_MIN) TORRE_TRY(torre_cuda_part_sum(s, steps, samples != NULL));
    return torre_cuda_status(cudaStreamSynchronize(s->stream), "computing steps");
}

torre_status torre_cuda_part_advance(torre_cuda_solver *s, int64_t steps, torre_stages stages,
                                     void *samples)
{
    const torre_wave_plan *plan = &s->program->base.info.plan;
    const torre_wave_problem *p = s->setup->problem;
    const torre_region *region = &s->program->turned.region;
    TORRE_TRY(torre_wave_steps_check(p, s->n, steps));
    TORRE_TRY(
        torre_wave_pass_check(torre_cuda_is_part(s->program)
                                  ? torre_wave_pass_limit(region, TORRE_TORRE, p->order, plan->dts)
                                  : INT64_MAX,
                              steps));
    TORRE_TRY(torre_wave_pass_check(plan->tower_height, steps));
    TORRE_CUDA_TRY(cudaSetDevice(plan->device), "choosing the device");
    TORRE_TRY(climb(s, steps, stages, samples));
    if (stages.low > INT64_MIN) return TORRE_OK;
    s->n += steps;
    if (steps & 1) torre_cuda_exchange_levels(s);
    return TORRE_OK;
}

torre_status torre_cuda_advance_to(torre_wave_solver *solver, int64_t steps, int64_t plane,
                                   void *samples)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    const torre_cuda_program *program = s->program;
    const int64_t D = program->turned.problem.order / 2 * program->base.info.plan.dts;
    const bool all = plane == INT64_MIN;
    torre_stages stages = {all               ? INT64_MIN
                           : program->slides ? torre_cuda_slide_from(program, steps, plane)
                                             : torre_ceil_div(plane, D),
                           INT64_MAX};
    if ((!program->kernel && !program->slides) ||
        (torre_cuda_recorded(program) && !torre_cuda_is_part(program)))
        return torre_fail(TORRE_ERR_USAGE, "only towers of a part advance plane by plane");
    if (s->in_pass) stages.high = s->stages_done;
    s->in_pass = !all;
    s->stages_done = stages.low < stages.high ? stages.low : stages.high;
    return torre_cuda_part_advance(s, steps, stages, samples);
}
