#include "particles/cpu/md_cpu.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "particles/md_store.h"

/* Force arrays of the half sweep in deterministic runs, whatever the threads. */
#define DETERMINISTIC_PARTS 16

/* Of the skin: how far ahead a rebuild expects a particle at most; less than half, where it would
 * have to be rebuilt at once. */
#define MOST_AHEAD 0.45

typedef struct cpu_solver {
    torre_md_solver base;
    const torre_md_problem *problem;
    torre_md_plan plan;
    torre_md_store store;
    torre_bins bins;
    torre_md_lists lists;
    int parts;
    void *parts_force;
    const torre_md_state_loops *state;
    const torre_md_force_loops *force;
    int64_t built_at, sorted_at;
    torre_md_times times;
    torre_md_counts counts;
} cpu_solver;

/* Defaults: those that measured fastest on the melt (bench/bench_md.sh). */
static const torre_md_plan defaults = {
    .neighbor = TORRE_NEIGHBOR_FULL,
    .skin = 0.3,
    .bin_stencil = TORRE_STENCIL_SPHERICAL,
};

static int parts_of(const torre_md_plan *plan)
{
    if (plan->neighbor != TORRE_NEIGHBOR_HALF) return 0;
    return plan->deterministic ? DETERMINISTIC_PARTS : plan->threads;
}

static int64_t bytes_needed(const torre_md_problem *p, const torre_md_info *info, int state_size)
{
    double volume = p->box[0] * p->box[1] * p->box[2], reach = p->cutoff + info->plan.skin;
    double near = 4.19 * reach * reach * reach * (double)p->count / volume;
    if (info->plan.neighbor == TORRE_NEIGHBOR_HALF) near /= 2;
    if (info->plan.neighbor == TORRE_NEIGHBOR_TILE) near = 0;
    int64_t quads = 5 + parts_of(&info->plan);
    int64_t each = quads * 4 * state_size + 16 + 13 + (int64_t)(4 * near) + 32;
    if (p->precision == TORRE_MD_MIXED) each += 16;
    return p->count * each + 24 * info->bins[0] * info->bins[1] * info->bins[2];
}

static torre_status cpu_plan(const torre_md_problem *p, const torre_md_plan *wish,
                             torre_md_info *info)
{
    torre_md_plan *plan = &info->plan;
    TORRE_TRY(torre_md_plan_check(p, wish));
    memset(info, 0, sizeof *info);
    *plan = *wish;
    if (!plan->neighbor) plan->neighbor = defaults.neighbor;
    if (plan->skin == 0) plan->skin = defaults.skin;
    if (!plan->rebuild_every) {
        plan->rebuild_every = 1;
        plan->rebuild_check = true;
    }
    if (!plan->sort_every) plan->sort_every = plan->rebuild_every;
    if (!plan->bin_stencil) plan->bin_stencil = defaults.bin_stencil;
    if (plan->bin_size == 0) plan->bin_size = p->cutoff + plan->skin;
    if (plan->threads < 1) plan->threads = omp_get_max_threads();
    TORRE_TRY(torre_md_plan_check(p, plan));
    if (p->count >= INT32_MAX)
        return torre_fail(TORRE_ERR_RESOURCE, "{backend} cpu holds at most %d particles (got %lld)",
                          INT32_MAX - 1, (long long)p->count);
    torre_bins_size(p->box, plan->bin_size, p->count, info->bins);
    const torre_md_state_loops *state = torre_md_state_loops_find(p->precision);
    info->memory_bytes = bytes_needed(p, info, state->state_size);
    int64_t free_bytes = torre_memory_available();
    if (info->memory_bytes > free_bytes)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "%lld particles need %.2f GB, %.2f GB are available: use fewer particles "
                          "or {neighbor} tile",
                          (long long)p->count, 1e-9 * (double)info->memory_bytes,
                          1e-9 * (double)free_bytes);
    snprintf(info->device, sizeof info->device, "%d CPU thread%s (%s)", plan->threads,
             plan->threads == 1 ? "" : "s", state->isa);
    return TORRE_OK;
}

static void cpu_destroy(torre_md_solver *solver)
{
    cpu_solver *s = (cpu_solver *)solver;
    if (!s) return;
    torre_md_store_free(&s->store);
    free(s->parts_force);
    torre_bins_free(&s->bins);
    torre_md_lists_free(&s->lists);
    free(s);
}

static torre_status allocate(cpu_solver *s)
{
    const int64_t count = s->problem->count;
    TORRE_TRY(torre_md_store_make(count, s->plan.threads, s->problem->box,
                                  s->problem->cutoff + s->plan.skin, s->state, &s->store));
    s->parts = parts_of(&s->plan);
    size_t quads = (size_t)(count + 1) * (size_t)s->parts;
    if (s->parts)
        s->parts_force =
            aligned_alloc(64, (quads * 4 * (size_t)s->state->state_size + 63) / 64 * 64);
    if (s->parts && !s->parts_force)
        return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles", (long long)count);
    TORRE_TRY(torre_bins_make(s->problem->box, s->problem->cutoff + s->plan.skin, s->plan.bin_size,
                              s->plan.bin_stencil, &s->plan.ordering, count, &s->bins));
    s->bins.threads = s->plan.threads;
    return torre_md_lists_make(count, s->plan.threads, &s->lists);
}

