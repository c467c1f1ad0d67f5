/* The cells in the order of the curve, its steps, its picture. */
#include <stdlib.h>

#include "locality/curve_facts.h"
#include "locality/curve_picture.h"
#include "locality/studies.h"

static torre_status write_csv(const torre_study *study, const torre_ordering *o,
                              const int64_t *path)
{
    for (int64_t r = 0; study->csv && r < torre_ordering_cells(o); r++) {
        int64_t c[3];
        torre_curve_cell(o, path[r], c);
        TORRE_TRY(torre_study_row(study, NULL,
                                  (double[]){(double)r, (double)c[0], (double)c[1], (double)c[2]}));
    }
    return TORRE_OK;
}

static void report(torre_study *study, const torre_curve_facts *f)
{
    torre_report *at = torre_study_report_of(study, 0);
    torre_report_integer(at, "cells", f->cells);
    torre_report_integers(at, "first", f->first, study->dims);
    torre_report_integers(at, "last", f->last, study->dims);
    torre_report_integer(at, "unit_steps", f->unit_steps);
    torre_report_integer(at, "longest_step", f->longest_step);
    torre_report_bool(at, "closed", f->closed);
}

static void print_table(const torre_study *study, const torre_curve_facts *f)
{
    const torre_ordering *o = &study->list[0].ordering;
    char size[64];
    torre_study_size_text(study, size, sizeof size);
    fprintf(study->table, "%s over %s bins%s\n", study->list[0].name, size,
            torre_ordering_is_exact(o) ? "" : ", cut out of a larger curve");
    fprintf(study->table, "from (%lld,%lld,%lld) to (%lld,%lld,%lld)%s\n", (long long)f->first[0],
            (long long)f->first[1], (long long)f->first[2], (long long)f->last[0],
            (long long)f->last[1], (long long)f->last[2], f->closed ? ", a closed loop" : "");
    fprintf(study->table, "%lld of %lld steps lead to a neighbour, the longest step is %lld\n",
            (long long)f->unit_steps, (long long)f->cells - 1, (long long)f->longest_step);
}

static torre_status run(torre_study *study)
{
    const torre_ordering *o = &study->list[0].ordering;
    TORRE_TRY(torre_study_check_memory(study, 8));
    int64_t *path = malloc((size_t)torre_ordering_cells(o) * sizeof *path);
    if (!path) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for this {size}");
    torre_ordering_path(o, path);
    torre_curve_facts f = torre_curve_facts_of(o, path);
    torre_status status = write_csv(study, o, path);
    if (!status && study->plot)
        status = torre_curve_draw(o, path, study->list[0].name, study->plot);
    if (!status) report(study, &f);
    if (!status && study->table) print_table(study, &f);
    free(path);
    return status;
}

const torre_study_kind torre_study_curve = {
    .name = "curve", .ordering_limit = 1, .column = {"rank", "i", "j", "k"}, .run = run};
