/* Host side of TMA: where kernels with it run, and tensor maps, which tell copy_box (ptx.cuh) of
 * a field. */
#ifndef TORRE_WAVE_TENSOR_MAP_CUH
#define TORRE_WAVE_TENSOR_MAP_CUH

#include <cuda.h>
#include <cudaTypedefs.h>

#include "wave_args.h"

/* Whether this GPU runs `kernel`, one with TMA, as compiled for 90a. It does not on GPUs of another
 * compute capability, whatever the build has for them, nor where the driver compiles earlier PTX
 * instead (CUDA_FORCE_PTX_JIT=1): the kernel is empty there. */
inline cudaError_t runs_with_tma(const void *kernel, bool *tma)
{
    *tma = false;
#ifdef TORRE_CUDA_TMA /* there is 90a in this build */
    int device, major;
    cudaFuncAttributes f;
    cudaError_t e = cudaGetDevice(&device);
    if (!e) e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (!e) e = cudaFuncGetAttributes(&f, kernel);
    *tma = !e && major == 9 && f.ptxVersion >= 90;
    return e;
#else
    (void)kernel;
    return cudaSuccess;
#endif
}

/* `base` is an array of AXES axes of this many elements of 4 or 8 bytes, `apart` bytes from one to
 * the next along all axes but the first, cut into boxes. */
template <int AXES>
cudaError_t tensor_map(void *base, int element_bytes, const int64_t (&elements)[AXES],
                       const int64_t (&apart)[AXES - 1], const int (&box_elements)[AXES],
                       CUtensorMap *map,
                       CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE)
{
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaError_t e = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                                     cudaEnableDefault, &found);
    if (e) return e;
    if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
    cuuint64_t size[AXES], stride[AXES];
    cuuint32_t box[AXES], one[AXES];
    for (int i = 0; i < AXES; i++) {
        size[i] = (cuuint64_t)elements[i];
        if (i > 0) stride[i - 1] = (cuuint64_t)apart[i - 1];
        box[i] = (cuuint32_t)box_elements[i];
        one[i] = 1;
    }
    const CUtensorMapDataType type =
        element_bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    const CUresult r = ((PFN_cuTensorMapEncodeTiled_v12000)entry)(
        map, type, AXES, base, size, stride, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return r == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

/* The field cut into boxes of `rows` lines of `planes` cells from each of `columns` planes of x;
 * `promotion`: how much of a line is fetched into the L2 cache at least. */
template <class T>
cudaError_t field_tensor_map(const torre_wave_args &g, void *field, int planes, int rows,
                             int columns, CUtensorMap *map,
                             CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE)
{
    constexpr int bytes = sizeof(T);
    return tensor_map<3>(field, bytes, {g.stride_y, g.n[1], g.n[0]},
                         {g.stride_y * bytes, g.stride_x * bytes}, {planes, rows, columns}, map,
                         promotion);
}

/*
 * The same field for boxes of `lines` lines from two planes of x next to each other, which lie on
 * diagonals: from a line to the next x and (UP) y grow by 1, or y falls. A box has `planes` cells,
 * an even number, of each line and starts at (z / 2, 0, y + reach, x - 1), x > 0: cells of f32 go
 * in pairs, since an axis of a box has at most 256 elements. Its planes beyond z faces are zero,
 * its lines up to `reach` beyond y faces are others of the field; none may lie beyond x faces. (All
 * that the map describes lies inside the field, if it has enough rows.)
 */
inline cudaError_t diagonal_tensor_map(const torre_wave_args &g, void *field, bool up, int planes,
                                       int lines, int reach, CUtensorMap *map)
{
    const int64_t row = g.stride_y * (int64_t)sizeof(float),
                  plane = g.stride_x * (int64_t)sizeof(float);
    const int64_t padded = (g.n[2] + 3) / 4 * 4; /* with zeros */
    return tensor_map<4>((char *)field + plane - reach * row, 8,
                         {padded / 2, lines, g.n[1] + 2 * reach, g.n[0] - 1 - lines},
                         {up ? plane + row : plane - row, row, plane}, {planes / 2, lines, 1, 2},
                         map, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
}

#endif
