/* Host side of one instance of the register tower kernel: shape and launch. */
#ifndef TORRE_WAVE_REGISTER_LAUNCH_CUH
#define TORRE_WAVE_REGISTER_LAUNCH_CUH

#include <type_traits>

#include "wave_register_tower.cuh"
#include "wave_tensor_map.cuh"

/* Variant: bit 0 sources or receivers, bit 1 absorbing layers, bit 2 velocity array, bit 3 the same
 * spacing along x and y (for the largest diamond, without layers: others take either), bit 4 many
 * points, bit 5 points that most towers do not meet. */
constexpr int REGISTER_POINTS = 1, REGISTER_LAYERS = 2, REGISTER_MODEL = 4, REGISTER_SQUARE = 8,
              REGISTER_MANY_POINTS = 16, REGISTER_RARE_POINTS = 32, REGISTER_VARIANTS = 64;
constexpr register_points register_points_of(int variant)
{
    return !(variant & REGISTER_POINTS)     ? REGISTER_NONE
           : variant & REGISTER_MANY_POINTS ? REGISTER_MANY
           : variant & REGISTER_RARE_POINTS ? REGISTER_RARE
                                            : REGISTER_FEW;
}
template <int D, register_kind KIND> constexpr bool register_variant_built(int variant)
{
    if (variant & REGISTER_MANY_POINTS &&
        (!(variant & REGISTER_POINTS) || variant & REGISTER_MODEL || KIND != REGISTER_WHOLE))
        return false;
    if (variant & REGISTER_RARE_POINTS &&
        (!(variant & REGISTER_POINTS) || variant & (REGISTER_MANY_POINTS | REGISTER_LAYERS) ||
         KIND != REGISTER_WHOLE))
        return false;
    if (variant & REGISTER_SQUARE && D != 6) return false;
    if (KIND == REGISTER_HALF && variant & REGISTER_MODEL) return false;
    if (KIND == REGISTER_DENSE && !(variant & REGISTER_MODEL)) return false;
    return !(variant & REGISTER_SQUARE) || !(variant & REGISTER_LAYERS);
}
/* What all variants have in common: columns are numbered alike. */
template <class T, int D, register_kind KIND>
using register_common = register_shape<T, D, KIND == REGISTER_DENSE, KIND>;
template <class T, int D, register_kind KIND, int VARIANT = 0>
const void *register_tower_function(int variant)
{
    if constexpr (VARIANT < REGISTER_VARIANTS) {
        if constexpr (register_variant_built<D, KIND>(VARIANT))
            if (variant == VARIANT)
                return (const void *)register_tower_kernel<
                    T, D, (VARIANT & REGISTER_MODEL) != 0, (VARIANT & REGISTER_LAYERS) != 0,
                    register_points_of(VARIANT), (VARIANT & REGISTER_SQUARE) == 0, KIND>;
        return register_tower_function<T, D, KIND, VARIANT + 1>(variant);
    }
    return nullptr;
}

template <class T, int D, register_kind KIND> cudaError_t register_tower_uses_tma(bool *tma)
{
    *tma = false;
    if constexpr (register_tower_built_tma<T, D>)
        return runs_with_tma(
            register_tower_function<T, D, KIND>(KIND == REGISTER_DENSE ? REGISTER_MODEL : 0), tma);
    return cudaSuccess;
}

/* Shared memory of a block. */
template <class T, int D, register_kind KIND> int register_shared_bytes(int variant)
{
    if constexpr (register_variant_built<D, KIND>(REGISTER_MODEL))
        if (variant & REGISTER_MODEL) return register_shape<T, D, true, KIND>::shared_bytes;
    return register_common<T, D, KIND>::shared_bytes;
}

/* How to launch `blocks` blocks, in clusters of `cluster` if that is more than one. */
struct register_tower_config {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    register_tower_config(int blocks, int cluster, int threads, int shared_bytes,
                          cudaStream_t stream)
    {
        config.gridDim = dim3(blocks);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = shared_bytes;
        config.stream = stream;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.attrs = &attribute;
        config.numAttrs = cluster > 1;
    }
};

