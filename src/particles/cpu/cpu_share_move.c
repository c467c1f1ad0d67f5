/* Which rank has which particles: a rebuild. */
#include <stdlib.h>
#include <string.h>

#include "particles/cpu/cpu_team.h"

typedef torre_cpu_solver cpu_solver;
typedef torre_cpu_share share;
typedef torre_cpu_column column;

/* Whether all particles are where they can be; else the failure, the same of all ranks. */
static torre_status check_lost(cpu_solver *s, int64_t place)
{
    int32_t id = place < 0 ? 0 : s->store.id[place];
    double lost = place >= 0;
    TORRE_TRY(torre_cpu_share_most(s->store.share, &lost, &id));
    return lost > 0 ? torre_md_store_lost(id, s->store.step) : TORRE_OK;
}

/* What a particle takes of a step, in parts that ranks share evenly: what has no part in all sweeps
 * is given to them apart where they have memory in common, else it counts where there is nothing
 * else. */
static int work_of(const cpu_solver *s, const int32_t below[2], int64_t place)
{
    enum { MORE = 30 };
    const int32_t id = s->store.id[place];
    if (id < below[0]) return MORE;
    return id < below[1] && !s->store.share->team;
}

/* Rank 0 adds up the work of all bins, and cuts. */
static torre_status cut_by(share *h, int64_t *work, int64_t bins)
{
    const torre_ranks *ranks = h->ranks;
    const int64_t bytes = bins * (int64_t)sizeof *work;
    if (ranks->rank > 0) TORRE_TRY(torre_rank_send(ranks, 0, work, bytes));
    for (int r = 1; r < ranks->count && ranks->rank == 0; r++) {
        TORRE_TRY(torre_cpu_message_room(&h->in[r], bytes));
        TORRE_TRY(torre_rank_receive(ranks, r, h->in[r].bytes, bytes));
        const int64_t *more = (const int64_t *)(const void *)h->in[r].bytes;
        for (int64_t b = 0; b < bins; b++) work[b] += more[b];
    }
    if (ranks->rank == 0) torre_bin_split_cut(&h->split, work, bins);
    return torre_cpu_share_tell(h, h->split.cut,
                                (ranks->count + 1) * (int64_t)sizeof *h->split.cut);
}

static torre_status cut_bins(cpu_solver *s)
{
    const torre_bins *bins = &s->bins;
    share *h = s->store.share;
    int64_t *work = calloc((size_t)bins->bins, sizeof *work);
    int32_t below[2];
    if (!work) return torre_cpu_share_no_memory();
    torre_cpu_listed(s, below);
    for (int64_t i = 0; i < s->store.count; i++) work[bins->rank_of[i]] += work_of(s, below, i);
    const torre_status status = cut_by(h, work, bins->bins);
    free(work);
    h->bins = bins->bins;
    return status;
}

/* Who has which bins, where that is to change. */
static torre_status split_bins(cpu_solver *s)
{
    share *h = s->store.share;
    const bool cut = h->uneven || h->bins != s->bins.bins;
    const bool stretched = s->problem->ensemble == TORRE_NPT; /* and the stencil, too, perhaps */
    if (cut) TORRE_TRY(cut_bins(s));
    if (!h->team && (cut || stretched)) TORRE_TRY(torre_bin_split_borders(&h->split, &s->bins));
    s->bins.own[0] = h->split.cut[h->ranks->rank];
    s->bins.own[1] = h->split.cut[h->ranks->rank + 1];
    return TORRE_OK;
}

/* What goes along with a particle to another rank: arrays by place, the id first, and columns of
 * the method. */
enum { PLACED = 5, MOVING = PLACED + TORRE_CPU_COLUMNS };

static int moving_columns(cpu_solver *s, column of[MOVING])
{
    torre_md_store *t = &s->store;
    const int64_t quad = torre_cpu_quad(s);
    of[0] = (column){(void **)&t->id, sizeof *t->id, false};
    of[1] = (column){&t->position, quad, false};
    of[2] = (column){&t->velocity, quad, false};
    of[3] = (column){&t->force, quad, false};
    of[4] = (column){&t->hold, quad, false};
    return PLACED + torre_cpu_own_columns(s, false, of + PLACED);
}

