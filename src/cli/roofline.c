/* The program `roofline`: every tile size against the machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor_run.h"
#include "cli/program.h"
#include "cli/program_stop.h"
#include "cli/roofline_md.h"
#include "core/numbers.h"
#include "core/phase.h"
#include "core/timer.h"
#include "roofline/measured_bytes.h"
#include "roofline/roofline_plot.h"
#include "roofline/roofline_report.h"
#include "roofline/sweep_csv.h"
#include "roofline/sweep_run.h"
#include "roofline/sweep_summary.h"
#include "roofline/sweep_table.h"
#include "wave/tune_file.h"

/* Everything there is to tell. */
typedef struct roofline_results {
    const torre_sweep_setting *setting; /* NULL: ceilings alone */
    torre_sweep_results found;
    bool drawn, tuned;
} roofline_results;

/* Everything of one invocation. */
typedef struct roofline_job {
    const roofline_settings *settings;
    const torre_option *table;
    const torre_wave_backend *backend;
    torre_sweep_axes axes;
    torre_machine machine;
    torre_sweep_setting setting;
    torre_sweep_order order;
    roofline_results results;
    torre_output *report, *picture; /* NULL: not wanted */
    char directory[4096];
    double start;
} roofline_job;

static FILE *people(const roofline_settings *s) { return torre_program_people(s->json); }

/* One line on a terminal, rewritten; nothing elsewhere. */
static void show(const roofline_settings *s, const char *text)
{
    if (!s->quiet && isatty(fileno(stderr))) fprintf(stderr, "\r\033[K%s", text);
}

static bool on_ceiling(const torre_machine *machine, torre_ceiling_id id, void *context)
{
    char text[160];
    snprintf(text, sizeof text, "ceilings: %s %.1f", torre_ceiling_title(id),
             machine->ceiling[id].median);
    show(context, text);
    return !torre_program_stop(NULL);
}

/* Measure the ceilings, and tell them. TORRE_STOPPED when a signal came. */
static torre_status measure_ceilings(roofline_job *job, const char *backend)
{
    const roofline_settings *s = job->settings;
    const torre_meter_kind *kind = torre_meter_find(backend);
    if (!kind)
        return torre_fail(TORRE_ERR_RESOURCE, "the ceilings of --backend %s cannot be measured",
                          backend);
    torre_status status =
        torre_ceilings_measure(kind, (int)s->threads, (int)s->device, s->lists.quick ? 5 : 15,
                               on_ceiling, (void *)s, &job->machine);
    show(s, "");
    TORRE_TRY(status);
    if (!s->quiet) torre_ceilings_table(people(s), &job->machine);
    fflush(people(s));
    return torre_ceilings_write(job->directory, &job->machine);
}

static void on_point(void *context, const torre_sweep_results *r, double seconds_left)
{
    const torre_sweep_point *p = &r->points[r->count - 1];
    char text[240], left[32];
    torre_format_seconds(seconds_left, left, sizeof left);
    snprintf(text, sizeof text,
             "point %d of %d: order %d, %s, DTS %d, height %lld, %s: %.2f Gcells/s, %.0f %% of %s, "
             "%s left",
             r->count, r->planned, p->order, torre_engine_name(p->plan.engine), p->plan.dts,
             (long long)p->plan.tower_height, torre_ordering_write(&p->plan.ordering).text,
             p->gcells_per_s, 100 * p->fraction, torre_ceiling_title(p->bound.ceiling), left);
    show(context, text);
}

static const char *output_name(const char *backend)
{
    return strcmp(backend, "cpu") == 0 ? "roofline-cpu" : "roofline-cuda";
}

/* A recommendation is a choice: --tune needs something to choose from. */
static torre_status check_tune(const roofline_job *job)
{
    const torre_sweep_axes *a = &job->axes;
    if (job->settings->lists.quick)
        return torre_fail(TORRE_ERR_USAGE,
                          "--quick times too few tile sizes to recommend one: leave out --quick "
                          "(--seconds shortens the sweep) or --tune");
    if (!a->torre || a->dts_count * a->heights < 2)
        return torre_fail(TORRE_ERR_USAGE,
                          "--tune compares towers: --engine must have torre, --dts "
                          "and --tower-height two tiles at least");
    return torre_tune_prepare();
}

