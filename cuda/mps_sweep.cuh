/*
 * A sweep of the moving-particle method: one block per brick stages its tile (md_geometry.cuh) and
 * one thread per particle walks over the bins around its own. Each of the three sweeps of a step is
 * an instance: what it stages beside positions, what it adds up for a neighbour, what it does with
 * the sum.
 */
#ifndef TORRE_MPS_SWEEP_CUH
#define TORRE_MPS_SWEEP_CUH

#include "md_list.cuh"
#include "mps_device.h"

template <class F> __device__ inline F mps_inverse_root(F square);
template <> __device__ inline float mps_inverse_root(float square) { return rsqrtf(square); }
template <> __device__ inline double mps_inverse_root(double square) { return rsqrt(square); }

/* What is staged beside positions: velocities, nothing, or the pressure. */
template <class F, int SWEEP> struct mps_extra;

template <class F> struct mps_extra<F, MPS_VISCOSITY> {
    static constexpr int bytes = 3 * sizeof(F);
    F *x, *y, *z;
    __device__ mps_extra(void *shared, int cap) : x((F *)shared), y(x + cap), z(y + cap) {}
    template <class R> __device__ void put(int s, const md_vec<R> &, const md_vec<R> &v)
    {
        x[s] = (F)v.x;
        y[s] = (F)v.y;
        z[s] = (F)v.z;
    }
};

template <class F> struct mps_extra<F, MPS_DENSITY> {
    static constexpr int bytes = 0;
    __device__ mps_extra(void *, int) {}
    template <class R> __device__ void put(int, const md_vec<R> &, const md_vec<R> &) {}
};

template <class F> struct mps_extra<F, MPS_GRADIENT> {
    static constexpr int bytes = sizeof(F);
    F *pressure;
    __device__ mps_extra(void *shared, int cap) : pressure((F *)shared) {}
    template <class R> __device__ void put(int s, const md_vec<R> &q, const md_vec<R> &)
    {
        pressure[s] = q.w > 0 ? (F)q.w : (F)0;
    }
};

template <class F, int SWEEP> constexpr int mps_staged_size()
{
    return md_staged<F>::bytes + mps_extra<F, SWEEP>::bytes;
}

/* What a particle gathers; R: precision of the sums. */
template <class R, class F, int SWEEP> struct mps_sum {
    F influence, x, y, z;
    F ux, uy, uz; /* own velocity */
    F pressure;   /* own */
    R sx, sy, sz;

    __device__ void add(const mps_extra<F, SWEEP> &extra, int j, F dx, F dy, F dz, F square)
    {
        F inverse = mps_inverse_root(square);
        if constexpr (SWEEP == MPS_VISCOSITY) {
            F w = TORRE_MPS_WEIGHT(influence, inverse);
            sx += (R)((extra.x[j] - ux) * w);
            sy += (R)((extra.y[j] - uy) * w);
            sz += (R)((extra.z[j] - uz) * w);
        } else if constexpr (SWEEP == MPS_DENSITY) {
            sx += (R)TORRE_MPS_WEIGHT(influence, inverse);
        } else {
            F g = (pressure + extra.pressure[j]) * inverse * inverse *
                  TORRE_MPS_GRADIENT_WEIGHT(influence, inverse);
            sx += (R)(g * dx);
            sy += (R)(g * dy);
            sz += (R)(g * dz);
        }
    }
};

/* Walk over all staged particles in the rows around the bin of a place. */
template <class R, class F, int SWEEP>
__device__ inline void mps_walk(const md_seat &seat, const int *row_table, int rows,
                                const uint16_t *starts, const md_staged<F> &staged,
                                const mps_extra<F, SWEEP> &extra, F reach_sq,
                                mps_sum<R, F, SWEEP> &sum)
{
    for (int r = 0; r < rows; r++) {
        int span = row_table[r] & 255;
        if (!span) continue;
        const uint16_t *row = starts + seat.bin + (row_table[r] >> 8);
        int end = row[span];
        for (int j = row[0]; j < end; j++) {
            md_vec<F> q = staged.get(16u * (unsigned)j);
            F dx = q.x - sum.x, dy = q.y - sum.y, dz = q.z - sum.z;
            F square = dx * dx + dy * dy + dz * dz;
            if (square < reach_sq && j != seat.own) sum.add(extra, j, dx, dy, dz, square);
        }
    }
}

/* The largest value of the warp into *most; bits of floats >= 0 compare like numbers. */
__device__ inline void mps_keep_largest(uint32_t *most, float value)
{
    uint32_t bits = value >= 0 ? __float_as_uint(value) : 0x7f800000u; /* not a number: infinite */
    for (int o = 16; o; o >>= 1) bits = max(bits, __shfl_xor_sync(~0u, bits, o));
    if ((threadIdx.x & 31) == 0 && bits > *(volatile uint32_t *)most) atomicMax(most, bits);
}

