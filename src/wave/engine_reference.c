/* The oracle: plain, serial, obvious, kept for ever. Every other engine is tested against it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/boundary.h"
#include "wave/box.h"
#include "wave/cpml.h"
#include "wave/cpu/cpu_solver.h"
#include "wave/model_acoustic.h"
#include "wave/part.h"
#include "wave/pml.h"
#include "wave/stencil.h"

typedef struct reference_solver {
    torre_wave_solver base;
    const torre_wave_setup *setup;
    torre_region region;
    int64_t pass_limit; /* steps that halos last */
    int64_t cells;
    int64_t n;         /* current step */
    void *level[2];    /* dense (nx, ny, nz); level[n & 1] is u[n], the other u[n-1] */
    double *potential; /* hx^2 q (density.h) of each cell, or NULL */
    /* of perfectly matched layers (pml.h): phi(1) .. phi(R), chi(1) .. chi(R) of each axis, as
     * dense as levels; NULL where it has no layer */
    void *memory[3];
    bool convolves; /* they are those of cpml.h: psi and zeta instead */
    void *line;     /* of new values along an axis */
} reference_solver;

/* The number i, in a layer, of the step from cell l of an axis to the next; 0: in none. */
static int reference_step_number(const reference_solver *r, int axis, int64_t l)
{
    const torre_wave_problem *p = r->setup->problem;
    const int64_t W = p->absorbing_width, low = W - 1 - l, high = l - (p->size[axis] - W) + 1;
    if (torre_pml_face(p, axis, 0) && low >= 1) return (int)low;
    return torre_pml_face(p, axis, 1) && high >= 1 ? (int)high : 0;
}

/* r + 1 of cell l of an axis, of its layer (cpml.h); 0: it is in none. */
static int reference_cell_number(const reference_solver *r, int axis, int64_t l)
{
    const torre_wave_problem *p = r->setup->problem;
    const int64_t W = p->absorbing_width, low = W - l, high = l - (p->size[axis] - W) + 1;
    if (torre_pml_face(p, axis, 0) && low >= 1) return (int)low;
    return torre_pml_face(p, axis, 1) && high >= 1 ? (int)high : 0;
}

/* D' b, along the axis. */
static double reference_cell_steepness(const reference_solver *r, int axis, int64_t l)
{
    const double *b = r->setup->pml_b;
    const int i = reference_cell_number(r, axis, l);
    const int beyond = i > 0 ? i + 1 : 0;
    const int low = l > 0 ? reference_cell_number(r, axis, l - 1) : beyond;
    const int high =
        l + 1 < r->setup->problem->size[axis] ? reference_cell_number(r, axis, l + 1) : beyond;
    return (b[high] - b[low]) / 2;
}

static double reference_damping(const reference_solver *r, const int64_t at[3])
{
    double s = 0;
    for (int a = 0; a < 3; a++)
        if (r->setup->damping[a]) s += r->setup->damping[a][at[a]];
    return s;
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)

static const torre_wave_backend functions;

#define REAL float
#define STEP step_f32
#include "wave/reference_step.h"

#define REAL double
#define STEP step_f64
#include "wave/reference_step.h"

static torre_status reference_plan(const torre_wave_setup *setup, torre_cpu_program *program)
{
    const torre_wave_problem *p = setup->problem;
    torre_wave_info *info = &program->base.info;
    info->plan.dts = 1;
    info->plan.tower_height = 1;
    info->plan.threads = 1;
    snprintf(info->device, sizeof info->device, "one CPU core");
    snprintf(info->kernel, sizeof info->kernel, "the reference");
    info->model_bytes_per_update =
        (torre_acoustic_arrays(p) + TORRE_ACOUSTIC_FIELDS) * (double)p->precision;
    return TORRE_OK;
}

/* Of phi and chi of an axis; of a line of them. */
static int64_t memory_bytes(const torre_wave_problem *p, int axis)
{
    const bool any = torre_pml_face(p, axis, 0) || torre_pml_face(p, axis, 1);
    return any ? p->order * torre_wave_cells(p) * (int64_t)p->precision : 0;
}

