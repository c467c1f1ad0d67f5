/*
 * Particles of several devices: which bins each of them needs, what is lent at a rebuild and after
 * a step. md_share.h says who tells whom what.
 */
#ifndef TORRE_MD_SHARE_CUH
#define TORRE_MD_SHARE_CUH

#include "md_sort.cuh"

/* The device that has the brick of this rank. */
__device__ inline int md_owner_of(const md_cuts &cuts, int rank)
{
    int device = 0;
    while (rank >= cuts.first[device + 1]) device++;
    return device;
}

/* One block per brick: whoever has it needs all bins of its tile. */
static __global__ void md_need_kernel(const __grid_constant__ md_tiles t,
                                      const __grid_constant__ md_cuts cuts, uint32_t *need)
{
    int rank = blockIdx.x, device = md_owner_of(cuts, rank), halo[3];
    md_brick brick = md_brick_of_rank(t, rank);
    int bins = md_halo_size(t, brick, halo);
    for (int h = threadIdx.x; h < bins; h += blockDim.x) {
        uint32_t image;
        atomicOr(&need[md_halo_bin(t, brick, halo, h, &image)], 1u << device);
    }
}

/* One block per own brick. */
static __global__ void md_front_kernel(const __grid_constant__ md_front_args a)
{
    const md_tiles &t = a.tiles;
    const int row = blockIdx.x, rank = t.first_brick + row;
    __shared__ int others;
    if (threadIdx.x == 0) others = 0;
    __syncthreads();
    const md_brick brick = md_brick_of_rank(t, rank);
    int halo[3], found = 0;
    const int bins = md_halo_size(t, brick, halo);
    for (int h = threadIdx.x; h < bins; h += blockDim.x) {
        uint32_t image;
        const int owner = md_halo_bin(t, brick, halo, h, &image) / t.slots - t.first_brick;
        found |= owner < 0 || owner >= t.own_bricks;
    }
    for (int k = threadIdx.x; k < t.slots; k += blockDim.x)
        found |= (a.need[(int64_t)rank * t.slots + k] & ~(1u << a.self)) != 0;
    if (found) atomicOr(&others, 1);
    __syncthreads();
    if (threadIdx.x == 0) a.front[row] = others;
}

/* Note that particle i goes to the device that has its bin, if that is another one. */
__device__ inline void md_note_gone(const md_lend_args &a, int i, int key)
{
    const int owner = md_owner_of(a.cuts, key / a.sort.tiles.slots);
    if (owner == a.sort.self) return;
    const int k = atomicAdd(&a.lent[MD_DEVICES + owner], 1);
    if (a.gone_id) a.gone_id[a.gone_first[owner] + k] = a.sort.id_in[i];
}

/* Own particles into the bins that they are in now, and how many others need of these. */
template <class R> __global__ void md_bin_own_kernel(const __grid_constant__ md_lend_args a)
{
    const md_sort_args &s = a.sort;
    __shared__ int count[MD_DEVICES];
    if (s.tiles.control->error & (MD_ERROR_NOT_FINITE | MD_ERROR_JUMP)) return;
    if (threadIdx.x < MD_DEVICES) count[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.count) {
        const int key = md_bin<R>(s, i);
        const uint32_t others = s.need[key] & ~(1u << s.self);
        if (a.cuts.devices && others) md_note_gone(a, i, key);
        for (uint32_t left = others; left; left &= left - 1)
            atomicAdd(&count[__ffs((int)left) - 1], 1);
    }
    __syncthreads();
    if (threadIdx.x < MD_DEVICES && count[threadIdx.x])
        atomicAdd(&a.lent[threadIdx.x], count[threadIdx.x]);
}

/*
 * Own particles to those who need what is in their bins. Blocks take room for theirs as they come;
 * the sort of the one who gets them has them in order again.
 */
