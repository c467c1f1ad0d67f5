/*
 * How often to sort the storage of particles, found out while they are computed.
 *
 * Steps become slower with the steps since a sort, their age a, as neighbours leave each other in
 * memory: cost(a) = c + k a. Sorts every n steps that take S add S/n + k n/2 to a step, the least
 * with n = sqrt(2 S/k), and flat around it: with n off by half, a tenth of what is added.
 *
 * k and c are a line through measured steps, least squares over some thousand of them, of which
 * older ones count less; S what a rebuild with a sort takes more than those without one.
 * While k is lost in the noise, the cycles double, so that it shows; n changes by a factor of two
 * at most from one cycle to the next. Times that other programs have disturbed are cut to twice
 * those expected.
 */
#ifndef TORRE_SORT_TUNING_H
#define TORRE_SORT_TUNING_H

#include <stdbool.h>
#include <stdint.h>

#define TORRE_SORT_FIRST INT64_C(32)     /* steps of the first cycle */
#define TORRE_SORT_MOST  INT64_C(100000) /* and of the longest */

/* Plain data; zero but for interval at the start. */
typedef struct torre_sort_tuning {
    int64_t interval;                /* n, steps from one sort to the next */
    double weight, a, y, aa, ay, yy; /* sums over steps, of this weight, of ages a and times y */
    double sorts, sort_s;            /* rebuilds with a sort, weighted, and their seconds */
    double others, other_s;          /* rebuilds without */
} torre_sort_tuning;

torre_sort_tuning torre_sort_tuning_start(void);

/* A step, at that age, took so many seconds, without what its rebuild took to sort particles into
 * bins and storage. */
void torre_sort_tuning_step(torre_sort_tuning *tuning, int64_t age, double seconds);

/* That took so many seconds in a rebuild. With sort, a new cycle begins: choose its length. */
void torre_sort_tuning_rebuild(torre_sort_tuning *tuning, bool sort, double seconds);

#endif
