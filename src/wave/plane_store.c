#include "wave/plane_store.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/box.h"

/* Bytes that a thread reads or writes at once. */
static const int64_t piece_bytes = 1 << 20;

int64_t torre_store_file_bytes(const torre_plane_store *s)
{
    return s->layout.n[0] * (2 * s->layout.plane_bytes + s->layer_bytes);
}

int64_t torre_store_model_bytes(const torre_plane_store *s)
{
    return s->layout.n[0] * s->model_bytes;
}

/* The buffer begins at a multiple of 64 bytes, too. */
static int64_t buffer_bytes(const torre_plane_store *s, int64_t planes)
{
    const int64_t fields = 2 * s->layout.plane_bytes;
    return (planes * (fields > s->layer_bytes ? fields : s->layer_bytes) + 63) / 64 * 64;
}

int64_t torre_store_memory(const torre_plane_store *s, int64_t planes)
{
    return buffer_bytes(s, planes) + s->layout.threads * torre_planes_row_bytes(&s->layout);
}

torre_status torre_store_open(const char *directory, int64_t planes, torre_plane_store *s)
{
    s->planes = planes;
    s->buffer = aligned_alloc(64, (size_t)buffer_bytes(s, planes));
    s->rows = aligned_alloc(64, (size_t)(s->layout.threads * torre_planes_row_bytes(&s->layout)));
    if (!s->buffer || !s->rows)
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for planes on their way");
    if (directory) return torre_scratch_new(directory, torre_store_file_bytes(s), &s->file);
    TORRE_TRY(torre_planes_memory(s->backend, torre_store_file_bytes(s), &s->memory));
    if (s->model_bytes == 0) return TORRE_OK;
    return torre_planes_memory(s->backend, torre_store_model_bytes(s), &s->model);
}

void torre_store_close(torre_plane_store *s)
{
    torre_scratch_free(s->file);
    torre_planes_memory_free(s->backend, torre_store_file_bytes(s), s->memory);
    torre_planes_memory_free(s->backend, torre_store_model_bytes(s), s->model);
    free(s->buffer);
    free(s->rows);
    s->file = NULL;
    s->memory = s->model = s->buffer = s->rows = NULL;
}

/* Planes of the store that may be other than zero from now on. */
static void use(torre_plane_store *s, torre_planes planes)
{
    if (planes.low >= planes.high) return;
    if (s->used.low == s->used.high) s->used = planes;
    if (planes.low < s->used.low) s->used.low = planes.low;
    if (planes.high > s->used.high) s->used.high = planes.high;
}

torre_status torre_store_clear(torre_plane_store *s)
{
    s->used = (torre_planes){0, 0};
    if (s->file) return torre_scratch_clear(s->file);
    memset(s->memory, 0, (size_t)torre_store_file_bytes(s));
    return TORRE_OK;
}

static char *planes_at(const torre_plane_store *s, torre_planes planes)
{
    return s->memory + 2 * planes.low * s->layout.plane_bytes;
}

torre_moved_planes torre_store_leave(torre_plane_store *s, torre_planes planes)
{
    use(s, planes);
    return (torre_moved_planes){planes.low, planes.high, s->flip, planes_at(s, planes)};
}

torre_moved_planes torre_store_come(const torre_plane_store *s, torre_planes planes)
{
    const bool zero = planes.high <= s->used.low || planes.low >= s->used.high;
    return (torre_moved_planes){planes.low, planes.high, s->flip,
                                zero ? NULL : planes_at(s, planes)};
}

/* Where an array of a plane begins in the file. */
static int64_t place_of(const torre_plane_store *s, int64_t plane, int array)
{
    return (2 * plane + (array ^ s->flip)) * s->layout.plane_bytes;
}

/* --- Planes between file and solver --- */

static torre_status transfer_piece(torre_plane_store *s, bool write, int64_t at, char *values,
                                   int64_t bytes)
{
    if (s->file)
        return write ? torre_scratch_write(s->file, at, values, bytes)
                     : torre_scratch_read(s->file, at, values, bytes);
    if (write)
        memcpy(s->memory + at, values, (size_t)bytes);
    else
        memcpy(values, s->memory + at, (size_t)bytes);
    return TORRE_OK;
}

