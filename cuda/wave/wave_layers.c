/* The memory of perfectly matched layers on the device: room, tables, slices. */
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_rows.h"
#include "wave/box.h"
#include "wave/pml.h"

void torre_cuda_layers_plan(torre_cuda_program *program)
{
    const torre_wave_problem *p = &program->turned.problem;
    torre_layer_args *l = &program->layers;
    const int64_t W = p->absorbing_width, R = p->order / 2, slots = R * (2 * W - 1), *n = p->size;
    const int64_t pitch = program->args.stride_y, pitch_y = torre_cuda_pitch(n[1], p->precision);
    int64_t values = 0;
    *l = (torre_layer_args){.slot = {pitch, pitch, pitch_y},
                            .outer = {slots * pitch, slots * pitch, slots * pitch_y}};
    if (!torre_pml_any(p)) return;
    l->width = (int)W;
    for (int f = 0; f < 6; f++) {
        const int axis = f / 2;
        l->first[axis][f % 2] = -1;
        if (!torre_pml_face(p, axis, f % 2)) continue;
        l->first[axis][f % 2] = values;
        values += n[axis == 0] * l->outer[axis]; /* whole lines */
    }
    for (int axis = 0; axis < 3; axis++)
        for (int m = 1; m <= R; m++)
            l->weight[axis][m - 1] = torre_stencil_weight((int)R, m) /
                                     (p->spacing[axis] * p->spacing[axis]) / program->args.unit;
    for (int level = 0; level < 2; level++)
        program->bytes[TORRE_PIECE_LAYERS + level] = (size_t)values * (size_t)p->precision;
    program->bytes[TORRE_PIECE_LAYER_STEPS] = 2 * (size_t)(W + 1) * (size_t)p->precision;
}

torre_status torre_cuda_layers_new(torre_cuda_solver *s)
{
    const int W = s->layers.width;
    const torre_precision precision = s->setup->problem->precision;
    if (W == 0) return TORRE_OK;
    s->layers.old = s->memory[TORRE_PIECE_LAYERS];
    s->layers.made = s->memory[TORRE_PIECE_LAYERS + 1];
    s->layers.steps = s->memory[TORRE_PIECE_LAYER_STEPS];
    void *steps = malloc(s->program->bytes[TORRE_PIECE_LAYER_STEPS]);
    if (!steps) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int i = 0; i <= W; i++) {
        torre_value_set(precision, steps, i, s->setup->pml_a[i]);
        torre_value_set(precision, steps, W + 1 + i, s->setup->pml_b[i]);
    }
    torre_status status =
        torre_cuda_fill(s, TORRE_PIECE_LAYER_STEPS, steps, "sending the layers to the device");
    free(steps);
    return status;
}

/* A slice of the memory of level n; box: of its cells. */
static torre_device_array slice_of(const torre_cuda_solver *s, const torre_layer_slice *slice,
                                   torre_box *box)
{
    const torre_layer_args *l = &s->layers;
    const int64_t W = l->width, R = s->setup->problem->order / 2;
    const int64_t number = slice->outwards ? (slice->j - 1) * W + slice->i - 1
                                           : R * W + (slice->j - 1) * (W - 1) + slice->i - 1;
    int axis = 0;
    while (s->program->turned.axis[axis] != slice->axis) axis++;
    const int64_t at = l->first[axis][slice->side] + number * l->slot[axis];
    const int64_t stride[3][3] = {{0, l->outer[0], 1}, {l->outer[1], 0, 1}, {l->outer[2], 1, 0}};
    torre_device_array a = {.data = (char *)l->old + at * (int64_t)s->setup->problem->precision};
    *box = torre_box_all(s->program->turned.caller->problem->size);
    box->high[slice->axis] = 1;
    for (int i = 0; i < 3; i++) {
        const int to = s->program->turned.axis[i];
        a.size[to] = box->high[to];
        a.stride[to] = stride[axis][i];
    }
    return a;
}

/* Room on the host for the values of a slice. */
static torre_status slice_values(const torre_cuda_solver *s, const torre_device_array *a,
                                 void **dense)
{
    const int64_t cells = a->size[0] * a->size[1] * a->size[2];
    *dense = calloc((size_t)cells, (size_t)s->setup->problem->precision);
    return *dense ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
}

static torre_status forget(torre_cuda_solver *s)
{
    for (int level = 0; level < 2; level++)
        TORRE_CUDA_TRY(cudaMemset(s->memory[TORRE_PIECE_LAYERS + level], 0,
                                  s->program->bytes[TORRE_PIECE_LAYERS + level]),
                       "setting layers");
    /* the solver's stream does not wait for that */
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), "setting layers");
    return TORRE_OK;
}

torre_status torre_cuda_write_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                    const int64_t stride[3], const void *values)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    torre_box box;
    int64_t own[3];
    void *dense;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    if (!slice) return forget(s);
    const torre_device_array a = slice_of(s, slice, &box);
    TORRE_TRY(slice_values(s, &a, &dense));
    torre_box_strides(&box, own);
    torre_box_copy(&box, (size_t)s->setup->problem->precision, dense, own, values, stride, 1);
    torre_status status = torre_cuda_array_set(s, &a, dense);
    free(dense);
    return status;
}

torre_status torre_cuda_read_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                   const int64_t stride[3], void *values)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    torre_box box;
    int64_t own[3];
    void *dense;
    const torre_device_array a = slice_of(s, slice, &box);
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    TORRE_TRY(slice_values(s, &a, &dense));
    torre_box_strides(&box, own);
    torre_status status = torre_cuda_array_get(s, &a, dense);
    if (!status)
        torre_box_copy(&box, (size_t)s->setup->problem->precision, values, stride, dense, own, 1);
    free(dense);
    return status;
}
