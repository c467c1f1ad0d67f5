#include "particles/md_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rank_ready.h"
#include "core/rank_team.h"
#include "particles/md_program.h"

/* Of the whole problem, of rank 0. */
typedef struct rank_program {
    torre_md_program base;
    torre_md_backend whole; /* functions of the solver, by the name of the backend of the ranks */
    const torre_md_backend *backend; /* that of every rank, */
    torre_md_program *own;           /* and its program of this one; NULL when a solver has it */
    const torre_ranks *ranks;
    char device[][128]; /* of all of them */
} rank_program;

typedef struct rank_solver {
    torre_md_solver base;
    const rank_program *program;
    torre_md_solver *own;
} rank_solver;

/* Ways past the host (core/rank_way.h) to each of the others. */
struct torre_md_links {
    const torre_ranks *ranks;
    const torre_rank_way *const *ways;
    int device;
    torre_rank_met met;      /* of rank 0 */
    torre_rank_path *path[]; /* [ranks] */
};

/* What rank 0 has all do, with what it has itself as arguments. */
typedef enum request_kind {
    ASK_END = 1,
    ASK_MEET,
    ASK_START,
    ASK_SET_PARTICLES,
    ASK_ADVANCE,
    ASK_PARTICLES,
    ASK_VELOCITIES,
    ASK_FORCES,
    ASK_SPINS,
    ASK_FIELDS,
    ASK_SUMS,
    ASK_STATE,
    ASK_RESUME
} request_kind;

typedef struct request {
    int64_t kind, steps;
} request;

static torre_status ask(const torre_ranks *ranks, request_kind kind, int64_t steps)
{
    const request r = {kind, steps};
    for (int i = 1; i < ranks->count; i++) TORRE_TRY(torre_rank_send(ranks, i, &r, sizeof r));
    return TORRE_OK;
}

/* Of all alike, or of this rank, which others do not know yet. */
static torre_status done(const torre_ranks *ranks, torre_status status)
{
    if (status == TORRE_OK || status == TORRE_ERR_UNSTABLE) return status;
    return torre_rank_failed(ranks, status);
}

static torre_status no_visit(void *context, const char *name, void *data, int64_t bytes)
{
    (void)context, (void)name, (void)data, (void)bytes;
    return TORRE_OK;
}

/* --- The solver of the whole --- */

static const torre_ranks *ranks_of(const torre_md_solver *solver)
{
    return ((const rank_solver *)solver)->program->ranks;
}

static torre_md_solver *own_of(const torre_md_solver *solver)
{
    return ((const rank_solver *)solver)->own;
}

static void whole_destroy(torre_md_solver *solver)
{
    rank_solver *s = (rank_solver *)solver;
    if (!s) return;
    if (s->own) s->own->backend->destroy(s->own);
    torre_md_program *program = s->base.program;
    free(s);
    if (!program) return;
    torre_md_program_free(((rank_program *)program)->own);
    torre_md_program_free(program);
}

static torre_status whole_create(torre_md_program *base, torre_md_solver **solver)
{
    rank_program *p = (rank_program *)base;
    rank_solver *s = calloc(1, sizeof *s);
    torre_status status =
        s ? ask(p->ranks, ASK_START, 0) : torre_fail(TORRE_ERR_RESOURCE, "no memory for a solver");
    if (!status) status = p->backend->create(p->own, &s->own);
    if (status) {
        free(s);
        return done(p->ranks, status);
    }
    p->own = NULL;
    s->base.backend = &p->whole;
    s->base.program = base;
    s->program = p;
    *solver = &s->base;
    return TORRE_OK;
}

static torre_status whole_set_particles(torre_md_solver *solver, const double *const position[3],
                                        const double *const velocity[3])
{
    torre_md_solver *own = own_of(solver);
    torre_status status = ask(ranks_of(solver), ASK_SET_PARTICLES, 0);
    if (!status) status = own->backend->set_particles(own, position, velocity);
    return done(ranks_of(solver), status);
}

static torre_status whole_advance(torre_md_solver *solver, int64_t steps)
{
    torre_md_solver *own = own_of(solver);
    torre_status status = ask(ranks_of(solver), ASK_ADVANCE, steps);
    if (!status) status = own->backend->advance(own, steps);
    return done(ranks_of(solver), status);
}

static void whole_box(const torre_md_solver *solver, double box[3])
{
    const torre_md_solver *own = own_of(solver);
    torre_md_solver_box(own, solver->program->problem, box);
}

static torre_status whole_get_particles(torre_md_solver *solver, double *const position[3],
                                        double *const velocity[3])
{
    torre_md_solver *own = own_of(solver);
    torre_status status = TORRE_OK;
    if (position) {
        status = ask(ranks_of(solver), ASK_PARTICLES, 0);
        if (!status) status = own->backend->get_particles(own, position, NULL);
    }
    if (velocity && !status) {
        status = ask(ranks_of(solver), ASK_VELOCITIES, 0);
        if (!status) status = own->backend->get_particles(own, NULL, velocity);
    }
    return done(ranks_of(solver), status);
}

