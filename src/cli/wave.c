/* The program `wave`: settings, a run, results. */
#include <stdio.h>

#include "cli/program.h"
#include "cli/program_stop.h"
#include "cli/wave_survey.h"
#include "core/phase.h"
#include "core/progress.h"
#include "core/timer.h"
#include "io/trace_inspect.h"
#include "mpi/ranks_start.h"
#include "run/wave_job.h"
#include "run/wave_report.h"
#include "run/wave_summary.h"
#include "wave/rank_run.h"
#include "wave/trial.h"

/* Everything of one invocation. */
typedef struct wave_program {
    wave_settings settings;
    torre_option table[WAVE_OPTIONS];
    torre_wave_job job;
    torre_progress progress;
    torre_output *json; /* the report, NULL when it is not open */
    double start;
    torre_ranks ranks; /* of mpirun, that share a run */
} wave_program;

static void on_progress(void *context, const torre_wave_progress *now)
{
    wave_program *w = context;
    torre_progress_show(&w->progress, now->step, w->job.input.problem.steps, now->gcells_per_s,
                        "Gcells/s");
}

static FILE *people(const wave_program *w) { return torre_program_people(w->settings.json); }

static void tell_setup(const wave_program *w)
{
    const torre_wave_job *job = &w->job;
    const torre_cautions *cautions = &job->input.cautions;
    if (w->settings.quiet) return;
    if (torre_wave_run_passed_over(job->run)[0])
        fprintf(stderr, "wave: warning: this run takes the %s backend; %s\n",
                torre_wave_run_backend(job->run), torre_wave_run_passed_over(job->run));
    for (int i = 0; i < cautions->count; i++)
        fprintf(stderr, "wave: warning: %s\n", cautions->text[i]);
    if (torre_wave_output_draws(&job->output) && !w->settings.dry_run)
        torre_program_pictures("wave", w->settings.run.picture_style);
    torre_wave_summary_setup(people(w), &job->input, job->run);
    fflush(people(w));
}

static torre_status time_loop(wave_program *w)
{
    const torre_wave_job_watch watch = {on_progress, torre_program_stop, w};
    torre_progress_start(&w->progress, stderr, !w->settings.quiet);
    torre_status status = torre_wave_job_advance(&w->job, &watch);
    torre_progress_end(&w->progress);
    return status;
}

/* Make the report for w->json, and keep both. wall_s: seconds since the start. */
static void report(wave_program *w, double wall_s)
{
    torre_report *r = torre_report_wave_run(&w->job.output, w->job.run, &w->job.memory,
                                            w->settings.dry_run, wall_s);
    torre_report_options(r, w->table);
    torre_program_keep_report(r, &w->json);
}

/* Everything after the plan is known to be good. */
static torre_status compute(wave_program *w)
{
    torre_wave_job *job = &w->job;
    torre_program_catch_signals(); /* from here on there are files to remove */
    TORRE_TRY(torre_program_open_report(w->settings.json, &w->json));
    job->page = torre_program_page();
    if (w->settings.movie) TORRE_TRY(torre_movie_open(w->settings.movie, &job->movie));
    TORRE_TRY(torre_wave_job_open(job));
    tell_setup(w);
    TORRE_TRY(torre_wave_job_start(job));
    torre_phase_enter(TORRE_PHASE_OUTPUT);
    TORRE_TRY(time_loop(w));
    TORRE_TRY(torre_wave_job_finish(job));
    TORRE_TRY(torre_movie_finish(&job->movie, TORRE_OK));
    if (!w->settings.quiet) {
        torre_wave_summary_result(people(w), &job->output, job->run);
        torre_program_tell_time(people(w), "whole      ");
    }
    if (torre_program_wants_report(w->json)) report(w, torre_time_now() - w->start);
    const int64_t step = torre_wave_run_step(job->run), steps = job->input.problem.steps;
    return step == steps ? TORRE_OK : torre_program_stopped(step, steps, job->saving->file);
}

