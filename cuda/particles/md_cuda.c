/* The cuda backend of the particle solver: choices, memory, particles in and out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "md_cuda_solver.h"

#define DEFAULT_SKIN 0.12      /* of the cutoff */
#define CHUNK        (1 << 20) /* particles converted at a time */

extern const torre_md_backend torre_md_cuda;

static md_layout_wish benchmark_wish;

void md_cuda_wish(const md_layout_wish *wish)
{
    benchmark_wish = wish ? *wish : (md_layout_wish){{0}, 0, 0, 0};
}

static md_cuda_solver *self(torre_md_solver *solver) { return (md_cuda_solver *)solver; }

torre_status md_cuda_look(md_cuda_program *program)
{
    const int device = program->base.info.plan.device;
    md_limits *limits = &program->limits;
    struct cudaDeviceProp p;
    TORRE_CUDA_TRY(cudaSetDevice(device), "choosing the device");
    TORRE_CUDA_TRY(cudaGetDeviceProperties(&p, device), "asking for the device");
    limits->multiprocessors = p.multiProcessorCount;
    limits->threads_per_multiprocessor = p.maxThreadsPerMultiProcessor;
    limits->shared_per_block = p.sharedMemPerBlockOptin;
    limits->shared_per_multiprocessor = p.sharedMemPerMultiprocessor;
    limits->staged_bytes = program->kernels->staged_bytes;
    limits->block_max = program->kernels->block_max;
    program->capability = 10 * p.major + p.minor;
    snprintf(program->base.info.device, sizeof program->base.info.device, "%.100s", p.name);
    return TORRE_OK;
}

static torre_status fill_plan(const torre_md_problem *problem, const md_kernels *kernels,
                              torre_md_plan *plan)
{
    if (problem->count >= (int64_t)1 << MD_INDEX_BITS)
        return torre_fail(TORRE_ERR_USAGE,
                          "the cuda backend holds at most %lld particles (got %lld)",
                          ((long long)1 << MD_INDEX_BITS) - 1, (long long)problem->count);
    if (plan->neighbor == TORRE_NEIGHBOR_AUTO) plan->neighbor = TORRE_NEIGHBOR_FULL;
    if (plan->neighbor == TORRE_NEIGHBOR_HALF && !kernels->pair->half)
        return torre_fail(
            TORRE_ERR_USAGE,
            "the cuda backend has no {neighbor} half for {model} %s; use full or tile",
            torre_pair_model_name(problem->model));
    if (plan->skin == 0) plan->skin = DEFAULT_SKIN * problem->cutoff;
    if (plan->rebuild_every == 0) {
        plan->rebuild_every = 1;
        plan->rebuild_check = true;
    }
    if (plan->sort_every == 0) plan->sort_every = plan->rebuild_every;
    if (plan->bin_stencil == TORRE_STENCIL_AUTO) plan->bin_stencil = TORRE_STENCIL_BLOCK;
    if (plan->block % 32 || plan->block < 0 || plan->block > kernels->block_max)
        return torre_fail(TORRE_ERR_USAGE, "a block must be a multiple of 32 up to %d (got %d)",
                          kernels->block_max, plan->block);
    plan->deterministic = true; /* always */
    return TORRE_OK;
}

/* Bytes of the arrays of particles. */
static int64_t particle_bytes(const torre_md_problem *problem, const torre_md_plan *plan,
                              const md_kernels *kernels)
{
    int64_t each = 6 * 4 * kernels->state->state_bytes + 2 * 4 + 5 * 4 + 2;
    if (plan->sort_every > plan->rebuild_every || plan->sort_every == TORRE_MD_NEVER) each += 4;
    if (plan->neighbor == TORRE_NEIGHBOR_HALF) each += 24;
    return each * problem->count;
}

