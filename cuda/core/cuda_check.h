/* CUDA errors as statuses. */
#ifndef TORRE_CUDA_CHECK_H
#define TORRE_CUDA_CHECK_H

#include <cuda_runtime_api.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TORRE_ERR_RESOURCE with what was being done ("computing steps") and what CUDA says of it, or how
 * much memory the device has left where that ran out. The error is cleared: later calls are not to
 * blame. */
torre_status torre_cuda_status(cudaError_t error, const char *what);

/* Return that from the calling function when a CUDA call failed. */
#define TORRE_CUDA_TRY(expr, what)                                                                 \
    do {                                                                                           \
        cudaError_t torre_cuda_error_ = (expr);                                                    \
        if (torre_cuda_error_ != cudaSuccess) return torre_cuda_status(torre_cuda_error_, what);   \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
