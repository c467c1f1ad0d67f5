#include "wave/cpu/cpu_solver.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "core/memory.h"
#include "wave/box.h"
#include "wave/cpu/tower_schedule.h"
#include "wave/part.h"
#include "wave/plane_norms.h"

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the tables of the cpu backend");
}

torre_status torre_cpu_plan(const torre_wave_setup *setup, torre_cpu_program *program)
{
    torre_wave_info *info = &program->base.info;
    if (info->plan.threads < 0)
        return torre_fail(TORRE_ERR_USAGE, "threads must be at least 1 (got %d)",
                          info->plan.threads);
    if (info->plan.threads == 0) info->plan.threads = omp_get_max_threads();
    snprintf(info->device, sizeof info->device, "%d x %s (%s)", info->plan.threads,
             torre_cpu_get()->name, torre_line_kernels_best()->isa);
    torre_padded_field field;
    torre_padded_layout(setup->problem, &field);
    torre_layers layers;
    torre_layers_layout(setup, &layers);
    return field.bytes < 0 || layers.bytes < 0 ? torre_memory_check("the wave field", -1)
                                               : TORRE_OK;
}

static bool has_points(const torre_wave_setup *setup)
{
    return setup->source_node_count > 0 || setup->receiver_node_count > 0;
}

static bool is_damped(const torre_wave_setup *setup)
{
    return setup->damping[0] || setup->damping[1] || setup->damping[2];
}

/* Of the damping of an axis: whole blocks, which the kernel loads. */
static int64_t damping_bytes(const torre_padded_field *f, int axis)
{
    return (f->size[axis] + f->block - 1) / f->block * TORRE_BLOCK_BYTES;
}

int64_t torre_cpu_bytes(const torre_wave_setup *setup, const torre_cpu_program *program)
{
    torre_padded_field field;
    torre_padded_layout(setup->problem, &field);
    torre_layers layers;
    torre_layers_layout(setup, &layers);
    int64_t bytes = (int64_t)sizeof(torre_cpu_solver) + field.bytes + layers.bytes;
    const torre_wave_setup *caller = program->base.setup; /* has as many points as when turned */
    const int64_t rows = field.size[0] * field.size[1], nodes = caller->receiver_node_count;
    if (has_points(caller)) bytes += rows;
    if (nodes > 0)
        bytes += (rows + 1) * (int64_t)sizeof(int64_t) + nodes * (int64_t)sizeof(uint32_t);
    for (int a = 0; a < 3 && is_damped(caller); a++) bytes += damping_bytes(&field, a);
    return bytes;
}

/* The scheme of line_kernel.h for the problem. */
static void make_scheme(torre_cpu_solver *s)
{
    const torre_wave_problem *p = s->setup->problem;
    const double *h = p->spacing;
    torre_line_scheme *scheme = &s->scheme;
    int R = p->order / 2;
    double wy = h[0] * h[0] / (h[1] * h[1]), wz = h[0] * h[0] / (h[2] * h[2]);
    double courant = p->velocity * p->dt / h[0];
    scheme->row_pitch = s->field.row_pitch;
    scheme->plane_pitch = s->field.plane_pitch;
    scheme->factor_row_pitch = s->field.factor_row_pitch;
    scheme->factor_plane_pitch = s->field.factor_plane_pitch;
    scheme->potential_row_pitch = s->field.potential_row_pitch;
    scheme->potential_plane_pitch = s->field.potential_plane_pitch;
    torre_line_scheme_set(scheme, R, wy, wz, p->velocity_cells ? 0 : courant * courant);
    const torre_line_kernels *kernels = torre_line_kernels_best();
    s->line = p->precision == TORRE_F32 ? kernels->f32[R - 1] : kernels->f64[R - 1];
}

