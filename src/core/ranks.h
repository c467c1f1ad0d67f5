/*
 * Processes that work together, on this machine or others. How messages go between them is the
 * caller's (src/mpi).
 *
 * No function waits for ever: where a rank that takes part has died, has said nothing for a minute,
 * or has failed, all that wait for any rank get TORRE_ERR_RESOURCE (of a rank that failed what it
 * failed with) and the number of that rank.
 */
#ifndef TORRE_RANKS_H
#define TORRE_RANKS_H

#include <stdint.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_ranks {
    int rank, count;   /* of all */
    int local, locals; /* this one's number among those of its machine, and how many these are */
    const char *transport; /* how messages go, in words */
    /* Bytes from one rank to another, which takes just as many. From any thread; of two ranks one
     * thread each. */
    torre_status (*send)(int to, const void *bytes, int64_t count);
    torre_status (*receive)(int from, void *bytes, int64_t count);
    /* The same as send, without waiting: the bytes must stay as they are until settle. */
    torre_status (*post)(int to, const void *bytes, int64_t count);
    torre_status (*settle)(int to);
    /* This one has failed with that status (why: torre_error_text) while others wait for it: rank
     * 0 gets to know. */
    void (*fail)(torre_status status);
    /* After a failure of the above: say it on standard error and end all ranks at once. */
    void (*give_up)(void);
} torre_ranks;

#ifdef __cplusplus
}
#endif

#endif
