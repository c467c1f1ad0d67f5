#include "particles/mps_boxes.h"

#include <math.h>
#include <stdio.h>

static bool holds(const torre_mps_places *p, const int64_t place[3])
{
    for (int a = 0; a < 3; a++)
        if (place[a] < p->low[a] || place[a] >= p->high[a]) return false;
    return true;
}

static bool overlap(const torre_mps_places *p, const torre_mps_places *q)
{
    for (int a = 0; a < 3; a++)
        if (p->low[a] >= q->high[a] || q->low[a] >= p->high[a]) return false;
    return true;
}

/* --- Boxes and gate to places --- */

static torre_status place_box(const torre_mps_tank *t, const torre_mps_layout *l, const char *what,
                              int number, const torre_mps_box *box, torre_mps_places *places)
{
    for (int a = 0; a < t->dims; a++) {
        const double most = t->size[a] * (1 + 1e-9);
        if (!(box->low[a] >= 0 && box->low[a] < box->high[a] && box->high[a] <= most))
            return torre_fail(TORRE_ERR_USAGE,
                              "{%s}: box %d goes from %g to %g m along %c; it must lie in the "
                              "tank, 0 to %g m, the lower end first",
                              what, number, box->low[a], box->high[a], "xyz"[a], t -> size[a]);
        places->low[a] = (int64_t)rint(box->low[a] / t->spacing);
        places->high[a] = (int64_t)rint(box->high[a] / t->spacing);
        if (places->high[a] > l->cells[a]) places->high[a] = l->cells[a];
        if (places->low[a] >= places->high[a])
            return torre_fail(TORRE_ERR_USAGE,
                              "{%s}: box %d is %g m along %c, which makes no whole {spacing}, %g m",
                              what, number, box->high[a] - box->low[a], "xyz"[a], t -> spacing);
    }
    if (t->dims == 2) places->high[2] = 1;
    return TORRE_OK;
}

static torre_status place_boxes(const torre_mps_tank *t, const torre_mps_layout *l,
                                const char *what, const torre_mps_box *box, int count,
                                torre_mps_places *places)
{
    if (count < 0 || count > TORRE_MPS_BOXES)
        return torre_fail(TORRE_ERR_USAGE, "{%s}: there must be at most %d boxes (got %d)", what,
                          TORRE_MPS_BOXES, count);
    for (int k = 0; k < count; k++) TORRE_TRY(place_box(t, l, what, k + 1, &box[k], &places[k]));
    return TORRE_OK;
}

static torre_status place_column(const torre_mps_tank *t, torre_mps_layout *l)
{
    torre_mps_places *column = &l->water[0];
    for (int a = 0; a < 2; a++) {
        double n = rint(t->column[a] / t->spacing);
        if (!(n >= 1 && n < 1e6))
            return torre_fail(TORRE_ERR_USAGE,
                              "{column} %c must be 1 to 1000000 spacings of %g m (got %g m, %g "
                              "spacings)",
                              "xy"[a], t -> spacing, t -> column[a], t -> column[a] / t -> spacing);
        column->high[a] = (int64_t)n;
        if (column->high[a] > l->cells[a])
            return torre_fail(TORRE_ERR_USAGE,
                              "the water is higher or wider than the tank: %g m of "
                              "%g m along %c",
                              t->column[a], t->size[a], "xy"[a]);
    }
    column->high[2] = l->cells[2];
    l->waters = 1;
    return TORRE_OK;
}

static torre_status place_gate(const torre_mps_tank *t, torre_mps_layout *l)
{
    const torre_mps_gate *g = &t->gate;
    const double first = rint(g->x / t->spacing);
    if (g->x == 0) return TORRE_OK;
    if (!(first >= 1 && first + (double)l->layers < (double)l->cells[0]))
        return torre_fail(TORRE_ERR_USAGE,
                          "{gate} must stand at %g to %g m along x, as it is %lld spacings of %g "
                          "m thick (got %g m)",
                          t->spacing, (double)(l->cells[0] - l->layers - 1) * t->spacing,
                          (long long)l->layers, t->spacing, g->x);
    l->gated = true;
    l->gate = (torre_mps_places){
        .low = {(int64_t)first},
        .high = {(int64_t)first + l->layers, l->cells[1] + l->layers, l->cells[2]}};
    return TORRE_OK;
}