static torre_status fill_program(md_cuda_program *program)
{
    const torre_md_problem *problem = program->base.problem;
    torre_md_info *info = &program->base.info;
    md_layout *layout = &program->layout;
    const md_crowding crowding = {1, 1, 1};
    const md_kernels *kernels = md_kernels_find(problem->model, problem->precision);
    program->kernels = kernels;
    program->wish = benchmark_wish;
    if (!kernels)
        return torre_fail(TORRE_ERR_USAGE,
                          "this build of the cuda backend has no model %s in %s (CMake: "
                          "TORRE_PRECISIONS)",
                          torre_pair_model_name(problem->model),
                          torre_md_precision_name(problem->precision));
    TORRE_TRY(fill_plan(problem, kernels, &info->plan));
    TORRE_TRY(torre_md_plan_check(problem, &info->plan));
    TORRE_TRY(md_cuda_look(program));
    TORRE_TRY(md_layout_choose(problem, &info->plan, &program->limits, &program->wish, &crowding,
                               layout));
    for (int a = 0; a < 3; a++) info->bins[a] = layout->grid.n[a];
    info->plan.block = layout->block;
    if (info->plan.bin_size == 0) {
        info->plan.bin_size =
            fmin(layout->grid.edge[0], fmin(layout->grid.edge[1], layout->grid.edge[2]));
        info->plan.bin_size *= 1 - 1e-9;
    }
    info->memory_bytes = md_layout_bytes(layout, layout->brick_count) +
                         particle_bytes(problem, &info->plan, kernels);
    size_t available, all;
    TORRE_CUDA_TRY(cudaMemGetInfo(&available, &all), "asking for free memory");
    if (info->memory_bytes > (int64_t)available)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "%lld particles need %.2f GB on the device, which has %.2f GB free; at "
                          "most about %.2e fit",
                          (long long)problem->count, 1e-9 * (double)info->memory_bytes,
                          1e-9 * (double)available,
                          (double)problem->count * (double)available / (double)info->memory_bytes);
    return TORRE_OK;
}

static torre_status cuda_plan(const torre_md_problem *problem, const torre_md_plan *wish,
                              torre_md_program **program)
{
    if (problem->model == TORRE_MODEL_MPS) return torre_mps_cuda.plan(problem, wish, program);
    torre_md_program *made;
    TORRE_TRY(torre_md_program_new(sizeof(md_cuda_program), problem, wish, &made));
    torre_status status = fill_program((md_cuda_program *)made);
    if (status)
        torre_md_program_free(made);
    else
        *program = made;
    return status;
}

void md_cuda_release(md_cuda_solver *s)
{
    if (s->stream) cudaStreamSynchronize(s->stream);
    md_cuda_graphs_free(s);
    md_cuda_tables_free(s);
    for (int k = 0; k < 2; k++) {
        cudaFree(s->x[k]);
        cudaFree(s->v[k]);
        cudaFree(s->id[k]);
    }
    cudaFree(s->f);
    cudaFree(s->x_built);
    cudaFree(s->key);
    cudaFree(s->slot);
    cudaFree(s->order);
    cudaFree(s->order_id);
    cudaFree(s->order_key);
    cudaFree(s->tiles.home);
    cudaFree(s->tiles.perm);
    cudaFree(s->fixed);
    cudaFree(s->total);
    cudaFree(s->control);
    cudaFreeHost(s->pinned);
    cudaFreeHost(s->looked);
    for (int k = 0; k < 4; k++)
        if (s->event[k]) cudaEventDestroy(s->event[k]);
    for (int k = 0; k < 2; k++)
        if (s->look[k]) cudaEventDestroy(s->look[k]);
    if (s->stream) cudaStreamDestroy(s->stream);
    free(s->records);
}

static void cuda_destroy(torre_md_solver *solver)
{
    if (!solver) return;
    md_cuda_release(self(solver));
    torre_md_program_free(solver->program);
    free(solver);
}

