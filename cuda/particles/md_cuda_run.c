/*
 * Steps of the cuda backend. Work is queued without waiting for the device; one read-back at the
 * end of an advance tells whether all went well. Where a table was too small, the device has
 * stopped at that rebuild (md_control), and the host makes room and continues from there.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "md_cuda_solver.h"

#define GRAPH_STEPS  64   /* longest recorded sequence of steps */
#define SAMPLE_EVERY 16   /* segments between those timed by phase */
#define MOST_AHEAD   0.45 /* of the skin: how far ahead a rebuild expects a particle at most */
#define FIRST_GUESS  8    /* steps that the first lists are for */

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static torre_neighbor neighbor_of(const md_cuda_solver *s) { return s->plan->neighbor; }

md_tiles md_cuda_tiles(const md_cuda_solver *s)
{
    md_tiles t = s->tiles;
    if (!s->permuted) t.perm = NULL;
    return t;
}

md_box md_cuda_box(const md_cuda_solver *s)
{
    md_box box;
    for (int a = 0; a < 3; a++) {
        box.edge[a] = s->problem->box[a];
        box.bin_edge[a] = s->layout.grid.edge[a];
    }
    return box;
}

static double list_radius(const md_cuda_solver *s) { return s->problem->cutoff + s->plan->skin; }

torre_status md_cuda_queue_sort(md_cuda_solver *s, bool sort, double half_step)
{
    s->permuted = !sort;
    md_sort_args a = {.tiles = md_cuda_tiles(s),
                      .box = md_cuda_box(s),
                      .count = (int)s->problem->count,
                      .x_in = s->x[s->x_now],
                      .v_in = s->v[s->v_now],
                      .id_in = s->id[s->id_now],
                      .x_out = s->x[1 - s->x_now],
                      .v_out = s->v[1 - s->v_now],
                      .id_out = s->id[1 - s->id_now],
                      .x_built = s->x_built,
                      .half_step = half_step,
                      .most = MOST_AHEAD * s->plan->skin,
                      .bin_count = s->bin_count,
                      .key = s->key,
                      .slot = s->slot,
                      .order = s->order,
                      .order_id = s->order_id,
                      .order_key = s->order_key,
                      .scan_scratch = s->scan_scratch,
                      .scan_bytes = s->scan_bytes};
    s->x_now = 1 - s->x_now;
    s->v_now = 1 - s->v_now;
    s->id_now = 1 - s->id_now;
    TORRE_CUDA_TRY(s->kernels->state->sort(&a, s->stream), "sorting particles");
    return TORRE_OK;
}

torre_status md_cuda_queue_list(md_cuda_solver *s, const int *active, int count)
{
    if (neighbor_of(s) == TORRE_NEIGHBOR_TILE) return TORRE_OK;
    md_list_args a = {.tiles = md_cuda_tiles(s),
                      .box = md_cuda_box(s),
                      .x_built = s->x_built,
                      .grid = {s->layout.steps[0], s->layout.steps[1], s->layout.steps[2]},
                      .reach = s->layout.reach_sq,
                      .lanes_per_place = s->layout.lanes_per_place,
                      .half = neighbor_of(s) == TORRE_NEIGHBOR_HALF,
                      .active = active,
                      .pages = active ? count : s->layout.brick_count,
                      .block = s->layout.list_block};
    TORRE_CUDA_TRY(s->kernels->state->list(&a, s->stream), "building neighbour lists");
    return TORRE_OK;
}

/* Whether the device looks at displacements in every step, and stops where one is too large. */
static bool looks_each_step(const md_cuda_solver *s)
{
    return s->plan->rebuild_check && s->plan->rebuild_every == 1;
}

static md_force_args force_args(const md_cuda_solver *s)
{
    const torre_md_problem *p = s->problem;
    const double skin = looks_each_step(s) ? s->plan->skin : 0;
    double radius = list_radius(s);
    md_force_args a = {.tiles = md_cuda_tiles(s),
                       .box = md_cuda_box(s),
                       .x_in = s->x[s->x_now],
                       .x_out = s->x[1 - s->x_now],
                       .v = s->v[s->v_now],
                       .v_out = s->v[1 - s->v_now],
                       .f = s->f,
                       .partial = s->partial,
                       .fixed = s->fixed,
                       .id = s->id[s->id_now],
                       .count = (int)p->count,
                       .x_built = s->x_built,
                       .limit_sq = 0.25 * skin * skin,
                       .cutoff_sq = p->cutoff * p->cutoff,
                       .list_cutoff_sq = radius * radius,
                       .kick = p->dt / (2 * p->mass),
                       .drift = p->dt,
                       .fixed_scale = ldexp(1, MD_FIXED_BITS),
                       .lanes_per_place = s->layout.lanes_per_place,
                       .block = s->layout.block,
                       .shared_floor = s->layout.shared_floor};
    memcpy(a.pair, s->pair, sizeof a.pair);
    return a;
}

