#include "wave/density.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "wave/pml.h"

enum { PIECE = TORRE_DENSITY_PIECE };

void torre_density_range(const torre_wave_problem *p, double *low, double *high)
{
    torre_wave_medium_range(p->density_cells, low, high);
}

torre_density torre_density_of(const torre_wave_problem *p)
{
    torre_density d = {.cells = p->density_cells, .order = p->order};
    double low;
    if (!d.cells) return d;
    const int64_t *n = d.cells->shape;
    torre_wave_medium_range(d.cells, &low, &d.reference);
    memcpy(d.size, p->size, sizeof d.size);
    memcpy(d.spacing, p->spacing, sizeof d.spacing);
    memcpy(d.face, p->face, sizeof d.face);
    for (int f = 0; f < 6; f++)
        if (torre_pml_face(p, f / 2, f % 2)) d.held[f / 2][f % 2] = torre_pml_held(p);
    d.stride[0] = n[1] * n[2];
    d.stride[1] = n[1] == 1 ? 0 : n[2];
    d.stride[2] = 1;
    return d;
}

torre_density torre_density_turn(const torre_density *from, const int axis[3])
{
    torre_density d = *from;
    for (int a = 0; a < 3; a++) {
        d.size[a] = from->size[axis[a]];
        d.stride[a] = from->stride[axis[a]];
        d.spacing[a] = from->spacing[axis[a]];
        memcpy(d.face[a], from->face[axis[a]], sizeof d.face[a]);
        memcpy(d.held[a], from->held[axis[a]], sizeof d.held[a]);
    }
    return d;
}

/* The cell of an axis whose s counts at an index, which may lie beyond a face. */
static int64_t inside(const torre_density *d, int axis, int64_t i)
{
    const int64_t n = d->size[axis];
    while (i < 0 || i >= n) {
        const bool below = i < 0;
        const torre_face face = d->face[axis][below ? 0 : 1];
        int64_t inwards = below ? -1 - i : i - n;
        if (face == TORRE_PERIODIC) {
            i += below ? n : -n;
            continue;
        }
        if (face != TORRE_RIGID && inwards > 0)
            inwards--; /* the mirror is the first cell outside */
        i = below ? inwards : n - 1 - inwards;
    }
    return i;
}

static bool is_flat(const torre_density *d, int axis) { return isinf(d->spacing[axis]); }

/* The cell whose density counts at cell i of an axis. */
static int64_t holder(const torre_density *d, int axis, int64_t i)
{
    const int64_t low = d->held[axis][0], high = d->size[axis] - 1 - d->held[axis][1];
    return i < low ? low : i > high ? high : i;
}

/* r of `count` cells of the grid along z. */
static void roots(const torre_density *d, int64_t x, int64_t y, int64_t z, int64_t count, double *r)
{
    const int64_t row = holder(d, 0, x) * d->stride[0] + holder(d, 1, y) * d->stride[1];
    const int64_t step = d->stride[2], first = row + z * step;
    if (d->held[2][0] || d->held[2][1]) {
        for (int64_t k = 0; k < count; k++)
            r[k] = sqrt(d->reference / torre_value(d->cells->precision, d->cells->data,
                                                   row + holder(d, 2, z + k) * step));
    } else if (d->cells->precision == TORRE_F32 && step == 1) {
        const float *rho = (const float *)d->cells->data + first;
        for (int64_t k = 0; k < count; k++) r[k] = sqrt(d->reference / (double)rho[k]);
    } else {
        for (int64_t k = 0; k < count; k++)
            r[k] = sqrt(d->reference /
                        torre_value(d->cells->precision, d->cells->data, first + k * step));
    }
}

/* s of a piece of a row, of which all cells are in the grid. */
static void piece(const torre_density *d, int64_t x, int64_t y, int64_t z, int64_t count, double *s)
{
    double own[PIECE + 2], low[PIECE], high[PIECE], bend[PIECE] = {0};
    roots(d, x, y, z, count, own + 1);
    if (d->order == 2) {
        memcpy(s, own + 1, (size_t)count * sizeof *s);
        return;
    }
    for (int a = 0; a < 2; a++) {
        if (is_flat(d, a)) continue;
        const int64_t below = inside(d, a, (a ? y : x) - 1), above = inside(d, a, (a ? y : x) + 1);
        roots(d, a ? x : below, a ? below : y, z, count, low);
        roots(d, a ? x : above, a ? above : y, z, count, high);
        for (int64_t k = 0; k < count; k++)
            bend[k] += (low[k] - own[k + 1]) + (high[k] - own[k + 1]);
    }
    if (!is_flat(d, 2)) {
        roots(d, x, y, inside(d, 2, z - 1), 1, own);
        roots(d, x, y, inside(d, 2, z + count), 1, own + count + 1);
        for (int64_t k = 0; k < count; k++)
            bend[k] += (own[k] - own[k + 1]) + (own[k + 2] - own[k + 1]);
    }
    for (int64_t k = 0; k < count; k++) s[k] = own[k + 1] + bend[k] / 24;
}