static int64_t moving_bytes(cpu_solver *s)
{
    column of[MOVING];
    int64_t bytes = 0;
    for (int c = moving_columns(s, of) - 1; c >= 0; c--) bytes += of[c].each;
    return bytes;
}

/* Particles that leave this rank, by place, and for whom. */
typedef struct leaver {
    int64_t place;
    int rank;
} leaver;

static bool is_own(const torre_bins *bins, int64_t i)
{
    return bins->rank_of[i] >= bins->own[0] && bins->rank_of[i] < bins->own[1];
}

static leaver *find_leavers(const cpu_solver *s, int64_t *count)
{
    const torre_bins *bins = &s->bins;
    int64_t found = 0;
    for (int64_t i = 0; i < s->store.count; i++) found += !is_own(bins, i);
    leaver *all = malloc((size_t)(found + 1) * sizeof *all);
    *count = 0;
    for (int64_t i = 0; i < s->store.count && all; i++)
        if (!is_own(bins, i))
            all[(*count)++] =
                (leaver){i, torre_bin_split_owner(&s->store.share->split, bins->rank_of[i])};
    return all;
}

/* Columns of those that leave for each rank, one after another. */
static torre_status pack_leavers(cpu_solver *s, const leaver *all, int64_t count)
{
    share *h = s->store.share;
    column of[MOVING];
    const int columns = moving_columns(s, of);
    for (int r = 0; r < h->ranks->count; r++) {
        int64_t going = 0;
        for (int64_t k = 0; k < count; k++) going += all[k].rank == r;
        TORRE_TRY(torre_cpu_message_room(&h->out[r], going * moving_bytes(s)));
        char *to = h->out[r].bytes;
        for (int c = 0; c < columns && going > 0; c++)
            for (int64_t k = 0; k < count; k++) {
                if (all[k].rank != r) continue;
                memcpy(to, torre_cpu_at_place(s, &of[c], all[k].place), (size_t)of[c].each);
                to += of[c].each;
            }
    }
    return TORRE_OK;
}

/* How much comes from each, then that. */
static torre_status exchange_leavers(share *h)
{
    const int ranks = h->ranks->count;
    int64_t *bytes = malloc((size_t)(ranks + 1) * (size_t)ranks * sizeof *bytes);
    if (!bytes) return torre_cpu_share_no_memory();
    int64_t *all = bytes + ranks;
    for (int r = 0; r < ranks; r++) bytes[r] = h->out[r].count;
    torre_status status = torre_cpu_share_gather(h, bytes, ranks * (int64_t)sizeof *bytes, all);
    for (int r = 0; r < ranks && !status; r++)
        if (r != h->ranks->rank)
            status = torre_cpu_message_room(&h->in[r], all[r * ranks + h->ranks->rank]);
    free(bytes);
    return status ? status : torre_cpu_share_swap(h);
}

/* A column anew, into the spare one: those from the ranks before, those that stay, the others; so
 * that particles of a bin come in the order they have in one process. */
static char *join_column(const cpu_solver *s, const column *of, int64_t offset, const leaver *gone,
                         int64_t leaving, char *to)
{
    const share *h = s->store.share;
    const int64_t moved = moving_bytes((cpu_solver *)s);
    const char *own = *of->array;
    for (int r = 0; r < h->ranks->count; r++) {
        int64_t place = 0;
        const int64_t count = r == h->ranks->rank ? 0 : h->in[r].count / moved;
        if (count > 0) memcpy(to, h->in[r].bytes + offset * count, (size_t)(count * of->each));
        to += count * of->each;
        for (int64_t k = 0; k <= leaving && r == h->ranks->rank; k++) {
            const int64_t end = k < leaving ? gone[k].place : s->store.count;
            memcpy(to, own + place * of->each, (size_t)((end - place) * of->each));
            to += (end - place) * of->each;
            place = end + 1;
        }
    }
    return to;
}

