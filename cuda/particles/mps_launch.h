/* Launchers of the kernels of the moving-particle method. */
#ifndef TORRE_MPS_LAUNCH_H
#define TORRE_MPS_LAUNCH_H

#include <cuda_runtime_api.h>

#include "mps_device.h"
#include "particles/md.h"

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t mps_sweep_launch(mps_sweep sweep, torre_md_precision precision,
                             const mps_sweep_args *args, cudaStream_t stream);

/* The bricks that hold particles into active[brick_count], their number into *count (device). */
cudaError_t mps_active_launch(const md_tiles *tiles, int *active, uint32_t *count,
                              cudaStream_t stream);

/* Bytes of shared memory per staged particle, of the sweep that takes most. */
int mps_staged_bytes(torre_md_precision precision);

#ifdef __cplusplus
}
#endif

#endif
