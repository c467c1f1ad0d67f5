/* The pair models on the cpu: velocity Verlet, lists (or staged tiles), thermostats. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "particles/cpu/barostat.h"
#include "particles/cpu/cpu_pairs.h"
#include "particles/cpu/cpu_tails.h"
#include "particles/cpu/thermostat.h"
#include "particles/md_sum.h"

/* Force arrays of the half sweep in deterministic runs, whatever the threads. */
#define DETERMINISTIC_PARTS 16

#define DEFAULT_SKIN 0.3 /* measured fastest on the melt (bench/bench_md.sh) */

/* Of the skin: how far ahead a rebuild expects a particle at most; less than half, where it would
 * have to be rebuilt at once. */
#define MOST_AHEAD 0.45

typedef torre_cpu_solver cpu_solver;

typedef struct pairs {
    const torre_md_force_loops *force;
    int parts; /* force arrays of the half sweep */
    void *parts_force;
    torre_cpu_thermostat thermostat;
    torre_couplings barostat; /* of TORRE_NPT, with the thermostats of that */
    torre_fire fire;          /* of TORRE_FIRE */
} pairs;

static torre_status pairs_plan(torre_md_program *program)
{
    torre_md_plan *plan = &program->info.plan;
    if (!plan->neighbor) {
        plan->neighbor = TORRE_NEIGHBOR_FULL;
        torre_md_program_because(program, "full lists: each particle is written by one thread");
    }
    if (plan->skin == 0) {
        plan->skin = DEFAULT_SKIN;
        torre_md_program_because(program, "skin %g: measured fastest on a melt", plan->skin);
    }
    torre_md_program_couple(program);
    return TORRE_OK;
}

torre_status torre_cpu_pairs_check_memory(const torre_md_problem *p, const torre_md_info *info)
{
    int64_t free_bytes = torre_memory_available();
    if (info->memory_bytes <= free_bytes) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE,
                      "%lld particles need %.2f GB, %.2f GB are available: use fewer particles "
                      "or {neighbor} tile",
                      (long long)p->count, 1e-9 * (double)info->memory_bytes,
                      1e-9 * (double)free_bytes);
}

double torre_cpu_pairs_neighbors(const torre_md_problem *p, const torre_md_plan *plan)
{
    double volume = p->box[0] * p->box[1] * p->box[2], reach = p->cutoff + plan->skin;
    double near = 4.19 * reach * reach * reach * (double)p->count / volume;
    if (plan->neighbor == TORRE_NEIGHBOR_HALF) near /= 2;
    return plan->neighbor == TORRE_NEIGHBOR_TILE ? 0 : near;
}

static int parts_of(const torre_md_plan *plan)
{
    if (plan->neighbor != TORRE_NEIGHBOR_HALF) return 0;
    return plan->deterministic ? DETERMINISTIC_PARTS : plan->threads;
}

/* Quads of all parts, to whole vectors. */
static int64_t pairs_bytes(const torre_md_problem *p, const torre_md_plan *plan, int state_size)
{
    return (4 * (p->count + 1) * parts_of(plan) * state_size + 63) / 64 * 64;
}

static torre_status pairs_allocate(cpu_solver *s)
{
    pairs *own = s->own = calloc(1, sizeof *own);
    if (!own) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a solver");
    own->force = torre_md_force_loops_find(s->problem);
    own->parts = parts_of(s->plan);
    if (!own->parts) return TORRE_OK;
    own->parts_force =
        aligned_alloc(64, (size_t)pairs_bytes(s->problem, s->plan, s->state->state_size));
    if (own->parts_force) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles",
                      (long long)s->problem->count);
}

static void pairs_release(cpu_solver *s)
{
    if (s->own) free(((pairs *)s->own)->parts_force);
    free(s->own);
}

static bool relaxes(const cpu_solver *s) { return s->problem->ensemble == TORRE_FIRE; }

static bool has_barostat(const cpu_solver *s) { return s->problem->ensemble == TORRE_NPT; }

torre_status torre_cpu_pairs_refresh(cpu_solver *s)
{
    double moved = 0;
    if (!s->store.share || !torre_pair_dissipates(s->problem->model)) return TORRE_OK;
    return torre_cpu_share_step(s, &moved);
}

/* Whether a barostat wants sums of a step. */
static bool wants_virial(const cpu_solver *s)
{
    return has_barostat(s) && torre_md_couples(s->problem, s->store.step);
}

/* The same by full lists, of which ranks take some of others'. */
static torre_status sweep_full(cpu_solver *s, double kick, double *virial, torre_md_sums *sums)
{
    const pairs *own = s->own;
    torre_md_tail *tail = NULL;
    int tails = 0;
    if (!virial && !sums) TORRE_TRY(torre_cpu_tails_ready(s, &tail, &tails));
    return own->force->full(&s->store, s->problem, kick, &s->lists, tail, tails, virial, sums);
}

