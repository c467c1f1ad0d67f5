#include "core/rank_way.h"

#include <stdio.h>
#include <string.h>

torre_status torre_rank_swap(const torre_ranks *ranks, int rank, const void *own, void *other,
                             int64_t bytes)
{
    TORRE_TRY(torre_rank_post(ranks, rank, own, bytes));
    TORRE_TRY(torre_rank_receive(ranks, rank, other, bytes));
    return torre_rank_settle(ranks, rank);
}

torre_status torre_rank_agree(const torre_ranks *ranks, int rank, char why[TORRE_WAY_TEXT])
{
    char own[TORRE_WAY_TEXT] = "", other[TORRE_WAY_TEXT];
    snprintf(own, sizeof own, "%s", why);
    TORRE_TRY(torre_rank_swap(ranks, rank, own, other, sizeof own));
    /* of two reasons that of the lower rank, for both say the same */
    if (other[0] && (!own[0] || rank < ranks->rank)) memcpy(why, other, sizeof other);
    return TORRE_OK;
}
