#include "cli/roofline_md.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program.h"
#include "cli/program_stop.h"
#include "particles/md_start.h"
#include "roofline/md_sweep_run.h"
#include "roofline/roofline_report.h"
#include "roofline/sweep_table.h"

torre_status roofline_md_prepare(const roofline_settings *s, const torre_option *table,
                                 torre_md_sweep_setting *setting)
{
    static const char *const wave_only[] = {"order", "dts",    "tower-height", "engine",
                                            "size",  "resume", "measured",     "tune"};
    torre_md_plan plan = {.threads = (int)s->threads, .device = (int)s->device};
    for (size_t i = 0; i < sizeof wave_only / sizeof wave_only[0]; i++)
        if (torre_options_given(table, wave_only[i]))
            return torre_fail(TORRE_ERR_USAGE, "--%s does not go with --program md", wave_only[i]);
    memset(setting, 0, sizeof *setting);
    TORRE_TRY(torre_md_backend_find(s->backend, &plan, &setting->backend));
    TORRE_TRY(torre_program_idle("roofline", table, "threads", "cpu", s->backend,
                                 setting->backend->name, s->quiet));
    setting->precision = s->precision ? TORRE_MD_F64 : TORRE_MD_F32;
    setting->threads = plan.threads;
    setting->device = plan.device;
    torre_md_sweep_usual(setting, s->lists.quick);
    return TORRE_OK;
}

/* What the callbacks need. */
typedef struct md_watcher {
    FILE *out; /* the table; NULL: nobody reads */
    torre_report *list;
    bool terminal;
} md_watcher;

static void on_point(void *context, int done, int count)
{
    if (((md_watcher *)context)->terminal)
        fprintf(stderr, "\r\033[Kpoint %d of %d", done + 1, count);
}

static void on_measured(void *context, const torre_md_point *p)
{
    const md_watcher *w = context;
    if (w->terminal) fputs("\r\033[K", stderr);
    if (w->out) torre_md_sweep_table_row(w->out, p);
    torre_report_md_point(w->list, p);
}

static torre_status measure(const roofline_settings *settings, const torre_md_sweep_setting *s,
                            torre_md_point *points, int count, const char *directory, md_watcher *w,
                            bool *drawn)
{
    const torre_md_sweep_watch watch = {on_point, on_measured, torre_program_stop, w};
    int done, wrong;
    TORRE_TRY(torre_md_sweep_run(s, points, count, directory, &watch, &done, &wrong));
    if (!settings->no_plot) TORRE_TRY(torre_md_sweep_draw(directory, s, points, done, drawn));
    if (torre_program_stop(NULL))
        return torre_fail(TORRE_STOPPED, "stopped by a signal after %d of %d points", done, count);
    if (wrong)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "%d points differ from the reference by more than rounding: see %s/"
                          "md-sweep.csv",
                          wrong, directory);
    return TORRE_OK;
}

torre_status roofline_md_run(const roofline_settings *settings, const torre_md_sweep_setting *s,
                             const char *directory, FILE *out, torre_report *report, bool *drawn)
{
    torre_sweep_axes axes;
    torre_md_point *points;
    int count;
    const char *names =
        settings->lists.ordering ? settings->lists.ordering : "row-major,morton,hilbert";
    memset(&axes, 0, sizeof axes);
    TORRE_TRY(torre_axes_read_orderings(&axes, "ordering", names));
    TORRE_TRY(torre_md_sweep_list(s, axes.ordering, axes.orderings, &points, &count));
    if (out) torre_md_sweep_table_head(out, s);
    md_watcher w = {.out = out,
                    .list = torre_report_array(report, "points"),
                    .terminal = !settings->quiet && isatty(fileno(stderr))};
    torre_status status = measure(settings, s, points, count, directory, &w, drawn);
    if (out) torre_md_sweep_table_foot(out);
    free(points);
    return status;
}
