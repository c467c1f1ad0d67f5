#include "roofline/md_sweep.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/timer.h"
#include "particles/md_reference.h"
#include "particles/md_start.h"
#include "particles/pair_lj.h"

enum { CHECK_CELLS = 5, REPETITIONS = 9, LOOK = 8, INSIDE = 15 /* operations */ };

static const double density = 0.8442, cutoff = 2.5, pi = 3.14159265358979;

torre_ordering_words torre_md_point_ordering(const torre_md_point *point)
{
    return point->plan.sort_every == TORRE_MD_NEVER ? (torre_ordering_words){"none"}
                                                    : torre_ordering_write(&point->plan.ordering);
}

void torre_md_sweep_usual(torre_md_sweep_setting *s, bool quick)
{
    s->cells = strcmp(s->backend->name, "cuda") == 0 ? 80 : quick ? 20 : 40;
    s->seconds = quick ? 0.6 : 1.5;
}

torre_status torre_md_sweep_list(const torre_md_sweep_setting *setting,
                                 const torre_ordering_spec *orderings, int ordering_count,
                                 torre_md_point **points, int *count)
{
    static const torre_neighbor kind[] = {TORRE_NEIGHBOR_FULL, TORRE_NEIGHBOR_HALF,
                                          TORRE_NEIGHBOR_TILE};
    *count = 0;
    *points = calloc((size_t)(3 * (ordering_count + 1)), sizeof **points);
    if (!*points) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (int k = 0; k < 3; k++) {
        for (int o = -1; o < ordering_count; o++) {
            torre_md_plan *plan = &(*points)[(*count)++].plan;
            plan->neighbor = kind[k];
            plan->threads = setting->threads;
            plan->device = setting->device;
            if (o < 0)
                plan->sort_every = TORRE_MD_NEVER;
            else
                plan->ordering = orderings[o];
        }
    }
    return TORRE_OK;
}

/* The melt of LAMMPS: density 0.8442, T = 1.44, cutoff 2.5, skin 0.3, dt 0.005. */
static torre_status make_melt(int64_t cells, torre_md_precision precision,
                              torre_md_particles *particles, torre_md_problem *problem)
{
    const int64_t size[3] = {cells, cells, cells};
    TORRE_TRY(torre_md_start_fcc(size, density, particles));
    torre_md_start_velocities(particles, 1.44, 1);
    *problem = (torre_md_problem){.model = TORRE_PAIR_lj,
                                  .pair.lj = {.epsilon = 1, .sigma = 1},
                                  .cutoff = cutoff,
                                  .dt = 0.005,
                                  .precision = precision};
    torre_md_problem_set_particles(problem, particles);
    return TORRE_OK;
}

/* Off the lattice, by an eighth of the nearest distance at most, at random. */
static void displace(torre_md_particles *p)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int64_t i = 0; i < p->count; i++) {
            uint64_t h = torre_random_at(0, (uint64_t)(3 * i + axis));
            double r = p->position[axis][i] + 0.07 * (2 * torre_random_unit(h) - 1);
            p->position[axis][i] = r < 0               ? r + p->box[axis]
                                   : r >= p->box[axis] ? r - p->box[axis]
                                                       : r;
        }
    }
}

/* Sum of |f| over the partners of particle i: what rounding is judged against. */
static double force_scale(const torre_md_problem *p, int64_t i)
{
    double scale = 0;
    for (int64_t j = 0; j < p->count; j++) {
        double r2 = 0;
        for (int axis = 0; axis < 3; axis++) {
            double d = p->position[axis][i] - p->position[axis][j];
            d -= p->box[axis] * nearbyint(d / p->box[axis]);
            r2 += d * d;
        }
        if (i == j || r2 >= p->cutoff * p->cutoff) continue;
        double s6 = 1 / (r2 * r2 * r2);
        scale += fabs(24 * s6 * (2 * s6 - 1)) / sqrt(r2);
    }
    return scale;
}

static torre_status forces_of(const torre_md_problem *p, const torre_md_backend *backend,
                              const torre_md_plan *plan, double *const force[3])
{
    torre_md_solver *solver;
    TORRE_TRY(torre_md_solver_new(backend, p, plan, &solver));
    torre_status status = backend->set_particles(solver, p->position, p->velocity);
    if (!status) status = backend->get_forces(solver, force);
    backend->destroy(solver);
    return status;
}

/*
 * The largest error of a force over what rounding explains: positions rounded to eps L make a
 * distance wrong by 2 eps L and a force that falls like r^-13 by 26 eps L / r of itself, r >= 0.8;
 * formula and sum add less than 80 eps.
 */
static double worst_error(const torre_md_problem *p, double *const a[3], double *const b[3])
{
    double eps = p->precision == TORRE_MD_F64 ? DBL_EPSILON : FLT_EPSILON, worst = 0;
    double relative = (26 * p->box[0] / 0.8 + 80) * eps;
    for (int64_t i = 0; i < p->count; i++) {
        double scale = relative * force_scale(p, i);
        for (int axis = 0; axis < 3; axis++) {
            double error = fabs(a[axis][i] - b[axis][i]) / scale;
            if (!(error <= worst)) worst = isfinite(error) ? error : INFINITY;
        }
    }
    return worst;
}

