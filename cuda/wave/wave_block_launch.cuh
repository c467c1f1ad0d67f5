/* Host side of one instance of the block tower kernel: shape and launch. */
#ifndef TORRE_WAVE_BLOCK_LAUNCH_CUH
#define TORRE_WAVE_BLOCK_LAUNCH_CUH

#include "wave_block_tower.cuh"
#include "wave_tensor_map.cuh"

/* Whether the kernel with TMA is built: not where register towers take its place. */
template <class T, int R, int DB>
constexpr bool block_tower_built_tma = R > 1 || DB * sizeof(T) > 24;

template <class T, int R, int DB, bool WIDE, bool MODEL, block_layers LAYERS, bool TMA,
          bool BOUND = false, bool MANY = false>
const void *block_tower_entry()
{
    using kernel = block_kernel<T, R, DB, WIDE, MODEL, LAYERS, TMA, BOUND, MANY>;
    if constexpr (TMA)
        return (const void *)block_tower_tma<kernel>;
    else
        return (const void *)block_tower_plain<kernel>;
}

/* MANY: whether there are kernels for many points, which need TMA. */
template <class T, int R, int DB, bool WIDE, bool MANY = false>
const void *block_tower_function(bool tma, bool model, bool layers, bool many = false)
{
    using S = block_shape<T, R, DB, WIDE>;
    constexpr bool apart = S::layers_apart(true);
    constexpr block_layers some = apart ? LAYERS_ALONE : WITH_LAYERS;
    constexpr block_layers none = apart ? WITHOUT_LAYERS : WITH_LAYERS;
    /* beside an array that is not in registers, less code makes more values spill */
    constexpr block_layers beside = S::holds_k(true, 1) ? none : WITH_LAYERS;
    if constexpr (WIDE) {
        return !tma || model ? nullptr
               : layers      ? block_tower_entry<T, R, DB, true, false, some, true>()
                             : block_tower_entry<T, R, DB, true, false, none, true>();
    } else {
        if constexpr (MANY)
            if (many && tma && (!layers || none == some))
                return model ? block_tower_entry<T, R, DB, false, true, beside, true, false, true>()
                             : block_tower_entry<T, R, DB, false, false, none, true, false, true>();
        if (many) return nullptr;
        if constexpr (block_tower_built_tma<T, R, DB>)
            if (tma && layers)
                return model ? block_tower_entry<T, R, DB, false, true, some, true>()
                             : block_tower_entry<T, R, DB, false, false, some, true>();
            else if (tma)
                return model ? block_tower_entry<T, R, DB, false, true, beside, true>()
                             : block_tower_entry<T, R, DB, false, false, none, true>();
        return model ? block_tower_entry<T, R, DB, false, true, WITH_LAYERS, false>()
                     : block_tower_entry<T, R, DB, false, false, WITH_LAYERS, false>();
    }
}

/* Where density varies, from order 4 on; NULL: none. What knows of layers spills, too. */
template <class T, int R, int DB, bool WIDE>
const void *block_tower_bound_function(bool tma, bool layers)
{
    constexpr block_layers none =
        block_shape<T, R, DB, WIDE>::layers_apart(true) ? WITHOUT_LAYERS : WITH_LAYERS;
    if constexpr (R > 1 && !WIDE)
        return !tma     ? block_tower_entry<T, R, DB, false, true, WITH_LAYERS, false, true>()
               : layers ? block_tower_entry<T, R, DB, false, true, WITH_LAYERS, true, true>()
                        : block_tower_entry<T, R, DB, false, true, none, true, true>();
    else
        return nullptr;
}

template <class T, int R, int DB, bool WIDE> block_layers kernel_layers(bool tma, bool layers)
{
    return layers && block_shape<T, R, DB, WIDE>::layers_apart(tma) ? LAYERS_ALONE : WITH_LAYERS;
}

/* Shared memory of a block; many: not where density varies. */
template <class T, int R, int DB, bool WIDE>
int block_tower_shared_bytes(bool tma, int arrays, bool layers, bool many)
{
    using with_k = block_kernel<T, R, DB, WIDE, true, WITH_LAYERS, true, false, true>;
    using without = block_kernel<T, R, DB, WIDE, false, WITH_LAYERS, true, false, true>;
    if (many) return arrays ? with_k::shared_bytes : without::shared_bytes;
    return block_shape<T, R, DB, WIDE>::shared_bytes_of(
        tma, arrays, kernel_layers<T, R, DB, WIDE>(tma, layers && arrays < 2));
}

