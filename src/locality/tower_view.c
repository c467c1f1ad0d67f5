#include "locality/tower_view.h"

#include <stdlib.h>
#include <string.h>

const char *const torre_tower_view_names[] = {"stencil", "stepwise", "domains",    "section",
                                              "cones",   "tower",    "neighbours", "stages",
                                              "levels",  NULL};

#define DOMAINS 4

torre_tower_grid torre_tower_pass_grid(const torre_tower_pass *p)
{
    return torre_tower_grid_make(p->nx, p->ny, p->half_width, p->dts, p->height, false);
}

static torre_status too_many(const torre_tower_view *v, const char *what)
{
    return torre_fail(
        TORRE_ERR_USAGE,
        "{view} %s would have more than %lld %s: lower {size}, {dts} or {tower_height}",
        torre_tower_view_names[v->kind], (long long)TORRE_TOWER_VIEW_MAX, what);
}

static torre_status add(torre_tower_view *v, torre_tower_cell cell)
{
    if (v->count == v->room) {
        if (v->room >= TORRE_TOWER_VIEW_MAX) return too_many(v, "cells");
        int64_t room = v->room ? 2 * v->room : 1024;
        torre_tower_cell *more = realloc(v->cell, (size_t)room * sizeof *more);
        if (!more) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the cells of a view");
        v->cell = more;
        v->room = room;
    }
    v->cell[v->count++] = cell;
    return TORRE_OK;
}

/* The cells of tower w at its steps below height, moved by (dx, dy). */
static torre_status add_tower(torre_tower_view *v, const torre_tower_grid *g, torre_tower w,
                              int64_t height, const int64_t move[2], int64_t value)
{
    int64_t x0, x1, y0, y1;
    for (int64_t t = 0; t < height; t++) {
        torre_tower_x_range(g, w, t, &x0, &x1);
        for (int64_t x = x0; x < x1; x++) {
            torre_tower_y_range(g, w, t, x, &y0, &y1);
            for (int64_t y = y0; y < y1; y++)
                TORRE_TRY(add(v, (torre_tower_cell){x + move[0], y + move[1], t, value, w.s, w.m}));
        }
    }
    return TORRE_OK;
}

/* --- one update --- */

/* u[n+1] of a cell from the cross of u[n] and its own u[n-1]; z, which has the same arms, is left
 * out. */
static torre_status view_stencil(const torre_tower_pass *p, torre_tower_view *v)
{
    TORRE_TRY(add(v, (torre_tower_cell){.t = 0, .value = 0}));
    for (int64_t i = -p->half_width; i <= p->half_width; i++) {
        TORRE_TRY(add(v, (torre_tower_cell){.x = i, .t = 1, .value = 1}));
        if (i) TORRE_TRY(add(v, (torre_tower_cell){.y = i, .t = 1, .value = 1}));
    }
    return add(v, (torre_tower_cell){.t = 2, .value = 2});
}

/* --- rules of subdividing x and t --- */

/* The task, counted in the order of execution, that updates a cell. */
static int64_t task_of(const torre_tower_pass *p, torre_tower_view_kind rule, int64_t x, int64_t t)
{
    int64_t width = 2 * p->dts * p->half_width;
    if (rule == TORRE_VIEW_STEPWISE) return t;
    if (rule == TORRE_VIEW_DOMAINS) return t * DOMAINS + x * DOMAINS / p->nx;
    /* the row m = 0 of towers, s even, from large x to small */
    return torre_floor_div(p->nx - 1, width) - torre_floor_div(x - p->half_width * t, width);
}

static torre_status view_rule(const torre_tower_pass *p, torre_tower_view *v)
{
    for (int64_t t = 0; t < p->height; t++)
        for (int64_t x = 0; x < p->nx; x++)
            TORRE_TRY(
                add(v, (torre_tower_cell){.x = x, .t = t, .value = task_of(p, v->kind, x, t)}));
    return TORRE_OK;
}

/* --- one tower --- */

/* A grid in which the tower (2, 4) and all towers around it are whole. */
static torre_tower_grid roomy_grid(const torre_tower_pass *p)
{
    int64_t D = p->dts * p->half_width;
    return torre_tower_grid_make(7 * D + p->half_width * p->height, 9 * D, p->half_width, p->dts,
                                 p->height, false);
}

static const torre_tower own = {2, 4};

/* A cell of the tile at the first step to (0, 0). */
static void to_origin(const torre_tower_grid *g, int64_t move[2])
{
    move[0] = -g->half_size * own.s;
    move[1] = -g->half_size * own.m;
}

static torre_status view_tower(const torre_tower_pass *p, torre_tower_view *v)
{
    torre_tower_grid g = roomy_grid(p);
    int64_t move[2];
    to_origin(&g, move);
    return add_tower(v, &g, own, p->height, move, 0);
}

