#include "wave/cpu/layer_field.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "wave/box.h"
#include "wave/cpml.h"
#include "wave/part.h"

static int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

static int64_t block_of(const torre_layers *l) { return TORRE_BLOCK_BYTES / (int64_t)l->precision; }
static int64_t end_lanes(const torre_layers *l) { return TORRE_END_BYTES / (int64_t)l->precision; }

/* Values of a level of a face, with a block in front of and behind those of z faces that convolve,
 * which kernels read there. */
static double layout_face(const torre_wave_problem *p, int axis, int side, torre_layers *l)
{
    const int64_t W = p->absorbing_width, R = l->half_width, *n = p->size;
    torre_layer_face *face = &l->face[axis][side];
    if (l->convolves) {
        const double rows = axis < 2 ? (double)n[1 - axis] : (double)n[0] * (double)n[1];
        face->outer_pitch = 2 * W * (axis < 2 ? l->scheme.pitch : 1);
        face->values =
            axis < 2 ? n[1 - axis] * face->outer_pitch
                     : round_up(n[0] * n[1] * face->outer_pitch, block_of(l)) + 2 * block_of(l);
        return rows * (double)face->outer_pitch;
    }
    face->in_place = axis > 0 || !l->cut;
    if (axis < 2) {
        face->outer_pitch = R * (2 * W - 1) * l->scheme.pitch;
        face->values = n[1 - axis] * face->outer_pitch;
        return (double)n[1 - axis] * (double)face->outer_pitch;
    }
    torre_layer_end *end = &face->end;
    end->places = (int)round_up(W, end_lanes(l));
    end->outwards = side ? 1 : -1;
    end->first = side ? n[2] - end->places : 0;
    end->before = (int)(W + R - 1 > end->places ? W + R - 1 - end->places : 0);
    face->outer_pitch = 2 * R * end->places;
    face->values = n[0] * n[1] * face->outer_pitch;
    return (double)n[0] * (double)n[1] * (double)face->outer_pitch;
}

/* Values of a table of steps, of weights of an axis, of a table of a z face. */
static int64_t steps_values(const torre_layers *l)
{
    return round_up(l->scheme.width + 2, block_of(l));
}
static int64_t weights_values(const torre_layers *l)
{
    return round_up(l->half_width + 1, block_of(l));
}
/* A whole number of blocks. */
static int64_t front_values(const torre_layers *l, const torre_layer_end *end)
{
    return round_up(round_up(end->before, end_lanes(l)) * (l->half_width - 1), block_of(l));
}
static int64_t end_values(const torre_layers *l, const torre_layer_face *face)
{
    if (face->end.places == 0) return 0;
    return 4 * (int64_t)face->end.places + weights_values(l) + front_values(l, &face->end);
}

static bool has_layers(const torre_wave_setup *setup)
{
    for (int f = 0; f < 6; f++)
        if (setup->layer[f / 2][f % 2]) return true;
    return false;
}

/* cut: somewhere along x. */
static void layout(const torre_wave_setup *setup, bool cut, torre_layers *l)
{
    const torre_wave_problem *p = setup->problem;
    const torre_region region = torre_wave_region(setup);
    double sum = 0;
    memset(l, 0, sizeof *l);
    if (!has_layers(setup)) return;
    l->low = region.stored.low[0];
    l->planes = region.global[0];
    l->keeps = setup->keeps_layers;
    l->cut = cut;
    l->convolves = p->absorbing == TORRE_CPML;
    l->half_width = p->order / 2;
    l->precision = p->precision;
    memcpy(l->size, p->size, sizeof l->size);
    l->scheme.width = p->absorbing_width;
    l->scheme.pitch = (round_up(p->size[2], block_of(l)) / block_of(l) | 1) * block_of(l);
    int64_t values = 2 * steps_values(l) + 2 * weights_values(l) + l->scheme.pitch;
    for (int f = 0; f < 6; f++) {
        if (!setup->layer[f / 2][f % 2]) continue;
        sum += layout_face(p, f / 2, f % 2, l);
        const torre_layer_face *face = &l->face[f / 2][f % 2];
        values += (torre_layer_in_place(face) ? 1 : 2) * face->values + end_values(l, face);
    }
    l->bytes = sum * 16 > 1e18 ? -1 : values * (int64_t)l->precision;
}

