#include "cuda/core/device_way.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/timer.h"
#include "cuda/core/cuda_check.h"

const torre_rank_way *const torre_device_ways[] = {&torre_way_peer, &torre_way_mpi, &torre_way_nccl,
                                                   NULL};

void torre_way_refuse(char why[TORRE_WAY_TEXT])
{
    if (!why[0]) snprintf(why, TORRE_WAY_TEXT, "%s", torre_error_text());
}

/* --- Messages beside the bytes --- */

/* Why bytes do not go the other rank may know better, or it has died: that is known a moment later,
 * and comes first. */
static torre_status wait_for_news(const torre_rank_path *path)
{
    torre_way_patience patience = torre_way_patience_of(1);
    do TORRE_TRY(path->ranks->look(path->ranks));
    while (!torre_way_nap(&patience));
    return TORRE_OK;
}

torre_status torre_way_tell(const torre_rank_path *path, torre_way_token *token,
                            torre_status status)
{
    token->failed = status;
    if (status) TORRE_TRY(wait_for_news(path));
    const torre_status posted = torre_rank_post(path->ranks, path->rank, token, sizeof *token);
    return status ? status : posted;
}

torre_status torre_way_hear(const torre_rank_path *path)
{
    torre_way_token token;
    TORRE_TRY(torre_rank_receive(path->ranks, path->rank, &token, sizeof token));
    if (token.failed) TORRE_TRY(wait_for_news(path));
    return token.failed ? torre_fail(TORRE_ERR_RESOURCE, "rank %d could not send by %s", path->rank,
                                     path->way->title)
                        : TORRE_OK;
}

/* --- Waiting --- */

torre_way_patience torre_way_patience_of(int limit)
{
    return (torre_way_patience){torre_time_now(), limit, 0};
}

bool torre_way_nap(torre_way_patience *p)
{
    const struct timespec moment = {.tv_nsec = 100000};
    const int soon = 2000, often = 128;
    if (++p->naps < soon)
        sched_yield();
    else
        nanosleep(&moment, NULL);
    return p->limit > 0 && p->naps % often == 0 && torre_time_now() - p->start > p->limit;
}

torre_status torre_way_wait(const torre_rank_path *path, cudaEvent_t event, int limit,
                            const char *what, torre_status (*check)(const torre_rank_path *path))
{
    torre_way_patience patience = torre_way_patience_of(limit);
    for (;;) {
        const cudaError_t e = cudaEventQuery(event);
        if (e != cudaErrorNotReady) return torre_cuda_status(e, what);
        TORRE_TRY(path->ranks->look(path->ranks));
        if (check) TORRE_TRY(check(path));
        if (torre_way_nap(&patience))
            return torre_fail(TORRE_ERR_RESOURCE, "%s: nothing for %d s", what, limit);
    }
}

/* --- A trial --- */

/* Of an array, more than libraries send at once; seconds. */
enum { TRIAL_BYTES = 96 << 10, TRIAL_S = 30 };

/* What a rank gives: other bytes at every place, and of every rank. */
static void fill(unsigned char *bytes, int rank)
{
    for (int i = 0; i < 2 * TRIAL_BYTES; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251 + 31 * rank + 1);
}

typedef struct trial {
    char *out, *in; /* on the device, both arrays of each */
    unsigned char host[2 * TRIAL_BYTES], there[2 * TRIAL_BYTES];
} trial;

static torre_status prepare(torre_rank_path *path, trial *t)
{
    static const char what[] = "memory to try a way between ranks";
    fill(t->host, path->ranks->rank);
    TORRE_CUDA_TRY(cudaSetDevice(path->device), "choosing the device");
    TORRE_CUDA_TRY(cudaMalloc((void **)&t->out, sizeof t->host), what);
    TORRE_CUDA_TRY(cudaMalloc((void **)&t->in, sizeof t->there), what);
    TORRE_CUDA_TRY(cudaMemcpy(t->out, t->host, sizeof t->host, cudaMemcpyHostToDevice), what);
    TORRE_CUDA_TRY(cudaMemset(t->in, 0, sizeof t->there), what);
    TORRE_CUDA_TRY(cudaDeviceSynchronize(), what);
    char *here[2] = {t->in, t->in + TRIAL_BYTES};
    return path->way->place ? path->way->place(path, here) : TORRE_OK;
}

static torre_status give(torre_rank_path *path, trial *t)
{
    const torre_rank_piece from[2] = {{t->out, TRIAL_BYTES}, {t->out + TRIAL_BYTES, TRIAL_BYTES}};
    TORRE_TRY(path->way->give(path, from, 2));
    return path->way->gone(path);
}

static torre_status take(torre_rank_path *path, trial *t)
{
    const torre_rank_piece to[2] = {{t->in, TRIAL_BYTES}, {t->in + TRIAL_BYTES, TRIAL_BYTES}};
    TORRE_TRY(path->way->take(path, to, 2));
    TORRE_CUDA_TRY(cudaMemcpy(t->there, t->in, sizeof t->there, cudaMemcpyDeviceToHost),
                   "what came from another rank");
    fill(t->host, path->rank);
    if (memcmp(t->host, t->there, sizeof t->host) == 0) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "bytes come as others than they were sent");
}

/* Whether that went, and what the other says; what makes the path none goes to why. */
static torre_status step(torre_rank_path *path, torre_status status, char why[TORRE_WAY_TEXT])
{
    if (status) torre_way_refuse(why);
    if (status) TORRE_TRY(path->ranks->look(path->ranks));
    return torre_rank_agree(path->ranks, path->rank, why);
}

static torre_status there_and_back(torre_rank_path *path, trial *t, char why[TORRE_WAY_TEXT])
{
    TORRE_TRY(step(path, prepare(path, t), why));
    for (int turn = 0; turn < 2 && !why[0]; turn++) {
        const bool gives = (path->ranks->rank < path->rank) == (turn == 0);
        TORRE_TRY(step(path, gives ? give(path, t) : take(path, t), why));
    }
    return TORRE_OK;
}

torre_status torre_way_trial(torre_rank_path *path, char why[TORRE_WAY_TEXT])
{
    trial *t = calloc(1, sizeof *t);
    if (!t) return torre_fail(TORRE_ERR_RESOURCE, "out of memory to try %s", path->way->title);
    path->patience = TRIAL_S;
    const torre_status status = there_and_back(path, t, why);
    path->patience = 0;
    if (!status && path->way->place) (void)path->way->place(path, NULL);
    cudaFree(t->out);
    cudaFree(t->in);
    free(t);
    return status;
}

torre_status torre_way_opened(torre_rank_path *made, torre_rank_path **path,
                              char why[TORRE_WAY_TEXT])
{
    const torre_status status = why[0] ? TORRE_OK : torre_way_trial(made, why);
    *path = NULL;
    if (!status && !why[0])
        *path = made;
    else
        made->way->close(made);
    return status;
}
