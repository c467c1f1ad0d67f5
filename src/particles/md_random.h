/*
 * Counter-based random numbers: the number for (seed, stream, counter) is a function of these three
 * alone, so a particle draws the same numbers whatever the ordering, thread count or backend.
 *
 *     bits(seed, stream, counter) = mix(mix(seed + (stream + 1) G) + (counter + 1) G)
 *
 * with G = 0x9e3779b97f4a7c15 and mix the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA
 * 2014): a bijection of 64-bit numbers in which every bit of the input reaches every bit of the
 * output. Streams in use: 0 initial velocities, n Langevin noise of step n >= 1.
 */
#ifndef TORRE_MD_RANDOM_H
#define TORRE_MD_RANDOM_H

#include <math.h>
#include <stdint.h>

#include "tiling/hd.h"

static inline TORRE_HD uint64_t torre_random_mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline TORRE_HD uint64_t torre_random_bits(uint64_t seed, uint64_t stream, uint64_t counter)
{
    const uint64_t golden = 0x9e3779b97f4a7c15u;
    return torre_random_mix(torre_random_mix(seed + (stream + 1) * golden) +
                            (counter + 1) * golden);
}

/* Uniform in (0, 1): the upper 53 bits, at the centre of their interval. */
static inline TORRE_HD double torre_random_uniform(uint64_t seed, uint64_t stream, uint64_t counter)
{
    return ((double)(torre_random_bits(seed, stream, counter) >> 11) + 0.5) * 0x1p-53;
}

/*
 * Three independent normal deviates (mean 0, variance 1) of particle id: counters 4 id .. 4 id + 3,
 * by the transform of Box and Muller.
 */
static inline TORRE_HD void torre_random_normal3(uint64_t seed, uint64_t stream, int64_t id,
                                                 double g[3])
{
    const double turn = 6.283185307179586476925;
    uint64_t c = 4 * (uint64_t)id;
    double r0 = sqrt(-2 * log(torre_random_uniform(seed, stream, c)));
    double r1 = sqrt(-2 * log(torre_random_uniform(seed, stream, c + 2)));
    double a0 = turn * torre_random_uniform(seed, stream, c + 1);
    g[0] = r0 * cos(a0);
    g[1] = r0 * sin(a0);
    g[2] = r1 * cos(turn * torre_random_uniform(seed, stream, c + 3));
}

#endif
