#include "wave/rank_slab.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "wave/rank_transport.h"
#include "wave/traces.h"

/* Of what layers remember. */
static int64_t layer_bytes(const torre_rank_program *p, torre_planes planes)
{
    const torre_wave_setup *whole = p->base.setup;
    if (!whole->pml_a || !p->backend->layer_bytes) return 0;
    return p->backend->layer_bytes(whole, &p->base.info.plan, planes.low, planes.high);
}

int64_t torre_rank_planes_bytes(const torre_rank_program *p, torre_planes planes)
{
    return torre_planes_bytes(&p->layout, planes) + layer_bytes(p, planes);
}

/* Of planes that are copied to be sent. */
static int64_t copied_bytes(const torre_rank_program *p, torre_planes planes)
{
    return p->backend->lend ? 0 : torre_planes_bytes(&p->layout, planes);
}

static int64_t message_bytes(const torre_rank_program *p, torre_planes planes)
{
    return copied_bytes(p, planes) + layer_bytes(p, planes);
}

/* Planes, unless they are lent, and what layers remember of them behind, to or from this rank's
 * solver. */
static torre_status exchange(torre_rank_slab *s, bool into, torre_planes planes, char *values)
{
    const torre_rank_program *p = s->program;
    char *layers = values + copied_bytes(p, planes);
    if (!p->backend->lend)
        TORRE_TRY(torre_planes_exchange(&p->layout, into, planes, s->solver, s->n, 0, values));
    if (!p->base.setup->pml_a || !p->backend->layer_bytes) return TORRE_OK;
    return into ? p->backend->write_layers(s->solver, planes.low, planes.high, 0, layers)
                : p->backend->read_layers(s->solver, planes.low, planes.high, 0, layers);
}

static torre_rank_link link_of(const torre_rank_program *p, int side)
{
    const int other = side ? p->slab + 1 : p->slab - 1;
    const int64_t cut = torre_rank_cut(p, side ? p->slab + 1 : p->slab);
    torre_rank_link link = {.rank = -1};
    if (other < 0 || other == p->slabs) return link;
    link.rank = torre_rank_first(p, other);
    link.planes = (torre_planes){cut - p->below, cut + p->above};
    if (link.planes.high > p->layout.n[0]) link.planes.high = p->layout.n[0];
    link.bytes = message_bytes(p, link.planes);
    return link;
}

/* Of messages of the host. */
static int64_t buffer_bytes(const torre_rank_program *p, int side)
{
    return torre_rank_hands_on(p) || p->path[side] ? 0 : link_of(p, side).bytes;
}

int64_t torre_rank_slab_bytes(const torre_rank_program *p)
{
    return 2 * (buffer_bytes(p, 0) + buffer_bytes(p, 1));
}

/* Columns of samples: of receivers that lie here, be it in part, or of nodes. */
static torre_status find_columns(torre_rank_slab *s)
{
    const torre_rank_program *p = s->program;
    const torre_wave_setup *part = &p->part->setup;
    if (p->base.sums) {
        if (s->shared)
            s->sums = s->shared;
        else
            TORRE_TRY(torre_part_sums_new(p->base.setup, &s->sums));
        return torre_part_receivers(part, &s->columns, &s->column);
    }
    s->columns = part->receiver_node_count;
    s->column = malloc((size_t)(s->columns + 1) * sizeof *s->column);
    if (!s->column) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for samples");
    for (int64_t i = 0; i < s->columns; i++) s->column[i] = part->receiver_nodes[i].column;
    return TORRE_OK;
}