/* Forces, then v += kick f; or sums. */
static torre_status compute_forces(cpu_solver *s, double kick, torre_md_sums *sums)
{
    pairs *own = s->own;
    double *const virial = wants_virial(s) && !sums ? own->barostat.box.virial : NULL;
    if (sums) TORRE_TRY(torre_cpu_pairs_refresh(s));
    double clock = torre_time_now();
    torre_status status;
    if (s->plan->neighbor == TORRE_NEIGHBOR_TILE)
        status = own->force->tile(&s->store, s->problem, kick, &s->bins, virial, sums);
    else if (s->plan->neighbor == TORRE_NEIGHBOR_HALF)
        status = own->force->half(&s->store, s->problem, kick, &s->lists, own->parts,
                                  own->parts_force, virial, sums);
    else
        status = sweep_full(s, kick, virial, sums);
    s->times.force += torre_cpu_lap(&clock);
    return status ? status : torre_cpu_share_meet(s);
}

static torre_status pairs_begin(cpu_solver *s)
{
    pairs *own = s->own;
    own->thermostat = (torre_cpu_thermostat){0};
    own->barostat = (torre_couplings){0};
    own->fire = torre_fire_start(s->problem->dt);
    if (relaxes(s)) s->state->scale(&s->store, 0);
    if (has_barostat(s)) torre_cpu_barostat_begin(s, &own->barostat);
    return compute_forces(s, 0, NULL);
}

torre_cpu_rebuild torre_cpu_pairs_rebuild(const cpu_solver *s, double moved)
{
    /* the next interval between rebuilds will be about as long as the last one */
    return (torre_cpu_rebuild){
        .moved = moved,
        .limit = torre_barostat_slack(s->store.box, s->built_box, s->plan->skin, s->bins.reach),
        .time = 0.5 * (double)(s->store.step - s->built_at) * s->problem->dt,
        .most = MOST_AHEAD * s->plan->skin,
    };
}

/* Positions of the next step of minimisation; returns as moved does. */
static double relax(cpu_solver *s, torre_fire *fire)
{
    const torre_md_problem *p = s->problem;
    double sum[TORRE_FIRE_SUMS];
    s->state->relax_sums(&s->store, sum);
    torre_fire_decide(fire, p->dt, sum);
    return s->state->relax(&s->store, fire, 0.5 * fire->dt / p->mass, TORRE_FIRE_MOST * p->cutoff);
}

/* From a step to the positions of the next, dt later; *moved as moved returns it. */
static torre_status drift(cpu_solver *s, double *dt, double *moved)
{
    pairs *own = s->own;
    if (relaxes(s)) {
        *moved = relax(s, &own->fire);
        *dt = own->fire.dt;
        return TORRE_OK;
    }
    *dt = s->problem->dt;
    const double kick = 0.5 * *dt / s->problem->mass;
    if (has_barostat(s)) return torre_cpu_barostat_drift(s, &own->barostat, kick, moved);
    torre_cpu_thermostat_before(s, &own->thermostat);
    *moved = torre_cpu_thermostat_drift(s, &own->thermostat, kick);
    return TORRE_OK;
}

static torre_status pairs_step(cpu_solver *s)
{
    pairs *own = s->own;
    double clock = torre_time_now(), dt, moved;
    TORRE_TRY(drift(s, &dt, &moved));
    const torre_cpu_rebuild rebuild = torre_cpu_pairs_rebuild(s, moved);
    s->times.integrate += torre_cpu_lap(&clock);
    TORRE_TRY(torre_cpu_rebuild_when_due(s, &rebuild));
    TORRE_TRY(compute_forces(s, 0.5 * dt / s->problem->mass, NULL));
    torre_cpu_lap(&clock);
    if (has_barostat(s))
        torre_cpu_barostat_after(s, &own->barostat);
    else
        torre_cpu_thermostat_after(s, &own->thermostat);
    s->times.integrate += torre_cpu_lap(&clock);
    return TORRE_OK;
}

static void pairs_finish(cpu_solver *s)
{
    double clock = torre_time_now();
    torre_cpu_thermostat_finish(s, &((pairs *)s->own)->thermostat);
    s->times.integrate += torre_cpu_lap(&clock);
}

/* The first place with a number that is not finite, looking at forces, velocities and positions in
 * turn, -1: none; *turn: which. */
static int64_t find_not_finite(const cpu_solver *s, int *turn)
{
    const int size = s->state->state_size;
    const void *const arrays[] = {s->store.force, s->store.velocity, s->store.position};
    for (*turn = 0; *turn < 3; ++*turn) {
        for (int64_t i = 0; i < 4 * s->store.count; i++) {
            double value =
                size == 4 ? ((const float *)arrays[*turn])[i] : ((const double *)arrays[*turn])[i];
            if (!isfinite(value)) return i / 4;
        }
    }
    return -1;
}

