/* Sources and receivers in a block tower. Included by wave_block_tower.cuh. */

/* The list of sources of the block whose first column is (x, y); that of receivers comes next. */
template <int R>
__device__ __forceinline__ const int *point_lists(const torre_points_args &points, int x, int y,
                                                  int parts, int part)
{
    return points.first + 2 * (((int64_t)(x / R) * points.blocks_y + y / R) * parts + part);
}

/* Asynchronously: the numbers are there after sources_found, one step later. */
template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void block_tower<T, R, DB, MODEL, TMA>::find_sources(int x, int y)
{
    if (!g.points.first || lane() != 0 || idle()) return;
    place &p = ((place *)(shared() + S::places))[slot()];
    if (column_inside(x, y)) {
        __pipeline_memcpy_async(
            &p.source_first, point_lists<R>(g.points, x, y, l.parts, item().part), 2 * sizeof(int));
        __pipeline_commit();
    } else {
        p.source_first = p.source_last = 0;
    }
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void block_tower<T, R, DB, MODEL, TMA>::sources_found()
{
    if (!g.points.first) return;
    __pipeline_wait_prior(0);
    __syncwarp();
}

/* In shared memory, where a cell can be named, and where it has been written already. */
template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void block_tower<T, R, DB, MODEL, TMA>::add_sources(const place &p,
                                                                               int block, int t)
{
#pragma unroll 1
    for (int n = p.source_first; n < p.source_last; n++) {
        const torre_point_node node = g.points.node[n];
        const int z = node.z - h.z_part;
        if (z / V % lanes != lane() || idle()) continue;
        const T value = ((const T *)g.points.source_values)[t * g.points.source_count + ~node.slot];
        T *cell = (T *)(shared() + block + node.line * S::line + PV * 16) + z;
        *cell = add(*cell, value);
        if (ODD || !is_leaving(p, t)) continue;
        const int64_t x = h.x_tower + R * (t + X) + node.line / R, y = p.y + node.line % R;
        ((T *)g.field[t & 1])[x * g.stride_x + y * g.stride_y + node.z] = *cell;
    }
}

/*
 * Takes samples from `own`, a block of the diamond a thread: `threads` of them, who keep in step
 * with each other. With TMA that is the warp that tells of progress, so that workers have
 * nothing to do with receivers.
 */
template <class T, int R, int DB, bool MODEL, bool TMA> struct block_sampler {
    using S = block_shape<T, R, DB>;
    const torre_wave_args &g;
    const torre_tower_launch &l;
    int thread, threads;
    int ahead, last;            /* nodes of block number `thread` at the next step */
    torre_point_node node = {}; /* number `ahead` */

    __device__ __forceinline__ block_sampler(const torre_wave_args &g, const torre_tower_launch &l,
                                             int thread, int threads)
        : g(g), l(l), thread(thread), threads(threads)
    {
    }

    /* The receivers of block number n of the diamond, which holds level t. */
    __device__ __forceinline__ void find(const tower_item &w, int n, int t)
    {
        ahead = last = 0;
        if (n >= S::blocks) return;
        int X, Y;
        block_place<DB>(n, &X, &Y);
        const int x = l.half_size * w.s + R * (t - 1 + X);
        int y = l.half_size * w.m + R * Y;
        if (g.periodic[1]) y += y < 0 ? g.n[1] : y >= g.n[1] ? -g.n[1] : 0;
        if ((unsigned)x >= (unsigned)g.n[0] || (unsigned)y >= (unsigned)g.n[1]) return;
        const int *lists = point_lists<R>(g.points, x, y, l.parts, w.part);
        ahead = lists[1], last = lists[2];
        if (ahead < last) node = g.points.node[ahead];
    }
    /* Before the level of step t has been published. */
    __device__ __forceinline__ void look_ahead(const tower_item &w, int t) { find(w, thread, t); }

    /* Once level t is in `own`. */
    __device__ __forceinline__ void sample(const char *shared, const tower_item &w, int t)
    {
        for (int n = thread; n < S::blocks; n += threads) {
            if (S::blocks > 32 && n != thread) find(w, n, t);
            if (ahead >= last) continue;
            int X, Y;
            block_place<DB>(n, &X, &Y);
            const char *block =
                shared +
                (S::holds_k(TMA, MODEL)
                     ? block_tower<T, R, DB, MODEL, TMA>::steady_place(X, Y, t - w.first_step)
                     : S::own + (t & 1) * S::own_odd(TMA, MODEL) + n * S::block_bytes);
            const int z = tower_planes_of(l, w.part, g.n[2], S::V).first;
            T *to = (T *)g.points.samples + (t - 1) * g.points.receiver_count;
            for (;;) {
                to[node.slot] = ((const T *)(block + node.line * S::line + S::PV * 16))[node.z - z];
                if (++ahead >= last) break;
                node = g.points.node[ahead];
            }
        }
    }
};
