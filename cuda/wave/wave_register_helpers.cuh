/*
 * The helper warps of a register tower: fetch (halo and model), mail (edges from the blocks
 * beside), publish (progress) and sample (receivers; it looks sources up, too).
 * Included by wave_register_tower.cuh.
 */

/*
 * Blocks take the items of the list one by one when they are free, not every G-th: towers near x
 * faces are short. The argument of tower_schedule.cuh holds, since they are taken in the order of
 * the list. Parts of a tower must start together, though: the first of a group of blocks takes a
 * tower for all of them and tells them, through shared memory if they are a cluster, else through
 * `taken`. Their items are numbered as if each block took every G-th. Where there is no room for a
 * group, blocks do that.
 *
 * Multiprocessors that clusters leave have groups of a launch of their own, which takes towers of
 * the same list. It may start late, or in part: who is not there yet holds up nobody, since a
 * cluster starts as a whole and a group takes nothing before all its blocks are there. So a tower
 * that has been taken has all its blocks at work, and only waits for towers taken before it.
 *
 * The k-th item of this block, which has tried `tries` items so far: the fetch warp takes it, and
 * finishes those without steps.
 */
template <class S>
__device__ __forceinline__ register_turn take_item(const torre_tower_launch &l, int nx,
                                                   typename S::gates_type *gates, int k, int *tries)
{
    const int lane = threadIdx.x & 31, items = l.tower_count * l.parts;
    const bool cluster = S::tma && l.cluster == l.parts, group = S::tma && l.taken;
    const int parts = cluster || group ? l.parts : 1; /* to take together */
    const int part = blockIdx.x % parts;
    uint64_t *told = &gates->told[k % TURNS_TOLD];
    int *tell = &gates->place[k % TURNS_TOLD];
    int *taken = l.taken + blockIdx.x / parts * (l.tower_count + 2) + k; /* 1 more; 0: not yet */
    register_turn next;
    if (group && k == 0) { /* a group that is not complete takes nothing */
        int *there = taken + l.tower_count + 1;
        if (part > 0 && lane == 0) atomicAdd(there, 1);
        while (part == 0 && load_progress(there) < parts - 1) __nanosleep(1000);
    }
#pragma unroll 1
    for (;;) {
        int item = 0;
        if constexpr (S::tma)
            if (part > 0 && group) {
                while ((item = load_progress(taken) - 1) < 0) __nanosleep(100);
            } else if (part > 0) {
                if (lane == 0) gate_expect(told, sizeof *tell);
                gate_wait(told, k / TURNS_TOLD & 1);
                item = *(volatile int *)tell;
            }
        if (part == 0 && lane == 0 && l.parts == parts) item = atomicAdd(l.next, parts);
        if (part == 0)
            item =
                l.parts == parts ? __shfl_sync(~0u, item, 0) : blockIdx.x + l.blocks * (*tries)++;
        next.number = item < items ? item + part : -1;
        if (next.number < 0) break;
        next.w = tower_item_at(l, next.number, 1, nx);
        if (next.w.first_step < next.w.end_step) break;
        for (int i = lane; i < parts; i += 32)
            store_progress(tower_progress(l, next.w.s, next.w.m, next.w.part + i), TOWER_DONE);
    }
    if (group && part == 0 && lane == 0)
        store_progress(taken, (next.number < 0 ? items : next.number) + 1);
    if (group && next.number >= 0) next.number = k * l.blocks + blockIdx.x;
    if constexpr (S::tma)
        if (cluster && part == 0 && lane > 0 && lane < parts)
            store_cluster(cluster_address(shared_address(tell), lane),
                          next.number < 0 ? items : next.number,
                          cluster_address(shared_address(told), lane));
    if (k >= TURNS) gate_wait<S::tma>(&gates->accepted[k % TURNS], k / TURNS - 1 & 1);
    if (lane == 0) gates->turn[k % TURNS] = next;
    warp_arrive<S::tma>(&gates->offered[k % TURNS]);
    return next;
}
/* The items of this block for all other warps; n: steps of the items before, k: number of these. */
template <class S, class F>
__device__ __forceinline__ void for_each_item(typename S::gates_type *gates, F f)
{
    int n = 0;
#pragma unroll 1
    for (int k = 0;; k++) {
        gate_wait<S::tma>(&gates->offered[k % TURNS], k / TURNS & 1);
        const register_turn turn = gates->turn[k % TURNS];
        warp_arrive<S::tma>(&gates->accepted[k % TURNS]);
        if (turn.number < 0) break;
        f(turn, n, k);
        n += turn.w.end_step - turn.w.first_step;
    }
}

/* Wait until step n has finished in all warps. */
template <class S>
__device__ __forceinline__ void wait_for_step(typename S::gates_type *gates, int n)
{
    gate_wait<S::tma>(&gates->finished[n % STEPS_APART], n / STEPS_APART & 1);
}
/* The same, and until that has been published. */
template <class S>
__device__ __forceinline__ void wait_until_published(typename S::gates_type *gates, int n)
{
    gate_wait<S::tma>(&gates->published[n % STEPS_APART], n / STEPS_APART & 1);
}
/* Wait until the slot of step n may be filled again. */
template <class S>
__device__ __forceinline__ void wait_for_room(typename S::gates_type *gates, int n)
{
    if (n < S::slots) return;
    gate_wait<S::tma>(&gates->empty[n % S::slots], n / S::slots - 1 & 1);
    if (n >= STEPS_APART) wait_until_published<S>(gates, n - STEPS_APART);
}

