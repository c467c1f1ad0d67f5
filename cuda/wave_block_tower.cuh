/*
 * The tower kernel. A tower (tiling/diamond.h) is built from blocks of R x R columns: in units of
 * blocks the stencil has half-width 1, whatever the order, and the diamond of half-size D = DB R is
 *
 *     |Y| <= X < 2 DB - |Y|,   -DB < Y < DB      (X, Y: block coordinates in the sliding frame).
 *
 * It slides by one block a step, so a thread keeps one block (times ZV vectors of 16 bytes along z,
 * both time levels, in registers) for as long as the block stays in the diamond; when it falls off
 * the trailing edge the thread writes it to memory and takes the next block of the same row at the
 * leading edge. Shared memory only exchanges values between threads:
 *
 *     own    the newest level of every block, by frame position (Y, X);
 *     halo   two blocks per row beyond the leading edge, from global memory, two steps deep;
 *     edge   the vectors just below and above the planes of this part, from the parts beside it
 *            (through global mailboxes) or, at a face, their mirror images; one slot a thread.
 *
 * A line is one column of cells along z: ZL vectors, with PV more on each side that only halo lines
 * use (a block that has just entered finds its edges there).
 *
 * A step:  wait for the halo and sum y and x; wait for the edges and sum z; write what leaves the
 * diamond; barrier (all have read); publish the new level in `own` and to the parts beside;
 * barrier. With TMA (compute capability 9.0) three more warps run ahead: `fetch` polls the upwind
 * towers and copies halos, `mail` polls the z neighbours and copies their edges, `publish` tells
 * everybody how far this block has come. Without it, the threads do all that themselves between the
 * steps.
 *
 * Where the diamond reaches over an x or y face, the lines just outside are first filled with
 * mirror images of lines inside, so that the sums need not know; for that the block pays one more
 * barrier. (Whoever reads a ghost has its source in reach as well, so every source that matters is
 * at hand.) It must stay cheap: a tower that climbs more slowly slows down every tower behind it.
 */
#ifndef TORRE_WAVE_BLOCK_TOWER_CUH
#define TORRE_WAVE_BLOCK_TOWER_CUH

#include "tower_schedule.cuh"
#include "wave_block_shape.cuh"

