/* The memory of layers (wave/pml.h, wave/cpml.h) on the device: room, tables, slices. */
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_rows.h"
#include "wave/box.h"
#include "wave/cpml.h"

/* Slots of a column. */
static int64_t slots_of(const torre_wave_problem *p)
{
    const int64_t W = p->absorbing_width;
    return p->absorbing == TORRE_CPML ? 2 * W : p->order / 2 * (2 * W - 1);
}

int64_t torre_cuda_layer_cells(const torre_wave_problem *p)
{
    return p->absorbing_width + p->order / 2 - (p->absorbing != TORRE_CPML);
}

/* Slots, and values from one to the next. */
static int64_t lay_out_slots(const torre_wave_problem *p, torre_layer_args *l)
{
    const int64_t pitch = torre_cuda_pitch(p->size[2], p->precision),
                  pitch_y = torre_cuda_pitch(p->size[1], p->precision);
    *l = (torre_layer_args){.width = p->absorbing_width,
                            .convolves = p->absorbing == TORRE_CPML,
                            .first = {{-1, -1}, {-1, -1}, {-1, -1}},
                            .slot = {pitch, pitch, pitch_y}};
    return slots_of(p);
}

/* Layers across y and z in the planes, behind their rows, where steps slide (wave_slide.c). Returns
 * the values of a plane. */
static int64_t lay_out_planes(const torre_wave_problem *p, torre_layer_args *l)
{
    const int64_t slots = lay_out_slots(p, l);
    int64_t values = p->size[1] * l->slot[0];
    for (int f = 2; f < 6; f++) {
        if (!torre_pml_face(p, f / 2, f % 2)) continue;
        l->first[f / 2][f % 2] = values;
        values += slots * l->slot[f / 2];
    }
    l->outer[1] = l->outer[2] = values;
    return values;
}

int64_t torre_cuda_plane_values(const torre_cuda_program *program)
{
    const torre_wave_problem *p = &program->turned.problem;
    torre_layer_args layers;
    if (program->slides) return lay_out_planes(p, &layers);
    return p->size[1] * torre_cuda_pitch(p->size[2], p->precision);
}

/* Whether the program has what a layer across x remembers: windows have that of both faces. */
static bool has_layer_across(const torre_cuda_program *program, int side)
{
    const torre_wave_setup *setup = &program->turned.setup;
    if (!program->slides) return torre_pml_face(&program->turned.problem, 0, side);
    return setup->layer[0][side] && (setup->keeps_layers || torre_cuda_ends_at(program, side));
}

/* Layers in a piece of their own, axis by axis. Returns how many values that has. */
static int64_t lay_out_piece(const torre_cuda_program *program, torre_layer_args *l)
{
    const torre_wave_problem *p = &program->turned.problem;
    const int64_t slots = program->slides ? slots_of(p) : lay_out_slots(p, l);
    int64_t values = 0;
    for (int f = 0; f < (program->slides ? 2 : 6); f++) {
        const int axis = f / 2;
        l->outer[axis] = slots * l->slot[axis];
        if (axis == 0 ? !has_layer_across(program, f) : !torre_pml_face(p, axis, f % 2)) continue;
        l->first[axis][f % 2] = values;
        values += p->size[axis == 0] * l->outer[axis]; /* whole lines */
    }
    return values;
}

void torre_cuda_layers_plan(torre_cuda_program *program)
{
    const torre_wave_problem *p = &program->turned.problem;
    torre_layer_args *l = &program->layers;
    const int64_t W = p->absorbing_width, R = p->order / 2;
    *l = (torre_layer_args){.width = 0};
    if (program->slides ? !program->turned.setup.pml_a : !torre_pml_any(p)) return;
    if (program->slides) lay_out_planes(p, l);
    const int64_t values = lay_out_piece(program, l);
    for (int axis = 0; axis < 3; axis++) {
        const double h2 = p->spacing[axis] * p->spacing[axis];
        l->unit[axis] = 1 / h2 / program->args.unit;
        for (int m = 1; m <= R; m++)
            l->weight[axis][m - 1] = torre_stencil_weight((int)R, m) / h2 / program->args.unit;
    }
    for (int m = 1; m <= R; m++) {
        l->bend[m - 1] = torre_stencil_weight((int)R, m);
        l->slope[m - 1] = torre_cpml_slope_weight((int)R, m);
    }
    for (int level = 0; level < 2; level++)
        program->bytes[TORRE_PIECE_LAYERS + level] = (size_t)values * (size_t)p->precision;
    program->bytes[TORRE_PIECE_LAYER_STEPS] = 2 * (size_t)(W + 2) * (size_t)p->precision;
}

torre_status torre_cuda_layers_new(torre_cuda_solver *s)
{
    const int W = s->layers.width;
    const torre_precision precision = s->setup->problem->precision;
    if (W == 0) return TORRE_OK;
    s->layers.old = s->memory[TORRE_PIECE_LAYERS]; /* across x alone, where steps slide */
    s->layers.made = s->memory[TORRE_PIECE_LAYERS + 1];
    s->layers.steps = s->memory[TORRE_PIECE_LAYER_STEPS];
    void *steps = malloc(s->program->bytes[TORRE_PIECE_LAYER_STEPS]);
    if (!steps) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int i = 0; i < W + 2; i++) {
        torre_value_set(precision, steps, i, s->setup->pml_a[i]);
        torre_value_set(precision, steps, W + 2 + i, s->setup->pml_b[i]);
    }
    torre_status status =
        torre_cuda_fill(s, TORRE_PIECE_LAYER_STEPS, steps, "sending the layers to the device");
    free(steps);
    return status;
}

