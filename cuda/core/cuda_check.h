/* CUDA errors as statuses. */
#ifndef TORRE_CUDA_CHECK_H
#define TORRE_CUDA_CHECK_H

#include <cuda_runtime_api.h>

#include "core/status.h"

/* Return from the calling function with TORRE_ERR_RESOURCE when a CUDA call failed. */
#define TORRE_CUDA_TRY(expr)                                                                       \
    do {                                                                                           \
        cudaError_t torre_cuda_error_ = (expr);                                                    \
        if (torre_cuda_error_ != cudaSuccess)                                                      \
            return torre_fail(TORRE_ERR_RESOURCE, "CUDA: %s: %s", #expr,                           \
                              cudaGetErrorString(torre_cuda_error_));                              \
    } while (0)

#endif
