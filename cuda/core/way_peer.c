/*
 * Copies from GPU to GPU of one machine, whose memory processes show each other: as several devices
 * of one process do it, beside the kernels and by no multiprocessor.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/core/device_way.h"

/* Where the other rank's bytes are to go: in memory as it may be opened. */
typedef struct shown {
    cudaIpcMemHandle_t memory[2];
    int64_t offset[2];
} shown;

/* Memory of the other that is open here. */
typedef struct opened {
    cudaIpcMemHandle_t memory;
    char *base;
} opened;

typedef struct peer_path {
    torre_rank_path base;
    char *there[2];           /* where bytes go */
    opened open[2];           /* both arrays of the other */
    cudaStream_t stream;      /* of copies */
    cudaEvent_t gone, coming; /* after them, here and at the other */
    bool leaves;
    torre_way_token token;
} peer_path;

static const char showing[] = "showing memory to another rank";
static const char copying[] = "copying planes to another GPU";

/* --- Places --- */

/* The beginning of the allocation that has an address. */
static torre_status base_of(char *address, char **base)
{
    typedef CUresult range(CUdeviceptr *, size_t *, CUdeviceptr);
    enum cudaDriverEntryPointQueryResult found;
    void *entry = NULL;
    CUdeviceptr first;
    size_t bytes;
    TORRE_CUDA_TRY(cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &entry, 12000,
                                                    cudaEnableDefault, &found),
                   showing);
    if (found != cudaDriverEntryPointSuccess ||
        ((range *)entry)(&first, &bytes, (CUdeviceptr)address) != CUDA_SUCCESS)
        return torre_fail(TORRE_ERR_RESOURCE, "%s: the driver does not know it", showing);
    *base = (char *)first;
    return TORRE_OK;
}

static torre_status show(char *const *here, shown *own)
{
    memset(own, 0, sizeof *own);
    for (int i = 0; i < 2 && here; i++) {
        char *base = NULL;
        TORRE_TRY(base_of(here[i], &base));
        TORRE_CUDA_TRY(cudaIpcGetMemHandle(&own->memory[i], base), showing);
        own->offset[i] = here[i] - base;
    }
    return TORRE_OK;
}

