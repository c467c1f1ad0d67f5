/* The cuda backend: whether it can run, and its table of functions. */
#include "cuda/wave_cuda.h"

#include <stdio.h>

#include "cuda/wave_solver.h"

static bool cuda_available(const torre_wave_plan *plan, char *why, size_t why_size)
{
    int count = 0, wanted = plan ? plan->device : 0;
    cudaError_t e = cudaGetDeviceCount(&count);
    if (e == cudaErrorInsufficientDriver)
        snprintf(why, why_size, "no NVIDIA driver, or one older than this build's CUDA %d.%d",
                 CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    else if (e == cudaErrorNoDevice || (!e && count == 0))
        snprintf(why, why_size, "no NVIDIA GPU in this machine");
    else if (e)
        snprintf(why, why_size, "CUDA does not start: %s", cudaGetErrorString(e));
    else if (wanted < 0 || wanted >= count)
        snprintf(why, why_size, "--device %d does not exist, this machine has devices 0 to %d",
                 wanted, count - 1);
    else {
        struct cudaDeviceProp p;
        e = cudaSetDevice(wanted);
        if (!e) e = torre_wave_probe();
        if (!e) return true;
        cudaGetLastError();
        if (e == cudaErrorNoKernelImageForDevice && !cudaGetDeviceProperties(&p, wanted))
            snprintf(why, why_size,
                     "no kernel for %s (compute capability %d.%d) in this build; add it to "
                     "CMAKE_CUDA_ARCHITECTURES",
                     p.name, p.major, p.minor);
        else
            snprintf(why, why_size, "the GPU cannot be used: %s", cudaGetErrorString(e));
    }
    cudaGetLastError();
    return false;
}

static torre_status cuda_plan(const torre_wave_setup *setup, const torre_wave_plan *wish,
                              torre_wave_info *info)
{
    const torre_tower_kernel *kernel;
    torre_tower_shape shape;
    return torre_cuda_plan(setup, wish, info, &kernel, &shape);
}

const torre_wave_backend torre_wave_cuda = {
    .name = "cuda",
    .available = cuda_available,
    .plan = cuda_plan,
    .create = torre_cuda_create,
    .set_fields = torre_cuda_set_fields,
    .advance = torre_cuda_advance,
    .get_field = torre_cuda_get_field,
    .get_plane = torre_cuda_get_plane,
    .norms = torre_cuda_norms,
    .destroy = torre_cuda_destroy,
};
