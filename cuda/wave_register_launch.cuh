/* Host side of one instance of the register tower kernel: shape and launch. */
#ifndef TORRE_WAVE_REGISTER_LAUNCH_CUH
#define TORRE_WAVE_REGISTER_LAUNCH_CUH

#include <stdlib.h>

#include "wave_register_tower.cuh"

/* Variant: bit 0 sources or receivers, bit 1 absorbing layers, bit 2 velocity array. */
constexpr int REGISTER_VARIANTS = 8, REGISTER_POINTS = 1, REGISTER_LAYERS = 2, REGISTER_MODEL = 4;
template <class T, int D, int VARIANT = 0> const void *register_tower_function(int variant)
{
    if constexpr (VARIANT < REGISTER_VARIANTS) {
        if (variant == VARIANT)
            return (const void *)register_tower_kernel<T, D, (VARIANT & REGISTER_MODEL) != 0,
                                                       (VARIANT & REGISTER_LAYERS) != 0,
                                                       (VARIANT & REGISTER_POINTS) != 0>;
        return register_tower_function<T, D, VARIANT + 1>(variant);
    }
    return nullptr;
}

/* Compute capability 9.0 only, unless TORRE_CUDA_PLAIN is set in the environment (for tests); not
 * with periodic z faces, whose halos wrap. */
template <class T, int D>
cudaError_t register_tower_shape_of(bool periodic_z, torre_tower_shape *shape)
{
    using S = register_shape<T, D, false>;
    constexpr int shared_bytes[2] = {S::shared_bytes, register_shape<T, D, true>::shared_bytes};
    int device, major, limit;
    cudaFuncAttributes f;
    cudaError_t e = cudaGetDevice(&device);
    if (!e) e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (!e) e = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e) return e;
    if (major != 9 || periodic_z || getenv("TORRE_CUDA_PLAIN") || shared_bytes[1] > limit)
        return cudaErrorInvalidConfiguration;
    for (int variant = REGISTER_VARIANTS - 1; variant >= 0; variant--) {
        const int model = variant / REGISTER_MODEL;
        const void *k = register_tower_function<T, D>(variant);
        e = cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 shared_bytes[model]);
        if (!e) e = cudaFuncGetAttributes(&f, k);
        if (!e)
            e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&shape->blocks_per_sm, k, S::threads,
                                                              shared_bytes[model]);
        if (e) return e;
        if (shape->blocks_per_sm < 1) return cudaErrorInvalidConfiguration;
    }
    shape->blocks_per_sm = 1; /* all blocks of a launch must be resident, whichever variant runs */
    shape->threads = S::threads;
    shape->registers = f.numRegs;
    shape->spill_bytes = (int)f.localSizeBytes;
    shape->planes = S::planes;
    shape->block_x = 1;
    shape->shared_bytes = S::shared_bytes;
    shape->mailbox_bytes = S::mailbox_bytes;
    return cudaSuccess;
}

template <class T, int D>
cudaError_t register_tower_launch(const torre_wave_args *args, const torre_tower_launch *launch,
                                  cudaStream_t stream)
{
    using S = register_shape<T, D, false>;
    const bool model = args->k != nullptr;
    const int shared_bytes = model ? register_shape<T, D, true>::shared_bytes : S::shared_bytes;
    register_tower_params<T, D> params;
    params.g = *args;
    params.l = *launch;
    params.c = stencil_weights<T>(*args);
    params.lines_x = (uint32_t)(args->stride_x * (int64_t)sizeof(T) / 128);
    params.lines_up = (uint32_t)((args->stride_x + args->stride_y) * (int64_t)sizeof(T) / 128);
    params.lines_down = (uint32_t)((args->stride_x - args->stride_y) * (int64_t)sizeof(T) / 128);
    for (int u = 0; u < S::E; u++)
        for (int v = u % 2; v < S::E; v += 2)
            params.offset[S::column_number(u, v)] =
                ((u + v) / 2 * args->stride_x + (u - v) / 2 * args->stride_y) * (int64_t)sizeof(T);
    void *arguments[] = {&params};
    const int variant = (model ? REGISTER_MODEL : 0) + (args->damping[0] ? REGISTER_LAYERS : 0) +
                        (args->points.first ? REGISTER_POINTS : 0);
    return cudaLaunchKernel(register_tower_function<T, D>(variant), dim3(launch->blocks),
                            dim3(S::threads), arguments, shared_bytes, stream);
}

#endif
