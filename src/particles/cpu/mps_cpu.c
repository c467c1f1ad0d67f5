/*
 * The cpu backend of the moving-particle method: sorted storage and neighbour lists of md_store.h.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "particles/cpu/mps_sweeps.h"
#include "particles/mps.h"

#define DEFAULT_SKIN 0.3 /* of the spacing */

/* Proc 5 moves particles on from where displacements are checked, by far less than this share of
 * half the skin. */
#define SLACK 0.1

extern const torre_mps_backend torre_mps_cpu;

typedef struct mps_cpu_solver {
    torre_mps_solver base;
    const torre_mps_problem *problem;
    torre_md_plan plan;
    torre_md_store store;
    torre_bins bins;
    torre_md_lists lists;
    torre_mps_field field;
    const torre_md_state_loops *state;
    const torre_mps_loops *loops;
    int64_t step, built_at, sorted_at;
    torre_mps_times times;
    torre_md_counts counts;
} mps_cpu_solver;

static torre_status mps_cpu_plan(const torre_mps_problem *p, const torre_md_plan *wish,
                                 torre_md_info *info)
{
    torre_md_plan *plan = &info->plan;
    const torre_md_problem geometry = torre_mps_geometry(p);
    TORRE_TRY(torre_mps_problem_check(p));
    memset(info, 0, sizeof *info);
    *plan = *wish;
    if (plan->neighbor && plan->neighbor != TORRE_NEIGHBOR_FULL)
        return torre_fail(TORRE_ERR_USAGE, "{neighbor} %s: the cpu backend has only full for mps",
                          torre_neighbor_name(plan->neighbor));
    plan->neighbor = TORRE_NEIGHBOR_FULL;
    if (plan->skin == 0) plan->skin = DEFAULT_SKIN * p->spacing;
    if (!plan->rebuild_every) {
        plan->rebuild_every = 1;
        plan->rebuild_check = true;
    }
    if (!plan->sort_every) plan->sort_every = 1;
    if (!plan->bin_stencil) plan->bin_stencil = TORRE_STENCIL_SPHERICAL;
    if (plan->bin_size == 0) plan->bin_size = p->influence + plan->skin;
    if (plan->threads < 1) plan->threads = omp_get_max_threads();
    plan->deterministic = true; /* always */
    TORRE_TRY(torre_md_plan_check(&geometry, plan));
    if (p->count >= INT32_MAX)
        return torre_fail(TORRE_ERR_RESOURCE, "{backend} cpu holds at most %d particles (got %lld)",
                          INT32_MAX - 1, (long long)p->count);
    torre_bins_size(p->box, plan->bin_size, p->count, info->bins);
    const torre_md_state_loops *state = torre_md_state_loops_find(p->precision);
    double near = (p->influence + plan->skin) / p->spacing;
    near = p->dims == 3 ? 4.19 * near * near * near : 3.15 * near * near;
    int64_t each = 5 * 4 * state->state_size + 2 * state->state_size + 61 + (int64_t)(4 * near);
    info->memory_bytes = p->count * each + 24 * info->bins[0] * info->bins[1] * info->bins[2];
    TORRE_TRY(torre_memory_check("the fluid", info->memory_bytes));
    snprintf(info->device, sizeof info->device, "%d CPU thread%s (%s)", plan->threads,
             plan->threads == 1 ? "" : "s", state->isa);
    return TORRE_OK;
}

static void mps_cpu_destroy(torre_mps_solver *solver)
{
    mps_cpu_solver *s = (mps_cpu_solver *)solver;
    if (!s) return;
    torre_md_store_free(&s->store);
    torre_bins_free(&s->bins);
    torre_md_lists_free(&s->lists);
    free(s->field.pressure);
    free(s->field.number_density);
    free(s);
}

static torre_status mps_cpu_allocate(mps_cpu_solver *s)
{
    const torre_mps_problem *p = s->problem;
    TORRE_TRY(torre_md_store_make(p->count, s->plan.threads, p->box, p->influence + s->plan.skin,
                                  s->state, &s->store));
    s->field = (torre_mps_field){.store = &s->store,
                                 .lists = &s->lists,
                                 .box = p->box,
                                 .fluid = p->fluid,
                                 .wall = p->wall,
                                 .constants = torre_mps_constants_of(p)};
    s->field.pressure = calloc((size_t)p->count + 1, (size_t)s->state->state_size);
    s->field.number_density = calloc((size_t)p->count, (size_t)s->state->state_size);
    if (!s->field.pressure || !s->field.number_density)
        return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles", (long long)p->count);
    TORRE_TRY(torre_bins_make(p->box, p->influence + s->plan.skin, s->plan.bin_size,
                              s->plan.bin_stencil, &s->plan.ordering, p->count, &s->bins));
    s->bins.threads = s->plan.threads;
    return torre_md_lists_make(p->count, s->plan.threads, &s->lists);
}

static torre_status mps_cpu_create(const torre_mps_problem *p, const torre_md_info *info,
                                   torre_mps_solver **solver)
{
    mps_cpu_solver *s = calloc(1, sizeof *s);
    if (!s) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a solver");
    s->base.backend = &torre_mps_cpu;
    s->problem = p;
    s->plan = info->plan;
    s->state = torre_md_state_loops_find(p->precision);
    s->loops = torre_mps_loops_find(p->precision);
    torre_status status = mps_cpu_allocate(s);
    if (status) {
        mps_cpu_destroy(&s->base);
        return status;
    }
    *solver = &s->base;
    return TORRE_OK;
}

static double lap(double *since)
{
    double now = torre_time_now(), spent = now - *since;
    *since = now;
    return spent;
}

