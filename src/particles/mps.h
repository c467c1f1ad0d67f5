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
 * over particles nearer than r_e; SI units, x along the tank, y up, z across it. n0 and lambda0 are
 * those of the initial lattice. Particles come in three kinds, in the order of their ids:
 *
 *     0 .. fluid - 1                fluid    moves
 *     fluid .. fluid + wall - 1     wall     fixed, has a pressure
 *     the others up to count - 1    dummy    fixed, only fills the neighbourhood of wall and fluid
 *
 * A fluid particle with n < surface n0 belongs to the free surface. Its pressure is 0, as is that
 * of every particle with n < n0: tension would draw particles together into clumps.
 *
 * The energy is the sum of the kinetic, the potential in gravity, and the elastic: that of the
 * pressure (U in mps_weight.h, over fluid and wall) and that of the collisions. Gravity and Proc 4
 * only convert it; viscosity and the time step (Proc 5 moves on with the new velocity, so that
 * every wave decays, see torre_mps_dt_limit) take some: it never grows.
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

/* What is to be computed. Plain data; everything pointed to belongs to the caller. */
typedef struct torre_mps_problem {
    int64_t count, fluid, wall; /* particles: all, and those of the first two kinds */
    double box[3];              /* periodic; a tank leaves room enough that images do not meet */
    const double *position[3];  /* [axis][id], 0 <= r < L */
    const double *velocity[3];  /* [axis][id]; 0 for all but fluid */
    int dims;                   /* 2: one layer of particles at one z; 3 */
    double spacing;             /* l0 of the initial lattice, > 0 */
    double influence;           /* r_e, at least 1.5 l0 and at most 4 l0 */
    double density;             /* rho, > 0 */
    double viscosity;           /* nu, kinematic, >= 0 */
    double gravity;             /* g along -y, >= 0 */
    double sound_speed;         /* c, > 0 */
    double surface;             /* of the free-surface criterion, 0 < beta <= 1 */
    double dt;                  /* > 0, no more than torre_mps_dt_limit */
    torre_md_precision precision;
} torre_mps_problem;

/* Sums over the neighbours in a lattice of spacing l0. */
typedef struct torre_mps_norms {
    double n0;      /* of w */
    double lambda0; /* of r^2 w, over n0; m^2 */
    double n_grad;  /* of w_grad */
} torre_mps_norms;

torre_mps_norms torre_mps_norms_of(int dims, double spacing, double influence);

torre_mps_constants torre_mps_constants_of(const torre_mps_problem *problem);

/*
 * The largest stable dt. A linear wave of frequency omega on the initial lattice is multiplied by a
 * matrix of trace 2 - 2 h^2 and determinant 1 - h^2, h = omega dt, so it decays where h^2 < 4/3;
 * the largest omega is found from the dispersion relation of the lattice. Particles that meet at
 * an impact are nearer than l0 and stiffer: a quarter of that dt is the limit. Collisions add
 * omega^2 = 2 z/d c^2/l0^2 with z neighbours each, at most 6 in 2-D and 12 in 3-D: with them, too,
 * h^2 < 4/3 (for large r_e). Viscosity bounds dt likewise, by dt nu 2d/(lambda0 n0) 2 n0 < 2.
 */
double torre_mps_dt_limit(const torre_mps_problem *problem);

/* Refuse, by name and with the legal range, what the definition does not allow. Looks at the
 * particles, too, where position is not NULL. */
torre_status torre_mps_problem_check(const torre_mps_problem *problem);

/* What the shared machinery of bins, lists and plans must know: count, box and cutoff r_e. */
torre_md_problem torre_mps_geometry(const torre_mps_problem *problem);

/* Values of the particles by id; NULL: not wanted. Pressure and number density are those of the
 * last step's r' (of the initial positions at step 0); of dummies 0. */
typedef struct torre_mps_state {
    double *position[3], *velocity[3], *pressure, *number_density;
    double *collision; /* half of the energy of a particle's collisions, over m; m^2/s^2; of
                          dummies 0 */
} torre_mps_state;

/* Seconds spent since set_particles; move: Proc 2 and what belongs to no other. */
typedef struct torre_mps_times {
    double viscosity, density, gradient, neighbor, sort, move;
} torre_mps_times;

typedef struct torre_mps_solver torre_mps_solver;

/* A backend: as torre_md_backend (md.h), which says more about each function. */
typedef struct torre_mps_backend {
    const char *name;
    torre_status (*plan)(const torre_mps_problem *problem, const torre_md_plan *wish,
                         torre_md_info *info);
    torre_status (*create)(const torre_mps_problem *problem, const torre_md_info *info,
                           torre_mps_solver **solver);
    /* The particles of the problem; pressure and number density of step 0. */
    torre_status (*set_particles)(torre_mps_solver *solver);
    /* n -> n + steps. Splitting a run changes nothing. TORRE_ERR_UNSTABLE with step and particle
     * where a particle moves faster than sound or is not finite. */
    torre_status (*advance)(torre_mps_solver *solver, int64_t steps);
    torre_status (*get_state)(torre_mps_solver *solver, const torre_mps_state *state);
    void (*times)(const torre_mps_solver *solver, torre_mps_times *times, torre_md_counts *counts);
    void (*destroy)(torre_mps_solver *solver);
} torre_mps_backend;

/* Every solver starts with its backend (the rest is private to it). */
struct torre_mps_solver {
    const torre_mps_backend *backend;
};

/* Find a backend by name; core/backend.h says how "auto" is read. */
torre_status torre_mps_backend_find(const char *name, const torre_md_plan *plan,
                                    const torre_mps_backend **backend);

#ifdef __cplusplus
}
#endif

#endif
