/*
 * The fields of a run in a scratch file or in memory of the host, plane by plane (planes.h): what
 * the windows of ring.h stream through.
 */
#ifndef TORRE_PLANE_STORE_H
#define TORRE_PLANE_STORE_H

#include "io/scratch_file.h"
#include "wave/planes.h"

typedef struct torre_plane_store {
    const torre_wave_backend *backend; /* whose memory it is */
    torre_scratch *file;               /* or */
    char *memory;
    char *model; /* of all planes, model_bytes each, what solvers make of velocities; or NULL */
    int64_t model_bytes;
    int64_t layer_bytes; /* what layers remember of a plane (backend.h), behind all planes of the
                            file, in the same order of even and odd steps; 0: nothing, or in them */
    torre_plane_layout layout;
    int flip;            /* the array of even steps is the first (0) or the second (1) */
    torre_planes used;   /* those before and behind are zero */
    char *buffer;        /* of so many planes: */
    int64_t planes;      /* both arrays of each, or what layers remember */
    char *rows;          /* a row, from a multiple of 64 bytes on, for each thread */
    int64_t bytes_moved; /* out of the file and into it */
} torre_plane_store;

/* Of the file or memory of all planes, of the model, and of a buffer for so many planes: of a store
 * with a layout. */
int64_t torre_store_file_bytes(const torre_plane_store *store);
int64_t torre_store_model_bytes(const torre_plane_store *store);
int64_t torre_store_memory(const torre_plane_store *store, int64_t planes);

/* Make all, zero, of a store that has a backend, a layout and bytes of planes and is zero beside:
 * the file in that directory, without a model, or memory (NULL). TORRE_ERR_RESOURCE,
 * TORRE_ERR_INPUT. Free it with _close in any case. */
torre_status torre_store_open(const char *directory, int64_t planes, torre_plane_store *store);
void torre_store_close(torre_plane_store *store);

/* All zero again. */
torre_status torre_store_clear(torre_plane_store *store);

/* Where planes are in memory, to which they are about to leave, or from which they come: as long as
 * all of these are zero, from NULL. */
torre_moved_planes torre_store_leave(torre_plane_store *store, torre_planes planes);
torre_moved_planes torre_store_come(const torre_plane_store *store, torre_planes planes);

/* Copy planes, both arrays, from the file to the solver of a part, which is at step n, or back. */
torre_status torre_store_load(torre_plane_store *store, torre_planes planes,
                              torre_wave_solver *solver, int64_t n);
torre_status torre_store_save(torre_plane_store *store, torre_planes planes,
                              torre_wave_solver *solver, int64_t n);
/* These will be loaded soon. */
void torre_store_expect(torre_plane_store *store, torre_planes planes);

/* Copy a box of the array of even (0) or odd (1) steps as read_box and write_box of a backend. */
torre_status torre_store_read(torre_plane_store *store, int array, const torre_box *box,
                              const int64_t stride[3], void *values);
torre_status torre_store_write(torre_plane_store *store, int array, const torre_box *box,
                               const int64_t stride[3], const void *values);

/* Copy a slice of what layers remember of all planes, `count` values of each, to an array (or from
 * it: write) with strides from plane to plane and along planes. */
torre_status torre_store_slice(torre_plane_store *store, bool write, const torre_layer_place *place,
                               int64_t count, int64_t plane_stride, int64_t stride, void *values);
/* Layers remember nothing. */
torre_status torre_store_clear_layers(torre_plane_store *store);

/* Norms of an array, in the bits of a solver that holds all of it. */
torre_status torre_store_norms(torre_plane_store *store, int array, torre_wave_norms *norms);

#endif