template <class S, class T, int D, bool MODEL> struct register_fetch {
    static constexpr bool TMA = S::tma;
    static constexpr int V = S::vector;
    const register_tower_params<T, D> &p;
    const int lane = threadIdx.x & 31;

    __device__ __forceinline__ int column(int i, int n) const { return min(max(i, 0), n - 1); }
    __device__ __forceinline__ int row(int y) const
    {
        const int n = p.g.n[1];
        return p.g.periodic[1] ? (y < 0 ? y + n : y >= n ? y - n : y) : column(y, n);
    }

    /* Line i of the halo of a step, whose frame of the step before lies at (x0, y0). */
    __device__ __forceinline__ const T *halo_line(const T *field, int i, int x0, int y0,
                                                  const tower_planes &z) const
    {
        int u, v;
        if (i < 2 * D + 2)
            u = S::W + i / (D + 1), v = 2 * (i % (D + 1)) + (u & 1);
        else
            v = S::W + (i - 2 * D - 2) / D, u = 2 * ((i - 2 * D - 2) % D) + (v & 1);
        const int x = column(x0 + (u + v) / 2, p.g.n[0]), y = row(y0 + (u - v) / 2);
        return field + x * p.g.stride_x + y * p.g.stride_y + z.first;
    }
    /* Whether boxes have all lines of the halo: none is beyond an x face or the seam of periodic y.
     * Lines beyond y faces, which are some lines of the field, lie inside the field. */
    __device__ __forceinline__ bool in_boxes(const register_tower_edges &edges, int x0,
                                             int y0) const
    {
        return S::in_boxes && edges.exist && x0 + D >= 1 && x0 + S::W + 2 < p.g.n[0] &&
               (!p.g.periodic[1] || (y0 >= D && y0 + D < p.g.n[1]));
    }
    /* Copies the boxes of a slot, by one lane. */
    __device__ __forceinline__ void boxes(uint32_t slot, const CUtensorMap *edge, int x0, int y0,
                                          const tower_planes &z, uint64_t *gate) const
    {
        const int z_first = (z.first - V) / 2, x = x0 + D - 1;
        copy_box(slot, edge, z_first, 0, y0 + D + S::reach, x, gate);
        copy_box(slot + S::low_bytes, edge + 1, z_first, 0, y0 - D + S::reach, x, gate);
    }
    /* Each lane a line, `from` the first of its planes that exists. */
    __device__ __forceinline__ void halo(uint32_t slot, const T *from, const tower_planes &z,
                                         int bytes, uint64_t *gate) const
    {
        if (lane < S::halo_lines)
            copy_line(slot + S::halo_line(lane) + (z.first > 0 ? 0 : V * (int)sizeof(T)), from,
                      bytes, gate);
    }
    /* Lines of the model of columns (u, v) of step t, u from `from` on or v from `from` on. */
    __device__ __forceinline__ int model_lines(int from) const
    {
        return from == 0 ? 2 * D * D : S::entering;
    }
    /* Line i of them, then those of what binds the columns that enter: where it goes, and where it
     * comes from. */
    __device__ __forceinline__ const T *model_line(char *shared, int from, int i, int t, int x0,
                                                   int y0, const tower_planes &z,
                                                   uint32_t *to) const
    {
        const bool binds = S::dense && i >= model_lines(from);
        int u, v;
        if (binds) i -= model_lines(from);
        if (from == 0 && !binds) {
            u = i / D, v = 2 * (i % D) + (u & 1);
        } else {
            u = S::entering_u(i), v = S::entering_v(i);
        }
        const int x = column(x0 + (u + v) / 2, p.g.n[0]), y = row(y0 + (u - v) / 2);
        const int line = S::model_ring_of(u, v) + S::model_place(u, t % S::model_ring);
        *to = shared_address(shared + S::model + line * S::planes * (int)sizeof(T));
        if (binds) {
            *to = shared_address(shared + S::binding + (t & 1) * S::entering_bytes +
                                 i * S::planes * (int)sizeof(T));
            return (const T *)p.g.binding + x * p.g.binding_stride_x + y * p.g.binding_stride_y +
                   z.first;
        }
        return (const T *)p.g.k + x * p.g.k_stride_x + y * p.g.k_stride_y + z.first;
    }
    /* What enters in step t, which is number n, counts towards its slot; once `wait` returns. */
    template <class F>
    __device__ __forceinline__ void model(char *shared, typename S::gates_type *gates,
                                          const tower_item &w, int t, int n, F wait) const
    {
        const tower_planes z = tower_planes_of(p.l, w.part, p.g.n[2], V);
        const int bytes = (z.count + V - 1) / V * V * (int)sizeof(T);
        const int x = p.l.half_size * w.s + t, y = p.l.half_size * w.m;
        const int from = t == w.first_step ? 0 : S::W - 1,
                  lines = model_lines(from) + (S::dense ? S::entering : 0);
        uint64_t *gate = &gates->full[n % S::slots];
        uint32_t to;
        const T *line = model_line(shared, from, min(lane, lines - 1), t, x, y, z, &to);
        computed_now(line);
        wait();
        if (lane == 0) gate_expect(gate, lines * bytes);
        __syncwarp();
#pragma unroll 1
        for (int i = lane; i < lines;) {
            copy_line(to, line, bytes, gate);
            i += 32;
            if (i < lines) line = model_line(shared, from, i, t, x, y, z, &to);
        }
    }
    /* Without bulk copies: lane i knows where line i comes from and goes to, all lanes copy it,
     * through registers. */
    template <int LINES> struct copies {
        static constexpr int rounds = S::planes * (int)sizeof(T) / 512;
        float4 q[LINES][rounds];
        /* from: some multiple of 128 bytes after `base`. Loads are not predicated: the compiler
         * would move what they return, and so wait for one after the other. */
        __device__ __forceinline__ void load(const T *base, const T *from, int bytes, int lane)
        {
            const uint32_t lines = (uint32_t)(((const char *)from - (const char *)base) / 128);
            const char *at[rounds];
#pragma unroll
            for (int k = 0; k < rounds; k++)
                at[k] = (const char *)base + min(lane * 16 + k * 512, bytes - 16);
#pragma unroll
            for (int i = 0; i < LINES; i++) {
                const uint64_t further = (uint64_t)__shfl_sync(~0u, lines, i) * 128;
#pragma unroll
                for (int k = 0; k < rounds; k++)
                    q[i][k] = __ldcg((const float4 *)(at[k] + further));
            }
        }
        /* to(i): where line i goes. */
        template <class F> __device__ __forceinline__ void store(F to, int bytes, int lane) const
        {
#pragma unroll
            for (int i = 0; i < LINES; i++) {
                char *line = to(i) + lane * 16;
#pragma unroll
                for (int k = 0; k < rounds; k++)
                    if (lane * 16 + k * 512 < bytes) *(float4 *)(line + k * 512) = q[i][k];
            }
        }
    };
    /* Slot of step t, and the model that enters; `room` waits until there is room for them. */
    template <class F>
    __device__ __forceinline__ void copy_slot(char *shared, char *slot, int t, int from,
                                              const tower_planes &z, int whole, int x_tower,
                                              int y_tower, F room) const
    {
        const int bytes = whole * (int)sizeof(T);
        const T *field = (const T *)p.g.field[(t + 1) & 1];
        const T *line = halo_line(field, min(lane, S::halo_lines - 1), x_tower + t - 1, y_tower, z);
        const float4 zero = make_float4(0, 0, 0, 0); /* beyond faces along z */
        copies<S::halo_lines> halo;
        halo.load(field + z.first, line, bytes, lane);
        const bool has_below = z.first > 0, has_above = z.first + whole < p.g.n[2];
        const float4 below = __ldcg((const float4 *)(line - (has_below ? V : 0)));
        const float4 above = __ldcg((const float4 *)(line + (has_above ? whole : 0)));
        room();
        halo.store([&](int i) { return slot + S::halo_line(i) + 16; }, bytes, lane);
        if (lane < S::halo_lines) {
            char *to = slot + S::halo_line(lane);
            *(float4 *)to = has_below ? below : zero;
            *(float4 *)(to + 16 + bytes) = has_above ? above : zero;
        }
        constexpr int entering = S::entering;
        for (int i = 0; MODEL && i < model_lines(from); i += entering) {
            uint32_t k_to;
            const T *k_line = model_line(shared, from, min(i + lane, model_lines(from) - 1), t,
                                         x_tower + t, y_tower, z, &k_to);
            copies<entering> k; /* the last may be copied several times */
            k.load((const T *)p.g.k + z.first, k_line, bytes, lane);
            auto to = [&](int j) {
                return (char *)__cvta_shared_to_generic(__shfl_sync(~0u, k_to, j));
            };
            k.store(to, bytes, lane);
        }
    }

    /* Beyond faces along z lines end in zeros; copies leave them alone. */
    __device__ __forceinline__ void clear_ends(char *slot, const tower_planes &z, int whole) const
    {
        for (int i = lane; i < S::halo_lines; i += 32) {
            T *line = (T *)(slot + S::halo_line(i));
            if (z.first == 0) line[V - 1] = 0;
            if (z.first + whole >= p.g.n[2]) line[V + whole] = 0;
        }
    }

    /*
     * Both levels of the diamond that starts at (x, y), which workers will load, into the L2 cache.
     */
    __device__ __forceinline__ void prefetch_diamond(int x, int y, const tower_planes &z) const
    {
        const int pieces = (z.count * (int)sizeof(T) + 127) / 128;
#pragma unroll 1
        for (int i = lane; i < 4 * D * D * pieces; i += 32) {
            const int line = i / pieces, level = line & 1, u = line / 2 / D,
                      v = line / 2 % D * 2 + (u & 1);
            const int at_x = x - level + (u + v) / 2, at_y = row(y + (u - v) / 2);
            if ((unsigned)at_x < (unsigned)p.g.n[0])
                prefetch_line((const char *)((const T *)p.g.field[level] + at_x * p.g.stride_x +
                                             at_y * p.g.stride_y + z.first) +
                              (i - line * pieces) * 128);
        }
    }

    __device__ __forceinline__ void run(typename S::gates_type *gates, char *shared,
                                        const register_tower_edges &edges) const
    {
        const torre_wave_args &g = p.g;
        uint32_t n = 0; /* steps of all items so far */
        int tries = 0;
#pragma unroll 1
        for (int k = 0;; k++) {
            const register_turn turn = take_item<S>(p.l, g.n[0], gates, k, &tries);
            if (turn.number < 0) break;
            const tower_item &w = turn.w;
            const bool group = TMA && p.l.taken;
            const int *pointer =
                tower_wait_for(p.l, w, group ? w.part : turn.number, lane, g.periodic[1], false);
            if (group && k >= 2 && (lane == 9 || lane == 10)) {
                /* whose mailboxes they were before, which the list does not tell */
                const tower_item &before = gates->turn[(k - 2) % TURNS].w;
                const int beside = tower_part_beside(p.l, w.part, lane - 9, false);
                if (beside >= 0 && !tower_clustered(p.l, w.part, beside))
                    pointer = tower_progress(p.l, before.s, before.m, beside);
            }
            const tower_planes z = tower_planes_of(p.l, w.part, g.n[2], V);
            const int whole = (z.count + V - 1) / V * V; /* rows are padded */
            const int halo_planes =
                whole + (z.first > 0 ? V : 0) + (z.first + whole < g.n[2] ? V : 0);
            const int halo_bytes = halo_planes * (int)sizeof(T);
            const int x_tower = p.l.half_size * w.s, y_tower = p.l.half_size * w.m;
            int seen = -1, early = -1; /* early: fetched a step ahead */
            if (w.first_step == 0) prefetch_diamond(x_tower, y_tower, z);
#pragma unroll 1
            for (int t = w.first_step; t < w.end_step; t++, n++) {
                const bool in_box = TMA && in_boxes(edges, x_tower + t - 1, y_tower);
                const T *line = nullptr;
                if (TMA && !in_box) {
                    line = halo_line((const T *)g.field[(t + 1) & 1], min(lane, S::halo_lines - 1),
                                     x_tower + t - 1, y_tower, z) -
                           (z.first > 0 ? V : 0);
                    computed_now(line);
                }
                if (!TMA) seen = warp_min(early);
                if (seen < t) {
                    seen = wait_for_upwind(&pointer, t, 40);
                    /* No acquiring fence: it would empty the L1 cache, which has what workers
                     * spill. All that was written before the counter is in L2 by now, and nothing
                     * of it is read through L1: only by the copies that follow and by __ldcg. */
                    if constexpr (TMA) fence_async_copies();
                }
                auto room = [&]() {
                    if (!TMA) early = pointer ? load_progress(pointer) : TOWER_DONE;
                    wait_for_room<S>(gates, n);
                    if (MODEL && !TMA && t == w.first_step &&
                        n > 0) /* the item before still used its own */
                        wait_for_step<S>(gates, n - 1);
                };
                const int slot = n % S::slots;
                uint64_t *gate = &gates->full[slot];
                if constexpr (TMA) {
                    room();
                    if (t < w.first_step + S::slots)
                        clear_ends(shared + S::ring + n % S::slots * S::slot_bytes, z, whole);
                    if (lane == 0)
                        gate_expect(gate, S::halo_lines * (in_box ? S::line_bytes : halo_bytes));
                    if (lane > 0 && lane < LANES_ARRIVE) gate_arrive(gate);
                    __syncwarp();
                    const uint32_t to = shared_address(shared + S::ring + slot * S::slot_bytes);
                    if (!in_box)
                        halo(to, line, z, halo_bytes, gate);
                    else if (lane == 0)
                        boxes(to, edges.map[(t + 1) & 1], x_tower + t - 1, y_tower, z, gate);
                } else {
                    copy_slot(shared, shared + S::ring + slot * S::slot_bytes, t,
                              t == w.first_step ? 0 : S::W - 1, z, whole, x_tower, y_tower, room);
                    __syncwarp();
                    if (lane < LANES_ARRIVE) gate_arrive<TMA>(gate);
                }
            }
        }
    }
};

