/* Random numbers that are the same everywhere: splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
#ifndef TORRE_LOCALITY_RANDOM_H
#define TORRE_LOCALITY_RANDOM_H

#include <math.h>
#include <stdint.h>

typedef struct locality_random {
    uint64_t state; /* any seed */
} locality_random;

static inline uint64_t locality_random_bits(locality_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Uniform in [0, 1). */
static inline double locality_random_unit(locality_random *r)
{
    return (double)(locality_random_bits(r) >> 11) * 0x1p-53;
}

/* Normal with mean 0 and variance 1 (Box and Muller). */
static inline double locality_random_normal(locality_random *r)
{
    double u = 1 - locality_random_unit(r), v = locality_random_unit(r);
    return sqrt(-2 * log(u)) * cos(6.283185307179586477 * v);
}

/* Uniform in 0 .. n - 1 for n far below 2^64. */
static inline int64_t locality_random_below(locality_random *r, int64_t n)
{
    return (int64_t)(locality_random_bits(r) % (uint64_t)n);
}

#endif
