/*
 * The tower kernel of order 2, for compute capability 9.0 (TMA) and for 7.5 and later. A thread
 * owns one plane z and keeps all columns of the diamond at that z, both time levels, in registers
 * (wave_register_shape.cuh names the columns).
 *
 * Along x and y nothing moves inside the diamond; the leading edge arrives in a ring of slots in
 * shared memory, the trailing edge is written to global memory.
 *
 * Along z each thread writes its newest level to its place in the exchange of its warp and reads
 * the places beside it. The lowest and highest planes of a warp go to the exchange of the warp
 * beside it too, those of a block straight to the block beside, if they are a cluster, else through
 * mailboxes in global memory whose packets carry their own flags.
 *
 * A warp waits only for the two warps beside it; there is no barrier of the block. Four more warps
 * (wave_register_helpers.cuh) fetch slots, receive mail, publish progress and take samples.
 *
 * Near x and y faces the columns just outside are set to mirror images of those inside before a
 * step, so that the step itself need not know. (Whoever reads such a ghost has its source at hand.)
 */
#ifndef TORRE_WAVE_REGISTER_TOWER_CUH
#define TORRE_WAVE_REGISTER_TOWER_CUH

#include "wave_register_shape.cuh"

/* Vectors in shared memory. Volatile, so that the order of the accesses is that of the source. */
template <class T> __device__ __forceinline__ cells<T> load_vector(uint32_t at)
{
    cells<T> q;
    load_volatile(at, q.v);
    return q;
}
template <class T> __device__ __forceinline__ void store_vector(uint32_t at, const cells<T> &q)
{
    store_volatile(at, q.v);
}

/* All columns of the diamond and around it, at the plane of this thread; u + v is even. */
#define FOR_COLUMNS(from, to)                                                                      \
    _Pragma("unroll") for (int u = (from); u < (to); u++)                                          \
        _Pragma("unroll") for (int v = (from) + ((u ^ (from)) & 1); v < (to); v += 2)

/* Sources, or units of receivers, near the towers of a strip, see torre_points_args. */
template <class S, int D> struct strip_points {
    const int *first;
    const torre_strip_node *nodes;
    int nx;

    __device__ __forceinline__ strip_points(const torre_wave_args &g, const torre_tower_launch &l,
                                            int m, int part, bool units)
        : first((units ? g.points.strip_first_unit : g.points.first) +
                ((int64_t)m * l.parts + part) * g.n[0]),
          nodes(units ? g.points.strip_unit : g.points.strip_node), nx(g.n[0])
    {
    }
    /* Numbers of those in columns beside x, for the diamond whose column (0, 0) lies at x. */
    __device__ __forceinline__ int begin(int x) const { return first[min(max(x, 0), nx)]; }
    __device__ __forceinline__ int end(int x) const { return begin(x + S::W); }
    /* Node i; at and after the end one that is beyond all others. */
    __device__ __forceinline__ torre_strip_node node(int i, int end) const
    {
        const int4 beyond = make_int4(1 << 30, 0, 0, 0);
        const int4 q = i < end ? __ldg((const int4 *)nodes + i) : beyond;
        return {q.x, q.y, q.z, q.w};
    }
    /* Number of the column that has the node, or -1. */
    static __device__ __forceinline__ int column(const torre_strip_node &node, int x)
    {
        const int u = node.x - x + node.row, v = node.x - x - node.row;
        return (unsigned)u < S::W && (unsigned)v < S::W ? S::column_number(u, v) : -1;
    }
};

/* The same where there are many. */
template <class S, int D> struct strip_runs {
    const int *first;
    const torre_strip_run *runs;
    int lines;

    __device__ __forceinline__ strip_runs(const torre_wave_args &g, const torre_tower_launch &l,
                                          int m, int part, bool units)
        : first((units ? g.points.strip_first_unit : g.points.first) +
                ((int64_t)m * l.parts + part) * (g.n[0] + D - 1)),
          runs(units ? g.points.strip_unit_run : g.points.strip_run), lines(g.n[0] + D - 1)
    {
    }
    /* Numbers of those that the diamond whose column (0, 0) lies at x may have: they leave it there
     * or later. */
    __device__ __forceinline__ int begin(int x) const
    {
        return first[min(max(x + D - 1, 0), lines)];
    }
    __device__ __forceinline__ int end(int x) const { return begin(x + S::W); }
    /* Run i; at and after the end one that is beyond all others. */
    __device__ __forceinline__ torre_strip_run run(int i, int end) const
    {
        const int4 q = i < end ? __ldg((const int4 *)runs + i) : make_int4(1 << 30, 0, 0, 0);
        torre_strip_run run;
        memcpy(&run, &q, sizeof run);
        return run;
    }
    /* The diamond has it from W - 1 before the first of these x on, to the second. */
    static __device__ __forceinline__ int enters(const torre_strip_run &run)
    {
        return run.x + abs(run.row);
    }
    static __device__ __forceinline__ int leaves(const torre_strip_run &run)
    {
        return run.x - abs(run.row);
    }
    /* Number of the column that has the run, or -1. */
    static __device__ __forceinline__ int column(const torre_strip_run &run, int x)
    {
        const int u = run.x - x + run.row, v = run.x - x - run.row;
        return (unsigned)u < S::W && (unsigned)v < S::W ? S::column_number(u, v) : -1;
    }
};

/* What points item k of a block may meet, once that has been looked up. */
template <class S>
__device__ __forceinline__ register_points_met points_met(typename S::gates_type *gates, int k)
{
    gate_wait<S::tma>(&gates->looked_up[k % TURNS], k / TURNS & 1);
    return gates->met[k % TURNS];
}

template <class T, int D, bool MODEL, bool LAYERS, register_points POINTS, bool SKEWED,
          register_kind KIND>
struct register_tower {
    using S = register_shape<T, D, MODEL, KIND, POINTS == REGISTER_MANY>;
    static constexpr bool TMA = S::tma;
    static constexpr int W = S::W, E = S::E, V = S::vector;
    using columns = T[E][E];
    static constexpr bool RECALLS = S::recalls;
    /* Edges for other blocks are sent before those for other warps, since their way takes longer;
     * but registers must suffice. */
    static constexpr bool MAIL_FIRST = !POINTS;
    /* Copies of a plain step: two, for even and odd t, where they fit the instruction cache
     * together with what the helpers execute every step; else one. */
    static constexpr bool ONE_COPY = POINTS || LAYERS || MODEL;

    const register_tower_params<T, D> &p;
    const torre_wave_args &g;
    const int lane, warp;
    const uint32_t memory; /* address of the shared memory; kept, since the compiler computes it
                            * anew with a slow instruction wherever it can */
    uint32_t n = 0;        /* steps of all items so far; gives slots, parities and phases */
    uint32_t watched = 0;  /* phases of the gates of that name, a bit each */
    /* What plain steps need of the item, in as few registers as possible: what spills costs the
     * latency of an L1 cache that stores keep busy. Addresses are those of shared memory. */
    uint32_t here_at;   /* place of this plane in the exchange */
    uint32_t beside_at; /* bytes: places from there to the plane below, for even and odd n, above */
    uint32_t waits_at;  /* gate of this warp's edges, for even n; 1 more if this plane exists */
    uint32_t pass_from; /* the vector of an end of this warp that this lane passes on, or 0 */
    uint32_t role;      /* of this lane at the end of a step: gate to arrive at, for even n, and */
    static constexpr uint32_t ARRIVES_FIRST = 1, ARRIVES = 2, MAILS = 4;
    T keep, shrink; /* 1 - s dt and 1 / (1 + s dt) of this plane where x and y have no layer */

