/*
 * Minimisation (particles/fire.h). The time step lives on the device, so a step is
 *
 *     forces    md_force_kernel, forces only
 *     sums      half a kick to the velocities of the whole step; sums of them and the forces, a
 *               row of each brick, so that several devices have those of one (md_share.h)
 *     decide    one block: what the next step is to be
 *     move      velocities turned towards the forces, half a kick, drift
 *
 * A run that is cut ends behind `sums` and begins with them again, without the kick.
 */
#ifndef TORRE_MD_RELAX_CUH
#define TORRE_MD_RELAX_CUH

#include "md_thermostat.cuh"

/* kick: whether velocities get one first. */
template <class R>
__global__ void __launch_bounds__(256)
    md_relax_sums_kernel(const __grid_constant__ md_force_args a,
                         const __grid_constant__ md_relax_args b, bool kick)
{
    const md_tiles &t = a.tiles;
    if (md_stopped(t.control, a.ahead)) return;
    const int brick = t.first_brick + blockIdx.x, end = t.start[(brick + 1) * t.slots];
    double sum[TORRE_FIRE_SUMS] = {0};
    for (int place = t.start[brick * t.slots] + threadIdx.x; place < end; place += blockDim.x) {
        const int i = t.perm ? t.perm[place] : place;
        const md_vec<R> f = ((const md_vec<R> *)a.f)[i];
        md_vec<R> v = ((const md_vec<R> *)a.v)[i];
        const double weight = md_weight_of(a, ((const md_vec<R> *)a.x_in)[i]);
        if (kick) {
            md_half_kick(v, f, (R)(b.fire->dt / (2 * b.mass)));
            ((md_vec<R> *)a.v)[i] = v;
        }
        const double push = weight * md_square(f);
        sum[TORRE_FIRE_POWER] += weight * ((double)f.x * (double)v.x + (double)f.y * (double)v.y +
                                           (double)f.z * (double)v.z);
        sum[TORRE_FIRE_PUSH] += push;
        sum[TORRE_FIRE_SPEED] += weight * md_square(v);
        sum[TORRE_FIRE_FORCE] += weight * push;
    }
    for (int k = 0; k < TORRE_FIRE_SUMS; k++) {
        const double total = md_block_sum(sum[k]);
        if (threadIdx.x == 0) b.partial[brick * (int64_t)MD_SUMS + k] = total;
        __syncthreads();
    }
}

/* One block. to: NULL: decide about the next step; otherwise [MD_SUMS] of the velocities and
 * forces, with what `total` has of those before the kick. */
static __global__ void __launch_bounds__(MD_FACTOR_BLOCK)
    md_relax_decide_kernel(const md_control *control, int ahead, int rows,
                           const __grid_constant__ md_relax_args b, const double *total, double *to)
{
    if (md_stopped(control, ahead)) return;
    double sum[TORRE_FIRE_SUMS];
    for (int k = 0; k < TORRE_FIRE_SUMS; k++) {
        double part = 0;
        for (int r = threadIdx.x; r < rows; r += MD_FACTOR_BLOCK)
            part += b.partial[r * (int64_t)MD_SUMS + k];
        sum[k] = md_block_sum(part);
        __syncthreads();
    }
    if (threadIdx.x > 0) return;
    if (!to) {
        torre_fire_decide(b.fire, b.dt, sum);
        return;
    }
    for (int k = 0; k < MD_SUMS; k++) to[k] = total[k];
    to[MD_SUM_SPEED_SQ] = sum[TORRE_FIRE_SPEED];
    to[MD_SUM_FORCE_SQ] = sum[TORRE_FIRE_FORCE];
}

/* In place (x_in = x_out). */
template <class R>
__global__ void __launch_bounds__(256) md_relax_move_kernel(const __grid_constant__ md_force_args a,
                                                            const __grid_constant__ md_relax_args b)
{
    if (md_stopped(a.tiles.control, a.ahead)) return;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.count) {
        const torre_fire fire = *b.fire;
        const md_kick<R> integrate = {0, (R)fire.dt};
        const md_vec<R> f = ((const md_vec<R> *)a.f)[i];
        md_vec<R> v = ((const md_vec<R> *)a.v)[i], q = ((const md_vec<R> *)a.x_in)[i];
        md_scale(v, (R)fire.keep);
        md_half_kick(v, f, (R)(fire.add + fire.dt / (2 * b.mass)));
        const double speed = sqrt(md_square(v)), fastest = b.most / fire.dt;
        if (speed > fastest) md_scale(v, (R)(fastest / speed));
        integrate.move(q, v);
        ((md_vec<R> *)a.v)[i] = v;
        ((md_vec<R> *)a.x_out)[i] = q;
        md_stop_if_far(a, (R)a.limit_sq, i, q);
    }
    if (i == 0) a.tiles.control->done++;
}

#endif
