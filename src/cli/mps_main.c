#include "cli/mps_main.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/mps_output.h"
#include "cli/program.h"
#include "cli/program_stop.h"
#include "core/numbers.h"
#include "core/progress.h"
#include "core/report.h"
#include "torre/status.h"

bool mps_main_wanted(int argc, char *const *argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        size_t length = value ? (size_t)(value - argv[i]) : strlen(argv[i]);
        /* abbreviations, as getopt_long takes them */
        if (length < 3 || length > 7 || strncmp(argv[i], "--model", length) != 0) continue;
        value = value ? value + 1 : i + 1 < argc ? argv[i + 1] : "";
        return strcmp(value, "mps") == 0;
    }
    return false;
}

static void tell_setup(FILE *out, const mps_settings *s, const mps_input *in,
                       const torre_md_run *run)
{
    const torre_md_problem *p = run->problem;
    const torre_md_plan *plan = &run->info.plan;
    char bytes[32];
    torre_format_bytes((double)run->info.memory_bytes, bytes, sizeof bytes);
    fprintf(out, "# md %s, backend %s: %s\n", torre_version_text(), run->backend->name,
            run->info.device);
    const char *idle = particle_idle_gpu(&s->common, run->backend->name);
    if (idle) fprintf(out, "# the GPU is not used: %s\n", idle);
    fprintf(out,
            "# %" PRId64 " particles (%" PRId64 " fluid, %" PRId64
            " wall), spacing %.6g m, r_e %.4g "
            "spacings, %s\n",
            p->count, p->mps.fluid, p->mps.wall, p->mps.spacing, p->cutoff / p->mps.spacing, bytes);
    fprintf(out,
            "# sound speed %.6g m/s, dt %.6g s (limit %.6g s), %" PRId64 " steps, precision %s\n",
            p->mps.sound_speed, p->dt, torre_mps_dt_limit(p), in->steps,
            torre_md_precision_name(p->precision));
    fprintf(out,
            "# ordering %s of %" PRId64 "x%" PRId64 "x%" PRId64 " bins, neighbor %s, skin %.4g m\n",
            particle_ordering(plan).text, run->info.bins[0], run->info.bins[1], run->info.bins[2],
            torre_neighbor_name(plan->neighbor), plan->skin);
}

static void tell_head(FILE *out)
{
    fprintf(out,
            "#  Step       t, s   front, m   x/L  t*sqrt(2g/L)  speed, m/s  kinetic, J   energy, J "
            " p max, Pa  n/n0 inside  beyond wall, l0\n");
}

static void tell_row(FILE *out, const mps_input *in, const torre_mps_row *r)
{
    double x = mps_output_front(in, r);
    fprintf(out,
            "%7" PRId64 " %10.5f %10.5f %5.3f %13.4f %11.4f %11.5g %11.5g %10.1f %12.5f %16.3f\n",
            r->step, r->time, x, x / in->width, mps_output_time(in, r), r->speed, r->kinetic,
            torre_mps_row_energy(r), r->pressure, r->compression, r->excursion);
    fflush(out);
}

static void tell_result(const mps_settings *s, const mps_output *files, const torre_md_run *run)
{
    FILE *out = torre_program_people(s->common.json);
    torre_md_times t;
    torre_md_counts c;
    char seconds[32];
    torre_md_run_times(run, &t, &c);
    torre_format_seconds(run->loop_s, seconds, sizeof seconds);
    if (run->step > 0) {
        fprintf(out, "# %" PRId64 " steps in %s: %.4g million particle-steps/s\n", run->step,
                seconds, 1e-6 * torre_md_run_rate(run));
        fprintf(
            out,
            "# viscosity %.3f s, density %.3f s, gradient %.3f s, neighbor %.3f s, sort %.3f s, "
            "move %.3f s; %" PRId64 " rebuilds\n",
            t.viscosity, t.density, t.gradient, t.neighbor, t.sort, t.integrate, c.builds);
    }
    particle_warn(&s->common, &c, false);
    if (files->front_path[0]) fprintf(out, "# front in %s\n", files->front_path);
    if (files->gauges_path[0]) fprintf(out, "# gauges in %s\n", files->gauges_path);
    if (s->common.csv) fprintf(out, "# table in %s\n", s->common.csv);
    if (s->common.dump) fprintf(out, "# trajectory in %s\n", s->common.dump);
    if (files->picture_path[0]) fprintf(out, "# picture in %s\n", files->picture_path);
}

