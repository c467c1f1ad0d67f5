/*
 * Which tower a persistent block works on, what it waits for, and whom it tells.
 *
 * The work of a pass is a list of items: item = place in the tower list * parts + part, where the
 * z axis is split into `parts` blocks that run the same tower side by side and exchange edges.
 * Block b of G takes the items b, b + G, b + 2 G, ... (register towers: whole towers one by one,
 * see wave_register_helpers.cuh). The list is a linear extension of the dependencies and G >=
 * parts, so the first unfinished tower always has all its blocks at work and everything before it
 * finished: nothing can wait in a circle, whatever G and parts are.
 *
 * progress[slot of the tower][part] counts completed steps (TOWER_DONE after the last). Step t
 * reads values that the upwind towers (s+1, m-1), (s+1, m+1), (s+2, m) wrote in steps before t, in
 * the same part and, for the edges, in the two next to it.
 */
#ifndef TORRE_TOWER_SCHEDULE_CUH
#define TORRE_TOWER_SCHEDULE_CUH

#include "cuda/core/ptx.cuh"
#include "cuda/tower/tower_launch.h"

constexpr int TOWER_DONE = 1 << 30;

struct tower_item {
    int s, m, part;
    int first_step, end_step; /* steps in which the tower touches the grid; none: first >= end */
};

__device__ __forceinline__ tower_item tower_item_at(const torre_tower_launch &l, int item, int R,
                                                    int nx)
{
    tower_item w;
    const int place = item / l.parts;
    w.part = item - place * l.parts;
    w.s = l.list[2 * place];
    w.m = l.list[2 * place + 1];
    /* start while everything is still outside, so that nothing has to be waited for; even, since
     * the parity of a step is compiled in */
    const int x = l.half_size * w.s, top = x + 2 * l.half_size - 1;
    const int touches = top >= 0 ? 0 : (-top + R - 1) / R;
    w.first_step = touches > 0 ? (touches - 1) & ~1 : 0;
    w.end_step = x >= nx ? 0 : min(l.steps, (nx - x + R - 1) / R);
    return w;
}

__device__ __forceinline__ int *tower_progress(const torre_tower_launch &l, int s, int m, int part)
{
    const int64_t slot = (int64_t)(s - l.s_min) * (l.m_max - l.m_min + 1) + (m - l.m_min);
    return l.progress + slot * l.parts + part;
}

/* The planes of a part: z is split evenly, in whole vectors of v planes (the last may reach over
 * the face).
 */
struct tower_planes {
    int first, count;
};
__device__ __forceinline__ tower_planes tower_planes_of(const torre_tower_launch &l, int part,
                                                        int nz, int v)
{
    const int64_t all = (nz + v - 1) / v;
    const int from = (int)(all * part / l.parts) * v, to = (int)(all * (part + 1) / l.parts) * v;
    return {from, min(to, nz) - from};
}

/* The neighbour of a part along z, -1 for none. */
__device__ __forceinline__ int tower_part_beside(const torre_tower_launch &l, int part, int side,
                                                 bool periodic)
{
    const int p = part + (side ? 1 : -1);
    if (p >= 0 && p < l.parts) return p;
    return periodic ? (p < 0 ? l.parts - 1 : 0) : -1;
}

/* Whether this block, which has `part` of a tower, and the one that has `other` are in one cluster,
 * where they need no mailbox. */
__device__ __forceinline__ bool tower_clustered(const torre_tower_launch &l, int part, int other)
{
    return (int)blockIdx.x / l.cluster == ((int)blockIdx.x + other - part) / l.cluster;
}

/*
 * Counter number i of those an item waits for, NULL for none: 0..8 the upwind towers (they must
 * have come as far as this one), 9 and 10 the items that had the mailboxes of the z neighbours
 * before (they must be done before those are written again).
 */
__device__ __forceinline__ const int *tower_wait_for(const torre_tower_launch &l,
                                                     const tower_item &w, int item, int i,
                                                     bool periodic_y, bool periodic_z)
{
    if (i < 9) {
        const int which = i / 3, shift = i % 3 - 1;
        int s = which < 2 ? w.s + 1 : w.s + 2, m = which == 0   ? w.m - 1
                                                   : which == 1 ? w.m + 1
                                                                : w.m;
        if (periodic_y) m = m < l.m_min ? l.m_max : m > l.m_max ? l.m_min : m;
        if (s > l.s_max || m < l.m_min || m > l.m_max) return nullptr;
        const int part = shift == 0 ? w.part : tower_part_beside(l, w.part, shift > 0, periodic_z);
        return part < 0 ? nullptr : tower_progress(l, s, m, part);
    }
    if (i > 10) return nullptr;
    const int part = tower_part_beside(l, w.part, i - 9, periodic_z);
    const int before = item - w.part + part - 2 * l.blocks;
    if (part < 0 || tower_clustered(l, w.part, part) || before < 0) return nullptr;
    const int place = before / l.parts;
    return tower_progress(l, l.list[2 * place], l.list[2 * place + 1], before % l.parts);
}

/* By a warp whose lanes have the counters of tower_wait_for: wait until all upwind towers have come
 * to step t, look every `nap` nanoseconds. Returns the step that they have come to. */
__device__ __forceinline__ int wait_for_upwind(const int **counter, int t, int nap)
{
    const int lane = threadIdx.x & 31;
    int seen;
    for (;;) {
        int value = TOWER_DONE;
        if (*counter) {
            value = load_progress(*counter);
            if (lane >= 9 && value < TOWER_DONE) value = -1;
        }
        seen = warp_min(value);
        if (seen >= t) break;
        __nanosleep(nap);
    }
    if (lane >= 9) *counter = nullptr; /* mailboxes: only before the first step */
    __syncwarp();
    return seen;
}

/* Mailbox of an item for messages from the given side. A block has two that take turns, so that no
 * neighbour has to wait until its last item is done. */
__device__ __forceinline__ char *tower_mailbox(const torre_tower_launch &l, int item, int side,
                                               int parity, int bytes)
{
    const int block = item % l.blocks, turn = item / l.blocks & 1;
    return l.mailbox + (((int64_t)(block * 2 + turn) * 2 + side) * 2 + parity) * bytes;
}
/* Number of the message with level t of the round-th item of a block: grows all the time. */
__device__ __forceinline__ int tower_mail_number(const torre_tower_launch &l, int item, int t)
{
    return item / l.blocks * (l.steps + 1) + t;
}

#endif
