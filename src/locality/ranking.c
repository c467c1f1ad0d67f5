#include "locality/ranking.h"

#include <stdlib.h>

torre_status torre_bin_cache_set(torre_bin_cache *c)
{
    const int64_t block_bytes = (c->bin_bytes + c->line - 1) / c->line * c->line;
    c->block = c->bin_bytes < c->line ? c->line / c->bin_bytes : 1;
    c->capacity = c->bytes / block_bytes;
    if (c->capacity >= 1) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "{cache} must be at least %lld bytes to hold one block (got %lld)",
                      (long long)block_bytes, (long long)c->bytes);
}

static int by_misses(const void *a, const void *b)
{
    const torre_ranked *p = a, *q = b;
    if (p->misses != q->misses) return p->misses < q->misses ? -1 : 1;
    return p->index - q->index;
}

torre_status torre_rank(const torre_ordering *const *ordering, int count,
                        const torre_stencil_bins *stencil, const torre_bin_cache *cache,
                        torre_ranked *ranked)
{
    for (int i = 0; i < count; i++) {
        torre_misses m;
        TORRE_TRY(torre_misses_make(ordering[i], stencil, cache->block, &m));
        ranked[i] = (torre_ranked){i, torre_misses_at(&m, cache->capacity),
                                   torre_misses_rate(&m, cache->capacity)};
        torre_misses_free(&m);
    }
    qsort(ranked, (size_t)count, sizeof *ranked, by_misses);
    return TORRE_OK;
}

int torre_rank_choose(const torre_ranked *ranked, int count, double tolerance)
{
    int best = 0;
    for (int i = 0; i < count; i++)
        if ((double)ranked[i].misses <= (double)ranked[0].misses * (1 + tolerance / 100) &&
            ranked[i].index < ranked[best].index)
            best = i;
    return best;
}