static torre_status rebuild(mps_cpu_solver *s)
{
    double clock = torre_time_now();
    bool sort =
        s->plan.sort_every != TORRE_MD_NEVER && s->step - s->sorted_at >= s->plan.sort_every;
    TORRE_TRY(torre_md_store_bin(&s->store, s->state, &s->bins, 0, 0, sort, s->step));
    if (sort) {
        s->sorted_at = s->step;
        s->counts.sorts++;
    }
    s->times.sort += lap(&clock);
    TORRE_TRY(s->state->build(&s->store, &s->bins, false, &s->lists));
    s->built_at = s->step;
    s->counts.builds++;
    s->times.neighbor += lap(&clock);
    return TORRE_OK;
}

/* At the positions r' of a step, before pressures are computed there. */
static torre_status rebuild_when_due(mps_cpu_solver *s)
{
    int64_t age = s->step - s->built_at;
    if (age % s->plan.rebuild_every != 0) return TORRE_OK;
    if (s->plan.rebuild_check) {
        double clock = torre_time_now();
        double limit = 0.5 * (1 - SLACK) * s->plan.skin, moved = s->state->moved(&s->store, NULL);
        s->times.neighbor += lap(&clock);
        if (moved <= limit * limit) return TORRE_OK;
        if (age == s->plan.rebuild_every) s->counts.dangerous_builds++;
    }
    return rebuild(s);
}

static torre_status mps_cpu_set_particles(torre_mps_solver *solver)
{
    mps_cpu_solver *s = (mps_cpu_solver *)solver;
    const torre_mps_problem *p = s->problem;
    s->step = s->built_at = 0;
    s->sorted_at = -s->plan.sort_every; /* due at once */
    s->state->load(&s->store, p->position, p->velocity, p->box);
    TORRE_TRY(rebuild(s));
    s->loops->density(&s->field);
    s->times = (torre_mps_times){0};
    s->counts = (torre_md_counts){.dangerous_builds = s->plan.rebuild_check ? 0 : -1};
    return TORRE_OK;
}

/* The particle with the largest speed, for the message. */
static torre_status report_runaway(mps_cpu_solver *s)
{
    const int size = s->state->state_size;
    double most = -1;
    int64_t worst = 0;
    for (int64_t i = 0; i < s->store.count && most < INFINITY; i++) {
        double square = 0;
        for (int64_t k = 4 * i; k < 4 * i + 3; k++) {
            double u = size == 4 ? ((const float *)s->store.velocity)[k]
                                 : ((const double *)s->store.velocity)[k];
            square += u * u;
        }
        if (!(square <= most)) {
            most = isnan(square) ? INFINITY : square;
            worst = i;
        }
    }
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: particle %d moves at %.3g m/s, faster than the sound speed %.3g "
                      "m/s; use a smaller {dt} or a larger {sound_speed}",
                      (long long)s->step, s->store.id[worst] + 1, sqrt(most),
                      s->problem->sound_speed);
}

static torre_status one_step(mps_cpu_solver *s)
{
    const double dt = s->problem->dt;
    double clock = torre_time_now();
    s->step++;
    s->loops->viscosity(&s->field);
    s->times.viscosity += lap(&clock);
    double speed = s->loops->move(&s->field, dt, 0);
    s->times.move += lap(&clock);
    if (!(speed < s->problem->sound_speed)) return report_runaway(s);
    TORRE_TRY(rebuild_when_due(s));
    clock = torre_time_now();
    s->loops->density(&s->field);
    s->times.density += lap(&clock);
    s->loops->gradient(&s->field);
    s->times.gradient += lap(&clock);
    speed = s->loops->move(&s->field, 0, dt * dt);
    s->times.move += lap(&clock);
    return speed < s->problem->sound_speed ? TORRE_OK : report_runaway(s);
}

static torre_status mps_cpu_advance(torre_mps_solver *solver, int64_t steps)
{
    for (int64_t n = 0; n < steps; n++) TORRE_TRY(one_step((mps_cpu_solver *)solver));
    return TORRE_OK;
}

static void copy_by_id(const mps_cpu_solver *s, const void *values, double *out)
{
    if (!out) return;
    for (int64_t i = 0; i < s->store.count; i++)
        out[s->store.id[i]] = s->state->state_size == 4 ? (double)((const float *)values)[i]
                                                        : ((const double *)values)[i];
}

static torre_status mps_cpu_get_state(torre_mps_solver *solver, const torre_mps_state *state)
{
    mps_cpu_solver *s = (mps_cpu_solver *)solver;
    s->state->unload(&s->store, s->store.position, s->problem->box, state->position);
    s->state->unload(&s->store, s->store.velocity, NULL, state->velocity);
    copy_by_id(s, s->field.pressure, state->pressure);
    copy_by_id(s, s->field.number_density, state->number_density);
    if (!state->collision) return TORRE_OK;
    s->loops->collision(&s->field, s->store.spare);
    copy_by_id(s, s->store.spare, state->collision);
    return TORRE_OK;
}

static void mps_cpu_times(const torre_mps_solver *solver, torre_mps_times *times,
                          torre_md_counts *counts)
{
    const mps_cpu_solver *s = (const mps_cpu_solver *)solver;
    *times = s->times;
    *counts = s->counts;
}

const torre_mps_backend torre_mps_cpu = {
    .name = "cpu",
    .plan = mps_cpu_plan,
    .create = mps_cpu_create,
    .set_particles = mps_cpu_set_particles,
    .advance = mps_cpu_advance,
    .get_state = mps_cpu_get_state,
    .times = mps_cpu_times,
    .destroy = mps_cpu_destroy,
};
