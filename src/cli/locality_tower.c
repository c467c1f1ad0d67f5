/* locality tower: a tower of diamond tiles, what it depends on, the order in which towers run. */
#include <inttypes.h>
#include <string.h>

#include "cli/locality.h"
#include "cli/locality_tower_draw.h"
#include "wave/stencil.h"

typedef struct tower_options {
    int view;
    int64_t order, dts, height, done;
} tower_options;

static void write_csv(const tower_view *v, FILE *out)
{
    fprintf(out, "x,y,t,%s%s\n", v->towers ? "s,m," : "", v->column);
    for (int64_t i = 0; i < v->count; i++) {
        const tower_cell *c = &v->cell[i];
        fprintf(out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",", c->x, c->y, c->t);
        if (v->towers) fprintf(out, "%" PRId64 ",%" PRId64 ",", c->s, c->m);
        if (v->labels)
            fprintf(out, "%s\n", v->labels[c->value]);
        else
            fprintf(out, "%" PRId64 "\n", c->value);
    }
}

/* How many cells have each label, or the range of the numbers. */
static void report_values(const tower_view *v, torre_report *r, FILE *table)
{
    int64_t low = v->cell[0].value, high = low;
    for (int64_t i = 1; i < v->count; i++) {
        if (v->cell[i].value < low) low = v->cell[i].value;
        if (v->cell[i].value > high) high = v->cell[i].value;
    }
    torre_report_integer(r, "cells", v->count);
    if (table)
        fprintf(table, "view %s: %lld cells", tower_view_names[v->kind], (long long)v->count);
    if (v->labels) {
        torre_report *counts = torre_report_object(r, v->column);
        for (int64_t k = 0; v->labels[k]; k++) {
            int64_t n = 0;
            for (int64_t i = 0; i < v->count; i++) n += v->cell[i].value == k;
            torre_report_integer(counts, v->labels[k], n);
            if (table) fprintf(table, ", %s %lld", v->labels[k], (long long)n);
        }
    } else {
        torre_report_integers(r, v->column, (int64_t[]){low, high}, 2);
        if (table) fprintf(table, ", %s %lld to %lld", v->column, (long long)low, (long long)high);
    }
    if (table) fprintf(table, "\n");
}

static torre_status report_pass(const locality_job *job, const tower_options *o,
                                const tower_pass *p, FILE *table)
{
    torre_tower_grid g = tower_pass_grid(p);
    torre_report *r = job->report;
    int64_t tile = 2 * g.half_size * g.half_size, towers = torre_traversal_count(&g);
    torre_report_text(r, "view", tower_view_names[o->view]);
    torre_report_text(r, "ordering", torre_ordering_write(&p->ordering).text);
    torre_report_integer(r, "order", o->order);
    torre_report_integer(r, "dts", p->dts);
    torre_report_integer(r, "tower_height", p->height);
    torre_report_integer(r, "half_size", g.half_size);
    torre_report_integer(r, "tile_cells", tile);
    torre_report_integer(r, "tower_updates", tile * p->height);
    torre_report_integer(r, "stages", g.s_max - g.s_min + 1);
    torre_report_integer(r, "rows", g.m_max - g.m_min + 1);
    torre_report_integer(r, "towers", towers);
    if (!table) return TORRE_OK;
    char size[64];
    locality_size_text(job, size, sizeof size);
    fprintf(table,
            "order %lld, DTS %lld: tiles of %lld cells (D = %lld), towers of %lld updates in %lld "
            "steps\n%s cells: %lld towers in %lld stages and %lld rows, ordering %s\n",
            (long long)o->order, (long long)p->dts, (long long)tile, (long long)g.half_size,
            (long long)(tile * p->height), (long long)p->height, size, (long long)towers,
            (long long)(g.s_max - g.s_min + 1), (long long)(g.m_max - g.m_min + 1),
            torre_ordering_write(&p->ordering).text);
    return TORRE_OK;
}

