/*
 * Fields and planes over time for ParaView and h5py: HDF5 in the VTKHDF layout of vtkImageData,
 * https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/index.html
 *
 *     /VTKHDF                      Version 2.0, Type ImageData, WholeExtent, Origin, Spacing
 *     /VTKHDF/PointData/u          (frames, nz, ny, nx): x fastest, as VTK has it
 *     /VTKHDF/Steps                NSteps; Values: time in seconds; which frame is of which step
 *     /step                        time steps of the run
 *
 * A plane has one cell along the axis that it lacks. A file of one frame has the axis of frames,
 * too.
 */
#include <stdlib.h>
#include <string.h>

#include "io/hdf5_file.h"
#include "io/sink_format.h"

/* Bytes that are turned and written at once, and lie together in the file. */
static const int64_t piece_bytes = 4 << 20;

static const char values_name[] = "/VTKHDF/PointData/u";

typedef struct h5_sink {
    torre_hdf5 *file;
    int64_t size[3];  /* cells along x, y, z; 1 along the axis that a plane lacks */
    int64_t piece[4]; /* (1, along z, along y, all of x) */
    void *turned;     /* a piece */
    double *time;     /* of each frame, as all arrays of frames: room for a power of two */
    int64_t *step, *number;
} h5_sink;

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory to write HDF5");
}

static void sizes_of(const torre_field_layout *l, int64_t size[3], int64_t piece[4])
{
    const int64_t width = (int64_t)l->precision;
    size[0] = size[1] = size[2] = 1;
    for (int a = 0; a < l->dims; a++) size[l->axis[a]] = l->shape[a];
    const int64_t row = size[0] * width, rows = row < piece_bytes ? piece_bytes / row : 1;
    piece[0] = 1;
    piece[2] = rows < size[1] ? rows : size[1];
    piece[1] = piece[2] < size[1] ? 1 : rows / size[1];
    if (piece[1] > size[2]) piece[1] = size[2];
    piece[3] = size[0];
}

static int64_t bytes(const torre_sink_data *data)
{
    int64_t size[3], piece[4];
    sizes_of(&data->field, size, piece);
    return piece[1] * piece[2] * piece[3] * (int64_t)data->field.precision;
}

static torre_status check(const torre_sink_data *data)
{
    (void)data;
    return torre_hdf5_check();
}

static torre_status write_head(const h5_sink *s, const torre_field_layout *l)
{
    static const int64_t version[] = {2, 0};
    static const double direction[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int64_t extent[6] = {0};
    double spacing[3] = {1, 1, 1};
    for (int a = 0; a < 3; a++) extent[2 * a + 1] = s->size[a] - 1;
    for (int a = 0; a < l->dims; a++) spacing[l->axis[a]] = l->spacing[a];
    TORRE_TRY(torre_hdf5_group(s->file, "/VTKHDF"));
    TORRE_TRY(torre_hdf5_integers(s->file, "/VTKHDF", "Version", 2, version));
    TORRE_TRY(torre_hdf5_text(s->file, "/VTKHDF", "Type", "ImageData"));
    TORRE_TRY(torre_hdf5_integers(s->file, "/VTKHDF", "WholeExtent", 6, extent));
    TORRE_TRY(torre_hdf5_reals(s->file, "/VTKHDF", "Origin", 3, l->origin));
    TORRE_TRY(torre_hdf5_reals(s->file, "/VTKHDF", "Spacing", 3, spacing));
    TORRE_TRY(torre_hdf5_reals(s->file, "/VTKHDF", "Direction", 9, direction));
    return torre_hdf5_group(s->file, "/VTKHDF/PointData");
}

static torre_status open_file(torre_sink *sink)
{
    const torre_field_layout *l = &sink->data.field;
    const char *name = torre_output_path(sink->file), *path = torre_output_temporary(sink->file);
    if (!path)
        return torre_fail(TORRE_ERR_INPUT, "cannot write %s: HDF5 needs a regular file", name);
    h5_sink *s = sink->own = calloc(1, sizeof *s);
    if (!s) return no_memory();
    sizes_of(l, s->size, s->piece);
    s->turned = malloc((size_t)bytes(&sink->data));
    if (!s->turned) return no_memory();
    TORRE_TRY(torre_hdf5_create(path, name, &s->file));
    TORRE_TRY(write_head(s, l));
    const int64_t shape[4] = {0, s->size[2], s->size[1], s->size[0]};
    return torre_hdf5_begin(s->file, values_name, l->precision, 4, shape, s->piece);
}

enum { EDGE = 32 }; /* both sides of a square of cells stay in the first-level cache */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Cells of u[x][y][z] with z0 <= z < z0 + n[0], y0 <= y < y0 + n[1], as turned[z][y][x]. */
static void turn(const h5_sink *s, int64_t z0, int64_t y0, const int64_t n[2], size_t width,
                 const char *u)
{
    const int64_t nx = s->size[0], ny = s->size[1], nz = s->size[2];
    char *to = s->turned;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t y = 0; y < n[1]; y++)
        for (int64_t zb = 0; zb < n[0]; zb += EDGE)
            for (int64_t xb = 0; xb < nx; xb += EDGE)
                for (int64_t z = zb; z < least(n[0], zb + EDGE); z++)
                    for (int64_t x = xb; x < least(nx, xb + EDGE); x++)
                        memcpy(to + (size_t)((z * n[1] + y) * nx + x) * width,
                               u + (size_t)((x * ny + y0 + y) * nz + z0 + z) * width, width);
}

