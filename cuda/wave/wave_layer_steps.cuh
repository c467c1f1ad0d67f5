/*
 * Layers of the stepwise engine: after each step of the field a launch for each axis that has
 * layers, x before y before z. Threads take a cell r of a layer each, or a place in front of it or
 * beyond the face, which the memory reaches (`places` in all): of matched layers R - 1 and R.
 * Where layers lie across x and y a warp has vectors along z, across z columns beside each other
 * along y, as their memory lies.
 */
#ifndef TORRE_WAVE_LAYER_STEPS_CUH
#define TORRE_WAVE_LAYER_STEPS_CUH

#include "wave_layer_cell.cuh"

constexpr int LAYER_LANES = 32, LAYER_PLACES = 8; /* threads across x and y */
constexpr int LAYER_LINES_MOST = 65535;           /* blocks along the second axis of a grid */

/* A column of cells that a layer ends: its cell r = 0 is the number `first` of n cells, at value
 * `origin` of the fields where i is 0; stride: from a cell to the next, outwards 1 or -1. */
template <class L> struct layer_line {
    using T = typename layer_cells<L>::value;
    const torre_wave_args &g;
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
    /* Adds to u[n+1] of a cell what its layer changes of the sum of differences. */
    __device__ __forceinline__ void add(int r, const L &sum) const
    {
        const int64_t i = first + outwards * r;
        L *next = (L *)((T *)g.field[0] + origin + i * stride);
        *next = g.k ? layer_cells<L>::fused(*(const L *)((const T *)g.k + k_origin + i * k_stride),
                                            sum, *next)
                    : layer_cells<L>::sum(*next, sum);
    }
};

/* Layers of wave/pml.h: places from cell 1 - R to the R beyond the face. */
template <class T, int R> struct matched_layer {
    using weights = layer_weights<T, R>;
    static constexpr int half_width = R, first_place = 1 - R;
    static __device__ __forceinline__ int places(int W) { return W + 2 * R - 1; }
    template <class L>
    static __device__ __forceinline__ void step(const layer_line<L> &line,
                                                const layer_column<L, R> &memory, int r,
                                                const weights &c, int axis)
    {
        memory.remember(r, layer_cells<L>::difference(line.now(r + 1), line.now(r - 1)));
        if (r < memory.W) line.add(r, memory.sum(r, c.weight[axis]));
    }
};

#include "wave_layer_convolved.cuh"

/* Layers across AXIS, x or y. blockIdx.z: the side. */
template <class LAYER, class T, int AXIS>
__global__ void __launch_bounds__(LAYER_LANES *LAYER_PLACES)
    layers_kernel(const __grid_constant__ torre_wave_args g,
                  const __grid_constant__ torre_layer_args l,
                  const __grid_constant__ typename LAYER::weights c)
{
    constexpr int V = cells<T>::n, ALONG = 1 - AXIS;
    const int side = blockIdx.z, n = g.n[AXIS], W = l.width;
    const int z = (blockIdx.x * LAYER_LANES + threadIdx.x) * V;
    if (z >= g.n[2] || l.first[AXIS][side] < 0) return;
    const int64_t stride[2] = {g.stride_x, g.stride_y}, k_stride[2] = {g.k_stride_x, g.k_stride_y};
    for (int number = blockIdx.y; number < g.n[ALONG]; number += gridDim.y) {
        const layer_column<cells<T>, LAYER::half_width> memory(l, AXIS, side,
                                                               number * l.outer[AXIS] + z);
        const layer_line<cells<T>> line = {g,
                                           side ? n - W : W - 1,
                                           n,
                                           side ? 1 : -1,
                                           number * stride[ALONG] + z,
                                           stride[AXIS],
                                           number * k_stride[ALONG] + z,
                                           k_stride[AXIS]};
        for (int i = threadIdx.y; i < LAYER::places(W); i += LAYER_PLACES)
            LAYER::step(line, memory, i + LAYER::first_place, c, AXIS);
    }
}

