#include "wave/driver.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend.h"
#include "core/memory.h"
#include "core/phase.h"
#include "core/timer.h"
#include "wave/box.h"
#include "wave/particle_velocity.h"
#include "wave/planes.h"
#include "wave/program.h"
#include "wave/time_dispersion.h"
#include "wave/traces.h"

/* Seconds a chunk should take: short enough for progress and Ctrl-C, long beside a call. */
static const double chunk_seconds = 0.3;

/* Bytes of samples that are staged, where the end of a chunk costs passes. */
static const int64_t long_bytes = (int64_t)1 << 30;

/* And one whose frames are recorded, so that they are written beside the next one. */
static const double frames_seconds = 0.03;

/* Share of the time loop that looking for bad numbers may cost. */
static const double watch_share = 0.02;

/* And that of the ends of chunks, unless those were to take so many seconds for that. */
static const double drain_share = 0.005, longest_seconds = 20;

/*
 * Find the backend and let it plan. "auto" goes on to the next one when the first does not offer
 * the combination (say, engine reference on a GPU), but not when the run does not fit.
 */
static torre_status choose_backend(torre_wave_run *run, const char *name,
                                   const torre_wave_plan *plan)
{
    TORRE_TRY(torre_wave_backend_find(name, plan, &run->backend));
    torre_status status = run->backend->plan(run->setup, plan, &run->program);
    if (!torre_backend_is_auto(name, plan->device)) return status;
    const torre_backend *next = torre_backends;
    while (next->wave != run->backend) next++;
    for (next++; status == TORRE_ERR_USAGE && next->name; next++) {
        char why[256];
        if (!next->wave || !torre_backend_available(next, plan->device, why, sizeof why)) continue;
        snprintf(run->passed_over, sizeof run->passed_over, "%s: %s", run->backend->name,
                 torre_error_text());
        run->backend = next->wave;
        status = run->backend->plan(run->setup, plan, &run->program);
    }
    return status;
}

/* Steps whose samples are staged at least: a pass, or more where the end of a chunk costs some. */
static int64_t staged_steps(const torre_wave_run *run)
{
    const int64_t height = run->info.plan.tower_height,
                  row = torre_traces_columns(run->setup, torre_wave_program_sums(run->program)) *
                        (int64_t)run->problem->precision;
    if (run->program->drain == 0 || row == 0 || long_bytes / row < height) return height;
    return long_bytes / row;
}

/* What no backend could make sense of; what each of them can do, it says itself. */
static torre_status check_plan(const torre_wave_plan *p)
{
    if ((unsigned)p->engine > TORRE_TORRE)
        return torre_fail(TORRE_ERR_USAGE,
                          "{engine} must be auto, reference, stepwise or torre (got %d)",
                          (int)p->engine);
    if (p->dts < 0) return torre_fail(TORRE_ERR_USAGE, "{dts} must be at least 0 (got %d)", p->dts);
    if (p->tower_height < 0)
        return torre_fail(TORRE_ERR_USAGE, "{tower_height} must be at least 0 (got %lld)",
                          (long long)p->tower_height);
    if (p->threads < 0)
        return torre_fail(TORRE_ERR_USAGE, "{threads} must be at least 0 (got %d)", p->threads);
    if (p->memory < 0)
        return torre_fail(TORRE_ERR_USAGE, "{memory} must be at least 0 (got %lld)",
                          (long long)p->memory);
    if (p->scratch && p->memory == 0)
        return torre_fail(TORRE_ERR_USAGE,
                          "{scratch} belongs to {memory} SIZE, beyond which it is used");
    if ((unsigned)p->ordering.kind >= TORRE_ORDERING_KINDS)
        return torre_fail(TORRE_ERR_USAGE, "{ordering} must be one of %s (got kind %d)",
                          torre_ordering_names(), (int)p->ordering.kind);
    return TORRE_OK;
}

/* Where no memory of the host holds what a device has no room for. */
static void suggest_scratch(torre_wave_info *info)
{
    const size_t length = strlen(info->lacking);
    torre_text(info->lacking + length, sizeof info->lacking - length,
               "; larger ones stream from a disk: {memory} SIZE, {scratch} DIR");
}

/* In place of a program that its device has no room for, one that streams through what there is, if
 * it can; if not, the program says what is lacking. */
