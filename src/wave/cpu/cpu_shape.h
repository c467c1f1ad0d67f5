/*
 * Sizes of the blocks that the engines of the cpu backend work on, chosen from the caches of the
 * machine. They change the speed, never the result.
 */
#ifndef TORRE_CPU_SHAPE_H
#define TORRE_CPU_SHAPE_H

#include "torre/wave.h"

/* Bytes of the second level cache that one core has to itself. */
typedef struct torre_caches {
    int64_t level2;
} torre_caches;

/* Most rows of a block along y. */
#define TORRE_ROWS_MAX 256

typedef struct torre_cpu_shape {
    int64_t rows;   /* stepwise: rows of a block along y */
    int64_t depth;  /* stepwise: cells of a block along z; a multiple of 64 bytes */
    int64_t window; /* torre: cells along z that a tower climbs with at once; a multiple of 64
                       bytes; nz rounded up to it (one window) where that fits into the cache,
                       and always with periodic faces along z */
    int64_t dts;    /* torre: tile size */
    int64_t height; /* torre: steps of a tower */
} torre_cpu_shape;

/* The caches of this machine; typical sizes where it does not tell. */
torre_caches torre_caches_get(void);

/* The shape for a problem. dts and height: the caller's wish, 0 to choose. */
torre_cpu_shape torre_cpu_shape_choose(const torre_wave_problem *problem, torre_caches caches,
                                       int dts, int64_t height);

/* Whether blocks of so many cells along z cut none of the perfectly matched layers there, each of
 * which is updated all at once. */
bool torre_cpu_shape_keeps_layers(const torre_wave_problem *problem, int64_t depth);

#endif
