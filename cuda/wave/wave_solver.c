/* Fields and steps of the cuda backend. */
#include "cuda/wave/wave_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_rows.h"
#include "tiling/ordering.h"
#include "wave/box.h"
#include "wave/stencil.h"

torre_status torre_cuda_allocate(void **memory, size_t bytes)
{
    size_t unused = 0, total = 0;
    *memory = NULL;
    if (cudaMalloc(memory, bytes) != cudaSuccess) {
        cudaGetLastError();
        cudaMemGetInfo(&unused, &total);
        *memory = NULL;
        return torre_fail(TORRE_ERR_RESOURCE,
                          "out of GPU memory: %.3f GB more needed, %.3f GB are free",
                          1e-9 * (double)bytes, 1e-9 * (double)unused);
    }
    cudaError_t e = cudaMemset(*memory, 0, bytes);
    /* the solver's stream does not wait for the default one, nor that for others at work */
    if (!e) e = cudaStreamSynchronize(cudaStreamLegacy);
    if (!e) return TORRE_OK;
    cudaFree(*memory);
    *memory = NULL;
    return torre_cuda_status(e, "clearing memory");
}

torre_status torre_cuda_fill(torre_cuda_solver *s, torre_cuda_piece piece, const void *from,
                             const char *what)
{
    return torre_cuda_status(
        cudaMemcpy(s->memory[piece], from, s->program->bytes[piece], cudaMemcpyHostToDevice), what);
}

/* The planes beyond the last one that kernels compute (torre_cuda_planes) of a field, or of an
 * array of properties of cells, size[0] by size[1] lines of it; only enqueued. */
static torre_status enqueue_planes(torre_cuda_solver *s, void *array, const int64_t size[2],
                                   const int64_t stride[2], bool is_field)
{
    const torre_wave_problem *p = s->setup->problem;
    for (int64_t z = p->size[2]; z < torre_cuda_planes(s->program); z++) {
        torre_ghost image = torre_cuda_image(p, z);
        TORRE_CUDA_TRY(torre_set_image((int)p->precision, array, size, stride, z, image.source,
                                       is_field ? image.sign : 1, s->stream),
                       "continuing a field");
    }
    return TORRE_OK;
}
static torre_status continue_planes(torre_cuda_solver *s, void *array, const int64_t *size,
                                    const int64_t stride[2], bool is_field)
{
    TORRE_TRY(enqueue_planes(s, array, size, stride, is_field));
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "continuing a field");
    return TORRE_OK;
}

/* The velocities of the caller's problem on their way to (c dt)^2 on the device. */
typedef struct model_rows {
    const torre_wave_problem *caller;
    int64_t low[3], size[3]; /* cells of those, along the caller's axes */
    double unit;
} model_rows;

/* unit (c dt)^2 of cells from..., to `to`; the compiler makes vectors of it where it knows both
 * precisions. */
static inline __attribute__((always_inline)) void square_cells(const model_rows *m,
                                                               torre_precision width, int64_t from,
                                                               torre_precision to_width, void *to,
                                                               int64_t at, int64_t count)
{
    const torre_wave_problem *p = m->caller;
    for (int64_t i = 0; i < count; i++)
        torre_value_set(to_width, to, at + i,
                        m->unit * torre_cuda_squared_step(
                                      p, torre_value(width, p->velocity_cells->data, from + i)));
}

/* A row of the array, whose first cell would be `from` with layers that had velocities of their
 * own. */
static void square_row(const model_rows *m, int64_t from, void *to, int64_t at)
{
    const torre_wave_problem *p = m->caller;
    const torre_precision width = p->velocity_cells->precision;
    const int64_t nz = m->size[2], low = torre_pml_clamp(p, 2, m->low[2]) - m->low[2],
                  high = torre_pml_clamp(p, 2, m->low[2] + nz - 1) - m->low[2] + 1;
    if (width == TORRE_F32 && p->precision == TORRE_F32)
        square_cells(m, TORRE_F32, from + low, TORRE_F32, to, at + low, high - low);
    else
        square_cells(m, width, from + low, p->precision, to, at + low, high - low);
    for (int64_t z = 0; z < low; z++)
        torre_value_set(p->precision, to, at + z, torre_value(p->precision, to, at + low));
    for (int64_t z = high; z < nz; z++)
        torre_value_set(p->precision, to, at + z, torre_value(p->precision, to, at + high - 1));
}

