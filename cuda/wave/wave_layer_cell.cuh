/*
 * Perfectly matched layers (wave/pml.h) in one cell, or one vector of cells along z. They come
 * after the update of wave_cell.cuh, which knows nothing of them: a layer adds to u[n+1] what its
 * memory changes of the sum of differences, first the layer along x, then those along y and z, and
 * makes its memory of the next level. wave/cpu/layer_kernel.h has the formulas: with r the cells
 * of a layer counted outwards, from 0 at its first one to W - 1,
 *
 *     u+_r   += k sum_m C_m (o(m)_(r+m) + b(m)_(r-m))
 *     o(j)_r <- o(j-1)_r + a_i (o(j) - o(j-1))_r - b_i (du_r + (o(j)_(r+1) - o(j-1)_(r-1)))
 *     b(j)_r <- b(j-1)_r + a_i (b(j) - b(j-1))_r - b_i ((b(j)_(r-1) - b(j-1)_(r+1)) - du_r)
 *
 * o(j)_r is called by j and i = r - j + 1, 1 .. W, b(j)_r by j and i = r + j, 1 .. W - 1; others
 * are zero, or for o(j)_r with i < 1 o(r)_r. So cell r needs of other cells what they have by the
 * names i and i + 1 (i - 1 of b) alone, and of u the cells beside it.
 */
#ifndef TORRE_WAVE_LAYER_CELL_CUH
#define TORRE_WAVE_LAYER_CELL_CUH

#include "torre/wave.h"
#include "wave_cell.cuh"

/* The arithmetic of layers for cells and for vectors of cells. */
template <class T> struct layer_cells { /* one cell */
    using value = T;
    static __device__ __forceinline__ T uniform(T v) { return v; }
    static __device__ __forceinline__ T sum(T a, T b) { return add(a, b); }
    static __device__ __forceinline__ T difference(T a, T b) { return add(a, -b); }
    static __device__ __forceinline__ T fused(T a, T b, T c) { return multiply_add(a, b, c); }
};
template <class T> struct layer_cells<cells<T>> {
    using value = T;
    using vec = cells<T>;
    static __device__ __forceinline__ vec uniform(T v) { return uniform_cells(v); }
    static __device__ __forceinline__ vec sum(const vec &a, const vec &b) { return pair_sum(a, b); }
    static __device__ __forceinline__ vec difference(const vec &a, const vec &b)
    {
        return ::difference(a, b);
    }
    static __device__ __forceinline__ vec fused(T a, const vec &b, vec c)
    {
        accumulate(c, a, b);
        return c;
    }
    static __device__ __forceinline__ vec fused(const vec &a, const vec &b, vec c)
    {
        accumulate(c, a, b);
        return c;
    }
};

/* Values of a column of a layer, at slots. */
__host__ __device__ constexpr int layer_slots(int R, int W) { return R * (2 * W - 1); }

/* C_m of the axes in the arithmetic's precision, times (c dt)^2 where that is the same in all
 * cells. */
template <class T, int R> struct layer_weights {
    T weight[3][R + 1];
    layer_weights(const torre_wave_args &g, const torre_layer_args &l)
    {
        for (int axis = 0; axis < 3; axis++) {
            weight[axis][0] = 0; /* of nothing */
            for (int m = 1; m <= R; m++)
                weight[axis][m] = (T)((g.k ? 1 : g.k0) * l.weight[axis][m - 1]);
        }
    }
};

/* The layers of an axis at one column of cells. L: T or cells<T>. */
template <class L, int R> struct layer_column {
    using ops = layer_cells<L>;
    using T = typename ops::value;
    int W;
    int64_t pitch;  /* of slots */
    const T *a, *b; /* of the steps */
    const T *old;   /* slot 0 of the column */
    T *made;

    /* That of a face, `column` values behind its first one. */
    __device__ __forceinline__ layer_column(const torre_layer_args &l, int axis, int side,
                                            int64_t column)
        : W(l.width), pitch(l.slot[axis]), a((const T *)l.steps), b(a + W + 2),
          old((const T *)l.old + l.first[axis][side] + column),
          made((T *)l.made + l.first[axis][side] + column)
    {
    }
    __device__ __forceinline__ int outwards(int j, int i) const { return (j - 1) * W + i - 1; }
    __device__ __forceinline__ int inwards(int j, int i) const
    {
        return R * W + (j - 1) * (W - 1) + i - 1;
    }
    __device__ __forceinline__ L at(int slot) const { return *(const L *)(old + slot * pitch); }
    __device__ __forceinline__ L at_if(bool there, int slot) const
    {
        L v = ops::uniform(T(0));
        if (there) v = at(slot);
        return v;
    }

    static __device__ __forceinline__ L remembered(T a, T b, const L &made, const L &before,
                                                   const L &below, const L &slope)
    {
        return ops::fused(-b, slope, ops::fused(a, ops::difference(before, below), made));
    }
    /* One of the chains of cell r; du: u of the cell after less that before, counted outwards. All
     * values are asked for before the first is needed. */
    template <bool OUT> __device__ __forceinline__ void remember_chain(int r, const L &du) const
    {
        const L zero = ops::uniform(T(0));
        L before[R], ahead[R], behind[R];
        const int last = OUT ? W : W - 1;
        const auto step = [&](int j) { return OUT ? r - j + 1 : r + j; };
        const auto slot = [&](int j, int i) { return OUT ? outwards(j, i) : inwards(j, i); };
#pragma unroll
        for (int j = 1; j <= R; j++) {
            const int i = step(j);
            const bool there = i >= 1 && i <= last;
            before[j - 1] = at_if(there, slot(j, i));
            ahead[j - 1] = at_if(there && (OUT ? i < W : i > 1), slot(j, OUT ? i + 1 : i - 1));
            behind[j - 1] = at_if(there && j > 1, slot(j - 1, i));
        }
        L next = zero, below = zero; /* the sum of j - 1 of the cell, new and old */
#pragma unroll
        for (int j = 1; j <= R; j++) {
            const int i = step(j);
            if (i < 1 || i > last) continue;
            const L rise = ops::difference(ahead[j - 1], behind[j - 1]);
            next = remembered(a[i], b[i], next, before[j - 1], below,
                              OUT ? ops::sum(du, rise) : ops::difference(rise, du));
            *(L *)(made + slot(j, i) * pitch) = next;
            below = before[j - 1];
        }
    }
    __device__ __forceinline__ void remember(int r, const L &du) const
    {
        remember_chain<true>(r, du);
        remember_chain<false>(r, du);
    }
    /* What the memory adds to the sum of differences of cell r, 1 - R .. W - 1; weight: C_m. */
    __device__ __forceinline__ L sum(int r, const T *weight) const
    {
        L all = ops::uniform(T(0));
#pragma unroll
        for (int m = 1; m <= R; m++) {
            const int j = r < 0 ? m + r : m;
            if (j < 1) continue;
            L both = at(outwards(j, r < 0 ? 1 : r + 1));
            if (r > 0) both = ops::sum(both, at(inwards(j, r)));
            all = ops::fused(weight[m], both, all);
        }
        return all;
    }
};

