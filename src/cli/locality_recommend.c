/* locality recommend: which ordering for a given cache. */
#include <stdlib.h>
#include <string.h>

#include "cli/locality.h"
#include "core/cpu.h"
#include "core/numbers.h"
#include "locality/misses.h"

/*
 * The simplest first: of orderings that do equally well the first one is recommended. All are names
 * that md and wave take.
 */
#define ALL_ORDERINGS "row-major,morton,hilbert,turtle,moore,peano,pancake,hybrid"

typedef struct recommend_options {
    const char *cache; /* bytes */
    int64_t line, bin_bytes;
    double tolerance;                     /* percent */
    int64_t block, capacity, cache_bytes; /* bins a block, blocks */
} recommend_options;

typedef struct candidate {
    int index; /* in job->list */
    int64_t misses;
    double rate;
} candidate;

static torre_status read_bytes(const char *text, int64_t *bytes)
{
    static const char units[] = "KMG";
    char digits[32];
    size_t n = strlen(text);
    const char *unit = n ? strchr(units, text[n - 1]) : NULL;
    bool ok = n > 0 && n < sizeof digits;
    if (ok) {
        memcpy(digits, text, n + 1);
        if (unit) digits[n - 1] = 0;
        ok = torre_parse_integer(digits, bytes) && *bytes >= 1 && *bytes <= INT64_C(1) << 30;
    }
    if (!ok)
        return torre_fail(
            TORRE_ERR_USAGE,
            "--cache must be a whole number of bytes, or of K, M or G (32K), at least 1 "
            "(got %s)",
            text);
    if (unit) *bytes <<= 10 * (unit - units + 1);
    return TORRE_OK;
}

/* Lines and bytes to the blocks and bins of the model; a bin larger than a line is a block. */
static torre_status set_model(recommend_options *o)
{
    TORRE_TRY(read_bytes(o->cache, &o->cache_bytes));
    o->block = o->bin_bytes < o->line ? o->line / o->bin_bytes : 1;
    int64_t block_bytes = (o->bin_bytes + o->line - 1) / o->line * o->line;
    o->capacity = o->cache_bytes / block_bytes;
    if (o->capacity < 1)
        return torre_fail(TORRE_ERR_USAGE,
                          "--cache must be at least %lld bytes to hold one block (got %s)",
                          (long long)block_bytes, o->cache);
    return TORRE_OK;
}

static int by_misses(const void *a, const void *b)
{
    const candidate *p = a, *q = b;
    if (p->misses != q->misses) return p->misses < q->misses ? -1 : 1;
    return p->index - q->index;
}

/* The simplest ordering whose misses exceed the least by no more than the tolerance. */
static const candidate *choose(const candidate *list, int count, double tolerance)
{
    const candidate *best = &list[0];
    for (int i = 0; i < count; i++)
        if ((double)list[i].misses <= (double)list[0].misses * (1 + tolerance / 100) &&
            list[i].index < best->index)
            best = &list[i];
    return best;
}

static void report(locality_job *job, const recommend_options *o, const candidate *list,
                   const candidate *chosen, const candidate *plain)
{
    torre_report_text(job->report, "recommended", job->list[chosen->index].name);
    torre_report_text(job->report, "fewest_misses", job->list[list[0].index].name);
    torre_report_real(job->report, "saving_percent",
                      100 * (1 - (double)chosen->misses / (double)plain->misses));
    torre_report_integer(job->report, "block", o->block);
    torre_report_integer(job->report, "capacity", o->capacity);
    torre_report *ranking = torre_report_array(job->report, "ranking");
    for (int i = 0; i < job->count; i++) {
        torre_report *entry = torre_report_object(ranking, NULL);
        torre_report_text(entry, "ordering", job->list[list[i].index].name);
        torre_report_integer(entry, "misses", list[i].misses);
        torre_report_real(entry, "miss_rate", list[i].rate);
    }
}

static void print_table(const locality_job *job, const recommend_options *o, const candidate *list,
                        const candidate *chosen, const candidate *plain)
{
    const char *name = job->list[chosen->index].name;
    char size[32];
    torre_format_bytes((double)o->cache_bytes, size, sizeof size);
    printf("cache of %s: %lld blocks of %lld bins\n", size, (long long)o->capacity,
           (long long)o->block);
    printf("%-28s %14s %12s %14s\n", "ordering", "misses", "miss rate", "above the best");
    for (int i = 0; i < job->count; i++)
        printf("%-28s %14lld %12.6f %13.1f%%\n", job->list[list[i].index].name,
               (long long)list[i].misses, list[i].rate,
               100 * ((double)list[i].misses / (double)list[0].misses - 1));
    if (chosen == plain)
        printf("Use %s: nothing else saves more than %g %% of its misses.\n", name, o->tolerance);
    else
        printf("Use %s: it saves %.1f %% of the misses of %s.\n", name,
               100 * (1 - (double)chosen->misses / (double)plain->misses),
               job->list[plain->index].name);
    if (chosen != &list[0])
        printf("(%s has the fewest, but by no more than %g %%.)\n", job->list[list[0].index].name,
               o->tolerance);
    printf("For bins of particles: md --ordering %s\n",
           torre_ordering_write(&job->list[chosen->index].spec).text);
}

