/* Launchers that depend on no pair model and no precision. */
#include <cub/device/device_scan.cuh>

#include "md_half.cuh"
#include "md_launch.h"

extern "C" cudaError_t md_scan_bytes(int bins, size_t *bytes)
{
    *bytes = 0;
    return cub::DeviceScan::ExclusiveSum(nullptr, *bytes, (const int *)nullptr, (int *)nullptr,
                                         bins);
}

extern "C" cudaError_t md_scan(void *scratch, size_t bytes, const int *in, int *out, int bins,
                               cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, out, bins, stream);
}

extern "C" cudaError_t md_total(const double *partial, int rows, double *total, cudaStream_t stream)
{
    md_total_kernel<<<1, 256, 0, stream>>>(partial, rows, total);
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