static torre_status queue_force(md_cuda_solver *s, const md_force_args *a, bool sums)
{
    cudaError_t error;
    switch (neighbor_of(s)) {
    case TORRE_NEIGHBOR_TILE:
        error = s->kernels->pair->sweep(a, sums, s->stream);
        break;
    case TORRE_NEIGHBOR_HALF:
        error = s->kernels->pair->half(a, sums, s->stream);
        break;
    default:
        error = s->kernels->pair->full(a, sums, s->stream);
        break;
    }
    TORRE_CUDA_TRY(error, "computing forces");
    return TORRE_OK;
}

static bool has_thermostat(const md_cuda_solver *s) { return s->problem->ensemble != TORRE_NVE; }

/* Rows of partial sums that the force kernels write. */
static int force_rows(const md_cuda_solver *s)
{
    int rows = s->layout.brick_count;
    if (neighbor_of(s) == TORRE_NEIGHBOR_HALF) rows += md_particle_rows((int)s->problem->count);
    return rows;
}

/* The thermostat after a step, with or without the sums at the velocities that it leaves. */
static torre_status queue_thermostat(md_cuda_solver *s, bool sums, int ahead)
{
    const torre_md_problem *p = s->problem;
    double keep = p->ensemble == TORRE_LANGEVIN ? exp(-p->dt / p->damping_time) : 0;
    double *partial = s->partial + (int64_t)s->layout.brick_count * MD_SUMS;
    md_thermostat_args a = {.control = s->control,
                            .ahead = ahead,
                            .count = (int)p->count,
                            .v = s->v[s->v_now],
                            .id = s->id[s->id_now],
                            .keep = keep,
                            .noise = sqrt((1 - keep * keep) * p->temperature / p->mass),
                            .seed = p->seed,
                            .rate = p->dt / p->damping_time,
                            .temperature = p->temperature,
                            .mass = p->mass,
                            .freedom = fmax(3 * (double)p->count - 3, 1),
                            .total = s->total,
                            .partial = sums ? partial : NULL};
    TORRE_CUDA_TRY(s->kernels->state->thermostat(&a, s->stream), "applying the thermostat");
    if (sums)
        TORRE_CUDA_TRY(md_total(partial, md_particle_rows(a.count), s->total + MD_SUMS, s->stream),
                       "adding up energies");
    return TORRE_OK;
}

/* One step with a thermostat; positions stay in their buffer. */
static torre_status queue_unfused_step(md_cuda_solver *s, int ahead)
{
    md_force_args a = force_args(s);
    a.ahead = ahead;
    TORRE_TRY(queue_force(s, &a, true));
    if (s->problem->ensemble == TORRE_BERENDSEN)
        TORRE_CUDA_TRY(md_total(s->partial, force_rows(s), s->total, s->stream),
                       "adding up energies");
    TORRE_TRY(queue_thermostat(s, false, ahead));
    a.x_out = s->x[s->x_now];
    TORRE_CUDA_TRY(s->kernels->state->drift(&a, s->stream), "moving particles");
    return TORRE_OK;
}

static torre_status queue_steps(md_cuda_solver *s, int steps)
{
    for (int k = 0; k < steps; k++) {
        if (has_thermostat(s)) {
            TORRE_TRY(queue_unfused_step(s, k));
            continue;
        }
        md_force_args a = force_args(s);
        /* the first one reads tables of the kernels in front of it, the others only positions */
        a.overlap = k > 0 && s->program->capability >= 90;
        a.ahead = k;
        TORRE_TRY(queue_force(s, &a, false));
        s->x_now = 1 - s->x_now;
        if (s->dissipates) s->v_now = 1 - s->v_now;
    }
    if (s->dissipates && steps)
        TORRE_CUDA_TRY(s->kernels->state->clock(s->control, steps, s->stream), "counting steps");
    return TORRE_OK;
}