static torre_status cpu_create(const torre_md_problem *p, const torre_md_info *info,
                               torre_md_solver **solver)
{
    cpu_solver *s = calloc(1, sizeof *s);
    if (!s) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a solver");
    s->base.backend = &torre_md_cpu;
    s->problem = p;
    s->plan = info->plan;
    s->state = torre_md_state_loops_find(p->precision);
    s->force = torre_md_force_loops_find(p->model, p->precision);
    torre_status status = allocate(s);
    if (status) {
        cpu_destroy(&s->base);
        return status;
    }
    *solver = &s->base;
    return TORRE_OK;
}

/* Seconds since *since, which becomes now. */
static double lap(double *since)
{
    double now = torre_time_now(), spent = now - *since;
    *since = now;
    return spent;
}

/* Wrap, bin, sort when due, and make the lists. */
static torre_status rebuild(cpu_solver *s)
{
    double clock = torre_time_now();
    bool sort =
        s->plan.sort_every != TORRE_MD_NEVER && s->store.step - s->sorted_at >= s->plan.sort_every;
    /* the next interval will be about as long as the last one */
    double half_way = 0.5 * (double)(s->store.step - s->built_at) * s->problem->dt;
    double most = MOST_AHEAD * s->plan.skin;
    TORRE_TRY(
        torre_md_store_bin(&s->store, s->state, &s->bins, half_way, most, sort, s->store.step));
    if (sort) {
        s->sorted_at = s->store.step;
        s->counts.sorts++;
    }
    s->times.sort += lap(&clock);
    if (s->plan.neighbor != TORRE_NEIGHBOR_TILE)
        TORRE_TRY(s->state->build(&s->store, &s->bins, s->plan.neighbor == TORRE_NEIGHBOR_HALF,
                                  &s->lists));
    s->built_at = s->store.step;
    s->counts.builds++;
    s->times.neighbor += lap(&clock);
    return TORRE_OK;
}

/* Rebuild when the plan says; moved: the largest square of a distance from `hold`. */
static torre_status rebuild_when_due(cpu_solver *s, double moved)
{
    int64_t age = s->store.step - s->built_at;
    if (age % s->plan.rebuild_every != 0) return TORRE_OK;
    if (s->plan.rebuild_check) {
        double limit = 0.5 * s->plan.skin;
        if (moved <= limit * limit) return TORRE_OK;
        if (age == s->plan.rebuild_every) s->counts.dangerous_builds++;
    }
    return rebuild(s);
}

/* Forces, then v += kick f. */
static torre_status compute_forces(cpu_solver *s, double kick, torre_md_sums *sums)
{
    double clock = torre_time_now();
    torre_status status;
    if (s->plan.neighbor == TORRE_NEIGHBOR_TILE)
        status = s->force->tile(&s->store, s->problem, kick, &s->bins, sums);
    else if (s->plan.neighbor == TORRE_NEIGHBOR_HALF)
        status =
            s->force->half(&s->store, s->problem, kick, &s->lists, s->parts, s->parts_force, sums);
    else
        status = s->force->full(&s->store, s->problem, kick, &s->lists, sums);
    s->times.force += lap(&clock);
    return status;
}

static torre_status cpu_set_particles(torre_md_solver *solver, const double *const position[3],
                                      const double *const velocity[3])
{
    cpu_solver *s = (cpu_solver *)solver;
    s->store.step = s->built_at = 0;
    s->sorted_at = -s->plan.sort_every; /* due at once */
    s->counts = (torre_md_counts){0};
    s->state->load(&s->store, position, velocity, s->problem->box);
    TORRE_TRY(rebuild(s));
    TORRE_TRY(compute_forces(s, 0, NULL));
    s->times = (torre_md_times){0};
    s->counts = (torre_md_counts){.dangerous_builds = s->plan.rebuild_check ? 0 : -1};
    return TORRE_OK;
}

static double temperature_now(cpu_solver *s)
{
    double sum[4], freedom = 3 * (double)s->store.count - 3;
    double square = s->state->square_sum(&s->store, sum);
    return freedom > 0 ? s->problem->mass * square / freedom : 0;
}

/*
 * Langevin: the exact solution of m dv = -(m/tau) v dt + noise over a step, which takes v to
 * c v + sqrt((1 - c^2) T/m) g, c = exp(-dt/tau). Berendsen: v scaled by
 * sqrt(1 + dt/tau (T0/T - 1)) (J. Chem. Phys. 81 (1984) 3684, eq. 11).
 */
static void thermostat(cpu_solver *s)
{
    const torre_md_problem *p = s->problem;
    if (p->ensemble == TORRE_LANGEVIN) {
        double keep = exp(-p->dt / p->damping_time);
        double noise = sqrt((1 - keep * keep) * p->temperature / p->mass);
        s->state->noise(&s->store, keep, noise, p->seed, (uint64_t)s->store.step);
    } else if (p->ensemble == TORRE_BERENDSEN) {
        double now = temperature_now(s);
        if (!(now > 0)) return;
        double square = 1 + p->dt / p->damping_time * (p->temperature / now - 1);
        s->state->scale(&s->store, sqrt(fmax(square, 0)));
    }
}

