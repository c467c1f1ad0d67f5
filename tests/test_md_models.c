/*
 * Every conservative pair model against its definition: V(r), written here once more in long
 * double, and the force as its derivative, for all sweeps, precisions and instruction sets, with
 * particles of one type and of three; and the energy of a run, whose error falls with the square of
 * the time step.
 *
 * Tolerance of forces, as in test_md_forces.c: a distance is off by 2 eps L of the box, which
 * changes a force by |V''| times that and by eps L |F| / r in its direction, r > 0.8; the formula,
 * with an argument of the exponential function below 15, and the sum add 80 eps of |F|, or of the
 * two terms that make it where they cancel: these are below |V''| r.
 */
#include "md_case.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "md_case_types.h"
#include "particles/md_store.h"

typedef struct model_case {
    torre_pair_model model;
    torre_pair_parameters pair;
    double cutoff;
    long double (*energy)(const torre_pair_parameters *p, long double r);
} model_case;

static long double lj(const torre_pair_parameters *p, long double r)
{
    const long double six = powl(p->lj.sigma / r, 6);
    return 4 * p->lj.epsilon * six * (six - 1);
}

static long double wca(const torre_pair_parameters *p, long double r)
{
    const long double six = powl(p->wca.sigma / r, 6);
    return 4 * p->wca.epsilon * six * (six - 1) + p->wca.epsilon;
}

static long double yukawa(const torre_pair_parameters *p, long double r)
{
    return p->yukawa.strength * expl(-p->yukawa.kappa * r) / r;
}

static long double morse(const torre_pair_parameters *p, long double r)
{
    const long double e = expl(-p->morse.alpha * (r - p->morse.equilibrium));
    return p->morse.depth * e * (e - 2);
}

static const model_case models[] = {
    {TORRE_PAIR_lj, {.lj = {1.5, 0.9, false}}, 2.4, lj},
    {TORRE_PAIR_wca, {.wca = {1.5, 0.98}}, 1.1000128073431856, wca}, /* 0.98 2^(1/6) */
    {TORRE_PAIR_yukawa, {.yukawa = {7, 3.7, false}}, 2.7, yukawa},
    {TORRE_PAIR_morse, {.morse = {0.8, 5, 1.1, false}}, 2.6, morse},
};

/* -V'(r): central differences of fourth order; their error is h^4 V^(5)/30, below 2e-11 of the
 * force for r^-12, and 2e-15 of rounding. */
static double force_of(const model_case *m, const torre_pair_parameters *p, double r)
{
    const long double h = 1e-4L * r;
    return (double)(-(8 * (m->energy(p, r + h) - m->energy(p, r - h)) -
                      (m->energy(p, r + 2 * h) - m->energy(p, r - 2 * h))) /
                    (12 * h));
}

static double stiffness_of(const model_case *m, const torre_pair_parameters *p, double r)
{
    const long double h = 1e-4L * r;
    return (double)((m->energy(p, r + h) - 2 * m->energy(p, r) + m->energy(p, r - h)) / (h * h));
}

/* All pairs by the definition: forces [axis][id] in force.velocity, and what may be off of each
 * force in may[id], of energy and virial in may_sum. */
typedef struct truth {
    torre_md_particles force;
    torre_md_sums sums;
    double *may, may_sum;
} truth;

static truth brute_force(const md_case *c, const model_case *m)
{
    const torre_md_particles *p = &c->particles;
    truth t = {.may = calloc((size_t)p->count, sizeof *t.may)};
    CHECK(t.may, "no memory");
    CHECK_OK(torre_md_particles_new(p->count, &t.force));
    const double edge = fmax(p->box[0], fmax(p->box[1], p->box[2]));
    const double eps = c->problem.precision == TORRE_MD_F64 ? DBL_EPSILON : FLT_EPSILON;
    for (int64_t i = 0; i < p->count; i++) {
        for (int64_t j = 0; j < p->count; j++) {
            double d[3];
            if (i == j) continue;
            const double r = md_case_apart(p, i, j, d);
            const torre_md_problem between = md_case_between(c, i, j);
            const torre_pair_parameters *pair = &between.pair;
            if (r >= between.cutoff) continue;
            const double force = force_of(m, pair, r);
            for (int a = 0; a < 3; a++) t.force.velocity[a][i] += force * d[a] / r;
            const double stiff = fabs(stiffness_of(m, pair, r));
            const double off = 2 * eps * edge * (stiff + fabs(force) / r) +
                               (80 * eps + 2e-11) * fmax(fabs(force), stiff * r);
            t.may[i] += off;
            t.may_sum += off * r + (80 * eps) * fabs((double)m->energy(pair, r));
            t.sums.potential += 0.5 * (double)m->energy(pair, r);
            t.sums.potential_shift += 0.5 * (double)m->energy(pair, between.cutoff);
            t.sums.virial += 0.5 * force * r;
            t.sums.contacts += 0.5;
        }
    }
    return t;
}

static md_case case_of(const model_case *m, double amplitude, torre_md_precision precision)
{
    md_case c = md_case_rough(4, 5, 4, amplitude, precision);
    c.problem.model = m->model;
    c.problem.pair = m->pair;
    c.problem.cutoff = m->cutoff;
    return c;
}

