#include "wave/rank_crew.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/rank_threads.h"
#include "wave/backend.h"
#include "wave/rank_run.h"

typedef struct member {
    const torre_rank_crew *crew;
    const torre_ranks *ranks;
    torre_wave_plan plan;
    pthread_t thread;
} member;

struct torre_rank_crew {
    const torre_wave_problem *problem;
    const char *backend;
    torre_ranks *ranks;
    int started;     /* threads, beside the first */
    member member[]; /* [ranks] */
};

static void *serve(void *context)
{
    const member *m = context;
    torre_wave_run *run = NULL;
    torre_status status = torre_wave_run_new(m->crew->problem, m->crew->backend, &m->plan, &run);
    if (!status) status = torre_wave_run_share(run, m->ranks);
    torre_wave_ranks_serve(run, m->ranks, status); /* what goes wrong the first one knows */
    torre_wave_run_free(run);
    return NULL;
}

static torre_status start(torre_rank_crew *c)
{
    for (int i = 1; i < c->ranks->count; i++, c->started++)
        if (pthread_create(&c->member[i].thread, NULL, serve, &c->member[i]))
            return torre_fail(TORRE_ERR_RESOURCE, "cannot start a thread for each of {devices}");
    return TORRE_OK;
}

torre_status torre_rank_crew_new(const torre_wave_problem *problem, const char *backend,
                                 const torre_wave_plan *plan, const int *device, int count,
                                 torre_rank_crew **crew)
{
    const torre_wave_backend *found;
    TORRE_TRY(torre_wave_backend_find(backend, plan, &found));
    torre_rank_crew *c = calloc(1, sizeof *c + (size_t)count * sizeof c->member[0]);
    if (!c) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    c->problem = problem;
    c->backend = backend;
    torre_status status =
        torre_rank_threads_new(count, TORRE_PARAMETER("devices"), "GPU", device, &c->ranks);
    for (int i = 0; i < count && !status; i++) {
        if (found->transport) c->ranks[i].transport = found->transport(device, count);
        c->member[i] = (member){.crew = c, .ranks = &c->ranks[i], .plan = *plan};
        c->member[i].plan.device = device[i];
    }
    if (!status) status = start(c);
    if (status) {
        torre_rank_crew_end(c);
        torre_rank_crew_free(c);
        return status;
    }
    *crew = c;
    return TORRE_OK;
}

const torre_ranks *torre_rank_crew_ranks(const torre_rank_crew *crew) { return &crew->ranks[0]; }

void torre_rank_crew_end(torre_rank_crew *c)
{
    if (!c || !c->ranks) return;
    torre_rank_threads_close(c->ranks, c->started);
    for (int i = 0; i < c->started; i++) pthread_join(c->member[i + 1].thread, NULL);
    c->started = 0;
}

void torre_rank_crew_free(torre_rank_crew *c)
{
    if (!c) return;
    torre_rank_threads_free(c->ranks);
    free(c);
}
