/*
 * Sort by bin: a counting sort with a deterministic result.
 *
 *     bin      key (bin) of every particle and its arrival number in the bin
 *     scan     start of every bin
 *     place    particles into their bins, in order of arrival
 *     settle   order inside the bin by id; move the data there (or note the permutation)
 *     stage    per brick, which particles its tile and halo hold, where, in which periodic image
 */
#ifndef TORRE_MD_SORT_CUH
#define TORRE_MD_SORT_CUH

#include <cub/block/block_scan.cuh>

#include "md_geometry.cuh"

__device__ inline void md_report(md_control *control, uint32_t error, uint32_t id)
{
    atomicOr(&control->error, error);
    atomicMin(&control->bad_id, id);
}

/* Where a particle is expected half-way to the next rebuild. */
template <class R>
__device__ inline md_vec<R> md_expected(const md_sort_args &a, const md_vec<R> &q,
                                        const md_vec<R> &v)
{
    if (a.half_step == 0) return q;
    double time = a.half_step * (double)(int32_t)(a.tiles.control->done - a.tiles.control->built);
    double vx = (double)v.x, vy = (double)v.y, vz = (double)v.z;
    double square = vx * vx + vy * vy + vz * vz;
    if (!(time * time * square <= a.most * a.most)) time = a.most * rsqrt(square);
    R t = (R)time;
    return {q.x + t * v.x, q.y + t * v.y, q.z + t * v.z, q.w};
}

/* Whether r is finite and less than a box away from where it was at the last rebuild. */
template <class R> __device__ inline uint32_t md_check_coordinate(R r, R built, R edge)
{
    if (!isfinite(r)) return MD_ERROR_NOT_FINITE;
    return fabs(r - built) > edge ? MD_ERROR_JUMP : 0;
}

/* The bin that a particle is put into. */
template <class R>
__device__ inline int md_key_of(const md_sort_args &a, const md_vec<R> &q, const md_box &box)
{
    md_axis<R> ax = md_axis_of<R>(box, 0), ay = md_axis_of<R>(box, 1), az = md_axis_of<R>(box, 2);
    int b[3] = {md_bin_of(md_wrap(q.x, ax), ax, a.tiles.bins[0]),
                md_bin_of(md_wrap(q.y, ay), ay, a.tiles.bins[1]),
                md_bin_of(md_wrap(q.z, az), az, a.tiles.bins[2])};
    return md_bin_rank(a.tiles, b);
}

/* Where particle i stands, for its bin; a legal place where it is nowhere, which is reported. */
template <class R>
__device__ inline md_vec<R> md_checked(const md_sort_args &a, int i, const md_box &box)
{
    md_vec<R> q = ((const md_vec<R> *)a.x_in)[i], built = ((const md_vec<R> *)a.x_was)[i];
    uint32_t error = md_check_coordinate(q.x, built.x, (R)box.edge[0]) |
                     md_check_coordinate(q.y, built.y, (R)box.edge[1]) |
                     md_check_coordinate(q.z, built.z, (R)box.edge[2]);
    if (!error) return md_expected(a, q, ((const md_vec<R> *)a.v_in)[i]);
    md_report(a.tiles.control, error, (uint32_t)a.id_in[i]);
    return built; /* a legal bin, so that the sort itself stays in bounds */
}

/* Particle i to the others of its bin, which is returned. */
template <class R> __device__ inline int md_bin(const md_sort_args &a, int i)
{
    const md_box box = md_box_now(a.box, a.live);
    md_vec<R> q;
    if (a.x_was)
        q = md_checked<R>(a, i, box);
    else
        q = md_expected(a, ((const md_vec<R> *)a.x_in)[i], ((const md_vec<R> *)a.v_in)[i]);
    const int key = md_key_of(a, q, box);
    const bool kept = !a.need || a.need[key] >> a.self & 1;
    a.key[i] = key;
    a.slot[i] = kept ? atomicAdd(&a.bin_count[key], 1) : -1;
    return key;
}

template <class R> __global__ void md_bin_kernel(const __grid_constant__ md_sort_args a)
{
    if (a.tiles.control->error) return;
    const int i = a.binned + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.count) md_bin<R>(a, i);
}

static __global__ void md_place_kernel(const __grid_constant__ md_sort_args a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a.tiles.control->error || i >= a.count) return;
    int key = a.key[i], slot = a.slot[i];
    if (slot < 0) return;
    int place = a.tiles.start[key] + slot;
    a.order[place] = i;
    a.order_id[place] = a.id_in[i];
    a.order_key[place] = key;
}

template <class R> __global__ void md_settle_kernel(const __grid_constant__ md_sort_args a)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (a.tiles.control->error || p >= a.count) return;
    if (a.need && p >= a.tiles.start[a.tiles.brick_count * a.tiles.slots]) return;
    int key = a.order_key[p], id = a.order_id[p], from = a.order[p];
    int first = a.tiles.start[key], end = a.tiles.start[key + 1], place = first;
    for (int k = first; k < end; k++) place += a.order_id[k] < id;
    int to = a.tiles.perm ? from : place;
    md_vec<R> q = ((const md_vec<R> *)a.x_in)[from], v = ((const md_vec<R> *)a.v_in)[from];
    md_vec<R> built = md_expected(a, q, v);
    const md_box box = md_box_now(a.box, a.live);
    md_wrap_both(built.x, q.x, md_axis_of<R>(box, 0));
    md_wrap_both(built.y, q.y, md_axis_of<R>(box, 1));
    md_wrap_both(built.z, q.z, md_axis_of<R>(box, 2));
    ((md_vec<R> *)a.x_out)[to] = q;
    ((md_vec<R> *)a.x_built)[to] = built;
    ((md_vec<R> *)a.v_out)[to] = v;
    if (a.spin_in) ((md_vec<R> *)a.spin_out)[to] = ((const md_vec<R> *)a.spin_in)[from];
    a.id_out[to] = id;
    a.tiles.home[place] = md_home_of(a.tiles, key % a.tiles.slots);
    if (a.tiles.perm) a.tiles.perm[place] = from;
}

