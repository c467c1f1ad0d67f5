/*
 * Thermostats that add noise to each velocity (particles/bath.h). No particle needs to know of any
 * other for that, so a step is one kernel, as it is without. What noise takes from a particle is
 * added up in the fourth number of its velocity, as energy over the mass of the problem.
 */
#ifndef TORRE_MD_NOISE_CUH
#define TORRE_MD_NOISE_CUH

#include "md_kick.cuh"

/* A number in (-1/2, 1/2) that is u, of torre_random_uniform, but for a whole turn. */
template <class R> __device__ inline R md_turn(uint64_t numbers, uint64_t i)
{
    return (R)((int64_t)torre_random_at(numbers, i) >> 11) * (R)0x1p-53 + (R)0x1p-54;
}

/* sqrt(-2 ln u); u near 1 as its distance from 1, which f32 would lose. */
__device__ inline double md_radius(uint64_t numbers, uint64_t i, double)
{
    return sqrt(-2 * log(((double)(torre_random_at(numbers, i) >> 11) + 0.5) * 0x1p-53));
}

__device__ inline float md_radius(uint64_t numbers, uint64_t i, float)
{
    const uint64_t bits = torre_random_at(numbers, i) >> 11, end = (uint64_t)1 << 53;
    const bool upper = bits >= end / 2;
    const float part = ((float)(upper ? end - 1 - bits : bits) + 0.5f) * 0x1p-53f;
    return sqrtf(-2 * (upper ? log1pf(-part) : logf(part)));
}

/* Deviates of torre_random_normal3, to rounding in R; numbers: torre_random_at(seed, stream). */
template <class R> __device__ inline md_vec<R> md_normals(uint64_t numbers, int id)
{
    const uint64_t i = 4 * (uint64_t)id;
    const R r0 = md_radius(numbers, i, (R)0), r1 = md_radius(numbers, i + 2, (R)0);
    R sine, cosine;
    sincospi(2 * md_turn<R>(numbers, i + 1), &sine, &cosine);
    return {r0 * cosine, r0 * sine, r1 * cospi(2 * md_turn<R>(numbers, i + 3)), 0};
}

/* v = c v + noise of a step; what weight v^2 is less by goes to its fourth number. */
template <class R>
__device__ inline void md_add_noise(md_vec<R> &v, const md_noise &n, int64_t step, int id,
                                    double weight)
{
    const md_vec<R> g = md_normals<R>(torre_random_at(n.bath.seed, (uint64_t)step), id);
    const double target = torre_bath_target(&n.bath, step), old = md_square(v);
    const R keep = (R)n.keep, spread = sqrt((R)(n.spread * target / weight));
    v.x = fma(keep, v.x, md_product(spread, g.x));
    v.y = fma(keep, v.y, md_product(spread, g.y));
    v.z = fma(keep, v.z, md_product(spread, g.z));
    v.w += (R)md_product(weight, old - md_square(v));
}

/* What is after a step. */
template <class R>
__device__ inline void md_noise_after(md_vec<R> &v, const md_noise &n, int64_t step, int id,
                                      double weight)
{
    if (n.bath.ensemble == TORRE_LANGEVIN) md_add_noise(v, n, step, id, weight);
}

/* The drift of a step. */
template <class R>
__device__ inline void md_noise_drift(md_vec<R> &q, md_vec<R> &v, R drift, const md_noise &n,
                                      int64_t step, int id, double weight)
{
    const bool middle = n.bath.ensemble == TORRE_BAOAB;
    const md_kick<R> integrate = {0, middle ? (R)0.5 * drift : drift};
    integrate.move(q, v);
    if (!middle) return;
    md_add_noise(v, n, step, id, weight);
    integrate.move(q, v);
}

#endif
