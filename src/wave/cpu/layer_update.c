/* Perfectly matched layers of a run of rows, after the line kernel. */
#include "wave/cpu/cpu_solver.h"

/* Rows y0 .. y1 - 1 of plane x, in layers across x or y. */
typedef struct rows {
    int64_t n, x, y0, y1, z0, z1;
} rows;

/* A row in a layer across x or y. */
static void update_row(const torre_cpu_solver *s, rows run, int axis, int side, int64_t y)
{
    const torre_layers *l = &s->layers;
    const torre_layer_face *face = &l->face[axis][side];
    const int64_t width = (int64_t)l->precision, offset = run.z0 * width, block = s->field.block;
    const int64_t r = torre_layer_depth(l, axis, side, axis ? y : run.x);
    const int64_t memory = (axis ? run.x : y) * face->outer_pitch * width + offset;
    const int64_t pitch = (axis ? s->field.row_pitch : s->field.plane_pitch) * width;
    const char *now = torre_cpu_row(s, run.n, run.x, y) + offset;
    torre_layer_line line = {
        .axis = axis,
        .r = (int)r,
        .blocks = (run.z1 - run.z0 + block - 1) / block,
        .next = torre_cpu_row(s, run.n + 1, run.x, y) + offset,
        .ahead = now + (side ? pitch : -pitch),
        .behind = now - (side ? pitch : -pitch),
        .factor = s->field.factor ? torre_cpu_factor_row(s, run.x, y) + offset : NULL,
        .old = face->level[run.n & 1] + memory,
        .made = face->level[(run.n + 1) & 1] + memory,
    };
    l->kernel(&l->scheme, &line);
    if (r < l->scheme.width - 1) return;
    line.next = NULL;
    for (int beyond = 0; beyond < l->half_width; beyond++) {
        line.r++;
        line.ahead = NULL;
        line.behind = beyond == 0 ? now : NULL;
        l->kernel(&l->scheme, &line);
    }
}

/* All rows of a line of cells along the normal, at row or plane `at`. */
static void update_stack(const torre_cpu_solver *s, rows run, int axis, int side, int64_t at)
{
    const torre_layers *l = &s->layers;
    const torre_layer_face *face = &l->face[axis][side];
    const torre_padded_field *f = &s->field;
    const int64_t width = (int64_t)l->precision, offset = run.z0 * width, W = l->scheme.width;
    const int64_t first = side ? l->size[axis] - W : W - 1, outwards = side ? width : -width;
    const int64_t x = axis ? at : first, y = axis ? first : at;
    const torre_layer_stack stack = {
        .axis = axis,
        .blocks = (run.z1 - run.z0 + f->block - 1) / f->block,
        .step = outwards * (axis ? f->row_pitch : f->plane_pitch),
        .factor_step = outwards * (axis ? f->factor_row_pitch : f->factor_plane_pitch),
        .next = torre_cpu_row(s, run.n + 1, x, y) + offset,
        .now = torre_cpu_row(s, run.n, x, y) + offset,
        .factor = f->factor ? torre_cpu_factor_row(s, x, y) + offset : NULL,
        .memory = face->level[0] + at * face->outer_pitch * width + offset,
        .later = face->outer_pitch * width,
    };
    l->stack_kernel(&l->scheme, &stack);
}

/* The ends of rows, in the run that has them: runs do not cut them (cpu_shape.c). */
static void update_ends(const torre_cpu_solver *s, rows run, int side)
{
    const torre_layer_face *face = &s->layers.face[2][side];
    const int64_t nz = s->field.size[2], number = run.x * s->field.size[1] + run.y0;
    if (side ? run.z1 < nz : run.z0 > 0) return;
    const torre_layer_ends ends = {
        .rows = run.y1 - run.y0,
        .nz = nz,
        .pitch = s->field.row_pitch,
        .factor_pitch = s->field.factor_row_pitch,
        .next = torre_cpu_row(s, run.n + 1, run.x, run.y0),
        .now = torre_cpu_row(s, run.n, run.x, run.y0),
        .factor = s->field.factor ? torre_cpu_factor_row(s, run.x, run.y0) : NULL,
        .memory = face->level[0] + number * face->outer_pitch * (int64_t)s->layers.precision,
    };
    s->layers.end_kernel(&face->end, &ends);
}

