/* Order statistics of magnitudes, for scales of pictures. */
#ifndef TORRE_PERCENTILE_H
#define TORRE_PERCENTILE_H

#include <stdint.h>

#include "torre/array.h"
#include "torre/status.h"

/*
 * The magnitude below which the given fraction (0 .. 1) of the nonzero finite |data[i]| lie, by a
 * histogram over the exponent and 8 bits of the mantissa (within 0.4 %); 0 when there are none.
 */
torre_status torre_percentile(torre_precision precision, const void *data, int64_t count,
                              double fraction, double *magnitude);

#endif
