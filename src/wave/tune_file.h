/*
 * Recommendations: the tile sizes and tower heights that a sweep found best, kept in
 *
 *     $XDG_CACHE_HOME/torre/tune.csv     (~/.cache/torre/tune.csv where XDG_CACHE_HOME is not set)
 *
 * one line each, keyed by device, release of Torre, precision, order and DTS:
 *
 *     version,order,precision,dts,tower_height,gcells_per_s,device
 *     0.1.0,2,f32,16,32,6.21,2 x AMD EPYC (avx512)
 *
 * Plans that want them (torre_wave_plan.measured) try them before the tiles that backends have
 * built in (wave_tile.h). A file that is missing or unreadable recommends nothing; lines that are
 * no recommendations are left out, and gone when the next ones are stored (torre_tune_check tells
 * of both). TORRE_TUNE=off in the environment switches the lookup off; TORRE_TUNE=FILE names
 * another file.
 */
#ifndef TORRE_TUNE_FILE_H
#define TORRE_TUNE_FILE_H

#include "wave/wave_tile.h"

/* Path of the file, at most size - 1 bytes. false: switched off, or there is no home directory. */
bool torre_tune_path(char *path, size_t size);

/*
 * Whether the file can be taken as it is: TORRE_OK also where there is none. TORRE_ERR_INPUT names
 * the file and its first line that is no recommendation, or why it cannot be read; a program that
 * goes on without has to say so.
 */
torre_status torre_tune_check(void);

/*
 * The tiles of the file for this device (torre_wave_info.device), order and precision in this
 * release that agree with whatever of plan->dts and plan->tower_height is not 0: the fastest
 * `limit`, the fastest first. Returns how many. torre_tiles_find is who asks.
 */
int torre_tune_tiles(const char *device, int order, torre_precision precision,
                     const torre_wave_plan *plan, torre_tile *tile, int limit);

/*
 * Make sure, before time goes into a sweep, that there is a place for recommendations: the folder
 * is made where missing. TORRE_ERR_INPUT where the file could not be written.
 */
torre_status torre_tune_prepare(void);

/*
 * Replace the device's tiles for the orders and precisions given, keep all others.
 * TORRE_ERR_INPUT when the file cannot be written.
 */
torre_status torre_tune_store(const char *device, const torre_tile *tiles, int count);

#endif
