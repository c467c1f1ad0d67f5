/* locality cache: miss rates of the LRU cache model over the capacity. */
#include "cli/locality.h"
#include "locality/misses.h"

typedef struct cache_options {
    int64_t block;
    const char *capacity; /* list; NULL: powers of two up to the box */
    int64_t blocks[LOCALITY_NUMBERS];
    int count;
} cache_options;

/* The curve falls in steps; where it stays level no line is written. */
static torre_status write_csv(const locality_job *job, int index, const torre_misses *m)
{
    for (int64_t c = 1; job->csv && c <= m->blocks; c++)
        if (c == 1 || c == m->blocks || m->misses[c] != m->misses[c - 1])
            TORRE_TRY(locality_csv_row(
                job, job->list[index].name,
                (double[]){(double)c, (double)m->misses[c], torre_misses_rate(m, c)}));
    return TORRE_OK;
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
    for (int64_t c = 1; c < 2 * blocks && options->count < LOCALITY_NUMBERS; c *= 2)
        options->blocks[options->count++] = c;
}

static torre_status run(locality_job *job)
{
    cache_options *options = job->options;
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
        torre_status status = write_csv(job, i, &m);
        report(job, i, options, &m);
        if (job->table) print_table(job, i, options, &m);
        torre_misses_free(&m);
        TORRE_TRY(status);
    }
    return TORRE_OK;
}

torre_status locality_cache(int argc, char **argv)
{
    cache_options options = {.block = 8};
    locality_job job = {
        .subcommand = "cache",
        .usage =
            "Usage: locality cache [OPTION...]\n\n"
            "Visits the bins along the curve, reads the stencil of each, and counts the misses\n"
            "of a cache that keeps the blocks used last (LRU): exactly, and for every capacity\n"
            "in one pass. A block (cache line) holds B bins that follow each other in memory.\n"
            "Orderings separated by commas are compared. The CSV has the whole curve.\n\n"
            "  locality cache --ordering row-major,morton,hilbert --size 64 --block 8 \\\n"
            "      --csv cache.csv --plot cache.png\n"
            "  locality cache --ordering hilbert --size 32 --block 2 --capacity 64,1024",
        .ordering_limit = LOCALITY_ORDERINGS,
        .column = {"blocks", "misses", "miss_rate"},
        .options = &options,
        .run = run,
        .ordering = "hilbert",
        .size = {32, 0, 0},
        .shape = TORRE_BIN_BLOCK,
        .reach = 1,
        .drawn = {"set xlabel 'cache capacity, blocks'\n"
                  "set ylabel 'miss rate'\n"
                  "set logscale xy\n",
                  1, 3, "steps", NULL}};
    torre_option table[] = {
        LOCALITY_BOX_OPTIONS(job),
        LOCALITY_STENCIL_OPTIONS(job),
        OPTION_GROUP("Cache"),
        OPTION_NUMBER("block", &options.block, 1, 1 << 30, "B", "bins in a block"),
        OPTION_TEXT("capacity", &options.capacity, "C,C,...", "powers of two",
                    "tell the misses of caches of so many blocks"),
        LOCALITY_OUTPUT_OPTIONS(job),
        {0}};
    return locality_job_run(&job, table, argc, argv);
}