/* Not with periodic z faces, whose halos wrap. */
template <class T, int R, int DB, bool WIDE>
cudaError_t block_tower_uses_tma(bool periodic_z, bool *tma)
{
    *tma = false;
    if (periodic_z || !block_tower_built_tma<T, R, DB>) return cudaSuccess;
    return runs_with_tma(block_tower_function<T, R, DB, WIDE>(true, false, false), tma);
}

template <class T, int R, int DB, bool WIDE = false, bool MANY = false>
cudaError_t block_tower_shape_of(bool periodic_z, torre_tower_shape *shape)
{
    using S = block_shape<T, R, DB, WIDE>;
    bool tma;
    int device, limit;
    cudaFuncAttributes f;
    cudaError_t e = block_tower_uses_tma<T, R, DB, WIDE>(periodic_z, &tma);
    if (!e) e = cudaGetDevice(&device);
    if (!e) e = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e) return e;
    if (S::shared_bytes > limit || (WIDE && !tma)) return cudaErrorInvalidConfiguration;
    for (int kind = 0; kind < (WIDE ? 2 : 10); kind++) {
        const bool many = kind / 6, bound = !many && kind / 4, model = kind % 6 / 2,
                   layers = kind % 2;
        const void *k = bound
                            ? block_tower_bound_function<T, R, DB, WIDE>(tma, layers)
                            : block_tower_function<T, R, DB, WIDE, MANY>(tma, model, layers, many);
        if (many) shape->many[model][layers] = k;
        if (!k) continue;
        e = cudaFuncGetAttributes(&f, k);
        if (e) return e;
        const int bytes =
            block_tower_shared_bytes<T, R, DB, WIDE>(tma, model + bound, layers, many);
        e = cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (e) return e;
        int blocks;
        shape->threads = tma ? S::threads_tma : S::active;
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, shape->threads, bytes);
        if (e) return e;
        /* all blocks of a launch must be resident, whichever variant runs */
        if (kind == 0 || blocks < shape->blocks_per_sm) shape->blocks_per_sm = blocks;
        if (kind) continue;
        shape->registers = f.numRegs;
        shape->spill_bytes = (int)f.localSizeBytes;
    }
    shape->planes = S::planes;
    shape->block_x = R;
    shape->strips = false;
    shape->mark_words = S::mark_words;
    shape->mark_groups = S::workers_record ? S::mark_groups : 0;
    shape->shared_bytes = S::shared_bytes_of(tma, 0, WITH_LAYERS);
    shape->mailbox_bytes = S::mailbox_bytes;
    return shape->blocks_per_sm > 0 ? cudaSuccess : cudaErrorInvalidConfiguration;
}

template <class T, int R, int DB, bool WIDE = false, bool MANY = false>
cudaError_t block_tower_launch(const torre_wave_args *args, const torre_tower_launch *launch,
                               cudaStream_t stream)
{
    using S = block_shape<T, R, DB, WIDE>;
    bool tma;
    block_tower_params<T> params;
    cudaError_t e = block_tower_uses_tma<T, R, DB, WIDE>(args->periodic[2], &tma);
    params.g = *args;
    params.l = *launch;
    params.c = stencil_weights<T>(*args);
    for (int f = 0; f < 2 && tma && !e; f++)
        e = field_tensor_map<T>(*args, args->field[f], (S::ZL + 2 * S::PV) * S::V, R,
                                R * S::box_blocks, &params.map[f],
                                CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
    if (e) return e;
    void *arguments[] = {&params};
    const bool bound = args->binding, layers = args->damping[0];
    return cudaLaunchKernel(
        bound ? block_tower_bound_function<T, R, DB, WIDE>(tma, layers)
              : block_tower_function<T, R, DB, WIDE, MANY>(tma, args->k, layers, args->points.many),
        dim3(launch->blocks), dim3(tma ? S::threads_tma : S::active), arguments,
        block_tower_shared_bytes<T, R, DB, WIDE>(tma, (args->k != nullptr) + bound, layers,
                                                 args->points.many),
        stream);
}

#endif
