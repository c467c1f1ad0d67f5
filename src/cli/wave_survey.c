#include "cli/wave_survey.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/program_stop.h"
#include "core/progress.h"
#include "core/timer.h"
#include "mpi/ranks_start.h"
#include "run/wave_page.h"
#include "survey/survey_summary.h"
#include "wave/trial.h"

/* One invocation. */
typedef struct survey_job {
    const wave_settings *settings;
    const torre_option *table;
    torre_wave_input input;
    torre_survey survey;
    torre_output *json;
    torre_progress progress;
    double start, queue_start;
    torre_ranks ranks;
    bool *shown; /* [shots]: is on the page; NULL without one */
} survey_job;

static FILE *people(const survey_job *job) { return torre_program_people(job->settings->json); }

static void on_progress(void *context, int64_t done, int64_t count)
{
    survey_job *job = context;
    const double seconds = torre_time_now() - job->queue_start;
    torre_progress_show(&job->progress, done, count, (double)done / seconds, "shots/s");
}

static void on_failed(void *context, const torre_shot *shot, const char *text)
{
    survey_job *job = context;
    torre_progress_end(&job->progress);
    fprintf(stderr, "wave: shot %s (%s:%" PRId64 ") failed: %s\n", shot->name,
            job->survey.shots.path, shot->line, text);
}

static void tell_setup(const survey_job *job)
{
    const torre_survey *s = &job->survey;
    if (job->settings->quiet) return;
    for (int i = 0; i < job->input.cautions.count; i++)
        fprintf(stderr, "wave: warning: %s\n", job->input.cautions.text[i]);
    torre_survey_summary_setup(people(job), s);
    fflush(people(job));
}

static void keep_report(survey_job *job, bool dry)
{
    const double now = torre_time_now();
    torre_report *r =
        torre_report_survey(&job->survey, dry, now - job->start, now - job->queue_start);
    torre_report_options(r, job->table);
    torre_program_keep_report(r, &job->json);
}

/* A shot onto the page, where it is one of those that are shown. */
static torre_status show_shot(void *context, int64_t shot, const torre_array *traces)
{
    survey_job *job = context;
    const torre_survey *s = &job->survey;
    if (!job->shown || shot % torre_page_shots_every(s->shots.count)) return TORRE_OK;
    torre_point *receivers = malloc((size_t)s->shots.receivers_most * sizeof *receivers);
    if (!receivers) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the page");
    torre_gather gather = torre_shot_files_gather(&s->shot_files, shot, receivers);
    torre_array read = {.data = NULL};
    torre_status status = TORRE_OK;
    if (!traces) status = torre_shot_files_read(&s->shot_files, shot, &gather, &read);
    gather.values = traces ? traces->data : read.data;
    if (!status && gather.values)
        status = torre_page_shot(torre_program_page(), shot, s->shots.shot[shot].name, &gather);
    job->shown[shot] = true;
    free(read.data);
    free(receivers);
    return status;
}

/* Shots that were done before, where their traces can be read. */
static torre_status show_others(survey_job *job)
{
    for (int64_t i = 0; i < job->survey.shots.count; i++)
        if (job->survey.done[i] && !job->shown[i]) TORRE_TRY(show_shot(job, i, NULL));
    return TORRE_OK;
}

/* The model, all sources, and the receivers of the first shot. */
static torre_status show_geometry(const survey_job *job, torre_page *page)
{
    const torre_shot_list *list = &job->survey.shots;
    const torre_time_step *time = &job->input.time;
    const int64_t receivers = list->shot[0].receivers->list.count;
    const int64_t most = receivers > list->count ? receivers : list->count;
    torre_point *point = malloc((size_t)most * sizeof *point);
    if (!point) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the page of the survey");
    for (int64_t i = 0; i < list->count; i++) point[i] = list->shot[i].source;
    torre_status status = torre_wave_page_model(page, &job->input.problem, time->velocity_min,
                                                time->velocity_max, list->shot[0].source.position);
    if (!status) status = torre_page_points(page, "sources", point, list->count);
    for (int64_t i = 0; i < receivers; i++) point[i] = torre_shot_receiver(&list->shot[0], i);
    if (!status) status = torre_page_points(page, "receivers", point, receivers);
    free(point);
    return status;
}