    __device__ __forceinline__ explicit register_tower(const register_tower_params<T, D> &params)
        : p(params), g(params.g), lane(threadIdx.x & 31), warp(uniform(threadIdx.x >> 5)),
          memory(uniform(shared_address(shared())))
    {
    }
    /* The value that all lanes have; tells the compiler so. */
    static __device__ __forceinline__ int uniform(int value) { return __shfl_sync(~0u, value, 0); }
    static __device__ __forceinline__ char *shared()
    {
        extern __shared__ __align__(128) char memory[];
        return memory;
    }
    static __device__ __forceinline__ typename S::gates_type *gates()
    {
        return (typename S::gates_type *)(shared() + S::gates);
    }
    /* The item of this warp; every access reads or writes shared memory. */
    __device__ __forceinline__ volatile register_item &item() const
    {
        return ((volatile register_item *)(shared() + S::items))[warp];
    }
    __device__ __forceinline__ bool works() const { return warp * 32 < item().planes; }
    __device__ __forceinline__ bool active() const { return plane() < item().planes; }
    __device__ __forceinline__ int z() const { return item().z_first + plane(); }
    /* Number of this thread's plane in its block. Special registers are slow, others scarce. */
    __device__ __forceinline__ int plane() const
    {
        return S::kind == REGISTER_HALF ? warp * 32 + lane : (int)threadIdx.x;
    }
    /* Lane of the lowest (side 0) or highest plane of this warp. */
    __device__ __forceinline__ int end_lane(int side) const
    {
        return side == 0 ? 0 : warp == item().last_warp ? (item().planes - 1) & 31 : 31;
    }

    /* ---------- items ---------- */

    __device__ __forceinline__ void start_item(const register_turn &turn)
    {
        const tower_item &w = turn.w;
        const int number = turn.number;
        const tower_planes range = tower_planes_of(p.l, w.part, g.n[2], V);
        volatile register_item &h = item();
        /* If another warp was the last, warps have not kept in step with those beside them: wait
         * until all have finished, or edges of the item before and of this one would mix. */
        if (n > 0 && h.last_warp != (range.count - 1) / 32)
            gate_wait<TMA>(&gates()->published[(n - 1) % STEPS_APART], (n - 1) / STEPS_APART & 1);
        __syncwarp();
        h.part = w.part;
        h.first_step = w.first_step;
        h.end_step = w.end_step;
        const int x = p.l.half_size * w.s, y = p.l.half_size * w.m;
        h.x_tower = x;
        h.y_tower = y;
        h.line = x * (int)p.lines_x + y * (int)(p.lines_up - p.lines_x);
        h.z_first = range.first;
        h.planes = range.count;
        h.last_warp = (range.count - 1) / 32;
        __syncwarp();
#pragma unroll 1
        for (int side = 0; side < 2; side++) {
            const bool at_end = warp == (side ? h.last_warp : 0);
            const int other = tower_part_beside(p.l, w.part, side, false);
            h.beside[side] = at_end && other >= 0 ? number - w.part + other : -1;
            if (works() && at_end && other < 0 && lane == end_lane(side))
                for (int i = 0; i < 2 * S::kept_vectors; i++) /* beyond a free face is zero */
                    *(float4 *)(shared() + S::edge(warp, i & 1, side) + i / 2 * S::row_bytes) =
                        make_float4(0, 0, 0, 0);
        }
        __syncwarp();
        const bool rigid_below = z() == 0 && g.mirror[2].sign[0][0];
        const bool rigid_above = z() == g.n[2] - 1 && g.mirror[2].sign[1][0];
        const bool lowest = lane == 0 && !rigid_below;
        const bool highest = lane == end_lane(1) && !rigid_above;
        const int own = S::own_place(warp, lane);
        here_at = memory + own;
        beside_at = 0;
        for (int parity = 0; parity < 2; parity++) {
            const int below = lowest ? (S::edge(warp, parity, 0) - own) / 16 : rigid_below ? 0 : -1;
            const int above = highest ? (S::edge(warp, parity, 1) - own) / 16 : rigid_above ? 0 : 1;
            beside_at |= (below & 255u) << 8 * parity | (above & 255u) << (8 * parity + 16);
        }
        waits_at = near_gate(warp, 0) | active();
        const bool passes = works() && (lane & 16 ? warp < h.last_warp : warp > 0);
        pass_from =
            passes && (lane & 15) < S::kept_vectors
                ? memory + S::own_place(warp, lane & 16 ? 31 : 0) + (lane & 15) * S::row_bytes
                : 0;
        const int side = lane >> 4;
        const bool inside = works() && (side ? warp < h.last_warp : warp > 0);
        role = near_gate(warp + (!inside ? 0 : side ? 1 : -1), 0);
        if (lane % 16 < EDGE_ARRIVALS && h.beside[side] < 0) role |= ARRIVES_FIRST | ARRIVES;
        prepare_mail();
        __syncwarp();
        if (lane % 16 < EDGE_ARRIVALS && h.beside[side] >= 0 && !h.gate_to[side])
            role |= ARRIVES_FIRST;
        if (lane % 16 > 0 && lane % 16 < EDGE_ARRIVALS && h.beside[side] >= 0 && h.gate_to[side])
            role |= ARRIVES; /* beside the lane that announces the bytes of the edge */
        if (RECALLS)
            store_volatile(here_at + S::recall_row * S::row_bytes, beside_at, waits_at, pass_from,
                           role);
        if (LAYERS) {
            const T s_dt = stores() ? ((const T *)g.damping[2])[z()] : T(0);
            keep = acoustic_before(s_dt);
            shrink = reciprocal(acoustic_after(s_dt));
        }
        find_plain_steps();
        __syncwarp();
    }
    __device__ __forceinline__ bool stores() const { return waits_at & 1; }
    /* What has been put down at the start of the item, before a step; and before its end. */
    __device__ __forceinline__ void recall()
    {
        if (RECALLS) load_volatile(here_at + S::recall_row * S::row_bytes, beside_at, waits_at);
    }
    __device__ __forceinline__ void recall_role()
    {
        if (RECALLS) load_volatile(here_at + S::recall_row * S::row_bytes + 8, pass_from, role);
    }
    /* Counts the warps (or the mail) beside this one that have passed on an edge for step n. */
    __device__ __forceinline__ uint32_t near_gate(int warp, uint32_t n) const
    {
        return gate(offsetof(typename S::gates_type, near), warp * 2 + (n & 1));
    }
    /* Number i of the gates at `offset` of them all. */
    __device__ __forceinline__ uint32_t gate(size_t offset, int i) const
    {
        return memory + S::gates + (int)offset + i * 8;
    }
    /* The steps that touch no x or y face, nor the seam of periodic y; and those of them that are
     * in no layer along x or y. */
    __device__ __forceinline__ void find_plain_steps()
    {
        volatile register_item &h = item();
        const int x = h.x_tower, y = h.y_tower;
        const uint32_t rows = __ballot_sync(~0u, (unsigned)(y + lane - (D - 1)) >= (unsigned)g.n[1])
                              << 16;
        h.rows_outside = g.periodic[1] ? 0 : rows;
        h.rows_beyond = g.periodic[1] ? rows : 0;
        h.seam = g.n[1] * g.stride_y * (y < D ? (int)sizeof(T) : -(int)sizeof(T));
        const bool inside = y >= D && y + D <= g.n[1] - 1;
        bool plain = inside;
        int x_low = 1, x_high = g.n[0] - 1;
        h.inside_first = x_low - x;
        h.inside_end = inside ? x_high - W - x + 1 : x_low - x;
        if (LAYERS) {
            x_low = max(x_low, g.clear[0][0]);
            x_high = min(x_high, g.clear[0][1]);
            plain &= g.periodic[1] || (y - D >= g.clear[1][0] && y + D <= g.clear[1][1]);
        }
        h.plain_first = x_low - x;
        const int plain_end = plain ? x_high - W - x + 1 : x_low - x;
        /* one step to leave with, and one more where two are taken at a time */
        h.plain_end = min(plain_end, h.end_step - 1) - !ONE_COPY;
    }
    __device__ __forceinline__ bool is_near_face(int t) const
    {
        return t < item().inside_first || t >= item().inside_end;
    }

