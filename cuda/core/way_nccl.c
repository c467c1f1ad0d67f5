/*
 * By NCCL: a communicator of two ranks for each direction, so that what goes one way waits for
 * nothing that goes the other way. Its kernels take multiprocessors for as long as they wait for
 * the other rank, and persistent towers need all of them: so ranks meet (core/rank_way.h).
 *
 * No call waits for ever: communicators are of the kind whose calls return at once and are asked
 * how far they are, and what is on a stream is watched together with the ranks.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/core/device_way.h"
#include "cuda/core/nccl_library.h"

typedef struct nccl_path {
    torre_rank_path base;
    const torre_nccl *nccl;
    torre_nccl_comm comm[2]; /* that bytes go down by, up */
    cudaStream_t stream[2];  /* of what leaves, comes */
    cudaEvent_t event[2];    /* after it */
    bool leaves;             /* something was given that is not known to have gone */
    char *greeting;          /* bytes that go first, on the device; kept as communicators are */
    torre_way_token token;
} nccl_path;

static const char sending[] = "sending by NCCL";

/* The communicator of what leaves (0) or comes (1). */
static torre_nccl_comm comm_of(const nccl_path *p, int comes)
{
    const int up = p->base.rank > p->base.ranks->rank;
    return p->comm[comes ? !up : up];
}

/* The other one's number in communicators. */
static int peer_of(const nccl_path *p) { return p->base.rank > p->base.ranks->rank; }

static torre_status fail(const nccl_path *p, const char *what, int result)
{
    return torre_fail(TORRE_ERR_RESOURCE, "%s rank %d by NCCL: %s", what, p->base.rank,
                      p->nccl->error_string(result));
}

/* The end of a call to a communicator, which may go on after its return. */
static torre_status finish(const nccl_path *p, torre_nccl_comm comm, int result, int limit,
                           const char *what)
{
    torre_way_patience patience = torre_way_patience_of(limit);
    while (result == TORRE_NCCL_UNDERWAY) {
        if (p->nccl->comm_state(comm, &result) != TORRE_NCCL_OK) break;
        if (result != TORRE_NCCL_UNDERWAY) break;
        TORRE_TRY(p->base.ranks->look(p->base.ranks));
        if (torre_way_nap(&patience))
            return torre_fail(TORRE_ERR_RESOURCE, "%s rank %d by NCCL: no answer for %d s", what,
                              p->base.rank, limit);
    }
    return result == TORRE_NCCL_OK ? TORRE_OK : fail(p, what, result);
}

/* Whether communicators are well. */
static torre_status check(const torre_rank_path *path)
{
    const nccl_path *p = (const nccl_path *)path;
    for (int i = 0; i < 2; i++) {
        int state;
        const int result = p->nccl->comm_state(p->comm[i], &state);
        if (result != TORRE_NCCL_OK) return fail(p, "asking for", result);
        if (state != TORRE_NCCL_OK && state != TORRE_NCCL_UNDERWAY)
            return fail(p, "exchanging with", state);
    }
    return TORRE_OK;
}

/* All pieces, together. */
static torre_status enqueue(nccl_path *p, int comes, const torre_rank_piece *piece, int pieces)
{
    const torre_nccl *n = p->nccl;
    const torre_nccl_comm comm = comm_of(p, comes);
    const char *what = comes ? "receiving from" : "sending to";
    TORRE_CUDA_TRY(cudaSetDevice(p->base.device), "choosing the device");
    int result = n->group_start(), end;
    if (result != TORRE_NCCL_OK) return fail(p, what, result);
    for (int i = 0; i < pieces && (result == TORRE_NCCL_OK || result == TORRE_NCCL_UNDERWAY); i++) {
        const size_t bytes = (size_t)piece[i].bytes;
        if (bytes == 0) continue;
        result =
            comes ? n->receive(piece[i].at, bytes, TORRE_NCCL_BYTE, peer_of(p), comm, p->stream[1])
                  : n->send(piece[i].at, bytes, TORRE_NCCL_BYTE, peer_of(p), comm, p->stream[0]);
    }
    end = n->group_end();
    if (result == TORRE_NCCL_OK || result == TORRE_NCCL_UNDERWAY) result = end;
    TORRE_TRY(finish(p, comm, result, p->base.ranks->limit_s, what));
    return torre_cuda_status(cudaEventRecord(p->event[comes], p->stream[comes]), sending);
}

static torre_status nccl_give(torre_rank_path *path, const torre_rank_piece *from, int pieces)
{
    nccl_path *p = (nccl_path *)path;
    const torre_status status = enqueue(p, 0, from, pieces);
    p->leaves = !status;
    return torre_way_tell(path, &p->token, status);
}

static torre_status nccl_gone(torre_rank_path *path)
{
    nccl_path *p = (nccl_path *)path;
    /* the other takes it when it has computed what comes before */
    if (p->leaves) TORRE_TRY(torre_way_wait(path, p->event[0], path->patience, sending, check));
    p->leaves = false;
    return torre_rank_settle(path->ranks, path->rank);
}

static torre_status nccl_take(torre_rank_path *path, const torre_rank_piece *to, int pieces)
{
    nccl_path *p = (nccl_path *)path;
    char what[64];
    snprintf(what, sizeof what, "what rank %d sends by NCCL", path->rank);
    TORRE_TRY(torre_way_hear(path));
    TORRE_TRY(enqueue(p, 1, to, pieces));
    return torre_way_wait(path, p->event[1], path->ranks->limit_s, what, check);
}

