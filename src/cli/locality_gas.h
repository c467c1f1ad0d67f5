/*
 * A small granular gas, to let the hit ratio of an ordering decay.
 *
 * Spheres of diameter 1 and mass 1 in a periodic box, one step = one unit of time, velocity Verlet.
 * Spheres that overlap push each other apart by a spring and a dashpot along the line of centres,
 *
 *     F = K (1 - r) - mu v_n      (v_n: speed of separation),
 *
 * with a contact of t_c = 20 steps: the damped oscillator of the relative coordinate (reduced mass
 * 1/2) has beta = mu, omega0^2 = 2 K, omega = sqrt(omega0^2 - beta^2) = pi / t_c, and the
 * restitution e = exp(-beta t_c); so mu = -ln(e) / t_c and K = (pi^2 / t_c^2 + mu^2) / 2.
 * Fast spheres overlap by about v / omega, hence the limit on speeds.
 *
 *     ideal      no collisions
 *     elastic    e = 1
 *     inelastic  e < 1: the gas cools and freezes
 *
 * Model of the thesis on space-filling curves for granular gases, chapters 2 and 5.
 */
#ifndef TORRE_LOCALITY_GAS_H
#define TORRE_LOCALITY_GAS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

#define LOCALITY_GAS_CONTACT_STEPS 20
#define LOCALITY_GAS_MAX_SPEED     0.05 /* of colliding gases: overlaps stay below a third */

typedef struct locality_gas_plan {
    double length[3];   /* of the box, in diameters, >= 1 */
    bool planar;        /* centres and velocities in the plane z = 1/2 */
    double filling;     /* volume of the spheres over volume of the box, > 0 */
    double speed;       /* root mean square at the start, diameters per step, >= 0 */
    bool collides;      /* spheres then start without overlaps */
    double restitution; /* e in (0, 1] */
    uint64_t seed;
} locality_gas_plan;

typedef struct locality_gas {
    locality_gas_plan plan;
    int64_t count;
    double (*position)[3]; /* inside the box */
    double (*velocity)[3];
    double (*force)[3];
} locality_gas;

/*
 * Random positions, Gaussian velocities, total momentum zero. TORRE_ERR_USAGE when so many spheres
 * cannot be placed at random without overlaps, TORRE_ERR_RESOURCE without memory. Free with _free.
 */
torre_status locality_gas_new(const locality_gas_plan *plan, locality_gas *gas);
void locality_gas_free(locality_gas *gas);

/* Advance by so many steps. */
torre_status locality_gas_advance(locality_gas *gas, int64_t steps);

/* Sum of v^2 / 2 and of the energy of the springs. */
torre_status locality_gas_energy(const locality_gas *gas, double *energy);

#endif