    __device__ __forceinline__ int wrap_y(int y) const
    {
        return g.periodic[1] ? (y < 0 ? y + g.n[1] : y >= g.n[1] ? y - g.n[1] : y) : y;
    }
    /* The plane of this thread in column (0, 0) at x. */
    __device__ __forceinline__ char *first_column(void *field, int x) const
    {
        return (char *)((T *)field + x * g.stride_x + item().y_tower * g.stride_y + z());
    }
    static __device__ __forceinline__ void store_cell(char *p, T value) { __stcg((T *)p, value); }

    /*
     * Columns outside the grid, for the diamond whose column (0, 0) lies at x: bit X, or bit 16 +
     * D - 1 + Y; all bits where this thread has no plane. Tested bit by bit, without branches: a
     * branch for each column takes longer than the rest of a step.
     */
    __device__ __forceinline__ uint32_t outside(int x) const
    {
        const uint32_t columns =
            __ballot_sync(~0u, (unsigned)(x + lane) >= (unsigned)g.n[0]) & 0xffff;
        return stores() ? columns | item().rows_outside : ~0u;
    }
    static __device__ constexpr uint32_t row_bit(int u, int v)
    {
        return 0x10000u << ((u - v) / 2 + D - 1);
    }
    static __device__ constexpr uint32_t column_bits(int u, int v)
    {
        static_assert(E <= 16 && 2 * D - 1 <= 16, "16 bits for X, and for Y");
        return 1u << (u + v) / 2 | row_bit(u, v);
    }
    /* Columns from u, v = FIRST on, less than LAST, of the diamond whose column (0, 0) lies at x;
     * zero outside the grid. */
    template <int FIRST, int LAST>
    __device__ __forceinline__ void load(columns &to, void *field, int x) const
    {
        const char *plane = first_column(field, x), *beyond = plane + item().seam;
        const uint32_t none = outside(x), rows_beyond = item().rows_beyond;
        FOR_COLUMNS(FIRST, LAST) /* all at a time: nothing waits for one of them */
        {
            const char *at =
                (rows_beyond & row_bit(u, v) ? beyond : plane) + p.offset[S::column_number(u, v)];
            to[u][v] = __ldcg((const T *)(none & column_bits(u, v) ? field : at));
        }
        if (none) {
            FOR_COLUMNS(FIRST, LAST) if (none & column_bits(u, v)) to[u][v] = 0;
        }
    }
    /* Those that do not leave the diamond by themselves. */
    __device__ __forceinline__ void store(const columns &from, void *field, int x) const
    {
        char *plane = first_column(field, x), *beyond = plane + item().seam;
        const uint32_t none = outside(x), rows_beyond = item().rows_beyond;
        FOR_COLUMNS(2, W)
        store_cell_unless(none & column_bits(u, v),
                          (rows_beyond & row_bit(u, v) ? beyond : plane) +
                              p.offset[S::column_number(u, v)],
                          from[u][v]);
    }
    /* Where columns (0, 0) and (1, 1) of step t are in the field that step writes. */
    struct trail {
        char *at[2];
        uint32_t none; /* see outside() */
    };
    __device__ __forceinline__ trail trail_of(int t, int parity) const
    {
        trail to;
        to.none = 0;
        to.at[0] = (char *)g.field[parity] + (int64_t)(item().line + (int)p.lines_x * t) * 128 +
                   (uint32_t)(z() * (int)sizeof(T));
        to.at[1] = to.at[0] + (uint64_t)p.lines_x * 128u;
        computed_now(to.at[0], to.at[1]); /* or all addresses are added up anew */
        return to;
    }
    __device__ __forceinline__ char *trail_place(const trail &to, int u, int v) const
    {
        const int first = min(u, v), further = (max(u, v) - first) / 2;
        return to.at[first] + (uint64_t)(u > v ? p.lines_up : p.lines_down) * (128u * further);
    }
    /* Column (u, v) leaves the diamond. */
    template <bool PLAIN>
    __device__ __forceinline__ void store_trail(T value, const trail &to, int u, int v) const
    {
        if (!PLAIN)
            store_cell_unless(to.none & column_bits(u, v), trail_place(to, u, v), value);
        else if (stores())
            store_cell(trail_place(to, u, v), value);
    }
    /* All of them, on both sides of the seam of periodic y, too. */
    __device__ __forceinline__ void store_trail(const columns &from, int t) const
    {
        const trail to = trail_of(t, t & 1);
        const uint32_t none = outside(item().x_tower + t), rows_beyond = item().rows_beyond;
        const int64_t seam = item().seam;
        FOR_COLUMNS(0, W)
        if (min(u, v) < 2)
            store_cell_unless(none & column_bits(u, v),
                              trail_place(to, u, v) + (rows_beyond & row_bit(u, v) ? seam : 0),
                              from[u][v]);
    }

    /* Level t of the diamond of step t - 1 into `cur`, level t - 1 of that of step t - 2 into
     * `prev`, and the edges of the first step. */
    __device__ __forceinline__ void enter(columns &prev, columns &cur)
    {
        const int t = item().first_step, x = item().x_tower + t;
        FOR_COLUMNS(0, E) prev[u][v] = cur[u][v] = 0;
        if (t == 0) { /* or everything is outside */
            load<2, E>(prev, g.field[0], x - 2);
            load<0, W>(cur, g.field[1], x - 1);
#pragma unroll 1
            for (int side = 0; side < 2; side++)
                if (item().beside[side] >= 0) load_edge(side, x - 1);
        }
        put_level(cur);
        pass_on(t, true);
        /* A block beside in the cluster may send the edges of the next step: this warp has read
         * those of the item before. */
        if constexpr (TMA)
            if (lane % 16 < EDGE_ARRIVALS && item().beside[lane >> 4] >= 0 &&
                item().gate_to[lane >> 4])
                gate_arrive_cluster(item().gate_to[lane >> 4] +
                                    (n & 1) * (uint32_t)sizeof(uint64_t));
    }

    /* What binds the columns of the first step, but those that enter with it; zero outside the
     * grid. */
    __device__ __forceinline__ void load_binding(columns &to) const
    {
        const int x = item().x_tower + item().first_step;
        const uint32_t none = outside(x);
        FOR_COLUMNS(0, W - 1)
        {
            const int at_x = x + (u + v) / 2, at_y = wrap_y(item().y_tower + (u - v) / 2);
            to[u][v] = 0;
            if (!(none & column_bits(u, v)))
                to[u][v] = __ldcg((const T *)g.binding + at_x * g.binding_stride_x +
                                  at_y * g.binding_stride_y + z());
        }
    }

    /* The level of the planes beside for the first step, a column a lane. */
    __device__ __forceinline__ void load_edge(int side, int x) const
    {
        const int z_beside = item().z_first + warp * 32 + end_lane(side) + (side ? 1 : -1);
#pragma unroll 1
        for (int i = lane; i < S::kept; i += 32) {
            const int u = S::kept_u(i), v = S::kept_v(i);
            const int at_x = x + (u + v) / 2, at_y = wrap_y(item().y_tower + (u - v) / 2);
            T value = 0;
            if ((unsigned)at_x < (unsigned)g.n[0] && (unsigned)at_y < (unsigned)g.n[1])
                value = __ldcg((const T *)g.field[1] + at_x * g.stride_x + at_y * g.stride_y +
                               z_beside);
            ((T *)(shared() + S::edge(warp, n & 1, side) + i / V * S::row_bytes))[i % V] = value;
        }
    }

