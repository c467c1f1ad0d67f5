/*
 * Fields and planes over time for ParaView and h5py: HDF5 in the VTKHDF layout of vtkImageData,
 * https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/index.html
 *
 *     /VTKHDF                      Version 2.0, Type ImageData, WholeExtent, Origin, Spacing,
 *                                  Direction
 *     /VTKHDF/PointData/u          (frames, nz, ny, nx): x fastest, as VTK has it
 *     /VTKHDF/Steps                NSteps; Values: time in seconds; which frame is of which step
 *     /step                        time steps of the run
 *
 * A plane is (frames, n1, n0), its first axis fastest, and Direction says which of x, y, z its axes
 * are. (VTK reads images of two dimensions along its first two axes alone.) A file of one frame has
 * the axis of frames, too. Compressed by zfp, u has attributes: zfp_tolerance, which was asked for,
 * and zfp_error, by how much the value that is furthest off differs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/array_value.h"
#include "io/hdf5_file.h"
#include "io/sink_format.h"

/* Bytes that are turned and written at once, and lie together in the file. */
static const int64_t piece_bytes = 4 << 20;

static const char values_name[] = "/VTKHDF/PointData/u";

typedef struct h5_sink {
    torre_hdf5 *file;
    torre_field_layout layout;
    int64_t size[3];  /* cells along the axes; 1 in the middle of a plane */
    int64_t piece[3]; /* cells of a piece, which has all of the first axis */
    void *turned;     /* a piece */
    void *back;       /* the same, read back: with a loss */
    double *time;     /* of each frame, as all arrays of frames: room for a power of two */
    int64_t *step, *number;
} h5_sink;

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory to write HDF5");
}

/* Without an axis of one cell, which VTK takes for none. */
static torre_field_layout layout_of(const torre_sink_data *data)
{
    torre_field_layout l = data->field;
    for (int a = 0; a < 3 && l.dims == 3; a++) {
        if (l.shape[a] > 1) continue;
        for (int b = a; b < 2; b++) {
            l.shape[b] = l.shape[b + 1];
            l.spacing[b] = l.spacing[b + 1];
            l.axis[b] = l.axis[b + 1];
        }
        l.dims = 2;
    }
    return l;
}

static void sizes_of(const torre_field_layout *l, int64_t size[3], int64_t piece[3])
{
    size[0] = l->shape[0];
    size[1] = l->dims == 3 ? l->shape[1] : 1;
    size[2] = l->shape[l->dims - 1];
    const int64_t row = size[0] * (int64_t)l->precision;
    const int64_t rows = row < piece_bytes ? piece_bytes / row : 1;
    piece[0] = size[0];
    piece[1] = rows < size[1] ? rows : size[1];
    piece[2] = piece[1] < size[1] ? 1 : rows / size[1];
    if (piece[2] > size[2]) piece[2] = size[2];
}

static int64_t bytes(const torre_sink_data *data)
{
    const torre_field_layout l = layout_of(data);
    int64_t size[3], piece[3];
    sizes_of(&l, size, piece);
    const int64_t pieces = l.loss ? 2 : 1;
    return pieces * piece[0] * piece[1] * piece[2] * (int64_t)data->field.precision;
}

/* Frames and axes as they lie in the file, the first axis fastest; returns how many they are. */
static int in_file(const torre_field_layout *l, int64_t frames, const int64_t of[3],
                   int64_t file[4])
{
    const int64_t all[4] = {frames, of[2], of[1], of[0]}, plane[3] = {frames, of[2], of[0]};
    if (l->dims == 3)
        memcpy(file, all, sizeof all);
    else
        memcpy(file, plane, sizeof plane);
    return l->dims + 1;
}

static torre_status check(const torre_sink_data *data)
{
    return data->field.loss ? torre_hdf5_zfp_check() : torre_hdf5_check();
}

/* The columns are the directions of the axes; the third one of a plane is across it, so that they
 * are a right-handed system. */
static void directions_of(const torre_field_layout *l, double direction[9])
{
    int axis[3] = {l->axis[0], l->axis[1], l->axis[2]};
    if (l->dims < 3) axis[2] = 3 - axis[0] - axis[1];
    memset(direction, 0, 9 * sizeof *direction);
    for (int c = 0; c < 3; c++) direction[3 * axis[c] + c] = 1;
    if (axis[1] != (axis[0] + 1) % 3) direction[3 * axis[2] + 2] = -1;
}

