#include "io/percentile.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/array_value.h"

enum { STEPS = 256, EXPONENTS = 2200 }; /* buckets an octave; octaves of f64 with denormals */
enum { BUCKETS = STEPS * EXPONENTS };
enum { MANY = 1 << 18 }; /* values that are worth starting threads for */

struct torre_magnitudes {
    int64_t total;
    int64_t bucket[BUCKETS];
};

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

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture");
}

torre_status torre_magnitudes_new(torre_magnitudes **magnitudes)
{
    *magnitudes = calloc(1, sizeof **magnitudes);
    return *magnitudes ? TORRE_OK : no_memory();
}

torre_status torre_magnitudes_add(torre_magnitudes *m, torre_precision precision, const void *data,
                                  int64_t count)
{
    const int64_t added = count_values(precision, data, count, m->bucket);
    if (added < 0) return no_memory();
    m->total += added;
    return TORRE_OK;
}

static double middle_of(int b)
{
    return ldexp(0.5 + (b % STEPS + 0.5) / (2 * STEPS), b / STEPS - EXPONENTS / 2);
}

double torre_magnitudes_below(const torre_magnitudes *m, double fraction)
{
    int64_t below = 0;
    for (int b = 0; b < BUCKETS && m->total > 0; b++) {
        below += m->bucket[b];
        if ((double)below >= fraction * (double)m->total) return middle_of(b);
    }
    return 0;
}

double torre_magnitudes_above(const torre_magnitudes *m, int64_t count)
{
    int64_t above = 0;
    for (int b = BUCKETS - 1; b >= 0 && above < m->total; b--) {
        above += m->bucket[b];
        if (above > count) return middle_of(b);
    }
    return 0;
}

void torre_magnitudes_free(torre_magnitudes *m) { free(m); }

torre_status torre_percentile(torre_precision precision, const void *data, int64_t count,
                              double fraction, double *magnitude)
{
    torre_magnitudes *m;
    TORRE_TRY(torre_magnitudes_new(&m));
    const torre_status status = torre_magnitudes_add(m, precision, data, count);
    *magnitude = torre_magnitudes_below(m, fraction);
    torre_magnitudes_free(m);
    return status;
}