static void make_model(const void *context, int64_t first, int64_t count, void *to)
{
    const model_rows *m = context;
    const torre_wave_problem *p = m->caller;
    const torre_array *v = p->velocity_cells;
    const int64_t nz = m->size[2], ny = v ? v->shape[1] : 1;
#pragma omp parallel for if (count * nz > 1 << 16) schedule(static)
    for (int64_t row = first; row < first + count; row++) {
        const int64_t x = torre_pml_clamp(p, 0, m->low[0] + row / m->size[1]),
                      y = torre_pml_clamp(p, 1, m->low[1] + row % m->size[1]);
        const int64_t from = (x * ny + (ny == 1 ? 0 : y)) * p->size[2] + m->low[2];
        if (v) square_row(m, from, to, (row - first) * nz);
        for (int64_t z = 0; z < nz && !v; z++)
            torre_value_set(p->precision, to, (row - first) * nz + z,
                            m->unit * torre_cuda_squared_step(p, p->velocity));
    }
}

torre_status torre_cuda_upload_model(torre_cuda_solver *s, int64_t low, int64_t high)
{
    const torre_wave_problem *p = s->setup->problem;
    const int64_t line[3] = {1, 1, p->size[2]}; /* of a constant velocity */
    const int64_t *shape = p->velocity_cells ? p->velocity_cells->shape : line;
    const int64_t n[3] = {shape[0] == 1 ? 1 : high - low, shape[1], shape[2]};
    const int64_t pitch = s->args.stride_y;
    if ((!p->velocity_cells && !p->density_cells) || low >= high) return TORRE_OK;
    char *k = s->memory[TORRE_PIECE_MODEL];
    s->args.k = k;
    k += low * s->args.k_stride_x * (int64_t)p->precision;
    const torre_device_array a = torre_cuda_array(s, k, n, n[1] * pitch, pitch);
    model_rows model = {.caller = s->program->turned.caller->problem, .unit = s->args.unit};
    memcpy(model.size, a.size, sizeof model.size);
    if (shape[0] > 1) model.low[s->program->turned.axis[0]] = low - s->program->pad;
    TORRE_TRY(torre_cuda_array_make(s, &a, make_model, &model));
    return continue_planes(s, k, n, (const int64_t[2]){s->args.k_stride_x, s->args.k_stride_y},
                           false);
}

/* -(c dt)^2 q of rows of cells on their way to the device; status: what went wrong on the way. */
typedef struct binding_rows {
    const torre_wave_setup *caller;
    int64_t low[3], size[3]; /* cells of the caller's problem, along its axes */
    torre_status *status;
    int64_t first, count; /* rows that go now */
    void *to;
} binding_rows;

/* The first cell of the caller's problem, which may be a part, in the whole grid. */
static const int64_t *first_cell(const torre_wave_setup *setup)
{
    static const int64_t none[3];
    return setup->region ? setup->region->stored.low : none;
}

static void take_binding(void *context, const torre_scales *scales)
{
    const binding_rows *r = context;
    const torre_wave_problem *p = r->caller->problem;
    const int64_t ny = r->size[1], nz = r->size[2], x = scales->x - first_cell(r->caller)[0];
    const double square = p->spacing[0] * p->spacing[0];
#pragma omp parallel for num_threads(scales->threads) schedule(static)
    for (int64_t y = 0; y < ny; y++) {
        const int64_t row = (x - r->low[0]) * ny + y - r->first;
        for (int64_t z = 0; z < nz && row >= 0 && row < r->count; z += TORRE_DENSITY_PIECE) {
            double q[TORRE_DENSITY_PIECE];
            const int64_t count = nz - z < TORRE_DENSITY_PIECE ? nz - z : TORRE_DENSITY_PIECE;
            torre_scales_potential(scales, y, z, count, q);
            for (int64_t i = 0; i < count; i++)
                torre_value_set(
                    p->precision, r->to, row * nz + z + i,
                    -q[i] / square *
                        torre_cuda_squared_step(
                            p, torre_wave_velocity_at(p, x, r->low[1] + y, r->low[2] + z + i)));
        }
    }
}

