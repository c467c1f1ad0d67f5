/* Arrays of all ranks, and of rank 0. */
#include <stdlib.h>
#include <string.h>

#include "particles/cpu/cpu_share.h"

typedef torre_cpu_solver cpu_solver;
typedef torre_cpu_share share;

/* Values of this rank's particles by place, with the ids. */
static torre_status send_values(cpu_solver *s, const void *quads, const double *box)
{
    torre_md_store by_place = s->store;
    const torre_ranks *ranks = s->store.share->ranks;
    const int64_t count = s->store.count;
    double *value = malloc((size_t)(3 * count + 1) * sizeof *value);
    if (!value) return torre_cpu_share_no_memory();
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
    torre_status status = value && id ? TORRE_OK : torre_cpu_share_no_memory();
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

/* The same of numbers of one particle each. */
static torre_status send_numbers(cpu_solver *s, const void *const number[], int count)
{
    const torre_ranks *ranks = s->store.share->ranks;
    const int64_t own = s->store.count;
    TORRE_TRY(torre_rank_send(ranks, 0, s->store.id, own * (int64_t)sizeof *s->store.id));
    for (int k = 0; k < count; k++)
        TORRE_TRY(torre_rank_send(ranks, 0, number[k], own * s->state->state_size));
    return TORRE_OK;
}

static torre_status receive_numbers(cpu_solver *s, int rank, int columns, double *const out[])
{
    const share *h = s->store.share;
    const int64_t count = h->first[rank + 1] - h->first[rank], bytes = count * s->state->state_size;
    void *number = malloc((size_t)bytes + 1);
    int32_t *id = malloc((size_t)(count + 1) * sizeof *id);
    torre_status status = number && id ? TORRE_OK : torre_cpu_share_no_memory();
    if (!status) status = torre_rank_receive(h->ranks, rank, id, count * (int64_t)sizeof *id);
    for (int k = 0; k < columns && !status; k++) {
        status = torre_rank_receive(h->ranks, rank, number, bytes);
        for (int64_t i = 0; i < count && out[k] && !status; i++)
            out[k][id[i]] = torre_cpu_number(s, number, i);
    }
    free(number);
    free(id);
    return status;
}

torre_status torre_cpu_share_unload_numbers(cpu_solver *s, const void *const number[], int count,
                                            double *const out[])
{
    const torre_ranks *ranks = s->store.share->ranks;
    if (ranks->rank > 0) return send_numbers(s, number, count);
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < s->store.count && out[k]; i++)
            out[k][s->store.id[i]] = torre_cpu_number(s, number[k], i);
    for (int r = 1; r < ranks->count; r++) TORRE_TRY(receive_numbers(s, r, count, out));
    return TORRE_OK;
}

torre_status torre_cpu_share_gather_ids(cpu_solver *s, void *of, int64_t each)
{
    const share *h = s->store.share;
    const torre_ranks *ranks = h->ranks;
    char *array = of;
    torre_status status = TORRE_OK;
    if (h->team) return torre_cpu_share_meet(s);
    for (int r = 1; r < ranks->count && !status; r++) {
        const bool sends = ranks->rank == r;
        if (!sends && ranks->rank > 0) continue;
        const int64_t count = h->first[r + 1] - h->first[r];
        int32_t *id = sends ? s->store.id : malloc((size_t)(count + 1) * sizeof *id);
        char *value = malloc((size_t)(count * each + 1));
        status = id && value ? TORRE_OK : torre_cpu_share_no_memory();
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

torre_status torre_cpu_share_tell_ids(cpu_solver *s, void *array, int64_t bytes)
{
    share *h = s->store.share;
    return h->team ? torre_cpu_share_meet(s) : torre_cpu_share_tell(h, array, bytes);
}

torre_status torre_cpu_share_visit_ids(cpu_solver *s, torre_md_visit *visit, void *context,
                                       const char *name, void *array, int64_t each)
{
    share *h = s->store.share;
    const int64_t bytes = s->problem->count * each;
    TORRE_TRY(torre_cpu_share_gather_ids(s, array, each));
    if (h->ranks->rank == 0) TORRE_TRY(visit(context, name, array, bytes));
    return torre_cpu_share_tell_ids(s, array, bytes);
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
    if (!whole) return torre_cpu_share_no_memory();
    torre_status status = pass_whole(s, true, array, each, whole);
    if (far) memcpy(whole + all * each, last, (size_t)each);
    if (!status) status = visit(context, name, whole, (all + far) * each);
    if (!status) status = pass_whole(s, false, array, each, whole);
    free(whole);
    return status;
}