/* Remember time and step of a frame. */
static torre_status keep_frame(h5_sink *s, int64_t frames, const torre_frame *frame)
{
    if ((frames & (frames - 1)) == 0) {
        const size_t room = frames ? 2 * (size_t)frames : 1;
        double *time = realloc(s->time, room * sizeof *time);
        if (time) s->time = time;
        int64_t *step = realloc(s->step, room * sizeof *step);
        if (step) s->step = step;
        int64_t *number = realloc(s->number, room * sizeof *number);
        if (number) s->number = number;
        if (!time || !step || !number) return no_memory();
    }
    s->time[frames] = frame->time;
    s->step[frames] = frame->step;
    s->number[frames] = frames;
    return TORRE_OK;
}

static torre_status write_frame(torre_sink *sink, const torre_frame *frame)
{
    h5_sink *s = sink->own;
    const size_t width = (size_t)sink->data.field.precision;
    TORRE_TRY(keep_frame(s, sink->frames, frame));
    for (int64_t z = 0; z < s->size[2]; z += s->piece[1])
        for (int64_t y = 0; y < s->size[1]; y += s->piece[2]) {
            const int64_t n[2] = {least(s->piece[1], s->size[2] - z),
                                  least(s->piece[2], s->size[1] - y)};
            const int64_t low[4] = {sink->frames, z, y, 0}, size[4] = {1, n[0], n[1], s->size[0]};
            turn(s, z, y, n, width, frame->values);
            TORRE_TRY(torre_hdf5_write(s->file, values_name, low, size, s->turned));
        }
    return TORRE_OK;
}

static torre_status write_steps(const h5_sink *s, int64_t frames)
{
    TORRE_TRY(torre_hdf5_group(s->file, "/VTKHDF/Steps"));
    TORRE_TRY(torre_hdf5_integers(s->file, "/VTKHDF/Steps", "NSteps", -1, &frames));
    TORRE_TRY(torre_hdf5_put_reals(s->file, "/VTKHDF/Steps/Values", frames, s->time));
    TORRE_TRY(torre_hdf5_group(s->file, "/VTKHDF/Steps/PointDataOffsets"));
    TORRE_TRY(
        torre_hdf5_put_integers(s->file, "/VTKHDF/Steps/PointDataOffsets/u", frames, s->number));
    return torre_hdf5_put_integers(s->file, "/step", frames, s->step);
}

static torre_status commit(torre_sink *sink)
{
    h5_sink *s = sink->own;
    TORRE_TRY(write_steps(s, sink->frames));
    torre_hdf5 *file = s->file;
    s->file = NULL;
    return torre_hdf5_close(file);
}

static void discard(torre_sink *sink)
{
    h5_sink *s = sink->own;
    if (!s) return;
    torre_hdf5_close(s->file);
    free(s->turned);
    free(s->time);
    free(s->step);
    free(s->number);
    free(s);
}

const torre_sink_format torre_sink_h5 = {
    .name = "h5",
    .ending = {".h5", ".vtkhdf", ".hdf5"},
    .kinds = TORRE_SINK_FIELD | TORRE_SINK_PLANE,
    .series = true,
    .check = check,
    .bytes = bytes,
    .open = open_file,
    .frame = write_frame,
    .commit = commit,
    .discard = discard,
};
