/*
 * Minimisation: a disturbed crystal finds its lattice again, starts that overlap come apart, and a
 * run that is cut, or shared by threads, has the bits of one that is not.
 */
#include "md_case.h"

#include <math.h>
#include <string.h>

/* A crystal near zero pressure, each particle up to 0.08 from its site along each axis. */
static md_case crystal(double amplitude, torre_md_precision precision)
{
    md_case c = md_case_rough(5, 5, 6, amplitude, precision);
    c.problem.pair.lj.sigma = 1.09;
    c.problem.ensemble = TORRE_FIRE;
    return c;
}

static torre_md_thermo after(const md_case *c, torre_md_solver *solver, int64_t steps)
{
    CHECK_OK(solver->backend->advance(solver, steps));
    return md_case_thermo(c, solver, steps);
}

/*
 * The energy is that of the lattice: where forces are F, it is off by F^2/2k a particle, k about
 * 60, and by the rounding of its terms, a few 2^-24 of each in f32.
 */
static void test_lattice(void **state)
{
    (void)state;
    for (int p = TORRE_MD_F32; p <= TORRE_MD_MIXED; p++) {
        md_case sites = crystal(0, (torre_md_precision)p),
                rough = crystal(0.08, (torre_md_precision)p);
        const torre_md_plan plan = md_case_safe_plan();
        torre_md_solver *ideal = md_case_solver(&sites, &plan),
                        *solver = md_case_solver(&rough, &plan);
        const double energy = md_case_thermo(&sites, ideal, 0).pair_energy;
        const torre_md_thermo start = md_case_thermo(&rough, solver, 0);
        CHECK(start.temperature == 0, "it starts at T = %g", start.temperature);
        CHECK(start.force > 10 && start.pair_energy > energy + 0.3, "force %g, energy %g",
              start.force, start.pair_energy);
        const torre_md_thermo end = after(&rough, solver, 1000);
        const double small = p == TORRE_MD_F64 ? 1e-7 : 1e-3;
        CHECK(end.force < small, "%s: force %g", torre_md_precision_name((torre_md_precision)p),
              end.force);
        CHECK(fabs(end.pair_energy - energy) < (p == TORRE_MD_F64 ? 1e-12 : 1e-4),
              "%s: energy %.15g, of the lattice %.15g",
              torre_md_precision_name((torre_md_precision)p), end.pair_energy, energy);
        ideal->backend->destroy(ideal);
        solver->backend->destroy(solver);
        md_case_free(&sites);
        md_case_free(&rough);
    }
}

/* The force of a row is that of the particles. */
static void test_force(void **state)
{
    (void)state;
    md_case c = crystal(0.1, TORRE_MD_F64);
    const torre_md_plan plan = md_case_safe_plan();
    torre_md_solver *solver = md_case_solver(&c, &plan);
    const double got = after(&c, solver, 7).force;
    torre_md_particles f = md_case_forces(&c, solver);
    double sum = 0;
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < f.count; i++) sum += f.velocity[a][i] * f.velocity[a][i];
    const double expected = sqrt(sum / (double)f.count);
    CHECK(fabs(got - expected) < 1e-12 * expected, "force %.15g, of particles %.15g", got,
          expected);
    torre_md_particles_free(&f);
    solver->backend->destroy(solver);
    md_case_free(&c);
}

/* Pairs as near as 0.2: no step is beyond a 25th of the cutoff, and the energy comes down from
 * 10^9. Forces that jump by 0.04 at the cutoff, of some pairs at once, do not come to rest: between
 * rows of hardly any force are others of 1 to 5, so it is the least that counts. */