static void make_binding(const void *context, int64_t first, int64_t count, void *to)
{
    binding_rows r = *(const binding_rows *)context;
    const int64_t ny = r.size[1], *origin = first_cell(r.caller);
    torre_box cells;
    for (int a = 0; a < 3; a++) {
        cells.low[a] = origin[a] + r.low[a];
        cells.high[a] = cells.low[a] + r.size[a];
    }
    cells.high[0] = cells.low[0] + (first + count - 1) / ny + 1;
    cells.low[0] += first / ny;
    r.first = first;
    r.count = count;
    r.to = to;
    const torre_status status = torre_density_walk(&r.caller->density, &cells, 0, take_binding, &r);
    if (status) *r.status = status;
}

torre_status torre_cuda_upload_binding(torre_cuda_solver *s, int64_t low, int64_t high)
{
    const torre_wave_problem *p = s->setup->problem;
    const int64_t stride[2] = {s->args.binding_stride_x, s->args.binding_stride_y};
    const int64_t n[3] = {high - low, p->size[1], p->size[2]};
    torre_status status = TORRE_OK;
    if (!p->density_cells || low >= high) return TORRE_OK;
    s->args.binding = s->memory[TORRE_PIECE_BINDING];
    void *binding =
        (char *)s->memory[TORRE_PIECE_BINDING] + low * stride[0] * (int64_t)p->precision;
    const torre_device_array a = torre_cuda_array(s, binding, n, stride[0], stride[1]);
    binding_rows rows = {.caller = s->program->turned.caller, .status = &status};
    memcpy(rows.size, a.size, sizeof rows.size);
    rows.low[s->program->turned.axis[0]] = low - s->program->pad;
    TORRE_TRY(torre_cuda_array_make(s, &a, make_binding, &rows));
    return status ? status : continue_planes(s, binding, n, stride, false);
}

/* s dt of cell i of an axis of the arrays; none where the image is zero: those cells lie in no
 * layer. */
static double damping_of(const torre_cuda_solver *s, int a, int64_t i)
{
    const torre_wave_problem *p = s->setup->problem;
    torre_ghost image = {i, i < p->size[a]};
    if (a == 0 && image.sign) image.source = i < s->program->pad ? 0 : i - s->program->pad;
    if (a == 2) image = torre_cuda_image(p, i);
    return image.sign ? s->setup->damping[a][image.source] * p->dt : 0;
}

/* s dt along every axis, and the box in which it is zero. */
torre_status torre_cuda_upload_damping(torre_cuda_solver *s)
{
    const torre_wave_problem *p = s->setup->problem;
    const torre_wave_setup *setup = s->setup;
    bool any = setup->damping[0] || setup->damping[1] || setup->damping[2];
    for (int a = 0; a < 3; a++) {
        int64_t n = p->size[a], low = 0, high = n, room = torre_cuda_damped(s->program, a);
        s->args.clear[a][0] = 0;
        s->args.clear[a][1] = (int)n;
        if (!any) continue;
        void *values = calloc((size_t)room, (size_t)p->precision);
        if (!values) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
        for (int64_t i = 0; i < room && setup->damping[a]; i++) {
            const double v = damping_of(s, a, i);
            if (p->precision == TORRE_F32)
                ((float *)values)[i] = (float)v;
            else
                ((double *)values)[i] = v;
        }
        if (setup->damping[a]) {
            while (low < n && damping_of(s, a, low) != 0) low++;
            while (high > low && damping_of(s, a, high - 1) != 0) high--;
            for (int64_t i = low; i < high; i++)
                if (damping_of(s, a, i) != 0) high = low; /* not a layer at each end */
        }
        s->args.damping[a] = s->memory[TORRE_PIECE_DAMPING + a];
        torre_status status = torre_cuda_fill(s, TORRE_PIECE_DAMPING + a, values,
                                              "sending the damping to the device");
        free(values);
        TORRE_TRY(status);
        s->args.clear[a][0] = (int)low;
        s->args.clear[a][1] = (int)high;
    }
    return TORRE_OK;
}

