/*
 * Vectors of TORRE_END_BYTES for layers across z, whatever the instruction set, at any place of
 * memory; after line_vector.h. For REAL in {float, double}: short_REAL, and
 *     short_fma_REAL(a, b, c) = a b + c,
 *     short_up_REAL(v, w)     = v without its first value, and then the first of w,
 *     short_down_REAL(v, w)   = the last of w, and then v without its last value.
 */
#ifndef TORRE_SHORT_VECTOR_H
#define TORRE_SHORT_VECTOR_H

#include "wave/cpu/layer_kernel.h"

typedef float short_float
    __attribute__((vector_size(TORRE_END_BYTES), aligned(sizeof(float)), may_alias));
typedef double short_double
    __attribute__((vector_size(TORRE_END_BYTES), aligned(sizeof(double)), may_alias));

#if VECTOR_FUSED
ALWAYS_INLINE short_float short_fma_float(short_float a, short_float b, short_float c)
{
    return _mm256_fmadd_ps(a, b, c);
}
ALWAYS_INLINE short_double short_fma_double(short_double a, short_double b, short_double c)
{
    return _mm256_fmadd_pd(a, b, c);
}
#else
ALWAYS_INLINE short_float short_fma_float(short_float a, short_float b, short_float c)
{
    return a * b + c;
}
ALWAYS_INLINE short_double short_fma_double(short_double a, short_double b, short_double c)
{
    return a * b + c;
}
#endif

/* The compiler's own, by either name: clang and new GCC have the first, old GCC the second. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define PICK(mask, v, w, ...) __builtin_shufflevector(v, w, __VA_ARGS__)
#endif
#endif
#ifndef PICK
typedef int short_float_places __attribute__((vector_size(TORRE_END_BYTES)));
typedef long long short_double_places __attribute__((vector_size(TORRE_END_BYTES)));
#define PICK(mask, v, w, ...) __builtin_shuffle(v, w, (mask){__VA_ARGS__})
#endif

ALWAYS_INLINE short_float short_up_float(short_float v, short_float w)
{
    return PICK(short_float_places, v, w, 1, 2, 3, 4, 5, 6, 7, 8);
}
ALWAYS_INLINE short_float short_down_float(short_float v, short_float w)
{
    return PICK(short_float_places, w, v, 7, 8, 9, 10, 11, 12, 13, 14);
}
ALWAYS_INLINE short_double short_up_double(short_double v, short_double w)
{
    return PICK(short_double_places, v, w, 1, 2, 3, 4);
}
ALWAYS_INLINE short_double short_down_double(short_double v, short_double w)
{
    return PICK(short_double_places, w, v, 3, 4, 5, 6);
}
#undef PICK

#endif
