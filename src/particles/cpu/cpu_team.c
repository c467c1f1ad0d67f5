#include "particles/cpu/cpu_team.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "particles/md_sum.h"

typedef torre_cpu_solver cpu_solver;
typedef torre_cpu_team team;

bool torre_cpu_team_is(const torre_ranks *ranks)
{
    return ranks && torre_rank_team_of(ranks).members == ranks->count;
}

void torre_cpu_team_free(team *m)
{
    if (!m) return;
    for (int i = 0; i < m->arrays; i++) torre_rank_team_free(m->array[i].memory, m->array[i].bytes);
    torre_rank_board_free(&m->board);
    free(m->array);
    free(m->order);
    free(m);
}

/* --- Memory --- */

static torre_status take(team *m, int64_t bytes, int threads, void **array)
{
    char *memory;
    torre_cpu_common *larger = realloc(m->array, (size_t)(m->arrays + 1) * sizeof *larger);
    if (!larger) return torre_cpu_share_no_memory();
    m->array = larger;
    TORRE_TRY(torre_rank_team_memory(&m->board.team, bytes, threads, &memory));
    m->array[m->arrays++] = (torre_cpu_common){memory, bytes};
    *array = memory;
    return TORRE_OK;
}

int64_t torre_cpu_places(const cpu_solver *s)
{
    const torre_cpu_share *h = s->store.share;
    return s->problem->count + (h && h->team ? h->ranks->count : 1);
}

torre_status torre_cpu_array_new(cpu_solver *s, int64_t bytes, void **array)
{
    const torre_cpu_share *h = s->store.share;
    const size_t room = (size_t)(bytes + 63) / 64 * 64;
    if (h && h->team) return take(h->team, bytes, s->plan->threads, array);
    *array = room < TORRE_HUGE_PAGE ? aligned_alloc(64, room) : torre_memory_zero(room);
    if (*array && room < TORRE_HUGE_PAGE) memset(*array, 0, room);
    if (*array) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles",
                      (long long)s->problem->count);
}

void torre_cpu_array_free(const cpu_solver *s, void *array)
{
    const torre_cpu_share *h = s->store.share;
    if (!h || !h->team) free(array);
}

void *torre_cpu_spare_numbers(const cpu_solver *s)
{
    const torre_cpu_share *h = s->store.share;
    const bool common = h && h->team; /* it begins at a quad of all; numbers of all lie closer */
    return (char *)s->store.spare - (common ? 3 * s->store.first * s->state->state_size : 0);
}

torre_status torre_cpu_spare_packed(cpu_solver *s)
{
    const torre_cpu_share *h = s->store.share;
    if (!h || !h->team) return torre_md_store_spare_packed(&s->store, s->state);
    return take(h->team, torre_cpu_places(s) * 4 * s->state->pair_size, s->plan->threads,
                &s->store.spare_packed);
}

/* Quads and ids of the store. */
static torre_status open_store(cpu_solver *s)
{
    torre_md_lent lent = {.packed = NULL};
    void **const quads[] = {&lent.position, &lent.velocity, &lent.force, &lent.hold, &lent.spare};
    const int64_t places = torre_cpu_places(s), ids = places * (int64_t)sizeof *lent.id;
    void *id, *spare_id;
    for (int i = 0; i < 5; i++)
        TORRE_TRY(torre_cpu_array_new(s, places * torre_cpu_quad(s), quads[i]));
    if (s->state->pair_size != s->state->state_size)
        TORRE_TRY(torre_cpu_array_new(s, places * 4 * s->state->pair_size, &lent.packed));
    TORRE_TRY(torre_cpu_array_new(s, ids, &id));
    TORRE_TRY(torre_cpu_array_new(s, ids, &spare_id));
    lent.id = id;
    lent.spare_id = spare_id;
    return torre_md_store_lend(s->problem->count, &lent, &s->store);
}

