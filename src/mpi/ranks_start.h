/*
 * Ranks of `mpirun -n N`. (MPI stays inside ranks_mpi.c; a build without it has ranks_alone.c, and
 * programs alone are linked with it.)
 */
#ifndef TORRE_RANKS_START_H
#define TORRE_RANKS_START_H

#include <stdbool.h>

#include "core/ranks.h"

/* Whether this process was started by an MPI launcher together with others: looks at the
 * environment alone. */
bool torre_ranks_started(void);

/*
 * Join the others; count 1 where there are none. program: what lines about failures begin with,
 * "wave". TORRE_ERR_RESOURCE. After it torre_ranks_end is the last thing that a process does, once
 * all ranks have done what they had to, or with the exit code to end them all with where one of
 * them failed.
 */
torre_status torre_ranks_start(const char *program, torre_ranks *ranks);
void torre_ranks_end(int code);

#endif
