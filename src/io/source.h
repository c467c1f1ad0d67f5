/*
 * Sources: where models come from, as sinks are where results go. A text says file and format:
 *
 *     model.npy                    NumPy
 *     model.h5:/path/of/array      HDF5 (.h5, .hdf5, .vtkhdf)
 *     model.sgy, model.segy        SEG-Y: traces along the last axis; a line of them, or a volume
 *                                  of in-lines and cross-lines, the slower the first axis
 *     model.bin:f32le              bare numbers: f32 or f64, little-endian (le) or big-endian (be)
 *
 * The axes of a file are x, y, z or x, z, slowest first, unless `axes` names them otherwise: "zyx"
 * where x is fastest. What is read is always in C order (x, y, z).
 *
 * A new format is one file in io/sources and one line in io/source_list.h.
 */
#ifndef TORRE_SOURCE_H
#define TORRE_SOURCE_H

#include "io/npy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a text names a file, by its form alone. */
bool torre_source_is_file(const char *text);

/* The path in a text, or the text itself where it names no file of a model. Room for PATH_MAX. */
const char *torre_source_path(const char *text, char *path);

/* What texts are files, for messages: "FILE.npy, FILE.h5:/ARRAY, ...". */
const char *torre_source_forms(void);

/*
 * Two or three axes of a file, which is looked at and not read: dims, and the shape along x, y, z,
 * or x, z. dims 0: bare numbers, which have the shape of the grid. axes: NULL, or of an option
 * {axes}. TORRE_ERR_INPUT: path and reason; TORRE_ERR_USAGE.
 */
torre_status torre_source_look(const char *text, const char *axes, int *dims, int64_t shape[3]);

/*
 * Read a file, whose bare numbers have that shape. map: not NULL to look at, not to change (as
 * torre_npy_view, whose torre_npy_unmap releases it); else free array->data.
 */
torre_status torre_source_read(const char *text, const char *axes, int grid_dims,
                               const int64_t grid[3], torre_array *array, int *dims,
                               torre_npy_map *map);

#ifdef __cplusplus
}
#endif

#endif
