/*
 * A stand-in for the CUDA runtime, for tests of the GPU's host code on machines without a GPU.
 *
 * Programs linked with it instead of libcudart plan, allocate, copy and launch as they would on the
 * GPU that the environment names. Device memory is host memory, copies copy, and all is done at
 * once, whatever the stream. Kernels are not run: what they would compute stays zero. So nothing
 * that is computed on the GPU can be tested with it, only what the host does: choices, memory,
 * copies, the order and the arguments of launches, errors. The few words by which kernels of
 * particles tell the host how far they are it writes itself (fake_kernels.c). In a build whose
 * kernels are compiled for the host (tests/emulator) they do run.
 *
 * Environment:
 *   FAKE_CUDA_DEVICE=h200 (default), a100 or t4: the GPU; h200-few, a100-few: with 7
 *   multiprocessors
 *   FAKE_CUDA_COUNT=N: so many of it, 1 unless given
 *   FAKE_CUDA_APART=1: of which none reaches the memory of another
 *   FAKE_CUDA_MEMORY=BYTES: of the GPU, instead of what such a GPU has
 *   FAKE_CUDA_TRACE=FILE: what was called, a line each
 *   FAKE_CUDA_FAIL=N: the N-th call that can fail does so, from 1
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <driver_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vector_types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FAKE_PARAMETERS = 16 };

typedef struct fake_launch {
    dim3 grid, block;
    unsigned cluster; /* blocks */
    size_t shared;    /* bytes */
} fake_launch;

/* What the machine code says of a kernel. */
typedef struct fake_kernel {
    const void *host; /* address of its host function, by which launches name it */
    const char *name; /* mangled */
    int architecture; /* 90 */
    int registers, local_bytes, shared_bytes, most_threads;
    int parameters, parameter_size[FAKE_PARAMETERS];
    int dynamic_bytes; /* most that launches may take, as set */
    /* Kernels that run (tests/emulator): what runs them, and the function of a thread. */
    void (*execute)(const struct fake_kernel *, const fake_launch *, void *const *arguments);
    void (*thread)(const void *host, void *const *arguments);
} fake_kernel;

/* A kernel that is in no fat binary; once more of the same does nothing. */
void fake_kernel_add(const fake_kernel *kernel);

/* Fill in what the first machine code of the fat binary (fatBinC_wrapper of nvcc) says of the
 * kernel of this name; false where it is not there, or not to be understood. */
bool fake_image_read(const void *wrapper, const char *name, fake_kernel *kernel);

/* Work that a library has put on a stream (1) or that is done (-1): events after it wait for it. */
__attribute__((visibility("default"))) void fake_cuda_work(cudaStream_t stream, int change);

/* What a kernel would have told the host through device memory. arguments: copies of them. */
void fake_kernel_effects(const char *name, void *const *arguments);

#ifdef __cplusplus
}
#endif

#endif
