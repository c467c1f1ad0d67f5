#include "core/rank_team.h"

#include "core/shared_memory.h"
#include "core/timer.h"

torre_rank_team torre_rank_team_of(const torre_ranks *ranks)
{
    torre_rank_team team = {.ranks = ranks, .leader = torre_rank_leader(ranks, ranks->rank)};
    for (int i = 0; i < ranks->count; i++)
        team.members += torre_rank_leader(ranks, i) == team.leader;
    return team;
}

/* From the leader to all others, who answer (back), or that way. */
static torre_status tell(const torre_rank_team *t, bool back, void *bytes, int64_t count)
{
    const torre_ranks *ranks = t->ranks;
    if (!torre_rank_team_leads(t))
        return back ? torre_rank_send(ranks, t->leader, bytes, count)
                    : torre_rank_receive(ranks, t->leader, bytes, count);
    for (int i = t->leader + 1; i < t->leader + t->members; i++)
        TORRE_TRY(back ? torre_rank_receive(ranks, i, bytes, count)
                       : torre_rank_send(ranks, i, bytes, count));
    return TORRE_OK;
}

torre_status torre_rank_team_wait(torre_rank_team *t)
{
    const double start = torre_time_now();
    char there = 0;
    TORRE_TRY(tell(t, true, &there, 1));
    TORRE_TRY(tell(t, false, &there, 1));
    t->waited_s += torre_time_now() - start;
    return TORRE_OK;
}

void torre_rank_team_share(const torre_rank_team *t, int64_t things, int64_t *low, int64_t *high)
{
    const int64_t member = t->ranks->rank - t->leader;
    *low = things * member / t->members;
    *high = things * (member + 1) / t->members;
}

/* Memory of the leader, which all have opened when this is back. */
static torre_status meet(torre_rank_team *t, int64_t bytes, char **memory)
{
    torre_shared_name name;
    if (torre_rank_team_leads(t)) TORRE_TRY(torre_shared_new(bytes, memory, &name));
    torre_status status = tell(t, false, &name, sizeof name);
    if (!status && !torre_rank_team_leads(t)) status = torre_shared_open(&name, bytes, memory);
    if (!status) status = torre_rank_team_wait(t);
    if (torre_rank_team_leads(t)) torre_shared_close(&name);
    return status;
}

torre_status torre_rank_team_memory(torre_rank_team *t, int64_t bytes, int threads, char **memory)
{
    int64_t low, high;
    *memory = NULL;
    torre_status status = meet(t, bytes, memory);
    if (!status) {
        torre_rank_team_share(t, torre_shared_pages(bytes), &low, &high);
        torre_shared_touch(*memory, low, high, threads);
        status = torre_rank_team_wait(t);
    }
    if (!status) return TORRE_OK;
    torre_shared_free(*memory, bytes);
    *memory = NULL;
    return status;
}

void torre_rank_team_free(char *memory, int64_t bytes) { torre_shared_free(memory, bytes); }