/* Polls the mailboxes and passes edges on to the first and the last warp. */
template <class S, int D, class T>
__device__ __forceinline__ void fetch_mail(const register_tower_params<T, D> &p,
                                           typename S::gates_type *gates, char *shared)
{
    const torre_tower_launch &l = p.l;
    const int lane = threadIdx.x & 31;
    for_each_item<S>(gates, [&](const register_turn &turn, int n, int) {
        const tower_item &w = turn.w;
        const int item = turn.number;
        if (l.cluster == l.parts) return; /* nobody would wait for this warp */
        const int last_warp = (tower_planes_of(l, w.part, p.g.n[2], S::vector).count - 1) / 32;
#pragma unroll 1
        for (int t = w.first_step + 1; t < w.end_step; t++) {
            n++;
            /* The neighbour may be in its second step while this block is in the last of the item
             * before, whose edges lie in the same place; later messages answer this block's. */
            if (t == w.first_step + 1 && n >= 2) wait_for_step<S>(gates, n - 2);
            const uint32_t number = tower_mail_number(l, item, t);
#pragma unroll 1
            for (int side = 0; side < 2; side++) {
                const int other = tower_part_beside(l, w.part, side, false);
                if (other < 0 || tower_clustered(l, w.part, other)) continue;
                const char *box = tower_mailbox(l, item, side, t & 1, S::mailbox_bytes);
                char *to = shared + S::edge(side ? last_warp : 0, n & 1, side);
                for (int i = lane; i < 2 * S::kept_vectors; i += 32) {
                    uint32_t a, b, number_a, number_b;
                    do {
                        load_packet(box + i * 16, a, number_a, b, number_b);
                    } while (number_a != number || number_b != number);
                    const int vector = i % S::kept_vectors, half = i / S::kept_vectors;
                    *(uint2 *)(to + vector * S::row_bytes + half * 8) = make_uint2(a, b);
                }
                __syncwarp();
                if (lane < EDGE_ARRIVALS)
                    gate_arrive<S::tma>(&gates->near[side ? last_warp : 0][n & 1]);
            }
        }
    });
}

