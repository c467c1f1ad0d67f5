#include "cuda/core/cuda_device.h"

#include <stdio.h>

#include "cuda/core/cuda_check.h"

bool torre_cuda_device_usable(int device, cudaError_t (*probe)(void), char *why, size_t why_size)
{
    int count = 0;
    cudaError_t e = cudaGetDeviceCount(&count);
    if (e == cudaErrorInsufficientDriver)
        snprintf(why, why_size, "no NVIDIA driver, or one older than this build's CUDA %d.%d",
                 CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    else if (e == cudaErrorNoDevice || (!e && count == 0))
        snprintf(why, why_size, "no NVIDIA GPU in this machine");
    else if (e)
        snprintf(why, why_size, "CUDA does not start: %s", cudaGetErrorString(e));
    else if (device < 0 || device >= count)
        torre_text(why, why_size,
                   "{device} %d does not exist, this machine has %d GPU%s: {device} 0%s", device,
                   count, count == 1 ? "" : "s", count == 1 ? "" : " and up");
    else {
        struct cudaDeviceProp p;
        e = cudaSetDevice(device);
        if (!e) e = probe();
        if (!e) return true;
        cudaGetLastError();
        if (e == cudaErrorNoKernelImageForDevice && !cudaGetDeviceProperties(&p, device))
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

bool torre_cuda_reaches(int device, int other)
{
    int can = 0;
    if (device == other) return true;
    if (cudaDeviceCanAccessPeer(&can, device, other) == cudaSuccess && can) return true;
    cudaGetLastError();
    return false;
}

torre_status torre_cuda_reach(int device, int other)
{
    if (device == other || !torre_cuda_reaches(device, other)) return TORRE_OK;
    const cudaError_t e = cudaDeviceEnablePeerAccess(other, 0);
    if (e != cudaErrorPeerAccessAlreadyEnabled) return torre_cuda_status(e, "reaching another GPU");
    cudaGetLastError();
    return TORRE_OK;
}

const char *torre_cuda_transport(const int *device, int count)
{
    for (int i = 1; i < count; i++)
        if (!torre_cuda_reaches(device[i - 1], device[i]) ||
            !torre_cuda_reaches(device[i], device[i - 1]))
            return "copies between GPUs by way of the host";
    return "copies from GPU to GPU";
}
