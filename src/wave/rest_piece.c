/*
 * The level before the first of a field at rest (torre/wave.h), a piece of a row in double
 * precision. This file is compiled once for each instruction set (CMakeLists.txt), with TORRE_ISA
 * naming it; contraction of a * b + c is off, so that all of them round alike.
 */
#include "wave/rest_piece.h"

#include "wave/pml.h"
#include "wave/stencil.h"

/* Where the value at an index of an axis is found, which may lie outside. */
static torre_ghost neighbour(const torre_wave_problem *p, int axis, int64_t i)
{
    if (i >= 0 && i < p->size[axis]) return (torre_ghost){.source = i, .sign = 1};
    return torre_axis_ghost(p, axis, i);
}

/* Cells from the piece to a neighbour among those held; 0 to one that is none. */
static int64_t distance(const torre_rest_piece *r, int axis, torre_ghost to)
{
    if (to.sign == 0) return 0;
    if (axis == 0 && to.source < r->held[0]) to.source += r->problem->size[0];
    if (axis == 0 && to.source >= r->held[1]) to.source -= r->problem->size[0];
    return to.source - r->at[axis];
}

/* c dt of each cell. */
static void courant_of(const torre_rest_piece *r, double *c_dt)
{
    const torre_wave_problem *p = r->problem;
    const torre_array *v = p->velocity_cells;
    if (!v) {
        for (int z = 0; z < r->count; z++) c_dt[z] = p->velocity * p->dt;
        return;
    }
    const int64_t y = v->shape[1] == 1 ? 0 : torre_pml_clamp(p, 1, r->at[1]);
    const int64_t from = (torre_pml_clamp(p, 0, r->at[0]) * v->shape[1] + y) * v->shape[2];
    for (int z = 0; z < r->count; z++)
        c_dt[z] =
            torre_value(v->precision, v->data, from + torre_pml_clamp(p, 2, r->at[2] + z)) * p->dt;
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)

#define REAL float
#include "wave/rest_rows.h"
#define REAL double
#include "wave/rest_rows.h"

#define NAME__(isa) torre_rest_piece_##isa
#define NAME_(isa)  NAME__(isa)

void NAME_(TORRE_ISA)(const torre_rest_piece *r, void *to)
{
    if (r->problem->precision == TORRE_F32)
        rest_piece_float(r, to);
    else
        rest_piece_double(r, to);
}
