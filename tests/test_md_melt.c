/*
 * The melt of LAMMPS: known values, conservation, and independence of everything that must not
 * matter.
 */
#include "md_case.h"
#include "tiling/ordering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LAMMPS prints -6.7733681 and -5.0197073 for this lattice; step 100 depends on the velocities, its
 * values for its own are T 0.7574531, E_pair -5.7585055, Press 0.20726105. */
static void test_known_values(void **state)
{
    (void)state;
    md_case c = md_case_melt(20, 20, 20, TORRE_MD_F64);
    const torre_md_plan plan = {0};
    torre_md_solver *solver = md_case_solver(&c, &plan);
    torre_md_thermo row = md_case_thermo(&c, solver, 0);
    CHECK(fabs(row.temperature - 1.44) < 1e-12, "T %.15g", row.temperature);
    CHECK(fabs(row.pair_energy + 6.7733681) < 1e-7, "E_pair %.10f", row.pair_energy);
    CHECK(fabs(row.total_energy + 4.6134356) < 1e-7, "TotEng %.10f", row.total_energy);
    CHECK(fabs(row.pressure + 5.0197073) < 1e-7, "Press %.10f", row.pressure);
    for (int a = 0; a < 3; a++) CHECK(fabs(row.momentum[a]) < 1e-9, "momentum %g", row.momentum[a]);
    CHECK_OK(solver->backend->advance(solver, 100));
    row = md_case_thermo(&c, solver, 100);
    CHECK(fabs(row.temperature - 0.757) < 0.005, "T %.10f", row.temperature);
    CHECK(fabs(row.pair_energy + 5.758) < 0.008, "E_pair %.10f", row.pair_energy);
    CHECK(fabs(row.pressure - 0.21) < 0.05, "Press %.10f", row.pressure);
    /* 32,000 velocities of order 1, 200 kicks each rounded to 1e-16: far below 1e-9 */
    for (int a = 0; a < 3; a++) CHECK(fabs(row.momentum[a]) < 1e-9, "momentum %g", row.momentum[a]);
    solver->backend->destroy(solver);
    md_case_free(&c);
}

/*
 * The truncation error of velocity Verlet makes the energy fluctuate at order dt^2; what drifts is
 * due to the kinks of the force at the cutoff, where it jumps by 0.04 for each of the crossing
 * pairs. Bound: a thousandth of the kinetic energy of 1.1 in 1000 steps.
 */
static void test_energy_drift(void **state)
{
    (void)state;
    md_case c = md_case_melt(6, 6, 6, TORRE_MD_F64);
    const torre_md_plan plan = md_case_safe_plan();
    torre_md_solver *solver = md_case_solver(&c, &plan);
    CHECK_OK(solver->backend->advance(solver, 200)); /* the lattice has melted */
    double before = md_case_thermo(&c, solver, 200).shifted_energy;
    CHECK_OK(solver->backend->advance(solver, 1000));
    double after = md_case_thermo(&c, solver, 1200).shifted_energy;
    CHECK(fabs(after - before) < 1.1e-3, "shifted energy %.8f, then %.8f", before, after);
    solver->backend->destroy(solver);
    md_case_free(&c);
}

/* A quarter of dt: fluctuations and drift over the same time fall at least eightfold. */
static void test_energy_order(void **state)
{
    (void)state;
    double change[2];
    for (int k = 0; k < 2; k++) {
        md_case c = md_case_melt(4, 4, 4, TORRE_MD_F64);
        c.problem.dt = k ? 0.001 : 0.004;
        const torre_md_plan plan = md_case_safe_plan();
        torre_md_solver *solver = md_case_solver(&c, &plan);
        double start = md_case_thermo(&c, solver, 0).shifted_energy;
        change[k] = 0;
        for (int step = 0; step < 20; step++) {
            CHECK_OK(solver->backend->advance(solver, k ? 20 : 5));
            double now = md_case_thermo(&c, solver, 0).shifted_energy;
            change[k] = fmax(change[k], fabs(now - start));
        }
        solver->backend->destroy(solver);
        md_case_free(&c);
    }
    CHECK(change[1] < change[0] / 8, "dt 0.004: %g, dt 0.001: %g", change[0], change[1]);
}

