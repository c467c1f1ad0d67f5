#include "wave/ring.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "wave/box.h"
#include "wave/part.h"
#include "wave/ring_program.h"
#include "wave/traces.h"

/* A window in memory. */
typedef struct hand {
    torre_wave_part *part;
    torre_wave_solver *solver;
    int64_t n;         /* its step */
    torre_planes held; /* the planes that have their values there, */
    torre_planes owed; /* and those of them that the store does not have */
} hand;

typedef struct ring {
    torre_wave_solver base;
    const torre_ring_program *program;
    const torre_wave_setup *setup; /* this: */
    torre_wave_setup windows;      /* torre_ring_setup of the caller's */
    torre_plane_store store;
    torre_part_sums *sums; /* of receivers, if the program sums: */
    int64_t sums_start;    /* of the steps after this one */
    int64_t n;             /* the present step */
    hand hand[TORRE_RING_HANDS];
    int turn;      /* whose window is the present one: with two, the other gets ready meanwhile */
    int64_t ready; /* the window that it has, at the present step; -1: some other */
    torre_wave_part **again; /* [windows], those that stay; NULL: not made yet, or not kept */
    int keeper[2]; /* who knows what the layer across planes at a face of the grid remembers */
} ring;

static const torre_planes no_planes = {0, 0};

/* Whether parts of windows are kept for the next pass: with receivers they take long to make, and
 * what solvers make of them longer. Not those that have velocities of their own. */
static bool keeps_parts(const ring *r)
{
    return r->program->base.sums && (r->store.model || !r->setup->problem->velocity_cells);
}

/* The part of window i. */
static torre_status take_part(ring *r, int64_t i, torre_wave_part **part)
{
    const torre_region region = torre_ring_window(&r->program->shape, r->setup, i);
    const bool keeps = keeps_parts(r);
    *part = keeps ? r->again[i] : NULL;
    if (*part) return TORRE_OK;
    TORRE_TRY(r->store.model ? torre_wave_part_bare(r->setup, &region, part)
                             : torre_wave_part_new(r->setup, &region, part));
    (*part)->setup.stays = keeps;
    if (keeps) r->again[i] = *part;
    return TORRE_OK;
}

static void drop_part(torre_wave_part *part)
{
    if (part && !part->setup.stays) torre_wave_part_free(part);
}

/* Solvers do not come back to any. */
static void forget_parts(ring *r)
{
    for (int64_t i = 0; r->again && i < torre_ring_windows(&r->program->shape); i++) {
        torre_wave_part_free(r->again[i]);
        r->again[i] = NULL;
    }
}

static void ring_destroy(torre_wave_solver *solver)
{
    ring *r = (ring *)solver;
    if (!r) return;
    for (int i = 0; i < r->program->hands; i++) {
        if (r->hand[i].solver) r->program->backend->destroy(r->hand[i].solver);
        drop_part(r->hand[i].part);
    }
    forget_parts(r);
    free(r->again);
    torre_store_close(&r->store);
    torre_part_sums_free(r->sums);
    free(r);
}

/* The solver of a window, which may become that of any other: none stores more. */
static torre_status make_hand(ring *r, hand *h)
{
    const torre_ring_program *p = r->program;
    torre_wave_program *program;
    const torre_region region =
        torre_ring_window(&p->shape, r->setup, torre_ring_largest(&p->shape, r->setup));
    TORRE_TRY(torre_wave_part_new(r->setup, &region, &h->part));
    TORRE_TRY(p->backend->plan(&h->part->setup, &p->part, &program));
    const torre_status status = p->backend->create(program, &h->solver);
    if (status) torre_wave_program_free(program);
    return status;
}

static torre_planes planes_of(const ring *r, const torre_region *region)
{
    const int axis = r->program->shape.axis;
    return (torre_planes){region->stored.low[axis], region->stored.high[axis]};
}

