/* GPUs: "0,1", or all that can be used. */
#ifndef TORRE_DEVICE_LIST_H
#define TORRE_DEVICE_LIST_H

#include <stdint.h>

#include "core/ranks.h"
#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_DEVICES = 64 };

typedef struct torre_device_list {
    int count; /* 0: whatever the specification of the runs says */
    int device[TORRE_DEVICES];
} torre_device_list;

/*
 * Read {devices}, NULL for none, and look whether each can be used. backend: what is asked for,
 * which must be "auto" or "cuda". TORRE_ERR_USAGE; TORRE_ERR_RESOURCE where a GPU cannot be used.
 */
torre_status torre_device_list_read(const char *text, const char *backend, torre_device_list *list);

/*
 * Those that ranks take in turn: all there are, unless the backend is cpu or `device`, above 0, is
 * named; none where "auto" finds none. TORRE_ERR_RESOURCE where the backend is cuda and there is
 * none.
 */
torre_status torre_device_list_of_ranks(const char *backend, int64_t device,
                                        torre_device_list *list);

/*
 * The GPU that a rank of mpirun computes with: those of a machine are taken in turn. It stays where
 * ranks NULL is, and where ranks take none. TORRE_ERR_USAGE: {devices} are given.
 */
torre_status torre_device_of_rank(const torre_ranks *ranks, const char *backend,
                                  const char *devices, int *device);

#ifdef __cplusplus
}
#endif

#endif
