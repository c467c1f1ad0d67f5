/* Which points a sweep consists of. */
#ifndef TORRE_SWEEP_LIST_H
#define TORRE_SWEEP_LIST_H

#include "roofline/sweep.h"

enum { TORRE_LIST_LIMIT = 16 };

/* The values of each axis of the sweep; the first tower height and ordering are the preferred. */
typedef struct torre_sweep_axes {
    int order[TORRE_LIST_LIMIT], orders;
    int dts[TORRE_LIST_LIMIT], dts_count;
    int64_t height[TORRE_LIST_LIMIT];
    int heights;
    torre_ordering_spec ordering[TORRE_LIST_LIMIT];
    int orderings;
    bool stepwise, torre; /* engines */
} torre_sweep_axes;

/* The axes as lists, "2,4,8"; NULL: what suits the backend. */
typedef struct torre_sweep_lists {
    const char *order, *dts, *tower_height, *ordering, *engine;
    bool quick; /* few tile sizes, one tower height, one ordering */
} torre_sweep_lists;

/* Read all lists for a backend ("cpu", "cuda"). TORRE_ERR_USAGE. */
torre_status torre_axes_read(const torre_sweep_lists *lists, const char *backend,
                             torre_sweep_axes *axes);

/* How long a sweep of the usual lists takes, seconds. */
double torre_sweep_usual_seconds(const char *backend, bool quick);

/*
 * All combinations, coarse to fine, so that whatever has been measured when a sweep ends early is
 * worth having: stepwise; towers of the preferred height and ordering; the other heights; the
 * other orderings with the preferred height; the rest. *points is the caller's to free.
 */
torre_status torre_sweep_list(const torre_sweep_axes *axes, int threads, int device,
                              torre_sweep_point **points, int *count);

/*
 * Read "2,4,8" style lists for the option of that name (for messages); every value must be legal
 * and given once. TORRE_ERR_USAGE otherwise.
 */
torre_status torre_axes_read_orders(torre_sweep_axes *axes, const char *option, const char *text);
torre_status torre_axes_read_dts(torre_sweep_axes *axes, const char *option, const char *text);
torre_status torre_axes_read_heights(torre_sweep_axes *axes, const char *option, const char *text);
torre_status torre_axes_read_orderings(torre_sweep_axes *axes, const char *option,
                                       const char *text);
torre_status torre_axes_read_engines(torre_sweep_axes *axes, const char *option, const char *text);

#endif
