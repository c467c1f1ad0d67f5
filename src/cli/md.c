/* The program `md`: settings, a run (run/particle_run.h), results. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/config_options.h"
#include "cli/md_settings.h"
#include "cli/mps_settings.h"
#include "cli/program.h"
#include "cli/program_stop.h"
#include "core/phase.h"
#include "core/progress.h"
#include "figure/figure.h"
#include "io/movie.h"
#include "mpi/ranks_start.h"
#include "particles/md_ranks.h"
#include "roofline/cuda_probe.h"
#include "run/pair_page.h"

/* Everything of one invocation. */
typedef struct md_job {
    md_settings pairs;
    mps_settings fluid;
    torre_option table[MD_OPTIONS];
    particle_options *common; /* of the settings that hold */
    torre_particle_run run;
    torre_progress progress;
    torre_output *json;  /* the report, NULL when it is not open */
    torre_movie *movie;  /* NULL: none */
    int64_t frames;      /* pictures of --frame-every seen */
    torre_status failed; /* of those, the first failure */
    torre_ranks ranks;   /* of mpirun, that share a run */
} md_job;

/* Where people read, NULL with --quiet. */
static FILE *people(const md_job *job)
{
    return job->common->quiet ? NULL : torre_program_people(job->common->json);
}

/* On the page and in the movie, the picture of --frame-every that a row has brought, if any. */
static void show_frame(md_job *job)
{
    char path[TORRE_PATH];
    const int64_t frames = torre_particle_run_frames(&job->run);
    if (frames == job->frames || job->failed) return;
    job->frames = frames;
    job->failed = torre_particle_frame_path(&job->common->files, frames - 1, path);
    if (!job->failed && job->movie) job->failed = torre_movie_picture(job->movie, path);
    if (!job->failed && torre_program_page())
        job->failed = torre_page_picture(torre_program_page(), path, job->run.md->step,
                                         (double)job->run.md->step * job->run.problem->dt);
}

static void on_row(void *context)
{
    md_job *job = context;
    show_frame(job);
    if (!people(job)) return;
    torre_progress_end(&job->progress);
    job->run.spec.kind->tell_row(people(job), &job->run);
    fflush(people(job));
}

static void on_progress(void *context, const torre_md_progress *now)
{
    md_job *job = context;
    const double atoms = 1e-6 * (double)job->run.problem->count;
    double rate = now->loop_s > 0 ? atoms * (double)now->step / now->loop_s : 0;
    torre_progress_show(&job->progress, now->step, now->steps, rate, job->run.spec.kind->unit);
}

/* Why --backend auto has not taken the GPU of this machine, one line; NULL where it has, where
 * another backend was asked for and where there is no GPU. */
static const char *idle_gpu(const md_job *job)
{
    static torre_cuda_probe probe; /* the text stays */
    if (strcmp(job->common->means.backend, "auto") != 0) return NULL;
    if (strcmp(job->run.md->backend->name, "cuda") == 0) return NULL;
    torre_cuda_probe_run(0, &probe);
    return probe.here ? probe.text : NULL;
}

static void tell_setup(const md_job *job)
{
    const torre_md_run *md = job->run.md;
    const char *idle = idle_gpu(job);
    const torre_md_ranks_told ranks = torre_md_run_ranks(md);
    fprintf(people(job), "# md %s, backend %s: %s\n", torre_version_text(), md->backend->name,
            md->info->device);
    if (ranks.ranks > 1)
        fprintf(people(job), "# %d %ss share the particles, by %s\n", ranks.ranks, ranks.what,
                ranks.transport);
    if (idle) fprintf(people(job), "# the GPU is not used: %s\n", idle);
    job->run.spec.kind->tell_setup(people(job), &job->run);
}

static void tell_end(const md_job *job)
{
    char doubt[512];
    torre_particle_run_doubt(&job->run, doubt, sizeof doubt);
    if (doubt[0]) fprintf(stderr, "md: warning: %s\n", doubt);
    job->run.spec.kind->tell_end(people(job), &job->run);
}

/* Make the report for job->json, and keep both. */
static void report(md_job *job)
{
    torre_report *r = torre_report_particle_run(&job->run, idle_gpu(job));
    torre_report_options(r, job->table);
    torre_program_keep_report(r, &job->json);
}

static torre_status tell_cost(md_job *job)
{
    if (people(job)) job->run.spec.kind->tell_cost(people(job), &job->run);
    TORRE_TRY(torre_program_open_report(job->common->json, &job->json));
    if (torre_program_wants_report(job->json)) report(job);
    return TORRE_OK;
}

/* The picture of the end, on the page. */
static torre_status show_last_picture(const md_job *job)
{
    char path[TORRE_PATH];
    const torre_particle_wishes *files = &job->common->files;
    const torre_particle_run *run = &job->run;
    if (!torre_program_page() || !torre_particle_wanted(files->picture)) return TORRE_OK;
    TORRE_TRY(torre_particle_path(files, "picture", files->picture, path));
    return torre_page_picture(torre_program_page(), path, run->md->step,
                              (double)run->md->step * run->problem->dt);
}

static torre_status time_loop(md_job *job)
{
    torre_particle_run *run = &job->run;
    const torre_particle_watch watch = {
        .row = on_row, .progress = on_progress, .stop = torre_program_stop, .context = job};
    if (people(job)) run->spec.kind->tell_head(people(job), run);
    TORRE_TRY(torre_particle_run_start(run, &watch));
    torre_phase_enter(TORRE_PHASE_OUTPUT);
    torre_progress_start(&job->progress, stderr, people(job) != NULL);
    torre_status status = torre_particle_run_advance(run, &watch);
    torre_progress_end(&job->progress);
    return status ? status : job->failed;
}