template <class T, int R, int DB, bool MODEL, bool TMA> struct block_tower {
    using S = block_shape<T, R, DB>;
    using vec = cells<T>;
    static constexpr int V = S::V, PV = S::PV, NL = S::NL, ZV = S::ZV, lanes = S::lanes;

    /*
     * The two levels of a block and a line of sums nearly fill the registers of a thread. All else
     * that outlives a step stays in shared memory and is read (volatile) where it is needed: what
     * belongs to the item, and where the row of each slot lies.
     */
    struct item_state {
        int item, part, x_tower, y_tower, z_part, vectors; /* vectors: along z in this part */
        int below, above;                                  /* parts beside, -1: a face */
        int first_step, end_step, unused[2];
    };
    struct place {
        int row;                       /* Y */
        int own_row, own_up, own_down; /* offsets of blocks (0, Y), (0, Y + 1), (0, Y - 1) */
        int first;                     /* position at the start of a tower */
        int point_first, point_last;   /* nodes of the block that the slot holds */
        int unused;
        __device__ __forceinline__ int reach() const { return abs(row); }
        __device__ __forceinline__ int length() const { return 2 * (DB - abs(row)); }
        __device__ __forceinline__ int halo_row() const
        {
            return S::halo + (row + DB) * 2 * S::halo_block_bytes;
        }
    };
    static_assert(sizeof(item_state) <= 64 && sizeof(place) == 32, "see block_shape");

    const torre_wave_args &g;
    const torre_tower_launch &l;
    const stencil_weights<T> &c;
    int X;        /* frame position of the block at the current step */
    item_state h; /* read again (refresh) for each part of a step, so as not to occupy registers */

    static __device__ __forceinline__ void load_ints(int at, int *to)
    {
        asm volatile("ld.volatile.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(shared_address(shared()) + at));
    }
    __device__ __forceinline__ void refresh()
    {
        int q[12];
        load_ints(S::item, q);
        load_ints(S::item + 16, q + 4);
        load_ints(S::item + 32, q + 8);
        h.item = q[0], h.part = q[1], h.x_tower = q[2], h.y_tower = q[3];
        h.z_part = q[4], h.vectors = q[5], h.below = q[6], h.above = q[7];
        h.first_step = q[8], h.end_step = q[9];
    }
    static __device__ __forceinline__ int thread() { return threadIdx.x; }
    static __device__ __forceinline__ int lane() { return thread() % lanes; }
    static __device__ __forceinline__ int slot()
    {
        return S::workers == S::active ? thread() / lanes : min(thread() / lanes, S::blocks - 1);
    }
    static __device__ __forceinline__ place my_place()
    {
        place p;
        int q[8];
        load_ints(S::places + slot() * 32, q);
        load_ints(S::places + slot() * 32 + 16, q + 4);
        p.row = q[0], p.own_row = q[1], p.own_up = q[2], p.own_down = q[3];
        p.first = q[4], p.point_first = q[5], p.point_last = q[6], p.unused = 0;
        return p;
    }

    static __device__ __forceinline__ char *shared()
    {
        extern __shared__ __align__(128) char memory[];
        return memory;
    }
    static __device__ __forceinline__ vec load_shared(int offset)
    {
        return *(const vec *)(shared() + offset);
    }
    static __device__ __forceinline__ void store_shared(int offset, const vec &v)
    {
        *(vec *)(shared() + offset) = v;
    }
    static __device__ __forceinline__ vec load_global(const T *p)
    {
        vec v;
        const float4 q = __ldcg((const float4 *)p);
        memcpy(&v, &q, 16);
        return v;
    }
    static __device__ __forceinline__ void store_global(T *p, const vec &v)
    {
        float4 q;
        memcpy(&q, &v, 16);
        __stcg((float4 *)p, q);
    }
    /* Threads that only fill up the last warp. */
    static __device__ __forceinline__ bool idle()
    {
        return S::workers != S::active && thread() >= S::workers;
    }
    /* Blocks before row y, less its first position: block (X, y) has number row_start(y) + X. */
    static __device__ __forceinline__ int row_start(int y)
    {
        return (y <= 0 ? (y + DB - 1) * (y + DB) : 2 * DB * DB - (DB - y) * (DB - y + 1)) - abs(y);
    }

    __device__ __forceinline__ explicit block_tower(const block_tower_params<T> &p)
        : g(p.g), l(p.l), c(p.c)
    {
        if (thread() >= S::blocks) return;
        place q = {};
        q.row = -(DB - 1);
        q.first = thread();
        while (q.first >= q.length()) q.first -= q.length(), q.row++;
        q.first += q.reach();
        q.own_row = S::own + row_start(q.row) * S::block_bytes;
        q.own_up = S::own + row_start(q.row + 1) * S::block_bytes;
        q.own_down = S::own + row_start(q.row - 1) * S::block_bytes;
        *(place *)(shared() + S::places + thread() * 32) = q;
    }

    /* Planes are split evenly, in whole vectors. Ends with a barrier. */
    __device__ __forceinline__ void start_item(const tower_item &w, int number)
    {
        if (thread() == 0) {
            item_state &to = *(item_state *)(shared() + S::item);
            const int all = (g.n[2] + V - 1) / V, from = (int)((int64_t)all * w.part / l.parts);
            to.item = number;
            to.part = w.part;
            to.x_tower = l.half_size * w.s;
            to.y_tower = l.half_size * w.m;
            to.z_part = from * V;
            to.vectors = (int)((int64_t)all * (w.part + 1) / l.parts) - from;
            to.below = tower_part_beside(l, w.part, 0, g.periodic[2]);
            to.above = tower_part_beside(l, w.part, 1, g.periodic[2]);
            to.first_step = w.first_step;
            to.end_step = w.end_step;
        }
        barrier_among<S::active>();
        refresh();
        X = my_place().first;
    }
    __device__ __forceinline__ int beside(int side) const { return side ? h.above : h.below; }
    /* The item beside this one on the given side. */
    __device__ __forceinline__ int mail_item(int side) const
    {
        return h.item - h.part + beside(side);
    }

    __device__ __forceinline__ int wrap_y(int y) const
    {
        return g.periodic[1] ? (y < 0 ? y + g.n[1] : y >= g.n[1] ? y - g.n[1] : y) : y;
    }
    __device__ __forceinline__ int block_y(int row) const { return wrap_y(h.y_tower + R * row); }
    __device__ __forceinline__ bool column_inside(int x, int y) const
    {
        return (unsigned)x < (unsigned)g.n[0] && (unsigned)y < (unsigned)g.n[1];
    }
    /* Offset of vector v of this thread inside a line. */
    static __device__ __forceinline__ int in_line(int v) { return (PV + lane() + v * lanes) * 16; }
    /* Offset of this thread's edge slot (line 0). */
    static __device__ __forceinline__ int edge_slot(int parity, int side)
    {
        constexpr int per_line = S::line / 16;
        return S::edge + (parity * 2 + side) * S::edge_bytes + slot() / per_line * (NL * S::line) +
               slot() % per_line * 16;
    }

    static __device__ __forceinline__ void publish_block(const vec (&from)[ZV][NL], int block)
    {
        if (idle()) return;
#pragma unroll
        for (int v = 0; v < ZV; v++)
#pragma unroll
            for (int i = 0; i < NL; i++) store_shared(block + i * S::line + in_line(v), from[v][i]);
    }
    static __device__ __forceinline__ void reload(vec (&C)[ZV][NL], int block)
    {
#pragma unroll
        for (int v = 0; v < ZV; v++)
#pragma unroll
            for (int i = 0; i < NL; i++) C[v][i] = load_shared(block + i * S::line + in_line(v));
    }

    /* ---------- faces along z (wave_block_faces.cuh) ---------- */

    __device__ __forceinline__ bool at_z_face() const { return h.below < 0 || h.above < 0; }
    __device__ __forceinline__ bool ragged() const { return g.n[2] % V != 0 && h.above < 0; }
    /*
     * Fill what lies beyond a z face in the lines of the block at offset `block`: mirror images
     * inside its last vector (ragged nz) and in this thread's edge slots of `parity`.
     */
    __device__ __forceinline__ void mirror_lines(int block, int parity);
    /*
     * Images beyond the z faces of the block at offset `block`, whose values C holds too. Where the
     * face lies between vectors the image of a vector is its own reverse (shifted by one cell and
     * negative at a free face).
     */
    __device__ __forceinline__ void mirror_z(const vec (&C)[ZV][NL], int block, int parity);
    /* mirror_z of a block just published. */
    __device__ __forceinline__ void mirror_block(vec (&C)[ZV][NL], int block, int parity);

    /* ---------- start and end of a tower ---------- */

    __device__ __forceinline__ void load_block(vec (&to)[ZV][NL], const T *field, int x, int y)
    {
        const int vectors = h.vectors, z_part = h.z_part;
#pragma unroll
        for (int v = 0; v < ZV; v++) {
            const int at = lane() + v * lanes;
            const T *p = field + x * g.stride_x + y * g.stride_y + z_part + at * V;
#pragma unroll
            for (int i = 0; i < R; i++)
#pragma unroll
                for (int j = 0; j < R; j++) {
                    to[v][i * R + j] = uniform_cells(T(0));
                    if (column_inside(x + i, y + j) && at < vectors)
                        to[v][i * R + j] = load_global(p + i * g.stride_x + j * g.stride_y);
                }
        }
    }

    template <bool CHECKED>
    __device__ __forceinline__ void store_block(const vec (&from)[ZV][NL], T *field, int x, int y)
    {
        const int vectors = h.vectors, z_part = h.z_part;
        if (idle()) return;
#pragma unroll
        for (int v = 0; v < ZV; v++) {
            const int at = lane() + v * lanes;
            if (at >= vectors) continue;
            T *p = field + x * g.stride_x + y * g.stride_y + z_part + at * V;
#pragma unroll
            for (int i = 0; i < R; i++)
#pragma unroll
                for (int j = 0; j < R; j++)
                    if (!CHECKED || column_inside(x + i, y + j))
                        store_global(p + i * g.stride_x + j * g.stride_y, from[v][i * R + j]);
        }
    }

    __device__ __forceinline__ void next_position(const place &p)
    {
        if (--X < p.reach()) X = p.reach() + p.length() - 1;
    }

    /* As if the step before the first had just ended. A: older level, C: newer level. */
    __device__ __forceinline__ void enter(vec (&A)[ZV][NL], vec (&C)[ZV][NL], int t)
    {
        const place p = my_place();
        const int x = h.x_tower + R * (t - 1), y = block_y(p.row);
        const int block = p.own_row + X * S::block_bytes;
        load_block(C, (const T *)g.field[1], x + R * X, y);
        publish_block(C, block);
        edges_from_field((const T *)g.field[1], x + R * X, y);
        mirror_block(C, block, 0);
        next_position(p);
        load_block(A, (const T *)g.field[0], x + R + R * X, y);
        find_points(x + R + R * X, y);
    }

    /* Edge slots of the first step, from the field itself. */
    __device__ __forceinline__ void edges_from_field(const T *field, int x, int y)
    {
        if (lane() >= PV || idle()) return;
#pragma unroll 1
        for (int side = 0; side < 2; side++) {
            if (beside(side) < 0) continue;
            int z = h.z_part + (side ? h.vectors + lane() : lane() - PV) * V;
            if (z < 0) z += g.n[2];
            if (z >= g.n[2]) z -= g.n[2];
            const int edges = edge_slot(0, side) + lane() * S::edge_vector;
#pragma unroll 1
            for (int i = 0; i < NL; i++) {
                vec v = uniform_cells(T(0));
                if (column_inside(x + i / R, y + i % R))
                    v = load_global(field + (x + i / R) * g.stride_x + (y + i % R) * g.stride_y +
                                    z);
                store_shared(edges + i * S::line, v);
            }
        }
    }

    /* Write the blocks that stay in the diamond: A holds the newest level, C the one before. */
    __device__ __forceinline__ void leave(const vec (&A)[ZV][NL], const vec (&C)[ZV][NL],
                                          void *newest, void *before, int last)
    {
        const place p = my_place();
        refresh();
        const int at = X - p.reach(), x = h.x_tower + R * last + R * X, y = block_y(p.row);
        if (at >= 2) store_block<true>(A, (T *)newest, x, y);
        if (at >= 1 && at + 1 < p.length()) store_block<true>(C, (T *)before, x, y);
    }

    /* ---------- sources and receivers (wave_block_points.cuh) ---------- */

    /* The nodes of the block that this slot takes over. */
    __device__ __forceinline__ void find_points(int x, int y);
    /* Source terms, on the block just published; A follows. */
    __device__ __forceinline__ void add_sources(vec (&A)[ZV][NL], const place &p, int block, int t);
    __device__ __forceinline__ void take_samples(const place &p, int block, int t);

    /* ---------- faces along x and y (wave_block_faces.cuh) ---------- */

    /* Whether some line that step t reads lies beyond an x or y face. */
    __device__ __forceinline__ bool is_near_face(int t) const;
    /* Offset of the block at (X, Y) of the frame of the step before; -1: not at hand. */
    static __device__ __forceinline__ int find_block(int X, int Y, int parity);
    /* Fill the lines of one block that are ghosts of step t. Returns whether there are any. */
    __device__ __forceinline__ bool fill_block(int X, int Y, int t);
    /* All ghosts of step t in shared memory, and in C. */
    __device__ __forceinline__ void fill_ghosts(vec (&C)[ZV][NL], const place &p, int t);

    /* ---------- one step ---------- */

    /* Whether some cell of step t is damped. */
    __device__ __forceinline__ bool is_damped(int t) const
    {
        if (!g.damping[0]) return false;
        const int x = h.x_tower + R * t, y = h.y_tower, d = R * DB;
        const int z = h.z_part, top = min(z + h.vectors * V, g.n[2]);
        return x < g.clear[0][0] || x + 2 * d > g.clear[0][1] ||
               (!g.periodic[1] && (y - d < g.clear[1][0] || y + d > g.clear[1][1])) ||
               z < g.clear[2][0] || top > g.clear[2][1];
    }

    /* Coordinates of something to read where the results of this thread do not matter. */
    static __device__ __forceinline__ int column(int i, int n) { return min(max(i, 0), n - 1); }

    /* What a block of cells is made of during a step. */
    struct cell_block {
        int x, y, z; /* first column, vector 0 */
    };
    __device__ __forceinline__ int z_of(const cell_block &b, int v)
    {
        return b.z + min(lane() + v * lanes, h.vectors - 1) * V;
    }

    /* k of the cells of one line at z. */
    __device__ __forceinline__ vec model_of(const cell_block &b, int i, int j, int z) const
    {
        if (!MODEL) return uniform_cells(c.k0);
        vec k;
        const int64_t at =
            column(b.x + i, g.n[0]) * g.k_stride_x + column(b.y + j, g.n[1]) * g.k_stride_y + z;
        const float4 q = __ldg((const float4 *)((const T *)g.k + at));
        memcpy(&k, &q, 16);
        return k;
    }
    /* A += k sum. */
    __device__ __forceinline__ void add_scaled(vec &A, const vec &sum, const cell_block &b, int i,
                                               int j, int z) const
    {
        accumulate(A, model_of(b, i, j, z), sum);
    }
    __device__ __forceinline__ vec damping_of(const cell_block &b, int i, int j, int z) const
    {
        return damping_at<T>(g, column(b.x + i, g.n[0]), column(b.y + j, g.n[1]), z);
    }
    template <bool DAMPED>
    __device__ __forceinline__ void begin(vec &A, const vec &C, const cell_block &b, int i, int j,
                                          int z)
    {
        if (DAMPED)
            start_update(A, C, damping_of(b, i, j, z));
        else
            start_update(A, C);
    }

    /* Sums along an axis of the R cells C[0], C[step], ... of a block, line by line from low to
     * high; before and after: the R lines of the blocks beside it, `stride` bytes apart. */
    template <int AXIS>
    __device__ __forceinline__ void sum_line(vec *sum, const vec *C, int step, int before,
                                             int after, int stride)
    {
#pragma unroll
        for (int q = -R; q < 2 * R; q++) {
            vec value;
            if (q < 0)
                value = load_shared(before + (q + R) * stride);
            else if (q < R)
                value = C[q * step];
            else
                value = load_shared(after + (q - R) * stride);
#pragma unroll
            for (int j = 0; j < R; j++) {
                const int d = q - j;
                if (d == -R)
                    sum[j] = scaled(c.weight[AXIS][R], value);
                else if (d > -R && d <= R && (d != 0 || AXIS == 0))
                    accumulate(sum[j], d == 0 ? c.center : c.weight[AXIS][d < 0 ? -d : d], value);
            }
        }
    }

    /* Line 0 of the vectors d below (d < 0) and above vector v. */
    __device__ __forceinline__ int vector_beside(int v, int d, int block, bool fresh, int parity)
    {
        const int at = lane() + v * lanes, vectors = h.vectors;
        const int side = d > 0, beyond = side ? at + d - vectors : at + d + PV;
        const bool outside = side ? at + d >= vectors : at + d < 0;
        /* a block that has just entered brought its neighbours along, but not beyond a face */
        if (outside && !(fresh && beside(side) >= 0))
            return edge_slot(parity, side) + min(beyond, PV - 1) * S::edge_vector;
        return block + (PV + at + d) * 16;
    }

    /* A (level t - 1) becomes level t + 1; C is level t. `edges` runs before the z sums. */
    template <int PARITY, bool DAMPED, class Edges>
    __device__ __forceinline__ void update(vec (&A)[ZV][NL], vec (&C)[ZV][NL], const place &p,
                                           const cell_block &b, const Edges &edges)
    {
        const int beyond = X + 1 - (p.reach() + p.length()); /* 0: the block has just entered */
        const int at_up = beyond + (p.row >= 0 ? 1 : -1), at_down = beyond + (p.row <= 0 ? 1 : -1);
        const int halo = p.halo_row() + PARITY * S::halo_bytes;
        const int left = p.own_row + X * S::block_bytes;
        const int block = beyond < 0 ? left + S::block_bytes : halo;
        const int right =
            beyond + 1 < 0 ? left + 2 * S::block_bytes : halo + (beyond + 1) * S::halo_block_bytes;
        const int up = at_up < 0 ? p.own_up + (X + 1) * S::block_bytes
                                 : halo + (2 + at_up) * S::halo_block_bytes;
        const int down = at_down < 0 ? p.own_down + (X + 1) * S::block_bytes
                                     : halo + (at_down - 2) * S::halo_block_bytes;
#pragma unroll
        for (int v = 0; v < ZV; v++) {
            const int z = MODEL || DAMPED ? z_of(b, v) : 0;
            if constexpr (R == 1) {
                const vec y =
                    pair_sum(load_shared(down + in_line(v)), load_shared(up + in_line(v)));
                const vec x =
                    pair_sum(load_shared(left + in_line(v)), load_shared(right + in_line(v)));
                if (v == 0) edges();
                const vec around[3] = {
                    load_shared(vector_beside(v, -1, block, beyond == 0, PARITY)), C[v][0],
                    load_shared(vector_beside(v, 1, block, beyond == 0, PARITY))};
                if (DAMPED) damp_before(A[v][0], damping_of(b, 0, 0, z));
                update_order_2<MODEL>(c, model_of(b, 0, 0, z), C[v][0], A[v][0], y, x,
                                      pair_along_z<T>(around));
            } else {
#pragma unroll
                for (int i = 0; i < R; i++) {
                    vec sum[R];
                    sum_line<1>(sum, &C[v][i * R], 1, down + in_line(v) + i * R * S::line,
                                up + in_line(v) + i * R * S::line, S::line);
#pragma unroll
                    for (int j = 0; j < R; j++) {
                        begin<DAMPED>(A[v][i * R + j], C[v][i * R + j], b, i, j, z);
                        add_scaled(A[v][i * R + j], sum[j], b, i, j, z);
                    }
                }
#pragma unroll
                for (int j = 0; j < R; j++) {
                    vec sum[R];
                    sum_line<0>(sum, &C[v][j], R, left + in_line(v) + j * S::line,
                                right + in_line(v) + j * S::line, R * S::line);
#pragma unroll
                    for (int i = 0; i < R; i++) add_scaled(A[v][i * R + j], sum[i], b, i, j, z);
                }
                if (v == 0) edges();
                refresh();
                int below[PV], above[PV]; /* line 0 of the vectors 1, 2 further */
#pragma unroll
                for (int d = 0; d < PV; d++) {
                    below[d] = vector_beside(v, -1 - d, block, beyond == 0, PARITY);
                    above[d] = vector_beside(v, 1 + d, block, beyond == 0, PARITY);
                }
#pragma unroll
                for (int i = 0; i < NL; i++) {
                    vec around[2 * PV + 1];
                    around[PV] = C[v][i];
#pragma unroll
                    for (int d = 0; d < PV; d++) {
                        around[PV - 1 - d] = load_shared(below[d] + i * S::line);
                        around[PV + 1 + d] = load_shared(above[d] + i * S::line);
                    }
                    add_scaled(A[v][i], sum_along_z<T, R>(around, c.weight[2]), b, i / R, i % R, z);
                }
            }
            if (DAMPED) {
#pragma unroll
                for (int i = 0; i < NL; i++) finish_update(A[v][i], damping_of(b, i / R, i % R, z));
            }
        }
    }

    /* Tell the parts beside about the newest level, t + 1. */
    __device__ __forceinline__ void send_edges(const vec (&A)[ZV][NL], int t)
    {
        if (idle()) return;
#pragma unroll
        for (int side = 0; side < 2; side++) {
            if (beside(side) < 0) continue;
            char *box =
                tower_mailbox(l, mail_item(side) % l.blocks, 1 - side, (t + 1) & 1, S::edge_bytes) +
                edge_slot(0, 0) - S::edge;
#pragma unroll
            for (int v = 0; v < ZV; v++) {
                const int at = lane() + v * lanes, from = side ? at - (h.vectors - PV) : at;
                if (from < 0 || from >= PV) continue;
#pragma unroll
                for (int i = 0; i < NL; i++)
                    store_global((T *)(box + from * S::edge_vector + i * S::line), A[v][i]);
            }
        }
    }

    /* Step t: A becomes level t + 1 and C, where the block left the diamond, the next one's level
     * t. */
    template <int PARITY, class Edges>
    __device__ __forceinline__ void step(vec (&A)[ZV][NL], vec (&C)[ZV][NL], int t,
                                         const Edges &edges)
    {
        const place p = my_place();
        refresh();
        const cell_block b = {h.x_tower + R * t + R * X, block_y(p.row), h.z_part};
        const int left = p.own_row + X * S::block_bytes, at = X - p.reach();
        const int halo = p.halo_row() + PARITY * S::halo_bytes;
        const bool near = is_near_face(t), points = p.point_first < p.point_last;
        const bool fresh = X + 1 == p.reach() + p.length();
        T *field = (T *)g.field[PARITY];
        if (near) fill_ghosts(C, p, t);
        if (fresh) reload(C, halo);
        if (at_z_face()) {
            if (fresh && !idle()) mirror_z(C, halo, PARITY);
            if (ragged()) {
                barrier_among<S::active>(); /* others read the last vectors that this changes */
                if (fresh) reload(C, halo);
            } else {
                __syncwarp();
            }
        }
        if (is_damped(t))
            update<PARITY, true>(A, C, p, b, edges);
        else
            update<PARITY, false>(A, C, p, b, edges);
        if (at < 2 && !points) {
            if (near)
                store_block<true>(A, field, b.x, b.y);
            else
                store_block<false>(A, field, b.x, b.y);
        }
        if (at == 0) reload(C, halo + S::halo_block_bytes);
        barrier_among<S::active>();
        refresh();
        publish_block(A, left);
        if (points) {
            add_sources(A, p, left, t);
            if (at < 2) store_block<true>(A, field, b.x, b.y);
            take_samples(p, left, t);
        }
        mirror_block(A, left, 1 - PARITY);
        if (t + 1 < h.end_step) send_edges(A, t);
        if (at == 0) find_points(b.x + R * p.length(), b.y);
        barrier_among<S::active>();
    }

    /*
     * All steps of one item. waits.halo(t) returns when the halo of step t is there, waits.edges(t)
     * when the edge slots are, waits.done(t) follows the step.
     */
    template <class Waits>
    __device__ __forceinline__ void climb(const tower_item &w, int number, Waits &waits)
    {
        vec P[ZV][NL], Q[ZV][NL];
        start_item(w, number);
        int t = h.first_step;
        enter(P, Q, t);
        barrier_among<S::active>();
#pragma unroll 1
        for (;; t += 2) {
            waits.halo(*this, t);
            step<0>(P, Q, t, [&] { waits.edges(*this, t); });
            waits.done(*this, t);
            if (t + 1 >= h.end_step) {
                leave(P, Q, g.field[0], g.field[1], t);
                break;
            }
            next_position(my_place());
            waits.halo(*this, t + 1);
            step<1>(Q, P, t + 1, [&] { waits.edges(*this, t + 1); });
            waits.done(*this, t + 1);
            if (t + 2 >= h.end_step) {
                leave(Q, P, g.field[1], g.field[0], t + 1);
                break;
            }
            next_position(my_place());
        }
    }
};

#include "wave_block_faces.cuh"
#include "wave_block_points.cuh"
#include "wave_block_tower_plain.cuh"
#include "wave_block_tower_tma.cuh"

#endif
