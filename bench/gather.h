/*
 * The gather benchmark: bins of data stored along an ordering, visited along the same ordering, and
 * for every visited bin all data of its stencil read and summed. It asks the machine what the cache
 * model of `locality` predicts.
 */
#ifndef TORRE_BENCH_GATHER_H
#define TORRE_BENCH_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "tiling/bins.h"
#include "tiling/ordering.h"

typedef struct gather {
    int64_t bins, visited; /* visited: those whose stencil lies inside the box */
    int64_t stencil;       /* bins read for each of them */
    int64_t bin_floats;    /* floats a bin, a multiple of 4 */
    float *data;           /* [bins][bin_floats], bins in memory order; small whole numbers */
    int32_t *index;        /* memory position of the bin s of the visit v, in visiting order: */
    int64_t visit_stride, stencil_stride; /* index[v * visit_stride + s * stencil_stride] */
    int64_t expected; /* sum of everything read; exact in float for each visit */
} gather;

/*
 * Tables for a box and a stencil. random: bins in random order (the ordering gives the box only).
 * by_stencil: index is [stencil][visited] (threads that visit neighbouring v read it side by side)
 * instead of [visited][stencil]. TORRE_ERR_RESOURCE, TORRE_ERR_USAGE. Free with gather_free.
 */
torre_status gather_make(const torre_ordering *o, const torre_stencil_bins *s, int64_t bin_bytes,
                         bool random, bool by_stencil, gather *g);
void gather_free(gather *g);

/* Seconds of the best and the median repetition; what the device is. */
typedef struct gather_result {
    double best, median;
    char device[128];
    int64_t cache[3]; /* bytes: of level 1, 2, 3; 0 where there is none */
    int64_t line;     /* bytes that are moved together */
} gather_result;

/* Run it repeat >= 1 times after a warm-up; TORRE_ERR_UNSTABLE when the sum is wrong. */
torre_status gather_run_cpu(const gather *g, int threads, int repeat, gather_result *result);
torre_status gather_run_cuda(const gather *g, int device, int repeat, gather_result *result);

/* Best and median of seconds[count] (sorted in place). */
void gather_statistics(double *seconds, int count, gather_result *result);

/* Compare the sums[visited] of a run with what they must add up to. */
torre_status gather_check(const gather *g, const float *sums);

#endif