static torre_status open_movie(md_job *job)
{
    const particle_options *o = job->common;
    if (!o->movie) return TORRE_OK;
    if (o->files.frame_every == 0)
        return torre_fail(TORRE_ERR_USAGE, "--movie needs pictures to show: --frame-every N");
    if (o->checkpoint.saving.resume)
        return torre_fail(TORRE_ERR_USAGE, "--movie and --resume exclude each other: it would "
                                           "begin in the middle");
    return torre_movie_open(o->movie, &job->movie);
}

static torre_status compute(md_job *job)
{
    const particle_options *o = job->common;
    torre_particle_run *run = &job->run;
    if (people(job) && torre_particle_wanted(o->files.picture))
        torre_program_pictures("md", torre_picture_styles[o->files.style]);
    TORRE_TRY(torre_particle_run_particles(run));
    torre_program_catch_signals(); /* from here on there are files to remove */
    TORRE_TRY(torre_program_open_report(o->json, &job->json));
    TORRE_TRY(open_movie(job));
    TORRE_TRY(torre_particle_run_open(run));
    TORRE_TRY(time_loop(job));
    TORRE_TRY(torre_particle_run_finish(run));
    TORRE_TRY(torre_movie_finish(&job->movie, TORRE_OK));
    if (people(job)) tell_end(job);
    torre_program_tell_time(people(job), "# ");
    if (torre_program_wants_report(job->json)) report(job);
    if (torre_program_page())
        TORRE_TRY(torre_pair_page(torre_program_page(), &run->pairs.files.measures));
    TORRE_TRY(show_last_picture(job));
    return run->md->step < run->spec.steps && !run->md->relaxed
               ? torre_program_stopped(run->md->step, run->spec.steps, o->checkpoint.saving.file)
               : TORRE_OK;
}

/* What both kinds of settings have in common, and that of the model. */
static torre_status read_spec(md_job *job)
{
    torre_particle_spec *spec = &job->run.spec;
    particle_options *o = job->common;
    TORRE_TRY(torre_checkpoint_options_read(&o->checkpoint, job->table));
    if (o->means.devices && torre_options_given(job->table, "device"))
        return torre_fail(TORRE_ERR_USAGE, "--device and --devices exclude each other");
    if (o->movie && !torre_options_given(job->table, "frame-every")) o->files.frame_every = 1;
    spec->files = &o->files;
    spec->backend = o->means.backend;
    spec->saving = &o->checkpoint.saving;
    spec->report = o->json;
    if (o == &job->pairs.common) return md_settings_spec(&job->pairs, job->table, spec);
    return mps_settings_spec(&job->fluid, job->table, spec);
}

/* From the settings to the plan: the same of every rank. */
static torre_status plan_job(md_job *job)
{
    torre_particle_run *run = &job->run;
    TORRE_TRY(read_spec(job));
    TORRE_TRY(torre_particle_run_plan(run));
    if (run->spec.pairs) md_settings_pair(&job->pairs, job->table, true); /* what a file says */
    return particle_check_idle(job->common, job->table, run->md->backend->name);
}

static torre_status run_job(md_job *job)
{
    torre_status planned = plan_job(job);
    if (job->run.spec.ranks)
        planned = torre_md_ranks_gather(job->run.md, job->run.spec.ranks, planned);
    TORRE_TRY(planned);
    if (people(job)) tell_setup(job);
    return job->common->dry_run ? tell_cost(job) : compute(job);
}

/* One run by all ranks of MPI there are: the first has the files and tells people. */
static torre_status run_ranks(md_job *job)
{
    torre_ranks *ranks = &job->ranks;
    TORRE_TRY(torre_ranks_start("md", ranks));
    job->run.spec.ranks = ranks;
    if (ranks->rank == 0) {
        const torre_status status = run_job(job);
        torre_md_ranks_dismiss(ranks);
        return status;
    }
    job->common->quiet = true;
    job->common->json = NULL;
    const torre_status planned = plan_job(job);
    torre_program_catch_signals(); /* what they are for is the first rank's to say */
    (void)torre_md_ranks_serve(job->run.md, ranks, planned); /* and what goes wrong */
    return TORRE_OK;
}

/* What is wrong with their options every rank finds, and the first one says. */
static torre_status say_once(md_job *job, torre_status status)
{
    if (!torre_ranks_started()) return status;
    TORRE_TRY(torre_ranks_start("md", &job->ranks));
    return job->ranks.rank == 0 ? status : TORRE_OK;
}

/* The rows of the table are those of the model. */
static torre_status parse(md_job *job, int argc, char **argv, bool *done)
{
    md_settings_init(&job->pairs, job->table);
    job->common = &job->pairs.common;
    int model;
    TORRE_TRY(torre_config_choice(job->table, argc, argv, "model", &model));
    const bool fluid = model == TORRE_MODEL_MPS;
    if (fluid) {
        mps_settings_init(&job->fluid, job->table);
        job->common = &job->fluid.common;
    }
    return torre_program_options(fluid ? &mps_program : &md_program, job->table, argc, argv, done);
}

int main(int argc, char **argv)
{
    md_job job = {.json = NULL};
    bool done = false;
    torre_program_start();
    torre_status status = parse(&job, argc, argv, &done);
    if (status)
        status = say_once(&job, status);
    else if (!done)
        status = torre_ranks_started() ? run_ranks(&job) : run_job(&job);
    torre_phase_enter(TORRE_PHASE_EXIT);
    torre_movie_discard(job.movie);
    torre_particle_run_close(&job.run);
    torre_output_discard(job.json);
    const int code = torre_program_end("md", status);
    torre_ranks_end(code);
    return code;
}
