/*
 * Thermostats (particles/bath.h). Those that scale velocities need K of the whole step, so these
 * steps are not one kernel:
 *
 *     forces   md_force_kernel: whole velocities, which it leaves behind with the forces, and sums
 *              by blocks of K; it makes velocities of what the step in front has left behind
 *     factor   K, and what to scale by; what needs no K is done while forces are under way
 *     glide    positions of what was left behind: what is after the step, what is before the next
 *              one, half a kick, drift
 *
 * `arrive`, behind a sequence of steps, makes velocities of what the last one left behind; where
 * the thermostat acts once in several steps, behind each in which it does. The others are steps of
 * md_force_kernel alone. Half lists have no more than forces and sums in front of `factor`; `move`
 * does the rest of the step.
 *
 * A run that is cut after a step has kicked by md_force_kernel with its sums; md_thermostat_kernel
 * does what is after the step, and the next run begins with what is left, in `move`. The same bits
 * come of both: products and sums that a compiler might join in one way here and in another there
 * are written as they are to be joined. Whether a particle may be too far is looked at where its
 * velocity is whole, in both (MD_FACTOR_REACH). Those that add noise are in the force kernel
 * (md_noise.cuh); with half lists, and at the start of a run, in `move`.
 */
#ifndef TORRE_MD_THERMOSTAT_CUH
#define TORRE_MD_THERMOSTAT_CUH

#include "md_force.cuh"

#define MD_FACTOR_BLOCK 1024

/* What is after a step. */
template <class R, bool NOISE>
__device__ inline void md_after(md_vec<R> &v, const md_force_args &a, const md_bath_args &b,
                                int64_t step, int id, double weight)
{
    if (NOISE)
        md_noise_after(v, a.noise, step, id, weight);
    else
        md_scale(v, (R)b.state->after);
}

/* Mass over that of the problem, rounded as in md_force_kernel. */
template <class R> __device__ inline double md_weight_of(const md_force_args &a, const md_vec<R> &q)
{
    return a.types ? (double)(R)a.weight[(int)q.w] : 1;
}

/* One block: K, and what velocities are to be multiplied by. */
static __global__ void __launch_bounds__(MD_FACTOR_BLOCK)
    md_factor_kernel(md_control *control, int ahead, int parts, bool looks,
                     const __grid_constant__ md_bath_args b)
{
    const int64_t step = (int64_t)control->clock + ahead;
    torre_bath_drawn drawn = {0, 0};
    if (threadIdx.x == 0 && (parts & MD_FACTOR_AFTER)) drawn = torre_bath_draw(&b.bath, step);
    md_wait_for_previous_kernel();
    const bool stopped = md_stopped(control, ahead);
    double sum[MD_SPEEDS];
    if (parts & MD_FACTOR_SUM) md_add_rows<MD_SPEEDS>(b.sums, sum);
    if (threadIdx.x > 0 || stopped) return;
    md_bath_state *s = b.state;
    if (parts & MD_FACTOR_SUM) s->kinetic = 0.5 * b.mass * sum[MD_SUM_SPEED_SQ];
    double after = 1, before = 1;
    if (parts & MD_FACTOR_AFTER) {
        after = torre_bath_after(&b.bath, step, s->kinetic, &drawn, s->rate);
        s->taken += (1 - after * after) * s->kinetic;
        s->kinetic *= after * after;
    }
    if ((parts & MD_FACTOR_BEFORE) && b.bath.ensemble == TORRE_NOSE_HOOVER) {
        before = torre_bath_chain(&b.bath, step + 1, s->kinetic, s->rate);
        s->taken += (1 - before * before) * s->kinetic;
        s->kinetic *= before * before;
    }
    if (parts != MD_FACTOR_BEFORE) s->after = after; /* else it has been applied */
    s->before = before;
    const bool reaches = fabs(s->after * before - 1) <= 0.999 * MD_FACTOR_REACH;
    if (looks && (parts & MD_FACTOR_BEFORE) && !reaches) atomicMin(&control->last, ahead);
}

