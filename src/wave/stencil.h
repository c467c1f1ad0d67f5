/*
 * Cross stencils of order 2, 4, 6, 8 for the second derivative (Fornberg's central differences;
 * Levchenko et al., Computation 4 (2016) 29, table 1, whose C0 is half the centre weight):
 *
 *     h^2 u''(x) = 2 C0 u(x) + sum_{i=1..R} C_i (u(x + i h) + u(x - i h)),   R = order / 2.
 */
#ifndef TORRE_STENCIL_H
#define TORRE_STENCIL_H

#include "tiling/hd.h"

#define TORRE_MAX_HALF_WIDTH 4

/* C_i of the order 2 R, i = 0 .. R, R = 1 .. 4 (not checked). */
static inline TORRE_HD double torre_stencil_weight(int half_width, int i)
{
    const double c[4][5] = {
        {-1.0, 1.0, 0, 0, 0},
        {-5.0 / 4, 4.0 / 3, -1.0 / 12, 0, 0},
        {-49.0 / 36, 3.0 / 2, -3.0 / 20, 1.0 / 90, 0},
        {-205.0 / 144, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560},
    };
    return c[half_width - 1][i];
}

/*
 * The same by differences of neighbours (summation by parts, as sum C_i + C0 = 0), so that nothing
 * is left of a constant whatever the rounding of the weights:
 *
 *     h^2 u''(x) = sum_{d=1..R} G_d ((u(d) - u(d-1)) - (u(1-d) - u(-d))),   G_d = sum_{i=d..R} C_i.
 *
 * G_d of the order 2 R, d = 1 .. R, R = 1 .. 4 (not checked).
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

#endif
