/*
 * A run of particles by several threads of this process, each with a GPU of its own, as ranks of it
 * (md_ranks.h): all but the first serve.
 */
#ifndef TORRE_MD_CREW_H
#define TORRE_MD_CREW_H

#include "particles/md_run.h"

/*
 * torre_md_run_new of a plan with devices: where those are several, threads that plan the problem,
 * too, and share the run. TORRE_ERR_USAGE, TORRE_ERR_RESOURCE.
 */
torre_status torre_md_crew_run(const torre_md_problem *problem, const char *backend,
                               const torre_md_plan *plan, torre_md_run **run);

/* The threads end, before the solver of the first is freed; after that, free the crew. NULL is
 * fine; torre_error_text stays. */
void torre_md_crew_end(torre_md_crew *crew);
void torre_md_crew_free(torre_md_crew *crew);

#endif
