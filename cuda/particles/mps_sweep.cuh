/*
 * A sweep of the moving-particle method: one block per brick that holds particles stages its tile
 * (md_geometry.cuh), and the lanes of a particle (md_device.h) walk over its neighbour list, which
 * all sweeps share until the next rebuild. Each of the three sweeps of a step is an instance: what
 * it stages beside positions, what it adds up for a neighbour, what it does with the sum.
 */
#ifndef TORRE_MPS_SWEEP_CUH
#define TORRE_MPS_SWEEP_CUH

#include "md_force.cuh"
#include "mps_device.h"

template <class F> __device__ inline F mps_inverse_root(F square);
template <> __device__ inline float mps_inverse_root(float square) { return rsqrtf(square); }
template <> __device__ inline double mps_inverse_root(double square) { return rsqrt(square); }

/* Bytes staged beside coordinates: velocities, nothing, the pressure (in f32 the fourth
 * coordinate). */
template <class F, int SWEEP>
constexpr int mps_extra_bytes = SWEEP == MPS_VISCOSITY                   ? md_staged<F>::bytes
                                : SWEEP == MPS_GRADIENT && sizeof(F) > 4 ? (int)sizeof(F)
                                                                         : 0;

/* Constants of a sweep, in the precisions they are needed in (a double that is converted in the
 * kernel may be converted once per pair). */
template <class R, class F> struct mps_typed_constants {
    F influence, influence_sq, collision_distance, spring;
    R dt, gravity, viscosity_factor, gradient_factor, n0, stiffness_per_n, energy_factor;
};

/* What a neighbour is judged by. */
template <class F> struct mps_near {
    F influence, influence_sq, collision_distance;
    F spring;              /* of collisions, over the factor of the gradient */
    md_staged<F> velocity; /* of MPS_VISCOSITY */
    const F *pressure;     /* of MPS_GRADIENT in f64 */

    __device__ F pressure_of(const md_vec<F> &q, unsigned offset) const
    {
        F p = sizeof(F) > 4 ? pressure[offset / 16] : q.w;
        return p > 0 ? p : 0;
    }
};

/*
 * What a lane gathers: F per pair, R beyond groups of four. A weight below 0 means a particle out
 * of reach, and nobody has a weight that is not a number: the larger of it and 0 leaves both out.
 */
template <class R, class F, int SWEEP> struct mps_sum {
    F x, y, z;    /* own place */
    F ux, uy, uz; /* own velocity */
    F pressure;   /* own */
    F fx = 0, fy = 0, fz = 0;
    R sx = 0, sy = 0, sz = 0; /* where they are more precise */

    __device__ void neighbour(const mps_near<F> &c, const md_vec<F> &q, unsigned offset)
    {
        F dx = q.x - x, dy = q.y - y, dz = q.z - z;
        F square = dx * dx + dy * dy + dz * dz, inverse = mps_inverse_root(square);
        if constexpr (SWEEP == MPS_GRADIENT) {
            F g = (pressure + c.pressure_of(q, offset)) * inverse *
                      TORRE_MPS_GRADIENT_WEIGHT(c.influence, inverse) +
                  c.spring * fmax(c.collision_distance - square * inverse, (F)0);
            g *= inverse;
            if (!(square < c.influence_sq)) return;
            fx += g * dx;
            fy += g * dy;
            fz += g * dz;
            return;
        }
        if constexpr (SWEEP == MPS_COLLISION) {
            F overlap = fmax(c.collision_distance - square * inverse, (F)0);
            fx += overlap * overlap;
            return;
        }
        F w = fmax(TORRE_MPS_WEIGHT(c.influence, inverse), (F)0);
        if constexpr (SWEEP == MPS_VISCOSITY) {
            md_vec<F> u = c.velocity.get(offset);
            fx += (u.x - ux) * w;
            fy += (u.y - uy) * w;
            fz += (u.z - uz) * w;
        } else {
            fx += w;
        }
    }
    __device__ void flush()
    {
        if constexpr (!std::is_same<R, F>::value) {
            sx += (R)fx;
            sy += (R)fy;
            sz += (R)fz;
            fx = fy = fz = 0;
        }
    }
    __device__ md_vec<R> total() const { return {sx + (R)fx, sy + (R)fy, sz + (R)fz, 0}; }
};

