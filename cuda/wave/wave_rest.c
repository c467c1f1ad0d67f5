/* Fields at rest, made on the device (wave_rest.cu). */
#include <string.h>

#include "core/array_value.h"
#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_rows.h"
#include "cuda/wave/wave_solver.h"
#include "wave/pml.h"

static torre_rest_args args_of(const torre_cuda_solver *s)
{
    const torre_wave_problem *p = s->program->turned.caller->problem;
    const int64_t stride[3] = {s->args.stride_x, s->args.stride_y, 1};
    torre_rest_args r = {.stride_x = s->args.stride_x,
                         .stride_y = s->args.stride_y,
                         .reach = p->order / 2,
                         .velocity = p->velocity,
                         .dt = p->dt,
                         .cells = p->velocity_cells};
    for (int own = 0; own < 3; own++) {
        const int a = s->program->turned.axis[own];
        torre_rest_axis *axis = &r.axis[a];
        r.n[own] = axis->n = (int)p->size[a];
        axis->own = own;
        axis->stride = stride[own];
        axis->square = p->spacing[a] * p->spacing[a];
        for (int d = 0; d < r.reach; d++) {
            axis->ghosts[0][d] = torre_axis_ghost(p, a, -1 - d);
            axis->ghosts[1][d] = torre_axis_ghost(p, a, p->size[a] + d);
        }
    }
    for (int d = 0; d <= r.reach; d++)
        r.weight[d] = torre_stencil_weight(r.reach, d) * (d == 0 ? 2 : 1);
    return r;
}

/* Velocities of rows of the caller's problem, as they are. */
static void take_velocity(const void *context, int64_t first, int64_t count, void *to)
{
    const torre_wave_problem *p = context;
    const torre_array *v = p->velocity_cells;
    const int64_t ny = p->size[1], nz = p->size[2];
#pragma omp parallel for if (count * nz > 1 << 16) schedule(static)
    for (int64_t row = first; row < first + count; row++) {
        const int64_t x = torre_pml_clamp(p, 0, row / ny), y = torre_pml_clamp(p, 1, row % ny);
        const int64_t from = (x * v->shape[1] + (v->shape[1] == 1 ? 0 : y)) * nz;
        for (int64_t z = 0; z < nz; z++)
            torre_value_set(p->precision, to, (row - first) * nz + z,
                            torre_value(v->precision, v->data, from + torre_pml_clamp(p, 2, z)));
    }
}

torre_status torre_cuda_rest(torre_wave_solver *solver, const uint64_t *seed, bool *made)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    const torre_wave_problem *p = s->program->turned.caller->problem;
    const torre_rest_args r = args_of(s);
    const torre_device_array previous = torre_cuda_field(s, 0);
    const torre_box all = torre_box_all(p->size);
    const char what[] = "making the first levels";
    *made = !torre_cuda_is_part(s->program) && !p->density_cells &&
            (!p->velocity_cells || p->velocity_cells->precision <= p->precision);
    if (!*made) return TORRE_OK;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    if (seed) {
        TORRE_CUDA_TRY(torre_fill_noise((int)p->precision, &r, s->args.field[1], *seed, s->stream),
                       what);
        TORRE_TRY(torre_cuda_continue_box(s, 0, &all));
    }
    if (p->velocity_cells) TORRE_TRY(torre_cuda_array_make(s, &previous, take_velocity, p));
    TORRE_CUDA_TRY(
        torre_make_rest((int)p->precision, &r, s->args.field[1], s->args.field[0], s->stream),
        what);
    return torre_cuda_continue_box(s, -1, &all);
}
