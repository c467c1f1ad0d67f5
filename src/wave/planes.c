#include "wave/planes.h"

#include <math.h>
#include <omp.h>
#include <string.h>

torre_plane_layout torre_plane_layout_of(const torre_wave_problem *p, const char *axes, int threads)
{
    torre_plane_layout l = {.precision = p->precision};
    l.threads = threads > 0 ? threads : omp_get_max_threads();
    for (int a = 0; a < 3; a++) {
        l.axis[a] = axes[0] ? axes[a] - 'x' : a;
        l.n[a] = p->size[l.axis[a]];
    }
    l.plane_bytes = l.n[1] * l.n[2] * (int64_t)l.precision;
    return l;
}

int64_t torre_planes_bytes(const torre_plane_layout *l, torre_planes planes)
{
    return 2 * (planes.high - planes.low) * l->plane_bytes;
}

torre_box torre_planes_box(const torre_plane_layout *l, torre_planes planes)
{
    torre_box box;
    for (int a = 0; a < 3; a++) {
        box.low[l->axis[a]] = a ? 0 : planes.low;
        box.high[l->axis[a]] = a ? l->n[a] : planes.high;
    }
    return box;
}

torre_status torre_planes_exchange(const torre_plane_layout *l, bool into, torre_planes planes,
                                   torre_wave_solver *solver, int64_t n, int first, void *values)
{
    const torre_box box = torre_planes_box(l, planes);
    int64_t stride[3];
    stride[l->axis[0]] = 2 * l->n[1] * l->n[2];
    stride[l->axis[1]] = l->n[2];
    stride[l->axis[2]] = 1;
    for (int array = 0; array < 2; array++) {
        const int level = (n + array) & 1 ? -1 : 0;
        char *at = (char *)values + (array ^ first) * l->plane_bytes;
        TORRE_TRY(into ? solver->backend->write_box(solver, level, &box, stride, at)
                       : solver->backend->read_box(solver, level, &box, stride, at));
    }
    return TORRE_OK;
}

int64_t torre_planes_row_bytes(const torre_plane_layout *l)
{
    return (l->n[2] * (int64_t)l->precision + 63) / 64 * 64;
}

torre_norm_sums torre_planes_sums(const torre_plane_layout *l, const void *values, void *row)
{
    torre_norm_sums sums = {0, 0};
    const size_t bytes = (size_t)(l->n[2] * (int64_t)l->precision);
    for (int64_t y = 0; y < l->n[1]; y++) {
        memcpy(row, (const char *)values + (size_t)y * bytes, bytes);
        torre_norms_add_row(&sums, l->precision, row, l->n[2]);
    }
    return sums;
}

void torre_planes_find_bad(const torre_plane_layout *l, const void *values, int64_t plane,
                           torre_wave_norms *norms)
{
    for (int64_t i = 0; i < l->n[1] * l->n[2]; i++) {
        if (isfinite(torre_value(l->precision, values, i))) continue;
        norms->first_bad[l->axis[0]] = plane;
        norms->first_bad[l->axis[1]] = i / l->n[2];
        norms->first_bad[l->axis[2]] = i % l->n[2];
        return;
    }
}
