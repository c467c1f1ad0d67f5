#include "wave/cpu/cpu_shape.h"

#include "core/cpu.h"
#include "tiling/diamond.h"
#include "wave/model_acoustic.h"
#include "wave/pml.h"
#include "wave/stencil.h"

torre_caches torre_caches_get(void)
{
    const torre_cpu *cpu = torre_cpu_get();
    return (torre_caches){cpu->cache[2] ? cpu->cache[2] / cpu->cache_shared[2] : 512 << 10};
}

static int64_t clamp(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

bool torre_cpu_shape_keeps_layers(const torre_wave_problem *p, int64_t depth)
{
    const int64_t reach = p->absorbing_width + p->order / 2;
    const int64_t last = p->size[2] - (p->size[2] - 1) / depth * depth;
    return !((torre_pml_face(p, 2, 0) && depth < reach) ||
             (torre_pml_face(p, 2, 1) && last < reach));
}

/*
 * Block of stepwise: the planes x-R .. x+R+3 of u[n] (two being updated, two ahead) and four of
 * everything else in 3/4 of the cache. Columns are cut where less than 4 R rows would fit.
 */
static void choose_block(const torre_wave_problem *p, torre_caches caches, int64_t length,
                         torre_cpu_shape *shape)
{
    const int64_t R = p->order / 2, width = (int64_t)p->precision, block = 64 / width;
    const int64_t arrays = torre_acoustic_arrays(p);
    for (int64_t parts = 1;; parts++) {
        shape->depth = ((length + parts - 1) / parts + block - 1) / block * block;
        shape->rows = (caches.level2 * 3 / 4 / (shape->depth * width) - 2 * R * (2 * R + 4)) /
                      (2 * R + 4 * arrays);
        if (shape->rows >= 4 * R || shape->depth * width <= 1024) break;
    }
    if (!torre_cpu_shape_keeps_layers(p, shape->depth)) shape->depth = length;
    shape->rows = clamp(shape->rows, 4 * R, R == 1 ? 64 : 32);
}

/* Bytes of a diamond and its halo, in a layer one cell thick along z. */
static int64_t layer_bytes(const torre_wave_problem *p, int64_t dts)
{
    const int64_t R = p->order / 2, D = dts * R;
    return (2 * D * D + 4 * D * R) * torre_acoustic_arrays(p) * (int64_t)p->precision;
}

/* The shortest window worth having, in cells: 4 KiB. */
static int64_t shortest_window(const torre_wave_problem *p) { return 4096 / (int64_t)p->precision; }

/*
 * The tile sizes that measurements favour at orders 2, 4, .. (bench/WAVE.md; what is listed last
 * serves higher ones, too); less, within limits, where the tower would not fit into 3/4 of the
 * cache.
 */
static int64_t choose_dts(const torre_wave_problem *p, torre_caches caches, int64_t length)
{
    static const struct {
        int64_t best, least;
    } measured[] = {{12, 8}, {6, 4}, {5, 4}, {4, 3}, {3, 2}, {2, 2}};
    const int64_t R = p->order / 2, room = caches.level2 * 3 / 4, shortest = shortest_window(p);
    const int64_t last = sizeof measured / sizeof *measured, i = (R < last ? R : last) - 1;
    int64_t dts = measured[i].best, row = length < 2 * shortest ? length : shortest;
    while (dts > measured[i].least && row * layer_bytes(p, dts) > room) dts--;
    if (p->face[1][0] == TORRE_PERIODIC) /* rows of towers must close on themselves */
        while (dts > 1 && !torre_tower_grid_can_wrap(p->size[1], R, dts)) dts--;
    return dts;
}

/*
 * Cells along z of a window: as few windows as let a diamond and its halo fit into 3/4 of the
 * cache, but none shorter than 4 KiB (each window reads a block more, and ends more streams that
 * the hardware fetches ahead); what slides along z cannot close on itself, and would cut layers.
 */
static int64_t choose_window(const torre_wave_problem *p, torre_caches caches, int64_t dts,
                             int64_t length)
{
    const int64_t block = 64 / (int64_t)p->precision, most = length / shortest_window(p);
    int64_t windows = (length * layer_bytes(p, dts) - 1) / (caches.level2 * 3 / 4) + 1;
    if (p->face[2][0] == TORRE_PERIODIC || torre_pml_face(p, 2, 0) || torre_pml_face(p, 2, 1))
        return length;
    windows = clamp(windows, 1, most > 1 ? most : 1);
    return ((length + windows - 1) / windows + block - 1) / block * block;
}

torre_cpu_shape torre_cpu_shape_choose(const torre_wave_problem *p, torre_caches caches, int dts,
                                       int64_t height)
{
    torre_cpu_shape shape = {0};
    const int64_t block = 64 / (int64_t)p->precision;
    const int64_t length = (p->size[2] + block - 1) / block * block;
    choose_block(p, caches, length, &shape);
    shape.dts = dts > 0 ? dts : choose_dts(p, caches, length);
    shape.height = height > 0 ? height : 64;
    shape.window = choose_window(p, caches, shape.dts, length);
    return shape;
}