/* --dry-run: the same checks but for memory, and what the run would take. */
static torre_status tell_cost(wave_program *w)
{
    torre_wave_job *job = &w->job;
    torre_wave_rates rates;
    tell_setup(w);
    if (!w->settings.quiet) {
        TORRE_TRY(torre_wave_trial(job->run, &rates.gcells_per_s));
        TORRE_TRY(torre_wave_trial_scratch(job->run, &rates.scratch));
        torre_wave_summary_cost(people(w), &job->input, job->run, &job->memory, &rates);
    }
    TORRE_TRY(torre_program_open_report(w->settings.json, &w->json));
    job->output.input = &job->input;
    if (torre_program_wants_report(w->json)) report(w, 0);
    return TORRE_OK;
}

/* From the settings to the plan: the same of every rank. */
static torre_status plan_run(wave_program *w)
{
    wave_settings *s = &w->settings;
    torre_wave_job *job = &w->job;
    job->spec = &s->run;
    job->saving = &s->checkpoint.saving;
    job->report = s->json;
    job->one_scale = s->movie;
    const bool parts = s->run.memory > 0 || job->ranks || s->run.devices;
    TORRE_TRY(torre_wave_job_read(job, s->dry_run || parts));
    TORRE_TRY(wave_settings_check(s, w->table, &job->input.problem));
    TORRE_TRY(torre_wave_job_plan(job));
    return wave_settings_check_choice(s, w->table, job->run, &job->input.cautions);
}

static torre_status run_wave(wave_program *w)
{
    const wave_settings *s = &w->settings;
    torre_wave_job *job = &w->job;
    torre_status planned = plan_run(w);
    if (job->ranks) planned = torre_wave_ranks_gather(job->run, job->ranks, planned);
    TORRE_TRY(planned);
    TORRE_TRY(torre_wave_job_prepare(job));
    if (job->memory.traces < 0) return torre_wave_run_check_memory(job->run); /* beyond counting */
    torre_status status = torre_wave_memory_check(&job->input, job->run, &job->memory);
    if (!s->dry_run) return status ? status : compute(w);
    if (status) torre_caution(&job->input.cautions, "%s", torre_error_text());
    return tell_cost(w);
}

/* Another rank than the first, which has the files and tells people. */
static torre_status serve(wave_program *w, const torre_ranks *ranks)
{
    wave_settings *s = &w->settings;
    torre_wave_job *job = &w->job;
    s->quiet = true;
    s->json = NULL;
    torre_status status = plan_run(w);
    torre_program_catch_signals(); /* what they are for is the first rank's to say */
    return torre_wave_ranks_serve(job->run, ranks, status);
}

/* One run by all ranks of MPI there are. */
static torre_status run_ranks(wave_program *w)
{
    torre_ranks *ranks = &w->ranks;
    TORRE_TRY(torre_ranks_start("wave", ranks));
    w->job.ranks = ranks;
    if (ranks->rank > 0) {
        (void)serve(w, ranks); /* what goes wrong is the first one's to say */
        return TORRE_OK;
    }
    const torre_status status = run_wave(w);
    torre_wave_ranks_dismiss(ranks);
    return status;
}

static torre_status do_what_is_asked(wave_program *w)
{
    const wave_settings *s = &w->settings;
    w->start = torre_time_now();
    if (s->inspect) return torre_trace_inspect(stdout, s->inspect);
    if (s->survey.path) return wave_survey(s, w->table, w->start);
    if (torre_ranks_started()) return run_ranks(w);
    return run_wave(w);
}

/* What is wrong with their options every rank finds, and the first one says. */
static torre_status say_once(wave_program *w, torre_status status)
{
    if (!torre_ranks_started()) return status;
    TORRE_TRY(torre_ranks_start("wave", &w->ranks));
    return w->ranks.rank == 0 ? status : TORRE_OK;
}

int main(int argc, char **argv)
{
    wave_program w = {.json = NULL};
    bool done;
    torre_program_start();
    torre_status status = wave_settings_parse(&w.settings, w.table, argc, argv, &done);
    if (status)
        status = say_once(&w, status);
    else if (!done)
        status = do_what_is_asked(&w);
    torre_phase_enter(TORRE_PHASE_EXIT);
    torre_movie_discard(w.job.movie);
    torre_wave_job_close(&w.job);
    torre_output_discard(w.json);
    const int code = torre_program_end("wave", status);
    torre_ranks_end(code);
    return code;
}
