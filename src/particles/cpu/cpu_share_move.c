/* Which rank has which particles, and what ranks tell each other of them. */
#include <stdlib.h>
#include <string.h>

#include "particles/cpu/cpu_share.h"

typedef torre_cpu_solver cpu_solver;
typedef torre_cpu_share share;

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the particles of a rank");
}

static int64_t quad_of_state(const cpu_solver *s) { return 4 * s->state->state_size; }

typedef torre_cpu_column column;

/* Columns of the method, if any. */
static int own_columns(cpu_solver *s, bool ghosts, column of[TORRE_CPU_COLUMNS])
{
    return s->method->columns ? s->method->columns(s, ghosts, of) : 0;
}

/* Where a column has what belongs to a place. */
static char *at_place(const cpu_solver *s, const column *of, int64_t place)
{
    return (char *)*of->array + (of->by_id ? s->store.id[place] : place) * of->each;
}

/* --- The far particle, which lies behind the others --- */

/* Arrays that have it; returns how many. */
static int far_columns(cpu_solver *s, column of[4])
{
    torre_md_store *t = &s->store;
    const int64_t quad = quad_of_state(s);
    of[0] = (column){&t->position, quad, false};
    of[1] = (column){&t->velocity, quad, false};
    of[2] = (column){&t->force, quad, false};
    of[3] = (column){&t->packed, 4 * s->state->pair_size, false};
    return t->packed == t->position ? 3 : 4;
}

static void keep_far(cpu_solver *s)
{
    column of[4];
    const int count = far_columns(s, of);
    for (int i = 0; i < count; i++)
        memcpy(s->store.share->far[i], (char *)*of[i].array + s->store.far * of[i].each,
               (size_t)of[i].each);
}

static void set_far(cpu_solver *s, int64_t place)
{
    column of[4];
    const int count = far_columns(s, of);
    s->store.far = place;
    for (int i = 0; i < count; i++)
        memcpy((char *)*of[i].array + place * of[i].each, s->store.share->far[i],
               (size_t)of[i].each);
}

/* --- The start --- */

/* What a rank begins with: particles of some ids, as they are in the problem. */
typedef struct slice {
    int64_t low, count;
    double *position[3], *velocity[3], *radius;
    uint8_t *type;
    void *memory;
} slice;

static torre_status slice_make(slice *p, bool radii)
{
    double *at = p->memory = malloc((size_t)(p->count + 1) * (6 + radii + 1) * sizeof *at);
    if (!at) return no_memory();
    for (int a = 0; a < 3; a++, at += p->count) p->position[a] = at;
    for (int a = 0; a < 3; a++, at += p->count) p->velocity[a] = at;
    if (radii) p->radius = at, at += p->count;
    p->type = (uint8_t *)at;
    return TORRE_OK;
}

static int64_t slice_low(const cpu_solver *s, int rank)
{
    const int64_t n = s->problem->count, ranks = s->store.share->ranks->count;
    return n / ranks * rank + n % ranks * rank / ranks;
}

/* Arrays from rank 0, with `types` a byte each. */
static torre_status slice_receive(const cpu_solver *s, slice *p)
{
    const torre_ranks *ranks = s->store.share->ranks;
    const int64_t bytes = p->count * (int64_t)sizeof(double);
    for (int a = 0; a < 3; a++) TORRE_TRY(torre_rank_receive(ranks, 0, p->position[a], bytes));
    for (int a = 0; a < 3; a++) TORRE_TRY(torre_rank_receive(ranks, 0, p->velocity[a], bytes));
    if (s->store.types) TORRE_TRY(torre_rank_receive(ranks, 0, p->type, p->count));
    if (p->radius) TORRE_TRY(torre_rank_receive(ranks, 0, p->radius, bytes));
    return TORRE_OK;
}

