#include "io/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/numbers.h"
#include "core/phase.h"
#include "io/npy_private.h"

enum { PIECE = 4 << 20 }; /* bytes that a thread reads at once; whole values */

static torre_status cannot_read(const char *path)
{
    return torre_fail_errno("cannot read %s", path);
}

/* Open, read the header, and compare the size of a regular file with it. */
static torre_status open_checked(const char *path, torre_npy_header *h, FILE **file)
{
    FILE *in = fopen(path, "rb");
    if (!in) return cannot_read(path);
    struct stat info;
    torre_status status = fstat(fileno(in), &info) ? cannot_read(path) : TORRE_OK;
    if (!status && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        status = cannot_read(path);
    }
    if (!status) status = torre_npy_header_scan(in, path, h);
    int64_t expected = status ? 0 : h->data_start + h->values * (int64_t)h->precision;
    if (!status && S_ISREG(info.st_mode) && info.st_size != expected)
        status = torre_fail(TORRE_ERR_INPUT,
                            "%s is %s: its header announces %" PRId64 " bytes, it has %" PRId64,
                            path, info.st_size < expected ? "truncated" : "too long", expected,
                            (int64_t)info.st_size);
    if (status) {
        fclose(in);
        return status;
    }
    *file = in;
    return TORRE_OK;
}

torre_status torre_npy_header_read(const char *path, torre_npy_header *header)
{
    TORRE_PHASE(TORRE_PHASE_READ);
    FILE *in = NULL;
    TORRE_TRY(open_checked(path, header, &in));
    fclose(in);
    return TORRE_OK;
}

static void swap_bytes(void *data, int64_t values, int width)
{
    unsigned char *at = data;
    for (int64_t i = 0; i < values; i++, at += width) {
        for (int b = 0; b < width / 2; b++) {
            unsigned char t = at[b];
            at[b] = at[width - 1 - b];
            at[width - 1 - b] = t;
        }
    }
}

static bool host_is_big_endian(void)
{
    const unsigned short probe = 1;
    return *(const unsigned char *)&probe == 0;
}

/* Fortran order (first axis fastest) to C order, `lines` of the last axis at a time. */
static void to_c_order(const torre_npy_header *h, const char *from, char *to)
{
    int64_t n0 = h->shape[0], n1 = h->shape[1], n2 = h->shape[2];
    size_t width = (size_t)h->precision;
    enum { BLOCK = 32 }; /* both sides of a block stay in the first-level cache */
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t j = 0; j < n1; j++)
        for (int64_t i0 = 0; i0 < n0; i0 += BLOCK)
            for (int64_t k0 = 0; k0 < n2; k0 += BLOCK)
                for (int64_t i = i0; i < n0 && i < i0 + BLOCK; i++)
                    for (int64_t k = k0; k < n2 && k < k0 + BLOCK; k++)
                        memcpy(to + (size_t)((i * n1 + j) * n2 + k) * width,
                               from + (size_t)((k * n1 + j) * n0 + i) * width, width);
}

/* Bytes of a file at a place: 0, why they cannot be read, or -1 where the file ends before. */
static int read_piece(int file, off_t at, char *to, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t n = pread(file, to, bytes, at);
        if (n == 0) return -1;
        if (n < 0 && errno != EINTR) return errno;
        if (n < 0) continue;
        to += n;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* The same by several threads, into native byte order: a failure of any of them. */
static int read_pieces(FILE *in, const torre_npy_header *h, char *to)
{
    const int64_t bytes = h->values * (int64_t)h->precision;
    const bool swap = h->big_endian != host_is_big_endian();
    int failed = 0;
#pragma omp parallel for if (bytes > PIECE) schedule(static)
    for (int64_t at = 0; at < bytes; at += PIECE) {
        const int64_t n = bytes - at < PIECE ? bytes - at : PIECE;
        const int failure = read_piece(fileno(in), h->data_start + at, to + at, (size_t)n);
        if (swap) swap_bytes(to + at, n / h->precision, (int)h->precision);
        if (!failure) continue;
#pragma omp atomic write
        failed = failure;
    }
    return failed;
}

/* What is no regular file, from where it stands. */
static int read_stream(FILE *in, const torre_npy_header *h, char *to)
{
    const size_t bytes = (size_t)h->values * (size_t)h->precision;
    errno = 0;
    if (fread(to, 1, bytes, in) != bytes) return ferror(in) ? errno : -1;
    if (h->big_endian != host_is_big_endian()) swap_bytes(to, h->values, (int)h->precision);
    return 0;
}

static torre_status read_values(FILE *in, const char *path, const torre_npy_header *h, void **data)
{
    size_t bytes = (size_t)h->values * (size_t)h->precision;
    int64_t copies = h->fortran_order && h->dims > 1 ? 2 : 1;
    TORRE_TRY(torre_memory_check(path, copies * (int64_t)bytes));
    char *raw = torre_memory_large(bytes);
    char *ordered = raw && copies == 2 ? torre_memory_large(bytes) : NULL;
    if (!raw || (copies == 2 && !ordered)) {
        free(raw);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s: %" PRId64 " bytes", path,
                          copies * (int64_t)bytes);
    }
    struct stat info;
    const bool regular = fstat(fileno(in), &info) == 0 && S_ISREG(info.st_mode);
    const int failed = regular ? read_pieces(in, h, raw) : read_stream(in, h, raw);
    if (failed) {
        free(raw);
        free(ordered);
        errno = failed;
        return failed < 0 ? torre_fail(TORRE_ERR_INPUT, "%s is truncated", path)
                          : cannot_read(path);
    }
    if (ordered) {
        to_c_order(h, raw, ordered);
        free(raw);
        raw = ordered;
    }
    *data = raw;
    return TORRE_OK;
}

