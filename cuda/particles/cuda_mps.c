/*
 * The moving-particle method (mps.h) on the cuda backend. A step queues three sweeps over the same
 * neighbour lists. These are rebuilt, at the positions between Proc 2 and 3, before a particle can
 * have moved half the skin: the host reads how far they went and how fast they are, and does not
 * ask again before that can have changed enough.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "md_cuda_solver.h"
#include "particles/mps_measure.h"

#define DEFAULT_SKIN 0.35   /* of the spacing */
#define SLACK        0.1    /* of half the skin, for Proc 5, which moves on after this is checked */
#define GROWTH       1.25   /* how much faster the fastest may become before the next look */
#define FEW          200000 /* particles that leave the device empty with a thread each */
#define SAMPLE_EVERY 17     /* steps between those timed by phase; no multiple of a rebuild's */

enum { ROW_BYTES = (MPS_ROW_BLOCKS + 1) * sizeof(mps_row_sums) };
enum { REGION_BYTES = MPS_REGIONS * sizeof(torre_mps_region) };
enum { TIME_VISCOSITY, TIME_SORT, TIME_DENSITY, TIME_GRADIENT, TIMES };

typedef struct fluid {
    torre_mps_constants constants;
    uint32_t *fastest;         /* device */
    mps_row_sums *row;         /* device, [MPS_ROW_BLOCKS + 1] */
    torre_mps_region *regions; /* device, [MPS_REGIONS] */
    uint32_t *found;           /* device */
    int64_t next_look;
    uint32_t resumed[2];   /* to go on with: *fastest, and control->moved */
    double sampled[TIMES]; /* seconds of the timed steps by phase */
    int64_t steps_sampled;
    cudaEvent_t event[TIMES + 1];
} fluid;

static fluid *own(const md_cuda_solver *s) { return s->own; }

static torre_status plan(md_cuda_program *program)
{
    const torre_md_problem *p = program->base.problem;
    const double depth = p->dimensions == 3 ? p->box[2] : p->mps.spacing;
    torre_md_plan *plan = &program->base.info.plan;
    if (plan->neighbor && plan->neighbor != TORRE_NEIGHBOR_FULL)
        return torre_fail(TORRE_ERR_USAGE, "{neighbor} %s: the cuda backend has only full for mps",
                          torre_neighbor_name(plan->neighbor));
    plan->neighbor = TORRE_NEIGHBOR_FULL;
    if (p->mps.gate_count)
        return torre_fail(TORRE_ERR_USAGE, "{gate}: only the cpu backend moves one: {backend} cpu");
    if (plan->skin == 0) {
        plan->skin = DEFAULT_SKIN * p->mps.spacing;
        torre_md_program_because(&program->base, "skin: %g spacings", DEFAULT_SKIN);
    }
    plan->rebuild_check = plan->rebuild_every == 0;
    if (plan->bin_stencil == TORRE_STENCIL_AUTO) plan->bin_stencil = TORRE_STENCIL_SPHERICAL;
    program->wish.lanes_per_place = p->count < FEW ? 4 : 1;
    torre_md_program_because(&program->base, "%d lanes a particle: %s than %d particles",
                             program->wish.lanes_per_place, p->count < FEW ? "fewer" : "no fewer",
                             FEW);
    /* as many as there would be if the box were full of them */
    program->filling = (int64_t)ceil(p->box[0] * p->box[1] * depth / pow(p->mps.spacing, 3));
    return TORRE_OK;
}

static torre_status allocate(md_cuda_solver *s)
{
    fluid *o = s->own = calloc(1, sizeof *o);
    if (!o) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the solver");
    o->constants = torre_mps_constants_of(s->problem);
    TORRE_CUDA_TRY(cudaMalloc((void **)&o->fastest, sizeof *o->fastest), "particles");
    TORRE_CUDA_TRY(cudaMalloc((void **)&o->row, ROW_BYTES), "rows of the table");
    TORRE_CUDA_TRY(cudaMalloc((void **)&o->regions, REGION_BYTES), "places of gauges");
    TORRE_CUDA_TRY(cudaMalloc((void **)&o->found, sizeof *o->found), "places of gauges");
    for (int k = 0; k <= TIMES; k++) TORRE_CUDA_TRY(cudaEventCreate(&o->event[k]), "a timer");
    return TORRE_OK;
}