/* Forces, the second half of the step (kick 0: none), thermostat and sums. */
static torre_status queue_sums(md_cuda_solver *s, double kick)
{
    md_force_args a = force_args(s);
    a.kick = kick;
    if (kick == 0) s->kernels->pair->make(s->problem, 0, a.pair);
    TORRE_TRY(queue_force(s, &a, true));
    if (s->dissipates)
        TORRE_CUDA_TRY(
            cudaMemcpyAsync(a.v, a.v_out,
                            4 * (size_t)s->kernels->state->state_bytes * (size_t)s->problem->count,
                            cudaMemcpyDeviceToDevice, s->stream),
            "computing forces");
    TORRE_CUDA_TRY(md_total(s->partial, force_rows(s), s->total, s->stream), "adding up energies");
    return has_thermostat(s) && kick != 0 ? queue_thermostat(s, true, 0) : TORRE_OK;
}

static torre_status queue_segment(md_cuda_solver *s, bool build, bool sort, int steps, bool timed)
{
    if (timed) TORRE_CUDA_TRY(cudaEventRecord(s->event[0], s->stream), "timing");
    if (build) TORRE_TRY(md_cuda_queue_sort(s, sort, 0.5 * s->problem->dt));
    if (timed) TORRE_CUDA_TRY(cudaEventRecord(s->event[1], s->stream), "timing");
    if (build) TORRE_TRY(md_cuda_queue_list(s, NULL, 0));
    if (timed) TORRE_CUDA_TRY(cudaEventRecord(s->event[2], s->stream), "timing");
    TORRE_TRY(queue_steps(s, steps));
    if (timed) TORRE_CUDA_TRY(cudaEventRecord(s->event[3], s->stream), "timing");
    return TORRE_OK;
}

static bool graph_matches(const md_cuda_solver *s, const md_graph *g, bool build, bool sort,
                          int steps)
{
    return g->used && g->build == build && g->sort == sort && g->steps == steps &&
           g->x_now == s->x_now && g->v_now == s->v_now && g->id_now == s->id_now &&
           g->permuted == s->permuted;
}

void md_cuda_graphs_free(md_cuda_solver *s)
{
    for (int k = 0; k < MD_GRAPHS; k++) {
        if (s->graphs[k].used) cudaGraphExecDestroy(s->graphs[k].exec);
        s->graphs[k].used = false;
    }
}

/* Record a segment as a graph, without running it; s is as after the segment. */
static torre_status record_graph(md_cuda_solver *s, bool build, bool sort, int steps, md_graph *g)
{
    cudaGraph_t graph;
    TORRE_CUDA_TRY(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal),
                   "recording steps");
    torre_status status = queue_segment(s, build, sort, steps, false);
    cudaError_t error = cudaStreamEndCapture(s->stream, &graph);
    if (status) return status;
    TORRE_CUDA_TRY(error, "recording steps");
    error = cudaGraphInstantiate(&g->exec, graph, 0);
    cudaGraphDestroy(graph);
    TORRE_CUDA_TRY(error, "recording steps");
    g->used = true;
    return TORRE_OK;
}

/* The same as queue_segment, from a recorded graph. */
static torre_status replay_segment(md_cuda_solver *s, bool build, bool sort, int steps)
{
    for (int k = 0; k < MD_GRAPHS; k++) {
        md_graph *g = &s->graphs[k];
        if (!graph_matches(s, g, build, sort, steps)) continue;
        TORRE_CUDA_TRY(cudaGraphLaunch(g->exec, s->stream), "starting steps");
        s->x_now ^= (build ? 1 : 0) ^ (has_thermostat(s) ? 0 : steps & 1);
        s->v_now ^= (build ? 1 : 0) ^ (s->dissipates ? steps & 1 : 0);
        s->id_now ^= build ? 1 : 0;
        if (build) s->permuted = !sort;
        return TORRE_OK;
    }
    md_graph *g = &s->graphs[s->graph_next];
    s->graph_next = (s->graph_next + 1) % MD_GRAPHS;
    if (g->used) cudaGraphExecDestroy(g->exec);
    *g = (md_graph){.build = build,
                    .sort = sort,
                    .steps = steps,
                    .x_now = s->x_now,
                    .v_now = s->v_now,
                    .id_now = s->id_now,
                    .permuted = s->permuted};
    TORRE_TRY(record_graph(s, build, sort, steps, g));
    TORRE_CUDA_TRY(cudaGraphLaunch(g->exec, s->stream), "starting steps");
    return TORRE_OK;
}

