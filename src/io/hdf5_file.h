/*
 * HDF5 files: dense arrays and attributes under names with slashes in them.
 *
 * libhdf5 stays inside hdf5_file.c, and is loaded when the first such file is opened: it and the
 * thirty libraries that it brings would take longer to start than many runs, and programs start
 * where it is not. A build without it refuses by name. Not thread-safe, as libhdf5 is not.
 */
#ifndef TORRE_HDF5_FILE_H
#define TORRE_HDF5_FILE_H

#include <stdbool.h>

#include "torre/files.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether this build can use libhdf5, and finds it: else TORRE_ERR_USAGE, with what to do. */
torre_status torre_hdf5_check(void);

enum { TORRE_HDF5_AXES = 4 };

typedef struct torre_hdf5 torre_hdf5;

/*
 * Make a file anew; name: what messages call it. Errors of writing are told by torre_hdf5_close at
 * the latest, which frees in any case. TORRE_ERR_INPUT.
 */
torre_status torre_hdf5_create(const char *path, const char *name, torre_hdf5 **file);
torre_status torre_hdf5_close(torre_hdf5 *file); /* NULL is fine */

/* A group "/a/b", whose parents are there. */
torre_status torre_hdf5_group(torre_hdf5 *file, const char *group);

/* Attributes of a group or array. */
torre_status torre_hdf5_integers(torre_hdf5 *file, const char *object, const char *name, int count,
                                 const int64_t *values);
torre_status torre_hdf5_reals(torre_hdf5 *file, const char *object, const char *name, int count,
                              const double *values);
torre_status torre_hdf5_text(torre_hdf5 *file, const char *object, const char *name,
                             const char *text);

/* A dense array that is there at once, of one axis. */
torre_status torre_hdf5_put_integers(torre_hdf5 *file, const char *array, int64_t count,
                                     const int64_t *values);
torre_status torre_hdf5_put_reals(torre_hdf5 *file, const char *array, int64_t count,
                                  const double *values);

/* Whether libhdf5 can compress by zfp: else TORRE_ERR_USAGE (this build cannot) or TORRE_ERR_INPUT
 * (the filter is not found), with what to do. */
torre_status torre_hdf5_zfp_check(void);

/*
 * An array that grows along its first axis, which begins with none; piece: the shape in which
 * values will be written, which is how they lie in the file, less than 4 GiB. tolerance: above 0,
 * zfp compresses them, so that none is further off where its arithmetic allows that.
 */
torre_status torre_hdf5_begin(torre_hdf5 *file, const char *array, torre_precision precision,
                              int dims, const int64_t *shape, const int64_t *piece,
                              double tolerance);

/* Write a box of it, which has room for it from then on: the values of low .. low + size - 1. */
torre_status torre_hdf5_write(torre_hdf5 *file, const char *array, const int64_t *low,
                              const int64_t *size, const void *values);

/* Read a box that was written. */
torre_status torre_hdf5_read_back(torre_hdf5 *file, const char *array, const int64_t *low,
                                  const int64_t *size, void *values);

/* The shape of an array of numbers in a file; precision: in which it can be read without loss. */
typedef struct torre_hdf5_header {
    torre_precision precision;
    int dims; /* 1 .. TORRE_HDF5_AXES */
    int64_t shape[TORRE_HDF5_AXES];
} torre_hdf5_header;

/* TORRE_ERR_INPUT: path, array and reason, as all of these. */
torre_status torre_hdf5_look(const char *path, const char *array, torre_hdf5_header *header);

/* All values in C order; values: as many as the header says. */
torre_status torre_hdf5_read(const char *path, const char *array, const torre_hdf5_header *header,
                             void *values);

#ifdef __cplusplus
}
#endif

#endif
