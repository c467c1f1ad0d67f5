/* The cuda backend of particles: choices, and what all methods have in common. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "cuda/core/cuda_device.h"
#include "cuda/core/device_way.h"
#include "md_share.h"
#include "particles/grains.h"
#include "particles/md_types.h"

static md_layout_wish benchmark_wish;

void md_cuda_wish(const md_layout_wish *wish)
{
    benchmark_wish = wish ? *wish : (md_layout_wish){{0}, 0, 0, 0};
}

static md_cuda_solver *self(torre_md_solver *solver) { return (md_cuda_solver *)solver; }

static torre_status look_at_device(md_cuda_program *program)
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

static torre_status find_kernels(md_cuda_program *program)
{
    const torre_md_problem *p = program->base.problem;
    program->kernels =
        md_kernels_find(p->model, p->precision, p->types != NULL || torre_md_is_rough(p));
    if (program->kernels) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "this build of the cuda backend has no model %s in %s (CMake: "
                      "TORRE_PRECISIONS)",
                      torre_pair_model_name(p->model), torre_md_precision_name(p->precision));
}

/* The choices that do not depend on the device. */
static torre_status fill_plan(md_cuda_program *program)
{
    const torre_md_problem *p = program->base.problem;
    torre_md_plan *plan = &program->base.info.plan;
    if (plan->sort_every == TORRE_MD_MEASURED)
        return torre_fail(TORRE_ERR_USAGE, "{sort_every} auto needs {backend} cpu (got cuda)");
    if (p->count >= (int64_t)1 << MD_INDEX_BITS)
        return torre_fail(TORRE_ERR_USAGE,
                          "the cuda backend holds at most %lld particles (got %lld)",
                          ((long long)1 << MD_INDEX_BITS) - 1, (long long)p->count);
    TORRE_TRY(program->method->plan(program));
    if (plan->rebuild_every == 0) {
        plan->rebuild_every = 1;
        plan->rebuild_check = true;
    }
    if (plan->sort_every == 0) plan->sort_every = plan->rebuild_every;
    if (plan->block % 32 || plan->block < 0 || plan->block > program->kernels->block_max)
        return torre_fail(TORRE_ERR_USAGE, "a block must be a multiple of 32 up to %d (got %d)",
                          program->kernels->block_max, plan->block);
    plan->deterministic = true; /* always */
    return torre_md_plan_check(p, plan);
}

void md_cuda_room(const torre_md_problem *problem, const double box[3], double room[3])
{
    for (int a = 0; a < 3; a++)
        room[a] = problem->ensemble == TORRE_NPT ? box[a] / MD_ROOM_LEAST : box[a];
}

torre_status md_cuda_layout(const md_cuda_program *program, const md_crowding *crowding,
                            const double room[3], md_layout *layout)
{
    torre_md_problem filled = *program->base.problem;
    filled.count = program->filling;
    memcpy(filled.box, room, sizeof filled.box);
    TORRE_TRY(md_layout_choose(&filled, &program->base.info.plan, &program->limits, &program->wish,
                               crowding, layout));
    const double bins = (double)layout->brick_count * layout->slots + 1;
    if (bins <= INT32_MAX) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "%.2g bins are more than the cuda backend can index; use a larger "
                      "{bin_size}",
                      bins);
}

/* Bricks that lists need room for: all, or of sparse methods, those that hold particles. */
static int first_pages(const md_cuda_program *program)
{
    const md_layout *l = &program->layout;
    if (!program->method->sparse) return l->brick_count;
    const double lanes = (double)program->base.problem->count * l->lanes_per_place;
    return (int)fmin(ceil(1.5 * lanes / l->lanes_mean), l->brick_count);
}

static torre_status check_memory(const md_cuda_program *program)
{
    const int64_t needed = program->base.info.memory_bytes, count = program->base.problem->count;
    size_t available, all;
    TORRE_CUDA_TRY(cudaMemGetInfo(&available, &all), "asking for free memory");
    if (needed <= (int64_t)available) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE,
                      "%lld particles need %.2f GB on the device, which has %.2f GB free; at "
                      "most about %.2e fit",
                      (long long)count, 1e-9 * (double)needed, 1e-9 * (double)available,
                      (double)count * (double)available / (double)needed);
}

