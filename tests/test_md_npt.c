/*
 * Constant pressure: the step is that of a plain one over all pairs, the conserved quantity is as
 * exact as the time step lets it, pressure, volume and their fluctuations are those of the
 * ensemble, and threads and cuts decide nothing. With "small" behind the backend, without the long
 * runs.
 */
#include "md_case.h"

#include <math.h>
#include <string.h>

#include "particles/md_store.h"

enum { AXES = TORRE_PRESSURE_AXES };

static void couple(md_case *c, double temperature, double pressure, double time)
{
    c->problem.ensemble = TORRE_NPT;
    c->problem.temperature = temperature;
    c->problem.damping_time = time;
    c->problem.pressure = pressure;
    c->problem.pressure_damping = time;
}

/* 108 particles that repel each other, at a pressure. */
static md_case repelling(double temperature, double pressure)
{
    md_case c = md_case_melt(3, 3, 3, TORRE_MD_F64);
    c.problem.cutoff = 1.122462048309373; /* 2^(1/6) sigma */
    c.problem.pair.lj.shift = true;
    couple(&c, temperature, pressure, 0.2);
    return c;
}

/* --- One step, plainly --- */

/* Positions (not wrapped), velocities, forces and edges of particles of mass and sigma 1. */
typedef struct plain {
    int64_t count;
    double *r[3], *v[3], *f[3], box[3];
    torre_barostat_state state;
    double rate[TORRE_CHAIN];
} plain;

static void plain_forces(plain *s, double cutoff)
{
    for (int a = 0; a < 3; a++) {
        memset(s->f[a], 0, (size_t)s->count * sizeof(double));
        s->state.virial[a] = 0;
    }
    for (int64_t i = 0; i < s->count; i++) {
        for (int64_t j = 0; j < i; j++) {
            double d[3], square = 0;
            for (int a = 0; a < 3; a++) {
                d[a] = s->r[a][i] - s->r[a][j];
                d[a] -= s->box[a] * rint(d[a] / s->box[a]);
                square += d[a] * d[a];
            }
            if (square >= cutoff * cutoff) continue;
            const double p = 1 / (square * square * square), f = 24 * p * (2 * p - 1) / square;
            for (int a = 0; a < 3; a++) {
                s->f[a][i] += f * d[a];
                s->f[a][j] -= f * d[a];
                s->state.virial[a] += f * d[a] * d[a];
            }
        }
    }
}

static void plain_kinetic(plain *s)
{
    for (int a = 0; a < 3; a++) {
        s->state.kinetic[a] = 0;
        for (int64_t i = 0; i < s->count; i++) s->state.kinetic[a] += s->v[a][i] * s->v[a][i];
    }
}

static void plain_scale(plain *s, const double factor[3])
{
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < s->count; i++) s->v[a][i] *= factor[a];
}

static void plain_couple(plain *s, const torre_bath *bath, int64_t step)
{
    plain_kinetic(s);
    const double *k = s->state.kinetic;
    const double factor = torre_bath_chain(bath, step, 0.5 * (k[0] + k[1] + k[2]), s->rate);
    plain_scale(s, (const double[3]){factor, factor, factor});
    plain_kinetic(s);
}

static void plain_stretch(plain *s, double time)
{
    for (int a = 0; a < 3; a++) {
        const double factor = exp(time * s->state.rate[a]);
        s->box[a] *= factor;
        for (int64_t i = 0; i < s->count; i++) s->r[a][i] *= factor;
    }
}

static void plain_before(plain *s, const torre_bath *bath, const torre_barostat *b, int64_t step)
{
    double factor[3];
    torre_barostat_chain(b, torre_bath_target(bath, step), &s->state);
    plain_couple(s, bath, step);
    torre_barostat_push(b, torre_barostat_target(b, step), s->box[0] * s->box[1] * s->box[2],
                        &s->state);
    torre_barostat_slow(b, &s->state, factor);
    plain_scale(s, factor);
}

