/*
 * k = (c dt)^2 of the cells of a block tower, where it is not the same everywhere: read through the
 * L2 cache when it is needed, or fetched into shared memory (KEPT, HOLDS_K) when a block enters.
 * And what binds them where density varies: in places of shared memory, as long as a block stays,
 * or by turns where they are too few; else read through L2, too.
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
    return load_medium(model + i * g.k_stride_x + j * g.k_stride_y);
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
    const cell_block b = {x, y, h.z_part};
    if (!TAKE_TURNS && !idle()) fetch_first_bindings(b);
    if (!KEPT || idle()) return;
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

/* The vector v that group `number` of a step is of, in the order in which sums along z are made;
 * the first of its lines. */
template <class Kernel> constexpr __device__ int block_tower<Kernel>::vector_of(int number)
{
    const int n = number * GROUP / NL;
    return R > 2 || STEADY || n + 1 == ZV ? n : n + 2 < ZV ? n + 1 : 0;
}
template <class Kernel> constexpr __device__ int block_tower<Kernel>::first_line_of(int number)
{
    return number * GROUP % NL;
}

template <class Kernel>
__device__ __forceinline__ const typename Kernel::T *
block_tower<Kernel>::binding_of(const cell_block &b, int number, int j) const
{
    const int line = first_line_of(number) + j; /* again: or too much is in registers, and spills */
    const T *at = (const T *)g.binding + column(again(b.x), g.n[0]) * g.binding_stride_x +
                  column(again(b.y), g.n[1]) * g.binding_stride_y + z_of(b, vector_of(number));
    return at + line / R * g.binding_stride_x + line % R * g.binding_stride_y;
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::fetch_binding(const cell_block &b, int number)
{
    if (!PLACED || number >= GROUPS) return;
#pragma unroll
    for (int j = 0; j < GROUP; j++)
        __pipeline_memcpy_async(shared() + binding_place(number, j), binding_of(b, number, j), 16);
    __pipeline_commit();
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::fetch_first_bindings(const cell_block &b)
{
#pragma unroll
    for (int i = 0; i < PLACED; i++) fetch_binding(b, i);
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::take_binding(vec (&to)[GROUP],
                                                                  const cell_block &b, int number)
{
    if (!BOUND) return;
    if (TAKE_TURNS)
        __pipeline_wait_prior(number + PLACED < GROUPS ? PLACED - 1 : GROUPS - 1 - number);
#pragma unroll
    for (int j = 0; j < GROUP; j++)
        to[j] = TAKE_TURNS || number < PLACED ? load_shared(binding_place(number, j))
                                              : load_medium(binding_of(b, number, j));
    if (TAKE_TURNS) fetch_binding(b, number + PLACED);
}