static torre_status note_build(md_cuda_solver *s, int64_t step, bool sort)
{
    if (s->record_count == s->record_room) {
        int room = s->record_room ? 2 * s->record_room : 64;
        void *more = realloc(s->records, (size_t)room * sizeof *s->records);
        if (!more) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %d records", room);
        s->records = more;
        s->record_room = room;
    }
    /* sorting flips all buffers */
    s->records[s->record_count++] = (md_build_record){.step = step,
                                                      .last_build = s->last_build,
                                                      .drifts = s->drifts,
                                                      .x_now = 1 - s->x_now,
                                                      .v_now = 1 - s->v_now,
                                                      .id_now = 1 - s->id_now,
                                                      .permuted = !sort};
    return TORRE_OK;
}

/* step: of the last drift; clock: of the positions. */
torre_status md_cuda_clear_control(md_cuda_solver *s, int64_t step, int64_t clock)
{
    md_control clear = {.bad_id = UINT32_MAX,
                        .built = (uint32_t)(s->last_build - step),
                        .last = MD_NO_STOP,
                        .step = (uint64_t)step,
                        .clock = (uint64_t)clock};
    s->drifts = s->confirmed = 0;
    s->record_count = 0;
    memcpy(s->pinned, &clear, sizeof clear);
    /* `moved` outlives this: it belongs to the last rebuild, and is recomputed before use */
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(s->control, s->pinned, sizeof clear, cudaMemcpyHostToDevice, s->stream),
        "clearing the control block");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "clearing the control block");
    return TORRE_OK;
}

/* Of the timed segment, which has ended: so many of its steps were done. */
static torre_status collect_timing(md_cuda_solver *s, int64_t steps)
{
    for (int k = 0; s->timing && k < 3; k++) {
        float ms;
        TORRE_CUDA_TRY(cudaEventElapsedTime(&ms, s->event[k], s->event[k + 1]), "timing");
        s->sampled[k] += 1e-3 * ms;
    }
    s->sampled_builds += s->timing > 0;
    s->sampled_steps += steps;
    s->timing = 0;
    return TORRE_OK;
}

torre_status md_cuda_read_control(md_cuda_solver *s, md_control *control, double total[2 * MD_SUMS])
{
    char *host = s->pinned;
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(host, s->control, sizeof *control, cudaMemcpyDeviceToHost, s->stream),
        "reading results");
    TORRE_CUDA_TRY(cudaMemcpyAsync(host + sizeof *control, s->total, 2 * MD_SUMS * sizeof(double),
                                   cudaMemcpyDeviceToHost, s->stream),
                   "reading results");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "computing steps");
    memcpy(control, host, sizeof *control);
    if (control->error) s->timing = 0; /* what was timed may have stopped at once */
    TORRE_TRY(collect_timing(s, s->timing));
    memcpy(total, host + sizeof *control, 2 * MD_SUMS * sizeof(double));
    return TORRE_OK;
}

/* Whether the lists are to be rebuilt at the positions of this step; waits in check mode. */
static torre_status is_due(md_cuda_solver *s, int64_t step, bool *due)
{
    const torre_md_plan *plan = s->plan;
    *due = step % plan->rebuild_every == 0;
    if (!*due || !plan->rebuild_check) return TORRE_OK;
    md_control control;
    double total[2 * MD_SUMS];
    TORRE_CUDA_TRY(s->kernels->state->moved(s->control, (int)s->problem->count, s->x[s->x_now],
                                            s->x_built, s->stream),
                   "measuring displacements");
    TORRE_TRY(md_cuda_read_control(s, &control, total));
    float moved;
    memcpy(&moved, &control.moved, sizeof moved);
    *due = control.error || !(moved <= plan->skin * plan->skin / 4);
    if (*due && step - s->last_build <= plan->rebuild_every) s->counts.dangerous_builds++;
    return TORRE_OK;
}

