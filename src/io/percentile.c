#include "io/percentile.h"

#include <math.h>
#include <stdlib.h>

#include "core/array_value.h"

enum { STEPS = 256, EXPONENTS = 2200 }; /* buckets an octave; octaves of f64 with denormals */

torre_status torre_percentile(torre_precision precision, const void *data, int64_t count,
                              double fraction, double *magnitude)
{
    int64_t *bucket = calloc((size_t)STEPS * EXPONENTS, sizeof *bucket), total = 0, below = 0;
    if (!bucket) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture");
    for (int64_t i = 0; i < count; i++) {
        double v = torre_value(precision, data, i);
        if (v == 0 || !isfinite(v)) continue;
        int exponent;
        double mantissa = frexp(fabs(v), &exponent); /* 0.5 .. 1 */
        bucket[(exponent + EXPONENTS / 2) * STEPS + (int)((mantissa - 0.5) * 2 * STEPS)]++;
        total++;
    }
    *magnitude = 0;
    for (int b = 0; b < STEPS * EXPONENTS && total > 0; b++) {
        below += bucket[b];
        if ((double)below >= fraction * (double)total) {
            double mantissa = 0.5 + (b % STEPS + 0.5) / (2 * STEPS);
            *magnitude = ldexp(mantissa, b / STEPS - EXPONENTS / 2);
            break;
        }
    }
    free(bucket);
    return TORRE_OK;
}
