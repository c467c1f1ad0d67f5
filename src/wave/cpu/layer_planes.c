/*
 * Planes of the memory of layers on their way between solvers of parts. Of each plane across x,
 * face by face,
 *
 *     across x: the sums of its cells (layer_kernel.h), rows along z that lie where its r is; the
 *               outermost cells have those of the places beyond, too
 *     across y: the memory of the rows of cells along y in it
 *     across z: of the columns along z in it
 *
 * of both levels, or of the one there is. Layers across x may stay where they are, instead.
 */
#include <string.h>

#include "wave/cpu/layer_field.h"

/* Where planes go to or come from; values NULL: bytes are counted alone. */
typedef struct way {
    bool into; /* the layers */
    char *values;
    int64_t bytes; /* so far */
} way;

/* So many pieces of the memory, `pitch` bytes apart. */
static void pass(way *w, char *own, int64_t pieces, int64_t pitch, int64_t bytes)
{
    for (int64_t i = 0; i < pieces && w->values; i++) {
        char *there = w->values + w->bytes + i * bytes, *here = own + i * pitch;
        memcpy(w->into ? here : there, w->into ? there : here, (size_t)bytes);
    }
    w->bytes += pieces * bytes;
}

/* Rows of the memory that go with cells r of a layer across x. */
enum { ROWS_MAX = TORRE_MAX_HALF_WIDTH * (TORRE_MAX_HALF_WIDTH + 5) / 2 + 2 };

static int rows_of(const torre_layers *l, int64_t r, int64_t row[ROWS_MAX])
{
    const int64_t W = l->scheme.width, R = l->half_width, last = r == W - 1 ? r + R : r;
    int count = 0;
    for (int64_t j = 1; j <= R && !l->convolves; j++) {
        for (int64_t i = r - j + 1; i <= last - j + 1; i++)
            if (i >= 1 && i <= W) row[count++] = (j - 1) * W + i - 1;
        if (r + j >= 1 && r + j < W) row[count++] = R * W + (j - 1) * (W - 1) + r + j - 1;
    }
    for (int64_t j = 0; j < 2 && l->convolves; j++)
        if (r >= 0 && r < W) row[count++] = j * W + r;
    return count;
}

static void pass_across_x(const torre_layers *l, int side, char *level, int64_t x, way *w)
{
    const int64_t width = (int64_t)l->precision, line = l->scheme.pitch * width;
    int64_t row[ROWS_MAX];
    const int rows = rows_of(l, torre_layer_depth(l, 0, side, x - l->low), row);
    for (int i = 0; i < rows; i++)
        pass(w, w->values ? level + row[i] * line : NULL, l->size[1],
             l->face[0][side].outer_pitch * width, line);
}

static int levels_of(const torre_layer_face *face)
{
    return face->values == 0 ? 0 : torre_layer_in_place(face) ? 1 : 2;
}

/* Bytes that go with a plane of a level of a layer across y or z. */
static int64_t level_bytes(const torre_layers *l, int axis, int side)
{
    return (axis == 1 ? 1 : l->size[1]) * l->face[axis][side].outer_pitch * (int64_t)l->precision;
}

static void pass_plane(const torre_layers *l, int64_t x, int first, way *w)
{
    for (int f = l->keeps ? 2 : 0; f < 6; f++) {
        const torre_layer_face *face = &l->face[f / 2][f % 2];
        const int64_t bytes = level_bytes(l, f / 2, f % 2);
        for (int n = 0; n < levels_of(face); n++) {
            char *level = face->level[n ^ first];
            if (f / 2 == 0)
                pass_across_x(l, f % 2, level, x, w);
            else
                pass(w, w->values ? level + (x - l->low) * bytes : NULL, 1, 0, bytes);
        }
    }
}

int64_t torre_layers_planes_bytes(const torre_layers *l, int64_t low, int64_t high)
{
    way w = {.values = NULL};
    for (int64_t x = low; x < high; x++) pass_plane(l, x, 0, &w);
    return w.bytes;
}

void torre_layers_read_planes(const torre_layers *l, int64_t low, int64_t high, int first,
                              void *values)
{
    way w = {.values = values};
    for (int64_t x = low; x < high; x++) pass_plane(l, x, first, &w);
}

void torre_layers_write_planes(torre_layers *l, int64_t low, int64_t high, int first,
                               const void *values)
{
    way w = {.into = true, .values = (char *)values};
    for (int64_t x = low; x < high; x++) pass_plane(l, x, first, &w);
}

torre_layer_place torre_layers_place(const torre_layers *l, const torre_layer_slice *slice,
                                     int level)
{
    const int64_t width = (int64_t)l->precision, own = level_bytes(l, slice->axis, slice->side);
    const torre_layer_face *face = &l->face[slice->axis][slice->side];
    torre_layer_place place = {.at = torre_layers_slice_value(l, slice) * width,
                               .step = slice->axis == 1 ? width : face->outer_pitch * width};
    place.copies = torre_layers_slice_copies(l, slice, &place.next);
    place.next *= width;
    for (int f = 2; f < 2 * slice->axis + slice->side; f++)
        place.at += levels_of(&l->face[f / 2][f % 2]) * level_bytes(l, f / 2, f % 2);
    if (levels_of(face) == 2) place.at += level * own;
    return place;
}
