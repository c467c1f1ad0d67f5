/*
 * Surveys: many shots over one model.
 *
 *     torre_survey survey = {0};
 *     TORRE_TRY(torre_trace_files_parse("shots/{shot}.sgy", &survey.files));
 *     TORRE_TRY(torre_survey_read(&wish, &spec, input, &survey));    all is checked
 *     TORRE_TRY(torre_survey_plan(&survey));                         who computes, and how
 *     TORRE_TRY(torre_survey_open(&survey));                         what is there already
 *     status = torre_survey_run(&survey, &watch);
 *     torre_survey_clear(&survey);
 *
 * The model is read once. Shots come from a list (shot_list.h), become problems (shot_problem.h),
 * go through a queue (shot_queue.h) to workers, each of which has a solver that begins anew for
 * every shot, and end in files (shot_files.h) and in a manifest (manifest.h), from which the same
 * survey goes on after whatever stopped it.
 */
#ifndef TORRE_SURVEY_H
#define TORRE_SURVEY_H

#include "core/device_list.h"
#include "core/ranks.h"
#include "survey/manifest.h"
#include "survey/shot_files.h"
#include "survey/shot_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is asked for, beside the specification of the runs; texts outlive the survey. */
typedef struct torre_survey_wish {
    const char *path;      /* CSV file of the shots */
    const char *receivers; /* of shots that name none; NULL: each names its own */
    const char *manifest;  /* NULL: a name beside the traces */
    const char *report;    /* the caller's, which replaces no other file; NULL: none */
    torre_aperture aperture;
    int64_t at_once; /* shots, each with its share of the threads, or of a GPU; 0: choose */
    const torre_ranks *ranks; /* that share the work; NULL: this process alone */
} torre_survey_wish;

/* What the caller wants to know on the way; each may be NULL. */
typedef struct torre_survey_watch {
    void (*progress)(void *context, int64_t done, int64_t count);
    void (*failed)(void *context, const torre_shot *shot, const char *text);
    /* a shot by its number of the list, once its files are there; traces: (receivers, samples) */
    torre_status (*written)(void *context, int64_t shot, const torre_array *traces);
    bool (*stop)(void *context);
    void *context;
} torre_survey_watch;

typedef struct torre_survey {
    torre_survey_wish wish;
    const torre_wave_spec *spec;
    const torre_wave_input *input;
    torre_trace_files files;
    torre_shot_list shots;
    double updates;     /* of cells, of all shots */
    int64_t most_cells; /* of a shot */
    torre_shot_files shot_files;
    torre_shot_problem *first;
    torre_wave_run *run; /* of the first shot, planned: what all of them will use */
    torre_device_list devices;
    int64_t room; /* bytes that are free on each of the GPUs; 0: shots are computed elsewhere */
    char *manifest_path;
    torre_manifest *manifest;
    int64_t *to_do; /* [to_do_count]: shots that are not done yet, in the order of the list */
    int64_t to_do_count;
    int64_t at_once;
    bool *done; /* [shots.count] */
    /* what became of it */
    int64_t computed, failed;
    double compute_s;           /* sum over shots of their time loops */
    int64_t first_failed;       /* shot of the list, whenever it failed */
    torre_status first_failure; /* of that shot, or what left no way on */
    char failure_text[512];
} torre_survey;

/* Read and check the shots; survey->files have been parsed. Clear the survey in any case. */
torre_status torre_survey_read(const torre_survey_wish *wish, const torre_wave_spec *spec,
                               const torre_wave_input *input, torre_survey *survey);

/* Let a backend plan, and choose how many shots to compute at once. */
torre_status torre_survey_plan(torre_survey *survey);

/* Open the manifest and see what is to be done. TORRE_ERR_INPUT also for that of other shots. */
torre_status torre_survey_open(torre_survey *survey);

/*
 * Compute what is to be done. A shot that fails is told and does not stop the others. Returns
 * TORRE_OK when every shot is done; else, with the text for the user, what the first shot that
 * failed came to; TORRE_STOPPED when watch->stop ended it; the failure that left no way on.
 */
torre_status torre_survey_run(torre_survey *survey, const torre_survey_watch *watch);

void torre_survey_clear(torre_survey *survey);

/*
 * Of several ranks (wish.ranks). Rank 0 asks the others, once it is prepared, with its own status,
 * whether all are (the first failure, if not), and dismisses them at the end, whatever came of it.
 * The others, prepared or not, serve until they are dismissed.
 */
torre_status torre_survey_gather(const torre_ranks *ranks, torre_status status);
void torre_survey_dismiss(const torre_ranks *ranks);
void torre_survey_serve(const torre_survey *survey, const torre_ranks *ranks,
                        const torre_survey_watch *watch, torre_status status);

#ifdef __cplusplus
}
#endif

#endif
