/*
 * Ranks (ranks.h) that are threads of one process. A message is the sender's memory, which the
 * receiver copies: it is on its way until then.
 */
#ifndef TORRE_RANK_THREADS_H
#define TORRE_RANK_THREADS_H

#include "core/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * count ranks, each for a thread: who, what, number as those of torre_ranks, which must outlive
 * them. The caller says how planes go (transport). TORRE_ERR_RESOURCE. Free them once no thread
 * uses them; NULL is fine.
 */
torre_status torre_rank_threads_new(int count, const char *who, const char *what, const int *number,
                                    torre_ranks **ranks);

/* Of the first rank: whoever waits, or will, is told that the run is over, as if a rank had failed.
 * Back when so many others have left. */
void torre_rank_threads_close(torre_ranks *ranks, int others);

void torre_rank_threads_free(torre_ranks *ranks);

#ifdef __cplusplus
}
#endif

#endif
