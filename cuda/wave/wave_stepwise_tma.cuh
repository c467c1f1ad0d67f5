/*
 * The stepwise kernel for compute capability 9.0. Included by wave_stepwise.cuh.
 *
 * A tile is `rows` rows of y times 32 vectors of z; a warp owns ROWS rows of it. One more warp
 * copies the planes of the march to shared memory, each with the R rows and the vectors around it
 * that y and z neighbours need, and the planes of the level before. AHEAD planes are on their way
 * while the workers compute, also from one tile to the next: blocks are persistent. A plane stays
 * in its slot until the march has passed it.
 */
template <class T, int R> struct stepwise_tma {
    static constexpr int V = cells<T>::n, PV = (R + V - 1) / V;
    static constexpr int ROWS = 2, WARPS = 11, AHEAD = 5;
    static constexpr int rows = ROWS * WARPS, planes = 32 * V, threads = 32 * (WARPS + 1);
    static constexpr int line = (32 + 2 * PV) * 16, before_line = 32 * 16;
    static constexpr int now_bytes = (rows + 2 * R) * line, before_bytes = rows * before_line;
    static constexpr int slot_bytes = (now_bytes + 127) / 128 * 128;
    /* Whoever may fill slot n again may fill slot n of the level before, too: the plane that was in
     * the former has been passed, so the march is less than `before_slots` planes behind. */
    static constexpr int slots = R + 1 + AHEAD, before_slots = slots - R;
    static constexpr int before = slots * slot_bytes, gates = before + before_slots * before_bytes;
    static constexpr int shared_bytes = gates + 2 * slots * 8;
    static constexpr bool fits = shared_bytes <= 232448;
    /*
     * Whether there is anything to gain: not on a large grid in f32 at order 2, see EXPERIMENTS.md.
     */
    static bool pays(const torre_wave_args &g, const torre_gpu_data &gpu)
    {
        return R > 1 || sizeof(T) == 8 || (int64_t)g.n[0] * g.n[1] * g.n[2] <= gpu.copied_cells;
    }

    struct params {
        torre_wave_args g;
        torre_step_launch l;
        stencil_weights<T> c;
        CUtensorMap now, before;
    };
    struct tile {
        int x, x_end, y, z; /* first cells */
        __device__ __forceinline__ tile(const params &p, int number)
        {
            const int *at = p.l.tiles + 3 * (int64_t)number;
            x = p.l.low + at[0] * p.l.chunk;
            x_end = min(x + p.l.chunk, p.l.high);
            y = at[1] * rows;
            z = at[2] * planes;
        }
        __device__ __forceinline__ bool is_empty() const { return x >= x_end; }
    };
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* The gates of a slot: `full` opens when the copy is complete, `empty` when all warps are done. */
template <class S> __device__ __forceinline__ uint64_t *full_gate(char *shared, int slot)
{
    return (uint64_t *)(shared + S::gates) + slot;
}
template <class S> __device__ __forceinline__ uint64_t *empty_gate(char *shared, int slot)
{
    return (uint64_t *)(shared + S::gates) + S::slots + slot;
}

/* Copies all planes of all tiles of this block, by one thread. */
template <class T, int R, class P>
__device__ __forceinline__ void copy_planes(const P &p, char *shared)
{
    using S = stepwise_tma<T, R>;
    int slot = 0, before_slot = 0;
    uint32_t phase = 1; /* the first round waits for nothing */
    for (int number = blockIdx.x; number < p.l.tile_count; number += p.l.shape.blocks) {
        const typename S::tile tile(p, number);
        if (tile.is_empty()) continue;
        for (int x = tile.x - R; x < tile.x_end + R; x++) {
            uint64_t *full = full_gate<S>(shared, slot);
            const bool updates = x >= tile.x + R; /* the plane x - R */
            int sign;
            const int from = mirrored<R>(p.g.mirror[0], x, p.g.n[0], &sign);
            gate_wait(empty_gate<S>(shared, slot), phase);
            gate_expect(full, S::now_bytes + (updates ? S::before_bytes : 0));
            copy_box(shared_address(shared + slot * S::slot_bytes), &p.now, tile.z - S::PV * S::V,
                     tile.y - R, from, full);
            if (updates) {
                copy_box(shared_address(shared + S::before + before_slot * S::before_bytes),
                         &p.before, tile.z, tile.y, x - R, full);
                if (++before_slot == S::before_slots) before_slot = 0;
            }
            if (++slot == S::slots) slot = 0, phase ^= 1;
        }
    }
}

/* Whether cells first .. end - 1 along an axis touch one of its damping layers. */
__device__ __forceinline__ bool touches_layer(const torre_wave_args &g, int axis, int first,
                                              int end)
{
    return g.damping[0] && (first < g.clear[axis][0] || end > g.clear[axis][1]);
}

/* One thread of a worker warp: ROWS vectors of a plane, one above the other along y. */
template <class T, int R, bool MODEL> struct stepwise_worker {
    using S = stepwise_tma<T, R>;
    static constexpr int V = S::V, PV = S::PV, ROWS = S::ROWS;
    const torre_wave_args &g;
    const stencil_weights<T> &c;
    char *shared;
    T *next;
    int first_row; /* in the tile */
    int y, z;
    z_surroundings<T, R> beside;

    __device__ __forceinline__ cells<T> at(int offset) const
    {
        return *(const cells<T> *)(shared + offset);
    }
    /* Offset of the own vector of row `row` of the tile, -R at the lowest, in a slot. */
    static __device__ __forceinline__ int in_slot(int row)
    {
        return (row + R) * S::line + ((threadIdx.x & 31) + PV) * 16;
    }
    /* Row i of the column that the rows of this thread need, through the mirror of y. */
    __device__ __forceinline__ cells<T> mirrored_side(int slot, int i) const
    {
        int sign;
        const int from = mirrored<R>(g.mirror[1], y + i, g.n[1], &sign);
        if (!sign || (unsigned)from >= (unsigned)g.n[1]) return uniform_cells(T(0));
        const cells<T> v = at(slot + in_slot(first_row + from - y));
        return sign == -1 ? scaled(T(-1), v) : v;
    }
    /* Plane x of the march, just arrived at offset `slot`, into the place i of the queue. */
    __device__ __forceinline__ void arrive(cells<T> (&queue)[ROWS][2 * R + 1], int i, int slot,
                                           int x) const
    {
#pragma unroll
        for (int r = 0; r < ROWS; r++) queue[r][i] = at(slot + in_slot(first_row + r));
        if ((unsigned)x < (unsigned)g.n[0]) return;
        int sign;
        mirrored<R>(g.mirror[0], x, g.n[0], &sign);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            queue[r][i] = sign ? scaled(T(sign), queue[r][i]) : uniform_cells(T(0));
    }

    /* Plane x, in the middle of the queue and at offset `slot`; NEAR: next to a y face, or partly
     * beyond a face; LAYERS: perhaps in a damping layer. */
    template <bool NEAR, bool LAYERS>
    __device__ __forceinline__ void update(const cells<T> (&queue)[ROWS][2 * R + 1], int x,
                                           int slot, int before_slot) const
    {
        cells<T> side[2 * R + ROWS], k[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            k[r] = uniform_cells(T(0));
            if (MODEL && (!NEAR || (y + r < g.n[1] && z < g.n[2])))
                k[r] = load((const T *)g.k + x * g.k_stride_x + (y + r) * g.k_stride_y + z);
        }
#pragma unroll
        for (int i = -R; i < R + ROWS; i++) {
            if (i >= 0 && i < ROWS && (!NEAR || y + i < g.n[1]))
                side[i + R] = queue[i >= 0 && i < ROWS ? i : 0][R];
            else
                side[i + R] = NEAR ? mirrored_side(slot, i) : at(slot + in_slot(first_row + i));
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int here = slot + in_slot(first_row + r);
            /* not a mere array: the compiler would lay it on that of the other loops, in memory */
            struct {
                cells<T> v[2 * PV + 1];
            } around;
            cells<T> v =
                at(before_slot + (first_row + r) * S::before_line + (threadIdx.x & 31) * 16);
#pragma unroll
            for (int p = -PV; p <= PV; p++) around.v[PV + p] = p ? at(here + p * 16) : queue[r][R];
            if (NEAR)
                beside.mirror(around.v, (const T *)(shared + here) - z, g, z);
            else
                beside.mirror_centre(around.v, g, z);
            if (NEAR && (y + r >= g.n[1] || z >= g.n[2])) continue;
            advance_cells<T, R, MODEL, LAYERS>(
                v, g, c, k[r], [&](int d) { return side[R + r + d]; },
                [&](int d) { return queue[r][R + d]; }, around.v, x, y + r, z);
            store_next(next + x * g.stride_x + (y + r) * g.stride_y + z, v);
        }
    }
};
#endif

template <class T, int R, bool MODEL>
__global__ void __launch_bounds__(stepwise_tma<T, R>::threads, 1)
    stepwise_tma_kernel(const __grid_constant__ typename stepwise_tma<T, R>::params p)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    using S = stepwise_tma<T, R>;
    extern __shared__ __align__(128) char shared[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < S::slots; i++) {
            gate_init(full_gate<S>(shared, i), 1);
            gate_init(empty_gate<S>(shared, i), S::WARPS * LANES_ARRIVE);
        }
        gates_ready();
    }
    __syncthreads();
    if (warp == S::WARPS) {
        if (lane == 0) copy_planes<T, R>(p, shared);
        return;
    }
    stepwise_worker<T, R, MODEL> w{
        p.g, p.c, shared, (T *)p.g.field[0], warp * S::ROWS, 0, 0, z_surroundings<T, R>(p.g, 0)};
    int newest = 0, middle = 0, before = 0; /* slots */
    uint32_t phase = 0;
    /* wait for the next plane, x; let go of the one in the middle */
    cells<T> queue[S::ROWS][2 * R + 1];
    const auto receive = [&](int i, int x) {
        gate_wait(full_gate<S>(shared, newest), phase);
        w.arrive(queue, i, newest * S::slot_bytes, x);
        if (++newest == S::slots) newest = 0, phase ^= 1;
    };
    const auto let_go = [&] {
        warp_arrive(empty_gate<S>(shared, middle));
        if (++middle == S::slots) middle = 0;
    };
    const auto march = [&](const typename S::tile &tile, auto near, auto layers) {
        constexpr bool NEAR = decltype(near)::value, LAYERS = decltype(layers)::value;
        /* a longer loop moves the queue less often, but is slower with a velocity array */
#pragma unroll 1
        for (int x = tile.x; x < tile.x_end; x++) {
            receive(2 * R, x + R);
            w.template update<NEAR, LAYERS>(queue, x, middle * S::slot_bytes,
                                            S::before + before * S::before_bytes);
            let_go();
            if (++before == S::before_slots) before = 0;
#pragma unroll
            for (int r = 0; r < S::ROWS; r++)
#pragma unroll
                for (int i = 0; i < 2 * R; i++) queue[r][i] = queue[r][i + 1];
        }
    };