/* Layers across z, of any width. */
template <class LAYER, class T>
__global__ void __launch_bounds__(LAYER_LANES *LAYER_PLACES)
    layer_ends_kernel(const __grid_constant__ torre_wave_args g,
                      const __grid_constant__ torre_layer_args l,
                      const __grid_constant__ typename LAYER::weights c)
{
    const int side = blockIdx.z, n = g.n[2], W = l.width;
    const int y = blockIdx.x * LAYER_LANES + threadIdx.x;
    if (y >= g.n[1] || l.first[2][side] < 0) return;
    for (int x = blockIdx.y; x < g.n[0]; x += gridDim.y) {
        const layer_column<T, LAYER::half_width> memory(l, 2, side, x * l.outer[2] + y);
        const layer_line<T> line = {g,
                                    side ? n - W : W - 1,
                                    n,
                                    side ? 1 : -1,
                                    x * g.stride_x + y * g.stride_y,
                                    1,
                                    x * g.k_stride_x + y * g.k_stride_y,
                                    1};
        for (int i = threadIdx.y; i < LAYER::places(W); i += LAYER_PLACES)
            LAYER::step(line, memory, i + LAYER::first_place, c, 2);
    }
}

/*
 * The same of the usual width (layer_end), a column each. A block copies all that its columns
 * remember to shared memory at once, and meanwhile a thread reads what it needs of the fields.
 */
template <class T, int R> struct ends_block {
    static constexpr int columns = 512 / (int)sizeof(T), warps = columns / 32;
    static constexpr int slots = layer_slots(R, TORRE_PML_WIDTH);
    /* on a multiprocessor, by registers */
    static constexpr int blocks = (sizeof(T) == 8 ? 256 : R == 1 ? 640 : 384) / columns;
    T memory[slots][columns];

    /* From slot 0 of the first column on; so many columns have values. */
    __device__ __forceinline__ void copy(const T *from, int64_t pitch, int there)
    {
        const int column = (threadIdx.x & 31) * cells<T>::n;
        if (column >= there) return;
        for (int slot = threadIdx.x / 32; slot < slots; slot += warps)
            copy_16(&memory[slot][column], from + slot * pitch + column);
    }
};

/* The fields at the planes of a column. */
template <class T, int R> struct end_cells {
    using end = layer_end<T, R>;
    using vec = cells<T>;
    vec now[end::vectors], next[end::vectors];

    __device__ __forceinline__ void read(const torre_wave_args &g, int64_t at)
    {
#pragma unroll
        for (int v = 0; v < end::vectors; v++) {
            now[v] = ((const vec *)((const T *)g.field[1] + at))[v];
            next[v] = ((const vec *)((const T *)g.field[0] + at))[v];
        }
    }
    /* Adds what the layer changes of the sum of differences, and writes the new level. */
    template <int SIDE> __device__ __forceinline__ void finish(const end &column, T *to, const T *k)
    {
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
            ((vec *)to)[v] = next[v];
        }
    }
};