static torre_status view_neighbours(const torre_tower_pass *p, torre_tower_view *v)
{
    torre_tower_grid g = roomy_grid(p);
    torre_tower other;
    int64_t move[2];
    to_origin(&g, move);
    TORRE_TRY(add_tower(v, &g, own, p->height, move, 0));
    for (int i = 0; i < 3; i++) {
        if (torre_tower_upwind(&g, own, i, &other))
            TORRE_TRY(add_tower(v, &g, other, p->height, move, 1));
        if (torre_tower_downwind(&g, own, i, &other))
            TORRE_TRY(add_tower(v, &g, other, p->height, move, 2));
    }
    for (int side = -2; side <= 2; side += 4) /* the same stage */
        TORRE_TRY(add_tower(v, &g, (torre_tower){own.s, own.m + side}, p->height, move, 3));
    return TORRE_OK;
}

/* --- cones --- */

/* A square of cells; reached[] of them at one step. */
typedef struct cone {
    int64_t low[2], side[2];
    uint8_t *now, *next;
} cone;

/* Cells that the cross of half-width R reaches from those marked. */
static void spread(cone *c, int64_t half_width)
{
    int64_t nx = c->side[0], ny = c->side[1];
    memcpy(c->next, c->now, (size_t)(nx * ny));
    for (int64_t i = 0; i < nx * ny; i++) {
        if (!c->now[i]) continue;
        int64_t x = i / ny, y = i % ny;
        for (int64_t r = -half_width; r <= half_width; r++) {
            if (x + r >= 0 && x + r < nx) c->next[i + r * ny] = 1;
            if (y + r >= 0 && y + r < ny) c->next[i + r] = 1;
        }
    }
    uint8_t *swap = c->now;
    c->now = c->next;
    c->next = swap;
}

/* Mark the tile of the own tower at step t. */
static void mark_tile(cone *c, const torre_tower_grid *g, int64_t t)
{
    int64_t x0, x1, y0, y1, move[2];
    to_origin(g, move);
    memset(c->now, 0, (size_t)(c->side[0] * c->side[1]));
    torre_tower_x_range(g, own, t, &x0, &x1);
    for (int64_t x = x0; x < x1; x++) {
        torre_tower_y_range(g, own, t, x, &y0, &y1);
        for (int64_t y = y0; y < y1; y++)
            c->now[(x + move[0] - c->low[0]) * c->side[1] + y + move[1] - c->low[1]] = 1;
    }
}

/* mask[t][cell] gets bit 1 of what the tile of step `first` reaches while t runs by `by`. */
static void fill_cone(cone *c, const torre_tower_grid *g, int64_t first, int by, uint8_t bit,
                      uint8_t *mask)
{
    int64_t area = c->side[0] * c->side[1];
    mark_tile(c, g, first);
    for (int64_t t = first; t >= 0 && t < g->height; t += by) {
        for (int64_t i = 0; i < area; i++)
            if (c->now[i]) mask[t * area + i] |= bit;
        spread(c, g->half_width);
    }
}

static torre_status add_cones(torre_tower_view *v, const cone *c, int64_t height,
                              const uint8_t *mask)
{
    int64_t area = c->side[0] * c->side[1];
    for (int64_t i = 0; i < height * area; i++)
        if (mask[i])
            TORRE_TRY(add(v, (torre_tower_cell){.x = c->low[0] + i % area / c->side[1],
                                                .y = c->low[1] + i % c->side[1],
                                                .t = i / area,
                                                .value = mask[i] - 1}));
    return TORRE_OK;
}

static torre_status view_cones(const torre_tower_pass *p, torre_tower_view *v)
{
    torre_tower_grid g = roomy_grid(p);
    int64_t reach = g.half_width * (g.height - 1), D = g.half_size;
    cone c = {.low = {-reach, -D - reach},
              .side = {2 * D + 3 * reach, 2 * D + 2 * reach + 1}}; /* both cones */
    int64_t cells = c.side[0] * c.side[1];
    /* at least a sixteenth of the box around them lies in the cones */
    if (cells * g.height > 16 * TORRE_TOWER_VIEW_MAX) return too_many(v, "cells");
    c.now = calloc((size_t)cells, 1);
    c.next = calloc((size_t)cells, 1);
    uint8_t *mask = calloc((size_t)(cells * g.height), 1);
    torre_status status = TORRE_OK;
    if (c.now && c.next && mask) {
        fill_cone(&c, &g, 0, 1, 1, mask);
        fill_cone(&c, &g, g.height - 1, -1, 2, mask);
        status = add_cones(v, &c, g.height, mask);
    } else {
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for the cones");
    }
    free(c.now);
    free(c.next);
    free(mask);
    return status;
}

/* --- the whole pass --- */

