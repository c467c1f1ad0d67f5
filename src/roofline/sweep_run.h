/* A whole sweep, kept in directory/sweep.csv point by point, and what it recommends. */
#ifndef TORRE_SWEEP_RUN_H
#define TORRE_SWEEP_RUN_H

#include "roofline/sweep_list.h"

/* The points so far: `count` of `planned`. */
typedef struct torre_sweep_results {
    torre_sweep_point *points; /* the caller's to free */
    int count, planned;
} torre_sweep_results;

typedef struct torre_sweep_order {
    const torre_sweep_setting *setting;
    const torre_sweep_axes *axes;
    const char *directory;
    bool resume; /* keep the points that sweep.csv has */
    int threads, device;
    double seconds;              /* for all points; what is late stays unmeasured */
    bool (*stop)(void *context); /* asked before each point; true ends the sweep */
    /* called after each point, with about how long the others take; may be NULL */
    void (*progress)(void *context, const torre_sweep_results *results, double seconds_left);
    void *context;
} torre_sweep_order;

/* The size that is timed: beyond the caches of the backend ("cpu", "cuda"). */
void torre_sweep_usual_size(const char *backend, torre_precision precision, int64_t size[3]);

/* Refuse a grid that does not fit before anything is measured. TORRE_ERR_RESOURCE. */
torre_status torre_sweep_check_memory(const torre_sweep_setting *setting);

/* Steps of the comparison with the reference: whole towers of every height, and some that are cut
 * off; very high ones are compared in part. */
int64_t torre_sweep_check_steps(const torre_sweep_axes *axes);

/*
 * Measure the points of the axes, appending each to sweep.csv. Ends early, with TORRE_OK and count
 * < planned, when the time is up or stop says so.
 */
torre_status torre_sweep_run(const torre_sweep_order *order, torre_sweep_results *results);

/* Whether the towers of an order of accuracy were compared: every tile size was tried at the
 * preferred height, and two towers at least were timed. */
typedef struct torre_sweep_compared {
    int order, tried, timed;
    bool enough;
} torre_sweep_compared;

/*
 * Recommend (tune_file.h) the best towers of each DTS for the orders of accuracy that were
 * compared: compared[orders of the axes] says which. *stored: how many recommendations there are.
 */
torre_status torre_sweep_recommend(const torre_sweep_order *order,
                                   const torre_sweep_results *results,
                                   torre_sweep_compared *compared, int *stored);

#endif