static torre_status whole_get_forces(torre_md_solver *solver, double *const force[3])
{
    torre_md_solver *own = own_of(solver);
    torre_status status = ask(ranks_of(solver), ASK_FORCES, 0);
    if (!status) status = own->backend->get_forces(own, force);
    return done(ranks_of(solver), status);
}

static torre_status whole_get_spins(torre_md_solver *solver, double *const spin[3])
{
    torre_md_solver *own = own_of(solver);
    torre_status status = ask(ranks_of(solver), ASK_SPINS, 0);
    if (!status) status = own->backend->get_spins(own, spin);
    return done(ranks_of(solver), status);
}

static torre_status whole_get_fields(torre_md_solver *solver, const torre_md_fields *fields)
{
    torre_md_solver *own = own_of(solver);
    torre_status status = ask(ranks_of(solver), ASK_FIELDS, 0);
    if (!status) status = own->backend->get_fields(own, fields);
    return done(ranks_of(solver), status);
}

static torre_status whole_sums(torre_md_solver *solver, torre_md_sums *sums)
{
    torre_md_solver *own = own_of(solver);
    torre_status status = ask(ranks_of(solver), ASK_SUMS, 0);
    if (!status) status = own->backend->sums(own, sums);
    return done(ranks_of(solver), status);
}

static void whole_times(const torre_md_solver *solver, torre_md_times *times,
                        torre_md_counts *counts)
{
    const torre_md_solver *own = own_of(solver);
    own->backend->times(own, times, counts);
}

static torre_status whole_state(torre_md_solver *solver, torre_md_visit *visit, void *context)
{
    torre_md_solver *own = own_of(solver);
    torre_status status = ask(ranks_of(solver), ASK_STATE, 0);
    if (!status) status = own->backend->state(own, visit, context);
    return done(ranks_of(solver), status);
}

static torre_status whole_resume(torre_md_solver *solver)
{
    torre_md_solver *own = own_of(solver);
    torre_status status = ask(ranks_of(solver), ASK_RESUME, 0);
    if (!status) status = own->backend->resume(own);
    return done(ranks_of(solver), status);
}

/* Of processes with devices: none of them is open yet. */
static torre_status links_new(torre_md_run *run, const torre_ranks *ranks)
{
    if (!run->backend->ways || !ranks->use_device) return TORRE_OK;
    TORRE_TRY(torre_rank_meet_check());
    torre_md_links *made = calloc(1, sizeof *made + (size_t)ranks->count * sizeof made->path[0]);
    if (!made) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    made->ranks = ranks;
    made->ways = run->backend->ways;
    made->device = run->info->plan.device;
    run->links = made;
    return TORRE_OK;
}

static torre_status links_open(torre_md_links *l)
{
    return torre_rank_meet_all(l->ranks, l->device, l->ways, l->path, &l->met);
}

void torre_md_links_close(torre_md_links *l)
{
    for (int i = 0; l && i < l->ranks->count; i++)
        if (l->path[i]) l->path[i]->way->close(l->path[i]);
    free(l);
}

torre_status torre_md_run_share(torre_md_run *run, const torre_ranks *ranks)
{
    const size_t bytes =
        sizeof(rank_program) + (size_t)ranks->count * sizeof((rank_program *)0)->device[0];
    torre_md_program *made;
    const torre_md_backend *backend = run->backend;
    if (ranks->count == 1) return TORRE_OK;
    if (!backend->share)
        return torre_fail(TORRE_ERR_USAGE, "%s cannot share a run by {backend} %s; take cpu",
                          ranks->who, backend->name);
    TORRE_TRY(links_new(run, ranks));
    TORRE_TRY(backend->share(run->program, ranks, run->links ? run->links->path : NULL));
    if (ranks->rank > 0) return TORRE_OK;
    TORRE_TRY(torre_md_program_new(bytes, run->problem, &run->info->plan, &made));
    made->info = *run->info;
    rank_program *p = (rank_program *)made;
    p->whole = (torre_md_backend){.name = backend->name,
                                  .create = whole_create,
                                  .set_particles = whole_set_particles,
                                  .advance = whole_advance,
                                  .box = whole_box,
                                  .get_particles = whole_get_particles,
                                  .get_forces = whole_get_forces,
                                  .get_spins = whole_get_spins,
                                  .get_fields = whole_get_fields,
                                  .sums = whole_sums,
                                  .times = whole_times,
                                  .state = whole_state,
                                  .resume = whole_resume,
                                  .destroy = whole_destroy};
    p->backend = backend;
    p->own = run->program;
    p->ranks = ranks;
    run->program = made;
    run->info = &made->info;
    run->backend = &p->whole;
    return TORRE_OK;
}

void torre_md_ranks_dismiss(const torre_ranks *ranks)
{
    (void)ask(ranks, ASK_END, 0); /* whoever cannot be told is gone */
}

/* --- The others --- */

/* What a rank plans. */
typedef struct plans {
    double skin, bin_size;
    int64_t bins[3];
    char kernel[128], device[128];
} plans;

