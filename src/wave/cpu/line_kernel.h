/*
 * The line kernel: the one piece of arithmetic that the engines stepwise and torre share. Both call
 * the same function, so that a cell gets the same bits from both, whatever the tile, the tower
 * height, the traversal or the number of threads.
 *
 * A call updates, in one plane x or in several from x on (torre_line_planes), the same
 * `rows` consecutive rows of `blocks` blocks along z; a block is 64 bytes (16 values f32, 8 values
 * f64), aligned. Per cell, in this order (fma where the machine has it; p_i are the pair sums u(-i)
 * + u(+i) along one axis):
 *
 *     s_i = px_i + wy py_i               wy = (hx/hy)^2; s_0: the same of 2 u for each pair
 *     far = C_R s_R, then += C_i s_i for i = R - 1 .. 2, then += C s_0
 *     lap = far + C_1 (s_1 - s_0)
 *     az  = the same of pz_i and 2 u
 *     lap = lap + wz az                  wz = (hx/hz)^2
 *     lap = lap - potential u            where density varies: hx^2 q of density.h
 *     u+  = (2 u - u-) + k lap           k = (c dt / hx)^2
 *
 * with C = -(C_2 + .. + C_R) to the last digit, and without far where R = 1. Where the field is
 * constant all s_i are alike: s_1 - s_0 is zero, and of far rounding leaves at most half an epsilon
 * of its partial sums. These add up to 0.15, 0.20, 0.24, 0.28, 0.31 s_0 at orders 6 to 14 (it is
 * the sum of |C_R|, |C_R + C_(R-1)|, ..), so that below the stability limit, where k s_0 and its
 * like along z come to 8 u / S, k lap is less than 2^-25.5 u in f32: u+ is 2 u - u- to the last
 * digit, and nothing grows from nothing. Without a fused multiply-add all terms are C_i (s_i -
 * s_0). The sum over all directions is complete before it meets 2u - u-, which keeps the rounding
 * errors of f32 small. With damping, d = s dt = (d_x + d_y) + d_z, u+  = ((2 u - (1 - d) u-) + k
 * lap) / (1 + d), which gives the same bits where d = 0.
 *
 * AVX-512, which shifts values between registers for neighbours along z, folds that sum for R = 3
 * and 4, so that four shifts are enough: with two more values at every cell,
 *
 *     R = 3: l = C_2 u + C_3 u(-1),  h = C_2 u + C_3 u(+1)
 *     R = 4: l = C_3 u + C_4 u(-1) + C_2 u(+1),  h = C_3 u + C_4 u(+1) + C_2 u(-1)
 *
 * far of az starts from l(-(R - 1)) + h(+(R - 1)).
 *
 * A block before and two after the window, R rows on both sides and R planes on both sides must be
 * readable: the padded fields (padded_field.h) keep ghost values there. The kernel writes whole
 * blocks; values beyond the last cell of a row are the caller's to repair.
 */
#ifndef TORRE_LINE_KERNEL_H
#define TORRE_LINE_KERNEL_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "wave/problem.h"
#include "wave/stencil.h"

#define TORRE_BLOCK_BYTES 64

_Static_assert(TORRE_MAX_HALF_WIDTH < TORRE_BLOCK_BYTES / 8, "neighbours are in the next block");

/* Planes that one call takes at best: what they share along x has room in registers up to R = 3,
 * and towers want a divisor of R, so that whole groups of planes make a tile. */
static inline int torre_line_planes(int R) { return R % 2 && R % 3 == 0 ? 3 : 2; }

/* What is the same for every call of a run. Pitches in values. */
typedef struct torre_line_scheme {
    int64_t row_pitch, plane_pitch;               /* of the fields */
    int64_t factor_row_pitch, factor_plane_pitch; /* of k; row pitch 0: the same k for every row */
    int64_t potential_row_pitch, potential_plane_pitch; /* of the potential, likewise */
    float weight_float[TORRE_MAX_HALF_WIDTH + 1];       /* C, C_1 .. C_R */
    double weight_double[TORRE_MAX_HALF_WIDTH + 1];
    float wy_float, wz_float;
    double wy_double, wz_double;
    float factor_float; /* k where line.factor is NULL */
    double factor_double;
} torre_line_scheme;

/* C, C_1 .. C_R times `scale`, as numbers of a precision. C and C_3 .. are multiples of a unit in
 * the last place of C_2, the largest of them, which takes what they lose, so that their sum is
 * exact. */
static inline void torre_line_weights(int R, torre_precision precision, double scale,
                                      double *weight)
{
    weight[0] = 0;
    weight[1] = scale * torre_stencil_weight(R, 1);
    if (R == 1) return;
    const int digits = precision == TORRE_F32 ? FLT_MANT_DIG : DBL_MANT_DIG;
    const double unit = ldexp(1, ilogb(scale * torre_stencil_weight(R, 2)) + 1 - digits);
    for (int i = 2; i <= R; i++) weight[0] -= scale * torre_stencil_weight(R, i);
    weight[0] = rint(weight[0] / unit) * unit;
    weight[2] = -weight[0];
    for (int i = R; i > 2; i--) {
        weight[i] = rint(scale * torre_stencil_weight(R, i) / unit) * unit;
        weight[2] -= weight[i];
    }
}

/* Everything but the pitches, for half-width R. factor: k, or 0 where it differs from cell to cell.
 * What k loses in f32 is given to the weights. */
static inline void torre_line_scheme_set(torre_line_scheme *s, int R, double wy, double wz,
                                         double factor)
{
    double rounded[TORRE_MAX_HALF_WIDTH + 1];
    s->factor_float = (float)(s->factor_double = factor);
    const double lost = factor > 0 && R > 1 ? factor / (double)s->factor_float : 1;
    torre_line_weights(R, TORRE_F64, 1, s->weight_double);
    torre_line_weights(R, TORRE_F32, lost, rounded);
    for (int i = 0; i <= R; i++) s->weight_float[i] = (float)rounded[i];
    s->wy_float = (float)(s->wy_double = wy);
    s->wz_float = (float)(s->wz_double = wz);
}

/* One call. Pointers to values of the kernel's precision at the first cell of the first row. */
typedef struct torre_line {
    void *next;            /* in: u[n-1], out: u[n+1] */
    const void *now;       /* u[n] */
    const void *factor;    /* k per cell, or NULL */
    const void *potential; /* of each cell, beside k alone, or NULL */
    const void *damping_x; /* d of each plane; NULL where nothing damps */
    const void *damping_y; /* d of each row */
    const void *damping_z; /* d along the window */
    int planes;            /* 1 .. torre_line_planes */
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
