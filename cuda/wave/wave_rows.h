/*
 * Rows of values between the host and arrays on the device: chunk by chunk through two pinned
 * buffers, so that all threads make the next chunk, or take the last one away, while one travels.
 */
#ifndef TORRE_CUDA_WAVE_ROWS_H
#define TORRE_CUDA_WAVE_ROWS_H

#include "cuda/wave/wave_solver.h"

/* A device array as the caller sees it: its strides, in cells, along the caller's axes. */
typedef struct torre_device_array {
    char *data;
    int64_t size[3], stride[3];
} torre_device_array;

/* The array (size and strides along the solver's axes, z of stride 1) in the caller's axes. */
torre_device_array torre_cuda_array(const torre_cuda_solver *s, const void *data,
                                    const int64_t size[3], int64_t stride_x, int64_t stride_y);
/* A level: 1 for u[n], 0 for u[n-1], as in args.field. */
torre_device_array torre_cuda_field(const torre_cuda_solver *s, int parity);

/* What goes to the device: rows of `width` bytes, `first` .. first + count - 1 of them at once. */
typedef struct torre_rows {
    int64_t count;
    size_t width; /* at most the bytes of TORRE_PIECE_STAGING */
    const void *context;
    /* Write them to host memory. */
    void (*make)(const void *context, int64_t first, int64_t count, void *to);
    /* Enqueue what brings them from there to where they belong. */
    cudaError_t (*send)(torre_cuda_solver *s, const void *context, int64_t first, int64_t count,
                        const void *from);
} torre_rows;

/* Pinned buffers and their events; what is there is given back with the solver. */
torre_status torre_cuda_rows_new(torre_cuda_solver *s);
void torre_cuda_rows_free(torre_cuda_solver *s);

/* All rows; returns when they are where they belong. what: in words, for errors. */
torre_status torre_cuda_rows_send(torre_cuda_solver *s, const torre_rows *rows, const char *what);

/* Rows along the caller's z of a device array to it, from what `make` writes in the problem's
 * precision. */
torre_status torre_cuda_array_make(torre_cuda_solver *s, const torre_device_array *a,
                                   void (*make)(const void *context, int64_t first, int64_t count,
                                                void *to),
                                   const void *context);
/* The same from and to a dense array on the host. */
torre_status torre_cuda_array_set(torre_cuda_solver *s, const torre_device_array *a,
                                  const void *dense);
torre_status torre_cuda_array_get(torre_cuda_solver *s, const torre_device_array *a, void *dense);

#endif
