/* A survey from inside: shots on their way, and who computes them. */
#ifndef TORRE_SURVEY_PRIVATE_H
#define TORRE_SURVEY_PRIVATE_H

#include "survey/shot_queue.h"
#include "survey/survey.h"
#include "wave/driver.h"

/* A shot on its way. */
typedef struct torre_shot_item {
    int64_t shot;
    torre_shot_problem *problem;
    torre_array traces;
    bool open; /* they are still to be corrected (torre_shot_item_end) */
    double compute_s;
} torre_shot_item;

/* A group of threads, or a GPU: a run of its own. */
typedef struct torre_run_worker {
    torre_shot_worker base;
    const torre_survey *survey;
    const torre_survey_watch *watch;
    torre_wave_plan plan;
    torre_wave_run *run;      /* NULL before the first shot */
    torre_shot_problem *last; /* that of the run */
} torre_run_worker;

/* Worker i of so many of this process; end with torre_run_worker_end. */
torre_run_worker torre_run_worker_new(const torre_survey *survey, const torre_survey_watch *watch,
                                      int i, int count);
void torre_run_worker_end(torre_run_worker *worker);

/* Make what computing a shot needs, and free it with what came of it. */
torre_status torre_shot_item_new(const torre_survey *survey, int64_t shot, torre_shot_item **item);
/* What its traces need before they are written. TORRE_ERR_RESOURCE. */
torre_status torre_shot_item_end(torre_shot_item *item);
void torre_shot_item_free(torre_shot_item *item); /* NULL is fine */

/* A process elsewhere. */
typedef struct torre_rank_worker {
    torre_shot_worker base;
    const torre_ranks *ranks;
    int rank;
} torre_rank_worker;

torre_rank_worker torre_rank_worker_new(const torre_ranks *ranks, int rank);

#endif
