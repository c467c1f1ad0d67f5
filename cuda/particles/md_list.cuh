/*
 * The list builder: one block per brick, lanes as in md_device.h.
 *
 * A lane tests the staged particles in the rows of bins around its place and notes the hits of a
 * row as a bit mask; every few rows the masks are emptied into its list. (Testing and collecting
 * apart keeps the lanes of a warp together: each of the two costs what the longest lane needs.)
 *
 * Testing is bound by shared memory, so it is done in half precision, four particles at a time, on
 * coordinates of 6 bytes instead of 16 (md_staged_half). The radius is enlarged by their rounding
 * (md_list_args.reach), so that no pair is missed; the list gets a per cent longer. Both particles
 * of a pair see the same numbers, so either both lists hold it or neither.
 *
 * Shared memory has eight banks of 16 bytes and serves eight lanes at a time, so the list is not
 * kept in the order found: entry e of lane l should stand in bank (e + l) mod 8, and then eight
 * lanes that read entry e together never meet in a bank. Hits are collected by bank (s mod 8), and
 * banks that hold too many for that order fill the gaps of those that hold too few.
 */
#ifndef TORRE_MD_LIST_CUH
#define TORRE_MD_LIST_CUH

#include "md_geometry.cuh"

#define MD_BANKS          8
#define MD_LIST_BLOCK_MAX 512
#define MD_ROWS_MAX       ((2 * MD_REACH_MAX + 1) * (2 * MD_REACH_MAX + 1))
#define MD_ROWS_BATCH     13 /* rows tested between two collections */
#define MD_PENDING        14 /* masks kept till then; one to spare for rows longer than a mask */

/* Bytes of halo_bins + 1 starts, and of the staged halves. */
inline __host__ __device__ size_t md_list_starts_bytes(int halo_bins)
{
    return (2 * ((size_t)halo_bins + 1) + 7) / 8 * 8;
}
inline __host__ __device__ size_t md_list_staged_bytes(int staged_cap)
{
    return 6 * (size_t)staged_cap; /* staged_cap is a multiple of 4 */
}

/* Shared memory of the builder for a block of that many threads. */
inline __host__ __device__ size_t md_list_shared_bytes(int staged_cap, int halo_bins, int group_cap,
                                                       int block)
{
    return md_list_staged_bytes(staged_cap) + md_list_starts_bytes(halo_bins) +
           (size_t)block * (8 * MD_PENDING + 2 * MD_BANKS * (size_t)(group_cap / 2));
}

/*
 * The rows of bins that a place must look at: table[r] = first bin of the row relative to the bin
 * of the place, times 256, plus the number of bins (0: out of reach). Returns how many rows.
 */
__device__ inline int md_row_table(const md_tiles &t, int halo_y, int halo_z, int *table)
{
    int side = 2 * t.reach + 1;
    for (int r = threadIdx.x; r < side * side; r += blockDim.x) {
        int dx = r / side - t.reach, dy = r % side - t.reach, dz = t.row_reach[abs(dx)][abs(dy)];
        table[r] = dz < 0 ? 0 : ((dx * halo_y + dy) * halo_z - dz) * 256 + 2 * dz + 1;
    }
    return side * side;
}

/* Where a place stands: its bin in the halo, and its own staged index. */
struct md_seat {
    int bin, own;
};

__device__ inline md_seat md_seat_of(const md_tiles &t, int rank, int place, int halo_y, int halo_z,
                                     const uint16_t *starts)
{
    int home = t.home[place], x = home & 31, y = home >> 5 & 31, z = home >> 10;
    md_seat seat;
    seat.bin = ((x + t.reach) * halo_y + y + t.reach) * halo_z + z + t.reach;
    seat.own = starts[seat.bin] + place - t.start[(int64_t)rank * t.slots + md_inner(t, x, y, z)];
    return seat;
}

/* The list of one lane while it grows: banks in columns of shared memory, fill counts in bytes. */
struct md_growing_list {
    uint16_t *column;
    int stride, room; /* entries of a bank */
    uint32_t low, high;
    int dropped;

