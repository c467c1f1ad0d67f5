/* What ranks tell each other of the particles that they lend. */
#include <stdlib.h>
#include <string.h>

#include "particles/cpu/cpu_share.h"

typedef torre_cpu_solver cpu_solver;
typedef torre_cpu_share share;
typedef torre_cpu_column column;

/* What a step needs to know of them; returns how many columns. */
enum { STEPPING = 2 + TORRE_CPU_COLUMNS };

static int step_columns(cpu_solver *s, column of[STEPPING])
{
    torre_md_store *t = &s->store;
    const bool tiles = s->plan->neighbor == TORRE_NEIGHBOR_TILE; /* which read positions as such */
    of[0] = tiles ? (column){&t->position, torre_cpu_quad(s), false}
                  : (column){&t->packed, 4 * s->state->pair_size, false};
    of[1] = (column){&t->velocity, torre_cpu_quad(s), false};
    const int columns = torre_pair_dissipates(s->problem->model) ? 2 : 1;
    return columns + torre_cpu_own_columns(s, true, of + columns);
}

static int64_t bin_members(const torre_bins *bins, int64_t bin)
{
    return bins->start[bin + 1] - bins->start[bin];
}

static char *put_lent(const cpu_solver *s, int rank, const column *of, char *to)
{
    const torre_cpu_runs *lent = &s->store.share->lent[rank];
    for (int64_t k = 0; k < lent->runs; k++) {
        const torre_cpu_run *run = &lent->run[k];
        const int64_t bytes = run->count * of->each;
        if (!of->by_id) memcpy(to, torre_cpu_at_place(s, of, run->place), (size_t)bytes);
        for (int64_t i = 0; i < run->count && of->by_id; i++)
            memcpy(to + i * of->each, torre_cpu_at_place(s, of, run->place + i), (size_t)of->each);
        to += bytes;
    }
    return to;
}

/* Numbers and columns on their way to a rank, a message each: it takes columns in their place. */
static torre_status post_lent(cpu_solver *s, int rank, const column *of, int columns,
                              const double *most, int64_t head)
{
    share *h = s->store.share;
    int64_t bytes = head;
    for (int c = 0; c < columns; c++) bytes += h->lent[rank].count * of[c].each;
    TORRE_TRY(torre_cpu_message_room(&h->out[rank], bytes));
    char *at = h->out[rank].bytes;
    if (head > 0) memcpy(at, most, (size_t)head);
    TORRE_TRY(torre_rank_post(h->ranks, rank, at, head));
    at += head;
    for (int c = 0; c < columns; c++) {
        char *end = put_lent(s, rank, &of[c], at);
        TORRE_TRY(torre_rank_post(h->ranks, rank, at, end - at));
        at = end;
    }
    return TORRE_OK;
}

static torre_status take_ghosts(cpu_solver *s, int rank, const column *of)
{
    share *h = s->store.share;
    const int64_t place = h->ghost[rank], count = h->ghost[rank + 1] - place;
    const int64_t bytes = count * of->each;
    if (!of->by_id)
        return torre_rank_receive(h->ranks, rank, torre_cpu_at_place(s, of, place), bytes);
    TORRE_TRY(torre_cpu_message_room(&h->in[rank], bytes));
    TORRE_TRY(torre_rank_receive(h->ranks, rank, h->in[rank].bytes, bytes));
    for (int64_t i = 0; i < count; i++)
        memcpy(torre_cpu_at_place(s, of, place + i), h->in[rank].bytes + i * of->each,
               (size_t)of->each);
    return TORRE_OK;
}

static torre_status take_lent(cpu_solver *s, int rank, const column *of, int columns, double *most,
                              int numbers)
{
    const torre_ranks *ranks = s->store.share->ranks;
    double there[TORRE_CPU_NUMBERS];
    TORRE_TRY(torre_rank_receive(ranks, rank, there, numbers * (int64_t)sizeof *there));
    for (int k = 0; k < numbers; k++) most[k] = there[k] > most[k] ? there[k] : most[k];
    for (int c = 0; c < columns; c++) TORRE_TRY(take_ghosts(s, rank, &of[c]));
    return TORRE_OK;
}

/* Of ranks with memory in common: their numbers. */
static torre_status swap_most(share *h, double *most, int numbers)
{
    double *all = malloc((size_t)(h->ranks->count * TORRE_CPU_NUMBERS) * sizeof *all);
    if (!all) return torre_cpu_share_no_memory();
    const torre_status status =
        torre_cpu_share_gather(h, most, numbers * (int64_t)sizeof *all, all);
    for (int i = 0; i < h->ranks->count * numbers && !status; i++)
        most[i % numbers] = all[i] > most[i % numbers] ? all[i] : most[i % numbers];
    free(all);
    return status;
}

