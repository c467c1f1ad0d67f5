/*
 * Particles shared by several threads of a process as ranks (src/particles/md_ranks.h) against one
 * process: the same bits of positions, velocities, forces, rows and checkpoints, of every model,
 * with types and without, each precision, neighbours, ordering and ensemble, bins of any size and
 * any number of ranks, also of particles that crowd in a corner, and of a fluid in any tank. Ranks
 * with memory in common do work of each other. A run goes on from the state of another with
 * another number of ranks. What is not for ranks is refused, an unstable run ends alike, and every
 * call of a rank fails in turn. Every other group of ranks has memory in common, which threads map
 * each for themselves, as processes do. With the arguments "cuda N" each rank has a GPU, one of N,
 * in groups that copy from GPU to GPU and in others that send messages; with "cuda N one" all share
 * the first.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/rank_threads.h"
#include "md_case_types.h"
#include "particles/cpu/cpu_tails.h"
#include "particles/grains.h"
#include "particles/granular.h"
#include "particles/md_ranks.h"
#include "particles/mps_dam.h"

enum { RANKS = 5 };

static const char *backend = "cpu";
static bool gpus;        /* the backend is cuda, and each rank has a GPU */
static int most = RANKS; /* ranks of a group: as many as there are GPUs */
static bool one_gpu;     /* of all */
static bool common;      /* ranks have memory in common; groups do in turns, unless it stays */
static bool stays;

static atomic_int calls_left; /* before a message fails; below 0: none does */
static int calls_of;          /* whose */
static torre_ranks real[RANKS];

/* Whether this call is the one. */
static torre_status try_luck(const torre_ranks *self)
{
    if (self->rank == calls_of && atomic_fetch_sub(&calls_left, 1) == 1)
        return torre_fail(TORRE_ERR_RESOURCE, "out of luck");
    return TORRE_OK;
}

static torre_status failing_post(const torre_ranks *self, int to, const void *bytes, int64_t count)
{
    TORRE_TRY(try_luck(self));
    return real[self->rank].post(self, to, bytes, count);
}

static torre_status failing_send(const torre_ranks *self, int to, const void *bytes, int64_t count)
{
    TORRE_TRY(try_luck(self));
    return real[self->rank].send(self, to, bytes, count);
}

/* Whoever waits looks often: few of these calls may be the one. */
static torre_status failing_look(const torre_ranks *self)
{
    static atomic_int looks;
    if (atomic_fetch_add(&looks, 1) % 1000 == 0) TORRE_TRY(try_luck(self));
    return real[self->rank].look(self);
}

/* --- Runs --- */

typedef struct member {
    const md_case *c;
    torre_md_plan plan;
    const torre_ranks *ranks;
    pthread_t thread;
    int64_t helped; /* particles of others that it has computed */
} member;

typedef struct group {
    int count;
    torre_ranks *ranks;
    member member[RANKS];
} group;

static torre_status plan_run(const member *m, torre_md_run **run)
{
    TORRE_TRY(torre_md_run_new(&m->c->problem, backend, &m->plan, run));
    return torre_md_run_share(*run, m->ranks);
}

/* Another rank than the first has no particles of the problem. */
static void *serve(void *context)
{
    member *m = context;
    md_case own = *m->c;
    torre_md_types types;
    torre_md_run *run = NULL;
    if (own.problem.types) {
        types = *own.problem.types;
        types.type = NULL;
        own.problem.types = &types;
    }
    for (int a = 0; a < 3; a++)
        own.problem.position[a] = own.problem.velocity[a] = own.problem.spin[a] = NULL;
    own.problem.radius = NULL;
    m->c = &own;
    const torre_status status = plan_run(m, &run);
    (void)torre_md_ranks_serve(run, m->ranks, status);
    if (!gpus && run && run->solver)
        m->helped = torre_cpu_tails_helped(((torre_cpu_solver *)run->solver)->tails);
    torre_md_run_free(run);
    return NULL;
}

/* The run of the first of so many ranks, and the others beside it: to be ended with end_ranks. */
static torre_status start_ranks(group *g, int count, const md_case *c, const torre_md_plan *plan,
                                torre_md_run **run)
{
    static const int first[RANKS];
    *run = NULL;
    common = common != !stays;
    if (count > most) count = most;
    g->count = count;
    CHECK_OK(torre_rank_threads_new(count, "ranks", "rank", NULL, &g->ranks));
    for (int i = 0; i < count; i++) {
        real[i] = g->ranks[i];
        g->ranks[i].post = failing_post;
        if (!gpus) g->ranks[i].send = failing_send;
        if (!gpus) g->ranks[i].look = failing_look;
        g->member[i] = (member){c, *plan, &g->ranks[i], 0, 0};
        if (common) g->ranks[i].leader = first;
        if (!gpus) continue;
        g->member[i].plan.device = one_gpu ? 0 : i;
        g->ranks[i].one_process = count % 2; /* by the way of processes, too */
    }
    for (int i = 1; i < count; i++)
        CHECK(pthread_create(&g->member[i].thread, NULL, serve, &g->member[i]) == 0, "a thread");
    const torre_status planned = plan_run(&g->member[0], run);
    return torre_md_ranks_gather(*run, g->ranks, planned);
}