/* Files that are wanted only at the end are looked for at the beginning. */
static torre_status check_inputs(const roofline_job *job)
{
    char path[sizeof job->directory + 16];
    const char *measured = job->settings->measured;
    snprintf(path, sizeof path, "%s/sweep.csv", job->directory);
    if (job->settings->resume && access(path, R_OK) != 0)
        return torre_fail_errno("--resume cannot read %s", path);
    if (measured && access(measured, R_OK) != 0)
        return torre_fail_errno("--measured cannot read %s", measured);
    return TORRE_OK;
}

static torre_status prepare(roofline_job *job)
{
    const roofline_settings *s = job->settings;
    torre_wave_plan plan = {.threads = (int)s->threads, .device = (int)s->device};
    TORRE_TRY(torre_wave_backend_find(s->backend, &plan, &job->backend));
    TORRE_TRY(torre_program_idle("roofline", job->table, "threads", "cpu", s->backend,
                                 job->backend->name, s->quiet));
    TORRE_TRY(torre_axes_read(&s->lists, job->backend->name, &job->axes));
    if (s->ceilings && (s->tune || s->resume || s->measured || s->plot))
        return torre_fail(TORRE_ERR_USAGE, "--ceilings measures no tile sizes, so it does not go "
                                           "with --tune, --resume, --measured or --plot");
    job->setting.backend = job->backend;
    job->setting.machine = &job->machine;
    job->setting.precision = s->precision ? TORRE_F64 : TORRE_F32;
    job->setting.check_steps = torre_sweep_check_steps(&job->axes);
    memcpy(job->setting.size, s->size, sizeof s->size);
    if (!s->size[0])
        torre_sweep_usual_size(job->backend->name, job->setting.precision, job->setting.size);
    else if (!s->size[1])
        job->setting.size[1] = job->setting.size[2] = s->size[0];
    job->order = (torre_sweep_order){
        .setting = &job->setting,
        .axes = &job->axes,
        .directory = job->directory,
        .resume = s->resume,
        .threads = (int)s->threads,
        .device = (int)s->device,
        .seconds = s->seconds > 0 ? s->seconds
                                  : torre_sweep_usual_seconds(job->backend->name, s->lists.quick),
        .stop = torre_program_stop,
        .progress = on_point,
        .context = (void *)s};
    snprintf(job->directory, sizeof job->directory, "%s",
             s->output ? s->output : output_name(job->backend->name));
    job->results.setting = s->ceilings ? NULL : &job->setting;
    TORRE_TRY(check_inputs(job));
    if (s->tune) TORRE_TRY(check_tune(job));
    return s->ceilings ? TORRE_OK : torre_sweep_check_memory(&job->setting);
}

/* --dry-run */
static torre_status tell_plan(const roofline_job *job)
{
    const int64_t *n = job->setting.size;
    torre_sweep_point *points;
    char longest[32];
    int count;
    TORRE_TRY(torre_sweep_list(&job->axes, 0, 0, &points, &count));
    free(points);
    if (job->settings->quiet) return TORRE_OK;
    FILE *out = people(job->settings);
    torre_format_seconds(job->order.seconds, longest, sizeof longest);
    fprintf(out, "backend %s: the ceilings", job->backend->name);
    if (!job->settings->ceilings)
        fprintf(out, ", then %d points on %lldx%lldx%lld cells in %s at most", count,
                (long long)n[0], (long long)n[1], (long long)n[2], longest);
    fprintf(out, "; results in %s\n", job->directory);
    return TORRE_OK;
}