torre_status torre_rank_slab_start(torre_rank_program *p, torre_part_sums *shared,
                                   torre_rank_slab *s)
{
    *s = (torre_rank_slab){.program = p, .leads = true, .shared = shared};
    if (p->backend->teams) {
        s->team = torre_rank_team_of(p->ranks);
        s->leads = torre_rank_team_leads(&s->team);
        if (s->team.members > 1) p->inner->team = &s->team;
    }
    for (int side = 0; side < 2; side++) {
        torre_rank_link *link = &s->link[side];
        *link = link_of(p, side);
        link->path = p->path[side];
        link->bytes = s->leads ? buffer_bytes(p, side) : 0;
        if (link->bytes == 0) continue;
        TORRE_TRY(torre_planes_memory(p->backend, link->bytes, &link->out));
        TORRE_TRY(torre_planes_memory(p->backend, link->bytes, &link->in));
    }
    TORRE_TRY(p->backend->create(p->inner, &s->solver));
    p->inner = NULL;
    return find_columns(s);
}

void torre_rank_slab_free(torre_rank_slab *s)
{
    if (s->program) torre_rank_transport_close((torre_rank_program *)s->program);
    if (s->solver) s->program->backend->destroy(s->solver);
    s->solver = NULL;
    free(s->column);
    s->column = NULL;
    if (!s->shared) torre_part_sums_free(s->sums);
    s->sums = NULL;
    for (int side = 0; side < 2; side++) {
        torre_rank_link *link = &s->link[side];
        if (!s->program) continue;
        torre_planes_memory_free(s->program->backend, link->bytes, link->out);
        torre_planes_memory_free(s->program->backend, link->bytes, link->in);
        link->out = link->in = NULL;
    }
}

/* What goes that way: the planes below the cut only up, since the rank above leaves them alone. */
static torre_planes going(const torre_rank_program *p, const torre_rank_link *link, bool down)
{
    return (torre_planes){link->planes.low + (down ? p->below : 0), link->planes.high};
}

/* The same of a path past the host. */
static torre_status meet_paths(torre_rank_slab *s)
{
    const torre_rank_program *p = s->program;
    for (int side = 0; side < 2; side++) {
        torre_rank_link *link = &s->link[side];
        if (!link->path || !link->path->way->place) continue;
        p->backend->place(s->solver, going(p, link, side == 1).low, &link->here);
        TORRE_TRY(link->path->way->place(link->path, link->here.array));
    }
    return TORRE_OK;
}

/* Tell neighbours where their planes are to go in these steps. */
static torre_status meet(torre_rank_slab *s)
{
    const torre_rank_program *p = s->program;
    if (!torre_rank_hands_on(p)) return meet_paths(s);
    for (int side = 0; side < 2; side++) {
        torre_rank_link *link = &s->link[side];
        if (link->rank < 0) continue;
        p->backend->place(s->solver, going(p, link, side == 1).low, &link->here);
        TORRE_TRY(torre_rank_post(p->ranks, link->rank, &link->here, sizeof link->here));
    }
    for (int side = 0; side < 2; side++) {
        torre_rank_link *link = &s->link[side];
        if (link->rank < 0) continue;
        TORRE_TRY(torre_rank_receive(p->ranks, link->rank, &link->there, sizeof link->there));
    }
    return TORRE_OK;
}

/* Planes that are lent, to or from another rank. */
static torre_status lend(const torre_rank_slab *s, bool into, int rank, torre_planes planes)
{
    const torre_rank_program *p = s->program;
    torre_lent_planes lent;
    p->backend->lend(s->solver, planes.low, &lent);
    const int64_t bytes = (planes.high - planes.low) * lent.bytes;
    for (int a = 0; a < 2; a++)
        TORRE_TRY(into ? torre_rank_receive(p->ranks, rank, lent.array[a], bytes)
                       : torre_rank_post(p->ranks, rank, lent.array[a], bytes));
    return TORRE_OK;
}

/* Planes by a path, to another rank or from it. */
static torre_status go(torre_rank_slab *s, torre_rank_link *link, bool into, torre_planes planes)
{
    const torre_rank_program *p = s->program;
    const int64_t bytes = torre_planes_bytes(&p->layout, planes) / 2;
    torre_plane_place at;
    p->backend->place(s->solver, planes.low, &at);
    const torre_rank_piece piece[2] = {{at.array[0], bytes}, {at.array[1], bytes}};
    return into ? link->path->way->take(link->path, piece, 2)
                : link->path->way->give(link->path, piece, 2);
}

