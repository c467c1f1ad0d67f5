/*
 * Particles of several devices: which bins each of them needs, what is lent at a rebuild and after
 * a step. md_share.h says who tells whom what.
 */
#ifndef TORRE_MD_SHARE_CUH
#define TORRE_MD_SHARE_CUH

#include "md_sort.cuh"

/* One block per brick: whoever has it needs all bins of its tile. */
static __global__ void md_need_kernel(const __grid_constant__ md_tiles t,
                                      const __grid_constant__ md_cuts cuts, uint32_t *need)
{
    int rank = blockIdx.x, device = 0, halo[3];
    while (rank >= cuts.first[device + 1]) device++;
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

/*
 * Own particles to those who need what is in the bins that they are in now. Blocks take room for
 * theirs as they come; the sort of the one who gets them has them in order again.
 */
template <class R> __global__ void md_lend_kernel(const __grid_constant__ md_lend_args a)
{
    const md_sort_args &s = a.sort;
    __shared__ int count[MD_DEVICES], base[MD_DEVICES];
    if (s.tiles.control->error & (MD_ERROR_NOT_FINITE | MD_ERROR_JUMP)) return;
    if (threadIdx.x < MD_DEVICES) count[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t others = 0;
    if (i < s.count) {
        const md_vec<R> q = ((const md_vec<R> *)s.x_in)[i];
        const md_vec<R> at = s.x_was ? md_checked<R>(s, i, s.box)
                                     : md_expected(s, q, ((const md_vec<R> *)s.v_in)[i]);
        others = s.need[md_key_of(s, at, s.box)] & ~(1u << s.self);
    }
    for (uint32_t left = others; left; left &= left - 1) atomicAdd(&count[__ffs((int)left) - 1], 1);
    __syncthreads();
    if (threadIdx.x < MD_DEVICES) {
        const int n = count[threadIdx.x];
        base[threadIdx.x] = n ? atomicAdd(&a.lent[threadIdx.x], n) : 0;
        count[threadIdx.x] = 0;
    }
    __syncthreads();
    if (!a.x_out) return;
    for (uint32_t left = others; left; left &= left - 1) {
        const int to = __ffs((int)left) - 1;
        const int place = a.first[to] + base[to] + atomicAdd(&count[to], 1);
        ((md_vec<R> *)a.x_out)[place] = ((const md_vec<R> *)s.x_in)[i];
        ((md_vec<R> *)a.v_out)[place] = ((const md_vec<R> *)s.v_in)[i];
        a.id_out[place] = s.id_in[i];
    }
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
    ((md_vec<R> *)a.x_out)[i] = ((const md_vec<R> *)a.x)[place];
    if (a.v) ((md_vec<R> *)a.v_out)[i] = ((const md_vec<R> *)a.v)[place];
}

/* A row of blocks for each of the others. */
template <class R> __global__ void md_take_kernel(const __grid_constant__ md_take_args a)
{
    const md_taken &f = a.from[blockIdx.y];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) atomicMin(&a.control->last, *f.last);
    if (i >= f.count) return;
    ((md_vec<R> *)f.x_to)[i] = ((const md_vec<R> *)f.x)[i];
    if (f.v) ((md_vec<R> *)f.v_to)[i] = ((const md_vec<R> *)f.v)[i];
}

/* Sums of squares of velocities out of rows of partial sums, or back into them. */
static __global__ void md_speeds_kernel(double *partial, double *speeds, int rows, bool back)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    double &sum = partial[(int64_t)i * MD_SUMS + MD_SUM_SPEED_SQ];
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
