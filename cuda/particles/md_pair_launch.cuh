/* Launchers of the kernels of one pair model M; md_pair.cu.in fills md_pair_kernels with them. */
#ifndef TORRE_MD_PAIR_LAUNCH_CUH
#define TORRE_MD_PAIR_LAUNCH_CUH

#include <string.h>

#include "md_half.cuh"
#include "md_launch.cuh"

template <class M> struct md_launchers {
    typedef typename M::State R;

    template <int T, bool SWEEP> static const void *force_kernel(md_force_work work)
    {
        if constexpr (!M::dissipates) {
            if (work == MD_FORCE_NOISE)
                return (const void *)md_force_kernel<M, T, SWEEP, MD_FORCE_NOISE>;
            if (work == MD_FORCE_STRETCH)
                return (const void *)md_force_kernel<M, T, SWEEP, MD_FORCE_STRETCH>;
            if (work == MD_FORCE_SPEED)
                return (const void *)md_force_kernel<M, T, SWEEP, MD_FORCE_SPEED>;
            if (work == MD_FORCE_PRESSURE)
                return (const void *)md_force_kernel<M, T, SWEEP, MD_FORCE_PRESSURE>;
            if (work == MD_FORCE_STRAIN)
                return (const void *)md_force_kernel<M, T, SWEEP, MD_FORCE_STRAIN>;
        }
        return work == MD_FORCE_STEP ? (const void *)md_force_kernel<M, T, SWEEP, MD_FORCE_STEP>
                                     : (const void *)md_force_kernel<M, T, SWEEP, MD_FORCE_SUMS>;
    }

    static cudaError_t force(const md_force_args *a, const void *kernel, bool overlap,
                             torre_neighbor neighbor, cudaStream_t stream)
    {
        size_t shared = md_force_shared(&a->tiles, neighbor, M::Staged::bytes);
        if (shared < (size_t)a->shared_floor) shared = (size_t)a->shared_floor;
        md_constants<M> constants;
        if constexpr (M::types) {
            constants.pair.rows = (decltype(constants.pair.rows))a->rows;
            constants.pair.types = a->types;
        } else {
            memcpy(&constants.pair, a->pair, sizeof constants.pair);
        }
        constants.cutoff_sq = (typename M::F)a->cutoff_sq;
        constants.list_cutoff_sq = (typename M::F)a->list_cutoff_sq;
        constants.fixed_scale = (typename M::F)a->fixed_scale;
        constants.kick = (R)a->kick;
        constants.drift = (R)a->drift;
        constants.limit_sq = (R)a->limit_sq;
        void *args[] = {(void *)a, &constants};
        const int grid = a->some ? a->some_count : a->tiles.own_bricks;
        return md_launch(kernel, grid, a->block, shared, args, overlap, stream);
    }

    static cudaError_t full(const md_force_args *a, md_force_work work, cudaStream_t stream)
    {
        const void *kernel = nullptr;
        switch (a->lanes_per_place) {
        case 1:
            kernel = force_kernel<1, false>(work);
            break;
        case 2:
            kernel = force_kernel<2, false>(work);
            break;
        case 4:
            kernel = force_kernel<4, false>(work);
            break;
        default:
            return cudaErrorInvalidValue;
        }
        return force(a, kernel, a->overlap && work != MD_FORCE_SUMS, TORRE_NEIGHBOR_FULL, stream);
    }

    static cudaError_t sweep(const md_force_args *a, md_force_work work, cudaStream_t stream)
    {
        const void *kernel = nullptr;
        switch (a->lanes_per_place) {
        case 1:
            kernel = force_kernel<1, true>(work);
            break;
        case 4:
            kernel = force_kernel<4, true>(work);
            break;
        default:
            return cudaErrorInvalidValue;
        }
        return force(a, kernel, a->overlap && work != MD_FORCE_SUMS, TORRE_NEIGHBOR_TILE, stream);
    }

    typedef cudaError_t (*half_launcher)(const md_force_args *, md_force_work, cudaStream_t);
    static constexpr half_launcher half_or_none()
    {
        if constexpr (M::dissipates)
            return nullptr;
        else
            return half;
    }

    static cudaError_t half(const md_force_args *a, md_force_work work, cudaStream_t stream)
    {
        const bool sums = work != MD_FORCE_STEP; /* all of them, whatever is asked for */
        const bool pairs = sums && work != MD_FORCE_SPEED;
        MD_LAUNCH_TRY(force(a,
                            pairs ? (const void *)md_half_kernel<M, true>
                                  : (const void *)md_half_kernel<M, false>,
                            false, TORRE_NEIGHBOR_HALF, stream));
        const int rows = md_particle_rows(a->count);
        if (sums)
            md_half_move_kernel<R, M::types, true><<<rows, 256, 0, stream>>>(*a);
        else
            md_half_move_kernel<R, M::types, false><<<rows, 256, 0, stream>>>(*a);
        return cudaGetLastError();
    }
};

#endif
