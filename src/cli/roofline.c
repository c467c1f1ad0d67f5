/* The program `roofline`: every tile size against the machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor_text.h"
#include "cli/program.h"
#include "cli/program_stop.h"
#include "cli/roofline_md.h"
#include "cli/roofline_picture.h"
#include "cli/roofline_run.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "core/numbers.h"
#include "core/timer.h"
#include "roofline/measured_bytes.h"
#include "roofline/roofline_plot.h"
#include "roofline/sweep_csv.h"
#include "roofline/tune_file.h"

/* Everything of one invocation. */
typedef struct roofline_job {
    const roofline_settings *settings;
    const torre_option *table;
    const torre_wave_backend *backend;
    torre_sweep_axes axes;
    torre_machine machine;
    torre_sweep_setting setting;
    roofline_results results;
    torre_output *report, *picture; /* NULL: not wanted */
    char directory[4096];
    double start;
} roofline_job;

/* Where people read: standard output, unless that carries the report. */
static FILE *people(const roofline_settings *s)
{
    return s->json && strcmp(s->json, "-") == 0 ? stderr : stdout;
}

static const char *output_name(const char *backend)
{
    return strcmp(backend, "cpu") == 0 ? "roofline-cpu" : "roofline-cuda";
}

/*
 * 512 cells cubed on a GPU; on a CPU two fields of at least four times the last-level cache. A
 * virtual machine of two cores sees the whole cache of a large server, but shares it: 16 MiB a core
 * is about the most that servers have.
 */
static void choose_size(roofline_job *job)
{
    const roofline_settings *s = job->settings;
    int64_t *n = job->setting.size, cache = torre_cpu_get()->cache[3];
    int64_t share = (int64_t)torre_cpu_get()->threads * (16 << 20);
    bool cpu = strcmp(job->backend->name, "cpu") == 0;
    if (cache > share) cache = share;
    memcpy(n, s->size, sizeof s->size);
    if (n[0] && !n[1]) n[1] = n[2] = n[0];
    if (n[0]) return;
    n[0] = n[1] = n[2] = cpu ? 256 : 512;
    while (cpu && 2 * n[0] * n[1] * n[2] * (int64_t)job->setting.precision < 4 * cache) n[0] += 64;
}

/* Refuse what does not fit before anything is measured. */
static torre_status check_memory(const roofline_job *job)
{
    const int64_t *n = job->setting.size;
    /* one field to start from, and on a CPU the two of the solver */
    int fields = strcmp(job->backend->name, "cpu") == 0 ? 3 : 1;
    double bytes = (double)n[0] * (double)n[1] * (double)n[2] * job->setting.precision * fields;
    return torre_memory_check("the sweep", bytes < 9e18 ? (int64_t)bytes : -1);
}

/* A recommendation is a choice: --tune needs something to choose from. */
static torre_status check_tune(const roofline_job *job)
{
    const torre_sweep_axes *a = &job->axes;
    if (job->settings->quick)
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
    TORRE_TRY(roofline_axes(s, job->backend->name, &job->axes));
    if (s->ceilings && (s->tune || s->resume || s->measured || s->plot))
        return torre_fail(TORRE_ERR_USAGE, "--ceilings measures no tile sizes, so it does not go "
                                           "with --tune, --resume, --measured or --plot");
    int64_t highest = 0;
    for (int i = 0; i < job->axes.heights; i++)
        if (job->axes.height[i] > highest) highest = job->axes.height[i];
    job->setting.backend = job->backend;
    job->setting.machine = &job->machine;
    job->setting.precision = s->precision ? TORRE_F64 : TORRE_F32;
    /* whole towers, and some more that are cut off; very high ones are compared in part */
    job->setting.check_steps = highest < 64 ? highest + 3 : 67;
    choose_size(job);
    snprintf(job->directory, sizeof job->directory, "%s",
             s->output ? s->output : output_name(job->backend->name));
    job->results = (roofline_results){.setting = s->ceilings ? NULL : &job->setting,
                                      .machine = &job->machine,
                                      .directory = job->directory};
    TORRE_TRY(check_inputs(job));
    if (s->tune) TORRE_TRY(check_tune(job));
    return s->ceilings ? TORRE_OK : check_memory(job);
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
    torre_format_seconds(roofline_seconds(job->settings, job->backend->name), longest,
                         sizeof longest);
    fprintf(out, "backend %s: the ceilings", job->backend->name);
    if (!job->settings->ceilings)
        fprintf(out, ", then %d points on %lldx%lldx%lld cells in %s at most", count,
                (long long)n[0], (long long)n[1], (long long)n[2], longest);
    fprintf(out, "; results in %s\n", job->directory);
    return TORRE_OK;
}

