#include "bins.h"

#include <math.h>

torre_bin_grid torre_bin_grid_make(const int64_t n[3], const double edge[3])
{
    torre_bin_grid g;
    for (int a = 0; a < 3; a++) {
        g.n[a] = n[a];
        g.edge[a] = edge[a];
        g.box[a] = (double)n[a] * edge[a];
    }
    return g;
}

torre_bin_grid torre_bin_grid_fit(const double box[3], double size, double growth, double most)
{
    torre_bin_grid g;
    for (;; size *= growth) {
        double bins = 1;
        for (int a = 0; a < 3; a++) {
            /* A bin may be a rounding error smaller than asked for: stencils are made for the edges
             * as they are. */
            double along = fmax(1, floor(box[a] / size * (1 + 1e-12)));
            g.n[a] = (int64_t)fmin(along, TORRE_ORDERING_MAX_SIZE);
            g.box[a] = box[a];
            g.edge[a] = box[a] / (double)g.n[a];
            bins *= (double)g.n[a];
        }
        if (bins <= most) return g;
    }
}

void torre_bin_grid_wrap(const torre_bin_grid *g, double position[3])
{
    for (int a = 0; a < 3; a++) {
        double x = position[a] - g->box[a] * floor(position[a] / g->box[a]);
        position[a] = x >= 0 && x < g->box[a] ? x : 0; /* a small negative number rounds to box */
    }
}

void torre_bin_grid_nearest(const torre_bin_grid *g, const double p[3], const double q[3],
                            double d[3])
{
    for (int a = 0; a < 3; a++) {
        d[a] = q[a] - p[a];
        d[a] -= g->box[a] * rint(d[a] / g->box[a]);
    }
}

torre_stencil_bins torre_stencil_of_cubes(torre_bin_shape shape, int dims, int64_t reach, bool half)
{
    return (torre_stencil_bins){.shape = shape,
                                .reach = {reach, reach, dims == 3 ? reach : 0},
                                .edge = {1, 1, 1},
                                .distance_sq = (double)(reach * reach),
                                .half = half};
}

torre_stencil_bins torre_stencil_of_grid(torre_bin_shape shape, const torre_bin_grid *grid,
                                         double distance)
{
    torre_stencil_bins s = {.shape = shape, .distance_sq = distance * distance};
    for (int a = 0; a < 3; a++) {
        double reach = ceil(distance / grid->edge[a] * (1 - 1e-12));
        s.reach[a] = (int64_t)fmin(reach, TORRE_STENCIL_MAX_REACH);
        s.edge[a] = grid->edge[a];
    }
    return s;
}

int64_t torre_stencil_bins_row(const torre_stencil_bins *s, int64_t i, int64_t j)
{
    torre_stencil_bins full = *s;
    full.half = false;
    if (!torre_stencil_bins_has(&full, i, j, 0)) return -1;
    if (s->shape == TORRE_BIN_BLOCK) return s->reach[2];
    const double x = torre_stencil_gap(s, 0, i), y = torre_stencil_gap(s, 1, j);
    int64_t k = (int64_t)ceil(sqrt(s->distance_sq - x * x - y * y) / s->edge[2]);
    if (k > s->reach[2]) k = s->reach[2];
    /* as _has says, whatever the rounding */
    while (!torre_stencil_bins_has(&full, i, j, k)) k--;
    while (torre_stencil_bins_has(&full, i, j, k + 1)) k++;
    return k;
}

static int64_t full_count(const torre_stencil_bins *s)
{
    int64_t count = 0;
    for (int64_t i = 0; i <= s->reach[0]; i++) {
        for (int64_t j = 0; j <= s->reach[1]; j++) {
            const int64_t row = torre_stencil_bins_row(s, i, j), images = (i ? 2 : 1) * (j ? 2 : 1);
            if (row >= 0) count += images * (2 * row + 1);
        }
    }
    return count;
}

int64_t torre_stencil_bins_count(const torre_stencil_bins *s)
{
    int64_t full = full_count(s);
    return s->half ? (full + 1) / 2 : full;
}

void torre_stencil_bins_fill(const torre_stencil_bins *s, int32_t (*offset)[3])
{
    int64_t n = 0;
    for (int64_t i = -s->reach[0]; i <= s->reach[0]; i++)
        for (int64_t j = -s->reach[1]; j <= s->reach[1]; j++)
            for (int64_t k = -s->reach[2]; k <= s->reach[2]; k++) {
                if (!torre_stencil_bins_has(s, i, j, k)) continue;
                offset[n][0] = (int32_t)i;
                offset[n][1] = (int32_t)j;
                offset[n++][2] = (int32_t)k;
            }
}

double torre_stencil_bins_deviation(const torre_stencil_bins *s)
{
    const double pi = 3.14159265358979323846;
    double g = (double)s->reach[0];
    double ball = s->reach[2] ? 4 * pi / 3 * g * g * g : pi * g * g;
    return 100 * (1 - ball / (double)full_count(s));
}
