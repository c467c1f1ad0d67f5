#include "particles/cpu/md_cpu.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "particles/cpu/cpu_tails.h"
#include "particles/grains.h"

typedef torre_cpu_solver cpu_solver;

static const torre_cpu_method *method_of(const torre_md_problem *p)
{
    if (p->model == TORRE_MODEL_MPS) return &torre_cpu_mps;
    return torre_md_is_rough(p) ? &torre_cpu_grains : &torre_cpu_pairs;
}

static torre_bin_shape shape_of(const torre_md_plan *plan)
{
    return plan->bin_stencil == TORRE_STENCIL_BLOCK ? TORRE_BIN_BLOCK : TORRE_BIN_SPHERICAL;
}

/* Particles of a rank, in the mean. */
static int64_t particles_of(const torre_cpu_program *program)
{
    const int64_t ranks = program->ranks ? program->ranks->count : 1;
    return (program->base.problem->count + ranks - 1) / ranks;
}

/* An estimate of those of others that it knows: as if its bins made a cube, with one around it. */
static int64_t ghosts_of(const torre_cpu_program *program)
{
    const torre_md_problem *p = program->base.problem;
    const torre_md_plan *plan = &program->base.info.plan;
    if (!program->ranks || torre_cpu_team_is(program->ranks)) return 0;
    const double volume = p->box[0] * p->box[1] * p->box[2] / program->ranks->count;
    const double edge = cbrt(volume), outer = edge + 2 * (p->cutoff + plan->skin);
    const double most = (double)(p->count - particles_of(program));
    return (int64_t)fmin(most, (double)particles_of(program) * (pow(outer / edge, 3) - 1));
}

static bool has_tails(const torre_cpu_program *program)
{
    return program->method->takes_tails &&
           torre_cpu_tails_are(program->ranks, &program->base.info.plan);
}

/* Bins, and bytes: what allocate takes, and an estimate of the lists. */
static torre_status size_up(const torre_cpu_program *program, torre_md_info *info)
{
    const torre_md_problem *p = program->base.problem;
    const torre_md_plan *plan = &info->plan;
    const int64_t count = particles_of(program), all = count + ghosts_of(program);
    const torre_bin_grid grid = torre_bins_grid(p->box, plan->bin_size, p->count);
    int64_t bins;
    TORRE_TRY(torre_bins_plan(&grid, p->cutoff + plan->skin, shape_of(plan), all, &bins));
    memcpy(info->bins, grid.n, sizeof info->bins);
    if (plan->neighbor != TORRE_NEIGHBOR_TILE)
        info->list_bytes = (int64_t)((double)count * 4 *
                                     (program->method->neighbors(p, plan) + TORRE_LIST_PAD / 2.0));
    info->memory_bytes = torre_md_store_bytes(all, program->state) + bins +
                         torre_md_lists_bytes(count, plan->threads) +
                         program->method->bytes(p, plan, program->state->state_size) +
                         info->list_bytes;
    if (has_tails(program))
        info->memory_bytes += torre_cpu_tails_bytes(count, program->method->neighbors(p, plan));
    return TORRE_OK;
}

/*
 * As many as OpenMP would start. Where nobody has said how many (OMP_NUM_THREADS), each has a
 * thousand particles at least: with less to do threads wait for each other, and long where others
 * use the machine, too.
 */
static int choose_threads(int64_t particles)
{
    enum { PARTICLES = 1000 };
    const int most = omp_get_max_threads();
    if (getenv("OMP_NUM_THREADS") || particles >= (int64_t)most * PARTICLES) return most;
    return particles > PARTICLES ? (int)(particles / PARTICLES) : 1;
}

static void describe(const torre_cpu_program *program, torre_md_info *info)
{
    const torre_md_plan *plan = &info->plan;
    snprintf(info->device, sizeof info->device, "%d CPU thread%s (%s)", plan->threads,
             plan->threads == 1 ? "" : "s", program->state->isa);
    snprintf(info->kernel, sizeof info->kernel, "%s%s, %s", torre_neighbor_name(plan->neighbor),
             plan->neighbor == TORRE_NEIGHBOR_TILE ? "s" : " lists", program->state->isa);
}

