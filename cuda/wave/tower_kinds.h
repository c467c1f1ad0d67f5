/* Which towers there are: constants that kernels and the table of GPUs share. */
#ifndef TORRE_CUDA_TOWER_KINDS_H
#define TORRE_CUDA_TOWER_KINDS_H

/* Half-width of the widest stencil that towers have, and that torre_wave_args has room for; the
 * stepwise kernels of wider ones get torre_wide_stencil beside it. */
#define TORRE_TOWER_HALF_WIDTH 4

/* Kernels beside others of their order, dts and precision. WIDE and HALF have more or fewer planes
 * in a block, for constant velocity alone: WIDE for nz a multiple of 4, with longer steps. DENSE
 * are those of order 2 for density that varies. */
typedef enum torre_tower_size {
    TORRE_TOWER_USUAL,
    TORRE_TOWER_WIDE,
    TORRE_TOWER_HALF,
    TORRE_TOWER_DENSE
} torre_tower_size;

#endif
