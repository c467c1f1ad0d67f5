/*
 * The nodes of receivers. Those of ten thousand receivers between the nodes are five million: they
 * are found plane by plane along x, by all threads, as bits of the cells of a plane, which sorts
 * them and finds those that several receivers take.
 */
#include "wave/receivers.h"

#include <stdlib.h>
#include <string.h>

#include "wave/interpolation.h"

static torre_status no_memory(void) { return torre_fail(TORRE_ERR_RESOURCE, "out of memory"); }

/* Cells next to each other, of the taps along z from `first` on. */
static int run_length(const torre_tap *z, int count, int first)
{
    int length = 1;
    while (first + length < count && z[first + length].cell == z[first].cell + length) length++;
    return length;
}

static int run_count(const torre_tap *z, int count)
{
    int runs = 0;
    for (int k = 0; k < count; k += run_length(z, count, k)) runs++;
    return runs;
}

/* Where the taps and segments of receivers begin; the counts of all to sums[receivers]. */
static void find_places(torre_wave_setup *s, const torre_taps *all)
{
    int64_t tap = 0, segment = 0;
    for (int64_t r = 0; r < s->problem->receiver_count; r++) {
        const torre_taps *t = all + 3 * r;
        torre_sum *sum = &s->sums[r];
        sum->tap = tap;
        sum->segment = segment;
        for (int a = 0; a < 3; a++) tap += sum->count[a] = t[a].count;
        int runs = 1;
        for (int k = 1; k < t[2].count; k++) runs += t[2].cell[k] != t[2].cell[k - 1] + 1;
        segment += (int64_t)t[0].count * t[1].count * runs;
    }
    s->sums[s->problem->receiver_count] = (torre_sum){.tap = tap, .segment = segment};
}

static torre_status make_taps(torre_wave_setup *s)
{
    const torre_wave_problem *p = s->problem;
    const int64_t receivers = p->receiver_count;
    torre_taps *all = malloc((size_t)(3 * receivers + 1) * sizeof *all);
    s->sums = malloc((size_t)(receivers + 1) * sizeof *s->sums);
    if (!all || !s->sums) {
        free(all);
        return no_memory();
    }
#pragma omp parallel for if (receivers > 100)
    for (int64_t r = 0; r < receivers; r++) torre_taps_find(p, &p->receivers[r], all + 3 * r);
    find_places(s, all);
    s->taps = malloc((size_t)(s->sums[receivers].tap + 1) * sizeof *s->taps);
    s->segments = malloc((size_t)(s->sums[receivers].segment + 1) * sizeof *s->segments);
    for (int64_t r = 0; r < receivers && s->taps; r++) {
        torre_tap *to = s->taps + s->sums[r].tap;
        for (const torre_taps *t = all + 3 * r; t < all + 3 * r + 3; t++)
            for (int i = 0; i < t->count; i++) *to++ = (torre_tap){t->cell[i], t->weight[i]};
    }
    free(all);
    return s->taps && s->segments ? TORRE_OK : no_memory();
}

/* The taps along x of all receivers by plane: users[first[x]] .. are those in plane x, as receiver
 * * TORRE_TAPS + number of the tap. column: of the first node of each plane. */
typedef struct plane_users {
    int64_t *first, *user, *column;
} plane_users;

static void free_users(plane_users *u)
{
    free(u->first);
    free(u->user);
    free(u->column);
}

static torre_status sort_users(const torre_wave_setup *s, plane_users *u)
{
    const int64_t nx = s->problem->size[0], receivers = s->problem->receiver_count;
    int64_t all = 0;
    for (int64_t r = 0; r < receivers; r++) all += s->sums[r].count[0];
    u->first = calloc((size_t)nx + 2, sizeof *u->first);
    u->user = malloc((size_t)(all + 1) * sizeof *u->user);
    u->column = malloc((size_t)(nx + 1) * sizeof *u->column);
    if (!u->first || !u->user || !u->column) return no_memory();
    int64_t *next = u->first + 1; /* counts, then starts, which advance to the starts after them */
    for (int64_t r = 0; r < receivers; r++)
        for (int i = 0; i < s->sums[r].count[0]; i++) next[s->taps[s->sums[r].tap + i].cell + 1]++;
    for (int64_t x = 0; x < nx; x++) next[x + 1] += next[x];
    for (int64_t r = 0; r < receivers; r++)
        for (int i = 0; i < s->sums[r].count[0]; i++)
            u->user[next[s->taps[s->sums[r].tap + i].cell]++] = r * TORRE_TAPS + i;
    return TORRE_OK;
}

/* The cells of a plane, a bit each, and how many of them there are before each word; there are none
 * but in words first .. end - 1. */
typedef struct plane_bits {
    uint64_t *word;
    int64_t *before, first, end;
} plane_bits;

static bool make_bits(const torre_wave_problem *p, plane_bits *b)
{
    const size_t words = (size_t)((p->size[1] * p->size[2] + 63) / 64);
    b->word = malloc(words * sizeof *b->word);
    b->before = malloc(words * sizeof *b->before);
    return b->word && b->before;
}

static void free_bits(plane_bits *b)
{
    free(b->word);
    free(b->before);
}

