#include "wave/cpu/padded_field.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "wave/boundary.h"
#include "wave/box.h"
#include "wave/cpu/line_kernel.h"
#include "wave/part.h"
#include "wave/pml.h"

static int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

/* Round up to an odd number of blocks. */
static int64_t odd_blocks(int64_t values, int64_t block)
{
    int64_t blocks = (values + block - 1) / block;
    return (blocks | 1) * block;
}

/* How far apart two places of a small page are, which has 64 blocks. */
static int64_t apart(int64_t a, int64_t b)
{
    int64_t d = (a - b) & 63;
    return d < 32 ? d : 64 - d;
}

/*
 * Whether rows that many blocks apart pile up in a few sets of the first level cache, which repeat
 * with every small page.
 */
static bool rows_collide(int64_t blocks) { return blocks > 32 && apart(blocks, 0) < 5; }

/*
 * Distance of the two levels in blocks, modulo a small page. A processor takes a load for one of a
 * value just stored where the addresses agree in the last 12 bits, and lets it wait. So what the
 * kernel stores into one level must be far, modulo a page, from the rows and planes around that it
 * loads from the other (up to 40 % of the kernel's time).
 */
static int64_t level_offset(const torre_padded_field *f)
{
    const int64_t row = f->row_pitch / f->block, plane = f->plane_pitch / f->block;
    int64_t best = 0, best_distance = -1;
    for (int64_t offset = 0; offset < 64; offset += 2) {
        int64_t distance = 64;
        for (int64_t i = -f->half_width; i <= f->half_width; i++) {
            int64_t nearest = apart(offset, i * row);
            if (apart(offset, i * plane) < nearest) nearest = apart(offset, i * plane);
            if (nearest < distance) distance = nearest;
        }
        if (distance <= best_distance) continue;
        best = offset;
        best_distance = distance;
    }
    return best;
}

static int64_t level_values(const torre_padded_field *f)
{
    return (f->size[0] + 2 * f->half_width) * f->plane_pitch + f->block;
}

static int64_t factor_values(const torre_padded_field *f)
{
    return f->factor_plane_pitch ? f->size[0] * f->factor_plane_pitch
                                 : odd_blocks(f->size[2], f->block);
}

/* Pitches of an array of the medium, which may be the same for every y. */
static void lay_out_cells(const torre_padded_field *f, const torre_array *cells, int64_t *row_pitch,
                          int64_t *plane_pitch)
{
    const int64_t row = odd_blocks(f->size[2], f->block);
    const bool same = cells->shape[1] == 1;
    *row_pitch = same ? 0 : row;
    *plane_pitch = same ? row : row * f->size[1];
}

void torre_padded_layout(const torre_wave_problem *p, torre_padded_field *f)
{
    memset(f, 0, sizeof *f);
    memcpy(f->size, p->size, sizeof f->size);
    f->half_width = p->order / 2;
    f->ghost_rows = torre_wave_is_flat(p, 1) ? 0 : f->half_width;
    f->precision = p->precision;
    f->block = TORRE_BLOCK_BYTES / (int64_t)p->precision;
    f->tail = round_up(p->size[2], f->block) - p->size[2];
    /* the kernel writes whole blocks: behind them there is room for the ghosts of two rows, and
     * for the zero that layers read on either side of these */
    const int64_t zeros = torre_pml_face(p, 2, 0) || torre_pml_face(p, 2, 1) ? 2 : 0;
    f->row_pitch = odd_blocks(round_up(p->size[2], f->block) + 2 * f->half_width + zeros, f->block);
    while (rows_collide(f->row_pitch / f->block)) f->row_pitch += 2 * f->block;
    const double rows = (double)(p->size[1] + 2 * f->ghost_rows) * (double)f->row_pitch;
    f->bytes = -1;
    if ((double)(p->size[0] + 2 * f->half_width) * rows * (p->density_cells ? 4 : 3) *
            p->precision >
        1e18)
        return;
    f->plane_pitch = odd_blocks((p->size[1] + 2 * f->ghost_rows) * f->row_pitch, f->block);
    int64_t blocks = level_values(f) / f->block;
    f->level_bytes = (blocks + ((level_offset(f) - blocks) & 63)) * TORRE_BLOCK_BYTES;
    f->bytes = 2 * f->level_bytes + (int64_t)TORRE_HUGE_PAGE;
    if (p->velocity_cells)
        lay_out_cells(f, p->velocity_cells, &f->factor_row_pitch, &f->factor_plane_pitch);
    if (p->density_cells)
        lay_out_cells(f, p->density_cells, &f->potential_row_pitch, &f->potential_plane_pitch);
    /* layers read vectors across the end of a row */
    if (p->velocity_cells || p->density_cells)
        f->bytes += (factor_values(f) + f->block) * p->precision;
    if (p->density_cells) f->bytes += f->size[0] * f->potential_plane_pitch * p->precision;
    for (int a = 0; a < 3; a++) {
        if (torre_wave_is_flat(p, a)) continue;
        for (int64_t i = -f->half_width; i < p->size[a] + f->half_width; i++) {
            if (i == 0) i = p->size[a];
            torre_ghost g = torre_axis_ghost(p, a, i);
            if (g.sign != 0) f->ghost[a][f->ghosts[a]++] = (torre_ghost_link){i, g.source, g.sign};
        }
    }
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)