template <class T, int R, int SIDE>
__device__ __forceinline__ void layer_end_step(const torre_wave_args &g, const torre_layer_args &l,
                                               const layer_weights<T, R> &c, int x, int y_first,
                                               ends_block<T, R> &block)
{
    using end = layer_end<T, R>;
    using vec = cells<T>;
    const int y = y_first + threadIdx.x, z = SIDE ? g.n[2] - end::planes : 0;
    const int64_t at = x * g.stride_x + y * g.stride_y + z;
    const layer_column<T, R> memory(l, 2, SIDE, x * l.outer[2] + y);
    const T *model = g.k ? (const T *)g.k + x * g.k_stride_x + y * g.k_stride_y + z : nullptr;
    end_cells<T, R> cells;
    block.copy(memory.old - threadIdx.x, memory.pitch, (int)memory.pitch - y_first);
    if (y < g.n[1]) cells.read(g, at);
    wait_for_copies();
    __syncthreads();
    if (y < g.n[1]) {
        end column;
#pragma unroll
        for (int v = 0; v < end::vectors; v++)
#pragma unroll
            for (int e = 0; e < vec::n; e++) {
                const int r = end::cell_of(SIDE, v * vec::n + e);
                if (r >= -R) column.u[r + R] = cells.now[v].v[e];
            }
        column.step(memory, &block.memory[0][threadIdx.x], block.columns, c.weight[2]);
        cells.template finish<SIDE>(column, (T *)g.field[0] + at, model);
    }
    __syncthreads(); /* before the next line's memory comes */
}
template <class T, int R>
__global__ void __launch_bounds__(ends_block<T, R>::columns, ends_block<T, R>::blocks)
    layer_usual_ends_kernel(const __grid_constant__ torre_wave_args g,
                            const __grid_constant__ torre_layer_args l,
                            const __grid_constant__ layer_weights<T, R> c)
{
    __shared__ __align__(16) ends_block<T, R> block;
    const int side = blockIdx.z, y_first = blockIdx.x * block.columns;
    if (l.first[2][side] < 0) return;
    for (int x = blockIdx.y; x < g.n[0]; x += gridDim.y)
        if (side)
            layer_end_step<T, R, 1>(g, l, c, x, y_first, block);
        else
            layer_end_step<T, R, 0>(g, l, c, x, y_first, block);
}

inline bool has_layer(const torre_layer_args *l, int axis)
{
    return l->first[axis][0] >= 0 || l->first[axis][1] >= 0;
}
/* Of both sides. */
inline dim3 layer_blocks(int along, int lines)
{
    return dim3(along, lines < LAYER_LINES_MOST ? lines : LAYER_LINES_MOST, 2);
}

/* Whether columns are those of layer_end. */
template <class T, int R> bool has_usual_ends(const torre_wave_args &g, const torre_layer_args &l)
{
    using end = layer_end<T, R>;
    return l.width == end::W && g.n[2] % end::V == 0 && g.n[2] >= end::planes;
}

/* All layers across x and y, and those across z but for such as have a kernel of their own. */
template <class LAYER, class T>
void launch_layers(const torre_wave_args *args, const torre_layer_args *layers,
                   const typename LAYER::weights &weights, bool ends, cudaStream_t stream)
{
    constexpr int V = cells<T>::n;
    const int *n = args->n, tiles = (n[2] + LAYER_LANES * V - 1) / (LAYER_LANES * V);
    const dim3 threads(LAYER_LANES, LAYER_PLACES);
    if (has_layer(layers, 0))
        layers_kernel<LAYER, T, 0>
            <<<layer_blocks(tiles, n[1]), threads, 0, stream>>>(*args, *layers, weights);
    if (has_layer(layers, 1))
        layers_kernel<LAYER, T, 1>
            <<<layer_blocks(tiles, n[0]), threads, 0, stream>>>(*args, *layers, weights);
    if (has_layer(layers, 2) && ends)
        layer_ends_kernel<LAYER, T>
            <<<layer_blocks((n[1] + LAYER_LANES - 1) / LAYER_LANES, n[0]), threads, 0, stream>>>(
                *args, *layers, weights);
}

/* See torre_step_kernel. */
template <class T, int R>
cudaError_t layers_launch(const torre_wave_args *args, const torre_layer_args *layers,
                          cudaStream_t stream)
{
    if (layers->convolves) {
        launch_layers<convolved_layer<T, R>, T>(
            args, layers, convolved_weights<T, R>(*args, *layers), true, stream);
        return cudaGetLastError();
    }
    constexpr int columns = ends_block<T, R>::columns;
    const layer_weights<T, R> weights(*args, *layers);
    const bool usual = has_usual_ends<T, R>(*args, *layers);
    const int *n = args->n;
    launch_layers<matched_layer<T, R>, T>(args, layers, weights, !usual, stream);
    if (has_layer(layers, 2) && usual)
        layer_usual_ends_kernel<T, R>
            <<<layer_blocks((n[1] + columns - 1) / columns, n[0]), columns, 0, stream>>>(
                *args, *layers, weights);
    return cudaGetLastError();
}

#endif