/* The tiles of the stepwise kernel, in the plan's ordering. */
torre_status torre_cuda_upload_tiles(torre_cuda_solver *s)
{
    const int64_t count = s->program->step.tile_count;
    const char *why = "";
    torre_ordering ordering;
    int *tiles = malloc((size_t)count * 3 * sizeof *tiles);
    if (!tiles || !torre_ordering_make_spec(&s->program->base.info.plan.ordering, 3,
                                            s->program->tiles, &ordering, &why)) {
        free(tiles);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory%s", why);
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t at[3];
        torre_ordering_decode(&ordering, i, at);
        for (int a = 0; a < 3; a++) tiles[3 * i + a] = (int)at[a];
    }
    s->step = s->program->step;
    s->step.tiles = s->memory[TORRE_PIECE_TILES];
    torre_status status =
        torre_cuda_fill(s, TORRE_PIECE_TILES, tiles, "sending the list of tiles to the device");
    free(tiles);
    return status;
}

void torre_cuda_destroy(torre_wave_solver *solver)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    if (!s) return;
    for (int i = 0; i < TORRE_PIECES; i++) cudaFree(s->memory[i]);
    torre_cuda_rows_free(s);
    torre_cuda_forget(s);
    if (s->records) torre_cuda_free_host(s->records, s->record_bytes);
    if (s->copies) cudaStreamDestroy(s->copies);
    if (s->before) cudaEventDestroy(s->before);
    if (s->ready) cudaEventDestroy(s->ready);
    if (s->done) cudaEventDestroy(s->done);
    if (s->beside) cudaStreamDestroy(s->beside);
    if (s->left) cudaEventDestroy(s->left);
    for (int i = 0; i < 2; i++) {
        if (s->lane[i]) cudaStreamDestroy(s->lane[i]);
        if (s->handed[i]) cudaEventDestroy(s->handed[i]);
    }
    if (s->stream) cudaStreamDestroy(s->stream);
    free(s);
}

torre_status torre_cuda_send_medium(torre_cuda_solver *s)
{
    TORRE_TRY(torre_cuda_upload_model(s, s->program->pad, s->setup->problem->size[0]));
    TORRE_TRY(torre_cuda_upload_binding(s, s->program->pad, s->setup->problem->size[0]));
    TORRE_TRY(torre_cuda_upload_damping(s));
    return torre_cuda_layers_new(s);
}

torre_status torre_cuda_make_room(torre_cuda_solver *s)
{
    for (int i = 0; i < TORRE_PIECES; i++) {
        const size_t bytes = s->program->bytes[i];
        if (bytes <= s->taken[i]) continue;
        cudaFree(s->memory[i]);
        s->taken[i] = 0;
        memset(s->launch, 0, sizeof s->launch); /* they may have the place of that */
        TORRE_TRY(torre_cuda_allocate(&s->memory[i], bytes));
        s->taken[i] = bytes;
    }
    return TORRE_OK;
}

static torre_status fill_solver(torre_cuda_solver *s)
{
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "a stream");
    TORRE_TRY(torre_cuda_make_room(s));
    for (int i = 0; i < 2; i++) {
        s->args.field[i] = s->memory[TORRE_PIECE_FIELDS + i];
        s->shell[i] = s->memory[TORRE_PIECE_SHELL + i];
    }
    TORRE_TRY(torre_cuda_rows_new(s));
    TORRE_TRY(torre_cuda_send_medium(s));
    TORRE_TRY(s->program->kernel ? torre_cuda_pass_new(s) : torre_cuda_upload_tiles(s));
    TORRE_TRY(torre_cuda_points_new(s));
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), "sending the model to the device");
    return TORRE_OK;
}

