#include "wave/wave_tile.h"

#include "wave/tune_file.h"

static int find_built_in(int order, torre_precision precision, const torre_wave_plan *wish,
                         const torre_tile *built_in, torre_tile *tile, int limit)
{
    int count = 0;
    for (const torre_tile *t = built_in; t->dts && count < limit; t++)
        if (t->order == order && t->precision == precision) tile[count++] = *t;
    if (wish->dts) { /* its own height is not known; that of the table is as good */
        tile[0] = (torre_tile){order, precision, wish->dts, built_in->tower_height, 0};
        count = 1;
    }
    for (int i = 0; i < count && wish->tower_height; i++) tile[i].tower_height = wish->tower_height;
    return count;
}

int torre_tiles_find(const char *device, int order, torre_precision precision,
                     const torre_wave_plan *wish, const torre_tile *built_in,
                     torre_tile tile[TORRE_TILES])
{
    int count = 0;
    if (wish->measured && !(wish->dts && wish->tower_height))
        count = torre_tune_tiles(device, order, precision, wish, tile, TORRE_TILES_MEASURED);
    if (built_in)
        count += find_built_in(order, precision, wish, built_in, tile + count, TORRE_TILES - count);
    return count;
}
