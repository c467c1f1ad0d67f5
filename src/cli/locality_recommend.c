/* locality recommend: which ordering for a given cache. */
#include "cli/locality.h"
#include "core/cpu.h"
#include "core/numbers.h"
#include "locality/ranking.h"

/*
 * The simplest first: of orderings that do equally well the first one is recommended. All are names
 * that md and wave take.
 */
#define ALL_ORDERINGS "row-major,morton,hilbert,turtle,moore,peano,pancake,hybrid"

typedef struct recommend_options {
    const char *bytes; /* of the cache, as given */
    torre_bin_cache cache;
    double tolerance; /* percent */
} recommend_options;

/* What was found: the ranking, and the places of the choice and of the simplest in it. */
typedef struct recommendation {
    torre_ranked list[LOCALITY_ORDERINGS];
    const torre_ranked *chosen, *plain;
} recommendation;

static const char *name_of(const locality_job *job, const torre_ranked *r)
{
    return job->list[r->index].name;
}

static double saving(const recommendation *r)
{
    return 100 * (1 - (double)r->chosen->misses / (double)r->plain->misses);
}

static void report(const locality_job *job, const torre_bin_cache *cache, const recommendation *r)
{
    torre_report_text(job->report, "recommended", name_of(job, r->chosen));
    torre_report_text(job->report, "fewest_misses", name_of(job, r->list));
    torre_report_real(job->report, "saving_percent", saving(r));
    torre_report_integer(job->report, "block", cache->block);
    torre_report_integer(job->report, "capacity", cache->capacity);
    torre_report *ranking = torre_report_array(job->report, "ranking");
    for (int i = 0; i < job->count; i++) {
        torre_report *entry = torre_report_object(ranking, NULL);
        torre_report_text(entry, "ordering", name_of(job, &r->list[i]));
        torre_report_integer(entry, "misses", r->list[i].misses);
        torre_report_real(entry, "miss_rate", r->list[i].rate);
    }
}

static void print_table(const locality_job *job, const recommend_options *o,
                        const recommendation *r)
{
    char size[32];
    torre_format_bytes((double)o->cache.bytes, size, sizeof size);
    printf("cache of %s: %lld blocks of %lld bins\n", size, (long long)o->cache.capacity,
           (long long)o->cache.block);
    printf("%-28s %14s %12s %14s\n", "ordering", "misses", "miss rate", "above the best");
    for (int i = 0; i < job->count; i++)
        printf("%-28s %14lld %12.6f %13.1f%%\n", name_of(job, &r->list[i]),
               (long long)r->list[i].misses, r->list[i].rate,
               100 * ((double)r->list[i].misses / (double)r->list[0].misses - 1));
    if (r->chosen == r->plain)
        printf("Use %s: nothing else saves more than %g %% of its misses.\n",
               name_of(job, r->chosen), o->tolerance);
    else
        printf("Use %s: it saves %.1f %% of the misses of %s.\n", name_of(job, r->chosen),
               saving(r), name_of(job, r->plain));
    if (r->chosen != r->list)
        printf("(%s has the fewest, but by no more than %g %%.)\n", name_of(job, r->list),
               o->tolerance);
    printf("For bins of particles: md --ordering %s\n",
           torre_ordering_write(&job->list[r->chosen->index].spec).text);
}

static torre_status check(locality_job *job)
{
    recommend_options *o = job->options;
    if (torre_parse_bytes(o->bytes, &o->cache.bytes)) return TORRE_OK;
    return torre_fail(
        TORRE_ERR_USAGE,
        "--cache must be a whole number of bytes, or of K, M or G (32K), at least 1 (got %s)",
        o->bytes);
}

static torre_status run(locality_job *job)
{
    recommend_options *o = job->options;
    recommendation r;
    const torre_ordering *ordering[LOCALITY_ORDERINGS];
    TORRE_TRY(torre_bin_cache_set(&o->cache));
    TORRE_TRY(locality_check_reach(job));
    TORRE_TRY(locality_check_memory(job, TORRE_MISSES_BYTES));
    for (int i = 0; i < job->count; i++) ordering[i] = &job->list[i].ordering;
    TORRE_TRY(torre_rank(ordering, job->count, &job->stencil, &o->cache, r.list));
    r.chosen = &r.list[torre_rank_choose(r.list, job->count, o->tolerance)];
    r.plain = r.list;
    for (int i = 0; i < job->count; i++)
        if (r.list[i].index == 0) r.plain = &r.list[i];
    report(job, &o->cache, &r);
    if (job->table) print_table(job, o, &r);
    for (int i = 0; i < job->count; i++)
        TORRE_TRY(locality_csv_row(job, name_of(job, &r.list[i]),
                                   (double[]){(double)r.list[i].misses, r.list[i].rate}));
    return TORRE_OK;
}

torre_status locality_recommend(int argc, char **argv)
{
    char level2[32];
    int64_t found = torre_cpu_get()->cache[2];
    snprintf(level2, sizeof level2, "%lld", (long long)(found > 0 ? found : 1 << 20));
    recommend_options o = {.bytes = level2, .cache = {.line = 64, .bin_bytes = 64}, .tolerance = 2};
    locality_job job = {
        .subcommand = "recommend",
        .usage =
            "Usage: locality recommend [OPTION...]\n\n"
            "Ranks orderings by the misses of a cache of the given size (the model of\n"
            "`locality cache`) and recommends one: the simplest of those within the tolerance of\n"
            "the best. Unless --ordering says more, it compares those that md and wave take. The\n"
            "default cache is the level-2 cache of this machine. The model knows no hardware that\n"
            "fetches ahead, which favours row-major order; the benchmark bench_gather measures\n"
            "what remains of a difference.\n\n"
            "  locality recommend --size 128 --cache 256K --bin-bytes 32",
        .ordering_limit = LOCALITY_ORDERINGS,
        .column = {"ordering", "misses", "miss_rate"},
        .text = 1,
        .options = &o,
        .check = check,
        .run = run,
        .ordering = ALL_ORDERINGS,
        .size = {64, 0, 0},
        .shape = TORRE_BIN_BLOCK,
        .reach = 1,
        .drawn = {"set ylabel 'misses'\n"
                  "set yrange [0:*]\n"
                  "set style fill solid 0.6\n"
                  "set boxwidth 0.8\n"
                  "set xtics rotate by -30\n",
                  0, 0, NULL, "plot data every ::1 using 0:2:xtic(1) with boxes notitle"}};
    torre_option table[] = {
        LOCALITY_BOX_OPTIONS(job),
        LOCALITY_STENCIL_OPTIONS(job),
        OPTION_GROUP("Cache"),
        OPTION_TEXT("cache", &o.bytes, "BYTES", "level 2 of this machine",
                    "its size, as 262144 or 256K"),
        OPTION_NUMBER("line", &o.cache.line, 1, 1 << 20, "BYTES", "size of a cache line"),
        OPTION_NUMBER("bin-bytes", &o.cache.bin_bytes, 1, 1 << 20, "BYTES", "data of a bin"),
        OPTION_REAL("tolerance", &o.tolerance, 0, 100, "PERCENT",
                    "differences that are not worth a more complicated ordering"),
        LOCALITY_OUTPUT_OPTIONS(job),
        {0}};
    return locality_job_run(&job, table, argc, argv);
}
