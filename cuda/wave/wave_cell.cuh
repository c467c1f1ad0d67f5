/*
 * The arithmetic of one cell, and vectors of cells along z.
 *
 * All kernels use these functions in this order and every fused operation is written out, so they
 * agree bit for bit. With u the centre,
 *
 *     u+ = fma(2, u, -w u-) + terms along x, y, z           constant velocity
 *     u+ = fma(k, t_yz, fma(k, t_x, fma(2, u, -w u-)))      with a model (t: sums of such terms),
 *     u+ = fma(b, u, that)                                  where density varies, b = -k q
 *
 * and all over 1 + s dt, w = 1 - s dt, with w and the division left out where nothing is damped
 * (the result is the same for s = 0). At constant velocity weights hold the factor k = (c dt)^2.
 *
 * Every term is exactly zero where the field is constant, so that no rounding of the weights makes
 * such a field grow. Orders 6 and above multiply the steps from cell to cell, from the low to the
 * high neighbour, by G of stencil.h; one step is part of the terms of all cells near it:
 *
 *     fma(G_d, u(d) - u(d - 1), ..)   d = 1 .. R,     fma(-G_d, u(1 - d) - u(-d), ..)
 *
 * Order 4: see add_pairs. Order 2 sums pairs as well. With a model
 *
 *     t = fma(C_z, z, fma(C_y - C_x, y, fma(-4, u, cross))),  u+ = fma(k, t, fma(2, u, -u-))
 *     z = fma(-2, u, u(-z) + u(+z)),  y = fma(-2, u, u(-y) + u(+y))
 *
 * and at constant velocity, with the cross of the neighbours along x and y as the sum of two
 * diagonal pairs, each of which belongs to the crosses of two cells,
 *
 *     cross = (u(-x) + u(+y)) + (u(-y) + u(+x)),  t = fma(C_x, fma(-4, u, cross), fma(2, u, -u-))
 *     u+ = fma(C_z, z, fma(C_y - C_x, y, t))      (without y for C_x = C_y)
 */
#ifndef TORRE_WAVE_CELL_CUH
#define TORRE_WAVE_CELL_CUH

#include <type_traits>

#include "cuda/core/ptx.cuh"
#include "wave_args.h"

/* 16 bytes of cells along z: four float or two double. */
template <class T> struct alignas(16) cells {
    static constexpr int n = 16 / sizeof(T);
    T v[n];
};

template <class T> __device__ __forceinline__ T multiply_add(T a, T b, T c);
template <> __device__ __forceinline__ float multiply_add(float a, float b, float c)
{
    return __fmaf_rn(a, b, c);
}
template <> __device__ __forceinline__ double multiply_add(double a, double b, double c)
{
    return __fma_rn(a, b, c);
}
/* The numbers of a stencil of half-width up to N in the arithmetic's precision: weight[axis][d] =
 * G_d / h_axis^2, times (c dt)^2 where that is the same in all cells. */
template <class T, int N = TORRE_TOWER_HALF_WIDTH> struct stencil_weights {
    T weight[3][N + 1];
    T one = 1; /* see copied */
    T skew;    /* order 2: weight along y less that along x */
    stencil_weights() = default;
    explicit stencil_weights(const torre_wave_args &g) : stencil_weights(g, g.weight) {}
    template <int WEIGHTS>
    stencil_weights(const torre_wave_args &g, const double (&wanted)[3][WEIGHTS])
    {
        const double scale = g.k ? 1 : g.k0;
        for (int a = 0; a < 3; a++) {
            weight[a][0] = 0; /* of nothing */
            for (int i = 1; i <= N; i++) weight[a][i] = (T)(scale * wanted[a][i - 1]);
        }
        skew = (T)(scale * (wanted[1][0] - wanted[0][0]));
    }
};

/* What kernels of half-width R are given: mirrors of wide stencils hide the shorter ones. */
struct wide_args : torre_wave_args {
    torre_wide_mirror mirror[3];
};
template <int R>
using args_of = std::conditional_t<(R > TORRE_TOWER_HALF_WIDTH), wide_args, torre_wave_args>;
template <class T, int R>
using weights_of = stencil_weights<T, (R > TORRE_TOWER_HALF_WIDTH ? R : TORRE_TOWER_HALF_WIDTH)>;

