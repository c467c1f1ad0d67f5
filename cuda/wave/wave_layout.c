/* What follows from the kernel and the plan that were chosen: arguments, tiles, device memory. */
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"
#include "tiling/ordering.h"

/* On the way between host and device at once: long beside the start of a copy, short beside taking
 * as much page-locked memory, twice. */
enum { STAGING_BYTES = 8 << 20 };

int64_t torre_cuda_pitch(int64_t nz, torre_precision precision)
{
    int64_t line = 128 / (int64_t)precision;
    return (nz + line - 1) / line * line;
}

int64_t torre_cuda_field_bytes(const torre_turned *t)
{
    const int64_t *n = t->problem.size, *model = t->velocity.shape;
    int64_t line = torre_cuda_pitch(n[2], t->problem.precision) * (int64_t)t->problem.precision;
    const int64_t binding = t->problem.density_cells ? n[0] * n[1] : 0;
    return (2 * n[0] * n[1] + model[0] * model[1] + binding) * line;
}

/* Ghosts of one axis for kernels that compute `cells` cells of it, from the rule of boundary.h; the
 * first of them for those that have less room. */
static void fill_mirror(const torre_wave_problem *p, int axis, int64_t cells, torre_wide_mirror *m,
                        torre_mirror *narrow)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < TORRE_MAX_HALF_WIDTH; i++) {
            const torre_ghost ghost = torre_axis_ghost(p, axis, side ? cells + i : -1 - i);
            m->source[side][i] = ghost.sign ? (int)ghost.source : 0;
            m->sign[side][i] = ghost.sign;
            if (i >= TORRE_TOWER_HALF_WIDTH) continue;
            narrow->source[side][i] = m->source[side][i];
            narrow->sign[side][i] = m->sign[side][i];
        }
}

static void lay_out_arguments(torre_cuda_program *program)
{
    const torre_wave_problem *p = &program->turned.problem;
    torre_wave_args *a = &program->args;
    torre_wide_stencil *stencil = &program->stencil;
    for (int axis = 0; axis < 3; axis++) {
        double h2 = p->spacing[axis] * p->spacing[axis];
        a->n[axis] = (int)p->size[axis];
        a->periodic[axis] = p->face[axis][0] == TORRE_PERIODIC;
        fill_mirror(p, axis, axis == 2 ? torre_cuda_planes(program) : p->size[axis],
                    &stencil->mirror[axis], &a->mirror[axis]);
        for (int d = 1; d <= p->order / 2; d++) {
            stencil->weight[axis][d - 1] = torre_stencil_step_weight(p->order / 2, d) / h2;
            if (d <= TORRE_TOWER_HALF_WIDTH) a->weight[axis][d - 1] = stencil->weight[axis][d - 1];
        }
    }
    a->unit = 1;
    if (p->order == 2 &&
        (p->velocity_cells || p->density_cells)) { /* a multiplication less a cell */
        a->unit = a->weight[0][0];
        for (int axis = 0; axis < 3; axis++) a->weight[axis][0] /= a->unit;
    }
    a->stride_y = torre_cuda_pitch(p->size[2], p->precision);
    a->stride_x = torre_cuda_plane_values(program);
    if (p->density_cells) {
        a->binding_stride_y = a->stride_y;
        a->binding_stride_x = a->stride_y * p->size[1];
    }
    if (!p->velocity_cells) { /* beside density a line of k serves all */
        a->k0 = torre_cuda_squared_step(p, p->velocity);
        return;
    }
    const int64_t *model = program->turned.velocity.shape;
    a->k_stride_y = model[1] == 1 ? 0 : a->stride_y;
    a->k_stride_x = model[0] == 1 ? 0 : model[1] * a->stride_y;
}

/* Cells of nx along x that a block marches over. One block a tile: enough blocks. Persistent
 * blocks: what costs least if all take the same time for a plane and the `order` planes more that
 * are read for each chunk cost half as much. */
static int64_t chunk_of(const torre_cuda_program *program, int64_t nx)
{
    const torre_gpu_data *gpu = program->gpu;
    const int64_t R = program->turned.problem.order / 2, shortest = gpu->chunk_least,
                  blocks = program->step.shape.blocks,
                  columns = program->tiles[1] * program->tiles[2];
    if (!blocks) {
        int64_t chunk = nx < gpu->long_grid ? shortest : gpu->chunk_most;
        while (chunk > shortest && nx / chunk * columns < gpu->blocks_enough) chunk /= 2;
        return chunk;
    }
    int64_t best = nx, least = INT64_MAX;
    for (int64_t chunks = 1; chunks <= (nx + shortest - 1) / shortest; chunks++) {
        int64_t chunk = (nx + chunks - 1) / chunks;
        int64_t rounds = (chunks * columns + blocks - 1) / blocks;
        if (rounds * (chunk + R) >= least) continue;
        least = rounds * (chunk + R);
        best = chunk;
    }
    return best;
}

