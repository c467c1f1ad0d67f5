/*
 * The stepwise engine: one kernel launch per time step.
 *
 * Blocks march along x with the 2 R + 1 vectors of the x stencil in registers. Fields are read once
 * and written once from memory, 12 bytes a cell in f32, as long as the y neighbours of blocks that
 * run at the same time meet in the L2 cache: the order in which tiles are taken is that of the
 * plan's ordering. Two kernels:
 *
 * - through the L1 cache: 256 threads own 32 (16) vectors along z times 8 (16) rows along y for the
 *   orders 2 and 4 (6 and above), on thin grids fewer along one and more along the other;
 * - planes are copied to shared memory ahead of the march (wave_stepwise_tma.cuh), at orders up to
 *   8, whose planes leave room for that.
 */
#ifndef TORRE_WAVE_STEPWISE_CUH
#define TORRE_WAVE_STEPWISE_CUH

#include <math.h>
#include <type_traits>

#include "cuda/core/ptx.cuh"
#include "wave_cell.cuh"
#include "wave_layer_steps.cuh"
#include "wave_tensor_map.cuh"

constexpr int THREADS = 256;
/* wide stencils: more rows a block, so that fewer y neighbours are read twice */
constexpr int WIDE_ORDER = 6, WIDE_LANES = 16, NARROW_LANES = 32;

/* What share of the cells of tiles of this shape lies in the grid. */
static double stepwise_fill(const torre_wave_args *args, const torre_step_shape &shape)
{
    const double y = args->n[1], z = args->n[2];
    return y / (ceil(y / shape.rows) * shape.rows) * z / (ceil(z / shape.planes) * shape.planes);
}

template <class T> __device__ __forceinline__ cells<T> load(const T *p)
{
    cells<T> v;
    const float4 q = __ldg((const float4 *)p);
    memcpy(&v, &q, 16);
    return v;
}

/* The vectors at z - PV .. z + PV of row u where z faces are near: through the mirror. */
template <class T, int R>
__device__ __forceinline__ void around_face(cells<T> *around, const T *u, const args_of<R> &g,
                                            int z)
{
    constexpr int V = cells<T>::n, PV = (R + V - 1) / V;
    const int planes = planes_of<T, R>(g);
#pragma unroll 1
    for (int e = PV * V - R; e < (PV + 1) * V + R; e++) {
        int sign;
        const int from = mirrored<R>(g.mirror[2], z - PV * V + e, planes, &sign);
        T value = T(0);
        if (sign && (unsigned)from < (unsigned)planes) value = multiply((T)sign, u[from]);
        ((T *)around)[e] = value;
    }
}

/* Row y of plane x at z, through the mirror of x. */
template <class T, int R>
__device__ __forceinline__ cells<T> mirrored_plane(const T *u, const args_of<R> &g, int x, int y,
                                                   int z)
{
    int sign;
    const int from = mirrored<R>(g.mirror[0], x, g.n[0], &sign);
    if (!sign || (unsigned)from >= (unsigned)g.n[0]) return uniform_cells(T(0));
    const cells<T> v = load(u + from * g.stride_x + y * g.stride_y + z);
    return sign == -1 ? scaled(T(-1), v) : v;
}

/* How the vectors beside those at z are found. */
template <class T, int R> struct z_surroundings {
    static constexpr int V = cells<T>::n, PV = (R + V - 1) / V;
    bool inside; /* nothing beyond a z face is needed */
    bool simple; /* at most one vector, the mirror image of the centre */
    __device__ __forceinline__ z_surroundings(const args_of<R> &g, int z)
        : inside(z >= PV * V && z + (PV + 1) * V <= planes_of<T, R>(g)),
          simple(PV == 1 && g.n[2] % V == 0 && g.n[2] > R && !g.periodic[2])
    {
    }
    /* Put in the mirror images of the centre, where `simple`. */
    static __device__ __forceinline__ void mirror_centre(cells<T> *around, const args_of<R> &g,
                                                         int z)
    {
        const auto &m = g.mirror[2];
        if (z == 0) around[0] = image_below(around[PV], m.sign[0][0] == 1, (T)m.sign[0][1]);
        if (z + V == g.n[2])
            around[2 * PV] = image_above(around[PV], m.sign[1][0] == 1, (T)m.sign[1][1]);
    }
    /* Put in what lies beyond a face; row: the line of the centre, so that row[z] is its first
     * cell.
     */
    __device__ __forceinline__ void mirror(cells<T> *around, const T *row, const args_of<R> &g,
                                           int z) const
    {
        if (inside) return;
        if (simple) {
            mirror_centre(around, g, z);
            return;
        }
        cells<T> wide[2 * PV + 1];
        around_face<T, R>(wide, row, g, z);
#pragma unroll
        for (int p = 0; p <= 2 * PV; p++) around[p] = wide[p];
    }
};

