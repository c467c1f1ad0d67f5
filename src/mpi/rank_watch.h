/*
 * Which ranks are there: those of this machine by their processes, others by what they say every
 * second. Time is that in which the process ran (torre_waking), so that processes which were all
 * stopped and go on find nothing wrong.
 */
#ifndef TORRE_RANK_WATCH_H
#define TORRE_RANK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

/* A rank of them. */
typedef struct torre_watched {
    int64_t process; /* 0: not of this machine */
    int silent;      /* seconds since it was heard */
} torre_watched;

typedef struct torre_rank_watch {
    int rank, count;
    int limit; /* seconds of silence */
    torre_watched *of;
    torre_status status; /* of what went wrong first, TORRE_OK so far, */
    int lost;            /* with which rank, -1: this one's own, */
    char text[640];      /* and what it was */
} torre_rank_watch;

/* Seconds by a clock that is looked at often; a long time between two looks, in which the process
 * was stopped, counts as a short one. */
typedef struct torre_waking {
    double seconds, last;
} torre_waking;

torre_waking torre_waking_start(double now);
double torre_waking_seconds(torre_waking *clock, double now);

/* Ranks that speak to each other: neighbours, and the first with all. */
bool torre_ranks_speak(int a, int b);

/* TORRE_RANK_LIMIT of the environment is the limit, else a minute. False: no memory. */
bool torre_rank_watch_start(torre_rank_watch *watch, int rank, int count);
void torre_rank_watch_end(torre_rank_watch *watch);

/* A process of this machine is that rank. */
void torre_rank_watch_process(torre_rank_watch *watch, int rank, int64_t process);

/* Keep a failure, the first. rank: whose it is, -1: this one's own. */
void torre_rank_watch_failed(torre_rank_watch *watch, int rank, torre_status status,
                             const char *text);

/* Look at processes; and a second has passed. */
void torre_rank_watch_look(torre_rank_watch *watch);
void torre_rank_watch_second(torre_rank_watch *watch);

#endif
