/*
 * Absorbing layers in a block tower. s dt of a cell is a sum of what the layers along each axis
 * give to its plane, its line along x and its line along y. The first two belong to an item, since
 * towers slide along x; so kernels for layers alone have tables of their factors, and only steps
 * that touch layers along x must compute them. Included by wave_block_tower.cuh.
 */

/* s dt of the vector at z from layers along z, with that from others added. */
template <class T>
__device__ __forceinline__ cells<T> damping_along_z(const torre_wave_args &g, int z)
{
    cells<T> s;
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) s.v[e] = ((const T *)g.damping[2])[z + e];
    return s;
}
template <class T> __device__ __forceinline__ cells<T> increased(const cells<T> &s_dt, T others)
{
    cells<T> s;
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) s.v[e] = add(others, s_dt.v[e]);
    return s;
}
template <class T> __device__ __forceinline__ cells<T> all_before(const cells<T> &s_dt)
{
    cells<T> w;
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) w.v[e] = damping_before(s_dt.v[e]);
    return w;
}
template <class T> __device__ __forceinline__ cells<T> all_after(const cells<T> &s_dt)
{
    cells<T> f;
#pragma unroll
    for (int e = 0; e < cells<T>::n; e++) f.v[e] = damping_after(s_dt.v[e]);
    return f;
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::find_layers(const tower_item &w) const
{
    const tower_planes planes = tower_planes_of(l, w.part, g.n[2], V);
    /* the same as the last vector for those that the part does not have */
    auto along_z = [&](int i) {
        return damping_along_z<T>(g, planes.first + min(i, (planes.count - 1) / V) * V);
    };
    for (int i = thread(); i < S::ZL; i += S::active) store_shared(LAYERS_AT + i * 16, along_z(i));
    for (int i = thread(); i < S::layers_rows * S::ZL; i += S::active) {
        const int n = i / S::ZL, row = n / R - (DB - 1);
        const int y = wrap_y(l.half_size * w.m + R * row) + n % R;
        const T of_line = ((const T *)g.damping[1])[column(y, g.n[1])];
        if (i % S::ZL == 0) damped_row(row)[n % R] = of_line;
        const int at = LAYERS_AT + S::layers_base + i * 16;
        const vec s_dt = increased(along_z(i % S::ZL), of_line);
        store_shared(at, all_after(s_dt));
        if (TABLES > 1) store_shared(at + S::layers_table, all_before(s_dt));
    }
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::fetch_damped_lines(int x) const
{
    if (!ALONE || idle()) return;
    constexpr int first = S::first_lanes;
    const bool more = lane() >= first;
    __pipeline_wait_prior(0); /* those of the block before have come, needed or not */
    for (int i = more ? lane() - first : lane(); i < R; i += more ? lanes - first : first)
        __pipeline_memcpy_async(damped_lines() + i, (const T *)g.damping[0] + column(x + i, g.n[0]),
                                sizeof(T));
    __pipeline_commit();
}

template <class Kernel>
__device__ __forceinline__ bool block_tower<Kernel>::has_damped_lines(const cell_block &b) const
{
    if (!ALONE) return true;
    if (!__any_sync(~0u, b.x < g.clear[0][0] || b.x + R > g.clear[0][1])) return false;
    __pipeline_wait_prior(0);
    __syncwarp();
    return true;
}

template <class Kernel>
template <block_damping D>
__device__ __forceinline__ typename block_tower<Kernel>::vec
block_tower<Kernel>::factor_before(const cell_block &b, int v, int i) const
{
    if (D != DAMPED && TABLES > 1) return load_shared(along_yz<1>(b.row, v, i % R));
    const T of_row = damped_row(b.row)[i % R];
    return all_before(increased(load_shared(damped_planes(v)),
                                D == DAMPED ? add(damped_lines()[i / R], of_row) : of_row));
}

template <class Kernel>
template <block_damping D>
__device__ __forceinline__ typename block_tower<Kernel>::vec
block_tower<Kernel>::factor_after(const cell_block &b, int v, int i) const
{
    if (D != DAMPED) return load_shared(along_yz<0>(b.row, v, i % R));
    return all_after(increased(load_shared(damped_planes(v)),
                               add(damped_lines()[i / R], damped_row(b.row)[i % R])));
}