/* s of a row, which may lie beyond faces. */
static void row(const torre_density *d, int64_t x, int64_t y, int64_t z, int64_t count, double *s)
{
    x = inside(d, 0, x);
    y = inside(d, 1, y);
    for (int64_t k = 0, n; k < count; k += n) {
        const int64_t at = z + k, left = d->size[2] - at;
        n = at < 0 || left < 1 ? 1 : left < PIECE ? left : PIECE;
        if (n > count - k) n = count - k;
        piece(d, x, y, inside(d, 2, at), n, s + k);
    }
}

double torre_density_scale(const torre_density *d, int64_t cell)
{
    double s = 1;
    if (d->cells)
        row(d, cell / d->size[2] / d->size[1], cell / d->size[2] % d->size[1], cell % d->size[2], 1,
            &s);
    return s;
}

/* The largest ratio of roots between the cells of a row and their neighbours at higher x, y, z. */
static double row_contrast(const torre_density *d, int64_t x, int64_t y)
{
    double own[PIECE], other[PIECE], most = 1;
    for (int a = 0; a < 3; a++) {
        if (is_flat(d, a) || d->stride[a] == 0) continue;
        const int64_t next[2] = {inside(d, 0, x + (a == 0)), inside(d, 1, y + (a == 1))};
        for (int64_t z = 0; z < d->size[2]; z += PIECE) {
            const int64_t count = d->size[2] - z < PIECE ? d->size[2] - z : PIECE;
            roots(d, x, y, z, count, own);
            if (a < 2)
                roots(d, next[0], next[1], z, count, other);
            else
                memcpy(other, own + 1, (size_t)(count - 1) * sizeof *other);
            if (a == 2) roots(d, x, y, inside(d, 2, z + count), 1, other + count - 1);
            for (int64_t k = 0; k < count; k++)
                most = fmax(most, fmax(own[k], other[k]) / fmin(own[k], other[k]));
        }
    }
    return most;
}

double torre_density_contrast(const torre_density *d)
{
    double most = 1;
    if (!d->cells) return most;
#pragma omp parallel for collapse(2) schedule(static) reduction(max : most)
    for (int64_t x = 0; x < d->size[0]; x++)
        for (int64_t y = 0; y < d->size[1]; y++) most = fmax(most, row_contrast(d, x, y));
    return most * most;
}

void torre_density_scale_box(const torre_density *d, torre_scaling scaling,
                             torre_precision precision, const torre_box *box,
                             const int64_t stride[3], void *values)
{
    const int64_t *low = box->low, *high = box->high, step = stride[2];
    if (!d->cells) return;
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t x = low[0]; x < high[0]; x++)
        for (int64_t y = low[1]; y < high[1]; y++) {
            double s[PIECE];
            const int64_t first = (x - low[0]) * stride[0] + (y - low[1]) * stride[1];
            for (int64_t z = low[2]; z < high[2]; z += PIECE) {
                const int64_t count = high[2] - z < PIECE ? high[2] - z : PIECE;
                const int64_t at = first + (z - low[2]) * step;
                row(d, x, y, z, count, s);
                for (int64_t k = 0; k < count; k++) {
                    const double v = torre_value(precision, values, at + k * step);
                    torre_value_set(precision, values, at + k * step,
                                    scaling == TORRE_OVER_SCALE ? v / s[k] : v * s[k]);
                }
            }
        }
}

