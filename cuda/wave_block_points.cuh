/* Sources and receivers in a block tower. Included by wave_block_tower.cuh. */

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void block_tower<T, R, DB, MODEL, TMA>::find_points(int x, int y)
{
    if (!g.points.first || lane() != 0 || idle()) return;
    volatile place &p = ((volatile place *)(shared() + S::places))[slot()];
    int first = 0, last = 0;
    if ((unsigned)x < (unsigned)g.n[0] && (unsigned)y < (unsigned)g.n[1]) {
        const int64_t b = ((int64_t)(x / R) * g.points.blocks_y + y / R) * l.parts + h.part;
        first = g.points.first[b];
        last = g.points.first[b + 1];
    }
    p.point_first = first;
    p.point_last = last;
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void
block_tower<T, R, DB, MODEL, TMA>::add_sources(vec (&A)[ZV][NL], const place &p, int block, int t)
{
    bool any = false;
    for (int n = p.point_first; n < p.point_last; n++) {
        const torre_point_node node = g.points.node[n];
        const int z = node.z - h.z_part;
        if (node.slot >= 0) break;
        if (z / V % lanes != lane() || idle()) continue;
        T *cell = (T *)(shared() + block + node.line * S::line + PV * 16) + z;
        *cell =
            add(*cell, ((const T *)g.points.source_values)[t * g.points.source_count + ~node.slot]);
        any = true;
    }
    if (any) reload(A, block);
}

template <class T, int R, int DB, bool MODEL, bool TMA>
__device__ __forceinline__ void block_tower<T, R, DB, MODEL, TMA>::take_samples(const place &p,
                                                                                int block, int t)
{
    if (idle()) return;
    for (int n = p.point_first; n < p.point_last; n++) {
        const torre_point_node node = g.points.node[n];
        const int z = node.z - h.z_part;
        if (node.slot < 0 || z / V % lanes != lane()) continue;
        ((T *)g.points.samples)[t * g.points.receiver_count + node.slot] =
            ((const T *)(shared() + block + node.line * S::line + PV * 16))[z];
    }
}