/* Bytes from the place `at` on between file or memory and buffer, by all threads. */
static torre_status transfer(torre_plane_store *s, bool write, int64_t at, int64_t bytes)
{
    torre_status failed = TORRE_OK;
    char why[256] = ""; /* each thread has an error text of its own */
#pragma omp parallel for num_threads(s->layout.threads) schedule(static) if (bytes > piece_bytes)
    for (int64_t i = 0; i < bytes; i += piece_bytes) {
        const int64_t count = bytes - i < piece_bytes ? bytes - i : piece_bytes;
        const torre_status status = transfer_piece(s, write, at + i, s->buffer + i, count);
        if (!status) continue;
#pragma omp critical(torre_store_failure)
        {
            failed = status;
            snprintf(why, sizeof why, "%s", torre_error_text());
        }
    }
    s->bytes_moved += bytes;
    return failed ? torre_fail(failed, "%s", why) : TORRE_OK;
}

/* All planes at once between memory and the solver of a part. */
static torre_status exchange_all(torre_plane_store *s, bool into, torre_planes planes,
                                 torre_wave_solver *solver, int64_t n)
{
    s->bytes_moved += torre_planes_bytes(&s->layout, planes);
    return torre_planes_exchange(&s->layout, into, planes, solver, n, s->flip,
                                 planes_at(s, planes));
}

/* Planes in the buffer from or to the solver of a part. */
static torre_status exchange(torre_plane_store *s, bool into, torre_planes planes,
                             torre_wave_solver *solver, int64_t n)
{
    return torre_planes_exchange(&s->layout, into, planes, solver, n, s->flip, s->buffer);
}

static int64_t layers_at(const torre_plane_store *s, int64_t plane)
{
    if (s->layer_bytes == 0) return 2 * plane * s->layout.plane_bytes; /* in the plane */
    return 2 * s->layout.n[0] * s->layout.plane_bytes + plane * s->layer_bytes;
}

/* What layers remember of planes, between the file and the solver of a part. */
static torre_status exchange_layers(torre_plane_store *s, bool into, torre_planes planes,
                                    torre_wave_solver *solver)
{
    const int64_t at = layers_at(s, planes.low), bytes = layers_at(s, planes.high) - at;
    const torre_wave_backend *backend = solver->backend;
    if (s->layer_bytes == 0) return TORRE_OK;
    if (into) TORRE_TRY(transfer(s, false, at, bytes));
    TORRE_TRY(into ? backend->write_layers(solver, planes.low, planes.high, s->flip, s->buffer)
                   : backend->read_layers(solver, planes.low, planes.high, s->flip, s->buffer));
    return into ? TORRE_OK : transfer(s, true, at, bytes);
}

/* As many planes as the buffer holds, of those that are left. */
static torre_planes take(const torre_plane_store *s, torre_planes *left)
{
    torre_planes some = *left;
    if (some.high > some.low + s->planes) some.high = some.low + s->planes;
    left->low = some.high;
    return some;
}

torre_status torre_store_load(torre_plane_store *s, torre_planes planes, torre_wave_solver *solver,
                              int64_t n)
{
    if (planes.low < planes.high && s->memory) return exchange_all(s, true, planes, solver, n);
    while (planes.low < planes.high) {
        const torre_planes some = take(s, &planes);
        TORRE_TRY(transfer(s, false, 2 * some.low * s->layout.plane_bytes,
                           2 * (some.high - some.low) * s->layout.plane_bytes));
        TORRE_TRY(exchange(s, true, some, solver, n));
        TORRE_TRY(exchange_layers(s, true, some, solver));
    }
    return TORRE_OK;
}

torre_status torre_store_save(torre_plane_store *s, torre_planes planes, torre_wave_solver *solver,
                              int64_t n)
{
    use(s, planes);
    if (planes.low < planes.high && s->memory) return exchange_all(s, false, planes, solver, n);
    while (planes.low < planes.high) {
        const torre_planes some = take(s, &planes);
        TORRE_TRY(exchange(s, false, some, solver, n));
        TORRE_TRY(transfer(s, true, 2 * some.low * s->layout.plane_bytes,
                           2 * (some.high - some.low) * s->layout.plane_bytes));
        TORRE_TRY(exchange_layers(s, false, some, solver));
    }
    return TORRE_OK;
}

