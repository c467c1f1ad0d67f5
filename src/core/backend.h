/*
 * The backends of this build: one table for waves and particles (src/backends.c), the only place
 * where the rest of the code meets the CUDA backend.
 */
#ifndef TORRE_BACKEND_H
#define TORRE_BACKEND_H

#include <stdbool.h>

#include "core/status.h"

/* What is offered under a name; NULL: nothing. */
typedef struct torre_backend {
    const char *name; /* "cpu", "cuda", "reference"; NULL ends the table */
    /* Whether it can run on this machine and device; otherwise false with a one-line reason. NULL:
     * it always can. */
    bool (*available)(int device, char *why, size_t why_size);
    const struct torre_wave_backend *wave;
    const struct torre_md_backend *particles;
} torre_backend;

extern const torre_backend torre_backends[]; /* best first */

/* Of the row "cuda", in builds with it: whether that GPU is there and runs the kernels. */
bool torre_cuda_available(int device, char *why, size_t why_size);

typedef bool torre_backend_offers(const torre_backend *backend);

/* Whether it can run; why[why_size] as above. */
bool torre_backend_available(const torre_backend *backend, int device, char *why, size_t why_size);

/*
 * The backend of that name that offers what is wanted; "auto" takes the first that is available, or
 * cuda where `device`, above 0, names a GPU. TORRE_ERR_RESOURCE where it is there but cannot be
 * used, or is cuda in a build without; TORRE_ERR_USAGE for another name (legal: "auto, cpu or
 * cuda").
 */
torre_status torre_backend_find(const char *name, int device, torre_backend_offers *offers,
                                const char *legal, const torre_backend **backend);

/* Whether these arguments of torre_backend_find leave the choice to it. */
bool torre_backend_is_auto(const char *name, int device);

#endif
