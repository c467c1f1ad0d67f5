/* The barostat (barostat.h) of the cpu backend and the thermostats around it, in place of those of
 * thermostat.h. */
#ifndef TORRE_CPU_BAROSTAT_H
#define TORRE_CPU_BAROSTAT_H

#include "particles/barostat.h"
#include "particles/cpu/cpu_solver.h"

/* At step 0, whose forces and virial there are; the virial is set with the forces of each step at
 * which it acts. */
void torre_cpu_barostat_begin(torre_cpu_solver *solver, torre_couplings *couplings);

/* From a step to positions and box of the next; *moved: the largest square of a distance from
 * `hold`, where the box has taken it. TORRE_ERR_UNSTABLE where the box changes too fast. */
torre_status torre_cpu_barostat_drift(torre_cpu_solver *solver, torre_couplings *couplings,
                                      double kick, double *moved);

void torre_cpu_barostat_after(torre_cpu_solver *solver, torre_couplings *couplings);

#endif
