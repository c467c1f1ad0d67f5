/*
 * Thermostats: the kinetic energy has the canonical mean and variance, energy and what was taken
 * are conserved, targets that change are followed, threads decide nothing, and what acts once in
 * several steps is a splitting of second order.
 */
#include "md_case.h"

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "particles/md_store.h"

/* Steps from one time that they act to the next, and time. */
static const struct {
    torre_md_ensemble ensemble;
    int every;
    double time;
} canonical[] = {{TORRE_LANGEVIN, 1, 0.1},    {TORRE_BAOAB, 1, 0.1},  {TORRE_BUSSI, 1, 0.1},
                 {TORRE_NOSE_HOOVER, 1, 0.1}, {TORRE_BUSSI, 10, 0.1}, {TORRE_NOSE_HOOVER, 10, 0.5}};
enum { CANONICAL = sizeof canonical / sizeof canonical[0] };

/* 108 particles that repel each other: little to compute, so that runs can be long. */
static md_case repelling(torre_md_ensemble ensemble, double temperature)
{
    md_case c = md_case_melt(3, 3, 3, TORRE_MD_F64);
    c.problem.cutoff = 1.122462048309373; /* 2^(1/6) sigma */
    c.problem.pair.lj.shift = true;
    c.problem.ensemble = ensemble;
    c.problem.temperature = temperature;
    c.problem.damping_time = 0.1;
    c.problem.seed = 17;
    return c;
}

static double kinetic_of(const md_case *c, torre_md_solver *solver, torre_md_particles *now)
{
    double sum = 0;
    CHECK_OK(solver->backend->get_particles(solver, now->position, now->velocity));
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < now->count; i++) sum += now->velocity[a][i] * now->velocity[a][i];
    return 0.5 * c->problem.mass * sum;
}

/*
 * G degrees of freedom at T: mean G T/2, variance G T^2/2. Both are means over a run of 40,000
 * steps, 2000 times the time in which K forgets (0.1, 20 steps; with one of 0.5 five times as
 * many); 40 blocks of 1000 steps are independent of each other, and their scatter tells the error.
 * Five times it, and for the time step (a velocity is off by (omega dt)^2/8, omega below 30 at
 * this density: 0.3 %) one percent, for its square two. Langevin thermostats move the centre of
 * mass, too: G is 3 N.
 */
static void test_canonical(void **state)
{
    (void)state;
    enum { SAMPLES = 8000, BLOCKS = 40 };
    static double kinetic[SAMPLES], square[SAMPLES];
    for (int k = 0; k < CANONICAL; k++) {
        const double t = 0.9;
        const char *name = torre_md_ensembles[canonical[k].ensemble];
        md_case c = repelling(canonical[k].ensemble, t);
        c.problem.couple_every = canonical[k].every;
        c.problem.damping_time = canonical[k].time;
        CHECK_OK(torre_md_problem_check(&c.problem));
        const bool noisy = torre_bath_has_noise(canonical[k].ensemble);
        const double freedom = 3.0 * (double)c.problem.count - (noisy ? 0 : 3);
        const torre_md_plan plan = {.rebuild_every = 1, .rebuild_check = true, .threads = 1};
        torre_md_solver *solver = md_case_solver(&c, &plan);
        torre_md_particles now;
        CHECK_OK(torre_md_particles_new(c.problem.count, &now));
        CHECK_OK(solver->backend->advance(solver, 2000));
        const double expected = freedom * t / 2, variance = freedom * t * t / 2;
        for (int n = 0; n < SAMPLES; n++) {
            CHECK_OK(solver->backend->advance(solver, canonical[k].time > 0.1 ? 23 : 5));
            kinetic[n] = kinetic_of(&c, solver, &now);
            square[n] = (kinetic[n] - expected) * (kinetic[n] - expected);
        }
        double error, mean = md_case_mean(kinetic, SAMPLES, BLOCKS, &error);
        CHECK(fabs(mean - expected) < 5 * error + 0.01 * expected,
              "%s every %d: K %g +- %g, not %g", name, canonical[k].every, mean, error, expected);
        mean = md_case_mean(square, SAMPLES, BLOCKS, &error);
        /* a mean that is off by 1 % adds its square */
        const double off = 0.02 * variance + 0.01 * 0.01 * expected * expected;
        CHECK(fabs(mean - variance) < 5 * error + off, "%s every %d: variance %g +- %g, not %g",
              name, canonical[k].every, mean, error, variance);
        CHECK(error < 0.1 * variance, "%s every %d: the run is too short to tell, error %g of %g",
              name, canonical[k].every, error, variance);
        torre_md_particles_free(&now);
        solver->backend->destroy(solver);
        md_case_free(&c);
    }
}

