/*
 * The start of many grains, which is made of copies of a block: it is what a melt of all of them
 * would be, and says nothing of where the copies lie.
 */
#include "md_case.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "particles/granular_copies.h"
#include "particles/pair_granular.h"
#include "particles/rdf.h"

static torre_granular grains(int dimensions, double filling, double side, double height)
{
    torre_granular g = {.dimensions = dimensions,
                        .size = {side, side, side},
                        .diameter = 1,
                        .mass = 1,
                        .stiffness = 1e6,
                        .restitution = 0.9,
                        .wall_restitution = 0.9,
                        .filling = filling,
                        .temperature = 1,
                        .seed = 7,
                        .sweeps = 40};
    if (dimensions == 3) g.size[2] = height;
    return g;
}

static torre_md_problem problem_of(const torre_granular *g)
{
    torre_md_problem p = {.precision = TORRE_MD_F64};
    CHECK_OK(torre_granular_problem(g, 0.5 * g->diameter, 0, &p));
    return p;
}

static torre_md_particles start_of(const torre_granular *g, const torre_md_problem *p)
{
    torre_md_particles particles;
    CHECK_OK(torre_granular_start(g, p, &particles));
    CHECK_OK(torre_md_start_check_overlap(&particles, g->diameter));
    return particles;
}

/* g(r) in shells of d/20 below three diameters. */
enum { SHELLS = 60 };

static void measure_rdf(const torre_md_problem *p, const torre_md_particles *particles,
                        double g[SHELLS], double pairs[SHELLS])
{
    torre_rdf rdf = {.problem = NULL};
    double row[TORRE_RDF_COLUMNS];
    CHECK_OK(torre_rdf_make(p, 3 * p->cutoff, SHELLS, 0, &rdf));
    torre_rdf_sample(&rdf, particles);
    for (int k = 0; k < SHELLS; k++) {
        torre_rdf_row(&rdf, k, row);
        g[k] = row[1];
        pairs[k] = row[3];
    }
    torre_rdf_free(&rdf);
}

/* The same g(r) as in a system that was melted as a whole, to five standard deviations of the
 * numbers of pairs that were counted; 2 % for what systems of different size have in common. */
static void check_melt(const torre_granular *g, const torre_md_problem *p,
                       const torre_md_particles *particles)
{
    torre_granular small = *g;
    for (int a = 0; a < g->dimensions; a++) small.size[a] = fmin(g->size[a], 200);
    if (g->dimensions == 3)
        for (int a = 0; a < 3; a++) small.size[a] = fmin(small.size[a], 40);
    double many[SHELLS], few[SHELLS], pairs[2][SHELLS];
    const torre_md_problem q = problem_of(&small);
    torre_md_particles whole = start_of(&small, &q);
    measure_rdf(p, particles, many, pairs[0]);
    measure_rdf(&q, &whole, few, pairs[1]);
    for (int k = 0; k < SHELLS; k++) {
        if (few[k] == 0 && many[k] == 0) continue;
        const double noise = sqrt(1 / fmax(pairs[0][k], 1) + 1 / fmax(pairs[1][k], 1));
        CHECK(fabs(many[k] - few[k]) < (5 * noise + 0.02) * few[k], "g of shell %d: %g, not %g", k,
              many[k], few[k]);
    }
    torre_md_particles_free(&whole);
}

/* As many near the faces where copies meet as elsewhere, to five standard deviations. */
static void check_faces(const torre_granular_copies *c, const torre_md_particles *p)
{
    for (int a = 0; a < 3; a++) {
        if (c->parts[a] == 1) continue;
        int64_t near = 0;
        for (int64_t i = 0; i < p->count; i++)
            near += fabs(remainder(p->position[a][i], c->edge[a])) < c->system->diameter;
        const double expected = (double)p->count * 2 * c->system->diameter / c->edge[a];
        CHECK(fabs((double)near - expected) < 5 * sqrt(expected),
              "axis %d: %lld near faces, not %g", a, (long long)near, expected);
    }
}

/* An edge of a copy further there are as many as anywhere: of 500 places half a diameter around
 * hold 500 times the filling, where a lattice of copies would have 500. */
static void check_period(const torre_granular_copies *c, const torre_md_particles *p)
{
    enum { PLACES = 500 };
    const double half = c->system->diameter / 2;
    for (int axis = 0; axis < 3; axis++) {
        if (c->parts[axis] == 1) continue;
        int64_t found = 0;
#pragma omp parallel for reduction(+ : found)
        for (int64_t i = 0; i < PLACES; i++) {
            for (int64_t j = 0; j < p->count; j++) {
                double square = 0;
                for (int a = 0; a < 3; a++) {
                    double r = p->position[a][j] - p->position[a][i];
                    if (a == axis) r -= c->edge[a];
                    if (r < -p->box[a] / 2) r += p->box[a];
                    if (r > p->box[a] / 2) r -= p->box[a];
                    square += r * r;
                }
                found += square < half * half;
            }
        }
        const double expected = PLACES * c->system->filling;
        CHECK(fabs((double)found - expected) < 5 * sqrt(expected), "axis %d: %lld, not %g", axis,
              (long long)found, expected);
    }
}