/*
 * The layer across z at one column of cells, where it has as many cells as layers usually have and
 * the grid ends with a whole vector. All of it is one thread's: so each value of the memory is read
 * once, sums by sums, j after j, and so is u. The same operations as those of layer_column.
 */
template <class T, int R> struct layer_end {
    static constexpr int W = TORRE_PML_WIDTH, V = cells<T>::n;
    static constexpr int vectors = (W + R + V - 1) / V, planes = vectors * V;
    T u[W + R];             /* of the cells r = -R .. W - 1, level n */
    T a[W + 1], b[W + 1];   /* of the steps */
    T sums[W + R - 1] = {}; /* what the memory adds to the sum of differences, from r = 1 - R on */

    /* The cell of a plane of the first or last `planes`. */
    static __device__ constexpr int cell_of(int side, int plane)
    {
        return side ? plane - (planes - W) : W - 1 - plane;
    }
    __device__ __forceinline__ T now(int r) const { return r < W ? u[r + R] : T(0); }
    __device__ __forceinline__ T slope(int r) const { return add(now(r + 1), -now(r - 1)); }

    /* The sums o(j) and b(j), by i; those that there are none of are zero. */
    struct row {
        T o[W + 2] = {}, b[W + 1] = {};
    };
    static __device__ __forceinline__ row row_at(const T *old, int pitch, int j)
    {
        row r;
#pragma unroll
        for (int i = 1; i <= W; i++) r.o[i] = old[((j - 1) * W + i - 1) * pitch];
#pragma unroll
        for (int i = 1; i < W; i++) r.b[i] = old[(R * W + (j - 1) * (W - 1) + i - 1) * pitch];
        return r;
    }
    /* What row j adds to the sums of differences. */
    __device__ __forceinline__ void add_row(const row &at, int j, const T *weight)
    {
#pragma unroll
        for (int r = 1 - R; r < W; r++) {
            const int m = r < 0 ? j - r : j;
            if (m > R) continue;
            const T both = r > 0 ? add(at.o[r + 1], at.b[r]) : at.o[r < 0 ? 1 : r + 1];
            sums[r + R - 1] = multiply_add(weight[m], both, sums[r + R - 1]);
        }
    }
    /* Row j of the next level, in place of row j - 1 of it. */
    __device__ __forceinline__ void remember(const layer_column<T, R> &memory, const row &at,
                                             const row &below, int j, row &made) const
    {
        using column = layer_column<T, R>;
#pragma unroll
        for (int i = 1; i <= W; i++) {
            const T rise = add(slope(i + j - 1), add(at.o[i + 1], -below.o[i]));
            made.o[i] =
                column::remembered(a[i], b[i], made.o[i + 1], at.o[i], below.o[i + 1], rise);
            memory.made[((j - 1) * W + i - 1) * memory.pitch] = made.o[i];
        }
#pragma unroll
        for (int i = W - 1; i >= 1; i--) {
            const T rise = add(add(at.b[i - 1], -below.b[i]), -slope(i - j));
            made.b[i] =
                column::remembered(a[i], b[i], made.b[i - 1], at.b[i], below.b[i - 1], rise);
            memory.made[(R * W + (j - 1) * (W - 1) + i - 1) * memory.pitch] = made.b[i];
        }
    }
    /* From u and the old memory, whose slots lie a pitch apart: the sums, and the memory of the
     * next level. */
    __device__ __forceinline__ void step(const layer_column<T, R> &memory, const T *old, int pitch,
                                         const T *weight)
    {
        row below, made;
#pragma unroll
        for (int i = 1; i <= W; i++) a[i] = memory.a[i], b[i] = memory.b[i];
#pragma unroll
        for (int j = 1; j <= R; j++) {
            const row at = row_at(old, pitch, j);
            add_row(at, j, weight);
            remember(memory, at, below, j, made);
            below = at;
        }
    }
};

#endif
