/*
 * Padded fields: whichever runs of rows a level is written in, once each of them is refreshed every
 * ghost is the image that boundary.h says, and what lies behind the last cell of a row is zero. And
 * how large fields are, and how they lie in memory.
 */
#include "wave/cpu/padded_field.h"

#include <stdlib.h>
#include <string.h>

#include "wave/boundary.h"
#include "wave_case.h"

static const torre_face pairs[][2] = {{TORRE_FREE, TORRE_FREE},
                                      {TORRE_RIGID, TORRE_RIGID},
                                      {TORRE_ABSORBING, TORRE_RIGID},
                                      {TORRE_PERIODIC, TORRE_PERIODIC}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static double value(const torre_padded_field *f, int64_t x, int64_t y, int64_t z)
{
    return torre_value(f->precision, f->level[0], torre_padded_index(f, x, y, z));
}

/* Never zero, different in every cell. */
static double cell(const torre_wave_problem *p, const int64_t at[3])
{
    return 1 + (double)((at[0] * p->size[1] + at[1]) * p->size[2] + at[2]);
}

/* What a kernel leaves: the cells of a run, and anything up to the end of its last block. */
static void write_run(const torre_wave_problem *p, const torre_padded_field *f, int64_t x,
                      int64_t y0, int64_t y1, int64_t z0, int64_t z1)
{
    const int64_t end = z1 == p->size[2] ? z1 + f->tail : z1;
    for (int64_t y = y0; y < y1; y++)
        for (int64_t z = z0; z < end; z++)
            torre_value_set(f->precision, f->level[0], torre_padded_index(f, x, y, z),
                            z < z1 ? cell(p, (const int64_t[]){x, y, z}) : -7);
}

/* Ghosts along one axis, of cells inside along the two others. */
static void check_ghosts(const torre_wave_problem *p, const torre_padded_field *f, int axis,
                         const char *what)
{
    int64_t low[3] = {0, 0, 0}, high[3], at[3];
    memcpy(high, p->size, sizeof high);
    low[axis] = -f->half_width;
    high[axis] += f->half_width;
    for (at[0] = low[0]; at[0] < high[0]; at[0]++)
        for (at[1] = low[1]; at[1] < high[1]; at[1]++)
            for (at[2] = low[2]; at[2] < high[2]; at[2]++) {
                const torre_ghost g =
                    torre_ghost_find(at[axis], p->size[axis], p->face[axis][0], p->face[axis][1]);
                int64_t source[3] = {at[0], at[1], at[2]};
                source[axis] = g.source;
                const double wanted = g.sign ? g.sign * cell(p, source) : 0;
                CHECK(value(f, at[0], at[1], at[2]) == wanted,
                      "%s, order %d, faces %d%d %d%d %d%d: cell (%d, %d, %d) is %g, not %g", what,
                      p->order, p->face[0][0], p->face[0][1], p->face[1][0], p->face[1][1],
                      p->face[2][0], p->face[2][1], (int)at[0], (int)at[1], (int)at[2],
                      value(f, at[0], at[1], at[2]), wanted);
            }
}

static void check_field(const torre_wave_problem *p, const torre_padded_field *f, const char *what)
{
    for (int axis = 0; axis < 3; axis++) check_ghosts(p, f, axis, what);
    for (int64_t x = 0; x < p->size[0]; x++)
        for (int64_t y = 0; y < p->size[1]; y++)
            for (int64_t z = p->size[2] + f->half_width; z < p->size[2] + f->tail; z++)
                CHECK(value(f, x, y, z) == 0, "%s: %g behind the last cell", what,
                      value(f, x, y, z));
}

/* All rows in two runs that meet at row `cut`, all cells in two that meet at the block `block`. */
static void check_cut(const torre_wave_problem *p, const torre_padded_field *f, int64_t cut,
                      int64_t block)
{
    const int64_t y[3] = {0, cut, p->size[1]}, z[3] = {0, block * f->block, p->size[2]};
    char what[80];
    snprintf(what, sizeof what, "%dx%dx%d cut at row %d, cell %d", (int)p->size[0], (int)p->size[1],
             (int)p->size[2], (int)cut, (int)z[1]);
    memset(f->memory, 0, (size_t)f->level_bytes);
    for (int64_t x = 0; x < p->size[0]; x++)
        for (int run = 0; run < 4; run++) {
            const int64_t *rows = y + run / 2, *cells = z + 1 - run % 2; /* the end comes first */
            if (rows[0] == rows[1] || cells[0] >= cells[1]) continue;
            write_run(p, f, x, rows[0], rows[1], cells[0], cells[1]);
            torre_padded_refresh(f, 0, x, rows[0], rows[1], cells[0], cells[1]);
        }
    check_field(p, f, what);
}

static void every_run_refreshes_its_ghosts(void **state)
{
    (void)state;
    const int64_t sizes[][3] = {{9, 10, 37}, {11, 9, 32}, {3, 2, 16}, {1, 5, 3}};
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int s = 0; s < 4; s++)
            for (int pair = 0; pair < PAIRS; pair++) {
                torre_wave_problem p =
                    wave_case_problem(sizes[s][0], sizes[s][1], sizes[s][2], order);
                torre_padded_field f;
                p.precision = pair % 2 ? TORRE_F32 : TORRE_F64;
                for (int a = 0; a < 3; a++)
                    memcpy(p.face[a], pairs[(pair + a) % PAIRS], sizeof p.face[a]);
                torre_padded_layout(&p, &f);
                CHECK_OK(torre_padded_alloc(&(torre_wave_setup){.problem = &p}, NULL, 1, &f));
                for (int64_t cut = 0; cut < p.size[1]; cut++)
                    for (int64_t block = 0; block * f.block < p.size[2]; block++)
                        check_cut(&p, &f, cut, block);
                torre_padded_free(&f);
            }
}

