/* What launchers of particle kernels share. */
#ifndef TORRE_MD_LAUNCH_CUH
#define TORRE_MD_LAUNCH_CUH

#include "md_launch.h"

/* At least one: a device may have no particle. */
inline int md_blocks(int count, int block) { return count > 0 ? (count + block - 1) / block : 1; }

/* Launch with dynamic shared memory above the default limit; overlap: programmatic dependence. */
inline cudaError_t md_launch(const void *kernel, int grid, int block, size_t shared, void **args,
                             bool overlap, cudaStream_t stream)
{
    if (shared > 44 * 1024) { /* 48 KB with what the kernel declares itself */
        cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
        if (error != cudaSuccess) return error;
    }
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)grid);
    config.blockDim = dim3((unsigned)block);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = overlap ? 1 : 0;
    return cudaLaunchKernelExC(&config, kernel, args);
}

#define MD_LAUNCH_TRY(expr)                                                                        \
    do {                                                                                           \
        cudaError_t md_error_ = (expr);                                                            \
        if (md_error_ != cudaSuccess) return md_error_;                                            \
    } while (0)

#endif
