/*
 * What is measured on the way: g(r), displacements and velocities in time, pressure tensor,
 * viscosity, each against the definition or an exact case.
 */
#include "md_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "particles/correlation.h"
#include "particles/granular.h"
#include "particles/rdf.h"
#include "particles/stress.h"

/* Counts of all pairs by their nearest image. */
static void brute_force(const md_case *c, double range, int64_t shells, int64_t *pairs)
{
    const torre_md_particles *p = &c->particles;
    for (int64_t i = 0; i < p->count; i++) {
        for (int64_t j = 0; j < i; j++) {
            double rsq = 0;
            for (int a = 0; a < 3; a++) {
                double d = p->position[a][i] - p->position[a][j];
                d -= p->box[a] * rint(d / p->box[a]);
                rsq += d * d;
            }
            const double r = sqrt(rsq);
            if (r < range) pairs[(int64_t)(r / range * (double)shells)]++;
        }
    }
}

/* No pair is lost, counted twice or put into another shell: the same integers, in boxes with many
 * bins and few, for ranges up to half of the box. (Of 10^5 distances none is so near the edge of a
 * shell, 10^-15, that rounding decides.) */
static void test_rdf_counts(void **state)
{
    (void)state;
    enum { SHELLS = 97 };
    const int64_t cells[][3] = {{5, 5, 5}, {4, 6, 3}, {2, 9, 2}, {1, 2, 1}};
    for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
        md_case c = md_case_rough(cells[k][0], cells[k][1], cells[k][2], 0.3, TORRE_MD_F64);
        for (int part = 1; part <= 3; part++) {
            const double range = torre_rdf_most(&c.problem) * part / 3;
            int64_t expected[SHELLS] = {0};
            brute_force(&c, range, SHELLS, expected);
            for (int threads = 1; threads <= 3; threads++) {
                torre_rdf rdf;
                CHECK_OK(torre_rdf_make(&c.problem, range, SHELLS, threads, &rdf));
                torre_rdf_sample(&rdf, &c.particles);
                CHECK(memcmp(expected, rdf.pairs, sizeof expected) == 0,
                      "case %zu, range %g, %d threads: other counts", k, range, threads);
                CHECK(rdf.pairs[SHELLS] == 1, "%lld samples", (long long)rdf.pairs[SHELLS]);
                torre_rdf_free(&rdf);
            }
        }
        md_case_free(&c);
    }
}

/* Count particles put at random, the same whatever else: in a plane, z is the middle. */
static md_case ideal_gas(int64_t count, const double box[3], int dimensions)
{
    md_case c = {.problem = {.model = TORRE_PAIR_lj,
                             .pair.lj = {.epsilon = 1, .sigma = 1},
                             .cutoff = 1,
                             .dt = 0.005,
                             .dimensions = dimensions,
                             .precision = TORRE_MD_F64}};
    CHECK_OK(torre_md_particles_new(count, &c.particles));
    for (int a = 0; a < 3; a++) {
        c.particles.box[a] = box[a];
        for (int64_t i = 0; i < count; i++)
            c.particles.position[a][i] =
                a < dimensions ? box[a] * torre_random_uniform(5, (uint64_t)a + 1, (uint64_t)i)
                               : box[a] / 2;
    }
    torre_md_start_velocities(&c.particles, 1.5, 11);
    torre_md_problem_set_particles(&c.problem, &c.particles);
    return c;
}

/* Of types: they add up to that of all, weighted by their pairs, and each is 1 on average where
 * types are dealt out at random over an ideal gas. */
