#include "io/sink_queue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct queue_entry {
    const torre_sink_format *format;
    torre_sink_data data;
    torre_frame frame;
    char path[4096], title[128];
    void *values;
} queue_entry;

/* Entries put .. put + TORRE_SINK_QUEUE_FRAMES - 1, by their number modulo that, have room for the
 * caller, less those that wait, written .. put - 1. */
struct torre_sink_queue {
    queue_entry entry[TORRE_SINK_QUEUE_FRAMES];
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* by the caller or the thread */
    int64_t put, written;
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
    pthread_mutex_lock(&q->mutex);
    for (;;) {
        while (q->written == q->put && !q->ends) pthread_cond_wait(&q->changed, &q->mutex);
        if (q->written == q->put) break;
        const queue_entry *e = entry_at(q, q->written);
        if (!q->status) {
            pthread_mutex_unlock(&q->mutex);
            const torre_status status = write_entry(e);
            pthread_mutex_lock(&q->mutex);
            q->status = status;
            if (status) snprintf(q->text, sizeof q->text, "%s", torre_error_text());
        }
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

torre_status torre_sink_queue_new(size_t bytes, torre_sink_queue **queue)
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
    if (pthread_create(&q->thread, NULL, write_all, q) != 0) {
        free_entries(q);
        return torre_fail(TORRE_ERR_RESOURCE, "cannot start a thread that writes snapshots");
    }
    *queue = q;
    return TORRE_OK;
}

/* Wait until at most so many frames are left to write. */
static torre_status wait_for(torre_sink_queue *q, int64_t most)
{
    pthread_mutex_lock(&q->mutex);
    while (q->put - q->written > most) pthread_cond_wait(&q->changed, &q->mutex);
    const torre_status status = q->status;
    pthread_mutex_unlock(&q->mutex);
    return status ? torre_fail(status, "%s", q->text) : TORRE_OK;
}

torre_status torre_sink_queue_room(torre_sink_queue *q, void **values)
{
    TORRE_TRY(wait_for(q, TORRE_SINK_QUEUE_FRAMES - 1));
    *values = entry_at(q, q->put)->values;
    return TORRE_OK;
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
    q->put++;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    return TORRE_OK;
}

torre_status torre_sink_queue_settle(torre_sink_queue *q) { return q ? wait_for(q, 0) : TORRE_OK; }

void torre_sink_queue_free(torre_sink_queue *q)
{
    if (!q) return;
    pthread_mutex_lock(&q->mutex);
    q->ends = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    pthread_join(q->thread, NULL);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->mutex);
    free_entries(q);
}
