/*
 * Copies from GPU to GPU of one machine, whose memory processes show each other: as several devices
 * of one process do it, beside the kernels and by no multiprocessor. What is given goes to the
 * other's place; what is shown the other reads.
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

/* What there is to look at. */
typedef struct letter {
    cudaIpcMemHandle_t memory[TORRE_WAY_PIECES];
    int64_t offset[TORRE_WAY_PIECES], bytes[TORRE_WAY_PIECES];
} letter;

/* Memory of this rank that the other knows of. */
typedef struct known_memory {
    cudaIpcMemHandle_t memory;
    char *base;
    size_t bytes;
} known_memory;

enum {
    RING = 8,  /* events after what is shown, in turn */
    KNOWN = 8, /* memory that is remembered, of either */
};

typedef struct peer_path {
    torre_rank_path base;
    char *there[2];           /* where bytes go */
    opened open[2];           /* both arrays of the other */
    cudaStream_t stream;      /* of copies */
    cudaEvent_t gone, coming; /* after them, here and at the other */
    bool leaves;
    torre_way_token token;
    cudaEvent_t ready[RING], theirs[RING]; /* what is shown is there, here and at the other */
    int64_t shows, looks;
    letter letter;
    known_memory known[KNOWN];
    opened reached[KNOWN];
    int next_known, next_reached;
} peer_path;

static const char showing[] = "showing memory to another rank";
static const char copying[] = "copying planes to another GPU";

/* --- Places --- */

/* The allocation that has an address. */
static torre_status range_of(char *address, char **base, size_t *bytes)
{
    typedef CUresult range(CUdeviceptr *, size_t *, CUdeviceptr);
    enum cudaDriverEntryPointQueryResult found;
    void *entry = NULL;
    CUdeviceptr first;
    TORRE_CUDA_TRY(cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &entry, 12000,
                                                    cudaEnableDefault, &found),
                   showing);
    if (found != cudaDriverEntryPointSuccess ||
        ((range *)entry)(&first, bytes, (CUdeviceptr)address) != CUDA_SUCCESS)
        return torre_fail(TORRE_ERR_RESOURCE, "%s: the driver does not know it", showing);
    *base = (char *)first;
    return TORRE_OK;
}

