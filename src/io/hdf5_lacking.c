/* Without libhdf5-dev: HDF5 files are refused by name. */
#include "io/hdf5_file.h"

torre_status torre_hdf5_check(void)
{
    return torre_fail(TORRE_ERR_USAGE,
                      "HDF5 is not in this build: install libhdf5-dev and build again, or use "
                      ".npy");
}

torre_status torre_hdf5_create(const char *path, const char *name, torre_hdf5 **file)
{
    (void)path, (void)name, (void)file;
    return torre_hdf5_check();
}

/* No file is ever open: the rest is not reached. */
torre_status torre_hdf5_close(torre_hdf5 *file)
{
    (void)file;
    return TORRE_OK;
}

torre_status torre_hdf5_group(torre_hdf5 *file, const char *group)
{
    (void)file, (void)group;
    return torre_hdf5_check();
}

torre_status torre_hdf5_integers(torre_hdf5 *file, const char *object, const char *name, int count,
                                 const int64_t *values)
{
    (void)file, (void)object, (void)name, (void)count, (void)values;
    return torre_hdf5_check();
}

torre_status torre_hdf5_reals(torre_hdf5 *file, const char *object, const char *name, int count,
                              const double *values)
{
    (void)file, (void)object, (void)name, (void)count, (void)values;
    return torre_hdf5_check();
}

torre_status torre_hdf5_text(torre_hdf5 *file, const char *object, const char *name,
                             const char *text)
{
    (void)file, (void)object, (void)name, (void)text;
    return torre_hdf5_check();
}

torre_status torre_hdf5_put_integers(torre_hdf5 *file, const char *array, int64_t count,
                                     const int64_t *values)
{
    (void)file, (void)array, (void)count, (void)values;
    return torre_hdf5_check();
}

torre_status torre_hdf5_put_reals(torre_hdf5 *file, const char *array, int64_t count,
                                  const double *values)
{
    (void)file, (void)array, (void)count, (void)values;
    return torre_hdf5_check();
}

torre_status torre_hdf5_begin(torre_hdf5 *file, const char *array, torre_precision precision,
                              int dims, const int64_t *shape, const int64_t *piece,
                              double tolerance)
{
    (void)file, (void)array, (void)precision, (void)dims, (void)shape, (void)piece, (void)tolerance;
    return torre_hdf5_check();
}

torre_status torre_hdf5_zfp_check(void) { return torre_hdf5_check(); }

torre_status torre_hdf5_read_back(torre_hdf5 *file, const char *array, const int64_t *low,
                                  const int64_t *size, void *values)
{
    (void)file, (void)array, (void)low, (void)size, (void)values;
    return torre_hdf5_check();
}

torre_status torre_hdf5_write(torre_hdf5 *file, const char *array, const int64_t *low,
                              const int64_t *size, const void *values)
{
    (void)file, (void)array, (void)low, (void)size, (void)values;
    return torre_hdf5_check();
}

torre_status torre_hdf5_look(const char *path, const char *array, torre_hdf5_header *header)
{
    (void)path, (void)array, (void)header;
    return torre_hdf5_check();
}

torre_status torre_hdf5_read(const char *path, const char *array, const torre_hdf5_header *header,
                             void *values)
{
    (void)path, (void)array, (void)header, (void)values;
    return torre_hdf5_check();
}
