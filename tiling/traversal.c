#include "traversal.h"

#include <stdlib.h>

/* Towers wait in a binary heap, the lowest rank on top. */
typedef struct ready_tower {
    int64_t rank;
    torre_tower tower;
} ready_tower;

static void heap_push(ready_tower *heap, int64_t count, ready_tower entry)
{
    int64_t i = count;
    for (; i > 0 && heap[(i - 1) / 2].rank > entry.rank; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = entry;
}

static ready_tower heap_pop(ready_tower *heap, int64_t count)
{
    ready_tower top = heap[0], last = heap[count - 1];
    int64_t i = 0, child;
    for (; (child = 2 * i + 1) < count - 1; i = child) {
        if (child + 1 < count - 1 && heap[child + 1].rank < heap[child].rank) child++;
        if (heap[child].rank >= last.rank) break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return top;
}

/*
 * Ranks of towers. Curves live on the tile coordinates (a, b) = ((s + m) / 2, (s - m) / 2), counted
 * downwards from the upwind corner; row-major goes by stages: s downwards, then m upwards.
 */
typedef struct tower_ranks {
    const torre_tower_grid *grid;
    torre_ordering ordering; /* where there are no strips */
    int64_t strip;           /* towers across a strip; 0: none */
    int64_t stages, rows;
    int64_t a_max, b_max;
} tower_ranks;

static bool tower_ranks_make(const torre_tower_grid *g, const torre_ordering_spec *spec,
                             tower_ranks *r, const char **why)
{
    *r = (tower_ranks){.grid = g,
                       .strip = spec->strip,
                       .stages = g->s_max - g->s_min + 1,
                       .rows = g->m_max - g->m_min + 1,
                       .a_max = torre_floor_div(g->s_max + g->m_max, 2),
                       .b_max = torre_floor_div(g->s_max - g->m_min, 2)};
    if (r->strip) { /* ranks stay below 2^63 */
        if (torre_tower_slots(g) <= INT64_C(1) << 31) return true;
        if (why) *why = "the grid has too many towers for strips";
        return false;
    }
    int64_t size[2] = {r->stages, r->rows};
    if (spec->kind != TORRE_ROW_MAJOR) {
        size[0] = r->a_max - torre_floor_div(g->s_min + g->m_min, 2) + 1;
        size[1] = r->b_max - torre_floor_div(g->s_min - g->m_max, 2) + 1;
    }
    return torre_ordering_make_spec(spec, 2, size, &r->ordering, why);
}

static int64_t tower_rank(const tower_ranks *r, torre_tower w)
{
    int64_t stage = r->grid->s_max - w.s, row = w.m - r->grid->m_min;
    if (r->strip) { /* of rows and stages of the whole grid, whatever its region */
        int64_t strip = torre_floor_div(torre_floor_div(stage + w.m, 2), r->strip);
        return (strip * r->stages + stage) * r->rows + row;
    }
    int64_t tile[2] = {r->a_max - (w.s + w.m) / 2, r->b_max - (w.s - w.m) / 2};
    if (r->ordering.kind == TORRE_ROW_MAJOR) {
        tile[0] = stage;
        tile[1] = row;
    }
    return torre_ordering_encode(&r->ordering, tile);
}

/* First row of the grid that has a tower at stage s. */
static int64_t first_row(const torre_tower_grid *g, int64_t s)
{
    return g->m_min + ((s + g->m_min) & 1);
}

int64_t torre_traversal_count(const torre_tower_grid *g)
{
    int64_t stages = g->s_max - g->s_min + 1, rows = g->m_max - g->m_min + 1;
    bool full =
        (g->s_min + g->m_min) % 2 == 0; /* whether the first stage starts in the first row */
    return stages * rows / 2 + (stages % 2 && rows % 2 && full);
}

bool torre_traversal_exists(const torre_ordering_spec *ordering, const char **why)
{
    torre_ordering made;
    const int64_t one[2] = {1, 1};
    return ordering->strip || torre_ordering_make_spec(ordering, 2, one, &made, why);
}

bool torre_traversal_fits(const torre_tower_grid *g, const torre_ordering_spec *ordering,
                          const char **why)
{
    tower_ranks ranks;
    return torre_traversal_count(g) == 0 || tower_ranks_make(g, ordering, &ranks, why);
}

int torre_traversal_build(const torre_tower_grid *g, const torre_ordering_spec *ordering,
                          torre_tower *list, const char **why)
{
    tower_ranks ranks;
    if (torre_traversal_count(g) == 0) return 0;
    if (!tower_ranks_make(g, ordering, &ranks, why)) return -2;
    int64_t total = torre_traversal_count(g), ready = 0, listed = 0;
    ready_tower *heap = malloc((size_t)(total + 1) * sizeof *heap);
    uint8_t *missing = calloc((size_t)torre_tower_slots(g), sizeof *missing); /* unlisted upwind */
    if (!heap || !missing) {
        free(heap);
        free(missing);
        return -1;
    }
    torre_tower w, other;
    for (w.s = g->s_min; w.s <= g->s_max; w.s++) {
        for (w.m = first_row(g, w.s); w.m <= g->m_max; w.m += 2) {
            uint8_t *n = &missing[torre_tower_index(g, w)];
            for (int i = 0; i < 3; i++) *n += torre_tower_upwind(g, w, i, &other);
            if (*n == 0) heap_push(heap, ready++, (ready_tower){tower_rank(&ranks, w), w});
        }
    }
    while (ready > 0) {
        w = heap_pop(heap, ready--).tower;
        list[listed++] = w;
        for (int i = 0; i < 3; i++)
            if (torre_tower_downwind(g, w, i, &other) &&
                --missing[torre_tower_index(g, other)] == 0)
                heap_push(heap, ready++, (ready_tower){tower_rank(&ranks, other), other});
    }
    free(heap);
    free(missing);
    return 0;
}

int64_t torre_traversal_check(const torre_tower_grid *g, const torre_tower *list, int64_t count)
{
    uint8_t *listed = calloc((size_t)torre_tower_slots(g), sizeof *listed);
    if (!listed) return -1;
    int64_t bad = 0;
    for (int64_t i = 0; i < count && bad == 0; i++) {
        torre_tower up;
        if (!torre_tower_is_valid(g, list[i]) || listed[torre_tower_index(g, list[i])]) bad = 1 + i;
        for (int u = 0; u < 3 && bad == 0; u++)
            if (torre_tower_upwind(g, list[i], u, &up) && !listed[torre_tower_index(g, up)])
                bad = 1 + i;
        if (bad == 0) listed[torre_tower_index(g, list[i])] = 1;
    }
    free(listed);
    return bad ? bad : count == torre_traversal_count(g) ? 0 : 1 + count;
}
