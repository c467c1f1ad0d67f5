/* Thermostats (bath.h) of the cpu backend, around the step of velocity Verlet. */
#ifndef TORRE_CPU_THERMOSTAT_H
#define TORRE_CPU_THERMOSTAT_H

#include "particles/bath.h"
#include "particles/cpu/cpu_solver.h"

/* What it remembers from step to step; zero at the start. */
typedef struct torre_cpu_thermostat {
    double taken;             /* energy, since the start */
    double rate[TORRE_CHAIN]; /* of a chain: the first is a friction, 1/time */
    bool due; /* the noise of langevin waits for the next drift, with which it is one loop */
} torre_cpu_thermostat;

void torre_cpu_thermostat_before(torre_cpu_solver *solver, torre_cpu_thermostat *thermostat);

/* v += kick F, r += dt v; returns the largest square of a distance from `hold`. */
double torre_cpu_thermostat_drift(torre_cpu_solver *solver, torre_cpu_thermostat *thermostat,
                                  double kick);

void torre_cpu_thermostat_after(torre_cpu_solver *solver, torre_cpu_thermostat *thermostat);

/* What is due, before somebody looks at the particles. */
void torre_cpu_thermostat_finish(torre_cpu_solver *solver, torre_cpu_thermostat *thermostat);

#endif