void torre_store_expect(torre_plane_store *s, torre_planes planes)
{
    const int64_t count = planes.high - planes.low;
    if (count <= 0 || !s->file) return;
    torre_scratch_expect(s->file, 2 * planes.low * s->layout.plane_bytes,
                         2 * count * s->layout.plane_bytes);
    if (s->layer_bytes > 0)
        torre_scratch_expect(s->file, layers_at(s, planes.low), count * s->layer_bytes);
}

/* --- Boxes --- */

/* A box in a plane: whole rows of the file around it, in the buffer. */
typedef struct rows_of_box {
    torre_box box;     /* the cells, one plane */
    int64_t at, bytes; /* of the rows in the file */
    int64_t stride[3]; /* of the rows, */
    char *first;       /* and where the value of box.low is */
    bool whole;        /* the rows have no other cells */
} rows_of_box;

static rows_of_box rows_of(const torre_plane_store *s, int array, const torre_box *box,
                           int64_t plane)
{
    const int64_t *low = box->low, *high = box->high, width = (int64_t)s->layout.precision;
    const int y = s->layout.axis[1], z = s->layout.axis[2];
    rows_of_box r = {.box = *box};
    r.box.low[s->layout.axis[0]] = plane;
    r.box.high[s->layout.axis[0]] = plane + 1;
    r.at = place_of(s, plane, array) + low[y] * s->layout.pitch * width;
    r.bytes = (high[y] - low[y]) * s->layout.pitch * width;
    r.stride[s->layout.axis[0]] = 0; /* there is no second plane */
    r.stride[y] = s->layout.pitch;
    r.stride[z] = 1;
    r.first = s->buffer + low[z] * width;
    r.whole = low[z] == 0 && high[z] == s->layout.n[2];
    return r;
}

torre_status torre_store_read(torre_plane_store *s, int array, const torre_box *box,
                              const int64_t stride[3], void *values)
{
    const int64_t step = stride[s->layout.axis[0]] * (int64_t)s->layout.precision;
    char *to = values;
    for (int64_t x = box->low[s->layout.axis[0]]; x < box->high[s->layout.axis[0]];
         x++, to += step) {
        const rows_of_box r = rows_of(s, array, box, x);
        TORRE_TRY(transfer(s, false, r.at, r.bytes));
        torre_box_copy(&r.box, (size_t)s->layout.precision, to, stride, r.first, r.stride,
                       s->layout.threads);
    }
    return TORRE_OK;
}

torre_status torre_store_write(torre_plane_store *s, int array, const torre_box *box,
                               const int64_t stride[3], const void *values)
{
    const int64_t width = (int64_t)s->layout.precision;
    const int64_t step = values ? stride[s->layout.axis[0]] * width : 0;
    const char *from = values;
    const int axis = s->layout.axis[0];
    use(s, (torre_planes){box->low[axis], box->high[axis]});
    for (int64_t x = box->low[axis]; x < box->high[axis]; x++) {
        const rows_of_box r = rows_of(s, array, box, x);
        if (!r.whole) TORRE_TRY(transfer(s, false, r.at, r.bytes));
        torre_box_copy(&r.box, (size_t)s->layout.precision, r.first, r.stride, from, stride,
                       s->layout.threads);
        torre_planes_end_rows(&s->layout, s->buffer, r.bytes / (s->layout.pitch * width));
        TORRE_TRY(transfer(s, true, r.at, r.bytes));
        if (from) from += step;
    }
    return TORRE_OK;
}

/* --- Layers --- */

