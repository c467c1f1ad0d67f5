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
 *     own    the newest level of every block, by frame position (Y, X); with TMA at order 4 without
 *            a model the level before as well, so that nobody waits until it has been read;
 *     halo   two blocks per row beyond the leading edge, from global memory, two steps deep;
 *     k      with a model and TMA: (c dt)^2 of all cells; or, where it does not fit, of the blocks
 *            that enter. Then a thread keeps k in registers in place of the newest level, which it
 *            reads in `own` as its neighbours do, where blocks stay in their places (STEADY). In
 *            wide towers it does so without k.
 *
 * A line is one column of cells along z: ZL vectors, with PV more on each side, the edges: what
 * lies just below and above the planes of this part. Halo lines bring theirs along; those of `own`
 * come from the parts beside (see wave_block_edges.cuh). At a face they are mirror images.
 *
 * A block of threads takes the parts of towers that it runs one by one (tower_schedule.cuh) and
 * goes through climb() with each: enter() loads both levels, step() follows for every step that
 * touches the grid, leave() writes what is still in the diamond. A step:
 *
 *     prepare        wait for the halo; a block that has just entered is taken from it; fill what
 *                    lies beyond faces;
 *     update         sum along x and y, wait for the edges, sum along z: the new level, in
 *                    registers;
 *     store_leaving  write the block that falls off the trailing edge to memory;
 *     publish_block  when all have read the old level, put the new one into `own` (with two levels
 *                    there update() publishes each vector, and what leaves is written afterwards).
 *
 * What a step waits for, and whom it tells, is up to `Waits`. With TMA (compute capability 9.0)
 * four more warps help: one polls the upwind towers and copies halos, two exchange the edges of
 * `own` with the parts beside, and one tells how far this block has come
 * (wave_block_tower_tma.cuh). Without it, the threads do all that themselves between the steps
 * (wave_block_tower_plain.cuh).
 *
 * Where the diamond reaches over an x or y face, the lines just outside are first filled with
 * mirror images of lines inside, so that the sums need not know; for that the block pays one more
 * barrier. (Whoever reads a ghost has its source in reach as well, so every source that matters is
 * at hand.) It must stay cheap: a tower that climbs more slowly slows down every tower behind it.
 *
 * Here are the places of things and the order of a step. The rest of block_tower is in
 * wave_block_enter.cuh (entering and leaving the grid), wave_block_sums.cuh (update),
 * wave_block_model.cuh (k), wave_block_faces.cuh and wave_block_points.cuh (sources, receivers;
 * wave_block_points_shared.cuh at order 8, wave_block_points_many.cuh of many); its sizes are in
 * wave_block_shape.cuh.
 */
#ifndef TORRE_WAVE_BLOCK_TOWER_CUH
#define TORRE_WAVE_BLOCK_TOWER_CUH

#include "cuda/tower/tower_schedule.cuh"
#include <cuda_pipeline_primitives.h>
#include <limits.h>
#include <type_traits>

#include "wave_block_edges.cuh"
#include "wave_block_shape.cuh"

/* Keep rare code out of the way: a step is one long run of instructions. */
__device__ __forceinline__ bool likely(bool b) { return __builtin_expect(b, 1); }

/* To global memory, past the L1 cache. */
template <class T> __device__ __forceinline__ void store_vector(void *to, const cells<T> &v)
{
    float4 q;
    memcpy(&q, &v, 16);
    __stcg((float4 *)to, q);
}

/* What damps cells: nothing, layers along y and z alone (two multiplications by numbers from
 * tables), or any. */
enum block_damping { UNDAMPED, DAMPED_ALONG_YZ, DAMPED };