/* A unit out of the exchange, which has the planes of a warp 16 bytes apart, to its samples. */
template <class S, class T> __device__ __forceinline__ void gather_unit(const char *at, T *to)
{
#pragma unroll
    for (int i = 0; i < TORRE_UNIT; i += S::vector) {
        cells<T> gathered;
#pragma unroll
        for (int j = 0; j < S::vector; j++)
            gathered.v[j] = *(const volatile T *)(at + 16 * (i + j));
        uint4 q;
        memcpy(&q, &gathered, sizeof q);
        *(uint4 *)(to + i) = q;
    }
}

/* Puts down, in a row of the samples, what step t of an item has made of a unit in a column: from
 * the exchange, or, where the column leaves and with nothing of that in `shared`, out of the
 * field. */
template <class S, int D, class T>
__device__ __forceinline__ void record_unit(const register_tower_params<T, D> &p,
                                            const tower_item &w, const torre_strip_node &unit,
                                            int column, int row, int t, const char *shared)
{
    const torre_wave_args &g = p.g;
    T *to = (T *)g.points.samples + (row * g.points.units + unit.slot) * (int64_t)TORRE_UNIT;
    const int u = S::column_u(column), v = S::column_v(column);
    if (shared && u > 0 && v > 0) {
        const int plane = unit.z - tower_planes_of(p.l, w.part, g.n[2], S::vector).first;
        gather_unit<S>(shared + S::exchange + S::value_at(plane, S::kept_number(u, v)) * 4, to);
        return;
    }
    int y = p.l.half_size * w.m + unit.row;
    if (g.periodic[1]) y = y < 0 ? y + g.n[1] : y >= g.n[1] ? y - g.n[1] : y;
    const T *from = (const T *)g.field[t & 1] + unit.x * g.stride_x + y * g.stride_y + unit.z;
#pragma unroll
    for (int i = 0; i < TORRE_UNIT; i += S::vector)
        *(uint4 *)(to + i) = __ldcg((const uint4 *)(from + i));
}