static torre_status slice_send(const cpu_solver *s, int rank, const double *const position[3],
                               const double *const velocity[3])
{
    const torre_ranks *ranks = s->store.share->ranks;
    const torre_md_problem *p = s->problem;
    const int64_t low = slice_low(s, rank), count = slice_low(s, rank + 1) - low;
    const int64_t bytes = count * (int64_t)sizeof(double);
    for (int a = 0; a < 3; a++) TORRE_TRY(torre_rank_send(ranks, rank, position[a] + low, bytes));
    for (int a = 0; a < 3; a++) TORRE_TRY(torre_rank_send(ranks, rank, velocity[a] + low, bytes));
    if (p->types) TORRE_TRY(torre_rank_send(ranks, rank, p->types->type + low, count));
    if (p->radius) TORRE_TRY(torre_rank_send(ranks, rank, p->radius + low, bytes));
    return TORRE_OK;
}

static void load(cpu_solver *s, int64_t low, int64_t count, const double *const position[3],
                 const double *const velocity[3])
{
    s->store.first = low;
    s->store.count = s->store.far = count;
    s->state->load(&s->store, position, velocity, s->problem->box);
    keep_far(s);
}

torre_status torre_cpu_share_load(cpu_solver *s, const double *const position[3],
                                  const double *const velocity[3])
{
    torre_md_store *t = &s->store;
    const torre_ranks *ranks = t->share->ranks;
    slice p = {.low = slice_low(s, ranks->rank)};
    p.count = slice_low(s, ranks->rank + 1) - p.low;
    bool radii = s->problem->radius != NULL; /* of rank 0 */
    t->share->bins = 0;
    TORRE_TRY(torre_md_store_grow(t, s->state, p.count));
    TORRE_TRY(torre_cpu_share_tell(t->share, &radii, sizeof radii));
    if (ranks->rank == 0) {
        for (int r = 1; r < ranks->count; r++) TORRE_TRY(slice_send(s, r, position, velocity));
        load(s, 0, p.count, position, velocity);
        return TORRE_OK;
    }
    TORRE_TRY(slice_make(&p, radii));
    const torre_status status = slice_receive(s, &p);
    if (!status) {
        t->type = p.type;
        t->radius = p.radius;
        load(s, p.low, p.count, (const double *const *)p.position,
             (const double *const *)p.velocity);
        t->type = NULL;
        t->radius = NULL;
    }
    free(p.memory);
    return status;
}

/* --- Rebuilds --- */

/* Whether all particles are where they can be; else the failure, the same of all ranks. */
static torre_status check_lost(cpu_solver *s, int64_t place)
{
    int32_t id = place < 0 ? 0 : s->store.id[place];
    double lost = place >= 0;
    TORRE_TRY(torre_cpu_share_most(s->store.share, &lost, &id));
    return lost > 0 ? torre_md_store_lost(id, s->store.step) : TORRE_OK;
}

/* Rank 0 adds up the particles of all bins, and cuts. */
static torre_status cut_by(share *h, int64_t *particles, int64_t bins)
{
    const torre_ranks *ranks = h->ranks;
    const int64_t bytes = bins * (int64_t)sizeof *particles;
    if (ranks->rank > 0) TORRE_TRY(torre_rank_send(ranks, 0, particles, bytes));
    for (int r = 1; r < ranks->count && ranks->rank == 0; r++) {
        TORRE_TRY(torre_cpu_message_room(&h->in[r], bytes));
        TORRE_TRY(torre_rank_receive(ranks, r, h->in[r].bytes, bytes));
        const int64_t *more = (const int64_t *)(const void *)h->in[r].bytes;
        for (int64_t b = 0; b < bins; b++) particles[b] += more[b];
    }
    if (ranks->rank == 0) torre_bin_split_cut(&h->split, particles, bins);
    return torre_cpu_share_tell(h, h->split.cut,
                                (ranks->count + 1) * (int64_t)sizeof *h->split.cut);
}

