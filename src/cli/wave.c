/* The program `wave`: settings, a run, results. */
#include <stdlib.h>
#include <string.h>

#include "cli/program.h"
#include "cli/program_stop.h"
#include "cli/wave_survey.h"
#include "core/phase.h"
#include "core/progress.h"
#include "core/timer.h"
#include "io/sink_mark.h"
#include "io/trace_inspect.h"
#include "run/wave_checkpoint.h"
#include "run/wave_report.h"
#include "run/wave_summary.h"
#include "wave/trial.h"
#include "wave/tune_file.h"

/* Everything of one invocation. */
typedef struct wave_job {
    wave_settings settings;
    torre_option table[WAVE_OPTIONS];
    torre_wave_input input;
    torre_wave_memory memory;
    torre_wave_output output;
    torre_output *json; /* the report, NULL when it is not open */
    torre_wave_run *run;
    torre_checkpoint *resume; /* to go on from, or NULL */
    double start;
} wave_job;

/* What the driver's callbacks need. */
typedef struct wave_watcher {
    torre_wave_output *output;
    const torre_saving *saving;
    const torre_wave_run *run;
    torre_progress progress;
} wave_watcher;

static torre_status on_frame(void *context, torre_wave_run *run)
{
    return torre_wave_output_frame(((wave_watcher *)context)->output, run);
}

static void on_progress(void *context, const torre_wave_progress *now)
{
    wave_watcher *w = context;
    const int64_t steps = torre_wave_run_problem(w->run)->steps;
    torre_progress_show(&w->progress, now->step, steps, now->gcells_per_s, "Gcells/s");
}

static bool on_stop(void *context)
{
    const wave_watcher *w = context;
    return torre_program_stop(NULL) || torre_saving_due(w->saving, torre_wave_run_step(w->run));
}

static FILE *people(const wave_job *job) { return torre_program_people(job->settings.json); }

static void tell_setup(const wave_job *job)
{
    const torre_cautions *cautions = &job->input.cautions;
    if (job->settings.quiet) return;
    if (torre_wave_run_passed_over(job->run)[0])
        fprintf(stderr, "wave: warning: this run takes the %s backend; %s\n",
                torre_wave_run_backend(job->run), torre_wave_run_passed_over(job->run));
    for (int i = 0; i < cautions->count; i++)
        fprintf(stderr, "wave: warning: %s\n", cautions->text[i]);
    if (torre_wave_output_draws(&job->output) && !job->settings.dry_run)
        torre_program_pictures("wave", job->settings.run.picture_style);
    torre_wave_summary_setup(people(job), &job->input, job->run);
    fflush(people(job));
}

static torre_status write_checkpoint(wave_job *job)
{
    torre_saving *o = &job->settings.checkpoint.saving;
    TORRE_TRY(torre_wave_checkpoint_write(o->file, &job->output, job->run));
    torre_saving_wrote(o, torre_wave_run_step(job->run));
    return TORRE_OK;
}

/* From one checkpoint to the next, where there are any, to the end or until something stops it. */
static torre_status advance(wave_job *job, const torre_wave_watch *watch)
{
    const torre_saving *o = &job->settings.checkpoint.saving;
    torre_status status = TORRE_OK;
    for (;;) {
        const int64_t step = torre_wave_run_step(job->run);
        const int64_t left = job->input.problem.steps - step;
        const int64_t steps = torre_saving_steps(o, step, left);
        status = torre_wave_run_advance(job->run, steps, watch);
        if (status || torre_wave_run_step(job->run) == job->input.problem.steps) return status;
        if (o->file) TORRE_TRY(write_checkpoint(job));
        if (torre_program_stop(NULL)) return TORRE_OK;
    }
}

static torre_status time_loop(wave_job *job)
{
    const torre_wave_spec *s = &job->settings.run;
    wave_watcher w = {
        .output = &job->output, .saving = &job->settings.checkpoint.saving, .run = job->run};
    const torre_wave_watch watch = {.frame_every = {s->snapshot_every, s->field_every},
                                    .frame = on_frame,
                                    .progress = on_progress,
                                    .stop = on_stop,
                                    .context = &w};
    /* that of the step of a checkpoint has been written before it */
    if (!job->resume) TORRE_TRY(torre_wave_output_frame(&job->output, job->run));
    torre_progress_start(&w.progress, stderr, !job->settings.quiet);
    torre_status status = advance(job, &watch);
    torre_progress_end(&w.progress);
    if (!status && s->snapshot_every < 0)
        status = torre_snapshots_write(&job->output.snapshots, job->run, false);
    return status;
}

/* Make the report for job->json, and keep both. wall_s: seconds since the start. */
static void report(wave_job *job, double wall_s)
{
    torre_report *r =
        torre_report_wave_run(&job->output, job->run, &job->memory, job->settings.dry_run, wall_s);
    torre_report_options(r, job->table);
    torre_program_keep_report(r, &job->json);
}

