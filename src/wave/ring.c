#include "wave/ring.h"

#include <stdlib.h>

#include "wave/box.h"
#include "wave/part.h"
#include "wave/ring_program.h"

typedef struct ring {
    torre_wave_solver base;
    const torre_ring_program *program;
    const torre_wave_setup *setup;
    torre_plane_store store;
    int64_t n;                /* the present step */
    torre_wave_part *part;    /* the present window, */
    torre_wave_solver *inner; /* its solver, */
    int64_t inner_n;          /* at that step, */
    torre_planes held;        /* and the planes that have their values there; */
    bool changed;             /* the file does not have them */
} ring;

static void ring_destroy(torre_wave_solver *solver)
{
    ring *r = (ring *)solver;
    if (!r) return;
    if (r->inner) r->program->backend->destroy(r->inner);
    torre_wave_part_free(r->part);
    torre_store_close(&r->store);
    free(r);
}

/* The solver of a window, which may become that of any other: the highest stores most. */
static torre_status make_inner(ring *r)
{
    const torre_ring_program *p = r->program;
    torre_wave_program *program;
    const torre_region region =
        torre_ring_window(&p->shape, r->setup, torre_ring_windows(&p->shape) - 1);
    TORRE_TRY(torre_wave_part_new(r->setup, &region, &r->part));
    TORRE_TRY(p->backend->plan(&r->part->setup, &p->part, &program));
    const torre_status status = p->backend->create(program, &r->inner);
    if (status) torre_wave_program_free(program);
    return status;
}

static torre_status ring_create(torre_wave_program *given, torre_wave_solver **solver)
{
    const torre_ring_program *program = (const torre_ring_program *)given;
    const torre_wave_info *info = &given->info;
    if (info->lacking[0]) return torre_fail(TORRE_ERR_RESOURCE, "%s", info->lacking);
    ring *r = calloc(1, sizeof *r);
    if (!r) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    r->base.backend = &torre_wave_ring;
    r->program = program;
    r->setup = given->setup;
    r->store.layout = program->layout;
    torre_status status = torre_store_open(info->plan.scratch, program->buffer_planes, &r->store);
    if (!status) status = make_inner(r);
    if (status) {
        ring_destroy(&r->base);
        return status;
    }
    *solver = &r->base;
    return TORRE_OK;
}

/* A slab in memory, as a window is. */
static torre_status ring_adapt(const torre_wave_program *program, const torre_wave_setup *setup,
                               torre_wave_program **adapted)
{
    const torre_ring_program *p = (const torre_ring_program *)program;
    return p->backend->plan(setup, &p->part, adapted);
}

static torre_status save(ring *r, torre_planes planes)
{
    TORRE_TRY(torre_store_save(&r->store, planes, r->inner, r->inner_n));
    r->base.streamed = r->store.bytes_moved;
    return TORRE_OK;
}

static torre_status load(ring *r, torre_planes planes)
{
    TORRE_TRY(torre_store_load(&r->store, planes, r->inner, r->inner_n));
    r->base.streamed = r->store.bytes_moved;
    return TORRE_OK;
}

/* The file has all that there is. */
static torre_status settle(ring *r)
{
    if (r->changed) TORRE_TRY(save(r, r->held));
    r->changed = false;
    return TORRE_OK;
}