#define REAL float
#include "wave/cpu/padded_values.h"
#define REAL double
#include "wave/cpu/padded_values.h"

/* Bytes from the first ghost of a level to its cell (0, 0, 0). */
static int64_t origin_of(const torre_padded_field *f)
{
    return (f->half_width * f->plane_pitch + f->ghost_rows * f->row_pitch) * (int64_t)f->precision;
}

static int64_t all_planes(const torre_padded_field *f) { return f->size[0] + 2 * f->half_width; }

/* Plane x of a level, ghosts and all, counted from the first ghost; and its bytes. */
static char *plane_of(const torre_padded_field *f, int level, int64_t x, int64_t *bytes)
{
    const int64_t pitch = f->plane_pitch * (int64_t)f->precision;
    const int64_t rest = x + 1 < all_planes(f) ? 0 : TORRE_BLOCK_BYTES; /* read behind the last */
    *bytes = pitch + rest;
    return f->level[level] - origin_of(f) + x * pitch;
}

/* Each page by the thread that clears and computes there, so that it is near. */
static void touch_levels(torre_padded_field *f, int threads)
{
    enum { SMALL_PAGE = 4096 };
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t x = 0; x < all_planes(f); x++)
        for (int l = 0; l < 2; l++) {
            int64_t bytes;
            volatile char *plane = plane_of(f, l, x, &bytes);
            for (int64_t at = 0; at < bytes; at += SMALL_PAGE) plane[at] = 0;
        }
}

/* Bytes of a field but for what it may take to align them. */
static int64_t aligned_bytes(const torre_padded_field *f)
{
    return f->bytes - (int64_t)TORRE_HUGE_PAGE;
}

static torre_status take_memory(torre_padded_field *f, torre_rank_team *team, int threads,
                                char **base)
{
    if (team) {
        TORRE_TRY(torre_rank_team_memory(team, aligned_bytes(f), threads, base));
        f->memory = *base;
        f->team = team;
        return TORRE_OK;
    }
    f->memory = torre_memory_blank((size_t)aligned_bytes(f), base);
    if (f->memory) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory: %lld bytes needed for the fields",
                      (long long)f->bytes);
}

torre_status torre_padded_alloc(const torre_wave_setup *setup, torre_rank_team *team, int threads,
                                torre_padded_field *f)
{
    const torre_wave_problem *p = setup->problem;
    char *base = NULL;
    TORRE_TRY(take_memory(f, team, threads, &base));
    for (int l = 0; l < 2; l++) f->level[l] = base + origin_of(f) + l * f->level_bytes;
    if (p->velocity_cells || p->density_cells) f->factor = base + 2 * f->level_bytes;
    if (p->density_cells) f->potential = f->factor + (factor_values(f) + f->block) * p->precision;
    if (!team) touch_levels(f, threads);
    return torre_padded_set_medium(f, setup, threads);
}

void torre_padded_clear(torre_padded_field *f, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t x = 0; x < all_planes(f); x++)
        for (int l = 0; l < 2; l++) {
            int64_t bytes;
            char *plane = plane_of(f, l, x, &bytes);
            memset(plane, 0, (size_t)bytes);
        }
}

/* k of plane x. */
static void import_factor(const torre_wave_problem *p, torre_padded_field *f, int64_t x)
{
    if (f->precision == TORRE_F32)
        import_factor_float(p, f, x);
    else
        import_factor_double(p, f, x);
}

/* Planes whose potential is made: plane `first` of the field is that of the box's lowest. */
typedef struct potential_planes {
    const torre_padded_field *field;
    int64_t first;
} potential_planes;

static void import_potential(void *context, const torre_scales *scales)
{
    const potential_planes *to = context;
    const int64_t x = to->first + scales->x - scales->box.low[0];
    if (to->field->precision == TORRE_F32)
        import_potential_float(scales, to->field, x);
    else
        import_potential_double(scales, to->field, x);
}

/* The potential of planes x0 .. x1 - 1 of the field. */
static torre_status make_potential(const torre_padded_field *f, const torre_wave_setup *setup,
                                   int64_t x0, int64_t x1, int threads)
{
    potential_planes to = {f, x0};
    torre_box box = torre_wave_region(setup).stored;
    if (!f->potential || x0 >= x1) return TORRE_OK;
    box.high[0] = box.low[0] + x1;
    box.low[0] += x0;
    return torre_density_walk(&setup->density, &box, threads, import_potential, &to);
}

