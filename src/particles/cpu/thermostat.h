/*
 * Thermostats of the cpu backend, around the step of velocity Verlet
 *
 *     before;  v += (dt/2m) F;  r += dt v (drift);  F = F(r);  v += (dt/2m) F;  after
 *
 * T is the target (torre_md_target) of the step, G = 3 N - 3 the degrees of freedom, K the kinetic
 * energy. Random numbers depend on the seed, the step and the id alone.
 *
 * langevin      after: the exact solution of m dv = -(m/tau) v dt + noise over a step,
 *               v = c v + sqrt((1 - c^2) T/m) g, c = exp(-dt/tau).
 * baoab         the same in the middle of drift (Leimkuhler and Matthews, Appl. Math. Res. Express
 *               2013, 34), which leaves hardly any error of dt in the positions.
 * berendsen     after: v scaled by sqrt(1 + dt/tau (T0/T - 1)) (J. Chem. Phys. 81 (1984) 3684, eq.
 *               11); its fluctuations are not canonical.
 * bussi         after: K goes on by the exact solution of its stochastic equation (Bussi, Donadio,
 *               Parrinello, J. Chem. Phys. 126 (2007) 014101, eq. A7), velocities are scaled to it.
 * nose-hoover   before and after: half a step of a chain of three (Martyna, Tuckerman, Tobias,
 *               Klein, Mol. Phys. 87 (1996) 1117), masses G T tau^2, T tau^2, T tau^2.
 *
 * What the thermostat takes from the particles is counted: their energy and this are conserved.
 */
#ifndef TORRE_CPU_THERMOSTAT_H
#define TORRE_CPU_THERMOSTAT_H

#include "particles/cpu/cpu_solver.h"

enum { TORRE_CHAIN = 3 };

/* What it remembers from step to step; zero at the start. */
typedef struct torre_cpu_thermostat {
    double taken;             /* energy, since the start */
    double rate[TORRE_CHAIN]; /* of a chain: the first is a friction, 1/time */
} torre_cpu_thermostat;

void torre_cpu_thermostat_before(torre_cpu_solver *solver, torre_cpu_thermostat *thermostat);

/* v += kick F, r += dt v; returns the largest square of a distance from `hold`. */
double torre_cpu_thermostat_drift(torre_cpu_solver *solver, torre_cpu_thermostat *thermostat,
                                  double kick);

void torre_cpu_thermostat_after(torre_cpu_solver *solver, torre_cpu_thermostat *thermostat);

#endif
