#include "particles/md_crew.h"

#include <stdlib.h>

#include "core/device_crew.h"
#include "particles/md_ranks.h"

struct torre_md_crew {
    const torre_md_problem *problem;
    torre_md_plan plan; /* but for the device */
    torre_device_crew *threads;
};

static void serve(void *context, const torre_ranks *ranks, int device)
{
    const torre_md_crew *c = context;
    torre_md_plan plan = c->plan;
    torre_md_run *run = NULL;
    plan.device = device;
    torre_status status = torre_md_run_new(c->problem, "cuda", &plan, &run);
    if (!status) status = torre_md_run_share(run, ranks);
    (void)torre_md_ranks_serve(run, ranks, status); /* what goes wrong the first one knows */
    torre_md_run_free(run);
}

static torre_status crew_new(const torre_md_problem *problem, const torre_md_plan *plan,
                             const torre_device_list *device, torre_md_crew **crew)
{
    const torre_md_backend *found;
    TORRE_TRY(torre_md_backend_find("cuda", plan, &found));
    torre_md_crew *c = calloc(1, sizeof *c);
    if (!c) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    c->problem = problem;
    c->plan = *plan;
    const char *transport =
        found->transport ? found->transport(device->device, device->count) : NULL;
    const torre_status status = torre_device_crew_new(device, transport, serve, c, &c->threads);
    if (status)
        free(c);
    else
        *crew = c;
    return status;
}

/* What the first does, as the others do (serve). */
static torre_status share(const torre_md_crew *c, torre_md_run **run)
{
    const torre_ranks *ranks = torre_device_crew_ranks(c->threads);
    torre_status status = torre_md_run_new(c->problem, "cuda", &c->plan, run);
    if (!status) status = torre_md_run_share(*run, ranks);
    return torre_md_ranks_gather(*run, ranks, status);
}

torre_status torre_md_crew_run(const torre_md_problem *problem, const char *backend,
                               const torre_md_plan *plan, torre_md_run **run)
{
    torre_device_list list;
    torre_md_crew *crew = NULL;
    torre_md_run *made = NULL;
    torre_md_plan own = *plan;
    if (plan->device > 0)
        return torre_fail(TORRE_ERR_USAGE, "{device} and {devices} exclude each other");
    TORRE_TRY(torre_device_list_read(plan->devices, backend, &list));
    own.devices = NULL;
    own.device = list.device[0];
    if (list.count == 1) return torre_md_run_new(problem, "cuda", &own, run);
    TORRE_TRY(crew_new(problem, &own, &list, &crew));
    const torre_status status = share(crew, &made);
    if (status) {
        torre_md_crew_end(crew);
        torre_md_run_free(made);
        torre_md_crew_free(crew);
        return status;
    }
    made->crew = crew;
    *run = made;
    return TORRE_OK;
}

void torre_md_crew_end(torre_md_crew *c)
{
    if (c) torre_device_crew_end(c->threads);
}

void torre_md_crew_free(torre_md_crew *c)
{
    if (!c) return;
    torre_device_crew_free(c->threads);
    free(c);
}
