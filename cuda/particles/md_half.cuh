/*
 * Half lists: each pair is computed once and its force added to both particles.
 *
 * Different tiles add to the same particle, in no fixed order, so the sums are integers of
 * 2^-MD_FIXED_BITS force units: integer addition commutes, and the result is the same bits in every
 * run. A block adds in shared memory first and passes on one sum per staged particle. A second
 * kernel turns the sums into forces, moves the particles and leaves the sums zero.
 */
#ifndef TORRE_MD_HALF_CUH
#define TORRE_MD_HALF_CUH

#include "md_force.cuh"

typedef unsigned long long md_fixed; /* two's complement; what atomicAdd takes */

/* Forces beyond this many units would overflow when summed: refused, not wrapped. */
#define MD_FIXED_LIMIT ((double)(1ll << (61 - MD_FIXED_BITS)))

inline __host__ __device__ size_t md_half_shared_bytes(int staged_cap, int staged_bytes)
{
    size_t coordinates = ((size_t)staged_cap * staged_bytes + 7) / 8 * 8;
    return coordinates + 3 * sizeof(md_fixed) * (size_t)staged_cap;
}

template <class F> __device__ inline md_fixed md_to_fixed(F f, F scale)
{
    return (md_fixed)__double2ll_rn((double)f * (double)scale);
}
template <> __device__ inline md_fixed md_to_fixed<float>(float f, float scale)
{
    return (md_fixed)__float2ll_rn(f * scale);
}

template <class M, bool SUMS>
__global__ void __launch_bounds__(M::block_max)
    md_half_kernel(const __grid_constant__ md_force_args a,
                   const __grid_constant__ md_constants<M> c)
{
    typedef typename M::State R;
    typedef typename M::F F;
    const md_tiles &t = a.tiles;
    if (md_stopped(t.control, a.ahead)) return;
    extern __shared__ float4 shared[];
    typename M::Staged staged(shared, t.staged_cap);
    size_t coordinates = ((size_t)t.staged_cap * M::Staged::bytes + 7) / 8 * 8;
    md_fixed *sum = (md_fixed *)((char *)shared + coordinates); /* [3][staged_cap] */
    int rank = blockIdx.x, cap = t.staged_cap;
    md_brick brick = md_brick_of_rank(t, rank);
    const F limit = (F)MD_FIXED_LIMIT;
    int halo_y = brick.size[1] + 2 * t.reach, halo_z = brick.size[2] + 2 * t.reach;
    const uint16_t *halo_start = t.halo_start + (int64_t)rank * (t.halo_bins + 1);
    md_stage(t, rank, brick, md_frame_of<R>(md_box_now(a.box, a.live), brick),
             (const md_vec<R> *)a.x_in, staged);
    for (int s = threadIdx.x; s < 3 * cap; s += blockDim.x) sum[s] = 0;
    __syncthreads();

    int first, places = md_brick_places(t, rank, &first);
    double total[MD_SUMS] = {0};
    bool out_of_range = false;
    for (int lane = threadIdx.x; lane < places; lane += blockDim.x) {
        int place = first + lane;
        int own = md_seat_of(t, rank, place, halo_y, halo_z, halo_start).own;
        md_vec<F> me = staged.get(16u * (unsigned)own);
        md_fixed mine[3] = {0, 0, 0};
        const uint2 *list = (const uint2 *)t.list + (int64_t)rank * t.group_cap * t.lane_cap + lane;
        int groups = t.list_groups[(int64_t)rank * t.lane_cap + lane];
        for (int g = 0; g < groups; g++, list += t.lane_cap) {
            uint2 now = __ldcs(list);
            unsigned offset[4] = {now.x & 0xffff, now.x >> 16, now.y & 0xffff, now.y >> 16};
#pragma unroll
            for (int u = 0; u < 4; u++) {
                md_vec<F> q = staged.get(offset[u]);
                F dx = me.x - q.x, dy = me.y - q.y, dz = me.z - q.z;
                F rsq = dx * dx + dy * dy + dz * dz, energy, power;
                if (SUMS) total[MD_SUM_TESTED] += 2 * (rsq < c.list_cutoff_sq);
                if (!(rsq < c.cutoff_sq)) continue;
                F f;
                if constexpr (M::types) {
                    const auto row = c.pair.row((int)me.w, (int)q.w);
                    if (!(rsq < row.cutoff_sq)) continue;
                    f = row.eval(rsq, &energy);
                    if (SUMS) total[MD_SUM_SHIFT] += 2 * (double)row.shift;
                } else {
                    f = c.pair.eval(rsq, 0, &energy, &power);
                }
                F force[3] = {f * dx, f * dy, f * dz};
                if (SUMS) {
                    total[MD_SUM_POTENTIAL] += 2 * (double)energy;
                    total[MD_SUM_VIRIAL] += 2 * (double)(f * rsq);
                    total[MD_SUM_VIRIAL_X] += 2 * (double)(f * md_product(dx, dx));
                    total[MD_SUM_VIRIAL_Y] += 2 * (double)(f * md_product(dy, dy));
                    total[MD_SUM_INSIDE] += 2;
                }
                for (int k = 0; k < 3; k++) {
                    if (!(fabs(force[k]) < limit)) out_of_range = true;
                    md_fixed add = md_to_fixed(force[k], c.fixed_scale);
                    mine[k] += add;
                    atomicAdd(&sum[k * cap + (int)(offset[u] / 16)], (md_fixed)0 - add);
                }
            }
        }
        for (int k = 0; k < 3; k++) atomicAdd(&sum[k * cap + own], mine[k]);
        if (out_of_range) {
            uint32_t index = (uint32_t)(t.perm ? t.perm[place] : place);
            atomicOr(&t.control->error, (uint32_t)MD_ERROR_FORCE);
            atomicMin(&t.control->bad_id, (uint32_t)a.id[index]);
        }
    }
    __syncthreads();
    const uint32_t *gather = t.gather + (int64_t)rank * cap;
    int staged_count = t.staged_count[rank];
    for (int s = threadIdx.x; s < staged_count; s += blockDim.x) {
        uint32_t index = gather[s] & ((1u << MD_INDEX_BITS) - 1);
        for (int k = 0; k < 3; k++) {
            md_fixed f = sum[k * cap + s];
            if (f) atomicAdd((md_fixed *)a.fixed + (int64_t)k * a.count + index, f);
        }
    }
    if (SUMS) md_block_sums(total, a.partial + (int64_t)rank * MD_SUMS);
}

