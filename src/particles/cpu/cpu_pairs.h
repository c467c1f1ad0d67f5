/* What rough grains (cpu_grains.c) have in common with the pair models (cpu_pairs.c). */
#ifndef TORRE_CPU_PAIRS_H
#define TORRE_CPU_PAIRS_H

#include "particles/cpu/cpu_solver.h"

/* Of torre_cpu_method. */
torre_status torre_cpu_pairs_check_memory(const torre_md_problem *problem,
                                          const torre_md_info *info);
double torre_cpu_pairs_neighbors(const torre_md_problem *problem, const torre_md_plan *plan);

/* Of ranks, before sums: velocities of ghosts are those of half a step ago. */
torre_status torre_cpu_pairs_refresh(torre_cpu_solver *solver);

/* Mean length of the lists, or pairs that are tested. */
double torre_cpu_pairs_mean(const torre_cpu_solver *solver);

/* After a drift, after which the largest square of a distance from `hold` is `moved`. */
torre_cpu_rebuild torre_cpu_pairs_rebuild(const torre_cpu_solver *solver, double moved);

/* TORRE_ERR_UNSTABLE: particles half a box away from where the lists were made have left them
 * unnoticed. */
torre_status torre_cpu_check_runaway(const torre_cpu_solver *solver);

/* TORRE_ERR_UNSTABLE with the particle whose position or velocity stopped being finite. */
torre_status torre_cpu_not_finite(const torre_cpu_solver *solver);

#endif