/* All boxes and the gate, each against those before it. */
static torre_status check_overlap(const torre_mps_layout *l)
{
    const torre_mps_places *at[2 * TORRE_MPS_BOXES + 1];
    char name[2 * TORRE_MPS_BOXES + 1][24];
    int all = 0;
    for (int k = 0; k < l->waters; k++) {
        snprintf(name[all], sizeof *name, TORRE_PARAMETER("water") " box %d", k + 1);
        at[all++] = &l->water[k];
    }
    for (int k = 0; k < l->obstacles; k++) {
        snprintf(name[all], sizeof *name, TORRE_PARAMETER("obstacle") " box %d", k + 1);
        at[all++] = &l->obstacle[k];
    }
    if (l->gated) {
        snprintf(name[all], sizeof *name, "the " TORRE_PARAMETER("gate"));
        at[all++] = &l->gate;
    }
    for (int i = 0; i < all; i++)
        for (int k = 0; k < i; k++)
            if (overlap(at[i], at[k]))
                return torre_fail(TORRE_ERR_USAGE,
                                  "%s overlaps with %s: they may touch, no more (the second has "
                                  "spacings %lld to %lld along x)",
                                  name[i], name[k], (long long)at[k]->low[0],
                                  (long long)at[k]->high[0]);
    return TORRE_OK;
}

torre_status torre_mps_boxes_place(const torre_mps_tank *t, torre_mps_layout *l)
{
    l->obstacles = t->obstacles;
    l->waters = t->waters;
    TORRE_TRY(place_boxes(t, l, "water", t->water, t->waters, l->water));
    TORRE_TRY(place_boxes(t, l, "obstacle", t->obstacle, t->obstacles, l->obstacle));
    if (l->waters == 0) TORRE_TRY(place_column(t, l));
    TORRE_TRY(place_gate(t, l));
    return check_overlap(l);
}

/* --- Places to kinds --- */

/* How many spacings outside the tank a place is: 0 inside. */
static int64_t outside(const torre_mps_layout *l, const int64_t place[3])
{
    int64_t most = 0;
    for (int a = 0; a < 3; a++) {
        int64_t beyond = place[a] < 0 ? -place[a] : place[a] - l->cells[a] + 1;
        if (beyond > most) most = beyond;
    }
    return most;
}

/* An obstacle, and as far around it as walls are thick. */
static torre_mps_places around(const torre_mps_layout *l, int obstacle)
{
    torre_mps_places p = l->obstacle[obstacle];
    for (int a = 0; a < 3; a++) {
        const bool walled = a < 2 || l->sides;
        const int64_t least = walled ? -l->layers : 0, most = l->cells[a] - least;
        p.low[a] = p.low[a] - l->layers < least ? least : p.low[a] - l->layers;
        p.high[a] = p.high[a] + l->layers > most ? most : p.high[a] + l->layers;
    }
    return p;
}

static bool is_solid(const torre_mps_layout *l, const int64_t place[3])
{
    int64_t at[3] = {place[0], place[1], place[2]};
    if (!l->sides) at[2] = (at[2] % l->cells[2] + l->cells[2]) % l->cells[2];
    if (outside(l, at)) return true;
    for (int k = 0; k < l->obstacles; k++)
        if (holds(&l->obstacle[k], at)) return true;
    return false;
}

/* Whether the cube of places that are at most reach away has one that is not solid. */
static bool sees_water(const torre_mps_layout *l, const int64_t place[3], int64_t reach)
{
    int64_t at[3];
    for (at[0] = place[0] - reach; at[0] <= place[0] + reach; at[0]++)
        for (at[1] = place[1] - reach; at[1] <= place[1] + reach; at[1]++)
            for (at[2] = place[2] - reach; at[2] <= place[2] + reach; at[2]++)
                if (!is_solid(l, at)) return true;
    return false;
}

/* How many spacings a place is inside of what is solid: 0 where water can be, layers + 1 for more
 * than layers. */
static int64_t depth_of(const torre_mps_layout *l, const int64_t place[3])
{
    bool near = false;
    for (int k = 0; k < l->obstacles && !near; k++) {
        const torre_mps_places p = around(l, k);
        near = holds(&p, place);
    }
    if (!near) return outside(l, place);
    int64_t depth = 0;
    while (depth <= l->layers && !sees_water(l, place, depth)) depth++;
    return depth;
}

