/*
 * A team: ranks in a row that have memory in common (`leader` of ranks.h) and work on the same, as
 * threads of one process do. All functions but _free are called by all of them, in one order.
 */
#ifndef TORRE_RANK_TEAM_H
#define TORRE_RANK_TEAM_H

#include "core/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_rank_team {
    const torre_ranks *ranks;
    int leader, members; /* ranks leader .. leader + members - 1 */
    double waited_s;     /* in _wait */
} torre_rank_team;

/* That of this rank. */
torre_rank_team torre_rank_team_of(const torre_ranks *ranks);

static inline bool torre_rank_team_leads(const torre_rank_team *team)
{
    return team->ranks->rank == team->leader;
}

/* Back when all have called it; what any of them wrote before, all can read then. */
torre_status torre_rank_team_wait(torre_rank_team *team);

/* Of so many things the part that is this member's, `low` to `high`. */
void torre_rank_team_share(const torre_rank_team *team, int64_t things, int64_t *low,
                           int64_t *high);

/* Memory of all: zeros, aligned to TORRE_HUGE_PAGE, touched by all with so many threads each.
 * TORRE_ERR_RESOURCE. */
torre_status torre_rank_team_memory(torre_rank_team *team, int64_t bytes, int threads,
                                    char **memory);
/* This one needs it no more; NULL is fine. */
void torre_rank_team_free(char *memory, int64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