/* A solver that has no planes becomes that of window i, by the velocities of the problem. */
static torre_status go_bare(ring *r, hand *h, int64_t i)
{
    const torre_region region = torre_ring_window(&r->program->shape, r->setup, i);
    torre_wave_part *part;
    TORRE_TRY(torre_wave_part_new(r->setup, &region, &part));
    const torre_status status = r->program->backend->move(h->solver, &part->setup, h->n);
    drop_part(h->part);
    h->part = part;
    return status;
}

/* The store gets what solvers make of velocities, once for all passes: the first of them goes
 * through all windows, and then back to where the others are. */
static torre_status keep_model(ring *r)
{
    const torre_wave_backend *backend = r->program->backend;
    const int64_t windows = torre_ring_windows(&r->program->shape);
    hand *h = &r->hand[0];
    int64_t high = INT64_MAX; /* planes from there on are in the store */
    if (!r->store.model) return TORRE_OK;
    for (int64_t i = windows - 1; i >= 0; i--) {
        TORRE_TRY(go_bare(r, h, i));
        const torre_planes its = planes_of(r, &h->part->region);
        TORRE_TRY(backend->read_model(h->solver, its.low, its.high < high ? its.high : high,
                                      r->store.model + its.low * r->store.model_bytes));
        high = its.low;
    }
    for (int i = 0; i < r->program->hands; i++)
        backend->use_model(r->hand[i].solver, r->store.model);
    return TORRE_OK;
}