/*
 * The points in the ordering that was listed first, in the caller's memory; returns their number.
 */
static int preferred_points(const roofline_job *job, torre_sweep_point *points)
{
    const roofline_results *r = &job->results;
    int n = 0;
    for (int i = 0; i < r->count; i++)
        if (torre_ordering_same(&r->points[i].plan.ordering, &job->axes.ordering[0]))
            points[n++] = r->points[i];
    return n;
}

/*
 * Whether the towers of an order were compared: every tile size was tried at the preferred height,
 * and two towers at least were timed.
 */
static bool compared(const roofline_job *job, const torre_sweep_point *points, int count, int order)
{
    int tried = 0, timed = 0;
    for (int i = 0; i < count; i++) {
        const torre_sweep_point *p = &points[i];
        if (p->order != order || p->plan.engine != TORRE_TORRE) continue;
        tried += p->plan.tower_height == job->axes.height[0];
        timed += p->state == TORRE_POINT_TIMED;
    }
    if (tried >= job->axes.dts_count && timed >= 2) return true;
    if (!job->settings->quiet)
        fprintf(stderr,
                "roofline: nothing recommended for order %d: %d of %d tile sizes tried, %d towers "
                "timed; give more --seconds\n",
                order, tried, job->axes.dts_count, timed);
    return false;
}

/* The best towers of each order that was compared, and of each of its DTS, for wave. */
static torre_status recommend(roofline_job *job)
{
    torre_tune_entry entry[TORRE_LIST_LIMIT * TORRE_LIST_LIMIT];
    roofline_results *r = &job->results;
    torre_sweep_point *points = calloc((size_t)r->count + 1, sizeof *points);
    if (!points) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    int preferred = preferred_points(job, points);
    char device[sizeof((torre_wave_info *)0)->device];
    int count = 0, dts[TORRE_LIST_LIMIT];
    for (int o = 0; o < job->axes.orders; o++) {
        int order = job->axes.order[o];
        if (!compared(job, points, preferred, order)) continue;
        int n = torre_sweep_dts_values(points, preferred, order, dts, TORRE_LIST_LIMIT);
        for (int i = 0; i < n; i++) {
            const torre_sweep_point *p =
                torre_sweep_best(points, preferred, order, TORRE_TORRE, dts[i]);
            entry[count++] = (torre_tune_entry){order, r->setting->precision, p->plan.dts,
                                                p->plan.tower_height, p->gcells_per_s};
        }
    }
    free(points);
    if (!count) return TORRE_OK;
    torre_wave_plan plan = {.engine = TORRE_TORRE,
                            .threads = (int)job->settings->threads,
                            .device = (int)job->settings->device};
    TORRE_TRY(torre_sweep_device(r->setting, &plan, device, sizeof device));
    if (torre_tune_check() && !job->settings->quiet)
        fprintf(stderr, "roofline: warning: %s\n", torre_error_text());
    TORRE_TRY(torre_tune_store(device, entry, count));
    r->tuned = true;
    return TORRE_OK;
}

static int timed_points(const roofline_results *r)
{
    int n = 0;
    for (int i = 0; i < r->count; i++) n += r->points[i].state == TORRE_POINT_TIMED;
    return n;
}

