/* Launchers of the sweeps, for every precision. */
#include "md_launch.cuh"
#include "mps_launch.h"
#include "mps_sweep.cuh"

namespace
{

template <class R, class F, int SWEEP>
cudaError_t launch(const mps_sweep_args *a, cudaStream_t stream)
{
    const int staged = md_staged<F>::bytes + mps_extra_bytes<F, SWEEP>;
    size_t shared = md_force_shared(&a->tiles, TORRE_NEIGHBOR_FULL, staged);
    const void *kernel = nullptr;
    const torre_mps_constants *c = &a->constants;
    mps_typed_constants<R, F> constants = {(F)c->influence,
                                           (F)(c->influence * c->influence),
                                           (F)c->collision_distance,
                                           (F)(c->collision_factor / c->gradient_factor),
                                           (R)c->dt,
                                           (R)c->gravity,
                                           (R)c->viscosity_factor,
                                           (R)c->gradient_factor,
                                           (R)c->n0,
                                           (R)(c->stiffness / c->n0),
                                           (R)(c->collision_factor / 4)};
    void *args[] = {(void *)a, &constants};
    switch (a->lanes_per_place) {
    case 1:
        kernel = (const void *)mps_sweep_kernel<R, F, SWEEP, 1>;
        break;
    case 4:
        kernel = (const void *)mps_sweep_kernel<R, F, SWEEP, 4>;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return md_launch(kernel, a->active_count, a->block, shared, args, false, stream);
}

template <class R, class F>
cudaError_t launch(mps_sweep sweep, const mps_sweep_args *a, cudaStream_t stream)
{
    switch (sweep) {
    case MPS_VISCOSITY:
        return launch<R, F, MPS_VISCOSITY>(a, stream);
    case MPS_DENSITY:
        return launch<R, F, MPS_DENSITY>(a, stream);
    case MPS_COLLISION:
        return launch<R, F, MPS_COLLISION>(a, stream);
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

extern "C" cudaError_t mps_active_launch(const md_tiles *tiles, int *active, uint32_t *count,
                                         cudaStream_t stream)
{
    MD_LAUNCH_TRY(cudaMemsetAsync(count, 0, sizeof *count, stream));
    mps_active_kernel<<<md_blocks(tiles->brick_count, 256), 256, 0, stream>>>(*tiles, active,
                                                                              count);
    return cudaGetLastError();
}

extern "C" int mps_staged_bytes(torre_md_precision precision)
{
    return precision == TORRE_MD_F64
               ? md_staged<double>::bytes + mps_extra_bytes<double, MPS_VISCOSITY>
               : md_staged<float>::bytes + mps_extra_bytes<float, MPS_VISCOSITY>;
}