static plans plans_of(const torre_md_run *run, torre_status status)
{
    plans p = {0};
    if (status) return p;
    p.skin = run->info->plan.skin;
    p.bin_size = run->info->plan.bin_size;
    memcpy(p.bins, run->info->bins, sizeof p.bins);
    snprintf(p.kernel, sizeof p.kernel, "%s", run->info->kernel);
    snprintf(p.device, sizeof p.device, "%s", run->info->device);
    return p;
}

/* Bits are those of one instruction set; bins must be the same for particles to be found. */
static torre_status alike(const torre_ranks *ranks, const void *first, int rank, const void *plan)
{
    const plans *a = first, *b = plan;
    if (a->skin == b->skin && a->bin_size == b->bin_size &&
        memcmp(a->bins, b->bins, sizeof a->bins) == 0 && strcmp(a->kernel, b->kernel) == 0)
        return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "%s %d plans otherwise (%s) than %s %d (%s): take processors of one kind",
                      ranks->what, torre_rank_number(ranks, rank), b->kernel, ranks->what,
                      torre_rank_number(ranks, 0), a->kernel);
}

torre_status torre_md_ranks_gather(torre_md_run *run, const torre_ranks *ranks, torre_status status)
{
    plans *all = calloc((size_t)ranks->count, sizeof *all);
    if (!all) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    all[0] = plans_of(run, status);
    status = torre_rank_ready_gather(ranks, status, all, sizeof *all, alike);
    const bool shared = !status && run->backend->create == whole_create;
    rank_program *p = shared ? (rank_program *)run->program : NULL;
    for (int i = 0; p && i < ranks->count; i++)
        memcpy(p->device[i], all[i].device, sizeof p->device[i]);
    free(all);
    if (!p || !run->links) return status;
    status = ask(ranks, ASK_MEET, 0);
    return done(ranks, status ? status : links_open(run->links));
}

/* What rank 0 does itself at the same time. */
static torre_status do_request(torre_md_run *run, const request *r)
{
    double *const none[3] = {NULL, NULL, NULL};
    const double *const nothing[3] = {NULL, NULL, NULL};
    const torre_md_backend *backend = run->backend;
    torre_md_sums sums;
    torre_status status;
    switch ((request_kind)r->kind) {
    case ASK_MEET:
        return links_open(run->links);
    case ASK_START:
        status = backend->create(run->program, &run->solver);
        if (!status) run->program = NULL;
        return status;
    case ASK_SET_PARTICLES:
        return backend->set_particles(run->solver, nothing, nothing);
    case ASK_ADVANCE:
        return backend->advance(run->solver, r->steps);
    case ASK_PARTICLES:
        return backend->get_particles(run->solver, none, NULL);
    case ASK_VELOCITIES:
        return backend->get_particles(run->solver, NULL, none);
    case ASK_FORCES:
        return backend->get_forces(run->solver, none);
    case ASK_SPINS:
        return backend->get_spins(run->solver, none);
    case ASK_FIELDS:
        return backend->get_fields(run->solver, &(torre_md_fields){NULL, NULL, NULL});
    case ASK_SUMS:
        return backend->sums(run->solver, &sums);
    case ASK_STATE:
        return backend->state(run->solver, no_visit, NULL);
    case ASK_RESUME:
        return backend->resume(run->solver);
    case ASK_END:
        break;
    }
    return torre_fail(TORRE_ERR_RESOURCE, "rank 0 asks for what nobody knows");
}

torre_status torre_md_ranks_serve(torre_md_run *run, const torre_ranks *ranks, torre_status status)
{
    request r;
    const plans own = plans_of(run, status);
    status = torre_rank_ready_tell(ranks, status, &own, sizeof own);
    while (!status) {
        status = torre_rank_receive(ranks, 0, &r, sizeof r);
        if (status || r.kind == ASK_END) break;
        status = done(ranks, do_request(run, &r));
        if (status == TORRE_ERR_UNSTABLE) status = TORRE_OK; /* rank 0 has found the same */
    }
    if (ranks->leave) ranks->leave(ranks);
    return status;
}

torre_md_ranks_told torre_md_run_ranks(const torre_md_run *run)
{
    if (run->backend->create != whole_create) return (torre_md_ranks_told){.ranks = 1};
    const rank_program *p =
        (const rank_program *)(run->solver ? run->solver->program : run->program);
    const bool gpus = strcmp(p->backend->name, "cuda") == 0;
    const torre_md_links *l = run->links;
    torre_md_ranks_told told = {.ranks = p->ranks->count,
                                .what = p->ranks->what,
                                .transport = l ? l->met.text : p->ranks->transport,
                                .transport_why = l ? l->met.why : "",
                                .device = gpus ? p->device : NULL};
    if (p->backend->teams && torre_rank_team_of(p->ranks).members == told.ranks)
        told.transport = "memory in common";
    else if (p->backend->teams && p->ranks->locals > 1)
        told.transport_why = "memory in common: not between all of these ranks, or not wanted";
    return told;
}
