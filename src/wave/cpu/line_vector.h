/*
 * Vectors for the line kernel, on whatever the translation unit is compiled for: AVX-512, AVX2 with
 * FMA, or 16-byte GNU vectors without a fused multiply-add (SSE2, NEON and others).
 *
 * For REAL in {float, double}: vector_REAL, and
 *     fma_REAL(a, b, c) = a b + c,   fms_REAL(a, b, c) = a b - c,
 *     plus_REAL(p, here, above, i)  = the values at p + i,   0 < i < 8,
 *     minus_REAL(p, below, here, i) = the values at p - i,
 * where here = *p, above and below are the vectors after and before it. AVX-512 takes the shifted
 * values from these registers: an unaligned load would cross a cache line every time.
 */
#ifndef TORRE_LINE_VECTOR_H
#define TORRE_LINE_VECTOR_H

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define VECTOR_FUSED (VECTOR_BYTES > 16)
#if VECTOR_FUSED
#include <immintrin.h>
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef float vector_float __attribute__((vector_size(VECTOR_BYTES)));
typedef double vector_double __attribute__((vector_size(VECTOR_BYTES)));
typedef float unaligned_float __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef double unaligned_double __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

ALWAYS_INLINE vector_float load_float(const float *p) { return *(const vector_float *)p; }
ALWAYS_INLINE vector_double load_double(const double *p) { return *(const vector_double *)p; }

#if defined(__AVX512F__)

#define VECTOR_SHIFTS 1

ALWAYS_INLINE vector_float fma_float(vector_float a, vector_float b, vector_float c)
{
    return _mm512_fmadd_ps(a, b, c);
}
ALWAYS_INLINE vector_float fms_float(vector_float a, vector_float b, vector_float c)
{
    return _mm512_fmsub_ps(a, b, c);
}
ALWAYS_INLINE vector_double fma_double(vector_double a, vector_double b, vector_double c)
{
    return _mm512_fmadd_pd(a, b, c);
}
ALWAYS_INLINE vector_double fms_double(vector_double a, vector_double b, vector_double c)
{
    return _mm512_fmsub_pd(a, b, c);
}

#define SHIFT_float(low, high, n)                                                                  \
    (vector_float) _mm512_alignr_epi32((__m512i)(high), (__m512i)(low), n)
#define SHIFT_double(low, high, n)                                                                 \
    (vector_double) _mm512_alignr_epi64((__m512i)(high), (__m512i)(low), n)

/* The shift is an immediate operand: one case for each, of which the compiler keeps one. */
#define SHIFTED(REAL, low, high, i, PLACE)                                                         \
    switch (i) {                                                                                   \
    case 1:                                                                                        \
        return SHIFT_##REAL(low, high, PLACE(REAL, 1));                                            \
    case 2:                                                                                        \
        return SHIFT_##REAL(low, high, PLACE(REAL, 2));                                            \
    case 3:                                                                                        \
        return SHIFT_##REAL(low, high, PLACE(REAL, 3));                                            \
    case 4:                                                                                        \
        return SHIFT_##REAL(low, high, PLACE(REAL, 4));                                            \
    case 5:                                                                                        \
        return SHIFT_##REAL(low, high, PLACE(REAL, 5));                                            \
    case 6:                                                                                        \
        return SHIFT_##REAL(low, high, PLACE(REAL, 6));                                            \
    default:                                                                                       \
        return SHIFT_##REAL(low, high, PLACE(REAL, 7));                                            \
    }
#define UP(REAL, i)   (i)
#define DOWN(REAL, i) (64 / (int)sizeof(REAL) - (i))

#define SHIFTED_NEIGHBOURS(REAL)                                                                   \
    ALWAYS_INLINE vector_##REAL plus_##REAL(const REAL *p, vector_##REAL here,                     \
                                            vector_##REAL above, int i)                            \
    {                                                                                              \
        (void)p;                                                                                   \
        SHIFTED(REAL, here, above, i, UP)                                                          \
    }                                                                                              \
    ALWAYS_INLINE vector_##REAL minus_##REAL(const REAL *p, vector_##REAL below,                   \
                                             vector_##REAL here, int i)                            \
    {                                                                                              \
        (void)p;                                                                                   \
        SHIFTED(REAL, below, here, i, DOWN)                                                        \
    }
SHIFTED_NEIGHBOURS(float)
SHIFTED_NEIGHBOURS(double)

#else

#define VECTOR_SHIFTS 0

#define UNALIGNED_NEIGHBOURS(REAL)                                                                 \
    ALWAYS_INLINE vector_##REAL plus_##REAL(const REAL *p, vector_##REAL here,                     \
                                            vector_##REAL above, int i)                            \
    {                                                                                              \
        (void)here, (void)above;                                                                   \
        return *(const unaligned_##REAL *)(p + i);                                                 \
    }                                                                                              \
    ALWAYS_INLINE vector_##REAL minus_##REAL(const REAL *p, vector_##REAL below,                   \
                                             vector_##REAL here, int i)                            \
    {                                                                                              \
        (void)below, (void)here;                                                                   \
        return *(const unaligned_##REAL *)(p - i);                                                 \
    }
UNALIGNED_NEIGHBOURS(float)
UNALIGNED_NEIGHBOURS(double)

#if VECTOR_BYTES == 32
ALWAYS_INLINE vector_float fma_float(vector_float a, vector_float b, vector_float c)
{
    return _mm256_fmadd_ps(a, b, c);
}
ALWAYS_INLINE vector_float fms_float(vector_float a, vector_float b, vector_float c)
{
    return _mm256_fmsub_ps(a, b, c);
}
ALWAYS_INLINE vector_double fma_double(vector_double a, vector_double b, vector_double c)
{
    return _mm256_fmadd_pd(a, b, c);
}
ALWAYS_INLINE vector_double fms_double(vector_double a, vector_double b, vector_double c)
{
    return _mm256_fmsub_pd(a, b, c);
}
#else
#define UNFUSED(REAL)                                                                              \
    ALWAYS_INLINE vector_##REAL fma_##REAL(vector_##REAL a, vector_##REAL b, vector_##REAL c)      \
    {                                                                                              \
        return a * b + c;                                                                          \
    }                                                                                              \
    ALWAYS_INLINE vector_##REAL fms_##REAL(vector_##REAL a, vector_##REAL b, vector_##REAL c)      \
    {                                                                                              \
        return a * b - c;                                                                          \
    }
UNFUSED(float)
UNFUSED(double)
#endif

#endif
#endif
