#include "core/rank_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct letter letter;

struct letter {
    const void *bytes;
    int64_t count;
    letter *next;
};

/* From one rank to another, the first that was posted first. */
typedef struct queue {
    letter *first, *last;
    bool reading; /* the first, in memory of its sender */
} queue;

typedef struct group {
    pthread_mutex_t lock;
    pthread_cond_t change;
    queue *queue;        /* [from][to] */
    torre_status status; /* of the rank that failed first, TORRE_OK so far, */
    char text[640];      /* and with what */
    int left;            /* ranks beside the first that take part no more */
    bool closed;         /* the first, too */
} group;

static group *group_of(const torre_ranks *self) { return self->context; }

static queue *queue_of(const torre_ranks *self, int from, int to)
{
    return &group_of(self)->queue[from * self->count + to];
}

/* With the lock. */
static torre_status state(const group *g)
{
    return g->status ? torre_fail(g->status, "%s", g->text) : TORRE_OK;
}

static torre_status post(const torre_ranks *self, int to, const void *bytes, int64_t count)
{
    group *g = group_of(self);
    queue *q = queue_of(self, self->rank, to);
    if (count == 0) return TORRE_OK;
    letter *l = malloc(sizeof *l);
    if (!l) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for messages");
    *l = (letter){bytes, count, NULL};
    pthread_mutex_lock(&g->lock);
    if (q->last)
        q->last->next = l;
    else
        q->first = l;
    q->last = l;
    const torre_status status = state(g);
    pthread_cond_broadcast(&g->change);
    pthread_mutex_unlock(&g->lock);
    return status;
}

static torre_status settle(const torre_ranks *self, int to)
{
    group *g = group_of(self);
    const queue *q = queue_of(self, self->rank, to);
    pthread_mutex_lock(&g->lock);
    while (q->first && (!g->status || q->reading)) pthread_cond_wait(&g->change, &g->lock);
    const torre_status status = state(g);
    pthread_mutex_unlock(&g->lock);
    return status;
}

static torre_status send(const torre_ranks *self, int to, const void *bytes, int64_t count)
{
    TORRE_TRY(post(self, to, bytes, count));
    return settle(self, to);
}

/* The letter leaves its queue when it has been read, for which its sender waits. */
static torre_status receive(const torre_ranks *self, int from, void *bytes, int64_t count)
{
    group *g = group_of(self);
    queue *q = queue_of(self, from, self->rank);
    if (count == 0) return TORRE_OK;
    pthread_mutex_lock(&g->lock);
    while (!q->first && !g->status) pthread_cond_wait(&g->change, &g->lock);
    torre_status status = state(g);
    letter *l = status ? NULL : q->first;
    q->reading = l != NULL;
    pthread_mutex_unlock(&g->lock);
    if (!l) return status;
    if (l->count == count)
        memcpy(bytes, l->bytes, (size_t)count);
    else
        status = torre_fail(TORRE_ERR_RESOURCE, "a message of %lld bytes is not one of %lld",
                            (long long)l->count, (long long)count);
    pthread_mutex_lock(&g->lock);
    q->reading = false;
    q->first = l->next;
    if (!q->first) q->last = NULL;
    pthread_cond_broadcast(&g->change);
    pthread_mutex_unlock(&g->lock);
    free(l);
    return status;
}

static torre_status look(const torre_ranks *self)
{
    group *g = group_of(self);
    pthread_mutex_lock(&g->lock);
    const torre_status status = state(g);
    pthread_mutex_unlock(&g->lock);
    return status;
}

static torre_status failed(const torre_ranks *self, torre_status status)
{
    group *g = group_of(self);
    pthread_mutex_lock(&g->lock);
    if (!g->status) {
        snprintf(g->text, sizeof g->text, "%s %d: %s", self->what,
                 torre_rank_number(self, self->rank), torre_error_text());
        g->status = status;
    }
    status = state(g);
    pthread_cond_broadcast(&g->change);
    for (int to = 0; to < self->count; to++) /* what it has posted will be gone */
        while (queue_of(self, self->rank, to)->reading) pthread_cond_wait(&g->change, &g->lock);
    pthread_mutex_unlock(&g->lock);
    return status;
}

static void leave(const torre_ranks *self)
{
    group *g = group_of(self);
    pthread_mutex_lock(&g->lock);
    g->left++;
    pthread_cond_broadcast(&g->change);
    while (!g->closed) pthread_cond_wait(&g->change, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

void torre_rank_threads_close(torre_ranks *ranks, int others)
{
    group *g = group_of(ranks);
    pthread_mutex_lock(&g->lock);
    if (!g->status) snprintf(g->text, sizeof g->text, "the run is over");
    if (!g->status) g->status = TORRE_ERR_RESOURCE;
    pthread_cond_broadcast(&g->change);
    while (g->left < others) pthread_cond_wait(&g->change, &g->lock);
    g->closed = true;
    pthread_cond_broadcast(&g->change);
    pthread_mutex_unlock(&g->lock);
}

torre_status torre_rank_threads_new(int count, const char *who, const char *what, const int *number,
                                    torre_ranks **ranks)
{
    torre_ranks *made = calloc((size_t)count, sizeof *made);
    group *g = calloc(1, sizeof *g);
    queue *queues = calloc((size_t)(count * count), sizeof *queues);
    if (!made || !g || !queues) {
        free(made);
        free(g);
        free(queues);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    }
    g->queue = queues;
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->change, NULL);
    for (int i = 0; i < count; i++)
        made[i] = (torre_ranks){.rank = i,
                                .count = count,
                                .local = i,
                                .locals = count,
                                .transport = "memory",
                                .who = who,
                                .what = what,
                                .number = number,
                                .one_process = true,
                                .context = g,
                                .send = send,
                                .receive = receive,
                                .post = post,
                                .settle = settle,
                                .look = look,
                                .failed = failed,
                                .leave = leave};
    *ranks = made;
    return TORRE_OK;
}

void torre_rank_threads_free(torre_ranks *ranks)
{
    if (!ranks) return;
    group *g = group_of(ranks);
    for (int i = 0; i < ranks->count * ranks->count; i++)
        for (letter *l = g->queue[i].first, *next; l; l = next) {
            next = l->next;
            free(l);
        }
    pthread_mutex_destroy(&g->lock);
    pthread_cond_destroy(&g->change);
    free(g->queue);
    free(g);
    free(ranks);
}
