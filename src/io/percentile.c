#include "io/percentile.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/array_value.h"

enum { STEPS = 256, EXPONENTS = 2200 }; /* buckets an octave; octaves of f64 with denormals */
enum { BUCKETS = STEPS * EXPONENTS };
enum { MANY = 1 << 18 }; /* values that are worth starting threads for */

static int bucket_of(double v)
{
    int exponent;
    const double mantissa = frexp(fabs(v), &exponent); /* 0.5 .. 1 */
    return (exponent + EXPONENTS / 2) * STEPS + (int)((mantissa - 0.5) * 2 * STEPS);
}

/*
 * Count values in their buckets, and all of them; -1: no memory. Several threads count for
 * themselves, in pages of the buckets that they meet, and add up.
 */
static int64_t count_values(torre_precision precision, const void *data, int64_t count,
                            int64_t *bucket)
{
    int64_t total = 0;
    int failed = 0;
#pragma omp parallel if (count >= MANY) reduction(+ : total, failed)
    {
        const bool alone = omp_get_num_threads() == 1;
        int64_t *own = alone ? bucket : calloc(BUCKETS, sizeof *own);
        int low = BUCKETS, high = -1;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < count; i++) {
            const double v = torre_value(precision, data, i);
            if (!own || v == 0 || !isfinite(v)) continue;
            const int b = bucket_of(v);
            own[b]++;
            total++;
            low = b < low ? b : low;
            high = b > high ? b : high;
        }
        if (!own) failed++;
        if (!alone) {
#pragma omp critical
            for (int b = low; b <= high; b++) bucket[b] += own[b];
            free(own);
        }
    }
    return failed ? -1 : total;
}

torre_status torre_percentile(torre_precision precision, const void *data, int64_t count,
                              double fraction, double *magnitude)
{
    int64_t *bucket = calloc(BUCKETS, sizeof *bucket), below = 0;
    const int64_t total = bucket ? count_values(precision, data, count, bucket) : -1;
    if (total < 0) {
        free(bucket);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture");
    }
    *magnitude = 0;
    for (int b = 0; b < BUCKETS && total > 0; b++) {
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