/* What this rank sent that way has gone, and room is where it was. */
static torre_status settle(const torre_rank_slab *s, const torre_rank_link *link)
{
    return link->path ? link->path->way->gone(link->path)
                      : torre_rank_settle(s->program->ranks, link->rank);
}

/* Both arrays of what both have, as they are now: nothing here looks at them until they come back
 * from below, or new ones from above. */
static torre_status give(torre_rank_slab *s, torre_rank_link *link)
{
    const torre_rank_program *p = s->program;
    const torre_planes planes = going(p, link, link == &s->link[0]);
    const double start = torre_time_now();
    if (!s->leads) return TORRE_OK;
    TORRE_TRY(settle(s, link)); /* the buffer is free */
    s->told.waited_s += torre_time_now() - start;
    s->told.sent_bytes += torre_rank_planes_bytes(p, planes);
    if (link->path) return go(s, link, false, planes);
    if (torre_rank_hands_on(p)) {
        TORRE_TRY(p->backend->hand_on(s->solver, planes.low, planes.high, link == &s->link[1],
                                      &link->there, &link->gone));
        return torre_rank_post(p->ranks, link->rank, &link->gone, sizeof link->gone);
    }
    if (p->backend->lend) TORRE_TRY(lend(s, false, link->rank, planes));
    TORRE_TRY(exchange(s, false, planes, link->out));
    return torre_rank_post(p->ranks, link->rank, link->out, message_bytes(p, planes));
}

static torre_status take(torre_rank_slab *s, torre_rank_link *link)
{
    const torre_rank_program *p = s->program;
    const torre_planes planes = going(p, link, link == &s->link[1]);
    const bool direct = torre_rank_hands_on(p);
    const double start = torre_time_now();
    if (!s->leads) return TORRE_OK; /* it waits in climb */
    void *arrival = NULL;
    if (direct) {
        TORRE_TRY(torre_rank_receive(p->ranks, link->rank, &arrival, sizeof arrival));
        TORRE_TRY(p->backend->await(s->solver, arrival));
    } else {
        TORRE_TRY(settle(s, link)); /* what was lent has gone */
    }
    if (link->path) {
        TORRE_TRY(go(s, link, true, planes));
    } else if (!direct) {
        if (p->backend->lend) TORRE_TRY(lend(s, true, link->rank, planes));
        TORRE_TRY(torre_rank_receive(p->ranks, link->rank, link->in, message_bytes(p, planes)));
    }
    s->told.waited_s += torre_time_now() - start;
    return direct || link->path ? TORRE_OK : exchange(s, true, planes, link->in);
}

/* What went below comes back. */
static torre_status take_back(torre_rank_slab *s)
{
    s->owed = false;
    return take(s, &s->link[0]);
}

static torre_status climb(torre_rank_slab *s, int64_t steps, int64_t plane, void *samples)
{
    return s->program->backend->advance_to(s->solver, steps, plane, samples);
}

/*
 * How far to climb before planes go above, where a device waits with them for the rank there: as
 * far as that one comes before it needs them.
 */
static int64_t meeting(const torre_rank_slab *s, int64_t until)
{
    const torre_rank_program *p = s->program;
    const torre_planes above = s->link[1].planes;
    const int64_t there = torre_rank_region(p, p->slab + 1).stored.high[p->layout.axis[0]] -
                          (above.high + p->below),
                  back = s->link[0].planes.high + p->below;
    const int64_t plane = above.high - there < until ? above.high - there : until;
    return s->owed && plane < back ? back : plane;
}

/*
 * Towers from `back` on keep off what is still below; those from `until` on are all that reach into
 * what goes back above, for the last plane of a tower lies above - below planes beyond its first.
 * It may come again while the rest climbs, which reads `below` planes more, not those that come.
 */
