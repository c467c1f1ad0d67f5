/* The kinds of studies (study.h), and what each is told beside the rest. */
#ifndef TORRE_STUDIES_H
#define TORRE_STUDIES_H

#include "locality/hit_series.h"
#include "locality/ranking.h"
#include "locality/study.h"
#include "locality/tower_view.h"

/* The bins in the order of a curve, its steps, its picture. */
extern const torre_study_kind torre_study_curve;

/* How many bins a stencil has. */
extern const torre_study_kind torre_study_stencil;

/* How far apart in memory a stencil reads. */
extern const torre_study_kind torre_study_offsets;
typedef struct torre_offsets_study {
    const char *within; /* list of limits */
    int64_t limit[TORRE_STUDY_NUMBERS];
    int limits;
} torre_offsets_study;

/* Miss rates of the LRU cache model over the capacity. */
extern const torre_study_kind torre_study_cache;
typedef struct torre_cache_study {
    int64_t block;        /* bins */
    const char *capacity; /* list; NULL: powers of two up to the box */
    int64_t blocks[TORRE_STUDY_NUMBERS];
    int count;
} torre_cache_study;

/* Block cache-hit ratio of particles after a reorder, and its decay. */
extern const torre_study_kind torre_study_hits;
extern const char *const torre_hits_gases[], *const torre_hits_pairs[];
typedef struct torre_hits_study {
    torre_hit_plan plan; /* of the gas only what is said beside: */
    double height;
    int64_t seed;
    int gas, pairs; /* of torre_hits_gases, torre_hits_pairs */
    const char *map;
} torre_hits_study;

/* Which ordering for a given cache. */
extern const torre_study_kind torre_study_recommend;
typedef struct torre_recommend_study {
    const char *bytes; /* of the cache: "32K" */
    torre_bin_cache cache;
    double tolerance; /* percent */
} torre_recommend_study;

/* A tower of diamond tiles, what it depends on, the order in which towers run. */
extern const torre_study_kind torre_study_tower;
typedef struct torre_tower_study {
    int view;
    int64_t order, dts, height, done;
} torre_tower_study;

#endif
