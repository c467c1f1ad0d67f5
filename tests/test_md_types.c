/*
 * Particles of several types: masses, trajectories, sums and thermostats (forces of every sweep are
 * in test_md_models.c).
 */
#include "md_case_types.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "particles/stress.h"

static bool on_gpu(void) { return strcmp(md_case_backend(&(torre_md_plan){0})->name, "cuda") == 0; }

/* Types that are all alike give the bits of one type; on a GPU, where other kernels join products
 * and sums in other places, numbers as near as rounding lets them be. */
static void test_alike(void **state)
{
    (void)state;
    for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
        torre_md_plan plan = md_case_safe_plan();
        torre_md_particles end[2];
        plan.neighbor = (torre_neighbor)neighbor;
        plan.deterministic = true;
        for (int types = 0; types < 2; types++) {
            md_case c = md_case_rough(5, 5, 5, 0.05, TORRE_MD_F64);
            torre_md_types table;
            if (types) {
                md_case_add_types(&c, 3, &table);
                for (int a = 0; a < 3; a++) {
                    table.mass[a] = c.particles.type_mass[a] = 1;
                    for (int b = a; b < 3; b++)
                        table.between[a][b] = (torre_type_pair){c.problem.pair, 2.5};
                }
                c.problem.cutoff = 2.5;
                torre_md_start_velocities(&c.particles, 1.44, 87287);
            }
            torre_md_solver *solver = md_case_solver(&c, &plan);
            CHECK_OK(solver->backend->advance(solver, 40));
            end[types] = md_case_particles(&c, solver);
            solver->backend->destroy(solver);
            md_case_free(&c);
        }
        CHECK(md_case_difference(&end[0], &end[1]) <= (on_gpu() ? 1e-10 : 0),
              "%s: types that are alike change bits",
              torre_neighbor_name((torre_neighbor)neighbor));
        for (int types = 0; types < 2; types++) torre_md_particles_free(&end[types]);
    }
}

/*
 * A step so short that forces stay: v(dt) - v(0) = dt F/m, to dt^2 of the next term (accelerations
 * change within a time of about 0.05) and the rounding of v over dt.
 */
static void test_accelerations(void **state)
{
    (void)state;
    md_case c = md_case_rough(4, 4, 4, 0.1, TORRE_MD_F64);
    torre_md_types table;
    md_case_add_types(&c, 3, &table);
    c.problem.dt = 1e-7;
    torre_md_solver *solver = md_case_solver(&c, &(torre_md_plan){0});
    torre_md_particles force = md_case_forces(&c, solver);
    CHECK_OK(solver->backend->advance(solver, 1));
    torre_md_particles after = md_case_particles(&c, solver);
    for (int64_t i = 0; i < c.particles.count; i++) {
        for (int a = 0; a < 3; a++) {
            const double expected = force.velocity[a][i] / table.mass[table.type[i]];
            const double got = (after.velocity[a][i] - c.particles.velocity[a][i]) / c.problem.dt;
            CHECK(fabs(got - expected) < 1e-4 * (100 + fabs(expected)),
                  "particle %lld: acceleration %g, expected %g", (long long)i, got, expected);
        }
    }
    solver->backend->destroy(solver);
    torre_md_particles_free(&force);
    torre_md_particles_free(&after);
    md_case_free(&c);
}

/*
 * 40 steps, t = 0.2, beside the plain reference. Positions are rounded to eps L/2, L = 9; a pair of
 * stiffness 1500 (r = 0.85) and mass 0.4 makes 1500 t/0.4 = 750 times that of velocities, and
 * collisions multiply it a few times, here by less than 20. In mixed precision it is forces of some
 * 1000 that are rounded to eps: 500 eps of velocities.
 */
