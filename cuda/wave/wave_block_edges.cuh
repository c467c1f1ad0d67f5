/*
 * Exchange of edges between the parts of a tower that lie beside each other along z.
 *
 * The R cells of each line next to the other part go to its mailbox in global memory as packets of
 * 16 bytes, read and written at once: values and a number that says of which item and step they
 * are. The receiver polls the packets themselves. That needs no fence and no flag, whose latencies
 * every step would have to wait for; packets double the traffic, which is small.
 *
 * A mailbox has one slot per block, turn and step parity. A part writes level t + 2 only after it
 * has received level t + 1, which the other part sent after it had read level t.
 */
#ifndef TORRE_WAVE_BLOCK_EDGES_CUH
#define TORRE_WAVE_BLOCK_EDGES_CUH

#include "cuda/tower/tower_schedule.cuh"
#include "wave_block_shape.cuh"

template <class T> struct alignas(16) edge_packet {
    static constexpr int values = (16 - 4) / sizeof(T); /* 3 float or 1 double */
    T value[values];
    int number;
};

template <class T> __device__ __forceinline__ void store_packet(char *to, const edge_packet<T> &p)
{
    unsigned __int128 whole;
    memcpy(&whole, &p, 16);
    store_packet(to, whole);
}
template <class T> __device__ __forceinline__ void load_packet(edge_packet<T> &p, const char *from)
{
    uint64_t half[2];
    load_packet(from, half);
    memcpy(&p, half, 16);
}

