#include "core/device_crew.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/rank_threads.h"

typedef struct member {
    const torre_device_crew *crew;
    int rank;
    pthread_t thread;
} member;

struct torre_device_crew {
    torre_device_list device;
    torre_device_serve *serve;
    void *context;
    torre_ranks *ranks;
    int started;     /* threads, beside the first */
    member member[]; /* [ranks] */
};

static void *serve(void *context)
{
    const member *m = context;
    const torre_device_crew *c = m->crew;
    c->serve(c->context, &c->ranks[m->rank], c->device.device[m->rank]);
    return NULL;
}

static torre_status start(torre_device_crew *c)
{
    for (int i = 1; i < c->ranks->count; i++, c->started++)
        if (pthread_create(&c->member[i].thread, NULL, serve, &c->member[i]))
            return torre_fail(TORRE_ERR_RESOURCE, "cannot start a thread for each of {devices}");
    return TORRE_OK;
}

torre_status torre_device_crew_new(const torre_device_list *list, const char *transport,
                                   torre_device_serve *serve_one, void *context,
                                   torre_device_crew **crew)
{
    const int count = list->count;
    torre_device_crew *c = calloc(1, sizeof *c + (size_t)count * sizeof c->member[0]);
    if (!c) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    c->device = *list;
    c->serve = serve_one;
    c->context = context;
    torre_status status = torre_rank_threads_new(count, TORRE_PARAMETER("devices"), "GPU",
                                                 c->device.device, &c->ranks);
    for (int i = 0; i < count && !status; i++) {
        if (transport) c->ranks[i].transport = transport;
        c->member[i] = (member){.crew = c, .rank = i};
    }
    if (!status) status = start(c);
    if (status) {
        torre_device_crew_end(c);
        torre_device_crew_free(c);
        return status;
    }
    *crew = c;
    return TORRE_OK;
}

const torre_ranks *torre_device_crew_ranks(const torre_device_crew *c) { return &c->ranks[0]; }

void torre_device_crew_end(torre_device_crew *c)
{
    if (!c || !c->ranks) return;
    torre_rank_threads_close(c->ranks, c->started);
    for (int i = 0; i < c->started; i++) pthread_join(c->member[i + 1].thread, NULL);
    c->started = 0;
}

void torre_device_crew_free(torre_device_crew *c)
{
    if (!c) return;
    torre_rank_threads_free(c->ranks);
    free(c);
}
