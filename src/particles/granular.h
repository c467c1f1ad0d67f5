/*
 * A granular gas: what a system of the pair model "granular" consists of, and how it starts.
 *
 * Contacts. Two spheres of diameter d and mass m that overlap by delta have the reduced mass
 * M = m/2; a sphere and a wall have M = m. With L = -ln e for the restitution e:
 *
 *     linear     M delta'' + c delta' + K delta = 0
 *                omega0 = sqrt(K/M), c = 2 M omega0 L / sqrt(pi^2 + L^2)
 *                contact time t_c = sqrt(pi^2 + L^2) / omega0, whatever the speed
 *     Hertzian   M delta'' + c delta^(1/4) delta' + K delta^(3/2) = 0
 *                c = sqrt(5 M K) L / sqrt(pi^2 + L^2), so that e does not depend on the speed
 *                (Antypov and Elliott, EPL 94 (2011) 50004)
 *                t_c = 3.218 (M/K)^(2/5) v^(-1/5) for e = 1 and the speed of approach v
 *
 * A contact ends where delta is 0 again; before that the dashpot may pull for a moment.
 *
 * Box. Its sides are periodic. With walls, which stand across the last axis, the box is higher
 * than the room between the walls by their amplitude on either side and a diameter, so that
 * nothing acts across it. In two dimensions the particles stay in the plane in the middle of a
 * thin box. Lengths, masses and times are in any consistent units.
 */
#ifndef TORRE_GRANULAR_H
#define TORRE_GRANULAR_H

#include "particles/md_start.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Refuse, by the names of the options of `md` and with the legal range, what no system is made of:
 * numbers that are not positive, restitutions outside (0, 1], a filling above close packing, walls
 * that shake without being there.
 */
torre_status torre_granular_check(const torre_granular *system);

/* Contact time; speed: of approach, for Hertzian contacts. */
double torre_granular_contact_time(bool hertz, double stiffness, double reduced_mass,
                                   double restitution, double speed);

/*
 * The contact time that limits the time step: between particles; for Hertzian contacts at the
 * largest speed to be expected (six times the thermal one, the walls', and a fall from wall to
 * wall), but not less than that which leads to an overlap of d/100.
 */
double torre_granular_shortest_contact(const torre_granular *system);

/* Whether its grains are rough (grains.h). */
bool torre_granular_is_rough(const torre_granular *system);

/* Diameter of a particle over the largest: a function of the seed and its id. */
double torre_granular_size(const torre_granular *system, int64_t id);

/* Number of particles: filling times room over the mean volume of one, rounded down. */
int64_t torre_granular_count(const torre_granular *system);

/*
 * Box, model, parameters, cutoff, mass, dimensions, count and time step of the problem; the rest of
 * it is left. room: how far lists will reach beyond a diameter, for the thin side of a plane.
 * dt 0: a fiftieth of the contact time. TORRE_ERR_UNSTABLE with the numbers for a dt above a
 * twentieth of it.
 */
torre_status torre_granular_problem(const torre_granular *system, double room, double dt,
                                    torre_md_problem *problem);

/*
 * Positions without overlap and Maxwell velocities, for a problem made of the system. The same
 * system gives the same bits whatever the number of threads.
 *
 * Particles are put on randomly chosen sites of a lattice (face-centred cubic in layers across the
 * last axis, triangular in a plane) with so many vacancies that the number of particles in a large
 * part of the box fluctuates as in equilibrium. Sweeps of hard-sphere Monte Carlo moves melt it
 * (granular_melt.h). Of many particles (160,000 and more; up to a filling of 0.5, in a plane 0.65)
 * only a block is melted so. The box is filled with copies of it, each displaced and mirrored at
 * random, whose numbers fluctuate (granular_copies.h); those that overlap where copies meet are
 * pushed apart, and a few sweeps of what is near there settle it.
 * Ids are dealt out at random, so storage in the order of ids has no locality, as in a gas that has
 * mixed for long. Particles that do not collide start anywhere.
 *
 * Particles of several sizes start where as many of the largest would; between walls at the sides,
 * as in a periodic box that is a diameter narrower.
 *
 * TORRE_ERR_USAGE where the box has too few sites, or overlaps remain.
 */
torre_status torre_granular_start(const torre_granular *system, const torre_md_problem *problem,
                                  torre_md_particles *particles);

/* A row of the height profile: means over the particles (and times) in a slice of the height. */
typedef struct torre_granular_slice {
    double count;       /* particles times samples */
    double velocity[3]; /* sums */
    double velocity_sq[3];
} torre_granular_slice;

/* Add the particles to slices[n] of equal height that fill the height of the box. */
void torre_granular_profile(const torre_md_problem *problem, const torre_md_particles *particles,
                            int n, torre_granular_slice *slices);

/*
 * Granular temperature, the mean square of the velocity along an axis about the mean velocity of
 * all particles, from the sums of a thermo row.
 */
double torre_granular_temperature(const torre_md_problem *problem, const torre_md_thermo *row);

#ifdef __cplusplus
}
#endif

#endif