static void release(md_cuda_solver *s)
{
    fluid *o = s->own;
    if (!o) return;
    cudaFree(o->fastest);
    cudaFree(o->row);
    cudaFree(o->regions);
    cudaFree(o->found);
    for (int k = 0; k <= TIMES; k++)
        if (o->event[k]) cudaEventDestroy(o->event[k]);
    free(o);
}

static torre_status unstable(md_cuda_solver *s, const char *what)
{
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: %s; use a smaller {dt} or a larger {sound_speed}",
                      (long long)s->step, what);
}

/* Which particle is not finite, or the fastest. */
static torre_status report_runaway(md_cuda_solver *s)
{
    const int64_t count = s->problem->count;
    double *v[3] = {malloc((size_t)count * 8), malloc((size_t)count * 8),
                    malloc((size_t)count * 8)};
    double most = -1;
    int64_t worst = 0;
    if (v[0] && v[1] && v[2] && !md_cuda_download(s, s->v[s->v_now], NULL, v, 3)) {
        for (int64_t i = 0; i < count && most < INFINITY; i++) {
            double square = v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i];
            if (square <= most) continue;
            most = isnan(square) ? INFINITY : square;
            worst = i;
        }
    }
    for (int a = 0; a < 3; a++) free(v[a]);
    char text[128];
    snprintf(text, sizeof text, "particle %lld moves at %.3g m/s, faster than the sound speed %.3g",
             (long long)worst + 1, sqrt(most), s->problem->mps.sound_speed);
    return unstable(s, text);
}

/* Sort into bins and build lists; makes room and tries again where one holds more than expected. */
static torre_status rebuild(md_cuda_solver *s)
{
    const bool sort = md_cuda_sort_is_due(s, s->step);
    for (;;) {
        md_control control;
        double total[2 * MD_SUMS];
        TORRE_TRY(md_cuda_queue_sort(s, sort, 0, 0));
        TORRE_TRY(md_cuda_queue_list(s));
        TORRE_TRY(md_cuda_read_control(s, &control, total));
        s->counts.builds++;
        s->counts.sorts += sort;
        s->last_build = s->step;
        if (sort) s->last_sort = s->step;
        if (!control.error) return TORRE_OK;
        md_cuda_other_buffers(s); /* what was sorted is still there */
        s->permuted = true;
        if (control.error & ~(MD_ERROR_STAGED | MD_ERROR_LANES | MD_ERROR_LIST))
            return report_runaway(s);
        TORRE_TRY(md_cuda_enlarge(s, &control, s->step));
        TORRE_TRY(md_cuda_clear_control(s, s->step, s->step));
    }
}

static torre_status queue_sweep(md_cuda_solver *s, mps_sweep sweep)
{
    void **velocity = &s->v[s->v_now];
    mps_sweep_args a = {.tiles = md_cuda_tiles(s),
                        .box = md_cuda_box(s),
                        .x_in = s->x[s->x_now],
                        .v_in = *velocity,
                        .x_out = s->x[1 - s->x_now],
                        .v_out = sweep == MPS_VISCOSITY ? s->f : *velocity,
                        .x_built = s->x_built,
                        .id = s->id[s->id_now],
                        .fluid = (int)s->problem->mps.fluid,
                        .wall = (int)s->problem->mps.wall,
                        .constants = own(s)->constants,
                        .fastest = own(s)->fastest,
                        .active = s->active,
                        .active_count = s->active_count,
                        .lanes_per_place = s->layout.lanes_per_place,
                        .block = s->layout.block};
    TORRE_CUDA_TRY(s->kernels->mps(sweep, &a, s->stream), "computing a sweep");
    if (sweep != MPS_COLLISION) s->x_now = 1 - s->x_now;
    if (sweep == MPS_VISCOSITY) { /* others read the old velocities meanwhile */
        void *old = *velocity;
        *velocity = s->f;
        s->f = old;
    }
    return TORRE_OK;
}

static torre_status mark(md_cuda_solver *s, bool timed, int event)
{
    if (timed) TORRE_CUDA_TRY(cudaEventRecord(own(s)->event[event], s->stream), "timing");
    return TORRE_OK;
}