static torre_status write_head(const h5_sink *s)
{
    const torre_field_layout *l = &s->layout;
    static const int64_t version[] = {2, 0};
    int64_t extent[6] = {0};
    double spacing[3] = {1, 1, 1}, direction[9];
    for (int a = 0; a < l->dims; a++) {
        extent[2 * a + 1] = l->shape[a] - 1;
        spacing[a] = l->spacing[a];
    }
    directions_of(l, direction);
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
    const char *name = torre_output_path(sink->file), *path = torre_output_temporary(sink->file);
    if (!path)
        return torre_fail(TORRE_ERR_INPUT, "cannot write %s: HDF5 needs a regular file", name);
    h5_sink *s = sink->own = calloc(1, sizeof *s);
    if (!s) return no_memory();
    s->layout = layout_of(&sink->data);
    const torre_field_layout *l = &s->layout;
    sizes_of(l, s->size, s->piece);
    const size_t all = (size_t)bytes(&sink->data);
    s->turned = malloc(all);
    if (!s->turned) return no_memory();
    if (l->loss) s->back = (char *)s->turned + all / 2;
    TORRE_TRY(torre_hdf5_create(path, name, &s->file));
    TORRE_TRY(write_head(s));
    int64_t shape[4], piece[4];
    const int dims = in_file(l, 0, s->size, shape);
    in_file(l, 1, s->piece, piece);
    return torre_hdf5_begin(s->file, values_name, l->precision, dims, shape, piece,
                            l->loss ? l->loss->tolerance : 0);
}

enum { EDGE = 32 }; /* both sides of a square of cells stay in the first-level cache */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Cells of u[x][y][z] with y0 <= y < y0 + n[1], z0 <= z < z0 + n[2], as turned[z][y][x]. */
static void turn(const h5_sink *s, int64_t y0, int64_t z0, const int64_t n[3], size_t width,
                 const char *u)
{
    const int64_t nx = s->size[0], ny = s->size[1], nz = s->size[2];
    char *to = s->turned;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t y = 0; y < n[1]; y++)
        for (int64_t zb = 0; zb < n[2]; zb += EDGE)
            for (int64_t xb = 0; xb < nx; xb += EDGE)
                for (int64_t z = zb; z < least(n[2], zb + EDGE); z++)
                    for (int64_t x = xb; x < least(nx, xb + EDGE); x++)
                        memcpy(to + (size_t)((z * n[1] + y) * nx + x) * width,
                               u + (size_t)((x * ny + y0 + y) * nz + z0 + z) * width, width);
}

/* Read a box back and see how far off its values are. */
static torre_status judge(h5_sink *s, const int64_t *low, const int64_t *size, int64_t cells)
{
    const torre_precision precision = s->layout.precision;
    double error = 0, largest = 0;
    TORRE_TRY(torre_hdf5_read_back(s->file, values_name, low, size, s->back));
#pragma omp parallel for reduction(max : error, largest) schedule(static)
    for (int64_t i = 0; i < cells; i++) {
        const double value = torre_value(precision, s->turned, i);
        error = fmax(error, fabs(torre_value(precision, s->back, i) - value));
        largest = fmax(largest, fabs(value));
    }
    s->layout.loss->error = fmax(s->layout.loss->error, error);
    s->layout.loss->largest = fmax(s->layout.loss->largest, largest);
    return TORRE_OK;
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
    const size_t width = (size_t)s->layout.precision;
    TORRE_TRY(keep_frame(s, sink->frames, frame));
    for (int64_t z = 0; z < s->size[2]; z += s->piece[2])
        for (int64_t y = 0; y < s->size[1]; y += s->piece[1]) {
            const int64_t from[3] = {0, y, z};
            const int64_t n[3] = {s->size[0], least(s->piece[1], s->size[1] - y),
                                  least(s->piece[2], s->size[2] - z)};
            int64_t low[4], size[4];
            in_file(&s->layout, sink->frames, from, low);
            in_file(&s->layout, 1, n, size);
            turn(s, y, z, n, width, frame->values);
            TORRE_TRY(torre_hdf5_write(s->file, values_name, low, size, s->turned));
            if (s->back) TORRE_TRY(judge(s, low, size, n[0] * n[1] * n[2]));
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

/* Readers see what they can rely on. */
static torre_status write_loss(const h5_sink *s)
{
    const torre_sink_loss *loss = s->layout.loss;
    TORRE_TRY(torre_hdf5_reals(s->file, values_name, "zfp_tolerance", -1, &loss->tolerance));
    TORRE_TRY(torre_hdf5_reals(s->file, values_name, "zfp_error", -1, &loss->error));
    return torre_hdf5_reals(s->file, values_name, "zfp_largest_value", -1, &loss->largest);
}

static torre_status commit(torre_sink *sink)
{
    h5_sink *s = sink->own;
    TORRE_TRY(write_steps(s, sink->frames));
    if (s->back) TORRE_TRY(write_loss(s));
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
    .compresses = true,
    .check = check,
    .bytes = bytes,
    .open = open_file,
    .frame = write_frame,
    .commit = commit,
    .discard = discard,
};
