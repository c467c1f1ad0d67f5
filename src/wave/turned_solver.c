/* Solvers on turned axes: everything that passes between caller and engine is turned here. */
#include "wave/turned_solver.h"

#include <stdlib.h>
#include <string.h>

#include "wave/box.h"

typedef struct turned_solver {
    torre_wave_solver base;
    torre_turned turned;
    void *velocity; /* of the turned problem; NULL where it is the same everywhere */
    torre_wave_solver *inner;
} turned_solver;

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for turning the axes");
}

/* Room for velocities of every cell, as the engines of the cpu backend read them. */
static torre_status make_velocity(turned_solver *s)
{
    const torre_wave_problem *p = &s->turned.problem;
    if (!p->velocity_cells) return TORRE_OK;
    s->velocity = malloc((size_t)torre_wave_cells(p) * (size_t)p->velocity_cells->precision);
    return s->velocity ? TORRE_OK : no_memory();
}

/* Turn a setup, whose velocities are those that were turned before unless new_medium says so. */
static void turn_velocity(turned_solver *s, bool new_medium)
{
    torre_turned *t = &s->turned;
    const torre_wave_problem *caller = t->caller->problem;
    const int64_t *n = t->problem.size;
    memcpy(t->velocity.shape, n, sizeof t->velocity.shape);
    t->velocity.data = s->velocity;
    if (!s->velocity || !new_medium) return;
#pragma omp parallel for collapse(2)
    for (int64_t x = 0; x < n[0]; x++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t z = 0; z < n[2]; z++) {
                const int64_t at[3] = {x, y, z};
                int64_t there[3];
                for (int a = 0; a < 3; a++) there[t->axis[a]] = at[a];
                torre_value_set(t->velocity.precision, t->velocity.data, (x * n[1] + y) * n[2] + z,
                                torre_wave_velocity_at(caller, there[0], there[1], there[2]));
            }
}

static int compare_nodes(const void *a, const void *b)
{
    const int64_t p = ((const torre_node *)a)->cell, q = ((const torre_node *)b)->cell;
    return (p > q) - (p < q);
}

/* Engines look nodes up by cell. */
static void sort_nodes(torre_wave_setup *s)
{
    qsort(s->source_nodes, (size_t)s->source_node_count, sizeof *s->source_nodes, compare_nodes);
    qsort(s->receiver_nodes, (size_t)s->receiver_node_count, sizeof *s->receiver_nodes,
          compare_nodes);
}

/* Turn another setup in place of the present one. */
static torre_status turn_again(turned_solver *s, const torre_wave_setup *setup, bool new_medium)
{
    const char axes[4] = {(char)('x' + s->turned.axis[0]), (char)('x' + s->turned.axis[1]),
                          (char)('x' + s->turned.axis[2])};
    torre_turned_free(&s->turned);
    TORRE_TRY(torre_turn_setup(setup, axes, &s->turned));
    turn_velocity(s, new_medium);
    sort_nodes(&s->turned.setup);
    return TORRE_OK;
}

static torre_status turned_restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                                   bool new_medium)
{
    turned_solver *s = (turned_solver *)solver;
    TORRE_TRY(turn_again(s, setup, new_medium));
    return s->inner->backend->restart(s->inner, &s->turned.setup, new_medium);
}

static torre_status turned_move(torre_wave_solver *solver, const torre_wave_setup *setup, int64_t n)
{
    turned_solver *s = (turned_solver *)solver;
    TORRE_TRY(turn_again(s, setup, true));
    return s->inner->backend->move(s->inner, &s->turned.setup, n);
}

static torre_status turned_set_step(torre_wave_solver *solver, int64_t n)
{
    turned_solver *s = (turned_solver *)solver;
    return s->inner->backend->set_step(s->inner, n);
}

/* A box of the caller's and its strides, along the axes of the engine. */
static torre_box turn_box(const turned_solver *s, const torre_box *box, const int64_t stride[3],
                          int64_t turned_stride[3])
{
    torre_box turned;
    for (int a = 0; a < 3; a++) {
        const int from = s->turned.axis[a];
        turned.low[a] = box->low[from];
        turned.high[a] = box->high[from];
        turned_stride[a] = stride[from];
    }
    return turned;
}

static torre_status turned_write_box(torre_wave_solver *solver, int level, const torre_box *box,
                                     const int64_t stride[3], const void *values)
{
    turned_solver *s = (turned_solver *)solver;
    TORRE_TRY(torre_wave_box_check(s->turned.caller, level, box));
    int64_t along[3];
    const torre_box turned = turn_box(s, box, stride, along);
    return s->inner->backend->write_box(s->inner, level, &turned, along, values);
}

static torre_status turned_read_box(torre_wave_solver *solver, int level, const torre_box *box,
                                    const int64_t stride[3], void *values)
{
    turned_solver *s = (turned_solver *)solver;
    TORRE_TRY(torre_wave_box_check(s->turned.caller, level, box));
    int64_t along[3];
    const torre_box turned = turn_box(s, box, stride, along);
    return s->inner->backend->read_box(s->inner, level, &turned, along, values);
}

