/*
 * Files in and out. Every file that is written is complete or not there; TORRE_ERR_INPUT names the
 * file and what is wrong with it or its folder.
 */
#ifndef TORRE_PUBLIC_FILES_H
#define TORRE_PUBLIC_FILES_H

#include "torre/wave.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Read a NumPy array (.npy, versions 1 to 3; real numbers of 4 or 8 bytes in either byte order, C
 * and Fortran order, up to three axes) into a new array of the file's own precision, C order:
 * array->shape are the header's, with 1 for the missing axes. Free array->data with free(). dims
 * (may be NULL) receives the number of axes. The size of the file is compared with the header
 * before anything is allocated. TORRE_ERR_INPUT: unreadable, not .npy, another type of numbers, no
 * values, truncated or too long; TORRE_ERR_RESOURCE: no memory.
 */
torre_status torre_npy_read(const char *path, torre_array *array, int *dims);

/* Write dims (1 .. 4) axes of a dense C-order array as .npy, version 1. TORRE_ERR_USAGE for axes
 * without values. */
torre_status torre_npy_write(const char *path, torre_precision precision, int dims,
                             const int64_t *shape, const void *data);

/*
 * Read points (sources, receivers) from a CSV file: x,y,z[,amplitude] in metres a line (in 2
 * dimensions x,z[,amplitude], which means y = 0); '#' starts a comment, the first line may name the
 * columns, the amplitude is 1 unless given. Free *points with free(). TORRE_ERR_INPUT "file:line:
 * ...", also for a file without points.
 */
torre_status torre_points_read(const char *path, int dimensions, torre_point **points,
                               int64_t *count);

/*
 * What a run has recorded, or its present field, or the plane `index` (0 .. n - 1) across axis
 * (0, 1, 2) of it, after start; the format is that of the ending. TORRE_ERR_USAGE with the endings
 * that would do.
 *     traces   .npy (receivers, samples), .sgy or .segy (SEG-Y), .su (Seismic Unix), .png; as
 *              computed until they are final (torre_wave_run_end_traces)
 *     field    .npy
 *     plane    .npy, .png (over the velocities in grey)
 */
torre_status torre_wave_run_save_traces(const torre_wave_run *run, const char *path);
torre_status torre_wave_run_save_field(torre_wave_run *run, const char *path);
torre_status torre_wave_run_save_plane(torre_wave_run *run, int axis, int64_t index,
                                       const char *path);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
