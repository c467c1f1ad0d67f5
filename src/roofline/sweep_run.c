#include "roofline/sweep_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "core/memory.h"
#include "core/phase.h"
#include "core/timer.h"
#include "roofline/sweep_csv.h"
#include "roofline/sweep_summary.h"
#include "wave/tune_file.h"

/*
 * 512 cells cubed on a GPU; on a CPU two fields of at least four times the last-level cache. A
 * virtual machine of two cores sees the whole cache of a large server, but shares it: 16 MiB a core
 * is about the most that servers have.
 */
void torre_sweep_usual_size(const char *backend, torre_precision precision, int64_t n[3])
{
    const bool cpu = strcmp(backend, "cpu") == 0;
    int64_t cache = torre_cpu_get()->cache[3];
    const int64_t share = (int64_t)torre_cpu_get()->threads * (16 << 20);
    if (cache > share) cache = share;
    n[0] = n[1] = n[2] = cpu ? 256 : 512;
    while (cpu && 2 * n[0] * n[1] * n[2] * (int64_t)precision < 4 * cache) n[0] += 64;
}

torre_status torre_sweep_check_memory(const torre_sweep_setting *s)
{
    const int64_t *n = s->size;
    /* one field to start from, and on a CPU the two of the solver */
    const int fields = strcmp(s->backend->name, "cpu") == 0 ? 3 : 1;
    double bytes = (double)n[0] * (double)n[1] * (double)n[2] * s->precision * fields;
    return torre_memory_check("the sweep", bytes < 9e18 ? (int64_t)bytes : -1);
}

int64_t torre_sweep_check_steps(const torre_sweep_axes *axes)
{
    int64_t highest = 0;
    for (int i = 0; i < axes->heights; i++)
        if (axes->height[i] > highest) highest = axes->height[i];
    return highest < 64 ? highest + 3 : 67;
}

/* A sweep being measured. */
typedef struct sweep_job {
    const torre_sweep_order *order;
    torre_sweep_results *results;
    torre_sweep *sweep;
    FILE *csv;
    char csv_path[4096];
    torre_sweep_point *earlier; /* of the interrupted sweep that is resumed */
    int earlier_count;
    double start;
} sweep_job;

static const torre_sweep_point *find_earlier(const sweep_job *job, const torre_sweep_point *wish)
{
    for (int i = 0; i < job->earlier_count; i++)
        if (torre_sweep_same_point(wish, &job->earlier[i])) return &job->earlier[i];
    return NULL;
}

static double time_left(const sweep_job *job)
{
    return job->order->seconds - (torre_time_now() - job->start);
}

static void tell_progress(const sweep_job *job)
{
    const torre_sweep_results *r = job->results;
    const double spent = torre_time_now() - job->start;
    const double rest = spent / fmax(r->count, 1) * (r->planned - r->count);
    if (job->order->progress)
        job->order->progress(job->order->context, r, fmin(rest, fmax(time_left(job), 0)));
}

static torre_status measure_points(sweep_job *job, const torre_sweep_point *wishes)
{
    const torre_sweep_order *order = job->order;
    torre_sweep_results *r = job->results;
    for (int i = 0; i < r->planned; i++) {
        torre_sweep_point *p = &r->points[r->count];
        const torre_sweep_point *done = find_earlier(job, &wishes[i]);
        if (!done && (time_left(job) < 0 || order->stop(order->context))) continue;
        *p = done ? *done : wishes[i];
        if (!done) {
            /* half of what is left for the points that are left; checks and set-up take the rest */
            const double share = time_left(job) / (r->planned - i) / 2;
            torre_sweep_set_seconds(job->sweep, fmin(fmax(share, 0.05), 2));
            TORRE_TRY(torre_sweep_measure(job->sweep, p));
            TORRE_TRY(
                torre_sweep_csv_append(job->csv, job->csv_path, p, order->setting->precision));
        }
        r->count++;
        tell_progress(job);
    }
    return TORRE_OK;
}

