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

#include "wave_cell.cuh"

template <class T, int D> struct register_tower_params {
    torre_wave_args g;
    torre_tower_launch l;
    stencil_weights<T> c;
    int64_t offset[2 * (D + 1) * (D + 1)]; /* bytes from column (0, 0) to each, by column_number */
};

/* What a warp keeps of its item, in shared memory so as not to occupy registers. */
struct register_item {
    int item, part, first_step, end_step;
    int x_tower, y_tower, z_first, planes;
    int plain_first, plain_end; /* steps in between touch no face and no damping layer */
    int beside[2];              /* items below and above that this warp has mail from, or -1 */
    int last_warp;              /* with planes */
    uint32_t mail_phase;        /* bit 2 side + parity: phase of the first message of this item */
    int unused[2];
};

/* Columns with points in the diamond of one step, and the warps (bits) that have those planes. */
template <int D> struct column_list {
    int count, warps, source_warps, unused;
    struct column {
        int first; /* of its nodes in torre_points_args.node, sources first */
        uint16_t count;
        uint8_t number; /* register_shape::column_number */
        uint8_t warps;
    } column[2 * D * D];
};

/* Gates (shared memory barriers) of a block. */
template <int WARPS, int SLOTS> struct register_gates {
    uint64_t full[SLOTS], empty[SLOTS]; /* of the slots of the ring; empty: a step has finished */
    uint64_t kept[WARPS][2];            /* a warp has passed on the edges of its newest level */
    uint64_t mail[2][2];                /* edges from below, above have arrived; by parity */
    uint64_t left;                      /* what stays in the diamond has been written */
    int published;                      /* steps that `publish` has seen finished */
};

template <class T, int D, bool MODEL> struct register_shape {
    static constexpr int W = 2 * D, E = W + 2; /* E: with the columns around */
    static constexpr int vector = 16 / sizeof(T);

    /* threads: one plane each, and four warps of helpers; registers are shared out unevenly */
    static constexpr int planes = 256, warps = planes / 32;
    static constexpr int threads = planes + 128;
    static constexpr int worker_registers = 232, helper_registers = 40;

    /* columns of the diamond and around it, numbered */
    static constexpr int all_columns = E * E / 2;
    static __host__ __device__ constexpr int column_number(int u, int v) { return (u * E + v) / 2; }

    /* a slot of the ring: the columns that enter or touch the diamond in one step, a line each;
     * lines hold a vector of planes more on both sides */
    static constexpr int slots = MODEL ? 2 : 4, halo_lines = 4 * D + 2;
    static constexpr int line = planes + 2 * vector;
    static constexpr int slot_bytes = halo_lines * line * (int)sizeof(T);
    /* Column (u, v), u >= W or v >= W, in a slot. */
    static __host__ __device__ constexpr int halo_index(int u, int v)
    {
        return u >= W ? (u - W) * (D + 1) + v / 2 : 2 * D + 2 + (v - W) * D + u / 2;
    }

    /* the model of all columns in the diamond: column (u, v) of step t lies at (u + t, v + t) of a
     * square that wraps around, large enough for two steps ahead */
    static constexpr int model_width = W + 2;
    static constexpr int model_lines = model_width * model_width / 2;
    static constexpr int model_bytes = MODEL ? model_lines * planes * (int)sizeof(T) : 0;
    static __host__ __device__ constexpr int model_index(int u, int v, int t_mod_width)
    {
        const int a = u + t_mod_width, b = v + t_mod_width;
        return (a < model_width ? a : a - model_width) * (model_width / 2) +
               (b < model_width ? b : b - model_width) / 2;
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
    static constexpr int kept_vectors = (kept + vector - 1) / vector;
    static_assert(kept_vectors <= 16, "half a warp passes on an edge");
    static constexpr int mailbox_bytes = 2 * kept_vectors * 16; /* half of it flags */

    /* the exchange of a warp: rows of places of one vector each; lane l has place l + 2, the planes
     * below (above) the warp places 0 and 1 (34 and 35), by the parity of the step */
    static constexpr int places = 36, row_bytes = places * 16;
    static constexpr int exchange_bytes = kept_vectors * row_bytes;

    using gates_type = register_gates<warps, slots>;
    static constexpr int ring = 0, model = slots * slot_bytes;
    static constexpr int exchange = model + model_bytes;
    static constexpr int gates = exchange + warps * exchange_bytes;
    static constexpr int columns = gates + (int)(sizeof(gates_type) + 15) / 16 * 16;
    static constexpr int items = columns + slots * (int)sizeof(column_list<D>);
    static constexpr int point_warps = items + warps * (int)sizeof(register_item);
    static constexpr int damping = point_warps + 2 * D * 16 * 2; /* see list_points */
    static constexpr int damping_bytes = 32 * (int)sizeof(T);    /* of a warp: along x, along y */
    static constexpr int shared_bytes = damping + warps * damping_bytes;
    static_assert(shared_bytes <= 232448, "what a block may have");
    /* Offset of a place, and of an edge (side 0 below, 1 above), in row 0. */
    static __host__ __device__ constexpr int place(int warp, int number)
    {
        return exchange + warp * exchange_bytes + number * 16;
    }
    static __host__ __device__ constexpr int edge(int warp, int parity, int side)
    {
        return place(warp, side * 34 + parity);
    }
};

#endif