static void stream(torre_wave_run *run)
{
    torre_wave_info *info = &run->program->info;
    torre_wave_plan wish = info->wish;
    torre_wave_program *streams;
    if (wish.memory > 0 || run->program->room <= 0 || !info->lacking[0]) return;
    wish.memory = run->program->room - run->program->room / 256; /* devices round up */
    if (run->backend->plan(run->setup, &wish, &streams)) return;
    const bool fits = !torre_memory_check("the wave field", streams->info.scratch_bytes);
    if (streams->info.lacking[0] || !fits) {
        if (!fits) suggest_scratch(info);
        torre_wave_program_free(streams);
        return;
    }
    torre_wave_program_free(run->program);
    streams->info.wish.memory = 0;
    run->program = streams;
}

/* The run is planned now, or is freed. */
static torre_status planned(torre_wave_run *run, torre_status status, torre_wave_run **result)
{
    if (status) {
        torre_wave_run_free(run);
        return status;
    }
    run->info = *torre_wave_program_info(run->program);
    *result = run;
    return TORRE_OK;
}

torre_status torre_wave_run_new(const torre_wave_problem *problem, const char *backend,
                                const torre_wave_plan *plan, torre_wave_run **result)
{
    const torre_frame_planes none = {0};
    return torre_wave_run_new_planes(problem, backend, plan, &none, result);
}

torre_status torre_wave_run_new_planes(const torre_wave_problem *problem, const char *backend,
                                       const torre_wave_plan *plan,
                                       const torre_frame_planes *planes, torre_wave_run **result)
{
    if (plan->devices) return torre_rank_crew_run(problem, backend, plan, planes, result);
    torre_wave_run *run = calloc(1, sizeof *run);
    if (!run) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    run->problem = problem;
    torre_status status = torre_wave_problem_check(problem);
    if (!status) status = check_plan(plan);
    if (!status) status = torre_wave_setup_new(problem, &run->setup);
    if (!status) run->setup->planes = *planes;
    if (!status) status = choose_backend(run, backend, plan);
    if (!status) stream(run);
    return planned(run, status, result);
}

torre_status torre_wave_run_adapt(const torre_wave_run *run, const torre_wave_problem *problem,
                                  torre_wave_run **slab)
{
    torre_wave_run *made = calloc(1, sizeof *made);
    if (!made) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    made->problem = problem;
    made->backend = run->backend;
    torre_status status = torre_wave_setup_new(problem, &made->setup);
    if (!status) status = run->backend->adapt(run->program, made->setup, &made->program);
    return planned(made, status, slab);
}

torre_status torre_wave_run_check_memory(const torre_wave_run *run)
{
    if (run->info.lacking[0]) return torre_fail(TORRE_ERR_RESOURCE, "%s", run->info.lacking);
    return torre_memory_check("recording the traces", torre_wave_run_trace_bytes(run));
}

static torre_status check_started(const torre_wave_run *run)
{
    if (run->solver) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "this run has not been started");
}

static torre_status write_level(torre_wave_run *run, int level, const void *cells)
{
    const torre_box all = torre_wave_box_stored(run->setup);
    int64_t stride[3];
    torre_box_strides(&all, stride);
    const torre_pressure way = torre_wave_run_pressure(run);
    return cells ? torre_pressure_write(&way, level, &all, stride, cells) : TORRE_OK;
}

torre_status torre_wave_run_start(torre_wave_run *run, const void *now, const void *previous)
{
    TORRE_PHASE(TORRE_PHASE_UPLOAD);
    if (run->solver) return torre_fail(TORRE_ERR_USAGE, "this run has been started");
    TORRE_TRY(torre_wave_run_check_memory(run));
    if (!run->traces.data) TORRE_TRY(torre_traces_new(run->problem, &run->traces));
    TORRE_TRY(run->backend->create(run->program, &run->solver));
    /* the solver's are zero */
    TORRE_TRY(write_level(run, 0, now));
    TORRE_TRY(write_level(run, -1, previous));
    if (now) torre_traces_start(run->setup, now, &run->traces);
    return TORRE_OK;
}

static void free_solver(torre_wave_run *run)
{
    if (run->solver)
        run->backend->destroy(run->solver);
    else
        torre_wave_program_free(run->program);
    run->solver = NULL;
    run->program = NULL;
}