/* Everything after the plan is known to be good. */
static torre_status compute(wave_job *job)
{
    torre_wave_run *run = job->run;
    torre_program_catch_signals(); /* from here on there are files to remove */
    TORRE_TRY(torre_wave_output_open(&job->input, &job->output));
    if (job->settings.json) TORRE_TRY(torre_output_open(job->settings.json, &job->json));
    if (job->settings.checkpoint.saving.file) {
        TORRE_TRY(torre_checkpoint_try(job->settings.checkpoint.saving.file));
        if (job->settings.run.field_every) TORRE_TRY(torre_sink_mark_check(job->output.field));
        for (int i = 0; i < job->output.snapshots.count; i++)
            if (torre_snapshots_are_frames(&job->output.snapshots, i))
                TORRE_TRY(torre_sink_mark_check(job->output.snapshots.item[i].sink));
    }
    tell_setup(job);
    TORRE_TRY(job->resume ? torre_wave_checkpoint_start(job->resume, &job->output, run)
                          : torre_wave_input_start(&job->input, run));
    torre_phase_enter(TORRE_PHASE_OUTPUT);
    TORRE_TRY(time_loop(job));
    TORRE_TRY(torre_wave_output_results(&job->output, run));
    if (!job->settings.quiet) {
        torre_wave_summary_result(people(job), &job->output, run);
        torre_program_tell_time(people(job), "whole      ");
    }
    if (job->json) report(job, torre_time_now() - job->start);
    const int64_t step = torre_wave_run_step(run), steps = job->input.problem.steps;
    if (step == steps) return TORRE_OK;
    return torre_program_stopped(step, steps, job->settings.checkpoint.saving.file);
}

/* --dry-run: the same checks but for memory, and what the run would take. */
static torre_status tell_cost(wave_job *job)
{
    double rate;
    tell_setup(job);
    if (!job->settings.quiet) {
        TORRE_TRY(torre_wave_trial(job->run, &rate));
        torre_wave_summary_cost(people(job), &job->input, job->run, &job->memory, rate);
    }
    if (!job->settings.json) return TORRE_OK;
    job->output.input = &job->input;
    TORRE_TRY(torre_output_open(job->settings.json, &job->json));
    report(job, 0);
    return TORRE_OK;
}

/* Read the input and plan the run. */
static torre_status prepare(wave_job *job)
{
    wave_settings *s = &job->settings;
    torre_wave_input *in = &job->input;
    const torre_wave_beside beside = {s->json, s->checkpoint.saving.file,
                                      s->checkpoint.saving.resume};
    TORRE_TRY(
        torre_wave_output_plan(&s->run, &beside, &job->output, &s->run.time.whole_microseconds));
    TORRE_TRY(torre_wave_input_read(&s->run, s->dry_run, in));
    TORRE_TRY(wave_settings_check(s, job->table, &in->problem));
    TORRE_TRY(torre_wave_output_check(&job->output, in));
    TORRE_TRY(torre_wave_run_new(&in->problem, s->run.backend, &in->plan, &job->run));
    TORRE_TRY(wave_settings_check_choice(s, job->table, job->run, &in->cautions));
    if (s->checkpoint.saving.resume)
        TORRE_TRY(torre_wave_checkpoint_open(s->checkpoint.saving.resume, &job->output, in,
                                             job->run, &job->resume));
    if (torre_wave_run_info(job->run)->plan.engine == TORRE_TORRE && torre_tune_check())
        torre_caution(&in->cautions, "%s", torre_error_text());
    job->memory = torre_wave_memory_count(in, job->run, torre_wave_output_bytes(&job->output, in));
    return TORRE_OK;
}

static torre_status run_wave(wave_job *job)
{
    TORRE_TRY(prepare(job));
    if (job->memory.traces < 0) return torre_wave_run_check_memory(job->run); /* beyond counting */
    torre_status status = torre_wave_memory_check(&job->input, job->run, &job->memory);
    if (!job->settings.dry_run) return status ? status : compute(job);
    if (status) torre_caution(&job->input.cautions, "%s", torre_error_text());
    return tell_cost(job);
}

static torre_status do_what_is_asked(wave_job *job)
{
    const wave_settings *s = &job->settings;
    job->start = torre_time_now();
    if (s->inspect) return torre_trace_inspect(stdout, s->inspect);
    return s->survey.path ? wave_survey(s, job->table, job->start) : run_wave(job);
}

int main(int argc, char **argv)
{
    wave_job job = {.run = NULL};
    bool done;
    torre_program_start();
    torre_status status = wave_settings_parse(&job.settings, job.table, argc, argv, &done);
    if (!status && !done) status = do_what_is_asked(&job);
    torre_phase_enter(TORRE_PHASE_EXIT);
    torre_wave_output_close(&job.output);
    torre_output_discard(job.json);
    torre_checkpoint_close(job.resume);
    torre_wave_run_free(job.run);
    torre_wave_input_clear(&job.input);
    return torre_program_end("wave", status);
}
