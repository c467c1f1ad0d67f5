/* Launchers of the sweeps, for every precision. */
#include "md_launch.cuh"
#include "mps_launch.h"
#include "mps_sweep.cuh"

namespace
{

template <class R, class F, int SWEEP>
cudaError_t launch(const mps_sweep_args *a, cudaStream_t stream)
{
    size_t shared = md_force_shared(&a->tiles, TORRE_NEIGHBOR_TILE, mps_staged_size<F, SWEEP>());
    void *args[] = {(void *)a};
    return md_launch((const void *)mps_sweep_kernel<R, F, SWEEP>, a->tiles.brick_count, a->block,
                     shared, args, false, stream);
}

template <class R, class F>
cudaError_t launch(mps_sweep sweep, const mps_sweep_args *a, cudaStream_t stream)
{
    switch (sweep) {
    case MPS_VISCOSITY:
        return launch<R, F, MPS_VISCOSITY>(a, stream);
    case MPS_DENSITY:
        return launch<R, F, MPS_DENSITY>(a, stream);
    default:
        return launch<R, F, MPS_GRADIENT>(a, stream);
    }
}

} // namespace

extern "C" cudaError_t mps_sweep_launch(mps_sweep sweep, torre_md_precision precision,
                                        const mps_sweep_args *args, cudaStream_t stream)
{
    switch (precision) {
    case TORRE_MD_F32:
        return launch<float, float>(sweep, args, stream);
    case TORRE_MD_F64:
        return launch<double, double>(sweep, args, stream);
    default:
        return launch<double, float>(sweep, args, stream);
    }
}

extern "C" int mps_staged_bytes(torre_md_precision precision)
{
    return precision == TORRE_MD_F64 ? mps_staged_size<double, MPS_VISCOSITY>()
                                     : mps_staged_size<float, MPS_VISCOSITY>();
}