/* What a place without obstacles and gate has. */
static torre_mps_kind plain_kind(const torre_mps_layout *l, int64_t depth, const int64_t place[3])
{
    if (depth) return depth == 1 ? TORRE_MPS_WALL : TORRE_MPS_DUMMY;
    for (int k = 0; k < l->waters; k++)
        if (holds(&l->water[k], place)) return TORRE_MPS_FLUID;
    return TORRE_MPS_NOTHING;
}

torre_mps_kind torre_mps_boxes_kind(const torre_mps_layout *l, const int64_t place[3])
{
    if (l->gated && holds(&l->gate, place)) {
        const bool face = place[0] == l->gate.low[0] || place[0] == l->gate.high[0] - 1 ||
                          place[1] == l->gate.low[1];
        return face ? TORRE_MPS_GATE_WALL : TORRE_MPS_GATE_DUMMY;
    }
    const int64_t depth = depth_of(l, place);
    return depth > l->layers ? TORRE_MPS_NOTHING : plain_kind(l, depth, place);
}

/* --- Counting --- */

static double volume(const torre_mps_places *p)
{
    double n = 1;
    for (int a = 0; a < 3; a++) n *= (double)(p->high[a] - p->low[a]);
    return n;
}

/* Count again what stands at these places, but for those of the first `before` regions. */
static void count_again(const torre_mps_layout *l, const torre_mps_places *region, int before,
                        int64_t kinds[TORRE_MPS_KINDS])
{
    const torre_mps_places *p = &region[before];
    int64_t at[3];
    for (at[0] = p->low[0]; at[0] < p->high[0]; at[0]++) {
        for (at[1] = p->low[1]; at[1] < p->high[1]; at[1]++) {
            for (at[2] = p->low[2]; at[2] < p->high[2]; at[2]++) {
                bool done = false;
                for (int k = 0; k < before && !done; k++) done = holds(&region[k], at);
                if (done) continue;
                kinds[plain_kind(l, outside(l, at), at)]--;
                kinds[torre_mps_boxes_kind(l, at)]++;
            }
        }
    }
}

torre_status torre_mps_boxes_count(torre_mps_layout *l)
{
    double fluid = 0, all = 1, inner = 1, walls = 1;
    for (int k = 0; k < l->waters; k++) fluid += volume(&l->water[k]);
    for (int a = 0; a < 3; a++) {
        const bool walled = a < 2 || l->sides;
        const double n = (double)l->cells[a];
        all *= walled ? n + 2 * (double)l->layers : n;
        walls *= walled ? n + 2 : n;
        inner *= n;
    }
    if (fluid + all - inner > 1e12)
        return torre_fail(TORRE_ERR_USAGE, "more than 10^12 particles: use a larger {spacing}");
    /* of the tank without obstacles and gate, and then what these change */
    int64_t kinds[TORRE_MPS_KINDS] = {[TORRE_MPS_FLUID] = (int64_t)fluid,
                                      [TORRE_MPS_WALL] = (int64_t)(walls - inner),
                                      [TORRE_MPS_DUMMY] = (int64_t)(all - walls)};
    torre_mps_places region[TORRE_MPS_BOXES + 1];
    int regions = 0;
    if (l->gated) region[regions++] = l->gate;
    for (int k = 0; k < l->obstacles; k++) region[regions++] = around(l, k);
    for (int k = 0; k < regions; k++) {
        if (volume(&region[k]) > 1e9)
            return torre_fail(TORRE_ERR_USAGE,
                              "an obstacle or gate takes more than 10^9 places of the lattice: use "
                              "a larger {spacing}");
        count_again(l, region, k, kinds);
    }
    l->gate_wall = kinds[TORRE_MPS_GATE_WALL];
    l->gate_dummy = kinds[TORRE_MPS_GATE_DUMMY];
    l->fluid = kinds[TORRE_MPS_FLUID];
    l->wall = kinds[TORRE_MPS_WALL] + l->gate_wall;
    l->count = l->fluid + l->wall + kinds[TORRE_MPS_DUMMY] + l->gate_dummy;
    return TORRE_OK;
}
