/* Another shot with the memory that there is (restart of wave/backend.h). */
#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_solver.h"

static const char sending[] = "sending another shot";

/* The fields and the memory of layers; only enqueued. */
static torre_status clear_levels(torre_cuda_solver *s)
{
    const torre_cuda_piece levels[] = {TORRE_PIECE_FIELDS, TORRE_PIECE_FIELDS + 1,
                                       TORRE_PIECE_LAYERS, TORRE_PIECE_LAYERS + 1};
    for (int i = 0; i < 4; i++)
        if (s->memory[levels[i]])
            TORRE_CUDA_TRY(
                cudaMemsetAsync(s->memory[levels[i]], 0, s->program->bytes[levels[i]], s->stream),
                "clearing fields");
    return TORRE_OK;
}

/* What the device has of the grid stays: fields, the medium, damping. */
static void take_program(torre_cuda_solver *s, const torre_cuda_program *next)
{
    s->program = next;
    s->setup = &next->turned.setup;
    s->args.points = next->args.points;
    s->n = 0;
}

torre_status torre_cuda_restart(torre_wave_solver *solver, const torre_wave_setup *setup,
                                bool new_medium)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    torre_wave_program *before = solver->program, *next;
    TORRE_CUDA_TRY(cudaSetDevice(before->info.plan.device), "choosing the device");
    s->kept.steps = 0;
    torre_cuda_forget(s);
    TORRE_TRY(torre_cuda_adapt(before, setup, &next));
    solver->program = next;
    take_program(s, (const torre_cuda_program *)next);
    torre_status status = torre_cuda_make_room(s);
    if (!status) status = clear_levels(s);
    if (!status && new_medium) status = torre_cuda_send_medium(s);
    if (!status) status = torre_cuda_points_new(s);
    /* not the whole device, on which another solver may compute */
    if (!status) status = torre_cuda_status(cudaStreamSynchronize(s->stream), sending);
    if (!status) status = torre_cuda_status(cudaStreamSynchronize(cudaStreamLegacy), sending);
    torre_wave_program_free(before);
    return status;
}