static torre_status run_segment(md_cuda_solver *s, int64_t step, bool build, int steps)
{
    const torre_md_plan *plan = s->plan;
    bool sort = build && plan->sort_every != TORRE_MD_NEVER &&
                (s->last_sort < 0 || step - s->last_sort >= plan->sort_every);
    if (build) {
        TORRE_TRY(note_build(s, step, sort));
        s->last_build = step;
        if (sort) s->last_sort = step;
        s->counts.builds++;
        s->counts.sorts += sort;
    }
    bool timed = build && steps && !s->timing && s->segments++ % SAMPLE_EVERY == 1;
    if (timed) s->timing = steps;
    if (timed || (!build && steps < 2))
        TORRE_TRY(queue_segment(s, build, sort, steps, timed));
    else
        TORRE_TRY(replay_segment(s, build, sort, steps));
    s->drifts += (uint32_t)steps;
    return TORRE_OK;
}

torre_status md_cuda_unstable(md_cuda_solver *s, int64_t step)
{
    int64_t count = s->problem->count;
    md_control control;
    double total[2 * MD_SUMS];
    TORRE_TRY(md_cuda_read_control(s, &control, total));
    const char *what = control.error & MD_ERROR_FORCE  ? "feels a force out of all range"
                       : control.error & MD_ERROR_JUMP ? "crossed the box between two rebuilds"
                                                       : "has a position that is not finite";
    long long id = control.bad_id == UINT32_MAX ? -1 : (long long)control.bad_id;
    if (id < 0) { /* the sums were not finite: look for a particle that is not */
        double *v[3] = {malloc((size_t)count * 8), malloc((size_t)count * 8),
                        malloc((size_t)count * 8)};
        if (v[0] && v[1] && v[2] && !s->base.backend->get_particles(&s->base, NULL, v)) {
            for (int64_t i = 0; i < count && id < 0; i++)
                if (!isfinite(v[0][i] + v[1][i] + v[2][i])) id = i;
        }
        for (int a = 0; a < 3; a++) free(v[a]);
        what = "has a velocity that is not finite";
    }
    if (id < 0)
        return torre_fail(TORRE_ERR_UNSTABLE,
                          "step %lld: the energy is not finite; use a smaller {dt}",
                          (long long)step);
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: particle %lld %s; use a smaller {dt}, or check for overlapping "
                      "particles",
                      (long long)step, id + 1, what);
}

void md_cuda_note_crowding(md_cuda_solver *s, const md_control *control)
{
    const md_layout *l = &s->layout;
    md_crowding *c = &s->crowding;
    if (control->error & MD_ERROR_STAGED)
        c->staged = fmax(c->staged, 1.03 * control->need_staged / l->staged_mean);
    if (control->error & MD_ERROR_LANES)
        c->lanes = fmax(c->lanes, control->need_lanes / l->lanes_mean);
    if (control->error & MD_ERROR_LIST)
        c->entries = fmax(c->entries, control->need_entries / l->entries_mean);
}

/* Make room for what the device asked for, and go back to the rebuild that failed. */
static torre_status repair(md_cuda_solver *s, const md_control *control, int64_t *step)
{
    if (control->error & (MD_ERROR_NOT_FINITE | MD_ERROR_JUMP | MD_ERROR_FORCE))
        return md_cuda_unstable(s, *step - (int64_t)(s->drifts - control->done));
    int r = s->record_count - 1;
    while (r > 0 && s->records[r].drifts != control->done) r--;
    if (r < 0)
        return torre_fail(TORRE_ERR_RESOURCE, "the cuda backend lost track of its steps (error %u)",
                          control->error);
    md_build_record back = s->records[r];
    md_cuda_note_crowding(s, control);
    s->x_now = back.x_now;
    s->v_now = back.v_now;
    s->id_now = back.id_now;
    s->permuted = back.permuted;
    s->last_build = back.last_build;
    s->counts.builds -= s->record_count - r;
    *step = back.step;
    md_cuda_graphs_free(s);
    TORRE_TRY(md_layout_choose(s->problem, s->plan, &s->program->limits, &s->program->wish,
                               &s->crowding, &s->layout));
    TORRE_TRY(md_cuda_tables(s));
    TORRE_TRY(md_cuda_lists(s, s->layout.brick_count));
    return md_cuda_clear_control(s, *step, *step);
}