static void end_ranks(group *g, torre_md_run *run)
{
    torre_rank_threads_close(g->ranks, g->count - 1);
    for (int i = 1; i < g->count; i++) pthread_join(g->member[i].thread, NULL);
    torre_md_run_free(run);
    torre_rank_threads_free(g->ranks);
}

/* --- States --- */

/* All that is visited, one after another. */
typedef struct saved {
    char *bytes;
    int64_t count, room, at;
    char names[32][16];
    int64_t end[32];
    int chunks;
} saved;

static torre_status save(void *context, const char *name, void *data, int64_t bytes)
{
    saved *s = context;
    if (strcmp(name, "seconds") == 0) return TORRE_OK;
    if (s->count + bytes > s->room) {
        s->room = 2 * (s->count + bytes);
        s->bytes = realloc(s->bytes, (size_t)s->room);
        CHECK(s->bytes != NULL, "memory");
    }
    memcpy(s->bytes + s->count, data, (size_t)bytes);
    s->count += bytes;
    snprintf(s->names[s->chunks], sizeof s->names[0], "%s", name);
    s->end[s->chunks++] = s->count;
    return TORRE_OK;
}

static torre_status restore(void *context, const char *name, void *data, int64_t bytes)
{
    saved *s = context;
    if (strcmp(name, "seconds") == 0) return TORRE_OK;
    memcpy(data, s->bytes + s->at, (size_t)bytes);
    s->at += bytes;
    return TORRE_OK;
}

/* --- Cases --- */

static int64_t pick(uint64_t *state, int64_t low, int64_t high)
{
    const double u = torre_random_uniform(41, 7, (*state)++);
    return low + (int64_t)(u * (double)(high - low + 1));
}

typedef struct some_case {
    md_case c;
    torre_md_types types;
    torre_md_plan plan;
    bool rough;
    char text[200];
} some_case;

static void crowd(md_case *c, uint64_t *state)
{
    const int axis = (int)pick(state, 0, 2);
    c->problem.box[axis] *= 3; /* two thirds of it are empty */
    c->particles.box[axis] = c->problem.box[axis];
}

static void make_pairs(uint64_t *state, some_case *s)
{
    const torre_md_precision precision = (torre_md_precision)pick(state, 0, 2);
    const bool wca = pick(state, 0, 3) == 0;
    s->c = md_case_rough(pick(state, 4, 7), pick(state, 4, 5), pick(state, 4, 9), 0.05, precision);
    if (wca) { /* others of the list are made of the same text as these */
        s->c.problem.model = TORRE_PAIR_wca;
        s->c.problem.pair.wca = (torre_wca_parameters){.epsilon = 1, .sigma = 1};
        s->c.problem.cutoff =
            torre_pair_about_model(TORRE_PAIR_wca)->lengths(&s->c.problem.pair).cutoff;
    }
    if (pick(state, 0, 2) == 0) md_case_add_types(&s->c, (int)pick(state, 2, 3), &s->types);
    if (pick(state, 0, 3) == 0) crowd(&s->c, state);
    s->c.problem.ensemble = (torre_md_ensemble)pick(state, TORRE_NVE, TORRE_NPT);
    s->c.problem.temperature = 1.2;
    s->c.problem.damping_time = 0.2;
    s->c.problem.pressure = 2;
    s->c.problem.pressure_damping = 0.5;
    s->c.problem.pressure_axes = (torre_md_pressure_axes)pick(state, 0, 1);
    s->c.problem.seed = 5;
    if (torre_md_couples_all(s->c.problem.ensemble)) /* 1 to 4 */
        s->c.problem.couple_every = 1 + s->c.problem.count / 4 % 4;
    torre_md_problem_set_particles(&s->c.problem, &s->c.particles);
}