/* Communicators are given up, not closed: nothing is on its way any more, or will ever come. */
static void nccl_close(torre_rank_path *path)
{
    nccl_path *p = (nccl_path *)path;
    if (!p) return;
    path->patience = 1;
    if (p->leaves) (void)nccl_gone(path);
    for (int i = 0; i < 2; i++) {
        if (p->comm[i]) p->nccl->comm_abort(p->comm[i]);
        if (p->event[i]) cudaEventDestroy(p->event[i]);
        if (p->stream[i]) cudaStreamDestroy(p->stream[i]);
    }
    cudaFree(p->greeting);
    free(p);
}

/* --- Opening --- */

/* Seconds that communicators take at most; bytes that go first. */
enum { OPEN_S = 30, GREETING = 256 };

/* What each rank brings: the version it has, and, of the lower rank, names of the communicators. */
typedef struct nccl_offer {
    int64_t version;
    torre_nccl_id id[2];
} nccl_offer;

/* Of this rank alone. */
static torre_status prepare(nccl_path *p, nccl_offer *own, char why[TORRE_WAY_TEXT])
{
    p->nccl = torre_nccl_library(why, TORRE_WAY_TEXT);
    if (!p->nccl) return TORRE_OK;
    own->version = p->nccl->version;
    TORRE_CUDA_TRY(cudaSetDevice(p->base.device), "choosing the device");
    for (int i = 0; i < 2; i++) {
        const int result = peer_of(p) ? p->nccl->get_unique_id(&own->id[i]) : TORRE_NCCL_OK;
        if (result != TORRE_NCCL_OK) return fail(p, "meeting", result);
        TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&p->stream[i], cudaStreamNonBlocking), "a stream");
        TORRE_CUDA_TRY(cudaEventCreateWithFlags(&p->event[i], cudaEventDisableTiming), "an event");
    }
    return TORRE_OK;
}

/* With the other. */
static torre_status connect(nccl_path *p, const nccl_offer *offer)
{
    torre_nccl_config config = torre_nccl_config_of(INT_MIN);
    for (int i = 0; i < 2; i++) {
        const int result = p->nccl->comm_init(&p->comm[i], 2, offer->id[i], !peer_of(p), &config);
        TORRE_TRY(finish(p, p->comm[i], result, OPEN_S, "meeting"));
    }
    return TORRE_OK;
}

/* Some bytes each way. With the first ones NCCL connects both, for which both have to be there:
 * later on one sends before the other knows of it. What goes up goes first. */
static torre_status send_greetings(nccl_path *p)
{
    const torre_rank_piece bytes[2] = {{p->greeting, GREETING}, {p->greeting + GREETING, GREETING}};
    for (int i = 0; i < 2; i++) {
        const int comes = i ^ !peer_of(p);
        TORRE_TRY(enqueue(p, comes, bytes, 2));
        TORRE_TRY(torre_way_wait(&p->base, p->event[comes], OPEN_S, "meeting by NCCL", check));
    }
    return TORRE_OK;
}
static torre_status greet(nccl_path *p)
{
    TORRE_CUDA_TRY(cudaMalloc((void **)&p->greeting, 2 * GREETING), "memory to meet by NCCL");
    return send_greetings(p);
}

/* What of it went wrong, if messages still go. */
static torre_status agree(nccl_path *p, torre_status status, char why[TORRE_WAY_TEXT])
{
    if (status) TORRE_TRY(p->base.ranks->look(p->base.ranks));
    if (status) torre_way_refuse(why);
    return torre_rank_agree(p->base.ranks, p->base.rank, why);
}

static torre_status open_both(nccl_path *p, char why[TORRE_WAY_TEXT])
{
    const torre_ranks *ranks = p->base.ranks;
    nccl_offer own = {.version = 0}, other;
    TORRE_TRY(agree(p, prepare(p, &own, why), why));
    if (why[0]) return TORRE_OK;
    TORRE_TRY(torre_rank_swap(ranks, p->base.rank, &own, &other, sizeof own));
    if (own.version != other.version)
        snprintf(why, TORRE_WAY_TEXT, "ranks %d and %d have different versions",
                 peer_of(p) ? ranks->rank : p->base.rank, peer_of(p) ? p->base.rank : ranks->rank);
    if (why[0]) return TORRE_OK;
    snprintf(p->base.text, sizeof p->base.text, "NCCL %d.%d.%d, from memory of GPUs",
             p->nccl->version / 10000, p->nccl->version / 100 % 100, p->nccl->version % 100);
    TORRE_TRY(agree(p, connect(p, peer_of(p) ? &own : &other), why));
    return why[0] ? TORRE_OK : agree(p, greet(p), why);
}

static torre_status nccl_open(const torre_ranks *ranks, int rank, int device,
                              torre_rank_path **path, char why[TORRE_WAY_TEXT])
{
    nccl_path *made = calloc(1, sizeof *made);
    *path = NULL;
    if (!made) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    made->base = (torre_rank_path){&torre_way_nccl, ranks, rank, device, 0, ""};
    const torre_status status = open_both(made, why);
    if (!status) return torre_way_opened(&made->base, path, why);
    nccl_close(&made->base);
    return status;
}

static bool nccl_here(char text[TORRE_WAY_TEXT])
{
    const torre_nccl *nccl = torre_nccl_library(text, TORRE_WAY_TEXT);
    if (nccl)
        snprintf(text, TORRE_WAY_TEXT, "NCCL %d.%d.%d", nccl->version / 10000,
                 nccl->version / 100 % 100, nccl->version % 100);
    return nccl;
}

const torre_rank_way torre_way_nccl = {.name = "nccl",
                                       .title = "NCCL",
                                       .meets = true,
                                       .here = nccl_here,
                                       .open = nccl_open,
                                       .give = nccl_give,
                                       .gone = nccl_gone,
                                       .take = nccl_take,
                                       .close = nccl_close};
