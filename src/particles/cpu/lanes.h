/*
 * Vectors of lanes, one pair of particles per lane. C template of one translation unit: define
 * TORRE_REAL (type of the arithmetic of pairs), TORRE_STATE (type of positions, velocities and
 * force sums) and TORRE_LANES (4, 8 or 16) and include once.
 */
#ifndef TORRE_LANES_H
#define TORRE_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* TORRE_LANES of each instruction set and type */
#define TORRE_LANES_base_float    4
#define TORRE_LANES_base_double   4
#define TORRE_LANES_avx2_float    8
#define TORRE_LANES_avx2_double   4
#define TORRE_LANES_avx512_float  16
#define TORRE_LANES_avx512_double 8

#define TORRE_INLINE static inline __attribute__((always_inline))

typedef TORRE_REAL torre_lanes __attribute__((vector_size(TORRE_LANES * sizeof(TORRE_REAL))));
typedef TORRE_STATE torre_sum_lanes __attribute__((vector_size(TORRE_LANES * sizeof(TORRE_STATE))));
typedef double torre_wide_lanes __attribute__((vector_size(TORRE_LANES * sizeof(double))));
typedef __typeof__((torre_lanes){0} < (torre_lanes){0}) torre_mask;
typedef TORRE_REAL torre_quad __attribute__((vector_size(4 * sizeof(TORRE_REAL))));
typedef TORRE_STATE torre_quad_state __attribute__((vector_size(4 * sizeof(TORRE_STATE))));

/* In every group of four lanes alike: lanes p q r s of a (0 to 3) and b (4 to 7). */
#define TORRE_LANE(i, group) ((i) < 4 ? (i) + 4 * (group) : (i)-4 + TORRE_LANES + 4 * (group))
#define TORRE_GROUP(g, p, q, r, s)                                                                 \
    TORRE_LANE(p, g), TORRE_LANE(q, g), TORRE_LANE(r, g), TORRE_LANE(s, g)
#if TORRE_LANES == 4
#define TORRE_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, TORRE_GROUP(0, __VA_ARGS__))
#elif TORRE_LANES == 8
#define TORRE_SHUFFLE(a, b, ...)                                                                   \
    __builtin_shufflevector(a, b, TORRE_GROUP(0, __VA_ARGS__), TORRE_GROUP(1, __VA_ARGS__))
#else
#define TORRE_SHUFFLE(a, b, ...)                                                                   \
    __builtin_shufflevector(a, b, TORRE_GROUP(0, __VA_ARGS__), TORRE_GROUP(1, __VA_ARGS__),        \
                            TORRE_GROUP(2, __VA_ARGS__), TORRE_GROUP(3, __VA_ARGS__))
#endif

