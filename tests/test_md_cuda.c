/*
 * The cuda backend of md against the all-pairs reference engine (thermostats: the cpu backend) and
 * against itself.
 *
 * Tolerances. Positions are rounded to the solver's precision before both engines get them, so
 * what differs is arithmetic only. In f32 and mixed a staged coordinate is rounded to 2^-24 of the
 * tile's half width (below 16): each difference is off by at most 2 * 2^-24 * 16 = 1.9e-6. The
 * force of a pair changes by |F'| times that, and |F'| / |F| stays below 13/r + ... ~ 20 where
 * forces are large: 4e-5 for the worst pair, and about 1e-6 in the norm over all particles, where
 * the errors of pairs add up as noise. We ask for 1e-5 in the norm. In f64 the same estimate with
 * 2^-53 gives 2e-15; sums over 80 pairs in another order, cancelling to 1/10: 1e-12. Half lists add
 * in units of 2^-44: 80 pairs, 5e-12 absolute against forces of about 10: 1e-12.
 * Exit code 77: no device. With the argument "small", a few cases that suit compute-sanitizer; with
 * "cuts", those of runs that are cut whose tables grow and shrink on the way (the emulator takes a
 * while); with "npt", those that a barostat squeezes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend.h"
#include "particles/cpu/md_cpu.h"
#include "particles/md.h"
#include "particles/md_reference.h"
#include "particles/md_start.h"
#include "particles/pair_lj.h"

extern const torre_md_backend torre_md_cuda;

static int failures, checks;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        checks++;                                                                                  \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

#define MUST(call)                                                                                 \
    do {                                                                                           \
        checks++;                                                                                  \
        if (call) {                                                                                \
            failures++;                                                                            \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, torre_error_text());              \
            return;                                                                                \
        }                                                                                          \
    } while (0)

/* A gas, liquid or crystal of Lennard-Jones particles. */
typedef struct md_case {
    const char *name;
    int64_t cells[3];
    double density, shake, temperature; /* shake: random displacement, of the lattice constant */
    double squeeze;                     /* z coordinates times this: a slab and vacuum; 1: none */
} md_case;

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static torre_status make_case(const md_case *c, torre_md_precision precision,
                              torre_md_particles *particles, torre_md_problem *problem)
{
    memset(problem, 0, sizeof *problem);
    TORRE_TRY(torre_md_start_fcc(c->cells, c->density, particles));
    torre_md_start_velocities(particles, c->temperature, 7);
    double lattice = cbrt(4 / c->density);
    uint64_t state = 12345;
    for (int64_t i = 0; i < particles->count; i++) {
        for (int a = 0; a < 3; a++) {
            double *r = &particles->position[a][i], edge = particles->box[a];
            if (a == 2) *r *= c->squeeze;
            *r += c->shake * lattice * (2 * uniform(&state) - 1);
            *r -= edge * floor(*r / edge);
            if (precision == TORRE_MD_F32) *r = (float)*r;
            if (*r >= edge) *r = 0;
        }
    }
    torre_md_problem_set_particles(problem, particles);
    problem->model = TORRE_PAIR_lj;
    problem->pair.lj = (torre_lj_parameters){.epsilon = 1, .sigma = 1};
    problem->cutoff = 2.5;
    problem->dt = 0.005;
    problem->precision = precision;
    return TORRE_OK;
}

static torre_status start(const torre_md_backend *backend, const torre_md_problem *problem,
                          const torre_md_plan *plan, torre_md_solver **solver)
{
    TORRE_TRY(torre_md_solver_new(backend, problem, plan, solver));
    return backend->set_particles(*solver, problem->position, problem->velocity);
}

/* Arrays [axis][id]. */
typedef struct triple {
    double *at[3];
} triple;

static triple new_triple(int64_t count)
{
    triple t;
    for (int a = 0; a < 3; a++) t.at[a] = calloc((size_t)count, sizeof(double));
    return t;
}

static void free_triple(triple t)
{
    for (int a = 0; a < 3; a++) free(t.at[a]);
}

/* ||a - b|| / max(||b||, 1), differences taken modulo box (NULL: as they are). */
static double distance(triple a, triple b, int64_t count, const double *box)
{
    double difference = 0, norm = 0;
    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < count; i++) {
            double d = a.at[k][i] - b.at[k][i];
            if (box) d -= box[k] * rint(d / box[k]);
            difference += d * d;
            norm += b.at[k][i] * b.at[k][i];
        }
    }
    if (!(difference >= 0)) return INFINITY;
    return sqrt(difference / fmax(norm, 1));
}

static bool same_bits(triple a, triple b, int64_t count)
{
    for (int k = 0; k < 3; k++)
        if (memcmp(a.at[k], b.at[k], (size_t)count * sizeof(double))) return false;
    return true;
}

static double tolerance(torre_md_precision precision)
{
    return precision == TORRE_MD_F64 ? 1e-12 : 1e-5;
}

