#include "run/wave_job.h"

#include "core/device_list.h"
#include "io/sink_mark.h"
#include "run/wave_page.h"
#include "wave/driver.h"
#include "wave/rank_run.h"
#include "wave/tune_file.h"

torre_status torre_wave_job_read(torre_wave_job *job, bool view)
{
    const torre_wave_beside beside = {job->report, job->saving->file, job->saving->resume};
    TORRE_TRY(torre_wave_output_plan(job->spec, &beside, &job->output,
                                     &job->spec->time.whole_microseconds));
    return torre_wave_input_read(job->spec, view, &job->input);
}

torre_status torre_wave_job_plan(torre_wave_job *job)
{
    const torre_wave_input *in = &job->input;
    TORRE_TRY(torre_device_of_rank(job->ranks, job->spec->backend, job->spec->devices,
                                   &job->input.plan.device));
    job->output.snapshots.one_scale = job->one_scale && job->spec->snapshot_scale == 0;
    TORRE_TRY(torre_wave_output_check(&job->output, in));
    const torre_frame_planes planes = torre_snapshots_planes(&job->output.snapshots);
    TORRE_TRY(
        torre_wave_run_new_planes(&in->problem, job->spec->backend, &in->plan, &planes, &job->run));
    if (job->ranks) TORRE_TRY(torre_wave_run_share(job->run, job->ranks));
    torre_wave_output_beside(&job->output, job->run);
    return TORRE_OK;
}

torre_status torre_wave_job_prepare(torre_wave_job *job)
{
    torre_wave_input *in = &job->input;
    if (job->saving->resume)
        TORRE_TRY(torre_wave_checkpoint_open(job->saving->resume, &job->output, in, job->run,
                                             &job->resume));
    if (torre_wave_run_info(job->run)->plan.engine == TORRE_TORRE && torre_tune_check())
        torre_caution(&in->cautions, "%s", torre_error_text());
    job->memory = torre_wave_memory_count(in, job->run,
                                          torre_wave_output_bytes(&job->output, in) +
                                              torre_wave_run_frame_bytes(job->run));
    return TORRE_OK;
}

/* Whether there can be checkpoints: of the files that grow, too. */
static torre_status check_saving(const torre_wave_job *job)
{
    const torre_snapshots *snapshots = &job->output.snapshots;
    TORRE_TRY(torre_checkpoint_try(job->saving->file));
    if (job->spec->field_every) TORRE_TRY(torre_sink_mark_check(job->output.field));
    for (int i = 0; i < snapshots->count; i++)
        if (torre_snapshots_are_frames(snapshots, i))
            TORRE_TRY(torre_sink_mark_check(snapshots->item[i].sink));
    return TORRE_OK;
}

torre_status torre_wave_job_open(torre_wave_job *job)
{
    TORRE_TRY(torre_wave_output_open(&job->input, &job->output));
    return job->saving->file ? check_saving(job) : TORRE_OK;
}

torre_status torre_wave_job_start(torre_wave_job *job)
{
    return job->resume ? torre_wave_checkpoint_start(job->resume, &job->output, job->run)
                       : torre_wave_input_start(&job->input, job->run);
}

/* What the driver's callbacks need. */
typedef struct job_watcher {
    torre_wave_job *job;
    const torre_wave_job_watch *watch;
} job_watcher;

static torre_status write_frame(torre_wave_job *job)
{
    TORRE_TRY(torre_wave_output_frame(&job->output, job->run));
    const char *picture = torre_wave_page_picture(&job->output, job->run);
    if (!picture) return TORRE_OK;
    if (job->movie) TORRE_TRY(torre_movie_picture(job->movie, picture));
    const int64_t step = torre_wave_run_step(job->run);
    const double time = (double)step * job->input.problem.dt;
    return job->page ? torre_page_picture(job->page, picture, step, time) : TORRE_OK;
}

static torre_status on_frame(void *context, torre_wave_run *run)
{
    (void)run;
    return write_frame(((job_watcher *)context)->job);
}

static void on_progress(void *context, const torre_wave_progress *now)
{
    const job_watcher *w = context;
    if (w->watch->progress) w->watch->progress(w->watch->context, now);
}

static bool stopped(const torre_wave_job_watch *watch)
{
    return watch->stop && watch->stop(watch->context);
}

static bool on_stop(void *context)
{
    const job_watcher *w = context;
    return stopped(w->watch) || torre_saving_due(w->job->saving, torre_wave_run_step(w->job->run));
}

static torre_status write_checkpoint(torre_wave_job *job)
{
    TORRE_TRY(torre_wave_checkpoint_write(job->saving->file, &job->output, job->run));
    torre_saving_wrote(job->saving, torre_wave_run_step(job->run));
    return TORRE_OK;
}

torre_status torre_wave_job_advance(torre_wave_job *job, const torre_wave_job_watch *watch)
{
    const int64_t steps = job->input.problem.steps;
    job_watcher w = {job, watch};
    const torre_wave_watch driver = {
        .frame_every = {job->spec->snapshot_every, job->spec->field_every},
        .frame = on_frame,
        .progress = on_progress,
        .stop = on_stop,
        .context = &w};
    /* that of the step of a checkpoint has been written before it */
    if (!job->resume) TORRE_TRY(write_frame(job));
    for (;;) { /* from one checkpoint to the next, where there are any */
        const int64_t step = torre_wave_run_step(job->run);
        const int64_t next = torre_saving_steps(job->saving, step, steps - step);
        TORRE_TRY(torre_wave_run_advance(job->run, next, &driver));
        if (torre_wave_run_step(job->run) == steps) break;
        if (job->saving->file) TORRE_TRY(write_checkpoint(job));
        if (stopped(watch)) break;
    }
    return TORRE_OK;
}

torre_status torre_wave_job_finish(torre_wave_job *job)
{
    if (job->spec->snapshot_every < 0)
        TORRE_TRY(torre_snapshots_write(&job->output.snapshots, job->run, false));
    TORRE_TRY(torre_wave_output_results(&job->output, job->run));
    return job->page ? torre_wave_page(job->page, &job->output, job->run) : TORRE_OK;
}

void torre_wave_job_close(torre_wave_job *job)
{
    torre_wave_output_close(&job->output);
    torre_checkpoint_close(job->resume);
    torre_wave_run_free(job->run);
    torre_wave_input_clear(&job->input);
}