static void test_rdf_types(void **state)
{
    (void)state;
    enum { SHELLS = 40, COUNT = 4000 };
    const double box[3] = {9, 8, 10};
    md_case c = ideal_gas(COUNT, box, 3);
    torre_md_types table = {.count = 3};
    torre_rdf rdf;
    double number[3] = {0}, row[TORRE_RDF_COLUMNS + TORRE_RDF_KINDS];
    CHECK_OK(torre_md_particles_add_types(&c.particles, 3));
    for (int i = 0; i < COUNT; i++)
        number[c.particles.type[i] = (uint8_t)(3 * torre_random_uniform(5, 5, (uint64_t)i))]++;
    table.type = c.particles.type;
    c.problem.types = &table;
    CHECK_OK(torre_rdf_make(&c.problem, 4, SHELLS, 2, &rdf));
    torre_rdf_sample(&rdf, &c.particles);
    CHECK(rdf.columns == TORRE_RDF_COLUMNS + 6 && strcmp(rdf.column[5], "g_1-2") == 0 &&
              strcmp(rdf.column[9], "g_3-3") == 0,
          "%d columns", rdf.columns);
    for (int k = 0; k < SHELLS; k++) {
        double pairs = 0;
        torre_rdf_row(&rdf, k, row);
        for (int a = 0, kind = 4; a < 3; a++) {
            for (int b = a; b < 3; b++, kind++) {
                const double all = a == b ? number[a] * (number[a] - 1) / 2 : number[a] * number[b];
                const double ideal = row[3] / row[1] * all / (COUNT * (COUNT - 1.0) / 2);
                pairs += row[kind] * ideal;
                CHECK(fabs(row[kind] - 1) < 5 / sqrt(ideal), "shell %d: %s %g", k, rdf.column[kind],
                      row[kind]);
            }
        }
        CHECK(fabs(pairs - row[3]) < 1e-9 * row[3], "shell %d: %g of %g pairs", k, pairs, row[3]);
    }
    torre_rdf_free(&rdf);
    md_case_free(&c);
}

/* Without interaction pairs fall into a shell independently: their number has the variance of its
 * mean. g may differ from 1 by five times the root of that, in 60 shells by chance once in 30,000
 * seeds. */
static void test_rdf_ideal(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        const double box[3] = {9, 8, dimensions == 3 ? 10 : 2};
        md_case c = ideal_gas(5000, box, dimensions);
        torre_rdf rdf;
        CHECK_OK(torre_rdf_make(&c.problem, torre_rdf_most(&c.problem), 60, 2, &rdf));
        torre_rdf_sample(&rdf, &c.particles);
        double all = 0, row[TORRE_RDF_COLUMNS];
        for (int64_t k = 0; k < 60; k++) {
            torre_rdf_row(&rdf, k, row);
            const double expected = row[3] / row[1];
            all += row[3];
            CHECK(row[1] > 0 && fabs(row[1] - 1) < 5 / sqrt(expected), "%d-D, r %g: g %g",
                  dimensions, row[0], row[1]);
        }
        /* neighbours within the range are all pairs, counted for both */
        CHECK(fabs(row[2] - 2 * all / 5000) < 1e-9, "%g neighbours", row[2]);
        torre_rdf_free(&rdf);
        md_case_free(&c);
    }
}

/* Where particles are after a time of straight flight, in the box, the centre of mass drifting. */
static void fly(const md_case *c, double time, torre_md_particles *now)
{
    const double drift[3] = {0.7, -0.4, 0.2};
    for (int a = 0; a < 3; a++) {
        const double edge = c->particles.box[a];
        for (int64_t i = 0; i < now->count; i++) {
            const double v = c->particles.velocity[a][i] + drift[a];
            double r = c->particles.position[a][i] + time * v;
            r -= edge * floor(r / edge);
            now->position[a][i] = r < edge ? r : 0;
            now->velocity[a][i] = v;
        }
    }
}

/*
 * Straight flight through the box several times: msd is <v^2> t^2 and vacf <v^2>, with
 * <v^2> = 3 T (N - 1) / (N m), whatever the centre of mass does. Each coordinate is off by 2^-53 of
 * the 100 it has come to at most, a displacement of a sample by 10^-14: relative to the least
 * displacement squared, 0.1^2 a lag, below 10^-10.
 */