/*
 * The energy and what was taken stay, but for the error of the time step that an NVE run has as
 * well: the melt's is below 1.1e-3 in 1000 steps (test_md_melt). What is taken is many times that.
 * Where a thermostat need not act in each step, it does every five, and that is no other error:
 * what it takes is known exactly.
 */
static void test_conserved(void **state)
{
    (void)state;
    for (int e = TORRE_LANGEVIN; e <= TORRE_NOSE_HOOVER; e++) {
        md_case c = md_case_melt(6, 6, 6, TORRE_MD_F64);
        c.problem.ensemble = (torre_md_ensemble)e;
        c.problem.temperature = 1.4;
        c.problem.damping_time = 0.5;
        const int64_t every = torre_md_couple_every(&c.problem);
        CHECK(every == (torre_md_couples_all(c.problem.ensemble) ? 5 : 1), "every %d", (int)every);
        const torre_md_plan plan = md_case_safe_plan();
        torre_md_solver *solver = md_case_solver(&c, &plan);
        CHECK_OK(solver->backend->advance(solver, 200));
        const torre_md_thermo before = md_case_thermo(&c, solver, 200);
        CHECK_OK(solver->backend->advance(solver, 1002));
        const torre_md_thermo after = md_case_thermo(&c, solver, 1202);
        CHECK(fabs(after.conserved - before.conserved) < 2.2e-3, "%s: %.8f, then %.8f",
              torre_md_ensembles[e], before.conserved, after.conserved);
        CHECK(fabs(after.conserved - after.shifted_energy) > 0.1, "%s: nothing was taken",
              torre_md_ensembles[e]);
        solver->backend->destroy(solver);
        md_case_free(&c);
    }
}

/* A ramp from 1.5 to 0.5 and on: what the thermostat wants, and what the particles have, which lag
 * by its time of 0.1, 0.02 of the ramp, and fluctuate by T sqrt(2/3N) = 0.08 T. */
static void test_ramp(void **state)
{
    (void)state;
    md_case c = repelling(TORRE_BUSSI, 1.5);
    c.problem.ramp_to = 0.5;
    c.problem.ramp_steps = 1000;
    const torre_bath bath = torre_md_bath(&c.problem);
    const double target[] = {1.5, 1.0, 0.5, 0.5};
    for (int k = 0; k < 4; k++)
        CHECK(fabs(torre_bath_target(&bath, 500 * k) - target[k]) < 1e-15, "target at %d", k);
    const torre_md_plan plan = md_case_safe_plan();
    torre_md_solver *solver = md_case_solver(&c, &plan);
    for (int k = 1; k < 4; k++) {
        CHECK_OK(solver->backend->advance(solver, 500));
        const double now = md_case_thermo(&c, solver, 500 * k).temperature;
        CHECK(fabs(now - target[k]) < 0.02 + 5 * 0.08 * target[k], "step %d: T %g", 500 * k, now);
    }
    solver->backend->destroy(solver);
    md_case_free(&c);
}