/* Stage what a sweep needs beside coordinates; the block must synchronise before reading. */
template <class R, class F, int SWEEP>
__device__ inline void mps_stage_extra(const mps_sweep_args &a, int rank, md_staged<F> &velocity,
                                       F *pressure)
{
    const int batch = 4; /* loads in flight per thread */
    const uint32_t *__restrict__ gather = a.tiles.gather + (int64_t)rank * a.tiles.staged_cap;
    const md_vec<R> *__restrict__ from =
        (const md_vec<R> *)(SWEEP == MPS_VISCOSITY ? a.v_in : a.x_in);
    const int count = a.tiles.staged_count[rank];
    for (int base = threadIdx.x; base < count; base += batch * blockDim.x) {
        md_vec<R> q[batch];
#pragma unroll
        for (int u = 0; u < batch; u++)
            q[u] = from[gather[min(base + u * (int)blockDim.x, count - 1)] &
                        ((1u << MD_INDEX_BITS) - 1)];
#pragma unroll
        for (int u = 0; u < batch; u++) {
            int s = base + u * (int)blockDim.x;
            if (s >= count) break;
            if (SWEEP == MPS_VISCOSITY)
                velocity.put(s, (F)q[u].x, (F)q[u].y, (F)q[u].z, 0);
            else
                pressure[s] = (F)q[u].w;
        }
    }
    if (threadIdx.x == 0) { /* nobody */
        if (SWEEP == MPS_VISCOSITY)
            velocity.put(a.tiles.staged_cap - 1, 0, 0, 0, 0);
        else
            pressure[a.tiles.staged_cap - 1] = 0;
    }
}

/* The largest value of the warp into *most; bits of floats >= 0 compare like numbers. */
__device__ inline void mps_keep_largest(uint32_t *most, float value)
{
    uint32_t bits = value >= 0 ? __float_as_uint(value) : 0x7f800000u; /* not a number: infinite */
    for (int o = 16; o; o >>= 1) bits = max(bits, __shfl_xor_sync(~0u, bits, o));
    if ((threadIdx.x & 31) == 0 && bits > *(volatile uint32_t *)most) atomicMax(most, bits);
}

/* What a particle becomes by the sums of a sweep. *moved, *speed: squares, of fluid that moves. */
template <int SWEEP, class R, class F>
__device__ __forceinline__ void mps_update(const mps_sweep_args &a,
                                           const mps_typed_constants<R, F> &constants, int index,
                                           bool fluid, const md_vec<R> &total, md_vec<R> &q,
                                           md_vec<R> &v, float *moved, float *speed)
{
    const R dt = constants.dt;
    if (SWEEP == MPS_VISCOSITY && fluid) {
        const R factor = constants.viscosity_factor;
        v.x += dt * factor * total.x;
        v.y += dt * (factor * total.y - constants.gravity);
        v.z += dt * factor * total.z;
        q.x += dt * v.x;
        q.y += dt * v.y;
        q.z += dt * v.z;
        md_vec<R> built = ((const md_vec<R> *)a.x_built)[index];
        R dx = q.x - built.x, dy = q.y - built.y, dz = q.z - built.z;
        *moved = (float)(dx * dx + dy * dy + dz * dz);
        *speed = (float)(v.x * v.x + v.y * v.y + v.z * v.z);
    } else if (SWEEP == MPS_DENSITY) {
        q.w = constants.stiffness_per_n * (total.x - constants.n0);
    } else if (SWEEP == MPS_GRADIENT && fluid) {
        const R factor = -constants.gradient_factor;
        R ax = factor * total.x, ay = factor * total.y, az = factor * total.z;
        v.x += dt * ax;
        v.y += dt * ay;
        v.z += dt * az;
        q.x += dt * dt * ax;
        q.y += dt * dt * ay;
        q.z += dt * dt * az;
    } else if (SWEEP == MPS_COLLISION) {
        v.w = constants.energy_factor * total.x;
    }
}