/* Forward 60 steps, velocities turned round, 60 steps: where it began. */
static void test_time_reversal(void **state)
{
    (void)state;
    md_case c = md_case_melt(5, 4, 6, TORRE_MD_F64);
    const torre_md_plan plan = md_case_safe_plan();
    torre_md_solver *solver = md_case_solver(&c, &plan);
    CHECK_OK(solver->backend->advance(solver, 60));
    torre_md_particles there = md_case_particles(&c, solver);
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < there.count; i++) there.velocity[a][i] *= -1;
    CHECK_OK(solver->backend->set_particles(solver, (const double *const *)there.position,
                                            (const double *const *)there.velocity));
    CHECK_OK(solver->backend->advance(solver, 60));
    torre_md_particles back = md_case_particles(&c, solver);
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < back.count; i++) back.velocity[a][i] *= -1;
    /* Rounding of 1e-16 grows by less than e^(2 * 3.5 * 0.6) = 70 over the two legs (Lyapunov
     * exponent of the melt about 3.5), and enters at each of 120 steps. */
    double difference = md_case_difference(&back, &c.particles);
    CHECK(difference < 1e-11, "difference %g", difference);
    solver->backend->destroy(solver);
    torre_md_particles_free(&there);
    torre_md_particles_free(&back);
    md_case_free(&c);
}

/* State after steps under a plan. */
static torre_md_particles run(const md_case *c, const torre_md_plan *plan, int64_t steps)
{
    torre_md_solver *solver = md_case_solver(c, plan);
    CHECK_OK(solver->backend->advance(solver, steps));
    torre_md_particles end = md_case_particles(c, solver);
    solver->backend->destroy(solver);
    return end;
}

static void check_same(const md_case *c, const torre_md_particles *expected,
                       const torre_md_plan *plan, double tolerance, const char *what)
{
    torre_md_particles got = run(c, plan, 60);
    double difference = md_case_difference(&got, expected);
    CHECK(difference <= tolerance, "%s: differs by %g", what, difference);
    torre_md_particles_free(&got);
}

/* full = half = tile, every ordering = row-major, sorted or not, any bins: to rounding, which grows
 * as above. */
static void test_same_trajectory(void **state)
{
    (void)state;
    md_case c = md_case_melt(5, 6, 5, TORRE_MD_F64);
    torre_md_plan plan = md_case_safe_plan();
    torre_md_particles expected = run(&c, &plan, 60);
    plan.neighbor = TORRE_NEIGHBOR_HALF;
    check_same(&c, &expected, &plan, 1e-11, "half");
    plan.neighbor = TORRE_NEIGHBOR_TILE;
    check_same(&c, &expected, &plan, 1e-11, "tile");
    plan.neighbor = TORRE_NEIGHBOR_FULL;
    for (int kind = 0; kind < TORRE_ORDERING_KINDS; kind++) {
        plan.ordering.kind = (torre_ordering_kind)kind;
        torre_ordering ordering;
        const int64_t bins[3] = {4, 4, 4};
        if (!torre_ordering_make_spec(&plan.ordering, 3, bins, &ordering, NULL)) continue;
        check_same(&c, &expected, &plan, 1e-11, torre_ordering_write(&plan.ordering).text);
    }
    plan.sort_every = TORRE_MD_NEVER;
    check_same(&c, &expected, &plan, 1e-11, "never sorted");
    plan.sort_every = 35;
    plan.bin_size = 1.1;
    plan.skin = 0.5;
    check_same(&c, &expected, &plan, 1e-11, "other bins");
    torre_md_particles_free(&expected);
    md_case_free(&c);
}