/* The same bits on other numbers of threads, and in runs that are cut. */
static void test_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < CANONICAL; k++) {
        torre_md_particles end[2];
        md_case c = md_case_melt(5, 5, 5, TORRE_MD_F64);
        c.problem.ensemble = canonical[k].ensemble;
        c.problem.couple_every = canonical[k].every > 1 ? 4 : 1;
        c.problem.temperature = 0.8;
        c.problem.damping_time = 0.2;
        md_case_cut(&c, end);
        for (int a = 0; a < 3; a++)
            CHECK(memcmp(end[0].velocity[a], end[1].velocity[a],
                         (size_t)c.problem.count * sizeof(double)) == 0,
                  "%s: other bits", torre_md_ensembles[canonical[k].ensemble]);
        for (int run = 0; run < 2; run++) torre_md_particles_free(&end[run]);
        md_case_free(&c);
    }
}

/* Velocities after one step from the start. */
static torre_md_particles after_a_step(md_case *c, torre_md_ensemble ensemble)
{
    c->problem.ensemble = ensemble;
    torre_md_solver *solver = md_case_solver(c, &(torre_md_plan){.skin = 0.3});
    CHECK_OK(solver->backend->advance(solver, 1));
    torre_md_particles now = md_case_particles(c, solver);
    solver->backend->destroy(solver);
    return now;
}

/*
 * The noise of a Langevin step, in vectors, is that of torre_random_normal3: with deviates below 6,
 * of which logarithm, sine and products leave at most 8 roundings of 2^-53, and velocities below 8.
 */
static void test_deviates(void **state)
{
    (void)state;
    for (int isa = TORRE_ISA_BASE; isa <= (int)torre_cpu_get()->isa; isa++) {
        torre_md_limit_isa((torre_isa)isa);
        md_case c = repelling(TORRE_LANGEVIN, 0.9);
        const double keep = exp(-c.problem.dt / c.problem.damping_time);
        const double noise = sqrt((1 - keep * keep) * 0.9 / c.problem.mass);
        torre_md_particles with = after_a_step(&c, TORRE_LANGEVIN);
        torre_md_particles without = after_a_step(&c, TORRE_NVE);
        for (int64_t i = 0; i < with.count; i++) {
            double g[3];
            torre_random_normal3(c.problem.seed, 1, i, g);
            for (int a = 0; a < 3; a++) {
                const double expected = keep * without.velocity[a][i] + noise * g[a];
                CHECK(fabs(with.velocity[a][i] - expected) < (noise * 6 * 8 + 8) * 0x1p-53,
                      "particle %lld: %.17g, expected %.17g", (long long)i, with.velocity[a][i],
                      expected);
            }
        }
        torre_md_particles_free(&with);
        torre_md_particles_free(&without);
        md_case_free(&c);
    }
    torre_md_limit_isa(TORRE_ISA_AVX512);
}

/*
 * A chain that acts every N steps differs from one that acts in each by (N^2 - 1) a dt^2, whose
 * next term is of (N dt)^4: for N = 8 and N = 4 by 63 and 15, a ratio of 4.2. The steps here are
 * short, so that the next term is within a sixth, and so is the time, so that trajectories differ
 * by no more than that.
 */
static void test_splitting(void **state)
{
    (void)state;
    static const int every[] = {1, 4, 8};
    torre_md_particles end[3];
    for (int k = 0; k < 3; k++) {
        md_case c = repelling(TORRE_NOSE_HOOVER, 0.9);
        c.problem.dt = 0.001;
        c.problem.couple_every = every[k];
        const torre_md_plan plan = md_case_safe_plan();
        torre_md_solver *solver = md_case_solver(&c, &plan);
        CHECK_OK(solver->backend->advance(solver, 160));
        end[k] = md_case_particles(&c, solver);
        solver->backend->destroy(solver);
        md_case_free(&c);
    }
    const double four = md_case_difference(&end[1], &end[0]);
    const double eight = md_case_difference(&end[2], &end[0]);
    CHECK(eight > 3.5 * four && eight < 4.9 * four, "off by %.3g and %.3g, a ratio of %.3g", four,
          eight, eight / four);
    for (int k = 0; k < 3; k++) torre_md_particles_free(&end[k]);
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical), cmocka_unit_test(test_conserved),
        cmocka_unit_test(test_ramp),      cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_deviates),  cmocka_unit_test(test_splitting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