static torre_status cpu_advance(torre_md_solver *solver, int64_t steps)
{
    cpu_solver *s = (cpu_solver *)solver;
    const double dt = s->problem->dt, kick = 0.5 * dt / s->problem->mass;
    const double before = s->times.force + s->times.neighbor + s->times.sort + s->times.integrate;
    const double start = torre_time_now();
    for (int64_t n = 0; n < steps; n++) {
        double clock = torre_time_now();
        s->store.step++;
        double moved = s->state->kick_drift(&s->store, kick, dt);
        s->times.integrate += lap(&clock);
        TORRE_TRY(rebuild_when_due(s, moved));
        TORRE_TRY(compute_forces(s, kick, NULL));
        lap(&clock);
        thermostat(s);
        s->times.integrate += lap(&clock);
    }
    double phases =
        s->times.force + s->times.neighbor + s->times.sort + s->times.integrate - before;
    s->times.other += fmax(0, torre_time_now() - start - phases);
    return TORRE_OK;
}

static torre_status cpu_get_particles(torre_md_solver *solver, double *const position[3],
                                      double *const velocity[3])
{
    cpu_solver *s = (cpu_solver *)solver;
    if (position) s->state->unload(&s->store, s->store.position, s->problem->box, position);
    if (velocity) s->state->unload(&s->store, s->store.velocity, NULL, velocity);
    return TORRE_OK;
}

static torre_status cpu_get_forces(torre_md_solver *solver, double *const force[3])
{
    cpu_solver *s = (cpu_solver *)solver;
    s->state->unload(&s->store, s->store.force, NULL, force);
    return TORRE_OK;
}

/* The particle whose position or velocity stopped being finite, for the message. */
static torre_status report_not_finite(const cpu_solver *s)
{
    const int size = s->state->state_size;
    const void *const arrays[] = {s->store.force, s->store.velocity, s->store.position};
    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < 4 * s->store.count; i++) {
            double value =
                size == 4 ? ((const float *)arrays[k])[i] : ((const double *)arrays[k])[i];
            if (!isfinite(value))
                return torre_fail(TORRE_ERR_UNSTABLE,
                                  "step %lld: particle %d has no finite position, velocity and "
                                  "force; use a smaller {dt}, or particles further apart",
                                  (long long)s->store.step, s->store.id[i / 4] + 1);
        }
    }
    return torre_fail(TORRE_ERR_UNSTABLE, "step %lld: the energy is not finite",
                      (long long)s->store.step);
}

/* Particles half a box away from where the lists were made have left them unnoticed. */
static torre_status check_runaway(const cpu_solver *s)
{
    const double *box = s->problem->box, limit = fmin(box[0], fmin(box[1], box[2])) / 2;
    int64_t place;
    double moved = s->state->moved(&s->store, &place);
    if (moved < limit * limit) return TORRE_OK;
    return torre_fail(TORRE_ERR_UNSTABLE,
                      "step %lld: particle %d went %.3g in %lld steps; use a smaller {dt}",
                      (long long)s->store.step, s->store.id[place] + 1, sqrt(moved),
                      (long long)(s->store.step - s->built_at));
}

static torre_status cpu_sums(torre_md_solver *solver, torre_md_sums *sums)
{
    cpu_solver *s = (cpu_solver *)solver;
    double sum[4];
    memset(sums, 0, sizeof *sums);
    TORRE_TRY(check_runaway(s));
    TORRE_TRY(compute_forces(s, 0, sums));
    double clock = torre_time_now();
    sums->kinetic = 0.5 * s->problem->mass * s->state->square_sum(&s->store, sum);
    for (int a = 0; a < 3; a++) sums->momentum[a] = s->problem->mass * sum[a];
    sums->lost = s->problem->mass * sum[3];
    s->times.other += lap(&clock);
    sums->neighbors =
        s->plan.neighbor == TORRE_NEIGHBOR_TILE ? torre_bins_pairs(&s->bins) : s->lists.mean_length;
    if (!isfinite(sums->kinetic) || !isfinite(sums->potential) || !isfinite(sums->virial))
        return report_not_finite(s);
    return TORRE_OK;
}

static void cpu_times(const torre_md_solver *solver, torre_md_times *times, torre_md_counts *counts)
{
    const cpu_solver *s = (const cpu_solver *)solver;
    *times = s->times;
    *counts = s->counts;
}

const torre_md_backend torre_md_cpu = {
    .name = "cpu",
    .plan = cpu_plan,
    .create = cpu_create,
    .set_particles = cpu_set_particles,
    .advance = cpu_advance,
    .get_particles = cpu_get_particles,
    .get_forces = cpu_get_forces,
    .sums = cpu_sums,
    .times = cpu_times,
    .destroy = cpu_destroy,
};
