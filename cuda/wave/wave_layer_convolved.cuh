/*
 * Layers that convolve (wave/cpml.h has the formulas), there to compare with: a cell at a time, in
 * the layer or one of the R in front of it. Their memory is psi of cells r = 0 .. W - 1, then zeta.
 * The axis is counted outwards: the signs of psi, D and D' change with it together. Included by
 * wave_layer_steps.cuh.
 */

/* C_m and D, and what a sum of differences is multiplied by: 1 / h^2, and (c dt)^2 where that is
 * the same in all cells. */
template <class T, int R> struct convolved_weights {
    T bend[R + 1], slope[R + 1], factor[3];
    convolved_weights(const torre_wave_args &g, const torre_layer_args &l)
    {
        bend[0] = slope[0] = 0; /* of nothing */
        for (int m = 1; m <= R; m++) {
            bend[m] = (T)l.bend[m - 1];
            slope[m] = (T)l.slope[m - 1];
        }
        for (int axis = 0; axis < 3; axis++) factor[axis] = (T)((g.k ? 1 : g.k0) * l.unit[axis]);
    }
};

template <class T, int R> struct convolved_layer {
    using weights = convolved_weights<T, R>;
    static constexpr int half_width = R, first_place = -R;
    static __device__ __forceinline__ int places(int W) { return W + R; }

    /* a psi of cell r; 0 where there is none. */
    template <class L>
    static __device__ __forceinline__ L faded(const layer_column<L, R> &memory, int r)
    {
        const L zero = layer_cells<L>::uniform(T(0));
        if (r < 0 || r >= memory.W) return zero;
        return layer_cells<L>::fused(memory.a[r + 1], memory.at(r), zero);
    }
    /* u, also one cell beyond the face opposite, which is as far as a step looks. */
    template <class L>
    static __device__ __forceinline__ L now(const layer_line<L> &line, int r, int axis)
    {
        const bool rigid = line.g.mirror[axis].sign[line.outwards < 0][0] > 0;
        return line.now(r < 0 && rigid && !line.is_cell(r) ? r + 1 : r);
    }
    template <class L>
    static __device__ __forceinline__ void step(const layer_line<L> &line,
                                                const layer_column<L, R> &memory, int r,
                                                const weights &c, int axis)
    {
        using ops = layer_cells<L>;
        const T *a = memory.a, *b = memory.b;
        const int W = memory.W;
        const L zero = ops::uniform(T(0));
        L bend = zero, slope = zero, beyond = zero, zeta = zero;
#pragma unroll
        for (int m = 1; m <= R; m++)
            beyond = ops::fused(
                c.slope[m], ops::difference(faded(memory, r + m), faded(memory, r - m)), beyond);
        if (r >= -1) { /* b is zero in front of a layer, D' b in cell -1 is not */
            const L here = line.now(r);
#pragma unroll
            for (int m = 1; m <= R; m++) {
                const L low = now(line, r - m, axis), high = line.now(r + m);
                const L both = ops::sum(ops::difference(low, here), ops::difference(high, here));
                bend = ops::fused(c.bend[m], both, bend);
                slope = ops::fused(c.slope[m], ops::difference(high, low), slope);
            }
            beyond = ops::fused((b[r + 2] - (r < 0 ? T(0) : b[r])) / 2, slope, beyond);
        }
        if (r >= 0) {
            beyond = ops::fused(b[r + 1], bend, beyond);
            zeta = ops::fused(b[r + 1], ops::sum(bend, beyond),
                              ops::fused(a[r + 1], memory.at(W + r), zero));
            *(L *)(memory.made + r * memory.pitch) = ops::fused(b[r + 1], slope, faded(memory, r));
            *(L *)(memory.made + (W + r) * memory.pitch) = zeta;
        }
        line.add(r, ops::fused(c.factor[axis], ops::sum(beyond, zeta), zero));
    }
};
