/*
 * The hits of block_hits.h over time, of one set of particles stored in several orders: right after
 * a reorder, and as the particles of a gas move on while the order stays.
 */
#ifndef TORRE_HIT_SERIES_H
#define TORRE_HIT_SERIES_H

#include "io/png_image.h"
#include "locality/block_hits.h"
#include "locality/gas.h"

enum { TORRE_HIT_ORDERS = 16 };

typedef struct torre_hit_plan {
    torre_bin_grid bins;
    const char *particles; /* CSV of x,y,z in units of bins; NULL: a gas that fills the box */
    torre_gas_plan gas;    /* all but its length */
    int64_t steps, every; /* sampled at the steps 0, every, 2 every, ...; a file has step 0 alone */
    int64_t cache;        /* particles in a block */
    bool contacts;        /* only partners that touch count as reads */
    int orders;
    const torre_ordering *order[TORRE_HIT_ORDERS]; /* of the bins; NULL: a random permutation */
    double cost, reorder_cost; /* of a miss in hits; of a reorder in misses a particle */
} torre_hit_plan;

/* Members may be read. Must not be moved in memory. */
typedef struct torre_hit_series {
    torre_hit_plan plan;
    torre_gas gas; /* at the last sample */
    int64_t samples;
    torre_bins bins;                 /* with the particles as they are at the last sample */
    int64_t *slot[TORRE_HIT_ORDERS]; /* where particles are stored */
    torre_block_hits *sample[TORRE_HIT_ORDERS]; /* [samples] */
} torre_hit_series;

/*
 * Sort, move and count. What orderings are of must outlive the series. TORRE_ERR_USAGE for a gas
 * that cannot be had, TORRE_ERR_INPUT, TORRE_ERR_RESOURCE. Free with torre_hit_series_free, also
 * after a failure.
 */
torre_status torre_hit_series_make(const torre_hit_plan *plan, torre_hit_series *series);
void torre_hit_series_free(torre_hit_series *series);

/* The share of reads that hit, and how much faster reading is for it. */
double torre_hit_series_ratio(const torre_hit_series *series, int order, int64_t sample);
double torre_hit_series_speedup(const torre_hit_series *series, int order, int64_t sample);

/*
 * The number of steps between reorders that makes a step cheapest on average: a step costs its
 * reads (hit 1, miss `cost`), a reorder so many misses for every particle. Only sampled steps are
 * candidates; between samples the cost is taken as linear. NAN where it is not known: nothing was
 * ever sorted, or there is only one sample.
 */
double torre_hit_series_interval(const torre_hit_series *series, int order);

/* Refuse boxes of more bins than a picture has pixels. TORRE_ERR_USAGE. */
torre_status torre_hit_map_check(const torre_bin_grid *bins);

/*
 * Draw where the reads of an order hit at the last sample: a square for each column of bins, the
 * bluer the more of the reads around it hit. TORRE_ERR_RESOURCE. Free the image.
 */
torre_status torre_hit_map_draw(const torre_hit_series *series, int order, torre_image *image);

#endif