static torre_status fill_program(torre_cpu_program *program)
{
    const torre_md_problem *p = program->base.problem;
    torre_md_info *info = &program->base.info;
    torre_md_plan *plan = &info->plan;
    program->method = method_of(p);
    program->state = torre_md_state_loops_find(p->precision);
    TORRE_TRY(program->method->plan(&program->base));
    if (!plan->rebuild_every) {
        plan->rebuild_every = 1;
        plan->rebuild_check = true;
    }
    if (!plan->sort_every) plan->sort_every = plan->rebuild_every;
    if (!plan->bin_stencil) plan->bin_stencil = TORRE_STENCIL_SPHERICAL;
    if (plan->bin_size == 0) plan->bin_size = p->cutoff + plan->skin;
    program->threads_said = plan->threads > 0;
    if (plan->threads < 1) plan->threads = choose_threads(p->count);
    TORRE_TRY(torre_md_plan_check(p, plan));
    if (p->count >= INT32_MAX)
        return torre_fail(TORRE_ERR_RESOURCE, "{backend} cpu holds at most %d particles (got %lld)",
                          INT32_MAX - 1, (long long)p->count);
    TORRE_TRY(size_up(program, info));
    describe(program, info);
    return program->method->check_memory(p, info);
}

static torre_status cpu_plan(const torre_md_problem *p, const torre_md_plan *wish,
                             torre_md_program **program)
{
    torre_md_program *made;
    TORRE_TRY(torre_md_plan_check(p, wish));
    TORRE_TRY(torre_md_program_new(sizeof(torre_cpu_program), p, wish, &made));
    torre_status status = fill_program((torre_cpu_program *)made);
    if (status)
        torre_md_program_free(made);
    else
        *program = made;
    return status;
}

static torre_status check_share(const torre_cpu_program *program, const torre_ranks *ranks)
{
    const torre_md_info *info = &program->base.info;
    const torre_md_plan *plan = &info->plan;
    const int64_t bins = info->bins[0] * info->bins[1] * info->bins[2];
    if (plan->neighbor == TORRE_NEIGHBOR_HALF)
        return torre_fail(TORRE_ERR_USAGE, "{neighbor} half does not go with %s: take full or tile",
                          ranks->who);
    if (plan->sort_every != plan->rebuild_every)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s sort particles at each rebuild: {sort_every} must be %lld, as it is "
                          "where it is left out, and {ordering} not none",
                          ranks->who, (long long)plan->rebuild_every);
    if (bins < ranks->count)
        return torre_fail(TORRE_ERR_USAGE,
                          "%d %ss need as many bins to share, and there are %lld: take fewer",
                          ranks->count, ranks->what, (long long)bins);
    return TORRE_OK;
}

static torre_status cpu_share(torre_md_program *base, const torre_ranks *ranks,
                              torre_rank_path *const *path)
{
    (void)path; /* it says that it takes none */
    torre_cpu_program *program = (torre_cpu_program *)base;
    torre_md_plan *plan = &base->info.plan;
    TORRE_TRY(check_share(program, ranks));
    program->ranks = ranks;
    if (!program->threads_said)
        plan->threads = torre_rank_threads(ranks, choose_threads(particles_of(program)));
    TORRE_TRY(size_up(program, &base->info));
    describe(program, &base->info);
    return TORRE_OK;
}

static void cpu_destroy(torre_md_solver *solver)
{
    cpu_solver *s = (cpu_solver *)solver;
    if (!s) return;
    s->method->release(s);
    torre_cpu_tails_free(s->tails);
    torre_cpu_team_leave_bins(s);
    torre_cpu_share_free(s->store.share);
    torre_md_store_free(&s->store);
    torre_bins_free(&s->bins);
    torre_md_lists_free(&s->lists);
    torre_md_program_free(s->base.program);
    free(s);
}

static torre_status allocate(cpu_solver *s, const torre_cpu_program *program)
{
    const torre_md_problem *p = s->problem;
    const int64_t count = particles_of(program), all = count + ghosts_of(program);
    const double reach = p->cutoff + s->plan->skin;
    const torre_bin_grid grid = torre_bins_grid(p->box, s->plan->bin_size, p->count);
    const bool team = torre_cpu_team_is(program->ranks);
    TORRE_TRY(
        torre_md_store_make(team ? 0 : all, s->plan->threads, p->box, reach, s->state, &s->store));
    if (program->ranks) TORRE_TRY(torre_cpu_share_new(program->ranks, &s->store.share));
    torre_md_store_set_types(&s->store, p);
    if (torre_md_is_rough(p)) torre_md_store_set_radii(&s->store, p->cutoff / 2, p->radius);
    TORRE_TRY(torre_bins_make(&grid, reach, shape_of(s->plan), &s->plan->ordering, all, &s->bins));
    s->bins.threads = s->plan->threads;
    if (team) TORRE_TRY(torre_cpu_team_open(s));
    TORRE_TRY(torre_md_lists_make(count, s->plan->threads, &s->lists));
    torre_cpu_listed(s, s->lists.below);
    s->lists.kept = count;
    if (has_tails(program)) TORRE_TRY(torre_cpu_tails_new(s));
    return s->method->allocate(s);
}

