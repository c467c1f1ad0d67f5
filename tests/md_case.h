/*
 * Cases for the tests of particles: small boxes, a solver made in one call, and the forces summed
 * plainly over all pairs.
 *
 * The tests run on the backend named by the first argument of the program, "cpu" without one.
 */
#ifndef TORRE_TEST_MD_CASE_H
#define TORRE_TEST_MD_CASE_H

#include "check.h"
#include "particles/md.h"
#include "particles/md_start.h"

/* A problem and the particles it points to. */
typedef struct md_case {
    torre_md_problem problem;
    torre_md_particles particles;
} md_case;

/* Name of the backend under test, from the arguments of main; checks that it is there. */
void md_case_arguments(int argc, char **argv);

/* fcc melt of cells[0] x cells[1] x cells[2] unit cells at density 0.8442, T = 1.44, cutoff 2.5, dt
 * 0.005. */
md_case md_case_melt(int64_t nx, int64_t ny, int64_t nz, torre_md_precision precision);

/* As a melt, each particle displaced by up to amplitude (uniform) along each axis. */
md_case md_case_rough(int64_t nx, int64_t ny, int64_t nz, double amplitude,
                      torre_md_precision precision);

void md_case_free(md_case *c);

/* The backend under test. */
const torre_md_backend *md_case_backend(const torre_md_plan *plan);

/* A solver of the backend under test with the particles set. */
torre_md_solver *md_case_solver(const md_case *c, const torre_md_plan *plan);

/* Likewise of the backend of that name. */
torre_md_solver *md_case_solver_of(const char *name, const md_case *c, const torre_md_plan *plan);

/* Plan that never misses a pair: lists checked every step. */
torre_md_plan md_case_safe_plan(void);

torre_md_thermo md_case_thermo(const md_case *c, torre_md_solver *solver, int64_t step);

/* Positions and velocities, or forces, of a solver, by id. */
torre_md_particles md_case_particles(const md_case *c, torre_md_solver *solver);
torre_md_particles md_case_forces(const md_case *c, torre_md_solver *solver);
/* Those after 60 steps, at once by one thread and one by one by three. */
void md_case_cut(const md_case *c, torre_md_particles end[2]);

/* Largest difference of any component of positions (nearest image) and of velocities. */
double md_case_difference(const torre_md_particles *a, const torre_md_particles *b);

/* Distance of the nearest image of particle j from particle i; d: from j to i, by axis. */
double md_case_apart(const torre_md_particles *particles, int64_t i, int64_t j, double d[3]);

/*
 * Lennard-Jones forces by the definition (md.h), all pairs, f64: force[axis][id] in
 * forces->velocity (positions are not set), and the sum of |f| over the partners of each particle
 * in scale[id], against which rounding is judged.
 */
torre_md_particles md_case_brute_force(const md_case *c, double *scale, torre_md_sums *sums);

/* Mean of values, and its error by the scatter of the means of `blocks` parts of equal length. */
double md_case_mean(const double *value, int count, int blocks, double *error);

#endif
