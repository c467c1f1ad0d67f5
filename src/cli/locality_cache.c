/* locality cache: miss rates of the LRU cache model over the capacity. */
#include <inttypes.h>

#include "cli/locality.h"
#include "locality/misses.h"

typedef struct cache_options {
    int64_t block;
    const char *capacity; /* list; NULL: powers of two up to the box */
    int64_t blocks[LOCALITY_MAX_NUMBERS];
    int count;
} cache_options;

/* The curve falls in steps; where it stays level no line is written. */
static void write_csv(const locality_job *job, int index, const torre_misses *m)
{
    FILE *out = torre_output_stream(job->csv);
    if (index == 0) {
        locality_csv_begin(job, -1);
        fprintf(out, "blocks,misses,miss_rate\n");
    }
    for (int64_t c = 1; c <= m->blocks; c++) {
        if (c > 1 && c < m->blocks && m->misses[c] == m->misses[c - 1]) continue;
        locality_csv_begin(job, index);
        fprintf(out, "%" PRId64 ",%" PRId64 ",%.9g\n", c, m->misses[c], torre_misses_rate(m, c));
    }
}

static void report(locality_job *job, int index, const cache_options *options,
                   const torre_misses *m)
{
    torre_report *at = locality_report_of(job, index);
    torre_report_integer(at, "accesses", m->accesses);
    torre_report_integer(at, "first_accesses", m->first);
    torre_report_integer(at, "blocks", m->blocks);
    torre_report *capacity = torre_report_array(at, "capacity");
    for (int i = 0; i < options->count; i++) {
        torre_report *entry = torre_report_object(capacity, NULL);
        torre_report_integer(entry, "blocks", options->blocks[i]);
        torre_report_integer(entry, "misses", torre_misses_at(m, options->blocks[i]));
        torre_report_real(entry, "miss_rate", torre_misses_rate(m, options->blocks[i]));
    }
}

static void print_table(const locality_job *job, int index, const cache_options *options,
                        const torre_misses *m)
{
    printf("%s%s: %lld reads of %lld blocks of %lld bins\n", index ? "\n" : "",
           job->list[index].name, (long long)m->accesses, (long long)m->blocks,
           (long long)options->block);
    printf("%16s %14s %12s\n", "capacity, blocks", "misses", "miss rate");
    for (int i = 0; i < options->count; i++)
        printf("%16lld %14lld %12.6f\n", (long long)options->blocks[i],
               (long long)torre_misses_at(m, options->blocks[i]),
               torre_misses_rate(m, options->blocks[i]));
}

static void default_capacities(const locality_job *job, cache_options *options)
{
    int64_t cells = job->size[0] * job->size[1] * job->size[2];
    int64_t blocks = (cells + options->block - 1) / options->block;
    for (int64_t c = 1; c < 2 * blocks && options->count < LOCALITY_MAX_NUMBERS; c *= 2)
        options->blocks[options->count++] = c;
}

static torre_status run(locality_job *job, cache_options *options)
{
    TORRE_TRY(locality_check_reach(job));
    if (options->capacity)
        TORRE_TRY(locality_read_list("--capacity", options->capacity, 1, INT64_C(1) << 60,
                                     options->blocks, &options->count));
    else
        default_capacities(job, options);
    TORRE_TRY(locality_check_memory(job, TORRE_MISSES_BYTES));
    torre_report_integer(job->report, "block", options->block);
    for (int i = 0; i < job->count; i++) {
        torre_misses m;
        TORRE_TRY(torre_misses_make(&job->list[i].ordering, &job->stencil, options->block, &m));
        if (job->csv) write_csv(job, i, &m);
        report(job, i, options, &m);
        if (job->table) print_table(job, i, options, &m);
        torre_misses_free(&m);
    }
    return TORRE_OK;
}

static void plot_commands(const locality_job *job, FILE *script)
{
    fprintf(script, "set xlabel 'cache capacity, blocks'\n"
                    "set ylabel 'miss rate'\n"
                    "set logscale xy\n");
    locality_plot_series(job, script, 1, 3, "steps");
}

torre_status locality_cache(int argc, char **argv)
{
    locality_job job = {
        .subcommand = "cache",
        .about =
            "Visits the bins along the curve, reads the stencil of each, and counts the misses\n"
            "of a cache that keeps the blocks used last (LRU): exactly, and for every capacity\n"
            "in one pass. A block (cache line) holds B bins that follow each other in memory.\n"
            "Orderings separated by commas are compared. The CSV has the whole curve.\n\n"
            "  locality cache --ordering row-major,morton,hilbert --size 64 --block 8 \\\n"
            "      --csv cache.csv --plot cache.png\n"
            "  locality cache --ordering hilbert --size 32 --block 2 --capacity 64,1024\n",
        .ordering_limit = LOCALITY_MAX_ORDERINGS,
        .ordering = "hilbert",
        .size = {32, 0, 0},
        .shape = TORRE_BIN_BLOCK,
        .reach = 1,
        .plot_commands = plot_commands};
    cache_options options = {.block = 8};
    torre_option table[] = {LOCALITY_BOX_OPTIONS(job),
                            LOCALITY_STENCIL_OPTIONS(job),
                            {.name = "Cache", .kind = TORRE_OPTION_GROUP},
                            {.name = "block",
                             .kind = TORRE_OPTION_INTEGER,
                             .value = &options.block,
                             .low = 1,
                             .high = 1 << 30,
                             .metavar = "B",
                             .help = "bins in a block"},
                            {.name = "capacity",
                             .kind = TORRE_OPTION_TEXT,
                             .value = &options.capacity,
                             .metavar = "C,C,...",
                             .default_text = "powers of two",
                             .help = "tell the misses of caches of so many blocks"},
                            LOCALITY_OUTPUT_OPTIONS(job),
                            {0}};
    bool stop;
    TORRE_TRY(locality_job_start(&job, table, argc, argv, &stop));
    if (stop) return TORRE_OK;
    torre_status status = run(&job, &options);
    if (!status) torre_report_options(job.report, table);
    return locality_job_end(&job, status);
}
