/*
 * Parts of what devices tell each other, from memory of one to that of another: within a process by
 * letters, between processes by the ways of core/rank_way.h, or through the host.
 */
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "cuda/core/cuda_device.h"
#include "md_share.h"

static const char telling[] = "telling other devices of particles";

/* --- Devices of a process --- */

static int64_t bytes_of(const torre_rank_piece part[MD_SHARE_PARTS])
{
    int64_t bytes = 0;
    for (int k = 0; k < MD_SHARE_PARTS; k++) bytes += part[k].bytes;
    return bytes;
}

/* Whether the memory of a device of this process is within reach; from now on, where it can be. */
static torre_status meet(md_cuda_solver *s, int rank, int other)
{
    md_share *h = s->share;
    if (h->met[rank]) return TORRE_OK;
    TORRE_TRY(torre_cuda_reach(s->plan->device, other));
    h->reached[rank] = torre_cuda_reaches(s->plan->device, other);
    h->met[rank] = true;
    return TORRE_OK;
}

static void add_taken(md_take_args *take, const torre_rank_piece from[],
                      const torre_rank_piece to[], int64_t each)
{
    md_taken *t = &take->from[take->others++];
    const int *const ints = (const int *)(const void *)from[MD_TOLD].at;
    *t = (md_taken){.count = (int)(to[0].bytes / each)};
    if (take->control) {
        t->last = ints;
    } else {
        t->ids = ints;
        t->id = (int *)(void *)to[MD_TOLD].at;
    }
    for (int k = 0; k < MD_TOLD; k++)
        if (to[k].bytes > 0) t->from[k] = from[k].at, t->to[k] = to[k].at;
    if (t->count > take->most) take->most = t->count;
}

/* Parts that are there, in memory of that device, to where they belong: to be taken, where that is
 * said and it is within reach; copied otherwise. */
static torre_status get_parts(md_cuda_solver *s, cudaStream_t stream, int rank,
                              const torre_rank_piece from[], int from_device, md_take_args *take)
{
    const torre_rank_piece *to = s->share->in[rank];
    for (int k = 0; k < MD_SHARE_PARTS; k++)
        if (from[k].bytes != to[k].bytes)
            return torre_fail(TORRE_ERR_RESOURCE, "GPUs have lost track of what they lend");
    if (take && s->share->reached[rank]) {
        add_taken(take, from, to, 4 * (int64_t)s->kernels->state->state_bytes);
        return TORRE_OK;
    }
    for (int k = 0; k < MD_SHARE_PARTS; k++) {
        if (to[k].bytes == 0) continue;
        TORRE_CUDA_TRY(cudaMemcpyPeerAsync(to[k].at, s->plan->device, from[k].at, from_device,
                                           (size_t)to[k].bytes, stream),
                       telling);
    }
    return TORRE_OK;
}

/* Of a device of this process, as soon as they are there. */
static torre_status open_letter(md_cuda_solver *s, cudaStream_t stream, int rank,
                                const md_share_letter *from, md_take_args *take)
{
    TORRE_TRY(meet(s, rank, from->device));
    TORRE_CUDA_TRY(cudaStreamWaitEvent(stream, from->ready, 0), telling);
    return get_parts(s, stream, rank, from->part, from->device, take);
}

/* The same of another process, in memory that is open here. */
static torre_status look(md_cuda_solver *s, cudaStream_t stream, int rank, md_take_args *take)
{
    torre_rank_path *path = s->share->path[rank];
    torre_rank_piece at[MD_SHARE_PARTS];
    TORRE_TRY(path->way->look(path, stream, at, MD_SHARE_PARTS));
    s->share->reached[rank] = true;
    return get_parts(s, stream, rank, at, s->plan->device, take);
}

static torre_status deliver_here(md_cuda_solver *s, cudaStream_t stream, md_take_args *take)
{
    md_share *h = s->share;
    const torre_ranks *ranks = h->ranks;
    const double start = torre_time_now();
    const int turn = h->turn;
    md_share_letter *const letter = h->letter[turn];
    h->turn = 1 - turn;
    TORRE_CUDA_TRY(cudaEventRecord(h->ready[turn], stream), telling);
    for (int r = 0; r < ranks->count; r++) {
        if (r == ranks->rank) continue;
        memcpy(letter[r].part, h->out[r], sizeof letter[r].part);
        letter[r].device = s->plan->device;
        letter[r].ready = h->ready[turn];
        TORRE_TRY(torre_rank_post(ranks, r, &letter[r], sizeof letter[r]));
    }
    for (int r = 0; r < ranks->count; r++) {
        md_share_letter from;
        if (r == ranks->rank) continue;
        TORRE_TRY(torre_rank_receive(ranks, r, &from, sizeof from));
        TORRE_TRY(open_letter(s, stream, r, &from, take));
    }
    for (int r = 0; r < ranks->count; r++)
        if (r != ranks->rank) TORRE_TRY(torre_rank_settle(ranks, r));
    h->waited_s += torre_time_now() - start;
    return TORRE_OK;
}

/* Parts of the device and the host's copy of them, one after another. */
static torre_status copy_host(cudaStream_t stream, const torre_rank_piece part[MD_SHARE_PARTS],
                              char *host, bool up)
{
    for (int k = 0; k < MD_SHARE_PARTS; host += part[k++].bytes) {
        if (part[k].bytes == 0) continue;
        TORRE_CUDA_TRY(
            cudaMemcpyAsync(up ? part[k].at : host, up ? host : part[k].at, (size_t)part[k].bytes,
                            up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream),
            telling);
    }
    return TORRE_OK;
}