/* Damping of one axis and the range of cells without any. */
static torre_status make_damping_axis(torre_cpu_solver *s, int axis)
{
    const torre_padded_field *f = &s->field;
    const double *damping = s->setup->damping[axis];
    int64_t n = f->size[axis], low = 0, high = n;
    const size_t bytes = (size_t)damping_bytes(f, axis);
    s->damping[axis] = aligned_alloc(TORRE_BLOCK_BYTES, bytes);
    if (!s->damping[axis]) return no_memory();
    memset(s->damping[axis], 0, bytes);
    for (int64_t i = 0; damping && i < n; i++) {
        torre_value_set(f->precision, s->damping[axis], i, damping[i] * s->setup->problem->dt);
    }
    if (damping) {
        while (low < n && damping[low] != 0) low++;
        while (high > low && damping[high - 1] != 0) high--;
        for (int64_t i = low; i < high; i++)
            if (damping[i] != 0) low = high = n; /* not a layer at each end: treat all as damped */
    }
    if (axis == 2) { /* whole blocks */
        low = (low + f->block - 1) / f->block * f->block;
        if (high < n) high = high / f->block * f->block;
        if (low >= high) low = high = n;
    }
    s->damped_low[axis] = low;
    s->damped_high[axis] = high;
    return TORRE_OK;
}

static torre_status make_row_flags(torre_cpu_solver *s)
{
    const torre_wave_setup *setup = s->setup;
    const int64_t *size = s->field.size;
    if (!has_points(setup)) return TORRE_OK;
    s->row_flags = calloc((size_t)size[0], (size_t)size[1]);
    if (!s->row_flags) return no_memory();
    for (int64_t i = 0; i < setup->source_node_count; i++)
        s->row_flags[setup->source_nodes[i].cell / size[2]] |= TORRE_ROW_SOURCES;
    for (int64_t i = 0; i < setup->receiver_node_count; i++)
        s->row_flags[setup->receiver_nodes[i].cell / size[2]] |= TORRE_ROW_RECEIVERS;
    return TORRE_OK;
}

/* Where the receiver nodes of each row are: they are sorted by cell. */
static torre_status make_receivers(torre_cpu_solver *s)
{
    const torre_node *node = s->setup->receiver_nodes;
    const int64_t rows = s->field.size[0] * s->field.size[1], nz = s->field.size[2],
                  nodes = s->setup->receiver_node_count;
    if (nodes == 0) return TORRE_OK;
    int64_t *first = s->receiver_first = calloc((size_t)rows + 1, sizeof *first);
    s->receiver_z = malloc((size_t)nodes * sizeof *s->receiver_z);
    if (!s->receiver_first || !s->receiver_z) return no_memory();
    bool in_columns = true;
#pragma omp parallel for reduction(&& : in_columns) if (nodes > 1 << 16)
    for (int64_t i = 0; i < nodes; i++) {
        const int64_t row = node[i].cell / nz;
        s->receiver_z[i] = (uint32_t)(node[i].cell - row * nz);
        in_columns = in_columns && node[i].column == i;
        if (i + 1 == nodes || node[i + 1].cell / nz != row) first[row + 1] = i + 1;
    }
    for (int64_t row = 0; row < rows; row++)
        if (first[row + 1] == 0) first[row + 1] = first[row];
    s->in_columns = in_columns;
    return TORRE_OK;
}

static void free_tables(torre_cpu_solver *s)
{
    free(s->row_flags);
    free(s->receiver_first);
    free(s->receiver_z);
    s->row_flags = NULL;
    s->receiver_first = NULL;
    s->receiver_z = NULL;
    for (int a = 0; a < 3; a++) {
        free(s->damping[a]);
        s->damping[a] = NULL;
    }
}

/* What the solver keeps of its setup beside the medium. */
static torre_status make_tables(torre_cpu_solver *s)
{
    torre_status status = make_row_flags(s);
    if (!status) status = make_receivers(s);
    for (int a = 0; a < 3 && is_damped(s->setup) && !status; a++) status = make_damping_axis(s, a);
    return status;
}

