/*
 * What `locality tower` shows: sets of cells (x, y, step) of a pass of towers (tiling/diamond.h),
 * each with a label or a number. Every view is computed by walking over cells and towers, as the
 * engines do, not from formulas about cones and prisms.
 */
#ifndef TORRE_TOWER_VIEW_H
#define TORRE_TOWER_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "tiling/traversal.h"

#define TORRE_TOWER_VIEW_MAX (INT64_C(1) << 20) /* of a view */

/* In the order of torre_tower_view_names. */
typedef enum torre_tower_view_kind {
    TORRE_VIEW_STENCIL,    /* what the update of a cell reads, in three time levels */
    TORRE_VIEW_STEPWISE,   /* x and t: the tasks of one step at a time, ... */
    TORRE_VIEW_DOMAINS,    /* ... of four domains, ... */
    TORRE_VIEW_SECTION,    /* ... and of towers, cut through the middle of their tiles */
    TORRE_VIEW_CONES,      /* what the first tile influences, what the last depends on, and both */
    TORRE_VIEW_TOWER,      /* the cells of a tower */
    TORRE_VIEW_NEIGHBOURS, /* a tower, those it waits for, those that wait for it, and others */
    TORRE_VIEW_STAGES,     /* x and y: the tiles at the first step, by the rank of their tower */
    TORRE_VIEW_LEVELS      /* x and y: how many steps each cell has after the first towers */
} torre_tower_view_kind;

extern const char *const torre_tower_view_names[];

/* One pass. */
typedef struct torre_tower_pass {
    int64_t half_width, dts, height; /* R, DTS, NT */
    int64_t nx, ny; /* of the plane of TORRE_VIEW_STAGES and TORRE_VIEW_LEVELS, and x */
    torre_ordering_spec ordering; /* of the traversal */
    int64_t done; /* towers that have run, for TORRE_VIEW_LEVELS; -1: half of them */
} torre_tower_pass;

typedef struct torre_tower_cell {
    int64_t x, y, t, value;
    int64_t s, m; /* tower, where the view has towers */
} torre_tower_cell;

typedef struct torre_tower_view {
    torre_tower_view_kind kind;
    torre_tower_cell *cell;
    int64_t count, room;
    const char *column;        /* what value is */
    const char *const *labels; /* of value, NULL-terminated; NULL: value is a number */
    bool towers;               /* whether s and m mean something */
    torre_tower *path;         /* of TORRE_VIEW_STAGES: the towers in the order of the traversal */
    int64_t path_count;
} torre_tower_view;

/* A view without cells: what its values are. */
torre_tower_view torre_tower_view_about(torre_tower_view_kind kind);

/*
 * Fill *view, to be freed with torre_tower_view_free. TORRE_ERR_USAGE for a pass of too many
 * cells or an ordering without a form in the plane, TORRE_ERR_RESOURCE.
 */
torre_status torre_tower_view_make(torre_tower_view_kind kind, const torre_tower_pass *pass,
                                   torre_tower_view *view);

void torre_tower_view_free(torre_tower_view *view);

/* The tower grid of the pass's plane. */
torre_tower_grid torre_tower_pass_grid(const torre_tower_pass *pass);

#endif
