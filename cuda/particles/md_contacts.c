/*
 * Contacts of rough grains that several devices share (md_share.h): keys and springs lie by id
 * (particles/grains.h), on every device with room for those of all grains, and are right where the
 * grain is. They go to the device that it has come to at a rebuild; who had them keeps a copy, so
 * that a rebuild can be made again with larger tables.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "md_share.h"

static const char telling[] = "telling other devices of contacts";

/* --- Grains that go to another device --- */

/* What goes or comes, one part after another. */
typedef struct parts {
    int64_t count, keys, springs; /* grains; bytes of a row */
    char *key, *spring;
    int *id;
} parts;

static int64_t whole_words(int64_t bytes) { return (bytes + 15) / 16 * 16; }

static parts parts_in(const md_cuda_solver *s, const md_share_room *room, int64_t count)
{
    parts p = {.count = count,
               .keys = md_cuda_keys(s->problem),
               .springs = md_cuda_springs(s->problem),
               .key = room->bytes};
    p.spring = p.key + count * p.keys;
    p.id = (int *)(void *)(p.spring + count * p.springs);
    return p;
}

static int64_t bytes_of(const md_cuda_solver *s, int64_t count)
{
    return count * (md_cuda_keys(s->problem) + md_cuda_springs(s->problem)) +
           whole_words(count * (int64_t)sizeof(int)) + 16;
}

/* Grains that this device hands on, or gets. */
static int64_t count_of(const md_share *h, const md_contacts_gone *gone, bool comes)
{
    const int self = h->ranks->rank;
    int64_t count = 0;
    for (int r = 0; r < h->ranks->count; r++)
        count += comes ? gone->count[r][self] : gone->count[self][r];
    return count;
}

torre_status md_contacts_room(md_cuda_solver *s, const md_contacts_gone *gone, int first[],
                              int **id)
{
    md_share *h = s->share;
    const int64_t out = count_of(h, gone, false), in = count_of(h, gone, true);
    TORRE_TRY(md_share_make_shown_room(h, &h->gone, bytes_of(s, out)));
    TORRE_TRY(md_share_make_room(&h->come, bytes_of(s, in), telling));
    for (int r = 0, at = 0; r < h->ranks->count; at += gone->count[h->ranks->rank][r++])
        first[r] = at;
    *id = parts_in(s, &h->gone, out).id;
    return TORRE_OK;
}

/* Queue that rows of these ids are in `some`, or back from there. */
static torre_status queue_rows(md_cuda_solver *s, void *whole, int64_t each, void *some,
                               const int *id, int64_t count, bool back)
{
    const md_rows_args a = {.whole = whole,
                            .some = some,
                            .id = id,
                            .count = (int)count,
                            .words = (int)(each / 16),
                            .back = back};
    TORRE_CUDA_TRY(s->kernels->state->rows(&a, s->stream), telling);
    return TORRE_OK;
}

static torre_status queue_both(md_cuda_solver *s, const parts *p, bool back)
{
    TORRE_TRY(queue_rows(s, s->contact, p->keys, p->key, p->id, p->count, back));
    return queue_rows(s, s->spring, p->springs, p->spring, p->id, p->count, back);
}

/* The pieces of `count` grains behind the first `at`. */
static void lay_out(const parts *p, int64_t at, int64_t count, torre_rank_piece piece[])
{
    piece[0] = (torre_rank_piece){p->key + at * p->keys, count * p->keys};
    piece[1] = (torre_rank_piece){p->spring + at * p->springs, count * p->springs};
    piece[2] = (torre_rank_piece){(char *)(p->id + at), count * (int64_t)sizeof *p->id};
    piece[3] = (torre_rank_piece){NULL, 0};
}

torre_status md_contacts_pass(md_cuda_solver *s, const md_contacts_gone *gone)
{
    md_share *h = s->share;
    const int self = h->ranks->rank;
    const parts out = parts_in(s, &h->gone, count_of(h, gone, false)),
                in = parts_in(s, &h->come, count_of(h, gone, true));
    int64_t from = 0, to = 0;
    TORRE_TRY(queue_both(s, &out, false));
    for (int r = 0; r < h->ranks->count; r++) {
        lay_out(&out, from, gone->count[self][r], h->out[r]);
        lay_out(&in, to, gone->count[r][self], h->in[r]);
        from += gone->count[self][r];
        to += gone->count[r][self];
    }
    TORRE_TRY(md_share_deliver(s, s->stream, NULL));
    return queue_both(s, &in, true);
}

/* --- States --- */

enum { CHUNK_BYTES = 1 << 26 }; /* at a time, or one row */

/* An array on its way between the devices and what the first one has of all. */
typedef struct journey {
    void *rows;         /* on this device, by id */
    int64_t each, most; /* bytes of a row; rows at a time */
    char *whole;        /* of the first device, by id */
    int *ids;           /* some of a device, and */
    char *some;         /* their rows */
    bool up;            /* to the devices */
} journey;