torre_status torre_store_slice(torre_plane_store *s, bool write, const torre_layer_place *place,
                               int64_t count, int64_t plane_stride, int64_t stride, void *values)
{
    const int64_t width = (int64_t)s->layout.precision;
    const int64_t bytes = (count - 1) * place->step + place->copies * place->next + width;
    const bool whole = bytes == count * width; /* there is nothing else in between */
    char *own = values;
    if (write) use(s, (torre_planes){0, s->layout.n[0]});
    for (int64_t x = 0; x < s->layout.n[0]; x++, own += plane_stride * width) {
        if (!write || !whole) TORRE_TRY(transfer(s, false, layers_at(s, x) + place->at, bytes));
        for (int64_t q = 0; q <= (write ? place->copies : 0); q++)
            for (int64_t k = 0; k < count; k++) {
                char *there = s->buffer + k * place->step + q * place->next;
                char *here = own + k * stride * width;
                memcpy(write ? there : here, write ? here : there, (size_t)width);
            }
        if (write) TORRE_TRY(transfer(s, true, layers_at(s, x) + place->at, bytes));
    }
    return TORRE_OK;
}

/* The same behind the rows of planes. */
static torre_status clear_tails(torre_plane_store *s)
{
    const int64_t bytes = s->layout.tail;
    memset(s->buffer, 0, (size_t)bytes);
    for (int64_t i = 1; i <= 2 * s->layout.n[0] && bytes > 0; i++)
        TORRE_TRY(transfer(s, true, i * s->layout.plane_bytes - bytes, bytes));
    return TORRE_OK;
}

torre_status torre_store_clear_layers(torre_plane_store *s)
{
    torre_planes left = {0, s->layout.n[0]};
    if (s->layer_bytes == 0) return clear_tails(s);
    while (left.low < left.high) {
        const torre_planes some = take(s, &left);
        const int64_t at = layers_at(s, some.low), bytes = layers_at(s, some.high) - at;
        memset(s->buffer, 0, (size_t)bytes);
        TORRE_TRY(transfer(s, true, at, bytes));
    }
    return TORRE_OK;
}

/* --- Norms --- */

static torre_norm_sums plane_sums(const torre_plane_store *s, const char *plane)
{
    return torre_planes_sums(&s->layout, plane,
                             s->rows + omp_get_thread_num() * torre_planes_row_bytes(&s->layout));
}

/* Some of the planes that are left, where they can be read: in memory so many that all threads have
 * some, of a file as many as the buffer holds. */
static torre_status look_at(torre_plane_store *s, torre_planes *left, torre_planes *some,
                            const char **values)
{
    const int64_t planes = 4 * s->layout.threads;
    if (!s->memory) {
        *some = take(s, left);
        *values = s->buffer;
        return transfer(s, false, 2 * some->low * s->layout.plane_bytes,
                        2 * (some->high - some->low) * s->layout.plane_bytes);
    }
    *some = *left;
    if (some->high - some->low > planes) some->high = some->low + planes;
    left->low = some->high;
    *values = s->memory + 2 * some->low * s->layout.plane_bytes;
    return TORRE_OK;
}

torre_status torre_store_norms(torre_plane_store *s, int array, torre_wave_norms *norms)
{
    torre_planes left = {0, s->layout.n[0]};
    torre_norm_sums *sums = malloc((size_t)s->layout.n[0] * sizeof *sums);
    torre_wave_norms bad = {.finite = true};
    torre_status status = sums ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    while (!status && left.low < left.high) {
        torre_planes some;
        const char *first;
        status = look_at(s, &left, &some, &first);
        if (status) break;
        first += (array ^ s->flip) * s->layout.plane_bytes;
#pragma omp parallel for num_threads(s->layout.threads) schedule(static)
        for (int64_t x = some.low; x < some.high; x++)
            sums[x] = plane_sums(s, first + 2 * (x - some.low) * s->layout.plane_bytes);
        for (int64_t x = some.low; x < some.high && bad.finite; x++) {
            bad.finite = isfinite(sums[x].squares);
            if (!bad.finite)
                torre_planes_find_bad(&s->layout,
                                      first + 2 * (x - some.low) * s->layout.plane_bytes, x, &bad);
        }
    }
    if (!status) *norms = torre_norms_of_planes(sums, s->layout.n[0]);
    if (!status && !bad.finite) memcpy(norms->first_bad, bad.first_bad, sizeof bad.first_bad);
    free(sums);
    return status;
}