/* The all-pairs oracle, which has its own integrator. */
static void test_reference(void **state)
{
    (void)state;
    md_case c = md_case_melt(5, 4, 4, TORRE_MD_F64);
    const torre_md_plan plan = md_case_safe_plan();
    torre_md_solver *oracle = md_case_solver_of("reference", &c, &plan);
    torre_md_solver *solver = md_case_solver(&c, &plan);
    CHECK_OK(oracle->backend->advance(oracle, 60));
    CHECK_OK(solver->backend->advance(solver, 60));
    torre_md_particles expected = md_case_particles(&c, oracle);
    torre_md_particles got = md_case_particles(&c, solver);
    double difference = md_case_difference(&got, &expected);
    CHECK(difference < 1e-11, "differs by %g", difference);
    torre_md_thermo a = md_case_thermo(&c, oracle, 60), b = md_case_thermo(&c, solver, 60);
    CHECK(fabs(a.pressure - b.pressure) < 1e-10, "Press %.15g, %.15g", a.pressure, b.pressure);
    CHECK(fabs(a.shifted_energy - b.shifted_energy) < 1e-10, "energy %.15g, %.15g",
          a.shifted_energy, b.shifted_energy);
    oracle->backend->destroy(oracle);
    solver->backend->destroy(solver);
    torre_md_particles_free(&expected);
    torre_md_particles_free(&got);
    md_case_free(&c);
}

/* The same bits whatever the number of threads, and however a run is cut into calls. */
static void test_threads(void **state)
{
    (void)state;
    for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
        for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
            md_case c = md_case_melt(6, 5, 5, (torre_md_precision)precision);
            torre_md_plan plan = {.neighbor = (torre_neighbor)neighbor, .deterministic = true};
            plan.threads = 1;
            torre_md_particles one = run(&c, &plan, 60);
            plan.threads = 3;
            torre_md_solver *solver = md_case_solver(&c, &plan);
            const int64_t pieces[] = {1, 19, 0, 7, 33};
            for (int k = 0; k < 5; k++) CHECK_OK(solver->backend->advance(solver, pieces[k]));
            torre_md_particles many = md_case_particles(&c, solver);
            solver->backend->destroy(solver);
            double difference = md_case_difference(&one, &many);
            CHECK(difference == 0, "%s %s: 3 threads differ from 1 by %g",
                  torre_md_precision_name((torre_md_precision)precision),
                  torre_neighbor_name((torre_neighbor)neighbor), difference);
            torre_md_particles_free(&one);
            torre_md_particles_free(&many);
            md_case_free(&c);
        }
    }
}

/* Checked lists are as good as lists made every step; unchecked long intervals are not. */
static void test_rebuild_check(void **state)
{
    (void)state;
    md_case c = md_case_melt(6, 6, 6, TORRE_MD_F64);
    torre_md_times times;
    torre_md_counts counts;
    torre_md_plan plan = {.rebuild_every = 1};
    torre_md_particles every = run(&c, &plan, 60);
    plan.rebuild_check = true;
    torre_md_solver *solver = md_case_solver(&c, &plan);
    CHECK_OK(solver->backend->advance(solver, 60));
    torre_md_particles checked = md_case_particles(&c, solver);
    solver->backend->times(solver, &times, &counts);
    CHECK(counts.builds >= 3 && counts.builds < 30, "%lld builds", (long long)counts.builds);
    CHECK(counts.dangerous_builds == 0, "%lld dangerous", (long long)counts.dangerous_builds);
    double difference = md_case_difference(&every, &checked);
    CHECK(difference < 1e-11, "differs by %g", difference);
    solver->backend->destroy(solver);
    plan.rebuild_every = 20; /* by then fast particles have gone further than skin / 2 */
    solver = md_case_solver(&c, &plan);
    CHECK_OK(solver->backend->advance(solver, 60));
    solver->backend->times(solver, &times, &counts);
    CHECK(counts.dangerous_builds == 3, "%lld dangerous", (long long)counts.dangerous_builds);
    solver->backend->destroy(solver);
    torre_md_particles_free(&every);
    torre_md_particles_free(&checked);
    md_case_free(&c);
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),    cmocka_unit_test(test_energy_drift),
        cmocka_unit_test(test_energy_order),    cmocka_unit_test(test_time_reversal),
        cmocka_unit_test(test_same_trajectory), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_rebuild_check),   cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