static void check_against(torre_md_solver *cuda, const torre_md_problem *problem, triple expected,
                          const torre_md_sums *sums, double tol, const char *what)
{
    triple force = new_triple(problem->count);
    torre_md_sums got;
    if (cuda->backend->get_forces(cuda, force.at) || cuda->backend->sums(cuda, &got)) {
        CHECK(false, "%s: %s", what, torre_error_text());
        free_triple(force);
        return;
    }
    double n = (double)problem->count, d = distance(force, expected, problem->count, NULL);
    CHECK(d < tol, "%s: force error %.3g, allowed %.3g", what, d, tol);
    /* energies: one rounding per pair and particle sums in f32 */
    CHECK(fabs(got.potential - sums->potential) < tol * fmax(n, fabs(sums->potential)),
          "%s: potential %.10g, expected %.10g", what, got.potential, sums->potential);
    CHECK(fabs(got.virial - sums->virial) < 10 * tol * fmax(n, fabs(sums->virial)),
          "%s: virial %.10g, expected %.10g", what, got.virial, sums->virial);
    CHECK(fabs(got.kinetic - sums->kinetic) <= tol * fmax(n, sums->kinetic),
          "%s: kinetic %.10g, expected %.10g", what, got.kinetic, sums->kinetic);
    CHECK(fabs(got.potential_shift - sums->potential_shift) <= tol * n + 1e-3 * tol * 1e5,
          "%s: shift %.10g, expected %.10g", what, got.potential_shift, sums->potential_shift);
    free_triple(force);
}

/* Forces and sums of every kind of search, ordering and precision. */
static void test_forces(const md_case *c, torre_md_precision precision)
{
    torre_md_particles particles;
    torre_md_problem problem, exact;
    MUST(make_case(c, precision, &particles, &problem));
    exact = problem;
    exact.precision = TORRE_MD_F64;
    torre_md_solver *reference;
    torre_md_sums sums;
    triple expected = new_triple(problem.count);
    MUST(start(&torre_md_reference, &exact, &(torre_md_plan){.skin = 0.3}, &reference));
    MUST(torre_md_reference.get_forces(reference, expected.at));
    MUST(torre_md_reference.sums(reference, &sums));
    torre_md_reference.destroy(reference);
    static const torre_neighbor searches[] = {TORRE_NEIGHBOR_FULL, TORRE_NEIGHBOR_HALF,
                                              TORRE_NEIGHBOR_TILE};
    static const double bin_sizes[] = {0, 1.0, 2.8};
    for (int s = 0; s < 3; s++) {
        for (int o = 0; o < 5; o++) {
            torre_md_plan plan = {.neighbor = searches[s],
                                  .skin = 0.3,
                                  .bin_size = bin_sizes[o % 3],
                                  .bin_stencil = o == 1 ? TORRE_STENCIL_SPHERICAL : 0,
                                  .ordering = {.kind = (torre_ordering_kind)(o % 3)},
                                  .sort_every = o == 3 ? TORRE_MD_NEVER : 0};
            char what[160];
            snprintf(what, sizeof what, "%s %s %s ordering %s%s bins %g", c->name,
                     torre_md_precision_name(precision), torre_neighbor_name(searches[s]),
                     torre_ordering_write(&plan.ordering).text, o == 3 ? " (unsorted)" : "",
                     plan.bin_size);
            torre_md_solver *cuda;
            MUST(start(&torre_md_cuda, &problem, &plan, &cuda));
            check_against(cuda, &problem, expected, &sums, tolerance(precision), what);
            torre_md_cuda.destroy(cuda);
        }
    }
    free_triple(expected);
    torre_md_particles_free(&particles);
}

