/* Whether a GPU can be used, for all CUDA backends. */
#ifndef TORRE_CUDA_DEVICE_H
#define TORRE_CUDA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

#include "core/status.h"

/* Whether the GPU of this number is there and runs the kernel of `probe` (launched and waited for);
 * otherwise false with one line. Makes it the current device. */
bool torre_cuda_device_usable(int device, cudaError_t (*probe)(void), char *why, size_t why_size);

/* Whether `device` can read and write the memory of the other itself. */
bool torre_cuda_reaches(int device, int other);

/* From now on `device`, the present one, reads and writes the memory of the other itself, where it
 * can; else copies between the two go by way of the host. */
torre_status torre_cuda_reach(int device, int other);

/* How copies between these devices go, in words. */
const char *torre_cuda_transport(const int *device, int count);

#endif
