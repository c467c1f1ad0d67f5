#include "core/rank_meet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char host[] = "host", by_host[] = "MPI, through buffers on the host";

/* What TORRE_TRANSPORT names; NULL: all. */
static const char *wish(void)
{
    const char *text = getenv("TORRE_TRANSPORT");
    return text && text[0] && strcmp(text, "auto") != 0 ? text : NULL;
}

torre_status torre_rank_meet_check(void)
{
    static const char *const known[] = {"peer", "mpi", "nccl", host};
    const char *text = wish();
    for (size_t i = 0; i < sizeof known / sizeof *known && text; i++)
        if (strcmp(text, known[i]) == 0) return TORRE_OK;
    return text ? torre_fail(TORRE_ERR_USAGE,
                             "TORRE_TRANSPORT=%.60s in the environment must be auto, peer, mpi, "
                             "nccl or host",
                             text)
                : TORRE_OK;
}

bool torre_rank_meet_shares(void)
{
    const char *text = wish();
    return !text || strcmp(text, host) != 0;
}

/* --- Between two ranks --- */

/* A bit of each way that this rank may take. */
static uint64_t offered(const torre_rank_way *const *way)
{
    const char *text = wish();
    uint64_t bits = 0;
    for (int i = 0; way && way[i]; i++)
        if (!text || strcmp(text, way[i]->name) == 0) bits |= UINT64_C(1) << i;
    return bits;
}

static void add_reason(torre_rank_met *met, const torre_rank_way *way, const char *why)
{
    const size_t used = strlen(met->why);
    snprintf(met->why + used, sizeof met->why - used, "%s%s: %s", used ? "; " : "", way->title,
             why);
}

torre_status torre_rank_meet(const torre_ranks *ranks, int rank, int device,
                             const torre_rank_way *const *ways, torre_rank_path **path,
                             torre_rank_met *met)
{
    const uint64_t own = offered(ways);
    uint64_t other;
    *met = (torre_rank_met){.why = ""};
    *path = NULL;
    TORRE_TRY(torre_rank_swap(ranks, rank, &own, &other, sizeof own));
    for (int i = 0; (own & other) >> i && !*path; i++) {
        char why[TORRE_WAY_TEXT] = "";
        if (!((own & other) >> i & 1)) continue;
        TORRE_TRY(ways[i]->open(ranks, rank, device, path, why));
        if (!*path) add_reason(met, ways[i], why);
    }
    snprintf(met->text, sizeof met->text, "%s", *path ? (*path)->text : by_host);
    return TORRE_OK;
}

/* --- All of them --- */

/* What the ranks found of their links to those below: where one differs, from which on; and why of
 * the first that tells. */
static void tell(torre_rank_met *all, const torre_rank_met *met, int rank)
{
    const size_t used = strlen(all->text);
    if (rank == 1) {
        *all = *met;
        return;
    }
    if (strcmp(met[-1].text, met->text) != 0)
        snprintf(all->text + used, sizeof all->text - used, "; above rank %d: %s", rank - 1,
                 met->text);
    if (!all->why[0]) memcpy(all->why, met->why, sizeof all->why);
}

torre_status torre_rank_met_gather(const torre_ranks *ranks, const torre_rank_met *below,
                                   torre_rank_met *all)
{
    if (ranks->rank > 0) return torre_rank_send(ranks, 0, below, sizeof *below);
    torre_rank_met *met = calloc((size_t)ranks->count, sizeof *met);
    torre_status status =
        met ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    for (int i = 1; i < ranks->count && !status; i++) {
        status = torre_rank_receive(ranks, i, &met[i], sizeof met[i]);
        if (!status) tell(all, &met[i], i);
    }
    free(met);
    return status;
}

torre_status torre_rank_meet_all(const torre_ranks *ranks, int device,
                                 const torre_rank_way *const *ways, torre_rank_path **path,
                                 torre_rank_met *all)
{
    torre_rank_met below = {.why = ""}, met;
    for (int i = 0; i < ranks->count;
         i++) { /* pairs in one order, so that nobody waits in a ring */
        if (i == ranks->rank) continue;
        TORRE_TRY(torre_rank_meet(ranks, i, device, ways, &path[i], &met));
        if (i == ranks->rank - 1) below = met;
    }
    return torre_rank_met_gather(ranks, &below, all);
}
