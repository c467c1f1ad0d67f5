/* The barostat (barostat.h) of the cpu backend and the thermostats around it, in place of those of
 * thermostat.h. */
#ifndef TORRE_CPU_BAROSTAT_H
#define TORRE_CPU_BAROSTAT_H

#include "particles/barostat.h"
#include "particles/cpu/cpu_solver.h"

/* What it remembers from step to step. */
typedef struct torre_cpu_barostat {
    torre_barostat_state box; /* its virial is set with the forces */
    double rate[TORRE_CHAIN]; /* of the chain on the particles */
    double taken;             /* by that */
} torre_cpu_barostat;

/* At step 0, whose forces and virial there are. */
void torre_cpu_barostat_begin(torre_cpu_solver *solver, torre_cpu_barostat *barostat);

/* From a step to positions and box of the next; *moved: the largest square of a distance from
 * `hold`, where the box has taken it. TORRE_ERR_UNSTABLE where the box changes too fast. */
torre_status torre_cpu_barostat_drift(torre_cpu_solver *solver, torre_cpu_barostat *barostat,
                                      double kick, double *moved);

void torre_cpu_barostat_after(torre_cpu_solver *solver, torre_cpu_barostat *barostat);

/* Energy that barostat and chains have taken and hold. */
double torre_cpu_barostat_taken(const torre_cpu_solver *solver, const torre_cpu_barostat *barostat);

#endif