/* 60 steps beside the reference, rebuilding and sorting at odd intervals. */
static void test_trajectory(const md_case *c, torre_md_precision precision)
{
    torre_md_particles particles;
    torre_md_problem problem, exact;
    MUST(make_case(c, precision, &particles, &problem));
    exact = problem;
    exact.precision = TORRE_MD_F64;
    torre_md_solver *reference;
    triple r = new_triple(problem.count), q = new_triple(problem.count);
    MUST(start(&torre_md_reference, &exact, &(torre_md_plan){.skin = 0.3}, &reference));
    MUST(torre_md_reference.advance(reference, 60));
    MUST(torre_md_reference.get_particles(reference, r.at, NULL));
    torre_md_reference.destroy(reference);
    static const torre_md_plan plans[] = {
        {.neighbor = TORRE_NEIGHBOR_FULL, .skin = 0.3, .rebuild_every = 7},
        {.neighbor = TORRE_NEIGHBOR_FULL, .skin = 0.3, .rebuild_every = 6, .sort_every = 18},
        {.neighbor = TORRE_NEIGHBOR_FULL, .skin = 0.3, .rebuild_every = 5, .sort_every = -1},
        {.neighbor = TORRE_NEIGHBOR_FULL, .skin = 0.3, .rebuild_every = 1, .rebuild_check = true},
        {.neighbor = TORRE_NEIGHBOR_HALF, .skin = 0.3, .rebuild_every = 8},
        {.neighbor = TORRE_NEIGHBOR_TILE, .skin = 0.3, .rebuild_every = 10},
        {.neighbor = TORRE_NEIGHBOR_TILE, .skin = 0.3, .rebuild_every = 10, .sort_every = -1},
    };
    /* errors of 2^-24 (2^-53) grow by a factor of about e in 0.3 time units: 60 steps, 1; 100 for
       good measure, per unit of distance */
    double tol = precision == TORRE_MD_F64 ? 1e-10 : 1e-4;
    for (unsigned k = 0; k < sizeof plans / sizeof *plans; k++) {
        torre_md_solver *cuda;
        MUST(start(&torre_md_cuda, &problem, &plans[k], &cuda));
        MUST(torre_md_cuda.advance(cuda, 60));
        MUST(torre_md_cuda.get_particles(cuda, q.at, NULL));
        double d = distance(q, r, problem.count, problem.box);
        CHECK(d < tol, "%s %s plan %u: positions off by %.3g", c->name,
              torre_md_precision_name(precision), k, d);
        torre_md_times times;
        torre_md_counts counts;
        torre_md_cuda.times(cuda, &times, &counts);
        CHECK(counts.dangerous_builds == (plans[k].rebuild_check ? counts.dangerous_builds : -1),
              "plan %u: %lld dangerous builds", k, (long long)counts.dangerous_builds);
        if (!plans[k].rebuild_check)
            CHECK(counts.builds == 60 / plans[k].rebuild_every, "plan %u: %lld builds", k,
                  (long long)counts.builds);
        else
            CHECK(counts.builds > 0 && counts.builds < 30, "plan %u: %lld builds", k,
                  (long long)counts.builds);
        torre_md_cuda.destroy(cuda);
    }
    free_triple(r);
    free_triple(q);
    torre_md_particles_free(&particles);
}

/* The same bits from run to run and however the steps are split. */
static void test_bits(const md_case *c, torre_md_precision precision, torre_neighbor neighbor)
{
    torre_md_particles particles;
    torre_md_problem problem;
    MUST(make_case(c, precision, &particles, &problem));
    triple first = new_triple(problem.count), again = new_triple(problem.count);
    torre_md_plan plan = {.neighbor = neighbor, .skin = 0.3, .rebuild_every = 10};
    static const int64_t splits[3][4] = {{120, 0, 0, 0}, {120, 0, 0, 0}, {1, 17, 93, 9}};
    double energy = 0;
    for (int run = 0; run < 3; run++) {
        torre_md_solver *cuda;
        torre_md_sums sums;
        MUST(start(&torre_md_cuda, &problem, &plan, &cuda));
        for (int k = 0; k < 4; k++) MUST(torre_md_cuda.advance(cuda, splits[run][k]));
        MUST(torre_md_cuda.get_particles(cuda, NULL, run ? again.at : first.at));
        MUST(torre_md_cuda.sums(cuda, &sums));
        if (run == 0) energy = sums.potential;
        CHECK(sums.potential == energy, "%s: %.17g and %.17g", torre_neighbor_name(neighbor),
              sums.potential, energy);
        if (run)
            CHECK(same_bits(first, again, problem.count), "%s %s: run %d differs", c->name,
                  torre_neighbor_name(neighbor), run);
        torre_md_cuda.destroy(cuda);
    }
    free_triple(first);
    free_triple(again);
    torre_md_particles_free(&particles);
}

