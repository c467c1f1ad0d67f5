#include "io/sink_queue.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct queue_entry {
    const torre_sink_format *format;
    torre_sink_data data;
    torre_frame frame;
    char path[4096], title[128];
    void *values;
    bool waits; /* until it has been written, or dropped */
} queue_entry;

/* Entries by their numbers, modulo TORRE_SINK_QUEUE_FRAMES. */
struct torre_sink_queue {
    queue_entry entry[TORRE_SINK_QUEUE_FRAMES];
    pthread_t thread[TORRE_SINK_QUEUE_FRAMES];
    int threads;
    int parallel; /* threads that each of these may use */
    pthread_mutex_t mutex;
    pthread_cond_t changed;      /* by the caller or a thread */
    int64_t put, taken, written; /* entries 0 .. put - 1; how many of them have been written */
    bool ends;
    torre_status status; /* of what has been written */
    char text[512];      /* of its failure */
};

static queue_entry *entry_at(torre_sink_queue *q, int64_t number)
{
    return &q->entry[number % TORRE_SINK_QUEUE_FRAMES];
}

static torre_status write_entry(const queue_entry *e)
{
    torre_frame frame = e->frame;
    frame.title = e->title;
    frame.values = e->values;
    return torre_sink_write(e->format, &e->data, e->path, &frame);
}

static void *write_all(void *context)
{
    torre_sink_queue *q = context;
    omp_set_num_threads(q->parallel);
    pthread_mutex_lock(&q->mutex);
    for (;;) {
        while (q->taken == q->put && !q->ends) pthread_cond_wait(&q->changed, &q->mutex);
        if (q->taken == q->put) break;
        queue_entry *e = entry_at(q, q->taken++);
        if (!q->status) {
            pthread_mutex_unlock(&q->mutex);
            const torre_status status = write_entry(e);
            pthread_mutex_lock(&q->mutex);
            if (status && !q->status) {
                q->status = status;
                snprintf(q->text, sizeof q->text, "%s", torre_error_text());
            }
        }
        e->waits = false;
        q->written++;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->mutex);
    return NULL;
}

static void free_entries(torre_sink_queue *q)
{
    for (int i = 0; i < TORRE_SINK_QUEUE_FRAMES; i++) free(q->entry[i].values);
    free(q);
}

/* As many as can be started; false where there is none. */
static bool start_threads(torre_sink_queue *q, int threads, int cores)
{
    q->parallel = cores > threads ? cores / threads : 1;
    for (q->threads = 0; q->threads < threads; q->threads++)
        if (pthread_create(&q->thread[q->threads], NULL, write_all, q) != 0) break;
    return q->threads > 0;
}

torre_status torre_sink_queue_new(size_t bytes, int threads, int cores, torre_sink_queue **queue)
{
    torre_sink_queue *q = calloc(1, sizeof *q);
    bool room = q != NULL;
    for (int i = 0; i < TORRE_SINK_QUEUE_FRAMES && room; i++)
        room = (q->entry[i].values = malloc(bytes)) != NULL;
    if (!room) {
        if (q) free_entries(q);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the snapshots");
    }
    pthread_mutex_init(&q->mutex, NULL);
    pthread_cond_init(&q->changed, NULL);
    if (!start_threads(q, threads, cores)) {
        free_entries(q);
        return torre_fail(TORRE_ERR_RESOURCE, "cannot start a thread that writes snapshots");
    }
    *queue = q;
    return TORRE_OK;
}

/* Let go of the mutex, and tell of the first failure so far. */
static torre_status unlock(torre_sink_queue *q)
{
    const torre_status status = q->status;
    pthread_mutex_unlock(&q->mutex);
    return status ? torre_fail(status, "%s", q->text) : TORRE_OK;
}

torre_status torre_sink_queue_room(torre_sink_queue *q, void **values)
{
    const queue_entry *e = entry_at(q, q->put);
    *values = e->values;
    pthread_mutex_lock(&q->mutex);
    while (e->waits) pthread_cond_wait(&q->changed, &q->mutex);
    return unlock(q);
}

torre_status torre_sink_queue_put(torre_sink_queue *q, const torre_sink_format *format,
                                  const torre_sink_data *data, const char *path,
                                  const torre_frame *frame)
{
    queue_entry *e = entry_at(q, q->put);
    e->format = format;
    e->data = *data;
    e->frame = *frame;
    snprintf(e->path, sizeof e->path, "%s", path);
    snprintf(e->title, sizeof e->title, "%s", frame->title ? frame->title : "");
    pthread_mutex_lock(&q->mutex);
    e->waits = true;
    q->put++;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    return TORRE_OK;
}

torre_status torre_sink_queue_settle(torre_sink_queue *q)
{
    if (!q) return TORRE_OK;
    pthread_mutex_lock(&q->mutex);
    while (q->written < q->put) pthread_cond_wait(&q->changed, &q->mutex);
    return unlock(q);
}

void torre_sink_queue_free(torre_sink_queue *q)
{
    if (!q) return;
    pthread_mutex_lock(&q->mutex);
    q->ends = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    for (int i = 0; i < q->threads; i++) pthread_join(q->thread[i], NULL);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->mutex);
    free_entries(q);
}