static void plain_after(plain *s, const torre_bath *bath, const torre_barostat *b, int64_t step)
{
    double factor[3];
    torre_barostat_slow(b, &s->state, factor);
    plain_scale(s, factor);
    plain_kinetic(s);
    torre_barostat_push(b, torre_barostat_target(b, step), s->box[0] * s->box[1] * s->box[2],
                        &s->state);
    plain_couple(s, bath, step);
    torre_barostat_chain(b, torre_bath_target(bath, step), &s->state);
}

/* The lines of barostat.h, one by one. */
static void plain_step(plain *s, const torre_md_problem *p, int64_t step)
{
    const torre_bath bath = torre_md_bath(p);
    const torre_barostat b = torre_md_barostat(p);
    const int64_t n = p->couple_every, k = (step - 1) % n + 1;
    double grown = 0; /* half of the interval in its first step and its last one */
    if (k == 1) grown += 0.5 * (double)n * p->dt;
    if (k == n) grown += 0.5 * (double)n * p->dt;
    if (k == 1) plain_before(s, &bath, &b, step);
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < s->count; i++) s->v[a][i] += 0.5 * p->dt * s->f[a][i];
    plain_stretch(s, 0.5 * grown);
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < s->count; i++) s->r[a][i] += p->dt * s->v[a][i];
    plain_stretch(s, 0.5 * grown);
    plain_forces(s, p->cutoff);
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < s->count; i++) s->v[a][i] += 0.5 * p->dt * s->f[a][i];
    if (k == n) plain_after(s, &bath, &b, step);
}

static void plain_run(const md_case *c, int64_t steps, torre_md_particles *end)
{
    torre_md_particles force;
    CHECK_OK(torre_md_particles_new(c->particles.count, end));
    CHECK_OK(torre_md_particles_new(c->particles.count, &force));
    plain s = {.count = c->particles.count};
    memcpy(s.box, c->problem.box, sizeof s.box);
    for (int a = 0; a < 3; a++) {
        s.r[a] = end->position[a];
        s.v[a] = end->velocity[a];
        s.f[a] = force.velocity[a];
        memcpy(s.r[a], c->particles.position[a], (size_t)s.count * sizeof(double));
        memcpy(s.v[a], c->particles.velocity[a], (size_t)s.count * sizeof(double));
    }
    plain_forces(&s, c->problem.cutoff);
    for (int64_t n = 1; n <= steps; n++) plain_step(&s, &c->problem, n);
    memcpy(end->box, s.box, sizeof s.box);
    torre_md_particles_free(&force);
}

/* In two pieces. */
static void check_plain(const md_case *c, const torre_md_plan *plan,
                        const torre_md_particles *expected, int64_t steps, double tolerance)
{
    torre_md_solver *solver = md_case_solver(c, plan);
    CHECK_OK(solver->backend->advance(solver, 7));
    CHECK_OK(solver->backend->advance(solver, steps - 7));
    torre_md_particles now = md_case_particles(c, solver);
    const double off = md_case_difference(&now, expected);
    CHECK(off < tolerance, "%s, %s, axes %d, every %d: off by %.3g",
          torre_neighbor_name(plan->neighbor), torre_md_precision_name(c->problem.precision),
          (int)c->problem.pressure_axes, (int)c->problem.couple_every, off);
    for (int a = 0; a < 3; a++)
        CHECK(fabs(now.box[a] - expected->box[a]) < tolerance, "edge %d: %.12g, not %.12g", a,
              now.box[a], expected->box[a]);
    torre_md_particles_free(&now);
    solver->backend->destroy(solver);
}

/*
 * 50 steps of 500 particles in a box of three different edges, both targets on ramps, so strongly
 * coupled that the volume changes by a tenth, or is half as large again: lists are rebuilt, bins
 * refit, and on a GPU planned anew, on the way. What rounding (2^-53; f32 and mixed 2^-24, in mixed
 * of forces alone) leaves of 50 steps grows in a melt, by e in about 60 steps (measured between two
 * ways of adding up forces): tolerances are numbers near 10 times the steps' 5 times e, times units
 * of the positions of up to 10. Once more with what acts every three steps, and every four.
 */
