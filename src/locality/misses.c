#include "locality/misses.h"

#include <stdlib.h>

torre_status torre_misses_make(const torre_ordering *o, const torre_stencil_bins *s, int64_t block,
                               torre_misses *m)
{
    int64_t cells = torre_ordering_cells(o);
    *m = (torre_misses){.block = block, .blocks = (cells + block - 1) / block};
    m->misses = malloc((size_t)(m->blocks + 1) * sizeof *m->misses);
    torre_reuse *reuse = torre_reuse_new(m->blocks);
    if (!m->misses || !reuse || !torre_locality_accesses(o, s, block, reuse)) {
        torre_reuse_free(reuse);
        torre_misses_free(m);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld bins in blocks of %lld",
                          (long long)cells, (long long)block);
    }
    torre_reuse_misses(reuse, m->misses);
    m->accesses = torre_reuse_accesses(reuse);
    m->first = torre_reuse_first(reuse);
    torre_reuse_free(reuse);
    return TORRE_OK;
}

void torre_misses_free(torre_misses *m)
{
    free(m->misses);
    *m = (torre_misses){0};
}

int64_t torre_misses_at(const torre_misses *m, int64_t capacity)
{
    return m->misses[capacity < m->blocks ? capacity : m->blocks];
}

double torre_misses_rate(const torre_misses *m, int64_t capacity)
{
    return m->accesses ? (double)torre_misses_at(m, capacity) / (double)m->accesses : 0;
}