/* Between this device's array and `some`, for own grains at places from `at` on. */
static torre_status move_own(md_cuda_solver *s, const journey *j, int64_t at, int64_t n)
{
    const size_t bytes = (size_t)(n * j->each);
    const int *ids = s->id[s->id_now] + s->first_own + at;
    char *const there = s->share->come.bytes;
    if (j->up) TORRE_CUDA_TRY(cudaMemcpy(there, j->some, bytes, cudaMemcpyHostToDevice), telling);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), telling); /* the stream waits for no copy */
    TORRE_TRY(queue_rows(s, j->rows, j->each, there, ids, n, j->up));
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->stream), telling);
    if (j->up) return TORRE_OK;
    TORRE_CUDA_TRY(cudaMemcpy(j->some, there, bytes, cudaMemcpyDeviceToHost), telling);
    return TORRE_OK;
}

static torre_status read_ids(md_cuda_solver *s, const journey *j, int64_t at, int64_t n)
{
    TORRE_CUDA_TRY(cudaMemcpy(j->ids, s->id[s->id_now] + s->first_own + at,
                              (size_t)n * sizeof *j->ids, cudaMemcpyDeviceToHost),
                   telling);
    return TORRE_OK;
}

/* Of the first device: between `some` and the whole. */
static void place(const journey *j, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        char *const in = j->whole + j->ids[i] * j->each, *const out = j->some + i * j->each;
        memcpy(j->up ? out : in, j->up ? in : out, (size_t)j->each);
    }
}

/* Some grains of another device than the first. */
static torre_status move_sent(md_cuda_solver *s, const journey *j, int rank, int64_t at, int64_t n)
{
    const torre_ranks *ranks = s->share->ranks;
    const int64_t ids = n * (int64_t)sizeof *j->ids, bytes = n * j->each;
    if (ranks->rank == 0) {
        TORRE_TRY(torre_rank_receive(ranks, rank, j->ids, ids));
        if (!j->up) TORRE_TRY(torre_rank_receive(ranks, rank, j->some, bytes));
        place(j, n);
        return j->up ? torre_rank_send(ranks, rank, j->some, bytes) : TORRE_OK;
    }
    TORRE_TRY(read_ids(s, j, at, n));
    TORRE_TRY(torre_rank_send(ranks, 0, j->ids, ids));
    if (j->up) TORRE_TRY(torre_rank_receive(ranks, 0, j->some, bytes));
    TORRE_TRY(move_own(s, j, at, n));
    return j->up ? TORRE_OK : torre_rank_send(ranks, 0, j->some, bytes);
}

static torre_status move_first(md_cuda_solver *s, const journey *j, int64_t at, int64_t n)
{
    TORRE_TRY(read_ids(s, j, at, n));
    if (j->up) place(j, n);
    TORRE_TRY(move_own(s, j, at, n));
    if (!j->up) place(j, n);
    return TORRE_OK;
}

static torre_status move_all(md_cuda_solver *s, const journey *j)
{
    const md_share *h = s->share;
    for (int r = 0; r < h->ranks->count; r++) {
        if (h->ranks->rank > 0 && h->ranks->rank != r) continue;
        for (int64_t at = 0; at < h->own_of[r]; at += j->most) {
            const int64_t left = h->own_of[r] - at, n = left < j->most ? left : j->most;
            TORRE_TRY(r == 0 ? move_first(s, j, at, n) : move_sent(s, j, r, at, n));
        }
    }
    return TORRE_OK;
}

static torre_status visit(md_cuda_solver *s, const md_share_visitor *to, const char *name,
                          journey *j)
{
    const bool first = s->share->ranks->rank == 0;
    if (!j->ids || !j->some || (first && !j->whole))
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a copy of the contacts");
    TORRE_TRY(md_share_make_room(&s->share->come, j->most * j->each, telling));
    TORRE_TRY(move_all(s, j));
    if (first) TORRE_TRY(to->visit(to->context, name, j->whole, s->problem->count * j->each));
    j->up = true;
    return move_all(s, j);
}

torre_status md_contacts_visit(md_cuda_solver *s, const md_share_visitor *to, const char *name,
                               void *rows, int64_t each)
{
    const bool first = s->share->ranks->rank == 0;
    journey j = {.rows = rows, .each = each, .most = 1 + CHUNK_BYTES / each};
    j.whole = first ? malloc((size_t)(s->problem->count * each)) : NULL;
    j.ids = malloc((size_t)j.most * sizeof *j.ids);
    j.some = malloc((size_t)(j.most * each));
    const torre_status status = visit(s, to, name, &j);
    free(j.whole);
    free(j.ids);
    free(j.some);
    return status;
}