static void test_plain(void **state)
{
    (void)state;
    enum { STEPS = 50 };
    static const double tolerance[] = {1e-3, 1e-11, 1e-5};
    static const struct {
        torre_md_pressure_axes axes;
        int64_t every;
        double pressure, to, time;
    } run[] = {
        {TORRE_PRESSURE_ISOTROPIC, 1, 40, 20, 0.1}, {TORRE_PRESSURE_AXES, 1, 40, 20, 0.1},
        {TORRE_PRESSURE_ISOTROPIC, 4, 30, 20, 0.3}, {TORRE_PRESSURE_AXES, 3, 30, 20, 0.3},
        {TORRE_PRESSURE_ISOTROPIC, 1, -3, -3, 0.1}, {TORRE_PRESSURE_ISOTROPIC, 4, -4, -4, 0.2}};
    for (size_t k = 0; k < sizeof run / sizeof run[0]; k++) {
        md_case c = md_case_melt(4, 5, 6, TORRE_MD_F64);
        couple(&c, 1.2, run[k].pressure, run[k].time);
        c.problem.pressure_axes = run[k].axes;
        c.problem.couple_every = run[k].every;
        CHECK_OK(torre_md_problem_check(&c.problem));
        c.problem.ramp_to = 1.8;
        c.problem.ramp_steps = 30;
        c.problem.pressure_to = run[k].to;
        c.problem.pressure_steps = 40;
        torre_md_particles expected;
        plain_run(&c, STEPS, &expected);
        double volume = 1;
        for (int a = 0; a < 3; a++) volume *= expected.box[a] / c.problem.box[a];
        CHECK(volume < 0.9 || volume > 1.5, "every %d: the volume is hardly another, %g of it",
              (int)run[k].every, volume);
        for (int n = TORRE_NEIGHBOR_FULL; n <= TORRE_NEIGHBOR_TILE; n++) {
            for (int p = TORRE_MD_F32; p <= TORRE_MD_MIXED; p++) {
                torre_md_plan plan = md_case_safe_plan();
                plan.neighbor = (torre_neighbor)n;
                plan.skin = 0.3;
                c.problem.precision = (torre_md_precision)p;
                check_plain(&c, &plan, &expected, STEPS, tolerance[p]);
            }
        }
        c.problem.precision = TORRE_MD_F64;
        torre_md_plan plan = md_case_safe_plan();
        plan.skin = 0.3;
        for (int isa = TORRE_ISA_BASE; isa < (int)torre_cpu_get()->isa; isa++) {
            torre_md_limit_isa((torre_isa)isa);
            check_plain(&c, &plan, &expected, STEPS, tolerance[TORRE_MD_F64]);
        }
        torre_md_limit_isa(TORRE_ISA_AVX512);
        torre_md_particles_free(&expected);
        md_case_free(&c);
    }
}

/* --- What is conserved --- */

/* Largest change of the conserved quantity in a time, with steps of dt, at all of them. */
static double change(const md_case *like, double dt, double time, double *volume)
{
    md_case c = *like;
    c.problem.dt = dt;
    if (c.problem.ramp_steps) c.problem.ramp_steps = (int64_t)rint(time / dt);
    if (c.problem.pressure_steps) c.problem.pressure_steps = (int64_t)rint(time / dt);
    const torre_md_plan plan = {
        .skin = 0.3, .rebuild_every = 1, .rebuild_check = true, .threads = 1};
    torre_md_solver *solver = md_case_solver(&c, &plan);
    const double start = md_case_thermo(&c, solver, 0).conserved;
    double most = 0;
    for (int n = 0; n < (int)rint(time / dt); n++) {
        CHECK_OK(solver->backend->advance(solver, 1));
        most = fmax(most, fabs(md_case_thermo(&c, solver, 0).conserved - start));
    }
    double box[3];
    torre_md_solver_box(solver, &c.problem, box);
    *volume = box[0] * box[1] * box[2] / c.problem.box[0] / c.problem.box[1] / c.problem.box[2];
    solver->backend->destroy(solver);
    return most;
}

/*
 * The error is dt^2 a + dt^4 b, so a quarter with half the step; b is within a fourth of a here. In
 * that time the trajectories are still the same. Ramps of both targets do work, too. With what acts
 * every N steps the same holds of N dt, also at the steps between.
 */