static torre_status run(locality_job *job, const tower_options *o)
{
    tower_pass pass = {o->order / 2,      o->dts, o->height, job->size[0], job->size[1],
                       job->list[0].spec, o->done};
    tower_view view;
    TORRE_TRY(tower_view_make((tower_view_kind)o->view, &pass, &view));
    FILE *table = job->table ? stdout : NULL;
    char title[96];
    snprintf(title, sizeof title, "locality tower --view %s, order %lld, DTS %lld, height %lld",
             tower_view_names[o->view], (long long)o->order, (long long)o->dts,
             (long long)o->height);
    torre_status status = report_pass(job, o, &pass, table);
    report_values(&view, job->report, table);
    if (job->csv) write_csv(&view, torre_output_stream(job->csv));
    if (!status && job->plot) status = locality_tower_draw(&view, &pass, title, job->plot);
    tower_view_free(&view);
    return status;
}

torre_status locality_tower(int argc, char **argv)
{
    locality_job job = {
        .subcommand = "tower",
        .about =
            "Shows how waves are computed by towers: a diamond of the x-y plane is carried "
            "through\n"
            "NT time steps while it slides along x (tiling/diamond.h). The views are\n\n"
            "  stencil     what the update of a cell reads: a cross, and its own value before\n"
            "  stepwise, domains, section\n"
            "              who updates which cell of x and t, in the order of the tasks: one step\n"
            "              at a time, four domains that do so, towers (cut through their middle)\n"
            "  cones       what the first tile of a tower influences, what its last tile depends\n"
            "              on, and the tower, which is what they have in common\n"
            "  tower       its cells\n"
            "  neighbours  a tower, the three that it waits for (upwind), the three that wait for\n"
            "              it (downwind), and two of its stage, which do neither\n"
            "  stages      the tiles at the first step, by the rank of their towers in the\n"
            "              traversal; tiles of odd stages are paler\n"
            "  levels      how many steps each cell has when the first K towers have run\n\n"
            "  locality tower --view cones --dts 3 --tower-height 6 --plot cones.png\n"
            "  locality tower --view stages --size 48x48 --ordering hilbert --plot stages.png\n"
            "  locality tower --view levels --size 48x48 --csv - --done 12\n",
        .ordering_limit = 1,
        .of_towers = true,
        .ordering = "row-major",
        .size = {24, 24, 0}};
    tower_options o = {.view = TOWER_NEIGHBOURS, .order = 2, .dts = 2, .height = 6, .done = -1};
    torre_option table[] = {
        {.name = "Tower", .kind = TORRE_OPTION_GROUP},
        {.name = "view",
         .kind = TORRE_OPTION_CHOICE,
         .value = &o.view,
         .choices = tower_view_names,
         .help = "what to show"},
        {.name = "order",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.order,
         .low = 2,
         .high = TORRE_MAX_ORDER,
         .choices = torre_order_names,
         .help = "order of accuracy; the stencil reaches half as many cells"},
        {.name = "dts",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.dts,
         .low = 1,
         .high = 1024,
         .help = "diamond tile size in stencil half-widths"},
        {.name = "tower-height",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.height,
         .low = 1,
         .high = 1000,
         .metavar = "NT",
         .help = "steps of the pass"},
        {.name = "Pass", .kind = TORRE_OPTION_GROUP},
        {.name = "size",
         .kind = TORRE_OPTION_SIZE,
         .value = job.size,
         .low = 1,
         .high = 1048576,
         .counts = TORRE_COUNT_2,
         .metavar = "NXxNY",
         .help = "cells of the x-y plane (stepwise, domains, section, stages, levels)"},
        {.name = "ordering",
         .kind = TORRE_OPTION_TEXT,
         .value = &job.ordering,
         .metavar = "NAME",
         .help = TORRE_ORDERING_HELP("; of the traversal (stages, levels)")},
        {.name = "done",
         .kind = TORRE_OPTION_INTEGER,
         .value = &o.done,
         .low = 0,
         .high = 1e15,
         .word = "half",
         .word_value = -1,
         .metavar = "K",
         .help = "towers that have run (levels)"},
        LOCALITY_OUTPUT_OPTIONS(job),
        {0}};
    bool stop;
    TORRE_TRY(locality_job_start(&job, table, argc, argv, &stop));
    if (stop) return TORRE_OK;
    torre_status status = run(&job, &o);
    if (!status) torre_report_options(job.report, table);
    return locality_job_end(&job, status);
}
