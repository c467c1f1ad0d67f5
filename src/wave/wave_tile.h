/*
 * Tiles: which dts and tower height suit towers of an order and a precision on a device. No result
 * depends on them: towers of any size compute the same bits.
 *
 * Whoever measured them, tiles have one type and are found by one function. Those that
 * `roofline --tune` found on this very device (tune_file.h) come first, the fastest first; then
 * those that a backend has built in, in the order of its table (cuda/wave/gpu_data.c; on a CPU they
 * follow from the caches, cpu/cpu_shape.c). A backend takes the first that can do the problem.
 */
#ifndef TORRE_WAVE_TILE_H
#define TORRE_WAVE_TILE_H

#include "torre/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_TILES = 24, TORRE_TILES_MEASURED = 16 };

typedef struct torre_tile {
    int order;
    torre_precision precision;
    int dts;
    int64_t tower_height;
    double gcells_per_s; /* as measured on this device; 0: built in */
} torre_tile;

/*
 * The tiles to try, the first first; returns how many. device: as torre_wave_info.device calls it;
 * wish: what it has of dts and tower height all tiles have, too, and those that were measured count
 * where it wants them and leaves one of the two open. built_in ends with dts 0; NULL: none.
 */
int torre_tiles_find(const char *device, int order, torre_precision precision,
                     const torre_wave_plan *wish, const torre_tile *built_in,
                     torre_tile tile[TORRE_TILES]);

#ifdef __cplusplus
}
#endif

#endif