static bool same(const cudaIpcMemHandle_t *a, const cudaIpcMemHandle_t *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void close_memory(opened *o)
{
    if (o->base && cudaIpcCloseMemHandle(o->base) != cudaSuccess)
        cudaGetLastError(); /* it is gone */
    *o = (opened){.base = NULL};
}

/* Memory that the other shows now; what is open already stays so. */
static torre_status open_memory(peer_path *p, const shown *other)
{
    if (same(&p->open[0].memory, &other->memory[1]) ||
        same(&p->open[1].memory, &other->memory[0])) {
        const opened first = p->open[0];
        p->open[0] = p->open[1];
        p->open[1] = first;
    }
    for (int i = 0; i < 2; i++) {
        opened *o = &p->open[i];
        if (!o->base || !same(&o->memory, &other->memory[i])) {
            close_memory(o);
            TORRE_CUDA_TRY(cudaIpcOpenMemHandle((void **)&o->base, other->memory[i],
                                                cudaIpcMemLazyEnablePeerAccess),
                           "reaching memory of another rank");
            o->memory = other->memory[i];
        }
        p->there[i] = o->base + other->offset[i];
    }
    return TORRE_OK;
}

static torre_status peer_place(torre_rank_path *path, char *const *here)
{
    peer_path *p = (peer_path *)path;
    shown own, other;
    TORRE_CUDA_TRY(cudaSetDevice(path->device), "choosing the device");
    for (int i = 0; i < 2 && !here; i++) close_memory(&p->open[i]);
    const torre_status status = show(here, &own);
    TORRE_TRY(torre_way_tell(path, &p->token, status));
    TORRE_TRY(torre_way_hear(path));
    TORRE_TRY(torre_rank_swap(path->ranks, path->rank, &own, &other, sizeof own));
    return here ? open_memory(p, &other) : TORRE_OK;
}

/* --- Planes --- */

static torre_status copy(peer_path *p, char *const from[2], int64_t bytes)
{
    TORRE_CUDA_TRY(cudaSetDevice(p->base.device), "choosing the device");
    for (int i = 0; i < 2; i++)
        TORRE_CUDA_TRY(cudaMemcpyAsync(p->there[i], from[i], (size_t)bytes,
                                       cudaMemcpyDeviceToDevice, p->stream),
                       copying);
    return torre_cuda_status(cudaEventRecord(p->gone, p->stream), copying);
}

static torre_status peer_give(torre_rank_path *path, char *const from[2], int64_t bytes)
{
    peer_path *p = (peer_path *)path;
    const torre_status status = copy(p, from, bytes);
    p->leaves = !status;
    return torre_way_tell(path, &p->token, status);
}

static torre_status peer_gone(torre_rank_path *path)
{
    peer_path *p = (peer_path *)path;
    if (p->leaves) TORRE_TRY(torre_way_wait(path, p->gone, path->ranks->limit_s, copying, NULL));
    p->leaves = false;
    return torre_rank_settle(path->ranks, path->rank);
}

static torre_status peer_take(torre_rank_path *path, char *const to[2], int64_t bytes)
{
    const peer_path *p = (const peer_path *)path;
    char what[64];
    (void)to, (void)bytes; /* peer_place said it */
    snprintf(what, sizeof what, "planes of rank %d", path->rank);
    TORRE_TRY(torre_way_hear(path));
    return torre_way_wait(path, p->coming, path->ranks->limit_s, what, NULL);
}

static void peer_close(torre_rank_path *path)
{
    peer_path *p = (peer_path *)path;
    if (!p) return;
    if (p->stream) cudaStreamSynchronize(p->stream);
    for (int i = 0; i < 2; i++) close_memory(&p->open[i]);
    if (p->coming) cudaEventDestroy(p->coming);
    if (p->gone) cudaEventDestroy(p->gone);
    if (p->stream) cudaStreamDestroy(p->stream);
    free(p);
}

/* --- Opening --- */

/* What each rank brings: its machine since it was started, and the event after its copies. */
typedef struct peer_offer {
    char machine[64];
    cudaIpcEventHandle_t gone;
} peer_offer;

static torre_status prepare(peer_path *p, peer_offer *own)
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    const bool known = f && fgets(own->machine, sizeof own->machine, f);
    if (f) fclose(f);
    if (!known) return torre_fail(TORRE_ERR_RESOURCE, "this system does not say which it is");
    TORRE_CUDA_TRY(cudaSetDevice(p->base.device), "choosing the device");
    TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking), "a stream");
    TORRE_CUDA_TRY(
        cudaEventCreateWithFlags(&p->gone, cudaEventDisableTiming | cudaEventInterprocess),
        "an event");
    return torre_cuda_status(cudaIpcGetEventHandle(&own->gone, p->gone), "showing an event");
}

static torre_status open_both(peer_path *p, char why[TORRE_WAY_TEXT])
{
    const torre_ranks *ranks = p->base.ranks;
    peer_offer own = {.machine = ""}, other;
    if (prepare(p, &own)) torre_way_refuse(why);
    TORRE_TRY(torre_rank_agree(ranks, p->base.rank, why));
    if (why[0]) return TORRE_OK;
    TORRE_TRY(torre_rank_swap(ranks, p->base.rank, &own, &other, sizeof own));
    if (strcmp(own.machine, other.machine) != 0)
        snprintf(why, TORRE_WAY_TEXT, "the ranks are on different machines");
    else if (torre_cuda_status(cudaIpcOpenEventHandle(&p->coming, other.gone),
                               "reaching an event of another rank"))
        torre_way_refuse(why);
    return torre_rank_agree(ranks, p->base.rank, why);
}

static torre_status peer_open(const torre_ranks *ranks, int rank, int device,
                              torre_rank_path **path, char why[TORRE_WAY_TEXT])
{
    peer_path *made = calloc(1, sizeof *made);
    *path = NULL;
    if (!made) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    made->base =
        (torre_rank_path){&torre_way_peer, ranks, rank, device, 0, "copies from GPU to GPU"};
    const torre_status status = open_both(made, why);
    if (!status) return torre_way_opened(&made->base, path, why);
    peer_close(&made->base);
    return status;
}

const torre_rank_way torre_way_peer = {.name = "peer",
                                       .title = "copies between GPUs",
                                       .open = peer_open,
                                       .place = peer_place,
                                       .give = peer_give,
                                       .gone = peer_gone,
                                       .take = peer_take,
                                       .close = peer_close};
