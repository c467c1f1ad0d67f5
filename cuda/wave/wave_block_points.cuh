/* Sources and receivers in a block tower, these up to order 6. Included by wave_block_tower.cuh. */

/* The number of the block whose first column is (x, y). */
template <int R>
__device__ __forceinline__ int64_t point_block(const torre_points_args &points, int x, int y,
                                               int parts, int part)
{
    return ((int64_t)(x / R) * points.blocks_y + y / R) * parts + part;
}

/* Asynchronously: the numbers are there after sources_found, one step later. */
template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::find_sources(int x, int y)
{
    if (!g.points.first || !leads() || idle()) return;
    place &p = ((place *)(shared() + S::places))[slot()];
    if (column_inside(x, y)) {
        const int *list = g.points.first + point_block<R>(g.points, x, y, l.parts, item().part);
        __pipeline_memcpy_async(&p.source_first, list, sizeof(int));
        __pipeline_memcpy_async(&p.source_last, list + 1, sizeof(int));
        __pipeline_commit();
    } else {
        p.source_first = p.source_last = 0;
    }
}

template <class Kernel> __device__ __forceinline__ void block_tower<Kernel>::sources_found()
{
    if (!g.points.first) return;
    __pipeline_wait_prior(0);
    __syncwarp();
}

/* In shared memory, where a cell can be named, and where it has been written already. */
template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::add_sources(const place &p, int block, int t)
{
#pragma unroll 1
    for (int n = p.source_first; n < p.source_last; n++) {
        const torre_point_node node = g.points.node[n];
        const int z = node.z - h.z_part;
        if (z / V % lanes != lane() || idle()) continue;
        const T value = ((const T *)g.points.source_values)[t * g.points.source_count + node.slot];
        T *cell = (T *)(shared() + block + node.line * S::line + PV * 16) + z;
        *cell = add(*cell, value);
        if (ODD || !is_leaving(p, t)) continue;
        const int64_t x = h.x_tower + R * (t + X) + node.line / R, y = p.y + node.line % R;
        ((T *)g.field[t & 1])[x * g.stride_x + y * g.stride_y + node.z] = *cell;
    }
}

/* Which marks a block of a diamond has, level by level. */
template <class Kernel> struct mark_finder {
    using S = typename Kernel::S;
    static constexpr int R = Kernel::R, DB = Kernel::DB;
    int number, X, Y; /* of the block */
    int marked;       /* which marks it has at the level that was looked at, -1: none */
    int x;            /* its first column at the level after that */
    const int *place; /* of `marked` there; NULL: beyond a y face */

    /* Look at level t. */
    __device__ __forceinline__ void start(const torre_wave_args &g, const torre_tower_launch &l,
                                          const tower_item &w, int block, int t)
    {
        number = block;
        block_place<DB>(number, &X, &Y);
        int y = l.half_size * w.m + R * Y;
        if (g.periodic[1]) y += y < 0 ? g.n[1] : y >= g.n[1] ? -g.n[1] : 0;
        x = l.half_size * w.s + R * (t - 1 + X);
        place = nullptr;
        if (number < S::blocks && (unsigned)y < (unsigned)g.n[1])
            place = g.points.marked + point_block<R>(g.points, x, y, l.parts, w.part);
        look_ahead(g, l);
    }
    /* Look at the next one. */
    __device__ __forceinline__ void look_ahead(const torre_wave_args &g,
                                               const torre_tower_launch &l)
    {
        marked = -1;
        if (!place) return;
        if ((unsigned)x < (unsigned)g.n[0]) marked = *place;
        x += R;
        place += (int64_t)g.points.blocks_y * l.parts;
    }
};

/*
 * Up to order 6: records units of the blocks of a diamond from `own`, one block a lane, all lanes
 * of the warp together for one block after the other. With TMA the warp that tells of progress does
 * that, so that workers have nothing to do with receivers. It shares a scheduler with two of them:
 * little may be computed in a step, and nothing waited for that main memory sends.
 */
template <class Kernel> struct block_recorder : mark_finder<Kernel> {
    using T = typename Kernel::T;
    using S = typename Kernel::S;
    using finder = mark_finder<Kernel>;
    using finder::marked;
    using finder::number;
    using finder::X;
    using finder::Y;
    static constexpr int units = (S::planes + TORRE_UNIT - 1) / TORRE_UNIT; /* of a column */
    static constexpr int words = (TORRE_MARK_BITS(S::NL, S::planes) + 31) / 32;
    static constexpr int vectors = TORRE_MARK_WORDS(S::NL, S::planes) / 4;
    bool any;             /* marks at the next level: */
    uint4 marks[vectors]; /* first unit, bits */

    /* Ask for what the next level needs: what main memory sends takes a step. */
    __device__ __forceinline__ void look_ahead(const torre_wave_args &g,
                                               const torre_tower_launch &l)
    {
        any = marked >= 0;
        if (any)
#pragma unroll
            for (int i = 0; i < vectors; i++)
                marks[i] = __ldg((const uint4 *)g.points.marks + (int64_t)marked * vectors + i);
        finder::look_ahead(g, l);
    }
    __device__ __forceinline__ uint32_t mark_word(int i) const
    {
        const uint4 &q = marks[i / 4];
        return i % 4 == 0 ? q.x : i % 4 == 1 ? q.y : i % 4 == 2 ? q.z : q.w;
    }

    /* Once level t is in `own`. By all lanes. */
    __device__ __forceinline__ void record(const torre_wave_args &g, const char *shared,
                                           const tower_item &w, int t) const
    {
        const int lane = threadIdx.x & 31, row = torre_sample_row(&g.points, t);
        if (row < 0) return;
        const int block =
            Kernel::STEADY ? (any ? block_tower<Kernel>::steady_place(X, Y, t - w.first_step) : 0)
                           : S::own + (t & 1) * Kernel::ODD + number * S::block_bytes;
#pragma unroll 1
        for (uint32_t rest = __ballot_sync(~0u, any); rest; rest &= rest - 1) {
            const int from = __ffs(rest) - 1;
            const char *columns = shared + __shfl_sync(~0u, block, from) + S::PV * 16;
            char *to = (char *)g.points.samples +
                       (row * g.points.units + __shfl_sync(~0u, (int)marks[0].x, from)) *
                           (TORRE_UNIT * (int)sizeof(T));
            /* first all loads of some words, so that they do not wait for each other */
            constexpr int AT_ONCE = words < 4 ? words : 4, VECTORS = TORRE_UNIT / S::V;
#pragma unroll
            for (int first = 0; first < words; first += AT_ONCE) {
                uint32_t bits[AT_ONCE];
                uint4 q[AT_ONCE][VECTORS];
#pragma unroll
                for (int i = 0; i < AT_ONCE; i++) {
                    const int word = first + i, bit = 32 * word + lane, line = bit / units;
                    bits[i] = word < words ? __shfl_sync(~0u, mark_word(1 + word), from) : 0;
                    if (bits[i] >> lane & 1)
#pragma unroll
                        for (int v = 0; v < VECTORS; v++)
                            q[i][v] = ((const uint4 *)(columns +
                                                       line * S::line))[bit % units * VECTORS + v];
                }
#pragma unroll
                for (int i = 0; i < AT_ONCE; i++) {
                    const int before = __popc(bits[i] & ((1u << lane) - 1));
                    if (bits[i] >> lane & 1)
#pragma unroll
                        for (int v = 0; v < VECTORS; v++)
                            ((uint4 *)to)[before * VECTORS + v] = q[i][v];
                    to += __popc(bits[i]) * TORRE_UNIT * (int)sizeof(T);
                }
            }
        }
    }
};