#pragma unroll 1
    for (int number = blockIdx.x; number < p.l.tile_count; number += p.l.shape.blocks) {
        const typename S::tile tile(p, number);
        if (tile.is_empty()) continue;
        w.y = tile.y + w.first_row;
        w.z = tile.z + lane * S::V;
        w.beside = z_surroundings<T, R>(p.g, w.z);
        const bool near =
            w.y < R || w.y + S::ROWS + R > p.g.n[1] || tile.z + S::planes > p.g.n[2] ||
            (!w.beside.simple && (tile.z == 0 || tile.z + S::planes + S::PV * S::V > p.g.n[2]));
        const bool layers = touches_layer(p.g, 0, tile.x, tile.x_end) ||
                            touches_layer(p.g, 1, w.y, w.y + S::ROWS) ||
                            touches_layer(p.g, 2, tile.z, tile.z + S::planes);
#pragma unroll
        for (int i = 0; i < 2 * R; i++) {
            receive(i, tile.x - R + i);
            if (i >= R) let_go();
        }
        if (near)
            march(tile, std::true_type(), std::true_type());
        else if (layers)
            march(tile, std::false_type(), std::true_type());
        else
            march(tile, std::false_type(), std::false_type());
#pragma unroll
        for (int i = 0; i < R; i++) let_go();
    }
