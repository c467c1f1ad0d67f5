/* Miss rates of the LRU cache model over the capacity. */
#include "locality/misses.h"
#include "locality/studies.h"

/* The curve falls in steps; where it stays level no line is written. */
static torre_status write_csv(const torre_study *study, int index, const torre_misses *m)
{
    for (int64_t c = 1; study->csv && c <= m->blocks; c++)
        if (c == 1 || c == m->blocks || m->misses[c] != m->misses[c - 1])
            TORRE_TRY(torre_study_row(
                study, study->list[index].name,
                (double[]){(double)c, (double)m->misses[c], torre_misses_rate(m, c)}));
    return TORRE_OK;
}

static void report(torre_study *study, int index, const torre_cache_study *options,
                   const torre_misses *m)
{
    torre_report *at = torre_study_report_of(study, index);
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

static void print_table(const torre_study *study, int index, const torre_cache_study *options,
                        const torre_misses *m)
{
    fprintf(study->table, "%s%s: %lld reads of %lld blocks of %lld bins\n", index ? "\n" : "",
            study->list[index].name, (long long)m->accesses, (long long)m->blocks,
            (long long)options->block);
    fprintf(study->table, "%16s %14s %12s\n", "capacity, blocks", "misses", "miss rate");
    for (int i = 0; i < options->count; i++)
        fprintf(study->table, "%16lld %14lld %12.6f\n", (long long)options->blocks[i],
                (long long)torre_misses_at(m, options->blocks[i]),
                torre_misses_rate(m, options->blocks[i]));
}

static void default_capacities(const torre_study *study, torre_cache_study *options)
{
    int64_t cells = study->size[0] * study->size[1] * study->size[2];
    int64_t blocks = (cells + options->block - 1) / options->block;
    for (int64_t c = 1; c < 2 * blocks && options->count < TORRE_STUDY_NUMBERS; c *= 2)
        options->blocks[options->count++] = c;
}

static torre_status run(torre_study *study)
{
    torre_cache_study *options = study->options;
    TORRE_TRY(torre_study_check_reach(study));
    if (options->capacity)
        TORRE_TRY(torre_study_read_list("capacity", options->capacity, 1, INT64_C(1) << 60,
                                        options->blocks, &options->count));
    else
        default_capacities(study, options);
    TORRE_TRY(torre_study_check_memory(study, TORRE_MISSES_BYTES));
    torre_report_integer(study->report, "block", options->block);
    for (int i = 0; i < study->count; i++) {
        torre_misses m;
        TORRE_TRY(torre_misses_make(&study->list[i].ordering, &study->stencil, options->block, &m));
        torre_status status = write_csv(study, i, &m);
        report(study, i, options, &m);
        if (study->table) print_table(study, i, options, &m);
        torre_misses_free(&m);
        TORRE_TRY(status);
    }
    return TORRE_OK;
}

const torre_study_kind torre_study_cache = {.name = "cache",
                                            .stencil = true,
                                            .ordering_limit = TORRE_STUDY_ORDERINGS,
                                            .column = {"blocks", "misses", "miss_rate"},
                                            .run = run,
                                            .drawn = {"set xlabel 'cache capacity, blocks'\n"
                                                      "set ylabel 'miss rate'\n"
                                                      "set logscale xy\n",
                                                      1, 3, "steps", NULL}};
