/*
 * The schedule of a pass of towers: their order (tiling/traversal.h) and how far each has come.
 * Workers take towers from the list one after another; before a step a tower waits until its three
 * upwind towers have come as far. No barrier separates the stages.
 */
#ifndef TORRE_TOWER_SCHEDULE_H
#define TORRE_TOWER_SCHEDULE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/status.h"
#include "tiling/traversal.h"

/* Completed steps of a tower, alone in its cache lines (two: neighbours are fetched in pairs). */
typedef struct torre_tower_progress {
    _Alignas(128) atomic_int_least64_t steps;
} torre_tower_progress;

typedef struct torre_tower_schedule {
    torre_tower_grid grid;
    int64_t towers, slots;          /* that there is room for */
    int64_t count;                  /* towers */
    torre_tower *list;              /* [count], in traversal order */
    torre_tower_progress *progress; /* [slots + 1], of torre_tower_slots(&grid) in use; the last is
                                       not of a tower, but how many of the list are taken */
    bool shared;                    /* progress is memory of other processes, too */
} torre_tower_schedule;

/* Memory that the schedule of a grid takes, bytes. */
int64_t torre_tower_schedule_bytes(const torre_tower_grid *grid);

/* Bytes of the progress in it, which processes can share: those that have a schedule of the same
 * grid with that memory work on one list. From then on it is only for grids that need no more. */
int64_t torre_tower_schedule_progress_bytes(const torre_tower_schedule *schedule);
void torre_tower_schedule_share(torre_tower_schedule *schedule, void *progress);

/*
 * Schedule of a grid in the given ordering, replacing *schedule: NULL, or an earlier one, whose
 * memory is kept where it suffices, and all of it when it has the same grid.
 * TORRE_ERR_RESOURCE, TORRE_ERR_USAGE (ordering); *schedule is NULL then.
 */
torre_status torre_tower_schedule_make(const torre_tower_grid *grid,
                                       const torre_ordering_spec *ordering,
                                       torre_tower_schedule **schedule);
void torre_tower_schedule_free(torre_tower_schedule *schedule);

/* Nobody has taken or climbed any tower. */
void torre_tower_schedule_begin(torre_tower_schedule *schedule);

/* Take the next tower of the list; false when none is left. */
bool torre_tower_schedule_take(torre_tower_schedule *schedule, torre_tower *tower);

/* What a worker knows about the upwind towers of its tower. */
typedef struct torre_tower_watch {
    const torre_tower_progress *upwind[3];
    int64_t seen[3]; /* steps that the upwind tower is known to have completed */
} torre_tower_watch;

/* Watch the upwind towers of a tower; those outside the grid count as complete. */
torre_tower_watch torre_tower_watch_make(const torre_tower_schedule *schedule, torre_tower tower);

/* Wait until all upwind towers have completed `steps` steps. */
void torre_tower_watch_wait(torre_tower_watch *watch, int64_t steps);

/* Publish that the tower has completed `steps` steps. */
void torre_tower_publish(torre_tower_schedule *schedule, torre_tower tower, int64_t steps);

#endif
