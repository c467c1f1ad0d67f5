#include "wave/rank_transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave/rank_slab.h"

static const char host[] = "host", by_host[] = "MPI, through buffers on the host";

/* What TORRE_TRANSPORT names; NULL: all. */
static const char *wish(void)
{
    const char *text = getenv("TORRE_TRANSPORT");
    return text && text[0] && strcmp(text, "auto") != 0 ? text : NULL;
}

torre_status torre_rank_transport_check(void)
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

/* --- Between two ranks --- */

/* A bit of each way that this rank may take. */
static uint64_t offered(const torre_rank_program *p)
{
    const torre_rank_way *const *way = p->backend->ways;
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

/* The first way that both can take. met: of this link. */
static torre_status open_link(torre_rank_program *p, int side, torre_rank_met *met)
{
    const torre_ranks *ranks = p->ranks;
    const int rank = side ? ranks->rank + 1 : ranks->rank - 1;
    const uint64_t own = offered(p);
    uint64_t other;
    *met = (torre_rank_met){.why = ""};
    TORRE_TRY(torre_rank_swap(ranks, rank, &own, &other, sizeof own));
    for (int i = 0; (own & other) >> i && !p->path[side]; i++) {
        const torre_rank_way *way = p->backend->ways[i];
        char why[TORRE_WAY_TEXT] = "";
        if (!((own & other) >> i & 1)) continue;
        TORRE_TRY(way->open(ranks, rank, p->base.info.plan.device, &p->path[side], why));
        if (!p->path[side]) add_reason(met, way, why);
    }
    snprintf(met->text, sizeof met->text, "%s", p->path[side] ? p->path[side]->text : by_host);
    return TORRE_OK;
}

/* --- All of them --- */

/* What the ranks found of their links to those below: where one differs, from which on; and why of
 * the first that tells. */
static void tell(torre_rank_program *p, const torre_rank_met *met, int rank)
{
    torre_rank_met *all = &p->met;
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

static torre_status gather(torre_rank_program *p)
{
    torre_rank_met *met = calloc((size_t)p->ranks->count, sizeof *met);
    torre_status status =
        met ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    for (int i = 1; i < p->ranks->count && !status; i++) {
        status = torre_rank_receive(p->ranks, i, &met[i], sizeof met[i]);
        if (!status) tell(p, &met[i], i);
    }
    free(met);
    return status;
}

torre_status torre_rank_transport_open(torre_rank_program *p)
{
    const torre_ranks *ranks = p->ranks;
    const int64_t before = torre_rank_slab_bytes(p);
    torre_rank_met met[2];
    for (int turn = 0; turn < 2; turn++) { /* half of the links at once */
        const int side = (ranks->rank + turn + 1) & 1, other = ranks->rank + (side ? 1 : -1);
        if (other >= 0 && other < ranks->count) TORRE_TRY(open_link(p, side, &met[side]));
    }
    p->base.info.memory_bytes -= before - torre_rank_slab_bytes(p);
    return ranks->rank == 0 ? gather(p) : torre_rank_send(ranks, 0, &met[0], sizeof met[0]);
}

void torre_rank_transport_close(torre_rank_program *p)
{
    for (int side = 0; side < 2; side++) {
        if (p->path[side]) p->path[side]->way->close(p->path[side]);
        p->path[side] = NULL;
    }
}
