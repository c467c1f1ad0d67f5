/*
 * Ranks that work together: processes, on this machine or others, whose messages are the caller's
 * (src/mpi), or threads of one (rank_threads.h).
 *
 * No function waits for ever: where a rank that takes part has died, has said nothing for a minute,
 * or has failed, all that wait for any rank get TORRE_ERR_RESOURCE (of a rank that failed what it
 * failed with) and the number of that rank.
 */
#ifndef TORRE_RANKS_H
#define TORRE_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_ranks torre_ranks;

struct torre_ranks {
    int rank, count;   /* of all */
    int local, locals; /* this one's number among those of its machine, and how many these are */
    const int *leader; /* [count]: the first of the ranks in a row that can have memory in common
                          (rank_team.h); NULL: each is alone */
    const char *transport; /* how messages go, in words */
    const char *who;       /* all of them, in errors: "ranks of MPI", */
    const char *what;      /* and one, before its number: "rank" */
    const int *number;     /* [count], NULL: 0, 1, ... */
    bool one_process;      /* addresses are the same to all */
    void *context;         /* of the functions */
    /* Bytes from one rank to another, which takes just as many. From any thread; of two ranks one
     * thread each. */
    torre_status (*send)(const torre_ranks *self, int to, const void *bytes, int64_t count);
    torre_status (*receive)(const torre_ranks *self, int from, void *bytes, int64_t count);
    /* The same as send, without waiting: the bytes must stay as they are until settle. */
    torre_status (*post)(const torre_ranks *self, int to, const void *bytes, int64_t count);
    torre_status (*settle)(const torre_ranks *self, int to);
    /* What the others would fail with now, without waiting. */
    torre_status (*look)(const torre_ranks *self);
    int limit_s; /* after which what is on its way will not come; of processes */
    /* Messages may lie in memory of devices, says the library that carries them. Before the first:
     * its threads are to `enter` the device. While a trial lasts, its failures are of the trial
     * alone, and a library that dies of such memory is told in one line. NULL of threads. */
    bool of_devices;
    void (*use_device)(const torre_ranks *self, void (*enter)(int device), int device, bool trial);
    /* This one has failed with that status (why: torre_error_text) while others wait for it: rank
     * 0 gets to know. Returns what this rank is to fail with. */
    torre_status (*failed)(const torre_ranks *self, torre_status status);
    /* This one waits no more and sends nothing: back when that is so of all, and what they have
     * given each other can go. NULL of processes. */
    void (*leave)(const torre_ranks *self);
    /* After a failure of the above: say it on standard error and end all ranks at once. NULL of
     * threads. */
    void (*give_up)(const torre_ranks *self);
};

static inline torre_status torre_rank_send(const torre_ranks *ranks, int to, const void *bytes,
                                           int64_t count)
{
    return ranks->send(ranks, to, bytes, count);
}

static inline torre_status torre_rank_receive(const torre_ranks *ranks, int from, void *bytes,
                                              int64_t count)
{
    return ranks->receive(ranks, from, bytes, count);
}

static inline torre_status torre_rank_post(const torre_ranks *ranks, int to, const void *bytes,
                                           int64_t count)
{
    return ranks->post(ranks, to, bytes, count);
}

static inline torre_status torre_rank_settle(const torre_ranks *ranks, int to)
{
    return ranks->settle(ranks, to);
}

static inline torre_status torre_rank_failed(const torre_ranks *ranks, torre_status status)
{
    return ranks->failed(ranks, status);
}

/* The leader of the team that a rank is in. */
static inline int torre_rank_leader(const torre_ranks *ranks, int rank)
{
    return ranks->leader ? ranks->leader[rank] : rank;
}

/* Threads of a rank that has not been told: its share of the processors, or fewer where the
 * launcher gave it fewer. */
int torre_rank_threads(const torre_ranks *ranks, int threads);

/* What a rank is called. */
static inline int torre_rank_number(const torre_ranks *ranks, int rank)
{
    return ranks->number ? ranks->number[rank] : rank;
}

#ifdef __cplusplus
}
#endif

#endif
