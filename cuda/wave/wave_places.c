/*
 * Many units as register towers record them: for every place of a diamond a list of what stays in
 * it (torre_points_args), so that a tower need not look for anything.
 */
#include <stdlib.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"

/* A run, and where. */
typedef struct run_place {
    int64_t x, y, part;
    int plane, count, slot;
} run_place;

/* Counts the run in all its lists, to count[list + 1]; or puts it down there. */
static void list_run(const torre_cuda_program *program, const run_place *run, int *first,
                     torre_place_run *entries)
{
    const torre_point_plan *b = &program->points;
    const int D = program->base.info.plan.dts;
    for (int64_t m = run->y / D; m <= run->y / D + 1; m++) {
        const int64_t row = run->y - D * m, aside = llabs(row);
        int64_t list = (m % b->columns * b->parts + run->part) * b->places + 2 * D - 1;
        for (int64_t x = run->x + aside - 2 * D + 1; x < run->x - aside; x++) {
            if (!entries) {
                first[list + x + 1]++;
                continue;
            }
            const int u = (int)(run->x - x + row), v = (int)(run->x - x - row);
            torre_place_run *head = entries + first[list + x];
            head[++head->slot] = (torre_place_run){(uint32_t)TORRE_KEPT(D, u, v) |
                                                       (uint32_t)(run->plane / TORRE_UNIT) << 8 |
                                                       (uint32_t)run->count << 16,
                                                   run->slot};
            head->what |= 1u << run->plane / TORRE_WARP_PLANES;
        }
    }
}

static void list_all(const torre_cuda_program *program, const torre_grid_node *units, int64_t count,
                     int *first, torre_place_run *entries)
{
    for (int64_t i = 0, length; i < count; i += length) {
        length = torre_cuda_run_length(program, units + i, count - i, TORRE_UNIT);
        const int64_t part = torre_cuda_part_of(program, units[i].z);
        const run_place run = {
            units[i].x,  units[i].y, part, (int)(units[i].z - torre_cuda_part_first(program, part)),
            (int)length, (int)i};
        list_run(program, &run, first, entries);
    }
}

/* Counts turned into starts, of lists with a head and of even length; returns their length. */
static int64_t place_lists(int *first, int64_t lists)
{
    int64_t all = 0;
    for (int64_t i = 1; i <= lists; i++) {
        if (first[i]) all += (first[i] + 2) / 2 * 2;
        if (all > INT32_MAX) return all;
        first[i] = (int)all;
    }
    return all;
}

torre_status torre_cuda_list_places(torre_cuda_program *program, const torre_grid_node *units,
                                    int64_t count)
{
    torre_receiver_tables *t = &program->receivers;
    const int64_t lists = program->points.places * program->points.columns * program->points.parts;
    t->place_first = calloc((size_t)lists + 1, sizeof *t->place_first);
    if (!t->place_first) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    list_all(program, units, count, t->place_first, NULL);
    const int64_t all = place_lists(t->place_first, lists);
    if (all > INT32_MAX)
        return torre_fail(
            TORRE_ERR_USAGE,
            "receivers touch more cells than towers on a GPU can look up: take fewer, "
            "{interpolation} trilinear, or {engine} stepwise");
    t->place_runs = calloc((size_t)all + 1, sizeof *t->place_runs);
    if (!t->place_runs) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    list_all(program, units, count, t->place_first, t->place_runs);
    program->bytes[TORRE_PIECE_PLACE_LISTS] = ((size_t)lists + 1) * sizeof *t->place_first;
    program->bytes[TORRE_PIECE_PLACE_RUNS] = (size_t)all * sizeof *t->place_runs;
    return TORRE_OK;
}