/*
 * Where displacements are looked at in every step, the device stops behind the step after which the
 * lists are too old, and the host learns of it later. Lists are given a number of steps that the
 * last ones suggest, and made anew behind them in any case: so the next lists and their steps can
 * be queued while these are still under way, and the device need not wait. When they are made
 * depends on the particles alone, not on what is known when.
 */

/* Steps that were queued and are not yet known to be done. */
typedef struct segment {
    int steps;     /* 0: nothing was queued, but there may have been a drift */
    bool queued;   /* whether this is one */
    bool whole;    /* to the end of its lists */
    bool timed;    /* its events are to be read */
    int slot;      /* of s->looked */
    int64_t built; /* step of its lists */
    int64_t limit; /* and how many steps these are for at most */
} segment;

static int64_t limit_after(int64_t interval) { return interval ? interval + 1 : FIRST_GUESS; }

/* Queue steps from `step` on, to the end of the lists or to target; build: with new lists for
 * `limit` steps. */
static torre_status queue_look(md_cuda_solver *s, int64_t step, int64_t target, bool build,
                               int64_t limit, int slot, segment *g)
{
    int64_t end = (build ? step : s->last_build) + limit;
    if (end > step + GRAPH_STEPS) end = step + GRAPH_STEPS;
    if (end > target) end = target;
    const bool untimed = !s->timing;
    *g = (segment){.steps = (int)(end - step), .queued = true, .slot = slot, .limit = limit};
    if (build || g->steps) TORRE_TRY(run_segment(s, step, build, g->steps));
    g->timed = untimed && s->timing;
    g->built = s->last_build;
    g->whole = end == g->built + limit;
    TORRE_CUDA_TRY(cudaMemcpyAsync(&s->looked[slot], s->control, sizeof *s->looked,
                                   cudaMemcpyDeviceToHost, s->stream),
                   "reading results");
    TORRE_CUDA_TRY(cudaEventRecord(s->look[slot], s->stream), "reading results");
    return TORRE_OK;
}

/* Lists that were made at g->built are too old at `step`. */
static void end_lists(md_cuda_solver *s, const segment *g, int64_t step, bool stopped)
{
    int64_t age = step - g->built;
    if (stopped && age == 1) s->counts.dangerous_builds++;
    s->stopped |= stopped;
    s->interval[1] = s->interval[0];
    s->interval[0] = stopped ? age : s->stopped ? age + 2 : 2 * age; /* good for more than age */
}

/*
 * Wait for g: *step becomes the one that it came to, *due whether its lists are too old there.
 * next: what was queued behind it, which began there.
 */
static torre_status confirm(md_cuda_solver *s, const segment *g, segment *next, int64_t *step,
                            bool *due, bool *failed)
{
    TORRE_CUDA_TRY(cudaEventSynchronize(s->look[g->slot]), "computing steps");
    const md_control *control = &s->looked[g->slot];
    *failed = control->error;
    if (*failed) {
        s->timing = 0;
        *step += (int64_t)(s->drifts - s->confirmed);
        return TORRE_OK;
    }
    const int done = (int)(control->done - s->confirmed), undone = g->steps - done;
    const bool stopped = control->last != MD_NO_STOP;
    s->confirmed = control->done;
    s->drifts -= (uint32_t)undone;
    *step += done;
    *due = stopped || *step >= g->built + g->limit;
    if (*due) end_lists(s, g, *step, stopped);
    if (next->queued) {
        s->records[s->record_count - 1].step = *step;
        s->records[s->record_count - 1].drifts = control->done;
        if (s->last_sort == s->last_build) s->last_sort = *step;
        s->last_build = next->built = *step;
        s->limit = next->limit;
    }
    return g->timed ? collect_timing(s, done) : TORRE_OK;
}

/* Queue the steps from *step to target, rebuilding where due, and at target where that is due, too.
 * failed: the device stopped in a rebuild. */
static torre_status look_to(md_cuda_solver *s, int64_t *step, int64_t target, bool due,
                            bool *failed)
{
    const int64_t sort_every = s->plan->sort_every;
    const bool foresee = sort_every <= 1; /* the same sorts whatever the steps; or never */
    segment now = {0}, next = {0};
    bool known = due;
    *failed = false;
    while (!*failed && (*step < target || !known)) {
        if (!now.queued) {
            if (due) s->limit = limit_after(s->interval[1]);
            TORRE_TRY(queue_look(s, *step, target, due, s->limit, 0, &now));
        }
        if (now.whole && foresee && *step + now.steps < target)
            TORRE_TRY(queue_look(s, *step + now.steps, target, true, limit_after(s->interval[0]),
                                 1 - now.slot, &next));
        TORRE_TRY(confirm(s, &now, &next, step, &due, failed));
        known = true;
        now = next;
        next = (segment){0};
    }
    if (*failed || !due) return TORRE_OK;
    s->limit = limit_after(s->interval[1]);
    return run_segment(s, *step, true, 0);
}