void torre_layers_layout(const torre_wave_setup *setup, torre_layers *l)
{
    const torre_region region = torre_wave_region(setup);
    const torre_box *owned = &region.owned;
    const bool whole = owned->low[0] == 0 && owned->high[0] == region.global[0];
    layout(setup, setup->keeps_layers || !whole, l);
}

void torre_layers_layout_part(const torre_wave_setup *setup, torre_layers *l)
{
    layout(setup, true, l);
}

static char *take(char **free_place, int64_t values, const torre_layers *l)
{
    char *taken = *free_place;
    *free_place += values * (int64_t)l->precision;
    return taken;
}

static void put(const torre_layers *l, const void *table, int64_t i, double value)
{
    torre_value_set(l->precision, (void *)table, i, value);
}

/* Place of step i = 1, 2, .. of a z face, of P or Q. */
static int64_t end_place(const torre_layers *l, int side, bool outwards, int64_t i)
{
    const int64_t r = outwards ? i - 1 : i;
    return side ? l->face[2][1].end.places - l->scheme.width + r : l->scheme.width - 1 - r;
}

/* The table of the cells before a z face's places: q of them from the first place on. */
static void make_front(const torre_layers *l, const torre_layer_end *end, double weight)
{
    const int R = l->half_width, lanes = (int)end_lanes(l);
    for (int q = 1; q <= round_up(end->before, lanes); q++)
        for (int m = 1; m < R; m++) {
            const int vector = (q - 1) / lanes, from = (q - 1) % lanes;
            const int lane = end->outwards > 0 ? lanes - 1 - from : from;
            const bool there = q <= end->before && m + q <= R;
            put(l, end->front, (vector * (R - 1) + m - 1) * lanes + lane,
                there ? weight * torre_stencil_weight(R, m + q) : 0);
        }
}

/* The tables of a z face; a, b: of the steps. */
static void make_end(const torre_layers *l, int side, double weight, const double *a,
                     const double *b)
{
    const torre_layer_end *end = &l->face[2][side].end;
    const int W = l->scheme.width, R = l->half_width;
    for (int m = 0; m <= R; m++) put(l, end->weight, m, weight * torre_stencil_weight(R, m));
    for (int64_t t = 0; t < 2 * (int64_t)end->places; t++) {
        put(l, end->a, t, 0);
        put(l, end->b, t, 0);
    }
    make_front(l, end, weight);
    for (int chain = 0; chain < 2; chain++)
        for (int i = 1; i <= W - chain; i++) {
            const int64_t at = chain * (int64_t)end->places + end_place(l, side, chain == 0, i);
            put(l, end->a, at, a[i]);
            put(l, end->b, at, b[i]);
        }
}

/* Of layers that convolve. */
static void make_cpml(const torre_wave_problem *p, torre_layers *l)
{
    torre_cpml_scheme *c = &l->cpml;
    c->width = l->scheme.width;
    c->half_width = l->half_width;
    c->pitch[0] = c->pitch[1] = l->scheme.pitch;
    c->pitch[2] = 1;
    c->a = l->scheme.a;
    c->b = l->scheme.b;
    c->factor = l->scheme.factor_double;
    for (int m = 1; m <= l->half_width; m++) {
        c->bend[m] = torre_stencil_weight(l->half_width, m);
        c->slope[m] = torre_cpml_slope_weight(l->half_width, m);
    }
    for (int a = 0; a < 3; a++)
        c->axis[a] = p->spacing[0] * p->spacing[0] / (p->spacing[a] * p->spacing[a]);
}

