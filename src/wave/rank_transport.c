#include "wave/rank_transport.h"

#include "wave/rank_slab.h"

torre_status torre_rank_transport_open(torre_rank_program *p)
{
    const torre_ranks *ranks = p->ranks;
    const int64_t before = torre_rank_slab_bytes(p);
    torre_rank_met met[2] = {{.why = ""}};
    for (int turn = 0; turn < 2; turn++) { /* half of the links at once */
        const int side = (ranks->rank + turn + 1) & 1, other = ranks->rank + (side ? 1 : -1);
        if (other >= 0 && other < ranks->count)
            TORRE_TRY(torre_rank_meet(ranks, other, p->base.info.plan.device, p->backend->ways,
                                      &p->path[side], &met[side]));
    }
    p->base.info.memory_bytes -= before - torre_rank_slab_bytes(p);
    return torre_rank_met_gather(ranks, &met[0], &p->met);
}

void torre_rank_transport_close(torre_rank_program *p)
{
    for (int side = 0; side < 2; side++) {
        if (p->path[side]) p->path[side]->way->close(p->path[side]);
        p->path[side] = NULL;
    }
}