/* Whether bins are to be rebuilt at the positions that Proc 2 has left; may wait for the device. */
static torre_status is_due(md_cuda_solver *s, bool *due)
{
    const torre_md_plan *plan = s->plan;
    *due = !plan->rebuild_check && s->step - s->last_build >= plan->rebuild_every;
    if (!plan->rebuild_check && s->step % 64) return TORRE_OK;
    if (plan->rebuild_check && s->step < own(s)->next_look) return TORRE_OK;
    uint32_t bits;
    md_control control;
    double total[2 * MD_SUMS];
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(&bits, own(s)->fastest, sizeof bits, cudaMemcpyDeviceToHost, s->stream),
        "reading results");
    TORRE_TRY(md_cuda_read_control(s, &control, total));
    float moved, fastest;
    memcpy(&moved, &control.moved, sizeof moved);
    memcpy(&fastest, &bits, sizeof fastest);
    TORRE_CUDA_TRY(cudaMemsetAsync(own(s)->fastest, 0, sizeof bits, s->stream), "clearing results");
    if (!(sqrt(fastest) < s->problem->mps.sound_speed)) return report_runaway(s);
    if (!plan->rebuild_check) return TORRE_OK;
    double limit = 0.5 * (1 - SLACK) * plan->skin;
    double per_step =
        GROWTH * fmax(sqrt(fastest), 0.01 * s->problem->mps.sound_speed) * s->problem->dt;
    double left = (limit - sqrt(moved)) / per_step;
    *due = left < 1; /* the next step could go too far */
    if (*due && sqrt(moved) > limit) s->counts.dangerous_builds++;
    double ahead = *due ? limit / per_step : left;
    /* halfway: at an impact the fastest becomes faster than that within a few steps */
    own(s)->next_look = s->step + (int64_t)fmax(1, floor(ahead / 2));
    return TORRE_OK;
}

static torre_status one_step(md_cuda_solver *s, bool timed)
{
    bool due;
    s->step++;
    TORRE_TRY(mark(s, timed, 0));
    TORRE_TRY(queue_sweep(s, MPS_VISCOSITY));
    TORRE_TRY(mark(s, timed, 1));
    TORRE_TRY(is_due(s, &due));
    if (due) TORRE_TRY(rebuild(s));
    TORRE_TRY(mark(s, timed, 2));
    TORRE_TRY(queue_sweep(s, MPS_DENSITY));
    TORRE_TRY(mark(s, timed, 3));
    TORRE_TRY(queue_sweep(s, MPS_GRADIENT));
    return mark(s, timed, 4);
}

static torre_status collect_times(md_cuda_solver *s)
{
    TORRE_CUDA_TRY(cudaEventSynchronize(own(s)->event[TIMES]), "timing");
    for (int k = 0; k < TIMES; k++) {
        float ms;
        TORRE_CUDA_TRY(cudaEventElapsedTime(&ms, own(s)->event[k], own(s)->event[k + 1]), "timing");
        own(s)->sampled[k] += 1e-3 * ms;
    }
    own(s)->steps_sampled++;
    return TORRE_OK;
}

static torre_status advance(md_cuda_solver *s, int64_t steps)
{
    for (int64_t n = 0; n < steps; n++) {
        bool timed = s->step % SAMPLE_EVERY == SAMPLE_EVERY - 1;
        TORRE_TRY(one_step(s, timed));
        if (timed) TORRE_TRY(collect_times(s));
    }
    md_control control;
    double total[2 * MD_SUMS];
    TORRE_TRY(md_cuda_read_control(s, &control, total));
    return control.error ? report_runaway(s) : TORRE_OK;
}

static torre_status begin(md_cuda_solver *s)
{
    fluid *o = own(s);
    TORRE_CUDA_TRY(cudaMemset(o->fastest, 0, sizeof *o->fastest), "clearing results");
    o->next_look = 0;
    TORRE_TRY(md_cuda_clear_control(s, 0, 0));
    TORRE_TRY(rebuild(s));
    TORRE_TRY(queue_sweep(s, MPS_DENSITY));
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "computing number densities");
    memset(o->sampled, 0, sizeof o->sampled);
    o->steps_sampled = 0;
    return TORRE_OK;
}

static uint32_t *moved_of(const md_cuda_solver *s)
{
    return (uint32_t *)((char *)s->control + offsetof(md_control, moved));
}