/* Add to `sum` (FRESH: start it with) the terms along an axis on which at(d) is the vector d cells
 * further. */
template <int R, bool FRESH, class T, class At>
__device__ __forceinline__ void add_along(cells<T> &sum, const T *weight, At at)
{
    if constexpr (R == 2) {
        add_pairs<FRESH>(sum, weight, at(0), pair_sum(at(-1), at(1)), pair_sum(at(-2), at(2)));
    } else {
        cells<T> last = at(-R);
#pragma unroll
        for (int d = 1 - R; d <= R; d++) {
            const cells<T> value = at(d);
            add_step<R, FRESH>(sum, weight, d, difference(value, last));
            last = value;
        }
    }
}

/* The next level of the vector at (x, y, z), into `before`, the level before. side(d), plane(d):
 * the vectors d cells further along y and x, the centre for d = 0; around: those along z. LAYERS:
 * it may lie in a damping layer. */
template <class T, int R, bool MODEL, bool LAYERS, bool BOUND = false, class Side, class Plane>
__device__ __forceinline__ void
advance_cells(cells<T> &before, const args_of<R> &g, const weights_of<T, R> &c, const cells<T> &k,
              Side side, Plane plane, const cells<T> *around, int x, int y, int z)
{
    const bool damped =
        LAYERS && g.damping[0] &&
        (x < g.clear[0][0] || x >= g.clear[0][1] || y < g.clear[1][0] || y >= g.clear[1][1] ||
         z < g.clear[2][0] || z + cells<T>::n > g.clear[2][1]);
    const cells<T> u = plane(0);
    cells<T> s_dt;
    if (damped) {
        s_dt = damping_at<T>(g, x, y, z);
        if (R == 1)
            damp_before(before, s_dt);
        else
            start_update(before, u, s_dt);
    } else if (R > 1) {
        start_update(before, u);
    }
    if constexpr (R == 1) {
        const cells<T> y[2] = {side(-1), side(1)}, x[2] = {plane(-1), plane(1)};
        update_order_2<MODEL>(c, k, u, before, y, x, pair_along_z<T>(around));
    } else {
        cells<T> weighted;
        cells<T> &sum = MODEL ? weighted : before;
        add_along<R, MODEL>(sum, c.weight[0], plane);
        if (MODEL) accumulate(before, k, sum);
        add_along<R, MODEL>(sum, c.weight[1], [&](int d) { return d == 0 ? u : side(d); });
        add_along_z<T, R>(sum, around, c.weight[2]);
        if (MODEL) accumulate(before, k, sum);
    }
    if (BOUND)
        bind_cells(
            before,
            load_medium((const T *)g.binding + x * g.binding_stride_x + y * g.binding_stride_y + z),
            u);
    if (damped) finish_update(before, s_dt);
}

template <class T> __device__ __forceinline__ void store_next(T *next, const cells<T> &v)
{
    float4 q;
    memcpy(&q, &v, 16);
    __stcs((float4 *)next, q);
}

