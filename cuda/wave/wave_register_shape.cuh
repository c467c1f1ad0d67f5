/*
 * The numbers of a register tower (order 2): sizes, shared memory layout, threads and registers.
 *
 * Columns of the diamond are named by u = X + Y and v = X - Y (X, Y: position in the sliding
 * frame), both even or both odd: the diamond |Y| <= X < 2 D - |Y| is the square 0 <= u, v < W = 2
 * D, a step of the frame along x adds 1 to both, and the neighbours of column (u, v) are (u -+ 1, v
 * -+ 1) along x and (u +- 1, v -+ 1) along y.
 */
#ifndef TORRE_WAVE_REGISTER_SHAPE_CUH
#define TORRE_WAVE_REGISTER_SHAPE_CUH

#include <cuda.h>
#include <stddef.h>

#include "cuda/tower/tower_schedule.cuh"
#include "wave_cell.cuh"

template <class T, int D> struct register_tower_params {
    torre_wave_args g;
    torre_tower_launch l;
    stencil_weights<T> c;
    uint32_t lines_x, lines_up, lines_down; /* lines of 128 bytes from a column to the next along x,
                                             * along x and y, along x and down y */
    int64_t offset[2 * (D + 1) * (D + 1)];  /* bytes from column (0, 0) to each, by column_number */
};

/* Tensor maps of both fields: leading edges of u >= W, of v >= W; or none. */
struct register_tower_edges {
    CUtensorMap map[2][2];
    bool exist;
};

/* How a warp sends an edge. */
struct alignas(16) register_mail {
    uint64_t to;     /* mailbox for even levels, NULL in a cluster */
    int from;        /* the plane to send, in shared memory */
    uint32_t number; /* of level 0 */
};

/* What a warp keeps of its item, in shared memory so as not to occupy registers. */
struct register_item {
    register_mail mail[2];
    int part, first_step, end_step;
    int x_tower, y_tower, z_first, planes;
    int line; /* of column (0, 0) in step 0, in a field: lines of 128 bytes before it */
    int inside_first, inside_end; /* steps in between touch no x or y face */
    int plain_first, plain_end;   /* nor a damping layer along x or y */
    int plain_stop;               /* there, or before steps that may meet a source */
    int beside[2];                /* items below and above that this warp has mail from, or -1 */
    uint32_t edge_to[2][2];       /* for each of them, in a cluster: where its edge is, by parity
                                   * of n, */
    uint32_t gate_to[2];          /* and its gate for even n; or 0 */
    int last_warp;                /* with planes */
    int source_first, source_end; /* no source is in the diamond of other steps */
    uint32_t rows_outside;        /* bit 16 + D - 1 + Y: row Y of the diamond is beyond a face, */
    uint32_t rows_beyond;         /* or beyond the seam of periodic y, by `seam` bytes */
    int64_t seam;
};

/* The sources in the diamond of one step. */
template <class T> struct source_list {
    static constexpr int room = 7;
    int count; /* more than `room`: they are not listed */
    struct alignas(16) {
        int plane, column; /* of the block; register_shape::column_number */
        T value;
    } source[room];
};

/* The sources that an item may meet, where there are many. A value is the product of weight and
 * wavelet. */
template <int RUNS> struct alignas(16) source_table {
    torre_strip_run run[RUNS];
    double weight[RUNS][TORRE_RUN];
    double wavelet[2]; /* of a step, by parity of n */
    int count;         /* of runs; -1: they have no room here */
};

/* What a block works on; number: place in the list of items, -1 after the last. */
struct register_turn {
    tower_item w;
    int number;
};
/* Of the points that an item may meet: between which of its steps sources may be in the diamond;
 * whether there are any points, sources or receivers, at all. */
struct register_points_met {
    int first, end;
    int any;
};
constexpr int TURNS = 4; /* items that the warps of a block may be apart */
/* And the first block of a cluster of eight and the last: it fetches up to five steps ahead of one
 * that needs edges, and each block is at most an item ahead of the next. */
constexpr int TURNS_TOLD = 16;