/* Energy, momentum, and the way back. */
static void test_conservation(torre_md_precision precision)
{
    md_case c = {"melt 4000", {10, 10, 10}, 0.8442, 0, 1.44, 1};
    torre_md_particles particles;
    torre_md_problem problem;
    MUST(make_case(&c, precision, &particles, &problem));
    torre_md_solver *cuda;
    torre_md_sums before, after;
    torre_md_plan plan = {.skin = 0.3, .rebuild_every = 5};
    MUST(start(&torre_md_cuda, &problem, &plan, &cuda));
    MUST(torre_md_cuda.sums(cuda, &before));
    MUST(torre_md_cuda.advance(cuda, 200));
    MUST(torre_md_cuda.sums(cuda, &after));
    double n = (double)problem.count;
    double e0 = before.kinetic + before.potential - before.potential_shift;
    double e1 = after.kinetic + after.potential - after.potential_shift;
    /* the truncation error of velocity Verlet at dt = 0.005 in a melting crystal, as in the
       reference engine; rounding is far below */
    CHECK(fabs(e1 - e0) / n < 2e-3, "energy per particle drifts by %.3g", (e1 - e0) / n);
    /* a staged coordinate is rounded to 5e-7, differently in different tiles: the two forces of a
       pair differ by |F'| (200 in the root mean square over 10 contacts) times two such errors, of
       random sign; five standard deviations of the sum over pairs and steps */
    double rounding = precision == TORRE_MD_F64 ? 7e-7 * 0x1p-29 : 7e-7;
    double allowed = 5 * problem.dt * 200 * rounding * sqrt(10 * 200 * n);
    for (int a = 0; a < 3; a++)
        CHECK(fabs(after.momentum[a]) < allowed, "momentum %g, allowed %g", after.momentum[a],
              allowed);
    if (precision == TORRE_MD_F64) { /* turn round: 40 steps later at the start of those 40 */
        triple v = new_triple(problem.count), r0 = new_triple(problem.count),
               r = new_triple(problem.count);
        MUST(torre_md_cuda.get_particles(cuda, r0.at, v.at));
        MUST(torre_md_cuda.set_particles(cuda, (const double *const *)r0.at,
                                         (const double *const *)v.at));
        MUST(torre_md_cuda.advance(cuda, 40));
        MUST(torre_md_cuda.get_particles(cuda, r.at, v.at));
        for (int a = 0; a < 3; a++)
            for (int64_t i = 0; i < problem.count; i++) v.at[a][i] = -v.at[a][i];
        MUST(torre_md_cuda.set_particles(cuda, (const double *const *)r.at,
                                         (const double *const *)v.at));
        MUST(torre_md_cuda.advance(cuda, 40));
        MUST(torre_md_cuda.get_particles(cuda, r.at, NULL));
        double d = distance(r, r0, problem.count, problem.box);
        CHECK(d < 1e-10, "time reversal misses by %.3g", d);
        free_triple(v);
        free_triple(r);
        free_triple(r0);
    }
    torre_md_cuda.destroy(cuda);
    torre_md_particles_free(&particles);
}

/* The LAMMPS melt: exact numbers of step 0, known ones of step 100. */
static void test_melt(torre_md_precision precision, torre_neighbor neighbor)
{
    md_case c = {"melt", {20, 20, 20}, 0.8442, 0, 1.44, 1};
    torre_md_particles particles;
    torre_md_problem problem;
    MUST(make_case(&c, precision, &particles, &problem));
    torre_md_solver *cuda;
    torre_md_sums sums;
    torre_md_plan plan = {.neighbor = neighbor, .skin = 0.3, .rebuild_every = 20};
    MUST(start(&torre_md_cuda, &problem, &plan, &cuda));
    MUST(torre_md_cuda.sums(cuda, &sums));
    torre_md_thermo t = torre_md_thermo_of(&problem, problem.box, 0, &sums);
    double tol = precision == TORRE_MD_F64 ? 6e-8 : 5e-6;
    CHECK(fabs(t.temperature - 1.44) < 1e-6, "T %.8f", t.temperature);
    CHECK(fabs(t.pair_energy + 6.7733681) < tol, "E_pair %.8f", t.pair_energy);
    /* W/3V sums energies of order 10 per particle: ten times the tolerance */
    CHECK(fabs(t.pressure + 5.0197073) < 10 * tol, "Press %.8f", t.pressure);
    MUST(torre_md_cuda.advance(cuda, 100));
    MUST(torre_md_cuda.sums(cuda, &sums));
    t = torre_md_thermo_of(&problem, problem.box, 100, &sums);
    /* LAMMPS with its own velocities: 0.7574531, -5.7585055, 0.20726105 */
    /* other velocities, other numbers: three standard deviations of the temperature of 32,000
       particles are 0.01; the sum of energies must agree, and pressure follows T and E_pair */
    CHECK(fabs(t.temperature - 0.7575) < 0.01, "T %.8f", t.temperature);
    CHECK(fabs(t.total_energy + 4.6224) < 1e-3, "TotEng %.8f", t.total_energy);
    CHECK(fabs(t.pressure - 0.2073) < 0.1, "Press %.8f", t.pressure);
    /* full lists must hold a pair on both sides or on none, or momentum leaks */
    double leak = precision == TORRE_MD_F64 ? 1e-9 : 0.1;
    for (int a = 0; a < 3; a++)
        CHECK(fabs(sums.momentum[a]) < leak, "momentum %g", sums.momentum[a]);
    printf("melt %s %s: step 100 T %.7f E_pair %.7f Press %.7f neighbours %.2f\n",
           torre_md_precision_name(precision), torre_neighbor_name(neighbor), t.temperature,
           t.pair_energy, t.pressure, sums.neighbors);
    torre_md_cuda.destroy(cuda);
    torre_md_particles_free(&particles);
}

/* The thermostats of the cpu backend: the same noise, the same scaling, in each step or every so
 * many, towards a target that changes; what is taken. */
