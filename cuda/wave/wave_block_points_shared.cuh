/*
 * Sources and receivers in a block tower of order 8, whose threads share them out: a step takes
 * them longer than at other orders, so that little is lost where some have more to do. (Up to order
 * 6 runs without points would lose 1 and 7 %; kernels for many points share out sources alone.)
 * Included by wave_block_tower.cuh.
 */

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::add_node(const torre_part_node &node, T value,
                                                              const place &p, int block,
                                                              int t) const
{
    const int z = node.plane, line = node.line;
    T *cell = (T *)(shared() + block + line * S::line + PV * 16) + z;
    *cell = add(*cell, value);
    if (ODD || !is_leaving(p, t)) return;
    const int64_t x = h.x_tower + R * (t + X) + line / R, y = p.y + line % R;
    ((T *)g.field[t & 1])[x * g.stride_x + y * g.stride_y + h.z_part + z] = *cell;
}

/* The nodes of a slot but the first few, shared out to its lanes. */
template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::add_nodes(const place &p, int few, int block,
                                                               int t)
{
    constexpr int AT_ONCE = 2; /* nodes of a lane that are read together */
    const bool more = WIDE && lane() >= S::first_lanes;
    const int step = more ? lanes - S::first_lanes : S::first_lanes;
    const T *values = (const T *)g.points.source_values + t * g.points.source_count;
    if (idle()) return;
#pragma unroll 1
    for (int n = p.source_first + few + lane() - (more ? S::first_lanes : 0); n < p.source_last;
         n += AT_ONCE * step) {
        torre_part_node node[AT_ONCE];
        T value[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (n + i * step < p.source_last) {
                node[i] = g.points.part_node[n + i * step];
                value[i] = values[n + i * step];
            }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (n + i * step >= p.source_last) break;
            if (WIDE && (node[i].plane / V % lanes >= S::first_lanes) != more)
                continue; /* of the other slot */
            add_node(node[i], value[i], p, block, t);
        }
    }
}

template <class Kernel>
__device__ __forceinline__ void
block_tower<Kernel>::add_sources_together(vec (&C)[ZV][NL], const place &p, int block, int t)
{
    const bool adds = p.source_first < p.source_last;
    if (!__any_sync(~0u, adds)) return;
    __syncwarp(); /* lanes add to what others have written */
    if (Kernel::MANY && adds) add_fetched_nodes(p, block, t);
    if (adds) add_nodes(p, Kernel::MANY ? Kernel::NODES : 0, block, t);
    __syncwarp();
    if (adds && !STEADY) reload(C, block);
}

/*
 * Receivers. Each thread records the units whose cells it holds, out of its registers, when a step
 * has made them. Which these are, a thread for each block says in shared memory before, for one
 * step at a time: with TMA a lane of the warp that tells of progress.
 */
template <class Kernel> struct unit_finder : mark_finder<Kernel> {
    using S = typename Kernel::S;
    using finder = mark_finder<Kernel>;
    using finder::marked;
    using finder::number;

    /* What step t records, which is level t + 1. By all lanes; workers read it after a gate. */
    __device__ __forceinline__ void tell(const torre_wave_args &g, char *shared, int t) const
    {
        const int row = torre_sample_row(&g.points, t + 1);
        const bool any = marked >= 0 && row >= 0;
        if (any)
#pragma unroll
            for (int i = 0; i < S::mark_bytes; i += 16)
                __pipeline_memcpy_async(
                    shared + S::marks + number * S::mark_bytes + i,
                    (const char *)g.points.marks + (int64_t)marked * S::mark_bytes + i, 16);
        __pipeline_commit();
        const uint32_t blocks = __ballot_sync(~0u, any);
        if (number % 32 == 0) {
            *(uint32_t *)(shared + S::recorded + number / 32 * 4) = blocks;
            *(char **)(shared + S::samples) =
                (char *)g.points.samples +
                row * g.points.units * (TORRE_UNIT * (int64_t)sizeof(typename Kernel::T));
        }
        __pipeline_wait_prior(0);
        __syncwarp();
    }
};

template <class Kernel>
__device__ __forceinline__ typename block_tower<Kernel>::recorded_units
block_tower<Kernel>::find_units(const place &p) const
{
    constexpr int bits = ZV * NL; /* of a thread: its vectors, line by line of each */
    static_assert(S::mark_groups * TORRE_UNIT == lanes * V && bits < 32, "lanes have whole units");
    recorded_units found = {0, nullptr};
    const int block = p.number + X;
    if (!g.points.units || idle()) return found;
    const uint32_t recorded = ((const uint32_t *)(shared() + S::recorded))[block / 32];
    if (!(recorded >> block % 32 & 1)) return found;
    const uint32_t *marks = (const uint32_t *)(shared() + S::marks + block * S::mark_bytes);
    const int first = lane() * V / TORRE_UNIT * bits, word = 1 + first / 32, bit = first % 32;
    int64_t unit = (int)marks[0];
#pragma unroll
    for (int i = 1; i < S::mark_words - 1; i++)
        if (i < word) unit += __popc(marks[i]);
    unit += __popc(marks[word] & ((1u << bit) - 1));
    found.bits = marks[word] >> bit;
    if (32 % bits != 0 && bit + bits > 32) found.bits |= marks[word + 1] << (32 - bit);
    found.bits &= (1u << bits) - 1;
    found.to = *(char **)(shared() + S::samples) +
               (unit * TORRE_UNIT + lane() * V % TORRE_UNIT) * (int)sizeof(T);
    return found;
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::record(const recorded_units &found,
                                                            const vec (&C)[ZV][NL], int block) const
{
    char *to = found.to;
    if (!found.bits) return;
#pragma unroll
    for (int v = 0; v < ZV; v++)
#pragma unroll
        for (int i = 0; i < NL; i++)
            if (found.bits >> (v * NL + i) & 1) {
                store_vector(to, STEADY ? load_shared(block + i * S::line + in_line(v)) : C[v][i]);
                to += TORRE_UNIT * sizeof(T);
            }
}