static void test_overlap(void **state)
{
    (void)state;
    md_case c = crystal(0.1, TORRE_MD_F64);
    for (int64_t i = 0; i + 1 < c.particles.count; i += 20)
        for (int a = 0; a < 3; a++) {
            const double r = c.particles.position[a][i + 1] + (a ? 0 : 0.2),
                         edge = c.problem.box[a];
            c.particles.position[a][i] = r < edge ? r : r - edge;
        }
    const torre_md_plan plan = md_case_safe_plan();
    torre_md_solver *solver = md_case_solver(&c, &plan);
    torre_md_particles was = md_case_particles(&c, solver);
    CHECK(md_case_thermo(&c, solver, 0).pair_energy > 1e6, "nothing overlaps");
    for (int n = 0; n < 20; n++) {
        CHECK_OK(solver->backend->advance(solver, 1));
        torre_md_particles now = md_case_particles(&c, solver);
        for (int64_t i = 0; i < now.count; i++) {
            double square = 0;
            for (int a = 0; a < 3; a++) {
                double d = now.position[a][i] - was.position[a][i];
                d -= c.problem.box[a] * round(d / c.problem.box[a]);
                square += d * d;
            }
            CHECK(sqrt(square) < TORRE_FIRE_MOST * c.problem.cutoff * (1 + 1e-12),
                  "particle %lld went %g", (long long)i, sqrt(square));
        }
        torre_md_particles_free(&was);
        was = now;
    }
    torre_md_particles_free(&was);
    double least = INFINITY;
    torre_md_thermo end = {0};
    for (int row = 1; row <= 40; row++) {
        CHECK_OK(solver->backend->advance(solver, 50));
        end = md_case_thermo(&c, solver, 20 + 50 * row);
        if (end.force < least) least = end.force;
    }
    CHECK(end.pair_energy < -6 && least < 0.1, "energy %g, least force %g", end.pair_energy, least);
    solver->backend->destroy(solver);
    md_case_free(&c);
}

static void test_same_bits(void **state)
{
    (void)state;
    md_case c = crystal(0.1, TORRE_MD_F64);
    torre_md_particles end[2];
    md_case_cut(&c, end);
    for (int a = 0; a < 3; a++)
        CHECK(memcmp(end[0].position[a], end[1].position[a],
                     (size_t)c.problem.count * sizeof(double)) == 0,
              "other bits");
    for (int run = 0; run < 2; run++) torre_md_particles_free(&end[run]);
    md_case_free(&c);
}

/* Whatever the backend, the same way: to rounding, which grows with the curvature of what lies on
 * the way. */
static void test_same_way(void **state)
{
    (void)state;
    md_case c = crystal(0.08, TORRE_MD_F64);
    const torre_md_plan plan = {.rebuild_every = 1, .rebuild_check = true, .skin = 0.3};
    torre_md_solver *cpu = md_case_solver_of("cpu", &c, &plan), *here = md_case_solver(&c, &plan);
    CHECK_OK(cpu->backend->advance(cpu, 60));
    CHECK_OK(here->backend->advance(here, 60));
    torre_md_particles a = md_case_particles(&c, cpu), b = md_case_particles(&c, here);
    CHECK(md_case_difference(&a, &b) < 1e-10, "off by %g", md_case_difference(&a, &b));
    torre_md_particles_free(&a);
    torre_md_particles_free(&b);
    cpu->backend->destroy(cpu);
    here->backend->destroy(here);
    md_case_free(&c);
}

static void test_refused(void **state)
{
    (void)state;
    md_case c = crystal(0, TORRE_MD_F64);
    c.problem.force_tolerance = -1;
    CHECK(torre_md_problem_check(&c.problem) == TORRE_ERR_USAGE, "a tolerance below 0");
    c.problem.force_tolerance = 1;
    CHECK_OK(torre_md_problem_check(&c.problem));
    c.problem.ensemble = TORRE_NVE;
    CHECK(torre_md_problem_check(&c.problem) == TORRE_ERR_USAGE, "a tolerance of nve");
    c.problem.force_tolerance = 0;
    c.problem.ensemble = TORRE_FIRE;
    c.problem.ramp_steps = 1;
    CHECK(torre_md_problem_check(&c.problem) == TORRE_ERR_USAGE, "a ramp of nothing");
    md_case_free(&c);
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lattice),  cmocka_unit_test(test_force),
        cmocka_unit_test(test_overlap),  cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_same_way), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
