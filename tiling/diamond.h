/*
 * Geometry of DiamondTorre: which cells a tower updates, when, and what it waits for.
 *
 * A diamond of half-size D = DTS * R tiles the x-y plane (R: half-width of the stencil). In local
 * coordinates it holds the 2 D^2 cells with
 *
 *     0 <= xi + eta < 2 D   and   0 <= xi - eta < 2 D,   i.e.   |eta| <= xi < 2 D - |eta|.
 *
 *          eta
 *           ^        .            D = 2: 8 cells
 *           |      . .
 *           |    . . . .          (xi grows to the right, one dot a cell)
 *           |      . .
 *           +--------> xi
 *
 * Towers are numbered by (s, m) with s + m even: s counts stages along x, m rows along y, so that
 * s = a + b and m = a - b in the tile coordinates (a, b) of the design. At step t of a pass
 * (0 <= t < NT, the step that makes level t + 1 from level t) tower (s, m) stands at
 *
 *     x = D s + R t + xi,     y = D m + eta,
 *
 * that is, the diamond slides along +x by R cells a step. Everything a tower reads at step t was
 * written by itself or by its three upwind towers (s+1, m-1), (s+1, m+1), (s+2, m) in their steps
 * before t, and nothing that they write in later steps (even all of them) touches what it still
 * needs. So towers may run in any order in which a tower at step t finds all three upwind towers
 * with at least t completed steps, in place on two arrays (even and odd time levels).
 *
 * Towers of a region (region.h) have the numbers and places that they have in the whole grid.
 * Along x a region takes stages: where others own cells below its own, those with
 * D s >= owned.low, where others own cells above, those with D s < owned.high. So no value is
 * computed twice: the region above a cut at X goes first and leaves cells from X on at the steps
 * that its towers have left them at; the region below takes these over, up to X + R NT + 2 D - 2,
 * and gives them back, all at the last step (torre_tower_halo). Along y a region takes the rows of
 * towers that meet the cells it needs (torre_region_legal), to which whoever follows a tower cuts
 * it.
 * Reference: Levchenko, Perepelkina, Zakirov, Computation 4 (2016) 29,
 * doi:10.3390/computation4030029.
 *
 * Everything here is integer arithmetic on the caller's numbers: no memory, no errors. Legal range:
 * R in 1..4, dts >= 1, NT >= 1, sizes >= 1, D (s + 2) + R NT within int64.
 */
#ifndef TORRE_DIAMOND_H
#define TORRE_DIAMOND_H

#include <stdbool.h>
#include <stdint.h>

#include "hd.h"
#include "region.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One pass of towers over a plane. */
typedef struct torre_tower_grid {
    int64_t x_min, x_max; /* cells of the plane: x_min <= x < x_max, */
    int64_t y_min, y_max; /* y_min <= y < y_max; from 0 on where it is no region's */
    int64_t half_width;   /* R */
    int64_t half_size;    /* D = dts * R */
    int64_t height;       /* NT, steps of the pass */
    int64_t s_min, s_max; /* stages that touch the plane at some step, both included */
    int64_t m_min, m_max; /* rows that touch the plane, both included */
    bool periodic_y;      /* rows wrap: m and m + y_max / D are the same tower */
} torre_tower_grid;

/* A tower's place in the grid. */
typedef struct torre_tower {
    int64_t s, m;
} torre_tower;

static inline TORRE_HD int64_t torre_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static inline TORRE_HD int64_t torre_ceil_div(int64_t a, int64_t b)
{
    return -torre_floor_div(-a, b);
}

/*
 * The tower grid of a pass over a region, in squares of unit x unit cells (R and D count these, and
 * so do the ranges below). No tower is left where other regions take all stages. The rows wrap
 * where the region has all of a periodic y, which needs its cells to be a multiple of 2 D unit
 * (torre_tower_grid_can_wrap); without that the result is not usable.
 */
static inline TORRE_HD torre_tower_grid torre_tower_grid_of(const torre_region *r, int64_t unit,
                                                            int64_t half_width, int64_t dts,
                                                            int64_t height)
{
    const int64_t D = dts * half_width, reach = half_width * (height - 1);
    torre_tower_grid g;
    int64_t y_low, y_high;
    torre_region_legal(r, 1, reach * unit, &y_low, &y_high);
    g.half_width = half_width;
    g.half_size = D;
    g.height = height;
    g.periodic_y = r->periodic[1] && !torre_region_continues(r, 1, 0);
    g.x_min = torre_floor_div(r->stored.low[0], unit);
    g.x_max = torre_ceil_div(r->stored.high[0], unit);
    g.y_min = torre_floor_div(y_low, unit);
    g.y_max = torre_ceil_div(y_high, unit);
    /* at the last step the diamond of stage s reaches up to D s + R (NT - 1) + 2 D - 1 >= x_min */
    g.s_min = r->owned.low[0] > 0 ? torre_ceil_div(r->owned.low[0], D * unit)
                                  : torre_ceil_div(g.x_min - reach - 2 * D + 1, D);
    g.s_max = r->owned.high[0] < r->global[0] ? torre_ceil_div(r->owned.high[0], D * unit) - 1
                                              : torre_floor_div(g.x_max - 1, D);
    g.m_min = torre_floor_div(g.y_min, D);
    g.m_max = g.periodic_y ? g.y_max / D - 1 : torre_ceil_div(g.y_max - 1, D);
    return g;
}

