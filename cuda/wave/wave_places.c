/*
 * Many units as towers record them: for every place of a diamond a list of what stays in it, or of
 * all in it where it is made of blocks (torre_points_args), so that a tower need not look for
 * anything.
 */
#include <stdlib.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_solver.h"

/* A run, and where; column: of its block, which (x, y) is then. */
typedef struct run_place {
    int64_t x, y, part;
    int plane, count, slot, column;
} run_place;

/* A run of a register tower. The first entry of a list says how many follow. */
static void put_run(const run_place *run, int D, int u, int v, torre_place_run *head)
{
    head[++head->slot] =
        (torre_place_run){(uint32_t)TORRE_KEPT(D, u, v) | (uint32_t)(run->plane / TORRE_UNIT) << 8 |
                              (uint32_t)run->count << 16,
                          run->slot};
    head->what |= 1u << run->plane / TORRE_WARP_PLANES;
}

/* Counts the run in all its lists, to count[list + 1]; or puts it down there. What leaves a
 * diamond of blocks is in its list, too. */
static void list_run(const torre_cuda_program *program, const run_place *run, int *first,
                     torre_place_run *entries)
{
    const torre_point_plan *b = &program->points;
    const int D = program->base.info.plan.dts;
    const bool strips = program->shape.strips;
    for (int64_t m = run->y / D; m <= run->y / D + 1; m++) {
        const int64_t row = run->y - D * m, aside = llabs(row);
        int64_t list = (m % b->strips * b->parts + run->part) * b->places + 2 * D - 1;
        for (int64_t x = run->x + aside - 2 * D + 1; x < run->x - aside + !strips; x++) {
            const int X = (int)(run->x - x);
            if (!entries)
                first[list + x + 1]++;
            else if (strips)
                put_run(run, D, X + (int)row, X - (int)row, entries + first[list + x]);
            else
                entries[first[list + x]++] = (torre_place_run){
                    (uint32_t)(torre_row_start(D, (int)row) + X) |
                        (uint32_t)(run->plane / TORRE_UNIT) << 8 | (uint32_t)run->column << 16,
                    run->slot};
        }
    }
}

static void list_all(const torre_cuda_program *program, const torre_grid_node *units, int64_t count,
                     int *first, torre_place_run *entries)
{
    const int64_t width = program->shape.block_x;
    for (int64_t i = 0, length; i < count; i += length) {
        length = torre_cuda_run_length(program, units + i, count - i, TORRE_UNIT);
        const int64_t x = units[i].x, y = units[i].y, z = units[i].z, part = units[i].part;
        const run_place run = {.x = x / width,
                               .y = y / width,
                               .part = part,
                               .plane = (int)(z - torre_cuda_part_first(program, part)),
                               .count = (int)length,
                               .slot = (int)i,
                               .column = (int)(x % width * width + y % width)};
        list_run(program, &run, first, entries);
    }
}

/* Counts turned into starts, of lists with a head and of even length if there are heads; returns
 * their length. */
static int64_t place_lists(int *first, int64_t lists, bool heads)
{
    int64_t all = 0;
    for (int64_t i = 1; i <= lists; i++) {
        if (first[i]) all += heads ? (first[i] + 2) / 2 * 2 : first[i];
        if (all > INT32_MAX) return all;
        first[i] = (int)all;
    }
    return all;
}

torre_status torre_cuda_list_places(torre_cuda_program *program, const torre_grid_node *units,
                                    int64_t count)
{
    torre_receiver_tables *t = &program->receivers;
    const int64_t lists = program->points.places * program->points.strips * program->points.parts;
    const bool heads = program->shape.strips;
    t->place_first = calloc((size_t)lists + 1, sizeof *t->place_first);
    if (!t->place_first) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    list_all(program, units, count, t->place_first, NULL);
    const int64_t all = place_lists(t->place_first, lists, heads);
    if (all > INT32_MAX)
        return torre_fail(
            TORRE_ERR_USAGE,
            "receivers touch more cells than towers on a GPU can look up: take fewer, "
            "{interpolation} trilinear, or {engine} stepwise");
    t->place_runs = calloc((size_t)all + 1, sizeof *t->place_runs);
    if (!t->place_runs) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    list_all(program, units, count, t->place_first, t->place_runs);
    /* starts are where lists end now; those with heads begin with how long they are, and stay */
    for (int64_t i = lists; i > 0 && !heads; i--) t->place_first[i] = t->place_first[i - 1];
    if (!heads) t->place_first[0] = 0;
    program->bytes[TORRE_PIECE_PLACE_LISTS] = ((size_t)lists + 1) * sizeof *t->place_first;
    program->bytes[TORRE_PIECE_PLACE_RUNS] = (size_t)all * sizeof *t->place_runs;
    return TORRE_OK;
}
