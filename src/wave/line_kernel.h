/*
 * The line kernel: the one piece of arithmetic that the engines stepwise and torre share. Both call
 * the same function, so that a cell gets the same bits from both, whatever the tile, the tower
 * height, the traversal or the number of threads.
 *
 * A call updates, in one plane x or in the planes x and x + 1 (and x + 2 where R = 3), the same
 * `rows` consecutive rows of `blocks` blocks along z; a block is 64 bytes (16 values f32, 8 values
 * f64), aligned. Per cell, in this order (fma where the machine has it; p_i are the pair sums u(-i)
 * + u(+i) along one axis):
 *
 *     s_i = px_i + wy py_i               wy = (hx/hy)^2, wz = (hx/hz)^2
 *     az  = C_1 pz_1, then += C_i pz_i   i = 2 .. R
 *     lap = C0 u, then += C_i s_i        i = 1 .. R (R = 1, where C_1 = 1: C0 u + s_1)
 *     lap = lap + wz az
 *     u+  = (2 u - u-) + k lap           k = (c dt / hx)^2
 *
 * or, with R = 2,
 *     lap = C0 u + (D_1 pz_1 + D_2 pz_2), then += C_i s_i, D_i = wz C_i
 *
 * with C0 = 2 C_0 (1 + wy + wz); the sum over all directions is complete before it meets 2u - u-,
 * which keeps the rounding errors of f32 small. With damping, d = s dt = (d_x + d_y) + d_z,
 *     u+  = ((2 u - (1 - d) u-) + k lap) / (1 + d),
 * which gives the same bits where d = 0.
 *
 * AVX-512, which shifts values between registers for neighbours along z, folds that sum for R >= 3,
 * so that four shifts are enough: with two more values at every cell,
 *
 *     R = 3: l = D_2 u + D_3 u(-1),  h = D_2 u + D_3 u(+1)
 *     R = 4: l = D_3 u + D_4 u(-1) + D_2 u(+1),  h = D_3 u + D_4 u(+1) + D_2 u(-1)
 *
 * lap starts from C0 u + (D_1 pz_1 + l(-(R - 1))), and h(+(R - 1)) comes last.
 *
 * A block before and two after the window, R rows on both sides and R planes on both sides must be
 * readable: the padded fields (padded_field.h) keep ghost values there. The kernel writes whole
 * blocks; values beyond the last cell of a row are the caller's to repair.
 */
#ifndef TORRE_LINE_KERNEL_H
#define TORRE_LINE_KERNEL_H

#include <stdint.h>

#include "wave/stencil.h"
#include "wave/wave.h"

#define TORRE_BLOCK_BYTES 64

/* What is the same for every call of a run. Pitches in values. */
typedef struct torre_line_scheme {
    int64_t row_pitch, plane_pitch;               /* of the fields */
    int64_t factor_row_pitch, factor_plane_pitch; /* of k; row pitch 0: the same k for every row */
    float weight_float[TORRE_MAX_HALF_WIDTH + 1]; /* C0, C_1 .. C_R */
    double weight_double[TORRE_MAX_HALF_WIDTH + 1];
    float wy_float, wz_float;
    double wy_double, wz_double;
    float weight_z_float[TORRE_MAX_HALF_WIDTH + 1]; /* wz C_i; [0] is not used */
    double weight_z_double[TORRE_MAX_HALF_WIDTH + 1];
    float factor_float; /* k where line.factor is NULL */
    double factor_double;
} torre_line_scheme;

/* Everything but the pitches, for half-width R. */
static inline void torre_line_scheme_set(torre_line_scheme *s, int R, double wy, double wz,
                                         double factor)
{
    for (int i = 0; i <= R; i++) {
        double c = torre_stencil_weight(R, i) * (i == 0 ? 2 * (1 + wy + wz) : 1);
        s->weight_float[i] = (float)(s->weight_double[i] = c);
        s->weight_z_float[i] = (float)(s->weight_z_double[i] = wz * c);
    }
    s->wy_float = (float)(s->wy_double = wy);
    s->wz_float = (float)(s->wz_double = wz);
    s->factor_float = (float)(s->factor_double = factor);
}

/* One call. Pointers to values of the kernel's precision at the first cell of the first row. */
typedef struct torre_line {
    void *next;            /* in: u[n-1], out: u[n+1] */
    const void *now;       /* u[n] */
    const void *factor;    /* k per cell, or NULL */
    const void *damping_x; /* d of each plane; NULL where nothing damps */
    const void *damping_y; /* d of each row */
    const void *damping_z; /* d along the window */
    int planes;            /* 1 or 2, or 3 where R = 3 */
    int64_t rows, blocks;
    /*
     * What later calls will read: starts of rows, fetched into the second level cache bit by bit
     * (as long as the window, from byte fetch_offset on) while this call computes. They need not
     * be valid addresses.
     */
    const char *const *fetch;
    int64_t fetches, fetch_offset;
} torre_line;

typedef void (*torre_line_function)(const torre_line_scheme *scheme, const torre_line *line);

/* The kernels of one instruction set. */
typedef struct torre_line_kernels {
    const char *isa;
    torre_line_function f32[TORRE_MAX_HALF_WIDTH]; /* [R - 1] */
    torre_line_function f64[TORRE_MAX_HALF_WIDTH];
} torre_line_kernels;

/* The best kernels that this machine can run. */
const torre_line_kernels *torre_line_kernels_best(void);

#endif
