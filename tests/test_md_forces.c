/*
 * Forces, energy and virial of every sweep, precision, ordering and bin size against a plain sum
 * over all pairs.
 *
 * Tolerance. Positions are rounded to eps L (relative precision eps of the pair arithmetic, box
 * edge L), so a distance r is wrong by at most about 2 eps L, and a force that falls like r^-13 by
 * 13 * 2 eps L / r of itself, r >= 0.8 here; rounding in the formula adds about 20 eps, the sum
 * over the partners less than 60 eps. Together below (26 L / 0.8 + 80) eps times the sum of |f|.
 * The same holds for the energy and virial, with the sum of |f| r below 2.5 times that.
 */
#include "md_case.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "particles/md_store.h"

static double eps_of(torre_md_precision precision)
{
    return precision == TORRE_MD_F64 ? DBL_EPSILON : FLT_EPSILON;
}

static void check_forces(const md_case *c, const torre_md_plan *plan, const char *what)
{
    const int64_t n = c->particles.count;
    double *scale = malloc((size_t)n * sizeof *scale), total = 0;
    CHECK(scale, "no memory");
    torre_md_sums expected, sums;
    torre_md_particles force = md_case_brute_force(c, scale, &expected);
    torre_md_solver *solver = md_case_solver(c, plan);
    torre_md_particles got = md_case_forces(c, solver);
    CHECK_OK(solver->backend->sums(solver, &sums));
    double edge = fmax(c->particles.box[0], fmax(c->particles.box[1], c->particles.box[2]));
    double relative = (26 * edge / 0.8 + 80) * eps_of(c->problem.precision);
    for (int64_t i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++) {
            double error = fabs(got.velocity[a][i] - force.velocity[a][i]);
            CHECK(error <= relative * scale[i], "%s: particle %lld: force %.17g, expected %.17g",
                  what, (long long)i, got.velocity[a][i], force.velocity[a][i]);
        }
        total += 2.5 * scale[i];
    }
    CHECK(fabs(sums.potential - expected.potential) <= relative * total, "%s: E %.17g, %.17g", what,
          sums.potential, expected.potential);
    CHECK(fabs(sums.virial - expected.virial) <= relative * total, "%s: virial %.17g, %.17g", what,
          sums.virial, expected.virial);
    CHECK(fabs(sums.potential_shift - expected.potential_shift) <= 1e-9 * total,
          "%s: shift %.17g, %.17g", what, sums.potential_shift, expected.potential_shift);
    solver->backend->destroy(solver);
    torre_md_particles_free(&force);
    torre_md_particles_free(&got);
    free(scale);
}

static void test_every_sweep(void **state)
{
    (void)state;
    for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
        md_case c = md_case_rough(4, 6, 5, 0.12, (torre_md_precision)precision);
        for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
            char what[64];
            snprintf(what, sizeof what, "%s %s",
                     torre_md_precision_name((torre_md_precision)precision),
                     torre_neighbor_name((torre_neighbor)neighbor));
            torre_md_plan plan = {.neighbor = (torre_neighbor)neighbor};
            check_forces(&c, &plan, what);
            plan.deterministic = true;
            check_forces(&c, &plan, what);
        }
        md_case_free(&c);
    }
}

/* What the processor can do, not only the best of it. */
static void test_every_instruction_set(void **state)
{
    if (torre_cpu_get()->isa == TORRE_ISA_BASE) skip();
    for (int isa = TORRE_ISA_BASE; isa < (int)torre_cpu_get()->isa; isa++) {
        torre_md_limit_isa((torre_isa)isa);
        test_every_sweep(state);
    }
    torre_md_limit_isa(TORRE_ISA_AVX512);
}

static void test_every_ordering(void **state)
{
    (void)state;
    md_case c = md_case_rough(4, 4, 7, 0.12, TORRE_MD_F64);
    for (int kind = 0; kind < TORRE_ORDERING_KINDS; kind++) {
        torre_md_plan plan = {.ordering = {.kind = (torre_ordering_kind)kind}, .bin_size = 1.4};
        torre_ordering ordering;
        const int64_t bins[3] = {4, 4, 8};
        if (!torre_ordering_make_spec(&plan.ordering, 3, bins, &ordering, NULL)) continue;
        check_forces(&c, &plan, torre_ordering_write(&plan.ordering).text);
        plan.neighbor = TORRE_NEIGHBOR_HALF;
        check_forces(&c, &plan, torre_ordering_write(&plan.ordering).text);
        plan.neighbor = TORRE_NEIGHBOR_TILE;
        check_forces(&c, &plan, torre_ordering_write(&plan.ordering).text);
    }
    torre_md_plan none = {.sort_every = TORRE_MD_NEVER};
    check_forces(&c, &none, "none");
    md_case_free(&c);
}

static void test_every_bin_size(void **state)
{
    (void)state;
    /* A long and thin box, one and two bins across at the largest size. */
    md_case c = md_case_rough(4, 4, 12, 0.12, TORRE_MD_F64);
    const double sizes[] = {0.5, 0.7, 0.95, 1.4, 2.0, 2.8, 3.3};
    for (int k = 0; k < 7; k++) {
        for (int stencil = TORRE_STENCIL_BLOCK; stencil <= TORRE_STENCIL_SPHERICAL; stencil++) {
            torre_md_plan plan = {.bin_size = sizes[k], .bin_stencil = (torre_bin_stencil)stencil};
            check_forces(&c, &plan, "full");
            plan.neighbor = TORRE_NEIGHBOR_TILE;
            check_forces(&c, &plan, "tile");
        }
    }
    md_case_free(&c);
}

static void test_shift(void **state)
{
    (void)state;
    md_case c = md_case_rough(4, 4, 4, 0.12, TORRE_MD_F64);
    const torre_md_plan plan = {0};
    torre_md_sums plain, shifted;
    torre_md_solver *solver = md_case_solver(&c, &plan);
    CHECK_OK(solver->backend->sums(solver, &plain));
    solver->backend->destroy(solver);
    c.problem.pair.lj.shift = true;
    solver = md_case_solver(&c, &plan);
    CHECK_OK(solver->backend->sums(solver, &shifted));
    solver->backend->destroy(solver);
    /* sums of some 7000 pairs that cancel to a tenth: 1e-12 relative */
    double expected = plain.potential - plain.potential_shift;
    CHECK(fabs(shifted.potential - expected) < 1e-12 * fabs(expected), "%.17g, expected %.17g",
          shifted.potential, expected);
    CHECK(shifted.potential_shift == 0, "shift %g", shifted.potential_shift);
    CHECK(shifted.virial == plain.virial, "the virial changed");
    md_case_free(&c);
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_sweep),    cmocka_unit_test(test_every_instruction_set),
        cmocka_unit_test(test_every_ordering), cmocka_unit_test(test_every_bin_size),
        cmocka_unit_test(test_shift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
