/*
 * The convolutional perfectly matched layer, as most programs have it (Pasalic and McGarry, SEG
 * 2010; coefficients as in Deepwave): there to compare with pml.h. It discretises a layer that is
 * exact before it is discretised, so that where it begins waves of the grid are reflected.
 *
 * One axis, h = 1, cells r = 0 .. W - 1 of a layer counted outwards, r < 0 in front of it, u = 0
 * beyond the face. D is the first difference of the order of the scheme, D' that of order 2, L u
 * the second difference of the scheme; psi and zeta are the memory of the layer, zero outside. With
 * values of the old time level on the right sides
 *
 *     t    =  L u + b L u + (D' b) D u + D (a psi)
 *     psi  <- a psi + b D u
 *     zeta <- a zeta + b t
 *
 * and t + zeta, with the new zeta, takes the place of L u. With f = (r + 1) / W, 0 in front,
 *
 *     s_r = 3 ln(1000) / 2 f^2 c / (W h),  alpha_r = max(1 - f, 0) pi c / (10 h)
 *     a_r = exp(-(s_r + alpha_r) dt),      b_r = s_r / (s_r + alpha_r) (a_r - 1)
 *
 * c the largest velocity, h the smallest spacing, and D' b at the face of b of f = 1 + 1 / W.
 */
#ifndef TORRE_WAVE_CPML_H
#define TORRE_WAVE_CPML_H

#include "wave/pml.h"

/* Weights of D: sum over m = 1 .. R of weight(R, m) (u(+m) - u(-m)). */
double torre_cpml_slope_weight(int R, int m);

/* a and b of the cells r = -1 .. W, at [r + 1]: W + 2 values each. */
void torre_cpml_profile(const torre_wave_problem *problem, double *a, double *b);

#endif
