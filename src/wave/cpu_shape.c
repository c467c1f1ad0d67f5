#include "wave/cpu_shape.h"

#include <unistd.h>

#include "../../tiling/diamond.h"

torre_caches torre_caches_get(void)
{
    torre_caches caches = {32 << 10, 512 << 10};
#ifdef _SC_LEVEL2_CACHE_SIZE
    int64_t level1 = sysconf(_SC_LEVEL1_DCACHE_SIZE), level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (level1 > 0) caches.level1 = level1;
    if (level2 > 0) caches.level2 = level2;
#endif
    return caches;
}

static int64_t clamp(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

torre_cpu_shape torre_cpu_shape_choose(const torre_wave_problem *p, torre_caches caches, int dts,
                                       int64_t height)
{
    torre_cpu_shape shape = {0};
    const int64_t R = p->order / 2, width = (int64_t)p->precision, block = 64 / width;
    const int64_t length = (p->size[2] + block - 1) / block * block;
    const int64_t arrays = p->velocity_cells ? 3 : 2;

    /* the planes x-R .. x+R of u[n] and one of everything else, in half of the cache */
    shape.rows =
        clamp(caches.level2 / 2 / ((2 * R + arrays) * length * width) - 2 * R, 4 * R, p->size[1]);

    shape.dts = dts > 0 ? dts : 4;
    if (dts == 0 && p->face[1][0] == TORRE_PERIODIC) /* rows of towers must close on themselves */
        while (shape.dts > 1 && !torre_tower_grid_can_wrap(p->size[1], R, shape.dts)) shape.dts--;
    shape.height = height > 0 ? height : 32;
    shape.window = length;
    shape.slice = 4 * block;
    return shape;
}