torre_status md_cuda_allocate(md_cuda_solver *s)
{
    size_t n = (size_t)s->problem->count, reals = 4 * (size_t)s->kernels->state->state_bytes * n;
    const torre_md_plan *plan = s->plan;
    static const char what[] = "particles";
    TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "a stream");
    for (int k = 0; k < 4; k++) TORRE_CUDA_TRY(cudaEventCreate(&s->event[k]), "a timer");
    for (int k = 0; k < 2; k++) {
        TORRE_CUDA_TRY(cudaMalloc(&s->x[k], reals), what);
        TORRE_CUDA_TRY(cudaMalloc(&s->v[k], reals), what);
        TORRE_CUDA_TRY(cudaMalloc((void **)&s->id[k], 4 * n), what);
    }
    TORRE_CUDA_TRY(cudaMalloc(&s->f, reals), what);
    TORRE_CUDA_TRY(cudaMalloc(&s->x_built, reals), what);
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->key, 4 * n), what);
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->slot, 4 * n), what);
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->order, 4 * n), what);
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->order_id, 4 * n), what);
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->order_key, 4 * n), what);
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->tiles.home, 2 * n), what);
    if (plan->sort_every > plan->rebuild_every || plan->sort_every == TORRE_MD_NEVER)
        TORRE_CUDA_TRY(cudaMalloc((void **)&s->tiles.perm, 4 * n), what);
    if (plan->neighbor == TORRE_NEIGHBOR_HALF) {
        TORRE_CUDA_TRY(cudaMalloc((void **)&s->fixed, 24 * n), what);
        TORRE_CUDA_TRY(cudaMemset(s->fixed, 0, 24 * n), what);
    }
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->total, 2 * MD_SUMS * sizeof(double)), what);
    TORRE_CUDA_TRY(cudaMalloc((void **)&s->control, sizeof(md_control)), what);
    TORRE_CUDA_TRY(cudaMallocHost(&s->pinned, sizeof(md_control) + 2 * MD_SUMS * sizeof(double)),
                   what);
    TORRE_CUDA_TRY(cudaMallocHost((void **)&s->looked, 2 * sizeof *s->looked), what);
    for (int k = 0; k < 2; k++)
        TORRE_CUDA_TRY(cudaEventCreateWithFlags(&s->look[k], cudaEventDisableTiming), "an event");
    s->tiles.control = s->control;
    return md_cuda_tables(s);
}

void md_cuda_begin(const md_cuda_program *program, md_cuda_solver *s)
{
    s->program = program;
    s->problem = program->base.problem;
    s->plan = &program->base.info.plan;
    s->kernels = program->kernels;
    s->layout = program->layout;
    s->crowding = (md_crowding){1, 1, 1};
}

static torre_status cuda_create(torre_md_program *program, torre_md_solver **solver)
{
    const torre_md_problem *problem = program->problem;
    if (problem->model == TORRE_MODEL_MPS) return torre_mps_cuda.create(program, solver);
    md_cuda_solver *s = calloc(1, sizeof *s);
    if (!s) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the solver");
    s->base.backend = &torre_md_cuda;
    md_cuda_begin((md_cuda_program *)program, s);
    s->dissipates = torre_pair_dissipates(problem->model);
    s->counts.dangerous_builds = s->plan->rebuild_check ? 0 : -1;
    s->kernels->pair->make(problem, problem->dt / (2 * problem->mass), s->pair);
    torre_status status = torre_cuda_status(cudaSetDevice(s->plan->device), "choosing the device");
    if (!status) status = md_cuda_allocate(s);
    if (!status) status = md_cuda_lists(s, s->layout.brick_count);
    if (status) {
        cuda_destroy(&s->base);
        return status;
    }
    s->base.program = program;
    *solver = &s->base;
    return TORRE_OK;
}

