/* Rows of values between host and device. */
#include "cuda/wave/wave_rows.h"

#include <string.h>

#include "cuda/core/cuda_check.h"

torre_device_array torre_cuda_array(const torre_cuda_solver *s, const void *data,
                                    const int64_t size[3], int64_t stride_x, int64_t stride_y)
{
    torre_device_array a = {.data = (char *)data};
    const int64_t stride[3] = {stride_x, stride_y, 1};
    for (int i = 0; i < 3; i++) {
        a.size[s->program->turned.axis[i]] = size[i];
        a.stride[s->program->turned.axis[i]] = stride[i];
    }
    return a;
}

torre_device_array torre_cuda_field(const torre_cuda_solver *s, int parity)
{
    return torre_cuda_array(s, s->args.field[parity], s->setup->problem->size, s->args.stride_x,
                            s->args.stride_y);
}

torre_status torre_cuda_rows_new(torre_cuda_solver *s)
{
    const size_t bytes = s->program->bytes[TORRE_PIECE_STAGING];
    for (int i = 0; i < 2; i++) {
        const cudaError_t e = cudaMallocHost(&s->pinned[i], bytes);
        if (e) s->pinned[i] = NULL;
        if (e == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            return torre_fail(TORRE_ERR_RESOURCE,
                              "out of page-locked memory of the host: %zu "
                              "bytes more needed",
                              bytes);
        }
        TORRE_CUDA_TRY(e, "taking page-locked memory");
        TORRE_CUDA_TRY(cudaEventCreateWithFlags(&s->moved[i], cudaEventDisableTiming), "an event");
    }
    return TORRE_OK;
}

void torre_cuda_rows_free(torre_cuda_solver *s)
{
    for (int i = 0; i < 2; i++) {
        if (s->pinned[i]) cudaFreeHost(s->pinned[i]);
        if (s->moved[i]) cudaEventDestroy(s->moved[i]);
    }
}

/* Rows that a buffer holds. */
static int64_t rows_at_once(const torre_cuda_solver *s, size_t width)
{
    return (int64_t)(s->program->bytes[TORRE_PIECE_STAGING] / width);
}

/* Everything enqueued is done, whatever came before: buffers are free again. */
static torre_status finish(torre_cuda_solver *s, cudaError_t before, const char *what)
{
    const cudaError_t e = cudaStreamSynchronize(s->stream);
    return torre_cuda_status(before ? before : e, what);
}

torre_status torre_cuda_rows_send(torre_cuda_solver *s, const torre_rows *r, const char *what)
{
    const int64_t most = rows_at_once(s, r->width);
    cudaError_t e = cudaSuccess;
    int turn = 0;
    for (int64_t first = 0; first < r->count && !e; first += most, turn = !turn) {
        const int64_t now = r->count - first < most ? r->count - first : most;
        if (first >= 2 * most) e = cudaEventSynchronize(s->moved[turn]);
        if (e) break;
        r->make(r->context, first, now, s->pinned[turn]);
        e = r->send(s, r->context, first, now, s->pinned[turn]);
        if (!e) e = cudaEventRecord(s->moved[turn], s->stream);
    }
    return finish(s, e, what);
}

/* Whether all rows can be copied to and from the array as they lie, at once. */
static bool lies_at_once(const torre_device_array *a)
{
    return a->stride[2] == 1 && (a->size[0] == 1 || a->stride[0] == a->size[1] * a->stride[1]);
}

/* The same of the rows of a plane: of whole planes of a level, whatever follows each of them
 * (wave_slide.c). */
static bool lies_as_rows(const torre_cuda_solver *s, const torre_device_array *a)
{
    return lies_at_once(a) || (a->stride[2] == 1 && a->stride[0] == s->args.stride_x &&
                               a->stride[1] == s->args.stride_y && a->size[1] == s->args.n[1]);
}

/* Enqueue copies of rows that lie so. */
static cudaError_t move_as_rows(torre_cuda_solver *s, const torre_device_array *a, int64_t first,
                                int64_t count, char *rows, bool to_device)
{
    const size_t size = (size_t)s->setup->problem->precision, width = (size_t)a->size[2] * size,
                 pitch = (size_t)a->stride[1] * size;
    const bool one = lies_at_once(a);
    cudaError_t e = cudaSuccess;
    for (int64_t done = 0, now; done < count && !e; done += now) {
        const int64_t row = first + done, plane = one ? 0 : row / a->size[1],
                      in_plane = row - plane * a->size[1], left = a->size[1] - in_plane;
        now = one || left > count - done ? count - done : left;
        char *cells = a->data + (size_t)(plane * a->stride[0] + in_plane * a->stride[1]) * size;
        char *there = rows + (size_t)done * width;
        e = to_device ? cudaMemcpy2DAsync(cells, pitch, there, width, width, (size_t)now,
                                          cudaMemcpyHostToDevice, s->stream)
                      : cudaMemcpy2DAsync(there, width, cells, pitch, width, (size_t)now,
                                          cudaMemcpyDeviceToHost, s->stream);
    }
    return e;
}