/* Cells of a row in a layer that convolves. */
static void convolve_row(const torre_cpu_solver *s, rows run, int axis, int side, int64_t y)
{
    const torre_layers *l = &s->layers;
    const torre_layer_face *face = &l->face[axis][side];
    const int64_t width = (int64_t)l->precision, W = l->scheme.width;
    const int64_t pitch[3] = {s->field.plane_pitch, s->field.row_pitch, 1};
    const int64_t across = axis == 0 ? y : axis == 1 ? run.x : run.x * l->size[1] + y;
    const int64_t memory = across * face->outer_pitch * width;
    torre_cpml_cells c = {
        .axis = axis,
        .step = side ? pitch[axis] : -pitch[axis],
        .count = run.z1 - run.z0,
        .next = torre_cpu_row(s, run.n + 1, run.x, y),
        .now = torre_cpu_row(s, run.n, run.x, y),
        .factor = s->field.factor ? torre_cpu_factor_row(s, run.x, y) : NULL,
        .old = face->level[run.n & 1] + memory,
        .made = face->level[(run.n + 1) & 1] + memory,
    };
    if (axis < 2) {
        c.r = (int)torre_layer_depth(l, axis, side, axis ? y : run.x);
        l->cpml_cells(&l->cpml, &c, run.z0);
        return;
    }
    c.count = 1;
    for (int64_t r = -l->half_width; r < W; r++) {
        const int64_t z = side ? l->size[2] - W + r : W - 1 - r;
        c.r = (int)r;
        if (z >= run.z0 && z < run.z1) l->cpml_cells(&l->cpml, &c, z);
    }
}

/* The rows of a plane in layers across x, unless they are held, then y, then z: an order that is
 * the same for every cell in all engines. */
static void update_plane(const torre_cpu_solver *s, rows run)
{
    const torre_layers *l = &s->layers;
    /* r of the first cell that a layer adds to */
    const int64_t first = (l->convolves ? 0 : 1) - l->half_width;
    for (int f = 0; f < 6; f++) {
        const int axis = f / 2, side = f % 2;
        if (l->face[axis][side].values == 0) continue;
        if (torre_layers_held(l, axis, side) > 0) {
            if (axis == 1 && (side ? run.y1 == l->size[1] : run.y0 == 0))
                update_stack(s, run, 1, side, run.x);
            continue;
        }
        if (axis == 0 && torre_layer_depth(l, 0, side, run.x) < first) continue;
        if (axis == 2 && !l->convolves) {
            update_ends(s, run, side);
            continue;
        }
        for (int64_t y = run.y0; y < run.y1; y++) {
            if (axis == 1 && torre_layer_depth(l, 1, side, y) < first) continue;
            if (l->convolves)
                convolve_row(s, run, axis, side, y);
            else
                update_row(s, run, axis, side, y);
        }
    }
}

void torre_cpu_fetch_layers(const torre_cpu_solver *s, const torre_run *run)
{
    const torre_layers *l = &s->layers;
    if (l->bytes == 0 || l->convolves) return;
    for (int side = 0; side < 2; side++) {
        const torre_layer_face *face = &l->face[2][side];
        if (face->values == 0) continue;
        const int64_t row = face->outer_pitch * (int64_t)l->precision;
        const int64_t bytes = (run->y1 - run->y0) * row;
        for (int64_t x = run->x; x < run->x + run->planes; x++) {
            const char *from = face->level[0] + (x * l->size[1] + run->y0) * row;
            for (int64_t at = 0; at < bytes; at += TORRE_BLOCK_BYTES)
                __builtin_prefetch(from + at, 1, 2);
        }
    }
}

void torre_cpu_update_layers(const torre_cpu_solver *s, int64_t n, const torre_run *run)
{
    if (s->layers.bytes == 0 || run->z0 >= run->z1) return;
    for (int side = 0; side < 2; side++) {
        if (torre_layers_held(&s->layers, 0, side) == 0) continue;
        if (side ? run->x + run->planes < s->layers.size[0] : run->x > 0) continue;
        for (int64_t y = run->y0; y < run->y1; y++)
            update_stack(s, (rows){n, run->x, y, y + 1, run->z0, run->z1}, 0, side, y);
    }
    for (int64_t x = run->x; x < run->x + run->planes; x++)
        update_plane(s, (rows){n, x, run->y0, run->y1, run->z0, run->z1});
}
