/* What `md` does for the pair models. */
#include "cli/md_text.h"
#include "cli/md_way.h"

static void init(md_job *job)
{
    md_settings_init(&job->pairs.settings, job->table);
    job->common = &job->pairs.settings.common;
    job->json = &job->pairs.output.json;
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

/* The largest interval that both are multiples of; 0: never. */
static int64_t common_steps(int64_t a, int64_t b)
{
    while (a) {
        int64_t rest = b % a;
        b = a;
        a = rest;
    }
    return b;
}

static torre_status open(md_job *job, torre_md_watch *watch)
{
    const md_settings *s = &job->pairs.settings;
    md_output *out = &job->pairs.output;
    TORRE_TRY(md_output_open(s, &job->pairs.input, out));
    if (out->dump) watch->frame_every = s->common.dump_every;
    if (out->profile) watch->frame_every = common_steps(watch->frame_every, s->profile_every);
    return TORRE_OK;
}

static const torre_md_thermo *last_row(const md_job *job)
{
    return &job->run->row[job->run->rows - 1];
}

static torre_status row(md_job *job)
{
    md_output_row(&job->pairs.output, job->run, last_row(job));
    return TORRE_OK;
}

static torre_status results(md_job *job, bool failed)
{
    return md_output_results(&job->pairs.output, job->run, failed);
}

static void close(md_job *job) { md_output_close(&job->pairs.output); }

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
    md_text_result(out, job->run, &job->pairs.output);
}

static void report(md_job *job)
{
    md_text_report(job->json, &job->pairs.settings, job->table, job->run);
}

const md_way md_pairs = {
    .unit = "M atom-steps/s",
    .init = init,
    .help = md_help,
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
