#include "particles/md_sum.h"

#include <string.h>

#include "particles/cpu/cpu_share.h"

/* Parts of this rank's storage: the first may have begun in that of another, and the last may go on
 * in that of the next. */
typedef struct parts {
    const torre_md_store *store;
    const torre_md_sum_of *of;
    int64_t before, count; /* places of the first part before this rank's; parts */
} parts;

static double *row_of(const parts *p, int64_t part) { return p->store->sums + part * p->of->width; }

static void add(const parts *p, int64_t part)
{
    const int64_t from = part * p->of->places - p->before, to = from + p->of->places;
    const int64_t count = p->store->count;
    p->of->add(p->of->context, from < 0 ? 0 : from, to < count ? to : count, row_of(p, part));
}

static void add_up(const double *rows, int64_t count, int width, double *total)
{
    for (int64_t r = 0; r < count; r++)
        for (int k = 0; k < width; k++) total[k] += rows[r * width + k];
}

void torre_md_sum_rows(const torre_md_store *store, const double *rows, int64_t count, int width,
                       double *total)
{
    memset(total, 0, (size_t)width * sizeof *total);
    if (store->share)
        torre_cpu_share_rows(store->share, rows, count, width, total);
    else
        add_up(rows, count, width, total);
}

void torre_md_sum(const torre_md_store *store, const torre_md_sum_of *of, double *total)
{
    const int64_t before = store->first % of->places, end = before + store->count;
    const parts p = {store, of, before, (end + of->places - 1) / of->places};
    const int64_t bytes = of->width * (int64_t)sizeof(double);
    const bool begun = before > 0;
    const bool goes_on = store->share && end % of->places && !torre_cpu_share_last(store->share);
    memset(store->sums, 0, (size_t)(p.count * bytes));
    if (goes_on && (p.count > 1 || !begun)) { /* at once: the next one waits for it */
        add(&p, p.count - 1);
        torre_cpu_share_pass(store->share, row_of(&p, p.count - 1), bytes);
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(store->threads)
    for (int64_t part = begun; part < p.count - goes_on; part++) add(&p, part);
    if (begun) {
        torre_cpu_share_take(store->share, row_of(&p, 0), bytes);
        add(&p, 0);
        if (goes_on && p.count == 1) torre_cpu_share_pass(store->share, row_of(&p, 0), bytes);
    }
    for (int64_t part = 0; of->close && part < p.count - goes_on; part++)
        of->close(row_of(&p, part));
    torre_md_sum_rows(store, store->sums, p.count - goes_on, of->width, total);
}