    /* Write what stays in the diamond: `cur` is the level after step t, `prev` the one before. */
    __device__ __forceinline__ void leave(const columns &prev, const columns &cur, int t)
    {
        store(cur, g.field[t & 1], item().x_tower + t);
        store(prev, g.field[1 - (t & 1)], item().x_tower + t - 1);
    }

    /* ---------- exchange along z ---------- */

    /* Columns i V .. i V + V - 1 of those that stay. */
    static __device__ __forceinline__ cells<T> kept_vector(const columns &from, int i)
    {
        cells<T> q = uniform_cells(T(0));
#pragma unroll
        for (int j = 0; j < V; j++)
            if (i * V + j < S::kept) q.v[j] = from[S::kept_u(i * V + j)][S::kept_v(i * V + j)];
        return q;
    }
    /* Vector i of this plane's newest level to where it is read. Only once every lane has read what
     * the place held before. */
    __device__ __forceinline__ void put_vector(const columns &from, int i) const
    {
        if (RACECHECK) __syncwarp();
        store_vector(here_at + i * S::row_bytes, kept_vector(from, i));
    }
    __device__ __forceinline__ void put_level(const columns &from) const
    {
        __syncwarp();
#pragma unroll
        for (int i = 0; i < S::kept_vectors; i++) put_vector(from, i);
    }
    /* Level t has been put down for step n: half a warp passes on the lowest plane to the warp
     * below, the other the highest to the one above, a vector a lane (an access of 16 bytes
     * occupies shared memory for as long, however few lanes take part); tell them and the blocks
     * beside. */
    __device__ __forceinline__ void pass_on(int t, bool first)
    {
        __syncwarp();
        if (MAIL_FIRST && !first && role & MAILS) send_mail(t);
        if (pass_from) {
            const int even = lane & 16 ? S::edge(1, 0, 0) - S::own_place(0, 31)
                                       : S::edge(0, 0, 1) - S::own_place(1, 0);
            const int odd = lane & 16 ? S::edge(1, 1, 0) - S::own_place(0, 31)
                                      : S::edge(0, 1, 1) - S::own_place(1, 0);
            store_vector(pass_from + (n & 1 ? odd : even), load_vector<T>(pass_from));
        }
        __syncwarp();
        if (role & (first ? ARRIVES_FIRST : ARRIVES))
            gate_arrive<TMA>((role & ~7u) + (n & 1) * (uint32_t)sizeof(uint64_t));
        if (!MAIL_FIRST && !first && role & MAILS) send_mail(t);
    }
    /* Half a warp sends the lowest plane down, the other the highest up, a vector a lane. All that
     * it needs for that is read at once where it comes first. */
    __device__ __forceinline__ void send_mail(int t)
    {
        const int lane = read_lane(); /* or the compiler keeps it where all need it */
        const int side = lane >> 4, i = lane & 15;
        const volatile register_mail &mail = item().mail[side];
        uint32_t to[2] = {}, from, number;
        if constexpr (MAIL_FIRST)
            load_volatile(memory + S::mail_of(warp) + side * (int)sizeof mail, to[0], to[1], from,
                          number);
        else
            from = mail.from;
        const uint4 q = *(const uint4 *)(shared() + from + i * S::row_bytes);
        if constexpr (TMA)
            if (MAIL_FIRST ? (to[0] | to[1]) == 0 : item().gate_to[side] != 0) {
                const uint32_t phase = (n & 1) * (uint32_t)sizeof(uint64_t);
                store_cluster(item().edge_to[side][n & 1] + i * S::row_bytes, q,
                              item().gate_to[side] + phase);
                if (i == 0) gate_expect((role & ~7u) + phase, S::kept_vectors * 16);
                return;
            }
        char *box = MAIL_FIRST ? (char *)((uint64_t)to[1] << 32 | to[0]) : (char *)mail.to;
        box += (t & 1) * S::mailbox_bytes + i * 16;
        if constexpr (!MAIL_FIRST) number = mail.number;
        store_packet(box, q.x, q.y, number + t);
        store_packet(box + S::kept_vectors * 16, q.z, q.w, number + t);
    }
    __device__ __forceinline__ void prepare_mail()
    {
        const int side = lane >> 4, i = lane & 15, to = item().beside[side];
        if (to < 0 || i >= S::kept_vectors) return;
        role |= MAILS;
        if (i > 0) return;
        volatile register_mail &mail = item().mail[side];
        mail.to = (uint64_t)tower_mailbox(p.l, to, 1 - side, 0, S::mailbox_bytes);
        mail.from = S::own_place(warp, end_lane(side));
        mail.number = tower_mail_number(p.l, to, 0);
        item().gate_to[side] = 0;
        if constexpr (TMA)
            if (tower_clustered(p.l, item().part, item().part + (side ? 1 : -1))) {
                const int part = item().part + (side ? 1 : -1),
                          rank = ((int)blockIdx.x + (side ? 1 : -1)) % p.l.cluster;
                const int there = side ? 0 : (tower_planes_of(p.l, part, g.n[2], V).count - 1) / 32;
                for (int parity = 0; parity < 2; parity++)
                    item().edge_to[side][parity] =
                        cluster_address(memory + S::edge(there, parity, 1 - side), rank);
                item().gate_to[side] = cluster_address(near_gate(there, 0), rank);
                mail.to = 0;
            }
    }
    __device__ __forceinline__ void wait_for_edges()
    {
        const uint32_t odd = (n & 1) * (uint32_t)sizeof(uint64_t);
        /* with a model, values spill if that address stays in a register */
        gate_wait<TMA>(MODEL ? near_gate(warp, n) : (waits_at & ~1u) + odd, n >> 1 & 1);
        if (POINTS == REGISTER_RARE) {
            const uint32_t parity = n & 1;
            gate_wait<TMA>(gate(offsetof(typename S::gates_type, watched), warp * 2 + parity),
                           watched >> parity & 1);
            watched ^= 1u << parity;
        }
        __syncwarp();
    }

    /* ---------- one step ---------- */

    /* Set the columns of `cur` just outside the grid; x: where u = v = 0 lies. */
    __device__ __forceinline__ void fill_ghosts(columns &cur, int x)
    {
        const int left = -1 - x, right = g.n[0] - x; /* X of the ghosts */
        const int low = -1 - item().y_tower, high = g.n[1] - item().y_tower;
        const bool rigid_left = g.mirror[0].sign[0][0], rigid_right = g.mirror[0].sign[1][0];
        const bool rigid_low = g.mirror[1].sign[0][0], rigid_high = g.mirror[1].sign[1][0];
        if (left >= 0) {
#pragma unroll
            for (int X = 0; X < E; X++)
                if (X == left) {
                    FOR_COLUMNS(0, E - 1)
                    if ((u + v) / 2 == X) cur[u][v] = rigid_left ? cur[u + 1][v + 1] : T(0);
                }
        }
        if (right < E) {
#pragma unroll
            for (int X = 0; X < E; X++)
                if (X == right) {
                    FOR_COLUMNS(1, E)
                    if ((u + v) / 2 == X) cur[u][v] = rigid_right ? cur[u - 1][v - 1] : T(0);
                }
        }
        if (g.periodic[1]) return;
        if (low >= -D) { /* low = -1: towers start at y = 0 */
            FOR_COLUMNS(0, E)
            if (u - v == -2) cur[u][v] = rigid_low ? cur[u + 1 < E ? u + 1 : u][v - 1] : T(0);
        }
        if (high <= D) {
#pragma unroll
            for (int Y = 1 - D; Y <= D; Y++)
                if (Y == high) {
                    FOR_COLUMNS(0, E)
                    if (u - v == 2 * Y && u > 0 && v + 1 < E)
                        cur[u][v] =
                            rigid_high ? cur[u > 0 ? u - 1 : u][v + 1 < E ? v + 1 : v] : T(0);
                }
        }
    }