static torre_status show(char *const *here, shown *own)
{
    memset(own, 0, sizeof *own);
    for (int i = 0; i < 2 && here; i++) {
        char *base = NULL;
        size_t bytes;
        TORRE_TRY(range_of(here[i], &base, &bytes));
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

static torre_status peer_place(torre_rank_path *path, char *const here[2])
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

static torre_status copy(peer_path *p, const torre_rank_piece *from)
{
    TORRE_CUDA_TRY(cudaSetDevice(p->base.device), "choosing the device");
    for (int i = 0; i < 2; i++)
        TORRE_CUDA_TRY(cudaMemcpyAsync(p->there[i], from[i].at, (size_t)from[i].bytes,
                                       cudaMemcpyDeviceToDevice, p->stream),
                       copying);
    return torre_cuda_status(cudaEventRecord(p->gone, p->stream), copying);
}

static torre_status peer_give(torre_rank_path *path, const torre_rank_piece *from, int pieces)
{
    peer_path *p = (peer_path *)path;
    (void)pieces; /* as many as there are places */
    const torre_status status = copy(p, from);
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

static torre_status peer_take(torre_rank_path *path, const torre_rank_piece *to, int pieces)
{
    const peer_path *p = (const peer_path *)path;
    char what[64];
    (void)to, (void)pieces; /* peer_place said it */
    snprintf(what, sizeof what, "planes of rank %d", path->rank);
    TORRE_TRY(torre_way_hear(path));
    return torre_way_wait(path, p->coming, path->ranks->limit_s, what, NULL);
}

/* --- What is shown --- */

/* The memory that has an address, as the other may open it. */
static torre_status know(peer_path *p, char *address, const known_memory **found)
{
    for (int i = 0; i < KNOWN; i++) {
        const known_memory *k = &p->known[i];
        if (k->base && address >= k->base && address < k->base + k->bytes) {
            *found = k;
            return TORRE_OK;
        }
    }
    known_memory *k = &p->known[p->next_known++ % KNOWN];
    k->base = NULL;
    char *base = NULL;
    TORRE_TRY(range_of(address, &base, &k->bytes));
    TORRE_CUDA_TRY(cudaIpcGetMemHandle(&k->memory, base), showing);
    k->base = base;
    *found = k;
    return TORRE_OK;
}

/*
 * An event is recorded again when the other has no need of it any more: it has waited for what was
 * shown n steps ago before it showed what this device read n - 1 steps ago, which was before what
 * this one has shown since.
 */
static torre_status wait_for_event(peer_path *p)
{
    if (p->shows < RING) return TORRE_OK;
    return torre_way_wait(&p->base, p->ready[(p->shows + 2) % RING], p->base.ranks->limit_s,
                          "what another rank reads", NULL);
}

static torre_status peer_show(torre_rank_path *path, void *stream, const torre_rank_piece *from,
                              int pieces)
{
    peer_path *p = (peer_path *)path;
    const known_memory *k = NULL;
    memset(&p->letter, 0, sizeof p->letter);
    for (int i = 0; i < pieces; i++) {
        p->letter.bytes[i] = from[i].bytes;
        if (from[i].bytes == 0) continue;
        TORRE_TRY(know(p, from[i].at, &k));
        p->letter.memory[i] = k->memory;
        p->letter.offset[i] = from[i].at - k->base;
    }
    TORRE_TRY(wait_for_event(p));
    TORRE_CUDA_TRY(cudaEventRecord(p->ready[p->shows++ % RING], stream), showing);
    return torre_rank_post(path->ranks, path->rank, &p->letter, sizeof p->letter);
}

/* Memory that the other shows; of what was open the oldest is closed where there is more. */
static torre_status reach(peer_path *p, void *stream, const cudaIpcMemHandle_t *memory, char **base)
{
    for (int i = 0; i < KNOWN; i++) {
        *base = p->reached[i].base;
        if (*base && same(&p->reached[i].memory, memory)) return TORRE_OK;
    }
    opened *o = &p->reached[p->next_reached++ % KNOWN];
    if (o->base) TORRE_CUDA_TRY(cudaStreamSynchronize(stream), "reading from another GPU");
    close_memory(o);
    TORRE_CUDA_TRY(cudaIpcOpenMemHandle((void **)&o->base, *memory, cudaIpcMemLazyEnablePeerAccess),
                   "reaching memory of another rank");
    o->memory = *memory;
    *base = o->base;
    return TORRE_OK;
}

static torre_status peer_look(torre_rank_path *path, void *stream, torre_rank_piece *at, int pieces)
{
    peer_path *p = (peer_path *)path;
    letter from;
    TORRE_TRY(torre_rank_receive(path->ranks, path->rank, &from, sizeof from));
    TORRE_CUDA_TRY(cudaStreamWaitEvent(stream, p->theirs[p->looks++ % RING], 0),
                   "waiting for another GPU");
    for (int i = 0; i < pieces; i++) {
        at[i] = (torre_rank_piece){NULL, from.bytes[i]};
        if (from.bytes[i] == 0) continue;
        TORRE_TRY(reach(p, stream, &from.memory[i], &at[i].at));
        at[i].at += from.offset[i];
    }
    return TORRE_OK;
}

static void peer_close(torre_rank_path *path)
{
    peer_path *p = (peer_path *)path;
    if (!p) return;
    if (p->stream) cudaStreamSynchronize(p->stream);
    for (int i = 0; i < 2; i++) close_memory(&p->open[i]);
    for (int i = 0; i < KNOWN; i++) close_memory(&p->reached[i]);
    for (int i = 0; i < RING; i++) {
        if (p->ready[i]) cudaEventDestroy(p->ready[i]);
        if (p->theirs[i]) cudaEventDestroy(p->theirs[i]);
    }
    if (p->coming) cudaEventDestroy(p->coming);
    if (p->gone) cudaEventDestroy(p->gone);
    if (p->stream) cudaStreamDestroy(p->stream);
    free(p);
}

/* --- Opening --- */

/* What each rank brings: its machine since it was started, and events after its copies, and after
 * what it shows. */
typedef struct peer_offer {
    char machine[64];
    cudaIpcEventHandle_t gone, ready[RING];
} peer_offer;

static torre_status make_event(cudaEvent_t *event, cudaIpcEventHandle_t *handle)
{
    TORRE_CUDA_TRY(cudaEventCreateWithFlags(event, cudaEventDisableTiming | cudaEventInterprocess),
                   "an event");
    return torre_cuda_status(cudaIpcGetEventHandle(handle, *event), "showing an event");
}

static torre_status open_event(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    return torre_cuda_status(cudaIpcOpenEventHandle(event, handle),
                             "reaching an event of another rank");
}

static torre_status prepare(peer_path *p, peer_offer *own)
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    const bool known = f && fgets(own->machine, sizeof own->machine, f);
    if (f) fclose(f);
    if (!known) return torre_fail(TORRE_ERR_RESOURCE, "this system does not say which it is");
    TORRE_CUDA_TRY(cudaSetDevice(p->base.device), "choosing the device");
    TORRE_CUDA_TRY(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking), "a stream");
    for (int i = 0; i < RING; i++) TORRE_TRY(make_event(&p->ready[i], &own->ready[i]));
    return make_event(&p->gone, &own->gone);
}

static torre_status open_events(peer_path *p, const peer_offer *other)
{
    for (int i = 0; i < RING; i++) TORRE_TRY(open_event(&p->theirs[i], other->ready[i]));
    return open_event(&p->coming, other->gone);
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
    else if (open_events(p, &other))
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
                                       .show = peer_show,
                                       .look = peer_look,
                                       .close = peer_close};