/* Quads of particles list[0], list[4], ... side by side. */
TORRE_INLINE torre_lanes torre_lanes_quads(const torre_quad *quads, const int32_t *list)
{
#if TORRE_LANES == 4
    return quads[list[0]];
#elif TORRE_LANES == 8
    return __builtin_shufflevector(quads[list[0]], quads[list[4]], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    typedef TORRE_REAL half __attribute__((vector_size(8 * sizeof(TORRE_REAL))));
    half low = __builtin_shufflevector(quads[list[0]], quads[list[4]], 0, 1, 2, 3, 4, 5, 6, 7);
    half high = __builtin_shufflevector(quads[list[8]], quads[list[12]], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

/* Lane l of x, y, z, w: the quad of particle list[l]. */
TORRE_INLINE void torre_lanes_gather(const torre_quad *quads, const int32_t *list, torre_lanes *x,
                                     torre_lanes *y, torre_lanes *z, torre_lanes *w)
{
    torre_lanes a = torre_lanes_quads(quads, list), b = torre_lanes_quads(quads, list + 1);
    torre_lanes c = torre_lanes_quads(quads, list + 2), d = torre_lanes_quads(quads, list + 3);
    torre_lanes xz01 = TORRE_SHUFFLE(a, b, 0, 4, 2, 6), yw01 = TORRE_SHUFFLE(a, b, 1, 5, 3, 7);
    torre_lanes xz23 = TORRE_SHUFFLE(c, d, 0, 4, 2, 6), yw23 = TORRE_SHUFFLE(c, d, 1, 5, 3, 7);
    *x = TORRE_SHUFFLE(xz01, xz23, 0, 1, 4, 5);
    *y = TORRE_SHUFFLE(yw01, yw23, 0, 1, 4, 5);
    *z = TORRE_SHUFFLE(xz01, xz23, 2, 3, 6, 7);
    *w = TORRE_SHUFFLE(yw01, yw23, 2, 3, 6, 7);
}

/* Every lane set. */
TORRE_INLINE torre_mask torre_lanes_all(void) { return (torre_lanes){0} == (torre_lanes){0}; }

/* f where the mask is set, 0 elsewhere. */
TORRE_INLINE torre_lanes torre_lanes_keep(torre_lanes f, torre_mask mask)
{
    return (torre_lanes)((torre_mask)f & mask);
}

/* d moved by at most one box edge to the nearest image. */
TORRE_INLINE torre_lanes torre_lanes_nearest(torre_lanes d, TORRE_REAL edge)
{
    const torre_lanes box = edge - (torre_lanes){0};
    d -= torre_lanes_keep(box, d > edge / 2);
    return d + torre_lanes_keep(box, d < -edge / 2);
}

TORRE_INLINE double torre_lanes_total(torre_wide_lanes v)
{
    double sum = 0;
    for (int l = 0; l < TORRE_LANES; l++) sum += v[l];
    return sum;
}

TORRE_INLINE bool torre_lanes_any(torre_mask mask)
{
    __typeof__(mask[0]) any = 0;
    for (int l = 0; l < TORRE_LANES; l++) any |= mask[l];
    return any != 0;
}

TORRE_INLINE torre_lanes torre_lanes_sqrt(torre_lanes v)
{
/* the compiler makes single roots of a loop */
#if defined __AVX512F__
    return sizeof v[0] == 4 ? (torre_lanes)_mm512_sqrt_ps((__m512)v)
                            : (torre_lanes)_mm512_sqrt_pd((__m512d)v);
#elif defined __AVX2__
    return sizeof v[0] == 4 ? (torre_lanes)_mm256_sqrt_ps((__m256)v)
                            : (torre_lanes)_mm256_sqrt_pd((__m256d)v);
#else
    for (int l = 0; l < TORRE_LANES; l++)
        v[l] = sizeof v[l] == 4 ? (TORRE_REAL)sqrtf((float)v[l]) : (TORRE_REAL)sqrt((double)v[l]);
    return v;
#endif
}

/*
 * e^v, within two units of the last place; v is held to where the result is a normal number.
 *
 * v = n ln 2 + r, |r| <= (ln 2)/2: the Taylor series of e^r, whose rest is below a tenth of the
 * rounding, times 2^n. The sum with `ones`, which counts ones in its last place, rounds to n, and
 * its last bits are n, which is added to the exponent of the series.
 */
TORRE_INLINE torre_lanes torre_lanes_exp(torre_lanes v)
{
#define TORRE_EACH(f32, f64) (sizeof(TORRE_REAL) == 4 ? (TORRE_REAL)(f32) : (TORRE_REAL)(f64))
    static const double over_factorial[] = {1,
                                            1,
                                            1.0 / 2,
                                            1.0 / 6,
                                            1.0 / 24,
                                            1.0 / 120,
                                            1.0 / 720,
                                            1.0 / 5040,
                                            1.0 / 40320,
                                            1.0 / 362880,
                                            1.0 / 3628800,
                                            1.0 / 39916800,
                                            1.0 / 479001600,
                                            1.0 / 6227020800};
    const TORRE_REAL ones = TORRE_EACH(0x1.8p23, 0x1.8p52);
    const TORRE_REAL ln2 = TORRE_EACH(0x1.62ep-1, 0x1.62e42fep-1); /* times n: exact */
    const TORRE_REAL rest = TORRE_EACH(0x1.0bfbe8e7bcd5ep-15, 0x1.f473de6af278fp-30);
    const torre_lanes low = TORRE_EACH(-87, -708) - (torre_lanes){0};
    const torre_lanes high = TORRE_EACH(88, 709) - (torre_lanes){0};
    v = torre_lanes_keep(v, v > low) + torre_lanes_keep(low, v <= low);
    v = torre_lanes_keep(v, v < high) + torre_lanes_keep(high, v >= high);
    const torre_lanes shifted = v * (TORRE_REAL)1.4426950408889634 + ones, n = shifted - ones;
    const torre_lanes r = (v - n * ln2) - n * rest;
    const int degree = sizeof(TORRE_REAL) == 4 ? 7 : 13;
    torre_lanes series = (TORRE_REAL)over_factorial[degree] - (torre_lanes){0};
#pragma GCC unroll 16
    for (int k = degree - 1; k >= 0; k--) series = series * r + (TORRE_REAL)over_factorial[k];
    const torre_mask power = (torre_mask)shifted << (sizeof(TORRE_REAL) == 4 ? 23 : 52);
    return (torre_lanes)((torre_mask)series + power);
#undef TORRE_EACH
}

/* The quad (sum of x, sum of y, sum of z, sum of w). */
TORRE_INLINE torre_quad_state torre_lanes_sums(torre_sum_lanes x, torre_sum_lanes y,
                                               torre_sum_lanes z, torre_sum_lanes w)
{
    torre_sum_lanes xy = TORRE_SHUFFLE(x, y, 0, 4, 2, 6) + TORRE_SHUFFLE(x, y, 1, 5, 3, 7);
    torre_sum_lanes zw = TORRE_SHUFFLE(z, w, 0, 4, 2, 6) + TORRE_SHUFFLE(z, w, 1, 5, 3, 7);
    torre_sum_lanes s = TORRE_SHUFFLE(xy, zw, 0, 1, 4, 5) + TORRE_SHUFFLE(xy, zw, 2, 3, 6, 7);
    torre_quad_state sum = __builtin_shufflevector(s, s, 0, 1, 2, 3);
#if TORRE_LANES >= 8
    sum += __builtin_shufflevector(s, s, 4, 5, 6, 7);
#endif
#if TORRE_LANES == 16
    sum += __builtin_shufflevector(s, s, 8, 9, 10, 11);
    sum += __builtin_shufflevector(s, s, 12, 13, 14, 15);
#endif
    return sum;
}

#endif