    __device__ uint32_t fill(int bank) const { return __byte_perm(low, high, bank) & 0xff; }
    __device__ uint16_t &at(int bank, uint32_t k)
    {
        return column[(bank * room + (int)k) * stride];
    }
    __device__ int length() const
    {
        return (int)__dp4a(low, 0x01010101u, __dp4a(high, 0x01010101u, 0u));
    }
    __device__ void add_to_fill(uint64_t change)
    {
        uint64_t sum = ((uint64_t)high << 32 | low) + change;
        low = (uint32_t)sum;
        high = (uint32_t)(sum >> 32);
    }
    __device__ void push(int s)
    {
        int bank = s & (MD_BANKS - 1);
        uint32_t k = fill(bank);
        if (k >= (uint32_t)room) { /* rare: any bank with room will do */
#pragma unroll 1
            for (int tries = 1; k >= (uint32_t)room && tries < MD_BANKS; tries++) {
                bank = (bank + 1) & (MD_BANKS - 1);
                k = fill(bank);
            }
            if (k >= (uint32_t)room) {
                dropped++;
                return;
            }
        }
        at(bank, k) = (uint16_t)(16 * s);
        add_to_fill((uint64_t)1 << (8 * bank));
    }
    /* Move entries until every bank holds as many as the order of lane `lane` reads from it. */
    __device__ void balance(int lane)
    {
        int n = length();
        uint32_t want_low = 0, want_high = 0;
#pragma unroll
        for (int b = 0; b < MD_BANKS; b++) {
            uint32_t want = (uint32_t)(n + 7 - ((b - lane) & 7)) >> 3;
            if (b < 4)
                want_low |= want << (8 * b);
            else
                want_high |= want << (8 * b - 32);
        }
        int gap = 0, surplus = 0;
#pragma unroll 1
        for (;;) {
            while (gap < MD_BANKS && fill(gap) >= (__byte_perm(want_low, want_high, gap) & 0xff))
                gap++;
            if (gap == MD_BANKS) return;
            while (fill(surplus) <= (__byte_perm(want_low, want_high, surplus) & 0xff)) surplus++;
            at(gap, fill(gap)) = at(surplus, fill(surplus) - 1);
            add_to_fill(((uint64_t)1 << (8 * gap)) - ((uint64_t)1 << (8 * surplus)));
        }
    }
    /* Write a balanced list, entry e from bank (e + lane) mod 8, groups of four stride words apart;
       returns the number of groups. `nobody` fills the last one. */
    __device__ int write(int lane, uint16_t nobody, uint64_t *out, int out_stride)
    {
        int n = length(), groups = (n + 3) / 4;
        for (int e = n; e < 4 * groups; e++) at((e + lane) & 7, (uint32_t)e >> 3) = nobody;
        const uint16_t *bank[MD_BANKS];
#pragma unroll
        for (int u = 0; u < MD_BANKS; u++) bank[u] = column + ((u + lane) & 7) * room * stride;
#pragma unroll 1
        for (int g = 0; g < groups; g += 2) {
            uint32_t word[4];
#pragma unroll
            for (int w = 0; w < 4; w++) {
                word[w] = (uint32_t)*bank[2 * w] | (uint32_t)*bank[2 * w + 1] << 16;
                bank[2 * w] += stride;
                bank[2 * w + 1] += stride;
            }
            __stcs((uint2 *)out, make_uint2(word[0], word[1]));
            if (g + 1 < groups) __stcs((uint2 *)(out + out_stride), make_uint2(word[2], word[3]));
            out += 2 * out_stride;
        }
        return groups;
    }
};

/*
 * Test `quads` times four staged particles from quad * 4 on: bit 4 quads - 1 - i is set when the
 * i-th of them is within reach. At most 8 quads. The sign of r^2 - reach is what is collected: the
 * high bytes of four halves, spread to whole bytes, leave one bit each and are added up.
 */
__device__ inline uint32_t md_hits(const md_staged_half &staged, int quad, int quads, __half2 x,
                                   __half2 y, __half2 z, __half2 minus_reach)
{
    uint32_t bits = 0;
    const uint2 *px = (const uint2 *)staged.x + quad, *py = (const uint2 *)staged.y + quad,
                *pz = (const uint2 *)staged.z + quad;
#pragma unroll 2
    for (int k = 0; k < quads; k++) {
        uint2 qx = px[k], qy = py[k], qz = pz[k];
        uint32_t beyond[2];
#pragma unroll
        for (int u = 0; u < 2; u++) {
            uint32_t wx = u ? qx.y : qx.x, wy = u ? qy.y : qy.x, wz = u ? qz.y : qz.x;
            __half2 dx = __hsub2(x, *(__half2 *)&wx), dy = __hsub2(y, *(__half2 *)&wy),
                    dz = __hsub2(z, *(__half2 *)&wz);
            __half2 d = __hfma2(dx, dx, __hfma2(dy, dy, __hfma2(dz, dz, minus_reach)));
            beyond[u] = *(uint32_t *)&d;
        }
        uint32_t signs = __byte_perm(beyond[0], beyond[1], 0x7531);
        signs = (signs >> 7) & 0x01010101u;
        bits = __dp4a(signs, 0x01020408u, bits << 4);
    }
    return bits;
}

/* Empty masks[0 .. count) (in columns; .x bits, not 0, .y the s of bit 0) into the list. */
template <bool HALF>
__device__ inline void md_list_collect(md_growing_list &list, const uint2 *masks, int stride,
                                       int count, const uint32_t *gather, uint32_t own)
{
    if (count == 0) return;
    const uint2 *end = masks + count * stride;
    uint2 m = *masks;
#pragma unroll 1
    for (;;) {
        int bit = 31 - __clz((int)m.x), s = (int)m.y - bit;
        m.x ^= 1u << bit;
        if (!HALF || (gather[s] & ((1u << MD_INDEX_BITS) - 1)) > own) list.push(s);
        if (!m.x) {
            masks += stride;
            if (masks == end) return;
            m = *masks;
        }
    }
}