static torre_status state(md_cuda_solver *s, torre_md_visit *visit, void *context)
{
    static const char what[] = "reading results";
    fluid *o = own(s);
    const size_t each = sizeof o->resumed[0];
    TORRE_CUDA_TRY(cudaMemcpy(&o->resumed[0], o->fastest, each, cudaMemcpyDeviceToHost), what);
    TORRE_CUDA_TRY(cudaMemcpy(&o->resumed[1], moved_of(s), each, cudaMemcpyDeviceToHost), what);
    TORRE_TRY(visit(context, "next_look", &o->next_look, sizeof o->next_look));
    return visit(context, "moved", o->resumed, sizeof o->resumed);
}

static torre_status resume(md_cuda_solver *s)
{
    static const char what[] = "sending particles to the device";
    fluid *o = own(s);
    const size_t each = sizeof o->resumed[0];
    TORRE_CUDA_TRY(cudaMemcpy(o->fastest, &o->resumed[0], each, cudaMemcpyHostToDevice), what);
    TORRE_CUDA_TRY(cudaMemcpy(moved_of(s), &o->resumed[1], each, cudaMemcpyHostToDevice), what);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), what);
    return TORRE_OK;
}

/* The fourth component of a position is c^2 rho (n/n0 - 1), that of a velocity what the sweep of
 * collisions leaves there. */
static torre_status get_fields(md_cuda_solver *s, const torre_md_fields *fields)
{
    const int64_t count = s->problem->count;
    if (fields->collision) TORRE_TRY(queue_sweep(s, MPS_COLLISION));
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "reading particles from the device");
    double *const energy[4] = {NULL, NULL, NULL, fields->collision};
    if (fields->collision) TORRE_TRY(md_cuda_download(s, s->v[s->v_now], NULL, energy, 4));
    if (!fields->pressure && !fields->number_density) return TORRE_OK;
    double *excess = malloc((size_t)count * sizeof *excess);
    if (!excess) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for pressures");
    double *const to[4] = {NULL, NULL, NULL, excess};
    torre_status status = md_cuda_download(s, s->x[s->x_now], NULL, to, 4);
    for (int64_t i = 0; !status && i < count; i++) {
        if (fields->pressure) fields->pressure[i] = excess[i] < 0 ? 0 : excess[i];
        if (fields->number_density)
            fields->number_density[i] =
                own(s)->constants.n0 * (1 + excess[i] / own(s)->constants.stiffness);
    }
    free(excess);
    return status;
}

static torre_status row(md_cuda_solver *s, const torre_mps_measure *m, torre_mps_row *row)
{
    const torre_md_problem *p = s->problem;
    const torre_mps_norms *norms = &m->norms;
    const double c = p->mps.sound_speed, mass = p->mps.density * pow(p->mps.spacing, p->dimensions);
    TORRE_TRY(queue_sweep(s, MPS_COLLISION));
    mps_row_args a = {.x = s->x[s->x_now],
                      .v = s->v[s->v_now],
                      .id = s->id[s->id_now],
                      .count = p->count,
                      .fluid = (int)p->mps.fluid,
                      .wall = (int)p->mps.wall,
                      .spacing = p->mps.spacing,
                      .stiffness = own(s)->constants.stiffness,
                      .stored = p->dimensions * norms->n0 / norms->n_grad * c * c / 2,
                      .surface = p->mps.surface};
    for (int d = 0; d < 3; d++) {
        a.box[d] = p->box[d];
        a.low[d] = m->low[d];
        a.high[d] = m->high[d];
    }
    mps_row_sums sums;
    TORRE_CUDA_TRY(mps_row(s->kernels->state->state_bytes, &a, own(s)->row, s->stream),
                   "adding up a row");
    TORRE_CUDA_TRY(cudaMemcpyAsync(&sums, own(s)->row + MPS_ROW_BLOCKS, sizeof sums,
                                   cudaMemcpyDeviceToHost, s->stream),
                   "reading a row");
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "reading a row");
    row->kinetic = mass * sums.kinetic;
    row->potential = mass * p->mps.gravity * sums.height;
    row->elastic = mass * sums.elastic;
    for (int d = 0; d < 3; d++) row->momentum[d] = mass * sums.momentum[d];
    row->surface = p->mps.fluid - (int64_t)sums.inner;
    row->compression = sums.inner > 0 ? sums.compression / sums.inner : 0;
    row->speed = sqrt(sums.square);
    row->pressure = sums.pressure;
    row->front = sums.front;
    row->excursion = sums.excursion / p->mps.spacing;
    return TORRE_OK;
}