static void check_forces(const md_case *c, const truth *t, const torre_md_plan *plan)
{
    const int64_t n = c->particles.count;
    char what[64];
    snprintf(what, sizeof what, "%s %s %s%s", torre_pair_model_name(c->problem.model),
             torre_md_precision_name(c->problem.precision), torre_neighbor_name(plan->neighbor),
             c->problem.types ? ", three types" : "");
    /* of each pair of types rounded as the arithmetic of pairs is */
    const double shift_off =
        c->problem.types && c->problem.precision != TORRE_MD_F64 ? FLT_EPSILON : 1e-9;
    torre_md_sums sums;
    torre_md_solver *solver = md_case_solver(c, plan);
    torre_md_particles got = md_case_forces(c, solver);
    CHECK_OK(solver->backend->sums(solver, &sums));
    for (int64_t i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++) {
            const double error = fabs(got.velocity[a][i] - t->force.velocity[a][i]);
            CHECK(error <= t->may[i], "%s: particle %lld: force %.17g, expected %.17g", what,
                  (long long)i, got.velocity[a][i], t->force.velocity[a][i]);
        }
    }
    CHECK(t->sums.contacts > 100 && sums.contacts == t->sums.contacts, "%s: %g pairs, not %g", what,
          sums.contacts, t->sums.contacts);
    CHECK(fabs(sums.potential - t->sums.potential) <= t->may_sum, "%s: E %.17g, %.17g", what,
          sums.potential, t->sums.potential);
    CHECK(fabs(sums.virial - t->sums.virial) <= t->may_sum, "%s: virial %.17g, %.17g", what,
          sums.virial, t->sums.virial);
    CHECK(fabs(sums.potential_shift - t->sums.potential_shift) <=
              shift_off * fabs(t->sums.potential_shift) + 1e-15,
          "%s: shift %.17g, %.17g", what, sums.potential_shift, t->sums.potential_shift);
    solver->backend->destroy(solver);
    torre_md_particles_free(&got);
}

static void test_forces_of(int types)
{
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
            md_case c = case_of(&models[k], 0.12, (torre_md_precision)precision);
            torre_md_types table;
            if (types > 1) md_case_add_types(&c, types, &table);
            truth t = brute_force(&c, &models[k]);
            for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
                const torre_md_plan plan = {.neighbor = (torre_neighbor)neighbor, .skin = 0.3};
                check_forces(&c, &t, &plan);
            }
            torre_md_particles_free(&t.force);
            free(t.may);
            md_case_free(&c);
        }
    }
}

static void test_forces(void **state)
{
    (void)state;
    test_forces_of(1);
}

static void test_forces_of_types(void **state)
{
    (void)state;
    test_forces_of(3);
}

static void test_every_instruction_set(void **state)
{
    if (torre_cpu_get()->isa == TORRE_ISA_BASE) skip();
    for (int isa = TORRE_ISA_BASE; isa < (int)torre_cpu_get()->isa; isa++) {
        torre_md_limit_isa((torre_isa)isa);
        test_forces(state);
        test_forces_of_types(state);
    }
    torre_md_limit_isa(TORRE_ISA_AVX512);
}

/* Where a model has its energy shifted, it is that of the definition less that at the cutoff. */
static void test_shift(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        torre_md_sums sums[2];
        md_case c = case_of(&models[k], 0.12, TORRE_MD_F64);
        const torre_pair_parameter *p = torre_pair_about_model(models[k].model)->parameters;
        while (p->name && p->kind != TORRE_PARAMETER_FLAG) p++;
        for (int shifted = 0; shifted < 2 && p->name; shifted++) {
            *(bool *)((char *)&c.problem.pair + p->offset) = shifted;
            torre_md_solver *solver = md_case_solver(&c, &(torre_md_plan){0});
            CHECK_OK(solver->backend->sums(solver, &sums[shifted]));
            solver->backend->destroy(solver);
        }
        md_case_free(&c);
        if (!p->name) continue;
        /* sums of some 5000 pairs, of which less than a tenth remains: 1e-12 relative */
        const double expected = sums[0].potential - sums[0].potential_shift;
        CHECK(fabs(sums[1].potential - expected) < 1e-12 * fabs(expected), "%.17g, expected %.17g",
              sums[1].potential, expected);
        CHECK(sums[1].potential_shift == 0, "shift %g", sums[1].potential_shift);
    }
}

/* The largest change of the energy per particle that is continuous at the cutoff, in a time of 0.4
 * looked at every 0.02. */
static double energy_error(const md_case *c, int steps_each)
{
    torre_md_solver *solver = md_case_solver(c, &(torre_md_plan){.skin = 0.3});
    const double start = md_case_thermo(c, solver, 0).shifted_energy;
    double most = 0;
    for (int k = 1; k <= 20; k++) {
        CHECK_OK(solver->backend->advance(solver, steps_each));
        most = fmax(most, fabs(md_case_thermo(c, solver, k * steps_each).shifted_energy - start));
    }
    solver->backend->destroy(solver);
    return most;
}

/*
 * The error of velocity Verlet is of second order: a quarter at half the step. That of a pair that
 * crosses the cutoff, where the force jumps (not that of wca), is, too, and of random sign. Half is
 * what a first order would give.
 */
static void test_energy(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        md_case c = case_of(&models[k], 0.05, TORRE_MD_F64);
        double error[2];
        for (int half = 0; half < 2; half++) {
            c.problem.dt = half ? 0.001 : 0.002;
            error[half] = energy_error(&c, half ? 20 : 10);
        }
        CHECK(error[1] > 1e-9 && error[1] < 0.36 * error[0] && error[0] < 1e-3,
              "%s: errors %g and %g", torre_pair_model_name(models[k].model), error[0], error[1]);
        md_case_free(&c);
    }
}

static void test_lengths(void **state)
{
    (void)state;
    md_case c = case_of(&models[1], 0, TORRE_MD_F64);
    CHECK_OK(torre_md_problem_check(&c.problem));
    c.problem.cutoff = 2.5;
    CHECK(torre_md_problem_check(&c.problem) == TORRE_ERR_USAGE, "wca with a cutoff of its own");
    md_case_free(&c);
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_forces_of_types),
        cmocka_unit_test(test_every_instruction_set),
        cmocka_unit_test(test_shift),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
