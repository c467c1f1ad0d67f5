/* Arrays in HDF5 files; of four axes the first, as of frames, may have one entry alone. */
#include <string.h>

#include "io/file_ending.h"
#include "io/hdf5_file.h"
#include "io/source_format.h"

static const char *const endings[] = {".h5", ".hdf5", ".vtkhdf", NULL};

static bool is(const char *path, const char *rest)
{
    (void)rest;
    return torre_file_ending(path, endings, false) >= 0;
}

static torre_status look_at(const torre_source *source, torre_hdf5_header *h)
{
    if (!*source->rest)
        return torre_fail(TORRE_ERR_USAGE, "%s: name an array of it, as %s:/velocity", source->path,
                          source->path);
    return torre_hdf5_look(source->path, source->rest, h);
}

static torre_status look(const torre_source *source, torre_source_layout *layout)
{
    torre_hdf5_header h;
    TORRE_TRY(look_at(source, &h));
    const int more = h.dims > 3 ? h.dims - 3 : 0;
    if (more && h.shape[0] != 1)
        return torre_fail(TORRE_ERR_INPUT, "%s: %s has four axes; a model has two or three",
                          source->path, source->rest);
    *layout = (torre_source_layout){.precision = h.precision, .dims = h.dims - more};
    for (int a = 0; a < 3; a++) layout->shape[a] = a < layout->dims ? h.shape[a + more] : 1;
    return TORRE_OK;
}

static torre_status read(const torre_source *source, const torre_source_layout *layout,
                         void *values)
{
    torre_hdf5_header h;
    (void)layout;
    TORRE_TRY(look_at(source, &h));
    return torre_hdf5_read(source->path, source->rest, &h, values);
}

const torre_source_format torre_source_h5 = {
    .is = is, .form = "FILE.h5:/ARRAY", .look = look, .read = read};
