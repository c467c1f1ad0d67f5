/*
 * Sums over particles in storage that are the same whatever the threads and ranks. Places are cut
 * into parts, those of all ranks one after another; each part is summed from its first place to its
 * last, and the parts are added up in their order.
 */
#ifndef TORRE_MD_SUM_H
#define TORRE_MD_SUM_H

#include "particles/md_store.h"

enum { TORRE_MD_SUM_WIDTH = 8, TORRE_MD_SUM_LEAST = 256 };

typedef struct torre_md_sum_of {
    int64_t places; /* of a part, at least TORRE_MD_SUM_LEAST */
    int width;      /* numbers that are summed, at most TORRE_MD_SUM_WIDTH */
    /* Add to them what places low to high - 1 have, one after another; from any thread. */
    void (*add)(void *context, int64_t low, int64_t high, double *sum);
    void (*close)(double *sum); /* what remains of a part that is complete; NULL: all */
    void *context;
} torre_md_sum_of;

void torre_md_sum(const torre_md_store *store, const torre_md_sum_of *of, double *total);

/* The same of parts that are complete: count of this rank, of so many numbers. */
void torre_md_sum_rows(const torre_md_store *store, const double *rows, int64_t count, int width,
                       double *total);

/* Bytes of `sums` of a store for so many places. */
static inline int64_t torre_md_sum_bytes(int64_t places)
{
    return (places / TORRE_MD_SUM_LEAST + 3) * TORRE_MD_SUM_WIDTH * (int64_t)sizeof(double);
}

#endif
