/*
 * Many points in a block tower of order 4 or 6. Included by wave_block_tower.cuh.
 *
 * Sources: lanes fetch nodes and values, while they compute sums, and add them as at order 8.
 * Receivers: the warp that tells of progress has a list of what is recorded in each step, and so
 * takes no longer if that is in many blocks.
 */

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::fetch_nodes(const place &p, int t) const
{
    const int count = min(p.source_last - p.source_first, Kernel::NODES),
              at = slot() * Kernel::NODES;
    const T *values = (const T *)g.points.source_values + t * g.points.source_count;
    if (idle()) return;
#pragma unroll 1
    for (int n = lane(); n < count; n += lanes) {
        __pipeline_memcpy_async((T *)(shared() + Kernel::values) + at + n,
                                values + p.source_first + n, sizeof(T));
        __pipeline_memcpy_async((torre_part_node *)(shared() + Kernel::nodes) + at + n,
                                g.points.part_node + p.source_first + n, sizeof(torre_part_node));
    }
    __pipeline_commit();
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::add_fetched_nodes(const place &p, int block,
                                                                       int t) const
{
    const int count = min(p.source_last - p.source_first, Kernel::NODES),
              at = slot() * Kernel::NODES;
    if (idle()) return;
#pragma unroll 1
    for (int n = lane(); n < count; n += lanes)
        add_node(((const torre_part_node *)(shared() + Kernel::nodes))[at + n],
                 ((const T *)(shared() + Kernel::values))[at + n], p, block, t);
}

/* Records the units of a list, some a lane. What main memory sends is asked for a step ahead: the
 * list, and where the next one ends. */
template <class Kernel> struct place_recorder {
    using T = typename Kernel::T;
    using S = typename Kernel::S;
    static constexpr int R = Kernel::R, DB = Kernel::DB;
    static constexpr int AT_ONCE = 16 / sizeof(T), VECTORS = TORRE_UNIT / S::V; /* of a lane */
    static_assert(!Kernel::MANY || S::blocks <= 32, "a lane for each block");
    const int *first;      /* starts of lists of the strip */
    int list, last;        /* the one after the next level's; how many there are */
    int begin, end, after; /* units of the next level; of the level after it */
    char *to;              /* samples of the next level that is recorded, in so many levels: */
    int due;
    int row, places, place; /* STEADY: where rows of `own` begin, and where in it block `lane` is */

    __device__ __forceinline__ int start_of(int number) const
    {
        return __ldg(first + min(max(number, 0), last));
    }
    /* Level t will be the next one, after look_ahead. */
    __device__ __forceinline__ void start(const torre_wave_args &g, const torre_tower_launch &l,
                                          const tower_item &w, int block, int t)
    {
        const int level = t - g.points.record_first, every = g.points.record_every,
                  next = level < 0 ? 0 : (level + every - 1) / every;
        int X, Y;
        last = (g.n[0] + R - 1) / R + 2 * DB - 1;
        first = g.points.place_first + ((int64_t)w.m * l.parts + w.part) * last;
        list = DB * w.s + t - 1 + 2 * DB - 1;
        end = start_of(list);
        after = start_of(++list);
        to = (char *)g.points.samples + next * row_bytes(g);
        due = next * every - level;
        block_place<DB>(block, &X, &Y);
        row = S::own + (row_start<DB>(Y) + abs(Y)) * S::block_bytes;
        places = 2 * (DB - abs(Y));
        place = (X - abs(Y) + t - w.first_step) % places;
    }
    static __device__ __forceinline__ int64_t row_bytes(const torre_wave_args &g)
    {
        return g.points.units * (TORRE_UNIT * (int64_t)sizeof(T));
    }
    static __device__ __forceinline__ torre_place_run *fetched()
    {
        return (torre_place_run *)(block_tower<Kernel>::shared() + Kernel::units);
    }
    __device__ __forceinline__ void look_ahead(const torre_wave_args &g, const torre_tower_launch &)
    {
        begin = end;
        end = after;
        after = start_of(++list);
        if (due > 0) return;
#pragma unroll 1
        for (int n = threadIdx.x & 31; n < min(end - begin, Kernel::UNITS); n += 32)
            __pipeline_memcpy_async(fetched() + n, g.points.place_runs + begin + n,
                                    sizeof(torre_place_run));
        __pipeline_commit();
    }

    /* Once level t is in `own`. By all lanes. */
    __device__ __forceinline__ void record(const torre_wave_args &g, const char *shared,
                                           const tower_item &, int t)
    {
        const int lane = threadIdx.x & 31, count = end - begin;
        const int block = row + place * S::block_bytes;
        place = place + 1 < places ? place + 1 : 0;
        if (due-- > 0) return;
        due = g.points.record_every - 1;
        __pipeline_wait_prior(0);
#pragma unroll 1
        for (int n = 0; n < count; n += 32 * AT_ONCE) {
            torre_place_run unit[AT_ONCE];
            uint4 q[AT_ONCE][VECTORS];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                const int at = n + 32 * i + lane;
                unit[i] = {0, 0};
                if (at < count)
                    unit[i] = n < Kernel::UNITS ? fetched()[at] : g.points.place_runs[begin + at];
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                const int number = unit[i].what & 0xff, along_z = unit[i].what >> 8 & 0xff,
                          column = unit[i].what >> 16;
                const int from = Kernel::STEADY
                                     ? __shfl_sync(~0u, block, number)
                                     : S::own + (t & 1) * Kernel::ODD + number * S::block_bytes;
                if (n + 32 * i + lane < count)
#pragma unroll
                    for (int v = 0; v < VECTORS; v++)
                        q[i][v] =
                            ((const uint4 *)(shared + from +
                                             column * S::line))[S::PV + along_z * VECTORS + v];
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++)
                if (n + 32 * i + lane < count)
#pragma unroll
                    for (int v = 0; v < VECTORS; v++)
                        ((uint4 *)to)[(int64_t)unit[i].slot * VECTORS + v] = q[i][v];
        }
        to += row_bytes(g);
    }
};