static void test_ballistic(void **state)
{
    (void)state;
    enum { WINDOW = 23, ORIGINS = 4, SAMPLES = 150 };
    const double box[3] = {9, 11, 10}, interval = 0.1, t = 1.5;
    md_case c = ideal_gas(3000, box, 3);
    torre_md_particles now;
    torre_correlation msd, vacf;
    CHECK_OK(torre_md_particles_new(3000, &now));
    CHECK_OK(torre_correlation_make(&c.problem, TORRE_CORRELATION_MSD, WINDOW, ORIGINS, 2, &msd));
    CHECK_OK(torre_correlation_make(&c.problem, TORRE_CORRELATION_VACF, WINDOW, ORIGINS, 1, &vacf));
    for (int n = 0; n < SAMPLES; n++) {
        fly(&c, n * interval, &now);
        CHECK_OK(torre_correlation_sample(&msd, &now, n));
        CHECK_OK(torre_correlation_sample(&vacf, &now, n));
    }
    const double square = 3 * t * 2999 / 3000;
    for (int64_t lag = 0; lag <= WINDOW; lag++) {
        double row[TORRE_CORRELATION_COLUMNS], time = (double)lag * interval;
        /* origins are 6 samples apart; the first sample is one, the last to reach this lag */
        const double origins = floor((SAMPLES - 1 - (double)lag) / 6) + 1;
        CHECK(torre_correlation_row(&msd, lag, interval, row), "no lag %d", (int)lag);
        CHECK(fabs(row[2] - square * time * time) < 1e-10 * square * time * time + 1e-25,
              "msd %.15g at %g", row[2], time);
        CHECK(row[7] == origins, "%g origins at lag %d", row[7], (int)lag);
        CHECK(torre_correlation_row(&vacf, lag, interval, row), "no lag %d", (int)lag);
        CHECK(fabs(row[2] - square) < 1e-12, "vacf %.15g at %g", row[2], time);
        CHECK(fabs(row[6] - square * time / 3) < 1e-12 * (1 + time), "integral %.15g", row[6]);
        CHECK(row[7] == origins, "%g origins at lag %d", row[7], (int)lag);
    }
    double row[TORRE_CORRELATION_COLUMNS];
    CHECK(!torre_correlation_row(&msd, WINDOW + 1, interval, row), "a lag beyond the window");
    fly(&c, (SAMPLES + 20) * interval, &now);
    CHECK(torre_correlation_sample(&msd, &now, 170) == TORRE_ERR_USAGE, "a jump went unnoticed");
    torre_correlation_free(&msd);
    torre_correlation_free(&vacf);
    torre_md_particles_free(&now);
    md_case_free(&c);
}

/* The same of two types, which fly at velocities of their own: <v^2> of each. Masses of 1 and 3
 * move the centre of mass. */
static void test_ballistic_types(void **state)
{
    (void)state;
    enum { COUNT = 2000, WINDOW = 10 };
    const double interval = 0.1;
    md_case c = ideal_gas(COUNT, (const double[3]){9, 11, 10}, 3);
    torre_md_particles now;
    torre_correlation msd;
    torre_md_types table = {.count = 2, .mass = {1, 3}};
    double square[2] = {0}, number[2] = {0}, centre[3] = {0};
    CHECK_OK(torre_md_particles_add_types(&c.particles, 2));
    table.type = c.particles.type;
    c.problem.types = &table;
    for (int i = 0; i < COUNT; i++) c.particles.type[i] = i % 3 == 0;
    for (int a = 0; a < 3; a++) {
        double mass = 0;
        for (int i = 0; i < COUNT; i++) {
            mass += torre_md_mass(&c.problem, i);
            centre[a] += torre_md_mass(&c.problem, i) * c.particles.velocity[a][i];
        }
        centre[a] /= mass;
    }
    for (int i = 0; i < COUNT; i++) {
        number[c.particles.type[i]]++;
        for (int a = 0; a < 3; a++)
            square[c.particles.type[i]] += pow(c.particles.velocity[a][i] - centre[a], 2);
    }
    CHECK_OK(torre_md_particles_new(COUNT, &now));
    CHECK_OK(torre_correlation_make(&c.problem, TORRE_CORRELATION_MSD, WINDOW, 5, 2, &msd));
    CHECK(msd.columns == 10 && strcmp(msd.column[9], "msd_2") == 0, "%d columns", msd.columns);
    for (int n = 0; n < 40; n++) {
        fly(&c, n * interval, &now);
        CHECK_OK(torre_correlation_sample(&msd, &now, n));
    }
    for (int64_t lag = 1; lag <= WINDOW; lag++) {
        double row[TORRE_CORRELATION_COLUMNS + TORRE_MD_TYPES], time = (double)lag * interval;
        CHECK(torre_correlation_row(&msd, lag, interval, row), "no lag %d", (int)lag);
        for (int t = 0; t < 2; t++) {
            const double expected = square[t] / number[t] * time * time;
            CHECK(fabs(row[8 + t] - expected) < 1e-10 * expected, "type %d: msd %.15g, %.15g",
                  t + 1, row[8 + t], expected);
        }
    }
    torre_correlation_free(&msd);
    torre_md_particles_free(&now);
    md_case_free(&c);
}