static torre_status show_all(survey_job *job, torre_page *page)
{
    TORRE_TRY(show_others(job));
    return show_geometry(job, page);
}

/* From the command line to what is planned; nothing is written. */
static torre_status prepare(survey_job *job)
{
    const wave_settings *settings = job->settings;
    torre_wave_spec spec = settings->run;
    torre_survey *s = &job->survey;
    TORRE_TRY(torre_trace_files_parse(spec.traces, &s->files));
    spec.receivers = NULL; /* those of shots are the survey's to read */
    spec.time.whole_microseconds = torre_trace_files_whole_microseconds(&s->files);
    TORRE_TRY(torre_wave_input_read(&spec, false, &job->input));
    TORRE_TRY(wave_settings_check(settings, job->table, &job->input.problem));
    torre_survey_wish wish = settings->survey;
    wish.ranks = &job->ranks;
    TORRE_TRY(torre_survey_read(&wish, &settings->run, &job->input, s));
    TORRE_TRY(torre_survey_plan(s));
    return wave_settings_check_choice(settings, job->table, s->run, &job->input.cautions);
}

static torre_status compute(survey_job *job)
{
    torre_survey *s = &job->survey;
    const torre_survey_watch watch = {.progress = on_progress,
                                      .failed = on_failed,
                                      .written = show_shot,
                                      .stop = torre_program_stop,
                                      .context = job};
    torre_program_catch_signals(); /* from here on there are files to remove */
    TORRE_TRY(torre_program_open_report(job->settings->json, &job->json));
    if (torre_program_page()) {
        job->shown = calloc((size_t)s->shots.count, sizeof *job->shown);
        if (!job->shown) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the page");
    }
    TORRE_TRY(torre_survey_open(s));
    job->queue_start = torre_time_now();
    torre_progress_start(&job->progress, stderr, !job->settings->quiet);
    job->progress.noun = "shot";
    torre_status status = torre_survey_run(s, &watch);
    torre_progress_end(&job->progress);
    if (!job->settings->quiet)
        torre_survey_summary_result(people(job), s, torre_time_now() - job->queue_start);
    if (torre_program_wants_report(job->json)) keep_report(job, false);
    if (!job->shown || (status && status != TORRE_STOPPED)) return status;
    const torre_status shown = show_all(job, torre_program_page());
    if (shown) return shown;
    return status;
}

static torre_status run_survey(survey_job *job)
{
    TORRE_TRY(torre_survey_gather(&job->ranks, prepare(job)));
    tell_setup(job);
    if (!job->settings->dry_run) return compute(job);
    if (!job->settings->quiet) {
        double rate;
        TORRE_TRY(torre_wave_trial(job->survey.run, &rate));
        torre_survey_summary_cost(people(job), &job->survey, rate);
    }
    TORRE_TRY(torre_program_open_report(job->settings->json, &job->json));
    if (torre_program_wants_report(job->json)) keep_report(job, true);
    return TORRE_OK;
}

/* Another rank than the first, which has the files and tells people. */
static void serve(survey_job *job)
{
    const torre_survey_watch watch = {.stop = torre_program_stop};
    const torre_status status = prepare(job);
    torre_program_catch_signals();
    torre_survey_serve(&job->survey, &job->ranks, &watch, status);
}

torre_status wave_survey(const wave_settings *settings, const torre_option *table, double start)
{
    survey_job job = {.settings = settings, .table = table, .start = start};
    TORRE_TRY(torre_ranks_start("wave", &job.ranks));
    torre_status status = TORRE_OK;
    if (job.ranks.rank > 0)
        serve(&job);
    else
        status = run_survey(&job);
    if (job.ranks.rank == 0) torre_survey_dismiss(&job.ranks);
    free(job.shown);
    torre_output_discard(job.json);
    torre_survey_clear(&job.survey);
    torre_wave_input_clear(&job.input);
    return status;
}