static torre_status cut_bins(cpu_solver *s)
{
    const torre_bins *bins = &s->bins;
    share *h = s->store.share;
    int64_t *particles = calloc((size_t)bins->bins, sizeof *particles);
    if (!particles) return no_memory();
    for (int64_t i = 0; i < s->store.count; i++) particles[bins->rank_of[i]]++;
    const torre_status status = cut_by(h, particles, bins->bins);
    free(particles);
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
    if (cut || stretched) TORRE_TRY(torre_bin_split_borders(&h->split, &s->bins));
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
    const int64_t quad = quad_of_state(s);
    of[0] = (column){(void **)&t->id, sizeof *t->id, false};
    of[1] = (column){&t->position, quad, false};
    of[2] = (column){&t->velocity, quad, false};
    of[3] = (column){&t->force, quad, false};
    of[4] = (column){&t->hold, quad, false};
    return PLACED + own_columns(s, false, of + PLACED);
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
                memcpy(to, at_place(s, &of[c], all[k].place), (size_t)of[c].each);
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
    if (!bytes) return no_memory();
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
        *of[c].array = *spare;
        *spare = old;
    }
    if (one) t->packed = t->position;
    t->count = count;
    set_far(s, count);
    return torre_bins_grow(&s->bins, count);
}

static torre_status migrate(cpu_solver *s)
{
    int64_t leaving;
    leaver *gone = find_leavers(s, &leaving);
    if (!gone) return no_memory();
    torre_status status = pack_leavers(s, gone, leaving);
    if (!status) status = exchange_leavers(s->store.share);
    if (!status) status = join(s, gone, leaving);
    free(gone);
    return status;
}

static torre_status count_all(cpu_solver *s)
{
    share *h = s->store.share;
    int64_t most = 0;
    TORRE_TRY(torre_cpu_share_gather(h, &s->store.count, sizeof s->store.count, h->first + 1));
    h->first[0] = 0;
    for (int r = 0; r < h->ranks->count; r++) {
        most = h->first[r + 1] > most ? h->first[r + 1] : most;
        h->first[r + 1] += h->first[r];
    }
    s->store.first = h->first[h->ranks->rank];
    h->uneven = 20 * most * h->ranks->count > 21 * s->problem->count;
    return TORRE_OK;
}

/* --- Ghosts --- */

/* What a step needs to know of them; returns how many columns. */
enum { STEPPING = 2 + TORRE_CPU_COLUMNS };

static int step_columns(cpu_solver *s, column of[STEPPING])
{
    torre_md_store *t = &s->store;
    const bool tiles = s->plan->neighbor == TORRE_NEIGHBOR_TILE; /* which read positions as such */
    of[0] = tiles ? (column){&t->position, quad_of_state(s), false}
                  : (column){&t->packed, 4 * s->state->pair_size, false};
    of[1] = (column){&t->velocity, quad_of_state(s), false};
    const int columns = torre_pair_dissipates(s->problem->model) ? 2 : 1;
    return columns + own_columns(s, true, of + columns);
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
        if (!of->by_id) memcpy(to, at_place(s, of, place), (size_t)(count * of->each));
        for (int64_t i = 0; i < count && of->by_id; i++)
            memcpy(to + i * of->each, at_place(s, of, place + i), (size_t)of->each);
        to += count * of->each;
    }
    return to;
}

static const char *take_ghosts(const cpu_solver *s, int rank, const column *of, const char *from)
{
    const share *h = s->store.share;
    const int64_t place = h->ghost[rank], count = h->ghost[rank + 1] - place;
    if (!of->by_id) memcpy(at_place(s, of, place), from, (size_t)(count * of->each));
    for (int64_t i = 0; i < count && of->by_id; i++)
        memcpy(at_place(s, of, place + i), from + i * of->each, (size_t)of->each);
    return from + count * of->each;
}

/* Columns of ghosts, behind a number of each rank, the largest of which *number becomes. */
static torre_status fetch(cpu_solver *s, const column *of, int columns, double *number)
{
    share *h = s->store.share;
    int64_t each = 0;
    for (int c = 0; c < columns; c++) each += of[c].each;
    for (int r = 0; r < h->ranks->count; r++) {
        if (r == h->ranks->rank) continue;
        TORRE_TRY(torre_cpu_message_room(&h->out[r], (int64_t)sizeof *number + h->lent[r] * each));
        TORRE_TRY(torre_cpu_message_room(&h->in[r], (int64_t)sizeof *number +
                                                        (h->ghost[r + 1] - h->ghost[r]) * each));
        memcpy(h->out[r].bytes, number, sizeof *number);
        char *to = h->out[r].bytes + sizeof *number;
        for (int c = 0; c < columns; c++) to = put_lent(s, r, &of[c], to);
    }
    TORRE_TRY(torre_cpu_share_swap(h));
    for (int r = 0; r < h->ranks->count; r++) {
        double there;
        if (r == h->ranks->rank) continue;
        memcpy(&there, h->in[r].bytes, sizeof there);
        *number = there > *number ? there : *number;
        const char *from = h->in[r].bytes + sizeof there;
        for (int c = 0; c < columns; c++) from = take_ghosts(s, r, &of[c], from);
    }
    return TORRE_OK;
}