static int64_t line_bytes(const torre_wave_problem *p)
{
    int64_t longest = 0;
    for (int a = 0; a < 3; a++)
        if (p->size[a] > longest) longest = p->size[a];
    return p->order * longest * (int64_t)p->precision;
}

static int64_t reference_bytes(const torre_wave_setup *setup, const torre_cpu_program *program)
{
    const torre_wave_problem *p = setup->problem;
    (void)program;
    int64_t bytes =
        (int64_t)sizeof(reference_solver) + 2 * torre_wave_cells(p) * (int64_t)p->precision;
    if (p->density_cells) bytes += torre_wave_cells(p) * (int64_t)sizeof(double);
    for (int a = 0; a < 3; a++) bytes += memory_bytes(p, a);
    if (torre_pml_any(p)) bytes += line_bytes(p);
    return bytes;
}

static void reference_destroy(torre_wave_solver *solver)
{
    reference_solver *r = (reference_solver *)solver;
    if (!r) return;
    free(r->level[0]);
    free(r->level[1]);
    free(r->potential);
    for (int a = 0; a < 3; a++) free(r->memory[a]);
    free(r->line);
    free(r);
}

/* What perfectly matched layers take; false: no memory. */
static bool make_layers(reference_solver *r)
{
    const torre_wave_problem *p = r->setup->problem;
    if (!torre_pml_any(p)) return true;
    r->convolves = p->absorbing == TORRE_CPML;
    for (int a = 0; a < 3; a++) {
        if (memory_bytes(p, a) == 0) continue;
        r->memory[a] = calloc(1, (size_t)memory_bytes(p, a));
        if (!r->memory[a]) return false;
    }
    r->line = malloc((size_t)line_bytes(p));
    return r->line;
}

static void take_potential(void *context, const torre_scales *scales)
{
    reference_solver *r = context;
    const int64_t *n = r->setup->problem->size, x = scales->x - r->region.stored.low[0];
    for (int64_t y = 0; y < n[1]; y++)
        for (int64_t z = 0; z < n[2]; z++)
            torre_scales_potential(scales, y, z, 1, &r->potential[(x * n[1] + y) * n[2] + z]);
}

static torre_status make_potential(reference_solver *r)
{
    if (!r->setup->density.cells) return TORRE_OK;
    if (!r->potential) r->potential = malloc((size_t)r->cells * sizeof *r->potential);
    if (!r->potential) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the potential");
    return torre_density_walk(&r->setup->density, &r->region.stored, 1, take_potential, r);
}

static torre_status reference_create(const torre_wave_setup *setup,
                                     const torre_cpu_program *program, torre_wave_solver **solver)
{
    const torre_wave_problem *p = setup->problem;
    reference_solver *r = calloc(1, sizeof *r);
    if (!r) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    r->base.backend = &functions;
    r->setup = setup;
    r->region = torre_wave_region(setup);
    r->pass_limit = torre_wave_pass_limit(&r->region, TORRE_REFERENCE, p->order, 1);
    r->cells = torre_wave_cells(p);
    for (int l = 0; l < 2; l++) r->level[l] = calloc((size_t)r->cells, (size_t)p->precision);
    if (!r->level[0] || !r->level[1] || !make_layers(r)) {
        reference_destroy(&r->base);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory: %lld bytes needed",
                          (long long)program->base.info.memory_bytes);
    }
    torre_status status = make_potential(r);
    if (status)
        reference_destroy(&r->base);
    else
        *solver = &r->base;
    return status;
}

static void forget(reference_solver *r)
{
    for (int a = 0; a < 3; a++)
        if (r->memory[a]) memset(r->memory[a], 0, (size_t)memory_bytes(r->setup->problem, a));
}

static torre_status reference_restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                                      bool new_medium)
{
    reference_solver *r = (reference_solver *)solver;
    r->setup = setup; /* velocities are read from the problem at every step */
    r->n = 0;
    for (int l = 0; l < 2; l++)
        memset(r->level[l], 0, (size_t)r->cells * (size_t)setup->problem->precision);
    forget(r);
    return new_medium ? make_potential(r) : TORRE_OK;
}