torre_status torre_cpu_share_lend(cpu_solver *s, const column *of, int columns, double *most,
                                  int numbers)
{
    share *h = s->store.share;
    const torre_ranks *ranks = h->ranks;
    const int64_t head = numbers * (int64_t)sizeof *most;
    if (h->team) return swap_most(h, most, numbers);
    for (int r = 0; r < ranks->count; r++)
        if (r != ranks->rank) TORRE_TRY(post_lent(s, r, of, columns, most, head));
    double clock = torre_time_now();
    for (int r = 0; r < ranks->count; r++)
        if (r != ranks->rank) TORRE_TRY(take_lent(s, r, of, columns, most, numbers));
    for (int r = 0; r < ranks->count; r++)
        if (r != ranks->rank) TORRE_TRY(torre_rank_settle(ranks, r));
    h->waited_s += torre_cpu_lap(&clock);
    return TORRE_OK;
}

torre_status torre_cpu_share_step(cpu_solver *s, double *moved)
{
    column of[STEPPING];
    const int columns = step_columns(s, of);
    return torre_cpu_share_lend(s, of, columns, moved, 1);
}

/* Where the particles of lent bins are. */
static torre_status find_lent(cpu_solver *s, int rank)
{
    const torre_bin_list *l = &s->store.share->split.lent[rank];
    torre_cpu_runs *lent = &s->store.share->lent[rank];
    lent->runs = lent->count = 0;
    if (lent->room < l->count) {
        free(lent->run);
        lent->room = 0;
        lent->run = malloc((size_t)l->count * sizeof *lent->run);
        if (!lent->run) return torre_cpu_share_no_memory();
        lent->room = l->count;
    }
    for (int64_t k = 0; k < l->count; k++) {
        const int64_t count = bin_members(&s->bins, l->bin[k]);
        if (count == 0) continue;
        const int64_t place = s->bins.member[s->bins.start[l->bin[k]]]; /* and those behind it */
        torre_cpu_run *last = lent->run + lent->runs - 1;
        if (lent->runs > 0 && last->place + last->count == place)
            last->count += count;
        else
            lent->run[lent->runs++] = (torre_cpu_run){place, count};
        lent->count += count;
    }
    return TORRE_OK;
}

/* How many particles lent bins have. */
static torre_status exchange_counts(cpu_solver *s)
{
    share *h = s->store.share;
    for (int r = 0; r < h->ranks->count; r++) {
        const torre_bin_list *l = &h->split.lent[r];
        if (r == h->ranks->rank) continue;
        TORRE_TRY(torre_cpu_message_room(&h->out[r], l->count * (int64_t)sizeof(int32_t)));
        TORRE_TRY(torre_cpu_message_room(&h->in[r],
                                         h->split.lent_by[r].count * (int64_t)sizeof(int32_t)));
        int32_t *to = (int32_t *)(void *)h->out[r].bytes;
        for (int64_t k = 0; k < l->count; k++) to[k] = (int32_t)bin_members(&s->bins, l->bin[k]);
        TORRE_TRY(find_lent(s, r));
    }
    return torre_cpu_share_swap(h);
}

/* Places for ghosts, in their bins. */
static torre_status place_ghosts(cpu_solver *s)
{
    share *h = s->store.share;
    int64_t place = s->store.count;
    for (int r = 0; r < h->ranks->count; r++) {
        const int32_t *count = (const int32_t *)(const void *)h->in[r].bytes;
        h->ghost[r] = place;
        for (int64_t k = 0; k < h->split.lent_by[r].count; k++) place += count[k];
    }
    h->ghost[h->ranks->count] = place;
    TORRE_TRY(torre_md_store_grow(&s->store, s->state, place));
    TORRE_TRY(torre_bins_grow(&s->bins, place));
    torre_cpu_share_set_far(s, place);
    place = s->store.count;
    for (int r = 0; r < h->ranks->count; r++) {
        const int32_t *count = (const int32_t *)(const void *)h->in[r].bytes;
        const torre_bin_list *l = &h->split.lent_by[r];
        for (int64_t k = 0; k < l->count; k++)
            for (int32_t i = 0; i < count[k]; i++) s->bins.rank_of[place++] = l->bin[k];
    }
    return TORRE_OK;
}

torre_status torre_cpu_share_fetch(cpu_solver *s)
{
    column of[2 + STEPPING] = {{(void **)&s->store.id, sizeof *s->store.id, false},
                               {&s->store.hold, torre_cpu_quad(s), false}};
    TORRE_TRY(exchange_counts(s));
    TORRE_TRY(place_ghosts(s));
    TORRE_TRY(torre_cpu_share_lend(s, of, 2 + step_columns(s, of + 2), NULL, 0));
    torre_bins_sort(&s->bins);
    return TORRE_OK;
}
