#include "particles/cpu/cpu_share.h"

#include "particles/cpu/cpu_team.h"

#include <stdlib.h>
#include <string.h>

torre_status torre_cpu_share_new(const torre_ranks *ranks, torre_cpu_share **share)
{
    const size_t count = (size_t)ranks->count;
    torre_cpu_share *h = calloc(1, sizeof *h);
    if (!h) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    h->ranks = ranks;
    h->first = calloc(count + 1, sizeof *h->first);
    h->ghost = calloc(count + 1, sizeof *h->ghost);
    h->lent = calloc(count, sizeof *h->lent);
    h->out = calloc(count, sizeof *h->out);
    h->in = calloc(count, sizeof *h->in);
    torre_status status = torre_bin_split_new(ranks->count, ranks->rank, &h->split);
    if (!status && !(h->first && h->ghost && h->lent && h->out && h->in))
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    if (status)
        torre_cpu_share_free(h);
    else
        *share = h;
    return status;
}

void torre_cpu_share_free(torre_cpu_share *h)
{
    if (!h) return;
    for (int r = 0; r < h->ranks->count; r++) {
        if (h->out) free(h->out[r].bytes);
        if (h->in) free(h->in[r].bytes);
        if (h->lent) free(h->lent[r].run);
    }
    torre_cpu_team_free(h->team);
    torre_bin_split_free(&h->split);
    free(h->first);
    free(h->ghost);
    free(h->lent);
    free(h->out);
    free(h->in);
    free(h);
}

torre_status torre_cpu_message_room(torre_cpu_message *m, int64_t bytes)
{
    m->count = bytes;
    if (bytes <= m->room) return TORRE_OK;
    const int64_t room = bytes + bytes / 8;
    free(m->bytes);
    m->room = 0;
    m->bytes = malloc((size_t)room);
    if (!m->bytes) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for what ranks send");
    m->room = room;
    return TORRE_OK;
}

/* What other ranks have sent, once this one has posted all. */
static torre_status take_all(const torre_cpu_share *h)
{
    const torre_ranks *ranks = h->ranks;
    for (int r = 0; r < ranks->count; r++)
        if (r != ranks->rank)
            TORRE_TRY(torre_rank_receive(ranks, r, h->in[r].bytes, h->in[r].count));
    for (int r = 0; r < ranks->count; r++)
        if (r != ranks->rank) TORRE_TRY(torre_rank_settle(ranks, r));
    return TORRE_OK;
}

torre_status torre_cpu_share_swap(torre_cpu_share *h)
{
    const torre_ranks *ranks = h->ranks;
    double clock = torre_time_now();
    torre_status status = TORRE_OK;
    for (int r = 0; r < ranks->count && !status; r++)
        if (r != ranks->rank) status = torre_rank_post(ranks, r, h->out[r].bytes, h->out[r].count);
    if (!status) status = take_all(h);
    h->waited_s += torre_cpu_lap(&clock);
    return status;
}

/* A copy of what goes to all, for another may still read it when this rank has failed. */
static torre_status keep(torre_cpu_share *h, const void *own, int64_t bytes, const void **kept)
{
    torre_cpu_message *m = &h->out[h->ranks->rank];
    TORRE_TRY(torre_cpu_message_room(m, bytes));
    if (bytes > 0) memcpy(m->bytes, own, (size_t)bytes);
    *kept = m->bytes;
    return TORRE_OK;
}

torre_status torre_cpu_share_gather(torre_cpu_share *h, const void *own, int64_t bytes, void *all)
{
    const torre_ranks *ranks = h->ranks;
    const void *kept;
    double clock = torre_time_now();
    if (h->team && bytes <= TORRE_RANK_LINE) {
        if (h->status) return h->status; /* this rank is not where others are */
        const torre_status met = torre_rank_board_swap(&h->team->board, own, bytes, all);
        h->waited_s += torre_cpu_lap(&clock);
        return met;
    }
    torre_status status = keep(h, own, bytes, &kept);
    for (int r = 0; r < ranks->count && !status; r++)
        if (r != ranks->rank) status = torre_rank_post(ranks, r, kept, bytes);
    for (int r = 0; r < ranks->count && !status; r++) {
        char *to = (char *)all + r * bytes;
        if (r == ranks->rank)
            memcpy(to, own, (size_t)bytes);
        else
            status = torre_rank_receive(ranks, r, to, bytes);
    }
    for (int r = 0; r < ranks->count && !status; r++)
        if (r != ranks->rank) status = torre_rank_settle(ranks, r);
    h->waited_s += torre_cpu_lap(&clock);
    return status;
}