static void test_thermostat(torre_md_ensemble ensemble, int64_t every, torre_md_precision precision)
{
    md_case c = {"gas", {6, 5, 5}, 0.6, 0.03, 1.44, 1};
    torre_md_particles particles;
    torre_md_problem problem;
    MUST(make_case(&c, precision, &particles, &problem));
    problem.ensemble = ensemble;
    problem.temperature = 0.7;
    problem.damping_time = 0.1 * (double)every;
    problem.couple_every = every;
    problem.seed = 99;
    problem.ramp_to = 1.1;
    problem.ramp_steps = 30;
    torre_md_plan plan = {.skin = 0.3, .rebuild_every = 7};
    torre_md_solver *cpu, *cuda;
    triple r = new_triple(problem.count), q = new_triple(problem.count);
    torre_md_sums expected, sums;
    MUST(start(&torre_md_cpu, &problem, &plan, &cpu));
    MUST(start(&torre_md_cuda, &problem, &plan, &cuda));
    MUST(torre_md_cpu.advance(cpu, 40));
    MUST(torre_md_cuda.advance(cuda, 9));
    MUST(torre_md_cuda.advance(cuda, 31));
    MUST(torre_md_cpu.get_particles(cpu, r.at, NULL));
    MUST(torre_md_cuda.get_particles(cuda, q.at, NULL));
    MUST(torre_md_cpu.sums(cpu, &expected));
    MUST(torre_md_cuda.sums(cuda, &sums));
    double d = distance(q, r, problem.count, problem.box);
    double tol = precision == TORRE_MD_F64 ? 1e-10 : 1e-4;
    CHECK(d < tol, "%s every %d: positions off by %.3g", torre_md_ensembles[ensemble], (int)every,
          d);
    CHECK(fabs(sums.taken - expected.taken) < tol * expected.kinetic,
          "%s: %.12g taken, expected %.12g", torre_md_ensembles[ensemble], sums.taken,
          expected.taken);
    CHECK(fabs(sums.kinetic - expected.kinetic) < tol * expected.kinetic,
          "%s: kinetic %.12g, expected %.12g", torre_md_ensembles[ensemble], sums.kinetic,
          expected.kinetic);
    torre_md_cpu.destroy(cpu);
    torre_md_cuda.destroy(cuda);
    free_triple(r);
    free_triple(q);
    torre_md_particles_free(&particles);
}

/* The arrays of a state, one behind the other. */
typedef struct state_copy {
    char *bytes;
    size_t used;
    bool reading;
    double crowding[3]; /* how much more crowded than the mean the fullest tables were */
    double crowd;       /* 0, or as much as that is said to be when it is read */
} state_copy;

static torre_status copy_state(void *context, const char *name, void *data, int64_t bytes)
{
    state_copy *c = context;
    const bool crowding = strcmp(name, "crowding") == 0;
    if (crowding && !c->reading) memcpy(c->crowding, data, sizeof c->crowding);
    if (crowding && c->reading && c->crowd > 0) {
        for (int i = 0; i < 3; i++) ((double *)data)[i] = c->crowd;
    } else if (c->reading) {
        memcpy(data, c->bytes + c->used, (size_t)bytes);
    } else {
        c->bytes = realloc(c->bytes, c->used + (size_t)bytes);
        memcpy(c->bytes + c->used, data, (size_t)bytes);
    }
    c->used += (size_t)bytes;
    return TORRE_OK;
}

/* One that cools, and squeezes where it has a barostat; it acts every so many steps. */
static void set_ensemble(torre_md_problem *problem, torre_md_ensemble ensemble, int64_t every)
{
    problem->ensemble = ensemble;
    problem->temperature = 0.7;
    problem->damping_time = problem->pressure_damping = 0.1 * (double)(every ? every : 1);
    problem->couple_every = every;
    problem->pressure = 20;
}

/* A run that another solver goes on with, at a step between rebuilds or of one, every `apart` steps
 * up to `last`: the bits of one that nobody looked at. A thermostat acts every so many steps. */
