/*
 * Which ordering for a given cache: orderings ranked by the misses of the LRU model (misses.h), and
 * the simplest of those that are about as good as the best.
 */
#ifndef TORRE_RANKING_H
#define TORRE_RANKING_H

#include "locality/misses.h"

/* A cache as the model sees it. */
typedef struct torre_bin_cache {
    int64_t bytes, line, bin_bytes; /* in: of the cache, of its lines, of the data of a bin */
    int64_t block, capacity;        /* out: bins in a block, blocks in the cache */
} torre_bin_cache;

/* Lines and bytes to blocks and bins; a bin larger than a line is a block. TORRE_ERR_USAGE for a
 * cache that does not hold one. */
torre_status torre_bin_cache_set(torre_bin_cache *cache);

typedef struct torre_ranked {
    int index; /* of the ordering */
    int64_t misses;
    double rate;
} torre_ranked;

/*
 * Rank ordering[count], the simplest of which come first, by their misses, fewest first, into
 * ranked[count]. TORRE_ERR_RESOURCE without memory.
 */
torre_status torre_rank(const torre_ordering *const *ordering, int count,
                        const torre_stencil_bins *stencil, const torre_bin_cache *cache,
                        torre_ranked *ranked);

/* The place in the ranking of the simplest ordering whose misses exceed the fewest by no more than
 * so many percent. */
int torre_rank_choose(const torre_ranked *ranked, int count, double tolerance);

#endif
