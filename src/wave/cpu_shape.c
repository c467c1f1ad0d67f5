#include "wave/cpu_shape.h"

#include "../../tiling/diamond.h"
#include "core/cpu.h"

torre_caches torre_caches_get(void)
{
    const torre_cpu *cpu = torre_cpu_get();
    return (torre_caches){cpu->cache[1] ? cpu->cache[1] : 32 << 10,
                          cpu->cache[2] ? cpu->cache[2] / cpu->cache_shared[2] : 512 << 10};
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

    /* stepwise: the planes x-R .. x+R+1 of u[n] and two of everything else, in 3/4 of the cache */
    int64_t row = length * width;
    shape.rows = (caches.level2 * 3 / 4 / row - 2 * R * (2 * R + 2)) / (2 * R + 2 * arrays);
    shape.rows = clamp(shape.rows, 4 * R, R == 1 ? 64 : 32);

    shape.dts = dts > 0 ? dts : R == 1 ? 8 : R == 2 ? 6 : 4;
    if (dts == 0 && p->face[1][0] == TORRE_PERIODIC) /* rows of towers must close on themselves */
        while (shape.dts > 1 && !torre_tower_grid_can_wrap(p->size[1], R, shape.dts)) shape.dts--;
    shape.height = height > 0 ? height : 32;
    shape.window = length;
    return shape;
}
