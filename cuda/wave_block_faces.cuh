/* Mirror images at the faces of the grid in a block tower. Included by wave_block_tower.cuh. */

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void block_tower<T, R, DB, MODEL, TMA>::mirror_lines(int block,
                                                                                int parity)
{
    const int vectors = h.vectors, z_part = h.z_part;
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
        if (beside(side) >= 0 || lane() != (side ? (vectors - 1) % lanes : 0)) continue;
#pragma unroll 1
        for (int i = 0; i < NL; i++) {
            char *line = shared() + block + i * S::line + PV * 16;
            char *edge = shared() + edge_slot(parity, side) + i * S::line;
#pragma unroll
            for (int d = 0; d < R; d++) {
                const int sign = g.mirror[2].sign[side][d];
                const int from = g.mirror[2].source[side][d] - z_part;
                const int to = side ? g.n[2] - z_part + d : -1 - d;
                const int beyond = side ? to - vectors * V : to + PV * V;
                T value = T(0);
                if (sign) value = (T)sign * ((const T *)line)[from];
                if (side && beyond < 0)
                    ((T *)line)[to] = value;
                else
                    ((T *)(edge + beyond / V * S::edge_vector))[beyond % V] = value;
            }
        }
    }
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void block_tower<T, R, DB, MODEL, TMA>::mirror_z(const vec (&C)[ZV][NL],
                                                                            int block, int parity)
{
    if (PV > 1 || g.n[2] % V != 0) {
        mirror_lines(block, parity);
        return;
    }
#pragma unroll
    for (int side = 0; side < 2; side++) {
        if (beside(side) >= 0) continue;
        const bool rigid = g.mirror[2].sign[side][0] == 1;
        const int edges = edge_slot(parity, side), last = h.vectors - 1;
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

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void
block_tower<T, R, DB, MODEL, TMA>::mirror_block(vec (&C)[ZV][NL], int block, int parity)
{
    if (!at_z_face()) return;
    __syncwarp();
    if (!idle()) mirror_z(C, block, parity);
    __syncwarp();
    if (ragged()) reload(C, block);
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ bool block_tower<T, R, DB, MODEL, TMA>::is_near_face(int t) const
{
    const int x = h.x_tower + R * t, y = h.y_tower, d = R * DB;
    return x < R || x + 2 * d + R > g.n[0] || (!g.periodic[1] && (y < d || y + d + R > g.n[1]));
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ int block_tower<T, R, DB, MODEL, TMA>::find_block(int X, int Y,
                                                                             int parity)
{
    const int beyond = X - (2 * DB - abs(Y));
    if (abs(Y) > DB || beyond > 1 || X < abs(Y)) return -1;
    if (beyond >= 0)
        return S::halo + parity * S::halo_bytes + ((Y + DB) * 2 + beyond) * S::halo_block_bytes;
    return S::own + (row_start(Y) + X) * S::block_bytes;
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ bool block_tower<T, R, DB, MODEL, TMA>::fill_block(int X, int Y, int t)
{
    const int x = h.x_tower + R * (t - 1) + R * X, y = wrap_y(h.y_tower + R * Y);
    if (x >= 0 && y >= 0 && x + R <= g.n[0] && y + R <= g.n[1]) return false;
    const int to = find_block(X, Y, t & 1);
#pragma unroll 1
    for (int i = 0; i < NL; i++) {
        int sign_x, sign_y, from = -1;
        const int in_x = x + i / R, in_y = y + i % R;
        const int source_x = mirrored<R>(g.mirror[0], in_x, g.n[0], &sign_x) - x;
        const int source_y = mirrored<R>(g.mirror[1], in_y, g.n[1], &sign_y) - y;
        const bool ghost_x = (unsigned)in_x >= (unsigned)g.n[0];
        const bool ghost_y = (unsigned)in_y >= (unsigned)g.n[1];
        if (ghost_x == ghost_y) continue; /* a cell, or a corner that nobody reads */
        if (source_x == i / R && source_y == i % R) continue; /* too far outside */
        const int sign = sign_x * sign_y;
        const int over_x = (source_x + 4 * R) / R - 4, over_y = (source_y + 4 * R) / R - 4;
        if (sign) from = find_block(X + over_x, Y + over_y, t & 1);
        if (sign && from < 0) continue;
        from += ((source_x - over_x * R) * R + source_y - over_y * R) * S::line;
#pragma unroll
        for (int v = 0; v < ZV; v++) {
            vec value = uniform_cells(T(0));
            if (sign) value = load_shared(from + in_line(v));
            store_shared(to + i * S::line + in_line(v), sign == -1 ? scaled(T(-1), value) : value);
        }
    }
    return true;
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void
block_tower<T, R, DB, MODEL, TMA>::fill_ghosts(vec (&C)[ZV][NL], const place &p, int t)
{
    /* where the block of this thread was, or the one that it has just let go, was published */
    const bool stays = X + 1 < p.reach() + p.length();
    const bool filled = !idle() && fill_block(stays ? X + 1 : p.reach(), p.row, t);
    for (int i = slot(); i < S::halo_blocks && !idle(); i += S::blocks) {
        int halo_X, halo_Y;
        halo_place<DB>(i, &halo_X, &halo_Y);
        fill_block(halo_X, halo_Y, t);
    }
    if (TMA) fence_async_copies(); /* the halo is copied to again */
    barrier_among<S::active>();
    if (filled && stays) reload(C, p.own_row + (X + 1) * S::block_bytes);
}