    /* s dt along x and y of the columns of step t, X and Y + D - 1 from 0 on, for this warp. */
    __device__ __forceinline__ const T *fetch_damping(int t) const
    {
        T *values = (T *)(shared() + S::damping + warp * S::damping_bytes);
        const int axis = lane >> 4, i = lane & 15;
        const int at = axis ? wrap_y(item().y_tower + i - (D - 1)) : item().x_tower + t + i;
        __syncwarp();
        values[lane] = ((const T *)g.damping[axis])[min(max(at, 0), g.n[axis] - 1)];
        __syncwarp();
        return values;
    }

    /*
     * out (level t + 1) from cur (level t) and prev; with ONE_COPY prev becomes level t, each row
     * when it is needed no more. bound: what binds columns where density varies, but those that
     * enter with step t; it becomes that of step t + 1. What columns that stay need of the planes
     * beside comes last, since neighbours may be late: rows are started some rows before they are
     * finished. Places are overwritten as soon as they have been read, vector by vector: after
     * wait_for_edges the lanes of a warp stay together, and shared memory serves a warp in order.
     * One function, though long: its parts (the lambdas) share three sets of columns in registers,
     * and the order in which they take turns at the end is the schedule.
     */
    template <bool DAMPED, bool PLAIN, int PARITY>
    __device__ __forceinline__ void update(columns &prev, columns &cur, columns &out,
                                           columns &bound, uint32_t halo, int t)
    {
        constexpr bool SPLIT = !MODEL && !DAMPED; /* the other sums need two registers */
        /* else: columns that enter come first, to give their slot back early, or with their rows,
         * where registers are scarce */
        constexpr bool ENTER_FIRST = PLAIN || DAMPED;
        /* rows started before edges are waited for; few, where others than plain steps spill */
        constexpr int MOST = POINTS && !LAYERS ? 4 : 6, LEAD = W < MOST ? W : MOST;
        constexpr int AHEAD = MODEL && PLAIN ? 3 : 2; /* vectors fetched ahead */
        const stencil_weights<T> &c = p.c;
        recall();
        /* columns of the halo bring their neighbours along: zero beyond a face */
        const uint32_t halo_below = halo - (beside_at & 0xff ? (int)sizeof(T) : 0);
        const uint32_t halo_above = halo + (beside_at & 0xff0000 ? (int)sizeof(T) : 0);
        const T s_dt_z = DAMPED && stores() ? ((const T *)g.damping[2])[z()] : T(0);
        const T *s_dt_xy = DAMPED ? fetch_damping(t) : nullptr;
        T k[2][W]; /* of two rows */
        constexpr int model_line = S::planes * (int)sizeof(T);
        const int model_shift = t % S::model_ring;
        const uint32_t model =
            memory + S::model + plane() * (int)sizeof(T) + model_shift * model_line;
        auto load_model =
            [&](int u, int first,
                int last) { /* columns v of row u */
                            const bool wraps = model_shift >= S::model_ring - u;
                            const uint32_t at = wraps ? model - S::model_ring * model_line : model;
#pragma unroll
                            for (int v = first; v < last; v += 2)
                                load_volatile(at + (u + S::model_ring_of(u, v)) * model_line,
                                              k[u & 1][v]);
            };
        /* what binds a column: of the diamond before, or it has just entered */
        const uint32_t entering =
            memory + S::binding + plane() * (int)sizeof(T) + (uint32_t)(t & 1) * S::entering_bytes;
        auto binding_of = [&](int u, int v) {
            if (u + 1 < W && v + 1 < W) return bound[u][v];
            T value;
            load_volatile(entering + S::entering_line(u, v) * model_line, value);
            return value;
        };
        trail to = trail_of(t, PLAIN && !ONE_COPY ? PARITY : t & 1);
        if (!PLAIN) to.none = item().rows_beyond ? ~0u : outside(item().x_tower + t);
        constexpr bool LAYER_Z = LAYERS && PLAIN;
        /* of the next step, if it is plain: its prev is multiplied by what it keeps of that */
        const T keeps_next = LAYER_Z && t + 1 < item().plain_stop ? keep : c.one;
        auto shrunk = [&](T next) { return LAYER_Z ? multiply(next, shrink) : next; };
        auto stays = [](int u, int v) { return u + 1 < W && v + 1 < W; };
        T low[W], high[W]; /* beside the columns of a row that enter with their planes */
        auto load_row_ends = [&](int u) {
#pragma unroll
            for (int v = u & 1; v < W; v += 2)
                if (!stays(u, v)) {
                    const int at = S::halo_at(u + 1, v + 1);
                    load_volatile(halo_below + at, low[v]);
                    load_volatile(halo_above + at, high[v]);
                }
        };
        auto y_pair = [&](int u, int v) { return add(cur[u][v + 2], cur[u + 2][v]); };
        /* left of column (u, v - 2): what is right of column (u, v) */
        auto diagonal = [&](int u, int v) { return add(cur[u][v], cur[u + 2][v]); };
        auto cross = [&](int u, int v) { return add(diagonal(u, v), diagonal(u, v + 2)); };
        auto start = [&](int u, int v, T before) {
            return start_order_2<SKEWED>(c, cur[u + 1][v + 1], before, cross(u, v), y_pair(u, v));
        };
        auto whole = [&](int u, int v, T z_pair) {
            const T before = prev[u + 2][v + 2], here = cur[u + 1][v + 1];
            auto next = [&](T kept_before) {
                if (!MODEL) return finish_order_2(c, start(u, v, kept_before), here, z_pair);
                const T sum = update_order_2<SKEWED>(c, k[u & 1][v], here, kept_before, cross(u, v),
                                                     y_pair(u, v), z_pair);
                return S::dense ? acoustic_bind(-binding_of(u, v), here, sum) : sum;
            };
            if (!DAMPED) return shrunk(next(before));
            const T s_dt =
                add(add(s_dt_xy[(u + v) / 2], s_dt_xy[16 + (u - v) / 2 + D - 1]), s_dt_z);
            return acoustic_finish(next(multiply(acoustic_before(s_dt), before)), s_dt);
        };
        /* row u of prev, which rows up to u - 2 of out needed */
        auto replace_row = [&](int u) {
#pragma unroll
            for (int v = 2 + (u & 1); v < E; v += 2)
                if (ONE_COPY && u >= 2) prev[u][v] = duplicate(cur[u][v], keeps_next);
        };
        /* all but the z pairs of row u, and those of columns that bring them along */
        auto start_row = [&](int u) {
            if (PLAIN && u + 4 < E) load_halo_row(cur, halo, u + 4);
            load_row_ends(u);
            replace_row(u);
#pragma unroll
            for (int v = u & 1; v < W; v += 2) {
                out[u][v] = start(u, v, prev[u + 2][v + 2]);
                if (stays(u, v)) continue;
                out[u][v] =
                    shrunk(finish_order_2(c, out[u][v], cur[u + 1][v + 1], add(low[v], high[v])));
                if (min(u, v) < 2) store_trail<PLAIN>(out[u][v], to, u, v);
            }
            if (u == W - 1) release_slot();
        };
        /* the columns of row u that bring their z pairs along */
        auto enter_row = [&](int u) {
            load_row_ends(u);
            if (MODEL) load_model(u, u == W - 1 ? 1 : W - 1, W);
#pragma unroll
            for (int v = u & 1; v < W; v += 2)
                if (!stays(u, v)) {
                    out[u][v] = whole(u, v, add(low[v], high[v]));
                    if (min(u, v) < 2) store_trail<PLAIN>(out[u][v], to, u, v);
                }
        };
        if (PLAIN) {
#pragma unroll
            for (int u = SPLIT ? 0 : W - 1; u < (SPLIT ? 4 : E); u++) load_halo_row(cur, halo, u);
        }
        if (SPLIT) {
#pragma unroll
            for (int u = 0; u < LEAD; u++) start_row(u);
        } else if (ENTER_FIRST) {
#pragma unroll
            for (int u = W - 1; u > 0; u -= 2) {
                enter_row(u);
                if (PLAIN) load_halo_row(cur, halo, u - 1);
                if (PLAIN && u > 1) load_halo_row(cur, halo, u - 2);
            }
            release_slot();
        }
        wait_for_edges();
        cells<T> below[AHEAD], above[AHEAD];
        const uint32_t beside = beside_at >> 8 * (n & 1);
        const uint32_t from_below = here_at + (int8_t)beside * 16;
        const uint32_t from_above = here_at + (int8_t)(beside >> 16) * 16;
        auto fetch = [&](int i) {
            below[i % AHEAD] = load_vector<T>(from_below + i * S::row_bytes);
            above[i % AHEAD] = load_vector<T>(from_above + i * S::row_bytes);
        };
        int fetched = 0, i = 0, put = 0;
#pragma unroll
        for (int u = 0; u < W; u++) {
            if (u == W - 2) recall_role();
            /* the vectors of this row, if there is something to do meanwhile */
            const int row_end = S::row_vectors_end(u);
            if (SPLIT && u + LEAD < W)
#pragma unroll
                for (; fetched < row_end && fetched < i / V + AHEAD; fetched++) fetch(fetched);
            if (SPLIT && u + LEAD < W) start_row(u + LEAD);
            if (MODEL && u == 0) load_model(0, 0, W - 1);
            if (!SPLIT && !ENTER_FIRST && u % 2 == 1) enter_row(u);
            if (!SPLIT && !ENTER_FIRST && u == W - 1) release_slot();
            if (!SPLIT) replace_row(u);
#pragma unroll
            for (int v = u & 1; v < W; v += 2) {
                const int v_ahead = u & 1 ? v - 1 : v + 1;
                if (MODEL && u + 2 < W && v_ahead < W - 1) load_model(u + 1, v_ahead, v_ahead + 1);
                if (stays(u, v)) {
#pragma unroll
                    for (; fetched < S::kept_vectors && fetched < i / V + AHEAD; fetched++)
                        fetch(fetched);
                    const T pair =
                        add(below[i / V % AHEAD].v[i % V], above[i / V % AHEAD].v[i % V]);
                    out[u][v] = SPLIT
                                    ? shrunk(finish_order_2(c, out[u][v], cur[u + 1][v + 1], pair))
                                    : whole(u, v, pair);
                    if (S::dense) bound[u][v] = duplicate(binding_of(u + 1, v + 1), c.one);
                    if (min(u, v) < 2) store_trail<PLAIN>(out[u][v], to, u, v);
                    i++;
                }
                if (u > 0 && v > 0) {
                    put++;
                    if (put % V == 0 || put == S::kept) put_vector(out, (put - 1) / V);
                }
            }
        }
        replace_row(W);
        replace_row(W + 1);
    }
    /* The columns of row u that enter the diamond or lie just outside. */
    static __device__ __forceinline__ void load_halo_row(columns &cur, uint32_t halo, int u)
    {
#pragma unroll
        for (int v = u & 1; v < E; v += 2)
            if (u >= W || v >= W) load_volatile(halo + S::halo_at(u, v), cur[u][v]);
    }

