#include "io/hdf5_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"

/* What is used of libhdf5: functions, and the numbers that it gives to types and classes. */
#define HDF5_FUNCTIONS(F)                                                                          \
    F(H5open)                                                                                      \
    F(H5dont_atexit)                                                                               \
    F(H5Eset_auto2)                                                                                \
    F(H5Fcreate)                                                                                   \
    F(H5Fopen)                                                                                     \
    F(H5Fclose)                                                                                    \
    F(H5Gcreate2)                                                                                  \
    F(H5Gclose)                                                                                    \
    F(H5Oopen)                                                                                     \
    F(H5Oclose)                                                                                    \
    F(H5Acreate2)                                                                                  \
    F(H5Awrite)                                                                                    \
    F(H5Aclose)                                                                                    \
    F(H5Pcreate)                                                                                   \
    F(H5Pset_chunk)                                                                                \
    F(H5Pset_fill_time)                                                                            \
    F(H5Pset_filter)                                                                               \
    F(H5PLappend)                                                                                  \
    F(H5Zfilter_avail)                                                                             \
    F(H5Pset_obj_track_times)                                                                      \
    F(H5Pclose)                                                                                    \
    F(H5Screate)                                                                                   \
    F(H5Screate_simple)                                                                            \
    F(H5Sget_simple_extent_dims)                                                                   \
    F(H5Sget_simple_extent_ndims)                                                                  \
    F(H5Sselect_hyperslab)                                                                         \
    F(H5Sclose)                                                                                    \
    F(H5Tcopy)                                                                                     \
    F(H5Tset_size)                                                                                 \
    F(H5Tget_size)                                                                                 \
    F(H5Tget_class)                                                                                \
    F(H5Tclose)                                                                                    \
    F(H5Dcreate2)                                                                                  \
    F(H5Dopen2)                                                                                    \
    F(H5Dget_space)                                                                                \
    F(H5Dget_type)                                                                                 \
    F(H5Dset_extent)                                                                               \
    F(H5Dwrite)                                                                                    \
    F(H5Dread)                                                                                     \
    F(H5Dclose)
#define HDF5_NUMBERS(N)                                                                            \
    N(H5T_NATIVE_FLOAT_g)                                                                          \
    N(H5T_NATIVE_DOUBLE_g)                                                                         \
    N(H5T_NATIVE_INT64_g)                                                                          \
    N(H5T_C_S1_g)                                                                                  \
    N(H5P_CLS_DATASET_CREATE_ID_g)

#define MEMBER_FUNCTION(name) __typeof__(&name) name##_;
#define MEMBER_NUMBER(name)   hid_t name##_;
static struct library {
    void *handle;
    HDF5_FUNCTIONS(MEMBER_FUNCTION)
    HDF5_NUMBERS(MEMBER_NUMBER)
} h5;

/* The macros of these names would call what is not linked. */
enum { READ_ONLY = 0, TRUNCATE = 2 };

struct torre_hdf5 {
    hid_t id;
    char *name; /* for messages */
};

static torre_status not_there(const char *what)
{
    const char *why = dlerror();
    torre_status status =
        torre_fail(TORRE_ERR_USAGE, "cannot use %s for HDF5 (%.160s): install libhdf5, or use .npy",
                   what, why ? why : "no reason");
    if (h5.handle) dlclose(h5.handle);
    memset(&h5, 0, sizeof h5);
    return status;
}