static torre_status reference_set_step(torre_wave_solver *solver, int64_t n)
{
    reference_solver *r = (reference_solver *)solver;
    if ((n ^ r->n) & 1) {
        void *level = r->level[0];
        r->level[0] = r->level[1];
        r->level[1] = level;
    }
    r->n = n;
    return TORRE_OK;
}

/* The stored cells that are computed with `left` steps to come, counted from the first of them. */
static torre_box legal_cells(const reference_solver *r, int64_t left)
{
    torre_box box;
    for (int a = 0; a < 3; a++) {
        const int64_t first = r->region.stored.low[a];
        torre_region_legal(&r->region, a, r->setup->problem->order / 2 * left, &box.low[a],
                           &box.high[a]);
        box.low[a] -= first;
        box.high[a] -= first;
    }
    return box;
}

static bool holds_cell(const reference_solver *r, const torre_box *box, int64_t cell)
{
    const int64_t *n = r->setup->problem->size;
    const int64_t at[3] = {cell / n[2] / n[1], cell / n[2] % n[1], cell % n[2]};
    for (int a = 0; a < 3; a++)
        if (at[a] < box->low[a] || at[a] >= box->high[a]) return false;
    return true;
}

static void add_sources(reference_solver *r, const torre_box *box, void *next)
{
    const torre_wave_setup *s = r->setup;
    for (int64_t i = 0; i < s->source_node_count; i++) {
        double q = s->source_nodes[i].weight * s->wavelet[r->n];
        if (!holds_cell(r, box, s->source_nodes[i].cell)) continue;
        if (s->problem->precision == TORRE_F32)
            ((float *)next)[s->source_nodes[i].cell] += (float)q;
        else
            ((double *)next)[s->source_nodes[i].cell] += q;
    }
}

/* u[n] at the receivers into a row of samples. */
static void record(const reference_solver *r, const torre_box *box, const void *now, char *row)
{
    const torre_wave_setup *s = r->setup;
    const size_t width = (size_t)s->problem->precision;
    for (int64_t i = 0; i < s->receiver_node_count; i++) {
        const torre_node *node = &s->receiver_nodes[i];
        if (holds_cell(r, box, node->cell))
            memcpy(row + (size_t)node->column * width,
                   (const char *)now + (size_t)node->cell * width, width);
    }
}

static torre_status reference_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    reference_solver *r = (reference_solver *)solver;
    const torre_wave_setup *s = r->setup;
    const size_t row = (size_t)s->sample_columns * (size_t)s->problem->precision;
    TORRE_TRY(torre_wave_steps_check(s->problem, r->n, steps));
    TORRE_TRY(torre_wave_pass_check(r->pass_limit, steps));
    for (int64_t step = 0; step < steps; step++) {
        const torre_box box = legal_cells(r, steps - 1 - step);
        void *now = r->level[r->n & 1], *next = r->level[(r->n + 1) & 1];
        if (s->problem->precision == TORRE_F32)
            step_f32(r, &box, next, now);
        else
            step_f64(r, &box, next, now);
        add_sources(r, &box, next);
        record(r, &box, next, (char *)samples + (size_t)step * row);
        r->n++;
    }
    return TORRE_OK;
}

static void *level_of(const reference_solver *r, int level) { return r->level[(r->n + level) & 1]; }

/* The first value of a box that a level holds, and its strides. */
static char *box_of(const reference_solver *r, int level, const torre_box *box, int64_t stride[3])
{
    const torre_box all = torre_wave_box_stored(r->setup);
    int64_t first = 0;
    torre_box_strides(&all, stride);
    for (int a = 0; a < 3; a++) first += (box->low[a] - all.low[a]) * stride[a];
    return (char *)level_of(r, level) + first * (int64_t)r->setup->problem->precision;
}

static torre_status reference_write_box(torre_wave_solver *solver, int level, const torre_box *box,
                                        const int64_t stride[3], const void *values)
{
    reference_solver *r = (reference_solver *)solver;
    int64_t own[3];
    TORRE_TRY(torre_wave_box_check(r->setup, level, box));
    char *cells = box_of(r, level, box, own);
    torre_box_copy(box, (size_t)r->setup->problem->precision, cells, own, values, stride, 1);
    return TORRE_OK;
}