/* Where windows hand over receivers that they have in part. */
static torre_status share_sums(ring *r)
{
    torre_part_sums_free(r->sums);
    r->sums = NULL;
    return r->program->base.sums ? torre_part_sums_new(r->setup, &r->sums) : TORRE_OK;
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
    r->windows = torre_ring_setup(given->setup);
    r->setup = &r->windows;
    r->ready = -1;
    r->store.backend = program->backend;
    r->store.layout = program->layout;
    r->store.model_bytes = program->model_bytes;
    r->store.layer_bytes = program->layer_bytes;
    r->again = calloc((size_t)torre_ring_windows(&program->shape), sizeof *r->again);
    torre_status status = r->again ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    if (!status) status = torre_store_open(info->plan.scratch, program->buffer_planes, &r->store);
    for (int i = 0; i < program->hands && !status; i++) status = make_hand(r, &r->hand[i]);
    if (!status) status = keep_model(r);
    if (!status) status = share_sums(r);
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

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* --- Planes --- */

/* What both have. */
static torre_planes both(torre_planes a, torre_planes b)
{
    const torre_planes c = {most(a.low, b.low), least(a.high, b.high)};
    return c.low < c.high ? c : no_planes;
}

/* Of a, what lies below b, and above it. */
static torre_planes below(torre_planes a, torre_planes b)
{
    if (b.low >= b.high) return a;
    return both(a, (torre_planes){INT64_MIN, b.low});
}

static torre_planes above(torre_planes a, torre_planes b)
{
    if (b.low >= b.high) return no_planes;
    return both(a, (torre_planes){b.high, INT64_MAX});
}

/* --- Between windows and the store --- */

static torre_status save(ring *r, hand *h, torre_planes planes)
{
    return torre_store_save(&r->store, planes, h->solver, h->n);
}

static torre_status load(ring *r, hand *h, torre_planes planes)
{
    return torre_store_load(&r->store, planes, h->solver, h->n);
}

/* The store has all that there is. */
static torre_status settle(ring *r)
{
    for (int i = 0; i < r->program->hands; i++) {
        TORRE_TRY(save(r, &r->hand[i], r->hand[i].owed));
        r->hand[i].owed = no_planes;
    }
    r->base.streamed = r->store.bytes_moved;
    return TORRE_OK;
}

/* And nothing is held beside it. */
static torre_status let_go(ring *r)
{
    TORRE_TRY(settle(r));
    for (int i = 0; i < r->program->hands; i++) r->hand[i].held = no_planes;
    r->ready = -1;
    return TORRE_OK;
}

/* --- From window to window --- */

static int64_t count_of(torre_planes planes) { return planes.high - planes.low; }

/* Become a window at step n: planes that leave are saved, and those that come are loaded, both
 * ways at once where there is memory for all. */
static torre_status exchange(ring *r, hand *h, const torre_wave_setup *setup, int64_t n,
                             torre_planes kept, torre_planes next, torre_planes known)
{
    const torre_wave_backend *backend = r->program->backend;
    const torre_planes out[2] = {below(h->owed, kept), above(h->owed, kept)};
    const torre_planes in[2] = {below(next, known), above(next, known)};
    if (r->program->hands == 2 && r->store.memory) {
        const int first = in[0].low < in[0].high ? 0 : 1;
        const torre_moved_planes leave = torre_store_leave(&r->store, h->owed),
                                 come = torre_store_come(&r->store, in[first]);
        const hand *other = &r->hand[h == r->hand];
        TORRE_TRY(backend->renew(h->solver, other->solver, setup, n, &leave, &come));
        h->n = n;
        r->store.bytes_moved +=
            torre_planes_bytes(&r->store.layout, h->owed) +
            (come.values ? torre_planes_bytes(&r->store.layout, in[first]) : 0) +
            (count_of(in[0]) + count_of(in[1])) * r->store.model_bytes;
        return load(r, h, first == 0 ? in[1] : no_planes);
    }
    for (int i = 0; i < 2; i++) TORRE_TRY(save(r, h, out[i]));
    TORRE_TRY(backend->move(h->solver, setup, n));
    h->n = n;
    if (r->store.model)
        r->store.bytes_moved += (count_of(in[0]) + count_of(in[1])) * r->store.model_bytes;
    for (int i = 0; i < 2; i++) TORRE_TRY(load(r, h, in[i]));
    return TORRE_OK;
}

/* Window i at step n, but for planes that the other window has now and hands on later. */
static torre_status prepare(ring *r, hand *h, int64_t i, int64_t n, torre_planes other)
{
    torre_wave_part *part;
    TORRE_TRY(take_part(r, i, &part));
    const torre_planes next = planes_of(r, &part->region);
    const torre_planes kept = r->program->hands == 1 ? both(h->held, next) : no_planes;
    const torre_planes known = r->program->hands == 1 ? kept : both(other, next);
    const torre_status status = exchange(r, h, &part->setup, n, kept, next, known);
    drop_part(h->part);
    h->part = part;
    h->owed = both(h->owed, kept);
    h->held = status ? no_planes : next;
    return status;
}

/* A window at an end of the grid needs what the layer there remembers, of whoever had the last. */
static torre_status take_layers(ring *r, hand *h)
{
    const int axis = r->program->shape.axis, own = (int)(h - r->hand);
    const torre_region *region = &h->part->region;
    const bool ends[2] = {region->owned.low[axis] == 0,
                          region->owned.high[axis] == region->global[axis]};
    for (int side = 0; side < 2; side++) {
        const int keeper = r->keeper[side];
        if (!ends[side] || keeper == own || !r->program->backend->take_layer) continue;
        TORRE_TRY(r->program->backend->take_layer(h->solver, r->hand[keeper].solver, side));
        r->keeper[side] = own;
    }
    return TORRE_OK;
}

/* What the one has of a window that is prepared for the other, which owes it to the store now. */
static torre_status hand_on(ring *r, hand *from, hand *to)
{
    const torre_planes known = both(from->held, to->held), owed = both(from->owed, to->held);
    if (known.low < known.high) {
        const torre_wave_backend *backend = r->program->backend;
        torre_plane_place place;
        void *arrival;
        backend->place(to->solver, known.low, &place);
        TORRE_TRY(backend->hand_on(from->solver, known.low, known.high, 0, &place, &arrival));
        TORRE_TRY(backend->await(to->solver, arrival));
    }
    TORRE_TRY(take_layers(r, to));
    to->owed = owed; /* at one end of those of the other */
    from->owed = owed.low == from->owed.low && owed.high > owed.low ? above(from->owed, owed)
                                                                    : below(from->owed, owed);
    from->held = from->owed;
    return TORRE_OK;
}

/* The present window becomes window i. */
static torre_status go_to(ring *r, int64_t i)
{
    const bool two = r->program->hands == 2;
    hand *h = &r->hand[r->turn], *other = &r->hand[!r->turn];
    if (r->ready == i) return TORRE_OK;
    TORRE_TRY(prepare(r, h, i, r->n, two ? other->held : no_planes));
    if (two) TORRE_TRY(hand_on(r, other, h));
    r->ready = i;
    return TORRE_OK;
}

/* The planes that window i - 1 will need are on their way. */
static void look_ahead(ring *r, int64_t i)
{
    if (i == 0 || r->program->hands == 2) return;
    const torre_region region = torre_ring_window(&r->program->shape, r->setup, i - 1);
    torre_store_expect(&r->store, below(planes_of(r, &region), r->hand[r->turn].held));
}

/* What is done beside the pass of the present window. */
typedef struct beside {
    ring *r;
    int64_t window, n; /* the next one, and its step */
    torre_status status;
    char why[512]; /* each thread has an error text of its own */
} beside;

static void *prepare_next(void *context)
{
    beside *b = context;
    ring *r = b->r;
    b->status = prepare(r, &r->hand[!r->turn], b->window, b->n, r->hand[r->turn].held);
    if (b->status) snprintf(b->why, sizeof b->why, "%s", torre_error_text());
    return NULL;
}

/* The pass of the present window, while the other one gets ready for what comes after it. */
static torre_status pass_beside(ring *r, int64_t i, int64_t steps, void *samples)
{
    hand *h = &r->hand[r->turn], *other = &r->hand[!r->turn];
    const bool lowest = i == 0;
    beside next = {.r = r,
                   .window = lowest ? torre_ring_windows(&r->program->shape) - 1 : i - 1,
                   .n = lowest ? r->n + steps : r->n};
    pthread_t thread;
    const int failed = pthread_create(&thread, NULL, prepare_next, &next);
    if (failed) return torre_fail(TORRE_ERR_RESOURCE, "cannot start a thread that moves planes");
    const torre_status status = r->program->backend->advance(h->solver, steps, samples);
    pthread_join(thread, NULL);
    TORRE_TRY(status);
    if (next.status) return torre_fail(next.status, "%s", next.why);
    h->n = r->n + steps;
    h->owed = h->held;
    TORRE_TRY(hand_on(r, h, other));
    r->turn = !r->turn;
    r->ready = next.window;
    return TORRE_OK;
}

static torre_status pass_window(ring *r, int64_t i, int64_t steps, void *samples)
{
    hand *h = &r->hand[r->turn];
    TORRE_TRY(go_to(r, i));
    r->ready = -1;
    if (r->sums)
        r->program->backend->use_sums(h->solver, samples ? r->sums : NULL, r->n - r->sums_start);
    if (r->program->hands == 2 && (i > 0 || r->n + steps < r->setup->problem->steps))
        return pass_beside(r, i, steps, samples);
    look_ahead(r, i);
    TORRE_TRY(r->program->backend->advance(h->solver, steps, samples));
    h->n = r->n + steps;
    h->owed = h->held;
    return TORRE_OK;
}

static torre_status pass(ring *r, int64_t steps, void *samples)
{
    for (int64_t i = torre_ring_windows(&r->program->shape) - 1; i >= 0; i--)
        TORRE_TRY(pass_window(r, i, steps, samples));
    r->n += steps;
    r->base.streamed = r->store.bytes_moved;
    return TORRE_OK;
}

/* All that windows have recorded is in samples. */
static torre_status settle_sums(ring *r)
{
    if (!r->sums) return TORRE_OK;
    for (int i = 0; i < r->program->hands; i++)
        TORRE_TRY(r->program->backend->settle_sums(r->hand[i].solver));
    torre_part_sums_finish(r->sums);
    return TORRE_OK;
}

static torre_status ring_advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    ring *r = (ring *)solver;
    const bool summed = r->program->base.sums;
    const int64_t row =
        torre_traces_columns(r->setup, summed) * (int64_t)r->setup->problem->precision;
    TORRE_TRY(torre_wave_steps_check(r->setup->problem, r->n, steps));
    if (r->sums)
        torre_part_sums_begin(r->sums, samples);
    else
        torre_traces_blank(r->setup, false, steps, samples);
    r->sums_start = r->n;
    for (int64_t done = 0, height; done < steps; done += height) {
        height = least(steps - done, r->program->part.tower_height);
        TORRE_TRY(pass(r, height, samples ? (char *)samples + done * row : NULL));
    }
    return settle_sums(r);
}