/* Pictures, tables, recommendations and the report of what there is. */
static torre_status tell(roofline_job *job)
{
    const roofline_settings *s = job->settings;
    roofline_results *r = &job->results;
    char path[4096];
    if (s->measured && r->setting) {
        TORRE_TRY(torre_measured_bytes_read(s->measured, r->points, r->count));
        snprintf(path, sizeof path, "%s/sweep.csv", r->directory);
        TORRE_TRY(torre_sweep_csv_write(path, r->setting, r->points, r->count));
    }
    if (!s->no_plot && r->setting)
        TORRE_TRY(torre_roofline_draw(r->directory, &job->machine, r->setting->precision, r->points,
                                      r->count, &r->drawn));
    TORRE_TRY(roofline_picture_copy(r->directory, "roofline", r->drawn, &job->picture));
    if (s->tune) TORRE_TRY(recommend(job));
    if (!s->quiet && r->setting) roofline_text_points(people(s), r);
    if (!s->quiet)
        fprintf(people(s), "\nresults in %s%s\n", r->directory,
                r->drawn ? ": roofline.png, rates.png, sweep.csv, ceilings.csv" : "");
    if (!s->quiet && timed_points(r) && !s->no_plot && !s->plot && !r->drawn)
        fprintf(stderr,
                "roofline: no pictures, for gnuplot is not installed: run gnuplot on the "
                "scripts in %s where it is\n",
                r->directory);
    if (!s->quiet && r->tuned && torre_tune_path(path, sizeof path))
        fprintf(people(s), "recommendations for wave in %s\n", path);
    r->wall_s = torre_time_now() - job->start;
    torre_output *report = job->report;
    job->report = NULL;
    return report ? roofline_text_report(report, job->table, r) : TORRE_OK;
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
    TORRE_TRY(torre_output_directory(job->directory));
    if (s->json) TORRE_TRY(torre_output_open(s->json, &job->report));
    TORRE_TRY(roofline_picture_open(s, &job->picture));
    torre_program_catch_signals();
    TORRE_TRY(roofline_ceilings(s, setting.backend->name, &job->machine));
    if (out) roofline_text_ceilings(out, &job->machine);
    TORRE_TRY(roofline_text_ceilings_csv(job->directory, &job->machine));
    torre_report *report = torre_report_new("roofline");
    roofline_text_report_machine(report, &job->machine);
    bool drawn = false;
    torre_status status = roofline_md_run(s, &setting, job->directory, out, report, &drawn);
    if (!status || status == TORRE_STOPPED) {
        torre_status copied =
            roofline_picture_copy(job->directory, "md-rates", drawn, &job->picture);
        if (copied) status = copied;
    }
    torre_report_real(report, "wall_s", torre_time_now() - job->start);
    torre_report_options(report, job->table);
    if (job->report && (!status || status == TORRE_STOPPED)) {
        torre_status written = torre_report_write(report, torre_output_stream(job->report));
        written = torre_output_finish(&job->report, written);
        if (written) status = written;
    }
    torre_report_free(report);
    return status;
}

static torre_status verdict(const roofline_job *job)
{
    const roofline_results *r = &job->results;
    int wrong = 0;
    for (int i = 0; i < r->count; i++) wrong += r->points[i].state == TORRE_POINT_WRONG;
    if (torre_program_stop(NULL))
        return torre_fail(TORRE_STOPPED,
                          "stopped by a signal after %d of %d points; --resume goes on", r->count,
                          r->planned);
    if (wrong)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "%d points differ from the reference by more than rounding: see %s/"
                          "sweep.csv",
                          wrong, r->directory);
    if (!timed_points(r) && r->count)
        return torre_fail(TORRE_ERR_USAGE, "the %s backend offers none of the points: %.150s",
                          job->backend->name, r->points[0].remark);
    return TORRE_OK;
}

static torre_status run(roofline_job *job)
{
    const roofline_settings *s = job->settings;
    job->start = torre_time_now();
    TORRE_TRY(roofline_picture_check(s));
    if (s->program == 1 && !s->ceilings) return run_md(job);
    TORRE_TRY(prepare(job));
    if (s->dry_run) return tell_plan(job);
    TORRE_TRY(torre_output_directory(job->directory));
    if (s->json) TORRE_TRY(torre_output_open(s->json, &job->report));
    TORRE_TRY(roofline_picture_open(s, &job->picture));
    torre_program_catch_signals();
    TORRE_TRY(roofline_ceilings(s, job->backend->name, &job->machine));
    if (!s->quiet) roofline_text_ceilings(people(s), &job->machine);
    fflush(people(s));
    TORRE_TRY(roofline_text_ceilings_csv(job->directory, &job->machine));
    if (!s->ceilings) TORRE_TRY(roofline_sweep(s, &job->axes, &job->results));
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
        status = s.doctor ? doctor_run("roofline", s.backend, (int)s.threads, (int)s.device, s.json,
                                       s.quiet, table)
                          : run(&job);
    torre_output_discard(job.report);
    torre_output_discard(job.picture);
    free(job.results.points);
    return torre_program_end("roofline", status);
}
