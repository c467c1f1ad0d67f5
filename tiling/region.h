/*
 * Regions: the part of a grid that one solver computes.
 *
 *     global   0 |-------------------------------------------------| n
 *     stored              |~~ halo ~~|-- owned --|~~ halo ~~|
 *
 * All cells are numbered as in the whole grid. A solver holds the stored cells and answers for the
 * owned ones. Where a region does not end with the grid, the grid continues: values beyond are
 * those of other solvers, and come as boxes into the halo before each pass of some steps. What a
 * pass may compute shrinks from step to step, for a step takes values R cells around
 * (torre_region_legal; towers cut along x in another way, diamond.h).
 *
 * A periodic axis has no end: a region that does not have all of it continues on both sides, its
 * stored cells may lie below 0 and above n - 1, and c and c + n are the same cell.
 *
 * Everything here is integer arithmetic on the caller's numbers: no memory, no errors.
 */
#ifndef TORRE_REGION_H
#define TORRE_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "hd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The cells low[a] <= c < high[a] along each axis a; none where a low is not below its high. */
typedef struct torre_box {
    int64_t low[3], high[3];
} torre_box;

typedef struct torre_region {
    int64_t global[3]; /* cells of the whole grid */
    bool periodic[3];  /* axes of it */
    torre_box owned;   /* within 0 .. global - 1 */
    torre_box stored;  /* owned and halo */
} torre_region;

/* The region that is the whole of a grid. */
static inline TORRE_HD torre_region torre_region_whole(const int64_t size[3])
{
    torre_region r;
    for (int a = 0; a < 3; a++) {
        r.global[a] = r.owned.high[a] = r.stored.high[a] = size[a];
        r.owned.low[a] = r.stored.low[a] = 0;
        r.periodic[a] = false;
    }
    return r;
}

/*
 * The region that owns a box (not empty, within the grid) and holds up to halo[a][side] >= 0 cells
 * beyond its low (side 0) and high (1) ends along each axis: as far as the grid goes, or around a
 * periodic axis that the box does not have all of (no more than once).
 */
static inline TORRE_HD torre_region torre_region_make(const int64_t size[3], const bool periodic[3],
                                                      const torre_box *owned,
                                                      const int64_t halo[3][2])
{
    torre_region r = torre_region_whole(size);
    r.owned = r.stored = *owned;
    for (int a = 0; a < 3; a++) {
        const bool all = owned->low[a] == 0 && owned->high[a] == size[a];
        r.periodic[a] = periodic[a];
        if (all) continue;
        r.stored.low[a] -= halo[a][0];
        r.stored.high[a] += halo[a][1];
        if (periodic[a]) continue;
        if (r.stored.low[a] < 0) r.stored.low[a] = 0;
        if (r.stored.high[a] > size[a]) r.stored.high[a] = size[a];
    }
    return r;
}

/* Whether the grid continues beyond the low (side 0) or high (1) end of the stored cells. */
static inline TORRE_HD bool torre_region_continues(const torre_region *r, int axis, int side)
{
    if (r->periodic[axis]) return r->owned.low[axis] != 0 || r->owned.high[axis] != r->global[axis];
    return side ? r->stored.high[axis] < r->global[axis] : r->stored.low[axis] > 0;
}

/* The cell of the grid that a stored one is (around a periodic axis another number of the same). */
static inline TORRE_HD int64_t torre_region_cell(const torre_region *r, int axis, int64_t stored)
{
    const int64_t n = r->global[axis];
    return stored < 0 ? stored + n : stored >= n ? stored - n : stored;
}

/*
 * The cells low .. high - 1 of an axis that are computed so that those owned can be, `reach` cells
 * around each, in steps yet to come (R a step): stored ones that lie no farther from owned ones.
 */
static inline TORRE_HD void torre_region_legal(const torre_region *r, int axis, int64_t reach,
                                               int64_t *low, int64_t *high)
{
    *low = r->owned.low[axis] - reach;
    *high = r->owned.high[axis] + reach;
    if (*low < r->stored.low[axis]) *low = r->stored.low[axis];
    if (*high > r->stored.high[axis]) *high = r->stored.high[axis];
}

/* All of a grid of the size. */
static inline TORRE_HD torre_box torre_box_all(const int64_t size[3])
{
    torre_box box = {{0, 0, 0}, {size[0], size[1], size[2]}};
    return box;
}

/* The plane `index` across an axis of a grid of the size. */
static inline TORRE_HD torre_box torre_box_plane(const int64_t size[3], int axis, int64_t index)
{
    torre_box box = torre_box_all(size);
    box.low[axis] = index;
    box.high[axis] = index + 1;
    return box;
}

/* Steps from cell to cell along each axis in an array that holds the box, C order, z fastest. */
static inline TORRE_HD void torre_box_strides(const torre_box *box, int64_t stride[3])
{
    stride[2] = 1;
    stride[1] = box->high[2] - box->low[2];
    stride[0] = stride[1] * (box->high[1] - box->low[1]);
}

/* Whether box `inner` lies in box `outer`, or is empty at its edge. */
static inline TORRE_HD bool torre_box_holds(const torre_box *outer, const torre_box *inner)
{
    for (int a = 0; a < 3; a++)
        if (inner->low[a] < outer->low[a] || inner->high[a] > outer->high[a] ||
            inner->low[a] > inner->high[a])
            return false;
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
