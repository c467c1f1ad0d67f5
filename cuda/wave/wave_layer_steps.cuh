/*
 * Perfectly matched layers of the stepwise engine: after each step of the field a launch for each
 * axis that has layers, x before y before z. Threads take a cell r of a layer each, or one of the
 * R - 1 cells in front of it and the R beyond the face, which the memory reaches (`places` in all).
 * Where layers lie across x and y a warp has vectors along z, across z columns beside each other
 * along y, as their memory lies.
 */
#ifndef TORRE_WAVE_LAYER_STEPS_CUH
#define TORRE_WAVE_LAYER_STEPS_CUH

#include "wave_layer_cell.cuh"

constexpr int LAYER_LANES = 32, LAYER_PLACES = 8; /* threads across x and y */
constexpr int END_COLUMNS = 128;                  /* across z, of the usual width */
constexpr int LAYER_LINES_MOST = 65535;           /* blocks along the second axis of a grid */

/* Places of a layer of the half-width R; the first is cell 1 - R. */
template <int R> __host__ __device__ constexpr int layer_places(int W) { return W + 2 * R - 1; }

/* One place r of a column whose cell r = 0 is the number `first` of n cells, at value `origin` of
 * the fields where i is 0; stride: from a cell to the next, outwards 1 or -1. */
template <class L, int R> struct layer_place {
    using T = typename layer_cells<L>::value;
    const torre_wave_args &g;
    const layer_column<L, R> &memory;
    int first, n, outwards;
    int64_t origin, stride, k_origin, k_stride;

    __device__ __forceinline__ bool is_cell(int r) const
    {
        const int i = first + outwards * r;
        return i >= 0 && i < n;
    }
    __device__ __forceinline__ L now(int r) const
    {
        if (!is_cell(r)) return layer_cells<L>::uniform(T(0));
        return *(const L *)((const T *)g.field[1] + origin + (first + outwards * r) * stride);
    }
    __device__ __forceinline__ void step(int r, const T *weight) const
    {
        memory.remember(r, layer_cells<L>::difference(now(r + 1), now(r - 1)));
        if (r >= memory.W) return;
        const int64_t i = first + outwards * r;
        const L sum = memory.sum(r, weight);
        L *next = (L *)((T *)g.field[0] + origin + i * stride);
        *next = g.k ? layer_cells<L>::fused(*(const L *)((const T *)g.k + k_origin + i * k_stride),
                                            sum, *next)
                    : layer_cells<L>::sum(*next, sum);
    }
};

/* Layers across AXIS, x or y. blockIdx.z: the side. */
template <class T, int R, int AXIS>
__global__ void __launch_bounds__(LAYER_LANES *LAYER_PLACES)
    layers_kernel(const __grid_constant__ torre_wave_args g,
                  const __grid_constant__ torre_layer_args l,
                  const __grid_constant__ layer_weights<T, R> c)
{
    constexpr int V = cells<T>::n, ALONG = 1 - AXIS;
    const int side = blockIdx.z, n = g.n[AXIS], W = l.width;
    const int z = (blockIdx.x * LAYER_LANES + threadIdx.x) * V;
    if (z >= g.n[2] || l.first[AXIS][side] < 0) return;
    const int64_t stride[2] = {g.stride_x, g.stride_y}, k_stride[2] = {g.k_stride_x, g.k_stride_y};
    for (int line = blockIdx.y; line < g.n[ALONG]; line += gridDim.y) {
        const layer_column<cells<T>, R> memory(l, AXIS, side, line * l.outer[AXIS] + z);
        const layer_place<cells<T>, R> place = {g,
                                                memory,
                                                side ? n - W : W - 1,
                                                n,
                                                side ? 1 : -1,
                                                line * stride[ALONG] + z,
                                                stride[AXIS],
                                                line * k_stride[ALONG] + z,
                                                k_stride[AXIS]};
        for (int i = threadIdx.y; i < layer_places<R>(W); i += LAYER_PLACES)
            place.step(i + 1 - R, c.weight[AXIS]);
    }
}

/* Layers across z, of any width. */
template <class T, int R>
__global__ void __launch_bounds__(LAYER_LANES *LAYER_PLACES)
    layer_ends_kernel(const __grid_constant__ torre_wave_args g,
                      const __grid_constant__ torre_layer_args l,
                      const __grid_constant__ layer_weights<T, R> c)
{
    const int side = blockIdx.z, n = g.n[2], W = l.width;
    const int y = blockIdx.x * LAYER_LANES + threadIdx.x;
    if (y >= g.n[1] || l.first[2][side] < 0) return;
    for (int x = blockIdx.y; x < g.n[0]; x += gridDim.y) {
        const layer_column<T, R> memory(l, 2, side, x * l.outer[2] + y);
        const layer_place<T, R> place = {g,
                                         memory,
                                         side ? n - W : W - 1,
                                         n,
                                         side ? 1 : -1,
                                         x * g.stride_x + y * g.stride_y,
                                         1,
                                         x * g.k_stride_x + y * g.k_stride_y,
                                         1};
        for (int i = threadIdx.y; i < layer_places<R>(W); i += LAYER_PLACES)
            place.step(i + 1 - R, c.weight[2]);
    }
}

