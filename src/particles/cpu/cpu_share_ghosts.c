/* What ranks tell each other of the particles that they lend. */
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
    const torre_bin_list *l = &s->store.share->split.lent[rank];
    const torre_bins *bins = &s->bins;
    for (int64_t k = 0; k < l->count; k++) {
        const int64_t count = bin_members(bins, l->bin[k]);
        if (count == 0) continue;
        const int64_t place = bins->member[bins->start[l->bin[k]]]; /* and those behind it */
        if (!of->by_id) memcpy(to, torre_cpu_at_place(s, of, place), (size_t)(count * of->each));
        for (int64_t i = 0; i < count && of->by_id; i++)
            memcpy(to + i * of->each, torre_cpu_at_place(s, of, place + i), (size_t)of->each);
        to += count * of->each;
    }
    return to;
}

static const char *take_ghosts(const cpu_solver *s, int rank, const column *of, const char *from)
{
    const share *h = s->store.share;
    const int64_t place = h->ghost[rank], count = h->ghost[rank + 1] - place;
    if (!of->by_id) memcpy(torre_cpu_at_place(s, of, place), from, (size_t)(count * of->each));
    for (int64_t i = 0; i < count && of->by_id; i++)
        memcpy(torre_cpu_at_place(s, of, place + i), from + i * of->each, (size_t)of->each);
    return from + count * of->each;
}

torre_status torre_cpu_share_lend(cpu_solver *s, const column *of, int columns, double *most,
                                  int numbers)
{
    share *h = s->store.share;
    const int64_t head = numbers * (int64_t)sizeof *most;
    int64_t each = 0;
    for (int c = 0; c < columns; c++) each += of[c].each;
    for (int r = 0; r < h->ranks->count; r++) {
        if (r == h->ranks->rank) continue;
        TORRE_TRY(torre_cpu_message_room(&h->out[r], head + h->lent[r] * each));
        TORRE_TRY(torre_cpu_message_room(&h->in[r], head + (h->ghost[r + 1] - h->ghost[r]) * each));
        if (numbers) memcpy(h->out[r].bytes, most, (size_t)head);
        char *to = h->out[r].bytes + head;
        for (int c = 0; c < columns; c++) to = put_lent(s, r, &of[c], to);
    }
    TORRE_TRY(torre_cpu_share_swap(h));
    for (int r = 0; r < h->ranks->count; r++) {
        if (r == h->ranks->rank) continue;
        for (int k = 0; k < numbers; k++) {
            double there;
            memcpy(&there, h->in[r].bytes + k * (int64_t)sizeof there, sizeof there);
            most[k] = there > most[k] ? there : most[k];
        }
        const char *from = h->in[r].bytes + head;
        for (int c = 0; c < columns; c++) from = take_ghosts(s, r, &of[c], from);
    }
    return TORRE_OK;
}

torre_status torre_cpu_share_step(cpu_solver *s, double *moved)
{
    column of[STEPPING];
    const int columns = step_columns(s, of);
    return torre_cpu_share_lend(s, of, columns, moved, 1);
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
        h->lent[r] = 0;
        for (int64_t k = 0; k < l->count; k++) {
            to[k] = (int32_t)bin_members(&s->bins, l->bin[k]);
            h->lent[r] += to[k];
        }
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