torre_status torre_cpu_share_meet(torre_cpu_solver *s)
{
    torre_cpu_share *h = s->store.share;
    return h && h->team ? torre_cpu_share_gather(h, NULL, 0, NULL) : TORRE_OK;
}

torre_status torre_cpu_share_tell(torre_cpu_share *h, void *bytes, int64_t count)
{
    if (h->ranks->rank > 0) return torre_rank_receive(h->ranks, 0, bytes, count);
    for (int r = 1; r < h->ranks->count; r++) TORRE_TRY(torre_rank_send(h->ranks, r, bytes, count));
    return TORRE_OK;
}

/* --- Sums --- */

bool torre_cpu_share_last(const torre_cpu_share *h)
{
    return h->ranks->rank == h->ranks->count - 1;
}

void torre_cpu_share_pass(torre_cpu_share *h, const void *row, int64_t bytes)
{
    if (h->team)
        torre_rank_board_pass(&h->team->board, row, bytes);
    else if (!h->status)
        h->status = torre_rank_post(h->ranks, h->ranks->rank + 1, row, bytes);
}

void torre_cpu_share_take(torre_cpu_share *h, void *row, int64_t bytes)
{
    double clock = torre_time_now();
    if (!h->status)
        h->status = h->team ? torre_rank_board_take(&h->team->board, row, bytes)
                            : torre_rank_receive(h->ranks, h->ranks->rank - 1, row, bytes);
    h->waited_s += torre_cpu_lap(&clock);
}

static void add_up(const double *rows, int64_t count, int width, double *total)
{
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < width; k++) total[k] += rows[i * width + k];
}

/* How many rows each rank has; these. */
static torre_status swap_rows(torre_cpu_share *h, const double *rows, int64_t count, int width)
{
    const torre_ranks *ranks = h->ranks;
    const int64_t bytes = width * (int64_t)sizeof *rows;
    const void *kept;
    h->rows = count;
    TORRE_TRY(keep(h, rows, count * bytes, &kept));
    for (int r = 0; r < ranks->count; r++) {
        if (r == ranks->rank) continue;
        TORRE_TRY(torre_rank_post(ranks, r, &h->rows, sizeof h->rows));
        TORRE_TRY(torre_rank_post(ranks, r, kept, count * bytes));
    }
    for (int r = 0; r < ranks->count; r++) {
        int64_t there;
        if (r == ranks->rank) continue;
        TORRE_TRY(torre_rank_receive(ranks, r, &there, sizeof there));
        TORRE_TRY(torre_cpu_message_room(&h->in[r], there * bytes));
        TORRE_TRY(torre_rank_receive(ranks, r, h->in[r].bytes, there * bytes));
    }
    for (int r = 0; r < ranks->count; r++)
        if (r != ranks->rank) TORRE_TRY(torre_rank_settle(ranks, r));
    return TORRE_OK;
}

void torre_cpu_share_rows(torre_cpu_share *h, const double *rows, int64_t count, int width,
                          double *total)
{
    double clock = torre_time_now();
    bool summed = false;
    if (!h->status && h->team)
        h->status = torre_cpu_team_rows(h, rows, count, width, total, &summed);
    if (!h->status && !summed) h->status = swap_rows(h, rows, count, width);
    h->waited_s += torre_cpu_lap(&clock);
    if (summed) return;
    for (int r = 0; r < h->ranks->count && !h->status; r++) {
        const bool own = r == h->ranks->rank;
        const int64_t bytes = width * (int64_t)sizeof *rows;
        add_up(own ? rows : (const double *)(const void *)h->in[r].bytes,
               own ? count : h->in[r].count / bytes, width, total);
    }
}

typedef struct candidate {
    double value;
    int64_t id;
} candidate;

torre_status torre_cpu_share_most(torre_cpu_share *h, double *value, int32_t *id)
{
    const candidate own = {*value, *id};
    candidate *all = malloc((size_t)h->ranks->count * sizeof *all);
    if (!all) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    const torre_status status = torre_cpu_share_gather(h, &own, sizeof own, all);
    if (!status) {
        *value = all[0].value;
        *id = (int32_t)all[0].id;
    }
    for (int r = 1; r < h->ranks->count && !status; r++) {
        if (!(all[r].value > *value)) continue;
        *value = all[r].value;
        *id = (int32_t)all[r].id;
    }
    free(all);
    return status;
}

torre_status torre_cpu_share_largest(torre_cpu_share *h, int64_t *number)
{
    double value = (double)*number;
    int32_t unused = 0;
    TORRE_TRY(torre_cpu_share_most(h, &value, &unused));
    *number = (int64_t)value;
    return TORRE_OK;
}
