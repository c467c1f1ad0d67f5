/* Which ordering for a given cache. */
#include "core/numbers.h"
#include "core/tell.h"
#include "core/units.h"
#include "locality/ranking.h"
#include "locality/studies.h"

/* What was found: the ranking, and the places of the choice and of the simplest in it. */
typedef struct recommendation {
    torre_ranked list[TORRE_STUDY_ORDERINGS];
    const torre_ranked *chosen, *plain;
} recommendation;

static const char *name_of(const torre_study *study, const torre_ranked *r)
{
    return study->list[r->index].name;
}

static double saving(const recommendation *r)
{
    return 100 * (1 - (double)r->chosen->misses / (double)r->plain->misses);
}

static void report(const torre_study *study, const torre_bin_cache *cache, const recommendation *r)
{
    torre_report_text(study->report, "recommended", name_of(study, r->chosen));
    torre_report_text(study->report, "fewest_misses", name_of(study, r->list));
    torre_report_real(study->report, "saving_percent", saving(r));
    torre_report_integer(study->report, "block", cache->block);
    torre_report_integer(study->report, "capacity", cache->capacity);
    torre_report *ranking = torre_report_array(study->report, "ranking");
    for (int i = 0; i < study->count; i++) {
        torre_report *entry = torre_report_object(ranking, NULL);
        torre_report_text(entry, "ordering", name_of(study, &r->list[i]));
        torre_report_integer(entry, "misses", r->list[i].misses);
        torre_report_real(entry, "miss_rate", r->list[i].rate);
    }
}

static void print_table(const torre_study *study, const torre_recommend_study *o,
                        const recommendation *r)
{
    char size[32];
    torre_format_bytes((double)o->cache.bytes, size, sizeof size);
    fprintf(study->table, "cache of %s: %lld blocks of %lld bins\n", size,
            (long long)o->cache.capacity, (long long)o->cache.block);
    fprintf(study->table, "%-28s %14s %12s %14s\n", "ordering", "misses", "miss rate",
            "above the best");
    for (int i = 0; i < study->count; i++)
        fprintf(study->table, "%-28s %14lld %12.6f %13.1f%%\n", name_of(study, &r->list[i]),
                (long long)r->list[i].misses, r->list[i].rate,
                100 * ((double)r->list[i].misses / (double)r->list[0].misses - 1));
    if (r->chosen == r->plain)
        fprintf(study->table, "Use %s: nothing else saves more than %g %% of its misses.\n",
                name_of(study, r->chosen), o->tolerance);
    else
        fprintf(study->table, "Use %s: it saves %.1f %% of the misses of %s.\n",
                name_of(study, r->chosen), saving(r), name_of(study, r->plain));
    if (r->chosen != r->list)
        fprintf(study->table, "(%s has the fewest, but by no more than %g %%.)\n",
                name_of(study, r->list), o->tolerance);
    torre_tell(study->table, "For bins of particles: md {ordering} %s",
               torre_ordering_write(&study->list[r->chosen->index].spec).text);
    fputc('\n', study->table);
}

static torre_status check(torre_study *study)
{
    torre_recommend_study *o = study->options;
    if (torre_parse_bytes(o->bytes, &o->cache.bytes)) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "{cache} must be " TORRE_BYTES_RULE " (got %s)", o->bytes);
}

static torre_status run(torre_study *study)
{
    torre_recommend_study *o = study->options;
    recommendation r;
    const torre_ordering *ordering[TORRE_STUDY_ORDERINGS];
    TORRE_TRY(torre_bin_cache_set(&o->cache));
    TORRE_TRY(torre_study_check_reach(study));
    TORRE_TRY(torre_study_check_memory(study, TORRE_MISSES_BYTES));
    for (int i = 0; i < study->count; i++) ordering[i] = &study->list[i].ordering;
    TORRE_TRY(torre_rank(ordering, study->count, &study->stencil, &o->cache, r.list));
    r.chosen = &r.list[torre_rank_choose(r.list, study->count, o->tolerance)];
    r.plain = r.list;
    for (int i = 0; i < study->count; i++)
        if (r.list[i].index == 0) r.plain = &r.list[i];
    report(study, &o->cache, &r);
    if (study->table) print_table(study, o, &r);
    for (int i = 0; i < study->count; i++)
        TORRE_TRY(torre_study_row(study, name_of(study, &r.list[i]),
                                  (double[]){(double)r.list[i].misses, r.list[i].rate}));
    return TORRE_OK;
}

const torre_study_kind torre_study_recommend = {
    .name = "recommend",
    .stencil = true,
    .ordering_limit = TORRE_STUDY_ORDERINGS,
    .column = {"ordering", "misses", "miss_rate"},
    .text = 1,
    .check = check,
    .run = run,
    .drawn = {"set ylabel 'misses'\n"
              "set yrange [0:*]\n"
              "set style fill solid 0.6\n"
              "set boxwidth 0.8\n"
              "set xtics rotate by -30\n",
              0, 0, NULL, "plot data every ::1 using 0:2:xtic(1) with boxes notitle"}};