torre_status torre_cpu_not_finite(const cpu_solver *s)
{
    int turn;
    const int64_t place = find_not_finite(s, &turn);
    int32_t id = place < 0 ? 0 : s->store.id[place];
    double found = 3 - turn; /* ranks have places one after another */
    if (s->store.share) TORRE_TRY(torre_cpu_share_most(s->store.share, &found, &id));
    if (found > 0)
        return torre_fail(TORRE_ERR_UNSTABLE,
                          "step %lld: particle %d has no finite position, velocity and "
                          "force; use a smaller {dt}, or particles further apart",
                          (long long)s->store.step, id + 1);
    return torre_fail(TORRE_ERR_UNSTABLE, "step %lld: the energy is not finite",
                      (long long)s->store.step);
}

torre_status torre_cpu_check_runaway(const cpu_solver *s)
{
    const double *box = s->store.box, limit = fmin(box[0], fmin(box[1], box[2])) / 2;
    int64_t place = 0;
    double moved = s->store.count > 0 ? s->state->moved(&s->store, &place) : -1;
    int32_t id = moved < 0 ? 0 : s->store.id[place];
    if (s->store.share) TORRE_TRY(torre_cpu_share_most(s->store.share, &moved, &id));
    if (moved < limit * limit) return TORRE_OK;
    return torre_fail(
        TORRE_ERR_UNSTABLE, "step %lld: particle %d went %.3g in %lld steps; use a smaller {dt}",
        (long long)s->store.step, id + 1, sqrt(moved), (long long)(s->store.step - s->built_at));
}

double torre_cpu_pairs_mean(const cpu_solver *s)
{
    const double own = s->plan->neighbor == TORRE_NEIGHBOR_TILE
                           ? torre_bins_pairs(&s->bins)
                           : rint(s->lists.mean_length * (double)s->store.count);
    double all;
    torre_md_sum_rows(&s->store, &own, 1, 1, &all);
    return all / (double)s->problem->count;
}

static torre_status pairs_sums(torre_md_solver *solver, torre_md_sums *sums)
{
    cpu_solver *s = (cpu_solver *)solver;
    double sum[4];
    memset(sums, 0, sizeof *sums);
    TORRE_TRY(torre_cpu_check_runaway(s));
    TORRE_TRY(compute_forces(s, 0, sums));
    double clock = torre_time_now();
    sums->kinetic = 0.5 * s->problem->mass * s->state->square_sum(&s->store, sum);
    for (int a = 0; a < 3; a++) sums->momentum[a] = s->problem->mass * sum[a];
    sums->lost = s->problem->mass * sum[3];
    const pairs *own = s->own;
    sums->taken = own->thermostat.taken;
    if (has_barostat(s)) {
        const torre_barostat b = torre_md_barostat(s->problem);
        sums->taken = torre_couplings_taken(&b, &own->barostat);
    }
    if (relaxes(s)) {
        double relaxing[TORRE_FIRE_SUMS];
        s->state->relax_sums(&s->store, relaxing);
        sums->force_square = relaxing[TORRE_FIRE_FORCE];
    }
    s->times.other += torre_cpu_lap(&clock);
    sums->neighbors = torre_cpu_pairs_mean(s);
    if (!isfinite(sums->kinetic) || !isfinite(sums->potential) || !isfinite(sums->virial))
        return torre_cpu_not_finite(s);
    return TORRE_OK;
}

static torre_status pairs_state(cpu_solver *s, torre_md_visit *visit, void *context)
{
    pairs *own = s->own;
    if (s->problem->ensemble == TORRE_NVE) return TORRE_OK;
    if (relaxes(s))
        return torre_cpu_visit(s, visit, context, "minimisation", &own->fire, sizeof own->fire);
    if (has_barostat(s))
        return torre_cpu_visit(s, visit, context, "barostat", &own->barostat, sizeof own->barostat);
    return torre_cpu_visit(s, visit, context, "thermostat", &own->thermostat,
                           offsetof(torre_cpu_thermostat, due));
}

const torre_cpu_method torre_cpu_pairs = {
    .plan = pairs_plan,
    .check_memory = torre_cpu_pairs_check_memory,
    .neighbors = torre_cpu_pairs_neighbors,
    .bytes = pairs_bytes,
    .allocate = pairs_allocate,
    .release = pairs_release,
    .begin = pairs_begin,
    .step = pairs_step,
    .finish = pairs_finish,
    .sums = pairs_sums,
    .state = pairs_state,
    .takes_tails = true,
};