static torre_status check(const torre_md_sweep_setting *s, torre_md_point *point)
{
    torre_md_particles start, forces[2] = {{0}, {0}};
    torre_md_problem problem;
    torre_md_plan oracle = {0};
    TORRE_TRY(make_melt(CHECK_CELLS, s->precision, &start, &problem));
    displace(&start);
    torre_status status = torre_md_particles_new(start.count, &forces[0]);
    if (!status) status = torre_md_particles_new(start.count, &forces[1]);
    torre_md_problem exact = problem;
    exact.precision = TORRE_MD_F64; /* the only one that the reference knows */
    if (!status) status = forces_of(&exact, &torre_md_reference, &oracle, forces[0].position);
    if (!status) {
        status = forces_of(&problem, s->backend, &point->plan, forces[1].position);
        if (!status)
            point->check_difference = worst_error(&problem, forces[0].position, forces[1].position);
    }
    point->check_allowed = 1;
    torre_md_particles_free(&start);
    for (int i = 0; i < 2; i++) torre_md_particles_free(&forces[i]);
    return status;
}

static void bind(const torre_md_sweep_setting *s, torre_md_point *p)
{
    const torre_ceiling *c = s->machine->ceiling;
    bool once = p->plan.neighbor == TORRE_NEIGHBOR_HALF;
    bool lists = p->plan.neighbor != TORRE_NEIGHBOR_TILE;
    double value = s->precision == TORRE_MD_F32 ? 4 : 8;
    double pairs = p->neighbors * (once ? 0.5 : 1);
    double inside = 4 / 3.0 * pi * cutoff * cutoff * cutoff * density * (once ? 0.5 : 1);
    p->ceiling = s->precision == TORRE_MD_F64 ? TORRE_F64_STENCIL : TORRE_F32_STENCIL;
    p->operations_per_step = LOOK * pairs + INSIDE * inside;
    p->bytes_per_step = 18 * value + (lists ? 4 * pairs : 0);
    p->bound = 1e3 * c[p->ceiling].high / p->operations_per_step;
    double memory = 1e3 * c[TORRE_DRAM_MIX].high / p->bytes_per_step;
    if (memory > 0 && memory < p->bound) {
        p->bound = memory;
        p->ceiling = TORRE_DRAM_MIX;
    }
}

/* Whole rebuild intervals: 20 steps to warm up, then repetitions of 20 or a multiple of it. */
static torre_status repeat(const torre_md_sweep_setting *s, torre_md_solver *solver, int64_t count,
                           torre_md_point *p)
{
    double rate[REPETITIONS], spent = 0, start = torre_time_now();
    torre_md_sums sums;
    int n = 0;
    TORRE_TRY(s->backend->advance(solver, 20));
    double once = torre_time_now() - start, aim = s->seconds / 5;
    p->steps = 20 * (once < aim ? (int64_t)(aim / fmax(once, 1e-6)) : 1);
    while (n < 3 || (n < REPETITIONS && spent + spent / n < s->seconds)) {
        start = torre_time_now();
        TORRE_TRY(s->backend->advance(solver, p->steps));
        double seconds = torre_time_now() - start;
        rate[n++] = (double)count * (double)p->steps / seconds / 1e6;
        spent += seconds;
    }
    p->repetitions = n;
    p->matom_steps_per_s = torre_median(rate, n);
    p->low = rate[0];
    p->high = rate[n - 1];
    TORRE_TRY(s->backend->sums(solver, &sums));
    p->neighbors = sums.neighbors;
    return TORRE_OK;
}

static torre_status time_point(const torre_md_sweep_setting *s, torre_md_point *point)
{
    torre_md_particles particles;
    torre_md_problem problem;
    torre_md_solver *solver = NULL;
    TORRE_TRY(make_melt(s->cells, s->precision, &particles, &problem));
    torre_status status = torre_md_solver_new(s->backend, &problem, &point->plan, &solver);
    if (!status) {
        status = s->backend->set_particles(solver, problem.position, problem.velocity);
        if (!status) status = repeat(s, solver, particles.count, point);
        s->backend->destroy(solver);
    }
    torre_md_particles_free(&particles);
    if (!status) bind(s, point);
    return status;
}

static void note(torre_md_point *point, torre_point_state state, const char *text)
{
    point->state = state;
    snprintf(point->remark, sizeof point->remark, "%s", text);
}

torre_status torre_md_sweep_measure(const torre_md_sweep_setting *s, torre_md_point *point)
{
    point->state = TORRE_POINT_TIMED;
    torre_status status = check(s, point);
    if (!status && !(point->check_difference <= point->check_allowed)) {
        note(point, TORRE_POINT_WRONG, "forces differ from the reference by more than rounding");
        return TORRE_OK;
    }
    if (!status) status = time_point(s, point);
    if (status != TORRE_ERR_USAGE) return status;
    note(point, TORRE_POINT_REFUSED, torre_error_text());
    return TORRE_OK;
}
