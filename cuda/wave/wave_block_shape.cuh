/*
 * The numbers of a block tower: sizes, shared memory layout, threads and registers.
 */
#ifndef TORRE_WAVE_BLOCK_SHAPE_CUH
#define TORRE_WAVE_BLOCK_SHAPE_CUH

#include <cuda.h>

#include "wave_cell.cuh"

template <class T> struct block_tower_params {
    torre_wave_args g;
    torre_tower_launch l;
    stencil_weights<T> c;
    CUtensorMap map[2]; /* of g.field; TMA only */
};

constexpr int round_up(int n, int to) { return (n + to - 1) / to * to; }
constexpr int at_most(int n, int most) { return n < most ? n : most; }

/* Shared memory a block may have; parts of the smaller tower kernels fit smaller GPUs. */
constexpr int MOST_SHARED = 232448;
/* With so much, L1 has 32 KiB more, for what spills. */
constexpr int LESS_SHARED = 195 << 10;

/* What a kernel can do about absorbing layers: any number of them, none, or quickly for many. */
enum block_layers { WITH_LAYERS, WITHOUT_LAYERS, LAYERS_ALONE };

/* The numbers of a block tower. WIDE: more planes, so that a tower has fewer parts; with TMA, at
 * constant velocity, where images of whole vectors will do at z faces. */
