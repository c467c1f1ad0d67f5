#include "wave/planes.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"
#include "wave/program.h"

torre_plane_layout torre_plane_layout_of(const torre_wave_problem *p, const char *axes, int threads)
{
    torre_plane_layout l = {.precision = p->precision};
    l.threads = threads > 0 ? threads : omp_get_max_threads();
    for (int a = 0; a < 3; a++) {
        l.axis[a] = axes[0] ? axes[a] - 'x' : a;
        l.n[a] = p->size[l.axis[a]];
    }
    l.pitch = l.n[2];
    l.plane_bytes = l.n[1] * l.pitch * (int64_t)l.precision;
    return l;
}

torre_plane_layout torre_plane_layout_in(const torre_wave_backend *backend,
                                         const torre_wave_program *program, int threads)
{
    torre_plane_layout l =
        torre_plane_layout_of(program->setup->problem, program->info.plan.axes, threads);
    if (backend->plane_rows) backend->plane_rows(program, &l);
    l.plane_bytes = l.n[1] * l.pitch * (int64_t)l.precision + l.tail;
    return l;
}

void torre_planes_end_rows(const torre_plane_layout *l, void *rows, int64_t count)
{
    const int64_t width = (int64_t)l->precision;
    if (l->pitch == l->n[2]) return;
    for (int64_t i = 0; i < count; i++) {
        char *row = (char *)rows + i * l->pitch * width;
        memset(row + l->n[2] * width, 0, (size_t)((l->pitch - l->n[2]) * width));
        for (int k = 0; k < l->images; k++)
            if (l->image[k].sign)
                torre_value_set(l->precision, row, l->n[2] + k,
                                l->image[k].sign *
                                    torre_value(l->precision, row, l->image[k].source));
    }
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
    const torre_wave_backend *backend = solver->backend;
    const torre_box box = torre_planes_box(l, planes);
    int64_t stride[3];
    if (backend->plane_rows)
        return into ? backend->write_planes(solver, planes.low, planes.high, first, values)
                    : backend->read_planes(solver, planes.low, planes.high, first, values);
    stride[l->axis[0]] = 2 * l->n[1] * l->pitch;
    stride[l->axis[1]] = l->pitch;
    stride[l->axis[2]] = 1;
    for (int array = 0; array < 2; array++) {
        const int level = (n + array) & 1 ? -1 : 0;
        char *at = (char *)values + (array ^ first) * l->plane_bytes;
        TORRE_TRY(into ? backend->write_box(solver, level, &box, stride, at)
                       : backend->read_box(solver, level, &box, stride, at));
    }
    return TORRE_OK;
}

torre_status torre_planes_memory(const torre_wave_backend *backend, int64_t bytes, char **memory)
{
    void *taken = NULL;
    *memory = NULL;
    if (backend->take_host)
        TORRE_TRY(backend->take_host(bytes, &taken));
    else
        taken = calloc((size_t)bytes + 1, 1);
    if (!taken) {
        char text[32];
        torre_format_bytes((double)bytes, text, sizeof text);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory: %s for planes of fields", text);
    }
    *memory = taken;
    return TORRE_OK;
}

void torre_planes_memory_free(const torre_wave_backend *backend, int64_t bytes, char *memory)
{
    if (!memory) return;
    if (backend->take_host)
        backend->free_host(memory, bytes);
    else
        free(memory);
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
        memcpy(row, (const char *)values + y * l->pitch * (int64_t)l->precision, bytes);
        torre_norms_add_row(&sums, l->precision, row, l->n[2]);
    }
    return sums;
}

void torre_planes_find_bad(const torre_plane_layout *l, const void *values, int64_t plane,
                           torre_wave_norms *norms)
{
    for (int64_t i = 0; i < l->n[1] * l->n[2]; i++) {
        const int64_t y = i / l->n[2], z = i % l->n[2];
        if (isfinite(torre_value(l->precision, values, y * l->pitch + z))) continue;
        norms->first_bad[l->axis[0]] = plane;
        norms->first_bad[l->axis[1]] = y;
        norms->first_bad[l->axis[2]] = z;
        return;
    }
}