/* --- Processes --- */

/* How parts go to a rank. */
typedef enum route {
    NOWHERE, /* it is this one */
    SHOWN,   /* for it to read */
    GIVEN,
    BY_HOST
} route;

static route route_of(const md_share *h, int rank)
{
    if (rank == h->ranks->rank) return NOWHERE;
    if (!h->path || !h->path[rank]) return BY_HOST;
    return h->path[rank]->way->show ? SHOWN : GIVEN;
}

/* Of messages of the host. */
static int64_t host_bytes(const md_share *h, int rank, const torre_rank_piece part[MD_SHARE_PARTS])
{
    return route_of(h, rank) == BY_HOST ? bytes_of(part) : 0;
}

/* With the stream at rest. */
static torre_status send_by_host(md_share *h, cudaStream_t stream)
{
    const torre_ranks *ranks = h->ranks;
    int64_t out = 0, in = 0, at = 0;
    for (int r = 0; r < ranks->count; r++) {
        out += host_bytes(h, r, h->out[r]);
        in += host_bytes(h, r, h->in[r]);
    }
    TORRE_TRY(md_share_make_room(&h->sent, out, telling));
    TORRE_TRY(md_share_make_room(&h->taken, in, telling));
    for (int r = 0; r < ranks->count; at += host_bytes(h, r, h->out[r]), r++)
        if (host_bytes(h, r, h->out[r]) > 0)
            TORRE_TRY(copy_host(stream, h->out[r], h->sent.bytes + at, false));
    TORRE_CUDA_TRY(cudaStreamSynchronize(stream), telling);
    at = 0;
    for (int r = 0; r < ranks->count; at += host_bytes(h, r, h->out[r]), r++)
        if (host_bytes(h, r, h->out[r]) > 0)
            TORRE_TRY(torre_rank_post(ranks, r, h->sent.bytes + at, bytes_of(h->out[r])));
    return TORRE_OK;
}

static torre_status set_off(md_share *h, cudaStream_t stream)
{
    bool waits = false;
    for (int r = 0; r < h->ranks->count; r++) {
        const route way = route_of(h, r);
        waits = waits || way == GIVEN || way == BY_HOST;
        if (way == SHOWN)
            TORRE_TRY(h->path[r]->way->show(h->path[r], stream, h->out[r], MD_SHARE_PARTS));
    }
    if (!waits) return TORRE_OK;
    TORRE_CUDA_TRY(cudaStreamSynchronize(stream), telling); /* also older copies by the host */
    for (int r = 0; r < h->ranks->count; r++)
        if (route_of(h, r) == GIVEN)
            TORRE_TRY(h->path[r]->way->give(h->path[r], h->out[r], MD_SHARE_PARTS));
    return send_by_host(h, stream);
}

static torre_status get_from(md_cuda_solver *s, cudaStream_t stream, int rank, char *host,
                             md_take_args *take)
{
    md_share *h = s->share;
    const int64_t bytes = bytes_of(h->in[rank]);
    switch (route_of(h, rank)) {
    case SHOWN:
        return look(s, stream, rank, take);
    case GIVEN:
        return h->path[rank]->way->take(h->path[rank], h->in[rank], MD_SHARE_PARTS);
    case BY_HOST:
        if (bytes == 0) return TORRE_OK;
        TORRE_TRY(torre_rank_receive(h->ranks, rank, host, bytes));
        return copy_host(stream, h->in[rank], host, true);
    case NOWHERE:
        break;
    }
    return TORRE_OK;
}

static torre_status deliver_apart(md_cuda_solver *s, cudaStream_t stream, md_take_args *take)
{
    md_share *h = s->share;
    const torre_ranks *ranks = h->ranks;
    int64_t at = 0;
    TORRE_TRY(set_off(h, stream));
    const double start = torre_time_now();
    for (int r = 0; r < ranks->count; at += host_bytes(h, r, h->in[r]), r++)
        TORRE_TRY(get_from(s, stream, r, h->taken.bytes + at, take));
    for (int r = 0; r < ranks->count; r++) {
        const route way = route_of(h, r);
        if (way == SHOWN || way == GIVEN) TORRE_TRY(h->path[r]->way->gone(h->path[r]));
        if (way == BY_HOST) TORRE_TRY(torre_rank_settle(ranks, r));
    }
    h->waited_s += torre_time_now() - start;
    return TORRE_OK;
}

torre_status md_share_deliver(md_cuda_solver *s, cudaStream_t stream, md_take_args *take)
{
    return s->share->ranks->one_process ? deliver_here(s, stream, take)
                                        : deliver_apart(s, stream, take);
}

torre_status md_share_reaches(md_cuda_solver *s, const int device[], bool *all)
{
    md_share *h = s->share;
    *all = true;
    for (int r = 0; r < h->ranks->count; r++) {
        if (r == h->ranks->rank) continue;
        if (h->ranks->one_process) TORRE_TRY(meet(s, r, device[r]));
        *all = *all && (h->ranks->one_process ? h->reached[r] : route_of(h, r) == SHOWN);
    }
    return TORRE_OK;
}
