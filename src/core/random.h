/*
 * Counter-based random numbers: number i of a seed is a function of these two alone, so that cells
 * and particles draw the same numbers whatever the ordering, thread count or backend.
 *
 *     at(seed, i)                = mix(seed + (i + 1) G)
 *     bits(seed, stream, i)      = at(at(seed, stream), i)
 *
 * with G = 0x9e3779b97f4a7c15 and mix the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA
 * 2014): a bijection of 64-bit numbers in which every bit of the input reaches every bit of the
 * output. at(seed, 0), at(seed, 1), ... is the sequence of that generator.
 */
#ifndef TORRE_RANDOM_H
#define TORRE_RANDOM_H

#include <math.h>
#include <stdint.h>

#include "tiling/hd.h"

/*
 * Streams of one seed. A run has 0 and, from 1 on, the Langevin noise of step n in stream n; the
 * random start of a granular gas, whose systems have no thermostat, has those after 0.
 */
enum {
    TORRE_STREAM_VELOCITIES, /* initial velocities */
    TORRE_STREAM_SITES,      /* sites of the lattice that are taken */
    TORRE_STREAM_IDS,        /* order in which ids are dealt out */
    TORRE_STREAM_IDEAL,      /* positions of particles that do not collide */
    TORRE_STREAM_GRID,       /* where the grid of a sweep begins */
    TORRE_STREAM_BLOCK,      /* the seed of the block that is copied */
    TORRE_STREAM_COUNTS,     /* of particles in its copies */
    TORRE_STREAM_COPIES,     /* how each copy of it is displaced and mirrored */
    TORRE_STREAM_TYPES,      /* of the particles of a lattice; sizes of grains */
    TORRE_STREAM_SWEEPS = 16 /* the moves of sweep n in stream 16 + n */
};

static inline TORRE_HD uint64_t torre_random_mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline TORRE_HD uint64_t torre_random_at(uint64_t seed, uint64_t i)
{
    const uint64_t golden = 0x9e3779b97f4a7c15u;
    return torre_random_mix(seed + (i + 1) * golden);
}

static inline TORRE_HD uint64_t torre_random_bits(uint64_t seed, uint64_t stream, uint64_t i)
{
    return torre_random_at(torre_random_at(seed, stream), i);
}

/* Uniform in [0, 1): the upper 53 of these bits. */
static inline TORRE_HD double torre_random_unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* Uniform in (0, 1): the upper 53 bits, at the centre of their interval. */
static inline TORRE_HD double torre_random_uniform(uint64_t seed, uint64_t stream, uint64_t i)
{
    return ((double)(torre_random_bits(seed, stream, i) >> 11) + 0.5) * 0x1p-53;
}

/*
 * Three independent normal deviates (mean 0, variance 1) of particle id: numbers 4 id .. 4 id + 3,
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
