#include "cli/roofline_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program_stop.h"
#include "core/numbers.h"
#include "core/timer.h"
#include "roofline/sweep_csv.h"

/* One line on a terminal, rewritten; nothing elsewhere. */
static void show(bool wanted, const char *text)
{
    if (wanted && isatty(fileno(stderr))) fprintf(stderr, "\r\033[K%s", text);
}

typedef struct ceiling_progress {
    bool wanted;
} ceiling_progress;

static bool on_ceiling(const torre_machine *machine, torre_ceiling_id id, void *context)
{
    char text[160];
    snprintf(text, sizeof text, "ceilings: %s %.1f", torre_ceiling_title(id),
             machine->ceiling[id].median);
    show(((ceiling_progress *)context)->wanted, text);
    return !torre_program_stop(NULL);
}

torre_status roofline_ceilings(const roofline_settings *s, const char *backend,
                               torre_machine *machine)
{
    const torre_meter_kind *kind = torre_meter_find(backend);
    ceiling_progress progress = {!s->quiet};
    if (!kind)
        return torre_fail(TORRE_ERR_RESOURCE, "the ceilings of --backend %s cannot be measured",
                          backend);
    torre_status status = torre_ceilings_measure(kind, (int)s->threads, (int)s->device,
                                                 s->quick ? 5 : 15, on_ceiling, &progress, machine);
    show(!s->quiet, "");
    return status;
}

/* A sweep being measured. */
typedef struct sweep_job {
    const roofline_settings *settings;
    roofline_results *results;
    torre_sweep *sweep;
    FILE *csv;
    char csv_path[4096];
    torre_sweep_point *earlier; /* of the interrupted sweep that is resumed */
    int earlier_count;
    double start, seconds; /* of the whole sweep */
} sweep_job;

static void show_point(const sweep_job *job, const torre_sweep_point *p)
{
    const roofline_results *r = job->results;
    char text[240], left[32];
    double spent = torre_time_now() - job->start;
    double rest = spent / fmax(r->count, 1) * (r->planned - r->count);
    torre_format_seconds(fmin(rest, fmax(job->seconds - spent, 0)), left, sizeof left);
    snprintf(text, sizeof text,
             "point %d of %d: order %d, %s, DTS %d, height %lld, %s: %.2f Gcells/s, %.0f %% of %s, "
             "%s left",
             r->count, r->planned, p->order, torre_engine_name(p->plan.engine), p->plan.dts,
             (long long)p->plan.tower_height, torre_ordering_write(&p->plan.ordering).text,
             p->gcells_per_s, 100 * p->fraction, torre_ceiling_title(p->bound.ceiling), left);
    show(!job->settings->quiet, text);
}

static const torre_sweep_point *find_earlier(const sweep_job *job, const torre_sweep_point *wish)
{
    for (int i = 0; i < job->earlier_count; i++)
        if (torre_sweep_same_point(wish, &job->earlier[i])) return &job->earlier[i];
    return NULL;
}

/* Half of what is left for the points that are left; the other half goes into checks and set-up. */
static double seconds_for_next(const sweep_job *job, int points_left)
{
    double left = job->seconds - (torre_time_now() - job->start);
    return fmin(fmax(left / points_left / 2, 0.05), 2);
}

static torre_status measure_points(sweep_job *job, const torre_sweep_point *wishes)
{
    roofline_results *r = job->results;
    for (int i = 0; i < r->planned; i++) {
        torre_sweep_point *p = &r->points[r->count];
        const torre_sweep_point *done = find_earlier(job, &wishes[i]);
        bool late = torre_time_now() - job->start > job->seconds;
        if (!done && (late || torre_program_stop(NULL))) continue;
        *p = done ? *done : wishes[i];
        if (!done) {
            torre_sweep_set_seconds(job->sweep, seconds_for_next(job, r->planned - i));
            TORRE_TRY(torre_sweep_measure(job->sweep, p));
            TORRE_TRY(torre_sweep_csv_append(job->csv, job->csv_path, p, r->setting->precision));
        }
        r->count++;
        show_point(job, p);
    }
    return TORRE_OK;
}

static torre_status open_csv(sweep_job *job)
{
    const roofline_results *r = job->results;
    snprintf(job->csv_path, sizeof job->csv_path, "%s/sweep.csv", r->directory);
    if (job->settings->resume)
        TORRE_TRY(
            torre_sweep_csv_read(job->csv_path, r->setting, &job->earlier, &job->earlier_count));
    job->csv = fopen(job->csv_path, "w");
    if (!job->csv) return torre_fail_errno("cannot write %s", job->csv_path);
    torre_sweep_csv_head(job->csv, r->setting);
    for (int i = 0; i < job->earlier_count; i++)
        TORRE_TRY(torre_sweep_csv_append(job->csv, job->csv_path, &job->earlier[i],
                                         r->setting->precision));
    return TORRE_OK;
}

torre_status roofline_sweep(const roofline_settings *s, const torre_sweep_axes *axes,
                            roofline_results *r)
{
    sweep_job job = {.settings = s, .results = r};
    torre_sweep_point *wishes;
    TORRE_TRY(torre_sweep_list(axes, (int)s->threads, (int)s->device, &wishes, &r->planned));
    r->points = calloc((size_t)r->planned, sizeof *r->points);
    torre_status status = r->points ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    if (!status) status = open_csv(&job);
    if (!status) status = torre_sweep_new(r->setting, &job.sweep);
    if (!status) {
        job.start = torre_time_now();
        job.seconds = roofline_seconds(s, r->machine->backend);
        status = measure_points(&job, wishes);
        show(!s->quiet, "");
    }
    torre_sweep_free(job.sweep);
    if (job.csv && fclose(job.csv) != 0 && !status)
        status = torre_fail_errno("cannot write %s", job.csv_path);
    free(job.earlier);
    free(wishes);
    return status;
}
