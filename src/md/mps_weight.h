/*
 * The weights of the moving-particle method, once for C and CUDA.
 *
 *     w(r)      = r_e/r - 1       r < r_e, otherwise 0
 *     w_grad(r) = r_e/r = -r dw/dr
 *
 * The second is what the pressure gradient uses, with its own norm n_grad = sum of w_grad over the
 * initial lattice:
 *
 *     <grad P>_i = d/n_grad  sum over j of (P_i + P_j) (r_j - r_i)/r^2  w_grad(r)
 *
 * Two reasons. On the initial lattice this is exact for a linear pressure (the sum of
 * (r_j - r_i)(r_j - r_i)/r^2 w_grad is n_grad/d times the unit tensor, and P_i + P_j - 2 P_i is
 * linear in r_j - r_i). And with P = c^2 rho (n/n0 - 1) it is the gradient of an energy,
 *
 *     U = (d n0/n_grad) m c^2/2  sum over i of (n_i/n0 - 1)^2,
 *
 * so the pressure step moves energy, but makes none, and conserves momentum and angular momentum.
 */
#ifndef TORRE_MPS_WEIGHT_H
#define TORRE_MPS_WEIGHT_H

/* inverse: 1/r; valid for r < r_e. */
#define TORRE_MPS_WEIGHT(influence, inverse)          ((influence) * (inverse)-1)
#define TORRE_MPS_GRADIENT_WEIGHT(influence, inverse) ((influence) * (inverse))

/* Constants of the sweeps; see torre_mps_constants_of. */
typedef struct torre_mps_constants {
    double influence;        /* r_e */
    double viscosity_factor; /* nu 2 d / (lambda0 n0) */
    double gravity;          /* along -y */
    double n0;
    double stiffness;       /* c^2 rho */
    double gradient_factor; /* d / (rho n_grad) */
    double dt;
} torre_mps_constants;

#endif
