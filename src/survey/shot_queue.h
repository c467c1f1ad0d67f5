/*
 * Shots on their way: prepared one after the other, computed by whoever is free, delivered.
 *
 *     prepare (a thread)  -->  ready  -->  compute (a thread for each worker, of which the first is
 *     the caller's)  -->  computed  -->  deliver (a thread)
 *
 * Both lists hold as many shots as there are workers at most, so that memory is bounded, the next
 * shot is ready when a worker becomes free, and files are written while the worker computes on. A
 * worker may be anything that computes a shot: a group of threads, a GPU, a process elsewhere. No
 * worker waits while shots are ready, and none is bound to a shot before it takes it.
 */
#ifndef TORRE_SHOT_QUEUE_H
#define TORRE_SHOT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

/* Whoever computes shots; the first member of its own struct. */
typedef struct torre_shot_worker {
    torre_status (*compute)(struct torre_shot_worker *worker, void *item);
} torre_shot_worker;

/* What is done with shots, beside computing them. Each function is called by one thread at a time,
 * but they run at the same time. A status comes with its text: torre_error_text() of the call. */
typedef struct torre_shot_steps {
    /* Make what compute needs of shot (an entry of the list); on success *item is not NULL. */
    torre_status (*prepare)(void *context, int64_t shot, void **item);
    /* Take the shot to its end, whatever came of it, and free the item, NULL if it was not made. */
    void (*deliver)(void *context, int64_t shot, void *item, torre_status status);
    /* Whether to begin no further shots; those that were begun are delivered. */
    bool (*stop)(void *context);
    void *context;
    int deliver_threads; /* that deliver may use, beside those that compute; less than 1 is 1 */
} torre_shot_steps;

/*
 * Take the shots of a list through all of it with some workers. TORRE_ERR_RESOURCE where no thread
 * can be had, before any shot was begun; what becomes of a shot is deliver's to know.
 */
torre_status torre_shot_queue_run(const torre_shot_steps *steps, const int64_t *shots,
                                  int64_t count, torre_shot_worker *const *workers,
                                  int worker_count);

#endif