template <class R, class F, int SWEEP, int T>
__global__ void __launch_bounds__(sizeof(R) == 4 ? MPS_BLOCK_MAX : MPS_BLOCK_MAX / 2, 3)
    mps_sweep_kernel(const __grid_constant__ mps_sweep_args a,
                     const __grid_constant__ mps_typed_constants<R, F> constants)
{
    const md_tiles &t = a.tiles;
    extern __shared__ float4 shared[];
    if (t.control->error) return;
    const int rank = a.active[blockIdx.x];
    int first;
    const int places = md_brick_places(t, rank, &first), lanes = places * T;
    md_staged<F> staged(shared, t.staged_cap);
    char *after = (char *)shared + (size_t)t.staged_cap * md_staged<F>::bytes;
    md_brick brick = md_brick_of_rank(t, rank);
    md_frame<R> frame = md_frame_of<R>(a.box, brick);
    const md_vec<R> *x_in = (const md_vec<R> *)a.x_in, *v_in = (const md_vec<R> *)a.v_in;
    mps_near<F> c = {constants.influence,
                     constants.influence_sq,
                     constants.collision_distance,
                     constants.spring,
                     md_staged<F>(after, t.staged_cap),
                     (const F *)after};
    md_stage(t, rank, brick, frame, x_in, staged);
    if (mps_extra_bytes<F, SWEEP>) mps_stage_extra<R, F, SWEEP>(a, rank, c.velocity, (F *)after);
    __syncthreads();

    for (int base = threadIdx.x & ~31; base < lanes; base += blockDim.x) {
        const int lane = base + (threadIdx.x & 31), place = first + lane / T;
        float speed = 0, moved = 0;
        int index = 0;
        bool fluid = false;
        md_vec<R> q = {}, v = {};
        mps_sum<R, F, SWEEP> sum;
        if (lane < lanes) {
            index = t.perm ? t.perm[place] : place;
            const int id = a.id[index];
            fluid = id < a.fluid;
            q = x_in[index];
            if (SWEEP != MPS_DENSITY) v = v_in[index];
            const bool walls = SWEEP == MPS_DENSITY || SWEEP == MPS_COLLISION;
            if (fluid || (walls && id < a.fluid + a.wall)) {
                sum.x = (F)(q.x - frame.centre.x);
                sum.y = (F)(q.y - frame.centre.y);
                sum.z = (F)(q.z - frame.centre.z);
                sum.ux = (F)v.x;
                sum.uy = (F)v.y;
                sum.uz = (F)v.z;
                sum.pressure = q.w > 0 ? (F)q.w : (F)0;
                md_walk_list(t, blockIdx.x, lane, staged, c, sum);
            }
        }
        md_vec<R> total = sum.total();
        if (T > 1) __syncwarp();
#pragma unroll
        for (int o = 1; o < T; o <<= 1) {
            total.x += __shfl_xor_sync(~0u, total.x, o);
            total.y += __shfl_xor_sync(~0u, total.y, o);
            total.z += __shfl_xor_sync(~0u, total.z, o);
        }
        if (lane < lanes && lane % T == 0) {
            mps_update<SWEEP>(a, constants, index, fluid, total, q, v, &moved, &speed);
            if (SWEEP != MPS_COLLISION) ((md_vec<R> *)a.x_out)[index] = q;
            if (SWEEP != MPS_DENSITY) ((md_vec<R> *)a.v_out)[index] = v;
        }
        if (SWEEP == MPS_VISCOSITY) {
            __syncwarp();
            mps_keep_largest(&t.control->moved, moved);
            mps_keep_largest(a.fastest, speed);
        }
    }
}

#endif