static torre_status run(locality_job *job, recommend_options *o)
{
    candidate list[LOCALITY_MAX_ORDERINGS];
    TORRE_TRY(set_model(o));
    TORRE_TRY(locality_check_reach(job));
    TORRE_TRY(locality_check_memory(job, TORRE_MISSES_BYTES));
    for (int i = 0; i < job->count; i++) {
        torre_misses m;
        TORRE_TRY(torre_misses_make(&job->list[i].ordering, &job->stencil, o->block, &m));
        list[i] =
            (candidate){i, torre_misses_at(&m, o->capacity), torre_misses_rate(&m, o->capacity)};
        torre_misses_free(&m);
    }
    qsort(list, (size_t)job->count, sizeof *list, by_misses);
    const candidate *chosen = choose(list, job->count, o->tolerance), *plain = list;
    for (int i = 0; i < job->count; i++)
        if (list[i].index == 0) plain = &list[i];
    report(job, o, list, chosen, plain);
    if (job->table) print_table(job, o, list, chosen, plain);
    if (job->csv) {
        FILE *out = torre_output_stream(job->csv);
        fprintf(out, "ordering,misses,miss_rate\n");
        for (int i = 0; i < job->count; i++)
            fprintf(out, "%s,%lld,%.9g\n", job->list[list[i].index].name, (long long)list[i].misses,
                    list[i].rate);
    }
    return TORRE_OK;
}

static void plot_commands(const locality_job *job, FILE *script)
{
    (void)job;
    fprintf(script, "set ylabel 'misses'\n"
                    "set yrange [0:*]\n"
                    "set style fill solid 0.6\n"
                    "set boxwidth 0.8\n"
                    "set xtics rotate by -30\n"
                    "plot data every ::1 using 0:2:xtic(1) with boxes notitle\n");
}

torre_status locality_recommend(int argc, char **argv)
{
    locality_job job = {
        .subcommand = "recommend",
        .about =
            "Ranks orderings by the misses of a cache of the given size (the model of\n"
            "`locality cache`) and recommends one: the simplest of those within the tolerance of\n"
            "the best. Unless --ordering says more, it compares those that md and wave take. The\n"
            "default cache is the level-2 cache of this machine. The model knows no hardware that\n"
            "fetches ahead, which favours row-major order; the benchmark bench_gather measures\n"
            "what remains of a difference.\n\n"
            "  locality recommend --size 128 --cache 256K --bin-bytes 32\n",
        .ordering_limit = LOCALITY_MAX_ORDERINGS,
        .ordering = ALL_ORDERINGS,
        .size = {64, 0, 0},
        .shape = TORRE_BIN_BLOCK,
        .reach = 1,
        .plot_commands = plot_commands};
    char level2[32];
    int64_t found = torre_cpu_get()->cache[2];
    snprintf(level2, sizeof level2, "%lld", (long long)(found > 0 ? found : 1 << 20));
    recommend_options o = {.cache = level2, .line = 64, .bin_bytes = 64, .tolerance = 2};
    torre_option table[] = {LOCALITY_BOX_OPTIONS(job),
                            LOCALITY_STENCIL_OPTIONS(job),
                            {.name = "Cache", .kind = TORRE_OPTION_GROUP},
                            {.name = "cache",
                             .kind = TORRE_OPTION_TEXT,
                             .value = &o.cache,
                             .metavar = "BYTES",
                             .default_text = "level 2 of this machine",
                             .help = "its size, as 262144 or 256K"},
                            {.name = "line",
                             .kind = TORRE_OPTION_INTEGER,
                             .value = &o.line,
                             .low = 1,
                             .high = 1 << 20,
                             .metavar = "BYTES",
                             .help = "size of a cache line"},
                            {.name = "bin-bytes",
                             .kind = TORRE_OPTION_INTEGER,
                             .value = &o.bin_bytes,
                             .low = 1,
                             .high = 1 << 20,
                             .metavar = "BYTES",
                             .help = "data of a bin"},
                            {.name = "tolerance",
                             .kind = TORRE_OPTION_REAL,
                             .value = &o.tolerance,
                             .low = 0,
                             .high = 100,
                             .metavar = "PERCENT",
                             .help = "differences that are not worth a more complicated ordering"},
                            LOCALITY_OUTPUT_OPTIONS(job),
                            {0}};
    bool stop;
    TORRE_TRY(locality_job_start(&job, table, argc, argv, &stop));
    if (stop) return TORRE_OK;
    torre_status status = run(&job, &o);
    if (!status) torre_report_options(job.report, table);
    return locality_job_end(&job, status);
}
