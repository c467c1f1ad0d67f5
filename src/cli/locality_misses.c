#include "cli/locality_misses.h"

#include <stdlib.h>

torre_status locality_misses_make(const torre_ordering *o, const torre_stencil_bins *s,
                                  int64_t block, locality_misses *m)
{
    int64_t cells = torre_ordering_cells(o);
    *m = (locality_misses){.block = block, .blocks = (cells + block - 1) / block};
    m->misses = malloc((size_t)(m->blocks + 1) * sizeof *m->misses);
    torre_reuse *reuse = torre_reuse_new(m->blocks);
    if (!m->misses || !reuse || !torre_locality_accesses(o, s, block, reuse)) {
        torre_reuse_free(reuse);
        locality_misses_free(m);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld bins in blocks of %lld",
                          (long long)cells, (long long)block);
    }
    torre_reuse_misses(reuse, m->misses);
    m->accesses = torre_reuse_accesses(reuse);
    m->first = torre_reuse_first(reuse);
    torre_reuse_free(reuse);
    return TORRE_OK;
}

void locality_misses_free(locality_misses *m)
{
    free(m->misses);
    *m = (locality_misses){0};
}

int64_t locality_misses_at(const locality_misses *m, int64_t capacity)
{
    return m->misses[capacity < m->blocks ? capacity : m->blocks];
}

double locality_misses_rate(const locality_misses *m, int64_t capacity)
{
    return m->accesses ? (double)locality_misses_at(m, capacity) / (double)m->accesses : 0;
}