template <class T, int R, bool MODEL, bool BOUND> struct stepwise {
    static constexpr int V = cells<T>::n, PV = (R + V - 1) / V, Q = 2 * R + 1;
    const args_of<R> &g;
    const weights_of<T, R> &c;
    const T *now;
    T *next;
    int y, z;
    z_surroundings<T, R> beside;

    /* Row y + d, through the mirror of y; centre: row y, which lies at u. In a layer of one row all
     * rows are images of that. */
    __device__ __forceinline__ cells<T> mirrored_side(const cells<T> &centre, const T *u,
                                                      int d) const
    {
        int sign;
        const int from = mirrored<R>(g.mirror[1], y + d, g.n[1], &sign);
        if (!sign || (unsigned)from >= (unsigned)g.n[1]) return uniform_cells(T(0));
        const cells<T> v = from == y ? centre : load(u + (from - y) * g.stride_y);
        return sign == -1 ? scaled(T(-1), v) : v;
    }

    /* One step of the march: queue[(FIRST + i) % Q] is the vector at x - R + i. */
    template <bool NEAR, int FIRST> __device__ __forceinline__ void update(cells<T> *queue, int x)
    {
        const int64_t here = x * g.stride_x + y * g.stride_y + z;
        queue[(FIRST + 2 * R) % Q] =
            NEAR ? mirrored_plane<T, R>(now, g, x + R, y, z) : load(now + here + R * g.stride_x);
        cells<T> before, side[2 * R], around[2 * PV + 1], k;
        {
            const float4 q = __ldcs((const float4 *)(next + here));
            memcpy(&before, &q, 16);
        }
#pragma unroll
        for (int i = 0; i < 2 * R; i++) {
            const int d = i < R ? i - R : i - R + 1;
            side[i] = NEAR ? mirrored_side(queue[(FIRST + R) % Q], now + here, d)
                           : load(now + here + d * g.stride_y);
        }
        if (MODEL) k = load((const T *)g.k + x * g.k_stride_x + y * g.k_stride_y + z);
#pragma unroll
        for (int p = -PV; p <= PV; p++) {
            around[PV + p] = uniform_cells(T(0));
            if (p != 0 &&
                (beside.inside || (beside.simple && z + p * V >= 0 && z + p * V < g.n[2])))
                around[PV + p] = load(now + here + p * V);
        }
        around[PV] = queue[(FIRST + R) % Q];
        beside.mirror(around, now + here - z, g, z);
        advance_cells<T, R, MODEL, true, BOUND>(
            before, g, c, k, [&](int d) { return side[d < 0 ? R + d : R + d - 1]; },
            [&](int d) { return queue[(FIRST + R + d) % Q]; }, around, x, y, z);
        store_next(next + here, before);
    }

    /* Q steps, so that the queue turns round once without moving. */
    template <bool NEAR, int FIRST>
    __device__ __forceinline__ void turn(cells<T> *queue, int x, int x_end)
    {
        if constexpr (FIRST < Q) {
            if (x >= x_end) return;
            update<NEAR, FIRST>(queue, x);
            turn<NEAR, FIRST + 1>(queue, x + 1, x_end);
        }
    }
};

/* The march of a thread over cells x_first .. x_end - 1 of the vector at (y, z). */
template <class T, int R, bool MODEL, bool BOUND>
__device__ __forceinline__ void march(const args_of<R> &g, const weights_of<T, R> &c, int x_first,
                                      int x_end, int y, int z)
{
    using S = stepwise<T, R, MODEL, BOUND>;
    S s{g, c, (const T *)g.field[1], (T *)g.field[0], y, z, z_surroundings<T, R>(g, z)};
    const bool near = x_first < R || x_end + R > g.n[0] || y < R || y + R >= g.n[1];
    cells<T> queue[S::Q];
#pragma unroll
    for (int i = 0; i < 2 * R; i++)
        queue[i] = near ? mirrored_plane<T, R>(s.now, g, x_first + i - R, y, z)
                        : load(s.now + (x_first + i - R) * g.stride_x + y * g.stride_y + z);
#pragma unroll 1
    for (int x = x_first; x < x_end; x += S::Q) {
        if (near)
            s.template turn<true, 0>(queue, x, x_end);
        else
            s.template turn<false, 0>(queue, x, x_end);
    }
}

constexpr int stepwise_blocks(int R) { return R == 1 ? 4 : R <= TORRE_TOWER_HALF_WIDTH ? 2 : 1; }

