#include "wave/rest_density.h"

#include "wave/boundary.h"
#include "wave/stencil.h"

typedef struct rest {
    const torre_wave_problem *problem;
    const torre_region *slab;
    const torre_box *cells;
    const void *now;
    void *previous;
} rest;

/* p of a cell that may lie beyond a face, from the planes that the slab stores. */
static double pressure_at(const rest *r, const int64_t at[3], int axis, int64_t i)
{
    const torre_wave_problem *p = r->problem;
    const int64_t *held = r->slab->stored.low;
    int64_t cell[3] = {at[0], at[1], at[2]};
    int sign = 1;
    cell[axis] = i;
    if (i < 0 || i >= p->size[axis]) {
        const torre_ghost g =
            torre_ghost_find(i, p->size[axis], p->face[axis][0], p->face[axis][1]);
        cell[axis] = g.source;
        sign = g.sign;
    }
    if (sign == 0) return 0;
    if (cell[0] < held[0]) cell[0] += p->size[0];
    if (cell[0] >= r->slab->stored.high[0]) cell[0] -= p->size[0];
    return sign * torre_value(p->precision, r->now,
                              ((cell[0] - held[0]) * p->size[1] + cell[1]) * p->size[2] + cell[2]);
}

static double laplacian_at(const rest *r, const torre_scales *scales, const int64_t at[3])
{
    const torre_wave_problem *p = r->problem;
    const double *own = torre_scales_row(scales, 0, at[1] - scales->box.low[1]);
    const int64_t z = at[2] - scales->box.low[2];
    const double centre = pressure_at(r, at, 2, at[2]);
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        if (torre_wave_is_flat(p, a)) continue;
        for (int i = -scales->reach; i <= scales->reach; i++) {
            if (i == 0) continue;
            const double *row = a == 2 ? own
                                       : torre_scales_row(scales, a ? 0 : i,
                                                          at[1] - scales->box.low[1] + (a ? i : 0));
            const double s = row[a == 2 ? z + i : z];
            sum += torre_stencil_weight(scales->reach, i < 0 ? -i : i) * s *
                   (pressure_at(r, at, a, at[a] + i) - centre) / (p->spacing[a] * p->spacing[a]);
        }
    }
    return sum / own[z];
}

static void rest_plane(void *context, const torre_scales *scales)
{
    const rest *r = context;
    const torre_wave_problem *p = r->problem;
    const torre_box *cells = r->cells;
    const int64_t plane = (scales->x - r->slab->owned.low[0]) * p->size[1];
#pragma omp parallel for num_threads(scales->threads) schedule(static)
    for (int64_t y = cells->low[1]; y < cells->high[1]; y++)
        for (int64_t z = cells->low[2]; z < cells->high[2]; z++) {
            const int64_t at[3] = {scales->x, y, z};
            const double c_dt = torre_wave_velocity_at(p, at[0], y, z) * p->dt;
            torre_value_set(p->precision, r->previous, (plane + y) * p->size[2] + z,
                            pressure_at(r, at, 2, z) +
                                0.5 * c_dt * c_dt * laplacian_at(r, scales, at));
        }
}

torre_status torre_rest_density(const torre_wave_problem *problem, const torre_region *slab,
                                const torre_box *cells, const void *now, void *previous)
{
    const torre_density density = torre_density_of(problem);
    rest r = {problem, slab, cells, now, previous};
    return torre_density_walk(&density, cells, 0, rest_plane, &r);
}