template <class R> __global__ void md_lend_kernel(const __grid_constant__ md_lend_args a)
{
    const md_sort_args &s = a.sort;
    __shared__ int count[MD_DEVICES], base[MD_DEVICES];
    if (threadIdx.x < MD_DEVICES) count[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t others = 0;
    if (i < s.count) {
        const int key = s.key[i];
        others = s.need[key] & ~(1u << s.self);
        if (a.cuts.devices && others) md_note_gone(a, i, key);
    }
    for (uint32_t left = others; left; left &= left - 1) atomicAdd(&count[__ffs((int)left) - 1], 1);
    __syncthreads();
    if (threadIdx.x < MD_DEVICES) {
        const int n = count[threadIdx.x];
        base[threadIdx.x] = n ? atomicAdd(&a.lent[threadIdx.x], n) : 0;
        count[threadIdx.x] = 0;
    }
    __syncthreads();
    for (uint32_t left = others; left; left &= left - 1) {
        const int to = __ffs((int)left) - 1;
        const int place = a.first[to] + base[to] + atomicAdd(&count[to], 1);
        ((md_vec<R> *)a.x_out)[place] = ((const md_vec<R> *)s.x_in)[i];
        ((md_vec<R> *)a.v_out)[place] = ((const md_vec<R> *)s.v_in)[i];
        if (a.spin_out) ((md_vec<R> *)a.spin_out)[place] = ((const md_vec<R> *)s.spin_in)[i];
        a.id_out[place] = s.id_in[i];
    }
}

/* A word of a row for each thread. */
static __global__ void md_rows_kernel(const __grid_constant__ md_rows_args a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (int64_t)a.count * a.words) return;
    uint4 *const some = (uint4 *)a.some + i;
    uint4 *const whole = (uint4 *)a.whole + (int64_t)a.id[i / a.words] * a.words + i % a.words;
    if (a.back)
        *whole = *some;
    else
        *some = *whole;
}

/* Which of the own places are lent, with a 0 behind them. */
static __global__ void md_border_flag_kernel(const __grid_constant__ md_border_args a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > a.own) return;
    a.flag[i] = i < a.own ? (int)(a.need[a.key[a.first + i]] >> a.to & 1) : 0;
}

static __global__ void md_border_place_kernel(const __grid_constant__ md_border_args a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.own && a.flag[i]) a.lent[a.at[i]] = a.first + i;
}

template <class R> __global__ void md_tell_kernel(const __grid_constant__ md_tell_args a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *a.last_out = a.control->last;
    if (i >= a.count) return;
    const int place = a.lent[i];
#pragma unroll
    for (int k = 0; k < MD_TOLD; k++)
        if (a.from[k]) ((md_vec<R> *)a.to[k])[i] = ((const md_vec<R> *)a.from[k])[place];
}

/* A row of blocks for each of the others. */
template <class R> __global__ void md_take_kernel(const __grid_constant__ md_take_args a)
{
    const md_taken &f = a.from[blockIdx.y];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 && a.control) atomicMin(&a.control->last, *f.last);
    if (i >= f.count) return;
    if (!a.control) f.id[i] = f.ids[i];
#pragma unroll
    for (int k = 0; k < MD_TOLD; k++)
        if (f.from[k]) ((md_vec<R> *)f.to[k])[i] = ((const md_vec<R> *)f.from[k])[i];
}

/* The first `sums` of rows of partial sums, one row after another, or back into them. */
static __global__ void md_speeds_kernel(double *partial, double *speeds, int rows, int sums,
                                        bool back)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * sums) return;
    double &sum = partial[(int64_t)(i / sums) * MD_SUMS + i % sums];
    if (back)
        sum = speeds[i];
    else
        speeds[i] = sum;
}

static __global__ void md_join_kernel(md_control *control, const int *last, int devices)
{
    if ((int)threadIdx.x < devices) atomicMin(&control->last, last[threadIdx.x]);
}

#endif
