/*
 * NumPy arrays in files (.npy), the format of numpy.save:
 *
 *     "\x93NUMPY" major minor | header length (2 bytes in version 1, 4 in 2 and 3, little-endian) |
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (600, 200), } padding "\n" | values
 *
 * Read: versions 1 to 3, real numbers of 4 or 8 bytes in either byte order, C and Fortran order, up
 * to three axes. Write: version 1, native bytes, C order, up to four axes.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
#ifndef TORRE_NPY_H
#define TORRE_NPY_H

#include <stdint.h>

#include "io/output_file.h"
#include "torre/files.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the header says. */
typedef struct torre_npy_header {
    torre_precision precision;
    int dims;         /* 1 .. 3 */
    int64_t shape[3]; /* 1 for the axes that there are not; each >= 1 */
    bool big_endian, fortran_order;
    int64_t values;     /* product of the shape */
    int64_t data_start; /* bytes before the values */
} torre_npy_header;

/* Read and check the header of a file; nothing is allocated. TORRE_ERR_INPUT: path and reason. */
torre_status torre_npy_header_read(const char *path, torre_npy_header *header);

/* An array in memory, or in the file that it was mapped from. */
typedef struct torre_npy_map {
    void *start; /* of the file; NULL: the array was read */
    size_t bytes;
} torre_npy_map;

/*
 * torre_npy_read to look at, not to change: where the values lie in the file as the array has
 * them, they stay there, so that it may be larger than the memory. Release with torre_npy_unmap.
 */
torre_status torre_npy_view(const char *path, torre_array *array, int *dims, torre_npy_map *map);
void torre_npy_unmap(torre_array *array, torre_npy_map *map);

/*
 * Write dims (1 .. 4) axes of a dense C-order array into an opened output, which stays the caller's
 * to commit (commit tells of failed writes).
 */
void torre_npy_encode(torre_output *out, torre_precision precision, int dims, const int64_t *shape,
                      const void *data);

/*
 * Write what stands before the values of such an array, at least `least` (0 .. 256) bytes, and
 * return how many. Room for a shape of more digits allows to write another header over it.
 */
int torre_npy_encode_header(torre_output *out, torre_precision precision, int dims,
                            const int64_t *shape, int least);

#ifdef __cplusplus
}
#endif

#endif