static torre_status open_csv(sweep_job *job)
{
    const torre_sweep_setting *setting = job->order->setting;
    snprintf(job->csv_path, sizeof job->csv_path, "%s/sweep.csv", job->order->directory);
    if (job->order->resume)
        TORRE_TRY(torre_sweep_csv_read(job->csv_path, setting, &job->earlier, &job->earlier_count));
    job->csv = fopen(job->csv_path, "w");
    if (!job->csv) return torre_fail_errno("cannot write %s", job->csv_path);
    torre_sweep_csv_head(job->csv, setting);
    for (int i = 0; i < job->earlier_count; i++)
        TORRE_TRY(
            torre_sweep_csv_append(job->csv, job->csv_path, &job->earlier[i], setting->precision));
    return TORRE_OK;
}

torre_status torre_sweep_run(const torre_sweep_order *order, torre_sweep_results *r)
{
    TORRE_PHASE(TORRE_PHASE_LOOP);
    sweep_job job = {.order = order, .results = r};
    torre_sweep_point *wishes;
    TORRE_TRY(torre_sweep_list(order->axes, order->threads, order->device, &wishes, &r->planned));
    r->points = calloc((size_t)r->planned, sizeof *r->points);
    torre_status status = r->points ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    if (!status) status = open_csv(&job);
    if (!status) status = torre_sweep_new(order->setting, &job.sweep);
    job.start = torre_time_now();
    if (!status) status = measure_points(&job, wishes);
    torre_sweep_free(job.sweep);
    if (job.csv && fclose(job.csv) != 0 && !status)
        status = torre_fail_errno("cannot write %s", job.csv_path);
    free(job.earlier);
    free(wishes);
    return status;
}

static torre_sweep_compared compare(const torre_sweep_axes *axes, const torre_sweep_point *points,
                                    int count, int order)
{
    torre_sweep_compared c = {.order = order};
    for (int i = 0; i < count; i++) {
        const torre_sweep_point *p = &points[i];
        if (p->order != order || p->plan.engine != TORRE_TORRE) continue;
        c.tried += p->plan.tower_height == axes->height[0];
        c.timed += p->state == TORRE_POINT_TIMED;
    }
    c.enough = c.tried >= axes->dts_count && c.timed >= 2;
    return c;
}

torre_status torre_sweep_recommend(const torre_sweep_order *order, const torre_sweep_results *r,
                                   torre_sweep_compared *compared, int *stored)
{
    const torre_sweep_axes *axes = order->axes;
    torre_tile tile[TORRE_LIST_LIMIT * TORRE_LIST_LIMIT];
    char device[sizeof((torre_wave_info *)0)->device];
    int preferred = 0, dts[TORRE_LIST_LIMIT];
    torre_sweep_point *points = calloc((size_t)r->count + 1, sizeof *points);
    *stored = 0;
    if (!points) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int i = 0; i < r->count; i++) /* in the ordering that was listed first */
        if (torre_ordering_same(&r->points[i].plan.ordering, &axes->ordering[0]))
            points[preferred++] = r->points[i];
    for (int o = 0; o < axes->orders; o++) {
        compared[o] = compare(axes, points, preferred, axes->order[o]);
        if (!compared[o].enough) continue;
        int n = torre_sweep_dts_values(points, preferred, axes->order[o], dts, TORRE_LIST_LIMIT);
        for (int i = 0; i < n; i++) {
            const torre_sweep_point *p =
                torre_sweep_best(points, preferred, axes->order[o], TORRE_TORRE, dts[i]);
            tile[(*stored)++] = (torre_tile){axes->order[o], order->setting->precision, p->plan.dts,
                                             p->plan.tower_height, p->gcells_per_s};
        }
    }
    free(points);
    if (!*stored) return TORRE_OK;
    torre_wave_plan plan = {
        .engine = TORRE_TORRE, .threads = order->threads, .device = order->device};
    TORRE_TRY(torre_sweep_device(order->setting, &plan, device, sizeof device));
    return torre_tune_store(device, tile, *stored);
}
