#include "wave/box.h"

#include <inttypes.h>
#include <string.h>

#include "wave/part.h"

torre_box torre_wave_box_stored(const torre_wave_setup *setup)
{
    return torre_wave_region(setup).stored;
}

torre_status torre_wave_set_fields(const torre_wave_backend *backend, torre_wave_solver *solver,
                                   const torre_wave_setup *setup, const void *now,
                                   const void *previous)
{
    const torre_box all = torre_wave_box_stored(setup);
    int64_t stride[3];
    torre_box_strides(&all, stride);
    if (setup->pml_a)
        TORRE_TRY(backend->write_layer(solver, NULL, NULL, NULL)); /* forget what they held */
    TORRE_TRY(backend->set_step(solver, 0));
    TORRE_TRY(backend->write_box(solver, 0, &all, stride, now));
    return backend->write_box(solver, -1, &all, stride, previous);
}

torre_status torre_wave_get_field(const torre_wave_backend *backend, torre_wave_solver *solver,
                                  const torre_wave_setup *setup, int level, void *cells)
{
    const torre_box all = torre_wave_box_stored(setup);
    int64_t stride[3];
    torre_box_strides(&all, stride);
    return backend->read_box(solver, level, &all, stride, cells);
}

torre_status torre_wave_box_check(const torre_wave_setup *setup, int level, const torre_box *box)
{
    if (level != 0 && level != -1)
        return torre_fail(TORRE_ERR_USAGE, "level of a box must be 0 or -1 (got %d)", level);
    const torre_box all = torre_wave_box_stored(setup);
    for (int a = 0; a < 3; a++)
        if (box->low[a] < all.low[a] || box->high[a] > all.high[a] || box->low[a] > box->high[a])
            return torre_fail(TORRE_ERR_USAGE,
                              "box %" PRId64 " to %" PRId64 " along %c: it must lie within %" PRId64
                              " to %" PRId64,
                              box->low[a], box->high[a], "xyz"[a], all.low[a], all.high[a]);
    return TORRE_OK;
}

static void copy_values(size_t width, int64_t count, char *to, int64_t to_step, const char *from,
                        int64_t from_step)
{
    if (!from) {
        for (int64_t i = 0; i < count; i++) memset(to + i * to_step, 0, width);
    } else if (width == 4) {
        for (int64_t i = 0; i < count; i++) memcpy(to + i * to_step, from + i * from_step, 4);
    } else {
        for (int64_t i = 0; i < count; i++) memcpy(to + i * to_step, from + i * from_step, 8);
    }
}

static void copy_row(size_t width, int64_t count, char *to, int64_t to_stride, const char *from,
                     int64_t from_stride)
{
    if (to_stride != 1 || (from && from_stride != 1))
        copy_values(width, count, to, to_stride * (int64_t)width, from,
                    from_stride * (int64_t)width);
    else if (from)
        memcpy(to, from, (size_t)count * width);
    else
        memset(to, 0, (size_t)count * width);
}

void torre_box_copy(const torre_box *box, size_t width, char *to, const int64_t to_stride[3],
                    const char *from, const int64_t from_stride[3], int threads)
{
    const int64_t bytes = (int64_t)width;
    int64_t n[3];
    for (int a = 0; a < 3; a++) n[a] = box->high[a] - box->low[a];
    if (n[1] < 1 || n[2] < 1) return;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t x = 0; x < n[0]; x++)
        for (int64_t y = 0; y < n[1]; y++)
            copy_row(width, n[2], to + (x * to_stride[0] + y * to_stride[1]) * bytes, to_stride[2],
                     from ? from + (x * from_stride[0] + y * from_stride[1]) * bytes : NULL,
                     from_stride[2]);
}
