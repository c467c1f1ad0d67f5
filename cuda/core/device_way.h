/*
 * Ways from memory of one GPU to that of another rank's (core/rank_way.h): copies between GPUs of
 * one machine (way_peer.c), MPI that takes memory of GPUs (way_mpi.c), NCCL (way_nccl.c).
 */
#ifndef TORRE_DEVICE_WAY_H
#define TORRE_DEVICE_WAY_H

#include <cuda_runtime_api.h>

#include "core/rank_way.h"

/* The best first. */
extern const torre_rank_way *const torre_device_ways[];
extern const torre_rank_way torre_way_peer, torre_way_mpi, torre_way_nccl;

/* What comes before bytes, or with them: whether they come. */
typedef struct torre_way_token {
    int64_t failed;
} torre_way_token;

/* Tell the other rank that bytes are on their way, or with the status of a failure that they are
 * not; returns that or what sending fails with. */
torre_status torre_way_tell(const torre_rank_path *path, torre_way_token *token,
                            torre_status status);
/* Hear it. */
torre_status torre_way_hear(const torre_rank_path *path);

/*
 * Wait until the event has passed, while all ranks are well and `check` (NULL: nothing) finds no
 * failure. limit: seconds, 0: as long as that. what: is waited for, "planes of rank 1".
 */
torre_status torre_way_wait(const torre_rank_path *path, cudaEvent_t event, int limit,
                            const char *what, torre_status (*check)(const torre_rank_path *path));

/* Waiting by hand: a moment, longer once it took long; whether it takes longer than the limit. */
typedef struct torre_way_patience {
    double start;
    int limit, naps; /* seconds; 0: none */
} torre_way_patience;

torre_way_patience torre_way_patience_of(int limit);
bool torre_way_nap(torre_way_patience *patience);

/* Both ranks: bytes there and back on a path that is open but for that, compared. why: what is
 * wrong with it. */
torre_status torre_way_trial(torre_rank_path *path, char why[TORRE_WAY_TEXT]);

/* The end of open: the path, or what makes it none (torre_rank_agree), which closes it. */
torre_status torre_way_opened(torre_rank_path *made, torre_rank_path **path,
                              char why[TORRE_WAY_TEXT]);

/* Keep what failed as the reason. */
void torre_way_refuse(char why[TORRE_WAY_TEXT]);

#endif