/* Products and sums that must not be fused with their neighbours. */
__device__ __forceinline__ float multiply(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ double multiply(double a, double b) { return __dmul_rn(a, b); }
__device__ __forceinline__ float add(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ double add(double a, double b) { return __dadd_rn(a, b); }
/* 1 / (1 + s dt); within 1 ulp in f32, exact for 1 */
__device__ __forceinline__ float reciprocal(float b) { return approximate_reciprocal(b); }
__device__ __forceinline__ double reciprocal(double b) { return __drcp_rn(b); }

/* The update of one cell, in either precision. */
#define TORRE_TYPED(name) name
#define TORRE_VALUE       float
#include "wave_model.cuh"
#define TORRE_VALUE double
#include "wave_model.cuh"
#undef TORRE_TYPED

template <class T> __device__ __forceinline__ cells<T> scaled(T c, const cells<T> &a)
{
    cells<T> r;
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) r.v[e] = multiply(c, a.v[e]);
    return r;
}
template <class T> __device__ __forceinline__ void accumulate(cells<T> &sum, T c, const cells<T> &a)
{
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) sum.v[e] = multiply_add(c, a.v[e], sum.v[e]);
}
template <class T>
__device__ __forceinline__ void accumulate(cells<T> &sum, const cells<T> &c, const cells<T> &a)
{
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) sum.v[e] = multiply_add(c.v[e], a.v[e], sum.v[e]);
}
template <class T> __device__ __forceinline__ cells<T> product(const cells<T> &a, const cells<T> &b)
{
    cells<T> r;
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) r.v[e] = multiply(a.v[e], b.v[e]);
    return r;
}
/* u itself, by way of the multipliers: plain moves the compiler puts off to the end of a loop,
 * where they are two a number and run at half the rate. */
template <class T>
__device__ __forceinline__ cells<T> copied(const stencil_weights<T> &c, const cells<T> &u)
{
    return scaled(c.one, u);
}
template <class T>
__device__ __forceinline__ cells<T> pair_sum(const cells<T> &a, const cells<T> &b)
{
    cells<T> r;
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) r.v[e] = add(a.v[e], b.v[e]);
    return r;
}
template <class T>
__device__ __forceinline__ cells<T> difference(const cells<T> &a, const cells<T> &b)
{
    cells<T> r;
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) r.v[e] = add(a.v[e], -b.v[e]);
    return r;
}
/*
 * Order 4: add to `sum` (FRESH: start it with) the terms along an axis. near, far: the pairs of
 * neighbours one and two cells away. In a constant field -30 u - far is -32 u and no other
 * multiple, which is a number, and 16 near takes it to zero.
 */
template <bool FRESH, class T>
__device__ __forceinline__ void add_pairs(cells<T> &sum, const T *weight, const cells<T> &u,
                                          const cells<T> &near, const cells<T> &far)
{
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) {
        const T rest = multiply_add(T(-30), u.v[e], -far.v[e]);
        const T term = multiply_add(T(16), near.v[e], rest);
        sum.v[e] = FRESH ? multiply(-weight[2], term) : multiply_add(-weight[2], term, sum.v[e]);
    }
}

/* G of the step from cell d - 1 to cell d along an axis, d = 1 - R .. R; weight: of that axis. */
template <class T> __device__ __forceinline__ T step_weight(const T *weight, int d)
{
    return d > 0 ? weight[d] : -weight[1 - d];
}
/* Add to `sum` the term of the step to cell d; FRESH: the first of them starts the sum. */
template <int R, bool FRESH, class T>
__device__ __forceinline__ void add_step(cells<T> &sum, const T *weight, int d,
                                         const cells<T> &step)
{
    if (FRESH && d == 1 - R)
        sum = scaled(step_weight(weight, d), step);
    else
        accumulate(sum, step_weight(weight, d), step);
}
template <class T> __device__ __forceinline__ cells<T> uniform_cells(T value)
{
    cells<T> r;
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) r.v[e] = value;
    return r;
}

/*
 * Order 2 without a model: everything but the z pair from the cross and the y pair, then that.
 * before: w u-. SKEWED: weights along x and y may differ.
 */
