/*
 * A run by several threads of this process, each with a device of its own, as ranks of it
 * (rank_run.h): all but the first serve.
 */
#ifndef TORRE_RANK_CREW_H
#define TORRE_RANK_CREW_H

#include "core/ranks.h"
#include "torre/wave.h"

typedef struct torre_rank_crew torre_rank_crew;

/*
 * Threads that plan the problem and share the run, each with a device of those (at least two). The
 * caller, as the first, does the same with device[0] and torre_rank_crew_ranks, and gathers.
 * Problem and devices must outlive the crew. TORRE_ERR_RESOURCE.
 */
torre_status torre_rank_crew_new(const torre_wave_problem *problem, const char *backend,
                                 const torre_wave_plan *plan, const int *device, int count,
                                 torre_rank_crew **crew);
const torre_ranks *torre_rank_crew_ranks(const torre_rank_crew *crew);

/* The threads end, before the run of the first is freed; after that, free the crew. NULL is fine;
 * torre_error_text stays. */
void torre_rank_crew_end(torre_rank_crew *crew);
void torre_rank_crew_free(torre_rank_crew *crew);

#endif
