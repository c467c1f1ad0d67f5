/* locality offsets: how far apart in memory a stencil reads. */
#include <inttypes.h>

#include "cli/locality.h"
#include "locality/offsets.h"

typedef struct offsets_options {
    const char *within; /* list of limits */
    int64_t limit[LOCALITY_MAX_NUMBERS];
    int limits;
} offsets_options;

static void write_csv(const locality_job *job, int index, const torre_offsets *f)
{
    FILE *out = torre_output_stream(job->csv);
    int64_t zero = f->cells - 1;
    if (index == 0) {
        locality_csv_begin(job, -1);
        fprintf(out, "offset,count\n");
    }
    for (int64_t d = -zero; d <= zero; d++) {
        if (f->histogram[zero + d] == 0) continue;
        locality_csv_begin(job, index);
        fprintf(out, "%" PRId64 ",%" PRId64 "\n", d, f->histogram[zero + d]);
    }
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

static torre_status run(locality_job *job, const offsets_options *options)
{
    TORRE_TRY(locality_check_reach(job));
    TORRE_TRY(locality_check_memory(job, 32)); /* path, ranks, histogram of twice as many */
    for (int i = 0; i < job->count; i++) {
        torre_offsets f;
        if (!torre_offsets_count(&job->list[i].ordering, &job->stencil, &f))
            return torre_fail(TORRE_ERR_RESOURCE, "out of memory for this --size");
        if (job->csv) write_csv(job, i, &f);
        report(job, i, options, &f);
        if (job->table) print_table(job, i, options, &f);
        torre_offsets_free(&f);
    }
    return TORRE_OK;
}

static void plot_commands(const locality_job *job, FILE *script)
{
    fprintf(script, "set xlabel 'memory offset, bins'\n"
                    "set ylabel 'reads'\n"
                    "set logscale y\n");
    locality_plot_series(job, script, 1, 2, "impulses");
}

torre_status locality_offsets(int argc, char **argv)
{
    locality_job job = {
        .subcommand = "offsets",
        .about =
            "Adds up how far apart in memory, counted in bins, the bins of a stencil lie, over\n"
            "all bins whose stencil lies inside the box. Orderings separated by commas are\n"
            "compared. The CSV is the histogram.\n\n"
            "  locality offsets --ordering row-major,morton,hilbert --size 16 --within 199,299\n",
        .ordering_limit = LOCALITY_MAX_ORDERINGS,
        .ordering = "hilbert",
        .size = {16, 0, 0},
        .shape = TORRE_BIN_BLOCK,
        .reach = 1,
        .plot_commands = plot_commands};
    offsets_options options = {.within = "99,199,299,499,899"};
    torre_option table[] = {LOCALITY_BOX_OPTIONS(job),
                            LOCALITY_STENCIL_OPTIONS(job),
                            {.name = "within",
                             .kind = TORRE_OPTION_TEXT,
                             .value = &options.within,
                             .metavar = "D,D,...",
                             .help = "tell the fraction of reads at most so many bins away"},
                            LOCALITY_OUTPUT_OPTIONS(job),
                            {0}};
    bool stop;
    TORRE_TRY(locality_job_start(&job, table, argc, argv, &stop));
    if (stop) return TORRE_OK;
    torre_status status = locality_read_list("--within", options.within, 0, INT64_C(1) << 60,
                                             options.limit, &options.limits);
    if (!status) status = run(&job, &options);
    if (!status) torre_report_options(job.report, table);
    return locality_job_end(&job, status);
}