/* Copy between [axis][id] of f64 and an array of 4 reals in the order of ids; w is 0. */
static void pack(int state_bytes, const double *const from[3], int64_t first, int64_t n, void *to)
{
    for (int64_t i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++) {
            if (state_bytes == 4)
                ((float *)to)[4 * i + a] = (float)from[a][first + i];
            else
                ((double *)to)[4 * i + a] = from[a][first + i];
        }
        if (state_bytes == 4)
            ((float *)to)[4 * i + 3] = 0;
        else
            ((double *)to)[4 * i + 3] = 0;
    }
}

static torre_status upload(md_cuda_solver *s, const double *const from[3], void *to, void *chunk)
{
    size_t each = 4 * (size_t)s->kernels->state->state_bytes;
    for (int64_t first = 0; first < s->problem->count; first += CHUNK) {
        int64_t n = s->problem->count - first < CHUNK ? s->problem->count - first : CHUNK;
        pack(s->kernels->state->state_bytes, from, first, n, chunk);
        TORRE_CUDA_TRY(cudaMemcpy((char *)to + each * (size_t)first, chunk, each * (size_t)n,
                                  cudaMemcpyHostToDevice),
                       "sending particles to the device");
    }
    return TORRE_OK;
}

static torre_status upload_all(md_cuda_solver *s, const double *const position[3],
                               const double *const velocity[3], void *chunk)
{
    TORRE_TRY(upload(s, position, s->x[0], chunk));
    TORRE_TRY(upload(s, velocity, s->v[0], chunk));
    int *ids = chunk;
    for (int64_t first = 0; first < s->problem->count; first += CHUNK) {
        int64_t n = s->problem->count - first < CHUNK ? s->problem->count - first : CHUNK;
        for (int64_t i = 0; i < n; i++) ids[i] = (int)(first + i);
        TORRE_CUDA_TRY(cudaMemcpy(s->id[0] + first, ids, 4 * (size_t)n, cudaMemcpyHostToDevice),
                       "sending particles to the device");
    }
    size_t bytes = 4 * (size_t)s->kernels->state->state_bytes * (size_t)s->problem->count;
    TORRE_CUDA_TRY(cudaMemcpy(s->x_built, s->x[0], bytes, cudaMemcpyDeviceToDevice),
                   "sending particles to the device");
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), "sending particles to the device");
    return TORRE_OK;
}

torre_status md_cuda_upload(md_cuda_solver *s, const double *const position[3],
                            const double *const velocity[3])
{
    void *chunk = malloc(4 * sizeof(double) * CHUNK);
    if (!chunk) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy buffer");
    torre_status status = upload_all(s, position, velocity, chunk);
    free(chunk);
    s->x_now = s->v_now = s->id_now = 0;
    return status;
}

static torre_status cuda_set_particles(torre_md_solver *solver, const double *const position[3],
                                       const double *const velocity[3])
{
    md_cuda_solver *s = self(solver);
    TORRE_CUDA_TRY(cudaSetDevice(s->plan->device), "choosing the device");
    TORRE_TRY(md_cuda_upload(s, position, velocity));
    s->step = 0;
    s->ready = false;
    TORRE_TRY(md_cuda_start(s));
    s->ready = true;
    memset(s->sampled, 0, sizeof s->sampled);
    s->sampled_builds = s->sampled_steps = s->segments = s->steps_done = 0;
    s->loop_seconds = 0;
    s->counts = (torre_md_counts){.dangerous_builds = s->plan->rebuild_check ? 0 : -1};
    return TORRE_OK;
}

static torre_status not_ready(void)
{
    return torre_fail(TORRE_ERR_USAGE, "the solver has no particles: set_particles comes first");
}

static torre_status cuda_advance(torre_md_solver *solver, int64_t steps)
{
    md_cuda_solver *s = self(solver);
    if (!s->ready) return not_ready();
    TORRE_CUDA_TRY(cudaSetDevice(s->plan->device), "choosing the device");
    return md_cuda_advance(s, steps);
}