torre_status torre_padded_set_medium(torre_padded_field *f, const torre_wave_setup *setup,
                                     int threads)
{
    const torre_wave_problem *p = setup->problem;
    const int64_t planes = f->factor_plane_pitch ? f->size[0] : 1;
    int64_t low = 0, high = f->size[0];
    if (!f->factor) return TORRE_OK;
    if (f->team) torre_rank_team_share(f->team, f->size[0], &low, &high);
    const int64_t until = high < planes ? high : planes;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t x = low; x < until; x++) import_factor(p, f, x);
    return make_potential(f, setup, low, high, threads);
}

/* Copy planes of `bytes` each from plane `from` to plane `to`, counted from `first`, where the
 * ranges may overlap: as many at once as they are apart. */
static void move_planes(char *first, size_t bytes, int64_t from, int64_t to, int64_t planes,
                        int threads)
{
    const int64_t apart = from > to ? from - to : to - from;
    for (int64_t done = 0, count; done < planes && apart > 0; done += count) {
        count = planes - done < apart ? planes - done : apart;
        const int64_t at = to < from ? done : planes - done - count;
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int64_t x = at; x < at + count; x++)
            memcpy(first + (size_t)(to + x) * bytes, first + (size_t)(from + x) * bytes, bytes);
    }
}

torre_status torre_padded_move(torre_padded_field *f, const torre_wave_setup *setup, int64_t shift,
                               int threads)
{
    const torre_wave_problem *p = setup->problem;
    torre_padded_field next;
    torre_padded_layout(p, &next);
    next.level_bytes = f->level_bytes;
    next.bytes = f->bytes;
    next.memory = f->memory;
    next.team = f->team;
    memcpy(next.level, f->level, sizeof next.level);
    next.factor = f->factor;
    next.potential = f->potential;
    const int64_t width = (int64_t)f->precision, R = f->half_width, nx = next.size[0];
    int64_t low = shift < 0 ? -shift : 0; /* cells of both: low .. high - 1 */
    int64_t high = f->size[0] - shift < nx ? f->size[0] - shift : nx;
    if (low > high) low = high = 0;
    const int64_t from = low + shift, count = high - low;
    for (int l = 0; l < 2; l++) {
        int64_t bytes;
        char *first = plane_of(f, l, R, &bytes);
        move_planes(first, (size_t)(f->plane_pitch * width), from, low, count, threads);
    }
    if (f->factor_plane_pitch) /* else k is the same everywhere */
        move_planes(f->factor, (size_t)(f->factor_plane_pitch * width), from, low, count, threads);
    if (f->potential)
        move_planes(f->potential, (size_t)(f->potential_plane_pitch * width), from, low, count,
                    threads);
    *f = next;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t x = 0; x < nx; x++) {
        const bool kept = x >= low && x < high;
        if (f->factor_plane_pitch && !kept) import_factor(p, f, x);
        /* ghosts along x, and those that lie before the first plane that was moved */
        for (int l = 0; l < 2 && kept && (x <= R || x >= nx - 1 - R || x == low); l++)
            torre_padded_refresh(f, l, x, 0, f->size[1], 0, f->size[2]);
    }
    TORRE_TRY(make_potential(f, setup, 0, low, threads));
    return make_potential(f, setup, high, nx, threads);
}

void torre_padded_free(torre_padded_field *f)
{
    if (f->team)
        torre_rank_team_free(f->memory, aligned_bytes(f));
    else
        free(f->memory);
    f->memory = NULL;
}

void torre_padded_refresh(const torre_padded_field *f, int level, int64_t x, int64_t y0, int64_t y1,
                          int64_t z0, int64_t z1)
{
    if (f->precision == TORRE_F32)
        refresh_float(f, level, x, y0, y1, z0, z1);
    else
        refresh_double(f, level, x, y0, y1, z0, z1);
}

/* Value of cell box->low of a level, and the strides of levels. */
static char *box_of(const torre_padded_field *f, int level, const torre_box *box, int64_t stride[3])
{
    stride[0] = f->plane_pitch;
    stride[1] = f->row_pitch;
    stride[2] = 1;
    return f->level[level] +
           torre_padded_index(f, box->low[0], box->low[1], box->low[2]) * (int64_t)f->precision;
}

void torre_padded_write(torre_padded_field *f, int level, const torre_box *box,
                        const int64_t stride[3], const void *values, int threads)
{
    int64_t own[3];
    char *cells = box_of(f, level, box, own);
    torre_box_copy(box, (size_t)f->precision, cells, own, values, stride, threads);
    /* whole rows: the ghosts behind their last cells are written anew */
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t x = box->low[0]; x < box->high[0]; x++)
        torre_padded_refresh(f, level, x, box->low[1], box->high[1], 0, f->size[2]);
}

void torre_padded_read(const torre_padded_field *f, int level, const torre_box *box,
                       const int64_t stride[3], void *values, int threads)
{
    int64_t own[3];
    const char *cells = box_of(f, level, box, own);
    torre_box_copy(box, (size_t)f->precision, values, stride, cells, own, threads);
}