/* Of steps that slide each has planes of its own: one beside a cut few, the next all others. So
 * tiles have the length that suits these where the first of the list are those of a launch. */
void torre_cuda_step_planes(const torre_cuda_program *program, int64_t low, int64_t high,
                            torre_step_launch *step)
{
    const int64_t columns = program->tiles[1] * program->tiles[2];
    step->low = (int)low;
    step->high = (int)high;
    if (!program->cuts_tiles) return;
    step->chunk = (int)chunk_of(program, high - low);
    step->tile_count = (int)((high - low + step->chunk - 1) / step->chunk * columns);
}

/* Tiles of the stepwise kernel; refuses orderings that they cannot have. */
static torre_status lay_out_tiles(torre_cuda_program *program)
{
    const torre_ordering_spec *spec = &program->base.info.plan.ordering,
                              rows = {.kind = TORRE_ROW_MAJOR};
    torre_step_launch *step = &program->step;
    const int *n = program->args.n;
    torre_ordering ordering;
    const char *why = "there are too many";
    TORRE_CUDA_TRY(program->stepper->shape(&program->args, program->gpu, &step->shape),
                   "asking for the kernel's shape");
    int64_t *size = program->tiles;
    size[1] = (n[1] + step->shape.rows - 1) / step->shape.rows;
    size[2] = (n[2] + step->shape.planes - 1) / step->shape.planes;
    program->cuts_tiles = program->slides && torre_ordering_same(spec, &rows);
    step->chunk =
        (int)(program->cuts_tiles ? program->gpu->chunk_least : chunk_of(program, program->room));
    size[0] = (program->room + step->chunk - 1) / step->chunk;
    const int64_t count = size[0] * size[1] * size[2];
    if (count > INT32_MAX || !torre_ordering_make_spec(spec, 3, size, &ordering, &why))
        return torre_fail(TORRE_ERR_USAGE, "{ordering} %s for %lldx%lldx%lld tiles: %s",
                          torre_ordering_write(spec).text, (long long)size[0], (long long)size[1],
                          (long long)size[2], why);
    step->tile_count = (int)count;
    step->low = 0;
    step->high = n[0];
    program->bytes[TORRE_PIECE_TILES] = (size_t)count * 3 * sizeof(int);
    return TORRE_OK;
}

/* Fields, model, damping, and what is needed whatever the engine. */
static void lay_out_arrays(torre_cuda_program *program)
{
    const torre_wave_problem *p = &program->turned.problem;
    const torre_wave_args *a = &program->args;
    const torre_wave_setup *setup = &program->turned.setup;
    const size_t width = (size_t)p->precision;
    size_t *bytes = program->bytes;
    for (int i = 0; i < 2; i++)
        bytes[TORRE_PIECE_FIELDS + i] = (size_t)(a->stride_x * program->room) * width;
    if (p->velocity_cells || p->density_cells) /* towers read 3 planes and rows beyond the last */
        bytes[TORRE_PIECE_MODEL] = (size_t)((program->room + 2) * a->k_stride_x +
                                            (p->size[1] + 2) * a->k_stride_y + a->stride_y) *
                                   width;
    if (p->density_cells)
        bytes[TORRE_PIECE_BINDING] =
            (size_t)((program->room + 3) * a->binding_stride_x + 3 * a->binding_stride_y) * width;
    for (int axis = 0; axis < 3; axis++)
        if (setup->damping[0] || setup->damping[1] || setup->damping[2])
            bytes[TORRE_PIECE_DAMPING + axis] = (size_t)torre_cuda_damped(program, axis) * width;
    bytes[TORRE_PIECE_NORMS] = sizeof(torre_device_norms);
    const size_t row = (size_t)program->turned.caller->problem->size[2] * width,
                 all = (size_t)(program->room * p->size[1] * p->size[2]) * width;
    bytes[TORRE_PIECE_STAGING] = row > STAGING_BYTES ? row : STAGING_BYTES;
    if (bytes[TORRE_PIECE_STAGING] > all) bytes[TORRE_PIECE_STAGING] = all;
}

torre_status torre_cuda_lay_out(torre_cuda_program *program)
{
    torre_wave_info *info = &program->base.info;
    TORRE_TRY(torre_turn_setup(program->base.setup, info->plan.axes, &program->turned));
    torre_cuda_part_plan(program);
    lay_out_arguments(program);
    lay_out_arrays(program);
    if (program->kernel)
        torre_cuda_pass_plan(program);
    else
        TORRE_TRY(lay_out_tiles(program));
    torre_cuda_layers_plan(program);
    TORRE_TRY(torre_cuda_points_plan(program));
    TORRE_TRY(torre_cuda_shell_plan(program));
    info->memory_bytes = 0;
    for (int i = 0; i < TORRE_PIECES; i++) info->memory_bytes += (int64_t)program->bytes[i];
    return TORRE_OK;
}