/*
 * A solver of its own for the present setup, as a run of its own would have. The one before gives
 * back its memory first, which planning counts on.
 */
static torre_status replace_solver(torre_wave_run *run)
{
    free_solver(run);
    TORRE_TRY(run->backend->plan(run->setup, &run->info.wish, &run->program));
    stream(run);
    run->info = *torre_wave_program_info(run->program);
    TORRE_TRY(torre_wave_run_check_memory(run));
    return run->backend->create(run->program, &run->solver);
}

torre_status torre_wave_run_restart(torre_wave_run *run, torre_wave_setup *setup, bool new_medium)
{
    torre_wave_setup *old = run->setup;
    const bool same = torre_wave_same_grid(old->problem, setup->problem);
    torre_status status = TORRE_OK;
    setup->planes = old->planes;
    run->setup = setup;
    run->problem = setup->problem;
    run->step = run->finite_step = 0;
    run->compute_s = 0;
    run->ended = false;
    free(run->traces.data);
    run->traces.data = NULL;
    if (!same || !run->solver || !run->backend->restart)
        status = replace_solver(run);
    else
        status = run->backend->restart(run->solver, setup, new_medium);
    if (run->solver) run->program = run->solver->program; /* it may have another */
    torre_wave_setup_free(old);
    return status ? status : torre_traces_new(run->problem, &run->traces);
}

torre_status torre_wave_run_continue(torre_wave_run *run, int64_t step, double compute_s)
{
    TORRE_TRY(check_started(run));
    TORRE_TRY(run->backend->set_step(run->solver, step));
    run->step = run->finite_step = step;
    run->compute_s = compute_s;
    return TORRE_OK;
}

int64_t torre_wave_run_will_stream(const torre_wave_run *run)
{
    const int64_t steps = run->problem->steps, height = run->info.plan.tower_height;
    return run->info.windows ? (steps + height - 1) / height * run->info.streamed_bytes : 0;
}

int64_t torre_wave_run_room(const torre_wave_run *run) { return run->program->room; }

torre_array torre_wave_run_take_traces(torre_wave_run *run)
{
    const torre_array traces = run->traces;
    run->traces.data = NULL;
    return traces;
}

/* Look at the whole field; refuse what is not finite. */
static torre_status check_finite(torre_wave_run *run)
{
    TORRE_PHASE(TORRE_PHASE_CHECK);
    const torre_pressure way = torre_wave_run_pressure(run);
    TORRE_TRY(torre_pressure_norms(&way, &run->norms));
    if (run->norms.finite) {
        run->finite_step = run->step;
        return TORRE_OK;
    }
    const torre_wave_problem *p = run->problem;
    const int64_t *c = run->norms.first_bad;
    double low, high, smallest = fmin(p->spacing[0], fmin(p->spacing[1], p->spacing[2]));
    torre_wave_velocity_range(p, &low, &high);
    double limit;
    if (torre_wave_problem_dt_limit(p, &limit) != TORRE_OK)
        limit = torre_wave_dt_limit(p->order, p->spacing, high);
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "the field is not finite at cell (%" PRId64 ", %" PRId64 ", %" PRId64
                      ") after step %" PRId64 " (it was after step %" PRId64
                      "); Courant number %.4g, limit %.4g",
                      c[0], c[1], c[2], run->step, run->finite_step, high * p->dt / smallest,
                      high * limit / smallest);
}

/* Whether frames at multiples of `every` are recorded in passing. */
static bool is_recorded(const torre_wave_run *run, int64_t every)
{
    return run->program->planes > 0 && run->setup->planes.every == every;
}

/* Steps until the next moment at which the caller wants to see the field. */
static int64_t steps_to_frame(const torre_wave_run *run, const torre_wave_watch *watch)
{
    int64_t least = INT64_MAX;
    for (int k = 0; watch && watch->frame && k < TORRE_WAVE_INTERVALS; k++) {
        const int64_t every = watch->frame_every[k];
        const bool stops = every > 0 && !is_recorded(run, every);
        const int64_t left = stops ? every - run->step % every : INT64_MAX;
        if (left < least) least = left;
    }
    return least;
}

