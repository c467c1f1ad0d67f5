/*
 * Ranks of one machine with the particles of all in memory in common (core/rank_team.h), in the
 * order that they have in one process. Each moves its own, a run of places, and reads those of
 * others where they are: there are no ghosts, and nothing is sent.
 *
 *     places of all                  0  1  2 |  3  4  5 |  6  7  8  9 | 10 11 12
 *     of rank 1, which has 3 to 5   -3 -2 -1 |  0  1  2 |  3  4  5  6 |  7  8  9
 *                                    rank 0    rank 1     rank 2        far particles, one each
 *
 * Who has done with its own in a sweep goes on with some of the last of others (cpu_tails.h).
 *
 * Arrays of the store begin at the first of the own particles, so loops over these are those of one
 * process; lists and members of bins have places of others in front of it and behind. Of particles
 * that only some sweeps of a step compute (`listed` of cpu_solver.h), walls of a fluid, each rank
 * computes an even part, also of those that others move (`given` of torre_md_lists).
 *
 * Ranks meet where what one of them has written is read by another: after a drift, in a rebuild,
 * and after forces, before the next drift writes what these have read. So nobody reads what others
 * have any more where a function of the backend ends, and the next one need not begin with a
 * meeting; what a rank sends of its own has come when rank 0 asks for more.
 */
#ifndef TORRE_CPU_TEAM_H
#define TORRE_CPU_TEAM_H

#include "core/rank_board.h"
#include "particles/cpu/cpu_share.h"

/* An array of all. */
typedef struct torre_cpu_common {
    char *memory;
    int64_t bytes;
} torre_cpu_common;

typedef struct torre_cpu_team {
    torre_rank_board board;
    torre_cpu_common *array;
    int arrays;
    int64_t *start;   /* of the bins, */
    int64_t bins;     /* for which there is memory; */
    int32_t *rank_of; /* and that of each particle */
    int32_t *line;    /* [2 n + 1]: -n, 1 - n, ... n: members of bins that are sorted */
    int32_t *order;   /* members of own bins before storage has their order */
    int64_t ordered;
    double *rows; /* of sums, of all, */
    int64_t room; /* for so many numbers */
} torre_cpu_team;

/* Whether these ranks, NULL for none, are a team. */
bool torre_cpu_team_is(const torre_ranks *ranks);

/* Memory in common for the store, which has none yet, and the bins. All ranks call it; after a
 * failure, too, it is for torre_cpu_team_free. TORRE_ERR_RESOURCE. */
torre_status torre_cpu_team_open(torre_cpu_solver *solver);
void torre_cpu_team_free(torre_cpu_team *team); /* NULL is fine */

/* Bins with memory of their own again, none, as they must be to be fit or freed; and with the
 * team's. Without a team nothing happens. */
void torre_cpu_team_leave_bins(torre_cpu_solver *solver);
torre_status torre_cpu_team_join_bins(torre_cpu_solver *solver);

/* The store as another rank has it, since a rebuild. */
torre_md_store torre_cpu_team_store(const torre_cpu_solver *solver, int rank);

/* Own particles are so many from that one of all on. */
void torre_cpu_team_place(torre_cpu_solver *solver, int64_t first, int64_t count);

/* All particles in the order of their bins, of which own[] of the bins are this rank's. */
torre_status torre_cpu_team_sort(torre_cpu_solver *solver);

/* Sum of rows of all ranks, as torre_cpu_share_rows, where there is room; *summed: there was. */
torre_status torre_cpu_team_rows(torre_cpu_share *share, const double *rows, int64_t count,
                                 int width, double *total, bool *summed);

#endif