/* The whole file, where its values can be used as they lie there; else map->start is NULL. */
static void map_values(FILE *in, const torre_npy_header *h, torre_npy_map *map)
{
    const bool ordered = !h->fortran_order || h->dims == 1;
    map->start = NULL;
    if (!ordered || h->big_endian != host_is_big_endian() || h->data_start % h->precision != 0)
        return;
    map->bytes = (size_t)(h->data_start + h->values * (int64_t)h->precision);
    void *start = mmap(NULL, map->bytes, PROT_READ, MAP_PRIVATE, fileno(in), 0);
    if (start != MAP_FAILED) map->start = start;
}

/* map: NULL to read in any case. */
static torre_status get_array(const char *path, torre_array *array, int *dims, torre_npy_map *map)
{
    TORRE_PHASE(TORRE_PHASE_READ);
    torre_npy_header h;
    torre_status status = TORRE_OK;
    FILE *in = NULL;
    TORRE_TRY(open_checked(path, &h, &in));
    if (map) map_values(in, &h, map);
    if (map && map->start)
        array->data = (char *)map->start + h.data_start;
    else
        status = read_values(in, path, &h, &array->data);
    fclose(in);
    if (status) return status;
    array->precision = h.precision;
    memcpy(array->shape, h.shape, sizeof h.shape);
    if (dims) *dims = h.dims;
    return TORRE_OK;
}

torre_status torre_npy_read(const char *path, torre_array *array, int *dims)
{
    return get_array(path, array, dims, NULL);
}

torre_status torre_npy_view(const char *path, torre_array *array, int *dims, torre_npy_map *map)
{
    return get_array(path, array, dims, map);
}

void torre_npy_unmap(torre_array *array, torre_npy_map *map)
{
    if (map->start)
        munmap(map->start, map->bytes);
    else
        free(array->data);
    map->start = array->data = NULL;
}

int torre_npy_encode_header(torre_output *out, torre_precision precision, int dims,
                            const int64_t *shape, int least)
{
    char header[512];
    int n = snprintf(header, sizeof header, "{'descr': '%cf%d', 'fortran_order': False, 'shape': (",
                     host_is_big_endian() ? '>' : '<', (int)precision);
    for (int a = 0; a < dims; a++)
        n += snprintf(header + n, sizeof header - (size_t)n, "%" PRId64 "%s", shape[a],
                      dims == 1      ? ","
                      : a + 1 < dims ? ", "
                                     : "");
    n += snprintf(header + n, sizeof header - (size_t)n, "), }");
    /* values start on a multiple of 64 bytes */
    while ((10 + n + 1) % 64 != 0 || 10 + n + 1 < least) header[n++] = ' ';
    header[n++] = '\n';
    unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    start[8] = (unsigned char)(n & 255);
    start[9] = (unsigned char)(n >> 8);
    torre_output_write(out, start, sizeof start);
    torre_output_write(out, header, (size_t)n);
    return 10 + n;
}

void torre_npy_encode(torre_output *out, torre_precision precision, int dims, const int64_t *shape,
                      const void *data)
{
    int64_t values = 1;
    for (int a = 0; a < dims; a++) values *= shape[a];
    torre_npy_encode_header(out, precision, dims, shape, 0);
    torre_output_write(out, data, (size_t)precision * (size_t)values);
}

/* What torre_npy_read can read again, but for a fourth axis. */
static torre_status check_shape(torre_precision precision, int dims, const int64_t *shape)
{
    int64_t bytes = (int64_t)precision;
    if (precision != TORRE_F32 && precision != TORRE_F64)
        return torre_fail(TORRE_ERR_USAGE, "{precision} must be f32 or f64");
    if (dims < 1 || dims > 4)
        return torre_fail(TORRE_ERR_USAGE, "an array must have 1 to 4 axes (got %d)", dims);
    for (int a = 0; a < dims; a++) {
        if (shape[a] < 1 || shape[a] > INT64_MAX / bytes)
            return torre_fail(TORRE_ERR_USAGE,
                              "axis %d of an array must have at least 1 value, and all less than "
                              "2^63 bytes (got %" PRId64 ")",
                              a, shape[a]);
        bytes *= shape[a];
    }
    return TORRE_OK;
}

torre_status torre_npy_write(const char *path, torre_precision precision, int dims,
                             const int64_t *shape, const void *data)
{
    torre_output *out;
    TORRE_TRY(check_shape(precision, dims, shape));
    TORRE_TRY(torre_output_open(path, &out));
    torre_npy_encode(out, precision, dims, shape, data);
    return torre_output_commit(out);
}