static void make_gas(uint64_t *state, bool rough, some_case *s)
{
    torre_granular g = {.dimensions = (int)pick(state, 2, 3),
                        .size = {0.012, 0.02, 0.016},
                        .diameter = 1e-3,
                        .mass = 1.3e-6,
                        .stiffness = 1000,
                        .restitution = 0.9,
                        .wall_restitution = 0.9,
                        .walls = pick(state, 0, 1),
                        .filling = 0.3,
                        .temperature = 2,
                        .seed = 5,
                        .sweeps = 20};
    if (rough) {
        g.friction = 0.5;
        g.rolling_friction = pick(state, 0, 1) ? 0.1 : 0;
        g.sizes = (torre_granular_sizes)pick(state, 0, 2);
        g.size_ratio = 0.8;
    }
    if (g.walls) g.gravity = 9.81, g.shake_amplitude = 1e-3, g.shake_frequency = 50;
    s->c = (md_case){.problem = {.precision = (torre_md_precision)pick(state, 0, 2)}};
    CHECK_OK(torre_granular_problem(&g, 0.5 * g.diameter, 0, &s->c.problem));
    CHECK_OK(torre_granular_start(&g, &s->c.problem, &s->c.particles));
    torre_md_problem_set_particles(&s->c.problem, &s->c.particles);
    s->rough = g.friction > 0;
    s->plan.skin = 0.02 * g.diameter; /* little, for rebuilds in a short run */
}

/* Water that splashes in a tank with obstacles and a gate that opens after some steps. */
static void make_fluid(uint64_t *state, some_case *s)
{
    const int dims = (int)pick(state, 2, 3);
    torre_mps_dam dam;
    const torre_fluid_dam wish = {
        .tank = {.dims = dims,
                 .spacing = 0.01,
                 .size = {0.24, 0.12, 0.08},
                 .side_walls = dims == 3 && pick(state, 0, 1),
                 .waters = 2,
                 .water = {{{0, 0, 0}, {0.06, 0.08, 0.08}}, {{0.18, 0, 0}, {0.24, 0.03, 0.05}}},
                 .obstacles = (int)pick(state, 0, 1),
                 .obstacle = {{{0.12, 0, 0.02}, {0.16, 0.04, 0.06}}},
                 .gate = {.x = pick(state, 0, 2) ? 0.06 : 0, .opens = 0.001}},
        .viscosity = pick(state, 0, 1) ? 1e-3 : 0,
        .gravity = 9.81,
        .precision = (torre_md_precision)pick(state, 0, 2)};
    torre_fluid_dam moving = wish;
    if (pick(state, 0, 2)) moving.tank.gate.speed = 1;
    CHECK_OK(torre_mps_dam_make(&moving, &dam, &s->c.problem));
    CHECK_OK(torre_mps_tank_make(&dam.tank, &s->c.particles));
    for (int a = 0; a < dims; a++)
        for (int64_t i = 0; i < s->c.problem.mps.fluid; i++)
            s->c.particles.velocity[a][i] = torre_random_uniform(3, 8, (*state)++) - 0.5;
    torre_md_problem_set_particles(&s->c.problem, &s->c.particles);
    s->plan.skin = 0.05 * wish.tank.spacing; /* little, for rebuilds in a short run */
}

static bool is_fluid(const some_case *s) { return s->c.problem.model == TORRE_MODEL_MPS; }

static void some_case_make(uint64_t *state, some_case *s)
{
    memset(s, 0, sizeof *s);
    switch (pick(state, 0, 4)) {
    case 0:
        make_gas(state, pick(state, 0, 2) > 0, s);
        break;
    case 1:
        if (gpus)
            make_gas(state, true, s);
        else
            make_fluid(state, s);
        break;
    default:
        make_pairs(state, s);
    }
    const torre_ordering_kind orders[] = {TORRE_ROW_MAJOR, TORRE_MORTON, TORRE_HILBERT};
    s->plan.ordering.kind = orders[pick(state, 0, 2)];
    s->plan.neighbor = is_fluid(s) || pick(state, 0, 2) ? TORRE_NEIGHBOR_FULL : TORRE_NEIGHBOR_TILE;
    s->plan.threads = (int)pick(state, 1, 2);
    if (pick(state, 0, 1)) s->plan.bin_size = 0.55 * s->c.problem.cutoff;
    if (pick(state, 0, 2) == 0) s->plan.rebuild_every = s->plan.sort_every = 3;
    snprintf(s->text, sizeof s->text, "%s%s, %d types, %s, %s, ordering %d, %s, bins %g, every %d",
             s->rough ? "rough " : "", torre_pair_model_name(s->c.problem.model),
             s->c.problem.types ? s->c.problem.types->count : 1,
             torre_md_precision_name(s->c.problem.precision), torre_neighbor_name(s->plan.neighbor),
             (int)s->plan.ordering.kind, torre_md_ensembles[s->c.problem.ensemble],
             s->plan.bin_size, (int)s->plan.rebuild_every);
}

/* --- The same bits --- */