/* A column by id, of those that come. */
static void take_column(cpu_solver *s, const column *of, int64_t offset)
{
    const share *h = s->store.share;
    const int64_t moved = moving_bytes(s);
    for (int r = 0; r < h->ranks->count; r++) {
        const int64_t count = r == h->ranks->rank ? 0 : h->in[r].count / moved;
        const int32_t *id = (const int32_t *)(const void *)h->in[r].bytes; /* the first column */
        for (int64_t i = 0; i < count; i++)
            memcpy((char *)*of->array + id[i] * of->each,
                   h->in[r].bytes + offset * count + i * of->each, (size_t)of->each);
    }
}

static torre_status join(cpu_solver *s, const leaver *gone, int64_t leaving)
{
    torre_md_store *t = &s->store;
    share *h = t->share;
    const bool one = t->packed == t->position;
    column of[MOVING];
    int64_t count = t->count - leaving, offset = 0;
    for (int r = 0; r < h->ranks->count; r++)
        if (r != h->ranks->rank) count += h->in[r].count / moving_bytes(s);
    TORRE_TRY(torre_md_store_grow(t, s->state, count));
    const int columns = moving_columns(s, of);
    for (int c = 0; c < columns; offset += of[c++].each) {
        if (of[c].by_id) {
            take_column(s, &of[c], offset);
            continue;
        }
        void **spare = c == 0 ? (void **)&t->spare_id : &t->spare, *old = *of[c].array;
        join_column(s, &of[c], offset, gone, leaving, *spare);
        if (c >= PLACED) { /* of another size */
            memcpy(old, *spare, (size_t)(count * of[c].each));
            continue;
        }
        *of[c].array = *spare;
        *spare = old;
    }
    if (one) t->packed = t->position;
    t->count = count;
    torre_cpu_share_set_far(s, count);
    return torre_bins_grow(&s->bins, count);
}

static torre_status migrate(cpu_solver *s)
{
    int64_t leaving;
    leaver *gone = find_leavers(s, &leaving);
    if (!gone) return torre_cpu_share_no_memory();
    torre_status status = pack_leavers(s, gone, leaving);
    if (!status) status = exchange_leavers(s->store.share);
    if (!status) status = join(s, gone, leaving);
    free(gone);
    return status;
}

/* Those that have come into own bins, in the order of these. */
static torre_status sort_by_messages(cpu_solver *s)
{
    TORRE_TRY(migrate(s));
    s->state->bin(&s->store, &s->bins);
    torre_md_store_sort(&s->store, s->state, &s->bins);
    return TORRE_OK;
}

/* Particles of a rank, their work, and how many of them are for some sweeps alone. */
typedef struct burden {
    int64_t count, work, partial;
} burden;

static bool is_partial(const int32_t below[2], int32_t id)
{
    return id >= below[0] && id < below[1];
}

static burden own_burden(const cpu_solver *s, const int32_t below[2])
{
    burden own = {.count = s->store.count};
    for (int64_t i = 0; i < s->store.count; i++) {
        own.work += work_of(s, below, i);
        own.partial += is_partial(below, s->store.id[i]);
    }
    return own;
}

/*
 * Ranks with memory in common compute evenly many of the particles that are for some sweeps alone,
 * whoever moves them:
 *
 *     rank 0 has   o o            an even part is four: it keeps them, and is given two
 *     rank 1       o o o o o o o  keeps four; those over, the last three, are given away
 *     rank 2       o o o          keeps them, and is given one
 */
typedef struct even_part {
    int64_t keeps, given;
} even_part;

static even_part even_part_of(const burden *of, int ranks, int rank)
{
    int64_t all = 0;
    for (int r = 0; r < ranks; r++) all += of[r].partial;
    const int64_t even = all * (rank + 1) / ranks - all * rank / ranks, own = of[rank].partial;
    return (even_part){own < even ? own : even, own < even ? even - own : 0};
}