template <class State, bool HALF>
__global__ void __launch_bounds__(MD_LIST_BLOCK_MAX)
    md_list_kernel(const __grid_constant__ md_list_args a)
{
    const md_tiles &t = a.tiles;
    md_control *control = t.control;
    /* what this kernel reports stops none of its blocks: all say how much room they need */
    if (control->error & ~(MD_ERROR_LANES | MD_ERROR_LIST)) return;
    __shared__ int row_table[MD_ROWS_MAX];
    extern __shared__ float4 shared[];
    md_staged_half staged(shared, t.staged_cap);
    uint16_t *starts = (uint16_t *)((char *)shared + md_list_staged_bytes(t.staged_cap));
    uint2 *masks = (uint2 *)((char *)starts + md_list_starts_bytes(t.halo_bins));
    uint16_t *columns = (uint16_t *)(masks + MD_PENDING * blockDim.x);
    masks += threadIdx.x;

    const int page = blockIdx.x, rank = a.active ? a.active[page] : t.first_brick + page;
    int T = a.lanes_per_place, stride = blockDim.x, first;
    int places = md_brick_places(t, rank, &first), lanes = places * T;
    if (lanes > t.lane_cap) {
        if (threadIdx.x == 0) {
            atomicMax(&control->need_lanes, (uint32_t)lanes);
            atomicOr(&control->error, MD_ERROR_LANES);
        }
        return;
    }
    md_brick brick = md_brick_of_rank(t, rank);
    int halo_y = brick.size[1] + 2 * t.reach, halo_z = brick.size[2] + 2 * t.reach;
    int bins = (brick.size[0] + 2 * t.reach) * halo_y * halo_z;
    const int row = rank - t.first_brick;
    const uint16_t *halo_start = t.halo_start + (int64_t)row * (t.halo_bins + 1);
    const uint32_t *gather = t.gather + (int64_t)row * t.staged_cap;
    int rows = md_row_table(t, halo_y, halo_z, row_table);
    __half2 minus_reach = __float2half2_rn(-(a.live ? a.live->reach : a.reach));
    for (int h = threadIdx.x; h <= bins; h += blockDim.x) starts[h] = halo_start[h];
    md_stage(
        t, row, brick,
        md_grid_frame_of<State>(md_box_now(a.box, a.live), brick, a.live ? a.live->grid : a.grid),
        (const md_vec<State> *)a.x_built, staged);
    __syncthreads();

    for (int lane = threadIdx.x; lane < lanes; lane += blockDim.x) {
        md_seat seat = md_seat_of(t, rank, first + lane / T, halo_y, halo_z, starts);
        __half2 x = __half2half2(staged.x[seat.own]), y = __half2half2(staged.y[seat.own]),
                z = __half2half2(staged.z[seat.own]);
        md_growing_list list = {columns + threadIdx.x, stride, t.group_cap / 2, 0, 0, 0};
        uint32_t own_index = HALF ? gather[seat.own] & ((1u << MD_INDEX_BITS) - 1) : 0;
        int j = 0, end = 0, pending = 0, batch = 0;
        for (int r = lane % T; r < rows || j < end;) {
            if (j >= end) {
                const uint16_t *row = starts + seat.bin + (row_table[r] >> 8);
                j = row[0];
                end = row[row_table[r] & 255];
                r += T;
                batch++;
            }
            if (j < end) {
                int quad = j >> 2, quads = min(8, ((end + 3) >> 2) - quad);
                int last = 4 * (quad + quads) - 1; /* the particle of bit 0 */
                uint32_t bits = md_hits(staged, quad, quads, x, y, z, minus_reach);
                bits &= 0xffffffffu >> (31 - (last - j));                 /* none before j */
                if (last >= end) bits &= 0xffffffffu << (last - end + 1); /* none from end on */
                if ((unsigned)(last - seat.own) < 32) bits &= ~(1u << (last - seat.own));
                if (bits) masks[pending++ * stride] = make_uint2(bits, (unsigned)last);
                j = last + 1;
            }
            if (pending == MD_PENDING || batch == MD_ROWS_BATCH) {
                md_list_collect<HALF>(list, masks, stride, pending, gather, own_index);
                pending = batch = 0;
            }
        }
        md_list_collect<HALF>(list, masks, stride, pending, gather, own_index);
        if (list.dropped) {
            atomicMax(&control->need_entries, (uint32_t)(list.length() + list.dropped));
            atomicOr(&control->error, MD_ERROR_LIST);
        }
        list.balance(lane);
        t.list_groups[(int64_t)page * t.lane_cap + lane] = (uint16_t)list.write(
            lane, (uint16_t)(16 * (t.staged_cap - 1)),
            t.list + (int64_t)page * t.group_cap * t.lane_cap + lane, t.lane_cap);
    }
}

#endif