static torre_status cpu_create(torre_md_program *base, torre_md_solver **solver)
{
    const torre_cpu_program *program = (const torre_cpu_program *)base;
    cpu_solver *s = calloc(1, sizeof *s);
    if (!s) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a solver");
    s->base.backend = &torre_md_cpu;
    s->method = program->method;
    s->problem = base->problem;
    s->plan = &base->info.plan;
    s->state = program->state;
    torre_status status = allocate(s, program);
    if (status) {
        cpu_destroy(&s->base);
        return status;
    }
    s->base.program = base;
    *solver = &s->base;
    return TORRE_OK;
}

/* Bins of a box that a barostat has changed. */
static torre_status fit_bins(cpu_solver *s, const double box[3])
{
    TORRE_TRY(torre_md_box_check(box, s->bins.reach, s->store.step));
    const torre_bin_grid grid = torre_bins_grid(box, s->plan->bin_size, s->problem->count);
    memcpy(s->built_box, box, sizeof s->built_box);
    torre_cpu_team_leave_bins(s);
    TORRE_TRY(torre_bins_fit(&s->bins, &grid, shape_of(s->plan), &s->plan->ordering));
    return torre_cpu_team_join_bins(s);
}

static bool is_measured(const cpu_solver *s) { return s->plan->sort_every == TORRE_MD_MEASURED; }

static bool sort_is_due(const cpu_solver *s)
{
    const int64_t every = is_measured(s) ? s->tuning.interval : s->plan->sort_every;
    return every != TORRE_MD_NEVER && s->store.step - s->sorted_at >= every;
}

static bool has_barostat(const cpu_solver *s) { return s->problem->ensemble == TORRE_NPT; }

/* Wrap, bin, sort when due, and make the lists; time, most: of torre_md_store_bin. */
static torre_status rebuild(cpu_solver *s, double time, double most)
{
    double clock = torre_time_now();
    const bool sort = sort_is_due(s);
    if (has_barostat(s)) TORRE_TRY(fit_bins(s, s->store.box));
    TORRE_TRY(s->store.share ? torre_cpu_share_rebuild(s, time, most, false)
                             : torre_md_store_bin(&s->store, s->state, &s->bins, time, most, sort,
                                                  s->store.step));
    if (sort) {
        s->sorted_at = s->store.step;
        s->counts.sorts++;
    }
    s->sort_s = torre_cpu_lap(&clock);
    s->times.sort += s->sort_s;
    if (is_measured(s)) torre_sort_tuning_rebuild(&s->tuning, sort, s->sort_s);
    if (s->plan->neighbor != TORRE_NEIGHBOR_TILE)
        TORRE_TRY(s->state->build(&s->store, &s->bins, s->plan->neighbor == TORRE_NEIGHBOR_HALF,
                                  &s->lists));
    s->built_at = s->store.step;
    s->counts.builds++;
    s->times.neighbor += torre_cpu_lap(&clock);
    return TORRE_OK;
}

torre_status torre_cpu_rebuild_when_due(cpu_solver *s, const torre_cpu_rebuild *due)
{
    int64_t age = s->store.step - s->built_at;
    double moved = due->moved;
    const bool look = age % s->plan->rebuild_every == 0;
    const bool anew = look && !s->plan->rebuild_check; /* ghosts come with the rebuild */
    if (s->store.share && !due->told && !anew) TORRE_TRY(torre_cpu_share_step(s, &moved));
    if (!look) return TORRE_OK;
    if (s->plan->rebuild_check) {
        double clock = torre_time_now();
        if (moved < 0) moved = s->state->moved(&s->store, NULL);
        s->times.neighbor += torre_cpu_lap(&clock);
        if (moved <= due->limit * due->limit) return TORRE_OK;
        if (age == s->plan->rebuild_every) s->counts.dangerous_builds++;
    }
    return rebuild(s, due->time, due->most);
}

torre_status torre_cpu_visit(cpu_solver *s, torre_md_visit *visit, void *context, const char *name,
                             void *data, int64_t bytes)
{
    torre_cpu_share *share = s->store.share;
    if (!share) return visit(context, name, data, bytes);
    if (share->ranks->rank == 0) TORRE_TRY(visit(context, name, data, bytes));
    return torre_cpu_share_tell(share, data, bytes);
}

