/* locality tower: a tower of diamond tiles, what it depends on, the order in which towers run. */
#include "cli/locality.h"
#include "locality/tower_picture.h"
#include "wave/stencil.h"

typedef struct tower_options {
    int view;
    int64_t order, dts, height, done;
} tower_options;

static torre_status write_csv(const locality_job *job, const torre_tower_view *v)
{
    for (int64_t i = 0; job->csv && i < v->count; i++) {
        const torre_tower_cell *c = &v->cell[i];
        double number[6] = {(double)c->x, (double)c->y, (double)c->t};
        int n = 3;
        if (v->towers) number[n++] = (double)c->s;
        if (v->towers) number[n++] = (double)c->m;
        number[n] = (double)c->value;
        TORRE_TRY(locality_csv_row(job, v->labels ? v->labels[c->value] : NULL, number));
    }
    return TORRE_OK;
}

/* How many cells have each label, or the range of the numbers. */
static void report_values(const torre_tower_view *v, torre_report *r, FILE *table)
{
    int64_t low = v->cell[0].value, high = low;
    for (int64_t i = 1; i < v->count; i++) {
        if (v->cell[i].value < low) low = v->cell[i].value;
        if (v->cell[i].value > high) high = v->cell[i].value;
    }
    torre_report_integer(r, "cells", v->count);
    if (table)
        fprintf(table, "view %s: %lld cells", torre_tower_view_names[v->kind], (long long)v->count);
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

static void report_pass(const locality_job *job, const tower_options *o, const torre_tower_pass *p,
                        FILE *table)
{
    torre_tower_grid g = torre_tower_pass_grid(p);
    torre_report *r = job->report;
    int64_t tile = 2 * g.half_size * g.half_size, towers = torre_traversal_count(&g);
    torre_report_text(r, "view", torre_tower_view_names[o->view]);
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
    if (!table) return;
    char size[64];
    locality_size_text(job, size, sizeof size);
    fprintf(table,
            "order %lld, DTS %lld: tiles of %lld cells (D = %lld), towers of %lld updates in %lld "
            "steps\n%s cells: %lld towers in %lld stages and %lld rows, ordering %s\n",
            (long long)o->order, (long long)p->dts, (long long)tile, (long long)g.half_size,
            (long long)(tile * p->height), (long long)p->height, size, (long long)towers,
            (long long)(g.s_max - g.s_min + 1), (long long)(g.m_max - g.m_min + 1),
            torre_ordering_write(&p->ordering).text);
}

/* The columns of the view. */
static torre_status check(locality_job *job)
{
    const tower_options *o = job->options;
    const torre_tower_view about = torre_tower_view_about((torre_tower_view_kind)o->view);
    const char **next = job->column + 3;
    if (about.towers) *next++ = "s", *next++ = "m";
    *next = about.column;
    if (about.labels) job->text = 1 + (int)(next - job->column);
    return TORRE_OK;
}

static torre_status run(locality_job *job)
{
    const tower_options *o = job->options;
    torre_tower_pass pass = {o->order / 2,      o->dts, o->height, job->size[0], job->size[1],
                             job->list[0].spec, o->done};
    torre_tower_view view;
    TORRE_TRY(torre_tower_view_make((torre_tower_view_kind)o->view, &pass, &view));
    FILE *table = job->table ? stdout : NULL;
    char title[96];
    snprintf(title, sizeof title, "locality tower --view %s, order %lld, DTS %lld, height %lld",
             torre_tower_view_names[o->view], (long long)o->order, (long long)o->dts,
             (long long)o->height);
    report_pass(job, o, &pass, table);
    report_values(&view, job->report, table);
    torre_status status = write_csv(job, &view);
    if (!status && job->plot) status = torre_tower_view_draw(&view, &pass, title, job->plot);
    torre_tower_view_free(&view);
    return status;
}

torre_status locality_tower(int argc, char **argv)
{
    tower_options o = {
        .view = TORRE_VIEW_NEIGHBOURS, .order = 2, .dts = 2, .height = 6, .done = -1};
    locality_job job = {
        .subcommand = "tower",
        .usage =
            "Usage: locality tower [OPTION...]\n\n"
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
            "  locality tower --view levels --size 48x48 --csv - --done 12",
        .ordering_limit = 1,
        .of_towers = true,
        .column = {"x", "y", "t"},
        .options = &o,
        .check = check,
        .run = run,
        .ordering = "row-major",
        .size = {24, 24, 0}};
    torre_option table[] = {
        OPTION_GROUP("Tower"),
        OPTION_CHOICE("view", &o.view, torre_tower_view_names, "what to show"),
        OPTION_NUMBERS("order", &o.order, torre_order_names,
                       "order of accuracy; the stencil reaches half as many cells"),
        OPTION_INTEGER("dts", &o.dts, 1, 1024, "diamond tile size in stencil half-widths"),
        OPTION_NUMBER("tower-height", &o.height, 1, 1000, "NT", "steps of the pass"),
        OPTION_GROUP("Pass"),
        OPTION_SIZE("size", job.size, 1048576, TORRE_COUNT_2, "NXxNY", NULL,
                    "cells of the x-y plane (stepwise, domains, section, stages, levels)"),
        OPTION_TEXT("ordering", &job.ordering, "NAME", NULL,
                    TORRE_ORDERING_HELP("; of the traversal (stages, levels)")),
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
    return locality_job_run(&job, table, argc, argv);
}