/* Forces, or of a fluid pressures, number densities and collisions, in place of velocities. */
static torre_md_particles forces_of(const some_case *s, torre_md_solver *solver)
{
    torre_md_particles p;
    if (!is_fluid(s)) return md_case_forces(&s->c, solver);
    CHECK_OK(torre_md_particles_new(s->c.problem.count, &p));
    const torre_md_fields fields = {p.velocity[0], p.velocity[1], p.velocity[2]};
    CHECK_OK(solver->backend->get_fields(solver, &fields));
    return p;
}

static void compare_arrays(const some_case *s, int ranks, torre_md_solver *a, torre_md_solver *b)
{
    torre_md_particles one = md_case_particles(&s->c, a), shared = md_case_particles(&s->c, b);
    torre_md_particles f = forces_of(s, a), g = forces_of(s, b);
    const size_t bytes = (size_t)one.count * sizeof(double);
    for (int k = 0; k < 3; k++) {
        CHECK(memcmp(one.position[k], shared.position[k], bytes) == 0, "%s, %d ranks: positions",
              s->text, ranks);
        CHECK(memcmp(one.velocity[k], shared.velocity[k], bytes) == 0, "%s, %d ranks: velocities",
              s->text, ranks);
        CHECK(memcmp(f.velocity[k], g.velocity[k], bytes) == 0, "%s, %d ranks: forces", s->text,
              ranks);
    }
    if (s->rough) {
        CHECK_OK(a->backend->get_spins(a, one.position));
        CHECK_OK(b->backend->get_spins(b, shared.position));
        bool spins = false;
        for (int k = 0; k < 3; k++) {
            CHECK(memcmp(one.position[k], shared.position[k], bytes) == 0, "%s, %d ranks: spins",
                  s->text, ranks);
            for (int64_t i = 0; i < one.count; i++) spins = spins || one.position[k][i] != 0;
        }
        CHECK(spins, "%s: no grain spins", s->text);
    }
    torre_md_particles_free(&one);
    torre_md_particles_free(&shared);
    torre_md_particles_free(&f);
    torre_md_particles_free(&g);
}

enum { STEPS = 60 };

/* What GPUs add up behind a thermostat are sums of each. */
static bool rows_are_rounded(const some_case *s)
{
    return gpus && s->c.problem.ensemble != TORRE_NVE;
}

/* Each of at most so many additions rounds what may be ten times the mean of a particle. */
static void compare_rounded(const some_case *s, int ranks, const torre_md_thermo *a,
                            const torre_md_thermo *b)
{
    const double count = (double)s->c.problem.count, bound = 10 * 0x1p-53 * count * 2 * STEPS;
    const double one[] = {a->temperature, a->pair_energy,    a->total_energy,
                          a->pressure,    a->shifted_energy, a->conserved,
                          a->momentum[0], a->momentum[1],    a->momentum[2]};
    const double all[] = {b->temperature, b->pair_energy,    b->total_energy,
                          b->pressure,    b->shifted_energy, b->conserved,
                          b->momentum[0], b->momentum[1],    b->momentum[2]};
    for (int k = 0; k < 9; k++)
        CHECK(fabs(one[k] - all[k]) <= bound * (k < 6 ? 1 : count),
              "%s, %d ranks: step %d, number %d: %.17g, not %.17g", s->text, ranks, (int)a->step, k,
              all[k], one[k]);
}

/* What of a state is such a sum. */
static bool is_rounded(const some_case *s, const char *name)
{
    return rows_are_rounded(s) && (strcmp(name, "sums") == 0 || strcmp(name, "rows") == 0);
}

static void compare_states(const some_case *s, int ranks, const saved *one, const saved *shared)
{
    int64_t at = 0;
    CHECK(one->count == shared->count, "%s, %d ranks: a state of %lld bytes, not %lld", s->text,
          ranks, (long long)shared->count, (long long)one->count);
    for (int k = 0; k < one->chunks; at = one->end[k++])
        CHECK(is_rounded(s, one->names[k]) ||
                  memcmp(one->bytes + at, shared->bytes + at, (size_t)(one->end[k] - at)) == 0,
              "%s, %d ranks: another \"%s\" of the state", s->text, ranks, one->names[k]);
}

static int64_t rebuilds; /* of all runs that were compared */

