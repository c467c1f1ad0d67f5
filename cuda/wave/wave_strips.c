/*
 * Points as register towers look them up: for every strip of towers, part and place of the diamond
 * a list of what is in it (torre_points_args). A tower meets one list a step, and copies it.
 */
#include <stdlib.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"

/* A run, and where: in the planes of a part and of one of its warps. */
typedef struct run_place {
    int64_t x, y, part;
    int plane, count, slot;
} run_place;

/* The run that nodes begin with. */
static run_place find_run(const torre_cuda_program *program, const torre_grid_node *node,
                          int64_t count, bool units)
{
    const int64_t part = torre_cuda_part_of(program, node->z),
                  first = torre_cuda_part_first(program, part);
    run_place run = {node->x, node->y, part, (int)(node->z - first), 1, 0};
    const int64_t step = units ? TORRE_UNIT : 1,
                  after = node->z + TORRE_WARP_PLANES - run.plane % TORRE_WARP_PLANES;
    while (run.count < TORRE_RUN && run.count < count) {
        const torre_grid_node *next = node + run.count;
        if (next->x != node->x || next->y != node->y || next->z != next[-1].z + step ||
            next->z >= after || torre_cuda_part_of(program, next->z) != part)
            break;
        run.count++;
    }
    return run;
}

/* What a diamond has to do with a run in column (u, v). */
static uint32_t what_of(const run_place *run, int D, int u, int v, bool units)
{
    const uint32_t warp = (uint32_t)(run->plane / TORRE_WARP_PLANES);
    const bool leaves = u == 0 || v == 0;
    const uint32_t column =
        units && !leaves ? (uint32_t)TORRE_KEPT(D, u, v) : (uint32_t)TORRE_IN_COLUMN(D, u, v);
    return column | (uint32_t)run->plane << 8 | (units && leaves ? TORRE_NO_WARP : warp) << 16 |
           (uint32_t)(run->count - 1) << 24;
}

/* Counts the run in all its lists, to count[list + 1]; or puts it down there. */
static void list_run(const torre_cuda_program *program, const run_place *run, bool units,
                     int *first, torre_strip_run *entries)
{
    const torre_point_plan *b = &program->points;
    const int64_t D = program->base.info.plan.dts;
    for (int64_t m = run->y / D; m <= run->y / D + 1; m++) {
        const int64_t row = run->y - D * m, aside = llabs(row);
        int64_t list = (m % b->columns * b->parts + run->part) * b->places + 2 * D - 1;
        for (int64_t x = run->x + aside - 2 * D + 1; x <= run->x - aside; x++) {
            if (!entries) {
                first[list + x + 1]++;
                continue;
            }
            const int u = (int)(run->x - x + row), v = (int)(run->x - x - row);
            torre_strip_run *head = entries + first[list + x];
            const uint32_t what = what_of(run, (int)D, u, v, units);
            head[++head->slot] = (torre_strip_run){what, run->slot};
            if (!units)
                head->what = (uint32_t)x;
            else
                head->what |= u == 0 || v == 0 ? TORRE_RECORDS_LEAVING : 1u << (what >> 16 & 0xff);
        }
    }
}

static void list_all(const torre_cuda_program *program, const torre_grid_node *nodes, int64_t count,
                     bool units, int *first, torre_strip_run *entries)
{
    for (int64_t i = 0; i < count;) {
        run_place run = find_run(program, nodes + i, count - i, units);
        run.slot = (int)i;
        list_run(program, &run, units, first, entries);
        i += run.count;
    }
}

/* Counts turned into starts; returns how many entries there are. */
static int64_t place_lists(int *first, int64_t lists)
{
    int64_t all = 0;
    for (int64_t i = 1; i <= lists; i++) {
        if (first[i]) all += (first[i] + 3) / 2 * 2;
        if (all > INT32_MAX) return all;
        first[i] = (int)all;
    }
    return all;
}

torre_status torre_cuda_list_runs(const torre_cuda_program *program, const torre_grid_node *nodes,
                                  int64_t count, bool units, torre_node_lists *to)
{
    const int64_t lists = program->points.lists;
    *to = (torre_node_lists){.first = calloc((size_t)lists + 1, sizeof *to->first)};
    if (!to->first) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    list_all(program, nodes, count, units, to->first, NULL);
    const int64_t all = place_lists(to->first, lists);
    if (all > INT32_MAX)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s touch more cells than towers on a GPU can look up: take fewer, "
                          "{interpolation} trilinear, or {engine} stepwise",
                          units ? "receivers" : "sources");
    to->bytes = (size_t)all * sizeof(torre_strip_run);
    torre_strip_run *entries = to->nodes = calloc((size_t)all + 1, sizeof *entries);
    if (!entries) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    list_all(program, nodes, count, units, to->first, entries);
    for (int64_t i = 0; i < lists; i++)
        if (to->first[i] < to->first[i + 1])
            entries[to->first[i + 1] - 1].what = entries[to->first[i]].what;
    return TORRE_OK;
}
