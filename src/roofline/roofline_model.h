/*
 * What an update costs by the model, and which ceiling bounds it.
 *
 * Operations, counted from the scheme with constant velocity and each direction summed separately,
 * R = order / 2: 3R additions of pairs, 3R multiply-adds (the first of each direction only
 * multiplies), one multiply-add for K u - u_prev and 3 additions to join: 6R + 4 instructions,
 * 9R + 2 operations.
 *
 * Bytes, modelled (never measured here, and labelled so): main memory as the engine says itself;
 * for towers also
 *
 * - the cache that holds the towers of all threads serves at least the update in place: 3 values;
 * - on a GPU the towers are held by registers and shared memory, and the last-level cache serves
 *   what enters and leaves them: per step of a diamond of 2 D^2 cells the halo of 4 D R + 2 R^2
 *   cells, read once, and 4 values per cell for its way through the tower, 2D/R = 2 DTS updates:
 *   (2 R/D + (R/D)^2 + 4/DTS) values.
 */
#ifndef TORRE_ROOFLINE_MODEL_H
#define TORRE_ROOFLINE_MODEL_H

#include "roofline/ceilings.h"
#include "torre/wave.h"

/* Operations and instructions of one update. */
double torre_model_operations(int order);
double torre_model_instructions(int order);

/* What a run is bounded by. */
typedef struct torre_model_bound {
    torre_ceiling_id ceiling;   /* the governing one */
    double gcells_per_s;        /* the rate it allows */
    double bytes_per_update;    /* main memory, modelled */
    double operations_per_byte; /* arithmetic intensity with respect to main memory */
} torre_model_bound;

/*
 * The bound for a planned run of `size` cells on a measured machine. Ceilings that the machine
 * lacks do not bind; with none at all the rate is 0.
 */
void torre_model_bind(const torre_machine *machine, const torre_wave_info *info, int order,
                      torre_precision precision, const int64_t size[3], torre_model_bound *bound);

#endif