torre_status torre_cpu_create(const torre_wave_setup *setup, const torre_cpu_program *program,
                              const torre_wave_backend *functions, torre_wave_solver **solver)
{
    torre_cpu_solver *s = calloc(1, sizeof *s);
    if (!s) return no_memory();
    s->base.backend = functions;
    s->setup = setup;
    const torre_wave_plan *plan = &program->base.info.plan;
    s->region = torre_wave_region(setup);
    s->pass_limit =
        torre_wave_pass_limit(&s->region, plan->engine, setup->problem->order, plan->dts);
    s->threads = plan->threads;
    s->ordering = plan->ordering;
    s->shape = program->shape;
    torre_padded_layout(setup->problem, &s->field);
    torre_layers_layout(setup, &s->layers);
    s->team = program->base.team;
    torre_status status = torre_padded_alloc(setup, s->team, s->threads, &s->field);
    if (!status) status = torre_layers_alloc(setup, s->team, s->threads, &s->layers);
    if (!status) status = make_tables(s);
    if (status) {
        torre_cpu_destroy(&s->base);
        return status;
    }
    make_scheme(s);
    *solver = &s->base;
    return TORRE_OK;
}

void torre_cpu_destroy(torre_wave_solver *solver)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    if (!s) return;
    torre_padded_free(&s->field);
    torre_layers_free(&s->layers);
    free_tables(s);
    if (s->team && s->schedule && s->schedule->shared)
        torre_rank_team_free((char *)s->schedule->progress,
                             torre_tower_schedule_progress_bytes(s->schedule));
    torre_tower_schedule_free(s->schedule);
    free(s);
}

torre_status torre_cpu_restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                               bool new_medium)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    s->setup = setup;
    s->n = 0;
    s->in_pass = false;
    torre_padded_clear(&s->field, s->threads);
    torre_layers_clear(&s->layers);
    torre_layers_tables(setup, &s->layers);
    if (new_medium) TORRE_TRY(torre_padded_set_medium(&s->field, setup, s->threads));
    free_tables(s);
    return make_tables(s);
}

torre_status torre_cpu_move(torre_wave_solver *solver, const torre_wave_setup *setup, int64_t n)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    const int64_t before = s->region.stored.low[0];
    s->setup = setup;
    s->region = torre_wave_region(setup);
    s->pass_limit =
        torre_wave_pass_limit(&s->region, TORRE_TORRE, setup->problem->order, s->shape.dts);
    s->n = n;
    TORRE_TRY(torre_padded_move(&s->field, setup, s->region.stored.low[0] - before, s->threads));
    torre_layers_move(&s->layers, setup);
    free_tables(s);
    return make_tables(s);
}

torre_status torre_cpu_set_step(torre_wave_solver *solver, int64_t n)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    if ((n ^ s->n) & 1) {
        char *level = s->field.level[0];
        s->field.level[0] = s->field.level[1];
        s->field.level[1] = level;
        torre_layers_swap(&s->layers);
    }
    s->n = n;
    return TORRE_OK;
}

/* A box counted from the first stored cell. */
static torre_box stored_box(const torre_cpu_solver *s, const torre_box *box)
{
    torre_box own = *box;
    for (int a = 0; a < 3; a++) {
        own.low[a] -= s->region.stored.low[a];
        own.high[a] -= s->region.stored.low[a];
    }
    return own;
}

torre_status torre_cpu_write_box(torre_wave_solver *solver, int level, const torre_box *box,
                                 const int64_t stride[3], const void *values)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    TORRE_TRY(torre_wave_box_check(s->setup, level, box));
    const torre_box own = stored_box(s, box);
    torre_padded_write(&s->field, (int)((s->n + level) & 1), &own, stride, values, s->threads);
    return TORRE_OK;
}

torre_status torre_cpu_read_box(torre_wave_solver *solver, int level, const torre_box *box,
                                const int64_t stride[3], void *values)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    TORRE_TRY(torre_wave_box_check(s->setup, level, box));
    const torre_box own = stored_box(s, box);
    torre_padded_read(&s->field, (int)((s->n + level) & 1), &own, stride, values, s->threads);
    return TORRE_OK;
}

