#include "run/particle_run.h"

#include <inttypes.h>

#include "core/device_list.h"
#include "io/output_file.h"
#include "particles/md_ranks.h"

/* No other file has the name of a checkpoint. */
static torre_status check_names(const torre_particle_spec *s)
{
    const torre_particle_wishes *w = s->files;
    const torre_measure_wishes *m = &w->measures;
    const char *const results[] = {w->csv, w->dump, w->profile, w->write_data, s->report,
                                   m->rdf, m->msd,  m->vacf,    m->stress,     m->viscosity};
    const char *const states[] = {s->saving->file, s->saving->resume};
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        for (int k = 0; k < 2; k++)
            if (results[i] && states[k] && torre_output_same(results[i], states[k]))
                return torre_fail(TORRE_ERR_USAGE, "%s cannot be a checkpoint and a result",
                                  results[i]);
    return TORRE_OK;
}

torre_status torre_particle_run_plan(torre_particle_run *run)
{
    torre_particle_spec *s = &run->spec;
    TORRE_TRY(torre_particle_wishes_check(s->files));
    TORRE_TRY(torre_measure_wishes_check(&s->files->measures));
    TORRE_TRY(s->kind->read(run));
    if (s->row_every < 0) s->row_every = (s->steps + 99) / 100;
    TORRE_TRY(check_names(s));
    torre_md_plan plan = *run->plan;
    TORRE_TRY(torre_device_of_rank(s->ranks, s->backend, plan.devices, &plan.device));
    TORRE_TRY(torre_md_run_new(run->problem, s->backend, &plan, &run->md));
    return s->ranks ? torre_md_run_share(run->md, s->ranks) : TORRE_OK;
}

torre_status torre_particle_run_particles(torre_particle_run *run)
{
    return run->spec.kind->particles(run);
}

torre_status torre_particle_run_open(torre_particle_run *run)
{
    const torre_saving *saving = run->spec.saving;
    TORRE_TRY(run->spec.kind->open(run));
    if (!saving->file && !saving->resume) return TORRE_OK;
    run->spec.kind->extras(run, &run->extras);
    run->extras.row_every = run->spec.row_every;
    run->extras.frame_every = run->frame_every;
    TORRE_TRY(torre_particle_checkpoint_check(&run->extras));
    return saving->file ? torre_checkpoint_try(saving->file) : TORRE_OK;
}

/* What the callbacks of the time loop need. */
typedef struct run_watcher {
    torre_particle_run *run;
    const torre_particle_watch *watch;
} run_watcher;

static torre_status on_row(void *context, torre_md_run *md)
{
    (void)md;
    const run_watcher *w = context;
    TORRE_TRY(w->run->spec.kind->row(w->run));
    if (w->watch->row) w->watch->row(w->watch->context);
    return TORRE_OK;
}

static torre_status on_frame(void *context, torre_md_run *md)
{
    (void)md;
    const run_watcher *w = context;
    return w->run->spec.kind->frame(w->run);
}

static void on_progress(void *context, const torre_md_progress *now)
{
    const run_watcher *w = context;
    if (w->watch->progress) w->watch->progress(w->watch->context, now);
}

static bool on_stop(void *context)
{
    const run_watcher *w = context;
    return w->watch->stop && w->watch->stop(w->watch->context);
}

static bool on_save_due(void *context, const torre_md_run *md)
{
    return torre_saving_due(((run_watcher *)context)->run->spec.saving, md->step);
}

static torre_status on_save(void *context, torre_md_run *md)
{
    torre_particle_run *run = ((run_watcher *)context)->run;
    TORRE_TRY(torre_particle_checkpoint_write(run->spec.saving->file, md, &run->extras));
    torre_saving_wrote(run->spec.saving, md->step);
    return TORRE_OK;
}

/* What was computed before a run became unstable is worth keeping; the first failure counts. */
static torre_status keep_what_there_is(torre_particle_run *run, torre_status status)
{
    char text[1024];
    if (status != TORRE_ERR_UNSTABLE) return status;
    snprintf(text, sizeof text, "%s", torre_error_text());
    if (run->spec.kind->results(run, true)) return status;
    return torre_fail(status, "%s", text);
}

static torre_md_watch watch_for(run_watcher *w)
{
    const torre_saving *saving = w->run->spec.saving;
    torre_md_watch md = {.row_every = w->run->spec.row_every,
                         .row = on_row,
                         .frame_every = w->run->frame_every,
                         .progress = on_progress,
                         .stop = on_stop,
                         .context = w};
    if (md.frame_every) md.frame = on_frame;
    if (!saving->file) return md;
    md.save_every = saving->every_steps;
    md.save_due = on_save_due;
    md.save = on_save;
    return md;
}

