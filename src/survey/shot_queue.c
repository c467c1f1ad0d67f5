#include "survey/shot_queue.h"

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    int64_t shot;
    void *item;
    torre_status status;
    char *text; /* of a failure */
} entry;

/* A list of limited length, first in, first out. */
typedef struct lane {
    entry *entry; /* [limit] */
    int64_t first, count, limit;
} lane;

typedef struct queue {
    const torre_shot_steps *steps;
    const int64_t *shots;
    int64_t shot_count;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a lane, or who is at work */
    lane ready, computed;
    bool preparing;                       /* there may be more in ready */
    int computing;                        /* workers that may put more into computed */
    enum { NOT_YET, GO, GIVEN_UP } state; /* for threads that were started */
} queue;

typedef struct worker_thread {
    queue *queue;
    torre_shot_worker *worker;
} worker_thread;

/* Let the threads begin, or end at once. */
static void set_state(queue *q, int state)
{
    pthread_mutex_lock(&q->lock);
    q->state = state;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

/* Wait until all threads are there; false when they will not be. */
static bool may_begin(queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->state == NOT_YET) pthread_cond_wait(&q->changed, &q->lock);
    const bool go = q->state == GO;
    pthread_mutex_unlock(&q->lock);
    return go;
}

/* Wait for room, then append. */
static void put(queue *q, lane *to, const entry *e)
{
    pthread_mutex_lock(&q->lock);
    while (to->count == to->limit) pthread_cond_wait(&q->changed, &q->lock);
    to->entry[(to->first + to->count++) % to->limit] = *e;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

/* Wait for the first entry and take it; false when there will be none. */
static bool take(queue *q, lane *from, entry *e)
{
    pthread_mutex_lock(&q->lock);
    while (from->count == 0 && (from == &q->ready ? q->preparing : q->computing > 0))
        pthread_cond_wait(&q->changed, &q->lock);
    const bool some = from->count > 0;
    if (some) {
        *e = from->entry[from->first];
        from->first = (from->first + 1) % from->limit;
        from->count--;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return some;
}

/* Keep the text of a failure, which is that of this thread. */
static void note(entry *e, torre_status status)
{
    e->status = status;
    if (status) e->text = strdup(torre_error_text());
}

static void *prepare_all(void *context)
{
    queue *q = context;
    const torre_shot_steps *steps = q->steps;
    if (!may_begin(q)) return NULL;
    omp_set_num_threads(1); /* the others compute */
    for (int64_t i = 0; i < q->shot_count && !steps->stop(steps->context); i++) {
        entry e = {.shot = q->shots[i]};
        note(&e, steps->prepare(steps->context, e.shot, &e.item));
        put(q, &q->ready, &e);
    }
    pthread_mutex_lock(&q->lock);
    q->preparing = false;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

static void *compute_some(void *context)
{
    worker_thread *w = context;
    queue *q = w->queue;
    if (!may_begin(q)) return NULL;
    for (entry e; take(q, &q->ready, &e);) {
        if (!e.status) note(&e, w->worker->compute(w->worker, e.item));
        put(q, &q->computed, &e);
    }
    pthread_mutex_lock(&q->lock);
    q->computing--;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

static void *deliver_all(void *context)
{
    queue *q = context;
    const int threads = q->steps->deliver_threads;
    if (!may_begin(q)) return NULL;
    omp_set_num_threads(threads > 1 ? threads : 1);
    for (entry e; take(q, &q->computed, &e);) {
        if (e.status) torre_fail(e.status, "%s", e.text ? e.text : "out of memory");
        q->steps->deliver(q->steps->context, e.shot, e.item, e.status);
        free(e.text);
    }
    return NULL;
}

static torre_status no_thread(int reason)
{
    errno = reason;
    torre_fail_errno("cannot start a thread");
    return torre_fail(TORRE_ERR_RESOURCE, "%s", torre_error_text());
}

/* The threads beside the caller's: those that prepare and deliver, then further workers. */
static torre_status start(queue *q, worker_thread *workers, int count, pthread_t *thread,
                          int *started)
{
    for (*started = 0; *started < count + 1; ++*started) {
        const int i = *started;
        void *(*const work)(void *) = i == 0 ? prepare_all : i == 1 ? deliver_all : compute_some;
        void *const context = i < 2 ? (void *)q : &workers[i - 1];
        const int reason = pthread_create(&thread[i], NULL, work, context);
        if (reason) return no_thread(reason);
    }
    return TORRE_OK;
}

static torre_status run(queue *q, worker_thread *workers, int count, pthread_t *thread)
{
    int started;
    torre_status status = start(q, workers, count, thread, &started);
    set_state(q, status ? GIVEN_UP : GO);
    if (!status) compute_some(&workers[0]);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
    return status;
}

torre_status torre_shot_queue_run(const torre_shot_steps *steps, const int64_t *shots,
                                  int64_t count, torre_shot_worker *const *workers,
                                  int worker_count)
{
    queue q = {.steps = steps,
               .shots = shots,
               .shot_count = count,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .changed = PTHREAD_COND_INITIALIZER,
               .ready.limit = worker_count,
               .computed.limit = worker_count,
               .preparing = true,
               .computing = worker_count};
    const size_t lane_bytes = (size_t)worker_count * sizeof(entry);
    worker_thread *list = calloc((size_t)worker_count, sizeof *list);
    pthread_t *thread = malloc(((size_t)worker_count + 1) * sizeof *thread);
    q.ready.entry = malloc(lane_bytes);
    q.computed.entry = malloc(lane_bytes);
    torre_status status = TORRE_ERR_RESOURCE;
    if (!list || !thread || !q.ready.entry || !q.computed.entry) {
        torre_fail(status, "out of memory for the queue of shots");
    } else {
        for (int i = 0; i < worker_count; i++)
            list[i] = (worker_thread){.queue = &q, .worker = workers[i]};
        status = run(&q, list, worker_count, thread);
    }
    free(list);
    free(thread);
    free(q.ready.entry);
    free(q.computed.entry);
    return status;
}