static torre_status ring_restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                                 bool new_medium)
{
    ring *r = (ring *)solver;
    r->windows = torre_ring_setup(setup);
    for (int i = 0; i < r->program->hands; i++) {
        hand *h = &r->hand[i];
        torre_wave_part *part;
        TORRE_TRY(torre_wave_part_new(r->setup, &h->part->region, &part));
        if (r->store.model && new_medium) r->program->backend->use_model(h->solver, NULL);
        const torre_status status =
            r->program->backend->restart(h->solver, &part->setup, new_medium);
        drop_part(h->part);
        h->part = part;
        h->n = 0;
        h->held = h->owed = no_planes;
        TORRE_TRY(status);
    }
    r->n = 0;
    r->ready = -1;
    forget_parts(r);
    if (new_medium) TORRE_TRY(keep_model(r));
    TORRE_TRY(share_sums(r));
    return torre_store_clear(&r->store);
}

static torre_status ring_set_step(torre_wave_solver *solver, int64_t n)
{
    ring *r = (ring *)solver;
    if (n == r->n) return TORRE_OK;
    TORRE_TRY(let_go(r));
    if ((n ^ r->n) & 1) r->store.flip ^= 1;
    r->n = n;
    for (int i = 0; i < r->program->hands && r->setup->pml_a; i++) { /* they keep layers */
        TORRE_TRY(r->program->backend->set_step(r->hand[i].solver, n));
        r->hand[i].n = n;
    }
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

/* A slice across planes is in memory, the others are in the store. */
static torre_status pass_slice(ring *r, bool write, const torre_layer_slice *slice,
                               const int64_t stride[3], void *values)
{
    const torre_wave_backend *backend = r->program->backend;
    const torre_plane_layout *l = &r->program->layout;
    torre_wave_solver *solver = r->hand[r->keeper[slice->side]].solver;
    TORRE_TRY(write ? let_go(r) : settle(r));
    if (slice->axis == l->axis[0])
        return write ? backend->write_layer(solver, slice, stride, values)
                     : backend->read_layer(solver, slice, stride, values);
    const int along = slice->axis == l->axis[1] ? 2 : 1;
    const torre_layer_place place =
        backend->layer_place(r->setup, &r->program->part, slice, array_of(r, 0) ^ r->store.flip);
    TORRE_TRY(torre_store_slice(&r->store, write, &place, l->n[along], stride[l->axis[0]],
                                stride[l->axis[along]], values));
    r->base.streamed = r->store.bytes_moved;
    return TORRE_OK;
}

static torre_status ring_write_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                     const int64_t stride[3], const void *values)
{
    ring *r = (ring *)solver;
    if (slice) return pass_slice(r, true, slice, stride, (void *)values);
    TORRE_TRY(let_go(r));
    TORRE_TRY(torre_store_clear_layers(&r->store));
    for (int i = 0; i < r->program->hands; i++)
        TORRE_TRY(r->program->backend->write_layer(r->hand[i].solver, NULL, NULL, NULL));
    return TORRE_OK;
}

static torre_status ring_read_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                    const int64_t stride[3], void *values)
{
    return pass_slice((ring *)solver, false, slice, stride, values);
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
    .write_layer = ring_write_layer,
    .read_layer = ring_read_layer,
    .advance = ring_advance,
    .advance_receivers = ring_advance,
    .norms = ring_norms,
    .destroy = ring_destroy,
};
