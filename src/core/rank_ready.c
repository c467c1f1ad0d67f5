#include "core/rank_ready.h"

#include <stdio.h>

typedef struct ready {
    int64_t status;
    char text[512]; /* why it is not */
} ready;

torre_status torre_rank_ready_tell(const torre_ranks *ranks, torre_status status, const void *plan,
                                   int64_t bytes)
{
    ready own = {.status = status};
    if (status) snprintf(own.text, sizeof own.text, "%s", torre_error_text());
    TORRE_TRY(torre_rank_send(ranks, 0, &own, sizeof own));
    return torre_rank_send(ranks, 0, plan, bytes);
}

torre_status torre_rank_ready_gather(const torre_ranks *ranks, torre_status status, void *plan,
                                     int64_t bytes, torre_rank_ready_compare *compare)
{
    char text[1024] = "";
    if (status) snprintf(text, sizeof text, "%s", torre_error_text());
    for (int i = 1; i < ranks->count; i++) {
        char *there = (char *)plan + i * bytes;
        ready r;
        TORRE_TRY(torre_rank_receive(ranks, i, &r, sizeof r));
        TORRE_TRY(torre_rank_receive(ranks, i, there, bytes));
        if (status) continue;
        status = (torre_status)r.status;
        if (status) {
            snprintf(text, sizeof text, "%s %d: %s", ranks->what, torre_rank_number(ranks, i),
                     r.text);
        } else {
            status = compare(ranks, plan, i, there);
            if (status) snprintf(text, sizeof text, "%s", torre_error_text());
        }
    }
    return status ? torre_fail(status, "%s", text) : TORRE_OK;
}