/* The shape in words. */
static void describe(md_cuda_program *program, bool block_was_open)
{
    const md_layout *l = &program->layout;
    torre_md_info *info = &program->base.info;
    const bool tiles = info->plan.neighbor == TORRE_NEIGHBOR_TILE;
    snprintf(info->kernel, sizeof info->kernel,
             "%s%s, bricks of %dx%dx%d bins, %d lane%s a particle, blocks of %d threads",
             torre_neighbor_name(info->plan.neighbor), tiles ? "s" : " lists", l->brick_max[0],
             l->brick_max[1], l->brick_max[2], l->lanes_per_place,
             l->lanes_per_place > 1 ? "s" : "", l->block);
    torre_md_program_because(
        &program->base, "bricks%s: the least time of a step, modelled, that fits shared memory",
        block_was_open ? " and blocks" : "");
}

static torre_status fill_program(md_cuda_program *program)
{
    torre_md_info *info = &program->base.info;
    const md_layout *layout = &program->layout;
    const double *edge = layout->grid.edge;
    double room[3];
    program->method =
        program->base.problem->model == TORRE_MODEL_MPS ? &md_cuda_mps : &md_cuda_pairs;
    program->wish = benchmark_wish;
    program->filling = program->base.problem->count;
    TORRE_TRY(find_kernels(program));
    TORRE_TRY(fill_plan(program));
    TORRE_TRY(look_at_device(program));
    md_cuda_room(program->base.problem, program->base.problem->box, room);
    TORRE_TRY(md_cuda_layout(program, &(md_crowding){1, 1, 1}, room, &program->layout));
    program->list_pages = first_pages(program);
    program->places = program->base.problem->count;
    for (int a = 0; a < 3; a++) info->bins[a] = layout->grid.n[a];
    describe(program, info->plan.block == 0);
    info->plan.block = layout->block;
    if (info->plan.bin_size == 0)
        info->plan.bin_size = fmin(edge[0], fmin(edge[1], edge[2])) * (1 - 1e-9);
    TORRE_TRY(md_cuda_bytes(program, &info->memory_bytes));
    return check_memory(program);
}

static torre_status cuda_share(torre_md_program *base, const torre_ranks *ranks,
                               torre_rank_path *const *path)
{
    md_cuda_program *program = (md_cuda_program *)base;
    TORRE_TRY(md_share_check(program, ranks));
    program->ranks = ranks;
    program->path = path;
    program->places = md_share_places(program);
    return md_cuda_bytes(program, &base->info.memory_bytes);
}

static torre_status cuda_plan(const torre_md_problem *problem, const torre_md_plan *wish,
                              torre_md_program **program)
{
    torre_md_program *made;
    TORRE_TRY(torre_md_program_new(sizeof(md_cuda_program), problem, wish, &made));
    torre_status status = fill_program((md_cuda_program *)made);
    if (status)
        torre_md_program_free(made);
    else
        *program = made;
    return status;
}

static void cuda_destroy(torre_md_solver *solver)
{
    if (!solver) return;
    md_cuda_free(self(solver));
    torre_md_program_free(solver->program);
    free(solver);
}

static torre_status cuda_create(torre_md_program *base, torre_md_solver **solver)
{
    const md_cuda_program *program = (const md_cuda_program *)base;
    md_cuda_solver *s = calloc(1, sizeof *s);
    if (!s) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the solver");
    s->base.backend = &torre_md_cuda;
    s->program = program;
    s->problem = base->problem;
    s->plan = &base->info.plan;
    s->kernels = program->kernels;
    s->layout = program->layout;
    s->crowding = (md_crowding){1, 1, 1};
    s->places = program->places;
    s->count = s->own_count = s->problem->count;
    memcpy(s->box, s->problem->box, sizeof s->box);
    md_cuda_room(s->problem, s->box, s->room);
    torre_status status = torre_cuda_status(cudaSetDevice(s->plan->device), "choosing the device");
    if (!status) status = md_cuda_allocate(s);
    if (status) {
        cuda_destroy(&s->base);
        return status;
    }
    s->base.program = base;
    *solver = &s->base;
    return TORRE_OK;
}