template <class Kernel> struct edge_exchange {
    using T = typename Kernel::T;
    using S = typename Kernel::S;
    static constexpr int R = Kernel::R, DB = Kernel::DB;
    using vec = cells<T>;
    using packet = edge_packet<T>;
    static constexpr int V = S::V, PV = S::PV, NL = S::NL;
    /* lines are handled in batches */
    static constexpr int lines = S::lines_a_batch, packets = S::packets_of(lines);
    /* Block number n stands in place n + SHIFT of `own`. */
    static constexpr int SHIFT = Kernel::STEADY ? 0 : 1;

    /* The vectors of one line that hold its edge: `cell` R cells from the lowest or the highest. */
    static __device__ __forceinline__ int cell_of(int side, int i)
    {
        return side ? PV * V - R + i : i; /* our high side is the other part's low side */
    }
    static __device__ __forceinline__ char *slot_of(char *box, int n, int batch)
    {
        return box + (batch * packets * S::blocks + n) * 16;
    }

    /* Send the edges of the block with number n at the next step: it stands in place n + 1 of `own`
     * (STEADY: in place n; what is sent of those that leave is not used). `COUNT` lines from `line`
     * on. */
    template <int COUNT>
    static __device__ __forceinline__ void send_batch(const char *shared, int line, char *to,
                                                      int from, int side, int number)
    {
        T value[packets * packet::values];
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            vec around[PV];
#pragma unroll
            for (int d = 0; d < PV; d++)
                around[d] = *(const vec *)(shared + from + (line + i) * S::line + d * 16);
#pragma unroll
            for (int r = 0; r < R; r++) {
                const int low = cell_of(0, r), high = cell_of(1, r);
                value[i * R + r] = side ? around[high / V].v[high % V] : around[low / V].v[low % V];
            }
        }
        constexpr int count = S::packets_of(COUNT);
#pragma unroll
        for (int k = 0; k < count; k++) {
            packet q = {};
#pragma unroll
            for (int i = 0; i < packet::values; i++)
                if (k * packet::values + i < COUNT * R) q.value[i] = value[k * packet::values + i];
            q.number = number;
            store_packet(to + k * S::blocks * 16, q);
        }
    }

    /* All edges on one side, from `own` at that offset, by thread number `thread` of `threads`;
     * vectors: along z in the part.
     */
    static __device__ __forceinline__ void send(const char *shared, int thread, int threads,
                                                int own, int side, int vectors, char *box,
                                                int number)
    {
        for (int n = thread; n < S::blocks - SHIFT; n += threads) {
            const int from = own + (n + SHIFT) * S::block_bytes + (side ? vectors : PV) * 16;
#pragma unroll 1
            for (int batch = 0; batch < NL / lines; batch++)
                send_batch<lines>(shared, batch * lines, slot_of(box, n, batch), from, side,
                                  number);
            if constexpr (NL % lines != 0)
                send_batch<NL % lines>(shared, NL / lines * lines, slot_of(box, n, NL / lines),
                                       from, side, number);
        }
    }

    template <int COUNT>
    static __device__ __forceinline__ void receive_batch(char *shared, const char *from, int line,
                                                         int to, int side, int number)
    {
        constexpr int count = S::packets_of(COUNT);
        packet q[count];
        bool all;
        do {
#pragma unroll
            for (int k = 0; k < count; k++) load_packet(q[k], from + k * S::blocks * 16);
            all = true;
#pragma unroll
            for (int k = 0; k < count; k++) all &= q[k].number == number;
        } while (!all);
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            vec around[PV];
#pragma unroll
            for (int d = 0; d < PV; d++) around[d] = uniform_cells(T(0));
#pragma unroll
            for (int r = 0; r < R; r++) {
                const int k = i * R + r, low = cell_of(0, r), high = cell_of(1, r);
                const T value = q[k / packet::values].value[k % packet::values];
                if (side || low == high) around[low / V].v[low % V] = value;
                if (!side || low == high) around[high / V].v[high % V] = value;
            }
#pragma unroll
            for (int d = 0; d < PV; d++)
                *(vec *)(shared + to + (line + i) * S::line + d * 16) = around[d];
        }
    }

    /* The edges on one side of some batches, into the lines that they belong to. */
    static __device__ __forceinline__ void receive(char *shared, int thread, int threads, int own,
                                                   int side, int vectors, char *box, int number,
                                                   int first, int last)
    {
        for (int n = thread; n < S::blocks - SHIFT; n += threads) {
            const int to = own + (n + SHIFT) * S::block_bytes + S::edge_at(side, vectors);
#pragma unroll 1
            for (int batch = first; batch < min(last, NL / lines); batch++)
                receive_batch<lines>(shared, slot_of(box, n, batch), batch * lines, to, side,
                                     number);
            if constexpr (NL % lines != 0)
                if (last == S::batches)
                    receive_batch<NL % lines>(shared, slot_of(box, n, NL / lines),
                                              NL / lines * lines, to, side, number);
        }
    }

    /* At a face: the images of the vectors next to it, for the step of `parity`, once the level is
     * in `own` and in the halo (blocks about to enter), `steps` after the first of the item. One
     * vector on each side (PV = 1). m: where they come from. (Few registers are left here: what is
     * spilled delays the edges of all parts.) */
    static __device__ __forceinline__ void mirror(char *shared, int thread, int threads, int own,
                                                  int side, int parity, int steps, int vectors,
                                                  const torre_mirror &m, int nz)
    {
        /* the first plane of the part */
        const int z = side ? (nz + V - 1) / V * V - vectors * V : 0;
        const bool reversed = S::reverses(nz, side), descends = side && nz >= 2 * V;
        for (int n = thread; n < S::blocks; n += threads) {
            int from = own + (n + SHIFT) * S::block_bytes; /* where it stands before that step */
            for (int y = 1 - DB; y < DB; y++) {
                const int length = 2 * (DB - abs(y)), last = row_start<DB>(y) + abs(y) + length - 1;
                const int enters = Kernel::STEADY ? last + 1 - length + steps % length : last;
                if (n == enters)
                    from = S::halo + parity * S::halo_bytes + (y + DB) * 2 * S::halo_block_bytes;
            }
            const int to = from + S::edge_at(side, vectors);
            if (reversed) {
                const bool rigid = m.sign[side][0] == 1;
                from += (side ? PV + vectors - 1 : PV) * 16;
#pragma unroll 4
                for (int i = 0; i < NL; i++) {
                    const vec v = *(const vec *)(shared + from + i * S::line);
                    *(vec *)(shared + to + i * S::line) =
                        side ? image_above(v, rigid) : image_below(v, rigid);
                }
            } else if (descends) {
                from += PV * 16 + (m.source[1][0] - z) * (int)sizeof(T);
#pragma unroll 1
                for (int i = 0; i < NL; i++) {
                    const T *u = (const T *)(shared + from + i * S::line);
                    vec v;
#pragma unroll
                    for (int d = 0; d < V; d++) v.v[d] = (T)m.sign[1][0] * u[-d];
                    *(vec *)(shared + to + i * S::line) = v;
                }
            } else { /* few planes: images of images */
#pragma unroll 1
                for (int i = 0; i < NL * V; i++) {
                    const int line = i / V * S::line, d = i % V;
                    const T *u = (const T *)(shared + from + line + PV * 16) - z;
                    T *image = (T *)(shared + to + line);
                    const int sign = m.sign[side][d];
                    image[side ? d : V - 1 - d] = sign ? (T)sign * u[m.source[side][d]] : T(0);
                }
            }
        }
    }
};

#endif
