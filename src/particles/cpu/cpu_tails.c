#include "particles/cpu/cpu_tails.h"

#include <stdlib.h>
#include <string.h>

enum {
    TURNS = 2, /* counts of sweeps, which take turns */
    SHARE = 6  /* of the particles a tail has one in so many */
};

/* Room of a rank. */
typedef struct room {
    int64_t lists, entries;
} room;

/* In memory in common: lists of the tail of a rank. */
typedef struct shelf {
    int32_t *place; /* of the particles, */
    int32_t *entry;
    int64_t *at; /* of each list, the first of its entries; 64 bytes apart, or multiples */
    int32_t *length;
    uint8_t *wraps;
    torre_md_taken *taken; /* [TURNS] */
} shelf;

struct torre_cpu_tails {
    int ranks;
    room room;
    shelf *shelf;          /* [ranks] */
    const int32_t **start; /* [ranks][room.lists] */
    int64_t *count;        /* [ranks]: lists of each */
    torre_md_tail *tail;   /* [ranks], the own one first */
    int64_t builds;        /* of the lists that they are of */
    int64_t sweeps;
};

bool torre_cpu_tails_are(const torre_ranks *ranks, const torre_md_plan *plan)
{
    return torre_cpu_team_is(ranks) && ranks->count > 1 && plan->neighbor == TORRE_NEIGHBOR_FULL;
}

/* Ranks differ by some particles, lists in length. */
static room room_of(int64_t particles, double neighbors)
{
    const int64_t lists = (particles + particles / 4) / SHARE + 1;
    const double padded = 1.1 * neighbors + TORRE_LIST_PAD;
    return (room){lists, (int64_t)padded * lists};
}

int64_t torre_cpu_tails_bytes(int64_t particles, double neighbors)
{
    const room r = room_of(particles, neighbors);
    const shelf *s = NULL;
    return r.entries * (int64_t)sizeof *s->entry +
           r.lists *
               (int64_t)(sizeof *s->place + sizeof *s->at + sizeof *s->length + sizeof *s->wraps);
}

/* An array of a rank in memory in common, of so many things. */
static torre_status on_shelf(torre_cpu_solver *s, int64_t things, size_t each, void *array)
{
    void *memory;
    TORRE_TRY(torre_cpu_array_new(s, things * (int64_t)each, &memory));
    memcpy(array, &memory, sizeof memory);
    return TORRE_OK;
}

static torre_status new_shelf(torre_cpu_solver *s, const room *r, shelf *of)
{
    TORRE_TRY(on_shelf(s, r->lists, sizeof *of->place, &of->place));
    TORRE_TRY(on_shelf(s, r->entries, sizeof *of->entry, &of->entry));
    TORRE_TRY(on_shelf(s, r->lists, sizeof *of->at, &of->at));
    TORRE_TRY(on_shelf(s, r->lists, sizeof *of->length, &of->length));
    TORRE_TRY(on_shelf(s, r->lists, sizeof *of->wraps, &of->wraps));
    return on_shelf(s, TURNS, sizeof *of->taken, &of->taken);
}

torre_status torre_cpu_tails_new(torre_cpu_solver *s)
{
    const int ranks = s->store.share->ranks->count;
    torre_cpu_tails *t = s->tails = calloc(1, sizeof *t);
    if (!t) return torre_cpu_share_no_memory();
    t->ranks = ranks;
    t->room = room_of(s->problem->count / ranks + 1, s->method->neighbors(s->problem, s->plan));
    t->shelf = calloc((size_t)ranks, sizeof *t->shelf);
    t->start = calloc((size_t)(ranks * t->room.lists), sizeof *t->start);
    t->count = calloc((size_t)ranks, sizeof *t->count);
    t->tail = calloc((size_t)ranks, sizeof *t->tail);
    if (!t->shelf || !t->start || !t->count || !t->tail) return torre_cpu_share_no_memory();
    for (int r = 0; r < ranks; r++) TORRE_TRY(new_shelf(s, &t->room, &t->shelf[r]));
    return TORRE_OK;
}

void torre_cpu_tails_free(torre_cpu_tails *t)
{
    if (!t) return;
    free(t->shelf);
    free(t->start);
    free(t->count);
    free(t->tail);
    free(t);
}