torre_status torre_cuda_create(torre_wave_program *given, torre_wave_solver **solver)
{
    const torre_cuda_program *program = (const torre_cuda_program *)given;
    if (given->info.lacking[0]) return torre_fail(TORRE_ERR_RESOURCE, "%s", given->info.lacking);
    torre_cuda_solver *s = calloc(1, sizeof *s);
    if (!s) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    s->base.backend = &torre_wave_cuda_solver;
    s->program = program;
    s->setup = &program->turned.setup;
    s->args = program->args;
    s->layers = program->layers;
    torre_status status = fill_solver(s);
    if (status) {
        torre_cuda_destroy(&s->base);
        return status;
    }
    s->base.program = given;
    *solver = &s->base;
    return TORRE_OK;
}

torre_status torre_cuda_set_step(torre_wave_solver *solver, int64_t n)
{
    ((torre_cuda_solver *)solver)->n = n;
    return TORRE_OK;
}

/* The first plane of a box in the arrays, along the solver's x. */
static int64_t plane_of(const torre_cuda_solver *s, const torre_box *box)
{
    return box->low[s->program->turned.axis[0]] - torre_cuda_first_plane(s->program);
}

/* A box of a level on the device. */
static torre_device_array box_of(const torre_cuda_solver *s, int level, const torre_box *box)
{
    torre_device_array a = torre_cuda_field(s, level == 0);
    for (int i = 0; i < 3; i++) {
        const int64_t low = i == s->program->turned.axis[0] ? plane_of(s, box) : box->low[i];
        a.data += low * a.stride[i] * (int64_t)s->setup->problem->precision;
        a.size[i] = box->high[i] - box->low[i];
    }
    return a;
}

torre_status torre_cuda_continue_box(torre_cuda_solver *s, int level, const torre_box *box)
{
    const torre_wave_args *args = &s->args;
    const int x = s->program->turned.axis[0];
    const int64_t lines[2] = {box->high[x] - box->low[x], args->n[1]};
    char *first = (char *)args->field[level == 0] +
                  plane_of(s, box) * args->stride_x * (int64_t)s->setup->problem->precision;
    return continue_planes(s, first, lines, (const int64_t[2]){args->stride_x, args->stride_y},
                           true);
}

/* Whether an array with these strides is that of the box, dense. */
static bool is_dense(const torre_box *box, const int64_t stride[3])
{
    int64_t dense[3];
    torre_box_strides(box, dense);
    return memcmp(stride, dense, sizeof dense) == 0;
}

/* Room on the host for the values of a box, zero. */
static torre_status dense_values(const torre_cuda_solver *s, const torre_device_array *a,
                                 void **values)
{
    const int64_t cells = a->size[0] * a->size[1] * a->size[2];
    *values = calloc((size_t)cells + 1, (size_t)s->setup->problem->precision);
    return *values ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
}

torre_status torre_cuda_write_box(torre_wave_solver *solver, int level, const torre_box *box,
                                  const int64_t stride[3], const void *values)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    TORRE_TRY(torre_wave_box_check(s->program->turned.caller, level, box));
    const torre_device_array a = box_of(s, level, box);
    const torre_wave_problem *p = s->setup->problem;
    if (a.size[0] == 0 || a.size[1] == 0 || a.size[2] == 0) return TORRE_OK;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    void *dense = NULL;
    const bool rows_alone = s->args.stride_x == s->args.stride_y * s->args.n[1];
    if (!values && rows_alone &&
        a.size[0] * a.size[1] * a.size[2] == torre_wave_cells(p)) { /* and the images */
        TORRE_CUDA_TRY(
            cudaMemset(s->args.field[level == 0], 0, s->program->bytes[TORRE_PIECE_FIELDS]),
            "setting a field");
        /* the solver's stream does not wait for that */
        TORRE_CUDA_TRY(cudaDeviceSynchronize(), "setting a field");
        return TORRE_OK;
    }
    if (!values || !is_dense(box, stride)) {
        int64_t own[3];
        TORRE_TRY(dense_values(s, &a, &dense));
        torre_box_strides(box, own);
        torre_box_copy(box, (size_t)p->precision, dense, own, values, stride, 1);
    }
    torre_status status = torre_cuda_array_set(s, &a, dense ? dense : values);
    free(dense);
    TORRE_TRY(status);
    return torre_cuda_continue_box(s, level, box);
}

