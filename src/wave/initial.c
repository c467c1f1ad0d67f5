#include "wave/initial.h"

#include "core/random.h"
#include "wave/boundary.h"
#include "wave/stencil.h"

/* Value at distance d along axis from cell i, whose index on that axis is at. */
static double neighbour(const torre_wave_problem *p, const void *u, int64_t i, int64_t stride,
                        int64_t at, int axis, int d)
{
    if (at + d >= 0 && at + d < p->size[axis]) return torre_value(p->precision, u, i + d * stride);
    torre_ghost g = torre_ghost_find(at + d, p->size[axis], p->face[axis][0], p->face[axis][1]);
    return g.sign * torre_value(p->precision, u, i + (g.source - at) * stride);
}

static double laplacian(const torre_wave_problem *p, const void *u, const int64_t at[3], int64_t i)
{
    int half_width = p->order / 2;
    int64_t stride[3] = {p->size[1] * p->size[2], p->size[2], 1};
    double lap = 0;
    for (int a = 0; a < 3; a++) {
        double sum = 2 * torre_stencil_weight(half_width, 0) * torre_value(p->precision, u, i);
        for (int d = 1; d <= half_width; d++)
            sum +=
                torre_stencil_weight(half_width, d) * (neighbour(p, u, i, stride[a], at[a], a, -d) +
                                                       neighbour(p, u, i, stride[a], at[a], a, d));
        lap += sum / (p->spacing[a] * p->spacing[a]);
    }
    return lap;
}

void torre_wave_rest_level(const torre_wave_problem *p, const void *now, void *previous)
{
    int64_t low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = p->face[a][0] == TORRE_CONTINUES ? p->order / 2 : 0;
        high[a] = p->size[a] - (p->face[a][1] == TORRE_CONTINUES ? p->order / 2 : 0);
    }
#pragma omp parallel for
    for (int64_t x = low[0]; x < high[0]; x++) {
        for (int64_t y = low[1]; y < high[1]; y++) {
            for (int64_t z = low[2]; z < high[2]; z++) {
                int64_t i = (x * p->size[1] + y) * p->size[2] + z;
                double c_dt = torre_wave_velocity_at(p, x, y, z) * p->dt;
                double lap = laplacian(p, now, (const int64_t[]){x, y, z}, i);
                torre_value_set(p->precision, previous, i,
                                torre_value(p->precision, now, i) + 0.5 * c_dt * c_dt * lap);
            }
        }
    }
}

void torre_wave_noise(const torre_region *r, torre_precision precision, uint64_t seed, void *cells)
{
    const int64_t *low = r->stored.low, *high = r->stored.high, *n = r->global;
    int64_t stride[3];
    torre_box_strides(&r->stored, stride);
#pragma omp parallel for
    for (int64_t x = low[0]; x < high[0]; x++)
        for (int64_t y = low[1]; y < high[1]; y++) {
            const int64_t row = torre_region_cell(r, 0, x) * n[1] + torre_region_cell(r, 1, y);
            const int64_t to = (x - low[0]) * stride[0] + (y - low[1]) * stride[1] - low[2];
            for (int64_t z = low[2]; z < high[2]; z++) {
                const uint64_t i = (uint64_t)(row * n[2] + torre_region_cell(r, 2, z));
                torre_value_set(precision, cells, to + z,
                                2 * torre_random_unit(torre_random_at(seed, i)) - 1);
            }
        }
}
