/* Sources and receivers in a block tower. Included by wave_block_tower.cuh. */

/* The list of sources of the block whose first column is (x, y); that of receivers comes next. */
template <int R>
__device__ __forceinline__ const int *point_lists(const torre_points_args &points, int x, int y,
                                                  int parts, int part)
{
    return points.first + 2 * (((int64_t)(x / R) * points.blocks_y + y / R) * parts + part);
}

/* Asynchronously: the numbers are there after sources_found, one step later. */
template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::find_sources(int x, int y)
{
    if (!g.points.first || !leads() || idle()) return;
    place &p = ((place *)(shared() + S::places))[slot()];
    if (column_inside(x, y)) {
        __pipeline_memcpy_async(
            &p.source_first, point_lists<R>(g.points, x, y, l.parts, item().part), 2 * sizeof(int));
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
        const T value = ((const T *)g.points.source_values)[t * g.points.source_count + ~node.slot];
        T *cell = (T *)(shared() + block + node.line * S::line + PV * 16) + z;
        *cell = add(*cell, value);
        if (ODD || !is_leaving(p, t)) continue;
        const int64_t x = h.x_tower + R * (t + X) + node.line / R, y = p.y + node.line % R;
        ((T *)g.field[t & 1])[x * g.stride_x + y * g.stride_y + node.z] = *cell;
    }
}

/*
 * Takes samples of one block of the diamond from `own`. With TMA lanes of the warp that tells of
 * progress do that, so that workers have nothing to do with receivers. It shares a scheduler with
 * two of them: little may be computed in a step.
 */
template <class Kernel> struct block_sampler {
    using T = typename Kernel::T;
    using S = typename Kernel::S;
    static constexpr int R = Kernel::R, DB = Kernel::DB;
    int number, X, Y;          /* of the block */
    int ahead, last;           /* its nodes at the next level */
    torre_point_node node;     /* number `ahead` */
    int next_first, next_last; /* nodes at the level after that */
    int x;                     /* the first column at the level after these */
    const int *lists;          /* see point_lists; NULL: beyond a y face */

    /* Level t will be the next one. */
    __device__ __forceinline__ void start(const torre_wave_args &g, const torre_tower_launch &l,
                                          const tower_item &w, int block, int t)
    {
        number = block;
        block_place<DB>(number, &X, &Y);
        int y = l.half_size * w.m + R * Y;
        if (g.periodic[1]) y += y < 0 ? g.n[1] : y >= g.n[1] ? -g.n[1] : 0;
        x = l.half_size * w.s + R * (t - 1 + X);
        lists = nullptr;
        if (number < S::blocks && (unsigned)y < (unsigned)g.n[1])
            lists = point_lists<R>(g.points, x, y, l.parts, w.part);
        find_list(g, l);
    }
    __device__ __forceinline__ void find_list(const torre_wave_args &g, const torre_tower_launch &l)
    {
        next_first = next_last = 0;
        if (!lists) return;
        if ((unsigned)x < (unsigned)g.n[0]) next_first = lists[1], next_last = lists[2];
        x += R;
        lists += 2 * (int64_t)g.points.blocks_y * l.parts;
    }
    /* Ask for what the next level needs: what main memory sends takes a step. */
    __device__ __forceinline__ void look_ahead(const torre_wave_args &g,
                                               const torre_tower_launch &l)
    {
        ahead = next_first, last = next_last;
        if (ahead < last) node = g.points.node[ahead];
        find_list(g, l);
    }

    /* Once level t is in `own`. */
    __device__ __forceinline__ void sample(const torre_wave_args &g, const torre_tower_launch &l,
                                           const char *shared, const tower_item &w, int t)
    {
        if (ahead >= last) return;
        const char *block =
            shared + (Kernel::STEADY ? block_tower<Kernel>::steady_place(X, Y, t - w.first_step)
                                     : S::own + (t & 1) * Kernel::ODD + number * S::block_bytes);
        const int z = tower_planes_of(l, w.part, g.n[2], S::V).first;
        T *to = (T *)g.points.samples + (t - 1) * g.points.receiver_count;
        for (;;) {
            to[node.slot] = ((const T *)(block + node.line * S::line + S::PV * 16))[node.z - z];
            if (++ahead >= last) break;
            node = g.points.node[ahead];
        }
    }
};