/* The same where lists are made or checked every rebuild_every steps. */
static torre_status queue_to(md_cuda_solver *s, int64_t *step, int64_t target, bool due)
{
    const int64_t every = s->plan->rebuild_every;
    while (*step < target) {
        if (!due) TORRE_TRY(is_due(s, *step, &due));
        int64_t until = *step + every - *step % every;
        if (until > target) until = target;
        if (until > *step + GRAPH_STEPS) until = *step + GRAPH_STEPS;
        TORRE_TRY(run_segment(s, *step, due, (int)(until - *step)));
        *step = until;
        due = false;
    }
    if (!due) TORRE_TRY(is_due(s, *step, &due));
    return due ? run_segment(s, *step, true, 0) : TORRE_OK;
}

static void keep_sums(md_cuda_solver *s, const double total[2 * MD_SUMS], bool thermostat)
{
    const torre_md_problem *p = s->problem;
    double inside = total[MD_SUM_INSIDE] / 2, pairs = total[MD_SUM_TESTED];
    const double *after = thermostat ? total + MD_SUMS : total;
    s->sums = (torre_md_sums){
        .kinetic = 0.5 * p->mass * after[MD_SUM_SPEED_SQ],
        .potential = 0.5 * total[MD_SUM_POTENTIAL],
        .potential_shift = s->kernels->pair->shift(p) * inside,
        .virial = 0.5 * total[MD_SUM_VIRIAL],
        .contacts = inside,
        .lost = p->mass * total[MD_SUM_LOST],
        .momentum = {p->mass * after[MD_SUM_VX], p->mass * after[MD_SUM_VY],
                     p->mass * after[MD_SUM_VZ]},
        .neighbors = pairs / (double)p->count,
    };
}

/* Steps between `step`, whose positions are there, and the forces of `target`. */
static torre_status run_to(md_cuda_solver *s, int64_t step, int64_t target, bool build_first,
                           double last_kick)
{
    for (;;) {
        bool failed = false;
        md_control control;
        double total[2 * MD_SUMS];
        if (looks_each_step(s))
            TORRE_TRY(look_to(s, &step, target, build_first, &failed));
        else
            TORRE_TRY(queue_to(s, &step, target, build_first));
        if (!failed) TORRE_TRY(queue_sums(s, last_kick));
        TORRE_TRY(md_cuda_read_control(s, &control, total));
        if (control.error) {
            TORRE_TRY(repair(s, &control, &step));
            build_first = true;
            continue;
        }
        keep_sums(s, total, has_thermostat(s) && last_kick != 0);
        s->step = target;
        if (!isfinite(s->sums.kinetic + s->sums.potential + s->sums.virial))
            return md_cuda_unstable(s, target);
        return TORRE_OK;
    }
}

torre_status md_cuda_start(md_cuda_solver *s)
{
    s->last_sort = -1;
    s->last_build = s->limit = s->interval[0] = s->interval[1] = 0;
    s->stopped = false;
    s->permuted = s->plan->sort_every == TORRE_MD_NEVER;
    TORRE_TRY(md_cuda_clear_control(s, 0, 0));
    return run_to(s, 0, 0, true, 0);
}

torre_status md_cuda_advance(md_cuda_solver *s, int64_t steps)
{
    if (steps <= 0) return TORRE_OK;
    double start = now_seconds();
    TORRE_TRY(md_cuda_clear_control(s, s->step, s->step + 1));
    md_force_args a = force_args(s);
    a.x_out = s->x[s->x_now];
    a.ahead = -1;
    TORRE_CUDA_TRY(s->kernels->state->drift(&a, s->stream), "moving particles");
    s->drifts++;
    s->confirmed++;
    TORRE_TRY(run_to(s, s->step + 1, s->step + steps, false, a.kick));
    s->steps_done += steps;
    s->loop_seconds += now_seconds() - start;
    return TORRE_OK;
}