static void test_cuts(const md_case *c, torre_md_precision precision, const torre_md_plan *plan,
                      torre_md_ensemble ensemble, int64_t every, int64_t first_step, int64_t last,
                      int64_t apart)
{
    torre_md_particles particles;
    torre_md_problem problem;
    MUST(make_case(c, precision, &particles, &problem));
    set_ensemble(&problem, ensemble, every);
    triple r = new_triple(problem.count), v = new_triple(problem.count),
           q = new_triple(problem.count), w = new_triple(problem.count);
    torre_md_solver *calm, *first, *second;
    torre_md_sums expected, sums;
    char what[96];
    snprintf(what, sizeof what, "%s %s %s %s every %d", c->name, torre_md_precision_name(precision),
             torre_md_ensembles[ensemble], torre_neighbor_name(plan->neighbor), (int)every);
    MUST(start(&torre_md_cuda, &problem, plan, &calm));
    MUST(torre_md_cuda.advance(calm, 200));
    MUST(torre_md_cuda.get_particles(calm, r.at, v.at));
    MUST(torre_md_cuda.sums(calm, &expected));
    for (int64_t step = first_step; step <= last; step += apart) {
        state_copy copy = {0};
        MUST(start(&torre_md_cuda, &problem, plan, &first));
        MUST(torre_md_cuda.advance(first, step));
        MUST(torre_md_cuda.state(first, copy_state, &copy));
        copy.reading = true;
        copy.used = 0;
        MUST(start(&torre_md_cuda, &problem, plan, &second));
        MUST(torre_md_cuda.state(second, copy_state, &copy));
        MUST(torre_md_cuda.resume(second));
        torre_md_solver *const both[] = {first, second};
        for (int k = 0; k < 2; k++) {
            MUST(torre_md_cuda.advance(both[k], 200 - step));
            MUST(torre_md_cuda.get_particles(both[k], q.at, w.at));
            MUST(torre_md_cuda.sums(both[k], &sums));
            CHECK(same_bits(r, q, problem.count) && same_bits(v, w, problem.count),
                  "%s: the state of step %lld, solver %d", what, (long long)step, k);
            CHECK(sums.potential == expected.potential && sums.virial == expected.virial &&
                      sums.kinetic == expected.kinetic && sums.taken == expected.taken,
                  "%s: after the state of step %lld, solver %d: potential %.17g, %.17g, virial "
                  "%.17g, "
                  "%.17g, kinetic %.17g, %.17g, taken %.17g, %.17g",
                  what, (long long)step, k, sums.potential, expected.potential, sums.virial,
                  expected.virial, sums.kinetic, expected.kinetic, sums.taken, expected.taken);
            torre_md_cuda.destroy(both[k]);
        }
        free(copy.bytes);
    }
    torre_md_cuda.destroy(calm);
    free_triple(r);
    free_triple(v);
    free_triple(q);
    free_triple(w);
    torre_md_particles_free(&particles);
}

static void test_state(const md_case *c, torre_md_precision precision, const torre_md_plan *plan,
                       torre_md_ensemble ensemble, int64_t every)
{
    test_cuts(c, precision, plan, ensemble, every, 0, 140, 35);
}

/* Half of the box is empty: lists outgrow their tables when the other half has melted. */
static const md_case slab = {"slab", {6, 6, 12}, 0.4, 0.02, 1, 0.5};
static const torre_md_plan seldom = {.skin = 0.3, .rebuild_every = 5, .sort_every = 15};

/* The box shrinks so far that bins are made anew on the way; cuts are at all places of an
 * interval. */
static void test_squeezed(torre_md_precision precision)
{
    static const md_case liquid = {"squeezed", {5, 5, 5}, 0.8442, 0.04, 1.44, 1};
    static const torre_md_plan each_step = {.skin = 0.3},
                               looks = {.skin = 0.4,
                                        .rebuild_every = 3,
                                        .rebuild_check = true,
                                        .sort_every = 9},
                               tiles = {.skin = 0.3, .neighbor = TORRE_NEIGHBOR_TILE};
    test_cuts(&liquid, precision, &each_step, TORRE_NPT, 1, 0, 140, 35);
    test_cuts(&liquid, precision, &looks, TORRE_NPT, 1, 50, 100, 50);
    test_cuts(&liquid, precision, &tiles, TORRE_NPT, 1, 17, 17, 1);
    test_cuts(&liquid, precision, &each_step, TORRE_NPT, 4, 40, 43, 1);
    test_cuts(&liquid, precision, &looks, TORRE_NPT, 2, 50, 51, 1);
}

/* Particles that crowded no more do not at step 128, wherever a run is cut: tables are as large as
 * those of a run that never had any crowd, and only rounding tells them from each other. Other
 * bricks add up forces in another order: errors of 1e-12 and 1e-5 of these (above) grow by e in 60
 * steps, so of 15 they are as small in positions, and far smaller in the box, which a barostat
 * changes little in these. */