/* State of the time loop beside the run's own. */
typedef struct loop {
    int64_t chunk;       /* steps to take at once, a multiple of the tower height */
    int64_t chunk_limit; /* what the staging buffer holds */
    void *staging;       /* samples of one chunk: (chunk_limit, receiver nodes) */
    char *planes;        /* and the planes of frames that are recorded; or NULL; they come while */
    int64_t plane_bytes; /* nothing is computed, so their memory is such that copies are fast */
    double watched_s;    /* compute_s at the last look at the whole field */
    double watch_cost_s; /* how long that look took */
} loop;

static torre_status advance_solver(torre_wave_run *run, int64_t steps, void *staging, char *planes)
{
    TORRE_PHASE(TORRE_PHASE_LOOP);
    if (planes) return run->backend->advance_planes(run->solver, steps, staging, planes);
    return torre_wave_program_sums(run->program)
               ? run->backend->advance_receivers(run->solver, steps, staging)
               : run->backend->advance(run->solver, steps, staging);
}

/* Seconds that a chunk should take, when a step takes step_s. */
static double chunk_wanted(const torre_wave_run *run, const loop *l, double step_s, int64_t tower)
{
    const torre_wave_program *p = run->program;
    if (p->chunk_s == 0) return l->planes ? frames_seconds : chunk_seconds;
    const double cheap = p->drain * step_s * (double)tower / drain_share;
    return fmax(p->chunk_s, fmin(cheap, longest_seconds));
}

/* Take one chunk, record it, and size the next one. */
static torre_status advance_chunk(torre_wave_run *run, loop *l, int64_t steps)
{
    double start = torre_time_now();
    TORRE_TRY(advance_solver(run, steps, l->staging, l->planes));
    double seconds = torre_time_now() - start;
    run->compute_s += seconds;
    const bool summed = torre_wave_program_sums(run->program);
    if (!summed) torre_traces_weigh(run->setup, l->staging, steps);
    torre_traces_record(run->setup, summed, l->staging, run->step, steps, &run->traces);
    run->step += steps;

    int64_t tower = run->info.plan.tower_height > 1 ? run->info.plan.tower_height : 1;
    const double step_s = fmax(seconds, 1e-7) / (double)steps;
    double fitting = chunk_wanted(run, l, step_s, tower) / step_s;
    int64_t next = (int64_t)(fmin(fitting, 1e9) / (double)tower) * tower;
    if (next > 4 * l->chunk) next = 4 * l->chunk; /* the first steps are not typical */
    if (next > l->chunk_limit / tower * tower) next = l->chunk_limit / tower * tower;
    l->chunk = next > 0 ? next : l->chunk_limit < tower ? l->chunk_limit : tower;
    return TORRE_OK;
}

static torre_status watch_field(torre_wave_run *run, loop *l)
{
    if (run->compute_s - l->watched_s < l->watch_cost_s / watch_share) return TORRE_OK;
    double start = torre_time_now();
    TORRE_TRY(check_finite(run));
    l->watch_cost_s = torre_time_now() - start;
    l->watched_s = run->compute_s;
    return TORRE_OK;
}

/* Frames of the last `steps` steps, as recorded. */
static torre_status hand_over(torre_wave_run *run, const loop *l, int64_t steps,
                              const torre_wave_watch *watch)
{
    const int64_t end = run->step, every = run->setup->planes.every,
                  bytes = run->program->planes * (int64_t)run->problem->precision;
    torre_status status = TORRE_OK;
    run->frame = l->planes;
    run->step = (end - steps) / every * every + every;
    for (; run->step <= end && !status; run->step += every, run->frame += bytes)
        status = watch->frame(watch->context, run);
    run->frame = NULL;
    run->step = end;
    return status;
}

static torre_status time_loop(torre_wave_run *run, loop *l, int64_t goal,
                              const torre_wave_watch *watch)
{
    while (run->step < goal) {
        if (watch && watch->stop && watch->stop(watch->context)) break;
        const int64_t left = goal - run->step;
        int64_t steps = l->chunk, frame = steps_to_frame(run, watch);
        /* no short one at the end */
        if (left - steps < steps / 4 && left <= l->chunk_limit) steps = left;
        if (steps > frame) steps = frame;
        if (steps > left) steps = left;
        TORRE_TRY(advance_chunk(run, l, steps));
        /* after the last step it is looked at in any case, but for those who get it before */
        if (run->step < goal || steps == frame || l->planes) TORRE_TRY(watch_field(run, l));
        if (l->planes) TORRE_TRY(hand_over(run, l, steps, watch));
        const bool seen = l->planes && run->step % run->setup->planes.every == 0;
        if (steps == frame && !seen) TORRE_TRY(watch->frame(watch->context, run));
        if (watch && watch->progress) {
            torre_wave_progress now = {run->step, goal, run->compute_s, torre_wave_run_rate(run)};
            watch->progress(watch->context, &now);
        }
    }
    return check_finite(run);
}

