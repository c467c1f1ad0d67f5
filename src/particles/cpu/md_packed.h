/*
 * Positions as pairs read them, and what separates two particles. C template (lanes.h first).
 *
 * In f32 and f64 pairs read the positions themselves. In mixed precision the difference of two f64
 * positions is wanted in f32. A position along an edge L is kept as a 32-bit integer instead: what
 * it is beyond whole periods P = L/k, in units of P/2^32. Integers are subtracted without rounding
 * and turn over with the period,
 *
 *     u_i = x_i 2^32/P mod 2^32,   x_i - x_j = (u_i - u_j) P/2^32   where |x_i - x_j| < P/2,
 *
 * so the nearest image is found on the way. P is 8 to 16 times as long as lists reach (or L), so a
 * separation is off by 2^-32 P, less than 4e-9 of the reach, and by its own rounding to f32,
 * wherever in the box the particles are.
 */
#ifndef TORRE_MD_PACKED_H
#define TORRE_MD_PACKED_H

#include <string.h>

#include "particles/cpu/lanes.h"
#include "particles/md_store.h"

/* Whether positions are packed into integers. */
#define TORRE_PACKED (sizeof(TORRE_STATE) != sizeof(TORRE_REAL))

/* Unsigned, so that turning over is defined. */
typedef uint32_t torre_turns __attribute__((vector_size(TORRE_LANES * sizeof(uint32_t))));
typedef int32_t torre_signed __attribute__((vector_size(TORRE_LANES * sizeof(int32_t))));

/* Position i as pairs read it, where that is not the same array. */
TORRE_INLINE void torre_pack(torre_md_store *store, int64_t i)
{
    if (!TORRE_PACKED) return;
    const TORRE_STATE *from = (const TORRE_STATE *)store->position + 4 * i;
    uint32_t *to = (uint32_t *)store->packed + 4 * i;
    for (int a = 0; a < 4; a++) {
        /* the low bits of a number of this size count ones; whole periods lie above them */
        double number = (double)from[a] * store->turns[a] + 6755399441055744.0;
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        to[a] = (uint32_t)bits;
    }
}

/* What a sweep over pairs needs. */
typedef struct torre_positions {
    const void *quads;
    TORRE_REAL edge[3]; /* of the box; of packed positions P/2^32 */
} torre_positions;

static inline torre_positions torre_positions_of(const torre_md_store *store)
{
    torre_positions p = {.quads = store->packed};
    for (int a = 0; a < 3; a++)
        p.edge[a] = TORRE_PACKED ? (TORRE_REAL)(1 / store->turns[a]) : (TORRE_REAL)store->box[a];
    return p;
}

TORRE_INLINE torre_lanes torre_turns_length(torre_lanes a, uint32_t own, TORRE_REAL unit)
{
    torre_turns turns;
    memcpy(&turns, &a, sizeof turns);
    torre_signed apart = (torre_signed)(own - turns);
    return unit * __builtin_convertvector(apart, torre_lanes);
}

/*
 * x, y, z of r_i - r_j for the particles list[0 .. TORRE_LANES - 1], their types, and the lanes
 * among the first `left`: behind them the list is padded, and packed positions have nowhere far
 * away to be. Bit a of wraps: some may be across the box along axis a.
 */
TORRE_INLINE torre_mask torre_separation(const torre_positions *p, int64_t i, const int32_t *list,
                                         int32_t left, int wraps, torre_lanes *x, torre_lanes *y,
                                         torre_lanes *z, torre_lanes *type)
{
    torre_lanes_gather((const torre_quad *)p->quads, list, x, y, z, type);
    if (TORRE_PACKED) {
        const uint32_t *own = (const uint32_t *)p->quads + 4 * i;
        *x = torre_turns_length(*x, own[0], p->edge[0]);
        *y = torre_turns_length(*y, own[1], p->edge[1]);
        *z = torre_turns_length(*z, own[2], p->edge[2]);
        *type = -torre_turns_length(*type, 0, 1);
        torre_mask lane;
        for (int l = 0; l < TORRE_LANES; l++) lane[l] = l;
        return lane < left;
    }
    const TORRE_REAL *own = (const TORRE_REAL *)p->quads + 4 * i;
    *x = own[0] - *x;
    *y = own[1] - *y;
    *z = own[2] - *z;
    if (wraps & 1) *x = torre_lanes_nearest(*x, p->edge[0]);
    if (wraps & 2) *y = torre_lanes_nearest(*y, p->edge[1]);
    if (wraps & 4) *z = torre_lanes_nearest(*z, p->edge[2]);
    return torre_lanes_all();
}

#endif
