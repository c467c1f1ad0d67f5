/*
 * Launchers of the particle kernels for one model M; md_instance.cu.in fills md_kernels with them.
 */
#ifndef TORRE_MD_LAUNCH_CUH
#define TORRE_MD_LAUNCH_CUH

#include <string.h>

#include "md_half.cuh"
#include "md_launch.h"
#include "md_sort.cuh"
#include "md_thermostat.cuh"

inline int md_blocks(int count, int block) { return (count + block - 1) / block; }

/* Launch with dynamic shared memory above the default limit; overlap: programmatic dependence. */
inline cudaError_t md_launch(const void *kernel, int grid, int block, size_t shared, void **args,
                             bool overlap, cudaStream_t stream)
{
    if (shared > 44 * 1024) { /* 48 KB with what the kernel declares itself */
        cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
        if (error != cudaSuccess) return error;
    }
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)grid);
    config.blockDim = dim3((unsigned)block);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = overlap ? 1 : 0;
    return cudaLaunchKernelExC(&config, kernel, args);
}

#define MD_LAUNCH_TRY(expr)                                                                        \
    do {                                                                                           \
        cudaError_t md_error_ = (expr);                                                            \
        if (md_error_ != cudaSuccess) return md_error_;                                            \
    } while (0)

template <class M> struct md_launchers {
    typedef typename M::State R;

    static cudaError_t sort(const md_sort_args *a, cudaStream_t stream)
    {
        int bins = a->tiles.brick_count * a->tiles.slots + 1, grid = md_blocks(a->count, 256);
        MD_LAUNCH_TRY(cudaMemsetAsync(a->bin_count, 0, sizeof(int) * (size_t)bins, stream));
        md_bin_kernel<R><<<grid, 256, 0, stream>>>(*a);
        MD_LAUNCH_TRY(cudaGetLastError());
        MD_LAUNCH_TRY(
            md_scan(a->scan_scratch, a->scan_bytes, a->bin_count, a->tiles.start, bins, stream));
        md_place_kernel<<<grid, 256, 0, stream>>>(*a);
        MD_LAUNCH_TRY(cudaGetLastError());
        md_settle_kernel<R><<<grid, 256, 0, stream>>>(*a);
        MD_LAUNCH_TRY(cudaGetLastError());
        md_stage_kernel<<<a->tiles.brick_count, MD_STAGE_BLOCK, 0, stream>>>(*a);
        return cudaGetLastError();
    }

    static cudaError_t moved(md_control *control, int count, const void *x, const void *built,
                             cudaStream_t stream)
    {
        md_moved_kernel<R><<<md_blocks(count, 256), 256, 0, stream>>>(
            control, count, (const md_vec<R> *)x, (const md_vec<R> *)built);
        return cudaGetLastError();
    }

    static cudaError_t list(const md_list_args *a, cudaStream_t stream)
    {
        const void *kernel = a->half ? (const void *)md_list_kernel<R, true>
                                     : (const void *)md_list_kernel<R, false>;
        void *args[] = {(void *)a};
        return md_launch(kernel, a->pages, a->block, md_list_shared(&a->tiles, a->block), args,
                         false, stream);
    }

    static cudaError_t drift(const md_force_args *a, cudaStream_t stream)
    {
        md_drift_kernel<R><<<md_blocks(a->count, 256), 256, 0, stream>>>(*a);
        return cudaGetLastError();
    }

    static cudaError_t thermostat(const md_thermostat_args *a, cudaStream_t stream)
    {
        md_thermostat_kernel<R><<<md_particle_rows(a->count), 256, 0, stream>>>(*a);
        return cudaGetLastError();
    }

    template <int T, bool SWEEP> static const void *force_kernel(bool sums)
    {
        return sums ? (const void *)md_force_kernel<M, T, SWEEP, true>
                    : (const void *)md_force_kernel<M, T, SWEEP, false>;
    }

    static cudaError_t force(const md_force_args *a, const void *kernel, bool sums,
                             torre_neighbor neighbor, cudaStream_t stream)
    {
        size_t shared = md_force_shared(&a->tiles, neighbor, md_staged<typename M::F>::bytes);
        if (shared < (size_t)a->shared_floor) shared = (size_t)a->shared_floor;
        md_constants<M> constants;
        memcpy(&constants.pair, a->pair, sizeof constants.pair);
        constants.cutoff_sq = (typename M::F)a->cutoff_sq;
        constants.list_cutoff_sq = (typename M::F)a->list_cutoff_sq;
        constants.fixed_scale = (typename M::F)a->fixed_scale;
        constants.kick = (R)a->kick;
        constants.drift = (R)a->drift;
        constants.limit_sq = (R)a->limit_sq;
        void *args[] = {(void *)a, &constants};
        return md_launch(kernel, a->tiles.brick_count, a->block, shared, args, a->overlap && !sums,
                         stream);
    }

    static cudaError_t full(const md_force_args *a, bool sums, cudaStream_t stream)
    {
        const void *kernel = nullptr;
        switch (a->lanes_per_place) {
        case 1:
            kernel = force_kernel<1, false>(sums);
            break;
        case 2:
            kernel = force_kernel<2, false>(sums);
            break;
        case 4:
            kernel = force_kernel<4, false>(sums);
            break;
        default:
            return cudaErrorInvalidValue;
        }
        return force(a, kernel, sums, TORRE_NEIGHBOR_FULL, stream);
    }

    static cudaError_t sweep(const md_force_args *a, bool sums, cudaStream_t stream)
    {
        const void *kernel = nullptr;
        switch (a->lanes_per_place) {
        case 1:
            kernel = force_kernel<1, true>(sums);
            break;
        case 4:
            kernel = force_kernel<4, true>(sums);
            break;
        default:
            return cudaErrorInvalidValue;
        }
        return force(a, kernel, sums, TORRE_NEIGHBOR_TILE, stream);
    }

    static cudaError_t clock(md_control *control, int steps, cudaStream_t stream)
    {
        md_clock_kernel<<<1, 1, 0, stream>>>(control, steps);
        return cudaGetLastError();
    }

    typedef cudaError_t (*half_launcher)(const md_force_args *, bool, cudaStream_t);
    static constexpr half_launcher half_or_none()
    {
        if constexpr (M::dissipates)
            return nullptr;
        else
            return half;
    }

    static cudaError_t half(const md_force_args *a, bool sums, cudaStream_t stream)
    {
        MD_LAUNCH_TRY(force(a,
                            sums ? (const void *)md_half_kernel<M, true>
                                 : (const void *)md_half_kernel<M, false>,
                            true, TORRE_NEIGHBOR_HALF, stream));
        if (sums)
            md_half_move_kernel<R, true><<<md_particle_rows(a->count), 256, 0, stream>>>(*a);
        else
            md_half_move_kernel<R, false><<<md_particle_rows(a->count), 256, 0, stream>>>(*a);
        return cudaGetLastError();
    }
};

#endif
