/* Single values of arrays of either precision. */
#ifndef TORRE_ARRAY_VALUE_H
#define TORRE_ARRAY_VALUE_H

#include "torre/array.h"

/* Value i of an array of either precision. */
static inline double torre_value(torre_precision precision, const void *values, int64_t i)
{
    return precision == TORRE_F32 ? (double)((const float *)values)[i]
                                  : ((const double *)values)[i];
}

/* The same to write, rounded to the precision. */
static inline void torre_value_set(torre_precision precision, void *values, int64_t i, double value)
{
    if (precision == TORRE_F32)
        ((float *)values)[i] = (float)value;
    else
        ((double *)values)[i] = value;
}

#endif