    /* ---------- sources and receivers ---------- */

    /* The newest level of a column at the plane of this lane, where it can be reached by number. */
    struct value_place {
        uint32_t at; /* in the exchange, or 0 */
        char *cell;  /* in the field, if the column leaves; or NULL */
    };
    __device__ __forceinline__ value_place place_of(int column, int t) const
    {
        const int u = S::column_u(column), v = S::column_v(column);
        value_place place = {0, nullptr};
        if (u > 0 && v > 0)
            place.at = memory + S::exchange + S::value_at(plane(), S::kept_number(u, v)) * 4;
        if (min(u, v) < 2)
            place.cell =
                (char *)((T *)g.field[t & 1] + (item().x_tower + t + (u + v) / 2) * g.stride_x +
                         wrap_y(item().y_tower + (u - v) / 2) * g.stride_y + z());
        return place;
    }
    __device__ __forceinline__ void add_source(columns &out, int column, int t, T value) const
    {
        const value_place place = place_of(column, t);
        T sum = 0;
        if (place.at) {
            load_volatile(place.at, sum);
            sum = add(sum, value);
            store_volatile(place.at, sum);
        }
        FOR_COLUMNS(0, W)
        if (min(u, v) == 0 && column == S::column_number(u, v))
            sum = out[u][v] = add(out[u][v], value);
        if (place.cell) store_cell(place.cell, sum);
    }
    /* The same for the sources of a step that has too many to list: nodes that follow each other
     * along z, as those of a source between nodes do, at once, each by the lane of its plane.
     * Returns whether there are some in planes of this warp. */
    __device__ __forceinline__ bool add_unlisted(columns &out, int t) const
    {
        const T *values = (const T *)g.points.source_values + t * g.points.source_count;
        const int x = item().x_tower + t, z_lane0 = z() - lane;
        const strip_points<S, D> strip(g, p.l, item().y_tower / p.l.half_size, item().part, false);
        const int end = strip.end(x);
        uint32_t added = 0;
        int i = strip.begin(x);
        torre_strip_node node = strip.node(i + lane, end);
#pragma unroll 1
        while (i < end) {
            const int plane = node.z - z_lane0, slot = node.slot;
            const int column = (unsigned)plane < 32 ? strip.column(node, x) : -1;
            i += 32;
            node = strip.node(i + lane, end);
            uint32_t rest = __ballot_sync(~0u, column >= 0);
            added |= rest;
#pragma unroll 1
            while (rest) {
                const int from = __ffs(rest) - 1, first = __shfl_sync(~0u, plane, from);
                const int number = __shfl_sync(~0u, column, from);
                const uint32_t run =
                    __ballot_sync(~0u, column == number && plane - first == lane - from) >> from;
                const int count = run == ~0u ? 32 : __ffs(~run) - 1; /* lanes from `from` on */
                const int its =
                    __shfl_sync(~0u, slot, (from + lane - first) & 31); /* of this plane */
                if ((unsigned)(lane - first) < (unsigned)count)
                    add_source(out, number, t, values[its]);
                __syncwarp();
                rest &= ~0u << from << (count - 1) << 1;
            }
        }
        return added;
    }
    /* Where column (u, v) of step t lies at a plane of this warp, in the field; in the exchange. */
    __device__ __forceinline__ char *stored_at(int u, int v, int plane, int t) const
    {
        return (char *)((T *)g.field[t & 1] + (item().x_tower + t + (u + v) / 2) * g.stride_x +
                        wrap_y(item().y_tower + (u - v) / 2) * g.stride_y + z() - lane + plane);
    }
    __device__ __forceinline__ uint32_t kept_at(int u, int v, int plane) const
    {
        return memory + S::exchange + S::value_at(warp * 32 + plane, S::kept_number(u, v)) * 4;
    }
    /* The same where there are many: four runs of nodes at a time, each node by a lane (no two are
     * in one cell), in columns that stay; in those that leave run by run, each node by the lane of
     * its plane. */
    __device__ __forceinline__ bool add_many(columns &out, int t) const
    {
        constexpr int RUNS = 32 / TORRE_RUN;
        const auto &table = *(const typename S::table_type *)(shared() + S::table);
        const int x = item().x_tower + t, z_lane0 = z() - lane, count = table.count;
        const double wavelet = table.wavelet[n & 1];
        const strip_runs<S, D> strip(g, p.l, item().y_tower / p.l.half_size, item().part, false);
        const int begin = count < 0 ? strip.begin(x) : 0, end = count < 0 ? strip.end(x) : count;
        const T *values = (const T *)g.points.source_values + t * g.points.source_count;
        auto value_of = [&](int run, int slot, int node) {
            return count < 0 ? values[slot + node] : (T)(table.weight[run][node] * wavelet);
        };
        bool added = false;
        __syncwarp();
#pragma unroll 1
        for (int i = begin; i < end; i += 32) {
            torre_strip_run run = {1 << 30, 0, 0, 0, 0};
            if (count < 0)
                run = strip.run(i + lane, end);
            else if (i + lane < end)
                run = table.run[i + lane];
            const int first = run.z - z_lane0, nodes = run.count;
            const int u = run.x - x + run.row, v = run.x - x - run.row;
            const bool here = (unsigned)first < 32 && strip.column(run, x) >= 0;
            uint32_t stay = __ballot_sync(~0u, here && min(u, v) > 0),
                     leave = __ballot_sync(~0u, here && min(u, v) == 0);
            added |= (stay | leave) != 0;
#pragma unroll 1
            while (stay) {
                int from = -1;
#pragma unroll
                for (int j = 0; j < RUNS; j++) {
                    if (lane / TORRE_RUN == j) from = __ffs(stay) - 1;
                    stay &= stay - 1;
                }
                const bool has = from >= 0;
                from &= 31;
                const int node = lane % TORRE_RUN, slot = __shfl_sync(~0u, run.slot, from),
                          plane = __shfl_sync(~0u, first, from) + node,
                          its_u = __shfl_sync(~0u, u, from), its_v = __shfl_sync(~0u, v, from);
                if (node < __shfl_sync(~0u, nodes, from) && has) {
                    const uint32_t at = kept_at(its_u, its_v, plane);
                    T sum;
                    load_volatile(at, sum);
                    sum = add(sum, value_of(i + from, slot, node));
                    store_volatile(at, sum);
                    if (min(its_u, its_v) == 1) store_cell(stored_at(its_u, its_v, plane, t), sum);
                }
            }
#pragma unroll 1
            for (; leave; leave &= leave - 1) {
                const int from = __ffs(leave) - 1, slot = __shfl_sync(~0u, run.slot, from),
                          node = lane - __shfl_sync(~0u, first, from),
                          its_u = __shfl_sync(~0u, u, from), its_v = __shfl_sync(~0u, v, from);
                if ((unsigned)node >= (unsigned)__shfl_sync(~0u, nodes, from)) continue;
                const T value = value_of(i + from, slot, node);
                const int column = S::column_number(its_u, its_v);
                T sum = 0;
                FOR_COLUMNS(0, W)
                if (min(u, v) == 0 && column == S::column_number(u, v))
                    sum = out[u][v] = add(out[u][v], value);
                store_cell(stored_at(its_u, its_v, lane, t), sum);
            }
        }
        return added;
    }
    /* Add sources to level t + 1, the result of step t. Registers have no index, so that columns
     * that stay change in the exchange and are read back; those that leave now are few. */
    __device__ __forceinline__ void add_sources(columns &out, int t) const
    {
        bool added = false;
        if constexpr (POINTS == REGISTER_MANY) {
            added = add_many(out, t);
        } else {
            const volatile source_list<T> &list =
                ((const source_list<T> *)(shared() + S::sources))[n & 1];
            const int count = list.count;
#pragma unroll 1
            for (int i = 0; i < count && count <= list.room;
                 i++) { /* in order: some share a cell */
                const int plane = list.source[i].plane;
                if (plane / 32 != warp) continue;
                added = true;
                if (plane % 32 == lane)
                    add_source(out, list.source[i].column, t, list.source[i].value);
            }
            if (count > list.room) added = add_unlisted(out, t);
        }
        if (!added) return;
        __syncwarp();
#pragma unroll
        for (int i = 0; i < S::kept_vectors; i++) {
            const cells<T> q = load_vector<T>(here_at + i * S::row_bytes);
#pragma unroll
            for (int j = 0; j < V; j++)
                if (i * V + j < S::kept) out[S::kept_u(i * V + j)][S::kept_v(i * V + j)] = q.v[j];
        }
    }

