/*
 * The tower kernel of order 2 for compute capability 9.0. A thread owns one plane z and keeps all
 * columns of the diamond at that z, both time levels, in registers (wave_register_shape.cuh names
 * the columns).
 *
 * Along x and y nothing moves inside the diamond; the leading edge arrives in a ring of slots in
 * shared memory, the trailing edge is written to global memory.
 *
 * Along z each thread writes its newest level to its place in the exchange of its warp and reads
 * the places beside it. The lowest and highest planes of a warp go to the exchange of the warp
 * beside it too, those of a block through mailboxes in global memory whose packets carry their own
 * flags.
 *
 * A warp waits only for the two warps beside it; there is no barrier of the block. Four more warps
 * (wave_register_helpers.cuh) fetch slots, receive mail, publish progress and look up sources and
 * receivers.
 *
 * Near x and y faces the columns just outside are set to mirror images of those inside before a
 * step, so that the step itself need not know. (Whoever reads such a ghost has its source at hand.)
 */
#ifndef TORRE_WAVE_REGISTER_TOWER_CUH
#define TORRE_WAVE_REGISTER_TOWER_CUH

#include "tower_schedule.cuh"
#include "wave_register_shape.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* 16 bytes of a mailbox: two words of data, each with the number of the message beside it. */
__device__ __forceinline__ void store_packet(void *to, uint32_t a, uint32_t b, uint32_t number)
{
    asm volatile("st.relaxed.gpu.global.v4.b32 [%0], {%1, %2, %3, %2};" ::"l"(to), "r"(a),
                 "r"(number), "r"(b)
                 : "memory");
}

/* All columns of the diamond and around it, at the plane of this thread; u + v is even. */
#define FOR_COLUMNS(from, to)                                                                      \
    _Pragma("unroll") for (int u = (from); u < (to); u++)                                          \
        _Pragma("unroll") for (int v = (from) + ((u ^ (from)) & 1); v < (to); v += 2)

