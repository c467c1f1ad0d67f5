/*
 * Ranks of one machine with work in common: of the particles of a rank with lists for all sweeps
 * the last ones, its tail, have lists that all ranks read, and who is done with its own particles
 * takes some of others' tails, as threads of a rank do. So nobody waits long for who is slower at
 * the moment.
 *
 * After a rebuild each rank copies the lists of its tail to memory in common (cpu_team.h), as they
 * are: entries are places as that rank counts them, and who takes some looks at the store as that
 * rank does. So sums over neighbours have the same order, and bits stay, whoever computes them.
 */
#ifndef TORRE_CPU_TAILS_H
#define TORRE_CPU_TAILS_H

#include "particles/cpu/cpu_team.h"

typedef struct torre_cpu_tails torre_cpu_tails;

/* Whether these ranks share tails; bytes that one of them takes for so many particles of its own
 * with lists of so many entries in the mean. */
bool torre_cpu_tails_are(const torre_ranks *ranks, const torre_md_plan *plan);
int64_t torre_cpu_tails_bytes(int64_t particles, double neighbors);

/* Of a solver that has a store and bins: its tails. All ranks call it. TORRE_ERR_RESOURCE. */
torre_status torre_cpu_tails_new(torre_cpu_solver *solver);
void torre_cpu_tails_free(torre_cpu_tails *tails); /* NULL is fine */

/* Before a sweep that takes of tails: those of the lists and the store that there are, the own one
 * first, of which nothing has been taken; none where the solver has none. All ranks call it, and
 * meet after the sweep. */
torre_status torre_cpu_tails_ready(torre_cpu_solver *solver, torre_md_tail **tail, int *count);

/* Particles of others' tails that this rank has computed in all sweeps, for tests; 0 of NULL. */
int64_t torre_cpu_tails_helped(const torre_cpu_tails *tails);

#endif
