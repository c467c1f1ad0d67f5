/* What `md` does for the pair models. */
#include "cli/md_text.h"
#include "cli/md_way.h"

static void init(md_job *job)
{
    md_settings_init(&job->pairs.settings, job->table);
    job->common = &job->pairs.settings.common;
}

static torre_status read(md_job *job)
{
    TORRE_TRY(md_input_read(&job->pairs.settings, job->table, &job->pairs.input));
    job->problem = &job->pairs.input.problem;
    job->plan = &job->pairs.input.plan;
    job->steps = job->pairs.settings.steps;
    job->row_every = job->pairs.settings.thermo;
    return TORRE_OK;
}

static torre_status particles(md_job *job)
{
    return md_input_particles(&job->pairs.settings, &job->pairs.input);
}

static torre_status open(md_job *job, torre_md_watch *watch)
{
    const md_input *in = &job->pairs.input;
    const torre_particle_layout layout = {.about = in->about,
                                          .size = in->problem.model == TORRE_PAIR_granular
                                                      ? in->problem.cutoff
                                                      : job->pairs.settings.sigma};
    TORRE_TRY(torre_pair_files_open(&job->common->files, &in->problem, &layout, &in->particles,
                                    &job->pairs.files));
    watch->frame_every = torre_pair_files_every(&job->pairs.files);
    return TORRE_OK;
}

static const torre_md_thermo *last_row(const md_job *job)
{
    return &job->run->row[job->run->rows - 1];
}

static torre_status row(md_job *job)
{
    torre_pair_files_row(&job->pairs.files, job->run, last_row(job));
    return TORRE_OK;
}

static torre_status results(md_job *job, bool failed)
{
    return torre_pair_files_finish(&job->pairs.files, job->run, failed);
}

static void close(md_job *job)
{
    torre_pair_files_close(&job->pairs.files);
    md_input_free(&job->pairs.input);
}

static void tell_setup(FILE *out, const md_job *job)
{
    md_text_setup(out, &job->pairs.settings, job->run);
}

static void tell_cost(FILE *out, const md_job *job) { md_text_cost(out, job->run); }

static void tell_head(FILE *out, const md_job *job) { md_text_head(out, job->problem); }

static void tell_row(FILE *out, const md_job *job)
{
    md_text_row(out, job->problem, last_row(job));
}

static void tell_end(FILE *out, const md_job *job)
{
    md_text_result(out, &job->pairs.settings, job->run, &job->pairs.files);
}

static void report(md_job *job)
{
    md_text_report(&job->json, &job->pairs.settings, job->table, job->run);
}

const md_way md_pairs = {
    .unit = "M atom-steps/s",
    .init = init,
    .program = &md_program,
    .read = read,
    .particles = particles,
    .open = open,
    .row = row,
    .results = results,
    .close = close,
    .tell_setup = tell_setup,
    .tell_cost = tell_cost,
    .tell_head = tell_head,
    .tell_row = tell_row,
    .tell_end = tell_end,
    .report = report,
};