/* Members of bins that are sorted: those of all follow each other. */
static torre_status open_line(cpu_solver *s, void **line)
{
    const int64_t n = s->problem->count, numbers = 2 * n + 1;
    int64_t low, high;
    TORRE_TRY(torre_cpu_array_new(s, numbers * (int64_t)sizeof(int32_t), line));
    torre_rank_team_share(&s->store.share->team->board.team, numbers, &low, &high);
    for (int64_t k = low; k < high; k++) ((int32_t *)*line)[k] = (int32_t)(k - n);
    return torre_cpu_share_meet(s);
}

torre_status torre_cpu_team_open(cpu_solver *s)
{
    torre_cpu_share *h = s->store.share;
    const int64_t n = s->problem->count, ranks = h->ranks->count;
    const int64_t sums = ranks * torre_md_sum_bytes(n / ranks + 1);
    team *m = h->team = calloc(1, sizeof *m);
    void *line, *rank_of, *rows;
    if (!m) return torre_cpu_share_no_memory();
    TORRE_TRY(torre_rank_board_new(h->ranks, &m->board));
    TORRE_TRY(open_store(s));
    TORRE_TRY(open_line(s, &line));
    TORRE_TRY(torre_cpu_array_new(s, n * (int64_t)sizeof *m->rank_of, &rank_of));
    TORRE_TRY(torre_cpu_array_new(s, sums, &rows));
    m->line = line;
    m->rank_of = rank_of;
    m->rows = rows;
    m->room = sums / (int64_t)sizeof *m->rows;
    return torre_cpu_team_join_bins(s);
}

void torre_cpu_team_leave_bins(cpu_solver *s)
{
    const torre_cpu_share *h = s->store.share;
    if (!h || !h->team || s->bins.start != h->team->start) return;
    s->bins.start = NULL;
    s->bins.member = s->bins.rank_of = NULL;
}

/* Members and bins of particles, seen from the first of the own ones. */
static void show_bins(cpu_solver *s)
{
    const team *m = s->store.share->team;
    s->bins.rank_of = m->rank_of + s->store.first;
    s->bins.member = m->line + s->problem->count - s->store.first;
    s->bins.count = s->store.count;
}

torre_status torre_cpu_team_join_bins(cpu_solver *s)
{
    const torre_cpu_share *h = s->store.share;
    torre_bins *b = &s->bins;
    if (!h || !h->team) return TORRE_OK;
    free(b->start);
    free(b->member);
    free(b->rank_of);
    b->start = NULL;
    b->member = b->rank_of = NULL;
    if (b->bins > h->team->bins) {
        const int64_t room = b->bins + b->bins / 2;
        void *start;
        TORRE_TRY(torre_cpu_array_new(s, (room + 1) * (int64_t)sizeof *b->start, &start));
        h->team->start = start;
        h->team->bins = room;
    }
    b->start = h->team->start;
    show_bins(s);
    return TORRE_OK;
}

/* --- Particles --- */

/* The store of a rank that has so many particles from that one of all on. */
static torre_md_store store_at(const cpu_solver *s, int rank, int64_t first, int64_t count)
{
    torre_md_store t = s->store;
    const int64_t by = first - t.first, quad = by * torre_cpu_quad(s);
    void **const quads[] = {&t.position, &t.velocity, &t.force, &t.hold, &t.spare};
    const bool one = t.packed == t.position;
    for (int i = 0; i < 5; i++) *quads[i] = (char *)*quads[i] + quad;
    t.packed = one ? t.position : (char *)t.packed + by * 4 * s->state->pair_size;
    if (t.spare_packed) t.spare_packed = (char *)t.spare_packed + by * 4 * s->state->pair_size;
    t.id += by;
    t.spare_id += by;
    t.first = first;
    t.count = count;
    t.far = s->problem->count + rank - first;
    return t;
}

torre_md_store torre_cpu_team_store(const cpu_solver *s, int rank)
{
    const torre_cpu_share *h = s->store.share;
    return store_at(s, rank, h->first[rank], h->first[rank + 1] - h->first[rank]);
}

void torre_cpu_team_place(cpu_solver *s, int64_t first, int64_t count)
{
    const int64_t by = first - s->store.first;
    torre_cpu_column of[TORRE_CPU_COLUMNS];
    for (int c = torre_cpu_own_columns(s, false, of) - 1; c >= 0; c--)
        if (!of[c].by_id) *of[c].array = (char *)*of[c].array + by * of[c].each;
    s->store = store_at(s, s->store.share->ranks->rank, first, count);
    show_bins(s);
}