template <bool SKEWED, class T>
__device__ __forceinline__ T start_order_2(const stencil_weights<T> &c, T u, T before, T cross, T y)
{
    const T t =
        multiply_add(c.weight[0][1], multiply_add(T(-4), u, cross), acoustic_start(u, before));
    return SKEWED && c.skew != T(0) ? multiply_add(c.skew, multiply_add(T(-2), u, y), t) : t;
}
template <class T>
__device__ __forceinline__ T finish_order_2(const stencil_weights<T> &c, T started, T u, T z)
{
    return multiply_add(c.weight[2][1], multiply_add(T(-2), u, z), started);
}
/* With a model, from the cross and the pairs; k: (c dt)^2 of the cell times the weight along x,
 * over which all weights are. */
template <bool SKEWED, class T>
__device__ __forceinline__ T update_order_2(const stencil_weights<T> &c, T k, T u, T before,
                                            T cross, T y, T z)
{
    T sum = multiply_add(T(-4), u, cross);
    if (SKEWED && c.skew != T(0)) sum = multiply_add(c.skew, multiply_add(T(-2), u, y), sum);
    sum = multiply_add(c.weight[2][1], multiply_add(T(-2), u, z), sum);
    return acoustic_add(k, sum, acoustic_start(u, before));
}

/* Both for vectors, into u-. y, x: the neighbours along these axes, low and high; z: the pair. */
template <bool MODEL, class T>
__device__ __forceinline__ void
update_order_2(const stencil_weights<T> &c, const cells<T> &k, const cells<T> &u, cells<T> &before,
               const cells<T> (&y)[2], const cells<T> (&x)[2], const cells<T> &z)
{
    const cells<T> y_pair = pair_sum(y[0], y[1]);
    const cells<T> cross = pair_sum(pair_sum(x[0], y[1]), pair_sum(y[0], x[1]));
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++)
        before.v[e] =
            MODEL ? update_order_2<true>(c, k.v[e], u.v[e], before.v[e], cross.v[e], y_pair.v[e],
                                         z.v[e])
                  : finish_order_2(
                        c, start_order_2<true>(c, u.v[e], before.v[e], cross.v[e], y_pair.v[e]),
                        u.v[e], z.v[e]);
}
/* (1 - s dt) u-, into u-. */
template <class T>
__device__ __forceinline__ void damp_before(cells<T> &before, const cells<T> &s_dt)
{
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++)
        before.v[e] = multiply(acoustic_before(s_dt.v[e]), before.v[e]);
}

/* Where density varies: what binds a cell to its place, times u, to the sum of all else. */
template <class T>
__device__ __forceinline__ void bind_cells(cells<T> &sum, const cells<T> &binding,
                                           const cells<T> &u)
{
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) sum.v[e] = acoustic_bind(-binding.v[e], u.v[e], sum.v[e]);
}
/* A vector of the medium. Not by __ldg: the compiler would keep all of a block of cells. */
template <class T> __device__ __forceinline__ cells<T> load_medium(const T *from)
{
    cells<T> r;
    uint64_t half[2];
    load_unchanging(half, from);
    memcpy(&r, half, 16);
    return r;
}

/* 2 u - u-, into u-. */
template <class T> __device__ __forceinline__ void start_update(cells<T> &before, const cells<T> &u)
{
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) before.v[e] = acoustic_start(u.v[e], before.v[e]);
}

/*
 * Add to `sum` the terms along z, in increasing z. around[0 .. 2 PV]: the vectors from z - PV
 * vectors on.
 */
template <class T, int R>
__device__ __forceinline__ void add_along_z(cells<T> &sum, const cells<T> *around, const T *weight)
{
    constexpr int V = cells<T>::n, PV = (R + V - 1) / V;
    const auto value = [&](int q) { return around[(PV * V + q) / V].v[(PV * V + q) % V]; };
    if (R == 2) {
        cells<T> near, far;
#pragma unroll
        for (int e = 0; e < V; e++) {
            near.v[e] = add(value(e - 1), value(e + 1));
            far.v[e] = add(value(e - 2), value(e + 2));
        }
        add_pairs<false>(sum, weight, around[PV], near, far);
        return;
    }
#pragma unroll
    for (int q = 1 - R; q < V + R; q++) { /* the step to cell q of the vector */
        const T step = add(value(q), -value(q - 1));
#pragma unroll
        for (int e = 0; e < V; e++)
            if (q - e > -R && q - e <= R)
                sum.v[e] = multiply_add(step_weight(weight, q - e), step, sum.v[e]);
    }
}
/* u(-z) + u(+z) for order 2. */
template <class T> __device__ __forceinline__ cells<T> pair_along_z(const cells<T> *around)
{
    constexpr int V = cells<T>::n;
    cells<T> t;
#pragma unroll
    for (int e = 0; e < V; e++) {
        const int at = V + e;
        t.v[e] = add(around[(at - 1) / V].v[(at - 1) % V], around[(at + 1) / V].v[(at + 1) % V]);
    }
    return t;
}

