/*
 * Fields at rest where they are kept. The sums are those of rest_piece.c, one rounding after the
 * other, written again since the compiler would join these products and sums. A test compares the
 * bits (check_rest).
 */
#include "core/random.h"
#include "wave_args.h"

/* Cells of rows in turn: a block takes some rows, its threads the cells of each. */
#define FOR_CELLS(r, x, y, z)                                                                      \
    for (int64_t row = blockIdx.x * (int64_t)blockDim.y + threadIdx.y;                             \
         row < (int64_t)(r).n[0] * (r).n[1]; row += (int64_t)gridDim.x * blockDim.y)               \
        for (int x = (int)(row / (r).n[1]), y = (int)(row % (r).n[1]), z = threadIdx.x;            \
             z < (r).n[2]; z += blockDim.x)

template <class T> __global__ void fill_noise(torre_rest_args r, T *field, uint64_t seed)
{
    FOR_CELLS(r, x, y, z)
    {
        const int at[3] = {x, y, z};
        int64_t cell = 0; /* its number in the caller's grid */
        for (int a = 0; a < 3; a++) cell = cell * r.axis[a].n + at[r.axis[a].own];
        field[x * r.stride_x + y * r.stride_y + z] =
            (T)(2 * torre_random_unit(torre_random_at(seed, (uint64_t)cell)) - 1);
    }
}

/* The value d cells from `own`, which is cell i of the axis; side 0 is below. Rows along the
 * caller's z are continued beyond faces in their precision, others in doubles. */
template <class T>
__device__ __forceinline__ double neighbour(const torre_rest_axis &axis, const T *own, int i, int d,
                                            int side, bool in_row)
{
    const int to = side ? i + d : i - d, beyond = side ? to - axis.n : -1 - to;
    if (beyond < 0) return (double)own[(to - i) * axis.stride];
    const torre_ghost ghost = axis.ghosts[side][beyond];
    if (in_row) return (double)((T)ghost.sign * own[(ghost.source - i) * axis.stride]);
    const int64_t source = ghost.sign ? ghost.source : i;
    return __dmul_rn((double)ghost.sign, (double)own[(source - i) * axis.stride]);
}

template <class T> __global__ void make_rest(torre_rest_args r, const T *now, T *previous)
{
    FOR_CELLS(r, x, y, z)
    {
        const int at[3] = {x, y, z};
        const int64_t cell = x * r.stride_x + y * r.stride_y + z;
        const double u = (double)now[cell];
        double laplacian = 0;
#pragma unroll
        for (int a = 0; a < 3; a++) {
            const torre_rest_axis &axis = r.axis[a];
            double sum = __dmul_rn(r.weight[0], u);
            for (int d = 1; d <= r.reach; d++) {
                const int i = at[axis.own];
                const double low = neighbour(axis, now + cell, i, d, 0, a == 2),
                             high = neighbour(axis, now + cell, i, d, 1, a == 2);
                sum = __dadd_rn(sum, __dmul_rn(r.weight[d], __dadd_rn(low, high)));
            }
            laplacian = __dadd_rn(laplacian, __ddiv_rn(sum, axis.square));
        }
        const double velocity = r.cells ? (double)previous[cell] : r.velocity,
                     step = __dmul_rn(velocity, r.dt);
        previous[cell] =
            (T)__dadd_rn(u, __dmul_rn(__dmul_rn(__dmul_rn(0.5, step), step), laplacian));
    }
}

static const dim3 threads(64, 4);

static int blocks_for(const torre_rest_args *r)
{
    const int64_t blocks = ((int64_t)r->n[0] * r->n[1] + threads.y - 1) / threads.y;
    return (int)(blocks < 1 ? 1 : blocks > 1 << 16 ? 1 << 16 : blocks);
}

extern "C" cudaError_t torre_fill_noise(int precision, const torre_rest_args *args, void *field,
                                        uint64_t seed, cudaStream_t stream)
{
    if (precision == 4)
        fill_noise<<<blocks_for(args), threads, 0, stream>>>(*args, (float *)field, seed);
    else
        fill_noise<<<blocks_for(args), threads, 0, stream>>>(*args, (double *)field, seed);
    return cudaGetLastError();
}

extern "C" cudaError_t torre_make_rest(int precision, const torre_rest_args *args, const void *now,
                                       void *previous, cudaStream_t stream)
{
    if (precision == 4)
        make_rest<<<blocks_for(args), threads, 0, stream>>>(*args, (const float *)now,
                                                            (float *)previous);
    else
        make_rest<<<blocks_for(args), threads, 0, stream>>>(*args, (const double *)now,
                                                            (double *)previous);
    return cudaGetLastError();
}
