/* Dense arrays of real numbers, as fields, velocity models and traces are. */
#ifndef TORRE_PUBLIC_ARRAY_H
#define TORRE_PUBLIC_ARRAY_H

#include <stdint.h>

typedef enum torre_precision { TORRE_F32 = 4, TORRE_F64 = 8 } torre_precision; /* bytes a value */

/*
 * shape[0] x shape[1] x shape[2] values of the precision, C order (the last axis fastest); axes
 * that there are not have length 1. Whoever made data frees it, with free().
 */
typedef struct torre_array {
    torre_precision precision;
    int64_t shape[3];
    void *data;
} torre_array;

#endif
