/* Sources and receivers in a block tower. Included by wave_block_tower.cuh. */

/* Asynchronously: the numbers are there after points_found, one step later. */
template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void block_tower<T, R, DB, MODEL, TMA>::find_points(int x, int y)
{
    if (!g.points.first || lane() != 0 || idle()) return;
    place &p = ((place *)(shared() + S::places))[slot()];
    if ((unsigned)x < (unsigned)g.n[0] && (unsigned)y < (unsigned)g.n[1]) {
        const int64_t b = ((int64_t)(x / R) * g.points.blocks_y + y / R) * l.parts + item().part;
        __pipeline_memcpy_async(&p.point_first, g.points.first + b, sizeof(int));
        __pipeline_memcpy_async(&p.point_last, g.points.first + b + 1, sizeof(int));
        __pipeline_commit();
    } else {
        p.point_first = p.point_last = 0;
    }
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void block_tower<T, R, DB, MODEL, TMA>::points_found()
{
    if (!g.points.first) return;
    __pipeline_wait_prior(0);
    __syncwarp();
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ typename block_tower<T, R, DB, MODEL, TMA>::point_hint
block_tower<T, R, DB, MODEL, TMA>::look_ahead(const place &p) const
{
    point_hint hint = {-1, 0};
    if (unlikely(p.point_first < p.point_last))
        hint = {p.point_first, g.points.node[p.point_first].slot};
    return hint;
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ bool
block_tower<T, R, DB, MODEL, TMA>::has_sources(const place &p, const point_hint &hint) const
{
    return (hint.node == p.point_first ? hint.slot : g.points.node[p.point_first].slot) < 0;
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void
block_tower<T, R, DB, MODEL, TMA>::add_sources(vec (&A)[ZV][NL], const place &p, int t)
{
#pragma unroll 1
    for (int n = p.point_first; n < p.point_last; n++) {
        const torre_point_node node = g.points.node[n];
        const int z = node.z - h.z_part, at = z / V;
        if (node.slot >= 0) break;
        if (at % lanes != lane() || idle()) continue;
        const T value = ((const T *)g.points.source_values)[t * g.points.source_count + ~node.slot];
        /* the cell is in a register: only a constant can name it */
        const int cell = (at / lanes * NL + node.line) * V + z % V;
#pragma unroll
        for (int i = 0; i < ZV * NL * V; i++)
            if (i == cell)
                A[i / V / NL][i / V % NL].v[i % V] = add(A[i / V / NL][i / V % NL].v[i % V], value);
    }
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void block_tower<T, R, DB, MODEL, TMA>::take_samples(const place &p,
                                                                                int block, int t)
{
    if (idle()) return;
    for (int n = p.point_first + lane(); n < p.point_last; n += lanes) {
        const torre_point_node node = g.points.node[n];
        if (node.slot < 0) continue;
        ((T *)g.points.samples)[t * g.points.receiver_count + node.slot] =
            ((const T *)(shared() + block + node.line * S::line + PV * 16))[node.z - h.z_part];
    }
}
