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
 *
 * Where n is short of neighbours, in spray and at the edge of the water, there is no pressure: two
 * lone particles would pass through each other and a lone particle through a wall, between the
 * wall's particles, until 1/r makes n exceed n0 at a tenth of a spacing, where no time step is
 * short enough. Particle methods therefore let particles collide: H.-Y. Lee et al., Comput. Methods
 * Appl. Mech. Engrg. 200 (2011) 1113 for MPS; A. Kruisbrink et al., J. Appl. Math. Phys. 6 (2018)
 * 1860 against passing through walls; M. Jandaghian et al., J. Comput. Phys. 434 (2021) 110202 for
 * the weakly compressible MPS. Here two particles nearer than d are pushed apart, each with
 *
 *     m c^2/l0^2 (d - r),      the gradient of the energy  m c^2/2 ((d - r)/l0)^2  of the pair,
 *
 * a spring of the stiffness that a cubic lattice of springs with the sound speed c has. Central
 * forces of pairs conserve momentum, angular momentum and energy; the time step damps them as it
 * does sound. d is the one free number. Less than l0, so that the initial lattice stays free of
 * collisions; more than sqrt(3)/2 l0, so that a particle that rests over the gap between four wall
 * particles (sqrt(1/2) l0 from each, were it in their plane) stands off that plane by more than
 * l0/2, where the wall begins: sqrt(d^2 - l0^2/2) is 0.56 l0 for d = 0.9 l0.
 */
#ifndef TORRE_MPS_WEIGHT_H
#define TORRE_MPS_WEIGHT_H

/* inverse: 1/r; valid for r < r_e. */
#define TORRE_MPS_WEIGHT(influence, inverse)          ((influence) * (inverse)-1)
#define TORRE_MPS_GRADIENT_WEIGHT(influence, inverse) ((influence) * (inverse))

#define TORRE_MPS_COLLISION_DISTANCE 0.9 /* d / l0 */

/* Constants of the sweeps; see torre_mps_constants_of. */
typedef struct torre_mps_constants {
    double influence;        /* r_e */
    double viscosity_factor; /* nu 2 d / (lambda0 n0) */
    double gravity;          /* along -y */
    double n0;
    double stiffness;       /* c^2 rho */
    double gradient_factor; /* d / (rho n_grad), d: 2 or 3 dimensions */
    double collision_distance;
    double collision_factor; /* c^2 / l0^2 */
    double dt;
} torre_mps_constants;

#endif
