/*
 * No pair is lost: with the defaults the sums of every step are those of all pairs inside the
 * cutoff at the positions of that step, whatever the search, the ordering and the precision, and
 * however fast particles are. The argument names the backend.
 */
#include "md_case.h"

#include <math.h>
#include <string.h>

/* Steps enough for several rebuilds, also where they come every 20. */
enum { STEPS = 64, CELLS = 5 };

/* Pairs inside the cutoff, their energy, and by how much these may be off. */
typedef struct pair_count {
    double pairs, energy, doubtful, rounding;
} pair_count;

/*
 * All pairs, from positions that are exact: those of the solver's storage. A separation of the
 * solver is off by `unit` (2^-53 or 2^-24) of the length of the tile or list that it is found in,
 * below 16; pairs that near the cutoff may be counted or not. The energy of a pair, of less than 1,
 * is off by |F| times that and by 4 units; that of a particle, a sum of 60 that stays below 16, by
 * sqrt(60) 16 units more; sums over all, here and there, by 2^-53 of the whole for each of their
 * terms. All these have random signs: five times the root of the sum of squares bounds the sum.
 */
static pair_count count_pairs(const md_case *c, const torre_md_particles *p)
{
    const double unit = c->problem.precision == TORRE_MD_F64 ? 0x1p-53 : 0x1p-24;
    const double cut = c->problem.cutoff * c->problem.cutoff;
    const double blur = 2 * c->problem.cutoff * 16 * 2 * unit;
    pair_count n = {0};
    double square = 0;
    for (int64_t i = 0; i < p->count; i++) {
        for (int64_t j = 0; j < i; j++) {
            double rsq = 0;
            for (int a = 0; a < 3; a++) {
                double d = p->position[a][i] - p->position[a][j];
                d -= p->box[a] * rint(d / p->box[a]);
                rsq += d * d;
            }
            if (rsq > cut + blur) continue;
            n.doubtful += fabs(rsq - cut) <= blur;
            if (rsq >= cut) continue;
            double r6 = 1 / (rsq * rsq * rsq), force = 24 * r6 * (2 * r6 - 1) / sqrt(rsq);
            double off = fabs(force) * 32 * unit + 4 * unit;
            n.pairs++;
            n.energy += 4 * r6 * (r6 - 1);
            square += off * off;
        }
    }
    double sums = n.energy * 0x1p-53 * sqrt(2 * n.pairs), each = 16 * unit * sqrt(60);
    square += sums * sums + (double)p->count * each * each;
    n.rounding = 5 * sqrt(square) + 0.0164 * n.doubtful;
    return n;
}

static void check_sums(const md_case *c, torre_md_solver *solver, int step, const char *what)
{
    torre_md_sums sums;
    torre_md_particles now = md_case_particles(c, solver);
    CHECK_OK(solver->backend->sums(solver, &sums));
    const pair_count all = count_pairs(c, &now);
    CHECK(fabs(sums.contacts - all.pairs) <= all.doubtful, "%s, step %d: %.0f of %.0f pairs", what,
          step, sums.contacts, all.pairs);
    /* a pair at the cutoff has an energy of -0.0163: one that is lost must show */
    CHECK(all.doubtful > 0 || all.rounding < 0.008, "step %d: no test, %g", step, all.rounding);
    CHECK(fabs(sums.potential - all.energy) <= all.rounding,
          "%s, step %d: potential %.9f, not %.9f; allowed %g", what, step, sums.potential,
          all.energy, all.rounding);
    torre_md_particles_free(&now);
}

static torre_md_counts counts_of(const torre_md_solver *solver)
{
    torre_md_times times;
    torre_md_counts counts;
    solver->backend->times(solver, &times, &counts);
    return counts;
}

static void check_run(const md_case *c, const torre_md_plan *plan, const char *what)
{
    torre_md_solver *solver = md_case_solver(c, plan);
    for (int step = 1; step <= STEPS; step++) {
        CHECK_OK(solver->backend->advance(solver, 1));
        check_sums(c, solver, step, what);
    }
    const torre_md_counts counts = counts_of(solver);
    CHECK(counts.dangerous_builds == 0, "%s: %lld dangerous builds", what,
          (long long)counts.dangerous_builds);
    CHECK(counts.builds >= 3 && counts.builds < STEPS / 4, "%s: %lld builds", what,
          (long long)counts.builds);
    solver->backend->destroy(solver);
}

