/* Tensor maps: what copy_box (hopper.cuh) needs to know of a field. */
#ifndef TORRE_WAVE_TENSOR_MAP_CUH
#define TORRE_WAVE_TENSOR_MAP_CUH

#include <cuda.h>
#include <cudaTypedefs.h>

#include "wave_args.h"

/* The field cut into boxes of `rows` lines of `planes` cells from each of `columns` planes of x. */
template <class T>
cudaError_t field_tensor_map(const torre_wave_args &g, void *field, int planes, int rows,
                             int columns, CUtensorMap *map)
{
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaError_t e = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                                     cudaEnableDefault, &found);
    if (e) return e;
    if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
    const cuuint64_t size[3] = {(cuuint64_t)g.stride_y, (cuuint64_t)g.n[1], (cuuint64_t)g.n[0]};
    const cuuint64_t stride[2] = {g.stride_y * sizeof(T), g.stride_x * sizeof(T)};
    const cuuint32_t box[3] = {(cuuint32_t)planes, (cuuint32_t)rows, (cuuint32_t)columns};
    const cuuint32_t one[3] = {1, 1, 1};
    const CUtensorMapDataType type =
        sizeof(T) == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    const CUresult r = ((PFN_cuTensorMapEncodeTiled_v12000)entry)(
        map, type, 3, field, size, stride, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return r == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

#endif