torre_status torre_cuda_read_box(torre_wave_solver *solver, int level, const torre_box *box,
                                 const int64_t stride[3], void *values)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    TORRE_TRY(torre_wave_box_check(s->program->turned.caller, level, box));
    const torre_device_array a = box_of(s, level, box);
    if (a.size[0] == 0 || a.size[1] == 0 || a.size[2] == 0) return TORRE_OK;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    if (is_dense(box, stride)) return torre_cuda_array_get(s, &a, values);
    void *dense;
    int64_t own[3];
    TORRE_TRY(dense_values(s, &a, &dense));
    torre_box_strides(box, own);
    torre_status status = torre_cuda_array_get(s, &a, dense);
    if (!status)
        torre_box_copy(box, (size_t)s->setup->problem->precision, values, stride, dense, own, 1);
    free(dense);
    return status;
}

torre_status torre_cuda_add_sources(torre_cuda_solver *s, const torre_wave_args *args,
                                    const torre_span *span, int64_t row)
{
    const int64_t sources = args->points.source_count,
                  width = (int64_t)s->setup->problem->precision;
    const char *values = s->memory[TORRE_PIECE_VALUES];
    if (!sources) return TORRE_OK;
    return torre_cuda_status(torre_add_sources((int)width, args->field[0], span,
                                               s->memory[TORRE_PIECE_SOURCE_CELLS],
                                               values + row * sources * width, sources, s->stream),
                             "adding sources");
}

torre_status torre_cuda_make_images(torre_cuda_solver *s, void *level, int64_t planes)
{
    const int64_t lines[2] = {planes, s->args.n[1]},
                  stride[2] = {s->args.stride_x, s->args.stride_y};
    return enqueue_planes(s, level, lines, stride, true);
}

torre_status torre_cuda_finish_step(torre_cuda_solver *s, const torre_wave_args *args,
                                    const torre_layer_args *layers, int64_t row)
{
    const torre_span all = {0, args->n[0] * args->stride_x};
    if (layers->width) {
        TORRE_CUDA_TRY(s->program->stepper->layers(args, layers, s->stream),
                       "computing a step in layers");
        /* planes beyond the last one are its images again: no layer along z is continued there */
        TORRE_TRY(torre_cuda_make_images(s, args->field[0], args->n[0]));
    }
    return torre_cuda_add_sources(s, args, &all, row);
}

static const torre_stages all_stages = {INT64_MIN, INT64_MAX};

/* Some steps at once: a pass of towers, or single steps with one transfer of what receivers
 * record. */
static torre_status some_steps(torre_cuda_solver *s, int64_t steps)
{
    TORRE_TRY(torre_cuda_points_prepare(s, steps));
    TORRE_TRY(torre_cuda_receivers_turn(s));
    if (s->program->kernel) {
        TORRE_TRY(torre_cuda_pass(s, steps, all_stages));
        TORRE_TRY(torre_cuda_planes_pick(s, s->n, steps));
        TORRE_TRY(torre_cuda_receivers_sum(s, s->args.points.samples, 0, steps));
        if (s->program->shell.taken) TORRE_TRY(torre_cuda_shell_steps(s, steps));
        s->n += steps;
        if (steps & 1) torre_cuda_exchange_levels(s);
        return s->program->shell.taken ? torre_cuda_shell_exchange(s) : TORRE_OK;
    }
    if (s->program->slides) {
        TORRE_TRY(torre_cuda_slide(s, steps, all_stages));
        s->n += steps;
        if (steps & 1) torre_cuda_exchange_levels(s);
        return TORRE_OK;
    }
    for (int64_t i = 0; i < steps; i++) {
        TORRE_CUDA_TRY(
            s->program->stepper->launch(&s->args, &s->program->stencil, &s->step, s->stream),
            "computing a step");
        TORRE_TRY(torre_cuda_finish_step(s, &s->args, &s->layers, i));
        TORRE_TRY(torre_cuda_receivers_sum(s, s->args.field[0], i, 1));
        torre_cuda_exchange_levels(s);
        s->n++;
    }
    return TORRE_OK;
}