static void compare(const some_case *s, int ranks, torre_md_run *one, torre_md_run *shared)
{
    torre_md_counts a, b;
    torre_md_times t;
    saved first = {NULL}, second = {NULL};
    CHECK(one->rows == shared->rows && one->rows > 2, "%s: %d rows, %d", s->text, (int)one->rows,
          (int)shared->rows);
    for (int64_t r = 0; r < one->rows && is_fluid(s); r++)
        CHECK(memcmp(&one->fluid_row[r], &shared->fluid_row[r], sizeof one->fluid_row[r]) == 0,
              "%s, %d ranks: row %d, step %d, kinetic energy %.17g, not %.17g", s->text, ranks,
              (int)r, (int)one->fluid_row[r].step, shared->fluid_row[r].kinetic,
              one->fluid_row[r].kinetic);
    for (int64_t r = 0; r < one->rows && rows_are_rounded(s); r++)
        compare_rounded(s, ranks, &one->row[r], &shared->row[r]);
    for (int64_t r = 0; r < one->rows && !is_fluid(s) && !rows_are_rounded(s); r++)
        CHECK(memcmp(&one->row[r], &shared->row[r], sizeof one->row[r]) == 0,
              "%s, %d ranks: row %d, step %d, energy %.17g, not %.17g", s->text, ranks, (int)r,
              (int)one->row[r].step, shared->row[r].total_energy, one->row[r].total_energy);
    CHECK(one->neighbors == shared->neighbors, "%s: %g neighbours, not %g", s->text,
          shared->neighbors, one->neighbors);
    torre_md_run_times(one, &t, &a);
    torre_md_run_times(shared, &t, &b);
    CHECK(memcmp(&a, &b, sizeof a) == 0, "%s: %d rebuilds, not %d", s->text, (int)b.builds,
          (int)a.builds);
    rebuilds += a.builds;
    compare_arrays(s, ranks, one->solver, shared->solver);
    CHECK_OK(torre_md_run_state(one, save, &first));
    CHECK_OK(torre_md_run_state(shared, save, &second));
    compare_states(s, ranks, &first, &second);
    free(first.bytes);
    free(second.bytes);
}

static torre_status run_to(torre_md_run *run, int64_t step)
{
    const torre_md_watch watch = {.row_every = 20};
    return torre_md_run_advance(run, step - run->step, &watch);
}

/* Half of the way with so many ranks, then with others. */
static void check_resume(const some_case *s, int first, int then, torre_md_run *one)
{
    group g;
    torre_md_run *run;
    saved state = {NULL};
    CHECK_OK(start_ranks(&g, first, &s->c, &s->plan, &run));
    CHECK_OK(torre_md_run_start(run, NULL));
    CHECK_OK(run_to(run, STEPS / 2 + 3));
    CHECK_OK(torre_md_run_state(run, save, &state));
    end_ranks(&g, run);
    CHECK_OK(start_ranks(&g, then, &s->c, &s->plan, &run));
    CHECK_OK(torre_md_run_start_from(run, restore, &state));
    CHECK_OK(run_to(run, STEPS));
    compare_arrays(s, then, one->solver, run->solver);
    end_ranks(&g, run);
    free(state.bytes);
}

static void ranks_give_the_bits_of_one(void **unused)
{
    (void)unused;
    uint64_t state = gpus ? 15 : 0; /* from where few cases have all ensembles */
    int models[TORRE_MODEL_MPS + 1] = {0}, ensembles[TORRE_NPT + 1] = {0}, typed = 0, tiles = 0,
                                 rough = 0, gates = 0;
    for (int i = 0; i < (gpus ? 28 : 72); i++) {
        some_case s;
        group g;
        torre_md_run *one, *shared;
        some_case_make(&state, &s);
        const int ranks = (int)pick(&state, 2, RANKS);
        CHECK_OK(torre_md_run_new(&s.c.problem, backend, &s.plan, &one));
        CHECK_OK(start_ranks(&g, ranks, &s.c, &s.plan, &shared));
        const torre_md_ranks_told told = torre_md_run_ranks(shared);
        CHECK(told.ranks == g.count, "told of ranks");
        CHECK(gpus || (strcmp(told.transport, "memory in common") == 0) == common, "by %s",
              told.transport);
        CHECK_OK(torre_md_run_start(one, NULL));
        CHECK_OK(torre_md_run_start(shared, NULL));
        CHECK_OK(run_to(one, STEPS));
        CHECK_OK(run_to(shared, 7)); /* the same steps in other pieces */
        CHECK_OK(run_to(shared, STEPS));
        one->rows = shared->rows = 0; /* but rows of the same steps */
        CHECK_OK(run_to(one, STEPS + 41));
        CHECK_OK(run_to(shared, STEPS + 41));
        compare(&s, g.count, one, shared);
        end_ranks(&g, shared);
        torre_md_run_free(one);
        models[s.c.problem.model]++;
        ensembles[s.c.problem.ensemble]++;
        rough += s.rough;
        gates += is_fluid(&s) && s.c.problem.mps.gate_count > 0;
        typed += s.c.problem.types != NULL;
        tiles += s.plan.neighbor == TORRE_NEIGHBOR_TILE;
        md_case_free(&s.c);
    }
    if (gpus) {
        CHECK(models[TORRE_PAIR_lj] > 2 && models[TORRE_PAIR_granular] > 1 && typed > 0 &&
                  tiles > 1 && rough > 1,
              "%d melts, %d gases, %d of rough grains, %d with types, %d by tiles",
              models[TORRE_PAIR_lj], models[TORRE_PAIR_granular], rough, typed, tiles);
        for (int e = 0; e <= TORRE_NPT; e++) CHECK(ensembles[e] > 0, "%s", torre_md_ensembles[e]);
        CHECK(rebuilds > 4 * 28, "%d rebuilds", (int)rebuilds);
        return;
    }
    CHECK(models[TORRE_PAIR_lj] > 5 && models[TORRE_PAIR_wca] > 3 &&
              models[TORRE_PAIR_granular] > 3 && models[TORRE_MODEL_MPS] > 7,
          "too few of a model");
    CHECK(gates > 3, "%d gates", gates);
    for (int e = 0; e <= TORRE_NPT; e++) CHECK(ensembles[e] > 1, "%s", torre_md_ensembles[e]);
    CHECK(typed > 5 && tiles > 5 && rough > 5, "%d with types, %d by tiles, %d of rough grains",
          typed, tiles, rough);
    CHECK(rebuilds > 4 * 72, "%d rebuilds", (int)rebuilds);
}