void torre_layers_tables(const torre_wave_setup *setup, torre_layers *l)
{
    if (l->bytes == 0) return;
    const torre_wave_problem *p = setup->problem;
    const double *a = setup->pml_a, *b = setup->pml_b;
    const double *h = p->spacing, courant = p->velocity * p->dt / h[0];
    const double factor = p->velocity_cells ? 0 : courant * courant;
    l->scheme.factor_float = (float)(l->scheme.factor_double = factor);
    for (int i = 0; i <= l->scheme.width + (int)l->convolves; i++) {
        put(l, l->scheme.a, i, a[i]);
        put(l, l->scheme.b, i, b[i]);
    }
    if (l->convolves) {
        make_cpml(p, l);
        return;
    }
    for (int axis = 0; axis < 2; axis++)
        for (int m = 0; m <= l->half_width; m++)
            put(l, l->scheme.weight[axis], m,
                h[0] * h[0] / (h[axis] * h[axis]) * torre_stencil_weight(l->half_width, m));
    for (int side = 0; side < 2; side++) {
        torre_layer_end *end = &l->face[2][side].end;
        if (end->places == 0) continue;
        end->factor_float = l->scheme.factor_float;
        end->factor_double = l->scheme.factor_double;
        make_end(l, side, h[0] * h[0] / (h[2] * h[2]), a, b);
    }
}

/* Where everything lies in the memory. */
static void place_everything(torre_layers *l)
{
    char *at = l->memory;
    l->scheme.a = take(&at, steps_values(l), l);
    l->scheme.b = take(&at, steps_values(l), l);
    for (int axis = 0; axis < 2; axis++) l->scheme.weight[axis] = take(&at, weights_values(l), l);
    l->scheme.zeros = take(&at, l->scheme.pitch, l);
    for (int f = 0; f < 6; f++) {
        torre_layer_face *face = &l->face[f / 2][f % 2];
        if (face->values == 0) continue;
        if (torre_layer_in_place(face)) {
            face->level[0] = face->level[1] = take(&at, face->values, l);
            if (f / 2 < 2) continue;
            face->end.a = take(&at, 2 * (int64_t)face->end.places, l);
            face->end.b = take(&at, 2 * (int64_t)face->end.places, l);
            face->end.weight = take(&at, weights_values(l), l);
            face->end.front = take(&at, front_values(l, &face->end), l);
            continue;
        }
        for (int n = 0; n < 2; n++) {
            face->level[n] = take(&at, face->values, l);
            if (f / 2 == 2) face->level[n] += TORRE_BLOCK_BYTES;
        }
    }
}

static torre_status take_memory(torre_layers *l, torre_rank_team *team, int threads)
{
    if (team) {
        l->team = team;
        return torre_rank_team_memory(team, l->bytes, threads, &l->memory);
    }
    l->memory = torre_memory_large((size_t)l->bytes);
    if (!l->memory)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "out of memory: %lld bytes needed for the absorbing layers",
                          (long long)l->bytes);
    memset(l->memory, 0, (size_t)l->bytes);
    return TORRE_OK;
}

torre_status torre_layers_alloc(const torre_wave_setup *setup, torre_rank_team *team, int threads,
                                torre_layers *l)
{
    if (l->bytes == 0) return TORRE_OK;
    TORRE_TRY(take_memory(l, team, threads));
    place_everything(l);
    torre_layers_tables(setup, l);
    const torre_layer_kernels *best = torre_layer_kernels_best();
    const bool single = l->precision == TORRE_F32;
    l->cpml_cells = single ? torre_cpml_cells_f32 : torre_cpml_cells_f64;
    l->kernel = single ? best->f32[l->half_width - 1] : best->f64[l->half_width - 1];
    l->stack_kernel =
        single ? best->stack_f32[l->half_width - 1] : best->stack_f64[l->half_width - 1];
    l->end_kernel = single ? best->end_f32[l->half_width - 1] : best->end_f64[l->half_width - 1];
    return TORRE_OK;
}

void torre_layers_free(torre_layers *l)
{
    if (l->team)
        torre_rank_team_free(l->memory, l->bytes);
    else
        free(l->memory);
    l->memory = NULL;
}

void torre_layers_clear(torre_layers *l)
{
    for (int f = 0; f < 6; f++) {
        const torre_layer_face *face = &l->face[f / 2][f % 2];
        const int64_t before = f / 2 == 2 && !torre_layer_in_place(face) ? TORRE_BLOCK_BYTES : 0;
        for (int n = 0; n < 2 && face->values; n++)
            memset(face->level[n] - before, 0, (size_t)face->values * (size_t)l->precision);
    }
}

void torre_layers_swap(torre_layers *l)
{
    for (int f = 0; f < 6; f++) {
        char **level = l->face[f / 2][f % 2].level, *first = level[0];
        level[0] = level[1];
        level[1] = first;
    }
}