template <class R, class F, int SWEEP>
__global__ void __launch_bounds__(sizeof(R) == 4 ? MPS_BLOCK_MAX : MPS_BLOCK_MAX / 2, 2)
    mps_sweep_kernel(const __grid_constant__ mps_sweep_args a)
{
    const md_tiles &t = a.tiles;
    extern __shared__ float4 shared[];
    __shared__ int row_table[MD_ROWS_MAX];
    int rank = blockIdx.x, first, places = md_brick_places(t, rank, &first);
    if (t.control->error || !places) return;
    md_staged<F> staged(shared, t.staged_cap);
    char *after = (char *)shared + (size_t)t.staged_cap * md_staged<F>::bytes;
    mps_extra<F, SWEEP> extra(after, t.staged_cap);
    uint16_t *starts = (uint16_t *)(after + (size_t)t.staged_cap * mps_extra<F, SWEEP>::bytes);
    md_brick brick = md_brick_of_rank(t, rank);
    md_frame<R> frame = md_frame_of<R>(a.box, brick);
    const int halo_y = brick.size[1] + 2 * t.reach, halo_z = brick.size[2] + 2 * t.reach;
    const md_vec<R> *x_in = (const md_vec<R> *)a.x_in, *v_in = (const md_vec<R> *)a.v_in;
    const uint16_t *halo_start = t.halo_start + (int64_t)rank * (t.halo_bins + 1);
    for (int h = threadIdx.x; h <= t.halo_bins; h += blockDim.x) starts[h] = halo_start[h];
    const int rows = md_row_table(t, halo_y, halo_z, row_table);
    md_stage(t, rank, brick, frame, x_in, staged);
    if (mps_extra<F, SWEEP>::bytes) {
        const uint32_t *gather = t.gather + (int64_t)rank * t.staged_cap;
        const int count = t.staged_count[rank];
        for (int s = threadIdx.x; s < count; s += blockDim.x) {
            uint32_t from = gather[s] & ((1u << MD_INDEX_BITS) - 1);
            md_vec<R> q = {}, v = {};
            if (SWEEP == MPS_VISCOSITY)
                v = v_in[from];
            else
                q = x_in[from];
            extra.put(s, q, v);
        }
    }
    __syncthreads();

    const F reach_sq = (F)(a.constants.influence * a.constants.influence);
    const R dt = (R)a.constants.dt;
    for (int base = threadIdx.x & ~31; base < places; base += blockDim.x) {
        const int lane = base + (threadIdx.x & 31), place = first + lane;
        float speed = 0, moved = 0;
        if (lane < places) {
            const int index = t.perm ? t.perm[place] : place, id = a.id[index];
            const bool fluid = id < a.fluid;
            md_vec<R> q = x_in[index], v = {};
            if (SWEEP != MPS_DENSITY) v = v_in[index];
            mps_sum<R, F, SWEEP> sum = {};
            if (fluid || (SWEEP == MPS_DENSITY && id < a.fluid + a.wall)) {
                sum.influence = (F)a.constants.influence;
                sum.x = (F)(q.x - frame.centre.x);
                sum.y = (F)(q.y - frame.centre.y);
                sum.z = (F)(q.z - frame.centre.z);
                sum.ux = (F)v.x;
                sum.uy = (F)v.y;
                sum.uz = (F)v.z;
                sum.pressure = q.w > 0 ? (F)q.w : (F)0;
                mps_walk(md_seat_of(t, rank, place, halo_y, halo_z, starts), row_table, rows,
                         starts, staged, extra, reach_sq, sum);
            }
            if (SWEEP == MPS_VISCOSITY && fluid) {
                const R factor = (R)a.constants.viscosity_factor;
                v.x += dt * factor * sum.sx;
                v.y += dt * (factor * sum.sy - (R)a.constants.gravity);
                v.z += dt * factor * sum.sz;
                q.x += dt * v.x;
                q.y += dt * v.y;
                q.z += dt * v.z;
                md_vec<R> built = ((const md_vec<R> *)a.x_built)[index];
                R dx = q.x - built.x, dy = q.y - built.y, dz = q.z - built.z;
                moved = (float)(dx * dx + dy * dy + dz * dz);
                speed = (float)(v.x * v.x + v.y * v.y + v.z * v.z);
            } else if (SWEEP == MPS_DENSITY) {
                q.w = (R)a.stiffness_per_n * (sum.sx - (R)a.constants.n0);
            } else if (SWEEP == MPS_GRADIENT && fluid) {
                const R factor = -(R)a.constants.gradient_factor;
                R ax = factor * sum.sx, ay = factor * sum.sy, az = factor * sum.sz;
                v.x += dt * ax;
                v.y += dt * ay;
                v.z += dt * az;
                q.x += dt * dt * ax;
                q.y += dt * dt * ay;
                q.z += dt * dt * az;
            }
            ((md_vec<R> *)a.x_out)[index] = q;
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
