/*
 * What `locality tower` shows: sets of cells (x, y, step) of a pass of towers (tiling/diamond.h),
 * each with a label or a number. Every view is computed by walking over cells and towers, as the
 * engines do, not from formulas about cones and prisms.
 */
#ifndef TORRE_LOCALITY_TOWER_VIEWS_H
#define TORRE_LOCALITY_TOWER_VIEWS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "tiling/traversal.h"

#define TOWER_VIEW_MAX_CELLS (INT64_C(1) << 20) /* of a view */

/* In the order of tower_view_names. */
typedef enum tower_view_kind {
    TOWER_STENCIL,    /* what the update of a cell reads, in three time levels */
    TOWER_STEPWISE,   /* x and t: the tasks of one step at a time, ... */
    TOWER_DOMAINS,    /* ... of four domains, ... */
    TOWER_SECTION,    /* ... and of towers, cut through the middle of their tiles */
    TOWER_CONES,      /* what the first tile influences, what the last depends on, and both */
    TOWER_TOWER,      /* the cells of a tower */
    TOWER_NEIGHBOURS, /* a tower, those that it waits for, that wait for it, and that do neither */
    TOWER_STAGES,     /* x and y: the tiles at the first step, by the rank of their tower */
    TOWER_LEVELS      /* x and y: how many steps each cell has after the first towers */
} tower_view_kind;

extern const char *const tower_view_names[];

/* One pass. */
typedef struct tower_pass {
    int64_t half_width, dts, height; /* R, DTS, NT */
    int64_t nx, ny;                  /* of the plane of TOWER_STAGES and TOWER_LEVELS, and x */
    torre_ordering_spec ordering;    /* of the traversal */
    int64_t done;                    /* towers that have run, for TOWER_LEVELS; -1: half of them */
} tower_pass;

typedef struct tower_cell {
    int64_t x, y, t, value;
    int64_t s, m; /* tower, where the view has towers */
} tower_cell;

typedef struct tower_view {
    tower_view_kind kind;
    tower_cell *cell;
    int64_t count, room;
    const char *column;        /* what value is */
    const char *const *labels; /* of value, NULL-terminated; NULL: value is a number */
    bool towers;               /* whether s and m mean something */
    torre_tower *path;         /* of TOWER_STAGES: the towers in the order of the traversal */
    int64_t path_count;
} tower_view;

/*
 * Fill *view, to be freed with tower_view_free. TORRE_ERR_USAGE for a pass with too many cells or
 * an ordering without a form in the plane, TORRE_ERR_RESOURCE.
 */
torre_status tower_view_make(tower_view_kind kind, const tower_pass *pass, tower_view *view);

void tower_view_free(tower_view *view);

/* The tower grid of the pass's plane. */
torre_tower_grid tower_pass_grid(const tower_pass *pass);

#endif