/* Whoever is done goes on with particles of others, and only with memory in common. */
static void ranks_help_each_other(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4 && !gpus; k++) {
        uint64_t state = 4;
        const bool fluid = k / 2;
        some_case s = {.plan.threads = 1};
        group g;
        torre_md_run *run;
        if (fluid)
            make_fluid(&state, &s);
        else
            s.c = md_case_melt(8, 8, 8, TORRE_MD_F32);
        common = k % 2;
        stays = true;
        CHECK_OK(start_ranks(&g, RANKS, &s.c, &s.plan, &run));
        CHECK_OK(torre_md_run_start(run, NULL));
        CHECK_OK(run_to(run, 200));
        end_ranks(&g, run);
        int64_t helped = 0;
        for (int i = 1; i < RANKS; i++) helped += g.member[i].helped;
        CHECK((helped > 0) == common, "%s: %lld particles of others, memory in common: %d",
              fluid ? "fluid" : "melt", (long long)helped, common);
        md_case_free(&s.c);
    }
    stays = false;
}

static void states_go_on_with_other_ranks(void **unused)
{
    (void)unused;
    uint64_t state = 1000;
    int fluids = 0;
    for (int i = 0; i < (gpus ? 4 : 14); i++) {
        some_case s;
        torre_md_run *one;
        some_case_make(&state, &s);
        fluids += is_fluid(&s);
        CHECK_OK(torre_md_run_new(&s.c.problem, backend, &s.plan, &one));
        CHECK_OK(torre_md_run_start(one, NULL));
        CHECK_OK(run_to(one, STEPS / 2 + 3));
        CHECK_OK(run_to(one, STEPS));
        check_resume(&s, (int)pick(&state, 1, RANKS), (int)pick(&state, 1, RANKS), one);
        torre_md_run_free(one);
        md_case_free(&s.c);
    }
    CHECK(gpus || fluids > 1, "%d fluids", fluids);
}

/* Lists that last many steps, which several GPUs stop a step late, in longer advances. */
static void lists_may_last(void **unused)
{
    (void)unused;
    enum { ADVANCES = 4, LONG = 90 };
    uint64_t state = 2000;
    for (int which = 0; which < 4;
         which++) { /* not of rough grains, whose contacts would remember it */
        const int ranks = 2 + which % 2;
        some_case s = {.rough = false};
        group g;
        torre_md_run *one, *shared;
        torre_md_times times;
        torre_md_counts counts;
        make_gas(&state, which > 1, &s);
        for (int64_t i = 0; i < s.c.problem.count; i++) /* slow */
            for (int a = 0; a < 3; a++) s.c.particles.velocity[a][i] *= 0.5;
        s.plan.skin = 0.5 * s.c.problem.cutoff;
        snprintf(s.text, sizeof s.text, "lists that last");
        CHECK_OK(torre_md_run_new(&s.c.problem, backend, &s.plan, &one));
        CHECK_OK(start_ranks(&g, ranks, &s.c, &s.plan, &shared));
        CHECK_OK(torre_md_run_start(one, NULL));
        CHECK_OK(torre_md_run_start(shared, NULL));
        for (int k = 1; k <= ADVANCES; k++) {
            CHECK_OK(torre_md_run_advance(one, LONG, NULL));
            CHECK_OK(torre_md_run_advance(shared, LONG, NULL));
            compare_arrays(&s, ranks, one->solver, shared->solver);
        }
        torre_md_run_times(one, &times, &counts);
        CHECK(counts.builds > 1 && counts.builds < ADVANCES * LONG / 32, "%d lists in %d steps",
              (int)counts.builds, ADVANCES * LONG);
        end_ranks(&g, shared);
        torre_md_run_free(one);
        md_case_free(&s.c);
    }
}

