/*
 * A stand-in for NCCL beside that for the CUDA runtime: libnccl.so.2 with what is used of it.
 * Bytes go through files in FAKE_NCCL_FOLDER, named by communicator and number. A message is taken
 * by a thread, and events of the stream wait for it, as they would.
 *
 *   FAKE_NCCL_VERSION=21703: the version it says, 22809 unless given
 *   FAKE_NCCL_FAIL=INIT, SEND:3, RECV:5 or ASYNC:4: that call fails (from 1), or the state of a
 *                   communicator shows a failure from the message on
 *   FAKE_NCCL_RANK=N: in that rank of MPI alone
 *   FAKE_NCCL_GARBLE=1: bytes arrive as others
 */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

enum { OK = 0, SYSTEM = 2, INVALID = 4, REMOTE = 6, UNDERWAY = 7 };

typedef struct unique_id {
    char internal[128];
} unique_id;

typedef struct fake_comm {
    unique_id id;
    int rank, started; /* calls that asked for its state since it began */
    int sent, taken;
    atomic_bool aborted;
    atomic_int users; /* threads */
} fake_comm;

typedef struct message {
    fake_comm *comm;
    void *to;
    size_t bytes;
    int number;
    cudaStream_t stream;
} message;

static int calls[4]; /* of INIT, SEND, RECV; ASYNC: messages of both */

static bool here(void)
{
    const char *rank = getenv("FAKE_NCCL_RANK"), *own = getenv("OMPI_COMM_WORLD_RANK");
    return !rank || (own && strcmp(rank, own) == 0);
}

/* Whether this call is to fail, or one before it. */
static bool fails(int kind, bool later)
{
    static const char *const name[] = {"INIT", "SEND", "RECV", "ASYNC"};
    const char *fail = getenv("FAKE_NCCL_FAIL");
    const size_t length = strlen(name[kind]);
    calls[kind]++;
    if (!fail || !here() || strncmp(fail, name[kind], length) != 0) return false;
    const int at = fail[length] == ':' ? atoi(fail + length + 1) : 1;
    return later ? calls[kind] >= at : calls[kind] == at;
}

static void work(cudaStream_t stream, int change)
{
    void (*tell)(cudaStream_t, int) =
        (void (*)(cudaStream_t, int))dlsym(RTLD_DEFAULT, "fake_cuda_work");
    if (!tell) abort();
    tell(stream, change);
}

static void name_of(const fake_comm *comm, int to, int number, char *name, size_t size)
{
    const char *folder = getenv("FAKE_NCCL_FOLDER");
    snprintf(name, size, "%s/%s.%d.%d", folder ? folder : ".", comm->id.internal, to, number);
}

PUBLIC int ncclGetVersion(int *version);
PUBLIC int ncclGetVersion(int *version)
{
    const char *text = getenv("FAKE_NCCL_VERSION");
    *version = text && here() ? atoi(text) : 22809;
    return OK;
}

PUBLIC int ncclGetUniqueId(unique_id *id);
PUBLIC int ncclGetUniqueId(unique_id *id)
{
    static int made;
    memset(id, 0, sizeof *id);
    snprintf(id->internal, sizeof id->internal, "fake_nccl.%d.%d", (int)getpid(), made++);
    return OK;
}

PUBLIC int ncclCommInitRankConfig(fake_comm **comm, int count, unique_id id, int rank,
                                  void *config);
PUBLIC int ncclCommInitRankConfig(fake_comm **comm, int count, unique_id id, int rank, void *config)
{
    const int *blocking = (const int *)((const char *)config + sizeof(size_t) + 8);
    *comm = NULL;
    if (count != 2 || rank < 0 || rank > 1 || *blocking) return INVALID;
    if (fails(0, false)) return SYSTEM;
    *comm = calloc(1, sizeof **comm);
    if (!*comm) return SYSTEM;
    (*comm)->id = id;
    (*comm)->rank = rank;
    return UNDERWAY;
}

PUBLIC int ncclCommGetAsyncError(fake_comm *comm, int *state);
PUBLIC int ncclCommGetAsyncError(fake_comm *comm, int *state)
{
    *state = comm->started++ < 3 ? UNDERWAY : OK;
    calls[3] = calls[1] + calls[2] - 1;
    if (*state == OK && fails(3, true)) *state = REMOTE;
    return OK;
}

PUBLIC int ncclCommAbort(fake_comm *comm);
PUBLIC int ncclCommAbort(fake_comm *comm)
{
    atomic_store(&comm->aborted, true);
    while (atomic_load(&comm->users) > 0) usleep(100);
    free(comm);
    return OK;
}

PUBLIC int ncclGroupStart(void);
PUBLIC int ncclGroupStart(void) { return OK; }
PUBLIC int ncclGroupEnd(void);
PUBLIC int ncclGroupEnd(void) { return OK; }

PUBLIC int ncclSend(const void *from, size_t count, int type, int peer, fake_comm *comm,
                    cudaStream_t stream);
PUBLIC int ncclSend(const void *from, size_t count, int type, int peer, fake_comm *comm,
                    cudaStream_t stream)
{
    char name[512], part[520];
    (void)stream;
    if (type != 1 || peer == comm->rank) return INVALID;
    if (fails(1, false)) return SYSTEM;
    name_of(comm, peer, comm->sent++, name, sizeof name);
    snprintf(part, sizeof part, "%s.part", name);
    FILE *f = fopen(part, "wb");
    if (!f) return SYSTEM;
    const bool written = fwrite(from, 1, count, f) == count;
    return fclose(f) == 0 && written && rename(part, name) == 0 ? OK : SYSTEM;
}

static void *take(void *context)
{
    message *m = context;
    char name[512];
    FILE *f = NULL;
    name_of(m->comm, m->comm->rank, m->number, name, sizeof name);
    while (!f && !atomic_load(&m->comm->aborted)) {
        f = fopen(name, "rb");
        if (!f) usleep(200);
    }
    if (f) {
        const size_t got = fread(m->to, 1, m->bytes, f);
        if (got && getenv("FAKE_NCCL_GARBLE")) memset(m->to, 0, got / 2);
        fclose(f);
        unlink(name);
    }
    work(m->stream, -1);
    atomic_fetch_sub(&m->comm->users, 1);
    free(m);
    return NULL;
}

PUBLIC int ncclRecv(void *to, size_t count, int type, int peer, fake_comm *comm,
                    cudaStream_t stream);
PUBLIC int ncclRecv(void *to, size_t count, int type, int peer, fake_comm *comm,
                    cudaStream_t stream)
{
    pthread_t thread;
    if (type != 1 || peer == comm->rank) return INVALID;
    if (fails(2, false)) return SYSTEM;
    message *m = malloc(sizeof *m);
    if (!m) return SYSTEM;
    *m = (message){comm, to, count, comm->taken++, stream};
    work(stream, 1);
    atomic_fetch_add(&comm->users, 1);
    if (pthread_create(&thread, NULL, take, m)) return SYSTEM;
    pthread_detach(thread);
    return OK;
}

PUBLIC const char *ncclGetErrorString(int result);
PUBLIC const char *ncclGetErrorString(int result)
{
    return result == SYSTEM   ? "unhandled system error"
           : result == REMOTE ? "remote process exited or there was a network error"
                              : "invalid argument";
}
