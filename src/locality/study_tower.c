/* A tower of diamond tiles, what it depends on, the order in which towers run. */
#include "locality/studies.h"
#include "locality/tower_picture.h"
#include "wave/stencil.h"

static torre_status write_csv(const torre_study *study, const torre_tower_view *v)
{
    for (int64_t i = 0; study->csv && i < v->count; i++) {
        const torre_tower_cell *c = &v->cell[i];
        double number[6] = {(double)c->x, (double)c->y, (double)c->t};
        int n = 3;
        if (v->towers) number[n++] = (double)c->s;
        if (v->towers) number[n++] = (double)c->m;
        number[n] = (double)c->value;
        TORRE_TRY(torre_study_row(study, v->labels ? v->labels[c->value] : NULL, number));
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

static void report_pass(const torre_study *study, const torre_tower_study *o,
                        const torre_tower_pass *p, FILE *table)
{
    torre_tower_grid g = torre_tower_pass_grid(p);
    torre_report *r = study->report;
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
    torre_study_size_text(study, size, sizeof size);
    fprintf(table,
            "order %lld, DTS %lld: tiles of %lld cells (D = %lld), towers of %lld updates in %lld "
            "steps\n%s cells: %lld towers in %lld stages and %lld rows, ordering %s\n",
            (long long)o->order, (long long)p->dts, (long long)tile, (long long)g.half_size,
            (long long)(tile * p->height), (long long)p->height, size, (long long)towers,
            (long long)(g.s_max - g.s_min + 1), (long long)(g.m_max - g.m_min + 1),
            torre_ordering_write(&p->ordering).text);
}

/* The columns of the view. */
static torre_status check(torre_study *study)
{
    const torre_tower_study *o = study->options;
    const torre_tower_view about = torre_tower_view_about((torre_tower_view_kind)o->view);
    const char **next = study->column + 3;
    if (about.towers) *next++ = "s", *next++ = "m";
    *next = about.column;
    if (about.labels) study->text = 1 + (int)(next - study->column);
    return TORRE_OK;
}

static torre_status run(torre_study *study)
{
    const torre_tower_study *o = study->options;
    torre_tower_pass pass = {o->order / 2,        o->dts, o->height, study->size[0], study->size[1],
                             study->list[0].spec, o->done};
    torre_tower_view view;
    TORRE_TRY(torre_tower_view_make((torre_tower_view_kind)o->view, &pass, &view));
    FILE *table = study->table;
    char title[96];
    torre_text(title, sizeof title, "locality tower {view} %s, order %lld, DTS %lld, height %lld",
               torre_tower_view_names[o->view], (long long)o->order, (long long)o->dts,
               (long long)o->height);
    report_pass(study, o, &pass, table);
    report_values(&view, study->report, table);
    torre_status status = write_csv(study, &view);
    if (!status && study->plot) status = torre_tower_view_draw(&view, &pass, title, study->plot);
    torre_tower_view_free(&view);
    return status;
}

const torre_study_kind torre_study_tower = {.name = "tower",
                                            .ordering_limit = 1,
                                            .of_towers = true,
                                            .column = {"x", "y", "t"},
                                            .check = check,
                                            .run = run};
