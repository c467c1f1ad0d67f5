/*
 * Processes that compute the shots of a survey together, on this machine or others. Rank 0 has the
 * list of shots, the files and the manifest; each of the others asks for nothing and is sent the
 * number of a shot when it is free, and sends its traces back. How messages go is the caller's
 * (src/mpi).
 */
#ifndef TORRE_RANKS_H
#define TORRE_RANKS_H

#include <stdint.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_ranks {
    int rank, count; /* of all */
    int local;       /* this one's number among those of its machine */
    /* Bytes from one rank to another, which takes just as many. From any thread; of two ranks one
     * thread each. A failure ends all. */
    void (*send)(int to, const void *bytes, int64_t count);
    void (*receive)(int from, void *bytes, int64_t count);
} torre_ranks;

#ifdef __cplusplus
}
#endif

#endif
