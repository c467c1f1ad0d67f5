/*
 * Normal deviates of many particles at once: those of torre_random_normal3 (core/random.h), to a
 * few units of the last place, in vectors of 16.
 *
 * Logarithm, sine and cosine are series on the interval that is left when powers of two and
 * quarters of a turn are taken off, so long that their rest is below rounding. Numbers become bits
 * and bits numbers as of IEEE 754: with 2^52 added, the last bits of a number are an integer.
 */
#ifndef TORRE_NORMALS_H
#define TORRE_NORMALS_H

#include "core/random.h"
#include "particles/cpu/lanes.h"

#define TORRE_NORMALS 16 /* particles of a vector; several registers, whose chains overlap */

typedef double torre_normals __attribute__((vector_size(8 * TORRE_NORMALS)));
typedef uint64_t torre_normal_bits __attribute__((vector_size(8 * TORRE_NORMALS)));

#define TORRE_NORMALS_GOLDEN 0x9e3779b97f4a7c15u /* of torre_random_at */

/* torre_random_uniform of these numbers, times golden; stream: torre_random_at(seed, stream). */
TORRE_INLINE torre_normals torre_normals_uniform(uint64_t stream, torre_normal_bits number)
{
    torre_normal_bits z = stream + TORRE_NORMALS_GOLDEN + number;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z = (z ^ z >> 31) >> 11;
    /* the upper 21 bits at 2^84, the lower 32 at 2^52 */
    const torre_normals high = (torre_normals)(z >> 32 | 0x4530000000000000u) - 0x1p84;
    const torre_normals low = (torre_normals)((z & 0xffffffffu) | 0x4330000000000000u) - 0x1p52;
    return (high + low + 0.5) * 0x1p-53;
}

/* coefficient[count - 1] x^(count - 1) + ... + coefficient[0] */
TORRE_INLINE torre_normals torre_normals_series(torre_normals x, const double *coefficient,
                                                int count)
{
    torre_normals sum = coefficient[count - 1] - (torre_normals){0};
#pragma GCC unroll 16
    for (int k = count - 2; k >= 0; k--) sum = sum * x + coefficient[k];
    return sum;
}

/* sqrt(-2 ln u), 0 < u < 1 */
TORRE_INLINE torre_normals torre_normals_radius(torre_normals u)
{
    /* ln((1 + s)/(1 - s)) = 2 (s + s^3/3 + s^5/5 + ...), s^2 < 0.0295 */
    static const double odd[] = {2,        2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9, 2.0 / 11,
                                 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    const uint64_t root = 0x3fe6a09e667f3bcdu, one = 0x3ff0000000000000u; /* sqrt(1/2), 1 */
    const torre_normal_bits bits = (torre_normal_bits)u + (one - root);
    const torre_normals power = (torre_normals)(bits >> 52 | 0x4330000000000000u) - (0x1p52 + 1023);
    const torre_normals m = (torre_normals)((bits & 0xfffffffffffffu) + root);
    const torre_normals s = (m - 1) / (m + 1);
    torre_normals square =
        -2 * (power * 0.6931471805599453094 + s * torre_normals_series(s * s, odd, 11));
    for (int l = 0; l < TORRE_NORMALS; l++) square[l] = sqrt(square[l]);
    return square;
}

/* Cosine and sine of u turns, 0 < u < 1. */
TORRE_INLINE void torre_normals_turn(torre_normals u, torre_normals *cosine, torre_normals *sine)
{
    static const double even[] = {1,
                                  -1.0 / 2,
                                  1.0 / 24,
                                  -1.0 / 720,
                                  1.0 / 40320,
                                  -1.0 / 3628800,
                                  1.0 / 479001600,
                                  -1.0 / 87178291200,
                                  1.0 / 20922789888000};
    static const double odd[] = {1,
                                 -1.0 / 6,
                                 1.0 / 120,
                                 -1.0 / 5040,
                                 1.0 / 362880,
                                 -1.0 / 39916800,
                                 1.0 / 6227020800,
                                 -1.0 / 1307674368000};
    const torre_normals shifted = 4 * u + 0x1.8p52; /* to whole quarters */
    const torre_normal_bits quarter = (torre_normal_bits)shifted;
    const torre_normals x = (4 * u - (shifted - 0x1.8p52)) * 1.5707963267948966192;
    const torre_normal_bits c = (torre_normal_bits)torre_normals_series(x * x, even, 9);
    const torre_normal_bits s = (torre_normal_bits)(x * torre_normals_series(x * x, odd, 8));
    const torre_normal_bits swap = 0 - (quarter & 1);
    *cosine = (torre_normals)(((c & ~swap) | (s & swap)) ^ ((quarter + 1) & 2) << 62);
    *sine = (torre_normals)(((s & ~swap) | (c & swap)) ^ (quarter & 2) << 62);
}

/* Three deviates of each id; stream: torre_random_at(seed, stream). */
TORRE_INLINE void torre_normals_of(uint64_t stream, const int32_t id[TORRE_NORMALS],
                                   torre_normals g[3])
{
    torre_normal_bits number = {0};
    torre_normals sine;
    for (int l = 0; l < TORRE_NORMALS; l++) number[l] = (uint64_t)id[l];
    number *= 4 * TORRE_NORMALS_GOLDEN; /* one product for all four */
    const torre_normals r0 = torre_normals_radius(torre_normals_uniform(stream, number));
    const torre_normals r1 =
        torre_normals_radius(torre_normals_uniform(stream, number + 2 * TORRE_NORMALS_GOLDEN));
    torre_normals_turn(torre_normals_uniform(stream, number + TORRE_NORMALS_GOLDEN), &g[0], &sine);
    g[0] *= r0;
    g[1] = r0 * sine;
    torre_normals_turn(torre_normals_uniform(stream, number + 3 * TORRE_NORMALS_GOLDEN), &g[2],
                       &sine);
    g[2] *= r1;
}

#endif