/* Where what a launch records goes on the host; NULL: nowhere. */
typedef struct records {
    char *samples, *planes;
} records;

/* What the steps before s->n - after have recorded, in a launch `ago`. */
static torre_status collect(torre_cuda_solver *s, int ago, int64_t steps, int64_t after,
                            records *to)
{
    const torre_wave_problem *p = s->program->turned.caller->problem;
    const int64_t frames = torre_cuda_frames(s->program, s->n - after - steps, steps),
                  width = (int64_t)p->precision;
    if (steps && to->samples) {
        TORRE_TRY(torre_cuda_receivers_collect(s, ago, steps, to->samples));
        to->samples += steps * p->receiver_count * width;
    }
    if (steps && to->planes) {
        TORRE_TRY(torre_cuda_planes_collect(s, ago, frames, to->planes));
        to->planes += frames * s->program->base.planes * width;
    }
    return TORRE_OK;
}

torre_status torre_cuda_advance_planes(torre_wave_solver *solver, int64_t steps, void *samples,
                                       void *planes)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    records to = {samples, planes};
    TORRE_TRY(torre_wave_steps_check(s->program->turned.caller->problem, s->n, steps));
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    const int64_t most = torre_cuda_launch_steps(s->program);
    int64_t before = 0; /* steps of which nothing has been copied yet */
    TORRE_TRY(torre_cuda_shell_load(s));
    while (steps > 0) {
        const int64_t now = steps < most ? steps : most;
        TORRE_TRY(some_steps(s, now));
        TORRE_TRY(collect(s, 1, before, now, &to));
        before = now;
        steps -= now;
    }
    TORRE_TRY(torre_cuda_shell_store(s));
    TORRE_TRY(collect(s, 0, before, 0, &to));
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "computing steps");
    return TORRE_OK;
}

torre_status torre_cuda_advance_receivers(torre_wave_solver *solver, int64_t steps, void *samples)
{
    return torre_cuda_advance_planes(solver, steps, samples, NULL);
}

torre_status torre_cuda_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    if (torre_cuda_is_part(s->program))
        return torre_cuda_part_advance(s, steps, all_stages, samples);
    if (!samples || !torre_wave_program_sums(solver->program))
        return torre_cuda_advance_receivers(solver, steps, NULL);
    return torre_fail(TORRE_ERR_USAGE, "a GPU records receivers, not their nodes");
}

torre_status torre_cuda_norms(torre_wave_solver *solver, torre_wave_norms *norms)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    const torre_region *region = &s->program->turned.region;
    const int64_t *n = s->setup->problem->size;
    torre_device_norms found;
    torre_wave_args owned = s->args;
    const char *field = s->args.field[1];
    if (torre_cuda_is_part(s->program)) {
        owned.n[0] = (int)(region->owned.high[0] - region->owned.low[0]);
        field += (region->owned.low[0] - torre_cuda_first_plane(s->program)) * s->args.stride_x *
                 (int64_t)s->setup->problem->precision;
    }
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    TORRE_CUDA_TRY(torre_field_norms((int)s->setup->problem->precision, &owned, field,
                                     s->memory[TORRE_PIECE_NORMS], s->stream),
                   "computing norms");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "computing norms");
    TORRE_CUDA_TRY(
        cudaMemcpy(&found, s->memory[TORRE_PIECE_NORMS], sizeof found, cudaMemcpyDeviceToHost),
        "computing norms");
    memset(norms, 0, sizeof *norms);
    memcpy(&norms->max_abs, &found.top, sizeof norms->max_abs);
    norms->l2 = sqrt(found.sum);
    norms->finite = found.bad == ~0ull;
    if (!norms->finite) {
        int64_t bad = (int64_t)found.bad;
        const int *axis = s->program->turned.axis;
        norms->first_bad[axis[0]] = bad / n[2] / n[1];
        if (torre_cuda_is_part(s->program)) norms->first_bad[axis[0]] += region->owned.low[0];
        norms->first_bad[axis[1]] = bad / n[2] % n[1];
        norms->first_bad[axis[2]] = bad % n[2];
    }
    return TORRE_OK;
}