/* A plane has ghosts along x and z, and none along y. */
static void planes_have_no_ghost_rows(void **state)
{
    (void)state;
    torre_wave_problem p = wave_case_problem(9, 1, 21, 8);
    torre_padded_field f, thin;
    p.precision = TORRE_F32;
    torre_padded_layout(&p, &thin);
    wave_case_flatten(&p);
    torre_padded_layout(&p, &f);
    CHECK(9 * f.plane_pitch <= thin.plane_pitch + 8 * f.block && f.plane_pitch >= f.row_pitch,
          "planes %lld values apart, with ghost rows %lld", (long long)f.plane_pitch,
          (long long)thin.plane_pitch);
    CHECK_OK(torre_padded_alloc(&(torre_wave_setup){.problem = &p}, NULL, 1, &f));
    for (int64_t x = 0; x < p.size[0]; x++) {
        write_run(&p, &f, x, 0, 1, 0, p.size[2]);
        torre_padded_refresh(&f, 0, x, 0, 1, 0, p.size[2]);
    }
    check_ghosts(&p, &f, 0, "plane");
    check_ghosts(&p, &f, 2, "plane");
    torre_padded_free(&f);
}

/* A ghost belongs to the run that its source lies in: another thread may be writing that one. */
static void runs_leave_the_ghosts_of_others(void **state)
{
    (void)state;
    torre_wave_problem p = wave_case_problem(4, 3, 48, 4);
    torre_padded_field f;
    p.face[2][0] = p.face[2][1] = TORRE_RIGID;
    torre_padded_layout(&p, &f);
    for (int part = 0; part < 2; part++) {
        const int64_t z[] = {0, f.block, p.size[2]};
        CHECK_OK(torre_padded_alloc(&(torre_wave_setup){.problem = &p}, NULL, 1, &f));
        write_run(&p, &f, 1, 0, 3, 0, p.size[2]);
        torre_padded_refresh(&f, 0, 1, 0, 3, z[part], z[part + 1]);
        for (int64_t i = 1; i <= f.half_width; i++) {
            const bool low = value(&f, 1, 1, -i) != 0, high = value(&f, 1, 1, 47 + i) != 0;
            CHECK(low == (part == 0) && high == (part == 1), "cells %d to %d write%s%s ghosts",
                  (int)z[part], (int)z[part + 1], low ? " low" : "", high ? " high" : "");
        }
        torre_padded_free(&f);
    }
}

/* How near a value of a level comes to what its update loads of the other, in blocks of a page. */
static int64_t nearest_load(const torre_padded_field *f, int64_t offset)
{
    int64_t nearest = 64;
    for (int64_t i = -f->half_width; i <= f->half_width; i++)
        for (int axis = 0; axis < 2; axis++) {
            const int64_t pitch = axis ? f->row_pitch : f->plane_pitch;
            const int64_t d = ((offset - i * pitch / f->block) % 64 + 64) % 64;
            if (d < nearest) nearest = d;
            if (64 - d < nearest) nearest = 64 - d;
        }
    return nearest;
}

/* Of all even numbers of blocks, the levels are that far apart which is farthest from the loads. */
static void levels_are_far_apart_in_a_page(void **state)
{
    (void)state;
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2)
        for (int n = 16; n <= 300; n += 71) {
            torre_wave_problem p = wave_case_problem(5, n + 3, n, order);
            torre_padded_field f;
            torre_padded_layout(&p, &f);
            const int64_t chosen = nearest_load(&f, f.level_bytes / 64);
            for (int64_t offset = 0; offset < 64; offset += 2)
                CHECK(nearest_load(&f, offset) <= chosen,
                      "order %d, %d cells: %d blocks from the loads, %d with an offset of %d",
                      order, n, (int)chosen, (int)nearest_load(&f, offset), (int)offset);
        }
}

/* A plane of 2^20 x 2^20 cells with ghosts takes 2.64e13 bytes, 24 a cell; 37893 are 1e18. */
static void sizes_beyond_counting_are_told(void **state)
{
    (void)state;
    torre_padded_field f;
    torre_wave_problem p = wave_case_problem(37000, 1 << 20, 1 << 20, 2);
    torre_padded_layout(&p, &f);
    CHECK(f.bytes > (INT64_C(37000) << 40) * 16, "%lld bytes", (long long)f.bytes);
    p.size[0] = 38000;
    torre_padded_layout(&p, &f);
    CHECK(f.bytes == -1, "%lld bytes", (long long)f.bytes);
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_refreshes_its_ghosts),
        cmocka_unit_test(planes_have_no_ghost_rows),
        cmocka_unit_test(runs_leave_the_ghosts_of_others),
        cmocka_unit_test(levels_are_far_apart_in_a_page),
        cmocka_unit_test(sizes_beyond_counting_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