/* The same of a slice. */
static torre_layer_slice turn_slice(const turned_solver *s, const torre_layer_slice *slice,
                                    const int64_t stride[3], int64_t turned_stride[3])
{
    torre_layer_slice turned = *slice;
    for (int a = 0; a < 3; a++) {
        turned_stride[a] = stride[s->turned.axis[a]];
        if (s->turned.axis[a] == slice->axis) turned.axis = a;
    }
    return turned;
}

static torre_status turned_write_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                       const int64_t stride[3], const void *values)
{
    turned_solver *s = (turned_solver *)solver;
    int64_t along[3];
    if (!slice) return s->inner->backend->write_layer(s->inner, NULL, NULL, NULL);
    const torre_layer_slice turned = turn_slice(s, slice, stride, along);
    return s->inner->backend->write_layer(s->inner, &turned, along, values);
}

static torre_status turned_read_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                      const int64_t stride[3], void *values)
{
    turned_solver *s = (turned_solver *)solver;
    int64_t along[3];
    const torre_layer_slice turned = turn_slice(s, slice, stride, along);
    return s->inner->backend->read_layer(s->inner, &turned, along, values);
}

/* Planes are those of the engine. */
static torre_status turned_write_layers(torre_wave_solver *solver, int64_t low, int64_t high,
                                        int first, const void *values)
{
    turned_solver *s = (turned_solver *)solver;
    return s->inner->backend->write_layers(s->inner, low, high, first, values);
}

static torre_status turned_read_layers(torre_wave_solver *solver, int64_t low, int64_t high,
                                       int first, void *values)
{
    turned_solver *s = (turned_solver *)solver;
    return s->inner->backend->read_layers(s->inner, low, high, first, values);
}

static void turned_lend(const torre_wave_solver *solver, int64_t low, torre_lent_planes *planes)
{
    const turned_solver *s = (const turned_solver *)solver;
    s->inner->backend->lend(s->inner, low, planes);
}

static torre_status turned_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    turned_solver *s = (turned_solver *)solver;
    return s->inner->backend->advance(s->inner, steps, samples);
}

static torre_status turned_advance_planes(torre_wave_solver *solver, int64_t steps, void *samples,
                                          void *planes)
{
    turned_solver *s = (turned_solver *)solver;
    return s->inner->backend->advance_planes(s->inner, steps, samples, planes);
}

static torre_status turned_advance_to(torre_wave_solver *solver, int64_t steps, int64_t plane,
                                      void *samples)
{
    turned_solver *s = (turned_solver *)solver;
    return s->inner->backend->advance_to(s->inner, steps, plane, samples);
}

static torre_status turned_norms(torre_wave_solver *solver, torre_wave_norms *norms)
{
    turned_solver *s = (turned_solver *)solver;
    TORRE_TRY(s->inner->backend->norms(s->inner, norms));
    int64_t bad[3];
    memcpy(bad, norms->first_bad, sizeof bad);
    for (int a = 0; a < 3; a++) norms->first_bad[s->turned.axis[a]] = bad[a];
    return TORRE_OK;
}

static void turned_destroy(torre_wave_solver *solver)
{
    turned_solver *s = (turned_solver *)solver;
    if (!s) return;
    if (s->inner) s->inner->backend->destroy(s->inner);
    torre_turned_free(&s->turned);
    free(s->velocity);
    free(s);
}

/* Only the functions of a solver that is there. */
static const torre_wave_backend torre_wave_turned = {
    .name = "cpu",
    .restart = turned_restart,
    .move = turned_move,
    .set_step = turned_set_step,
    .write_box = turned_write_box,
    .read_box = turned_read_box,
    .write_layer = turned_write_layer,
    .read_layer = turned_read_layer,
    .write_layers = turned_write_layers,
    .read_layers = turned_read_layers,
    .lend = turned_lend,
    .advance = turned_advance,
    .advance_planes = turned_advance_planes,
    .advance_to = turned_advance_to,
    .norms = turned_norms,
    .destroy = turned_destroy,
};

int64_t torre_turned_solver_bytes(const torre_wave_setup *setup)
{
    const torre_wave_problem *p = setup->problem;
    int64_t bytes = (int64_t)sizeof(turned_solver) + torre_turned_bytes(setup);
    if (p->velocity_cells) bytes += torre_wave_cells(p) * (int64_t)p->velocity_cells->precision;
    return bytes;
}

torre_status torre_turned_solver_new(const torre_cpu_program *program, torre_wave_solver **solver)
{
    turned_solver *s = calloc(1, sizeof *s);
    if (!s) return no_memory();
    s->base.backend = &torre_wave_turned;
    torre_status status =
        torre_turn_setup(program->base.setup, program->base.info.plan.axes, &s->turned);
    if (!status) status = make_velocity(s);
    if (!status) turn_velocity(s, true);
    if (!status) sort_nodes(&s->turned.setup);
    if (!status) status = program->engine->create(&s->turned.setup, program, &s->inner);
    if (status) {
        turned_destroy(&s->base);
        return status;
    }
    *solver = &s->base;
    return TORRE_OK;
}
