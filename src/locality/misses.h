/* Misses of the LRU cache model for every capacity, for one ordering. */
#ifndef TORRE_MISSES_H
#define TORRE_MISSES_H

#include <stdint.h>

#include "core/status.h"
#include "locality/offsets.h"

typedef struct torre_misses {
    int64_t block;    /* bins a block */
    int64_t blocks;   /* blocks of the box */
    int64_t accesses; /* reads of bins */
    int64_t first;    /* first reads of a block: misses of any cache */
    int64_t *misses;  /* [blocks + 1] by capacity in blocks */
} torre_misses;

/* TORRE_ERR_RESOURCE without memory. Free with torre_misses_free. */
torre_status torre_misses_make(const torre_ordering *o, const torre_stencil_bins *s, int64_t block,
                               torre_misses *m);
void torre_misses_free(torre_misses *m);

/* Misses of a cache of so many blocks, >= 0; more than the box has count as all. */
int64_t torre_misses_at(const torre_misses *m, int64_t capacity);

/* The same over the reads. */
double torre_misses_rate(const torre_misses *m, int64_t capacity);

/* Bytes a bin that making it takes, for locality_check_memory. */
enum { TORRE_MISSES_BYTES = 16 + 36 };

#endif
