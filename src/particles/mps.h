/*
 * Moving-particle semi-implicit (MPS) method, explicit and weakly compressible: a fluid with a free
 * surface in a tank of fixed particles. After T. Miyajima, K. Kubota, N. Fujita, "A porting and
 * optimization of search for neighbour-particle in MPS method for GPU by using OpenACC" (JAXA),
 * whose Proc 1 to 6 make a step, with a repulsion of colliding particles in Proc 4:
 *
 *     1  u' = u + dt (nu 2d/(lambda0 n0) sum over j of (u_j - u_i) w(|r_j - r_i|) + g)
 *     2  r' = r + dt u'
 *     3  n = sum over j of w(|r'_j - r'_i|);   P = c^2 rho (n/n0 - 1), no less than 0
 *     4  a = -grad P / rho + collisions, grad P from P_i + P_j, both at r' (mps_weight.h has the
 *        weights, the collisions and why)
 *     5  u = u' + dt a;  r = r' + dt^2 a
 *     6  t += dt
 *
 * over particles nearer than r_e, the cutoff of the problem; SI units, x along the tank, y up, z
 * across it, in two dimensions one layer of particles at one z. 1.5 l0 <= r_e <= 4 l0. The box is
 * periodic; a tank leaves room enough that images do not meet. n0 and lambda0 are those of the
 * initial lattice. Particles come in three kinds, in the order of their ids:
 *
 *     0 .. fluid - 1                fluid    moves
 *     fluid .. fluid + wall - 1     wall     fixed, has a pressure
 *     the others up to count - 1    dummy    fixed, only fills the neighbourhood of wall and fluid
 *
 * Those of a gate (mps_boxes.h), walls and dummies, are at rest until gate_opens; then they are
 * moved up together, with gate_speed or in one step, and are at rest again.
 *
 * A fluid particle with n < surface n0 belongs to the free surface. Its pressure is 0, as is that
 * of every particle with n < n0: tension would draw particles together into clumps.
 *
 * The energy is the sum of the kinetic, the potential in gravity, and the elastic: that of the
 * pressure (U in mps_weight.h, over fluid and wall) and that of the collisions. Gravity and Proc 4
 * only convert it; viscosity and the time step (Proc 5 moves on with the new velocity, so that
 * every wave decays, see torre_mps_dt_limit) take some: it never grows, but while a gate moves.
 *
 * dt is constant. The paper adapts it to the largest velocity; here the sound speed, some ten times
 * that, sets the limit (torre_mps_dt_limit).
 */
#ifndef TORRE_MPS_H
#define TORRE_MPS_H

#include <stdint.h>

#include "particles/md.h"
#include "particles/mps_weight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sums over the neighbours in a lattice of spacing l0. */
typedef struct torre_mps_norms {
    double n0;      /* of w */
    double lambda0; /* of r^2 w, over n0; m^2 */
    double n_grad;  /* of w_grad */
} torre_mps_norms;

torre_mps_norms torre_mps_norms_of(int dims, double spacing, double influence);

torre_mps_constants torre_mps_constants_of(const torre_md_problem *problem);

/*
 * The largest stable dt. A linear wave of frequency omega on the initial lattice is multiplied by a
 * matrix of trace 2 - 2 h^2 and determinant 1 - h^2, h = omega dt, so it decays where h^2 < 4/3;
 * the largest omega is found from the dispersion relation of the lattice. Particles that meet at
 * an impact are nearer than l0 and stiffer: a quarter of that dt is the limit. Collisions add
 * omega^2 = 2 z/d c^2/l0^2 with z neighbours each, at most 6 in 2-D and 12 in 3-D: with them, too,
 * h^2 < 4/3 (for large r_e). Viscosity bounds dt likewise, by dt nu 2d/(lambda0 n0) 2 n0 < 2.
 */
double torre_mps_dt_limit(const torre_md_problem *problem);

/* Whether that particle belongs to the gate, and how far the gate has been lifted at a time, m. */
static inline bool torre_mps_is_gate(const torre_mps_parameters *mps, int64_t id)
{
    return id >= mps->gate && id < mps->gate + mps->gate_count;
}
double torre_mps_gate_lifted(const torre_mps_parameters *mps, double time);

/* Refuse a radius of influence that is not 1.5 to 4 spacings. */
torre_status torre_mps_influence_check(double spacing, double influence);

/* torre_md_problem_check of this method. */
torre_status torre_mps_problem_check(const torre_md_problem *problem);

#ifdef __cplusplus
}
#endif

#endif
