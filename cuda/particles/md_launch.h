/*
 * What the kernels of particles look like from C: a table of launchers for each model and
 * precision, each taking one argument structure and a stream, each returning the launch error. The
 * tables come from md_pair.cu.in, one file per pair model and precision, and mps.cu.in, and share
 * those of the store, md_state.cu.in; a generated table (md_table.c.in) has them all.
 */
#ifndef TORRE_MD_LAUNCH_H
#define TORRE_MD_LAUNCH_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "mps_device.h"
#include "particles/md.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels of the store, for one type of positions and velocities. */
typedef struct md_state_kernels {
    int state_bytes; /* of one coordinate of positions and velocities */

    /* Sort by bin and stage; x_in, v_in, id_in -> x_out, v_out, id_out. */
    cudaError_t (*sort)(const md_sort_args *args, cudaStream_t stream);
    /* Bricks that hold particles into active[brick_count], their number into *count (device). */
    cudaError_t (*active)(const md_tiles *tiles, int *active, uint32_t *count, cudaStream_t stream);
    /* Displacement since the last rebuild into control->moved (md_moved_kernel). */
    cudaError_t (*moved)(md_control *control, int count, const void *x, const void *x_built,
                         const md_live *live, double limit_sq, cudaStream_t stream);
    cudaError_t (*list)(const md_list_args *args, cudaStream_t stream);
    /* First half of a step without a thermostat, in place (x_in = x_out). */
    cudaError_t (*drift)(const md_force_args *args, cudaStream_t stream);
    /* Of thermostats (md_thermostat.cuh). K, and by what to scale; parts: MD_FACTOR_SUM, ... */
    cudaError_t (*factor)(const md_force_args *args, const md_bath_args *bath, int parts,
                          cudaStream_t stream);
    /* From forces to the next positions, in place. */
    cudaError_t (*move)(const md_force_args *args, const md_bath_args *bath, cudaStream_t stream);
    /* Likewise where force kernels leave velocities behind: positions after each step, velocities
     * behind the last one of a sequence. */
    cudaError_t (*glide)(const md_force_args *args, cudaStream_t stream);
    cudaError_t (*arrive)(const md_force_args *args, cudaStream_t stream);
    /* What comes after a step of whole velocities, and sums into args->partial. */
    cudaError_t (*thermostat)(const md_force_args *args, const md_bath_args *bath,
                              cudaStream_t stream);
    /* Of minimisation (md_relax.cuh). */
    cudaError_t (*relax_sums)(const md_force_args *args, const md_relax_args *relax, bool kick,
                              cudaStream_t stream);
    cudaError_t (*relax_decide)(const md_force_args *args, const md_relax_args *relax,
                                const double *total, double *to, cudaStream_t stream);
    cudaError_t (*relax_move)(const md_force_args *args, const md_relax_args *relax,
                              cudaStream_t stream);
    /* Of the barostat (md_barostat.cuh). Before the sort of a rebuild, and behind it: */
    cudaError_t (*fit)(const md_fit_args *args, cudaStream_t stream);
    /* As factor, and the box of the next step with MD_FACTOR_BEFORE. */
    cudaError_t (*couple)(const md_force_args *args, const md_couple_args *couple, int parts,
                          cudaStream_t stream);
    /* As move; as thermostat, with the mass of the problem. */
    cudaError_t (*stretch)(const md_force_args *args, cudaStream_t stream);
    cudaError_t (*coupled)(const md_force_args *args, double mass, cudaStream_t stream);
    /* control->clock += steps */
    cudaError_t (*clock)(md_control *control, int steps, cudaStream_t stream);
    /* Of several devices: behind steps that are late to stop, from x_in and v back to x_out and
     * v_out. */
    cudaError_t (*undo)(const md_force_args *args, cudaStream_t stream);
    /* Likewise (md_share.cuh). need, of md_sort_args: */
    cudaError_t (*need)(const md_tiles *tiles, const md_cuts *cuts, uint32_t *need,
                        cudaStream_t stream);
    cudaError_t (*front)(const md_front_args *args, cudaStream_t stream);
    cudaError_t (*bin)(const md_lend_args *args, cudaStream_t stream);
    cudaError_t (*lend)(const md_lend_args *args, cudaStream_t stream);
    cudaError_t (*rows)(const md_rows_args *args, cudaStream_t stream);
    cudaError_t (*border)(const md_border_args *args, cudaStream_t stream);
    cudaError_t (*tell)(const md_tell_args *args, cudaStream_t stream);
    cudaError_t (*take)(const md_take_args *args, cudaStream_t stream);
    /* speeds[rows][sums] = the first of partial[rows][MD_SUMS], or back. */
    cudaError_t (*speeds)(double *partial, double *speeds, int rows, int sums, bool back,
                          cudaStream_t stream);
    /* control->last becomes the least of it and last[devices]. */
    cudaError_t (*join)(md_control *control, const int *last, int devices, cudaStream_t stream);
} md_state_kernels;

/* What is there for a pair model. */
typedef struct md_pair_kernels {
    /* Constants of the pair model (torre_pair_make), and its energy shift per pair
       (torre_md_sums). */
    void (*make)(const torre_md_problem *problem, double kick, unsigned char pair[MD_PAIR_BYTES]);
    double (*shift)(const torre_md_problem *problem);
    /* Of particles of several types instead: constants of each pair of types, into `rows` where
     * that is not NULL; returns their bytes. NULL for one type. */
    size_t (*rows)(const torre_md_problem *problem, void *rows);

    /* Thermostats and barostats are for models that do not dissipate. */
    cudaError_t (*full)(const md_force_args *args, md_force_work work, cudaStream_t stream);
    cudaError_t (*sweep)(const md_force_args *args, md_force_work work, cudaStream_t stream);
    /* NULL for models that dissipate: their forces depend on more than is staged */
    cudaError_t (*half)(const md_force_args *args, md_force_work work, cudaStream_t stream);
} md_pair_kernels;

/* All that there is for a model in a precision. */
typedef struct md_kernels {
    const md_state_kernels *state;
    int staged_bytes; /* shared memory of a staged particle, of the kernel that takes most */
    int block_max;    /* threads of the largest block */
    const md_pair_kernels *pair;                                    /* NULL for mps */
    cudaError_t (*mps)(mps_sweep which, const mps_sweep_args *args, /* NULL for pair models */
                       cudaStream_t stream);
} md_kernels;

extern const md_state_kernels md_state_float, md_state_double;

/* The kernels of a model and precision, for particles of several types, or rough grains; NULL where
 * this build has none. */
const md_kernels *md_kernels_find(torre_pair_model model, torre_md_precision precision, bool types);

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
