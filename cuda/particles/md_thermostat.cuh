/*
 * Thermostats (particles/bath.h). They need the velocities of a whole step, so these steps are not
 * one kernel:
 *
 *     forces   md_force_kernel, forces only; of those that scale velocities also sums by blocks of
 *              K of the whole step
 *     factor   of these: K, and what to scale by
 *     move     half a kick, what is after the step, what is before the next one, half a kick,
 *              drift
 *
 * A run that is cut after a step has kicked by md_force_kernel with its sums; md_thermostat_kernel
 * does what is after the step, and the next run begins with the rest of `move`. The same bits come
 * of both: products and sums that a compiler might join in one way here and in another there are
 * written as they are to be joined.
 */
#ifndef TORRE_MD_THERMOSTAT_CUH
#define TORRE_MD_THERMOSTAT_CUH

#include "md_force.cuh"

#define MD_FACTOR_BLOCK 1024

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

/* v = c v + noise of a step; returns by how much less weight v^2 is. */
template <class R>
__device__ inline double md_add_noise(md_vec<R> &v, const md_bath_args &b, int64_t step, int id,
                                      double weight)
{
    const md_vec<R> g = md_normals<R>(torre_random_at(b.bath.seed, (uint64_t)step), id);
    const double target = torre_bath_target(&b.bath, step), old = md_square(v);
    const R keep = (R)b.keep, spread = sqrt((R)(b.noise * target / weight));
    v.x = fma(keep, v.x, md_product(spread, g.x));
    v.y = fma(keep, v.y, md_product(spread, g.y));
    v.z = fma(keep, v.z, md_product(spread, g.z));
    return md_product(weight, old - md_square(v));
}

template <class R> __device__ inline void md_scale(md_vec<R> &v, R factor)
{
    v.x = md_product(v.x, factor);
    v.y = md_product(v.y, factor);
    v.z = md_product(v.z, factor);
}

template <class R> __device__ inline void md_half_kick(md_vec<R> &v, const md_vec<R> &f, R kick)
{
    v.x = fma(kick, f.x, v.x);
    v.y = fma(kick, f.y, v.y);
    v.z = fma(kick, f.z, v.z);
}

/* What is after a step. */
template <class R, bool NOISE>
__device__ inline double md_after(md_vec<R> &v, const md_bath_args &b, int64_t step, int id,
                                  double weight)
{
    if (!NOISE)
        md_scale(v, (R)b.state->after);
    else if (b.bath.ensemble == TORRE_LANGEVIN)
        return md_add_noise(v, b, step, id, weight);
    return 0;
}

/* Mass over that of the problem. */
template <class R> __device__ inline double md_weight_of(const md_force_args &a, const md_vec<R> &q)
{
    return a.types ? a.weight[(int)q.w] : 1;
}

/* One block: K, and what velocities are to be multiplied by. */
static __global__ void __launch_bounds__(MD_FACTOR_BLOCK)
    md_factor_kernel(const md_control *control, int ahead, int parts,
                     const __grid_constant__ md_bath_args b)
{
    if (md_stopped(control, ahead)) return;
    double sum[MD_SPEEDS];
    if (parts & MD_FACTOR_SUM) md_add_rows<MD_SPEEDS>(b.sums, sum);
    if (threadIdx.x > 0) return;
    md_bath_state *s = b.state;
    const int64_t step = (int64_t)control->clock + ahead;
    if (parts & MD_FACTOR_SUM) s->kinetic = 0.5 * b.mass * sum[MD_SUM_SPEED_SQ];
    double after = 1, before = 1;
    if (parts & MD_FACTOR_AFTER) {
        after = torre_bath_after(&b.bath, step, s->kinetic, s->rate);
        s->taken += (1 - after * after) * s->kinetic;
        s->kinetic *= after * after;
    }
    if ((parts & MD_FACTOR_BEFORE) && b.bath.ensemble == TORRE_NOSE_HOOVER) {
        before = torre_bath_chain(&b.bath, step + 1, s->kinetic, s->rate);
        s->taken += (1 - before * before) * s->kinetic;
        s->kinetic *= before * before;
    }
    s->after = after;
    s->before = before;
}

/* From forces to the next positions; a drift in front of a sequence (ahead -1) begins with what is
 * before a step. In place (x_in = x_out). */
template <class R, bool NOISE>
__global__ void __launch_bounds__(256)
    md_move_kernel(const __grid_constant__ md_force_args a, const __grid_constant__ md_bath_args b)
{
    if (md_stopped(a.tiles.control, a.ahead)) return;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)a.tiles.control->clock + a.ahead;
    double less = 0;
    if (i < a.count) {
        const R kick = (R)a.kick;
        const bool middle = NOISE && b.bath.ensemble == TORRE_BAOAB;
        const md_kick<R> integrate = {kick, (R)(middle ? 0.5 * a.drift : a.drift)};
        const md_vec<R> f = ((const md_vec<R> *)a.f)[i];
        md_vec<R> v = ((const md_vec<R> *)a.v)[i], q = ((const md_vec<R> *)a.x_in)[i];
        const double weight = md_weight_of(a, q);
        const int id = NOISE ? a.id[i] : 0;
        if (a.ahead >= 0) {
            md_half_kick(v, f, kick);
            less = md_after<R, NOISE>(v, b, step, id, weight);
        }
        if (!NOISE) md_scale(v, (R)b.state->before);
        md_half_kick(v, f, kick);
        integrate.move(q, v);
        if (middle) {
            less += md_add_noise(v, b, step + 1, id, weight);
            integrate.move(q, v);
        }
        ((md_vec<R> *)a.v)[i] = v;
        ((md_vec<R> *)a.x_out)[i] = q;
        md_stop_if_far(a, (R)a.limit_sq, i, q);
    }
    if (NOISE) {
        less = md_block_sum(less);
        if (threadIdx.x == 0) b.taken[blockIdx.x] += less;
    }
    if (i == 0) a.tiles.control->done++;
}

/* What is after a step whose velocities are whole, and sums at those that it leaves, into
 * a.partial[md_particle_rows]. */
template <class R, bool NOISE>
__global__ void __launch_bounds__(256) md_thermostat_kernel(const __grid_constant__ md_force_args a,
                                                            const __grid_constant__ md_bath_args b)
{
    if (md_stopped(a.tiles.control, a.ahead)) return;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)a.tiles.control->clock + a.ahead;
    double sum[MD_SUMS] = {0}, less = 0;
    if (i < a.count) {
        md_vec<R> v = ((const md_vec<R> *)a.v)[i];
        const double weight = md_weight_of(a, ((const md_vec<R> *)a.x_in)[i]);
        less = md_after<R, NOISE>(v, b, step, a.id[i], weight);
        ((md_vec<R> *)a.v)[i] = v;
        md_add_velocity(v, weight, sum);
    }
    if (NOISE) less = md_block_sum(less);
    if (threadIdx.x == 0 && NOISE) sum[MD_SUM_TAKEN] = b.taken[blockIdx.x] += less;
    if (i == 0 && !NOISE) sum[MD_SUM_TAKEN] = 2 * b.state->taken / b.mass;
    md_block_sums(sum, a.partial + (int64_t)blockIdx.x * MD_SUMS);
}

#endif
