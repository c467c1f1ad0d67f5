/* NumPy arrays, which npy.c brings into C order. */
#include <stdlib.h>
#include <string.h>

#include "io/file_ending.h"
#include "io/source_format.h"

static const char *const endings[] = {".npy", NULL};

static bool is(const char *path, const char *rest)
{
    return !*rest && torre_file_ending(path, endings, false) >= 0;
}

static torre_status look(const torre_source *source, torre_source_layout *layout)
{
    torre_npy_header h;
    TORRE_TRY(torre_npy_header_read(source->path, &h));
    *layout = (torre_source_layout){.precision = h.precision, .dims = h.dims};
    memcpy(layout->shape, h.shape, sizeof h.shape);
    return TORRE_OK;
}

static torre_status read(const torre_source *source, const torre_source_layout *layout,
                         void *values)
{
    torre_array array;
    TORRE_TRY(torre_npy_read(source->path, &array, NULL));
    const size_t count = (size_t)(layout->shape[0] * layout->shape[1] * layout->shape[2]);
    memcpy(values, array.data, count * (size_t)layout->precision);
    free(array.data);
    return TORRE_OK;
}

const torre_source_format torre_source_npy = {
    .is = is, .form = "FILE.npy", .look = look, .read = read};
