/*
 * A run by several threads of this process, each with a device of its own, as ranks of it
 * (rank_run.h): all but the first serve.
 */
#ifndef TORRE_RANK_CREW_H
#define TORRE_RANK_CREW_H

#include "torre/wave.h"
#include "wave/setup.h"

typedef struct torre_rank_crew torre_rank_crew;

/*
 * torre_wave_run_new_planes of a plan with devices: where those are several, threads that plan the
 * problem, too, and share the run. TORRE_ERR_USAGE, TORRE_ERR_RESOURCE.
 */
torre_status torre_rank_crew_run(const torre_wave_problem *problem, const char *backend,
                                 const torre_wave_plan *plan, const torre_frame_planes *planes,
                                 torre_wave_run **run);

/* The threads end, before the solver of the first is freed; after that, free the crew. NULL is
 * fine; torre_error_text stays. */
void torre_rank_crew_end(torre_rank_crew *crew);
void torre_rank_crew_free(torre_rank_crew *crew);

#endif
