/*
 * Thermostats: Langevin (the noise of a particle depends on seed, step and id alone) and Berendsen,
 * as md.h defines them. They need the velocities of a whole step, so these runs are not fused: each
 * step is a force kernel with sums, this kernel and md_drift_kernel.
 */
#ifndef TORRE_MD_THERMOSTAT_CUH
#define TORRE_MD_THERMOSTAT_CUH

#include "core/random.h"
#include "md_force.cuh"

template <class R>
__global__ void __launch_bounds__(256)
    md_thermostat_kernel(const __grid_constant__ md_thermostat_args a)
{
    if (md_stopped(a.control, a.ahead)) return;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum[MD_SUMS] = {0};
    if (i < a.count) {
        md_vec<R> v = ((md_vec<R> *)a.v)[i];
        const double weight = a.x ? a.weight[(int)((const md_vec<R> *)a.x)[i].w] : 1;
        if (a.keep > 0) {
            const double noise = a.x ? a.noise / sqrt(weight) : a.noise;
            double g[3];
            torre_random_normal3(a.seed, a.control->step + a.control->done, a.id[i], g);
            v.x = (R)a.keep * v.x + (R)(noise * g[0]);
            v.y = (R)a.keep * v.y + (R)(noise * g[1]);
            v.z = (R)a.keep * v.z + (R)(noise * g[2]);
        } else {
            double now = a.mass * a.total[MD_SUM_SPEED_SQ] / a.freedom;
            double square = 1 + a.rate * (a.temperature / now - 1);
            R factor = now > 0 ? (R)sqrt(fmax(square, 0.0)) : (R)1;
            v.x *= factor;
            v.y *= factor;
            v.z *= factor;
        }
        ((md_vec<R> *)a.v)[i] = v;
        double vx = (double)v.x, vy = (double)v.y, vz = (double)v.z;
        sum[MD_SUM_SPEED_SQ] = weight * (vx * vx + vy * vy + vz * vz);
        sum[MD_SUM_VX] = weight * vx;
        sum[MD_SUM_VY] = weight * vy;
        sum[MD_SUM_VZ] = weight * vz;
    }
    if (a.partial) md_block_sums(sum, a.partial + (int64_t)blockIdx.x * MD_SUMS);
}

#endif