/* Energy and momentum stay as they are said to, by the numbers of ranks alone. */
static void energy_and_momentum_are_conserved(void **unused)
{
    (void)unused;
    group g;
    torre_md_run *run;
    md_case c = md_case_melt(6, 6, 6, TORRE_MD_F64);
    const torre_md_plan plan = {.threads = 1};
    CHECK_OK(start_ranks(&g, 3, &c, &plan, &run));
    CHECK_OK(torre_md_run_start(run, NULL));
    CHECK_OK(run_to(run, 400));
    for (int64_t r = 1; r < run->rows; r++) {
        const torre_md_thermo *row = &run->row[r], *start = &run->row[0];
        /* velocity Verlet: of order (omega dt)^2/8 of the kinetic energy, omega about 30 */
        CHECK(fabs(row->shifted_energy - start->shifted_energy) < 0.003 * 1.5 * 1.44,
              "energy %.17g, not %.17g", row->shifted_energy, start->shifted_energy);
        for (int a = 0; a < 3; a++) /* rounding of a sum over particles and steps */
            CHECK(fabs(row->momentum[a] - start->momentum[a]) < 1e-16 * 400 * 864 * 10,
                  "momentum %.17g, not %.17g", row->momentum[a], start->momentum[a]);
    }
    CHECK(run->rows == 21, "%d rows", (int)run->rows);
    end_ranks(&g, run);
    md_case_free(&c);
}

/* --- What goes wrong --- */

static void expect_refused(const md_case *c, const torre_md_plan *plan, int ranks, const char *says)
{
    group g;
    torre_md_run *run;
    const torre_status status = start_ranks(&g, ranks, c, plan, &run);
    CHECK(status == TORRE_ERR_USAGE && strstr(torre_error_text(), says), "%d: %s, not %s",
          (int)status, torre_error_text(), says);
    end_ranks(&g, run);
}

static void others_are_refused(void **unused)
{
    (void)unused;
    md_case c = md_case_melt(4, 4, 4, TORRE_MD_F64);
    expect_refused(&c, &(torre_md_plan){.neighbor = TORRE_NEIGHBOR_HALF}, 2, "half");
    expect_refused(&c, &(torre_md_plan){.sort_every = TORRE_MD_NEVER}, 2, "sort");
    expect_refused(&c, &(torre_md_plan){.sort_every = 20}, 2, "sort");
    if (gpus) c.problem.count = 64; /* one bin's tile of so many suits a GPU */
    expect_refused(&c, &(torre_md_plan){.bin_size = 4}, 2, "take fewer");
    if (gpus) {
        some_case fluid = {.rough = false};
        make_fluid(&(uint64_t){4}, &fluid);
        fluid.c.problem.mps.gate_count = 0;
        expect_refused(&fluid.c, &fluid.plan, 2, "do not share a fluid");
        md_case_free(&fluid.c);
    }
    md_case_free(&c);
}

/* Two particles on the same place: all ranks find it, and rank 0 says what one process says. */
static void unstable_runs_end_alike(void **unused)
{
    (void)unused;
    char said[2][512];
    for (int ranks = 1; ranks <= 3; ranks += 2) {
        group g;
        torre_md_run *run;
        md_case c = md_case_melt(5, 5, 5, TORRE_MD_F64);
        const torre_md_plan plan = {.threads = 1};
        for (int a = 0; a < 3; a++)
            c.particles.position[a][77] = c.particles.position[a][78] + 1e-4;
        CHECK_OK(start_ranks(&g, ranks, &c, &plan, &run));
        torre_status status = torre_md_run_start(run, NULL);
        if (!status) status = run_to(run, 40);
        CHECK(status == TORRE_ERR_UNSTABLE && strstr(torre_error_text(), "particle "),
              "%d ranks: %d, %s", ranks, (int)status, torre_error_text());
        snprintf(said[ranks / 2], sizeof said[0], "%s", torre_error_text());
        end_ranks(&g, run);
        md_case_free(&c);
    }
    /* a GPU finds one of the two */
    const char *const what = gpus ? "step 1: particle 7" : "step 1: particle 78 ";
    for (int k = 0; k < 2; k++)
        CHECK(strstr(said[k], what), "%d ranks say: %s", 2 * k + 1, said[k]);
}

/* Two clumps of grains on the same place each, `apart`, which meet: then grains have more contacts
 * than room to remember them. */