static void test_trajectory(void **state)
{
    (void)state;
    static const double limit[] = {[TORRE_MD_F32] = 20 * 750 * 4.5 * FLT_EPSILON,
                                   [TORRE_MD_F64] = 20 * 750 * 4.5 * DBL_EPSILON,
                                   [TORRE_MD_MIXED] = 20 * 500 * FLT_EPSILON};
    for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
        md_case c = md_case_melt(5, 6, 5, TORRE_MD_F64);
        torre_md_types table;
        md_case_add_types(&c, 3, &table);
        torre_md_solver *plain = md_case_solver_of("reference", &c, &(torre_md_plan){0});
        CHECK_OK(plain->backend->advance(plain, 40));
        torre_md_particles expected = md_case_particles(&c, plain);
        const torre_md_thermo row = md_case_thermo(&c, plain, 40);
        c.problem.precision = (torre_md_precision)precision;
        for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
            torre_md_plan plan = md_case_safe_plan();
            plan.neighbor = (torre_neighbor)neighbor;
            plan.ordering.kind = TORRE_HILBERT;
            plan.sort_every = 3;
            torre_md_solver *solver = md_case_solver(&c, &plan);
            CHECK_OK(solver->backend->advance(solver, 40));
            torre_md_particles got = md_case_particles(&c, solver);
            const torre_md_thermo now = md_case_thermo(&c, solver, 40);
            const double off = md_case_difference(&got, &expected), most = limit[precision];
            CHECK(off < most, "%s %s: %g from the reference",
                  torre_md_precision_name((torre_md_precision)precision),
                  torre_neighbor_name((torre_neighbor)neighbor), off);
            CHECK(fabs(now.temperature - row.temperature) < 10 * most &&
                      fabs(now.pressure - row.pressure) < 100 * most &&
                      fabs(now.shifted_energy - row.shifted_energy) < 10 * most,
                  "temperature %.17g, %.17g", now.temperature, row.temperature);
            for (int a = 0; a < 3; a++)
                CHECK(fabs(now.momentum[a]) < most * (double)c.particles.count, "momentum %g",
                      now.momentum[a]);
            solver->backend->destroy(solver);
            torre_md_particles_free(&got);
        }
        plain->backend->destroy(plain);
        torre_md_particles_free(&expected);
        md_case_free(&c);
    }
}

/* m <v^2> / 3 of each type: the mean over `samples` states, and the particles of the type. */
static void kinetic_of_types(const md_case *c, const torre_md_particles *p, double sum[3],
                             double number[3])
{
    const torre_md_types *t = c->problem.types;
    memset(number, 0, 3 * sizeof *number);
    for (int64_t i = 0; i < p->count; i++) {
        const int type = t->type[i];
        number[type]++;
        for (int a = 0; a < 3; a++)
            sum[type] += t->mass[type] * p->velocity[a][i] * p->velocity[a][i] / 3;
    }
}

/* Of velocities of a temperature, and of thermostats with noise: equal for all types, as a mean of
 * n independent numbers of deviation sqrt(2/3) T, here within five deviations. */
static void test_equipartition(void **state)
{
    (void)state;
    md_case c = md_case_melt(8, 8, 8, TORRE_MD_F64);
    torre_md_types table;
    md_case_add_types(&c, 3, &table);
    double sum[3] = {0}, number[3], momentum[3] = {0};
    kinetic_of_types(&c, &c.particles, sum, number);
    for (int t = 0; t < 3; t++)
        CHECK(fabs(sum[t] / number[t] - 1.44) < 5 * 1.44 * sqrt(2 / (3 * number[t])),
              "type %d starts with a temperature of %g", t + 1, sum[t] / number[t]);
    for (int64_t i = 0; i < c.particles.count; i++)
        for (int a = 0; a < 3; a++)
            momentum[a] += torre_md_mass(&c.problem, i) * c.particles.velocity[a][i];
    for (int a = 0; a < 3; a++) CHECK(fabs(momentum[a]) < 1e-10, "momentum %g", momentum[a]);
    static const torre_md_ensemble noisy[] = {TORRE_LANGEVIN, TORRE_BAOAB};
    for (int k = 0; k < 2; k++) {
        memset(sum, 0, sizeof sum);
        c.problem.ensemble = noisy[k];
        c.problem.temperature = 0.9;
        c.problem.damping_time = 0.05; /* ten steps: samples 40 steps apart are independent */
        torre_md_solver *solver = md_case_solver(&c, &(torre_md_plan){0});
        CHECK_OK(solver->backend->advance(solver, 100));
        const int samples = 10;
        for (int s = 0; s < samples; s++) {
            CHECK_OK(solver->backend->advance(solver, 40));
            torre_md_particles now = md_case_particles(&c, solver);
            kinetic_of_types(&c, &now, sum, number);
            torre_md_particles_free(&now);
        }
        for (int t = 0; t < 3; t++) {
            const double got = sum[t] / (samples * number[t]);
            const double off = 0.9 * sqrt(2 / (3 * samples * number[t]));
            /* and an error of dt^2, about (dt omega)^2/4, omega of the lightest 20 */
            CHECK(fabs(got - 0.9) < 5 * off + 0.9 * 0.0025, "%s: type %d has a temperature of %g",
                  torre_md_ensembles[noisy[k]], t + 1, got);
        }
        solver->backend->destroy(solver);
    }
    md_case_free(&c);
}

/* Energy and what a thermostat has taken: an error of second order in dt, or, of noise, of what is
 * done between kicks. */
