#include "wave/cpu/tower_schedule.h"

#include <stdlib.h>
#include <string.h>

#include "wave/cpu/cpu_wait.h"

void torre_tower_schedule_free(torre_tower_schedule *s)
{
    if (!s) return;
    free(s->list);
    if (!s->shared) free(s->progress);
    free(s);
}

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the schedule of the towers");
}

int64_t torre_tower_schedule_bytes(const torre_tower_grid *g)
{
    return (int64_t)(sizeof(torre_tower_schedule) +
                     (size_t)torre_traversal_count(g) * sizeof(torre_tower) +
                     (size_t)(torre_tower_slots(g) + 1) * sizeof(torre_tower_progress));
}

int64_t torre_tower_schedule_progress_bytes(const torre_tower_schedule *s)
{
    return (s->slots + 1) * (int64_t)sizeof *s->progress;
}

void torre_tower_schedule_share(torre_tower_schedule *s, void *progress)
{
    if (!s->shared) free(s->progress);
    s->progress = progress;
    s->shared = true;
}

/* Room for the schedule of a grid. */
static torre_tower_schedule *make_room(const torre_tower_grid *grid)
{
    torre_tower_schedule *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->towers = torre_traversal_count(grid);
    s->slots = torre_tower_slots(grid);
    s->list = malloc((size_t)s->towers * sizeof *s->list);
    s->progress = aligned_alloc(_Alignof(torre_tower_progress),
                                (size_t)torre_tower_schedule_progress_bytes(s));
    if (s->list && s->progress) return s;
    torre_tower_schedule_free(s);
    return NULL;
}

static torre_status fill_list(const torre_tower_grid *grid, const torre_ordering_spec *ordering,
                              torre_tower_schedule *s)
{
    const char *why;
    s->grid = *grid;
    s->count = torre_traversal_count(grid);
    const int failed = torre_traversal_build(grid, ordering, s->list, &why);
    if (failed == -1) return no_memory();
    if (!failed) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "{ordering} %s: %s", torre_ordering_write(ordering).text,
                      why);
}

static bool same_grid(const torre_tower_grid *a, const torre_tower_grid *b)
{
    return a->x_min == b->x_min && a->x_max == b->x_max && a->y_min == b->y_min &&
           a->y_max == b->y_max && a->s_min == b->s_min && a->s_max == b->s_max &&
           a->half_width == b->half_width && a->half_size == b->half_size &&
           a->height == b->height && a->periodic_y == b->periodic_y;
}

torre_status torre_tower_schedule_make(const torre_tower_grid *grid,
                                       const torre_ordering_spec *ordering,
                                       torre_tower_schedule **schedule)
{
    torre_tower_schedule *s = *schedule;
    if (s && (torre_traversal_count(grid) > s->towers || torre_tower_slots(grid) > s->slots)) {
        torre_tower_schedule_free(s);
        s = NULL;
    }
    if (!s || !same_grid(&s->grid, grid)) {
        if (!s) s = make_room(grid);
        torre_status status = s ? fill_list(grid, ordering, s) : no_memory();
        if (status) torre_tower_schedule_free(s);
        *schedule = status ? NULL : s;
        TORRE_TRY(status);
    }
    return TORRE_OK;
}

void torre_tower_schedule_begin(torre_tower_schedule *s)
{
    for (int64_t i = 0; i < torre_tower_slots(&s->grid); i++) atomic_init(&s->progress[i].steps, 0);
    atomic_store(&s->progress[s->slots].steps, 0);
}

bool torre_tower_schedule_take(torre_tower_schedule *s, torre_tower *tower)
{
    const int64_t i =
        atomic_fetch_add_explicit(&s->progress[s->slots].steps, 1, memory_order_relaxed);
    if (i >= s->count) return false;
    *tower = s->list[i];
    return true;
}

torre_tower_watch torre_tower_watch_make(const torre_tower_schedule *s, torre_tower tower)
{
    torre_tower_watch watch = {{NULL, NULL, NULL}, {0, 0, 0}};
    for (int i = 0; i < 3; i++) {
        torre_tower up;
        if (torre_tower_upwind(&s->grid, tower, i, &up))
            watch.upwind[i] = &s->progress[torre_tower_index(&s->grid, up)];
    }
    return watch;
}

void torre_tower_watch_wait(torre_tower_watch *watch, int64_t steps)
{
    for (int i = 0; i < 3; i++) {
        if (!watch->upwind[i] || watch->seen[i] >= steps) continue;
        for (int turns = 0;; torre_wait_turn(&turns)) {
            watch->seen[i] = atomic_load_explicit(&watch->upwind[i]->steps, memory_order_acquire);
            if (watch->seen[i] >= steps) break;
        }
    }
}

void torre_tower_publish(torre_tower_schedule *s, torre_tower tower, int64_t steps)
{
    atomic_store_explicit(&s->progress[torre_tower_index(&s->grid, tower)].steps, steps,
                          memory_order_release);
}