#define MD_STAGE_BLOCK 256

/* Bins of the tile of a brick along each axis; returns how many there are. */
__device__ inline int md_halo_size(const md_tiles &t, const md_brick &brick, int halo[3])
{
    for (int k = 0; k < 3; k++) halo[k] = brick.size[k] + 2 * t.reach;
    return halo[0] * halo[1] * halo[2];
}

/* The entry of bin h of that tile in the bin table, and the image of the box that it is in. */
__device__ inline int md_halo_bin(const md_tiles &t, const md_brick &brick, const int halo[3],
                                  int h, uint32_t *shift)
{
    int b[3] = {h / (halo[1] * halo[2]), h / halo[2] % halo[1], h % halo[2]};
    *shift = 0;
    for (int k = 0; k < 3; k++) {
        b[k] += brick.first[k] - t.reach;
        int turn = b[k] < 0 ? -1 : b[k] >= t.bins[k];
        b[k] -= turn * t.bins[k];
        *shift = 3 * *shift + (uint32_t)(turn + 1);
    }
    return md_bin_rank(t, b);
}

/* One block per brick. */
static __global__ void __launch_bounds__(MD_STAGE_BLOCK)
    md_stage_kernel(const __grid_constant__ md_sort_args a)
{
    const md_tiles &t = a.tiles;
    typedef cub::BlockScan<int, MD_STAGE_BLOCK> scan;
    __shared__ typename scan::TempStorage scratch;
    md_control *control = t.control;
    if (control->error & ~(MD_ERROR_STAGED | MD_ERROR_LANES)) return;
    const int row = blockIdx.x, rank = t.first_brick + row;
    if (row == 0 && threadIdx.x == 0) {
        control->moved = 0;
        control->built = control->done;
        control->last = MD_NO_STOP;
    }
    int first_place;
    if (!md_brick_places(t, rank, &first_place)) { /* nobody asks who is around */
        if (threadIdx.x == 0) t.staged_count[row] = 0;
        return;
    }
    md_brick brick = md_brick_of_rank(t, rank);
    int halo[3], bins = md_halo_size(t, brick, halo), total = 0;
    uint16_t *halo_start = t.halo_start + (int64_t)row * (t.halo_bins + 1);
    uint32_t *gather = t.gather + (int64_t)row * t.staged_cap;
    for (int base = 0; base < bins; base += MD_STAGE_BLOCK) {
        int h = base + threadIdx.x, first = 0, count = 0, before, sum;
        uint32_t shift = 0;
        if (h < bins) {
            int bin = md_halo_bin(t, brick, halo, h, &shift);
            first = t.start[bin];
            count = t.start[bin + 1] - first;
        }
        scan(scratch).ExclusiveSum(count, before, sum);
        __syncthreads();
        before += total;
        total += sum;
        if (h < bins) halo_start[h] = (uint16_t)min(before, 65535);
        if (before + count < t.staged_cap) {
            for (int k = 0; k < count; k++) {
                uint32_t index = t.perm ? (uint32_t)t.perm[first + k] : (uint32_t)(first + k);
                gather[before + k] = index | shift << MD_INDEX_BITS;
            }
        }
    }
    if (threadIdx.x == 0) {
        halo_start[bins] = (uint16_t)min(total, 65535);
        t.staged_count[row] = total < t.staged_cap ? total : 0;
        if (total >= t.staged_cap) {
            atomicMax(&control->need_staged, (uint32_t)total + 1);
            atomicOr(&control->error, MD_ERROR_STAGED);
        }
    }
}

/* Ranks of the bricks that hold particles into active[], their number into *count (0 before). Their
 * order changes no result; warps of ranks stay together. */
static __global__ void md_active_kernel(md_tiles t, int *active, uint32_t *count)
{
    int rank = blockIdx.x * blockDim.x + threadIdx.x, first, lane = threadIdx.x & 31;
    bool holds = rank < t.brick_count && md_brick_places(t, rank, &first) > 0;
    uint32_t all = __ballot_sync(~0u, holds), at = 0;
    if (lane == 0 && all) at = atomicAdd(count, (uint32_t)__popc(all));
    at = __shfl_sync(~0u, at, 0) + (uint32_t)__popc(all & ((1u << lane) - 1));
    if (holds) active[at] = rank;
}

/* Displacement since the last rebuild into control->moved; with a barostat as a share of what is
 * too far, of which `limit_sq` is the square without one. */
template <class R>
__global__ void md_moved_kernel(md_control *control, int count, const md_vec<R> *x,
                                const md_vec<R> *built, const md_live *live, double limit_sq)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float moved = 0;
    if (control->error) return;
    if (i < count) {
        md_vec<R> q = x[i], b = built[i];
        if (live) b = md_held(b, live->slack);
        R dx = q.x - b.x, dy = q.y - b.y, dz = q.z - b.z;
        moved = (float)(dx * dx + dy * dy + dz * dz);
        if (live) moved = (float)((double)moved * limit_sq / live->slack.limit_sq);
        if (!(moved >= 0)) moved = __int_as_float(0x7f800000); /* not finite: rebuild and see */
    }
    for (int o = 16; o; o >>= 1) moved = fmaxf(moved, __shfl_xor_sync(~0u, moved, o));
    if ((threadIdx.x & 31) == 0) atomicMax(&control->moved, __float_as_uint(moved));
}

#endif
