/*
 * What the kernels of the moving-particle method and their host side share. Storage, bins, bricks
 * and tiles are those of md_device.h; in the fourth component of positions stands what the pressure
 * is made of, c^2 rho (n/n0 - 1), below 0 for the free surface (-c^2 rho for dummies): the pressure
 * is that or 0, and n can be had back from it. MPS_COLLISION leaves the collision energy of
 * torre_mps_state in the fourth component of velocities, which means nothing otherwise.
 */
#ifndef TORRE_MPS_DEVICE_H
#define TORRE_MPS_DEVICE_H

#include <cuda_runtime_api.h>

#include "md_device.h"
#include "particles/mps_measure.h"
#include "particles/mps_weight.h"

#define MPS_BLOCK_MAX 384 /* f32; half of it otherwise */

/* The sweeps of a step. */
typedef enum mps_sweep {
    MPS_VISCOSITY, /* Proc 1 and 2: x_in, v_in -> x_out, v_out */
    MPS_DENSITY,   /* Proc 3: x_in -> x_out with its fourth component */
    MPS_GRADIENT,  /* Proc 4 and 5: x_in, v_in -> x_out, v_out (v_in may be v_out) */
    MPS_COLLISION, /* x_in -> fourth component of v_in (which v_out is) */
    MPS_SWEEPS
} mps_sweep;

typedef struct mps_sweep_args {
    md_tiles tiles;
    md_box box;
    const void *x_in, *v_in; /* [count] of 4 reals */
    void *x_out, *v_out;
    const void *x_built; /* positions at the last rebuild */
    const int *id;
    int fluid, wall; /* ids below fluid: fluid; below fluid + wall: wall */
    torre_mps_constants constants;
    uint32_t *fastest; /* bits of a float: the largest u^2 of MPS_VISCOSITY since it was cleared */
    const int *active; /* [active_count] ranks of the bricks that hold particles */
    int active_count, lanes_per_place, block;
} mps_sweep_args;

/* What a row of the table is made of (mps_measure.c). */
typedef struct mps_row_args {
    const void *x, *v; /* [count] of 4 reals, v after MPS_COLLISION */
    const int *id;
    int64_t count;
    int fluid, wall;
    double box[3], low[3], high[3];    /* inner faces of the tank */
    double spacing, stiffness, stored; /* stored: energy over m of (n/n0 - 1)^2 */
    double surface;                    /* n/n0 of fluid below it is free surface */
} mps_row_args;

/* Sums over particles, of unit mass, and largest values, of those of the fluid. */
typedef struct mps_row_sums {
    double kinetic, momentum[3], height, elastic, compression, inner;
    double square, pressure, front, excursion; /* of velocities; m, not spacings */
} mps_row_sums;

enum { MPS_ROW_BLOCKS = 264, MPS_REGIONS = 256 };

/* Particles within regions: x and id -> x_out and id_out, in any order, *found of them. */
typedef struct mps_within_args {
    const void *x; /* [count] of 4 reals */
    const int *id;
    void *x_out;
    int *id_out;
    uint32_t *found;
    int64_t count;
    double box[3];
    const torre_mps_region *regions; /* [count_regions], device */
    int count_regions;
} mps_within_args;

#ifdef __cplusplus
extern "C" {
#endif
/* real_bytes: of a real. sums: [MPS_ROW_BLOCKS + 1] on the device; the result is the last. The
 * order of additions is that of the particles in memory. */
cudaError_t mps_row(int real_bytes, const mps_row_args *args, mps_row_sums *sums,
                    cudaStream_t stream);
cudaError_t mps_within(int real_bytes, const mps_within_args *args, cudaStream_t stream);
#ifdef __cplusplus
}
#endif

#endif