static torre_status load(void)
{
    h5.handle = dlopen(TORRE_HDF5_NAME, RTLD_NOW | RTLD_LOCAL);
    if (!h5.handle) h5.handle = dlopen(TORRE_HDF5_PATH, RTLD_NOW | RTLD_LOCAL);
    if (!h5.handle) return not_there(TORRE_HDF5_NAME);
#define LOAD_FUNCTION(name)                                                                        \
    *(void **)&h5.name##_ = dlsym(h5.handle, #name);                                               \
    if (!h5.name##_) return not_there(#name);
    HDF5_FUNCTIONS(LOAD_FUNCTION)
    h5.H5dont_atexit_(); /* what could not be written is not tried again as the program ends */
    if (h5.H5open_() < 0) return not_there("H5open");
    h5.H5Eset_auto2_(0, NULL, NULL); /* it would print */
#define LOAD_NUMBER(name)                                                                          \
    const hid_t *const at_##name = dlsym(h5.handle, #name);                                        \
    if (!at_##name) return not_there(#name);                                                       \
    h5.name##_ = *at_##name;
    HDF5_NUMBERS(LOAD_NUMBER)
    return TORRE_OK;
}

torre_status torre_hdf5_check(void) { return h5.handle ? TORRE_OK : load(); }

/* libhdf5 leaves the reason of the system where that refused. */
static torre_status cannot(const char *what, const char *name, const char *object)
{
    if (errno) return torre_fail_errno("cannot %s %s", what, name);
    return torre_fail(TORRE_ERR_INPUT, "cannot %s %s of %s: libhdf5 refuses", what, object, name);
}

static torre_status cannot_write(const torre_hdf5 *file, const char *object)
{
    return cannot("write", file->name, object);
}

torre_status torre_hdf5_create(const char *path, const char *name, torre_hdf5 **result)
{
    TORRE_TRY(torre_hdf5_check());
    torre_hdf5 *file = calloc(1, sizeof *file);
    if (file) file->name = strdup(name);
    if (!file || !file->name) {
        free(file);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", name);
    }
    errno = 0;
    file->id = h5.H5Fcreate_(path, TRUNCATE, H5P_DEFAULT, H5P_DEFAULT);
    if (file->id < 0) {
        torre_status status = cannot_write(file, "the head");
        file->id = -1;
        torre_hdf5_close(file);
        return status;
    }
    *result = file;
    return TORRE_OK;
}

torre_status torre_hdf5_close(torre_hdf5 *file)
{
    if (!file) return TORRE_OK;
    errno = 0;
    torre_status status =
        file->id >= 0 && h5.H5Fclose_(file->id) < 0 ? cannot_write(file, "the end") : TORRE_OK;
    free(file->name);
    free(file);
    return status;
}

torre_status torre_hdf5_group(torre_hdf5 *file, const char *group)
{
    errno = 0;
    const hid_t id = h5.H5Gcreate2_(file->id, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (id < 0 || h5.H5Gclose_(id) < 0) return cannot_write(file, group);
    return TORRE_OK;
}

/* --- Attributes --- */

/* count < 0: a single value, without an axis. */
static torre_status put_attribute(torre_hdf5 *file, const char *object, const char *name,
                                  hid_t type, int count, const void *values)
{
    const hsize_t shape = count < 0 ? 1 : (hsize_t)count;
    errno = 0;
    const hid_t at = h5.H5Oopen_(file->id, object, H5P_DEFAULT);
    const hid_t space =
        count < 0 ? h5.H5Screate_(H5S_SCALAR) : h5.H5Screate_simple_(1, &shape, NULL);
    const hid_t id =
        at < 0 || space < 0 ? -1 : h5.H5Acreate2_(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = id >= 0 && h5.H5Awrite_(id, type, values) >= 0;
    if (id >= 0) good &= h5.H5Aclose_(id) >= 0;
    torre_status status = good ? TORRE_OK : cannot_write(file, name);
    if (space >= 0) h5.H5Sclose_(space);
    if (at >= 0) h5.H5Oclose_(at);
    return status;
}

torre_status torre_hdf5_integers(torre_hdf5 *file, const char *object, const char *name, int count,
                                 const int64_t *values)
{
    return put_attribute(file, object, name, h5.H5T_NATIVE_INT64_g_, count, values);
}

torre_status torre_hdf5_reals(torre_hdf5 *file, const char *object, const char *name, int count,
                              const double *values)
{
    return put_attribute(file, object, name, h5.H5T_NATIVE_DOUBLE_g_, count, values);
}

torre_status torre_hdf5_text(torre_hdf5 *file, const char *object, const char *name,
                             const char *text)
{
    errno = 0;
    const hid_t type = h5.H5Tcopy_(h5.H5T_C_S1_g_);
    if (type < 0 || h5.H5Tset_size_(type, strlen(text)) < 0) return cannot_write(file, name);
    torre_status status = put_attribute(file, object, name, type, -1, text);
    h5.H5Tclose_(type);
    return status;
}

/* --- Arrays --- */

static hid_t type_of(torre_precision precision)
{
    return precision == TORRE_F32 ? h5.H5T_NATIVE_FLOAT_g_ : h5.H5T_NATIVE_DOUBLE_g_;
}

/* How an array is made: without the time of day, so that the same values are the same file. */
static hid_t timeless(void)
{
    const hid_t how = h5.H5Pcreate_(h5.H5P_CLS_DATASET_CREATE_ID_g_);
    if (how < 0 || h5.H5Pset_obj_track_times_(how, false) >= 0) return how;
    h5.H5Pclose_(how);
    return -1;
}

static torre_status put_row(torre_hdf5 *file, const char *array, hid_t type, int64_t count,
                            const void *values)
{
    const hsize_t shape = (hsize_t)count;
    errno = 0;
    const hid_t how = timeless(), space = h5.H5Screate_simple_(1, &shape, NULL);
    const hid_t id = how < 0 || space < 0 ? -1
                                          : h5.H5Dcreate2_(file->id, array, type, space,
                                                           H5P_DEFAULT, how, H5P_DEFAULT);
    bool good = id >= 0 && h5.H5Dwrite_(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (id >= 0) good &= h5.H5Dclose_(id) >= 0;
    torre_status status = good ? TORRE_OK : cannot_write(file, array);
    if (space >= 0) h5.H5Sclose_(space);
    if (how >= 0) h5.H5Pclose_(how);
    return status;
}

torre_status torre_hdf5_put_integers(torre_hdf5 *file, const char *array, int64_t count,
                                     const int64_t *values)
{
    return put_row(file, array, h5.H5T_NATIVE_INT64_g_, count, values);
}

torre_status torre_hdf5_put_reals(torre_hdf5 *file, const char *array, int64_t count,
                                  const double *values)
{
    return put_row(file, array, h5.H5T_NATIVE_DOUBLE_g_, count, values);
}

/* The filter H5Z-ZFP, https://github.com/LLNL/H5Z-ZFP: its number, which is registered with the
 * HDF Group, and the mode of a largest error. */
enum { ZFP = 32013, ZFP_ACCURACY = 3 };

torre_status torre_hdf5_zfp_check(void)
{
    TORRE_TRY(torre_hdf5_check());
#ifdef TORRE_ZFP_FOLDER
    static bool appended;
    if (!appended) appended = h5.H5PLappend_(TORRE_ZFP_FOLDER) >= 0;
    if (h5.H5Zfilter_avail_(ZFP) > 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT,
                      "libhdf5 finds no filter of zfp (%d) to compress with: install "
                      "hdf5-filter-plugin-zfp-serial, or say where it is (HDF5_PLUGIN_PATH)",
                      ZFP);
#else
    return torre_fail(TORRE_ERR_USAGE, "zfp is not in this build: install "
                                       "hdf5-filter-plugin-zfp-serial and build again");
#endif
}

/* What the filter asks for: the mode, nothing, and the two halves of the tolerance. */
static bool compress(hid_t how, double tolerance)
{
    unsigned word[4] = {ZFP_ACCURACY};
    memcpy(&word[2], &tolerance, sizeof tolerance);
    return h5.H5Pset_filter_(how, ZFP, H5Z_FLAG_MANDATORY, 4, word) >= 0;
}

/* Values lie in pieces, which are written as they come, and nothing before them. */
static hid_t in_pieces(int dims, const hsize_t *piece, double tolerance)
{
    const hid_t how = timeless();
    if (how >= 0 && (h5.H5Pset_chunk_(how, dims, piece) < 0 ||
                     h5.H5Pset_fill_time_(how, H5D_FILL_TIME_NEVER) < 0 ||
                     (tolerance > 0 && !compress(how, tolerance)))) {
        h5.H5Pclose_(how);
        return -1;
    }
    return how;
}

torre_status torre_hdf5_begin(torre_hdf5 *file, const char *array, torre_precision precision,
                              int dims, const int64_t *shape, const int64_t *piece,
                              double tolerance)
{
    hsize_t now[TORRE_HDF5_AXES], most[TORRE_HDF5_AXES], chunk[TORRE_HDF5_AXES];
    for (int a = 0; a < dims; a++) {
        now[a] = most[a] = (hsize_t)shape[a];
        chunk[a] = (hsize_t)piece[a];
    }
    now[0] = 0;
    most[0] = H5S_UNLIMITED;
    errno = 0;
    const hid_t how = in_pieces(dims, chunk, tolerance);
    const hid_t space = h5.H5Screate_simple_(dims, now, most);
    const hid_t id = how < 0 || space < 0 ? -1
                                          : h5.H5Dcreate2_(file->id, array, type_of(precision),
                                                           space, H5P_DEFAULT, how, H5P_DEFAULT);
    torre_status status = id >= 0 && h5.H5Dclose_(id) >= 0 ? TORRE_OK : cannot_write(file, array);
    if (space >= 0) h5.H5Sclose_(space);
    if (how >= 0) h5.H5Pclose_(how);
    return status;
}

/* Write a box of an open array, which grows so that it has room, or read it: either NULL. */
static bool move_box(hid_t id, const int64_t *low, const int64_t *size, const void *from, void *to)
{
    hsize_t shape[TORRE_HDF5_AXES], first[TORRE_HDF5_AXES], count[TORRE_HDF5_AXES];
    hid_t space = h5.H5Dget_space_(id);
    const int dims = space < 0 ? 0 : h5.H5Sget_simple_extent_dims_(space, shape, NULL);
    if (space >= 0) h5.H5Sclose_(space);
    if (dims < 1) return false;
    for (int a = 0; a < dims; a++) {
        first[a] = (hsize_t)low[a];
        count[a] = (hsize_t)size[a];
    }
    if (from && shape[0] < first[0] + count[0]) {
        shape[0] = first[0] + count[0];
        if (h5.H5Dset_extent_(id, shape) < 0) return false;
    }
    const hid_t type = h5.H5Dget_type_(id), memory = h5.H5Screate_simple_(dims, count, NULL);
    space = h5.H5Dget_space_(id);
    const bool good =
        type >= 0 && memory >= 0 && space >= 0 &&
        h5.H5Sselect_hyperslab_(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
        (from ? h5.H5Dwrite_(id, type, memory, space, H5P_DEFAULT, from)
              : h5.H5Dread_(id, type, memory, space, H5P_DEFAULT, to)) >= 0;
    if (type >= 0) h5.H5Tclose_(type);
    if (memory >= 0) h5.H5Sclose_(memory);
    if (space >= 0) h5.H5Sclose_(space);
    return good;
}

torre_status torre_hdf5_write(torre_hdf5 *file, const char *array, const int64_t *low,
                              const int64_t *size, const void *values)
{
    errno = 0;
    const hid_t id = h5.H5Dopen2_(file->id, array, H5P_DEFAULT);
    bool good = id >= 0 && move_box(id, low, size, values, NULL);
    if (id >= 0) good &= h5.H5Dclose_(id) >= 0;
    return good ? TORRE_OK : cannot_write(file, array);
}

/* The array was closed since, so that nothing comes from its cache, where it is not compressed. */
torre_status torre_hdf5_read_back(torre_hdf5 *file, const char *array, const int64_t *low,
                                  const int64_t *size, void *values)
{
    errno = 0;
    const hid_t id = h5.H5Dopen2_(file->id, array, H5P_DEFAULT);
    const bool good = id >= 0 && move_box(id, low, size, NULL, values);
    if (id >= 0) h5.H5Dclose_(id);
    return good ? TORRE_OK : cannot("read back", file->name, array);
}

/* --- Reading --- */

static torre_status open_array(const char *path, const char *array, hid_t *file, hid_t *id)
{
    TORRE_TRY(torre_hdf5_check());
    *id = -1;
    errno = 0;
    FILE *there = fopen(path, "rb"); /* libhdf5 does not say why it cannot */
    if (!there) return torre_fail_errno("cannot read %s", path);
    fclose(there);
    *file = h5.H5Fopen_(path, READ_ONLY, H5P_DEFAULT);
    if (*file < 0) return torre_fail(TORRE_ERR_INPUT, "%s is no HDF5 file, or damaged", path);
    *id = h5.H5Dopen2_(*file, array, H5P_DEFAULT);
    if (*id >= 0) return TORRE_OK;
    h5.H5Fclose_(*file);
    return torre_fail(TORRE_ERR_INPUT, "%s has no array %s", path, array);
}

static torre_status scan_header(const char *path, const char *array, hid_t id,
                                torre_hdf5_header *header)
{
    hsize_t shape[H5S_MAX_RANK];
    const hid_t space = h5.H5Dget_space_(id), type = h5.H5Dget_type_(id);
    const int dims = space < 0 ? -1 : h5.H5Sget_simple_extent_dims_(space, shape, NULL);
    const H5T_class_t class = type < 0 ? H5T_NO_CLASS : h5.H5Tget_class_(type);
    const size_t bytes = type < 0 ? 0 : h5.H5Tget_size_(type);
    if (space >= 0) h5.H5Sclose_(space);
    if (type >= 0) h5.H5Tclose_(type);
    if (class != H5T_FLOAT && class != H5T_INTEGER)
        return torre_fail(TORRE_ERR_INPUT, "%s: %s does not hold numbers", path, array);
    if (dims < 1 || dims > TORRE_HDF5_AXES)
        return torre_fail(TORRE_ERR_INPUT, "%s: %s has %d axes, not 1 to %d", path, array, dims,
                          TORRE_HDF5_AXES);
    const bool narrow = class == H5T_FLOAT ? bytes <= 4 : bytes <= 2; /* 24 bits of f32 */
    *header = (torre_hdf5_header){.precision = narrow ? TORRE_F32 : TORRE_F64, .dims = dims};
    for (int a = 0; a < dims; a++) {
        header->shape[a] = (int64_t)shape[a];
        if (shape[a] < 1) return torre_fail(TORRE_ERR_INPUT, "%s: %s is empty", path, array);
    }
    return TORRE_OK;
}

torre_status torre_hdf5_look(const char *path, const char *array, torre_hdf5_header *header)
{
    hid_t file, id;
    TORRE_TRY(open_array(path, array, &file, &id));
    torre_status status = scan_header(path, array, id, header);
    h5.H5Dclose_(id);
    h5.H5Fclose_(file);
    return status;
}

torre_status torre_hdf5_read(const char *path, const char *array, const torre_hdf5_header *header,
                             void *values)
{
    hid_t file, id;
    TORRE_TRY(open_array(path, array, &file, &id));
    const bool good =
        h5.H5Dread_(id, type_of(header->precision), H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    h5.H5Dclose_(id);
    h5.H5Fclose_(file);
    if (good) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT, "%s: %s cannot be read, it may be damaged", path, array);
}