/* What the last step t of an item has made, once all has been written. */
template <class S, int D, class T>
__device__ __forceinline__ void record_last(const register_tower_params<T, D> &p,
                                            const tower_item &w, int t)
{
    const int x = p.l.half_size * w.s + t, row = torre_sample_row(&p.g.points, t + 1);
    const strip_points<S, D> strip(p.g, p.l, w.m, w.part, true);
    const int end = strip.end(x);
    if (row < 0) return;
#pragma unroll 1
    for (int i = strip.begin(x) + (threadIdx.x & 31); i < end; i += 32) {
        const torre_strip_node unit = strip.node(i, end);
        const int column = strip.column(unit, x);
        if (column >= 0) record_unit<S>(p, w, unit, column, row, t, nullptr);
    }
    __syncwarp();
}

/* Where the samples of a unit are, in a row of them. */
template <class T>
__device__ __forceinline__ T *sample_place(const torre_points_args &points, int row, int slot)
{
    return (T *)points.samples + (row * points.units + slot) * (int64_t)TORRE_UNIT;
}
/* Where there are many: puts down a run of units of a strip, as the field has it after step t. */
template <class S, int D, class T>
__device__ __forceinline__ void record_stored(const register_tower_params<T, D> &p,
                                              const tower_item &w, int t, int row,
                                              const torre_strip_run &run)
{
    constexpr int AT_ONCE = 4;
    const torre_wave_args &g = p.g;
    const int pieces = run.count * (TORRE_UNIT / S::vector);
    int y = p.l.half_size * w.m + run.row;
    if (g.periodic[1]) y = y < 0 ? y + g.n[1] : y >= g.n[1] ? y - g.n[1] : y;
    const uint4 *from =
        (const uint4 *)((const T *)g.field[t & 1] + run.x * g.stride_x + y * g.stride_y + run.z);
    uint4 *to = (uint4 *)sample_place<T>(g.points, row, run.slot);
#pragma unroll 1
    for (int i = 0; i < pieces; i += AT_ONCE) {
        uint4 q[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            if (i + j < pieces) q[j] = __ldcg(from + i + j);
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            if (i + j < pieces) to[i + j] = q[j];
    }
}
/* All units in columns that leave with step t; or, once all of the last step of an item has been
 * written, all. */
template <class S, int D, class T>
__device__ __forceinline__ void record_runs(const register_tower_params<T, D> &p,
                                            const tower_item &w, int t, bool last)
{
    const int x = p.l.half_size * w.s + t;
    const strip_runs<S, D> strip(p.g, p.l, w.m, w.part, true);
    const int begin = strip.begin(x), end = last ? strip.end(x) : strip.begin(x + 1);
    if (begin == end) return;
    const int row = torre_sample_row(&p.g.points, t + 1);
    if (row < 0) return;
#pragma unroll 1
    for (int i = begin + (threadIdx.x & 31); i < end; i += 32) {
        const torre_strip_run run = strip.run(i, end);
        if (strip.column(run, x) >= 0) record_stored<S>(p, w, t, row, run);
    }
    __syncwarp();
}

/*
 * Fetches the model with TMA: all of it for the first step of an item, then what enters. Its lines
 * take the place of those that have left with the step before the last, so the warp that fetches
 * the halo, which is further ahead, should not have to wait for that.
 */
template <class S, int D, class T> struct register_model {
    const register_tower_params<T, D> &p;
    typename S::gates_type *gates;
    char *shared;

    /* Of step t, which is number n, once `wait` returns. */
    template <class F>
    __device__ __forceinline__ void fetch(const tower_item &w, int t, int n, F wait) const
    {
        if (t < w.end_step) register_fetch<S, T, D, true>{p}.model(shared, gates, w, t, n, wait);
    }
    /* Of the first steps of an item; all warps have finished the one before. */
    __device__ __forceinline__ void start(const tower_item &w, int n) const
    {
        auto at_once = [] {};
        fetch(w, w.first_step, n, at_once);
        fetch(w, w.first_step + 1, n + 1, at_once);
    }
    /* All steps of an item that begins with step n, by a warp that does nothing else then. */
    __device__ __forceinline__ void run_item(const tower_item &w, int n) const
    {
        if (n > 0) wait_for_step<S>(gates, n - 1);
        start(w, n);
#pragma unroll 1
        for (int t = w.first_step; t + 2 < w.end_step; t++, n++)
            fetch(w, t + 2, n + 2, [&] { wait_for_step<S>(gates, n); });
    }
    __device__ __forceinline__ void run() const
    {
        for_each_item<S>(gates,
                         [&](const register_turn &turn, int n, int) { run_item(turn.w, n); });
    }
};

/* Tells downwind towers what all warps have finished. MODEL: fetches it, too, for items that meet
 * points. Where there are many points it records what leaves with a step, before it tells of the
 * next: only then others may overwrite that. */
template <class S, int D, bool MODEL, register_points POINTS, class T>
__device__ __forceinline__ void publish_progress(const register_tower_params<T, D> &p,
                                                 typename S::gates_type *gates, char *shared)
{
    const int lane = threadIdx.x & 31;
    [[maybe_unused]] const register_model<S, D, T> model = {p, gates, shared};
    for_each_item<S>(gates, [&](const register_turn &turn, int n, int k) {
        const tower_item &w = turn.w;
        int *progress = tower_progress(p.l, w.s, w.m, w.part);
        const bool meets =
            POINTS == REGISTER_FEW || (POINTS == REGISTER_RARE && points_met<S>(gates, k).any);
        if constexpr (MODEL)
            if (meets) model.start(w, n);
#pragma unroll 1
        for (int t = w.first_step; t < w.end_step; t++, n++) {
            wait_for_step<S>(gates, n);
            const bool last = t + 1 == w.end_step;
            if (meets && last) record_last<S>(p, w, t);
            if (POINTS == REGISTER_MANY && last) record_runs<S>(p, w, t, true);
            if (lane == 0) store_progress_release(progress, last ? TOWER_DONE : t + 1);
            warp_arrive<S::tma>(&gates->published[n % STEPS_APART]);
            if constexpr (MODEL)
                if (meets) model.fetch(w, t + 2, n + 2, [] {});
            if (POINTS == REGISTER_MANY && !last) record_runs<S>(p, w, t, false);
        }
    });
}

/* Of level n, which warps (bits) have put down for step n, all has been recorded. */
template <class S, register_points POINTS>
__device__ __forceinline__ void watch_arrive(typename S::gates_type *gates, uint32_t warps, int n)
{
    __syncwarp();
    for (int i = threadIdx.x & 31; i < S::warps * LANES_ARRIVE; i += 32)
        if (warps >> i / LANES_ARRIVE & 1)
            gate_arrive<S::tma>(
                &(POINTS == REGISTER_RARE ? gates->watched : gates->near)[i / LANES_ARRIVE][n & 1]);
}

/*
 * Lists the sources of every step, and records what all steps of an item but the last make: of
 * columns that stay in the diamond from the exchange, of those that leave from global memory. Warps
 * that have some of that overwrite the exchange only after it, and towers downwind the field only
 * when those have finished that step. Where points are rare, items that meet none are left
 * alone; MODEL: it fetches that for them.
 *
 * A lane looks at every 32nd unit of those that the item may meet, which are sorted by x: it keeps
 * the first that it has not passed, and the one after that, so that nothing is waited for that main
 * memory sends where units are few. One function, though long: what a lane keeps is shared by all
 * that it does in a step.
 */
template <class S, int D, bool MODEL, register_points POINTS, class T>
__device__ __forceinline__ void watch_points(const register_tower_params<T, D> &p,
                                             typename S::gates_type *gates, char *shared)
{
    const int lane = threadIdx.x & 31;
    for_each_item<S>(gates, [&](const register_turn &turn, int n, int k) {
        const tower_item &w = turn.w;
        const strip_points<S, D> strip(p.g, p.l, w.m, w.part, true);
        const int z_first = tower_planes_of(p.l, w.part, p.g.n[2], S::vector).first;
        const int x_tower = p.l.half_size * w.s, end = strip.end(x_tower + w.end_step - 2);
        int i = strip.begin(x_tower + w.first_step) + lane;
        const strip_points<S, D> sources(p.g, p.l, w.m, w.part, false);
        const int source_begin = sources.begin(x_tower + w.first_step),
                  source_stop = sources.end(x_tower + w.end_step - 1);
        torre_strip_node unit = strip.node(i, end), after = strip.node(i + 32, end);
        register_points_met met = {0, 0, true};
        if (POINTS == REGISTER_RARE) met.any = i - lane < strip.end(x_tower + w.end_step - 1);
        if (source_begin < source_stop)
            met = {sources.nodes[source_begin].x - x_tower - (S::W - 1),
                   sources.nodes[source_stop - 1].x - x_tower + 1, true};
        /* all have read that of item k - TURNS, and each item since had a step */
        if (POINTS == REGISTER_RARE && k >= TURNS) wait_until_published<S>(gates, n - TURNS);
        if (lane == 0) gates->met[k % TURNS] = met;
        warp_arrive<S::tma>(&gates->looked_up[k % TURNS]);
        if (POINTS == REGISTER_RARE && !met.any) {
            if constexpr (MODEL) register_model<S, D, T>{p, gates, shared}.run_item(w, n);
            return;
        }
        /* f of all units of this lane in the diamond that starts at x, with their columns */
        auto for_each_unit = [&](int x, auto f) {
            int j = i;
            torre_strip_node q = unit;
#pragma unroll 1
            while (q.x < x + S::W) {
                const int column = strip.column(q, x);
                if (column >= 0) f(q, column);
                j += 32;
                q = j == i + 32 ? after : strip.node(j, end);
            }
        };
        /* Sources of step t, which is number n, for workers: they have waited for its edges when
         * they need them. */
        auto list_sources = [&](int t, int n) {
            if (t < met.first || t >= met.end) return;
            source_list<T> &list = ((source_list<T> *)(shared + S::sources))[n & 1];
            const torre_strip_node q = sources.node(source_begin + lane, source_stop);
            const int column = sources.column(q, x_tower + t);
            const uint32_t found = __ballot_sync(~0u, column >= 0);
            const int at = __popc(found & ((1u << lane) - 1));
            const bool all = source_stop - source_begin <= 32;
            if (lane == 0) list.count = all ? __popc(found) : list.room + 1;
            if (column >= 0 && at < list.room)
                list.source[at] = {
                    q.z - z_first, column,
                    ((const T *)p.g.points.source_values)[t * p.g.points.source_count + q.slot]};
        };
        if (n > 1) wait_for_step<S>(gates, n - 2);
        list_sources(w.first_step, n);
        watch_arrive<S, POINTS>(gates, ~0u, n);
#pragma unroll 1
        for (int t = w.first_step; t + 1 < w.end_step; t++, n++) {
            const int x = x_tower + t, row = torre_sample_row(&p.g.points, t + 1);
            uint32_t warps = 0;
            if (row >= 0 && p.g.points.record_every > 1) { /* many columns further */
                i = strip.begin(x) + lane;
                unit = strip.node(i, end);
                after = strip.node(i + 32, end);
            }
            while (row >= 0 && unit.x < x) {
                unit = after;
                i += 32;
                after = strip.node(i + 32, end);
            }
            if (row >= 0)
                for_each_unit(x, [&](const torre_strip_node &q, int) {
                    warps |= 1u << (q.z - z_first) / 32;
                });
            warps = warp_or(warps);
            /* the gate of step n + 1 was that of step n - 1 */
            if (n > 0) wait_for_step<S>(gates, n - 1);
            list_sources(t + 1, n + 1);
            watch_arrive<S, POINTS>(gates, ~warps, n + 1);
            if (!warps) continue;
            wait_for_step<S>(gates, n);
            for_each_unit(x, [&](const torre_strip_node &q, int column) {
                record_unit<S>(p, w, q, column, row, t, shared);
            });
            watch_arrive<S, POINTS>(gates, warps, n + 1);
        }
    });
}

/*
 * The same where there are many points: lists the sources of every item, and records what all its
 * steps but the last make of columns that stay in the diamond, from the exchange, which warps that
 * have some of that overwrite only after it. The list of a step comes to shared memory a step
 * ahead: helpers execute instructions some ten times slower than workers, so there should be few.
 */
template <class S, int D, class T> struct point_watch {
    const register_tower_params<T, D> &p;
    typename S::gates_type *gates;
    char *shared;
    const int lane = threadIdx.x & 31;
    static_assert(S::kept < 256 && S::unit_room % 2 == 0, "torre_place_run");

    /* Puts down a run where its samples are. Its planes are in one warp, which has them 16 bytes
     * apart. */
    __device__ __forceinline__ void record(const torre_place_run &run, int row) const
    {
        const uint32_t column = run.what & 255, unit = run.what >> 8 & 255;
        const char *at = shared + S::exchange + S::value_at(unit * TORRE_UNIT, column) * 4;
        T *to = sample_place<T>(p.g.points, row, run.slot);
#pragma unroll 1
        for (int units = run.what >> 16; units > 0; units--) {
            gather_unit<S>(at, to);
            at += 16 * TORRE_UNIT;
            to += TORRE_UNIT;
        }
    }

    /* What sources there are for the steps of an item that begins with step n, and when. */
    __device__ __forceinline__ register_points_met list_sources(const tower_item &w, int n) const
    {
        auto &table = *(typename S::table_type *)(shared + S::table);
        const strip_runs<S, D> strip(p.g, p.l, w.m, w.part, false);
        const int x = p.l.half_size * w.s, begin = strip.begin(x + w.first_step),
                  end = strip.end(x + w.end_step - 1), count = end - begin;
        const bool fits = count <= (int)(sizeof table.run / sizeof *table.run);
        if (count <= 0) return {0, 0, true};
        if (n > 0) wait_for_step<S>(gates, n - 1); /* the item before still used its own */
        register_points_met steps = {w.end_step, -w.first_step, true};
#pragma unroll 1
        for (int i = lane; i < count; i += 32) {
            const torre_strip_run run = strip.run(begin + i, end);
            if (fits) table.run[i] = run;
            steps.first = min(steps.first, strip.enters(run) - (S::W - 1) - x);
            steps.end = min(steps.end, x - 1 - strip.leaves(run));
        }
        __syncwarp();
#pragma unroll 4
        for (int i = lane; fits && i < count * TORRE_RUN; i += 32) {
            const torre_strip_run &run = table.run[i / TORRE_RUN];
            const int node = i % TORRE_RUN;
            table.weight[i / TORRE_RUN][node] =
                node < run.count ? __ldg(p.g.points.source_weight + run.slot + node) : 0;
        }
        if (lane == 0) table.count = fits ? count : -1;
        return {warp_min(steps.first), -warp_min(steps.end), true};
    }

    /* The lists of the steps of an item, one after the other. */
    struct place_lists {
        const torre_points_args &points;
        const torre_place_run *runs; /* of the step, in global memory or in shared; NULL: none */
        int row;                     /* of its samples */
        int next_row, due;           /* row of the next level that is recorded, in so many steps */
        const int *first; /* lists of the strip; each lane has the start of one of those */
        int list, last, start, from; /* from `from` on; the next list, the last one */
    };
    __device__ __forceinline__ place_lists start_lists(const tower_item &w) const
    {
        const torre_points_args &points = p.g.points;
        const int level = w.first_step + 1 - points.record_first, every = points.record_every,
                  places = p.g.n[0] + 2 * D - 2;
        place_lists lists = {points, nullptr, 0, 0, -level};
        if (level >= 0) {
            lists.next_row = (level + every - 1) / every;
            lists.due = lists.next_row * every - level;
        }
        lists.first = points.place_first + ((int64_t)w.m * p.l.parts + w.part) * places;
        lists.list = p.l.half_size * w.s + w.first_step + 2 * D - 1;
        lists.last = places;
        lists.from = -1 << 30;
        if (points.units == 0) lists.due = 1 << 30; /* there are no lists */
        return lists;
    }
    /* Asks for the list of step number n, the one after the last asked for. */
    __device__ __forceinline__ void ask(place_lists &lists, int n) const
    {
        const int at = lists.list++;
        lists.runs = nullptr;
        if (lists.due-- > 0) return;
        lists.due = lists.points.record_every - 1;
        lists.row = lists.next_row++;
        if ((unsigned)(at - lists.from) >= 31) {
            lists.from = at;
            lists.start = __ldg(lists.first + min(max(at + lane, 0), lists.last));
        }
        const int begin = __shfl_sync(~0u, lists.start, at - lists.from),
                  count = __shfl_sync(~0u, lists.start, at - lists.from + 1) - begin;
        if (count == 0) return;
        lists.runs = lists.points.place_runs + begin;
        if (count > S::unit_room) return;
        torre_place_run *to = (torre_place_run *)(shared + S::units) + (n & 1 ? S::unit_room : 0);
        for (int i = 2 * lane; i < count; i += 64) copy_16(to + i, lists.runs + i);
        lists.runs = to;
    }

    __device__ __forceinline__ void run_item(const register_turn &turn, int n, int k) const
    {
        const tower_item &w = turn.w;
        double *wavelet = ((typename S::table_type *)(shared + S::table))->wavelet;
        if (n > 1) wait_for_step<S>(gates, n - 2);
        const register_points_met steps = list_sources(w, n);
        if (lane == 0) gates->met[k % TURNS] = steps;
        warp_arrive<S::tma>(&gates->looked_up[k % TURNS]);
        auto wavelet_of = [&](int t) {
            return t >= steps.first && t < steps.end ? __ldg(p.g.points.wavelet + t) : 0;
        };
        if (lane == 0) wavelet[n & 1] = wavelet_of(w.first_step);
        watch_arrive<S, REGISTER_MANY>(gates, ~0u, n);
        place_lists lists = start_lists(w);
        ask(lists, n);
#pragma unroll 1
        for (int t = w.first_step; t + 1 < w.end_step; t++, n++) {
            const torre_place_run *runs = lists.runs;
            const int row = lists.row;
            torre_place_run head = {0, 0};
            if (runs) {
                wait_for_copies();
                __syncwarp();
                head = runs[0];
            }
            const double next_wavelet = wavelet_of(t + 1);
            ask(lists, n + 1);
            /* the gate of step n + 1 was that of step n - 1 */
            if (n > 0) wait_for_step<S>(gates, n - 1);
            if (lane == 0) wavelet[n + 1 & 1] = next_wavelet;
            watch_arrive<S, REGISTER_MANY>(gates, ~head.what, n + 1);
            if (!head.what) continue;
            wait_for_step<S>(gates, n);
#pragma unroll 1
            for (int i = lane; i < head.slot; i += 32) record(runs[1 + i], row);
            watch_arrive<S, REGISTER_MANY>(gates, head.what, n + 1);
        }
    }
    __device__ __forceinline__ void run() const
    {
        for_each_item<S>(gates,
                         [&](const register_turn &turn, int n, int k) { run_item(turn, n, k); });
    }
};
