#include "roofline/sweep_table.h"

#include "core/numbers.h"
#include "core/tell.h"
#include "roofline/md_sweep_run.h"
#include "roofline/sweep_summary.h"
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

void torre_ceilings_table(FILE *out, const torre_machine *m)
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

static void print_order(FILE *out, const torre_sweep_results *r, int order)
{
    int dts[64];
    int n = torre_sweep_dts_values(r->points, r->count, order, dts, 64);
    const torre_sweep_point *step = torre_sweep_best(r->points, r->count, order, TORRE_STEPWISE, 0);
    const torre_sweep_point *best = torre_sweep_best(r->points, r->count, order, TORRE_TORRE, 0);
    if (step) print_point(out, step, false);
    for (int i = 0; i < n; i++) {
        const torre_sweep_point *p =
            torre_sweep_best(r->points, r->count, order, TORRE_TORRE, dts[i]);
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

void torre_sweep_table(FILE *out, const torre_sweep_setting *s, const torre_sweep_results *r)
{
    fprintf(out, "\n%lldx%lldx%lld cells, %s; per DTS the best tower height and ordering\n",
            (long long)s->size[0], (long long)s->size[1], (long long)s->size[2],
            s->precision == TORRE_F32 ? "f32" : "f64");
    fprintf(out, "%-5s %-8s %4s %6s %-9s %9s %13s %7s %7s %6s  of the governing ceiling\n", "order",
            "engine", "DTS", "height", "ordering", "Gcells/s ", "range", "B model", "counted",
            "op/B");
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) print_order(out, r, order);
    fputs("(main-memory bytes per cell update: by the model, which op/B and the ceiling follow, "
          "and\n",
          out);
    torre_tell(out, "as counted by a profiler where {measured} gives that; * best of its order)");
    fputc('\n', out);
    const torre_sweep_tally tally = torre_sweep_count(r);
    if (tally.above)
        fprintf(
            out,
            "points above their ceiling: %d (it was measured in a bad moment, or the model counts "
            "too many bytes)\n",
            tally.above);
    print_orderings(out, r);
    print_tally(out, &tally, r);
}

void torre_md_sweep_table_head(FILE *out, const torre_md_sweep_setting *s)
{
    fprintf(out,
            "\nLennard-Jones melt, %lld particles, %s\n%-5s %-10s %10s %17s %6s %8s %8s   of "
            "the governing ceiling\n",
            4 * (long long)(s->cells * s->cells * s->cells), torre_md_precision_name(s->precision),
            "pairs", "ordering", "Mstep/s", "range     ", "neigh.", "op/step", "B/step");
}

void torre_md_sweep_table_row(FILE *out, const torre_md_point *p)
{
    fprintf(out, "%-5s %-10s ", torre_neighbor_name(p->plan.neighbor),
            torre_md_point_ordering(p).text);
    if (p->state != TORRE_POINT_TIMED)
        fprintf(out, "%s: %s\n", torre_point_state_name(p->state), p->remark);
    else
        fprintf(out, "%10.2f %8.2f-%-8.2f %6.1f %8.0f %8.0f %5.1f %% %s\n", p->matom_steps_per_s,
                p->low, p->high, p->neighbors, p->operations_per_step, p->bytes_per_step,
                100 * torre_md_point_fraction(p), torre_ceiling_title(p->ceiling));
}

void torre_md_sweep_table_foot(FILE *out)
{
    fputs("(million atom-steps per second; operations counted, bytes of main memory modelled)\n",
          out);
}