template <class R> __device__ inline md_scaling<R> md_scaling_of(const md_force_args &a)
{
    return {(R)a.bath->after, (R)a.bath->before, (R)a.kick, (R)a.drift};
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
    if (i < a.count) {
        const R kick = (R)a.kick;
        const md_vec<R> f = ((const md_vec<R> *)a.f)[i];
        md_vec<R> v = ((const md_vec<R> *)a.v)[i], q = ((const md_vec<R> *)a.x_in)[i];
        const double weight = md_weight_of(a, q);
        const int id = NOISE ? a.id[i] : 0;
        if (a.ahead >= 0) {
            md_half_kick(v, f, kick);
            md_after<R, NOISE>(v, a, b, step, id, weight);
        }
        if (NOISE) {
            md_half_kick(v, f, kick);
            md_noise_drift(q, v, (R)a.drift, a.noise, step + 1, id, weight);
        } else {
            const md_scaling<R> scaling = {1, (R)b.state->before, kick, (R)a.drift};
            v = scaling.velocity(v, f);
            q = scaling.position(q, v);
        }
        ((md_vec<R> *)a.v)[i] = v;
        ((md_vec<R> *)a.x_out)[i] = q;
        md_stop_if_far(a, (R)a.limit_sq, i, q);
    }
    if (i == 0 && a.far) atomicMin(&a.tiles.control->last, a.ahead);
    if (i == 0) a.tiles.control->done++;
}

/* Behind a force kernel that leaves velocities behind: the next positions, in place. */
template <class R>
__global__ void __launch_bounds__(256) md_glide_kernel(const __grid_constant__ md_force_args a)
{
    if (md_stopped(a.tiles.control, a.ahead)) return;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.count) {
        const md_scaling<R> scaling = md_scaling_of<R>(a);
        md_vec<R> &q = ((md_vec<R> *)a.x_out)[i], v, f;
        md_left<R>{(md_vec<R> *)a.v, (md_rest<R> *)a.f}.get(i, v, f);
        q = scaling.position(q, scaling.velocity(v, f));
    }
    if (i == 0) a.tiles.control->done++;
}

/* Behind a sequence of such steps: velocities, in place. */
template <class R>
__global__ void __launch_bounds__(256) md_arrive_kernel(const __grid_constant__ md_force_args a)
{
    if (md_stopped(a.tiles.control, a.ahead)) return;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.count) return;
    md_vec<R> v, f;
    md_left<R>{(md_vec<R> *)a.v, (md_rest<R> *)a.f}.get(i, v, f);
    ((md_vec<R> *)a.v)[i] = md_scaling_of<R>(a).velocity(v, f);
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
    double sum[MD_SUMS] = {0};
    if (i < a.count) {
        md_vec<R> v = ((const md_vec<R> *)a.v)[i];
        const md_vec<R> q = ((const md_vec<R> *)a.x_in)[i];
        const double weight = md_weight_of(a, q);
        if (!NOISE) {
            const md_scaling<R> scaling = {1, 1, (R)a.kick, (R)a.drift};
            const md_vec<R> f = ((const md_vec<R> *)a.f)[i];
            sum[MD_SUM_FAR] = md_may_be_far(a, scaling, (R)a.limit_sq, i, q, v, f);
        }
        md_after<R, NOISE>(v, a, b, step, a.id[i], weight);
        ((md_vec<R> *)a.v)[i] = v;
        md_add_velocity(v, weight, sum);
        if (NOISE) sum[MD_SUM_TAKEN] = (double)v.w;
    }
    if (i == 0 && !NOISE) sum[MD_SUM_TAKEN] = 2 * b.state->taken / b.mass;
    md_block_sums(sum, a.partial + (int64_t)blockIdx.x * MD_SUMS);
}

#endif