template <class Kernel> struct block_tower {
    using T = typename Kernel::T;
    using S = typename Kernel::S;
    using vec = cells<T>;
    static constexpr int R = Kernel::R, DB = Kernel::DB;
    static constexpr bool WIDE = Kernel::WIDE, MODEL = Kernel::MODEL, TMA = Kernel::TMA;
    static constexpr bool BOUND = Kernel::BOUND;
    static constexpr block_layers LAYERS = Kernel::LAYERS;
    static constexpr int V = S::V, PV = S::PV, NL = S::NL, ZV = S::ZV, lanes = S::lanes;
    static constexpr int ODD = Kernel::ODD;
    static constexpr bool STEADY = Kernel::STEADY, HOLDS_K = Kernel::HOLDS_K;
    /* Plain steps have a copy of the code to themselves. Nothing is gained by it with k in
     * registers or without TMA, and f64 spills. */
    static constexpr bool plain_copy = TMA && sizeof(T) == 4 && !STEADY;
    static constexpr int ARRAYS = Kernel::ARRAYS;
    static constexpr int KEPT =
        MODEL && TMA && !STEADY ? S::k_places(LAYERS, ARRAYS) : 0; /* k in shared memory */
    /* What binds cells: how many vectors are used at a time, groups that there are places for, and
     * all. Where places are few, groups take turns, fetched in each step; at order 4 the first stay
     * there as long as the block does, and the rest is read through L2. */
    static constexpr int GROUP = S::group_of(TMA, ARRAYS), GROUPS = ZV * NL / GROUP;
    static constexpr int PLACED = S::binding_places(TMA, ARRAYS) / GROUP;
    static constexpr bool TAKE_TURNS = R > 2 && PLACED > 0 && PLACED < GROUPS;

    /* LAYERS_ALONE: tables for what layers along y and z do, with ones where nothing is damped. */
    static constexpr bool ALONE = LAYERS == LAYERS_ALONE;
    static constexpr block_damping MOSTLY = ALONE ? DAMPED_ALONG_YZ : UNDAMPED;
    static constexpr int TABLES = S::layers_tables(ARRAYS);
    static constexpr int LAYERS_AT = S::layers_at(TMA, ARRAYS, LAYERS);
    static_assert(!TMA || S::shared_bytes_of(TMA, ARRAYS, LAYERS) <= MOST_SHARED, "all fits");

    /*
     * The two levels of a block and a line of sums nearly fill the registers of a thread. All else
     * that outlives a step stays in shared memory and is read (volatile) where it is needed: what
     * belongs to the item, and where the row of each slot lies.
     */
    struct item_state {
        int x_tower, y_tower, z_part, vectors; /* vectors: along z in this part */
        int below, above;                      /* parts beside, -1: a face */
        int first_step, end_step;
        int far_from, far_until;     /* steps that read nothing beyond an x or y face */
        int clear_from, clear_until; /* steps without a damped cell */
        int item, part;
        int plain_from, plain_until; /* steps that can do without all but the sums */
    };
    struct place {
        int row;    /* Y */
        int number; /* of block (0, Y), see row_start */
        /* offsets of blocks (0, Y + 1), (0, Y - 1); STEADY: of the neighbours in these rows */
        int own_up, own_down;
        int first;                     /* position at the start of a tower */
        int y;                         /* of the first column, in this item */
        int source_first, source_last; /* nodes of sources in the block that the slot holds */
        __device__ __forceinline__ int own_row() const { return S::own + number * S::block_bytes; }
        __device__ __forceinline__ int reach() const { return abs(row); }
        __device__ __forceinline__ int length() const { return 2 * (DB - abs(row)); }
        __device__ __forceinline__ int halo_row() const
        {
            return S::halo + (row + DB) * 2 * S::halo_block_bytes;
        }
        /* STEADY: the one place in `own`; a row is a ring. */
        __device__ __forceinline__ int own_place() const
        {
            return own_row() + first * S::block_bytes;
        }
        __device__ __forceinline__ int own_before() const
        {
            return own_place() + (first > reach() ? -1 : length() - 1) * S::block_bytes;
        }
        __device__ __forceinline__ int own_after() const
        {
            return own_place() +
                   (first + 1 < reach() + length() ? 1 : 1 - length()) * S::block_bytes;
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
        load_volatile(shared_address(shared()) + at, to[0], to[1], to[2], to[3]);
    }
    __device__ __forceinline__ void refresh()
    {
        int q[12];
        load_ints(S::item, q);
        load_ints(S::item + 16, q + 4);
        load_ints(S::item + 32, q + 8);
        h.x_tower = q[0], h.y_tower = q[1], h.z_part = q[2], h.vectors = q[3];
        h.below = q[4], h.above = q[5], h.first_step = q[6], h.end_step = q[7];
        h.far_from = q[8], h.far_until = q[9], h.clear_from = q[10], h.clear_until = q[11];
    }
    static __device__ __forceinline__ const item_state &item()
    {
        return *(const item_state *)(shared() + S::item);
    }
    static __device__ __forceinline__ int thread() { return threadIdx.x; }
    static __device__ __forceinline__ int lane_of(int thread)
    {
        constexpr int first = S::first_lanes, more = lanes - first;
        if constexpr (more > 0)
            if (thread >= first * S::blocks) return first + thread % more;
        return thread % first;
    }
    static __device__ __forceinline__ int lane() { return lane_of(thread()); }
    /* One lane of each slot. */
    static __device__ __forceinline__ bool leads()
    {
        return lane() == 0 || (WIDE && lane() == S::first_lanes);
    }
    static __device__ __forceinline__ int slot()
    {
        constexpr int first = S::first_lanes, more = lanes - first;
        if constexpr (more > 0)
            if (thread() >= first * S::blocks)
                return S::blocks + (thread() - first * S::blocks) / more;
        return S::workers == S::active ? thread() / first : min(thread() / first, S::blocks - 1);
    }
    static __device__ __forceinline__ place my_place()
    {
        place p;
        int q[8];
        load_ints(S::places + slot() * 32, q);
        load_ints(S::places + slot() * 32 + 16, q + 4);
        p.row = q[0], p.number = q[1], p.own_up = q[2], p.own_down = q[3];
        p.first = q[4], p.y = q[5], p.source_first = q[6], p.source_last = q[7];
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
    /* Threads that only fill up the last warp. */
    static __device__ __forceinline__ bool idle()
    {
        return S::workers != S::active && thread() >= S::workers;
    }
    /* Whether vector v of this thread is one of the part. Other vectors hold nothing that matters,
     * and lie where edges do, which racecheck takes for races: in a build for it they are neither
     * read nor written. */
    static __device__ __forceinline__ bool has_vector(int v)
    {
        return !idle() && (!RACECHECK || lane() + v * lanes < item().vectors);
    }
    static __device__ __forceinline__ int row_start(int y) { return ::row_start<DB>(y); }

    __device__ __forceinline__ explicit block_tower(const block_tower_params<T> &p)
        : g(p.g), l(p.l), c(p.c)
    {
        if (thread() >= S::slots) return;
        place q = {};
        /* rows -y and y take turns: their blocks enter and leave together, so it is better to have
         * them in the same warp; row 0 comes first */
        q.first = thread();
        if (q.first >= q.length()) {
            q.first -= q.length();
            q.row = 1;
            while (q.first >= 2 * q.length()) q.first -= 2 * q.length(), q.row++;
            if (q.first & 1) q.row = -q.row;
            q.first /= 2;
        }
        q.first += q.reach();
        if (thread() >= S::blocks) { /* every second one: lanes of these lie in different banks */
            const int n = thread() - S::blocks;
            block_place<DB>((n & ~7) + (n & 3) * 2 + (n >> 2 & 1), &q.first, &q.row);
        }
        q.number = row_start(q.row);
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
            find_far_steps(to);
            find_clear_steps(to);
            if (plain_copy) find_plain_steps(to);
        }
        if (thread() < S::slots) {
            place &p = *(place *)(shared() + S::places + thread() * 32);
            p.y = wrap_y(l.half_size * w.m + R * p.row);
        }
        if (ALONE) find_layers(w);
        barrier_among<S::active>();
        refresh();
        X = my_place().first;
    }
    __device__ __forceinline__ int beside(int side) const { return side ? h.above : h.below; }
    /* The item beside this one on the given side. */
    __device__ __forceinline__ int mail_item(int side) const
    {
        return item().item - item().part + beside(side);
    }

    __device__ __forceinline__ int wrap_y(int y) const
    {
        return g.periodic[1] ? (y < 0 ? y + g.n[1] : y >= g.n[1] ? y - g.n[1] : y) : y;
    }
    __device__ __forceinline__ bool column_inside(int x, int y) const
    {
        return (unsigned)x < (unsigned)g.n[0] && (unsigned)y < (unsigned)g.n[1];
    }
    /* Offset of vector v of this thread inside a line. */
    static __device__ __forceinline__ int in_line(int v)
    {
        if (RACECHECK) return (PV + min(lane() + v * lanes, item().vectors - 1)) * 16;
        return (PV + lane() + v * lanes) * 16;
    }

    static __device__ __forceinline__ void publish_vector(const vec (&from)[NL], int block, int v)
    {
        if (!has_vector(v)) return;
#pragma unroll
        for (int i = 0; i < NL; i++) store_shared(block + i * S::line + in_line(v), from[i]);
    }
    static __device__ __forceinline__ void publish_block(const vec (&from)[ZV][NL], int block)
    {
#pragma unroll
        for (int v = 0; v < ZV; v++) publish_vector(from[v], block, v);
    }
    static __device__ __forceinline__ void reload(vec (&C)[ZV][NL], int block)
    {
#pragma unroll
        for (int v = 0; v < ZV; v++)
            if (has_vector(v))
#pragma unroll
                for (int i = 0; i < NL; i++)
                    C[v][i] = load_shared(block + i * S::line + in_line(v));
    }

    /* ---------- faces along z (wave_block_faces.cuh) ---------- */

    __device__ __forceinline__ bool at_z_face() const { return h.below < 0 || h.above < 0; }
    __device__ __forceinline__ bool reverses_vectors() const { return S::reverses(g.n[2], 1); }
    /* Those images beyond the z faces, into the edges of the block at offset `block`. */
    __device__ __forceinline__ void mirror_vectors(const vec (&C)[ZV][NL], int block);
    /* The general case, cell by cell. */
    __device__ __forceinline__ void mirror_lines(int block);

    /* ---------- start and end of a tower (wave_block_enter.cuh) ---------- */

    __device__ __forceinline__ void load_block(vec (&to)[ZV][NL], const T *field, int x, int y);

    template <bool CHECKED>
    __device__ __forceinline__ void store_block(const vec (&from)[ZV][NL], void *field, int x,
                                                int y);

    /* The position after x. */
    static __device__ __forceinline__ int position_after(const place &p, int x)
    {
        return x - 1 < p.reach() ? p.reach() + p.length() - 1 : x - 1;
    }

    /* As if the step before the first had just ended. A: older level, C: newer level. */
    template <class Waits>
    __device__ __forceinline__ void enter(vec (&A)[ZV][NL], vec (&C)[ZV][NL], int t, Waits &waits);

    /* STEADY: find the block of row y that stands at X of the frame of step t - 1 in `own`. */
    static __device__ __forceinline__ int steady_place(int X, int y, int steps)
    {
        const int reach = abs(y), length = 2 * (DB - reach);
        const unsigned from = X - reach + steps;
        return S::own + (row_start(y) + reach + (int)(from % length)) * S::block_bytes;
    }
    /* STEADY: the neighbours along y of the block that this slot has from step t on, when it is at
     * X. (Rows of the halo are not looked for.) */
    __device__ __forceinline__ void find_rows_beside(const place &p, int X, int t) const;

    /* Edges of the first step, from the field itself: the threads of a block share them out. */
    static constexpr int EDGES = (2 * PV * NL + lanes - 1) / lanes;
    static __device__ __forceinline__ void edge_number(int n, int *side, int *d, int *line);
    __device__ __forceinline__ void load_edges(vec (&edges)[EDGES], const T *field, int x, int y);
    __device__ __forceinline__ void publish_edges(const vec (&edges)[EDGES], int block);

    /* Write what step t, the last one, has not: C holds the newest level, A the one before. */
    __device__ __forceinline__ void leave(const vec (&C)[ZV][NL], const vec (&A)[ZV][NL], int t);

    /* ---------- sources (wave_block_points.cuh) ---------- */

    /* The sources of the block that this slot takes over. */
    __device__ __forceinline__ void find_sources(int x, int y);
    __device__ __forceinline__ void sources_found();
    /* To the level that step t has published in the block at offset `block`. */
    __device__ __forceinline__ void add_sources(const place &p, int block, int t);

    /* ---------- the same by lanes, receivers at order 8 (wave_block_points_shared.cuh) -------- */

    __device__ __forceinline__ void add_node(const torre_part_node &node, T value, const place &p,
                                             int block, int t) const;
    __device__ __forceinline__ void add_nodes(const place &p, int few, int block, int t);
    /* MANY: each lane fetches its nodes of step t to shared memory first, those that there is room
     * for (wave_block_points_many.cuh). */
    __device__ __forceinline__ void fetch_nodes(const place &p, int t) const;
    __device__ __forceinline__ void add_fetched_nodes(const place &p, int block, int t) const;
    /* By all lanes of the warp; C is what the block has after that. */
    __device__ __forceinline__ void add_sources_together(vec (&C)[ZV][NL], const place &p,
                                                         int block, int t);
    /* What this thread records of the level that the step makes: a bit for each of its vectors,
     * and where the first one goes. */
    struct recorded_units {
        uint32_t bits;
        char *to;
    };
    __device__ __forceinline__ recorded_units find_units(const place &p) const;
    /* Out of C, or, STEADY, the block in shared memory. */
    __device__ __forceinline__ void record(const recorded_units &found, const vec (&C)[ZV][NL],
                                           int block) const;

    /* ---------- faces along x and y (wave_block_faces.cuh) ---------- */

    /* Whether some line that step t reads lies beyond an x or y face. */
    __device__ __forceinline__ bool is_near_face(int t) const
    {
        return t < h.far_from || t >= h.far_until;
    }
    __device__ __forceinline__ void find_far_steps(item_state &s) const
    {
        const int y = s.y_tower, d = R * DB;
        /* x_tower + R t >= R and x_tower + R t + 2 d + R <= n */
        s.far_from = steps_before(R - s.x_tower);
        s.far_until = steps_before(g.n[0] - 2 * d - R + 1 - s.x_tower);
        if (!g.periodic[1] && (y < d || y + d + R > g.n[1])) s.far_until = 0;
    }
    /* Offset of the block at (X, Y) of the frame of the step before; -1: not at hand. */
    __device__ __forceinline__ int find_block(int X, int Y, int t) const;
    /* Copy (sign 1, -1; 0: clear) this thread's vectors of the lines first .. end - 1 of R that are
     * `step` bytes apart. */
    static __device__ __forceinline__ void fill_lines(int to, int from, int sign, int step,
                                                      int first, int end);
    /* Fill the block at `to`, whose first column is (at_x, at_y), if it is the first beyond a face,
     * where faces lie between blocks: its sources are all in the next block inward. */
    __device__ __forceinline__ void fill_whole_block(int X, int Y, int at_x, int at_y, int to,
                                                     int t);
    /* Fill the lines of one block that are ghosts of step t. Returns whether there are any. */
    __device__ __forceinline__ bool fill_block(int X, int Y, int t);
    /* All ghosts of step t in shared memory, and in C. */
    __device__ __forceinline__ void fill_ghosts(vec (&C)[ZV][NL], const place &p, int t);

    /* ---------- what kind of step it is ---------- */

    /* Whether some cell of step t is damped (ALONE: by layers along x). */
    __device__ __forceinline__ bool is_damped(int t) const
    {
        return t < h.clear_from || t >= h.clear_until;
    }
    __device__ __forceinline__ void find_clear_steps(item_state &s) const
    {
        s.clear_from = 0;
        s.clear_until = INT_MAX;
        if (LAYERS == WITHOUT_LAYERS || !g.damping[0]) return;
        const int y = s.y_tower, z = s.z_part, d = R * DB, top = min(z + s.vectors * V, g.n[2]);
        if (!ALONE && ((!g.periodic[1] && (y - d < g.clear[1][0] || y + d > g.clear[1][1])) ||
                       z < g.clear[2][0] || top > g.clear[2][1]))
            s.clear_until = 0;
        /* x_tower + R t >= clear[0][0] and x_tower + R t + 2 d <= clear[0][1] */
        s.clear_from = steps_before(g.clear[0][0] - s.x_tower);
        s.clear_until = min(s.clear_until, steps_before(g.clear[0][1] - 2 * d + 1 - s.x_tower));
    }
    /* Not the first and the last, near no face, nothing damped. (With TMA z faces are mirrored by
     * the warps that exchange edges.) At order 4 middle vectors need no edges. */
    __device__ __forceinline__ void find_plain_steps(item_state &s) const
    {
        s.plain_from = max(s.first_step + 1, max(s.far_from, s.clear_from));
        s.plain_until = min(s.end_step - 1, min(s.far_until, s.clear_until));
        if ((s.below < 0 || s.above < 0) && !(TMA && S::mirrors_vectors)) s.plain_until = 0;
        if (R == 2 && s.vectors <= (ZV - 1) * lanes) s.plain_until = 0;
    }
    /* Order 4: whether vectors v of a thin part have no planes, so that nothing need be done. Plain
     * steps, which such parts have none of, do not ask; nor do kernels without a copy of those,
     * which would spill, or with a model, whose other grids would lose 4 %. */
    template <bool PLAIN> __device__ __forceinline__ bool has_none(int v) const
    {
        return plain_copy && !MODEL && !PLAIN && v > 0 && h.vectors <= v * lanes;
    }
    /* Whether step t is plain for this warp: in the others it adds to sources, too. */
    __device__ __forceinline__ bool is_plain(int t)
    {
        int q[4];
        load_ints(S::item + 48, q);
        if (t < q[2] || t >= q[3]) return false;
        if (likely(g.points.first == nullptr)) return true;
        sources_found();
        const place p = my_place();
        return !__any_sync(~0u, p.source_first < p.source_last);
    }
    /* The first step by which a tower has moved by x cells. */
    static __device__ __forceinline__ int steps_before(int x)
    {
        return x <= 0 ? 0 : (x + R - 1) / R;
    }

    /* Coordinates of something to read where the results of this thread do not matter. */
    static __device__ __forceinline__ int column(int i, int n) { return min(max(i, 0), n - 1); }

    /* What a block of cells is made of during a step. */
    struct cell_block {
        int x, y, z; /* first column, vector 0 */
        int row;     /* Y */
    };
    __device__ __forceinline__ int z_of(const cell_block &b, int v) const
    {
        return b.z + min(lane() + v * lanes, h.vectors - 1) * V;
    }

    /* ---------- k (wave_block_model.cuh) ---------- */

    /* k of vector v of the first column; others lie k_stride_x, k_stride_y further. (The model has
     * room for what blocks that reach over a face read beyond its end.) */
    __device__ __forceinline__ const T *model_of(const cell_block &b, int v);
    /* k of vector v of R cells from (i, j) on, along x (AXIS 0) or y (1). */
    template <int AXIS>
    __device__ __forceinline__ void load_model(vec (&k)[R], const T *model, int v, int i,
                                               int j) const;
    __device__ __forceinline__ vec load_k(const T *model, int v, int i, int j) const;
    /* STEADY: f(v, i, where) for k of all vectors of the block whose first column is (x, y). */
    template <class F> __device__ __forceinline__ void for_all_k(int x, int y, F f);
    /* STEADY: take k of a block; or by way of shared memory, where fetch_entering puts it in the
     * step before. */
    __device__ __forceinline__ void hold_model(vec (&K)[ZV][NL], int x, int y);
    static __device__ __forceinline__ int entering(const place &p, int number)
    {
        return S::more + (p.row + DB - 1) * S::k_row + (number * lanes + lane()) * 16;
    }
    __device__ __forceinline__ void fetch_entering(const place &p, int x, int y);
    __device__ __forceinline__ void take_entering(vec (&K)[ZV][NL], const place &p);
    static __device__ __forceinline__ int kept(int number)
    {
        return S::more + number * S::place_bytes + thread() * 16;
    }
    /* Fetch what load_k finds in shared memory, for the block whose first column is (x, y);
     * asynchronously, each thread for itself. */
    __device__ __forceinline__ void fetch_model(int x, int y);
    /* Where density varies: what binds the cells of the GROUP vectors that are group `number` of a
     * step, fetched into places of this thread or read. TAKE_TURNS: the first PLACED groups are
     * asked for when a step begins, the others when the one before them in their place is taken. */
    static __device__ __forceinline__ int binding_place(int number, int j)
    {
        return S::binding_at(TMA, LAYERS, ARRAYS) +
               (PLACED ? number % PLACED * GROUP + j : 0) * S::place_bytes + thread() * 16;
    }
    static constexpr __device__ int vector_of(int number);
    static constexpr __device__ int first_line_of(int number);
    __device__ __forceinline__ const T *binding_of(const cell_block &b, int number, int j) const;
    __device__ __forceinline__ void fetch_binding(const cell_block &b, int number);
    __device__ __forceinline__ void fetch_first_bindings(const cell_block &b);
    __device__ __forceinline__ void take_binding(vec (&to)[GROUP], const cell_block &b, int number);
    static __device__ __forceinline__ void bind(vec &sum, const vec &binding, const vec &u)
    {
        if (BOUND) bind_cells(sum, binding, u);
    }
    __device__ __forceinline__ void model_fetched()
    {
        if (KEPT || (PLACED && !TAKE_TURNS)) __pipeline_wait_prior(0);
    }

    /* ---------- absorbing layers (wave_block_layers.cuh) ---------- */

    /* s dt of planes, of lines along x of a row, and of the lines along y of the block that the
     * slot holds. */
    static __device__ __forceinline__ int damped_planes(int v)
    {
        return LAYERS_AT + (lane() + v * lanes) * 16;
    }
    static __device__ __forceinline__ T *damped_row(int row)
    {
        return (T *)(shared() + LAYERS_AT + S::layers_planes) + (row + DB - 1) * R;
    }
    static __device__ __forceinline__ T *damped_lines() { return damped_row(DB) + slot() * R; }
    /* ALONE: 1 / (1 + s dt) (TABLE 0), 1 - s dt (1) of vector v of line j of a row. */
    template <int TABLE> static __device__ __forceinline__ int along_yz(int row, int v, int j)
    {
        return LAYERS_AT + S::layers_base + TABLE * S::layers_table +
               ((row + DB - 1) * R + j) * S::layers_planes + (lane() + v * lanes) * 16;
    }
    /* What belongs to an item: all but lines along y. */
    __device__ __forceinline__ void find_layers(const tower_item &w) const;
    /* Fetch these for the block whose first column is (x, ...). */
    __device__ __forceinline__ void fetch_damped_lines(int x) const;
    /* Whether a block of the warp is damped by more than the tables say; then that is there. */
    __device__ __forceinline__ bool has_damped_lines(const cell_block &b) const;
    /* What the older level of vector v of line i is multiplied by; the new one. */
    template <block_damping D>
    __device__ __forceinline__ vec factor_before(const cell_block &b, int v, int i) const;
    template <block_damping D>
    __device__ __forceinline__ vec factor_after(const cell_block &b, int v, int i) const;

    /* ---------- sums (wave_block_sums.cuh) ---------- */

    /* For kernels without tables: what to damp by, and where vector v lies. */
    static constexpr __host__ __device__ bool damps(block_damping D)
    {
        return D == DAMPED && !ALONE;
    }
    template <block_damping D>
    __device__ __forceinline__ int damped_z(const cell_block &b, int v) const
    {
        return damps(D) ? z_of(b, v) : 0;
    }
    __device__ __forceinline__ vec damping_of(const cell_block &b, int i, int z) const
    {
        return damping_at<T>(g, column(b.x + i / R, g.n[0]), column(b.y + i % R, g.n[1]), z);
    }
    /* The start of a step for vector v, at z, of line i. */
    template <block_damping D>
    __device__ __forceinline__ void begin(vec &A, const vec &C, const cell_block &b, int v, int i,
                                          int z) const
    {
        if (damps(D))
            start_update(A, C, damping_of(b, i, z));
        else if (ALONE)
            start_damped(A, C, factor_before<D>(b, v, i));
        else
            start_update(A, C);
    }

    /* Sums along an axis around the R cells C[0], C[step], ... of a block, line by line from low to
     * high, into sum[0], sum[sum_step], ...; FRESH: these hold nothing yet, and the term of the
     * cell itself belongs to the sum along x. before and after: the R lines of the blocks beside
     * it, `stride` bytes apart. */
    template <int AXIS, bool FRESH>
    __device__ __forceinline__ void sum_line(vec *sum, int sum_step, const vec *C, int step,
                                             int before, int after, int stride);
    /* The same for the R lines (i, 0), (i, 1), ... of the block along y, which hold C[0], ... */
    __device__ __forceinline__ void sum_along_y(vec *sum, const vec *C, int i, int v,
                                                const int (&beside)[2]);

    /* Where the blocks before and after this one along x or y are at hand (see find_block). */
    template <int AXIS>
    __device__ __forceinline__ void find_blocks_beside(int (&beside)[2], const place &p, int parity)
    {
        const int beyond = X + 1 - (p.reach() + p.length()); /* 0: the block has just entered */
        const int halo = p.halo_row() + parity * S::halo_bytes;
        if (AXIS == 0 && STEADY) {
            beside[0] = p.own_before();
            beside[1] = beyond + 1 < 0 ? p.own_after() : halo + (beyond + 1) * S::halo_block_bytes;
        } else if (AXIS == 0) {
            beside[0] = p.own_row() + parity * ODD + X * S::block_bytes;
            beside[1] = beyond + 1 < 0 ? beside[0] + 2 * S::block_bytes
                                       : halo + (beyond + 1) * S::halo_block_bytes;
        } else {
            const int at_up = beyond + (p.row >= 0 ? 1 : -1);
            const int at_down = beyond + (p.row <= 0 ? 1 : -1);
            const int row_place = STEADY ? 0 : parity * ODD + (X + 1) * S::block_bytes;
            beside[0] =
                at_down < 0 ? p.own_down + row_place : halo + (at_down - 2) * S::halo_block_bytes;
            beside[1] = at_up < 0 ? p.own_up + row_place : halo + (2 + at_up) * S::halo_block_bytes;
        }
    }

    /* The newest level of the block of this thread. */
    __device__ __forceinline__ int find_newest(const place &p, int parity) const
    {
        const bool fresh = X + 1 == p.reach() + p.length();
        return fresh    ? p.halo_row() + parity * S::halo_bytes
               : STEADY ? p.own_place()
                        : p.own_row() + parity * ODD + (X + 1) * S::block_bytes;
    }
    /* Where step t publishes the new level of the block. */
    __device__ __forceinline__ int new_place(const place &p, int t) const
    {
        return STEADY ? p.own_place() : p.own_row() + ((t + 1) & 1) * ODD + X * S::block_bytes;
    }
    /* Line 0 of the vectors below and above vector v of this thread. */
    __device__ __forceinline__ void find_beside(int (&below)[PV], int (&above)[PV], const place &p,
                                                int v, int parity)
    {
        const int block = find_newest(p, parity);
#pragma unroll
        for (int d = 0; d < PV; d++) {
            below[d] = block + in_line(v) - (1 + d) * 16;
            above[d] = block + in_line(v) + (1 + d) * 16;
        }
    }
    /* The vector u of line i with those below and above it. */
    static __device__ __forceinline__ void find_around(vec (&around)[2 * PV + 1], const vec &u,
                                                       const int (&below)[PV],
                                                       const int (&above)[PV], int i);

    /* The vector u with the halves of those below and above it that order 4 needs. Two slots load
     * at a time, and lower halves lie in one half of the banks, upper ones in the other. So slots
     * take turns in which half comes first. */
    static constexpr bool HALVES = R == 2 && V == 4 && lanes == 8;
    static __device__ __forceinline__ void find_halves(vec (&around)[3], const vec &u, int below);

    /* The end of a step for vector v. */
    template <block_damping D>
    __device__ __forceinline__ void finish_block(vec (&A)[NL], const cell_block &b, int v) const;
    template <block_damping D>
    __device__ __forceinline__ void change_places(vec (&A)[NL], vec (&C)[NL], const cell_block &b,
                                                  int v) const;

    /* Order 4, vector v: from A (level t - 1) and C (level t) to A (level t) and C, what x and y
     * add to level t + 1; with a model the sum along y is left in `sum`. */
    template <block_damping D>
    __device__ __forceinline__ void sum_xy(vec (&A)[NL], vec (&C)[NL], vec *sum, const vec (&k)[NL],
                                           const cell_block &b, int v, const int (&along_x)[2],
                                           const int (&along_y)[2]);
    /* The rest, of the vector with this number: C becomes level t + 1 and, with two levels in
     * `own`, is published at `left`. */
    template <block_damping D>
    __device__ __forceinline__ void sum_z(vec (&A)[NL], vec (&C)[NL], vec *sum, const vec (&k)[NL],
                                          const cell_block &b, int v, int number, const place &p,
                                          int t, int left);

    /* A step of order 4 (see update): all sums of a vector at a time, so that k is read once.
     * Vectors in the middle need no edges and come first; without a model the x and y sums of the
     * others, too, so that edges have nearly a step to arrive. */
    template <bool PLAIN, block_damping D, class Waits>
    __device__ __forceinline__ void update_by_vectors(vec (&A)[ZV][NL], vec (&C)[ZV][NL],
                                                      const place &p, const cell_block &b, int t,
                                                      Waits &waits);

    /* From A (level t - 1) and C (level t) to A (level t) and C (level t + 1): the two change
     * places so that all steps can use one copy of the code, which instruction caches hold more
     * easily. With a model, sums along y and z are one, so that k is read twice a step and not
     * three times: what is not in shared memory comes from the L2 cache. STEADY: C is k, level t is
     * read in shared memory, and level t + 1 replaces t - 1 in A. */
    template <bool PLAIN, block_damping D, class Waits>
    __device__ __forceinline__ void update(vec (&A)[ZV][NL], vec (&C)[ZV][NL], const place &p,
                                           const cell_block &b, int t, Waits &waits);

    /* ---------- the order of a step ---------- */

    /* Whether the block leaves the diamond in step t, or has its last value of this parity. */
    __device__ __forceinline__ bool is_leaving(const place &p, int t) const
    {
        return X - p.reach() <= 1 && t + 1 < h.end_step;
    }
    template <bool PLAIN>
    __device__ __forceinline__ void store_leaving(const vec (&C)[ZV][NL], const place &p, int t)
    {
        if (!is_leaving(p, t)) return;
        const int x = h.x_tower + R * (t + X), y = p.y;
        void *field = g.field[t & 1];
        if (PLAIN || likely(x >= 0 && y >= 0 && x + R <= g.n[0] && y + R <= g.n[1]))
            store_block<false>(C, field, x, y);
        else
            store_block<true>(C, field, x, y);
    }

    /* Make C the level t of the block, and all that lies around it, ready to be read. */
    template <bool PLAIN, class Waits>
    __device__ __forceinline__ void prepare(vec (&C)[ZV][NL], const place &p, int t, Waits &waits)
    {
        const int halo = p.halo_row() + (t & 1) * S::halo_bytes;
        const bool fresh = X + 1 == p.reach() + p.length();
        waits.halo(*this, t);
        waits.all_published(*this, t);
        if (!PLAIN && is_near_face(t)) {
            /* racecheck does not know that edges of ghosts are sent and mirrored, but never used */
            if (RACECHECK) waits.edges_passed_on(*this, t);
            fill_ghosts(C, p, t);
        }
        if (fresh && !STEADY) reload(C, halo);
        if (PLAIN || !at_z_face()) return;
        if (S::mirrors_vectors) {
            /* with TMA the warps that exchange edges do it, but for the first step */
            if (TMA && t > h.first_step) return;
            if (fresh && !idle()) {
                if (STEADY || !reverses_vectors())
                    mirror_lines(halo);
                else
                    mirror_vectors(C, halo);
            }
            if (TMA) fence_async_copies_shared(); /* the halo is copied to again */
            if (RACECHECK) __syncwarp();          /* threads without planes read these, too */
            return;
        }
        if (fresh && !idle()) mirror_lines(halo);
        if (TMA) fence_async_copies_shared(); /* the halo is copied to again */
        __syncwarp();
    }

    /* STEADY: level t + 1 from A to `own` and level t from there, or from the halo, to A. */
    __device__ __forceinline__ void exchange_levels(vec (&A)[ZV][NL], const place &p, int t)
    {
        const int at = X - p.reach(), left = p.own_place();
        const int older = at == 0 ? p.halo_row() + (t & 1) * S::halo_bytes + S::halo_block_bytes
                                  : find_newest(p, t & 1);
#pragma unroll
        for (int v = 0; v < ZV; v++)
            if (has_vector(v))
#pragma unroll
                for (int i = 0; i < NL; i++) {
                    const int line = i * S::line + in_line(v);
                    const vec u = load_shared(older + line);
                    store_shared(left + line, A[v][i]);
                    A[v][i] = u;
                }
    }

    /* Step t, from A (level t - 1) and C (level t) to A (level t; where the block left the diamond,
     * of the next one) and C (level t + 1). STEADY: C is k. PLAIN: see is_plain. Most steps are;
     * their code lies together, so that instruction caches hold it. */
    template <bool PLAIN, class Waits>
    __device__ __forceinline__ void step(vec (&A)[ZV][NL], vec (&C)[ZV][NL], int t, Waits &waits)
    {
        {
            const place p = my_place();
            refresh();
            if (PLAIN && X == p.reach())
                find_sources(h.x_tower + R * t + R * (X + p.length()), p.y);
            prepare<PLAIN>(C, p, t, waits);
            const cell_block b = {h.x_tower + R * t + R * X, p.y, h.z_part, p.row};
            if (HOLDS_K && X == p.reach())
                fetch_entering(p, h.x_tower + R * t + R * (X + p.length()), p.y);
            model_fetched();
            if (!PLAIN && Kernel::MANY) {
                sources_found();
                fetch_nodes(my_place(), t);
            }
            if (LAYERS != WITHOUT_LAYERS && !PLAIN && is_damped(t) && has_damped_lines(b))
                update<false, DAMPED>(A, C, p, b, t, waits);
            else
                update<PLAIN, MOSTLY>(A, C, p, b, t, waits);
        }
        if (!PLAIN) sources_found();
        /* look everything up again: during the sums there were no registers to keep it in */
        const place p = my_place();
        refresh();
        const int left = new_place(p, t);
        const int at = X - p.reach();
        if (ALONE) __syncwarp(); /* all have read what they need of the layers */
        if (at == 0) {
            fetch_damped_lines(h.x_tower + R * t + R * (X + p.length()));
            if (HOLDS_K)
                take_entering(C, p);
            else if (!STEADY)
                reload(A, p.halo_row() + (t & 1) * S::halo_bytes + S::halo_block_bytes);
            fetch_model(h.x_tower + R * t + R * (X + p.length()), p.y);
        }
        waits.done_reading(*this, t);
        if (STEADY && at == 0) find_rows_beside(p, X + p.length() - 1, t + 1);
        if (!ODD) store_leaving<PLAIN>(STEADY ? A : C, p, t);
        waits.all_read(*this, t);
        if (STEADY)
            exchange_levels(A, p, t);
        else if (!ODD)
            publish_block(C, left);
        if constexpr (!PLAIN && Kernel::LANES_ADD) {
            add_sources_together(C, p, left, t);
        } else if (!PLAIN && p.source_first < p.source_last) {
            add_sources(p, left, t);
            if (!STEADY) reload(C, left);
        }
        if (!PLAIN && at_z_face() && !(TMA && S::mirrors_vectors)) {
            /* a block that stays needs its images beyond the face in the next step */
            __syncwarp();
            if (!TMA && reverses_vectors()) {
                if (at > 0 && !idle()) mirror_vectors(C, left);
            } else {
                if (at > 0 && !idle()) mirror_lines(left);
                __syncwarp();
            }
        }
        recorded_units units; /* found before that is told of the next step */
        if constexpr (S::workers_record) units = find_units(p);
        waits.done_publishing(*this, t);
        if (ODD) store_leaving<PLAIN>(C, p, t);
        waits.done_writing(*this, t);
        if constexpr (S::workers_record) record(units, C, left);
        if (!PLAIN && at == 0) find_sources(h.x_tower + R * t + R * (X + p.length()), p.y);
        if (RACECHECK) sources_found(); /* it does not tell other words beside them apart */
    }

    /*
     * All steps of one item. What is waited for:
     *     own_is_free()       `own` may be overwritten (by the levels that an item starts with);
     *     halo(t)             the halo of step t is there;
     *     all_published(t)    all blocks have their level t in `own`;
     *     edges(t)            the edges are there, too, or those of the first lines, if they come
     *                         in halves; later_edges(t): of all;
     *     edges_passed_on(t)  the same as edges(t), which comes later all the same;
     *     all_read(t)         all have called done_reading(t).
     * What a thread tells: entered(), the levels that the item starts with are in `own`;
     * done_reading(t), it has read what it needs for the step; done_publishing(t), level t + 1 of
     * its block is in `own`; done_writing(t), what leaves the diamond has been written.
     */
    template <class Waits>
    __device__ __forceinline__ void climb(const tower_item &w, int number, Waits &waits)
    {
        vec A[ZV][NL], C[ZV][NL];
        start_item(w, number);
        int t = h.first_step;
        enter(A, C, t, waits);
        barrier_among<S::active>();
        waits.entered(*this);
#pragma unroll 1
        for (;; t++) {
            if (plain_copy && likely(is_plain(t)))
                step<plain_copy>(A, C, t, waits);
            else
                step<false>(A, C, t, waits);
            if (t + 1 >= h.end_step) break;
            X = position_after(my_place(), X);
        }
        if (STEADY) reload(C, my_place().own_place());
        leave(C, A, t);
    }
};

#include "wave_block_enter.cuh"
#include "wave_block_faces.cuh"
#include "wave_block_layers.cuh"
#include "wave_block_model.cuh"
#include "wave_block_points.cuh"
#include "wave_block_points_many.cuh"
#include "wave_block_points_shared.cuh"
#include "wave_block_sums.cuh"
#include "wave_block_tower_plain.cuh"
#include "wave_block_tower_tma.cuh"

/* ---------- the kernels ---------- */

/* For any GPU. */
template <class Kernel>
__global__ void __launch_bounds__(Kernel::S::active, 1)
    block_tower_plain(const __grid_constant__ block_tower_params<typename Kernel::T> params)
{
    const torre_wave_args &g = params.g;
    const torre_tower_launch &l = params.l;
    const int items = l.tower_count * l.parts;
    block_tower<Kernel> b(params);
    plain_waits<Kernel> waits;
    for (int item = blockIdx.x; item < items; item += l.blocks) {
        waits.w = tower_item_at(l, item, Kernel::R, g.n[0]);
        if (waits.w.first_step < waits.w.end_step) {
            waits.pointer =
                tower_wait_for(l, waits.w, item, threadIdx.x, g.periodic[1], g.periodic[2]);
            b.climb(waits.w, item, waits);
            barrier_among<Kernel::S::active>();
        }
        if (threadIdx.x == 0) { /* everything is written */
            fence_device();
            store_progress(tower_progress(l, waits.w.s, waits.w.m, waits.w.part), TOWER_DONE);
        }
    }
}

/* With TMA, for compute capability 9.0. */
template <class Kernel>
__global__ void __launch_bounds__(Kernel::S::threads_tma, 1)
    block_tower_tma(const __grid_constant__ block_tower_params<typename Kernel::T> params)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    using S = typename Kernel::S;
    extern __shared__ __align__(128) char shared[];
    tma_gates *gates = (tma_gates *)(shared + S::gates);
    if (threadIdx.x == 0) {
        for (int p = 0; p < 2; p++) {
            gate_init(&gates->halo[p], 1 + (Kernel::ODD ? S::active / 32 * LANES_ARRIVE : 0));
            gate_init(&gates->edge[p], (Kernel::ODD ? 3 : 2) * LANES_ARRIVE);
            gate_init(&gates->later_edge[p], 2 * LANES_ARRIVE);
            gate_init(&gates->read[p], (S::active / 32 + !Kernel::ODD) * LANES_ARRIVE);
            gate_init(&gates->published[p], S::active / 32 * LANES_ARRIVE);
            gate_init(&gates->written[p], S::active / 32 * LANES_ARRIVE);
        }
        if (!S::workers_record) gate_init(&gates->sampled, LANES_ARRIVE);
        gate_init(&gates->finished, S::active / 32 * LANES_ARRIVE);
        gates_ready();
    }
    __syncthreads();
    const int warp = threadIdx.x / 32;
    if (warp >= S::groups / 32) {
        if (S::share_registers) fewer_registers<S::helper_registers(Kernel::MODEL)>();
        if (warp == S::groups / 32) fetch_halos<Kernel>(params, gates, shared);
        if (warp == S::groups / 32 + 1) {
            if (params.g.points.units)
                publish_steps<Kernel, true>(params, gates, shared);
            else
                publish_steps<Kernel, false>(params, gates, shared);
        }
        if (S::exchange_warp >= S::groups / 32 && warp >= S::exchange_warp)
            exchange_edges<Kernel>(params, gates, shared, warp - S::exchange_warp);
    } else {
        if (S::share_registers) more_registers<S::worker_registers(Kernel::MODEL)>();
        if (S::exchange_warp < S::groups / 32 && warp >= S::exchange_warp) {
            exchange_edges<Kernel>(params, gates, shared, warp - S::exchange_warp);
        } else if (threadIdx.x < S::active) {
            const torre_tower_launch &l = params.l;
            const int items = l.tower_count * l.parts;
            block_tower<Kernel> b(params);
            tma_waits<Kernel> waits;
#pragma unroll 1
            for (int item = blockIdx.x; item < items; item += l.blocks) {
                const tower_item w = tower_item_at(l, item, Kernel::R, params.g.n[0]);
                if (w.first_step >= w.end_step) continue;
                b.climb(w, item, waits);
                warp_arrive(&gates->finished);
                barrier_among<S::active>();
            }
        }
    }
#endif
}

#endif