/* Store recommendations, and say for which orders there are none. */
static torre_status recommend(roofline_job *job)
{
    torre_sweep_compared compared[TORRE_LIST_LIMIT] = {{0}};
    const bool quiet = job->settings->quiet, broken = torre_tune_check() != TORRE_OK;
    char why[1024];
    int stored;
    snprintf(why, sizeof why, "%s", torre_error_text()); /* the file is mended by storing */
    TORRE_TRY(torre_sweep_recommend(&job->order, &job->results.found, compared, &stored));
    for (int o = 0; o < job->axes.orders && !quiet; o++)
        if (!compared[o].enough)
            fprintf(stderr,
                    "roofline: nothing recommended for order %d: %d of %d tile sizes tried, %d "
                    "towers timed; give more --seconds\n",
                    compared[o].order, compared[o].tried, job->axes.dts_count, compared[o].timed);
    if (broken && stored && !quiet) fprintf(stderr, "roofline: warning: %s\n", why);
    job->results.tuned = stored > 0;
    return TORRE_OK;
}

/* --plot: the picture directory/name.png once more under a name of one's own; where it was not
 * drawn, no file is left. */
static torre_status copy_picture(roofline_job *job, const char *name, bool drawn)
{
    char path[sizeof job->directory + 64];
    torre_output *out = job->picture;
    job->picture = NULL;
    if (!out) return TORRE_OK;
    snprintf(path, sizeof path, "%s/%s.png", job->directory, name);
    if (drawn) return torre_output_finish(&out, torre_output_append_file(out, path));
    fprintf(stderr, "roofline: %s was not drawn: run gnuplot on %s/%s.gp where it is installed\n",
            torre_output_path(out), job->directory, name);
    torre_output_discard(out);
    return TORRE_OK;
}

/* Keep the report of what there is. */
static void report(roofline_job *job)
{
    const roofline_results *r = &job->results;
    torre_report *report = torre_report_new("roofline");
    torre_report_machine(report, &job->machine);
    if (r->setting) torre_report_sweep(report, r->setting, &r->found, r->tuned);
    torre_report_real(report, "wall_s", torre_time_now() - job->start);
    torre_report_options(report, job->table);
    torre_program_keep_report(report, &job->report);
}

/* Pictures, tables, recommendations and the report of what there is. */
static torre_status tell(roofline_job *job)
{
    const roofline_settings *s = job->settings;
    roofline_results *r = &job->results;
    char path[sizeof job->directory + 16];
    if (s->measured && r->setting) {
        TORRE_TRY(torre_measured_bytes_read(s->measured, r->found.points, r->found.count));
        snprintf(path, sizeof path, "%s/sweep.csv", job->directory);
        TORRE_TRY(torre_sweep_csv_write(path, r->setting, r->found.points, r->found.count));
    }
    if (!s->no_plot && r->setting)
        TORRE_TRY(torre_roofline_draw(job->directory, &job->machine, r->setting->precision,
                                      r->found.points, r->found.count, &r->drawn));
    TORRE_TRY(copy_picture(job, "roofline", r->drawn));
    if (s->tune) TORRE_TRY(recommend(job));
    if (!s->quiet && r->setting) torre_sweep_table(people(s), r->setting, &r->found);
    if (!s->quiet)
        fprintf(people(s), "\nresults in %s%s\n", job->directory,
                r->drawn ? ": roofline.png, rates.png, sweep.csv, ceilings.csv" : "");
    if (!s->quiet && torre_sweep_count(&r->found).timed && !s->no_plot && !s->plot && !r->drawn)
        fprintf(stderr,
                "roofline: no pictures, for gnuplot is not installed: run gnuplot on the "
                "scripts in %s where it is\n",
                job->directory);
    if (!s->quiet && r->tuned && torre_tune_path(path, sizeof path))
        fprintf(people(s), "recommendations for wave in %s\n", path);
    report(job);
    return TORRE_OK;
}

/* All that is written at the end is opened at the beginning. */
static torre_status open_outputs(roofline_job *job)
{
    const roofline_settings *s = job->settings;
    TORRE_TRY(torre_output_directory(job->directory));
    TORRE_TRY(torre_program_open_report(s->json, &job->report));
    if (s->plot) TORRE_TRY(torre_output_open(s->plot, &job->picture));
    torre_program_catch_signals();
    return TORRE_OK;
}