static void test_settled(torre_md_precision precision, torre_md_ensemble ensemble)
{
    static const md_case liquid = {"liquid", {5, 5, 5}, 0.8442, 0.04, 1.44, 1};
    static const torre_md_plan plan = {.skin = 0.3};
    static const int64_t cuts[][3] = {{4, 4, 7}, {5, 3, 7}, {15, 0, 0}, {8, 1, 6}};
    enum { CUTS = sizeof cuts / sizeof *cuts };
    const double bound = precision == TORRE_MD_F64 ? 1e-11 : 1e-4;
    torre_md_particles particles;
    torre_md_problem problem;
    double box[2][3];
    MUST(make_case(&liquid, precision, &particles, &problem));
    if (ensemble != TORRE_NVE) set_ensemble(&problem, ensemble, 1);
    triple r = new_triple(problem.count), q = new_triple(problem.count),
           first = new_triple(problem.count);
    torre_md_solver *calm, *crowded;
    state_copy copy = {0};
    MUST(start(&torre_md_cuda, &problem, &plan, &calm));
    MUST(torre_md_cuda.advance(calm, 120));
    MUST(torre_md_cuda.state(calm, copy_state, &copy));
    torre_md_solver_box(calm, &problem, box[1]);
    MUST(torre_md_cuda.advance(calm, 15));
    MUST(torre_md_cuda.get_particles(calm, r.at, NULL));
    torre_md_solver_box(calm, &problem, box[0]);
    CHECK((box[0][0] < box[1][0]) == (ensemble == TORRE_NPT), "the box: %g, then %g", box[1][0],
          box[0][0]);
    CHECK(copy.crowding[0] == 1 && copy.crowding[1] == 1 && copy.crowding[2] == 1,
          "the liquid crowds by itself: %g", copy.crowding[0]);
    for (int i = 0; i < CUTS; i++) {
        copy.reading = true;
        copy.used = 0;
        copy.crowd = 1.3;
        MUST(start(&torre_md_cuda, &problem, &plan, &crowded));
        MUST(torre_md_cuda.state(crowded, copy_state, &copy));
        MUST(torre_md_cuda.resume(crowded));
        for (int k = 0, step = 120; k < 3; k++) {
            if (cuts[i][k] == 0) continue;
            state_copy now = {0};
            MUST(torre_md_cuda.advance(crowded, cuts[i][k]));
            MUST(torre_md_cuda.state(crowded, copy_state, &now));
            step += (int)cuts[i][k];
            CHECK(now.crowding[0] == (step > 128 ? 1 : 1.3), "step %d: crowded %g times", step,
                  now.crowding[0]);
            free(now.bytes);
        }
        MUST(torre_md_cuda.get_particles(crowded, q.at, NULL));
        const double d = distance(q, r, problem.count, box[0]);
        CHECK(d < bound, "positions off by %.3g", d);
        torre_md_solver_box(crowded, &problem, box[1]);
        for (int a = 0; a < 3; a++)
            CHECK(fabs(box[1][a] / box[0][a] - 1) < 0.01 * bound, "the box: %.17g, not %.17g",
                  box[1][a], box[0][a]);
        if (i > 0) CHECK(same_bits(first, q, problem.count), "other bits by the cuts of run %d", i);
        for (int a = 0; a < 3 && i == 0; a++)
            memcpy(first.at[a], q.at[a], (size_t)problem.count * sizeof *q.at[a]);
        torre_md_cuda.destroy(crowded);
    }
    torre_md_cuda.destroy(calm);
    free(copy.bytes);
    free_triple(r);
    free_triple(q);
    free_triple(first);
    torre_md_particles_free(&particles);
}

static void test_states(torre_md_precision precision)
{
    static const md_case liquid = {"liquid", {5, 5, 5}, 0.8442, 0.04, 1.44, 1};
    static const torre_md_plan each_step = {.skin = 0.3},
                               every_ten = {.skin = 0.4, .rebuild_every = 10},
                               unsorted = {.skin = 0.3, .sort_every = TORRE_MD_NEVER},
                               half = {.neighbor = TORRE_NEIGHBOR_HALF, .skin = 0.3},
                               tile = {.neighbor = TORRE_NEIGHBOR_TILE, .skin = 0.3};
    test_state(&liquid, precision, &each_step, TORRE_NVE, 0);
    test_state(&slab, precision, &each_step, TORRE_NVE, 0);
    test_state(&liquid, precision, &every_ten, TORRE_LANGEVIN, 0);
    test_state(&liquid, precision, &unsorted, TORRE_NVE, 0);
    test_state(&slab, precision, &seldom, TORRE_BERENDSEN, 1);
    test_state(&liquid, precision, &each_step, TORRE_BAOAB, 0);
    test_state(&liquid, precision, &half, TORRE_BUSSI, 1);
    test_state(&slab, precision, &tile, TORRE_NOSE_HOOVER, 1);
    test_state(&liquid, precision, &half, TORRE_NVE, 0);
    test_state(&slab, precision, &tile, TORRE_NVE, 0);
    test_cuts(&liquid, precision, &each_step, TORRE_BUSSI, 3, 34, 36, 1);
    test_cuts(&liquid, precision, &each_step, TORRE_NOSE_HOOVER, 5, 37, 39, 1);
    test_cuts(&liquid, precision, &half, TORRE_BUSSI, 4, 37, 37, 1);
    test_cuts(&slab, precision, &seldom, TORRE_BERENDSEN, 3, 35, 35, 1);
}

