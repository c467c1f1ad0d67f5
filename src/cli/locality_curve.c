/* locality curve: the cells in the order of the curve, its steps, its picture. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/locality.h"
#include "cli/locality_draw.h"

/* Steps are measured along the axes: 1 for neighbours. */
typedef struct curve_facts {
    int64_t cells, unit_steps, longest_step;
    int64_t first[3], last[3];
    bool closed; /* the last cell is a neighbour of the first */
} curve_facts;

static void cell_at(const torre_ordering *o, int64_t index, int64_t cell[3])
{
    for (int a = 2; a >= 0; a--) {
        cell[a] = index % o->size[a];
        index /= o->size[a];
    }
}

static int64_t step_length(const int64_t a[3], const int64_t b[3])
{
    return llabs(a[0] - b[0]) + llabs(a[1] - b[1]) + llabs(a[2] - b[2]);
}

static curve_facts facts_of(const torre_ordering *o, const int64_t *path)
{
    curve_facts f = {.cells = torre_ordering_cells(o)};
    int64_t here[3], next[3];
    cell_at(o, path[0], f.first);
    cell_at(o, path[f.cells - 1], f.last);
    for (int64_t r = 1; r < f.cells; r++) {
        cell_at(o, path[r - 1], here);
        cell_at(o, path[r], next);
        int64_t d = step_length(here, next);
        f.unit_steps += d == 1;
        if (d > f.longest_step) f.longest_step = d;
    }
    f.closed = f.cells > 1 && step_length(f.first, f.last) == 1;
    return f;
}

static void write_csv(const torre_ordering *o, const int64_t *path, FILE *out)
{
    fprintf(out, "rank,i,j,k\n");
    for (int64_t r = 0; r < torre_ordering_cells(o); r++) {
        int64_t c[3];
        cell_at(o, path[r], c);
        fprintf(out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", r, c[0], c[1], c[2]);
    }
}

static void report(locality_job *job, const curve_facts *f)
{
    torre_report *at = locality_report_of(job, 0);
    torre_report_integer(at, "cells", f->cells);
    torre_report_integers(at, "first", f->first, job->dims);
    torre_report_integers(at, "last", f->last, job->dims);
    torre_report_integer(at, "unit_steps", f->unit_steps);
    torre_report_integer(at, "longest_step", f->longest_step);
    torre_report_bool(at, "closed", f->closed);
}

static void print_table(const locality_job *job, const curve_facts *f)
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
    curve_facts f = facts_of(o, path);
    torre_status status = TORRE_OK;
    if (job->plot) status = locality_draw_curve(o, path, job->list[0].name, job->plot);
    if (!status) {
        if (job->csv) write_csv(o, path, torre_output_stream(job->csv));
        report(job, &f);
        if (job->table) print_table(job, &f);
    }
    free(path);
    return status;
}

torre_status locality_curve(int argc, char **argv)
{
    locality_job job = {
        .subcommand = "curve",
        .about = "Lists the bins in the order of the curve (CSV: rank,i,j,k), tells how far its\n"
                 "steps reach, and draws it.\n\n"
                 "  locality curve --ordering hilbert --size 8x8 --plot hilbert.png\n"
                 "  locality curve --ordering pancake --size 16x16x4 --csv -\n",
        .ordering_limit = 1,
        .ordering = "hilbert",
        .size = {8, 0, 0}};
    torre_option table[] = {LOCALITY_BOX_OPTIONS(job), LOCALITY_OUTPUT_OPTIONS(job), {0}};
    bool stop;
    TORRE_TRY(locality_job_start(&job, table, argc, argv, &stop));
    if (stop) return TORRE_OK;
    torre_status status = run(&job);
    if (!status) torre_report_options(job.report, table);
    return locality_job_end(&job, status);
}
