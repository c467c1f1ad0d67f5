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

#ifdef __cplusplus
extern "C" {
#endif

/* One pass of towers over an nx by ny plane. */
typedef struct torre_tower_grid {
    int64_t nx, ny;       /* cells of the plane */
    int64_t half_width;   /* R */
    int64_t half_size;    /* D = dts * R */
    int64_t height;       /* NT, steps of the pass */
    int64_t s_min, s_max; /* stages that touch the plane at some step, both included */
    int64_t m_min, m_max; /* rows that touch the plane, both included */
    bool periodic_y;      /* rows wrap: m and m + ny / D are the same tower */
} torre_tower_grid;

/* A tower's place in the grid. */
typedef struct torre_tower {
    int64_t s, m;
} torre_tower;

static inline TORRE_HD int64_t torre_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

/*
 * The tower grid of a pass. periodic_y needs ny to be a multiple of 2 D
 * (torre_tower_grid_can_wrap); without that the result is not usable.
 */
static inline TORRE_HD torre_tower_grid torre_tower_grid_make(int64_t nx, int64_t ny,
                                                              int64_t half_width, int64_t dts,
                                                              int64_t height, bool periodic_y)
{
    torre_tower_grid g;
    int64_t D = dts * half_width;
    g.nx = nx;
    g.ny = ny;
    g.half_width = half_width;
    g.half_size = D;
    g.height = height;
    /* at the last step the diamond of stage s reaches up to D s + R (NT - 1) + 2 D - 1 >= 0 */
    g.s_min = -torre_floor_div(half_width * (height - 1) + 2 * D - 1, D);
    g.s_max = torre_floor_div(nx - 1, D);
    g.m_min = 0;
    g.m_max = periodic_y ? ny / D - 1 : torre_floor_div(ny - 1 + D - 1, D);
    g.periodic_y = periodic_y;
    return g;
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
    *lo = x < 0 ? 0 : x;
    *hi = x + 2 * g->half_size > g->nx ? g->nx : x + 2 * g->half_size;
}

/*
 * Half-open range of y that tower w covers at step t in the plane x (inside torre_tower_x_range);
 * cut to 0..ny unless the rows wrap, where it may reach below 0 or above ny and is to be taken
 * modulo ny.
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
        if (*lo < 0) *lo = 0;
        if (*hi > g->ny) *hi = g->ny;
    }
}

#ifdef __cplusplus
}
#endif

#endif
