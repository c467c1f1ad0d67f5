/*
 * The moving-particle method on the cuda backend (md_cuda.c comes here), on the storage, sort and
 * tiles of the particle solver (md_cuda_solver.h). A step queues three sweeps over the same
 * neighbour lists. These are rebuilt, at the positions between Proc 2 and 3, before a particle can
 * have moved half the skin: the host reads how far they went and how fast they are, and does not
 * ask again before that can have changed enough.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "md_cuda_solver.h"
#include "particles/mps.h"

#define DEFAULT_SKIN 0.35   /* of the spacing */
#define SLACK        0.1    /* of half the skin, for Proc 5, which moves on after this is checked */
#define GROWTH       1.25   /* how much faster the fastest may become before the next look */
#define FEW          200000 /* particles that leave the device empty with a thread each */
#define SAMPLE_EVERY 17     /* steps between those timed by phase; no multiple of a rebuild's */

enum { TIME_VISCOSITY, TIME_SORT, TIME_DENSITY, TIME_GRADIENT, TIMES };

typedef struct mps_cuda_solver {
    torre_md_solver base;
    const torre_md_problem *problem;
    md_cuda_solver machine;
    torre_mps_constants constants;
    uint32_t *fastest; /* device */
    uint32_t *held;    /* device: bricks that hold particles */
    int *active;       /* device: [brick_count], the first of which are those */
    uint32_t active_count;
    int64_t last_build, next_look;
    double seconds, sampled[TIMES]; /* of all steps; of the timed ones by phase */
    int64_t steps_done, steps_sampled;
    cudaEvent_t event[TIMES + 1];
} mps_cuda_solver;

/* A problem of the same density everywhere: what the choice of bricks assumes. */
static torre_md_problem filled_problem(const torre_md_problem *p)
{
    torre_md_problem filled = *p;
    double volume = p->box[0] * p->box[1] * (p->dimensions == 3 ? p->box[2] : p->mps.spacing);
    filled.count = (int64_t)ceil(volume / pow(p->mps.spacing, 3));
    return filled;
}

static torre_status choose_layout(const md_cuda_program *program, const md_crowding *crowding,
                                  md_layout *layout)
{
    const torre_md_problem filled = filled_problem(program->base.problem);
    return md_layout_choose(&filled, &program->base.info.plan, &program->limits, &program->wish,
                            crowding, layout);
}

static torre_status fill_program(md_cuda_program *program)
{
    const torre_md_problem *p = program->base.problem;
    torre_md_info *info = &program->base.info;
    const md_layout *layout = &program->layout;
    const md_crowding crowding = {1, 1, 1};
    TORRE_TRY(torre_mps_problem_check(p));
    program->kernels = md_kernels_find(p->model, p->precision);
    program->wish.lanes_per_place = p->count < FEW ? 4 : 1;
    if (!program->kernels)
        return torre_fail(TORRE_ERR_USAGE,
                          "this build of the cuda backend has no model mps in %s (CMake: "
                          "TORRE_PRECISIONS)",
                          torre_md_precision_name(p->precision));
    torre_md_plan *plan = &info->plan;
    if (p->count >= (int64_t)1 << MD_INDEX_BITS)
        return torre_fail(TORRE_ERR_USAGE,
                          "the cuda backend holds at most %lld particles (got %lld)",
                          ((long long)1 << MD_INDEX_BITS) - 1, (long long)p->count);
    if (plan->neighbor && plan->neighbor != TORRE_NEIGHBOR_FULL)
        return torre_fail(TORRE_ERR_USAGE, "{neighbor} %s: the cuda backend has only full for mps",
                          torre_neighbor_name(plan->neighbor));
    plan->neighbor = TORRE_NEIGHBOR_FULL;
    if (plan->skin == 0) plan->skin = DEFAULT_SKIN * p->mps.spacing;
    plan->rebuild_check = plan->rebuild_every == 0;
    if (plan->rebuild_every == 0) plan->rebuild_every = 1;
    if (plan->sort_every == 0) plan->sort_every = 1;
    if (plan->bin_stencil == TORRE_STENCIL_AUTO) plan->bin_stencil = TORRE_STENCIL_SPHERICAL;
    plan->deterministic = true; /* always */
    TORRE_TRY(torre_md_plan_check(p, plan));
    TORRE_TRY(md_cuda_look(program));
    TORRE_TRY(choose_layout(program, &crowding, &program->layout));
    for (int a = 0; a < 3; a++) info->bins[a] = layout->grid.n[a];
    plan->block = layout->block;
    const int64_t each = p->precision == TORRE_MD_F32 ? 6 * 16 + 34 : 6 * 32 + 34;
    double pages = fmin(1.5 * (double)p->count / layout->lanes_mean * layout->lanes_per_place,
                        layout->brick_count);
    info->memory_bytes = md_layout_bytes(layout, (int64_t)pages) + each * p->count;
    size_t available, all;
    TORRE_CUDA_TRY(cudaMemGetInfo(&available, &all), "asking for free memory");
    if (info->memory_bytes > (int64_t)available)
        return torre_fail(
            TORRE_ERR_RESOURCE, "%lld particles need %.2f GB on the device, which has %.2f GB free",
            (long long)p->count, 1e-9 * (double)info->memory_bytes, 1e-9 * (double)available);
    return TORRE_OK;
}

