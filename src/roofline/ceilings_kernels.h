/* The loops behind the CPU ceilings, compiled once per instruction set. */
#ifndef TORRE_CEILINGS_KERNELS_H
#define TORRE_CEILINGS_KERNELS_H

#include <stdint.h>

#include "core/cpu.h"

/*
 * Arrays are aligned to 64 bytes and n (floats) is a multiple of 1024; every loop over an array
 * runs `passes` times. Loops over memory use f32.
 */
typedef struct torre_ceiling_kernels {
    torre_isa isa;
    float (*read)(const float *a, int64_t n, int64_t passes);
    void (*write)(float *a, int64_t n, int64_t passes);                /* stores bypass caches */
    void (*copy)(float *a, const float *b, int64_t n, int64_t passes); /* likewise */
    void (*mix)(float *a, const float *b, int64_t n, int64_t passes);  /* a = b/2 - a */
    /* f(turns): returns the operations done per turn, summed over its turns; [f32, f64] */
    double (*fma[2])(int64_t turns);
    double (*add[2])(int64_t turns);
    double (*stencil[2])(int64_t turns);
} torre_ceiling_kernels;

extern const torre_ceiling_kernels torre_ceiling_kernels_base;
extern const torre_ceiling_kernels torre_ceiling_kernels_avx2, torre_ceiling_kernels_avx512;

#endif
