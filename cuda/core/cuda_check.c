#include "cuda/core/cuda_check.h"

torre_status torre_cuda_status(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return TORRE_OK;
    cudaGetLastError();
    if (error == cudaErrorMemoryAllocation) {
        size_t available = 0, all = 0;
        cudaMemGetInfo(&available, &all);
        return torre_fail(TORRE_ERR_RESOURCE, "%s: the device has %.2f of %.2f GB left, too little",
                          what, 1e-9 * (double)available, 1e-9 * (double)all);
    }
    return torre_fail(TORRE_ERR_RESOURCE, "%s: %s (CUDA error %d)", what, cudaGetErrorString(error),
                      (int)error);
}