static torre_status mps_cuda_plan(const torre_md_problem *p, const torre_md_plan *wish,
                                  torre_md_program **program)
{
    torre_md_program *made;
    TORRE_TRY(torre_md_program_new(sizeof(md_cuda_program), p, wish, &made));
    torre_status status = fill_program((md_cuda_program *)made);
    if (status)
        torre_md_program_free(made);
    else
        *program = made;
    return status;
}

static void mps_cuda_destroy(torre_md_solver *solver)
{
    mps_cuda_solver *s = (mps_cuda_solver *)solver;
    if (!s) return;
    md_cuda_release(&s->machine);
    cudaFree(s->fastest);
    cudaFree(s->held);
    cudaFree(s->active);
    for (int k = 0; k <= TIMES; k++)
        if (s->event[k]) cudaEventDestroy(s->event[k]);
    torre_md_program_free(s->base.program);
    free(s);
}

/* The table beside those of the machine that depends on the layout. */
static torre_status allocate_active(mps_cuda_solver *s)
{
    cudaFree(s->active);
    s->active = NULL;
    TORRE_CUDA_TRY(
        cudaMalloc((void **)&s->active, sizeof(int) * (size_t)s->machine.layout.brick_count),
        "the table of bricks");
    return TORRE_OK;
}

static torre_status mps_cuda_allocate(mps_cuda_solver *s)
{
    md_cuda_solver *m = &s->machine;
    TORRE_CUDA_TRY(cudaSetDevice(m->plan->device), "choosing the device");
    TORRE_TRY(md_cuda_allocate(m));
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->fastest, sizeof *s->fastest), "particles");
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->held, sizeof *s->held), "particles");
    TORRE_TRY(allocate_active(s));
    for (int k = 0; k <= TIMES; k++) TORRE_CUDA_TRY(cudaEventCreate(&s->event[k]), "a timer");
    return TORRE_OK;
}

static torre_status mps_cuda_create(torre_md_program *program, torre_md_solver **solver)
{
    const torre_md_problem *p = program->problem;
    mps_cuda_solver *s = calloc(1, sizeof *s);
    if (!s) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the solver");
    s->base.backend = &torre_mps_cuda;
    s->problem = p;
    s->constants = torre_mps_constants_of(p);
    md_cuda_begin((md_cuda_program *)program, &s->machine);
    torre_status status = mps_cuda_allocate(s);
    if (status) {
        mps_cuda_destroy(&s->base);
        return status;
    }
    s->base.program = program;
    *solver = &s->base;
    return TORRE_OK;
}

static torre_status unstable(mps_cuda_solver *s, const char *what)
{
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: %s; use a smaller {dt} or a larger {sound_speed}",
                      (long long)s->machine.step, what);
}

