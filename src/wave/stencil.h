/*
 * The orders of accuracy: cross stencils for the second derivative along each axis, the half-width
 * R = order / 2 cells to either side,
 *
 *     h^2 u''(x) = 2 C0 u(x) + sum_{i=1..R} C_i (u(x + i h) + u(x - i h)).
 *
 * Taylor's series of the right side agrees with h^2 u'' up to h^order when
 *
 *     C0 + sum C_i = 0,   sum i^2 C_i = 1,   sum i^(2p) C_i = 0 for p = 2 .. R,
 *
 * R + 1 equations for as many weights. The last R of them are a Vandermonde system in i^2; its
 * solution is that of Lagrange,
 *
 *     C_i = i^-2 prod_{j = 1 .. R, j != i} j^2 / (j^2 - i^2)
 *         = 2 (-1)^(i+1) (R!)^2 / (i^2 (R - i)! (R + i)!),      C0 = - sum_{i=1..R} 1 / i^2
 *
 * (Fornberg's central differences; Levchenko et al., Computation 4 (2016) 29, table 1, has orders 2
 * to 8; C0 is half of the usual centre weight). What else depends on the order follows from its
 * row: the limit of stability from torre_stencil_norm, legal values of options and their texts from
 * torre_order_names, the kernels of the GPU from the file itself, which CMake reads.
 */
#ifndef TORRE_STENCIL_H
#define TORRE_STENCIL_H

#include <stdbool.h>

#include "tiling/hd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The orders, from 2 on without a gap: order, C0, C_1 .. C_R. A line here is all that an order up
 * to 14 takes: vectors of 64 bytes, which kernels shift by up to R values, hold 8 in f64. */
/* clang-format off */
#define TORRE_STENCIL_TABLE(ORDER) \
    ORDER(2, -1.0, 1.0) \
    ORDER(4, -5.0 / 4, 4.0 / 3, -1.0 / 12) \
    ORDER(6, -49.0 / 36, 3.0 / 2, -3.0 / 20, 1.0 / 90) \
    ORDER(8, -205.0 / 144, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560) \
    ORDER(10, -5269.0 / 3600, 5.0 / 3, -5.0 / 21, 5.0 / 126, -5.0 / 1008, 1.0 / 3150) \
    ORDER(12, -5369.0 / 3600, 12.0 / 7, -15.0 / 56, 10.0 / 189, -1.0 / 112, 2.0 / 1925, \
          -1.0 / 16632)
/* clang-format on */

enum {
#define TORRE_STENCIL_ROW(order, ...) TORRE_STENCIL_ROW_##order,
    TORRE_STENCIL_TABLE(TORRE_STENCIL_ROW)
#undef TORRE_STENCIL_ROW
        TORRE_MAX_HALF_WIDTH, /* as many as there are rows */
    TORRE_MAX_ORDER = 2 * TORRE_MAX_HALF_WIDTH
};

/* The orders as text, "2", "4", ...; NULL-terminated. */
extern const char *const torre_order_names[];

/* The same as "2,4,..", the default of lists of orders. */
extern const char *const torre_order_list;

/* Whether the table has the order. */
static inline bool torre_order_known(long long order)
{
    return order >= 2 && order <= TORRE_MAX_ORDER && order % 2 == 0;
}

/* C_i of the order 2 R, i = 0 .. R, R = 1 .. TORRE_MAX_HALF_WIDTH (not checked). */
static inline TORRE_HD double torre_stencil_weight(int half_width, int i)
{
#define TORRE_STENCIL_WEIGHTS(order, ...) {__VA_ARGS__},
#ifndef __CUDACC__ /* where indices are constants, and no table is left */
    static
#endif
        const double c[][TORRE_MAX_HALF_WIDTH + 1] = {TORRE_STENCIL_TABLE(TORRE_STENCIL_WEIGHTS)};
#undef TORRE_STENCIL_WEIGHTS
    return c[half_width - 1][i];
}

/*
 * The same by differences of neighbours (summation by parts, as sum C_i + C0 = 0), so that nothing
 * is left of a constant whatever the rounding of the weights:
 *
 *     h^2 u''(x) = sum_{d=1..R} G_d ((u(d) - u(d-1)) - (u(1-d) - u(-d))),   G_d = sum_{i=d..R} C_i.
 *
 * G_d of the order 2 R, d = 1 .. R (not checked).
 */
static inline TORRE_HD double torre_stencil_step_weight(int half_width, int d)
{
    double sum = 0;
    for (int i = half_width; i >= d; i--) sum += torre_stencil_weight(half_width, i);
    return sum;
}

/* S = 2 (|C0| + sum |C_i|): minus the smallest eigenvalue of h^2 d^2/dx^2 (at the Nyquist wave). */
static inline TORRE_HD double torre_stencil_norm(int half_width)
{
    double s = 0;
    for (int i = 0; i <= half_width; i++) {
        double c = torre_stencil_weight(half_width, i);
        s += 2 * (c < 0 ? -c : c);
    }
    return s;
}

#ifdef __cplusplus
}
#endif

#endif
