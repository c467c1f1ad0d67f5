/* Order statistics of magnitudes, for scales of pictures. */
#ifndef TORRE_PERCENTILE_H
#define TORRE_PERCENTILE_H

#include <stdint.h>

#include "torre/array.h"
#include "torre/status.h"

/* Counts of magnitudes, of array after array: a histogram over the exponent and 8 bits of the
 * mantissa. Zeros and what is not finite do not count. */
typedef struct torre_magnitudes torre_magnitudes;

/* Nothing counted; TORRE_ERR_RESOURCE. */
torre_status torre_magnitudes_new(torre_magnitudes **magnitudes);
torre_status torre_magnitudes_add(torre_magnitudes *magnitudes, torre_precision precision,
                                  const void *data, int64_t count);

/* The magnitude below which the given fraction (0 .. 1) of those counted lie, within 0.4 %; 0 when
 * there are none. */
double torre_magnitudes_below(const torre_magnitudes *magnitudes, double fraction);

/* The magnitude above which no more than so many of them lie, within 0.4 %; 0 when there are no
 * more than that. */
double torre_magnitudes_above(const torre_magnitudes *magnitudes, int64_t count);

/* NULL is fine. */
void torre_magnitudes_free(torre_magnitudes *magnitudes);

/* The same of one array alone. */
torre_status torre_percentile(torre_precision precision, const void *data, int64_t count,
                              double fraction, double *magnitude);

#endif
