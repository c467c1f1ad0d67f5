/* locality curve: the cells in the order of the curve, its steps, its picture. */
#include <stdlib.h>

#include "cli/locality.h"
#include "locality/curve_facts.h"
#include "locality/curve_picture.h"

static torre_status write_csv(const locality_job *job, const torre_ordering *o, const int64_t *path)
{
    for (int64_t r = 0; job->csv && r < torre_ordering_cells(o); r++) {
        int64_t c[3];
        torre_curve_cell(o, path[r], c);
        TORRE_TRY(locality_csv_row(
            job, NULL, (double[]){(double)r, (double)c[0], (double)c[1], (double)c[2]}));
    }
    return TORRE_OK;
}

static void report(locality_job *job, const torre_curve_facts *f)
{
    torre_report *at = locality_report_of(job, 0);
    torre_report_integer(at, "cells", f->cells);
    torre_report_integers(at, "first", f->first, job->dims);
    torre_report_integers(at, "last", f->last, job->dims);
    torre_report_integer(at, "unit_steps", f->unit_steps);
    torre_report_integer(at, "longest_step", f->longest_step);
    torre_report_bool(at, "closed", f->closed);
}

static void print_table(const locality_job *job, const torre_curve_facts *f)
{
    const torre_ordering *o = &job->list[0].ordering;
    char size[64];
    locality_size_text(job, size, sizeof size);
    printf("%s over %s bins%s\n", job->list[0].name, size,
           torre_ordering_is_exact(o) ? "" : ", cut out of a larger curve");
    printf("from (%lld,%lld,%lld) to (%lld,%lld,%lld)%s\n", (long long)f->first[0],
           (long long)f->first[1], (long long)f->first[2], (long long)f->last[0],
           (long long)f->last[1], (long long)f->last[2], f->closed ? ", a closed loop" : "");
    printf("%lld of %lld steps lead to a neighbour, the longest step is %lld\n",
           (long long)f->unit_steps, (long long)f->cells - 1, (long long)f->longest_step);
}

static torre_status run(locality_job *job)
{
    const torre_ordering *o = &job->list[0].ordering;
    TORRE_TRY(locality_check_memory(job, 8));
    int64_t *path = malloc((size_t)torre_ordering_cells(o) * sizeof *path);
    if (!path) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for this --size");
    torre_ordering_path(o, path);
    torre_curve_facts f = torre_curve_facts_of(o, path);
    torre_status status = write_csv(job, o, path);
    if (!status && job->plot) status = torre_curve_draw(o, path, job->list[0].name, job->plot);
    if (!status) report(job, &f);
    if (!status && job->table) print_table(job, &f);
    free(path);
    return status;
}

torre_status locality_curve(int argc, char **argv)
{
    locality_job job = {
        .subcommand = "curve",
        .usage = "Usage: locality curve [OPTION...]\n\n"
                 "Lists the bins in the order of the curve (CSV: rank,i,j,k), tells how far its\n"
                 "steps reach, and draws it.\n\n"
                 "  locality curve --ordering hilbert --size 8x8 --plot hilbert.png\n"
                 "  locality curve --ordering pancake --size 16x16x4 --csv -",
        .ordering_limit = 1,
        .column = {"rank", "i", "j", "k"},
        .run = run,
        .ordering = "hilbert",
        .size = {8, 0, 0}};
    torre_option table[] = {LOCALITY_BOX_OPTIONS(job), LOCALITY_OUTPUT_OPTIONS(job), {0}};
    return locality_job_run(&job, table, argc, argv);
}
