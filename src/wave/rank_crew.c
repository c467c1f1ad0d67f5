#include "wave/rank_crew.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/rank_threads.h"
#include "wave/device_list.h"
#include "wave/driver.h"
#include "wave/rank_run.h"

typedef struct member {
    const torre_rank_crew *crew;
    const torre_ranks *ranks;
    torre_wave_plan plan;
    pthread_t thread;
} member;

struct torre_rank_crew {
    const torre_wave_problem *problem;
    torre_device_list device;
    torre_ranks *ranks;
    int started;     /* threads, beside the first */
    member member[]; /* [ranks] */
};

static void *serve(void *context)
{
    const member *m = context;
    torre_wave_run *run = NULL;
    torre_status status = torre_wave_run_new(m->crew->problem, "cuda", &m->plan, &run);
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

static torre_status crew_new(const torre_wave_problem *problem, const torre_wave_plan *plan,
                             const torre_device_list *device, torre_rank_crew **crew)
{
    const torre_wave_backend *found;
    const int count = device->count;
    TORRE_TRY(torre_wave_backend_find("cuda", plan, &found));
    torre_rank_crew *c = calloc(1, sizeof *c + (size_t)count * sizeof c->member[0]);
    if (!c) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    c->problem = problem;
    c->device = *device;
    torre_status status = torre_rank_threads_new(count, TORRE_PARAMETER("devices"), "GPU",
                                                 c->device.device, &c->ranks);
    for (int i = 0; i < count && !status; i++) {
        if (found->transport) c->ranks[i].transport = found->transport(c->device.device, count);
        c->member[i] = (member){.crew = c, .ranks = &c->ranks[i], .plan = *plan};
        c->member[i].plan.device = device->device[i];
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

/* What the first does, as the others do (serve). */
static torre_status share(const torre_rank_crew *c, const torre_frame_planes *planes,
                          torre_wave_run **run)
{
    const member *m = &c->member[0];
    torre_status status = torre_wave_run_new_planes(c->problem, "cuda", &m->plan, planes, run);
    if (!status) status = torre_wave_run_share(*run, m->ranks);
    return torre_wave_ranks_gather(*run, m->ranks, status);
}

torre_status torre_rank_crew_run(const torre_wave_problem *problem, const char *backend,
                                 const torre_wave_plan *plan, const torre_frame_planes *planes,
                                 torre_wave_run **run)
{
    torre_device_list list;
    torre_rank_crew *crew = NULL;
    torre_wave_run *made = NULL;
    torre_wave_plan own = *plan;
    if (plan->device > 0)
        return torre_fail(TORRE_ERR_USAGE, "{device} and {devices} exclude each other");
    TORRE_TRY(torre_device_list_read(plan->devices, backend, &list));
    own.devices = NULL;
    own.device = list.device[0];
    if (list.count == 1) return torre_wave_run_new_planes(problem, "cuda", &own, planes, run);
    TORRE_TRY(crew_new(problem, &own, &list, &crew));
    const torre_status status = share(crew, planes, &made);
    if (status) {
        torre_rank_crew_end(crew);
        torre_wave_run_free(made);
        torre_rank_crew_free(crew);
        return status;
    }
    made->info.wish.devices = plan->devices;
    made->crew = crew;
    *run = made;
    return TORRE_OK;
}

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