template <class T, int D, register_kind KIND>
cudaError_t register_tower_shape_with(torre_tower_shape *shape)
{
    using S = register_common<T, D, KIND>;
    int device, limit, least = 0;
    const void *k = nullptr;
    cudaFuncAttributes f;
    cudaError_t e = cudaGetDevice(&device);
    if (!e) e = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e) return e;
    if (register_shared_bytes<T, D, KIND>(REGISTER_MODEL) > limit)
        return cudaErrorInvalidConfiguration;
    for (int variant = REGISTER_VARIANTS - 1; variant >= 0; variant--) {
        if (!register_variant_built<D, KIND>(variant)) continue;
        const int shared_bytes = register_shared_bytes<T, D, KIND>(variant);
        k = register_tower_function<T, D, KIND>(variant);
        int blocks;
        e = cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
        if (!e && KIND == REGISTER_HALF)
            e = cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     cudaSharedmemCarveoutMaxShared);
        if (!e) e = cudaFuncGetAttributes(&f, k);
        if (!e)
            e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, S::threads, shared_bytes);
        if (e) return e;
        if (blocks < 1) return cudaErrorInvalidConfiguration;
        /* all blocks of a launch must be resident, whichever variant runs */
        if (least == 0 || blocks < least) least = blocks;
    }
    shape->blocks_per_sm = least;
    for (int size = 2; S::tma && size <= TORRE_CLUSTER_MOST; size++) { /* alike for all variants */
        const register_tower_config with(size, size, S::threads, S::shared_bytes, nullptr);
        int clusters;
        if (cudaOccupancyMaxActiveClusters(&clusters, k, &with.config) == cudaSuccess)
            shape->cluster_blocks[size - 2] = clusters * size;
    }
    shape->threads = S::threads;
    shape->registers = f.numRegs;
    shape->spill_bytes = (int)f.localSizeBytes;
    shape->planes = S::planes;
    shape->block_x = 1;
    shape->strips = true;
    shape->many[0][0] = shape->many[0][1] = KIND == REGISTER_WHOLE;
    shape->mark_words = TORRE_MARK_WORDS(1, S::planes);
    shape->mark_groups = 0;
    shape->shared_bytes = S::shared_bytes;
    shape->mailbox_bytes = S::mailbox_bytes;
    return cudaSuccess;
}

/* Not with periodic z faces, whose halos wrap. */
template <class T, int D, register_kind KIND = REGISTER_WHOLE>
cudaError_t register_tower_shape_of(bool periodic_z, torre_tower_shape *shape)
{
    bool tma;
    cudaError_t e = register_tower_uses_tma<T, D, KIND>(&tma);
    if (e) return e;
    if (periodic_z) return cudaErrorInvalidConfiguration;
    if constexpr (register_tower_built_tma<T, D>)
        if (tma) return register_tower_shape_with<T, D, KIND>(shape);
    if constexpr (KIND == REGISTER_WHOLE && register_tower_built_plain<T, D>)
        return register_tower_shape_with<T, D, REGISTER_PLAIN>(shape);
    return cudaErrorInvalidConfiguration;
}

/* KIND: where there is TMA; PLAIN elsewhere. */
template <class T, int D, register_kind KIND = REGISTER_WHOLE>
cudaError_t register_tower_launch(const torre_wave_args *args, const torre_tower_launch *launch,
                                  cudaStream_t stream)
{
    using S = register_common<T, D, KIND>;
    const bool model = args->k != nullptr;
    register_tower_params<T, D> params;
    register_tower_edges edges;
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
    edges.exist =
        S::in_boxes && (S::dense || !model) && args->n[0] > S::E && args->n[1] >= 2 * S::reach;
    for (int i = 0; i < 4 && edges.exist; i++)
        edges.exist = diagonal_tensor_map(*args, args->field[i / 2], i % 2, S::line, D + 1 - i % 2,
                                          S::reach, &edges.map[i / 2][i % 2]) == cudaSuccess;
    void *arguments[] = {&params, &edges};
    int variant = (model ? REGISTER_MODEL : 0) + (args->damping[0] ? REGISTER_LAYERS : 0) +
                  (args->points.first ? REGISTER_POINTS : 0);
    if (args->points.many) variant += REGISTER_MANY_POINTS;
    if (args->points.rare && register_variant_built<D, KIND>(variant + REGISTER_RARE_POINTS))
        variant += REGISTER_RARE_POINTS;
    if (params.c.skew == 0 && register_variant_built<D, KIND>(variant + REGISTER_SQUARE))
        variant += REGISTER_SQUARE;
    auto launch_with = [&](auto constant) {
        constexpr register_kind kind = decltype(constant)::value;
        using shape = register_common<T, D, kind>;
        const register_tower_config with(launch->blocks, launch->cluster, shape::threads,
                                         register_shared_bytes<T, D, kind>(variant), stream);
        return cudaLaunchKernelExC(&with.config, register_tower_function<T, D, kind>(variant),
                                   arguments);
    };
    bool tma;
    const cudaError_t e = register_tower_uses_tma<T, D, KIND>(&tma);
    if (e) return e;
    if constexpr (register_tower_built_tma<T, D>)
        if (tma) return launch_with(std::integral_constant<register_kind, KIND>());
    if constexpr (KIND == REGISTER_WHOLE && register_tower_built_plain<T, D>)
        return launch_with(std::integral_constant<register_kind, REGISTER_PLAIN>());
    return cudaErrorInvalidConfiguration;
}

#endif