static torre_status reference_read_box(torre_wave_solver *solver, int level, const torre_box *box,
                                       const int64_t stride[3], void *values)
{
    reference_solver *r = (reference_solver *)solver;
    int64_t own[3];
    TORRE_TRY(torre_wave_box_check(r->setup, level, box));
    const char *cells = box_of(r, level, box, own);
    torre_box_copy(box, (size_t)r->setup->problem->precision, values, stride, cells, own, 1);
    return TORRE_OK;
}

/* The memory that a slice names, at the cell of coordinates 0 across its axis; the cells of it. */
static char *slice_of(const reference_solver *r, const torre_layer_slice *s, torre_box *plane,
                      int64_t stride[3])
{
    const torre_wave_problem *p = r->setup->problem;
    const torre_box all = torre_wave_box_stored(r->setup);
    const int64_t depth = s->outwards ? s->i - 1 : s->i, W = p->absorbing_width; /* of r */
    const int64_t cell = s->side ? p->size[s->axis] - W + depth : W - 1 - depth;
    const int chain = r->convolves ? 0 : s->outwards ? !s->side : s->side; /* phi looks up */
    torre_box_strides(&all, stride);
    const int64_t at = (chain * (p->order / 2) + s->j - 1) * r->cells + cell * stride[s->axis];
    *plane = torre_box_all(p->size);
    plane->high[s->axis] = 1;
    return (char *)r->memory[s->axis] + at * (int64_t)p->precision;
}

static torre_status reference_write_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                          const int64_t stride[3], const void *values)
{
    reference_solver *r = (reference_solver *)solver;
    torre_box plane;
    int64_t own[3];
    if (!slice) {
        forget(r);
        return TORRE_OK;
    }
    char *cells = slice_of(r, slice, &plane, own);
    torre_box_copy(&plane, (size_t)r->setup->problem->precision, cells, own, values, stride, 1);
    return TORRE_OK;
}

static torre_status reference_read_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                         const int64_t stride[3], void *values)
{
    reference_solver *r = (reference_solver *)solver;
    torre_box plane;
    int64_t own[3];
    const char *cells = slice_of(r, slice, &plane, own);
    torre_box_copy(&plane, (size_t)r->setup->problem->precision, values, stride, cells, own, 1);
    return TORRE_OK;
}

static torre_status reference_norms(torre_wave_solver *solver, torre_wave_norms *norms)
{
    reference_solver *r = (reference_solver *)solver;
    const torre_box *own = &r->region.owned;
    const void *u = level_of(r, 0);
    double sum = 0, top = 0;
    int64_t stride[3], at[3];
    torre_box_strides(&r->region.stored, stride);
    memset(norms, 0, sizeof *norms);
    norms->finite = true;
    for (at[0] = own->low[0]; at[0] < own->high[0]; at[0]++)
        for (at[1] = own->low[1]; at[1] < own->high[1]; at[1]++)
            for (at[2] = own->low[2]; at[2] < own->high[2]; at[2]++) {
                int64_t i = 0;
                for (int a = 0; a < 3; a++) i += (at[a] - r->region.stored.low[a]) * stride[a];
                double v = torre_value(r->setup->problem->precision, u, i);
                if (!isfinite(v) && norms->finite) {
                    norms->finite = false;
                    memcpy(norms->first_bad, at, sizeof at);
                }
                if (fabs(v) > top) top = fabs(v);
                sum += v * v;
            }
    norms->max_abs = top;
    norms->l2 = sqrt(sum);
    return TORRE_OK;
}

const torre_cpu_engine torre_cpu_reference = {reference_plan, reference_bytes, reference_create};

static const torre_wave_backend functions = {
    .name = "cpu",
    .restart = reference_restart,
    .set_step = reference_set_step,
    .write_box = reference_write_box,
    .read_box = reference_read_box,
    .write_layer = reference_write_layer,
    .read_layer = reference_read_layer,
    .advance = reference_advance,
    .norms = reference_norms,
    .destroy = reference_destroy,
};