/* Enqueue a copy between a pinned buffer and an array: at once where rows lie alike, else through
 * the staging area, whose kernel turns them. */
static cudaError_t move(torre_cuda_solver *s, const torre_device_array *a, int64_t first,
                        int64_t count, void *rows, bool to_device)
{
    const size_t size = (size_t)s->setup->problem->precision, width = (size_t)a->size[2] * size,
                 bytes = (size_t)count * width;
    if (lies_as_rows(s, a)) return move_as_rows(s, a, first, count, rows, to_device);
    void *staging = s->memory[TORRE_PIECE_STAGING];
    cudaError_t e = cudaSuccess;
    if (to_device) e = cudaMemcpyAsync(staging, rows, bytes, cudaMemcpyHostToDevice, s->stream);
    if (!e)
        e = torre_move_rows((int)size, a->data, a->stride, staging, first, count, a->size[1],
                            a->size[2], to_device, s->stream);
    if (!e && !to_device)
        e = cudaMemcpyAsync(rows, staging, bytes, cudaMemcpyDeviceToHost, s->stream);
    return e;
}

/* An array on its way to the device. */
typedef struct array_rows {
    const torre_device_array *array;
    void (*make)(const void *context, int64_t first, int64_t count, void *to);
    const void *context;
} array_rows;

static void make_array(const void *context, int64_t first, int64_t count, void *to)
{
    const array_rows *r = context;
    r->make(r->context, first, count, to);
}

static cudaError_t send_array(torre_cuda_solver *s, const void *context, int64_t first,
                              int64_t count, const void *from)
{
    return move(s, ((const array_rows *)context)->array, first, count, (void *)from, true);
}

torre_status torre_cuda_array_make(torre_cuda_solver *s, const torre_device_array *a,
                                   void (*make)(const void *context, int64_t first, int64_t count,
                                                void *to),
                                   const void *context)
{
    const array_rows given = {a, make, context};
    const torre_rows rows = {.count = a->size[0] * a->size[1],
                             .width = (size_t)a->size[2] * (size_t)s->setup->problem->precision,
                             .context = &given,
                             .make = make_array,
                             .send = send_array};
    return torre_cuda_rows_send(s, &rows, "sending values to the device");
}

/* By all threads: one of them does not fill the bus. */
static void copy_bytes(char *to, const char *from, size_t bytes)
{
    enum { PIECE = 1 << 18 };
#pragma omp parallel for if (bytes > PIECE) schedule(static)
    for (size_t at = 0; at < bytes; at += PIECE)
        memcpy(to + at, from + at, bytes - at < PIECE ? bytes - at : PIECE);
}

/* Rows of a dense array. */
typedef struct dense_rows {
    const char *data;
    size_t width;
} dense_rows;

static void copy_rows(const void *context, int64_t first, int64_t count, void *to)
{
    const dense_rows *r = context;
    copy_bytes(to, r->data + (size_t)first * r->width, (size_t)count * r->width);
}

torre_status torre_cuda_array_set(torre_cuda_solver *s, const torre_device_array *a,
                                  const void *dense)
{
    const dense_rows rows = {dense, (size_t)a->size[2] * (size_t)s->setup->problem->precision};
    return torre_cuda_array_make(s, a, copy_rows, &rows);
}

torre_status torre_cuda_array_get(torre_cuda_solver *s, const torre_device_array *a, void *dense)
{
    const size_t width = (size_t)a->size[2] * (size_t)s->setup->problem->precision;
    const int64_t count = a->size[0] * a->size[1], most = rows_at_once(s, width);
    cudaError_t e = cudaSuccess;
    int turn = 0;
    /* one chunk behind the copies; the last round enqueues nothing */
    for (int64_t first = 0; first < count + most && !e; first += most, turn = !turn) {
        if (first < count) {
            e = move(s, a, first, count - first < most ? count - first : most, s->pinned[turn],
                     false);
            if (!e) e = cudaEventRecord(s->moved[turn], s->stream);
        }
        if (!e && first > 0) e = cudaEventSynchronize(s->moved[!turn]);
        const int64_t done = first - most, left = count - done;
        if (!e && first > 0)
            copy_bytes((char *)dense + (size_t)done * width, s->pinned[!turn],
                       (size_t)(left < most ? left : most) * width);
    }
    return finish(s, e, "copying values to the host");
}