static void report_physics(torre_report *r, const mps_input *in, const torre_md_run *run)
{
    const torre_md_problem *p = run->problem;
    torre_mps_norms n = torre_mps_norms_of(p->dimensions, p->mps.spacing, p->cutoff);
    torre_report_integer(r, "fluid", p->mps.fluid);
    torre_report_integer(r, "wall", p->mps.wall);
    torre_report_real(r, "spacing_m", p->mps.spacing);
    torre_report_real(r, "influence_m", p->cutoff);
    torre_report_real(r, "n0", n.n0);
    torre_report_real(r, "lambda0_m2", n.lambda0);
    torre_report_real(r, "dt_s", p->dt);
    torre_report_real(r, "dt_limit_s", torre_mps_dt_limit(p));
    torre_report_real(r, "sound_speed", p->mps.sound_speed);
    if (!run->solver) return;
    torre_report *last = torre_report_object(r, "last");
    torre_report_real(last, "t", run->fluid->row.time);
    torre_report_real(last, "front", mps_output_front(in, &run->fluid->row));
    torre_report_real(last, "kinetic", run->fluid->row.kinetic);
    torre_report_real(last, "potential", run->fluid->row.potential);
    torre_report_real(last, "elastic", run->fluid->row.elastic);
    torre_report_real(last, "energy", torre_mps_row_energy(&run->fluid->row));
    torre_report_real(last, "excursion", run->fluid->row.excursion);
    torre_report_real(last, "speed", run->fluid->row.speed);
    torre_report_real(last, "pressure", run->fluid->row.pressure);
    torre_report_real(last, "compression", run->fluid->row.compression);
    torre_report_integer(last, "surface", run->fluid->row.surface);
    torre_report_reals(last, "momentum", run->fluid->row.momentum, 3);
}

static torre_status write_report(torre_output **json, const mps_settings *s,
                                 const torre_option *table, const mps_input *in,
                                 const torre_md_run *run)
{
    const torre_md_plan *plan = &run->info.plan;
    torre_md_times t = {0};
    torre_md_counts c = {0};
    torre_report *r = torre_report_new("md");
    torre_md_run_times(run, &t, &c);
    torre_report_text(r, "backend", run->backend->name);
    torre_report_text(r, "device", run->info.device);
    particle_report_idle_gpu(r, &s->common, run->backend->name);
    torre_report_text(r, "model", "mps");
    torre_report_integer(r, "atoms", run->problem->count);
    torre_report_integer(r, "steps", run->step);
    torre_report_text(r, "ordering", particle_ordering(plan).text);
    torre_report_text(r, "neighbor", torre_neighbor_name(plan->neighbor));
    torre_report_text(r, "precision", torre_md_precision_name(run->problem->precision));
    torre_report_reals(r, "box", run->problem->box, 3);
    torre_report_integers(r, "bins", run->info.bins, 3);
    torre_report_integer(r, "memory_bytes", run->info.memory_bytes);
    torre_report_real(r, "loop_s", run->loop_s);
    torre_report_real(r, "atom_steps_per_s", torre_md_run_rate(run));
    torre_report *time = torre_report_object(r, "time_s");
    torre_report_real(time, "viscosity", t.viscosity);
    torre_report_real(time, "density", t.density);
    torre_report_real(time, "gradient", t.gradient);
    torre_report_real(time, "neighbor", t.neighbor);
    torre_report_real(time, "sort", t.sort);
    torre_report_real(time, "move", t.integrate);
    torre_report_integer(r, "builds", c.builds);
    if (c.dangerous_builds >= 0) torre_report_integer(r, "dangerous_builds", c.dangerous_builds);
    report_physics(r, in, run);
    torre_report_options(r, table);
    torre_status status = torre_report_write(r, torre_output_stream(*json));
    torre_report_free(r);
    return torre_output_finish(json, status);
}