    /* The slot of step n has been filled. */
    __device__ __forceinline__ void wait_for_slot(uint32_t n) const
    {
        gate_wait<TMA>(gate(offsetof(typename S::gates_type, full), n % S::slots),
                       n / S::slots & 1);
    }
    /* This warp needs the slot of step n no more. */
    __device__ __forceinline__ void release_slot() const
    {
        warp_arrive<TMA>(gate(offsetof(typename S::gates_type, empty), n % S::slots));
    }
    /* This warp has finished step n. */
    __device__ __forceinline__ void finish_step(uint32_t n) const
    {
        warp_arrive<TMA>(gate(offsetof(typename S::gates_type, finished), n % STEPS_APART));
    }

    /* PARITY: of t, in plain steps, where there is a copy for each. */
    template <bool PLAIN, int PARITY, bool SOURCES>
    __device__ __forceinline__ void step(columns &prev, columns &cur, columns &out, columns &bound,
                                         int t)
    {
        wait_for_slot(n);
        const uint32_t halo =
            memory + S::ring + n % S::slots * S::slot_bytes + (V + plane()) * (int)sizeof(T);
        const bool near = !PLAIN && is_near_face(t);
        if (!PLAIN) {
#pragma unroll
            for (int u = 0; u < E; u++) load_halo_row(cur, halo, u);
            if (near) fill_ghosts(cur, item().x_tower + t - 1);
        }
        update<LAYERS && !PLAIN, PLAIN, PARITY>(prev, cur, out, bound, halo, t);
        if (!PLAIN && item().rows_beyond) store_trail(out, t);
        if (SOURCES && t >= item().source_first && t < item().source_end) add_sources(out, t);
        n++;
        const bool last = !PLAIN && t + 1 >= item().end_step;
        if (!last) pass_on(t + 1, false);
        if (!last) finish_step(n - 1); /* else once the diamond has been written */
    }