/* The slot of a slice. */
static int64_t slot_of(const torre_layer_slice *slice, int64_t W, int64_t R)
{
    return slice->outwards ? (slice->j - 1) * W + slice->i - 1
                           : R * W + (slice->j - 1) * (W - 1) + slice->i - 1;
}

/* A slice of the memory of level n, of a part of the cells that it stores or owns; box: of these,
 * counted from the first. None: there is no such layer. */
static bool slice_of(const torre_cuda_solver *s, const torre_layer_slice *slice, bool stored,
                     torre_device_array *a, torre_box *box)
{
    const torre_cuda_program *program = s->program;
    const torre_layer_args *l = &s->layers;
    const torre_region *region = &program->turned.region;
    const int64_t W = l->width, R = s->setup->problem->order / 2;
    int axis = 0;
    while (program->turned.axis[axis] != slice->axis) axis++;
    const bool in_planes = program->slides && axis > 0;
    const int64_t stride[3][3] = {{0, l->outer[0], 1}, {l->outer[1], 0, 1}, {l->outer[2], 1, 0}};
    int64_t at = l->first[axis][slice->side] + slot_of(slice, W, R) * l->slot[axis];
    *box = torre_box_all(program->turned.caller->problem->size);
    box->high[slice->axis] = 1;
    if (W == 0 || l->first[axis][slice->side] < 0) return false;
    if (in_planes && torre_cuda_is_part(program)) {
        const torre_box *cells = stored ? &region->stored : &region->owned;
        box->high[program->turned.axis[0]] = cells->high[0] - cells->low[0];
        at += (cells->low[0] - torre_cuda_first_plane(program)) * l->outer[axis];
    }
    *a = (torre_device_array){.data = (char *)(in_planes ? s->args.field[1] : l->old) +
                                      at * (int64_t)s->setup->problem->precision};
    for (int i = 0; i < 3; i++) {
        const int to = program->turned.axis[i];
        a->size[to] = box->high[to];
        a->stride[to] = stride[axis][i];
    }
    return true;
}

torre_layer_place torre_cuda_layer_place(const torre_wave_setup *setup, const torre_wave_plan *plan,
                                         const torre_layer_slice *slice, int level)
{
    const torre_wave_problem *p = setup->problem;
    const int64_t width = (int64_t)p->precision;
    torre_layer_args l;
    torre_turned t;
    int axis = 0;
    torre_turn_problem(p, plan->axes, &t);
    const int64_t values = lay_out_planes(&t.problem, &l);
    while (t.axis[axis] != slice->axis) axis++;
    return (torre_layer_place){
        .at = width * (level * values + l.first[axis][slice->side] +
                       slot_of(slice, p->absorbing_width, p->order / 2) * l.slot[axis]),
        .step = width};
}

/* Room on the host for the values of a slice. */
static torre_status slice_values(const torre_cuda_solver *s, const torre_device_array *a,
                                 void **dense)
{
    const int64_t cells = a->size[0] * a->size[1] * a->size[2];
    *dense = calloc((size_t)cells, (size_t)s->setup->problem->precision);
    return *dense ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
}

/* Zeros behind the rows of all planes of a field. */
static cudaError_t clear_tails(torre_cuda_solver *s, char *field)
{
    const int64_t width = (int64_t)s->setup->problem->precision,
                  rows = s->args.stride_y * s->args.n[1] * width, plane = s->args.stride_x * width;
    if (plane == rows) return cudaSuccess;
    return cudaMemset2D(field + rows, (size_t)plane, 0, (size_t)(plane - rows),
                        (size_t)s->program->room);
}

static torre_status forget(torre_cuda_solver *s)
{
    for (int level = 0; level < 2; level++) {
        if (s->memory[TORRE_PIECE_LAYERS])
            TORRE_CUDA_TRY(cudaMemset(s->memory[TORRE_PIECE_LAYERS + level], 0,
                                      s->program->bytes[TORRE_PIECE_LAYERS + level]),
                           "setting layers");
        TORRE_CUDA_TRY(clear_tails(s, s->args.field[level]), "setting layers");
    }
    /* the solver's stream does not wait for that */
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), "setting layers");
    return TORRE_OK;
}

torre_status torre_cuda_take_layer(torre_wave_solver *solver, const torre_wave_solver *from,
                                   int side)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    const torre_cuda_solver *other = (const torre_cuda_solver *)from;
    const torre_layer_args *l = &s->layers, *o = &other->layers;
    const int64_t width = (int64_t)s->setup->problem->precision, at = l->first[0][side] * width;
    const char *level = ((s->n ^ other->n) & 1) ? o->made : o->old;
    if (l->width == 0 || at < 0) return TORRE_OK;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    TORRE_CUDA_TRY(cudaMemcpyAsync((char *)l->old + at, level + at,
                                   (size_t)(l->outer[0] * s->args.n[1] * width),
                                   cudaMemcpyDeviceToDevice, s->stream),
                   "moving layers");
    return torre_cuda_status(cudaStreamSynchronize(s->stream), "moving layers");
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
    torre_device_array a;
    if (!slice_of(s, slice, true, &a, &box)) return TORRE_OK;
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
    torre_device_array a;
    if (!slice_of(s, slice, false, &a, &box)) return TORRE_OK;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    TORRE_TRY(slice_values(s, &a, &dense));
    torre_box_strides(&box, own);
    torre_status status = torre_cuda_array_get(s, &a, dense);
    if (!status)
        torre_box_copy(&box, (size_t)s->setup->problem->precision, values, stride, dense, own, 1);
    free(dense);
    return status;
}
