/* The cuda backend: whether it can run, and its table of functions. */
#include "cuda/wave/wave_cuda.h"

#include "core/backend.h"
#include "cuda/core/cuda_device.h"
#include "cuda/wave/wave_solver.h"

bool torre_cuda_available(int device, char *why, size_t why_size)
{
    return torre_cuda_device_usable(device, torre_wave_probe, why, why_size);
}

const torre_wave_backend torre_wave_cuda = {
    .name = "cuda",
    .plan = torre_cuda_plan,
    .adapt = torre_cuda_adapt,
    .create = torre_cuda_create,
    .set_step = torre_cuda_set_step,
    .write_box = torre_cuda_write_box,
    .read_box = torre_cuda_read_box,
    .write_layer = torre_cuda_write_layer,
    .read_layer = torre_cuda_read_layer,
    .advance = torre_cuda_advance,
    .advance_receivers = torre_cuda_advance_receivers,
    .norms = torre_cuda_norms,
    .destroy = torre_cuda_destroy,
};