/* Frames that are recorded in a chunk: of some bytes, or those of a pass. */
static int64_t frames_at_once(const torre_wave_run *run)
{
    const int64_t most = 64 << 20, height = run->info.plan.tower_height;
    const int64_t bytes = run->program->planes * (int64_t)run->problem->precision,
                  pass = height / run->setup->planes.every + 1;
    return most / bytes > pass ? most / bytes : pass;
}

int64_t torre_wave_run_frame_bytes(const torre_wave_run *run)
{
    const int64_t bytes = run->program->planes * (int64_t)run->problem->precision;
    return bytes ? frames_at_once(run) * bytes : 0;
}

/* Room for the planes of a chunk, which it limits, if a caller wants to see them. */
static torre_status new_planes(const torre_wave_run *run, const torre_wave_watch *watch, loop *l)
{
    const int64_t tower = run->info.plan.tower_height > 1 ? run->info.plan.tower_height : 1;
    bool wanted = false;
    for (int k = 0; watch && watch->frame && k < TORRE_WAVE_INTERVALS; k++)
        wanted = wanted || (watch->frame_every[k] > 0 && is_recorded(run, watch->frame_every[k]));
    if (!wanted) return TORRE_OK;
    const int64_t limit = (frames_at_once(run) - 1) * run->setup->planes.every;
    if (limit < l->chunk_limit) l->chunk_limit = limit > tower ? limit : tower;
    if (l->chunk > l->chunk_limit) l->chunk = l->chunk_limit;
    l->plane_bytes = torre_wave_run_frame_bytes(run);
    return torre_planes_memory(run->backend, l->plane_bytes, &l->planes);
}

torre_status torre_wave_run_record(torre_wave_run *run, int64_t steps,
                                   const torre_wave_watch *watch)
{
    TORRE_PHASE(TORRE_PHASE_OUTPUT);
    TORRE_TRY(check_started(run));
    TORRE_TRY(torre_wave_steps_check(run->problem, run->step, steps));
    if (run->ended && steps > 0)
        return torre_fail(TORRE_ERR_USAGE, "cannot advance a run whose traces are final");
    const bool summed = torre_wave_program_sums(run->program);
    const int64_t tower = run->info.plan.tower_height > 1 ? run->info.plan.tower_height : 1;
    loop l = {.chunk = (run->program->first_steps + tower - 1) / tower * tower,
              .chunk_limit = torre_traces_chunk(run->setup, summed, staged_steps(run))};
    if (l.chunk < tower) l.chunk = tower;
    if (l.chunk > l.chunk_limit) l.chunk = l.chunk_limit;
    TORRE_TRY(torre_traces_staging(run->setup, summed, l.chunk_limit, &l.staging));
    torre_status status = new_planes(run, watch, &l);
    if (!status) status = time_loop(run, &l, run->step + steps, watch);
    free(l.staging);
    torre_planes_memory_free(run->backend, l.plane_bytes, l.planes);
    return status;
}

torre_status torre_wave_run_advance(torre_wave_run *run, int64_t steps,
                                    const torre_wave_watch *watch)
{
    TORRE_TRY(torre_wave_run_record(run, steps, watch));
    return run->step == run->problem->steps ? torre_wave_run_end_traces(run) : TORRE_OK;
}

torre_status torre_wave_run_end_traces(torre_wave_run *run)
{
    TORRE_TRY(check_started(run));
    if (run->ended) return TORRE_OK;
    if (torre_dispersion_corrects(run->problem) && run->traces.data)
        TORRE_TRY(torre_dispersion_traces(&run->traces, run->step + 1));
    if (run->traces.data)
        torre_particle_velocity(run->problem, &run->setup->density, &run->traces, run->step + 1);
    run->ended = true;
    return TORRE_OK;
}

