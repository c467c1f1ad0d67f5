/*
 * Before ranks (ranks.h) share a run: whether each is prepared, and plans what rank 0 plans.
 */
#ifndef TORRE_RANK_READY_H
#define TORRE_RANK_READY_H

#include "core/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Any other rank, with its own status: tell rank 0, and so many bytes of what it plans. */
torre_status torre_rank_ready_tell(const torre_ranks *ranks, torre_status status, const void *plan,
                                   int64_t bytes);

/* TORRE_ERR_USAGE where a rank plans otherwise than rank 0, and how. */
typedef torre_status torre_rank_ready_compare(const torre_ranks *ranks, const void *first, int rank,
                                              const void *plan);

/* Rank 0, with its own status: what the first of all ranks failed with, or differs in. plan:
 * [ranks] of so many bytes, of which its own is there; those of others are filled in. */
torre_status torre_rank_ready_gather(const torre_ranks *ranks, torre_status status, void *plan,
                                     int64_t bytes, torre_rank_ready_compare *compare);

#ifdef __cplusplus
}
#endif

#endif