static void test_defaults(void **state)
{
    (void)state;
    for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
        for (int k = 0; k < 9; k++) {
            md_case c = md_case_melt(CELLS, CELLS, CELLS, (torre_md_precision)precision);
            torre_md_plan plan = {.neighbor = (torre_neighbor)(TORRE_NEIGHBOR_FULL + k % 3)};
            plan.ordering.kind = k / 3 == 1 ? TORRE_HILBERT : TORRE_ROW_MAJOR;
            if (k / 3 == 2) plan.sort_every = TORRE_MD_NEVER;
            char what[64];
            snprintf(what, sizeof what, "%s %s, storage %d",
                     torre_md_precision_name((torre_md_precision)precision),
                     torre_neighbor_name(plan.neighbor), k / 3);
            check_run(&c, &plan, what);
            md_case_free(&c);
        }
    }
}

/* Particles that cross half the skin in a step: lists are made anew each time, and that is told. */
static void test_fast_particles(void **state)
{
    (void)state;
    for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
        md_case c = md_case_melt(CELLS, CELLS, CELLS, TORRE_MD_F64);
        const torre_md_plan plan = {.neighbor = (torre_neighbor)neighbor, .skin = 0.02};
        torre_md_solver *solver = md_case_solver(&c, &plan);
        for (int step = 1; step <= 20; step++) {
            CHECK_OK(solver->backend->advance(solver, 1));
            check_sums(&c, solver, step, torre_neighbor_name(plan.neighbor));
        }
        const torre_md_counts counts = counts_of(solver);
        CHECK(counts.dangerous_builds > 10, "%lld dangerous builds",
              (long long)counts.dangerous_builds);
        solver->backend->destroy(solver);
        md_case_free(&c);
    }
}

/*
 * The energy of a run with the defaults is that of lists made in every step: only the order of sums
 * differs, by 2^-53 of a force in f64, and what grows of that (e^1.75 in the time of 0.5,
 * test_md_melt.c) changes the energy, which is conserved, by nothing more. In f32 each of 100 kicks
 * and drifts is rounded by 2^-24 of a velocity or coordinate, differently in the two runs: m v dv
 * of a particle is off by at most 100 * 2^-24 * 2, F dr by 100 * 2^-24 * 9 (the box) * 30 (the
 * largest force), of random sign among N particles.
 */
static void test_energy(void **state)
{
    (void)state;
    for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
        for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
            md_case c = md_case_melt(CELLS, CELLS, CELLS, (torre_md_precision)precision);
            double energy[2];
            for (int k = 0; k < 2; k++) {
                const torre_md_plan plan = {.neighbor = (torre_neighbor)neighbor,
                                            .ordering = {.kind = TORRE_HILBERT},
                                            .rebuild_every = k};
                torre_md_solver *solver = md_case_solver(&c, &plan);
                CHECK_OK(solver->backend->advance(solver, 100));
                energy[k] = md_case_thermo(&c, solver, 100).shifted_energy;
                solver->backend->destroy(solver);
            }
            double allowed = 100 * (2 + 9 * 30) / sqrt((double)c.particles.count);
            allowed *= precision == TORRE_MD_F64 ? 0x1p-53 : 0x1p-24;
            CHECK(fabs(energy[0] - energy[1]) <= allowed, "%s: energy %.12f, not %.12f (%g)",
                  torre_neighbor_name((torre_neighbor)neighbor), energy[0], energy[1], allowed);
            md_case_free(&c);
        }
    }
}

/* The same bits however a run is cut: rebuilds come at the same steps. */
static void test_cuts(void **state)
{
    (void)state;
    for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
        for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
            md_case c = md_case_melt(CELLS, 5, CELLS, (torre_md_precision)precision);
            const torre_md_plan plan = {.neighbor = (torre_neighbor)neighbor,
                                        .deterministic = true};
            static const int64_t pieces[2][5] = {{90}, {1, 1, 30, 11, 47}};
            torre_md_particles end[2];
            int64_t builds[2];
            for (int k = 0; k < 2; k++) {
                torre_md_solver *solver = md_case_solver(&c, &plan);
                for (int n = 0; n < 5; n++)
                    CHECK_OK(solver->backend->advance(solver, pieces[k][n]));
                end[k] = md_case_particles(&c, solver);
                builds[k] = counts_of(solver).builds;
                solver->backend->destroy(solver);
            }
            CHECK(builds[0] == builds[1], "%lld builds, then %lld", (long long)builds[0],
                  (long long)builds[1]);
            double difference = md_case_difference(&end[0], &end[1]);
            CHECK(difference == 0, "%s %s: cut runs differ by %g",
                  torre_md_precision_name((torre_md_precision)precision),
                  torre_neighbor_name((torre_neighbor)neighbor), difference);
            for (int k = 0; k < 2; k++) torre_md_particles_free(&end[k]);
            md_case_free(&c);
        }
    }
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_fast_particles),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
