/* The level before the first of a field at rest (torre/wave.h), row by row in double precision. */
#include "wave/boundary.h"
#include "wave/initial.h"
#include "wave/stencil.h"

enum { PIECE = 512 }; /* cells of a row at once, whose sums stay in the first-level cache */

/* Cells `at` and those after it along z. */
typedef struct piece {
    const torre_wave_problem *problem;
    const void *now;
    int64_t at[3], first; /* first: index of the cell `at` */
    int64_t stride[3];
    int count;
} piece;

/* Where the value at an index of an axis is found, which may lie outside. */
static torre_ghost neighbour(const torre_wave_problem *p, int axis, int64_t i)
{
    if (i >= 0 && i < p->size[axis]) return (torre_ghost){.source = i, .sign = 1};
    return torre_ghost_find(i, p->size[axis], p->face[axis][0], p->face[axis][1]);
}

/* c dt of each cell. */
static void courant_of(const piece *r, double *c_dt)
{
    const torre_wave_problem *p = r->problem;
    const torre_array *v = p->velocity_cells;
    if (!v) {
        for (int z = 0; z < r->count; z++) c_dt[z] = p->velocity * p->dt;
        return;
    }
    const int64_t row = r->at[0] * v->shape[1] + (v->shape[1] == 1 ? 0 : r->at[1]);
    const int64_t from = row * v->shape[2] + r->at[2];
    for (int z = 0; z < r->count; z++)
        c_dt[z] = torre_value(v->precision, v->data, from + z) * p->dt;
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)

#define REAL float
#include "wave/rest_rows.h"
#define REAL double
#include "wave/rest_rows.h"

void torre_wave_rest_planes(const torre_wave_problem *p, const void *now, int64_t first,
                            int64_t planes, void *previous)
{
    int64_t low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = p->face[a][0] == TORRE_CONTINUES ? p->order / 2 : 0;
        high[a] = p->size[a] - (p->face[a][1] == TORRE_CONTINUES ? p->order / 2 : 0);
    }
    if (low[0] < first) low[0] = first;
    if (high[0] > first + planes) high[0] = first + planes;
    const int64_t before = first * p->size[1] * p->size[2];
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t x = low[0]; x < high[0]; x++) {
        for (int64_t y = low[1]; y < high[1]; y++) {
            for (int64_t z = low[2]; z < high[2]; z += PIECE) {
                const piece r = {.problem = p,
                                 .now = now,
                                 .at = {x, y, z},
                                 .first = (x * p->size[1] + y) * p->size[2] + z,
                                 .stride = {p->size[1] * p->size[2], p->size[2], 1},
                                 .count = (int)(high[2] - z < PIECE ? high[2] - z : PIECE)};
                if (p->precision == TORRE_F32)
                    rest_piece_float(&r, (float *)previous + r.first - before);
                else
                    rest_piece_double(&r, (double *)previous + r.first - before);
            }
        }
    }
}

void torre_wave_rest_level(const torre_wave_problem *p, const void *now, void *previous)
{
    torre_wave_rest_planes(p, now, 0, p->size[0], previous);
}