/* Of a walk with msd = 6 D t + b the slope gives D, whatever b. */
static void test_slope(void **state)
{
    (void)state;
    md_case c = ideal_gas(10, (const double[3]){9, 9, 9}, 3);
    torre_correlation msd;
    CHECK_OK(torre_correlation_make(&c.problem, TORRE_CORRELATION_MSD, 40, 1, 1, &msd));
    for (int lag = 0; lag <= 40; lag++) {
        msd.sum[4 * lag] = 10 * (0.7 + 6 * 0.03 * lag * 0.5);
        msd.sum[4 * lag + 3] = 1;
    }
    const double d = torre_correlation_diffusion(&msd, 0.5);
    CHECK(fabs(d - 0.03) < 1e-13, "diffusion %.15g", d);
    torre_correlation_free(&msd);
    md_case_free(&c);
}

/* The tensor against the sums of a solver, and its elements against all pairs. */
static void check_stress(const md_case *c, const char *what)
{
    const torre_md_plan plan = md_case_safe_plan();
    torre_md_solver *solver = md_case_solver_of("reference", c, &plan);
    const torre_md_thermo row = md_case_thermo(c, solver, 0);
    const int dimensions = torre_md_dimensions(&c->problem);
    double first[TORRE_STRESS_ELEMENTS], pressure[TORRE_STRESS_ELEMENTS], temperature, size = 0;
    for (int threads = 1; threads <= 3; threads++) {
        torre_stress stress;
        CHECK_OK(torre_stress_make(&c->problem, threads, &stress));
        torre_stress_sample(&stress, &c->particles, pressure, &temperature);
        torre_stress_free(&stress);
        if (threads == 1) memcpy(first, pressure, sizeof first);
        CHECK(memcmp(first, pressure, sizeof first) == 0, "%s: bits of %d threads", what, threads);
    }
    double trace = 0;
    for (int a = 0; a < dimensions; a++) trace += pressure[a] / dimensions;
    /* sums of some 10^5 terms whose absolute values add up to less than 100 times the pressure of
     * the particles' motion: 2^-53 of that for each of sqrt(10^5) roundings */
    for (int a = 0; a < dimensions; a++) size += 100 * temperature * (double)c->problem.count;
    size /= c->problem.box[0] * c->problem.box[1] * (dimensions == 3 ? c->problem.box[2] : 1);
    CHECK(fabs(trace - row.pressure) < 320 * 0x1p-53 * size, "%s: %.15g, thermo %.15g", what, trace,
          row.pressure);
    CHECK(fabs(temperature - row.temperature) < 1e-12 * row.temperature, "%s: T %.15g", what,
          temperature);
    solver->backend->destroy(solver);
}

static void test_stress_trace(void **state)
{
    (void)state;
    md_case c = md_case_rough(6, 5, 7, 0.05, TORRE_MD_F64);
    check_stress(&c, "lj");
    md_case_free(&c);
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        const torre_granular g = {.dimensions = dimensions,
                                  .size = {14, 12, 13},
                                  .diameter = 1.05,
                                  .mass = 2,
                                  .stiffness = 1000,
                                  .restitution = 0.8,
                                  .wall_restitution = 1,
                                  .filling = 0.3,
                                  .temperature = 1,
                                  .seed = 3,
                                  .sweeps = 4};
        md_case gas = {.problem = {.precision = TORRE_MD_F64}};
        CHECK_OK(torre_granular_problem(&g, 0.6, 0, &gas.problem));
        CHECK_OK(torre_granular_start(&g, &gas.problem, &gas.particles));
        torre_md_problem_set_particles(&gas.problem, &gas.particles);
        gas.problem.mass = 2;
        gas.problem.cutoff *= 1.3; /* as if the grains had grown: contacts everywhere */
        check_stress(&gas, dimensions == 2 ? "plane gas" : "gas");
        md_case_free(&gas);
    }
}