static void make_clumps(double apart, some_case *s)
{
    make_gas(&(uint64_t){9}, true, s);
    const torre_md_problem *p = &s->c.problem;
    const int clump = torre_grain_slots(p) / 2 + 2;
    torre_md_particles *of = &s->c.particles;
    for (int64_t i = 0; i < 2 * clump; i++) {
        for (int a = 0; a < p->dimensions; a++) {
            const double off = torre_random_uniform(3, 9, (uint64_t)(3 * i + a)) - 0.5;
            double r = of->position[a][0] + 0.02 * p->cutoff * off;
            if (a == 0 && i >= clump) r += apart;
            of->position[a][i] = r - p->box[a] * floor(r / p->box[a]);
            of->velocity[a][i] = a == 0 && i >= clump ? -0.3 * p->cutoff / p->dt : 0;
        }
    }
}

/* One rank finds it, in the first forces or later. */
static void crowded_grains_end_alike(void **unused)
{
    (void)unused;
    for (int later = 0; later < 2; later++) {
        for (int ranks = 1; ranks <= 3; ranks++) {
            group g;
            torre_md_run *run;
            some_case s = {.rough = true};
            make_clumps(later ? 1.2 * 1e-3 : 0, &s);
            CHECK_OK(start_ranks(&g, ranks, &s.c, &s.plan, &run));
            torre_status status = torre_md_run_start(run, NULL);
            CHECK(!later || !status, "it begins: %s", torre_error_text());
            if (!status) status = run_to(run, 40);
            CHECK(status == TORRE_ERR_UNSTABLE && strstr(torre_error_text(), "touches more"),
                  "%d ranks: %d, %s", ranks, (int)status, torre_error_text());
            end_ranks(&g, run);
            md_case_free(&s.c);
        }
    }
}

/* Whatever fails, and wherever: all end, and say which rank it was. */
static void fail_each_call(const md_case *c, bool in_common)
{
    common = in_common;
    stays = true;
    const torre_md_plan plan = {.threads = 1, .rebuild_every = 2, .sort_every = 2};
    for (calls_of = 0; calls_of < 3 && calls_of < most; calls_of++) {
        torre_status status = TORRE_ERR_RESOURCE;
        int at = 0;
        for (; status; at += 1 + at / 8) {
            group g;
            torre_md_run *run;
            atomic_store(&calls_left, -1);
            CHECK_OK(start_ranks(&g, 3, c, &plan, &run));
            atomic_store(&calls_left, at + 1);
            status = torre_md_run_start(run, NULL);
            if (!status) status = run_to(run, 6);
            char says[32];
            snprintf(says, sizeof says, "rank %d: out of luck", calls_of);
            /* another may first fail to open the memory that this one has closed since */
            const bool closed =
                in_common && strstr(torre_error_text(), "memory of several processes");
            CHECK(!status || (status == TORRE_ERR_RESOURCE &&
                              (closed || strstr(torre_error_text(), says))),
                  "call %d of rank %d: status %d, %s", at, calls_of, (int)status,
                  torre_error_text());
            end_ranks(&g, run);
        }
        CHECK(at > 20, "%d calls of rank %d can fail", at, calls_of);
    }
    stays = false;
}

static void any_call_may_fail(void **unused)
{
    (void)unused;
    md_case c = md_case_melt(4, 4, 4, TORRE_MD_F32);
    if (!gpus) {
        c.problem.ensemble = TORRE_BUSSI;
        c.problem.temperature = 1;
        c.problem.damping_time = 1;
    }
    for (int k = 0; k < 2; k++) fail_each_call(&c, k);
    md_case_free(&c);
    some_case s = {.rough = false};
    if (gpus) {
        make_gas(&(uint64_t){4}, true, &s);
        fail_each_call(&s.c, false);
        md_case_free(&s.c);
        return;
    }
    make_fluid(&(uint64_t){4}, &s);
    for (int k = 0; k < 2; k++) fail_each_call(&s.c, k);
    md_case_free(&s.c);
}

int main(int argc, char **argv)
{
    if (argc > 1) backend = argv[1];
    gpus = strcmp(backend, "cuda") == 0;
    if (argc > 2) most = atoi(argv[2]);
    one_gpu = argc > 3 && strcmp(argv[3], "one") == 0;
    CHECK(most >= 2 && most <= RANKS, "ranks: 2 to %d", RANKS);
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_give_the_bits_of_one),
        cmocka_unit_test(ranks_help_each_other),
        cmocka_unit_test(states_go_on_with_other_ranks),
        cmocka_unit_test(lists_may_last),
        cmocka_unit_test(energy_and_momentum_are_conserved),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(unstable_runs_end_alike),
        cmocka_unit_test(crowded_grains_end_alike),
        cmocka_unit_test(any_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