void torre_scales_potential(const torre_scales *scales, int64_t y, int64_t z, int64_t count,
                            double *q)
{
    const torre_density *d = scales->density;
    const int R = scales->reach;
    const double *s = torre_scales_row(scales, 0, y) + z;
    memset(q, 0, (size_t)count * sizeof *q);
    for (int a = 0; a < 3; a++) {
        if (is_flat(d, a)) continue;
        const double scale = d->spacing[0] / d->spacing[a];
        for (int i = 1; i <= R; i++) {
            const double weight = scale * scale * torre_stencil_weight(R, i);
            const double *low = s - i, *high = s + i;
            if (a < 2) {
                low = torre_scales_row(scales, a ? 0 : -i, a ? y - i : y) + z;
                high = torre_scales_row(scales, a ? 0 : i, a ? y + i : y) + z;
            }
            for (int64_t k = 0; k < count; k++)
                q[k] += weight * ((low[k] - s[k]) + (high[k] - s[k]));
        }
    }
    for (int64_t k = 0; k < count; k++) q[k] /= s[k];
}

/* s of plane x, which may lie beyond a face, in the place of the one that is needed no more. */
static void fill_plane(const torre_scales *scales, int dx)
{
    const torre_box *box = &scales->box;
    const int R = scales->reach;
#pragma omp parallel for num_threads(scales->threads) schedule(static)
    for (int64_t y = box->low[1] - R; y < box->high[1] + R; y++)
        row(scales->density, scales->x + dx, y, box->low[2] - R, box->high[2] - box->low[2] + 2 * R,
            (double *)torre_scales_row(scales, dx, y - box->low[1]) - R);
}

static void lay_out(torre_scales *s)
{
    s->row_pitch = s->box.high[2] - s->box.low[2] + 2 * s->reach;
    s->plane_bytes =
        (s->box.high[1] - s->box.low[1] + 2 * s->reach) * s->row_pitch * (int64_t)sizeof(double);
}

torre_status torre_density_walk(const torre_density *d, const torre_box *box, int threads,
                                torre_scales_take *take, void *context)
{
    torre_scales s = {.density = d, .box = *box, .reach = d->order / 2, .threads = threads};
    if (threads < 1) s.threads = omp_get_max_threads();
    lay_out(&s);
    s.memory = malloc((size_t)((2 * s.reach + 1) * s.plane_bytes));
    if (!s.memory) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for planes of density");
    s.x = box->low[0];
    for (int dx = -s.reach; dx < s.reach; dx++) fill_plane(&s, dx);
    for (; s.x < box->high[0]; s.x++) {
        fill_plane(&s, s.reach);
        take(context, &s);
    }
    free(s.memory);
    return TORRE_OK;
}

int64_t torre_density_bytes(const torre_density *d)
{
    torre_scales s = {.reach = d->order / 2};
    if (!d->cells) return 0;
    s.box = torre_box_all(d->size);
    lay_out(&s);
    return (2 * s.reach + 1) * s.plane_bytes;
}

typedef struct stiffness {
    const torre_wave_problem *problem;
    double norm; /* hx^2 S sum h^-2 */
    double most; /* of c^2 (1 + q / (S sum h^-2)) */
} stiffness;

static void find_stiffest(void *context, const torre_scales *scales)
{
    stiffness *f = context;
    const int64_t *n = f->problem->size;
    double most = f->most;
#pragma omp parallel for num_threads(scales->threads) schedule(static) reduction(max : most)
    for (int64_t y = 0; y < n[1]; y++)
        for (int64_t z = 0; z < n[2]; z += PIECE) {
            double q[PIECE];
            const int64_t count = n[2] - z < PIECE ? n[2] - z : PIECE;
            torre_scales_potential(scales, y, z, count, q);
            for (int64_t k = 0; k < count; k++) {
                const double v = torre_wave_velocity_at(f->problem, scales->x, y, z + k);
                most = fmax(most, v * v * (1 + q[k] / f->norm));
            }
        }
    f->most = most;
}

torre_status torre_density_velocity(const torre_wave_problem *p, double *velocity)
{
    const torre_density d = torre_density_of(p);
    const torre_box all = torre_box_all(p->size);
    double low, sum = 0;
    torre_wave_velocity_range(p, &low, velocity);
    if (!d.cells) return TORRE_OK;
    for (int a = 0; a < 3; a++)
        sum += p->spacing[0] / p->spacing[a] * p->spacing[0] / p->spacing[a]; /* inf: 0 */
    stiffness f = {.problem = p, .norm = torre_stencil_norm(p->order / 2) * sum};
    TORRE_TRY(torre_density_walk(&d, &all, 0, find_stiffest, &f));
    *velocity = sqrt(f.most);
    return TORRE_OK;
}
