/* Bare numbers, of a type and byte order that the text names, and of the shape of the grid. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/source_format.h"

static const struct {
    const char *name;
    torre_precision precision;
    bool big;
} types[] = {{"f32le", TORRE_F32, false},
             {"f32be", TORRE_F32, true},
             {"f64le", TORRE_F64, false},
             {"f64be", TORRE_F64, true}};

enum { TYPES = sizeof types / sizeof types[0] };

static int type_of(const char *rest)
{
    int i = 0;
    while (i < TYPES && strcmp(rest, types[i].name) != 0) i++;
    return i;
}

static bool is(const char *path, const char *rest) { return *path && type_of(rest) < TYPES; }

static int64_t values_of(const torre_source_layout *layout)
{
    return layout->shape[0] * layout->shape[1] * layout->shape[2];
}

static torre_status look(const torre_source *source, torre_source_layout *layout)
{
    struct stat there;
    layout->precision = types[type_of(source->rest)].precision;
    if (stat(source->path, &there)) return torre_fail_errno("cannot read %s", source->path);
    const int64_t bytes = values_of(layout) * (int64_t)layout->precision;
    if (layout->dims == 0 || (S_ISREG(there.st_mode) && there.st_size == bytes)) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT,
                      "%s has %" PRId64 " bytes, a grid of %" PRId64 " cells in %s needs %" PRId64,
                      source->path, (int64_t)there.st_size, values_of(layout), source->rest, bytes);
}

static void swap_bytes(void *values, int64_t count, size_t width)
{
    unsigned char *at = values;
    for (int64_t i = 0; i < count; i++, at += width)
        for (size_t b = 0; b < width / 2; b++) {
            const unsigned char t = at[b];
            at[b] = at[width - 1 - b];
            at[width - 1 - b] = t;
        }
}

static torre_status read(const torre_source *source, const torre_source_layout *layout,
                         void *values)
{
    const unsigned short probe = 1;
    const bool host_is_big = *(const unsigned char *)&probe == 0;
    const size_t count = (size_t)values_of(layout), width = (size_t)layout->precision;
    FILE *in = fopen(source->path, "rb");
    if (!in) return torre_fail_errno("cannot read %s", source->path);
    torre_status status = TORRE_OK;
    if (fread(values, width, count, in) != count)
        status = ferror(in) ? torre_fail_errno("cannot read %s", source->path)
                            : torre_fail(TORRE_ERR_INPUT, "%s is truncated", source->path);
    fclose(in);
    if (types[type_of(source->rest)].big != host_is_big) swap_bytes(values, (int64_t)count, width);
    return status;
}

const torre_source_format torre_source_raw = {
    .is = is, .form = "FILE:f32le", .bare = true, .look = look, .read = read};