static void test_order(void **state)
{
    static const struct {
        int64_t every;
        bool axes, ramps;
    } run[] = {{1, false, false}, {1, true, true}, {3, true, false}, {8, false, true}};
    (void)state;
    for (size_t k = 0; k < sizeof run / sizeof run[0]; k++) {
        md_case c = repelling(1.2, 12);
        c.problem.couple_every = run[k].every;
        c.problem.pressure_axes = run[k].axes ? TORRE_PRESSURE_AXES : TORRE_PRESSURE_ISOTROPIC;
        c.problem.ramp_to = 0.8;
        c.problem.pressure_to = 30;
        c.problem.ramp_steps = c.problem.pressure_steps = run[k].ramps; /* until the end, if any */
        double volume, coarse, fine;
        coarse = change(&c, 0.002, 0.4, &volume);
        CHECK(fabs(volume - 1) > 0.02, "the volume stayed: %g", volume);
        fine = change(&c, 0.001, 0.4, &volume);
        CHECK(coarse > 3 * fine && coarse < 5 * fine,
              "axes %d, every %d: %.3g and %.3g, a ratio of %.3g", run[k].axes, (int)run[k].every,
              coarse, fine, coarse / fine);
        md_case_free(&c);
    }
}

/* --- The ensemble --- */

/* What backends call that begins with the couplings. */
static torre_status take_barostat(void *context, const char *name, void *data, int64_t bytes)
{
    (void)bytes;
    if (strcmp(name, "barostat") == 0) memcpy(context, data, sizeof(torre_couplings));
    return TORRE_OK;
}

enum { SAMPLES = 10000, BLOCKS = 40 };

typedef struct series {
    double pressure[SAMPLES], volume[SAMPLES], temperature[SAMPLES];
    double energy[3][SAMPLES]; /* W e^2 of each axis */
} series;

static void record(const md_case *c, int64_t apart, series *s)
{
    const torre_md_plan plan = {
        .skin = 0.3, .rebuild_every = 1, .rebuild_check = true, .threads = 1};
    torre_md_solver *solver = md_case_solver(c, &plan);
    torre_couplings barostat;
    const double weight = torre_md_barostat(&c->problem).weight;
    CHECK_OK(solver->backend->advance(solver, 4000));
    for (int n = 0; n < SAMPLES; n++) {
        CHECK_OK(solver->backend->advance(solver, apart));
        const torre_md_thermo row = md_case_thermo(c, solver, 0);
        CHECK_OK(solver->backend->state(solver, take_barostat, &barostat));
        s->pressure[n] = row.pressure;
        s->temperature[n] = row.temperature;
        s->volume[n] = row.box[0] * row.box[1] * row.box[2];
        for (int a = 0; a < 3; a++)
            s->energy[a][n] = weight * barostat.box.rate[a] * barostat.box.rate[a];
    }
    solver->backend->destroy(solver);
}

static void check_mean(const char *what, const double *value, double expected, double off)
{
    double error, mean = md_case_mean(value, SAMPLES, BLOCKS, &error);
    CHECK(fabs(mean - expected) < 5 * error + off, "%s: %g +- %g, not %g", what, mean, error,
          expected);
    CHECK(error < 0.1 * fabs(expected), "%s: the run is too short to tell, error %g of %g", what,
          error, expected);
}

/*
 * In the ensemble (barostat.h) the means of P and T are the targets, covariance of V and P is -T,
 * and each W e^2 has T (isotropic: the three together, which are one). Five standard errors, and
 * for the time step a percent of T and of N T/V (test_md_ensembles.c). A fluid, and each edge of a
 * crystal, which keeps its shape. The fluid once more with a barostat that acts every two steps, a
 * fortieth of its time (barostat.h).
 */