/* What cannot work is said, not computed. */
static void test_refusals(void)
{
    md_case c = {"small", {4, 4, 4}, 0.8442, 0, 1.44, 1};
    torre_md_particles particles;
    torre_md_problem problem;
    torre_md_program *program;
    torre_md_solver *cuda;
    MUST(make_case(&c, TORRE_MD_F32, &particles, &problem));
    torre_md_plan fine_bins = {.skin = 0.3, .bin_size = 0.2};
    CHECK(torre_md_cuda.plan(&problem, &fine_bins, &program) == TORRE_ERR_USAGE, "bins of 0.2");
    torre_md_plan wide_skin = {.skin = 3};
    CHECK(torre_md_cuda.plan(&problem, &wide_skin, &program) == TORRE_ERR_USAGE, "skin of 3");
    torre_md_plan plan = {.skin = 0.3, .rebuild_every = 10};
    static const torre_neighbor searches[] = {TORRE_NEIGHBOR_FULL, TORRE_NEIGHBOR_HALF};
    for (int s = 0; s < 2; s++) { /* two particles on top of each other */
        plan.neighbor = searches[s];
        for (int a = 0; a < 3; a++)
            particles.position[a][1] = particles.position[a][0] + (a == 0 ? 1e-3 : 0);
        torre_status status = start(&torre_md_cuda, &problem, &plan, &cuda);
        if (!status) status = torre_md_cuda.advance(cuda, 100);
        CHECK(status == TORRE_ERR_UNSTABLE, "overlap: status %d (%s)", status, torre_error_text());
        CHECK(strstr(torre_error_text(), "particle") != NULL, "text: %s", torre_error_text());
        torre_md_cuda.destroy(cuda);
    }
    torre_md_particles_free(&particles);
}

int main(int argc, char **argv)
{
    char why[256];
    torre_md_plan plan = {0};
    if (!torre_cuda_available(plan.device, why, sizeof why)) {
        printf("skipped: %s\n", why);
        return 77;
    }
    static const md_case cases[] = {
        {"liquid", {5, 5, 5}, 0.8442, 0.04, 1.44, 1},
        {"least box", {4, 4, 4}, 0.8442, 0.04, 1.44, 1},
        {"oblong", {4, 6, 11}, 0.8442, 0.04, 1.44, 1},
        {"thin gas", {5, 4, 7}, 0.4, 0.04, 1, 1},
        {"slab", {6, 6, 12}, 0.25, 0.02, 1, 0.3},
    };
    if (argc > 1 && strcmp(argv[1], "small") == 0) { /* for the sanitizers */
        test_forces(&cases[1], TORRE_MD_F32);
        test_forces(&cases[4], TORRE_MD_F64);
        test_trajectory(&cases[1], TORRE_MD_MIXED);
        printf("%d checks, %d failures\n", checks, failures);
        return failures ? 1 : 0;
    }
    if (argc > 1 && strcmp(argv[1], "cuts") == 0) {
        test_cuts(&slab, TORRE_MD_F32, &seldom, TORRE_BERENDSEN, 1, 35, 35, 1);
        test_cuts(&slab, TORRE_MD_F32, &seldom, TORRE_BERENDSEN, 3, 35, 35, 1);
        test_settled(TORRE_MD_F64, TORRE_NVE);
        printf("%d checks, %d failures\n", checks, failures);
        return failures ? 1 : 0;
    }
    if (argc > 1 && strcmp(argv[1], "npt") == 0) {
        test_squeezed(TORRE_MD_F64);
        for (int p = 0; p < 3; p++) test_settled((torre_md_precision)p, TORRE_NPT);
        printf("%d checks, %d failures\n", checks, failures);
        return failures ? 1 : 0;
    }
    for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int p = 0; p < 3; p++) test_forces(&cases[c], (torre_md_precision)p);
    for (int p = 0; p < 3; p++) {
        test_trajectory(&cases[1], (torre_md_precision)p);
        test_trajectory(&cases[3], (torre_md_precision)p);
        test_conservation((torre_md_precision)p);
        for (int e = TORRE_LANGEVIN; e <= TORRE_NOSE_HOOVER; e++)
            test_thermostat((torre_md_ensemble)e, 1, (torre_md_precision)p);
        test_thermostat(TORRE_BUSSI, 10, (torre_md_precision)p);
        test_thermostat(TORRE_NOSE_HOOVER, 4, (torre_md_precision)p);
        for (int s = TORRE_NEIGHBOR_FULL; s <= TORRE_NEIGHBOR_TILE; s++) {
            test_bits(&cases[2], (torre_md_precision)p, (torre_neighbor)s);
            test_melt((torre_md_precision)p, (torre_neighbor)s);
        }
    }
    for (int p = 0; p < 3; p++) {
        test_states((torre_md_precision)p);
        test_settled((torre_md_precision)p, TORRE_NVE);
        test_settled((torre_md_precision)p, TORRE_NPT);
        test_squeezed((torre_md_precision)p);
    }
    test_refusals();
    printf("%d checks, %d failures\n", checks, failures);
    return failures ? 1 : 0;
}
