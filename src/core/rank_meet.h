/*
 * Which way bytes of devices go between ranks: of those past the host (rank_way.h) the first that
 * both can take, or the one that TORRE_TRANSPORT of the environment names; else by messages through
 * the host.
 */
#ifndef TORRE_RANK_MEET_H
#define TORRE_RANK_MEET_H

#include "core/rank_way.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How bytes go between ranks, and why they go no other way that comes first. */
typedef struct torre_rank_met {
    char text[2 * TORRE_WAY_TEXT], why[4 * TORRE_WAY_TEXT];
} torre_rank_met;

/* TORRE_ERR_USAGE: TORRE_TRANSPORT names no way. */
torre_status torre_rank_meet_check(void);

/* Whether ranks may have memory in common (`leader` of ranks.h): unless it names messages through
 * the host. */
bool torre_rank_meet_shares(void);

/* Both ranks: try `ways` (NULL: there are none; the last one is NULL) from this device, and open
 * what goes. *path NULL: through the host. met: of this link. */
torre_status torre_rank_meet(const torre_ranks *ranks, int rank, int device,
                             const torre_rank_way *const *ways, torre_rank_path **path,
                             torre_rank_met *met);

/* All ranks, with what they have met below (the first: nothing): what there is to tell of all, to
 * the first. */
torre_status torre_rank_met_gather(const torre_ranks *ranks, const torre_rank_met *below,
                                   torre_rank_met *all);

/* All ranks: the same with each of the others; path: [ranks], NULL of this one. */
torre_status torre_rank_meet_all(const torre_ranks *ranks, int device,
                                 const torre_rank_way *const *ways, torre_rank_path **path,
                                 torre_rank_met *all);

#ifdef __cplusplus
}
#endif

#endif