static torre_status cuda_set_particles(torre_md_solver *solver, const double *const position[3],
                                       const double *const velocity[3])
{
    md_cuda_solver *s = self(solver);
    TORRE_CUDA_TRY(cudaSetDevice(s->plan->device), "choosing the device");
    TORRE_TRY(md_cuda_upload(s, position, velocity));
    s->ready = false;
    s->step = s->last_build = 0;
    s->last_sort = -1;
    s->permuted = s->plan->sort_every == TORRE_MD_NEVER;
    TORRE_TRY(s->program->method->begin(s));
    s->ready = true;
    s->loop_seconds = 0;
    s->steps_done = 0;
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
    if (steps <= 0) return TORRE_OK;
    TORRE_CUDA_TRY(cudaSetDevice(s->plan->device), "choosing the device");
    const double start = torre_time_now();
    TORRE_TRY(s->program->method->advance(s, steps));
    s->steps_done += steps;
    s->loop_seconds += torre_time_now() - start;
    return TORRE_OK;
}

static void cuda_box(const torre_md_solver *solver, double box[3])
{
    const md_cuda_solver *s = (const md_cuda_solver *)solver;
    memcpy(box, s->box, sizeof s->box);
}

static torre_status cuda_get_particles(torre_md_solver *solver, double *const position[3],
                                       double *const velocity[3])
{
    md_cuda_solver *s = self(solver);
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), "reading particles from the device");
    if (position) TORRE_TRY(md_cuda_download(s, s->x[s->x_now], s->box, position, 3));
    if (velocity) TORRE_TRY(md_cuda_download(s, s->v[s->v_now], NULL, velocity, 3));
    return TORRE_OK;
}

static torre_status cuda_get_forces(torre_md_solver *solver, double *const force[3])
{
    md_cuda_solver *s = self(solver);
    if (!s->ready) return not_ready();
    TORRE_TRY(md_cuda_download(s, s->f, NULL, force, 3));
    for (int a = 0; s->problem->types && a < 3; a++)
        for (int64_t i = 0; i < s->problem->count && force[a]; i++)
            force[a][i] *= torre_md_mass(s->problem, i) / s->problem->mass;
    return TORRE_OK;
}

static torre_status cuda_get_spins(torre_md_solver *solver, double *const spin[3])
{
    md_cuda_solver *s = (md_cuda_solver *)solver;
    TORRE_CUDA_TRY(cudaSetDevice(s->plan->device), "choosing the device");
    return md_cuda_download(s, s->spin[s->v_now], NULL, spin, 3);
}

static torre_status cuda_get_fields(torre_md_solver *solver, const torre_md_fields *fields)
{
    md_cuda_solver *s = self(solver);
    if (!s->ready) return not_ready();
    return s->program->method->get_fields(s, fields);
}

static torre_status cuda_row(torre_md_solver *solver, const struct torre_mps_measure *measure,
                             struct torre_mps_row *row)
{
    md_cuda_solver *s = self(solver);
    if (!s->ready) return not_ready();
    return s->program->method->row(s, measure, row);
}

static torre_status cuda_near(torre_md_solver *solver, const struct torre_mps_region *regions,
                              int count, struct torre_mps_near *near)
{
    md_cuda_solver *s = self(solver);
    if (!s->ready) return not_ready();
    return s->program->method->near(s, regions, count, near);
}

static torre_status cuda_sums(torre_md_solver *solver, torre_md_sums *sums)
{
    md_cuda_solver *s = self(solver);
    if (!s->ready) return not_ready();
    return s->program->method->sums(s, sums);
}

static void cuda_times(const torre_md_solver *solver, torre_md_times *times,
                       torre_md_counts *counts)
{
    const md_cuda_solver *s = (const md_cuda_solver *)solver;
    *counts = s->counts;
    s->program->method->times(s, times);
    times->waited = s->share ? s->share->waited_s : 0;
}

const torre_md_backend torre_md_cuda = {
    .name = "cuda",
    .plan = cuda_plan,
    .share = cuda_share,
    .ways = torre_device_ways,
    .transport = torre_cuda_transport,
    .create = cuda_create,
    .set_particles = cuda_set_particles,
    .advance = cuda_advance,
    .box = cuda_box,
    .get_particles = cuda_get_particles,
    .get_forces = cuda_get_forces,
    .get_fields = cuda_get_fields,
    .get_spins = cuda_get_spins,
    .row = cuda_row,
    .near = cuda_near,
    .sums = cuda_sums,
    .times = cuda_times,
    .state = md_cuda_state,
    .resume = md_cuda_resume,
    .destroy = cuda_destroy,
};