/* Of a part of the particles. */
typedef struct part_told {
    int64_t count, occupancy;
} part_told;

/* How many members the parts of other ranks have. */
static torre_status tell_parts(cpu_solver *s, torre_bins_part *part, int64_t count)
{
    torre_cpu_share *h = s->store.share;
    const part_told own = {count, s->bins.occupancy};
    part_told *all = malloc((size_t)h->ranks->count * sizeof *all);
    if (!all) return torre_cpu_share_no_memory();
    const torre_status status = torre_cpu_share_gather(h, &own, sizeof own, all);
    part->first = 0;
    for (int r = 0; r < h->ranks->count && !status; r++) {
        if (r < h->ranks->rank) part->first += all[r].count;
        if (all[r].occupancy > s->bins.occupancy) s->bins.occupancy = all[r].occupancy;
    }
    free(all);
    return status;
}

static torre_status order_room(team *m, int64_t count)
{
    if (count <= m->ordered) return TORRE_OK;
    const int64_t room = count + count / 8;
    free(m->order);
    m->ordered = 0;
    m->order = malloc((size_t)room * sizeof *m->order);
    if (!m->order) return torre_cpu_share_no_memory();
    m->ordered = room;
    return TORRE_OK;
}

/* Each reads particles of all: nobody writes an array anew that another one still reads. */
static torre_status permute(cpu_solver *s)
{
    for (int k = 0; k < TORRE_MD_PERMUTED; k++) {
        torre_md_store_permute(&s->store, s->state, &s->bins, k);
        TORRE_TRY(torre_cpu_share_meet(s));
    }
    torre_md_store_permuted(&s->store, s->state, &s->bins);
    return TORRE_OK;
}

/* rank_of own places is that of the bins that they are sorted into. */
static void renumber(const cpu_solver *s)
{
    const torre_bins *b = &s->bins;
    int32_t *rank_of = s->store.share->team->rank_of;
#pragma omp parallel for num_threads(b->threads)
    for (int64_t r = b->own[0]; r < b->own[1]; r++)
        for (int64_t i = b->start[r]; i < b->start[r + 1]; i++) rank_of[i] = (int32_t)r;
}

torre_status torre_cpu_team_sort(cpu_solver *s)
{
    torre_bins *b = &s->bins;
    team *m = s->store.share->team;
    torre_bins_part part = {b->own[0], b->own[1], m->rank_of, s->problem->count, 0};
    const int64_t count = torre_bins_count(b, &part);
    TORRE_TRY(tell_parts(s, &part, count));
    TORRE_TRY(order_room(m, count));
    torre_cpu_team_place(s, part.first, count);
    b->member = m->order;
    torre_bins_deal(b, &part);
    TORRE_TRY(permute(s));
    renumber(s);
    show_bins(s);
    return TORRE_OK;
}

/* --- Sums --- */

torre_status torre_cpu_team_rows(torre_cpu_share *h, const double *rows, int64_t count, int width,
                                 double *total, bool *summed)
{
    team *m = h->team;
    const int64_t own = count * width;
    int64_t *numbers = malloc((size_t)h->ranks->count * sizeof *numbers), before = 0, all = 0;
    if (!numbers) return torre_cpu_share_no_memory();
    torre_status status = torre_rank_board_swap(&m->board, &own, sizeof own, numbers);
    for (int r = 0; r < h->ranks->count && !status; r++) {
        if (r < h->ranks->rank) before += numbers[r];
        all += numbers[r];
    }
    free(numbers);
    *summed = all <= m->room;
    if (status || !*summed) return status;
    if (own > 0) memcpy(m->rows + before, rows, (size_t)own * sizeof *rows);
    TORRE_TRY(torre_rank_board_swap(&m->board, NULL, 0, NULL));
    for (int64_t i = 0; i < all; i++) total[i % width] += m->rows[i];
    return TORRE_OK;
}
