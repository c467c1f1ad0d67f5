/* Misses of the LRU cache model for every capacity, for one ordering. */
#ifndef TORRE_LOCALITY_MISSES_H
#define TORRE_LOCALITY_MISSES_H

#include <stdint.h>

#include "core/status.h"
#include "tiling/locality.h"

typedef struct locality_misses {
    int64_t block;    /* bins a block */
    int64_t blocks;   /* blocks of the box */
    int64_t accesses; /* reads of bins */
    int64_t first;    /* first reads of a block: misses of any cache */
    int64_t *misses;  /* [blocks + 1] by capacity in blocks */
} locality_misses;

/* TORRE_ERR_RESOURCE without memory. Free with locality_misses_free. */
torre_status locality_misses_make(const torre_ordering *o, const torre_stencil_bins *s,
                                  int64_t block, locality_misses *m);
void locality_misses_free(locality_misses *m);

/* Misses of a cache of so many blocks, >= 0; more than the box has count as all. */
int64_t locality_misses_at(const locality_misses *m, int64_t capacity);

/* The same over the reads. */
double locality_misses_rate(const locality_misses *m, int64_t capacity);

/* Bytes a bin that making it takes, for locality_check_memory. */
enum { LOCALITY_MISSES_BYTES = 16 + 36 };

#endif