template <class T, int R, bool MODEL, bool BOUND>
__global__ void __launch_bounds__(THREADS, stepwise_blocks(R))
    stepwise_kernel(const __grid_constant__ args_of<R> g,
                    const __grid_constant__ weights_of<T, R> c,
                    const __grid_constant__ torre_step_launch l)
{
    const int *tile = l.tiles + 3 * (int64_t)blockIdx.x;
    const int x_first = l.low + tile[0] * l.chunk, y = tile[1] * blockDim.y + threadIdx.y;
    const int z = (tile[2] * blockDim.x + threadIdx.x) * cells<T>::n;
    if (x_first >= l.high || y >= g.n[1] || z >= g.n[2]) return;
    march<T, R, MODEL, BOUND>(g, c, x_first, min(x_first + l.chunk, l.high), y, z);
}

#include "wave_shell_steps.cuh"
#include "wave_stepwise_tma.cuh"

template <class T, int R, bool MODEL, bool BOUND>
cudaError_t stepwise_launch_kernel(const torre_wave_args *args, const torre_wide_stencil *stencil,
                                   const torre_step_launch *l, cudaStream_t stream)
{
    if constexpr (stepwise_tma<T, R>::fits && !BOUND)
        if (l->shape.blocks) return stepwise_tma_launch<T, R, MODEL>(args, l, stream);
    const dim3 block(l->shape.planes / cells<T>::n, l->shape.rows);
    if constexpr (R <= TORRE_TOWER_HALF_WIDTH) {
        stepwise_kernel<T, R, MODEL, BOUND>
            <<<l->tile_count, block, 0, stream>>>(*args, stencil_weights<T>(*args), *l);
    } else {
        wide_args wide;
        static_cast<torre_wave_args &>(wide) = *args;
        memcpy(wide.mirror, stencil->mirror, sizeof wide.mirror);
        stepwise_kernel<T, R, MODEL, BOUND><<<l->tile_count, block, 0, stream>>>(
            wide, weights_of<T, R>(*args, stencil->weight), *l);
    }
    return cudaGetLastError();
}

/* See torre_step_kernel. */
template <class T, int R>
cudaError_t stepwise_launch(const torre_wave_args *args, const torre_wide_stencil *stencil,
                            const torre_step_launch *l, cudaStream_t stream)
{
    if (args->binding) return stepwise_launch_kernel<T, R, true, true>(args, stencil, l, stream);
    return args->k ? stepwise_launch_kernel<T, R, true, false>(args, stencil, l, stream)
                   : stepwise_launch_kernel<T, R, false, false>(args, stencil, l, stream);
}

/* Threads along z and y of the kernel that goes through the L1 cache. */
template <class T, int R> torre_step_shape stepwise_threads(const torre_wave_args *args)
{
    constexpr int V = cells<T>::n;
    const int vectors = (args->n[2] + V - 1) / V;
    int lanes = 2 * R >= WIDE_ORDER ? WIDE_LANES : NARROW_LANES, rows = THREADS / lanes;
    for (; lanes / 2 >= vectors; rows *= 2) lanes /= 2;
    while (rows / 2 >= args->n[1]) {
        rows /= 2;
        if (lanes < vectors) lanes *= 2;
    }
    return {rows, lanes * V, 0};
}

template <class T, int R>
cudaError_t stepwise_shape_of(const torre_wave_args *args, const torre_gpu_data *gpu,
                              torre_step_shape *shape)
{
    *shape = stepwise_threads<T, R>(args);
    if constexpr (stepwise_tma<T, R>::fits) {
        using S = stepwise_tma<T, R>;
        bool tma;
        cudaError_t e = stepwise_uses_tma<T, R>(args, &tma);
        if (e) return e;
        if (tma && !args->binding_stride_y && S::pays(*args, *gpu) &&
            stepwise_fill(args, {S::rows, S::planes, 0}) >=
                gpu->copied_fill * stepwise_fill(args, *shape))
            return stepwise_tma_shape<T, R>(shape);
    }
    return cudaSuccess;
}

#endif