void torre_layers_move(torre_layers *l, const torre_wave_setup *setup)
{
    const torre_box stored = torre_wave_region(setup).stored;
    const int64_t shift = stored.low[0] - l->low, nx = stored.high[0] - stored.low[0];
    const int64_t low = shift < 0 ? -shift : 0; /* planes of both: low .. high - 1 */
    const int64_t high = l->size[0] - shift < nx ? l->size[0] - shift : nx;
    for (int f = 2; f < 6; f++) {
        const torre_layer_face *face = &l->face[f / 2][f % 2];
        const int64_t rows = f / 2 == 1 ? 1 : l->size[1];
        const int64_t plane = rows * face->outer_pitch * (int64_t)l->precision;
        for (int n = 0; n < (torre_layer_in_place(face) ? 1 : 2) && face->values && low < high; n++)
            memmove(face->level[n] + low * plane, face->level[n] + (low + shift) * plane,
                    (size_t)((high - low) * plane));
    }
    l->low = stored.low[0];
    l->size[0] = nx;
}

int64_t torre_layers_slice_value(const torre_layers *l, const torre_layer_slice *s)
{
    const int64_t W = l->scheme.width, R = l->half_width;
    if (l->convolves) return ((s->j - 1) * W + s->i - 1) * (s->axis < 2 ? l->scheme.pitch : 1);
    if (s->axis < 2)
        return l->scheme.pitch *
               (s->outwards ? (s->j - 1) * W + s->i - 1 : R * W + (s->j - 1) * (W - 1) + s->i - 1);
    return ((s->outwards ? 0 : R) + s->j - 1) * (int64_t)l->face[2][s->side].end.places +
           end_place(l, s->side, s->outwards, s->i);
}

/* Places before a layer across z repeat that of its first step. */
int64_t torre_layers_slice_copies(const torre_layers *l, const torre_layer_slice *s, int64_t *next)
{
    const torre_layer_end *end = &l->face[2][s->side].end;
    const int64_t room = end->places - l->scheme.width, rows = l->half_width - s->j;
    *next = end->places - end->outwards;
    if (l->convolves || s->axis < 2 || !s->outwards || s->i > 1) return 0;
    return room < rows ? room : rows;
}

/* A slice in the memory: its value of the first of some planes across x, the strides between its
 * values; `box`: of the cells of that. */
static char *slice_of(const torre_layers *l, int level, const torre_layer_slice *s, int64_t low,
                      int64_t high, int64_t stride[3], torre_box *box)
{
    const torre_layer_face *face = &l->face[s->axis][s->side];
    const int64_t pitch = face->outer_pitch;
    *box = torre_box_all(l->size);
    box->high[0] = high - low;
    box->high[s->axis] = 1;
    stride[2] = s->axis < 2;
    stride[1] = s->axis == 1 ? 0 : pitch;
    stride[0] = s->axis == 0 ? 0 : s->axis == 1 ? pitch : pitch * l->size[1];
    const int64_t at = torre_layers_slice_value(l, s) + (low - l->low) * stride[0];
    return face->level[level] + at * (int64_t)l->precision;
}

void torre_layers_write(torre_layers *l, int level, const torre_layer_slice *slice, int64_t low,
                        int64_t high, const int64_t stride[3], const void *values)
{
    int64_t own[3], next;
    torre_box box;
    if (l->face[slice->axis][slice->side].values == 0) return;
    char *to = slice_of(l, level, slice, low, high, own, &box);
    const int64_t copies = torre_layers_slice_copies(l, slice, &next);
    for (int64_t q = 0; q <= copies; q++)
        torre_box_copy(&box, (size_t)l->precision, to + q * next * (int64_t)l->precision, own,
                       values, stride, 1);
}

void torre_layers_read(const torre_layers *l, int level, const torre_layer_slice *slice,
                       int64_t low, int64_t high, const int64_t stride[3], void *values)
{
    int64_t own[3];
    torre_box box;
    if (l->face[slice->axis][slice->side].values == 0) return;
    char *from = slice_of(l, level, slice, low, high, own, &box);
    torre_box_copy(&box, (size_t)l->precision, values, stride, from, own, 1);
}
