/* Launchers that depend on no pair model and no precision. */
#include <cub/device/device_scan.cuh>

#include "md_half.cuh"
#include "md_launch.h"

/* CUB throws some errors of the device and returns others. */
static cudaError_t exclusive_sum(void *scratch, size_t &bytes, const int *in, int *out, int bins,
                                 cudaStream_t stream)
{
    try {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, bins, stream);
    } catch (...) {
        const cudaError_t e = cudaGetLastError();
        return e ? e : cudaErrorUnknown;
    }
}

extern "C" cudaError_t md_scan_bytes(int bins, size_t *bytes)
{
    *bytes = 0;
    return exclusive_sum(nullptr, *bytes, nullptr, nullptr, bins, nullptr);
}

extern "C" cudaError_t md_scan(void *scratch, size_t bytes, const int *in, int *out, int bins,
                               cudaStream_t stream)
{
    return exclusive_sum(scratch, bytes, in, out, bins, stream);
}

extern "C" cudaError_t md_total(const double *partial, int rows, double *total, cudaStream_t stream)
{
    md_total_kernel<<<MD_SUMS, 256, 0, stream>>>(partial, rows, total);
    return cudaGetLastError();
}

extern "C" size_t md_list_shared(const md_tiles *tiles, int block)
{
    return md_list_shared_bytes(tiles->staged_cap, tiles->halo_bins, tiles->group_cap, block);
}

extern "C" size_t md_force_shared(const md_tiles *tiles, torre_neighbor neighbor, int staged_bytes)
{
    size_t staged = (size_t)tiles->staged_cap * (size_t)staged_bytes;
    if (neighbor == TORRE_NEIGHBOR_HALF)
        return md_half_shared_bytes(tiles->staged_cap, staged_bytes);
    if (neighbor == TORRE_NEIGHBOR_TILE) staged += 2 * ((size_t)tiles->halo_bins + 1);
    return staged;
}

extern "C" int md_particle_rows(int count) { return (count + 255) / 256; }
