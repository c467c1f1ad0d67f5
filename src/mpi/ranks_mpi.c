#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "mpi/ranks_start.h"

/* MPI is entered by one thread at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { TAG = 23, PIECE = 1 << 30 };

bool torre_ranks_started(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
    bool several = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *size = getenv(names[i]);
        several = several || (size && atoi(size) > 1);
    }
    return several;
}

/* Errors of MPI end all ranks, with its own words. */
static void send(int to, const void *bytes, int64_t count)
{
    const char *at = bytes;
    for (; count > 0; count -= PIECE, at += PIECE) {
        const int now = count < PIECE ? (int)count : PIECE;
        pthread_mutex_lock(&lock);
        MPI_Send(at, now, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
        pthread_mutex_unlock(&lock);
    }
}

/* Look now and then rather than wait in MPI, which would keep a core busy that others need. */
static void wait_for(int from)
{
    const struct timespec moment = {.tv_nsec = 500000};
    for (int there = 0; !there;) {
        pthread_mutex_lock(&lock);
        MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&lock);
        if (!there) nanosleep(&moment, NULL);
    }
}

static void receive(int from, void *bytes, int64_t count)
{
    char *at = bytes;
    for (; count > 0; count -= PIECE, at += PIECE) {
        const int now = count < PIECE ? (int)count : PIECE;
        wait_for(from);
        pthread_mutex_lock(&lock);
        MPI_Recv(at, now, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&lock);
    }
}

torre_status torre_ranks_start(torre_ranks *ranks)
{
    MPI_Comm machine;
    int level;
    *ranks = (torre_ranks){.count = 1, .send = send, .receive = receive};
    if (!torre_ranks_started()) return TORRE_OK;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) || level < MPI_THREAD_SERIALIZED)
        return torre_fail(TORRE_ERR_RESOURCE, "this MPI does not go together with threads");
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &ranks->local);
    MPI_Comm_free(&machine);
    return TORRE_OK;
}

void torre_ranks_end(void)
{
    int begun, ended;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun && !ended) MPI_Finalize();
}