static void test_ensemble(void **state)
{
    (void)state;
    static series s;
    for (int k = 0; k < 3; k++) {
        const int axes = k == 1;
        const double t = 0.9, pressure = axes ? 40 : 5;
        md_case c = repelling(t, pressure);
        c.problem.pressure_axes = (torre_md_pressure_axes)axes;
        c.problem.couple_every = k == 2 ? 2 : 1;
        if (k == 2) c.problem.damping_time = c.problem.pressure_damping = 0.4;
        record(&c, k == 2 ? 15 : 6, &s);
        double error, volume = md_case_mean(s.volume, SAMPLES, BLOCKS, &error);
        const double ideal = (double)c.problem.count * t / volume;
        check_mean("pressure", s.pressure, pressure, 0.01 * ideal);
        check_mean("temperature", s.temperature, t, 0.01 * t);
        for (int n = 0; n < SAMPLES; n++) {
            s.volume[n] = (s.volume[n] - volume) * (s.pressure[n] - pressure);
            if (!axes) s.energy[0][n] *= 3;
        }
        check_mean("covariance of V and P", s.volume, -t, 0.02 * t);
        for (int a = 0; a <= (axes ? 2 : 0); a++)
            check_mean("energy of the barostat", s.energy[a], t, 0.02 * t);
        md_case_free(&c);
    }
}

/* Second virial coefficient of the repulsion. */
static double second_virial(double temperature, double sigma, double cutoff)
{
    enum { N = 100000 };
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const double r = (i + 0.5) / N * cutoff, p = pow(sigma / r, 6);
        const double energy = 4 * (p * p - p) + 1;
        sum += (1 - exp(-energy / temperature)) * r * r * cutoff / N;
    }
    return 2 * acos(-1) * sum;
}

/*
 * A dilute gas of N: the mean volume is N (T/P + B) and its variance N (T/P)^2, both within
 * (P B/T)^2, the next terms of the virial expansion; B P/T is 0.08. The barostat acts every ten
 * steps.
 */
static void test_gas(void **state)
{
    (void)state;
    static series s;
    const double t = 1, pressure = 0.15;
    md_case c = repelling(t, pressure);
    c.problem.pair.lj.sigma = 0.6;
    c.problem.cutoff *= 0.6;
    c.problem.damping_time = c.problem.pressure_damping = 1;
    c.problem.couple_every = 10;
    CHECK_OK(torre_md_problem_check(&c.problem));
    record(&c, 40, &s);
    const double count = (double)c.problem.count, b = second_virial(t, 0.6, c.problem.cutoff);
    const double more = pressure * b / t, ideal = count * t / pressure;
    double error, mean = md_case_mean(s.volume, SAMPLES, BLOCKS, &error);
    check_mean("volume", s.volume, ideal * (1 + more), more * more * ideal);
    for (int n = 0; n < SAMPLES; n++) s.volume[n] = (s.volume[n] - mean) * (s.volume[n] - mean);
    const double variance = ideal * ideal / count;
    check_mean("variance of the volume", s.volume, variance, more * more * variance);
    md_case_free(&c);
}

/* A ramp of the pressure from 2 to 8, and on: what is wanted, and what the mean of the time after
 * it is, in a volume that is a fifth less. The work on the box is counted all the way. */