template <class T, int R, int DB, bool WIDE = false> struct block_shape {
    static constexpr int V = cells<T>::n, PV = (R + V - 1) / V, NL = R * R;
    static constexpr int blocks = 2 * DB * DB;
    /* Threads: two warps a scheduler with 232 registers each are faster than four with 112, whose
     * spills miss the little L1 cache that is left; but 128 blocks need 512 threads. */
    static constexpr int most_threads = R == 1 || blocks > 64 ? 512 : WIDE ? 384 : 256;
    /* vectors a thread: 16 to 18 in each time level (8 where there are 512 threads) */
    static constexpr int vectors_wanted = R == 1   ? 4
                                          : R == 2 ? (most_threads > 256 ? 2 : 4)
                                          : R == 3 ? 2
                                                   : 1;
    static constexpr int vectors_of(int lanes)
    {
        return lanes * vectors_wanted > 32 ? 32 / lanes : vectors_wanted;
    }
    static constexpr int line_of(int lanes) { return (lanes * vectors_of(lanes) + 2 * PV) * 16; }
    /* Neighbouring blocks start in different banks: for the warps that exchange edges, one block a
     * thread, and where the eight threads whose 16 bytes move at a time own parts of several. */
    static constexpr int block_of(int lanes)
    {
        const int bytes = NL * line_of(lanes);
        if (lanes >= 8) return (bytes / 16 | 1) * 16;
        return bytes + (bytes % 128 == 0 ? lanes * 16 : 0);
    }
    static constexpr int halo_blocks = 4 * DB + 2;
    static constexpr int shared_of(int lanes)
    {
        return 2 * halo_blocks * round_up(NL * line_of(lanes), 128) +
               round_up(blocks * block_of(lanes), 128) + 256 + 32 * blocks +
               (workers_record ? marked_bytes(lanes * vectors_of(lanes) * V) : 0);
    }
    /* Who holds a unit records it (wave_block_points_shared.cuh). */
    static constexpr bool workers_record = R == 4;
    /* What is told of receivers: marks of each block, a bit for each block that has some at the
     * next level, and where samples of that level go. */
    static constexpr int marked_bytes(int planes)
    {
        return blocks * TORRE_MARK_WORDS(NL, planes) * 4 + (blocks + 31) / 32 * 4 + 12;
    }
    /* threads along z: as many as threads and shared memory allow */
    static constexpr int lanes_fit(int lanes)
    {
        return lanes > 1 && (lanes * blocks > most_threads || shared_of(lanes) > MOST_SHARED)
                   ? lanes_fit(lanes / 2)
                   : lanes;
    }
    static constexpr int lanes = WIDE ? 10 : lanes_fit(32), ZV = vectors_of(lanes);
    static constexpr int ZL = lanes * ZV;
    static constexpr int planes = ZL * V;
    /* Images beyond the last plane come from the three vectors next to them at the most, and the
     * last of several parts has to have these. */
    static_assert(ZL >= 4, "the last part may have fewer than three vectors");
    /* WIDE: the first lanes of each block are those of blocks that are not wide, in the same warps
     * and without bank conflicts; the others fill warps of their own, and have places of their own,
     * so that nothing passes from one warp to another without a barrier. */
    static constexpr int first_lanes = WIDE ? 8 : lanes;
    static constexpr int slots = WIDE ? 2 * blocks : blocks;
    static constexpr int line = line_of(lanes), block_bytes = block_of(lanes);
    static constexpr int halo_block_bytes = round_up(NL * line, 128);
    /* Halo blocks that one copy brings: both of a row where nothing lies between them. */
    static constexpr int box_blocks = halo_block_bytes == NL * line ? 2 : 1;
    static constexpr int halo_bytes = halo_blocks * halo_block_bytes;
    /* Messages between parts (wave_block_edges.cuh): packets for some lines, and how many lines are
     * fetched at a time. A fetch takes 1000 cycles, so few batches, as far as registers go. */
    static constexpr __host__ __device__ int packets_of(int lines)
    {
        constexpr int values = (16 - 4) / sizeof(T);
        return (lines * R + values - 1) / values;
    }
    static constexpr int lines_a_batch = sizeof(T) == 4 ? (R == 4 ? 8 : NL)
                                                        : (R == 4                          ? 2
                                                           : R == 3                        ? 3
                                                           : R == 2 && most_threads <= 256 ? 4
                                                                                           : R);
    static constexpr int mailbox_bytes =
        (NL / lines_a_batch * packets_of(lines_a_batch) + packets_of(NL % lines_a_batch)) * blocks *
        16;
    /* Whether one vector of images will do at z faces. */
    static constexpr bool mirrors_vectors = PV == 1;
    /* Whether that is the reverse of the vector next to the face. (Where nz is no multiple of V,
     * the upper one ends in planes that are images already, see torre_cuda_planes.) */
    static constexpr __device__ bool reverses(int nz, int side)
    {
        return PV == 1 && (side ? nz % V == 0 : nz >= V);
    }
    static constexpr int halo = 0, own = 2 * halo_bytes;
    /* Where the edges lie in a line: the vectors just below and above those of the part. */
    static constexpr __device__ int edge_at(int side, int vectors)
    {
        return side ? (PV + vectors) * 16 : 0;
    }
    static constexpr int own_bytes = round_up(blocks * block_bytes, 128), gates = own + own_bytes;
    static constexpr int mails = gates + 128, item = mails + 64, places = item + 64;
    static constexpr int mark_words = TORRE_MARK_WORDS(NL, planes), mark_bytes = 4 * mark_words;
    static constexpr int mark_groups = lanes * V / TORRE_UNIT; /* of lanes: who holds a unit */
    static constexpr int marks = places + 32 * slots, samples = marks + blocks * mark_bytes;
    static constexpr int recorded = samples + 8;
    static constexpr int shared_bytes =
        workers_record ? round_up(recorded + (blocks + 31) / 32 * 4, 16) : marks;

    static constexpr int workers = blocks * lanes; /* threads that own cells */
    /* LAYERS_ALONE (wave_block_layers.cuh): s dt of each plane, line along x of the diamond, and
     * line along y of a block; and tables. */
    static constexpr int layers_planes = ZL * 16, layers_rows = (2 * DB - 1) * R;
    static constexpr int layers_base =
        layers_planes + round_up((layers_rows + slots * R) * (int)sizeof(T), 16);
    static constexpr int layers_table = layers_rows * layers_planes;
    /* Whether there are such kernels: for the dts that is taken where nothing is said. */
    static constexpr __host__ __device__ bool layers_apart(bool tma)
    {
        return tma && sizeof(T) == 4 && R > 1 && DB == 4;
    }
    /* With TMA there may be more: places for a vector of every thread, as many as fit. `arrays`: 0
     * at constant velocity, 1 with a model, 2 where density varies, too. */
    static constexpr int more = round_up(shared_bytes, 128);
    static constexpr int place_bytes = round_up(workers, 32) * 16;
    static constexpr __host__ __device__ int places_beside(int used, int most)
    {
        const int fit = used < MOST_SHARED ? (MOST_SHARED - used) / place_bytes : 0;
        return fit < most ? fit : most;
    }
    /* At order 6, and where density varies, k takes the place of the newest level in registers,
     * unless there are places for all; and shared memory holds k of the block that enters each row.
     */
    static constexpr int k_row = lanes * ZV * NL * 16, k_rows = (2 * DB - 1) * k_row;
    static constexpr __host__ __device__ bool holds_k(bool tma, int arrays)
    {
        return tma && (R == 3 ? arrays > 0 : R > 1 && arrays > 1) &&
               places_beside(more, ZV * NL * arrays) < ZV * NL * arrays &&
               more + k_rows <= MOST_SHARED;
    }
    /* Where density varies: places for what binds cells, which is used `group_of` vectors at a
     * time: as many as there is room for beside all k, or one group. */
    static constexpr __host__ __device__ int group_of(bool tma, int arrays)
    {
        return holds_k(tma, arrays) ? 1 : R == 2 ? NL : R;
    }
    static constexpr __host__ __device__ int binding_places(bool tma, int arrays)
    {
        if (!tma || arrays < 2) return 0;
        const int group = group_of(tma, arrays);
        const int used = more + (holds_k(tma, arrays) ? k_rows : ZV * NL * place_bytes);
        const int beside = places_beside(used, ZV * NL) / group * group;
        return beside > 0 ? beside : places_beside(more, group) / group * group;
    }
    /* Places for k of the first so many vectors of every thread. */
    static constexpr __host__ __device__ int k_places(block_layers layers, int arrays)
    {
        const int tables = layers == LAYERS_ALONE ? layers_base + 2 * layers_table : 0;
        return places_beside(more + tables + binding_places(true, arrays) * place_bytes, ZV * NL);
    }
    /*
     * Whether the newest level is in `own` only: three warps a scheduler have no registers for it.
     */
    static constexpr __host__ __device__ bool steady(bool tma, int arrays)
    {
        return WIDE || holds_k(tma, arrays);
    }
    /* Without, at order 4: a second `own`, so that nobody waits until all have read the first. */
    static constexpr bool fits_two = R == 2 && DB > 1 &&
                                     sizeof(T) == 4 && more + own_bytes <= MOST_SHARED;
    /* Where edges come in several batches, those of the first lines have a gate of their own. */
    static constexpr int batches = (NL + lines_a_batch - 1) / lines_a_batch;
    static constexpr bool halves = R > 2 && batches > 1;
    static constexpr int first_batches = halves ? batches / 2 : batches;
    /* Offset of the odd levels in `own` from the even ones; 0: one level only. */
    static constexpr __host__ __device__ int own_odd(bool tma, int arrays)
    {
        return tma && !arrays && fits_two ? more - own : 0;
    }
    static constexpr __host__ __device__ int binding_at(bool tma, block_layers layers, int arrays)
    {
        return more + (holds_k(tma, arrays) ? k_rows : k_places(layers, arrays) * place_bytes);
    }
    static constexpr __host__ __device__ int layers_at(bool tma, int arrays, block_layers layers)
    {
        return !tma ? shared_bytes
               : arrays
                   ? binding_at(tma, layers, arrays) + binding_places(tma, arrays) * place_bytes
               : own_odd(tma, arrays) ? more + own_bytes
                                      : shared_bytes;
    }
    /* LAYERS_ALONE: tables that there is room for: of 1 / (1 + s dt), and of 1 - s dt as well. */
    static constexpr __host__ __device__ int layers_tables(int arrays)
    {
        return layers_at(true, arrays, LAYERS_ALONE) + layers_base + 2 * layers_table <= MOST_SHARED
                   ? 2
                   : 1;
    }
    static constexpr int shared_bytes_of(bool tma, int arrays, block_layers layers)
    {
        const int tables = layers_base + layers_tables(arrays) * layers_table;
        return layers_at(tma, arrays, layers) + (layers == LAYERS_ALONE ? tables : 0);
    }

    static constexpr int active = round_up(workers, 32);  /* these take part in barriers */
    static constexpr int groups = round_up(workers, 128); /* whole warp groups for TMA */
    static constexpr int threads_tma = groups + 128;
    /* The first of the two warps that exchange edges. They spill with few registers, and there is
     * little L1 cache left, so they are in a group of workers where it has room. */
    static constexpr int exchange_warp = WIDE ? active / 32 : groups / 32 + 2;
    /* What 65,536 registers, given out in eights a thread at launch, can be shared out to. Helpers
     * that exchange edges are quickest with 72; a velocity array of order 4 gains more from what
     * workers do not spill. */
    static constexpr __host__ __device__ int worker_registers(bool model)
    {
        return groups > 384 ? 112 : WIDE ? 160 : groups > 256 ? 152 : model && R < 3 ? 232 : 216;
    }
    static constexpr __host__ __device__ int helper_registers(bool model)
    {
        return groups > 384 ? 32 : WIDE ? 32 : groups > 256 ? 56 : model && R < 3 ? 40 : 72;
    }
    static constexpr bool share_registers = groups > 128;
};