torre_status torre_cpu_share_step(cpu_solver *s, double *moved)
{
    column of[STEPPING];
    const int columns = step_columns(s, of);
    return fetch(s, of, columns, moved);
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
    set_far(s, place);
    place = s->store.count;
    for (int r = 0; r < h->ranks->count; r++) {
        const int32_t *count = (const int32_t *)(const void *)h->in[r].bytes;
        const torre_bin_list *l = &h->split.lent_by[r];
        for (int64_t k = 0; k < l->count; k++)
            for (int32_t i = 0; i < count[k]; i++) s->bins.rank_of[place++] = l->bin[k];
    }
    return TORRE_OK;
}

static torre_status fetch_ghosts(cpu_solver *s)
{
    double nothing = 0;
    column of[2 + STEPPING] = {{(void **)&s->store.id, sizeof *s->store.id, false},
                               {&s->store.hold, quad_of_state(s), false}};
    TORRE_TRY(exchange_counts(s));
    TORRE_TRY(place_ghosts(s));
    TORRE_TRY(fetch(s, of, 2 + step_columns(s, of + 2), &nothing));
    torre_bins_sort(&s->bins);
    return TORRE_OK;
}

torre_status torre_cpu_share_rebuild(cpu_solver *s, double time, double most, bool holds)
{
    torre_md_store *t = &s->store;
    int64_t lost;
    set_far(s, t->count);
    TORRE_TRY(torre_bins_grow(&s->bins, t->count));
    if (holds) {
        lost = s->state->wrap(t, s->bins.grid.box);
        if (lost < 0) s->state->bin(t, &s->bins);
    } else {
        lost = torre_md_store_place(t, s->state, &s->bins, time, most);
    }
    TORRE_TRY(check_lost(s, lost));
    TORRE_TRY(split_bins(s));
    TORRE_TRY(migrate(s));
    s->state->bin(t, &s->bins);
    torre_md_store_sort(t, s->state, &s->bins);
    TORRE_TRY(count_all(s));
    TORRE_TRY(fetch_ghosts(s));
    return torre_md_lists_grow(&s->lists, t->count);
}

/* --- Arrays of all ranks --- */

/* Values of this rank's particles by place, with the ids. */
static torre_status send_values(cpu_solver *s, const void *quads, const double *box)
{
    torre_md_store by_place = s->store;
    const torre_ranks *ranks = s->store.share->ranks;
    const int64_t count = s->store.count;
    double *value = malloc((size_t)(3 * count + 1) * sizeof *value);
    if (!value) return no_memory();
    by_place.id = s->store.spare_id;
    for (int64_t i = 0; i < count; i++) by_place.id[i] = (int32_t)i;
    double *const out[3] = {value, value + count, value + 2 * count};
    s->state->unload(&by_place, quads, box, out);
    torre_status status =
        torre_rank_send(ranks, 0, s->store.id, count * (int64_t)sizeof *s->store.id);
    if (!status) status = torre_rank_send(ranks, 0, value, 3 * count * (int64_t)sizeof *value);
    free(value);
    return status;
}

static torre_status receive_values(cpu_solver *s, int rank, double *const out[3])
{
    const share *h = s->store.share;
    const int64_t count = h->first[rank + 1] - h->first[rank];
    double *value = malloc((size_t)(3 * count + 1) * sizeof *value);
    int32_t *id = malloc((size_t)(count + 1) * sizeof *id);
    torre_status status = value && id ? TORRE_OK : no_memory();
    if (!status) status = torre_rank_receive(h->ranks, rank, id, count * (int64_t)sizeof *id);
    if (!status)
        status = torre_rank_receive(h->ranks, rank, value, 3 * count * (int64_t)sizeof *value);
    for (int a = 0; a < 3 && !status; a++)
        for (int64_t i = 0; i < count && out[a]; i++) out[a][id[i]] = value[a * count + i];
    free(value);
    free(id);
    return status;
}