/* The towers of the pass in the order of its traversal, into v->path. */
static torre_status traverse(const torre_tower_pass *p, const torre_tower_grid *g,
                             torre_tower_view *v)
{
    v->path_count = torre_traversal_count(g);
    if (v->path_count > TORRE_TOWER_VIEW_MAX) return too_many(v, "towers");
    v->path = malloc((size_t)(v->path_count + 1) * sizeof *v->path);
    const char *why;
    int result = v->path ? torre_traversal_build(g, &p->ordering, v->path, &why) : -1;
    if (result == 0) return TORRE_OK;
    if (result == -2)
        return torre_fail(TORRE_ERR_USAGE, "{ordering} %s cannot order %lld stages of towers: %s",
                          torre_ordering_write(&p->ordering).text,
                          (long long)(g->s_max - g->s_min + 1), why);
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld towers",
                      (long long)v->path_count);
}

static torre_status view_stages(const torre_tower_pass *p, torre_tower_view *v)
{
    torre_tower_grid g = torre_tower_pass_grid(p);
    const int64_t move[2] = {0, 0};
    TORRE_TRY(traverse(p, &g, v));
    for (int64_t i = 0; i < v->path_count; i++) TORRE_TRY(add_tower(v, &g, v->path[i], 1, move, i));
    return TORRE_OK;
}

/* Let the first towers run: each cell counts its steps. */
static void count_steps(const torre_tower_grid *g, const torre_tower *path, int64_t done,
                        torre_tower_cell *plane)
{
    int64_t x0, x1, y0, y1;
    for (int64_t i = 0; i < done; i++) {
        for (int64_t t = 0; t < g->height; t++) {
            torre_tower_x_range(g, path[i], t, &x0, &x1);
            for (int64_t x = x0; x < x1; x++) {
                torre_tower_y_range(g, path[i], t, x, &y0, &y1);
                for (int64_t y = y0; y < y1; y++) plane[x * g->y_max + y].value++;
            }
        }
    }
}

static torre_status view_levels(const torre_tower_pass *p, torre_tower_view *v)
{
    torre_tower_grid g = torre_tower_pass_grid(p);
    TORRE_TRY(traverse(p, &g, v));
    int64_t done = p->done < 0 ? v->path_count / 2 : p->done;
    if (done > v->path_count)
        return torre_fail(TORRE_ERR_USAGE,
                          "{done} must be from 0 to %lld, the towers of this pass "
                          "(got %lld)",
                          (long long)v->path_count, (long long)done);
    for (int64_t x = 0; x < p->nx; x++)
        for (int64_t y = 0; y < p->ny; y++) TORRE_TRY(add(v, (torre_tower_cell){.x = x, .y = y}));
    count_steps(&g, v->path, done, v->cell);
    v->path_count = 0; /* nothing to draw */
    return TORRE_OK;
}

torre_tower_view torre_tower_view_about(torre_tower_view_kind kind)
{
    static const char *const parts[] = {"previous", "read", "computed", NULL};
    static const char *const cones[] = {"influence", "dependence", "both", NULL};
    static const char *const relations[] = {"own", "upwind", "downwind", "independent", NULL};
    static const char *const tower[] = {"own", NULL};
    static const torre_tower_view about[] = {
        [TORRE_VIEW_STENCIL] = {.column = "part", .labels = parts},
        [TORRE_VIEW_STEPWISE] = {.column = "task"},
        [TORRE_VIEW_DOMAINS] = {.column = "task"},
        [TORRE_VIEW_SECTION] = {.column = "task"},
        [TORRE_VIEW_CONES] = {.column = "cone", .labels = cones},
        [TORRE_VIEW_TOWER] = {.column = "relation", .labels = tower},
        [TORRE_VIEW_NEIGHBOURS] = {.column = "relation", .labels = relations, .towers = true},
        [TORRE_VIEW_STAGES] = {.column = "rank", .towers = true},
        [TORRE_VIEW_LEVELS] = {.column = "steps"}};
    torre_tower_view view = about[kind];
    view.kind = kind;
    return view;
}

torre_status torre_tower_view_make(torre_tower_view_kind kind, const torre_tower_pass *pass,
                                   torre_tower_view *view)
{
    static torre_status (*const make[])(const torre_tower_pass *, torre_tower_view *) = {
        [TORRE_VIEW_STENCIL] = view_stencil,       [TORRE_VIEW_STEPWISE] = view_rule,
        [TORRE_VIEW_DOMAINS] = view_rule,          [TORRE_VIEW_SECTION] = view_rule,
        [TORRE_VIEW_CONES] = view_cones,           [TORRE_VIEW_TOWER] = view_tower,
        [TORRE_VIEW_NEIGHBOURS] = view_neighbours, [TORRE_VIEW_STAGES] = view_stages,
        [TORRE_VIEW_LEVELS] = view_levels};
    *view = torre_tower_view_about(kind);
    torre_status status = make[kind](pass, view);
    if (status) torre_tower_view_free(view);
    return status;
}

void torre_tower_view_free(torre_tower_view *view)
{
    free(view->cell);
    free(view->path);
    *view = (torre_tower_view){0};
}
