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

/* Shared memory a block may have; parts of the smaller tower kernels fit smaller GPUs. */
constexpr int MOST_SHARED = 232448;

/* The numbers of a block tower. */
template <class T, int R, int DB> struct block_shape {
    static constexpr int V = cells<T>::n, PV = (R + V - 1) / V, NL = R * R;
    static constexpr int blocks = 2 * DB * DB;
    /* vectors a thread: about 16 in each time level */
    static constexpr int vectors_wanted = R == 1 ? 4 : R == 2 ? 2 : 1;
    static constexpr int vectors_of(int lanes)
    {
        return lanes * vectors_wanted > 32 ? 32 / lanes : vectors_wanted;
    }
    static constexpr int line_of(int lanes) { return (lanes * vectors_of(lanes) + 2 * PV) * 16; }
    /* fewer than 8 lanes: neighbouring blocks start in different banks */
    static constexpr int block_of(int lanes)
    {
        const int bytes = NL * line_of(lanes);
        return bytes + (lanes < 8 && bytes % 128 == 0 ? lanes * 16 : 0);
    }
    static constexpr int halo_blocks = 4 * DB + 2;
    /* edges: lines like those of blocks, each with the vector of a slot every 16 bytes */
    static constexpr int edge_of(int lanes)
    {
        return (blocks * 16 + line_of(lanes) - 1) / line_of(lanes) * NL * line_of(lanes);
    }
    static constexpr int shared_of(int lanes)
    {
        return 2 * halo_blocks * round_up(NL * line_of(lanes), 128) +
               round_up(blocks * block_of(lanes), 128) + 4 * PV * edge_of(lanes) + 192 +
               32 * blocks;
    }
    /* threads along z: as many as registers (R = 4 needs 232 a thread) and shared memory allow */
    static constexpr int lanes_fit(int lanes)
    {
        return lanes > 1 &&
                       (lanes * blocks > (R == 4 ? 256 : 512) || shared_of(lanes) > MOST_SHARED)
                   ? lanes_fit(lanes / 2)
                   : lanes;
    }
    static constexpr int lanes = lanes_fit(32), ZV = vectors_of(lanes), ZL = lanes * ZV;
    static constexpr int planes = ZL * V;
    static constexpr int line = line_of(lanes), block_bytes = block_of(lanes);
    static constexpr int halo_block_bytes = round_up(NL * line, 128);
    static constexpr int halo_bytes = halo_blocks * halo_block_bytes;
    static constexpr int edge_vector = edge_of(lanes), edge_bytes = PV * edge_vector;
    static constexpr int halo = 0, own = 2 * halo_bytes;
    static constexpr int edge = round_up(own + blocks * block_bytes, 128);
    static constexpr int gates = edge + 4 * edge_bytes;
    static constexpr int item = gates + 128, places = item + 64;
    static constexpr int shared_bytes = places + 32 * blocks;

    static constexpr int workers = blocks * lanes;        /* threads that own cells */
    static constexpr int active = round_up(workers, 32);  /* these take part in barriers */
    static constexpr int groups = round_up(workers, 128); /* whole warp groups for TMA */
    static constexpr int threads_tma = groups + 128;
    /* what 65,536 registers, given out in eights a thread at launch, can be shared out to */
    static constexpr int worker_registers = groups <= 256 ? 232 : groups <= 384 ? 152 : 112;
    static constexpr int helper_registers = groups <= 384 ? 40 : 32;
    static constexpr bool share_registers = groups > 128;
};

/* Place of halo block number i (0 .. 4 DB + 1) in the frame of the step before. */
template <int DB> __device__ __forceinline__ void halo_place(int i, int *x, int *y)
{
    *y = i / 2 - DB;
    *x = 2 * DB - abs(*y) + (i & 1);
}

#endif