    /* In which steps of item k sources may be in the diamond. */
    __device__ __forceinline__ void find_source_steps(int k) const
    {
        const register_points_met met = points_met<S>(gates(), k);
        item().source_first = met.first;
        item().source_end = met.end;
        __syncwarp();
    }
    /*
     * All steps of one item. A plain step has code of its own. There is one copy of a step that may
     * be near a face or meet a source: it is run too seldom to stay in the instruction cache.
     */
    __device__ __forceinline__ void climb(int k)
    {
        columns P, C, A, bound;
        enter(P, C);
        if (S::dense) load_binding(bound);
        if (POINTS) find_source_steps(k);
#pragma unroll 1
        for (int t = uniform(item().first_step);; t++) {
            if ((ONE_COPY || t % 2 == 0) && t >= uniform(item().plain_first)) {
                int end = item().plain_end;
                if (POINTS && t < item().source_end) end = min(end, (int)item().source_first);
                item().plain_stop = end; /* in a register it spills */
                __syncwarp();
                if (LAYERS && t < uniform(item().plain_stop))
                    FOR_COLUMNS(2, E) P[u][v] = multiply(keep, P[u][v]);
#pragma unroll 1
                for (; t < uniform(item().plain_stop); t += 2 - ONE_COPY) {
                    columns B;
                    step<true, 0, false>(P, C, A, bound, t);
                    if constexpr (ONE_COPY) {
                        FOR_COLUMNS(0, W) C[u][v] = A[u][v];
                    } else {
                        step<true, 1, false>(C, A, B, bound, t + 1);
                        FOR_COLUMNS(0, E) P[u][v] = A[u][v], C[u][v] = B[u][v];
                    }
                }
            }
            step<false, 0, POINTS != REGISTER_NONE>(P, C, A, bound, t);
            if (t + 1 >= uniform(item().end_step)) {
                leave(ONE_COPY ? P : C, A, t);
                break;
            }
            if (!ONE_COPY) FOR_COLUMNS(0, E) P[u][v] = C[u][v];
            FOR_COLUMNS(0, E) C[u][v] = A[u][v];
        }
    }
    /* The same for a warp above the last plane: it keeps in step. */
    __device__ __forceinline__ void climb_idle()
    {
        if ((lane & 15) < EDGE_ARRIVALS) gate_arrive<TMA>(&gates()->near[warp][n & 1]);
        const int end_step = uniform(item().end_step);
#pragma unroll 1
        for (int t = item().first_step; t < end_step; t++) {
            wait_for_slot(n);
            wait_for_edges(); /* of nobody but itself */
            release_slot();
            n++;
            if (t + 1 >= end_step) break;
            if ((lane & 15) < EDGE_ARRIVALS) gate_arrive<TMA>(&gates()->near[warp][n & 1]);
            finish_step(n - 1);
        }
    }
    /* k: number of this block's items before */
    __device__ __forceinline__ void run(const register_turn &turn, int k)
    {
        start_item(turn);
        if (!works())
            climb_idle();
        else
            climb(k);
        finish_step(n - 1);
        __syncwarp();
    }
};

#include "wave_register_helpers.cuh"

/* The items of a worker. */
template <class T, int D, bool MODEL, bool LAYERS, register_points POINTS, bool SKEWED,
          register_kind KIND>
__device__ __forceinline__ void
run_towers(const register_tower_params<T, D> &params,
           typename register_shape<T, D, MODEL, KIND, POINTS == REGISTER_MANY>::gates_type *gates)
{
    using S = register_shape<T, D, MODEL, KIND, POINTS == REGISTER_MANY>;
    register_tower<T, D, MODEL, LAYERS, POINTS, SKEWED, KIND> tower(params);
    if constexpr (POINTS == REGISTER_RARE) {
        register_tower<T, D, MODEL, LAYERS, REGISTER_NONE, SKEWED, KIND> alone(params);
        for_each_item<S>(gates, [&](const register_turn &turn, int, int k) {
            if (points_met<S>(gates, k).any) {
                tower.run(turn, k);
            } else {
                alone.n = tower.n;
                alone.run(turn, k);
                tower.n = alone.n;
            }
        });
    } else {
        for_each_item<S>(gates, [&](const register_turn &turn, int, int k) { tower.run(turn, k); });
    }
}

/* ---------- the kernel ---------- */

template <class T, int D, bool MODEL, bool LAYERS, register_points POINTS, bool SKEWED,
          register_kind KIND>
__device__ __forceinline__ void run_register_tower(const register_tower_params<T, D> &params,
                                                   const register_tower_edges &edges)
{
    using S = register_shape<T, D, MODEL, KIND, POINTS == REGISTER_MANY>;
    constexpr bool TMA = S::tma;
    extern __shared__ __align__(128) char shared[];
    typename S::gates_type *gates = (typename S::gates_type *)(shared + S::gates);
    if (threadIdx.x == 0) {
        for (int i = 0; i < S::slots; i++) {
            gate_init<TMA>(&gates->full[i], LANES_ARRIVE + (TMA && MODEL));
            gate_init<TMA>(&gates->empty[i], S::warps * LANES_ARRIVE);
        }
        for (int i = 0; i < STEPS_APART; i++) {
            gate_init<TMA>(&gates->finished[i], S::warps * LANES_ARRIVE);
            gate_init<TMA>(&gates->published[i], LANES_ARRIVE);
        }
        for (int i = 0; i < S::warps; i++) {
            for (int j = 0; j < 2; j++) {
                gate_init<TMA>(&gates->near[i][j],
                               2 * EDGE_ARRIVALS +
                                   (POINTS && POINTS != REGISTER_RARE ? LANES_ARRIVE : 0));
                gate_init<TMA>(&gates->watched[i][j], LANES_ARRIVE);
            }
        }
        for (int i = 0; i < TURNS; i++) {
            gate_init<TMA>(&gates->offered[i], LANES_ARRIVE);
            gate_init<TMA>(&gates->looked_up[i], LANES_ARRIVE);
            gate_init<TMA>(&gates->accepted[i],
                           (S::warps + (POINTS || (MODEL && TMA) ? 3 : 2)) * LANES_ARRIVE);
        }
        for (int i = 0; i < TURNS_TOLD; i++) gate_init<TMA>(&gates->told[i], 1);
        if constexpr (TMA) gates_ready();
    }
    __syncthreads();
    if constexpr (TMA)
        if (params.l.cluster > 1) cluster_barrier();
    const int helper = (int)threadIdx.x / 32 - S::warps;
    if (helper >= 0) {
        if constexpr (TMA) fewer_registers<S::helper_registers>();
        if (helper == 0) register_fetch<S, T, D, MODEL>{params}.run(gates, shared, edges);
        if (helper == 1) fetch_mail<S, D>(params, gates, shared);
        constexpr bool MODEL_TMA = MODEL && TMA; /* fetched by a warp of its own, if one is left */
        if (helper == 2) publish_progress<S, D, MODEL_TMA && POINTS, POINTS>(params, gates, shared);
        if constexpr (POINTS == REGISTER_FEW || POINTS == REGISTER_RARE)
            if (helper == 3) watch_points<S, D, MODEL_TMA, POINTS>(params, gates, shared);
        if constexpr (POINTS == REGISTER_MANY)
            if (helper == 3) point_watch<S, D, T>{params, gates, shared}.run();
        if constexpr (MODEL_TMA && !POINTS)
            if (helper == 3) register_model<S, D, T>{params, gates, shared}.run();
    } else {
        if constexpr (TMA) more_registers<S::worker_registers>();
        run_towers<T, D, MODEL, LAYERS, POINTS, SKEWED, KIND>(params, gates);
    }
    if constexpr (TMA) /* others may still store in this block */
        if (params.l.cluster > 1) {
            __syncwarp();
            cluster_barrier();
        }
}

template <class T, int D, bool MODEL, bool LAYERS, register_points POINTS, bool SKEWED,
          register_kind KIND>
__global__ void __launch_bounds__(register_shape<T, D, MODEL, KIND>::threads,
                                  register_shape<T, D, MODEL, KIND>::blocks_per_sm)
    register_tower_kernel(const __grid_constant__ register_tower_params<T, D> params,
                          const __grid_constant__ register_tower_edges edges)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    constexpr bool launched = KIND != REGISTER_PLAIN || !register_tower_built_tma<T, D>;
#else
    constexpr bool launched = KIND == REGISTER_PLAIN;
#endif
    if constexpr (launched) /* else empty, to build faster */
        run_register_tower<T, D, MODEL, LAYERS, POINTS, SKEWED, KIND>(params, edges);
}

#endif