/* The same of the usual width (layer_end), a column each. */
template <class T, int R, int SIDE>
__device__ __forceinline__ void layer_end_step(const torre_wave_args &g, const torre_layer_args &l,
                                               const layer_weights<T, R> &c, int x, int y)
{
    using end = layer_end<T, R>;
    using vec = cells<T>;
    const int z = SIDE ? g.n[2] - end::planes : 0;
    const int64_t at = x * g.stride_x + y * g.stride_y + z;
    const layer_column<T, R> memory(l, 2, SIDE, x * l.outer[2] + y);
    end column;
    vec *to = (vec *)((T *)g.field[0] + at), next[end::vectors];
#pragma unroll
    for (int v = 0; v < end::vectors; v++) {
        const vec u = ((const vec *)((const T *)g.field[1] + at))[v];
        next[v] = to[v]; /* not when the memory has been stored: that would be a wait more */
#pragma unroll
        for (int e = 0; e < vec::n; e++) {
            const int r = end::cell_of(SIDE, v * vec::n + e);
            if (r >= -R) column.u[r + R] = u.v[e];
        }
    }
    column.step(memory, c.weight[2]);
    const T *k = g.k ? (const T *)g.k + x * g.k_stride_x + y * g.k_stride_y + z : nullptr;
#pragma unroll
    for (int v = 0; v < end::vectors; v++) {
        const int first = end::cell_of(SIDE, v * vec::n), way = SIDE ? 1 : -1;
        if (first < 1 - R && first + way * (vec::n - 1) < 1 - R) continue;
        vec factor = {};
        if (k) factor = ((const vec *)k)[v];
#pragma unroll
        for (int e = 0; e < vec::n; e++) {
            const int r = first + way * e;
            if (r < 1 - R) continue;
            const T sum = column.sums[r + R - 1];
            T &cell = next[v].v[e];
            cell = k ? multiply_add(factor.v[e], sum, cell) : add(cell, sum);
        }
        to[v] = next[v];
    }
}
template <class T, int R>
__global__ void __launch_bounds__(END_COLUMNS)
    layer_usual_ends_kernel(const __grid_constant__ torre_wave_args g,
                            const __grid_constant__ torre_layer_args l,
                            const __grid_constant__ layer_weights<T, R> c)
{
    const int side = blockIdx.z, y = blockIdx.x * END_COLUMNS + threadIdx.x;
    if (y >= g.n[1] || l.first[2][side] < 0) return;
    for (int x = blockIdx.y; x < g.n[0]; x += gridDim.y)
        if (side)
            layer_end_step<T, R, 1>(g, l, c, x, y);
        else
            layer_end_step<T, R, 0>(g, l, c, x, y);
}

/* Whether columns are those of layer_end. */
template <class T, int R> bool has_usual_ends(const torre_wave_args &g, const torre_layer_args &l)
{
    using end = layer_end<T, R>;
    return l.width == end::W && g.n[2] % end::V == 0 && g.n[2] >= end::planes;
}

/* See torre_step_kernel. */
template <class T, int R>
cudaError_t layers_launch(const torre_wave_args *args, const torre_layer_args *layers,
                          cudaStream_t stream)
{
    constexpr int V = cells<T>::n;
    const layer_weights<T, R> weights(*args, *layers);
    const int *n = args->n, tiles = (n[2] + LAYER_LANES * V - 1) / (LAYER_LANES * V);
    const auto has = [&](int axis) {
        return layers->first[axis][0] >= 0 || layers->first[axis][1] >= 0;
    };
    const auto blocks = [&](int along, int line) {
        return dim3(along, line < LAYER_LINES_MOST ? line : LAYER_LINES_MOST, 2);
    };
    const dim3 threads(LAYER_LANES, LAYER_PLACES);
    const bool usual = has_usual_ends<T, R>(*args, *layers);
    if (has(0))
        layers_kernel<T, R, 0>
            <<<blocks(tiles, n[1]), threads, 0, stream>>>(*args, *layers, weights);
    if (has(1))
        layers_kernel<T, R, 1>
            <<<blocks(tiles, n[0]), threads, 0, stream>>>(*args, *layers, weights);
    if (has(2) && usual)
        layer_usual_ends_kernel<T, R>
            <<<blocks((n[1] + END_COLUMNS - 1) / END_COLUMNS, n[0]), END_COLUMNS, 0, stream>>>(
                *args, *layers, weights);
    if (has(2) && !usual)
        layer_ends_kernel<T, R>
            <<<blocks((n[1] + LAYER_LANES - 1) / LAYER_LANES, n[0]), threads, 0, stream>>>(
                *args, *layers, weights);
    return cudaGetLastError();
}

#endif