/* The second half of a half-list step: as at the end of md_force_kernel, from the integer sums. */
template <class R, bool TYPES, bool SUMS>
__global__ void __launch_bounds__(256) md_half_move_kernel(const __grid_constant__ md_force_args a)
{
    if (md_stopped(a.tiles.control, a.ahead)) {
        if (!SUMS && !a.forces_only && !a.tiles.control->error && md_passes_on(a))
            md_pass_on<R>(a, false, true);
        return;
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double total[MD_SUMS] = {0};
    if (i < a.count) {
        md_kick<R> integrate = {(R)a.kick, (R)a.drift};
        R force[3];
        for (int k = 0; k < 3; k++) {
            int64_t at = (int64_t)k * a.count + i;
            force[k] = (R)((double)(int64_t)a.fixed[at] / a.fixed_scale);
            a.fixed[at] = 0;
        }
        const double weight = TYPES ? a.weight[(int)((const md_vec<R> *)a.x_in)[i].w] : 1;
        if (TYPES)
            for (int k = 0; k < 3; k++) force[k] /= (R)weight;
        if (SUMS || a.forces_only) ((md_vec<R> *)a.f)[i] = {force[0], force[1], force[2], 0};
        if (!SUMS && a.forces_only) return;
        md_vec<R> v = ((md_vec<R> *)a.v)[i];
        integrate.half(v, force[0], force[1], force[2]);
        if (SUMS) {
            md_add_velocity(v, weight, total);
        } else {
            integrate.half(v, force[0], force[1], force[2]);
            md_vec<R> q = ((const md_vec<R> *)a.x_in)[i];
            integrate.move(q, v);
            ((md_vec<R> *)a.x_out)[i] = q;
            md_stop_if_far(a, (R)a.limit_sq, i, q);
        }
        if (!(SUMS && a.forces_only)) ((md_vec<R> *)a.v)[i] = v;
    }
    if (SUMS)
        md_block_sums(total, a.partial + (int64_t)(a.tiles.brick_count + blockIdx.x) * MD_SUMS);
    if (!SUMS && !a.forces_only && i == 0) a.tiles.control->done++;
}

#endif
