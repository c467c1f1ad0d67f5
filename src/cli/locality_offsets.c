/* locality offsets: how far apart in memory a stencil reads. */
#include "cli/locality.h"
#include "locality/offsets.h"

typedef struct offsets_options {
    const char *within; /* list of limits */
    int64_t limit[LOCALITY_NUMBERS];
    int limits;
} offsets_options;

static torre_status write_csv(const locality_job *job, int index, const torre_offsets *f)
{
    const int64_t zero = f->cells - 1;
    for (int64_t d = -zero; job->csv && d <= zero; d++)
        if (f->histogram[zero + d])
            TORRE_TRY(locality_csv_row(job, job->list[index].name,
                                       (double[]){(double)d, (double)f->histogram[zero + d]}));
    return TORRE_OK;
}

static void report(locality_job *job, int index, const offsets_options *options,
                   const torre_offsets *f)
{
    torre_report *at = locality_report_of(job, index);
    torre_report_integer(at, "total", f->total);
    torre_report_integer(at, "max_abs_offset", f->max_abs);
    torre_report *within = torre_report_array(at, "within");
    for (int i = 0; i < options->limits; i++) {
        torre_report *entry = torre_report_object(within, NULL);
        torre_report_integer(entry, "limit", options->limit[i]);
        torre_report_real(entry, "fraction", torre_offsets_within(f, options->limit[i]));
    }
}

static void print_table(const locality_job *job, int index, const offsets_options *options,
                        const torre_offsets *f)
{
    if (index == 0) {
        printf("%-28s %12s %10s   fraction of reads within\n%-28s %12s %10s ", "ordering", "reads",
               "farthest", "", "", "");
        for (int i = 0; i < options->limits; i++) printf(" %7lld", (long long)options->limit[i]);
        printf("\n");
    }
    printf("%-28s %12lld %10lld ", job->list[index].name, (long long)f->total,
           (long long)f->max_abs);
    for (int i = 0; i < options->limits; i++)
        printf(" %7.4f", torre_offsets_within(f, options->limit[i]));
    printf("\n");
}

static torre_status check(locality_job *job)
{
    offsets_options *o = job->options;
    return locality_read_list("--within", o->within, 0, INT64_C(1) << 60, o->limit, &o->limits);
}

static torre_status run(locality_job *job)
{
    const offsets_options *options = job->options;
    TORRE_TRY(locality_check_reach(job));
    TORRE_TRY(locality_check_memory(job, 32)); /* path, ranks, histogram of twice as many */
    for (int i = 0; i < job->count; i++) {
        torre_offsets f;
        if (!torre_offsets_count(&job->list[i].ordering, &job->stencil, &f))
            return torre_fail(TORRE_ERR_RESOURCE, "out of memory for this --size");
        torre_status status = write_csv(job, i, &f);
        report(job, i, options, &f);
        if (job->table) print_table(job, i, options, &f);
        torre_offsets_free(&f);
        TORRE_TRY(status);
    }
    return TORRE_OK;
}

torre_status locality_offsets(int argc, char **argv)
{
    offsets_options options = {.within = "99,199,299,499,899"};
    locality_job job = {
        .subcommand = "offsets",
        .usage =
            "Usage: locality offsets [OPTION...]\n\n"
            "Adds up how far apart in memory, counted in bins, the bins of a stencil lie, over\n"
            "all bins whose stencil lies inside the box. Orderings separated by commas are\n"
            "compared. The CSV is the histogram.\n\n"
            "  locality offsets --ordering row-major,morton,hilbert --size 16 --within 199,299",
        .ordering_limit = LOCALITY_ORDERINGS,
        .column = {"offset", "count"},
        .options = &options,
        .check = check,
        .run = run,
        .ordering = "hilbert",
        .size = {16, 0, 0},
        .shape = TORRE_BIN_BLOCK,
        .reach = 1,
        .drawn = {"set xlabel 'memory offset, bins'\n"
                  "set ylabel 'reads'\n"
                  "set logscale y\n",
                  1, 2, "impulses", NULL}};
    torre_option table[] = {LOCALITY_BOX_OPTIONS(job),
                            LOCALITY_STENCIL_OPTIONS(job),
                            OPTION_TEXT("within", &options.within, "D,D,...", NULL,
                                        "tell the fraction of reads at most so many bins away"),
                            LOCALITY_OUTPUT_OPTIONS(job),
                            {0}};
    return locality_job_run(&job, table, argc, argv);
}