/* Gates (shared memory barriers) of a block. */
constexpr int STEPS_APART = 8; /* between the step that is fetched and the last one published */
constexpr int EDGE_ARRIVALS = (LANES_ARRIVE + 1) / 2; /* half a warp passes on an edge */
template <int WARPS, int SLOTS> struct register_gates {
    uint64_t full[SLOTS], empty[SLOTS]; /* of the slots of the ring; empty: all have read it */
    uint64_t finished[STEPS_APART];     /* a step has; the last of an item once all is written */
    uint64_t published[STEPS_APART];    /* `publish` has seen that and told others */
    uint64_t near[WARPS][2]; /* both edges of a warp have arrived, and samples of the level before
                               * have been taken from its exchange; by parity of n */
    uint64_t watched[WARPS][2]; /* the latter, where most towers meet no points; of those that do */
    uint64_t offered[TURNS];    /* the fetch warp has taken an item */
    uint64_t accepted[TURNS];   /* all others know which */
    register_turn turn[TURNS];
    uint64_t looked_up[TURNS]; /* what points it may meet: */
    register_points_met met[TURNS];
    uint64_t told[TURNS_TOLD]; /* the first block of the cluster has told which item comes next: */
    int place[TURNS_TOLD];     /* its own; or one beyond the last */
};

/*
 * WHOLE and HALF use what compute capability 9.0 has (TMA: bulk copies, gates in hardware,
 * registers shared out unevenly). Blocks of half as many planes, two on a multiprocessor, give
 * all its warps work where a tower has few planes. Without TMA (PLAIN) they are as small, so that
 * older GPUs can hold one or two. DENSE: as WHOLE, where density varies, which is beside a model;
 * diamonds are smaller, so that there is room for what else cells have.
 * MANY: for many sources and receivers, whose tables take the place of a slot of the ring.
 */
