/* Whether an NVIDIA GPU can be used here, and if not, why exactly. */
#ifndef TORRE_CUDA_PROBE_H
#define TORRE_CUDA_PROBE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum torre_cuda_state {
    TORRE_CUDA_WORKS,
    TORRE_CUDA_NOT_BUILT,
    TORRE_CUDA_NO_DRIVER,
    TORRE_CUDA_OLD_DRIVER,
    TORRE_CUDA_NO_DEVICE,
    TORRE_CUDA_NO_SUCH_DEVICE, /* fewer devices than --device asks for */
    TORRE_CUDA_WRONG_ARCHITECTURE,
    TORRE_CUDA_LITTLE_MEMORY,
    TORRE_CUDA_BROKEN /* anything else: see text */
} torre_cuda_state;

#define TORRE_CUDA_LEAST_MEMORY (INT64_C(256) << 20) /* free bytes below which nothing is tried */

typedef struct torre_cuda_probe {
    torre_cuda_state state;
    bool here;      /* there is a GPU, or at least its driver, whether it can be used or not */
    char text[400]; /* one line: what is there, or what is missing and how to get it */
    char name[128], uuid[48];
    int devices;
    int capability; /* 10 major + minor */
    int multiprocessors;
    int driver, runtime; /* 1000 major + 10 minor */
    int64_t free_bytes, total_bytes;
} torre_cuda_probe;

/* "works", "not built", "no driver", ... */
const char *torre_cuda_state_name(torre_cuda_state state);

/*
 * Look for the device, ask for its memory, launch a small kernel on it and read its result back.
 * Never fails: what goes wrong is the answer.
 */
void torre_cuda_probe_run(int device, torre_cuda_probe *probe);

#endif