static double wrapped(double r, double edge)
{
    r -= edge * floor(r / edge);
    return r < edge ? r : 0;
}

torre_status md_cuda_download(md_cuda_solver *s, const void *from, const double *box,
                              double *const to[], int components)
{
    int bytes = s->kernels->state->state_bytes;
    size_t each = 4 * (size_t)bytes;
    void *chunk = malloc(each * CHUNK);
    int *ids = malloc(4 * (size_t)CHUNK);
    torre_status status =
        chunk && ids ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy buffer");
    for (int64_t first = 0; !status && first < s->problem->count; first += CHUNK) {
        int64_t n = s->problem->count - first < CHUNK ? s->problem->count - first : CHUNK;
        cudaError_t error = cudaMemcpy(chunk, (const char *)from + each * (size_t)first,
                                       each * (size_t)n, cudaMemcpyDeviceToHost);
        if (!error)
            error =
                cudaMemcpy(ids, s->id[s->id_now] + first, 4 * (size_t)n, cudaMemcpyDeviceToHost);
        status = torre_cuda_status(error, "reading particles from the device");
        for (int64_t i = 0; !status && i < n; i++) {
            for (int a = 0; a < components; a++) {
                if (!to[a]) continue;
                double value =
                    bytes == 4 ? ((float *)chunk)[4 * i + a] : ((double *)chunk)[4 * i + a];
                to[a][ids[i]] = box && a < 3 ? wrapped(value, box[a]) : value;
            }
        }
    }
    free(chunk);
    free(ids);
    return status;
}

static torre_status cuda_get_particles(torre_md_solver *solver, double *const position[3],
                                       double *const velocity[3])
{
    md_cuda_solver *s = self(solver);
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "reading particles from the device");
    if (position) TORRE_TRY(md_cuda_download(s, s->x[s->x_now], s->problem->box, position, 3));
    if (velocity) TORRE_TRY(md_cuda_download(s, s->v[s->v_now], NULL, velocity, 3));
    return TORRE_OK;
}

static torre_status cuda_get_forces(torre_md_solver *solver, double *const force[3])
{
    md_cuda_solver *s = self(solver);
    if (!s->ready) return not_ready();
    return md_cuda_download(s, s->f, NULL, force, 3);
}

static torre_status cuda_sums(torre_md_solver *solver, torre_md_sums *sums)
{
    md_cuda_solver *s = self(solver);
    if (!s->ready) return not_ready();
    *sums = s->sums;
    return TORRE_OK;
}

/* Phases are sampled; their means times the counts, cut to what the loop took. */
static void cuda_times(const torre_md_solver *solver, torre_md_times *times,
                       torre_md_counts *counts)
{
    const md_cuda_solver *s = (const md_cuda_solver *)solver;
    *counts = s->counts;
    memset(times, 0, sizeof *times);
    times->other = s->loop_seconds;
    if (!s->sampled_builds || !s->sampled_steps) return;
    double builds = (double)s->counts.builds / (double)s->sampled_builds;
    times->sort = s->sampled[0] * builds;
    times->neighbor = s->sampled[1] * builds;
    times->force = s->sampled[2] * (double)s->steps_done / (double)s->sampled_steps;
    double sum = times->sort + times->neighbor + times->force;
    double scale = sum > s->loop_seconds ? s->loop_seconds / sum : 1;
    times->sort *= scale;
    times->neighbor *= scale;
    times->force *= scale;
    times->other = s->loop_seconds - scale * sum;
}

const torre_md_backend torre_md_cuda = {
    .name = "cuda",
    .plan = cuda_plan,
    .create = cuda_create,
    .set_particles = cuda_set_particles,
    .advance = cuda_advance,
    .get_particles = cuda_get_particles,
    .get_forces = cuda_get_forces,
    .sums = cuda_sums,
    .times = cuda_times,
    .destroy = cuda_destroy,
};