#endif
}

/* Not with periodic y and z faces, whose neighbours wrap; nor where the last tile is one vector,
 * planes of which are images of more than the one beside it, which is all that a tile has. */
template <class T, int R>
static cudaError_t stepwise_uses_tma(const torre_wave_args *args, bool *tma)
{
    *tma = false;
    constexpr int V = cells<T>::n;
    if (args->periodic[1] || args->periodic[2]) return cudaSuccess;
    if (R > 1 && args->n[2] % V != 0 && (args->n[2] + V - 1) / V % 32 == 1) return cudaSuccess;
    return runs_with_tma((const void *)stepwise_tma_kernel<T, R, false>, tma);
}

template <class T, int R> static cudaError_t stepwise_tma_shape(torre_step_shape *shape)
{
    using S = stepwise_tma<T, R>;
    const void *kernels[2] = {(const void *)stepwise_tma_kernel<T, R, false>,
                              (const void *)stepwise_tma_kernel<T, R, true>};
    int device, multiprocessors;
    cudaError_t e = cudaGetDevice(&device);
    if (!e) e = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    for (int model = 0; model < 2 && !e; model++)
        e = cudaFuncSetAttribute(kernels[model], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 S::shared_bytes);
    *shape = {S::rows, S::planes, multiprocessors};
    return e;
}

template <class T, int R, bool MODEL>
static cudaError_t stepwise_tma_launch(const torre_wave_args *args, const torre_step_launch *l,
                                       cudaStream_t stream)
{
    using S = stepwise_tma<T, R>;
    typename S::params p;
    p.g = *args;
    p.l = *l;
    p.c = stencil_weights<T>(*args);
    cudaError_t e = field_tensor_map<T>(*args, args->field[1], S::planes + 2 * S::PV * S::V,
                                        S::rows + 2 * R, 1, &p.now);
    if (!e) e = field_tensor_map<T>(*args, args->field[0], S::planes, S::rows, 1, &p.before);
    if (e) return e;
    stepwise_tma_kernel<T, R, MODEL><<<l->shape.blocks, S::threads, S::shared_bytes, stream>>>(p);
    return cudaGetLastError();
}
