/* The program `wave`: settings, a run, results. */
#include <stdlib.h>
#include <string.h>

#include "cli/program.h"
#include "cli/program_stop.h"
#include "cli/wave_caution.h"
#include "cli/wave_text.h"
#include "cli/wave_trial.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/timer.h"
#include "roofline/tune_file.h"

/* What the driver's callbacks need. */
typedef struct wave_watcher {
    wave_output *output;
    torre_progress progress;
} wave_watcher;

static torre_status on_frame(void *context, torre_wave_run *run)
{
    return wave_output_snapshot(((wave_watcher *)context)->output, run);
}

static void on_progress(void *context, const torre_wave_progress *now)
{
    wave_watcher *w = context;
    torre_progress_show(&w->progress, now->step, now->steps, now->gcells_per_s, "Gcells/s");
}

static void tell_setup(const wave_settings *s, const wave_input *in, const torre_wave_run *run)
{
    if (s->quiet) return;
    if (torre_wave_run_passed_over(run)[0])
        fprintf(stderr, "wave: warning: this run takes the %s backend; %s\n",
                torre_wave_run_backend(run), torre_wave_run_passed_over(run));
    for (int i = 0; i < in->warnings; i++) fprintf(stderr, "wave: warning: %s\n", in->warning[i]);
    wave_text_setup(torre_program_people(s->json), in, run);
    fflush(torre_program_people(s->json));
}

static torre_status set_fields(const wave_settings *s, const wave_input *in, torre_wave_run *run)
{
    void *now, *previous;
    TORRE_TRY(wave_input_initial(s, in, &now, &previous));
    torre_status status = torre_wave_run_start(run, now, previous);
    free(now);
    free(previous);
    return status;
}

static torre_status time_loop(const wave_settings *s, wave_output *out, torre_wave_run *run)
{
    wave_watcher w = {.output = out};
    torre_wave_watch watch = {
        .frame = on_frame, .progress = on_progress, .stop = torre_program_stop, .context = &w};
    bool started = out->input->initial[0] || out->input->noise;
    if (s->snapshot_every > 0) {
        watch.frame_every = s->snapshot_every;
        if (started) TORRE_TRY(wave_output_snapshot(out, run));
    }
    torre_progress_start(&w.progress, stderr, !s->quiet);
    torre_status status = torre_wave_run_advance(run, torre_wave_run_problem(run)->steps, &watch);
    torre_progress_end(&w.progress);
    if (!status && s->snapshot_every < 0) status = wave_output_snapshot(out, run);
    return status;
}

/* Everything after the plan is known to be good. */
static torre_status compute(const wave_settings *s, const torre_option *table, const wave_input *in,
                            wave_output *out, torre_wave_run *run, const wave_memory *memory,
                            double start)
{
    torre_program_catch_signals(); /* from here on there are files to remove */
    TORRE_TRY(wave_output_open(in, out));
    tell_setup(s, in, run);
    TORRE_TRY(set_fields(s, in, run));
    TORRE_TRY(time_loop(s, out, run));
    TORRE_TRY(wave_output_results(out, run));
    if (!s->quiet) wave_text_result(torre_program_people(s->json), out, run);
    if (out->json) TORRE_TRY(wave_text_report(out, table, run, memory, torre_time_now() - start));
    return torre_wave_run_step(run) < torre_wave_run_problem(run)->steps
               ? torre_program_stopped(torre_wave_run_step(run), torre_wave_run_problem(run)->steps)
               : TORRE_OK;
}

/* --dry-run: the same checks but for memory, and what the run would take. */
static torre_status tell_cost(const wave_settings *s, const torre_option *table,
                              const wave_input *in, wave_output *out, torre_wave_run *run,
                              const wave_memory *memory)
{
    tell_setup(s, in, run);
    double rate;
    if (!s->quiet) {
        TORRE_TRY(wave_trial(run, &rate));
        wave_text_cost(torre_program_people(s->json), in, run, memory, rate);
    }
    if (!s->json) return TORRE_OK;
    out->input = in;
    TORRE_TRY(torre_output_open(s->json, &out->json));
    return wave_text_report(out, table, run, memory, 0);
}

/* A model that was read is there already. */
static torre_status check_memory(const wave_input *in, const torre_wave_run *run,
                                 const wave_memory *memory)
{
    const int64_t there = in->velocity_map.start ? 0 : memory->velocity;
    TORRE_TRY(torre_wave_run_check_memory(run));
    return torre_memory_check("the run", memory->host - there);
}

static torre_status run_wave(const wave_settings *s, const torre_option *table, wave_input *in,
                             wave_output *out, torre_wave_run **run)
{
    double start = torre_time_now();
    bool whole_microseconds;
    TORRE_TRY(wave_output_plan(s, out, &whole_microseconds));
    TORRE_TRY(wave_input_read(s, table, whole_microseconds, in));
    TORRE_TRY(wave_output_check(out, in));
    TORRE_TRY(torre_wave_run_new(&in->problem, s->backend, &in->plan, run));
    TORRE_TRY(wave_input_check_choice(s, table, torre_wave_run_backend(*run),
                                      torre_wave_run_info(*run)->plan.engine, in));
    if (torre_wave_run_info(*run)->plan.engine == TORRE_TORRE) wave_input_check_tune(in);
    in->tuned = torre_tune_apply(*run, &in->plan);
    wave_memory memory = wave_memory_count(out, in, *run);
    if (memory.traces < 0) return torre_wave_run_check_memory(*run); /* not to be counted at all */
    torre_status status = check_memory(in, *run, &memory);
    if (status && s->dry_run)
        wave_warn(in, "%s", torre_error_text());
    else
        TORRE_TRY(status);
    if (s->dry_run) return tell_cost(s, table, in, out, *run, &memory);
    return compute(s, table, in, out, *run, &memory, start);
}

int main(int argc, char **argv)
{
    wave_settings settings;
    torre_option table[WAVE_OPTIONS];
    wave_input input = {.plane_axis = 1};
    wave_output output = {0};
    torre_wave_run *run = NULL;
    wave_settings_init(&settings, table);
    bool done;
    torre_program_start();
    torre_status status = torre_program_options(&wave_program, table, argc, argv, &done);
    if (!status && !done) status = run_wave(&settings, table, &input, &output, &run);
    wave_output_close(&output);
    torre_wave_run_free(run);
    wave_input_free(&input);
    return torre_program_end("wave", status);
}
