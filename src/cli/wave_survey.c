#include "cli/wave_survey.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/program_stop.h"
#include "cli/wave_text.h"
#include "core/memory.h"
#include "core/numbers.h"
#include "core/progress.h"
#include "core/report.h"
#include "core/timer.h"
#include "wave/driver.h"

/* One invocation. */
typedef struct survey_job {
    const wave_settings *settings;
    const torre_option *table;
    torre_wave_input input;
    torre_survey survey;
    torre_output *json;
    torre_progress progress;
    double start, queue_start;
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
    wave_text_setup(people(job), &job->input, s->run);
    fprintf(people(job), "survey     %" PRId64 " shots of %s", s->shots.count, s->shots.path);
    if (s->wish.aperture.wanted) {
        char cells[80];
        const torre_wave_problem *p = torre_wave_run_problem(s->run);
        torre_size_text(p->size, torre_wave_is_flat(p, 1), cells, sizeof cells);
        fprintf(people(job), ", %s cells of the model for the first", cells);
    }
    fputc('\n', people(job));
    fflush(people(job));
}

static void tell_result(const survey_job *job)
{
    const torre_survey *s = &job->survey;
    char loops[32], all[32];
    torre_format_seconds(s->compute_s, loops, sizeof loops);
    torre_format_seconds(torre_time_now() - job->queue_start, all, sizeof all);
    fprintf(people(job),
            "shots      %" PRId64 " done now, %" PRId64 " before, %" PRId64 " failed; %" PRId64
            " at once\n",
            s->computed, s->shots.count - s->to_do_count, s->failed, s->at_once);
    for (int i = 0; i < s->files.count; i++)
        fprintf(people(job), "traces     %s\n", s->files.name[i]);
    fprintf(people(job), "manifest   %s\n", s->manifest_path);
    if (s->computed > 0) fprintf(people(job), "time       %s, time loops %s in all\n", all, loops);
}

static void keep_report(survey_job *job, bool dry)
{
    const torre_survey *s = &job->survey;
    torre_report *r = torre_report_new("wave");
    wave_text_report_setup(r, &job->input, s->run);
    torre_report_bool(r, "dry_run", dry);
    torre_report_integer(r, "steps", job->input.problem.steps);
    torre_report *list = torre_report_object(r, "survey");
    torre_report_integer(list, "shots", s->shots.count);
    if (!dry) {
        torre_report_integer(list, "done_before", s->shots.count - s->to_do_count);
        torre_report_integer(list, "done_now", s->computed);
        torre_report_integer(list, "failed", s->failed);
        torre_report_integer(list, "at_once", s->at_once);
        torre_report_text(list, "manifest", s->manifest_path);
        torre_report_real(r, "wall_s", torre_time_now() - job->start);
        torre_report_real(r, "survey_s", torre_time_now() - job->queue_start);
        torre_report_real(r, "compute_s", s->compute_s);
        torre_report_integer(r, "peak_memory_bytes", torre_memory_peak());
    }
    torre_report *warnings = torre_report_array(r, "warnings");
    for (int i = 0; i < job->input.cautions.count; i++)
        torre_report_text(warnings, NULL, job->input.cautions.text[i]);
    torre_report_options(r, job->table);
    torre_program_keep_report(r, &job->json);
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
    TORRE_TRY(torre_survey_read(&settings->survey, &settings->run, &job->input, s));
    TORRE_TRY(torre_survey_plan(s));
    return wave_settings_check_choice(settings, job->table, s->run, &job->input.cautions);
}

static torre_status compute(survey_job *job)
{
    torre_survey *s = &job->survey;
    const torre_survey_watch watch = {
        .progress = on_progress, .failed = on_failed, .stop = torre_program_stop, .context = job};
    torre_program_catch_signals(); /* from here on there are files to remove */
    if (job->settings->json) TORRE_TRY(torre_output_open(job->settings->json, &job->json));
    TORRE_TRY(torre_survey_open(s));
    job->queue_start = torre_time_now();
    torre_progress_start(&job->progress, stderr, !job->settings->quiet);
    job->progress.noun = "shot";
    torre_status status = torre_survey_run(s, &watch);
    torre_progress_end(&job->progress);
    if (!job->settings->quiet) tell_result(job);
    if (job->json) keep_report(job, false);
    return status;
}

static torre_status run_survey(survey_job *job)
{
    TORRE_TRY(prepare(job));
    tell_setup(job);
    if (!job->settings->dry_run) return compute(job);
    if (!job->settings->json) return TORRE_OK;
    TORRE_TRY(torre_output_open(job->settings->json, &job->json));
    keep_report(job, true);
    return TORRE_OK;
}

torre_status wave_survey(const wave_settings *settings, const torre_option *table, double start)
{
    survey_job job = {.settings = settings, .table = table, .start = start};
    torre_status status = run_survey(&job);
    torre_output_discard(job.json);
    torre_survey_clear(&job.survey);
    torre_wave_input_clear(&job.input);
    return status;
}