/* Places of `given` particles: of those over, of all ranks one after another, the ones behind the
 * first `before`. */
static void find_given(const cpu_solver *s, const int32_t below[2], const burden *of,
                       int64_t before, int64_t given, int32_t *place)
{
    const torre_md_store *t = &s->store;
    const share *h = t->share;
    for (int r = 0; r < h->ranks->count && given > 0; r++) {
        const int64_t keeps = even_part_of(of, h->ranks->count, r).keeps;
        const int64_t over = of[r].partial - keeps, end = h->first[r + 1] - t->first;
        int64_t pass = keeps + before;
        before = over < before ? before - over : 0;
        if (of[r].partial <= pass) continue;
        for (int64_t i = h->first[r] - t->first; i < end && given > 0; i++) {
            if (!is_partial(below, t->id[i]) || pass-- > 0) continue;
            *place++ = (int32_t)i;
            given--;
        }
    }
}

/* The place behind the first so many. */
static int64_t place_behind(const cpu_solver *s, const int32_t below[2], int64_t partial)
{
    int64_t i = 0;
    for (; partial > 0; i++) partial -= is_partial(below, s->store.id[i]);
    return i;
}

/* Which particles have lists here. */
static torre_status choose_listed(cpu_solver *s, const int32_t below[2], const burden *of)
{
    const share *h = s->store.share;
    const int ranks = h->ranks->count, rank = h->ranks->rank;
    even_part own = {of[rank].partial, 0};
    int64_t before = 0;
    if (h->team) own = even_part_of(of, ranks, rank);
    for (int r = 0; r < rank && h->team; r++) before += even_part_of(of, ranks, r).given;
    TORRE_TRY(torre_md_lists_grow(&s->lists, s->store.count, own.given));
    memcpy(s->lists.below, below, sizeof s->lists.below);
    s->lists.kept = place_behind(s, below, own.keeps);
    find_given(s, below, of, before, own.given, s->lists.given);
    return TORRE_OK;
}

/* Particles of each rank, and whether they are uneven; lists of these. */
static torre_status count_all(cpu_solver *s)
{
    share *h = s->store.share;
    const int ranks = h->ranks->count;
    int32_t below[2];
    torre_cpu_listed(s, below);
    const burden own = own_burden(s, below);
    burden *of = malloc((size_t)ranks * sizeof *of);
    int64_t most = 0, all = 0;
    if (!of) return torre_cpu_share_no_memory();
    torre_status status = torre_cpu_share_gather(h, &own, sizeof own, of);
    h->first[0] = 0;
    for (int r = 0; r < ranks && !status; r++) {
        h->first[r + 1] = h->first[r] + of[r].count;
        most = of[r].work > most ? of[r].work : most;
        all += of[r].work;
    }
    s->store.first = h->first[h->ranks->rank];
    h->uneven = 20 * most * ranks > 21 * all;
    if (!status) status = choose_listed(s, below, of);
    free(of);
    return status;
}

torre_status torre_cpu_share_rebuild(cpu_solver *s, double time, double most, bool holds)
{
    torre_md_store *t = &s->store;
    int64_t lost;
    if (!t->share->team) {
        torre_cpu_share_set_far(s, t->count);
        TORRE_TRY(torre_bins_grow(&s->bins, t->count));
    }
    if (holds) {
        lost = s->state->wrap(t, s->bins.grid.box);
        if (lost < 0) s->state->bin(t, &s->bins);
    } else {
        lost = torre_md_store_place(t, s->state, &s->bins, time, most);
    }
    TORRE_TRY(check_lost(s, lost));
    TORRE_TRY(split_bins(s));
    TORRE_TRY(t->share->team ? torre_cpu_team_sort(s) : sort_by_messages(s));
    TORRE_TRY(count_all(s)); /* where others have memory in common, they have sorted theirs */
    return t->share->team ? TORRE_OK : torre_cpu_share_fetch(s);
}