/* Two particles: all elements by hand, in motion and across the box. */
static void test_stress_elements(void **state)
{
    (void)state;
    const double box[3] = {6, 7, 8}, v[2][3] = {{0.1, -0.2, 0.3}, {-0.4, 0.5, 0.6}};
    const double d[3] = {0.8, -0.5, 0.7}; /* from the second to the first */
    md_case c = ideal_gas(2, box, 3);
    c.problem.cutoff = 2;
    for (int a = 0; a < 3; a++) {
        c.particles.position[a][1] = a == 0 ? 5.6 : 0.2;
        const double r = c.particles.position[a][1] + d[a];
        c.particles.position[a][0] = r - box[a] * floor(r / box[a]);
        for (int i = 0; i < 2; i++) c.particles.velocity[a][i] = v[i][a];
    }
    torre_stress stress;
    double p[TORRE_STRESS_ELEMENTS], temperature;
    CHECK_OK(torre_stress_make(&c.problem, 1, &stress));
    torre_stress_sample(&stress, &c.particles, p, &temperature);
    const double rsq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r6 = pow(rsq, -3);
    const double force = 24 * r6 * (2 * r6 - 1) / rsq;
    const int axis[TORRE_STRESS_ELEMENTS][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < TORRE_STRESS_ELEMENTS; k++) {
        const int a = axis[k][0], b = axis[k][1];
        const double expected =
            (v[0][a] * v[0][b] + v[1][a] * v[1][b] + force * d[a] * d[b]) / (6 * 7 * 8);
        CHECK(fabs(p[k] - expected) < 1e-13, "element %d: %.15g, not %.15g", k, p[k], expected);
    }
    torre_stress_free(&stress);
    md_case_free(&c);
}

/* Shear that oscillates: C(t) by hand over the same samples, and the integral of a constant. */
static void test_viscosity(void **state)
{
    (void)state;
    enum { WINDOW = 12, SAMPLES = 40 };
    md_case c = ideal_gas(2, (const double[3]){3, 4, 5}, 3);
    torre_viscosity v;
    double row[TORRE_VISCOSITY_COLUMNS], p[SAMPLES][TORRE_STRESS_ELEMENTS];
    for (int constant = 0; constant <= 1; constant++) {
        CHECK_OK(torre_viscosity_make(WINDOW, &v));
        for (int n = 0; n < SAMPLES; n++) {
            for (int k = 0; k < TORRE_STRESS_ELEMENTS; k++)
                p[n][k] = constant ? (k < 3 ? 7 : k - 2) : sin(0.3 * n * (k + 1)) + (k < 3);
            torre_viscosity_sample(&v, p[n], 2);
        }
        for (int lag = 0; lag <= WINDOW; lag++) {
            double sum = 0;
            for (int n = 0; n + lag < SAMPLES; n++) {
                const double *then = p[n], *now = p[n + lag];
                double m0 = (then[0] + then[1] + then[2]) / 3, m1 = (now[0] + now[1] + now[2]) / 3;
                for (int k = 0; k < 3; k++) sum += (then[k] - m0) * (now[k] - m1);
                for (int k = 3; k < 6; k++) sum += 2 * then[k] * now[k];
            }
            sum /= 10 * (SAMPLES - lag);
            CHECK(torre_viscosity_row(&v, &c.problem, lag, 0.25, row), "no lag %d", lag);
            CHECK(fabs(row[2] - sum) < 1e-13, "C %.15g, not %.15g", row[2], sum);
            if (constant) /* V/T t 2 (1 + 4 + 9)/10 */
                CHECK(fabs(row[3] - 60 / 2. * 0.25 * lag * 2.8) < 1e-11, "eta %.15g", row[3]);
        }
        CHECK(!torre_viscosity_row(&v, &c.problem, WINDOW + 1, 0.25, row), "beyond the window");
        torre_viscosity_free(&v);
    }
    md_case_free(&c);
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rdf_counts),   cmocka_unit_test(test_rdf_ideal),
        cmocka_unit_test(test_rdf_types),    cmocka_unit_test(test_ballistic_types),
        cmocka_unit_test(test_ballistic),    cmocka_unit_test(test_slope),
        cmocka_unit_test(test_stress_trace), cmocka_unit_test(test_stress_elements),
        cmocka_unit_test(test_viscosity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