/* Which particle is not finite, or the fastest. */
static torre_status report_runaway(mps_cuda_solver *s)
{
    const int64_t count = s->problem->count;
    double *v[3] = {malloc((size_t)count * 8), malloc((size_t)count * 8),
                    malloc((size_t)count * 8)};
    double most = -1;
    int64_t worst = 0;
    if (v[0] && v[1] && v[2] &&
        !md_cuda_download(&s->machine, s->machine.v[s->machine.v_now], NULL, v, 3)) {
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

/*
 * Which bricks hold particles, and room for their lists: of most of a box with a dam break, none.
 */
static torre_status find_active(mps_cuda_solver *s)
{
    md_cuda_solver *m = &s->machine;
    const md_tiles tiles = md_cuda_tiles(m);
    TORRE_CUDA_TRY(m->kernels->state->active(&tiles, s->active, s->held, m->stream),
                   "finding bricks");
    TORRE_CUDA_TRY(cudaMemcpyAsync(&s->active_count, s->held, sizeof *s->held,
                                   cudaMemcpyDeviceToHost, m->stream),
                   "finding bricks");
    TORRE_CUDA_TRY(cudaStreamSynchronize(m->stream), "finding bricks");
    if ((int)s->active_count <= m->list_pages) return TORRE_OK;
    int64_t room = (int64_t)s->active_count + s->active_count / 8 + 16;
    return md_cuda_lists(m, (int)fmin((double)room, m->layout.brick_count));
}

/* Sort into bins and build lists; makes room and tries again where one holds more than expected. */
static torre_status rebuild(mps_cuda_solver *s)
{
    md_cuda_solver *m = &s->machine;
    const torre_md_plan *plan = m->plan;
    bool sort = plan->sort_every != TORRE_MD_NEVER &&
                (m->last_sort < 0 || m->step - m->last_sort >= plan->sort_every);
    for (;;) {
        md_control control;
        double total[2 * MD_SUMS];
        TORRE_TRY(md_cuda_queue_sort(m, sort, 0));
        TORRE_TRY(find_active(s));
        TORRE_TRY(md_cuda_queue_list(m, s->active, (int)s->active_count));
        TORRE_TRY(md_cuda_read_control(m, &control, total));
        m->counts.builds++;
        m->counts.sorts += sort;
        m->last_build = m->step;
        if (sort) m->last_sort = m->step;
        if (!control.error) return TORRE_OK;
        m->x_now = 1 - m->x_now; /* what was sorted is still there */
        m->v_now = 1 - m->v_now;
        m->id_now = 1 - m->id_now;
        m->permuted = true;
        if (control.error & ~(MD_ERROR_STAGED | MD_ERROR_LANES | MD_ERROR_LIST))
            return report_runaway(s);
        md_cuda_note_crowding(m, &control);
        TORRE_TRY(choose_layout(m->program, &m->crowding, &m->layout));
        TORRE_TRY(md_cuda_tables(m));
        TORRE_TRY(allocate_active(s));
        TORRE_TRY(md_cuda_clear_control(m, m->step, m->step));
    }
}

static torre_status queue_sweep(mps_cuda_solver *s, mps_sweep sweep)
{
    md_cuda_solver *m = &s->machine;
    void **velocity = &m->v[m->v_now];
    mps_sweep_args a = {.tiles = md_cuda_tiles(m),
                        .box = md_cuda_box(m),
                        .x_in = m->x[m->x_now],
                        .v_in = *velocity,
                        .x_out = m->x[1 - m->x_now],
                        .v_out = sweep == MPS_VISCOSITY ? m->f : *velocity,
                        .x_built = m->x_built,
                        .id = m->id[m->id_now],
                        .fluid = (int)s->problem->mps.fluid,
                        .wall = (int)s->problem->mps.wall,
                        .constants = s->constants,
                        .fastest = s->fastest,
                        .active = s->active,
                        .active_count = (int)s->active_count,
                        .lanes_per_place = m->layout.lanes_per_place,
                        .block = m->layout.block};
    TORRE_CUDA_TRY(m->kernels->mps(sweep, &a, m->stream), "computing a sweep");
    if (sweep != MPS_COLLISION) m->x_now = 1 - m->x_now;
    if (sweep == MPS_VISCOSITY) { /* others read the old velocities meanwhile */
        void *old = *velocity;
        *velocity = m->f;
        m->f = old;
    }
    return TORRE_OK;
}

static torre_status mark(mps_cuda_solver *s, bool timed, int event)
{
    if (timed) TORRE_CUDA_TRY(cudaEventRecord(s->event[event], s->machine.stream), "timing");
    return TORRE_OK;
}

/* Whether bins are to be rebuilt at the positions that Proc 2 has left; may wait for the device. */
static torre_status is_due(mps_cuda_solver *s, bool *due)
{
    md_cuda_solver *m = &s->machine;
    const torre_md_plan *plan = m->plan;
    *due = !plan->rebuild_check && m->step - m->last_build >= plan->rebuild_every;
    if (!plan->rebuild_check && m->step % 64) return TORRE_OK;
    if (plan->rebuild_check && m->step < s->next_look) return TORRE_OK;
    uint32_t bits;
    md_control control;
    double total[2 * MD_SUMS];
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(&bits, s->fastest, sizeof bits, cudaMemcpyDeviceToHost, m->stream),
        "reading results");
    TORRE_TRY(md_cuda_read_control(m, &control, total));
    float moved, fastest;
    memcpy(&moved, &control.moved, sizeof moved);
    memcpy(&fastest, &bits, sizeof fastest);
    TORRE_CUDA_TRY(cudaMemsetAsync(s->fastest, 0, sizeof bits, m->stream), "clearing results");
    if (!(sqrt(fastest) < s->problem->mps.sound_speed)) return report_runaway(s);
    if (!plan->rebuild_check) return TORRE_OK;
    double limit = 0.5 * (1 - SLACK) * plan->skin;
    double per_step =
        GROWTH * fmax(sqrt(fastest), 0.01 * s->problem->mps.sound_speed) * s->problem->dt;
    double left = (limit - sqrt(moved)) / per_step;
    *due = left < 1; /* the next step could go too far */
    if (*due && sqrt(moved) > limit) m->counts.dangerous_builds++;
    double ahead = *due ? limit / per_step : left;
    /* halfway: at an impact the fastest becomes faster than that within a few steps */
    s->next_look = m->step + (int64_t)fmax(1, floor(ahead / 2));
    return TORRE_OK;
}

static torre_status one_step(mps_cuda_solver *s, bool timed)
{
    md_cuda_solver *m = &s->machine;
    bool due;
    m->step++;
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

static torre_status collect_times(mps_cuda_solver *s)
{
    TORRE_CUDA_TRY(cudaEventSynchronize(s->event[TIMES]), "timing");
    for (int k = 0; k < TIMES; k++) {
        float ms;
        TORRE_CUDA_TRY(cudaEventElapsedTime(&ms, s->event[k], s->event[k + 1]), "timing");
        s->sampled[k] += 1e-3 * ms;
    }
    s->steps_sampled++;
    return TORRE_OK;
}

static torre_status mps_cuda_advance(torre_md_solver *solver, int64_t steps)
{
    mps_cuda_solver *s = (mps_cuda_solver *)solver;
    md_cuda_solver *m = &s->machine;
    TORRE_CUDA_TRY(cudaSetDevice(m->plan->device), "choosing the device");
    double start = torre_time_now();
    for (int64_t n = 0; n < steps; n++) {
        bool timed = m->step % SAMPLE_EVERY == SAMPLE_EVERY - 1;
        TORRE_TRY(one_step(s, timed));
        if (timed) TORRE_TRY(collect_times(s));
    }
    md_control control;
    double total[2 * MD_SUMS];
    TORRE_TRY(md_cuda_read_control(m, &control, total));
    if (control.error) return report_runaway(s);
    s->steps_done += steps;
    s->seconds += torre_time_now() - start;
    return TORRE_OK;
}

static torre_status mps_cuda_set_particles(torre_md_solver *solver, const double *const position[3],
                                           const double *const velocity[3])
{
    mps_cuda_solver *s = (mps_cuda_solver *)solver;
    md_cuda_solver *m = &s->machine;
    TORRE_CUDA_TRY(cudaSetDevice(m->plan->device), "choosing the device");
    TORRE_TRY(md_cuda_upload(m, position, velocity));
    TORRE_CUDA_TRY(cudaMemset(s->fastest, 0, sizeof *s->fastest), "clearing results");
    m->step = 0;
    m->last_sort = m->last_build = -1;
    m->permuted = m->plan->sort_every == TORRE_MD_NEVER;
    m->counts = (torre_md_counts){.dangerous_builds = m->plan->rebuild_check ? 0 : -1};
    s->next_look = 0;
    TORRE_TRY(md_cuda_clear_control(m, 0, 0));
    TORRE_TRY(rebuild(s));
    TORRE_TRY(queue_sweep(s, MPS_DENSITY));
    TORRE_CUDA_TRY(cudaStreamSynchronize(m->stream), "computing number densities");
    m->counts.builds = m->counts.sorts = 0;
    s->seconds = 0;
    memset(s->sampled, 0, sizeof s->sampled);
    s->steps_done = s->steps_sampled = 0;
    return TORRE_OK;
}

static torre_status mps_cuda_get_particles(torre_md_solver *solver, double *const position[3],
                                           double *const velocity[3])
{
    md_cuda_solver *m = &((mps_cuda_solver *)solver)->machine;
    TORRE_CUDA_TRY(cudaStreamSynchronize(m->stream), "reading particles from the device");
    if (position) TORRE_TRY(md_cuda_download(m, m->x[m->x_now], m->problem->box, position, 3));
    if (velocity) TORRE_TRY(md_cuda_download(m, m->v[m->v_now], NULL, velocity, 3));
    return TORRE_OK;
}

/* The fourth component of a position is c^2 rho (n/n0 - 1), that of a velocity what the sweep of
 * collisions leaves there. */
static torre_status mps_cuda_get_fields(torre_md_solver *solver, const torre_md_fields *fields)
{
    mps_cuda_solver *s = (mps_cuda_solver *)solver;
    md_cuda_solver *m = &s->machine;
    const int64_t count = s->problem->count;
    if (fields->collision) TORRE_TRY(queue_sweep(s, MPS_COLLISION));
    TORRE_CUDA_TRY(cudaStreamSynchronize(m->stream), "reading particles from the device");
    double *const energy[4] = {NULL, NULL, NULL, fields->collision};
    if (fields->collision) TORRE_TRY(md_cuda_download(m, m->v[m->v_now], NULL, energy, 4));
    if (!fields->pressure && !fields->number_density) return TORRE_OK;
    double *excess = malloc((size_t)count * sizeof *excess);
    if (!excess) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for pressures");
    double *const to[4] = {NULL, NULL, NULL, excess};
    torre_status status = md_cuda_download(m, m->x[m->x_now], NULL, to, 4);
    for (int64_t i = 0; !status && i < count; i++) {
        if (fields->pressure) fields->pressure[i] = excess[i] < 0 ? 0 : excess[i];
        if (fields->number_density)
            fields->number_density[i] = s->constants.n0 * (1 + excess[i] / s->constants.stiffness);
    }
    free(excess);
    return status;
}

/* Phases in the proportions of the steps that were timed. */
static void mps_cuda_times(const torre_md_solver *solver, torre_md_times *times,
                           torre_md_counts *counts)
{
    const mps_cuda_solver *s = (const mps_cuda_solver *)solver;
    double scale = s->steps_sampled ? (double)s->steps_done / (double)s->steps_sampled : 0;
    const double *sampled = s->sampled;
    *times = (torre_md_times){.viscosity = scale * sampled[TIME_VISCOSITY],
                              .density = scale * sampled[TIME_DENSITY],
                              .gradient = scale * sampled[TIME_GRADIENT],
                              .sort = scale * sampled[TIME_SORT]};
    times->integrate =
        fmax(0, s->seconds - times->viscosity - times->density - times->gradient - times->sort);
    *counts = s->machine.counts;
}

const torre_md_backend torre_mps_cuda = {
    .name = "cuda",
    .plan = mps_cuda_plan,
    .create = mps_cuda_create,
    .set_particles = mps_cuda_set_particles,
    .advance = mps_cuda_advance,
    .get_particles = mps_cuda_get_particles,
    .get_fields = mps_cuda_get_fields,
    .times = mps_cuda_times,
    .destroy = mps_cuda_destroy,
};