static void test_ramp(void **state)
{
    (void)state;
    enum { AFTER = 4000, BLOCKS_AFTER = 10 };
    static double pressure[AFTER];
    md_case c = repelling(0.9, 2);
    c.problem.dt = 0.002;
    c.problem.pressure_to = 8;
    c.problem.pressure_steps = 2000;
    const torre_barostat b = torre_md_barostat(&c.problem);
    const double target[] = {2, 5, 8, 8};
    for (int k = 0; k < 4; k++)
        CHECK(fabs(torre_barostat_target(&b, 1000 * k) - target[k]) < 1e-15, "target at %d", k);
    const torre_md_plan plan = {
        .skin = 0.3, .rebuild_every = 1, .rebuild_check = true, .threads = 1};
    torre_md_solver *solver = md_case_solver(&c, &plan);
    CHECK_OK(solver->backend->advance(solver, 500)); /* the lattice has melted */
    const torre_md_thermo before = md_case_thermo(&c, solver, 500);
    CHECK_OK(solver->backend->advance(solver, 3500));
    const torre_md_thermo after = md_case_thermo(&c, solver, 4000);
    for (int n = 0; n < AFTER; n++) {
        CHECK_OK(solver->backend->advance(solver, 5));
        pressure[n] = md_case_thermo(&c, solver, 0).pressure;
    }
    double error, mean = md_case_mean(pressure, AFTER, BLOCKS_AFTER, &error);
    CHECK(fabs(mean - 8) < 5 * error + 0.01 * 8 && error < 0.2, "P %g +- %g", mean, error);
    const double shrunk = after.box[0] * after.box[1] * after.box[2] /
                          (before.box[0] * before.box[1] * before.box[2]);
    CHECK(shrunk < 0.8, "the volume is %g of what it was", shrunk);
    /* as in test_md_ensembles.c, with a sixth of the error of the time step; what was done is many
     * times that */
    CHECK(fabs(after.conserved - before.conserved) < 2.2e-3, "%.8f, then %.8f", before.conserved,
          after.conserved);
    CHECK(fabs(after.conserved - before.conserved - after.shifted_energy + before.shifted_energy) >
              0.2,
          "no work was done");
    solver->backend->destroy(solver);
    md_case_free(&c);
}

/* The same bits on other numbers of threads, and in runs that are cut; edges alike or each by
 * itself, as the axes say. */
static void test_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int axes = k % 2;
        torre_md_particles end[2];
        md_case c = md_case_melt(5, 5, 5, TORRE_MD_F64);
        couple(&c, 0.8, 30, k < 2 ? 0.1 : 0.3);
        c.problem.couple_every = k < 2 ? 1 : 6 - k;
        c.problem.pressure_axes = (torre_md_pressure_axes)axes;
        md_case_cut(&c, end);
        const size_t bytes = (size_t)c.problem.count * sizeof(double);
        for (int a = 0; a < 3; a++)
            CHECK(memcmp(end[0].velocity[a], end[1].velocity[a], bytes) == 0 &&
                      memcmp(end[0].position[a], end[1].position[a], bytes) == 0,
                  "axes %d: other bits", axes);
        CHECK(memcmp(end[0].box, end[1].box, sizeof end[0].box) == 0, "axes %d: other box", axes);
        CHECK(fabs(end[0].box[0] / c.problem.box[0] - 1) > 1e-3, "the box stayed");
        const bool alike = end[0].box[0] == end[0].box[1] && end[0].box[0] == end[0].box[2];
        CHECK(alike == !axes, "axes %d: %.17g, %.17g, %.17g", axes, end[0].box[0], end[0].box[1],
              end[0].box[2]);
        for (int run = 0; run < 2; run++) torre_md_particles_free(&end[run]);
        md_case_free(&c);
    }
}

/* A box that shrinks until images meet, or that bursts, ends the run with a line that says so. */
static void test_ends(void **state)
{
    (void)state;
    static const struct {
        double pressure, time;
        double cutoff; /* twice that and the skin is just less than the box */
        const char *says;
    } end[] = {{50, 0.5, 2.2, "the box has become"}, {-1e6, 0.05, 1, "changes by more than"}};
    for (int k = 0; k < 2; k++) {
        md_case c = repelling(0.9, end[k].pressure);
        c.problem.pressure_damping = end[k].time;
        c.problem.cutoff = end[k].cutoff;
        const torre_md_plan plan = {.skin = 0.3, .rebuild_every = 1, .rebuild_check = true};
        torre_md_solver *solver = md_case_solver(&c, &plan);
        const torre_status status = solver->backend->advance(solver, 2000);
        CHECK(status == TORRE_ERR_UNSTABLE && strstr(torre_error_text(), end[k].says), "%d: %s",
              (int)status, status ? torre_error_text() : "no error");
        solver->backend->destroy(solver);
        md_case_free(&c);
    }
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ensemble),
        cmocka_unit_test(test_gas),
        cmocka_unit_test(test_ramp),
    };
    const struct CMUnitTest small[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_ends),
    };
    const int failed = cmocka_run_group_tests(small, NULL, NULL);
    if (argc > 2 && strcmp(argv[2], "small") == 0) return failed;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