/* --program md */
static torre_status run_md(roofline_job *job)
{
    const roofline_settings *s = job->settings;
    torre_md_sweep_setting setting;
    FILE *out = s->quiet ? NULL : people(s);
    TORRE_TRY(roofline_md_prepare(s, job->table, &setting));
    setting.machine = &job->machine;
    snprintf(job->directory, sizeof job->directory, "%s",
             s->output ? s->output : output_name(setting.backend->name));
    if (s->dry_run) {
        if (out)
            fprintf(out,
                    "backend %s: the ceilings, then the melt of %lld particles; results in %s\n",
                    setting.backend->name,
                    4 * (long long)(setting.cells * setting.cells * setting.cells), job->directory);
        return TORRE_OK;
    }
    TORRE_TRY(open_outputs(job));
    TORRE_TRY(measure_ceilings(job, setting.backend->name));
    torre_report *report = torre_report_new("roofline");
    torre_report_machine(report, &job->machine);
    bool drawn = false;
    torre_status status = roofline_md_run(s, &setting, job->directory, out, report, &drawn);
    if (!status || status == TORRE_STOPPED) {
        torre_status copied = copy_picture(job, "md-rates", drawn);
        if (copied) status = copied;
    }
    torre_report_real(report, "wall_s", torre_time_now() - job->start);
    torre_report_options(report, job->table);
    if (!status || status == TORRE_STOPPED)
        torre_program_keep_report(report, &job->report);
    else
        torre_report_free(report);
    return status;
}

static torre_status verdict(const roofline_job *job)
{
    const roofline_results *r = &job->results;
    const torre_sweep_tally tally = torre_sweep_count(&r->found);
    if (torre_program_stop(NULL))
        return torre_fail(TORRE_STOPPED,
                          "stopped by a signal after %d of %d points; --resume goes on",
                          r->found.count, r->found.planned);
    if (tally.wrong)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "%d points differ from the reference by more than rounding: see %s/"
                          "sweep.csv",
                          tally.wrong, job->directory);
    if (!tally.timed && r->found.count)
        return torre_fail(TORRE_ERR_USAGE, "the %s backend offers none of the points: %.150s",
                          job->backend->name, r->found.points[0].remark);
    return TORRE_OK;
}

static torre_status run(roofline_job *job)
{
    const roofline_settings *s = job->settings;
    job->start = torre_time_now();
    TORRE_TRY(roofline_check_plot(s));
    if (s->program == 1 && !s->ceilings) return run_md(job);
    TORRE_TRY(prepare(job));
    if (s->dry_run) return tell_plan(job);
    TORRE_TRY(open_outputs(job));
    TORRE_TRY(measure_ceilings(job, job->backend->name));
    torre_status status =
        s->ceilings ? TORRE_OK : torre_sweep_run(&job->order, &job->results.found);
    show(s, "");
    TORRE_TRY(status);
    TORRE_TRY(tell(job));
    return verdict(job);
}

int main(int argc, char **argv)
{
    roofline_settings s;
    torre_option table[ROOFLINE_OPTIONS];
    roofline_job job = {.settings = &s, .table = table};
    bool done;
    roofline_settings_init(&s, table);
    torre_program_start();
    torre_status status = torre_program_options(&roofline_program, table, argc, argv, &done);
    if (!status && !done)
        status = s.doctor ? doctor_run("roofline", s.backend,
                                       (torre_examination){.threads = (int)s.threads,
                                                           .device = (int)s.device,
                                                           .rates = true},
                                       s.json, s.quiet, table)
                          : run(&job);
    torre_phase_enter(TORRE_PHASE_EXIT);
    torre_output_discard(job.report);
    torre_output_discard(job.picture);
    free(job.results.found.points);
    return torre_program_end("roofline", status);
}
