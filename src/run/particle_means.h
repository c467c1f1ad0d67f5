/* How a run of particles is computed, as it is said whatever the model. */
#ifndef TORRE_PARTICLE_MEANS_H
#define TORRE_PARTICLE_MEANS_H

#include "core/orderings.h"
#include "particles/md.h"

typedef struct torre_particle_means {
    const char *backend;               /* "auto", "cpu", "cuda", "reference" */
    int64_t device, threads, block;    /* threads, block 0: auto */
    int precision;                     /* 0: auto, then torre_md_precision + 1 */
    double skin;                       /* in the unit of the model; 0: auto */
    int64_t rebuild_every, sort_every; /* 0: auto, every rebuild */
    const char *ordering;              /* "auto", "none" or an ordering of boxes */
    const char *devices;               /* of torre_md_plan */
} torre_particle_means;

/* Skin, intervals, ordering, threads and device of a plan; all else zero. TORRE_ERR_USAGE. */
torre_status torre_particle_plan(const torre_particle_means *means, torre_md_plan *plan);

/* The precision; auto depends on the backend that will compute this plan. */
torre_status torre_particle_precision(const torre_particle_means *means, const torre_md_plan *plan,
                                      torre_md_precision *precision);

/* The ordering of a plan in words, "none" where it never sorts. */
torre_ordering_words torre_particle_ordering(const torre_md_plan *plan);

#endif