torre_status torre_cpu_share_unload(cpu_solver *s, const void *quads, const double *box,
                                    double *const out[3])
{
    const torre_ranks *ranks = s->store.share->ranks;
    if (ranks->rank > 0) return send_values(s, quads, box);
    s->state->unload(&s->store, quads, box, out);
    for (int r = 1; r < ranks->count; r++) TORRE_TRY(receive_values(s, r, out));
    return TORRE_OK;
}

torre_status torre_cpu_share_gather_ids(cpu_solver *s, void *of, int64_t each)
{
    const share *h = s->store.share;
    const torre_ranks *ranks = h->ranks;
    char *array = of;
    torre_status status = TORRE_OK;
    for (int r = 1; r < ranks->count && !status; r++) {
        const bool sends = ranks->rank == r;
        if (!sends && ranks->rank > 0) continue;
        const int64_t count = h->first[r + 1] - h->first[r];
        int32_t *id = sends ? s->store.id : malloc((size_t)(count + 1) * sizeof *id);
        char *value = malloc((size_t)(count * each + 1));
        status = id && value ? TORRE_OK : no_memory();
        for (int64_t i = 0; i < count && sends && !status; i++)
            memcpy(value + i * each, array + id[i] * each, (size_t)each);
        const int64_t ids = count * (int64_t)sizeof *id;
        if (!status)
            status =
                sends ? torre_rank_send(ranks, 0, id, ids) : torre_rank_receive(ranks, r, id, ids);
        if (!status)
            status = sends ? torre_rank_send(ranks, 0, value, count * each)
                           : torre_rank_receive(ranks, r, value, count * each);
        for (int64_t i = 0; i < count && !sends && !status; i++)
            memcpy(array + id[i] * each, value + i * each, (size_t)each);
        free(value);
        if (!sends) free(id);
    }
    return status;
}

torre_status torre_cpu_share_visit_ids(cpu_solver *s, torre_md_visit *visit, void *context,
                                       const char *name, void *array, int64_t each)
{
    share *h = s->store.share;
    const int64_t bytes = s->problem->count * each;
    TORRE_TRY(torre_cpu_share_gather_ids(s, array, each));
    if (h->ranks->rank == 0) TORRE_TRY(visit(context, name, array, bytes));
    return torre_cpu_share_tell(h, array, bytes);
}

/* Rank 0 and `whole`: to it (show), or from it. */
static torre_status pass_whole(cpu_solver *s, bool show, char *own, int64_t each, char *whole)
{
    const share *h = s->store.share;
    const size_t bytes = (size_t)(s->store.count * each);
    memcpy(show ? whole : own, show ? own : whole, bytes);
    for (int r = 1; r < h->ranks->count; r++) {
        const int64_t there = (h->first[r + 1] - h->first[r]) * each;
        char *place = whole + h->first[r] * each;
        TORRE_TRY(show ? torre_rank_receive(h->ranks, r, place, there)
                       : torre_rank_send(h->ranks, r, place, there));
    }
    return TORRE_OK;
}

torre_status torre_cpu_share_visit(cpu_solver *s, torre_md_visit *visit, void *context,
                                   const char *name, void *array, int64_t each, bool far)
{
    const torre_ranks *ranks = s->store.share->ranks;
    const int64_t all = s->problem->count, own = s->store.count * each;
    char *last = (char *)array + s->store.far * each;
    if (ranks->rank > 0) {
        TORRE_TRY(torre_rank_send(ranks, 0, array, own));
        return torre_rank_receive(ranks, 0, array, own);
    }
    char *whole = malloc((size_t)((all + 1) * each));
    if (!whole) return no_memory();
    torre_status status = pass_whole(s, true, array, each, whole);
    if (far) memcpy(whole + all * each, last, (size_t)each);
    if (!status) status = visit(context, name, whole, (all + far) * each);
    if (!status) status = pass_whole(s, false, array, each, whole);
    free(whole);
    return status;
}