template <class T, int D, bool MODEL> struct register_tower {
    using S = register_shape<T, D, MODEL>;
    static constexpr int W = S::W, E = S::E, V = S::vector;
    using columns = T[E][E];

    const register_tower_params<T, D> &p;
    const torre_wave_args &g;
    const int lane, warp;
    int n = 0; /* steps of all items so far; gives slots, parities and phases */
    /* Passing on edges: half a warp takes the lowest plane down, the other the highest up, a vector
     * a lane. */
    int edge_from, edge_to; /* offsets in shared memory (for even n); edge_to -1: not there */

    __device__ __forceinline__ explicit register_tower(const register_tower_params<T, D> &params)
        : p(params), g(params.g), lane(threadIdx.x & 31), warp(threadIdx.x >> 5)
    {
        item().mail_phase = 0;
        __syncwarp();
    }
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
    __device__ __forceinline__ bool active() const { return (int)threadIdx.x < item().planes; }
    __device__ __forceinline__ int z() const { return item().z_first + (int)threadIdx.x; }
    /* Lane of the lowest (side 0) or highest plane of this warp. */
    __device__ __forceinline__ int end_lane(int side) const
    {
        return side == 0 ? 0 : warp == item().last_warp ? (item().planes - 1) & 31 : 31;
    }

    /* ---------- items ---------- */

    __device__ __forceinline__ void start_item(const tower_item &w, int number)
    {
        const tower_planes range = tower_planes_of(p.l, w.part, g.n[2], V);
        volatile register_item &h = item();
        h.item = number;
        h.part = w.part;
        h.first_step = w.first_step;
        h.end_step = w.end_step;
        h.x_tower = p.l.half_size * w.s;
        h.y_tower = p.l.half_size * w.m;
        h.z_first = range.first;
        h.planes = range.count;
        h.last_warp = (range.count - 1) / 32;
        __syncwarp();
#pragma unroll 1
        for (int side = 0; side < 2; side++) {
            const bool at_end = warp == (side ? h.last_warp : 0);
            const int other = tower_part_beside(p.l, w.part, side, false);
            h.beside[side] = at_end && other >= 0 ? number - w.part + other : -1;
            if (at_end && other < 0 && !g.mirror[2].sign[side][0] && lane == end_lane(side))
                for (int i = 0; i < 2 * S::kept_vectors; i++) /* beyond a free face is zero */
                    *(float4 *)(shared() + S::edge(warp, i & 1, side) + i / 2 * S::row_bytes) =
                        make_float4(0, 0, 0, 0);
        }
        __syncwarp();
        const int side = lane >> 4, row = (lane & 15) * S::row_bytes;
        const bool at_end = warp == (side ? h.last_warp : 0);
        edge_from = S::place(warp, end_lane(side) + 2) + row;
        edge_to =
            S::edge(at_end ? warp : warp + (side ? 1 : -1), 0, at_end ? side : 1 - side) + row;
        if ((lane & 15) >= S::kept_vectors ||
            (at_end && (h.beside[side] >= 0 || !g.mirror[2].sign[side][0])))
            edge_to = -1; /* to a block beside, or beyond a free face: see send_mail */
        find_plain_steps();
        __syncwarp();
    }
    /* The steps that are neither near a face nor damped. */
    __device__ __forceinline__ void find_plain_steps()
    {
        volatile register_item &h = item();
        const int x = h.x_tower, y = h.y_tower, z0 = h.z_first + warp * 32;
        int x_low = 1, x_high = g.n[0] - 1;
        bool plain = y >= D && y + D <= g.n[1] - 1;
        if (g.damping[0]) {
            x_low = max(x_low, g.clear[0][0]);
            x_high = min(x_high, g.clear[0][1]);
            plain &= (g.periodic[1] || (y - D >= g.clear[1][0] && y + D <= g.clear[1][1])) &&
                     z0 >= g.clear[2][0] && min(z0 + 32, g.n[2]) <= g.clear[2][1];
        }
        h.plain_first = x_low - x;
        h.plain_end = plain ? x_high - W - x + 1 : -1;
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
    static __device__ __forceinline__ T load_cell(const char *p) { return __ldcg((const T *)p); }
    static __device__ __forceinline__ void store_cell(char *p, T value) { __stcg((T *)p, value); }
    /* Whether column (u, v) is inside the grid, and how far from (0, 0), which lies at (x, y). */
    __device__ __forceinline__ bool find_column(int x, int y, int u, int v, int64_t *offset) const
    {
        const int at_x = x + (u + v) / 2, at_y = y + (u - v) / 2;
        const int64_t span = g.periodic[1] ? g.n[1] * g.stride_y * (int64_t)sizeof(T) : 0;
        *offset = p.offset[S::column_number(u, v)];
        *offset += at_y < 0 ? span : at_y >= g.n[1] ? -span : 0;
        return (unsigned)at_x < (unsigned)g.n[0] &&
               (g.periodic[1] || (unsigned)at_y < (unsigned)g.n[1]);
    }
    /* Columns from u, v = FIRST on, less than LAST, of the diamond whose column (0, 0) lies at x;
     * near: some may be outside the grid. */
    template <int FIRST, int LAST>
    __device__ __forceinline__ void load(columns &to, void *field, int x, bool near) const
    {
        const char *plane = first_column(field, x);
        const int y = item().y_tower;
        if (near) {
            FOR_COLUMNS(FIRST, LAST)
            {
                int64_t offset;
                to[u][v] = find_column(x, y, u, v, &offset) ? load_cell(plane + offset) : T(0);
            }
        } else {
            FOR_COLUMNS(FIRST, LAST) to[u][v] = load_cell(plane + p.offset[S::column_number(u, v)]);
        }
    }
    /* Columns that leave the diamond (TRAIL: u < 2 or v < 2), or all others. */
    template <bool TRAIL>
    __device__ __forceinline__ void store(const columns &from, void *field, int x, bool near) const
    {
        char *plane = first_column(field, x);
        const int y = item().y_tower;
        if (!active()) return;
        if (near) {
            FOR_COLUMNS(0, W)
            if ((u < 2 || v < 2) == TRAIL) {
                int64_t offset;
                if (find_column(x, y, u, v, &offset)) store_cell(plane + offset, from[u][v]);
            }
        } else {
            FOR_COLUMNS(0, W)
            if ((u < 2 || v < 2) == TRAIL)
                store_cell(plane + p.offset[S::column_number(u, v)], from[u][v]);
        }
    }

    /* Level t of the diamond of step t - 1 into `cur`, level t - 1 of that of step t - 2 into
     * `prev`, and the edges of the first step. */
    __device__ __forceinline__ void enter(columns &prev, columns &cur)
    {
        const int t = item().first_step, x = item().x_tower + t;
        FOR_COLUMNS(0, E) prev[u][v] = cur[u][v] = 0;
        if (t == 0 && active()) { /* or everything is outside */
            const bool near = is_near_face(0) || is_near_face(-1);
            load<2, E>(prev, g.field[0], x - 2, near);
            load<0, W>(cur, g.field[1], x - 1, near);
#pragma unroll 1
            for (int side = 0; side < 2; side++) {
                if (item().beside[side] < 0 || lane != end_lane(side)) continue;
                const char *plane =
                    first_column(g.field[1], x - 1) + (side ? 1 : -1) * (int)sizeof(T);
#pragma unroll 1
                for (int i = 0; i < S::kept; i++) {
                    int64_t offset;
                    T *to = (T *)(shared() + S::edge(warp, n & 1, side) + i / V * S::row_bytes);
                    const bool inside =
                        find_column(x - 1, item().y_tower, S::kept_u(i), S::kept_v(i), &offset);
                    to[i % V] = inside ? load_cell(plane + offset) : T(0);
                }
            }
        }
        pass_on(cur, t);
    }

    /* Write what stays in the diamond: `cur` is the level after step t, `prev` the one before. */
    __device__ __forceinline__ void leave(const columns &prev, const columns &cur, int t)
    {
        const bool near = is_near_face(t) || is_near_face(t - 1);
        store<false>(cur, g.field[t & 1], item().x_tower + t, near);
        store<false>(prev, g.field[1 - (t & 1)], item().x_tower + t - 1, near);
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
    /* The newest level, t, to the threads and blocks beside, for step n. */
    __device__ __forceinline__ void pass_on(const columns &from, int t)
    {
        __syncwarp(); /* the places have been read */
#pragma unroll
        for (int i = 0; i < S::kept_vectors; i++)
            *(cells<T> *)(shared() + S::place(warp, lane + 2) + i * S::row_bytes) =
                kept_vector(from, i);
        __syncwarp();
        if (edge_to >= 0)
            *(cells<T> *)(shared() + edge_to + (n & 1) * 16) =
                *(const cells<T> *)(shared() + edge_from);
        if (t > item().first_step) send_mail(t);
        __syncwarp();
        if (lane == 0) gate_arrive(&gates()->kept[warp][n & 1]);
    }
    __device__ __forceinline__ void send_mail(int t)
    {
        const int to = item().beside[lane >> 4];
        if (to < 0 || (lane & 15) >= S::kept_vectors) return;
        char *box = tower_mailbox(p.l, to % p.l.blocks, 1 - (lane >> 4), t & 1, S::mailbox_bytes);
        const uint32_t number = tower_mail_number(p.l, to, t);
        const uint4 q = *(const uint4 *)(shared() + edge_from);
        store_packet(box + (lane & 15) * 32, q.x, q.y, number);
        store_packet(box + (lane & 15) * 32 + 16, q.z, q.w, number);
    }
    __device__ __forceinline__ void wait_for_edges(int t)
    {
        const uint32_t phase = n >> 1 & 1;
        if (warp > 0) gate_wait(&gates()->kept[warp - 1][n & 1], phase);
        if (warp < S::warps - 1) gate_wait(&gates()->kept[warp + 1][n & 1], phase);
        if (t == item().first_step) return;
        const int k = (t - item().first_step - 1) / 2; /* message of this parity in this item */
#pragma unroll
        for (int side = 0; side < 2; side++)
            if (item().beside[side] >= 0)
                gate_wait(&gates()->mail[side][t & 1],
                          (item().mail_phase >> (2 * side + (t & 1)) ^ k) & 1);
    }
    /* All messages of this item have arrived, to whichever warp. */
    __device__ __forceinline__ void count_mail()
    {
        const int steps = item().end_step - item().first_step;
        const uint32_t odd = steps / 2 & 1, even = (steps - 1) / 2 & 1; /* by parity of t */
        for (int side = 0; side < 2; side++)
            if (tower_part_beside(p.l, item().part, side, false) >= 0)
                item().mail_phase = item().mail_phase ^ (even | odd << 1) << 2 * side;
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

    /* out (level t + 1) from cur (level t) and prev. */
    template <bool DAMPED>
    __device__ __forceinline__ void update(const columns &prev, const columns &cur, columns &out,
                                           const T *halo, int t)
    {
        const stencil_weights<T> &c = p.c;
        const char *model = shared() + S::model + threadIdx.x * (int)sizeof(T);
        const char *below_at =
            shared() + (lane == 0 ? S::edge(warp, n & 1, 0) : S::place(warp, lane + 1));
        const char *above_at =
            shared() + (lane == end_lane(1) ? S::edge(warp, n & 1, 1) : S::place(warp, lane + 3));
        /* columns of the halo bring their neighbours along: zero beyond a face */
        const T *halo_below = halo - !(z() == 0 && g.mirror[2].sign[0][0]);
        const T *halo_above = halo + !(z() == g.n[2] - 1 && g.mirror[2].sign[1][0]);
        const T s_dt_z = DAMPED && active() ? ((const T *)g.damping[2])[z()] : T(0);
        const T *s_dt_xy = DAMPED ? fetch_damping(t) : nullptr;
        const int t_mod_width = MODEL ? t % S::model_width : 0;
        int i = 0;
        cells<T> below, above;
        FOR_COLUMNS(0, W)
        {
            const T here = cur[u + 1][v + 1], before = prev[u + 2][v + 2];
            T pair;
            if (u + 1 < W && v + 1 < W) {
                if (i % V == 0) {
                    below = *(const cells<T> *)(below_at + i / V * S::row_bytes);
                    above = *(const cells<T> *)(above_at + i / V * S::row_bytes);
                }
                pair = add(below.v[i % V], above.v[i % V]);
                i++;
            } else {
                const int at = S::halo_index(u + 1, v + 1) * S::line;
                pair = add(halo_below[at], halo_above[at]);
            }
            T k = c.k0;
            if (MODEL)
                k = *(const T *)(model +
                                 S::model_index(u, v, t_mod_width) * S::planes * (int)sizeof(T));
            T sum = multiply(c.center, here);
            sum = multiply_add(c.weight[1][1], add(cur[u][v + 2], cur[u + 2][v]), sum);
            sum = multiply_add(c.weight[0][1], add(cur[u][v], cur[u + 2][v + 2]), sum);
            sum = multiply_add(c.weight[2][1], pair, sum);
            if (DAMPED) {
                const T s_dt =
                    add(add(s_dt_xy[(u + v) / 2], s_dt_xy[16 + (u - v) / 2 + D - 1]), s_dt_z);
                T next = multiply_add(T(2), here, -multiply(add(T(1), -s_dt), before));
                out[u][v] = divide(multiply_add(k, sum, next), add(T(1), s_dt));
            } else {
                out[u][v] = multiply_add(k, sum, multiply_add(T(2), here, -before));
            }
        }
    }

    /* The columns with points in step n. */
    static __device__ __forceinline__ const column_list<D> &points(int n)
    {
        return ((const column_list<D> *)(shared() + S::columns))[n % S::slots];
    }
    __device__ __forceinline__ bool has_points(int n) const
    {
        return g.points.first && points(n).warps >> warp & 1;
    }
    /* The sources of one column in step t at the plane of this thread. */
    static __device__ __forceinline__ T source_value(const torre_points_args &a, T value, int z,
                                                     int t, int first, int last)
    {
        for (int i = first; i < last; i++) {
            const torre_point_node node = a.node[i];
            if (node.slot >= 0) break;
            if (node.z == z)
                value = add(value, ((const T *)a.source_values)[t * a.source_count + ~node.slot]);
        }
        return value;
    }
    /* Samples of one column: lane i takes node i from the lane that has its plane. */
    static __device__ __forceinline__ void take_samples(const torre_points_args &a, T value,
                                                        int z_lane0, int planes, int t, int first,
                                                        int last)
    {
        for (int start = first; start < last; start += 32) {
            const int i = start + (threadIdx.x & 31);
            torre_point_node node = {0, -1, -1};
            if (i < last) node = a.node[i];
            const int from = node.z - z_lane0;
            const T sample = __shfl_sync(~0u, value, from & 31);
            if (node.slot >= 0 && from >= 0 && from < planes)
                ((T *)a.samples)[t * a.receiver_count + node.slot] = sample;
        }
    }
    /* Sources and receivers of step t. */
    __device__ __forceinline__ void serve_points(columns &out, int t)
    {
        const column_list<D> &list = points(n);
        const bool sources = list.source_warps >> warp & 1;
#pragma unroll 1
        for (int i = 0; i < list.count; i++) {
            const typename column_list<D>::column c = list.column[i];
            if (!(c.warps >> warp & 1)) continue;
            T value = 0;
            FOR_COLUMNS(0, W) if (c.number == S::column_number(u, v)) value = out[u][v];
            if (sources) {
                value = source_value(g.points, value, z(), t, c.first, c.first + c.count);
                FOR_COLUMNS(0, W) if (c.number == S::column_number(u, v)) out[u][v] = value;
            }
            take_samples(g.points, value, z() - lane, min(item().planes - warp * 32, 32), t,
                         c.first, c.first + c.count);
        }
    }

    /* Whether step t touches an x or y face, or the seam of periodic y. */
    __device__ __forceinline__ bool is_near_face(int t) const
    {
        const int x = item().x_tower + t, y = item().y_tower;
        return x < 1 || x + W > g.n[0] - 1 || y < D || y + D > g.n[1] - 1;
    }
    /* Whether some cell of this warp is damped in step t. */
    __device__ __forceinline__ bool is_damped(int t) const
    {
        if (!g.damping[0]) return false;
        const int x = item().x_tower + t, y = item().y_tower, z0 = z() - lane;
        return x < g.clear[0][0] || x + W > g.clear[0][1] ||
               (!g.periodic[1] && (y - D < g.clear[1][0] || y + D > g.clear[1][1])) ||
               z0 < g.clear[2][0] || min(z0 + 32, g.n[2]) > g.clear[2][1];
    }

    /* The slot of step n has been filled. */
    static __device__ __forceinline__ void wait_for_slot(int n)
    {
        gate_wait(&gates()->full[n % S::slots], n / S::slots & 1);
    }
    __device__ __forceinline__ void wait_for_step(int t)
    {
        wait_for_slot(n);
        wait_for_edges(t);
    }
    /* Step n - 1 has finished. */
    __device__ __forceinline__ void release_slot()
    {
        __syncwarp();
        if (lane == 0) gate_arrive(&gates()->empty[(n - 1) % S::slots]);
    }

    template <bool PLAIN>
    __device__ __forceinline__ void step(const columns &prev, columns &cur, columns &out, int t)
    {
        wait_for_step(t);
        const T *halo =
            (const T *)(shared() + S::ring + n % S::slots * S::slot_bytes) + V + threadIdx.x;
        const bool near = !PLAIN && is_near_face(t);
        FOR_COLUMNS(0, E)
        if (u >= W || v >= W) cur[u][v] = halo[S::halo_index(u, v) * S::line];
        if (near) fill_ghosts(cur, item().x_tower + t - 1);
        if (!PLAIN && is_damped(t))
            update<true>(prev, cur, out, halo, t);
        else
            update<false>(prev, cur, out, halo, t);
        if (!PLAIN && has_points(n)) serve_points(out, t);
        store<true>(out, g.field[t & 1], item().x_tower + t, near);
        n++;
        if (t + 1 < item().end_step) pass_on(out, t + 1);
        release_slot();
    }

    /* All steps of one item. */
    __device__ __forceinline__ void climb()
    {
        columns P, C, A, B;
        enter(P, C);
#pragma unroll 1
        for (int t = item().first_step;; t += 2) {
            const bool lone = t + 1 >= item().end_step; /* no step t + 1 */
            bool plain = !lone && t >= item().plain_first && t + 1 < item().plain_end;
            if (g.points.first && plain) {
                wait_for_slot(n);
                wait_for_slot(n + 1);
                plain = !has_points(n) && !has_points(n + 1);
            }
            if (plain) {
                step<true>(P, C, A, t);
                step<true>(C, A, B, t + 1);
            } else {
                step<false>(P, C, A, t);
                if (lone) {
                    leave(C, A, t);
                    break;
                }
                step<false>(C, A, B, t + 1);
            }
            if (t + 2 >= item().end_step) {
                leave(A, B, t + 1);
                break;
            }
            FOR_COLUMNS(0, E) P[u][v] = A[u][v], C[u][v] = B[u][v];
        }
    }
    /* The same for a warp above the last plane: it keeps in step. */
    __device__ __forceinline__ void climb_idle()
    {
        if (lane == 0) gate_arrive(&gates()->kept[warp][n & 1]);
#pragma unroll 1
        for (int t = item().first_step; t < item().end_step; t++) {
            wait_for_step(t);
            n++;
            if (lane == 0 && t + 1 < item().end_step) gate_arrive(&gates()->kept[warp][n & 1]);
            release_slot();
        }
    }
    __device__ __forceinline__ void run(const tower_item &w, int number)
    {
        start_item(w, number);
        if (works())
            climb();
        else
            climb_idle();
        __syncwarp();
        if (lane == 0) {
            count_mail();
            gate_arrive(&gates()->left);
        }
        __syncwarp();
    }
};
#endif

#include "wave_register_helpers.cuh"

#endif