static void check_walls(const torre_granular *g, const torre_md_problem *p,
                        const torre_md_particles *particles)
{
    const torre_granular_parameters *walls = &p->pair.granular;
    const int axis = g->dimensions - 1;
    for (int64_t i = 0; i < particles->count; i++) {
        const double r = particles->position[axis][i];
        CHECK(r >= walls->wall_low + g->diameter / 2 && r <= walls->wall_high - g->diameter / 2,
              "particle %lld is in a wall", (long long)i);
    }
}

/* Mean squares along the axes are the temperature; their deviation is sqrt(2 / N) of it. */
static void check_velocities(const torre_granular *g, const torre_md_particles *p)
{
    const double n = (double)p->count;
    for (int a = 0; a < g->dimensions; a++) {
        double square = 0;
        for (int64_t i = 0; i < p->count; i++) square += p->velocity[a][i] * p->velocity[a][i] / n;
        CHECK(fabs(square / g->temperature - 1) < 5 * sqrt(2 / n), "axis %d: %g", a, square);
    }
}

static void check_start(const torre_granular *g)
{
    const torre_md_problem p = problem_of(g);
    torre_granular_copies copies = {.count = 0};
    CHECK_OK(torre_granular_copies_plan(g, &p, 0.1, &copies));
    CHECK(copies.count >= 8, "%lld copies", (long long)copies.count);
    CHECK(copies.first[copies.count] == p.count, "copies of %lld particles",
          (long long)copies.first[copies.count]);
    torre_md_particles start = start_of(g, &p);
    check_melt(g, &p, &start);
    check_faces(&copies, &start);
    check_period(&copies, &start);
    check_velocities(g, &start);
    if (g->walls) check_walls(g, &p, &start);
    torre_granular_copies_free(&copies);
    torre_md_particles_free(&start);
}

static void in_space(void **state)
{
    (void)state;
    const torre_granular g = grains(3, 0.4, 60, 60);
    check_start(&g);
}

static void thin(void **state)
{
    (void)state;
    const torre_granular g = grains(3, 0.05, 120, 120);
    check_start(&g);
}

static void between_walls(void **state)
{
    (void)state;
    torre_granular g = grains(3, 0.25, 150, 16); /* a block has their height */
    g.walls = true;
    check_start(&g);
}

static void in_a_plane(void **state)
{
    (void)state;
    const torre_granular g = grains(2, 0.5, 520, 0);
    check_start(&g);
}

/* The same bits on one thread and on three, and others of another seed. */
static void same_bits(void **state)
{
    (void)state;
    torre_granular g = grains(3, 0.1, 96, 96);
    const torre_md_problem p = problem_of(&g);
    torre_md_particles start[3];
    const int threads = omp_get_max_threads();
    for (int k = 0; k < 3; k++) {
        omp_set_num_threads(k ? 3 : 1);
        g.seed = k == 2 ? 8 : 7;
        start[k] = start_of(&g, &p);
    }
    omp_set_num_threads(threads);
    CHECK(md_case_difference(&start[0], &start[1]) == 0, "threads change the start");
    CHECK(md_case_difference(&start[0], &start[2]) > 0, "the seed does not change the start");
    for (int k = 0; k < 3; k++) torre_md_particles_free(&start[k]);
}

/* Numbers in copies fluctuate as they are asked to: the variance over many, to five deviations. */
static void counts_fluctuate(void **state)
{
    (void)state;
    const double fluctuation = 0.3;
    const torre_granular g = grains(3, 0.05, 600, 600);
    const torre_md_problem p = problem_of(&g);
    torre_granular_copies c = {.count = 0};
    CHECK_OK(torre_granular_copies_plan(&g, &p, fluctuation, &c));
    const double n = (double)c.count, mean = (double)p.count / n;
    double sum = 0;
    for (int64_t k = 0; k < c.count; k++)
        sum += pow((double)(c.first[k + 1] - c.first[k]) - mean, 2) / (n - 1);
    CHECK(n > 50, "%g copies", n);
    CHECK(fabs(sum / (fluctuation * mean) - 1) < 5 * sqrt(2 / n), "variance %g of %g", sum, mean);
    torre_granular_copies_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_space),      cmocka_unit_test(thin),
        cmocka_unit_test(between_walls), cmocka_unit_test(in_a_plane),
        cmocka_unit_test(same_bits),     cmocka_unit_test(counts_fluctuate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
