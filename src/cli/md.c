/* The program `md`: settings, a run, results, for pair models and for a fluid (md_way.h). */
#include <stdio.h>

#include "cli/md_way.h"
#include "cli/program.h"
#include "cli/program_stop.h"
#include "core/phase.h"
#include "core/progress.h"

/* What the callbacks of the run need. */
typedef struct md_watcher {
    md_job *job;
    torre_progress progress;
} md_watcher;

/* Where people read, NULL with --quiet. */
static FILE *people(const md_job *job)
{
    return job->common->quiet ? NULL : torre_program_people(job->common->json);
}

static torre_status on_row(void *context, torre_md_run *run)
{
    (void)run;
    md_watcher *w = context;
    TORRE_TRY(w->job->way->row(w->job));
    if (!people(w->job)) return TORRE_OK;
    torre_progress_end(&w->progress);
    w->job->way->tell_row(people(w->job), w->job);
    fflush(people(w->job));
    return TORRE_OK;
}

static torre_status on_frame(void *context, torre_md_run *run)
{
    return torre_pair_files_frame(&((md_watcher *)context)->job->pairs.files, run);
}

static void on_progress(void *context, const torre_md_progress *now)
{
    md_watcher *w = context;
    const double atoms = 1e-6 * (double)w->job->problem->count;
    double rate = now->loop_s > 0 ? atoms * (double)now->step / now->loop_s : 0;
    torre_progress_show(&w->progress, now->step, now->steps, rate, w->job->way->unit);
}

static bool on_save_due(void *context, const torre_md_run *run)
{
    return torre_checkpoint_options_due(((md_watcher *)context)->job->checkpoint, run->step);
}

static torre_status on_save(void *context, torre_md_run *run)
{
    const md_job *job = ((md_watcher *)context)->job;
    TORRE_TRY(torre_particle_checkpoint_write(job->checkpoint->file, run, &job->extras));
    torre_checkpoint_options_wrote(job->checkpoint, run->step);
    return TORRE_OK;
}

/* No other file has the name of a checkpoint. */
static torre_status check_names(const md_job *job)
{
    const torre_particle_wishes *w = &job->common->files;
    const char *const results[] = {w->csv, w->dump, w->profile, w->write_data, job->common->json};
    const char *const states[] = {job->checkpoint->file, job->checkpoint->resume};
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        for (int k = 0; k < 2; k++)
            if (results[i] && states[k] && torre_output_same(results[i], states[k]))
                return torre_fail(TORRE_ERR_USAGE, "%s cannot be a checkpoint and a result",
                                  results[i]);
    return TORRE_OK;
}

/* What checkpoints are made of; whether there can be any, before anything is computed. */
static torre_status prepare_checkpoints(md_job *job, torre_md_watch *watch)
{
    const torre_checkpoint_options *o = job->checkpoint;
    if (!o->file && !o->resume) return TORRE_OK;
    job->way->extras(job, &job->extras);
    job->extras.row_every = job->row_every;
    job->extras.frame_every = watch->frame_every;
    TORRE_TRY(torre_particle_checkpoint_check(job->run, &job->extras));
    if (!o->file) return TORRE_OK;
    watch->save_every = o->every_steps;
    watch->save_due = on_save_due;
    watch->save = on_save;
    return torre_checkpoint_try(o->file);
}

/* From the start, or from a checkpoint; runs of more steps than that had in mind may go on. */
static torre_status start(md_job *job, const torre_md_watch *watch)
{
    const char *resume = job->checkpoint->resume;
    if (!resume) return torre_md_run_start(job->run, watch);
    TORRE_TRY(torre_particle_checkpoint_start(resume, job->run, &job->extras));
    if (job->run->step <= job->steps) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "{steps} must be at least %lld, the step of %s (got %lld)",
                      (long long)job->run->step, resume, (long long)job->steps);
}

static torre_status time_loop(md_job *job, torre_md_watch *watch)
{
    md_watcher w = {.job = job};
    watch->row_every = job->row_every;
    watch->row = on_row;
    if (watch->frame_every) watch->frame = on_frame;
    watch->progress = on_progress;
    watch->stop = torre_program_stop;
    watch->context = &w;
    if (people(job)) job->way->tell_head(people(job), job);
    TORRE_TRY(start(job, watch));
    torre_phase_enter(TORRE_PHASE_OUTPUT);
    torre_progress_start(&w.progress, stderr, people(job) != NULL);
    torre_status status = torre_md_run_advance(job->run, job->steps - job->run->step, watch);
    torre_progress_end(&w.progress);
    return status;
}

/* What was computed before a run became unstable is worth keeping; the first failure counts. */
static torre_status keep_what_there_is(md_job *job, torre_status failed)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", torre_error_text());
    if (job->way->results(job, true)) return failed;
    return torre_fail(failed, "%s", text);
}

static torre_status tell_cost(md_job *job)
{
    if (people(job)) job->way->tell_cost(people(job), job);
    if (!job->common->json) return TORRE_OK;
    TORRE_TRY(torre_output_open(job->common->json, &job->json));
    job->way->report(job);
    return TORRE_OK;
}

static torre_status run_job(md_job *job)
{
    const md_way *way = job->way;
    torre_md_watch watch = {0};
    TORRE_TRY(way->read(job));
    TORRE_TRY(check_names(job));
    TORRE_TRY(torre_md_run_new(job->problem, job->common->backend, job->plan, &job->run));
    TORRE_TRY(particle_check_idle(job->common, job->table, job->run->backend->name));
    if (people(job)) way->tell_setup(people(job), job);
    if (job->common->dry_run) return tell_cost(job);
    if (people(job) && torre_particle_wanted(job->common->files.picture))
        torre_program_pictures("md", torre_picture_styles[job->common->files.style]);
    TORRE_TRY(way->particles(job));
    torre_program_catch_signals(); /* from here on there are files to remove */
    if (job->common->json) TORRE_TRY(torre_output_open(job->common->json, &job->json));
    TORRE_TRY(way->open(job, &watch));
    TORRE_TRY(prepare_checkpoints(job, &watch));
    torre_status status = time_loop(job, &watch);
    if (status == TORRE_ERR_UNSTABLE) return keep_what_there_is(job, status);
    if (status) return status;
    TORRE_TRY(way->results(job, false));
    if (people(job)) way->tell_end(people(job), job);
    torre_program_tell_time(people(job), "# ");
    if (job->json) way->report(job);
    return job->run->step < job->steps
               ? torre_program_stopped(job->run->step, job->steps, job->checkpoint->file)
               : TORRE_OK;
}

int main(int argc, char **argv)
{
    torre_program_start();
    md_job job = {.way = &md_pairs};
    job.way->init(&job);
    /* the rows of the table are those of the model */
    const int model = torre_options_choice(job.table, argc, argv, "model");
    if (model == TORRE_MODEL_MPS) {
        job.way = &md_fluid;
        job.way->init(&job);
    }
    bool done = false;
    torre_status status =
        model < 0 ? torre_fail(TORRE_ERR_RESOURCE, "out of memory for the options")
                  : torre_program_options(job.way->program, job.table, argc, argv, &done);
    if (!status && !done) status = torre_checkpoint_options_read(job.checkpoint, job.table);
    if (!status && !done) status = run_job(&job);
    torre_phase_enter(TORRE_PHASE_EXIT);
    job.way->close(&job);
    torre_md_run_free(job.run);
    torre_output_discard(job.json);
    return torre_program_end("md", status);
}