/* The words that have what receivers take of plane x, as clear ones. */
static void clear_words(const torre_wave_setup *s, const plane_users *u, int64_t x, plane_bits *b)
{
    int64_t low = INT64_MAX, high = 0; /* along y */
    for (int64_t i = u->first[x]; i < u->first[x + 1]; i++) {
        const torre_sum *sum = &s->sums[u->user[i] / TORRE_TAPS];
        const torre_tap *y = s->taps + sum->tap + sum->count[0], *last = y + sum->count[1] - 1;
        if (y->cell < low) low = y->cell;
        if (last->cell > high) high = last->cell;
    }
    b->first = low * s->problem->size[2] / 64;
    b->end = ((high + 1) * s->problem->size[2] + 63) / 64;
    memset(b->word + b->first, 0, (size_t)(b->end - b->first) * sizeof *b->word);
}

/* Mark what receivers take of plane x. Returns how many cells that are. */
static int64_t mark_plane(const torre_wave_setup *s, const plane_users *u, int64_t x, plane_bits *b)
{
    int64_t count = 0;
    clear_words(s, u, x, b);
    for (int64_t i = u->first[x]; i < u->first[x + 1]; i++) {
        const torre_sum *sum = &s->sums[u->user[i] / TORRE_TAPS];
        const torre_tap *y = s->taps + sum->tap + sum->count[0], *z = y + sum->count[1];
        for (int j = 0; j < sum->count[1]; j++)
            for (int k = 0; k < sum->count[2]; k++) {
                const int64_t cell = y[j].cell * s->problem->size[2] + z[k].cell;
                b->word[cell / 64] |= (uint64_t)1 << cell % 64;
            }
    }
    for (int64_t w = b->first; w < b->end; w++) {
        b->before[w] = count;
        count += __builtin_popcountll(b->word[w]);
    }
    return count;
}

static int64_t rank_of(const plane_bits *b, int64_t cell)
{
    const uint64_t below = ((uint64_t)1 << cell % 64) - 1;
    return b->before[cell / 64] + __builtin_popcountll(b->word[cell / 64] & below);
}

/* The nodes of plane x, and the segments that lie in it. */
static void fill_plane(torre_wave_setup *s, const plane_users *u, int64_t x, plane_bits *b)
{
    const int64_t *n = s->problem->size;
    int64_t column = u->column[x];
    mark_plane(s, u, x, b);
    for (int64_t w = b->first; w < b->end; w++)
        for (uint64_t rest = b->word[w]; rest; rest &= rest - 1, column++) {
            const int64_t cell = x * n[1] * n[2] + 64 * w + __builtin_ctzll(rest);
            s->receiver_nodes[column] =
                (torre_node){cell, column, 1 / torre_density_scale(&s->density, cell)};
        }
    for (int64_t i = u->first[x]; i < u->first[x + 1]; i++) {
        const torre_sum *sum = &s->sums[u->user[i] / TORRE_TAPS];
        const torre_tap *y = s->taps + sum->tap + sum->count[0], *z = y + sum->count[1];
        torre_segment *to = s->segments + sum->segment +
                            u->user[i] % TORRE_TAPS * sum->count[1] * run_count(z, sum->count[2]);
        for (int j = 0; j < sum->count[1]; j++)
            for (int k = 0; k < sum->count[2]; k += to[-1].count)
                *to++ = (torre_segment){u->column[x] + rank_of(b, y[j].cell * n[2] + z[k].cell),
                                        run_length(z, sum->count[2], k)};
    }
}

/* All planes, by all threads: how many nodes each has, to column[x], or with `fill` the nodes. */
static torre_status visit_planes(torre_wave_setup *s, plane_users *u, bool fill)
{
    const int64_t nx = s->problem->size[0];
    bool failed = false;
#pragma omp parallel if (u->first[nx] > 100) reduction(|| : failed)
    {
        plane_bits bits;
        failed = !make_bits(s->problem, &bits);
#pragma omp for schedule(dynamic)
        for (int64_t x = 0; x < nx; x++) {
            if (failed || u->first[x] == u->first[x + 1]) {
                if (!fill) u->column[x] = 0;
            } else if (fill) {
                fill_plane(s, u, x, &bits);
            } else {
                u->column[x] = mark_plane(s, u, x, &bits);
            }
        }
        free_bits(&bits);
    }
    return failed ? no_memory() : TORRE_OK;
}

static torre_status make_nodes(torre_wave_setup *s, plane_users *u)
{
    int64_t all = 0;
    TORRE_TRY(sort_users(s, u));
    TORRE_TRY(visit_planes(s, u, false));
    for (int64_t x = 0; x < s->problem->size[0]; x++) {
        const int64_t count = u->column[x];
        u->column[x] = all;
        all += count;
    }
    s->receiver_node_count = s->sample_columns = all;
    s->receiver_nodes = malloc((size_t)(all + 1) * sizeof *s->receiver_nodes);
    return s->receiver_nodes ? visit_planes(s, u, true) : no_memory();
}

torre_status torre_receivers_make(torre_wave_setup *s)
{
    plane_users users = {0};
    TORRE_TRY(make_taps(s));
    torre_status status = s->problem->receiver_count ? make_nodes(s, &users) : TORRE_OK;
    free_users(&users);
    return status;
}