static torre_status pass(torre_rank_slab *s, int64_t steps, void *samples)
{
    const torre_rank_program *p = s->program;
    torre_rank_link *below = &s->link[0], *above = &s->link[1];
    const int64_t back = below->planes.high + p->below;
    const int64_t until = above->planes.low - (p->above - p->below);
    if (above->rank >= 0) TORRE_TRY(take(s, above));
    if (s->owed && above->rank >= 0 && back > until) {
        TORRE_TRY(climb(s, steps, back, samples));
        TORRE_TRY(take_back(s));
    }
    if (above->rank >= 0) {
        TORRE_TRY(climb(s, steps, until, samples));
        if (above->path && above->path->way->meets)
            TORRE_TRY(climb(s, steps, meeting(s, until), samples));
        TORRE_TRY(give(s, above));
    }
    if (s->owed) {
        TORRE_TRY(climb(s, steps, back, samples));
        TORRE_TRY(take_back(s));
    }
    TORRE_TRY(climb(s, steps, INT64_MIN, samples));
    s->n += steps;
    s->owed = below->rank >= 0;
    return s->owed ? give(s, below) : TORRE_OK;
}

torre_status torre_rank_slab_advance(torre_rank_slab *s, int64_t steps, void *samples,
                                     torre_part_sums *sums)
{
    const torre_rank_program *p = s->program;
    const torre_wave_setup *setup = p->base.setup;
    const int64_t row =
        torre_traces_columns(setup, p->base.sums) * (int64_t)setup->problem->precision;
    const double before = s->team.waited_s;
    TORRE_TRY(meet(s));
    for (int64_t done = 0, height; done < steps; done += height) {
        height = p->base.info.plan.tower_height;
        if (height > steps - done) height = steps - done;
        if (p->base.sums) p->backend->use_sums(s->solver, sums, done);
        TORRE_TRY(pass(s, height, samples ? (char *)samples + done * row : NULL));
    }
    if (sums) TORRE_TRY(p->backend->settle_sums(s->solver));
    s->told.waited_s += s->team.waited_s - before;
    return s->owed ? take_back(s) : TORRE_OK;
}

torre_status torre_rank_slab_set_step(torre_rank_slab *s, int64_t n)
{
    s->n = n;
    return s->program->backend->set_step(s->solver, n);
}

/* Bytes of the planes that are summed at once. */
static const int64_t sum_bytes = 16 << 20;

torre_status torre_rank_slab_norms(torre_rank_slab *s, torre_norm_sums *sums, torre_wave_norms *bad)
{
    const torre_rank_program *p = s->program;
    const torre_plane_layout *l = &p->layout;
    const torre_planes own = torre_rank_planes(p, p->ranks->rank);
    const int64_t row = torre_planes_row_bytes(l), few = sum_bytes / l->plane_bytes;
    const int64_t some = few < 1 ? 1 : few;
    char *values = malloc((size_t)(some * l->plane_bytes)), *rows;
    rows = aligned_alloc(64, (size_t)(row * l->threads));
    torre_status status =
        values && rows ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for norms");
    *bad = (torre_wave_norms){.finite = true};
    for (int64_t low = own.low; low < own.high && !status; low += some) {
        const torre_planes now = {low, low + some < own.high ? low + some : own.high};
        const torre_box box = torre_planes_box(l, now);
        int64_t stride[3];
        stride[l->axis[0]] = l->plane_bytes / (int64_t)l->precision;
        stride[l->axis[1]] = l->pitch;
        stride[l->axis[2]] = 1;
        status = p->backend->read_box(s->solver, 0, &box, stride, values);
        if (status) break;
#pragma omp parallel for num_threads(l->threads) schedule(static)
        for (int64_t x = now.low; x < now.high; x++)
            sums[x - own.low] = torre_planes_sums(l, values + (x - low) * l->plane_bytes,
                                                  rows + omp_get_thread_num() * row);
        for (int64_t x = now.low; x < now.high && bad->finite; x++) {
            bad->finite = isfinite(sums[x - own.low].squares);
            if (!bad->finite) torre_planes_find_bad(l, values + (x - low) * l->plane_bytes, x, bad);
        }
    }
    free(values);
    free(rows);
    return status;
}
