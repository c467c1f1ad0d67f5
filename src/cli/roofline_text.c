#include "cli/roofline_text.h"

#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "roofline/roofline_report.h"
#include "roofline/sweep_summary.h"
#include "torre/status.h"
#include "wave/stencil.h"

static void print_machine(FILE *out, const torre_machine *m)
{
    static const char *const level[] = {"", "near", "mid", "last-level"};
    fprintf(out, "%s", m->device);
    if (m->uuid[0]) fprintf(out, ", %s", m->uuid);
    if (m->clock_ghz > 0) fprintf(out, ", %.2f GHz as found", m->clock_ghz);
    for (int l = 1; l <= 3; l++) {
        char text[32];
        if (m->cache[l] <= 0) continue;
        torre_format_bytes((double)m->cache[l], text, sizeof text);
        fprintf(out, "%s%s %s", l == 1 ? "\ncaches: " : ", ", level[l], text);
    }
    if (m->detail[0]) fprintf(out, "\n%s", m->detail);
    fputc('\n', out);
}

void roofline_text_ceilings(FILE *out, const torre_machine *m)
{
    print_machine(out, m);
    fprintf(out, "\n%-32s %10s %10s %10s\n", "ceiling", "median", "lowest", "highest");
    for (int id = 0; id < TORRE_CEILING_COUNT; id++) {
        const torre_ceiling *c = &m->ceiling[id];
        if (!c->repetitions) continue;
        fprintf(out, "%-32s %10.1f %10.1f %10.1f %s\n", torre_ceiling_title((torre_ceiling_id)id),
                c->median, c->low, c->high, torre_ceiling_unit((torre_ceiling_id)id));
    }
}

static void print_point(FILE *out, const torre_sweep_point *p, bool best)
{
    char dts[16] = "-", height[24] = "-", counted[16] = "-";
    if (p->plan.engine == TORRE_TORRE) {
        snprintf(dts, sizeof dts, "%d", p->plan.dts);
        snprintf(height, sizeof height, "%lld", (long long)p->plan.tower_height);
    }
    if (p->measured_bytes > 0) snprintf(counted, sizeof counted, "%.2f", p->measured_bytes);
    fprintf(out, "%-5d %-8s %4s %6s %-9s %8.2f%c %6.2f-%-6.2f %7.2f %7s %6.2f %4.0f %% %s\n",
            p->order, torre_engine_name(p->plan.engine), dts, height,
            torre_ordering_write(&p->plan.ordering).text, p->gcells_per_s, best ? '*' : ' ', p->low,
            p->high, p->bound.bytes_per_update, counted, p->bound.operations_per_byte,
            100 * p->fraction, torre_ceiling_title(p->bound.ceiling));
}

static void print_order(FILE *out, const roofline_results *r, int order)
{
    int dts[64];
    int n = torre_sweep_dts_values(r->found.points, r->found.count, order, dts, 64);
    const torre_sweep_point *step =
        torre_sweep_best(r->found.points, r->found.count, order, TORRE_STEPWISE, 0);
    const torre_sweep_point *best =
        torre_sweep_best(r->found.points, r->found.count, order, TORRE_TORRE, 0);
    if (step) print_point(out, step, false);
    for (int i = 0; i < n; i++) {
        const torre_sweep_point *p =
            torre_sweep_best(r->found.points, r->found.count, order, TORRE_TORRE, dts[i]);
        print_point(out, p, p == best);
    }
}

static void print_orderings(FILE *out, const torre_sweep_results *r)
{
    torre_sweep_gain gain[TORRE_LIST_LIMIT];
    const int n = torre_sweep_gains(r, gain);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%s %.3f (%d)%s", i ? ", " : "towers, rate over row-major (tiles): ",
                torre_ordering_write(&gain[i].ordering).text, gain[i].gain, gain[i].tiles,
                i + 1 < n ? "" : "\n");
}

static void print_tally(FILE *out, const torre_sweep_tally *t, const torre_sweep_results *r)
{
    if (t->refused)
        fprintf(out, "not offered by this backend: %d points (sweep.csv says why)\n", t->refused);
    if (t->wrong) fprintf(out, "WRONG, not timed: %d points (sweep.csv has them)\n", t->wrong);
    if (r->count < r->planned)
        fprintf(out, "not measured: %d of %d points\n", r->planned - r->count, r->planned);
}

void roofline_text_points(FILE *out, const roofline_results *r)
{
    const torre_sweep_setting *s = r->setting;
    fprintf(out, "\n%lldx%lldx%lld cells, %s; per DTS the best tower height and ordering\n",
            (long long)s->size[0], (long long)s->size[1], (long long)s->size[2],
            s->precision == TORRE_F32 ? "f32" : "f64");
    fprintf(out, "%-5s %-8s %4s %6s %-9s %9s %13s %7s %7s %6s  of the governing ceiling\n", "order",
            "engine", "DTS", "height", "ordering", "Gcells/s ", "range", "B model", "counted",
            "op/B");
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) print_order(out, r, order);
    fputs(
        "(main-memory bytes per cell update: by the model, which op/B and the ceiling follow, and\n"
        "as counted by a profiler where --measured gives that; * best of its order)\n",
        out);
    const torre_sweep_tally tally = torre_sweep_count(&r->found);
    if (tally.above)
        fprintf(
            out,
            "points above their ceiling: %d (it was measured in a bad moment, or the model counts "
            "too many bytes)\n",
            tally.above);
    print_orderings(out, &r->found);
    print_tally(out, &tally, &r->found);
}

torre_report *roofline_text_report(const torre_option *table, const roofline_results *r)
{
    torre_report *report = torre_report_new("roofline");
    torre_report_machine(report, r->machine);
    if (r->setting) {
        torre_report_integers(report, "size", r->setting->size, 3);
        torre_report_text(report, "precision", r->setting->precision == TORRE_F32 ? "f32" : "f64");
        torre_report_integer(report, "points_planned", r->found.planned);
        torre_report *list = torre_report_array(report, "points");
        for (int i = 0; i < r->found.count; i++)
            torre_report_sweep_point(list, &r->found.points[i]);
        torre_report_bool(report, "tuned", r->tuned);
    }
    torre_report_real(report, "wall_s", r->wall_s);
    torre_report_options(report, table);
    return report;
}