/* The same over all of an nx by ny plane, cell by cell. */
static inline TORRE_HD torre_tower_grid torre_tower_grid_make(int64_t nx, int64_t ny,
                                                              int64_t half_width, int64_t dts,
                                                              int64_t height, bool periodic_y)
{
    const int64_t size[3] = {nx, ny, 1};
    torre_region r = torre_region_whole(size);
    r.periodic[1] = periodic_y;
    return torre_tower_grid_of(&r, 1, half_width, dts, height);
}

/*
 * Cells that a region needs to hold beyond the low (side 0) or high (1) end of those it owns along
 * x, where the grid continues, for a pass of towers; half_width and D = dts * half_width in cells.
 */
static inline TORRE_HD int64_t torre_tower_halo(int64_t half_width, int64_t dts, int64_t height,
                                                int side)
{
    return side ? half_width * height + 2 * dts * half_width - 1 : half_width;
}

/* Whether rows of towers can close on themselves over ny cells. */
static inline TORRE_HD bool torre_tower_grid_can_wrap(int64_t ny, int64_t half_width, int64_t dts)
{
    return ny % (2 * dts * half_width) == 0;
}

/* Whether (s, m) is a tower of the grid (s + m even and in range). */
static inline TORRE_HD bool torre_tower_is_valid(const torre_tower_grid *g, torre_tower w)
{
    return ((w.s + w.m) & 1) == 0 && w.s >= g->s_min && w.s <= g->s_max && w.m >= g->m_min &&
           w.m <= g->m_max;
}

/* Number of columns of (s, m) pairs, for tables indexed by torre_tower_index. */
static inline TORRE_HD int64_t torre_tower_slots(const torre_tower_grid *g)
{
    return (g->s_max - g->s_min + 1) * (g->m_max - g->m_min + 1);
}

/* Index of a valid tower in a table of torre_tower_slots(g) entries; half of them stay unused. */
static inline TORRE_HD int64_t torre_tower_index(const torre_tower_grid *g, torre_tower w)
{
    return (w.s - g->s_min) * (g->m_max - g->m_min + 1) + (w.m - g->m_min);
}

/*
 * The i-th upwind tower (i = 0, 1, 2) of w: (s+1, m-1), (s+1, m+1), (s+2, m).
 * Returns false where there is none in the grid; nothing has to be waited for then.
 */
static inline TORRE_HD bool torre_tower_upwind(const torre_tower_grid *g, torre_tower w, int i,
                                               torre_tower *up)
{
    up->s = i < 2 ? w.s + 1 : w.s + 2;
    up->m = i == 0 ? w.m - 1 : i == 1 ? w.m + 1 : w.m;
    if (g->periodic_y) {
        if (up->m < g->m_min) up->m = g->m_max;
        if (up->m > g->m_max) up->m = g->m_min;
    }
    return torre_tower_is_valid(g, *up);
}

/* The i-th downwind tower (i = 0, 1, 2), the inverse of torre_tower_upwind. */
static inline TORRE_HD bool torre_tower_downwind(const torre_tower_grid *g, torre_tower w, int i,
                                                 torre_tower *down)
{
    down->s = i < 2 ? w.s - 1 : w.s - 2;
    down->m = i == 0 ? w.m + 1 : i == 1 ? w.m - 1 : w.m;
    if (g->periodic_y) {
        if (down->m < g->m_min) down->m = g->m_max;
        if (down->m > g->m_max) down->m = g->m_min;
    }
    return torre_tower_is_valid(g, *down);
}

/* Half-open range of x that tower w covers at step t, cut to the plane; empty when lo >= hi. */
static inline TORRE_HD void torre_tower_x_range(const torre_tower_grid *g, torre_tower w, int64_t t,
                                                int64_t *lo, int64_t *hi)
{
    int64_t x = g->half_size * w.s + g->half_width * t;
    *lo = x < g->x_min ? g->x_min : x;
    *hi = x + 2 * g->half_size > g->x_max ? g->x_max : x + 2 * g->half_size;
}

/*
 * Half-open range of y that tower w covers at step t in the plane x (inside torre_tower_x_range);
 * cut to the plane unless the rows wrap, where it may reach beyond and is to be taken modulo
 * y_max.
 */
static inline TORRE_HD void torre_tower_y_range(const torre_tower_grid *g, torre_tower w, int64_t t,
                                                int64_t x, int64_t *lo, int64_t *hi)
{
    int64_t D = g->half_size;
    int64_t xi = x - D * w.s - g->half_width * t;
    int64_t reach = xi < D ? xi : 2 * D - 1 - xi; /* |eta| <= reach */
    *lo = D * w.m - reach;
    *hi = D * w.m + reach + 1;
    if (!g->periodic_y) {
        if (*lo < g->y_min) *lo = g->y_min;
        if (*hi > g->y_max) *hi = g->y_max;
    }
}

#ifdef __cplusplus
}
#endif

#endif
