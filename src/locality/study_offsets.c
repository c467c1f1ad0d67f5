/* How far apart in memory a stencil reads. */
#include "locality/offsets.h"
#include "locality/studies.h"

static torre_status write_csv(const torre_study *study, int index, const torre_offsets *f)
{
    const int64_t zero = f->cells - 1;
    for (int64_t d = -zero; study->csv && d <= zero; d++)
        if (f->histogram[zero + d])
            TORRE_TRY(torre_study_row(study, study->list[index].name,
                                      (double[]){(double)d, (double)f->histogram[zero + d]}));
    return TORRE_OK;
}

static void report(torre_study *study, int index, const torre_offsets_study *options,
                   const torre_offsets *f)
{
    torre_report *at = torre_study_report_of(study, index);
    torre_report_integer(at, "total", f->total);
    torre_report_integer(at, "max_abs_offset", f->max_abs);
    torre_report *within = torre_report_array(at, "within");
    for (int i = 0; i < options->limits; i++) {
        torre_report *entry = torre_report_object(within, NULL);
        torre_report_integer(entry, "limit", options->limit[i]);
        torre_report_real(entry, "fraction", torre_offsets_within(f, options->limit[i]));
    }
}

static void print_table(const torre_study *study, int index, const torre_offsets_study *options,
                        const torre_offsets *f)
{
    if (index == 0) {
        fprintf(study->table, "%-28s %12s %10s   fraction of reads within\n%-28s %12s %10s ",
                "ordering", "reads", "farthest", "", "", "");
        for (int i = 0; i < options->limits; i++)
            fprintf(study->table, " %7lld", (long long)options->limit[i]);
        fprintf(study->table, "\n");
    }
    fprintf(study->table, "%-28s %12lld %10lld ", study->list[index].name, (long long)f->total,
            (long long)f->max_abs);
    for (int i = 0; i < options->limits; i++)
        fprintf(study->table, " %7.4f", torre_offsets_within(f, options->limit[i]));
    fprintf(study->table, "\n");
}

static torre_status check(torre_study *study)
{
    torre_offsets_study *o = study->options;
    return torre_study_read_list("within", o->within, 0, INT64_C(1) << 60, o->limit, &o->limits);
}

static torre_status run(torre_study *study)
{
    const torre_offsets_study *options = study->options;
    TORRE_TRY(torre_study_check_reach(study));
    TORRE_TRY(torre_study_check_memory(study, 32)); /* path, ranks, histogram of twice as many */
    for (int i = 0; i < study->count; i++) {
        torre_offsets f;
        if (!torre_offsets_count(&study->list[i].ordering, &study->stencil, &f))
            return torre_fail(TORRE_ERR_RESOURCE, "out of memory for this {size}");
        torre_status status = write_csv(study, i, &f);
        report(study, i, options, &f);
        if (study->table) print_table(study, i, options, &f);
        torre_offsets_free(&f);
        TORRE_TRY(status);
    }
    return TORRE_OK;
}

const torre_study_kind torre_study_offsets = {.name = "offsets",
                                              .stencil = true,
                                              .ordering_limit = TORRE_STUDY_ORDERINGS,
                                              .column = {"offset", "count"},
                                              .check = check,
                                              .run = run,
                                              .drawn = {"set xlabel 'memory offset, bins'\n"
                                                        "set ylabel 'reads'\n"
                                                        "set logscale y\n",
                                                        1, 2, "impulses", NULL}};
