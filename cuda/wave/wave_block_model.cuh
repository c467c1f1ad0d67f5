/*
 * k = (c dt)^2 of the cells of a block tower, where it is not the same everywhere: read through the
 * L2 cache when it is needed, or fetched into shared memory (KEPT, HOLDS_K) when a block enters.
 * Included by wave_block_tower.cuh.
 */

template <class Kernel>
__device__ __forceinline__ const typename Kernel::T *
block_tower<Kernel>::model_of(const cell_block &b, int v)
{
    return (const T *)g.k + column(b.x, g.n[0]) * g.k_stride_x +
           column(b.y, g.n[1]) * g.k_stride_y + z_of(b, v);
}

template <class Kernel>
template <int AXIS>
__device__ __forceinline__ void block_tower<Kernel>::load_model(vec (&k)[R], const T *model, int v,
                                                                int i, int j) const
{
#pragma unroll
    for (int q = 0; q < R && MODEL; q++)
        k[q] = load_k(model, v, AXIS == 0 ? i + q : i, AXIS == 1 ? j + q : j);
}

template <class Kernel>
__device__ __forceinline__ typename block_tower<Kernel>::vec
block_tower<Kernel>::load_k(const T *model, int v, int i, int j) const
{
    const int number = v * NL + i * R + j;
    if (number < KEPT) return load_shared(kept(number));
    vec k;
    uint64_t half[2]; /* not __ldg: the compiler would keep all k of a block */
    load_unchanging(half, model + i * g.k_stride_x + j * g.k_stride_y);
    memcpy(&k, half, 16);
    return k;
}

template <class Kernel>
template <class F>
__device__ __forceinline__ void block_tower<Kernel>::for_all_k(int x, int y, F f)
{
    const cell_block b = {x, y, h.z_part};
#pragma unroll
    for (int v = 0; v < ZV; v++) {
        const T *model = model_of(b, v);
#pragma unroll
        for (int i = 0; i < NL; i++) f(v, i, model + i / R * g.k_stride_x + i % R * g.k_stride_y);
    }
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::hold_model(vec (&K)[ZV][NL], int x, int y)
{
    for_all_k(x, y, [&](int v, int i, const T *k) { K[v][i] = load_global(k); });
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::fetch_entering(const place &p, int x, int y)
{
    for_all_k(x, y, [&](int v, int i, const T *k) {
        __pipeline_memcpy_async(shared() + entering(p, v * NL + i), k, 16);
    });
    __pipeline_commit();
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::take_entering(vec (&K)[ZV][NL], const place &p)
{
    __pipeline_wait_prior(0);
#pragma unroll
    for (int v = 0; v < ZV; v++)
#pragma unroll
        for (int i = 0; i < NL; i++) K[v][i] = load_shared(entering(p, v * NL + i));
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::fetch_model(int x, int y)
{
    if (!KEPT || idle()) return;
    const cell_block b = {x, y, h.z_part};
#pragma unroll
    for (int v = 0; v < ZV; v++) {
        const T *model = model_of(b, v);
#pragma unroll
        for (int i = 0; i < NL; i++)
            if (v * NL + i < KEPT)
                __pipeline_memcpy_async(shared() + kept(v * NL + i),
                                        model + i / R * g.k_stride_x + i % R * g.k_stride_y, 16);
    }
    __pipeline_commit();
}
