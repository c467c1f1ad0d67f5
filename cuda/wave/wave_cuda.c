/* The cuda backend: whether it can run, and its table of functions. */
#include "cuda/wave/wave_cuda.h"

#include "core/backend.h"
#include "cuda/core/cuda_device.h"
#include "cuda/core/device_way.h"
#include "cuda/wave/wave_solver.h"

bool torre_cuda_available(int device, char *why, size_t why_size)
{
    return torre_cuda_device_usable(device, torre_wave_probe, why, why_size);
}

const torre_wave_backend torre_wave_cuda_solver = {
    .name = "cuda",
    .restart = torre_cuda_restart,
    .move = torre_cuda_move,
    .renew = torre_cuda_renew,
    .model_bytes = torre_cuda_model_bytes,
    .read_model = torre_cuda_read_model,
    .use_model = torre_cuda_use_model,
    .use_sums = torre_cuda_use_sums,
    .settle_sums = torre_cuda_settle_sums,
    .place = torre_cuda_place,
    .hand_on = torre_cuda_hand_on,
    .await = torre_cuda_await,
    .set_step = torre_cuda_set_step,
    .write_box = torre_cuda_write_box,
    .read_box = torre_cuda_read_box,
    .rest = torre_cuda_rest,
    .write_layer = torre_cuda_write_layer,
    .read_layer = torre_cuda_read_layer,
    .take_layer = torre_cuda_take_layer,
    .plane_rows = torre_cuda_plane_rows,
    .write_planes = torre_cuda_write_planes,
    .read_planes = torre_cuda_read_planes,
    .advance = torre_cuda_advance,
    .advance_to = torre_cuda_advance_to,
    .advance_receivers = torre_cuda_advance_receivers,
    .advance_planes = torre_cuda_advance_planes,
    .norms = torre_cuda_norms,
    .destroy = torre_cuda_destroy,
};

/* A solver that a program's maker made (ring.h) has functions of its own. */
static torre_status adapt(const torre_wave_program *program, const torre_wave_setup *setup,
                          torre_wave_program **adapted)
{
    return program->maker ? program->maker->adapt(program, setup, adapted)
                          : torre_cuda_adapt(program, setup, adapted);
}

static torre_status create(torre_wave_program *program, torre_wave_solver **solver)
{
    if (!program->maker) return torre_cuda_create(program, solver);
    TORRE_TRY(program->maker->create(program, solver));
    (*solver)->program = program;
    return TORRE_OK;
}

static torre_status restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                            bool new_medium)
{
    solver->program->setup = setup;
    return solver->backend->restart(solver, setup, new_medium);
}

static torre_status move(torre_wave_solver *solver, const torre_wave_setup *setup, int64_t n)
{
    return solver->backend->move(solver, setup, n);
}

static torre_status set_step(torre_wave_solver *solver, int64_t n)
{
    return solver->backend->set_step(solver, n);
}

static torre_status write_box(torre_wave_solver *solver, int level, const torre_box *box,
                              const int64_t stride[3], const void *values)
{
    return solver->backend->write_box(solver, level, box, stride, values);
}

static torre_status read_box(torre_wave_solver *solver, int level, const torre_box *box,
                             const int64_t stride[3], void *values)
{
    return solver->backend->read_box(solver, level, box, stride, values);
}

static torre_status rest(torre_wave_solver *solver, const uint64_t *seed, bool *made)
{
    *made = false;
    return solver->backend->rest ? solver->backend->rest(solver, seed, made) : TORRE_OK;
}

static torre_status write_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                                const int64_t stride[3], const void *values)
{
    return solver->backend->write_layer(solver, slice, stride, values);
}

static torre_status read_layer(torre_wave_solver *solver, const torre_layer_slice *slice,
                               const int64_t stride[3], void *values)
{
    return solver->backend->read_layer(solver, slice, stride, values);
}

static torre_status advance(torre_wave_solver *solver, int64_t steps, void *samples)
{
    return solver->backend->advance(solver, steps, samples);
}

static torre_status advance_to(torre_wave_solver *solver, int64_t steps, int64_t plane,
                               void *samples)
{
    return solver->backend->advance_to(solver, steps, plane, samples);
}

static torre_status advance_receivers(torre_wave_solver *solver, int64_t steps, void *samples)
{
    return solver->backend->advance_receivers(solver, steps, samples);
}

static torre_status advance_planes(torre_wave_solver *solver, int64_t steps, void *samples,
                                   void *planes)
{
    return solver->backend->advance_planes(solver, steps, samples, planes);
}

static torre_status norms(torre_wave_solver *solver, torre_wave_norms *norms)
{
    return solver->backend->norms(solver, norms);
}

static void destroy(torre_wave_solver *solver)
{
    if (!solver) return;
    torre_wave_program *program = solver->program;
    solver->backend->destroy(solver);
    torre_wave_program_free(program);
}

const torre_wave_backend torre_wave_cuda = {
    .name = "cuda",
    .plan = torre_cuda_plan,
    .adapt = adapt,
    .create = create,
    .restart = restart,
    .move = move,
    .for_parts = torre_cuda_for_parts,
    .end_planes = torre_cuda_end_planes,
    .renew = torre_cuda_renew,
    .model_bytes = torre_cuda_model_bytes,
    .read_model = torre_cuda_read_model,
    .use_model = torre_cuda_use_model,
    .use_sums = torre_cuda_use_sums,
    .settle_sums = torre_cuda_settle_sums,
    .place = torre_cuda_place,
    .hand_on = torre_cuda_hand_on,
    .await = torre_cuda_await,
    .transport = torre_cuda_transport,
    .ways = torre_device_ways,
    .take_host = torre_cuda_take_host,
    .free_host = torre_cuda_free_host,
    .part_cost = torre_cuda_part_cost,
    .set_step = set_step,
    .write_box = write_box,
    .read_box = read_box,
    .rest = rest,
    .write_layer = write_layer,
    .read_layer = read_layer,
    .layer_place = torre_cuda_layer_place,
    .take_layer = torre_cuda_take_layer,
    .plane_rows = torre_cuda_plane_rows,
    .advance = advance,
    .advance_to = advance_to,
    .advance_receivers = advance_receivers,
    .advance_planes = advance_planes,
    .norms = norms,
    .destroy = destroy,
};
