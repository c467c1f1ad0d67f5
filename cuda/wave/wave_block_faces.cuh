/* Mirror images at the faces of the grid in a block tower. Included by wave_block_tower.cuh. */

template <class Kernel> __device__ __forceinline__ void block_tower<Kernel>::mirror_lines(int block)
{
    const int vectors = h.vectors;
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
        if (beside(side) >= 0 || lane() != (side ? (vectors - 1) % lanes : 0)) continue;
#pragma unroll 1
        for (int i = 0; i < NL; i++) {
            T *line = (T *)(shared() + block + i * S::line + PV * 16);
#pragma unroll
            for (int d = 0; d < R; d++) {
                const int sign = g.mirror[2].sign[side][d];
                const int from = g.mirror[2].source[side][d] - h.z_part;
                line[side ? vectors * V + d : -1 - d] = sign ? (T)sign * line[from] : T(0);
            }
        }
    }
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::mirror_vectors(const vec (&C)[ZV][NL],
                                                                    int block)
{
#pragma unroll
    for (int side = 0; side < 2; side++) {
        if (beside(side) >= 0) continue;
        const bool rigid = g.mirror[2].sign[side][0] == 1;
        const int edges = block + S::edge_at(side, h.vectors), last = h.vectors - 1;
#pragma unroll
        for (int v = 0; v < ZV; v++) {
            if (lane() + v * lanes != (side ? last : 0)) continue;
#pragma unroll
            for (int i = 0; i < NL; i++)
                store_shared(edges + i * S::line,
                             side ? image_above(C[v][i], rigid) : image_below(C[v][i], rigid));
        }
    }
}

template <class Kernel>
__device__ __forceinline__ int block_tower<Kernel>::find_block(int X, int Y, int t) const
{
    const int beyond = X - (2 * DB - abs(Y)), parity = t & 1;
    if (abs(Y) > DB || beyond > 1 || X < abs(Y)) return -1;
    if (beyond >= 0)
        return S::halo + parity * S::halo_bytes + ((Y + DB) * 2 + beyond) * S::halo_block_bytes;
    if (STEADY) return steady_place(X, Y, t - h.first_step);
    return S::own + parity * ODD + (row_start(Y) + X) * S::block_bytes;
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::fill_lines(int to, int from, int sign,
                                                                int step, int first, int end)
{
#pragma unroll
    for (int v = 0; v < ZV; v++) {
        vec value[R]; /* all loads before the first store: one latency */
#pragma unroll
        for (int j = 0; j < R; j++) {
            value[j] = uniform_cells(T(0));
            if (sign && j >= first && j < end) value[j] = load_shared(from + j * step + in_line(v));
        }
#pragma unroll
        for (int j = 0; j < R; j++)
            if (has_vector(v) && j >= first && j < end)
                store_shared(to + j * step + in_line(v),
                             sign == -1 ? scaled(T(-1), value[j]) : value[j]);
    }
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::fill_whole_block(int X, int Y, int at_x,
                                                                      int at_y, int to, int t)
{
    const bool out_x = (unsigned)at_x >= (unsigned)g.n[0];
    if (out_x && (unsigned)at_y >= (unsigned)g.n[1]) return; /* nobody reads corners */
    const int axis = out_x ? 0 : 1, at = out_x ? at_x : at_y, n = g.n[axis];
    if (at != -R && at != n) return; /* too far outside */
    const int side = at < 0 ? 0 : 1, inward = side ? -1 : 1;
    const int from = find_block(out_x ? X + inward : X, out_x ? Y : Y + inward, t);
    if (from < 0) return;
    const int stride = (out_x ? R : 1) * S::line, other = (out_x ? 1 : R) * S::line;
    const torre_mirror &m = g.mirror[axis];
#pragma unroll
    for (int i = 0; i < R; i++) {
        const int sign = side ? m.sign[1][i] : m.sign[0][R - 1 - i];
        const int line = side ? m.source[1][i] - (n - R) : m.source[0][R - 1 - i];
        fill_lines(to + i * stride, from + line * stride, sign, other, 0, R);
    }
}

template <class Kernel>
__device__ __forceinline__ bool block_tower<Kernel>::fill_block(int X, int Y, int t)
{
    const int at_x = h.x_tower + R * (t - 1) + R * X, at_y = wrap_y(h.y_tower + R * Y);
    if (at_x >= 0 && at_y >= 0 && at_x + R <= g.n[0] && at_y + R <= g.n[1]) return false;
    const int to = find_block(X, Y, t);
    const auto cut = [](int at, int n) { return n % R != 0 && at + R > n && at < n + R; };
    if (!cut(at_x, g.n[0]) && !cut(at_y, g.n[1])) {
        fill_whole_block(X, Y, at_x, at_y, to, t);
        return true;
    }
#pragma unroll 1
    for (int axis = 0; axis < 2; axis++) {
        /* lines i of the block along this axis, j along the other one */
        const int at = axis ? at_y : at_x, n = g.n[axis];
        const int beside = axis ? at_x : at_y, width = g.n[1 - axis];
        const int stride = (axis ? 1 : R) * S::line, other = (axis ? R : 1) * S::line;
        if (at <= -2 * R || at >= n + R || (at >= 0 && at + R <= n)) continue;
#pragma unroll 1
        for (int i = 0; i < R; i++) {
            int sign, from = -1;
            if ((unsigned)(at + i) < (unsigned)n) continue;
            const int source = mirrored<R>(g.mirror[axis], at + i, n, &sign) - at;
            if (source == i) continue;                 /* too far outside for anyone to read it */
            const int over = (source + 4 * R) / R - 4; /* blocks from this one to the source */
            if (sign) {
                from = find_block(axis ? X : X + over, axis ? Y + over : Y, t);
                if (from < 0) continue;
                from += (source - over * R) * stride;
            }
            /* not the corners: nobody reads them */
            fill_lines(to + i * stride, from, sign, other, max(0, -beside), min(R, width - beside));
        }
    }
    return true;
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::fill_ghosts(vec (&C)[ZV][NL], const place &p,
                                                                 int t)
{
    /* where the block of this thread was, or the one that it has just let go, was published */
    const bool stays = X + 1 < p.reach() + p.length();
    int block_X = stays ? X + 1 : p.reach(), block_Y = p.row;
    bool filled = false;
#pragma unroll 1
    for (int i = slot() % S::blocks; i < S::blocks + S::halo_blocks && !idle();) {
        const bool any = fill_block(block_X, block_Y, t);
        if (i < S::blocks) filled = any;
        i += S::blocks;
        halo_place<DB>(i - S::blocks, &block_X, &block_Y);
    }
    if (TMA) fence_async_copies_shared(); /* the halo is copied to again */
    barrier_among<S::active>();
    if (filled && stays && !STEADY)
        reload(C, p.own_row() + (t & 1) * ODD + (X + 1) * S::block_bytes);
}
