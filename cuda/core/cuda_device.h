/* Whether a GPU can be used, for all CUDA backends. */
#ifndef TORRE_CUDA_DEVICE_H
#define TORRE_CUDA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

/* Whether the GPU of this number is there and runs the kernel of `probe` (launched and waited for);
 * otherwise false with one line. Makes it the current device. */
bool torre_cuda_device_usable(int device, cudaError_t (*probe)(void), char *why, size_t why_size);

#endif