/* And nothing is held beside it. */
static torre_status let_go(ring *r)
{
    TORRE_TRY(settle(r));
    r->held = (torre_planes){0, 0};
    return TORRE_OK;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Window i, with all its planes, at step n; planes that it does not store are done there. */
static torre_status go_to(ring *r, int64_t i)
{
    const torre_ring_shape *shape = &r->program->shape;
    const torre_region region = torre_ring_window(shape, r->setup, i);
    const torre_planes next = {region.stored.low[shape->axis], region.stored.high[shape->axis]};
    const torre_planes held = r->held;
    torre_planes kept = {most(held.low, next.low), least(held.high, next.high)};
    torre_wave_part *part;
    if (kept.low >= kept.high) kept.low = kept.high = next.high;
    if (r->changed && held.low < next.low)
        TORRE_TRY(save(r, (torre_planes){held.low, least(held.high, next.low)}));
    if (r->changed && held.high > next.high)
        TORRE_TRY(save(r, (torre_planes){most(held.low, next.high), held.high}));
    TORRE_TRY(torre_wave_part_new(r->setup, &region, &part));
    const torre_status status = r->program->backend->move(r->inner, &part->setup, r->n);
    torre_wave_part_free(r->part);
    r->part = part;
    r->inner_n = r->n;
    r->held = (torre_planes){0, 0}; /* until all are there */
    TORRE_TRY(status);
    TORRE_TRY(load(r, (torre_planes){next.low, kept.low}));
    TORRE_TRY(load(r, (torre_planes){kept.high, next.high}));
    r->held = next;
    return TORRE_OK;
}

/* The planes that window i - 1 will need are on their way. */
static void look_ahead(ring *r, int64_t i)
{
    const torre_ring_shape *shape = &r->program->shape;
    if (i == 0) return;
    const torre_region region = torre_ring_window(shape, r->setup, i - 1);
    torre_store_expect(&r->store, (torre_planes){region.stored.low[shape->axis], r->held.low});
}

static torre_status pass(ring *r, int64_t steps, void *samples)
{
    for (int64_t i = torre_ring_windows(&r->program->shape) - 1; i >= 0; i--) {
        TORRE_TRY(go_to(r, i));
        look_ahead(r, i);
        TORRE_TRY(r->program->backend->advance(r->inner, steps, samples));
        r->inner_n = r->n + steps;
        r->changed = true;
    }
    r->n += steps;
    return TORRE_OK;
}

static torre_status ring_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    ring *r = (ring *)solver;
    const int64_t row = r->setup->sample_columns * (int64_t)r->setup->problem->precision;
    TORRE_TRY(torre_wave_steps_check(r->setup->problem, r->n, steps));
    for (int64_t done = 0, height; done < steps; done += height) {
        height = least(steps - done, r->program->part.tower_height);
        TORRE_TRY(pass(r, height, samples ? (char *)samples + done * row : NULL));
    }
    return TORRE_OK;
}

static torre_status ring_restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                                 bool new_medium)
{
    ring *r = (ring *)solver;
    torre_wave_part *part;
    TORRE_TRY(torre_wave_part_new(setup, &r->part->region, &part));
    const torre_status status = r->program->backend->restart(r->inner, &part->setup, new_medium);
    torre_wave_part_free(r->part);
    r->part = part;
    r->setup = setup;
    r->n = 0;
    r->held = (torre_planes){0, 0};
    r->changed = false;
    return status ? status : torre_scratch_clear(r->store.file);
}

static torre_status ring_set_step(torre_wave_solver *solver, int64_t n)
{
    ring *r = (ring *)solver;
    if ((n ^ r->n) & 1) {
        TORRE_TRY(let_go(r));
        r->store.flip ^= 1;
    }
    r->n = n;
    return TORRE_OK;
}

/* Which array has a level. */
static int array_of(const ring *r, int level) { return (int)((r->n + level) & 1); }

static torre_status ring_write_box(torre_wave_solver *solver, int level, const torre_box *box,
                                   const int64_t stride[3], const void *values)
{
    ring *r = (ring *)solver;
    TORRE_TRY(torre_wave_box_check(r->setup, level, box));
    TORRE_TRY(let_go(r));
    TORRE_TRY(torre_store_write(&r->store, array_of(r, level), box, stride, values));
    r->base.streamed = r->store.bytes_moved;
    return TORRE_OK;
}

static torre_status ring_read_box(torre_wave_solver *solver, int level, const torre_box *box,
                                  const int64_t stride[3], void *values)
{
    ring *r = (ring *)solver;
    TORRE_TRY(torre_wave_box_check(r->setup, level, box));
    TORRE_TRY(settle(r));
    TORRE_TRY(torre_store_read(&r->store, array_of(r, level), box, stride, values));
    r->base.streamed = r->store.bytes_moved;
    return TORRE_OK;
}

static torre_status ring_norms(torre_wave_solver *solver, torre_wave_norms *norms)
{
    ring *r = (ring *)solver;
    TORRE_TRY(settle(r));
    TORRE_TRY(torre_store_norms(&r->store, array_of(r, 0), norms));
    r->base.streamed = r->store.bytes_moved;
    return TORRE_OK;
}

const torre_wave_backend torre_wave_ring = {
    .name = "ring",
    .adapt = ring_adapt,
    .create = ring_create,
    .restart = ring_restart,
    .set_step = ring_set_step,
    .write_box = ring_write_box,
    .read_box = ring_read_box,
    .advance = ring_advance,
    .norms = ring_norms,
    .destroy = ring_destroy,
};
