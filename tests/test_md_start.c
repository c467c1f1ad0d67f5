/* Lattices, velocities, and what is refused. */
#include "md_case.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/random.h"

static void test_velocities(void **state)
{
    (void)state;
    md_case c = md_case_melt(6, 5, 4, TORRE_MD_F64);
    const torre_md_particles *p = &c.particles;
    double square = 0, fourth = 0;
    for (int a = 0; a < 3; a++) {
        double sum = 0;
        for (int64_t i = 0; i < p->count; i++) {
            double v = p->velocity[a][i];
            sum += v;
            square += v * v;
            fourth += v * v * v * v;
        }
        CHECK(fabs(sum) < 1e-12, "momentum %g", sum);
    }
    double n = (double)p->count;
    CHECK(fabs(square / (3 * n - 3) - 1.44) < 1e-14, "T = %.17g", square / (3 * n - 3));
    /* Normal: <v^4> = 3 <v^2>^2, standard error of the ratio sqrt(96 / 3N) / 3 < 0.2 for 480 */
    double ratio = fourth / (3 * n) / (square / (3 * n)) / (square / (3 * n));
    CHECK(fabs(ratio - 3) < 0.8, "<v^4>/<v^2>^2 = %g", ratio);
    md_case_free(&c);
}

/* A particle's velocity must never change from one release or machine to another. */
static void test_generator_is_fixed(void **state)
{
    (void)state;
    CHECK(torre_random_bits(0, 0, 0) == UINT64_C(0xa706dd2f4d197e6f), "%llx",
          (unsigned long long)torre_random_bits(0, 0, 0));
    CHECK(torre_random_bits(87287, 3, 11) == UINT64_C(0x4072170b1cb0a8d4), "%llx",
          (unsigned long long)torre_random_bits(87287, 3, 11));
}

static void test_velocities_threads(void **state)
{
    (void)state;
    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    md_case one = md_case_melt(5, 5, 5, TORRE_MD_F64);
    omp_set_num_threads(3);
    md_case three = md_case_melt(5, 5, 5, TORRE_MD_F64);
    omp_set_num_threads(threads);
    CHECK(md_case_difference(&one.particles, &three.particles) == 0, "threads change velocities");
    md_case_free(&one);
    md_case_free(&three);
}

static void test_lattice(void **state)
{
    (void)state;
    torre_md_particles p;
    const int64_t cells[3] = {2, 3, 4};
    CHECK_OK(torre_md_start_fcc(cells, 0.5, &p));
    CHECK(p.count == 96, "%lld particles", (long long)p.count);
    for (int a = 0; a < 3; a++)
        CHECK(fabs(p.box[a] - 2 * (double)cells[a]) < 1e-14, "edge %g", p.box[a]);
    CHECK(p.position[0][95] == 2 && p.position[1][95] == 5 && p.position[2][95] == 7,
          "last particle at %g %g %g", p.position[0][95], p.position[1][95], p.position[2][95]);
    CHECK_OK(torre_md_start_check_overlap(&p, 1.4));
    torre_status status = torre_md_start_check_overlap(&p, 1.5);
    CHECK(status == TORRE_ERR_UNSTABLE, "status %d", (int)status);
    torre_md_particles_free(&p);
}

static void test_overlap(void **state)
{
    (void)state;
    md_case c = md_case_melt(4, 5, 6, TORRE_MD_F64);
    /* across an edge of the box, in a void of the lattice */
    const double half_cell = c.particles.box[0] / 8;
    c.particles.position[0][17] = c.particles.position[0][320] = half_cell;
    for (int a = 1; a < 3; a++) {
        c.particles.position[a][17] = 0.01;
        c.particles.position[a][320] = c.particles.box[a] - 0.01;
    }
    torre_status status = torre_md_start_check_overlap(&c.particles, 0.2);
    CHECK(status == TORRE_ERR_UNSTABLE, "status %d", (int)status);
    CHECK(strstr(torre_error_text(), "particles 18 and 321 overlap"), "%s", torre_error_text());
    md_case_free(&c);
}

static void refused(const md_case *c, torre_status expected, const char *word)
{
    torre_status status = torre_md_problem_check(&c->problem);
    CHECK(status == expected && strstr(torre_error_text(), word), "status %d: %s", (int)status,
          torre_error_text());
}

static void test_refused(void **state)
{
    (void)state;
    md_case c = md_case_melt(4, 4, 4, TORRE_MD_F64), good = c;
    CHECK_OK(torre_md_problem_check(&c.problem));
    c.problem.cutoff = 3.4;
    refused(&c, TORRE_ERR_USAGE, "cutoff");
    c = good;
    c.problem.dt = -1;
    refused(&c, TORRE_ERR_USAGE, "dt");
    c = good;
    c.problem.dt = NAN;
    refused(&c, TORRE_ERR_USAGE, "dt");
    c = good;
    c.problem.count = 0;
    refused(&c, TORRE_ERR_USAGE, "particle");
    c = good;
    c.problem.pair.lj.epsilon = 0;
    refused(&c, TORRE_ERR_USAGE, "epsilon must be a number above 0");
    c.problem.pair.lj = (torre_lj_parameters){.epsilon = 1, .sigma = INFINITY};
    refused(&c, TORRE_ERR_USAGE, "sigma must be a number above 0");
    c = good;
    c.problem.model = TORRE_PAIR_granular;
    c.problem.pair.granular =
        (torre_granular_parameters){.stiffness = 1, .restitution = 1.01, .wall_restitution = 1};
    refused(&c, TORRE_ERR_USAGE, "restitution must be a number above 0 and at most 1");
    c = good;
    double kept = c.particles.position[1][3];
    c.particles.position[1][3] = c.particles.box[1];
    refused(&c, TORRE_ERR_INPUT, "particle 4");
    c.particles.position[1][3] = kept;
    torre_md_plan plan = {.skin = 1};
    torre_status status = torre_md_plan_check(&c.problem, &plan);
    CHECK(status == TORRE_ERR_USAGE && strstr(torre_error_text(), "skin"), "status %d: %s",
          (int)status, torre_error_text());
    md_case_free(&c);
}

/* Two particles almost on top of each other: reported with step and id, not computed on. */
static void test_blow_up(void **state)
{
    (void)state;
    for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
        md_case c = md_case_melt(4, 4, 4, TORRE_MD_F64);
        c.problem.dt = 0.5;
        const torre_md_plan plan = {.neighbor = (torre_neighbor)neighbor};
        torre_md_solver *solver = md_case_solver(&c, &plan);
        torre_status status = solver->backend->advance(solver, 100);
        CHECK(status == TORRE_ERR_UNSTABLE, "status %d", (int)status);
        CHECK(strstr(torre_error_text(), "step") && strstr(torre_error_text(), "particle"), "%s",
              torre_error_text());
        solver->backend->destroy(solver);
        md_case_free(&c);
    }
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocities),
        cmocka_unit_test(test_generator_is_fixed),
        cmocka_unit_test(test_velocities_threads),
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_blow_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