enum register_kind { REGISTER_PLAIN, REGISTER_WHOLE, REGISTER_HALF, REGISTER_DENSE };
template <class T, int D, bool MODEL, register_kind KIND, bool MANY = false> struct register_shape {
    static constexpr int W = 2 * D, E = W + 2; /* E: with the columns around */
    static constexpr int vector = 16 / sizeof(T);

    /* threads: one plane each, and four warps of helpers; with TMA registers are shared out
     * unevenly */
    static constexpr register_kind kind = KIND;
    static constexpr bool tma = KIND != REGISTER_PLAIN, dense = KIND == REGISTER_DENSE;
    static_assert(MODEL || !dense, "what binds cells is beside k");
    /* Whether shared memory is full. */
    static constexpr bool tight = MODEL && !dense;
    static constexpr int planes = KIND == REGISTER_WHOLE || dense ? 256 : 128, warps = planes / 32;
    static constexpr int threads = planes + 128;
    static constexpr int blocks_per_sm =
        KIND == REGISTER_HALF || (!tma && D * sizeof(T) <= 16) ? 2 : 1; /* by registers */
    static constexpr int worker_registers = 232;
    static constexpr int helper_registers = KIND == REGISTER_HALF ? 24 : 40;

    /* columns of the diamond and around it, numbered */
    static constexpr int all_columns = E * E / 2;
    static __host__ __device__ constexpr int column_number(int u, int v) { return (u * E + v) / 2; }
    static __host__ __device__ constexpr int column_u(int number) { return number / (D + 1); }
    static __host__ __device__ constexpr int column_v(int number)
    {
        return number % (D + 1) * 2 + (column_u(number) & 1);
    }

    /* a slot of the ring: the columns that enter or touch the diamond in one step, a line each:
     * those of u >= W, then the others (v >= W), each of these two leading edges a box that can be
     * copied as one (not in f64, which has too many bytes in a line, nor beside a model of large
     * diamonds, which leaves no room for the alignment); lines hold a vector of planes more on both
     * sides */
    static constexpr int room = tight || !tma ? 2 : KIND == REGISTER_WHOLE ? 4 : 3;
    static constexpr int slots = room - MANY;
    static constexpr int halo_lines = 4 * D + 2;
    static constexpr int line = planes + 2 * vector, line_bytes = line * (int)sizeof(T);
    static constexpr bool in_boxes = tma && !tight && sizeof(T) == 4;
    static constexpr int reach = 2 * D;         /* no halo is further beyond a y face */
    static constexpr int lines_low = 2 * D + 2; /* of u >= W */
    static constexpr int box_align = in_boxes ? 128 : 16;
    static constexpr int align_box(int bytes)
    {
        return (bytes + box_align - 1) / box_align * box_align;
    }
    static constexpr int low_bytes = align_box(lines_low * line_bytes);
    static constexpr int slot_bytes = low_bytes + align_box(2 * D * line_bytes);
    /* Line i of a slot; and column (u, v), u >= W or v >= W. */
    static __host__ __device__ constexpr int halo_line(int i)
    {
        return i * line_bytes + (i < lines_low ? 0 : low_bytes - lines_low * line_bytes);
    }
    static __host__ __device__ constexpr int halo_at(int u, int v)
    {
        return halo_line(u >= W ? (u - W) * (D + 1) + v / 2 : lines_low + (v - W) * D + u / 2);
    }

    /*
     * The model of all columns in the diamond, with room for one step ahead (without TMA two, see
     * the warp that fetches): a row Y = (u - v) / 2 of the diamond lies in a ring of lines, where
     * column (u, v) of step t has place u + t. Of the rows Y < -1 and Y + D + 1 > 1 one enters the
     * ring where the other ends, so they share one.
     */
    static constexpr int model_ring = W + (tma ? 1 : 2);
    static constexpr int model_lines = (D + 1) * model_ring;
    static constexpr int model_bytes = MODEL ? model_lines * planes * (int)sizeof(T) : 0;
    /* First line of the ring that has column (u, v). */
    static __host__ __device__ constexpr int model_ring_of(int u, int v)
    {
        return (v >= u ? (v - u) / 2 : D + 1 - (u - v) / 2) * model_ring;
    }
    static __host__ __device__ constexpr int model_place(int u, int t_mod_ring)
    {
        return u + t_mod_ring < model_ring ? u + t_mod_ring : u + t_mod_ring - model_ring;
    }

    /* Where density varies: what binds the columns that enter with a step (u or v is W - 1), for
     * even and odd steps. That of others is in registers. */
    static constexpr int entering = 2 * D - 1;
    static constexpr int entering_bytes = entering * planes * (int)sizeof(T);
    static constexpr int binding_bytes = dense ? 2 * entering_bytes : 0;
    static __host__ __device__ constexpr int entering_line(int u, int v)
    {
        return u == W - 1 ? v / 2 : D + u / 2;
    }
    static __host__ __device__ constexpr int entering_u(int line)
    {
        return line < D ? W - 1 : 2 * (line - D) + 1;
    }
    static __host__ __device__ constexpr int entering_v(int line)
    {
        return line < D ? 2 * line + 1 : W - 1;
    }

    /* the columns that stay in the diamond (u, v >= 1) pass on their newest level in vectors */
    static constexpr int kept = D * D + (D - 1) * (D - 1);
    /* Number i of them, in rows of u: D columns of odd and D - 1 of even u by turns. */
    static __host__ __device__ constexpr int kept_u(int i)
    {
        return i / (2 * D - 1) * 2 + (i % (2 * D - 1) < D ? 1 : 2);
    }
    static __host__ __device__ constexpr int kept_v(int i)
    {
        return i % (2 * D - 1) < D ? i % (2 * D - 1) * 2 + 1 : (i % (2 * D - 1) - D) * 2 + 2;
    }
    static __host__ __device__ constexpr int kept_number(int u, int v)
    {
        return TORRE_KEPT(D, u, v);
    }
    static constexpr int kept_vectors = (kept + vector - 1) / vector;
    /* Vectors that hold what stays of rows up to u + 1, which row u reads. */
    static __host__ __device__ constexpr int row_vectors_end(int u)
    {
        const int columns = (u + 1) / 2 * (2 * D - 1) + ((u + 1) & 1 ? D : 0);
        return ((columns < kept ? columns : kept) + vector - 1) / vector;
    }
    static_assert(kept_vectors <= 16, "half a warp passes on an edge");
    static constexpr int mailbox_bytes = 2 * kept_vectors * 16; /* half of it flags */

    /*
     * The exchange of a warp: rows of places of one vector each; lane l has place first_place + l.
     * Edges (the planes below and above the warp, two parities of the step) lie such that lanes
     * that read beside themselves hit different banks: below in the bank (place % 8) of place
     * first_place - 1, above in that of first_place; the odd ones in the row after, where there is
     * room for that.
     */
    static constexpr bool spread = !tight;
    static constexpr int first_place = spread ? 1 : 2, places = spread ? 37 : 36;
    static constexpr int row_bytes = places * 16;
    /* a row more, where there is room, for what a thread knows of its item: registers are scarce */
    static constexpr bool recalls = !MODEL || tma;
    static constexpr int recall_row = kept_vectors + spread;
    static constexpr int exchange_bytes = (recall_row + recalls) * row_bytes;

    using gates_type = register_gates<warps, slots>;
    static constexpr int ring = 0, model = room * slot_bytes;
    static constexpr int binding = model + model_bytes, exchange = binding + binding_bytes;
    static constexpr int gates = exchange + warps * exchange_bytes;
    static constexpr int items = gates + (int)(sizeof(gates_type) + 15) / 16 * 16;
    static __host__ __device__ constexpr int mail_of(int warp)
    {
        return items + warp * (int)sizeof(register_item);
    }
    static constexpr int damping = items + warps * (int)sizeof(register_item);
    static constexpr int damping_bytes = 32 * (int)sizeof(T); /* of a warp: along x, along y */
    /* As little as possible: without a model on compute capability 9.0 that leaves 60 KB of L1
     * cache, not 28, for what threads spill. */
    static constexpr int sources = damping + warps * damping_bytes; /* by parity of n */
    static constexpr int shared_bytes = sources + 2 * (int)sizeof(source_list<T>);
    /* the tables of MANY, and what places of this step and the next have */
    using table_type = source_table<slot_bytes / 120 - 1>;
    static constexpr int table = slots * slot_bytes, units = table + (int)sizeof(table_type);
    static constexpr int unit_room =
        (slot_bytes - (int)sizeof(table_type)) / 4 / (int)sizeof(torre_place_run) * 2;
    static_assert(items % 16 == 0 && damping % 8 == 0 && sources % 16 == 0, "alignment");
    static_assert(shared_bytes <= 232448, "what a block may have");
    static_assert(halo_lines <= 32, "a lane knows a line");
    /* Where the exchange has number i of the columns that stay, of a plane, in units of 4 bytes. */
    static __host__ __device__ constexpr int value_at(int plane, int i)
    {
        return (plane / 32 * exchange_bytes + (plane % 32 + first_place) * 16 +
                i / vector * row_bytes + i % vector * (int)sizeof(T)) /
               4;
    }
    /* Offset of a place, and of an edge (side 0 below, 1 above), in row 0. */
    static __host__ __device__ constexpr int place(int warp, int number)
    {
        return exchange + warp * exchange_bytes + number * 16;
    }
    static __host__ __device__ constexpr int own_place(int warp, int lane)
    {
        return place(warp, first_place + lane);
    }
    static __host__ __device__ constexpr int edge(int warp, int parity, int side)
    {
        if (!spread) return place(warp, side * 34 + parity);
        return place(warp, side ? (parity ? places + 36 : 33) : (parity ? places + 35 : 0));
    }
};

/* Whether the kernels with and without TMA are built. (Smaller diamonds are of little use, and all
 * kernels together must not take too long to build.) */
template <class T, int D> constexpr bool register_tower_built_tma = D > 2;
/* Points: none; few; many; few that most towers do not meet, which have the code of NONE. */
enum register_points { REGISTER_NONE, REGISTER_FEW, REGISTER_MANY, REGISTER_RARE };
template <class T, int D>
constexpr bool register_tower_built_plain = D * sizeof(T) == 16 || D * sizeof(T) == 24;

#endif
