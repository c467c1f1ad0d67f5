/* What the points of a sweep amount to. */
#ifndef TORRE_SWEEP_SUMMARY_H
#define TORRE_SWEEP_SUMMARY_H

#include "roofline/sweep_run.h"

/*
 * The fastest timed point of that order and engine; dts 0: of any DTS. NULL when there is none.
 */
const torre_sweep_point *torre_sweep_best(const torre_sweep_point *points, int count, int order,
                                          torre_engine engine, int dts);

/* DTS values of the timed towers of that order, ascending; returns how many (at most limit). */
int torre_sweep_dts_values(const torre_sweep_point *points, int count, int order, int *values,
                           int limit);

/* How many points there are of each state, and how many are more than 5 % above their ceiling: that
 * was measured in a bad moment, or the model counts too many bytes. */
typedef struct torre_sweep_tally {
    int timed, refused, wrong, above;
} torre_sweep_tally;

torre_sweep_tally torre_sweep_count(const torre_sweep_results *results);

/*
 * What an ordering is worth: rate over that in row-major order, the median over all tiles that were
 * measured both ways.
 */
typedef struct torre_sweep_gain {
    torre_ordering_spec ordering;
    double gain;
    int tiles; /* >= 1 */
} torre_sweep_gain;

/* The gains of the orderings, those first that were measured first; returns how many. */
int torre_sweep_gains(const torre_sweep_results *results, torre_sweep_gain gain[TORRE_LIST_LIMIT]);

#endif