/* What the callbacks of the run need. */
typedef struct watcher {
    const mps_settings *settings;
    const mps_input *input;
    mps_output *output;
    torre_progress progress;
} watcher;

static torre_status on_row(void *context, torre_md_run *run)
{
    watcher *w = context;
    TORRE_TRY(mps_output_row(w->output, run));
    if (w->settings->common.quiet) return TORRE_OK;
    torre_progress_end(&w->progress);
    tell_row(torre_program_people(w->settings->common.json), w->input, &run->fluid->row);
    return TORRE_OK;
}

static void on_progress(void *context, const torre_md_progress *now)
{
    watcher *w = context;
    double rate =
        now->loop_s > 0 ? (double)w->input->problem.count * (double)now->step / now->loop_s : 0;
    torre_progress_show(&w->progress, now->step, now->steps, 1e-6 * rate, "M particle-steps/s");
}

static torre_status time_loop(const mps_settings *s, const mps_input *in, mps_output *out,
                              torre_md_run *run)
{
    watcher w = {.settings = s, .input = in, .output = out};
    torre_md_watch watch = {.row_every = in->thermo,
                            .row = on_row,
                            .progress = on_progress,
                            .stop = torre_program_stop,
                            .context = &w};
    if (!s->common.quiet) tell_head(torre_program_people(s->common.json));
    TORRE_TRY(torre_md_run_start(run, &watch));
    torre_progress_start(&w.progress, stderr, !s->common.quiet);
    torre_status status = torre_md_run_advance(run, in->steps, &watch);
    torre_progress_end(&w.progress);
    return status;
}

/* What was computed before a run became unstable is worth keeping; the first failure counts. */
static torre_status keep_what_there_is(mps_output *out, torre_md_run *run, torre_status failed)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", torre_error_text());
    if (mps_output_results(out, run, true)) return failed;
    return torre_fail(failed, "%s", text);
}

static torre_status run_mps(const mps_settings *s, const torre_option *table, mps_input *in,
                            mps_output *out, torre_md_run **run)
{
    TORRE_TRY(mps_input_read(s, in));
    TORRE_TRY(torre_md_run_new(&in->problem, s->common.backend, &in->plan, run));
    TORRE_TRY(particle_check_idle(&s->common, table, (*run)->backend->name));
    if (!s->common.quiet) tell_setup(torre_program_people(s->common.json), s, in, *run);
    if (s->common.dry_run) {
        if (!s->common.json) return TORRE_OK;
        TORRE_TRY(torre_output_open(s->common.json, &out->json));
        return write_report(&out->json, s, table, in, *run);
    }
    TORRE_TRY(mps_input_particles(in));
    torre_program_catch_signals(); /* from here on there are files to remove */
    TORRE_TRY(mps_output_open(s, in, out));
    torre_status status = time_loop(s, in, out, *run);
    if (status == TORRE_ERR_UNSTABLE) return keep_what_there_is(out, *run, status);
    if (status) return status;
    TORRE_TRY(mps_output_results(out, *run, false));
    if (!s->common.quiet) tell_result(s, out, *run);
    if (out->json) TORRE_TRY(write_report(&out->json, s, table, in, *run));
    return (*run)->step < in->steps ? torre_program_stopped((*run)->step, in->steps) : TORRE_OK;
}

int mps_main(int argc, char **argv)
{
    mps_settings settings;
    torre_option table[MPS_OPTIONS];
    mps_input input = {0};
    mps_output output = {0};
    torre_md_run *run = NULL;
    mps_settings_init(&settings, table);
    torre_status status = torre_options_parse(table, argc, argv, NULL, 0, NULL);
    if (!status && settings.common.help) {
        mps_settings_init(&settings, table); /* the help shows defaults */
        mps_help(table);
    } else if (!status && settings.common.version) {
        torre_program_version("md");
    } else if (!status) {
        status = torre_program_device(table, &settings.common.backend);
        if (!status) status = run_mps(&settings, table, &input, &output, &run);
    }
    mps_output_close(&output);
    torre_md_run_free(run);
    mps_input_free(&input);
    return torre_program_end("md", status);
}
