#include "io/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/phase.h"
#include "io/source_format.h"
#include "io/source_list.h"

#define DECLARE(name) extern const torre_source_format torre_source_##name;
#define ADDRESS(name) &torre_source_##name,

TORRE_SOURCE_LIST(DECLARE)
static const torre_source_format *const formats[] = {TORRE_SOURCE_LIST(ADDRESS) NULL};

/* Take a text apart: at the last colon, where that makes a format, else as a whole. */
static bool parse(const char *text, torre_source *source)
{
    const char *colon = strrchr(text, ':');
    for (int whole = !colon; whole < 2; whole++) {
        const size_t length = whole ? strlen(text) : (size_t)(colon - text);
        if (length >= sizeof source->path) return false;
        memcpy(source->path, text, length);
        source->path[length] = 0;
        source->rest = whole ? "" : colon + 1;
        for (int i = 0; formats[i]; i++) {
            source->format = formats[i];
            if (formats[i]->is(source->path, source->rest)) return true;
        }
    }
    return false;
}

bool torre_source_is_file(const char *text)
{
    torre_source source;
    return parse(text, &source);
}

const char *torre_source_path(const char *text, char *path)
{
    torre_source source;
    if (!parse(text, &source)) return text;
    strcpy(path, source.path);
    return path;
}

const char *torre_source_forms(void)
{
    static char text[128];
    size_t n = 0;
    for (int i = 0; formats[i]; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
                              i == 0           ? ""
                              : formats[i + 1] ? ", "
                                               : " or ",
                              formats[i]->form);
    return text;
}

/* Which of the axes in the file is x, y and z (or x and z): where[i] of the i-th of them. */
static torre_status order_axes(const char *axes, int dims, int where[3])
{
    const char *const usual = dims == 2 ? "xz" : "xyz";
    if (!axes) axes = usual;
    bool good = (int)strlen(axes) == dims;
    for (int i = 0; i < dims && good; i++) {
        const char *at = strchr(axes, usual[i]);
        good = at;
        if (good) where[i] = (int)(at - axes);
    }
    if (good) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "{axes} of a file of %d axes must be the letters of %s in another order (got "
                      "%.20s)",
                      dims, usual, axes);
}

static torre_status check_dims(const torre_source *s, int dims)
{
    if (dims == 2 || dims == 3) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT, "%s has %s; a model has two or three", s->path,
                      dims == 1 ? "one axis" : "many axes");
}

torre_status torre_source_look(const char *text, const char *axes, int *dims, int64_t shape[3])
{
    TORRE_PHASE(TORRE_PHASE_READ);
    torre_source s;
    torre_source_layout layout = {.dims = 0};
    int where[3];
    *dims = 0;
    if (!parse(text, &s)) return torre_fail(TORRE_ERR_USAGE, "%s names no file of a model", text);
    TORRE_TRY(s.format->look(&s, &layout));
    if (s.format->bare) return TORRE_OK;
    TORRE_TRY(check_dims(&s, layout.dims));
    TORRE_TRY(order_axes(axes, layout.dims, where));
    *dims = layout.dims;
    shape[2] = 1;
    for (int i = 0; i < layout.dims; i++) shape[i] = layout.shape[where[i]];
    return TORRE_OK;
}

enum { EDGE = 16 }; /* both sides of a cube of cells stay in the first-level cache */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Values of the shape n, C order, from where they lie with other strides. */
static void turn(const int64_t n[3], const int64_t stride[3], size_t width, const char *from,
                 char *to)
{
#pragma omp parallel for collapse(3) schedule(static)
    for (int64_t x0 = 0; x0 < n[0]; x0 += EDGE)
        for (int64_t y0 = 0; y0 < n[1]; y0 += EDGE)
            for (int64_t z0 = 0; z0 < n[2]; z0 += EDGE)
                for (int64_t x = x0; x < least(n[0], x0 + EDGE); x++)
                    for (int64_t y = y0; y < least(n[1], y0 + EDGE); y++)
                        for (int64_t z = z0; z < least(n[2], z0 + EDGE); z++)
                            memcpy(to + (size_t)((x * n[1] + y) * n[2] + z) * width,
                                   from + (size_t)(x * stride[0] + y * stride[1] + z * stride[2]) *
                                              width,
                                   width);
}

/* The values of the file in its own order, as *array, into that of x, y, z. */
static torre_status turn_array(const char *path, const torre_source_layout *layout,
                               const int where[3], torre_array *array)
{
    int64_t stride[3] = {0, 0, 0}, of_file[3] = {1, 1, 1};
    for (int a = layout->dims - 2; a >= 0; a--) of_file[a] = of_file[a + 1] * layout->shape[a + 1];
    bool same = true;
    array->shape[2] = 1;
    for (int i = 0; i < layout->dims; i++) {
        array->shape[i] = layout->shape[where[i]];
        stride[i] = of_file[where[i]];
        same = same && where[i] == i;
    }
    if (same) return TORRE_OK;
    const size_t width = (size_t)array->precision;
    const size_t bytes = (size_t)(array->shape[0] * array->shape[1] * array->shape[2]) * width;
    TORRE_TRY(torre_memory_check(path, (int64_t)bytes));
    char *turned = torre_memory_large(bytes);
    if (!turned) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    turn(array->shape, stride, width, array->data, turned);
    free(array->data);
    array->data = turned;
    return TORRE_OK;
}

static torre_status read_array(const torre_source *s, const torre_source_layout *layout,
                               const int where[3], torre_array *array)
{
    int64_t bytes = (int64_t)layout->precision;
    for (int a = 0; a < layout->dims; a++) bytes *= layout->shape[a];
    TORRE_TRY(torre_memory_check(s->path, bytes));
    array->precision = layout->precision;
    array->data = torre_memory_large((size_t)bytes);
    if (!array->data) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", s->path);
    torre_status status = s->format->read(s, layout, array->data);
    if (!status) status = turn_array(s->path, layout, where, array);
    if (status) {
        free(array->data);
        array->data = NULL;
    }
    return status;
}

torre_status torre_source_read(const char *text, const char *axes, int grid_dims,
                               const int64_t grid[3], torre_array *array, int *dims,
                               torre_npy_map *map)
{
    torre_source s;
    torre_source_layout layout = {.dims = 0};
    int where[3];
    if (!parse(text, &s)) return torre_fail(TORRE_ERR_USAGE, "%s names no file of a model", text);
    if (!axes && s.format == &torre_source_npy)
        return map ? torre_npy_view(s.path, array, dims, map) : torre_npy_read(s.path, array, dims);
    TORRE_PHASE(TORRE_PHASE_READ);
    if (s.format->bare) {
        layout = (torre_source_layout){.dims = grid_dims, .shape = {1, 1, 1}};
        TORRE_TRY(order_axes(axes, grid_dims, where));
        for (int i = 0; i < grid_dims; i++) layout.shape[where[i]] = grid[i];
    }
    TORRE_TRY(s.format->look(&s, &layout));
    TORRE_TRY(check_dims(&s, layout.dims));
    TORRE_TRY(order_axes(axes, layout.dims, where));
    *dims = layout.dims;
    return read_array(&s, &layout, where, array);
}
