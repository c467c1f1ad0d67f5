/* The program `md`: settings, a run, results. */
#include <string.h>

#include "cli/md_text.h"
#include "cli/mps_main.h"
#include "cli/program.h"
#include "cli/program_stop.h"
#include "core/progress.h"

/* What the callbacks of the run need. */
typedef struct md_watcher {
    const md_settings *settings;
    md_output *output;
    const torre_md_run *run;
    torre_progress progress;
} md_watcher;

static torre_status on_row(void *context, torre_md_run *run)
{
    md_watcher *w = context;
    const torre_md_thermo *row = &run->row[run->rows - 1];
    md_output_row(w->output, run, row);
    if (w->settings->common.quiet) return TORRE_OK;
    torre_progress_end(&w->progress);
    md_text_row(torre_program_people(w->settings->common.json), run->problem, row);
    fflush(torre_program_people(w->settings->common.json));
    return TORRE_OK;
}

static torre_status on_frame(void *context, torre_md_run *run)
{
    return md_output_frame(((md_watcher *)context)->output, run);
}

static void on_progress(void *context, const torre_md_progress *now)
{
    md_watcher *w = context;
    const int64_t count = w->run->problem->count;
    double rate = now->loop_s > 0 ? (double)count * (double)now->step / now->loop_s : 0;
    torre_progress_show(&w->progress, now->step, now->steps, 1e-6 * rate, "M atom-steps/s");
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

static torre_status time_loop(const md_settings *s, md_output *out, torre_md_run *run)
{
    md_watcher w = {.settings = s, .output = out, .run = run};
    torre_md_watch watch = {.row_every = s->thermo,
                            .row = on_row,
                            .progress = on_progress,
                            .stop = torre_program_stop,
                            .context = &w};
    if (out->dump) watch.frame_every = s->common.dump_every;
    if (out->profile) watch.frame_every = common_steps(watch.frame_every, s->profile_every);
    if (watch.frame_every) watch.frame = on_frame;
    if (!s->common.quiet) md_text_head(torre_program_people(s->common.json), run->problem);
    TORRE_TRY(torre_md_run_start(run, &watch));
    torre_progress_start(&w.progress, stderr, !s->common.quiet);
    torre_status status = torre_md_run_advance(run, s->steps, &watch);
    torre_progress_end(&w.progress);
    return status;
}

/* What was computed before a run became unstable is worth keeping; the first failure counts. */
static torre_status keep_what_there_is(md_output *out, torre_md_run *run, torre_status failed)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", torre_error_text());
    if (md_output_results(out, run, true)) return failed;
    return torre_fail(failed, "%s", text);
}

static torre_status tell_cost(const md_settings *s, const torre_option *table, md_output *out,
                              torre_md_run *run)
{
    if (!s->common.quiet) md_text_cost(torre_program_people(s->common.json), run);
    if (!s->common.json) return TORRE_OK;
    TORRE_TRY(torre_output_open(s->common.json, &out->json));
    return md_text_report(&out->json, s, table, run);
}

static torre_status run_md(md_settings *s, const torre_option *table, md_input *in, md_output *out,
                           torre_md_run **run)
{
    TORRE_TRY(md_input_read(s, table, in));
    TORRE_TRY(torre_md_run_new(&in->problem, s->common.backend, &in->plan, run));
    TORRE_TRY(particle_check_idle(&s->common, table, (*run)->backend->name));
    if (!s->common.quiet) md_text_setup(torre_program_people(s->common.json), s, *run);
    if (s->common.dry_run) return tell_cost(s, table, out, *run);
    TORRE_TRY(md_input_particles(s, in));
    torre_program_catch_signals(); /* from here on there are files to remove */
    TORRE_TRY(md_output_open(s, in, out));
    torre_status status = time_loop(s, out, *run);
    if (status == TORRE_ERR_UNSTABLE) return keep_what_there_is(out, *run, status);
    if (status) return status;
    TORRE_TRY(md_output_results(out, *run, false));
    if (!s->common.quiet) md_text_result(torre_program_people(s->common.json), *run, out);
    if (out->json) TORRE_TRY(md_text_report(&out->json, s, table, *run));
    return (*run)->step < s->steps ? torre_program_stopped((*run)->step, s->steps) : TORRE_OK;
}

int main(int argc, char **argv)
{
    torre_program_start();
    if (mps_main_wanted(argc, argv)) return mps_main(argc, argv);
    md_settings settings;
    torre_option table[MD_OPTIONS];
    md_input input = {0};
    md_output output = {0};
    torre_md_run *run = NULL;
    md_settings_init(&settings, table);
    torre_status status = torre_options_parse(table, argc, argv, NULL, 0, NULL);
    if (!status && settings.common.help) {
        md_settings_init(&settings, table); /* the help shows defaults */
        md_help(table);
    } else if (!status && settings.common.version) {
        torre_program_version("md");
    } else if (!status) {
        status = torre_program_device(table, &settings.common.backend);
        if (!status) status = run_md(&settings, table, &input, &output, &run);
    }
    md_output_close(&output);
    torre_md_run_free(run);
    md_input_free(&input);
    return torre_program_end("md", status);
}