/* Found particles, quads and ids of them on the host, to their ids. */
static void put_near(const md_cuda_solver *s, const char *quads, const int *ids,
                     torre_mps_near *near)
{
    const bool single = s->kernels->state->state_bytes == 4;
    for (int64_t k = 0; k < near->count; k++) {
        double r[4];
        for (int a = 0; a < 4; a++)
            r[a] = single ? ((const float *)(const void *)quads)[4 * k + a]
                          : ((const double *)(const void *)quads)[4 * k + a];
        const int id = ids[k];
        for (int a = 0; a < 3; a++) near->position[a][id] = md_cuda_wrapped(r[a], s->box[a]);
        near->pressure[id] = r[3] < 0 ? 0 : r[3];
        near->id[k] = id;
    }
}

/* The buffers that the next sweep and the next sort write have room for what is found. */
static torre_status near(md_cuda_solver *s, const torre_mps_region *regions, int count,
                         torre_mps_near *near)
{
    static const char what[] = "reading particles near gauges";
    const size_t quad = 4 * (size_t)s->kernels->state->state_bytes;
    mps_within_args a = {.x = s->x[s->x_now],
                         .id = s->id[s->id_now],
                         .x_out = s->x[1 - s->x_now],
                         .id_out = s->id[1 - s->id_now],
                         .found = own(s)->found,
                         .count = s->problem->count,
                         .regions = own(s)->regions,
                         .count_regions = count};
    uint32_t found;
    if (count > MPS_REGIONS)
        return torre_fail(TORRE_ERR_USAGE, "at most %d gauges (got %d)", MPS_REGIONS, count);
    memcpy(a.box, s->box, sizeof a.box);
    TORRE_CUDA_TRY(cudaMemcpyAsync(own(s)->regions, regions, (size_t)count * sizeof *regions,
                                   cudaMemcpyHostToDevice, s->stream),
                   what);
    TORRE_CUDA_TRY(mps_within(s->kernels->state->state_bytes, &a, s->stream), what);
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(&found, a.found, sizeof found, cudaMemcpyDeviceToHost, s->stream), what);
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), what);
    near->count = found;
    char *quads = malloc(found * quad + 1);
    int *ids = malloc(found * sizeof *ids + 1);
    cudaError_t error = quads && ids ? cudaSuccess : cudaErrorMemoryAllocation;
    if (!error) error = cudaMemcpy(quads, a.x_out, found * quad, cudaMemcpyDeviceToHost);
    if (!error) error = cudaMemcpy(ids, a.id_out, found * sizeof *ids, cudaMemcpyDeviceToHost);
    if (!error) put_near(s, quads, ids, near);
    free(quads);
    free(ids);
    return torre_cuda_status(error, what);
}

/* Phases in the proportions of the steps that were timed. */
static void times(const md_cuda_solver *s, torre_md_times *times)
{
    const int64_t timed = own(s)->steps_sampled;
    const double scale = timed ? (double)s->steps_done / (double)timed : 0;
    const double *sampled = own(s)->sampled;
    *times = (torre_md_times){.viscosity = scale * sampled[TIME_VISCOSITY],
                              .density = scale * sampled[TIME_DENSITY],
                              .gradient = scale * sampled[TIME_GRADIENT],
                              .sort = scale * sampled[TIME_SORT]};
    times->integrate = fmax(0, s->loop_seconds - times->viscosity - times->density -
                                   times->gradient - times->sort);
}

const md_cuda_method md_cuda_mps = {
    .sparse = true,
    /* fastest, row, regions, found */
    .own_bytes = 2 * sizeof(uint32_t) + ROW_BYTES + REGION_BYTES,
    .plan = plan,
    .allocate = allocate,
    .release = release,
    .begin = begin,
    .advance = advance,
    .state = state,
    .resume = resume,
    .get_fields = get_fields,
    .row = row,
    .near = near,
    .times = times,
};