torre_status torre_cpu_visit_array(cpu_solver *s, torre_md_visit *visit, void *context,
                                   const char *name, void *array, int64_t each, bool far)
{
    if (s->store.share) return torre_cpu_share_visit(s, visit, context, name, array, each, far);
    return visit(context, name, array, (s->store.count + far) * each);
}

/* Bins and lists are made again of `hold` and of the order of storage, as they were at built_at. */
static torre_status cpu_state(torre_md_solver *solver, torre_md_visit *visit, void *context)
{
    cpu_solver *s = (cpu_solver *)solver;
    torre_md_store *t = &s->store;
    const int64_t quad = 4 * s->state->state_size;
    int64_t clock[3] = {t->step, s->built_at, s->sorted_at};
    TORRE_TRY(torre_cpu_visit(s, visit, context, "clock", clock, sizeof clock));
    TORRE_TRY(torre_cpu_visit(s, visit, context, "counts", &s->counts, sizeof s->counts));
    TORRE_TRY(torre_cpu_visit_array(s, visit, context, "id", t->id, sizeof *t->id, false));
    TORRE_TRY(torre_cpu_visit_array(s, visit, context, "position", t->position, quad, true));
    TORRE_TRY(torre_cpu_visit_array(s, visit, context, "velocity", t->velocity, quad, true));
    TORRE_TRY(torre_cpu_visit_array(s, visit, context, "force", t->force, quad, true));
    TORRE_TRY(torre_cpu_visit_array(s, visit, context, "hold", t->hold, quad, false));
    if (is_measured(s))
        TORRE_TRY(torre_cpu_visit(s, visit, context, "sort_tuning", &s->tuning, sizeof s->tuning));
    if (has_barostat(s)) {
        double box[2][3];
        memcpy(box[0], t->box, sizeof box[0]);
        memcpy(box[1], s->built_box, sizeof box[1]);
        TORRE_TRY(torre_cpu_visit(s, visit, context, "box", box, sizeof box));
        torre_md_store_set_box(t, box[0]);
        memcpy(s->built_box, box[1], sizeof box[1]);
    }
    t->step = clock[0];
    s->built_at = clock[1];
    s->sorted_at = clock[2];
    return s->method->state ? s->method->state(s, visit, context) : TORRE_OK;
}

/* As they were after the last rebuild. */
static torre_status put_into_bins(cpu_solver *s, const double box[3])
{
    if (s->store.share) return torre_cpu_share_rebuild(s, 0, 0, true);
    if (s->state->wrap(&s->store, box) >= 0) /* hold is inside: nothing moves */
        return torre_fail(TORRE_ERR_INPUT, "the state has particles outside of the box");
    s->state->bin(&s->store, &s->bins);
    torre_bins_sort(&s->bins);
    return TORRE_OK;
}

static torre_status cpu_resume(torre_md_solver *solver)
{
    cpu_solver *s = (cpu_solver *)solver;
    double now[3], built[3];
    memcpy(now, s->store.box, sizeof now);
    memcpy(built, s->built_box, sizeof built);
    if (has_barostat(s)) TORRE_TRY(fit_bins(s, built));
    torre_md_store_set_box(&s->store, built);
    TORRE_TRY(put_into_bins(s, built));
    s->times = (torre_md_times){0};
    if (s->plan->neighbor != TORRE_NEIGHBOR_TILE)
        TORRE_TRY(s->state->build(&s->store, &s->bins, s->plan->neighbor == TORRE_NEIGHBOR_HALF,
                                  &s->lists));
    torre_md_store_set_box(&s->store, now);
    s->state->pack(&s->store);
    double moved = 0;
    return s->store.share ? torre_cpu_share_step(s, &moved) : TORRE_OK;
}

/* Of sums that ranks have made since they were last looked at. */
static torre_status sums_status(const cpu_solver *s)
{
    return s->store.share ? s->store.share->status : TORRE_OK;
}

