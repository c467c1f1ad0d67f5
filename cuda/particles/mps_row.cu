/* The sums of a row of mps (mps_measure.c), on the device. */
#include "mps_device.h"

constexpr int ROW_THREADS = 256;

__device__ static void clear(mps_row_sums &s)
{
    s = mps_row_sums();
    s.excursion = -INFINITY;
}

__device__ static void join(mps_row_sums &s, const mps_row_sums &more)
{
    s.kinetic += more.kinetic;
    for (int a = 0; a < 3; a++) s.momentum[a] += more.momentum[a];
    s.height += more.height;
    s.elastic += more.elastic;
    s.compression += more.compression;
    s.inner += more.inner;
    s.square = fmax(s.square, more.square);
    s.pressure = fmax(s.pressure, more.pressure);
    s.front = fmax(s.front, more.front);
    s.excursion = fmax(s.excursion, more.excursion);
}

/* Of a block, in thread 0: always the same tree. */
__device__ static void join_block(mps_row_sums &s)
{
    __shared__ mps_row_sums all[ROW_THREADS];
    all[threadIdx.x] = s;
    for (int half = ROW_THREADS / 2; half; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half) join(all[threadIdx.x], all[threadIdx.x + half]);
    }
    s = all[0];
}

__device__ static double wrapped(double r, double edge)
{
    r -= edge * floor(r / edge);
    return r < edge ? r : 0;
}

template <class R>
__device__ static void add_particle(const mps_row_args &a, int64_t i, mps_row_sums &s)
{
    const R *x = (const R *)a.x + 4 * i, *v = (const R *)a.v + 4 * i;
    const int id = a.id[i];
    if (id >= a.fluid + a.wall) return;
    const double excess = (double)x[3] / a.stiffness, pressed = fmax(0.0, excess); /* n/n0 - 1 */
    s.elastic += a.stored * pressed * pressed + (double)v[3];
    if (id >= a.fluid) return;
    double square = 0, beyond = -INFINITY, r[3];
    for (int d = 0; d < 3; d++) {
        r[d] = wrapped(x[d], a.box[d]);
        square += (double)v[d] * (double)v[d];
        s.momentum[d] += (double)v[d];
        beyond = fmax(beyond, fmax(a.low[d] - r[d], r[d] - a.high[d]));
    }
    s.kinetic += 0.5 * square;
    s.height += r[1];
    s.square = fmax(s.square, square);
    s.pressure = fmax(s.pressure, (double)x[3]);
    s.front = fmax(s.front, r[0] + a.spacing / 2);
    s.excursion = fmax(s.excursion, beyond);
    if (1 + excess < a.surface) return;
    s.compression += 1 + excess;
    s.inner += 1;
}

template <class R>
__global__ void __launch_bounds__(ROW_THREADS) mps_row_blocks(mps_row_args a, mps_row_sums *sums)
{
    mps_row_sums s;
    clear(s);
    for (int64_t i = blockIdx.x * (int64_t)ROW_THREADS + threadIdx.x; i < a.count;
         i += (int64_t)gridDim.x * ROW_THREADS)
        add_particle<R>(a, i, s);
    join_block(s);
    if (threadIdx.x == 0) sums[blockIdx.x] = s;
}

__global__ void __launch_bounds__(ROW_THREADS) mps_row_total(mps_row_sums *sums)
{
    mps_row_sums s;
    clear(s);
    for (int b = threadIdx.x; b < MPS_ROW_BLOCKS; b += ROW_THREADS) join(s, sums[b]);
    join_block(s);
    if (threadIdx.x == 0) sums[MPS_ROW_BLOCKS] = s;
}

extern "C" cudaError_t mps_row(int real_bytes, const mps_row_args *args, mps_row_sums *sums,
                               cudaStream_t stream)
{
    if (real_bytes == 4)
        mps_row_blocks<float><<<MPS_ROW_BLOCKS, ROW_THREADS, 0, stream>>>(*args, sums);
    else
        mps_row_blocks<double><<<MPS_ROW_BLOCKS, ROW_THREADS, 0, stream>>>(*args, sums);
    cudaError_t e = cudaGetLastError();
    if (e) return e;
    mps_row_total<<<1, ROW_THREADS, 0, stream>>>(sums);
    return cudaGetLastError();
}
