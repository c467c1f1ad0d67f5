#include "cli/roofline_text.h"

#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "core/report.h"
#include "roofline/roofline_plot.h"
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

/* Rate over that in row-major order: the median over all tiles that were measured both ways; 0 when
 * there are none. */
static double ordering_gain(const roofline_results *r, const torre_ordering_spec *ordering,
                            int *pairs)
{
    const torre_ordering_spec against = {.kind = TORRE_ROW_MAJOR};
    double ratio[1024];
    int n = 0;
    for (int i = 0; i < r->found.count; i++) {
        const torre_sweep_point *p = &r->found.points[i];
        if (!torre_ordering_same(&p->plan.ordering, ordering) || p->plan.engine != TORRE_TORRE ||
            !p->repetitions)
            continue;
        for (int k = 0; k < r->found.count && n < 1024; k++) {
            const torre_sweep_point *other = &r->found.points[k];
            if (!torre_ordering_same(&other->plan.ordering, &against) || !other->repetitions ||
                other->order != p->order || other->plan.engine != TORRE_TORRE ||
                other->plan.dts != p->plan.dts || other->plan.tower_height != p->plan.tower_height)
                continue;
            ratio[n++] = p->gcells_per_s / other->gcells_per_s;
        }
    }
    *pairs = n;
    return n ? torre_median(ratio, n) : 0;
}

/* Whether this is the first point in its ordering, and that is not row-major. */
static bool is_first_of_ordering(const roofline_results *r, int point)
{
    const torre_ordering_spec row_major = {.kind = TORRE_ROW_MAJOR},
                              *its = &r->found.points[point].plan.ordering;
    bool first = !torre_ordering_same(its, &row_major);
    for (int i = 0; i < point && first; i++)
        first = !torre_ordering_same(its, &r->found.points[i].plan.ordering);
    return first;
}

static void print_orderings(FILE *out, const roofline_results *r)
{
    bool begun = false;
    for (int i = 0; i < r->found.count; i++) {
        int pairs;
        if (!is_first_of_ordering(r, i)) continue;
        double gain = ordering_gain(r, &r->found.points[i].plan.ordering, &pairs);
        if (!pairs) continue;
        fprintf(out, "%s%s %.3f (%d)", begun ? ", " : "towers, rate over row-major (tiles): ",
                torre_ordering_write(&r->found.points[i].plan.ordering).text, gain, pairs);
        begun = true;
    }
    if (begun) fputc('\n', out);
}

static void print_unmeasured(FILE *out, const roofline_results *r)
{
    int refused = 0, wrong = 0;
    for (int i = 0; i < r->found.count; i++) {
        refused += r->found.points[i].state == TORRE_POINT_REFUSED;
        wrong += r->found.points[i].state == TORRE_POINT_WRONG;
    }
    if (refused)
        fprintf(out, "not offered by this backend: %d points (sweep.csv says why)\n", refused);
    if (wrong) fprintf(out, "WRONG, not timed: %d points (sweep.csv has them)\n", wrong);
    if (r->found.count < r->found.planned)
        fprintf(out, "not measured: %d of %d points\n", r->found.planned - r->found.count,
                r->found.planned);
}

/* No program is faster than its ceiling: say that the ceiling or the model is off. */
static void print_above(FILE *out, const roofline_results *r)
{
    int above = 0;
    for (int i = 0; i < r->found.count; i++) above += r->found.points[i].fraction > 1.05;
    if (above)
        fprintf(
            out,
            "points above their ceiling: %d (it was measured in a bad moment, or the model counts "
            "too many bytes)\n",
            above);
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
    print_above(out, r);
    print_orderings(out, r);
    print_unmeasured(out, r);
}

void roofline_text_report_machine(torre_report *at, const torre_machine *m)
{
    torre_report_text(at, "backend", m->backend);
    torre_report_text(at, "device", m->device);
    torre_report_text(at, "uuid", m->uuid[0] ? m->uuid : NULL);
    torre_report_text(at, "detail", m->detail);
    torre_report_integer(at, "threads", m->threads);
    torre_report_real(at, "clock_ghz", m->clock_ghz);
    torre_report_integers(at, "cache_bytes", m->cache + 1, 3);
    torre_report *list = torre_report_array(at, "ceilings");
    for (int id = 0; id < TORRE_CEILING_COUNT; id++) {
        const torre_ceiling *c = &m->ceiling[id];
        if (!c->repetitions) continue;
        torre_report *one = torre_report_object(list, NULL);
        torre_report_text(one, "name", torre_ceiling_name((torre_ceiling_id)id));
        torre_report_text(one, "title", torre_ceiling_title((torre_ceiling_id)id));
        torre_report_text(one, "unit", torre_ceiling_unit((torre_ceiling_id)id));
        torre_report_real(one, "median", c->median);
        torre_report_real(one, "lowest", c->low);
        torre_report_real(one, "highest", c->high);
        torre_report_integer(one, "repetitions", c->repetitions);
    }
}

static void report_point(torre_report *list, const torre_sweep_point *p)
{
    torre_report *at = torre_report_object(list, NULL);
    torre_report_integer(at, "order", p->order);
    torre_report_text(at, "engine", torre_engine_name(p->plan.engine));
    torre_report_integer(at, "dts", p->plan.dts);
    torre_report_integer(at, "tower_height", p->plan.tower_height);
    torre_report_text(at, "ordering", torre_ordering_write(&p->plan.ordering).text);
    torre_report_text(at, "state", torre_point_state_name(p->state));
    if (p->remark[0]) torre_report_text(at, "remark", p->remark);
    torre_report_real(at, "check_difference", p->check_difference);
    torre_report_real(at, "check_allowed", p->check_allowed);
    if (p->same_bits >= 0) torre_report_bool(at, "same_bits_as_stepwise", p->same_bits);
    if (p->state != TORRE_POINT_TIMED) return;
    torre_report_real(at, "gcells_per_s", p->gcells_per_s);
    torre_report_real(at, "lowest", p->low);
    torre_report_real(at, "highest", p->high);
    torre_report_integer(at, "repetitions", p->repetitions);
    torre_report_integer(at, "steps", p->steps);
    torre_report_real(at, "seconds", p->seconds);
    torre_report_real(at, "modelled_bytes_per_update", p->bound.bytes_per_update);
    if (p->measured_bytes > 0)
        torre_report_real(at, "measured_bytes_per_update", p->measured_bytes);
    torre_report_real(at, "operations_per_update", torre_model_operations(p->order));
    torre_report_real(at, "operations_per_byte", p->bound.operations_per_byte);
    torre_report_text(at, "governing_ceiling", torre_ceiling_name(p->bound.ceiling));
    torre_report_real(at, "bound_gcells_per_s", p->bound.gcells_per_s);
    torre_report_real(at, "fraction", p->fraction);
}

torre_report *roofline_text_report(const torre_option *table, const roofline_results *r)
{
    torre_report *report = torre_report_new("roofline");
    roofline_text_report_machine(report, r->machine);
    if (r->setting) {
        torre_report_integers(report, "size", r->setting->size, 3);
        torre_report_text(report, "precision", r->setting->precision == TORRE_F32 ? "f32" : "f64");
        torre_report_integer(report, "points_planned", r->found.planned);
        torre_report *list = torre_report_array(report, "points");
        for (int i = 0; i < r->found.count; i++) report_point(list, &r->found.points[i]);
        torre_report_bool(report, "tuned", r->tuned);
    }
    torre_report_real(report, "wall_s", r->wall_s);
    torre_report_options(report, table);
    return report;
}