static int64_t padded(int32_t length)
{
    return (length + TORRE_LIST_PAD - 1) / TORRE_LIST_PAD * TORRE_LIST_PAD;
}

/* Places of the tail, as many as there is room for, and where their lists go. Returns how many. */
static int64_t find_places(const torre_cpu_solver *s, const torre_cpu_tails *t, shelf *to)
{
    const torre_md_lists *l = &s->lists;
    const int32_t *id = s->store.id;
    int64_t wish = 0, count = 0, entries = 0;
    for (int64_t i = 0; i < s->store.count; i++) wish += id[i] < l->below[0];
    wish /= SHARE;
    if (wish > t->room.lists) wish = t->room.lists;
    for (int64_t i = s->store.count; count < wish; count++) {
        while (id[--i] >= l->below[0]) continue;
        entries += padded(l->length[i]);
        if (entries > t->room.entries) break;
        to->place[wish - 1 - count] = (int32_t)i;
    }
    memmove(to->place, to->place + wish - count, (size_t)count * sizeof *to->place);
    for (int64_t k = 0, at = 0; k < count; at += padded(l->length[to->place[k++]])) to->at[k] = at;
    return count;
}

/* Copies lists to the shelf. Returns how many. */
static int64_t put(const torre_cpu_solver *s, const torre_cpu_tails *t, shelf *to)
{
    const torre_md_lists *l = &s->lists;
    const int64_t count = find_places(s, t, to);
#pragma omp parallel for num_threads(s->plan->threads)
    for (int64_t k = 0; k < count; k++) {
        const int32_t i = to->place[k], length = l->length[i];
        memcpy(to->entry + to->at[k], l->start[i], (size_t)padded(length) * sizeof *to->entry);
        to->length[k] = length;
        to->wraps[k] = l->wraps[i];
    }
    return count;
}

/* The lists of rank r, as it counts places. */
static void show(torre_cpu_tails *t, int r, torre_md_tail *tail)
{
    const shelf *of = &t->shelf[r];
    const int32_t **start = t->start + r * t->room.lists;
    tail->place = of->place;
    tail->count = t->count[r];
    for (int64_t k = 0; k < t->count[r]; k++) start[k] = of->entry + of->at[k];
    tail->lists = (torre_md_lists){.first = tail->count > 0 ? of->place[0] : 0,
                                   .start = start,
                                   .length = of->length,
                                   .wraps = of->wraps};
}

/* Of lists made anew. */
static torre_status renew(torre_cpu_solver *s, torre_cpu_tails *t)
{
    torre_cpu_share *h = s->store.share;
    const int ranks = h->ranks->count, rank = h->ranks->rank;
    const int64_t own = put(s, t, &t->shelf[rank]);
    TORRE_TRY(torre_cpu_share_gather(h, &own, sizeof own, t->count));
    for (int i = 0; i < ranks; i++) show(t, (rank + i) % ranks, &t->tail[i]);
    t->builds = s->lists.builds;
    return TORRE_OK;
}

torre_status torre_cpu_tails_ready(torre_cpu_solver *s, torre_md_tail **tail, int *count)
{
    torre_cpu_tails *t = s->tails;
    *tail = NULL;
    *count = 0;
    if (!t) return TORRE_OK;
    if (t->builds != s->lists.builds) TORRE_TRY(renew(s, t));
    const int ranks = s->store.share->ranks->count, rank = s->store.share->ranks->rank;
    const int64_t turn = t->sweeps++ % TURNS;
    for (int i = 0; i < ranks; i++) {
        const int r = (rank + i) % ranks;
        t->tail[i].store = torre_cpu_team_store(s, r);
        t->tail[i].taken = &t->shelf[r].taken[turn];
    }
    /* ranks have met since the sweep before, and do so before the next: none is in either */
    atomic_store_explicit(&t->shelf[rank].taken[(turn + 1) % TURNS].count, 0, memory_order_relaxed);
    *tail = t->tail;
    *count = ranks;
    return TORRE_OK;
}

int64_t torre_cpu_tails_helped(const torre_cpu_tails *t)
{
    int64_t sum = 0;
    for (int i = 1; t && i < t->ranks; i++) sum += atomic_load(&t->tail[i].computed);
    return sum;
}