const torre_wave_problem *torre_wave_run_problem(const torre_wave_run *run) { return run->problem; }
const torre_wave_info *torre_wave_run_info(const torre_wave_run *run) { return &run->info; }
const char *torre_wave_run_backend(const torre_wave_run *run) { return run->backend->name; }
const char *torre_wave_run_passed_over(const torre_wave_run *run) { return run->passed_over; }
int64_t torre_wave_run_step(const torre_wave_run *run) { return run->step; }
double torre_wave_run_seconds(const torre_wave_run *run) { return run->compute_s; }
int64_t torre_wave_run_streamed(const torre_wave_run *run)
{
    return run->solver ? run->solver->streamed : 0;
}
const torre_wave_norms *torre_wave_run_norms(const torre_wave_run *run) { return &run->norms; }
const torre_array *torre_wave_run_traces(const torre_wave_run *run) { return &run->traces; }

torre_status torre_wave_run_field(torre_wave_run *run, int level, void *cells)
{
    TORRE_PHASE(TORRE_PHASE_OUTPUT);
    TORRE_TRY(check_started(run));
    const torre_box all = torre_wave_box_stored(run->setup);
    const torre_pressure way = torre_wave_run_pressure(run);
    int64_t stride[3];
    torre_box_strides(&all, stride);
    return torre_pressure_read(&way, level, &all, stride, cells);
}

torre_status torre_wave_run_check_plane(const torre_wave_run *run, int axis, int64_t index)
{
    TORRE_TRY(check_started(run));
    if (axis >= 0 && axis <= 2 && index >= 0 && index < run->problem->size[axis]) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "{index} of a plane must be 0 to the cells of {axis} (0, 1, 2) less one "
                      "(got %" PRId64 ", axis %d)",
                      index, axis);
}

/* A plane of the frame that is at hand, of which what solvers hold was recorded. */
static torre_status recorded_plane(const torre_wave_run *run, int axis, int64_t index, void *cells)
{
    const torre_frame_planes *planes = &run->setup->planes;
    const torre_box plane = torre_box_plane(run->problem->size, axis, index);
    int64_t stride[3];
    const char *from = run->frame;
    for (int i = 0; i < planes->count; i++) {
        const int of = planes->at[i].axis;
        const int64_t bytes = torre_wave_cells(run->problem) / run->problem->size[of] *
                              (int64_t)run->problem->precision;
        if (of == axis && planes->at[i].index == index) {
            memcpy(cells, from, (size_t)bytes);
            torre_box_strides(&plane, stride);
            torre_density_scale_box(&run->setup->density, TORRE_OVER_SCALE, run->problem->precision,
                                    &plane, stride, cells);
            return TORRE_OK;
        }
        from += bytes;
    }
    return torre_fail(TORRE_ERR_USAGE, "that plane is not among those of the run's frames");
}

torre_status torre_wave_run_plane(torre_wave_run *run, int axis, int64_t index, void *cells)
{
    TORRE_PHASE(TORRE_PHASE_OUTPUT);
    TORRE_TRY(torre_wave_run_check_plane(run, axis, index));
    if (run->frame) return recorded_plane(run, axis, index, cells);
    const torre_box plane = torre_box_plane(run->problem->size, axis, index);
    int64_t stride[3];
    torre_box_strides(&plane, stride);
    const torre_pressure way = torre_wave_run_pressure(run);
    return torre_pressure_read(&way, 0, &plane, stride, cells);
}

double torre_wave_run_rate(const torre_wave_run *run)
{
    if (run->compute_s <= 0) return 0;
    return (double)run->step * (double)torre_wave_cells(run->problem) / run->compute_s * 1e-9;
}

int64_t torre_wave_run_trace_bytes(const torre_wave_run *run)
{
    const torre_wave_problem *p = run->problem;
    const int64_t traces =
        torre_traces_bytes(run->setup, torre_wave_program_sums(run->program), staged_steps(run));
    if (traces < 0 || !torre_dispersion_corrects(p)) return traces;
    const int64_t correction = torre_dispersion_bytes(p->receiver_count, p->steps + 1);
    return correction < 0 || traces > INT64_MAX - correction ? -1 : traces + correction;
}

void torre_wave_run_free(torre_wave_run *run)
{
    if (!run) return;
    torre_rank_crew_end(run->crew);
    free_solver(run);
    torre_rank_crew_free(run->crew);
    torre_wave_setup_free(run->setup);
    free(run->traces.data);
    free(run);
}