torre_status torre_cpu_write_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                   const int64_t stride[3], const void *values)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    const torre_box *stored = &s->region.stored;
    if (slice)
        torre_layers_write(&s->layers, (int)(s->n & 1), slice, stored->low[0], stored->high[0],
                           stride, values);
    else
        torre_layers_clear(&s->layers);
    return TORRE_OK;
}

torre_status torre_cpu_read_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                  const int64_t stride[3], void *values)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    const torre_box *owned = &s->region.owned;
    torre_layers_read(&s->layers, (int)(s->n & 1), slice, owned->low[0], owned->high[0], stride,
                      values);
    return TORRE_OK;
}

torre_status torre_cpu_write_layers(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                    const void *values)
{
    torre_layers_write_planes(&((torre_cpu_solver *)solver)->layers, low, high, first, values);
    return TORRE_OK;
}

torre_status torre_cpu_read_layers(torre_wave_solver *solver, int64_t low, int64_t high, int first,
                                   void *values)
{
    torre_layers_read_planes(&((torre_cpu_solver *)solver)->layers, low, high, first, values);
    return TORRE_OK;
}

/* From the ghosts in front of a plane's first row to those in front of the next plane's. */
void torre_cpu_lend(const torre_wave_solver *solver, int64_t low, torre_lent_planes *planes)
{
    const torre_cpu_solver *s = (const torre_cpu_solver *)solver;
    const torre_padded_field *f = &s->field;
    const int64_t first =
        torre_padded_index(f, low - s->region.stored.low[0], -f->ghost_rows, -f->half_width);
    for (int a = 0; a < 2; a++) planes->array[a] = f->level[a] + first * (int64_t)f->precision;
    planes->bytes = f->plane_pitch * (int64_t)f->precision;
}

static torre_norm_sums plane_norms(const torre_padded_field *f, int level, const torre_box *own,
                                   int64_t x)
{
    torre_norm_sums sums = {0, 0};
    for (int64_t y = own->low[1]; y < own->high[1]; y++) {
        const int64_t first = torre_padded_index(f, x, y, own->low[2]);
        torre_norms_add_row(&sums, f->precision, f->level[level] + first * (int64_t)f->precision,
                            own->high[2] - own->low[2]);
    }
    return sums;
}

/* The first cell that is not finite, if there is one. */
static void find_bad(const torre_padded_field *f, int level, const torre_box *own,
                     torre_wave_norms *norms)
{
    for (int64_t x = own->low[0]; x < own->high[0]; x++)
        for (int64_t y = own->low[1]; y < own->high[1]; y++) {
            const char *row =
                f->level[level] + torre_padded_index(f, x, y, 0) * (int64_t)f->precision;
            for (int64_t z = own->low[2]; z < own->high[2]; z++) {
                if (isfinite(torre_value(f->precision, row, z))) continue;
                norms->finite = false;
                norms->first_bad[0] = x;
                norms->first_bad[1] = y;
                norms->first_bad[2] = z;
                return;
            }
        }
}

torre_status torre_cpu_norms(torre_wave_solver *solver, torre_wave_norms *norms)
{
    torre_cpu_solver *s = (torre_cpu_solver *)solver;
    int level = (int)(s->n & 1);
    const torre_box own = stored_box(s, &s->region.owned);
    const int64_t nx = own.high[0] - own.low[0];
    torre_norm_sums *plane = malloc((size_t)nx * sizeof *plane);
    if (!plane) return no_memory();
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t x = 0; x < nx; x++) plane[x] = plane_norms(&s->field, level, &own, own.low[0] + x);
    *norms = torre_norms_of_planes(plane, nx);
    free(plane);
    if (!norms->finite) find_bad(&s->field, level, &own, norms);
    for (int a = 0; a < 3 && !norms->finite; a++) norms->first_bad[a] += s->region.stored.low[a];
    return TORRE_OK;
}