static torre_status cpu_set_particles(torre_md_solver *solver, const double *const position[3],
                                      const double *const velocity[3])
{
    cpu_solver *s = (cpu_solver *)solver;
    s->store.step = s->built_at = 0;
    s->tuning = torre_sort_tuning_start();
    s->sorted_at = is_measured(s) ? -s->tuning.interval : -s->plan->sort_every; /* due at once */
    s->counts = (torre_md_counts){0};
    torre_md_store_set_box(&s->store, s->problem->box);
    memcpy(s->built_box, s->problem->box, sizeof s->built_box);
    if (s->store.share)
        TORRE_TRY(torre_cpu_share_load(s, position, velocity));
    else
        s->state->load(&s->store, position, velocity, s->problem->box);
    TORRE_TRY(rebuild(s, 0, 0));
    TORRE_TRY(s->method->begin(s));
    TORRE_TRY(sums_status(s));
    s->times = (torre_md_times){0};
    s->tuning = torre_sort_tuning_start(); /* the first sort touched memory for the first time */
    s->counts = (torre_md_counts){.dangerous_builds = s->plan->rebuild_check ? 0 : -1};
    return TORRE_OK;
}

static double phases(const torre_md_times *t)
{
    return t->force + t->neighbor + t->sort + t->integrate + t->viscosity + t->density +
           t->gradient;
}

static torre_status cpu_advance(torre_md_solver *solver, int64_t steps)
{
    cpu_solver *s = (cpu_solver *)solver;
    const double before = phases(&s->times), start = torre_time_now();
    for (int64_t n = 0; n < steps; n++) {
        double clock = torre_time_now();
        s->store.step++;
        s->sort_s = 0;
        TORRE_TRY(s->method->step(s));
        TORRE_TRY(sums_status(s));
        if (is_measured(s))
            torre_sort_tuning_step(&s->tuning, s->store.step - s->sorted_at,
                                   torre_cpu_lap(&clock) - s->sort_s);
    }
    if (s->method->finish) s->method->finish(s);
    TORRE_TRY(sums_status(s));
    s->times.other += fmax(0, torre_time_now() - start - (phases(&s->times) - before));
    return TORRE_OK;
}

static void cpu_box(const torre_md_solver *solver, double box[3])
{
    memcpy(box, ((const cpu_solver *)solver)->store.box, 3 * sizeof *box);
}

/* Quads to arrays by id, as `unload` of the loops. */
static torre_status unload(cpu_solver *s, const void *quads, const double *box,
                           double *const out[3])
{
    if (s->store.share) return torre_cpu_share_unload(s, quads, box, out);
    s->state->unload(&s->store, quads, box, out);
    return TORRE_OK;
}

static torre_status cpu_get_particles(torre_md_solver *solver, double *const position[3],
                                      double *const velocity[3])
{
    cpu_solver *s = (cpu_solver *)solver;
    if (position) TORRE_TRY(unload(s, s->store.position, s->store.box, position));
    if (velocity) TORRE_TRY(unload(s, s->store.velocity, NULL, velocity));
    return TORRE_OK;
}

static torre_status cpu_get_forces(torre_md_solver *solver, double *const force[3])
{
    cpu_solver *s = (cpu_solver *)solver;
    const torre_md_types *types = s->problem->types;
    TORRE_TRY(unload(s, s->store.force, NULL, force));
    for (int a = 0; types && a < 3; a++)
        for (int64_t i = 0; i < s->problem->count && force[a]; i++)
            force[a][i] *= s->store.weight[types->type[i]];
    return TORRE_OK;
}

static torre_status cpu_get_fields(torre_md_solver *solver, const torre_md_fields *fields)
{
    return ((cpu_solver *)solver)->method->get_fields(solver, fields);
}

static torre_status cpu_get_spins(torre_md_solver *solver, double *const spin[3])
{
    return ((cpu_solver *)solver)->method->get_spins(solver, spin);
}

static torre_status cpu_sums(torre_md_solver *solver, torre_md_sums *sums)
{
    TORRE_TRY(((cpu_solver *)solver)->method->sums(solver, sums));
    return sums_status((const cpu_solver *)solver);
}

static void cpu_times(const torre_md_solver *solver, torre_md_times *times, torre_md_counts *counts)
{
    const cpu_solver *s = (const cpu_solver *)solver;
    *times = s->times;
    times->waited = s->store.share ? s->store.share->waited_s : 0;
    *counts = s->counts;
}

const torre_md_backend torre_md_cpu = {
    .name = "cpu",
    .plan = cpu_plan,
    .teams = true,
    .share = cpu_share,
    .create = cpu_create,
    .set_particles = cpu_set_particles,
    .advance = cpu_advance,
    .box = cpu_box,
    .get_particles = cpu_get_particles,
    .get_forces = cpu_get_forces,
    .get_fields = cpu_get_fields,
    .get_spins = cpu_get_spins,
    .sums = cpu_sums,
    .times = cpu_times,
    .state = cpu_state,
    .resume = cpu_resume,
    .destroy = cpu_destroy,
};
