/*
 * What the kernels of one pair model and precision look like from C: a table of launchers, each
 * taking one argument structure and a stream, each returning the launch error. The tables come from
 * md_instance.cu.in, one file per model and precision, found through a generated table
 * (md_table.c.in).
 */
#ifndef TORRE_MD_LAUNCH_H
#define TORRE_MD_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "md_device.h"
#include "particles/md.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct md_kernels {
    int state_bytes;  /* of one coordinate of positions and velocities */
    int staged_bytes; /* of a staged particle */
    int block_max;    /* threads of the largest block of a force kernel */

    /* Constants of the pair model (torre_pair_make), and its energy shift per pair
       (torre_md_sums). */
    void (*make_pair)(const torre_md_problem *problem, double kick,
                      unsigned char pair[MD_PAIR_BYTES]);
    double (*pair_shift)(const torre_md_problem *problem);

    /* Sort by bin and stage; x_in, v_in, id_in -> x_out, v_out, id_out. */
    cudaError_t (*sort)(const md_sort_args *args, cudaStream_t stream);
    /* Displacement since the last rebuild into control->moved. */
    cudaError_t (*moved)(md_control *control, int count, const void *x, const void *x_built,
                         cudaStream_t stream);
    cudaError_t (*list)(const md_list_args *args, cudaStream_t stream);
    /* First half of a step, in place (x_in = x_out). */
    cudaError_t (*drift)(const md_force_args *args, cudaStream_t stream);
    cudaError_t (*thermostat)(const md_thermostat_args *args, cudaStream_t stream);
    /* A whole step from forces to the next positions; sums: see md_force_kernel. */
    cudaError_t (*full)(const md_force_args *args, bool sums, cudaStream_t stream);
    cudaError_t (*sweep)(const md_force_args *args, bool sums, cudaStream_t stream);
    /* NULL for models that dissipate: their forces depend on more than is staged */
    cudaError_t (*half)(const md_force_args *args, bool sums, cudaStream_t stream);
    /* control->clock += steps */
    cudaError_t (*clock)(md_control *control, int steps, cudaStream_t stream);
} md_kernels;

/* The kernels of a model and precision; NULL where this build has none. */
const md_kernels *md_kernels_find(torre_pair_model model, torre_md_precision precision);

/* Scratch bytes of the scan over that many bins. */
cudaError_t md_scan_bytes(int bins, size_t *bytes);
cudaError_t md_scan(void *scratch, size_t bytes, const int *in, int *out, int bins,
                    cudaStream_t stream);

/* total[MD_SUMS] = sums of rows rows of partial. */
cudaError_t md_total(const double *partial, int rows, double *total, cudaStream_t stream);

/* Shared memory of a block of each kernel, bytes. */
size_t md_list_shared(const md_tiles *tiles, int block);
size_t md_force_shared(const md_tiles *tiles, torre_neighbor neighbor, int staged_bytes);

/* Partial rows that `half` and `thermostat` write beside one per brick. */
int md_particle_rows(int count);

#ifdef __cplusplus
}
#endif

#endif