static void test_conserved(void **state)
{
    (void)state;
    for (int ensemble = TORRE_NVE; ensemble <= TORRE_NOSE_HOOVER; ensemble++) {
        double off[2];
        for (int half = 0; half < 2; half++) {
            md_case c = md_case_melt(5, 5, 5, TORRE_MD_F64);
            torre_md_types table;
            md_case_add_types(&c, 3, &table);
            c.problem.dt = half ? 0.001 : 0.002;
            c.problem.ensemble = (torre_md_ensemble)ensemble;
            c.problem.temperature = 1;
            c.problem.damping_time = 0.5;
            torre_md_solver *solver = md_case_solver(&c, &(torre_md_plan){0});
            const double start = md_case_thermo(&c, solver, 0).conserved;
            CHECK_OK(solver->backend->advance(solver, half ? 400 : 200));
            off[half] = fabs(md_case_thermo(&c, solver, 0).conserved - start);
            solver->backend->destroy(solver);
            md_case_free(&c);
        }
        CHECK(off[0] < 2e-3 && off[1] < 1e-3, "%s: the conserved quantity changed by %g and %g",
              torre_md_ensembles[ensemble], off[0], off[1]);
    }
}

/* A third of the trace of the pressure tensor is the pressure of the row. */
static void test_stress(void **state)
{
    (void)state;
    md_case c = md_case_rough(5, 5, 5, 0.08, TORRE_MD_F64);
    torre_md_types table;
    md_case_add_types(&c, 3, &table);
    torre_md_solver *solver = md_case_solver(&c, &(torre_md_plan){0});
    const torre_md_thermo row = md_case_thermo(&c, solver, 0);
    torre_stress stress;
    double pressure[TORRE_STRESS_ELEMENTS], temperature;
    CHECK_OK(torre_stress_make(&c.problem, 0, &stress));
    torre_stress_sample(&stress, &c.particles, pressure, &temperature);
    const double third = (pressure[0] + pressure[1] + pressure[2]) / 3;
    CHECK(fabs(third - row.pressure) < 1e-11 * (1 + fabs(row.pressure)), "%.17g, row %.17g", third,
          row.pressure);
    CHECK(fabs(temperature - row.temperature) < 1e-12, "%.17g, row %.17g", temperature,
          row.temperature);
    torre_stress_free(&stress);
    solver->backend->destroy(solver);
    md_case_free(&c);
}

static void test_mixing(void **state)
{
    (void)state;
    torre_md_types t = {.count = 2};
    t.between[0][0] = (torre_type_pair){.pair.lj = {1, 1, true}, .cutoff = 2.5};
    t.between[1][1] = (torre_type_pair){.pair.lj = {4, 2, true}, .cutoff = 5};
    CHECK(torre_md_types_mix(&t, TORRE_PAIR_lj, 1, 0), "lj has no rule");
    const torre_type_pair *mixed = torre_md_between(&t, 1, 0);
    CHECK(mixed->pair.lj.epsilon == 2 && mixed->pair.lj.sigma == 1.5 && mixed->pair.lj.shift &&
              mixed->cutoff == 3.75,
          "epsilon %g, sigma %g, cutoff %g", mixed->pair.lj.epsilon, mixed->pair.lj.sigma,
          mixed->cutoff);
    CHECK(!torre_md_types_mix(&t, TORRE_PAIR_morse, 0, 1), "morse has no rule");
}

static void test_refused(void **state)
{
    (void)state;
    md_case c = md_case_melt(5, 5, 5, TORRE_MD_F64);
    torre_md_types table;
    md_case_add_types(&c, 2, &table);
    const torre_md_types good = table;
    CHECK_OK(torre_md_problem_check(&c.problem));
    table.mass[1] = 0;
    CHECK(torre_md_problem_check(&c.problem) == TORRE_ERR_USAGE, "a type without mass");
    table = good;
    table.between[0][1].pair.lj.epsilon = 0;
    CHECK(torre_md_problem_check(&c.problem) == TORRE_ERR_USAGE, "no coefficients");
    CHECK(strstr(torre_error_text(), "types 1 and 2"), "%s", torre_error_text());
    table = good;
    table.count = TORRE_MD_TYPES + 1;
    CHECK(torre_md_problem_check(&c.problem) == TORRE_ERR_USAGE, "too many types");
    table = good;
    c.problem.cutoff = 2.6;
    CHECK(torre_md_problem_check(&c.problem) == TORRE_ERR_USAGE, "a larger cutoff");
    c.problem.cutoff = 2.5;
    c.particles.type[17] = 2;
    CHECK(torre_md_problem_check(&c.problem) == TORRE_ERR_INPUT, "a type of a particle");
    c.particles.type[17] = 0;
    c.problem.model = TORRE_PAIR_granular;
    CHECK(torre_md_problem_check(&c.problem) == TORRE_ERR_USAGE, "grains of two types");
    md_case_free(&c);
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alike),      cmocka_unit_test(test_accelerations),
        cmocka_unit_test(test_trajectory), cmocka_unit_test(test_equipartition),
        cmocka_unit_test(test_conserved),  cmocka_unit_test(test_stress),
        cmocka_unit_test(test_mixing),     cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