/* Image of the vector u below the low, or above the high face next to it: u(-1-i) = u(i) at a rigid
 * face; u(-1) = 0, u(-1-i) = -u(-1+i) at a free one; 0 where a perfectly matched layer ends
 * (sign 0). */
template <class T>
__device__ __forceinline__ cells<T> image_below(const cells<T> &u, bool rigid, T sign = T(-1))
{
    constexpr int V = cells<T>::n;
    cells<T> r;
#pragma unroll
    for (int d = 0; d < V; d++)
        r.v[V - 1 - d] = rigid ? u.v[d] : d ? multiply(sign, u.v[d ? d - 1 : 0]) : T(0);
    return r;
}
template <class T>
__device__ __forceinline__ cells<T> image_above(const cells<T> &u, bool rigid, T sign = T(-1))
{
    constexpr int V = cells<T>::n;
    cells<T> r;
#pragma unroll
    for (int d = 0; d < V; d++)
        r.v[d] = rigid ? u.v[V - 1 - d] : d ? multiply(sign, u.v[d ? V - d : 0]) : T(0);
    return r;
}

/* s dt of the cells at (x, y) and the vector at z. */
template <class T>
__device__ __forceinline__ cells<T> damping_at(const torre_wave_args &a, int x, int y, int z)
{
    const T plane = add(((const T *)a.damping[0])[x], ((const T *)a.damping[1])[y]);
    cells<T> s;
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) s.v[e] = add(plane, ((const T *)a.damping[2])[z + e]);
    return s;
}
/* The factors 1 - s dt, of the older level, and 1 / (1 + s dt), of the new one. */
template <class T> __device__ __forceinline__ T damping_before(T s_dt)
{
    return acoustic_before(s_dt);
}
template <class T> __device__ __forceinline__ T damping_after(T s_dt)
{
    return reciprocal(acoustic_after(s_dt));
}
/* 2 u - w u-, into u-; w: the first factor, in the next function from s dt. */
template <class T>
__device__ __forceinline__ void start_damped(cells<T> &before, const cells<T> &u, const cells<T> &w)
{
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++)
        before.v[e] = acoustic_start(u.v[e], multiply(w.v[e], before.v[e]));
}
template <class T>
__device__ __forceinline__ void start_update(cells<T> &before, const cells<T> &u,
                                             const cells<T> &s_dt)
{
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++)
        before.v[e] = acoustic_start(u.v[e], multiply(acoustic_before(s_dt.v[e]), before.v[e]));
}
template <class T>
__device__ __forceinline__ void finish_update(cells<T> &next, const cells<T> &s_dt)
{
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) next.v[e] = multiply(next.v[e], damping_after(s_dt.v[e]));
}

/* Cells along z that kernels of half-width R compute, see torre_cuda_planes. */
template <class T, int R> __device__ __forceinline__ int planes_of(const torre_wave_args &g)
{
    constexpr int V = cells<T>::n;
    return R > 1 && !g.periodic[2] ? (g.n[2] + V - 1) / V * V : g.n[2];
}

/* Index and sign of the cell that stands for i on an axis of n cells with R ghosts a side. */
template <int R, class Mirror>
__device__ __forceinline__ int mirrored(const Mirror &m, int i, int n, int *sign)
{
    const int side = i < 0 ? 0 : 1, out = i < 0 ? -1 - i : i - n;
    *sign = 1;
    if (i >= 0 && i < n) return i;
    if (out >= R) return i;
    *sign = m.sign[side][out];
    return m.source[side][out];
}

#endif
