/* Particles within regions of the box (mps_measure.h), next to each other. */
#include "mps_device.h"

constexpr int WITHIN_THREADS = 256;

template <class R> __device__ static bool within(const mps_within_args &a, const R *at)
{
    for (int k = 0; k < a.count_regions; k++) {
        const torre_mps_region &region = a.regions[k];
        bool in = true;
        for (int d = 0; d < 3 && in; d++) {
            if (isinf(region.half[d])) continue;
            const double off = (double)at[d] - region.centre[d];
            in = fabs(off - a.box[d] * rint(off / a.box[d])) < region.half[d];
        }
        if (in) return true;
    }
    return false;
}

template <class R>
__global__ void __launch_bounds__(WITHIN_THREADS) mps_within_kernel(mps_within_args a)
{
    const int64_t i = blockIdx.x * (int64_t)WITHIN_THREADS + threadIdx.x;
    if (i >= a.count) return;
    const R *x = (const R *)a.x + 4 * i;
    if (!within(a, x)) return;
    const int64_t place = atomicAdd(a.found, 1u);
    R *out = (R *)a.x_out + 4 * place;
    for (int d = 0; d < 4; d++) out[d] = x[d];
    a.id_out[place] = a.id[i];
}

extern "C" cudaError_t mps_within(int real_bytes, const mps_within_args *a, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((a->count + WITHIN_THREADS - 1) / WITHIN_THREADS);
    cudaError_t e = cudaMemsetAsync(a->found, 0, sizeof *a->found, stream);
    if (e) return e;
    if (real_bytes == 4)
        mps_within_kernel<float><<<blocks, WITHIN_THREADS, 0, stream>>>(*a);
    else
        mps_within_kernel<double><<<blocks, WITHIN_THREADS, 0, stream>>>(*a);
    return cudaGetLastError();
}