torre_status torre_particle_run_start(torre_particle_run *run, const torre_particle_watch *watch)
{
    run_watcher w = {run, watch};
    const torre_md_watch md = watch_for(&w);
    const char *resume = run->spec.saving->resume;
    if (!resume) return keep_what_there_is(run, torre_md_run_start(run->md, &md));
    TORRE_TRY(torre_particle_checkpoint_start(resume, run->md, &run->extras));
    if (run->md->step <= run->spec.steps) return TORRE_OK; /* it may have had other steps in mind */
    return torre_fail(TORRE_ERR_USAGE,
                      "{steps} must be at least %" PRId64 ", the step of %s (got %" PRId64 ")",
                      run->md->step, resume, run->spec.steps);
}

torre_status torre_particle_run_advance(torre_particle_run *run, const torre_particle_watch *watch)
{
    run_watcher w = {run, watch};
    const torre_md_watch md = watch_for(&w);
    const int64_t left = run->spec.steps - run->md->step;
    return keep_what_there_is(run, torre_md_run_advance(run->md, left, &md));
}

int64_t torre_particle_run_frames(const torre_particle_run *run)
{
    return run->spec.pairs ? run->pairs.files.done.frames : run->fluid.files.done.frames;
}

torre_status torre_particle_run_finish(torre_particle_run *run)
{
    return run->spec.kind->results(run, false);
}

void torre_particle_run_close(torre_particle_run *run)
{
    if (run->spec.kind) run->spec.kind->close(run);
    torre_md_run_free(run->md);
}

/* Where displacements were looked at before the forces of every step no pair was missed; otherwise
 * what particles felt meanwhile is in doubt. */
void torre_particle_run_doubt(const torre_particle_run *run, char *text, size_t size)
{
    torre_md_times t;
    torre_md_counts c;
    const bool each_step = !run->md->fluid && run->md->info->plan.rebuild_every == 1;
    torre_md_run_times(run->md, &t, &c);
    text[0] = 0;
    if (c.dangerous_builds <= 0) return;
    torre_text(text, size, "%" PRId64 " of %" PRId64 " rebuilds of the lists %s",
               c.dangerous_builds, c.builds,
               each_step
                   ? "came due after a single step (dangerous builds); no pair was missed, but "
                     "a larger " TORRE_PARAMETER("skin") " or a smaller " TORRE_PARAMETER(
                         "dt") " would be faster"
                   : "may have come too late (dangerous builds), so that pairs were missed; use "
                     "a larger " TORRE_PARAMETER("skin") " or a smaller " TORRE_PARAMETER(
                         "rebuild_every"));
}

static void add_ranks(torre_report *r, const torre_md_run *md)
{
    const torre_md_ranks_told told = torre_md_run_ranks(md);
    torre_md_times t;
    torre_md_counts c;
    if (told.ranks == 1) return;
    torre_md_run_times(md, &t, &c);
    torre_report_integer(r, "ranks", told.ranks);
    torre_report_text(r, "transport", told.transport);
    if (told.transport_why[0]) torre_report_text(r, "transport_why", told.transport_why);
    torre_report *devices = told.device ? torre_report_array(r, "devices") : NULL;
    for (int i = 0; i < told.ranks && devices; i++)
        torre_report_text(devices, NULL, told.device[i]);
    torre_report_real(r, "link_wait_s", t.waited);
}

torre_report *torre_report_particle_run(const torre_particle_run *run, const char *gpu_not_used)
{
    const torre_md_run *md = run->md;
    torre_report *r = torre_report_new("md");
    torre_report_text(r, "backend", md->backend->name);
    torre_report_text(r, "device", md->info->device);
    add_ranks(r, md);
    if (gpu_not_used) torre_report_text(r, "gpu_not_used", gpu_not_used);
    torre_report_text(r, "why", md->info->why);
    torre_report_text(r, "kernel", md->info->kernel);
    torre_report_text(r, "model", torre_pair_model_name(md->problem->model));
    torre_report_integer(r, "atoms", md->problem->count);
    torre_report_integer(r, "steps", md->step);
    torre_report_text(r, "ordering", torre_particle_ordering(&md->info->plan).text);
    torre_report_text(r, "neighbor", torre_neighbor_name(md->info->plan.neighbor));
    torre_report_text(r, "precision", torre_md_precision_name(md->problem->precision));
    run->spec.kind->report(r, run);
    return r;
}