/* What a kernel of block towers is compiled for. MODEL: with a velocity array; BOUND: and with a
 * density array; MANY: for many points. */
template <class T_, int R_, int DB_, bool WIDE_, bool MODEL_, block_layers LAYERS_, bool TMA_,
          bool BOUND_ = false, bool MANY_ = false>
struct block_kernel {
    using T = T_;
    using S = block_shape<T, R_, DB_, WIDE_>;
    static constexpr int R = R_, DB = DB_;
    static constexpr bool WIDE = WIDE_, MODEL = MODEL_, TMA = TMA_, BOUND = BOUND_, MANY = MANY_;
    static constexpr block_layers LAYERS = LAYERS_;
    static constexpr bool LANES_ADD = MANY || S::workers_record; /* to sources */
    /* The older level and k (HOLDS_K) in registers, not the newest level. Then this one stays in
     * one place of `own` for each block, so that each thread can exchange it for the next one. */
    static constexpr int ARRAYS = MODEL + BOUND;
    static constexpr bool STEADY = S::steady(TMA, ARRAYS), HOLDS_K = S::holds_k(TMA, ARRAYS);
    static constexpr int ODD = S::own_odd(TMA, ARRAYS); /* 0: one level in `own` */
    /* MANY: places for what a step records, and for nodes of sources of each slot with their
     * values, where there is room. */
    static constexpr int shared_without = S::shared_bytes_of(TMA, ARRAYS, LAYERS);
    static constexpr int units = round_up(shared_without, 16);
    static constexpr int room = (units <= LESS_SHARED ? LESS_SHARED : MOST_SHARED) - units;
    static constexpr int UNITS = at_most(512, room / 8) & ~127;
    static constexpr int node_bytes = 4 + sizeof(T), values = units + UNITS * 8;
    static constexpr int NODES = at_most(8 * R * R, (room - UNITS * 8) / (S::slots * node_bytes));
    static constexpr int nodes = values + S::slots * NODES * (int)sizeof(T);
    static constexpr int shared_bytes =
        MANY ? values + S::slots * NODES * node_bytes : shared_without;
};

/* Blocks before row y, less its first position: block (X, y) has number row_start(y) + X. */
template <int DB> __device__ __forceinline__ int row_start(int y) { return torre_row_start(DB, y); }

/* Position and row of the block with number n. */
template <int DB> __device__ __forceinline__ void block_place(int n, int *X, int *Y)
{
    int y = 1 - DB;
    while (y + 1 < DB && n >= row_start<DB>(y + 1) + abs(y + 1)) y++;
    *Y = y;
    *X = n - row_start<DB>(y);
}

/* Place of halo block number i (0 .. 4 DB + 1) in the frame of the step before. */
template <int DB> __device__ __forceinline__ void halo_place(int i, int *x, int *y)
{
    *y = i / 2 - DB;
    *x = 2 * DB - abs(*y) + (i & 1);
}

#endif
