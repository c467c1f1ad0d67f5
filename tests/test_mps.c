/*
 * The moving-particle method: norms, the Courant limit, a step against the definition, momentum and
 * energy, walls, still water, the collapse of a column, orderings, threads and backends against
 * each other, and what is refused. The backend is the first argument, "cpu" without one; with
 * "small" behind it some steps alone are compared, for a GPU whose kernels run on a CPU.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/random.h"
#include "particles/md_run.h"
#include "particles/mps_tank.h"

static const char *backend_name = "cpu";

/* A problem and the particles it points to. */
typedef struct mps_case {
    torre_mps_tank tank;
    torre_mps_layout layout;
    torre_md_particles particles;
    torre_md_problem problem;
} mps_case;

static mps_case make_case(int dims, double spacing, const double column[2], const double size[3],
                          torre_md_precision precision)
{
    mps_case c = {.tank = {.dims = dims,
                           .spacing = spacing,
                           .influence = (dims == 2 ? 2.1 : 2.35) * spacing,
                           .column = {column[0], column[1]},
                           .size = {size[0], size[1], size[2]}}};
    CHECK_OK(torre_mps_tank_layout(&c.tank, &c.layout));
    CHECK_OK(torre_mps_tank_make(&c.tank, &c.particles));
    c.problem = (torre_md_problem){.mps = {.density = 1000,
                                           .viscosity = 1e-6,
                                           .gravity = 9.81,
                                           .sound_speed = 10 * sqrt(2 * 9.81 * column[1]),
                                           .surface = 0.97},
                                   .precision = precision};
    torre_mps_tank_problem(&c.tank, &c.layout, &c.problem);
    torre_md_problem_set_particles(&c.problem, &c.particles);
    c.problem.dt = 0.9 * torre_mps_dt_limit(&c.problem);
    return c;
}

/* A column of 6 x 8 spacings of 1 cm in a tank of 12 x 10 (x 6). */
static mps_case small_case(int dims, torre_md_precision precision)
{
    return make_case(dims, 0.01, (double[2]){0.06, 0.08}, (double[3]){0.12, 0.1, 0.06}, precision);
}

/* Displace the fluid by up to amplitude spacings along each axis and give it velocities. */
static void shake(mps_case *c, double amplitude)
{
    for (int64_t i = 0; i < c->problem.mps.fluid; i++) {
        for (int a = 0; a < c->problem.dimensions; a++) {
            double x = 2 * torre_random_uniform(7, 1, (uint64_t)(6 * i + a)) - 1;
            double u = 2 * torre_random_uniform(7, 1, (uint64_t)(6 * i + 3 + a)) - 1;
            double *r = &c->particles.position[a][i], edge = c->problem.box[a];
            *r += amplitude * c->problem.mps.spacing * x;
            *r -= edge * floor(*r / edge);
            c->particles.velocity[a][i] = 0.3 * u;
        }
    }
}

static torre_md_run *start(const char *backend, const mps_case *c, const torre_md_plan *plan)
{
    torre_md_run *run;
    CHECK_OK(torre_md_run_new(&c->problem, backend, plan, &run));
    CHECK_OK(torre_md_run_start(run, NULL));
    return run;
}

/* Advance, and have the state. */
static void advance(torre_md_run *run, int64_t steps)
{
    CHECK_OK(torre_md_run_advance(run, steps, NULL));
    CHECK_OK(torre_mps_measure_fetch(run->fluid));
}

/* n0, lambda0 and n_grad against sums over an explicit block of points, by squared distance. */
static void test_norms(void **state)
{
    (void)state;
    for (int dims = 2; dims <= 3; dims++) {
        for (double reach = 1.5; reach <= 4; reach += 0.17) {
            double spacing = 0.003, n0 = 0, second = 0, grad = 0;
            int points[200] = {0}; /* lattice points at squared distance s */
            for (int i = -5; i <= 5; i++)
                for (int j = -5; j <= 5; j++)
                    for (int k = -5; k <= 5; k++)
                        if (dims == 3 || k == 0) points[i * i + j * j + k * k]++;
            for (int s = 1; s < 200; s++) {
                double r = sqrt(s) * spacing, radius = reach * spacing;
                if (r >= radius) continue;
                n0 += points[s] * (radius / r - 1);
                second += points[s] * (radius / r - 1) * r * r;
                grad += points[s] * radius / r;
            }
            torre_mps_norms n = torre_mps_norms_of(dims, spacing, reach * spacing);
            CHECK(fabs(n.n0 / n0 - 1) < 1e-12, "%d-D, r_e %g: n0 %.15g, not %.15g", dims, reach,
                  n.n0, n0);
            CHECK(fabs(n.lambda0 / (second / n0) - 1) < 1e-12, "lambda0 %.15g, not %.15g",
                  n.lambda0, second / n0);
            CHECK(fabs(n.n_grad / grad - 1) < 1e-12, "n_grad %.15g, not %.15g", n.n_grad, grad);
        }
    }
    /* 3-D, r_e = 2.1 by hand: 6 (1.1) + 12 (2.1/sqrt 2 - 1) + 8 (2.1/sqrt 3 - 1) + 6 (0.05) */
    double n0 = torre_mps_norms_of(3, 1, 2.1).n0;
    CHECK(fabs(n0 - 14.41858) < 1e-5, "n0 = %.7g", n0);
}

/* Vector from i to the nearest image of j, and its length. */
static double separation(const mps_case *c, double *const r[3], int64_t i, int64_t j, double d[3])
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = r[a][j] - r[a][i];
        d[a] -= c->problem.box[a] * rint(d[a] / c->problem.box[a]);
        square += d[a] * d[a];
    }
    return sqrt(square);
}

static double weight(double r, double influence) { return r < influence ? influence / r - 1 : 0; }

/* A step by the formulas of mps.h over all pairs; particles become those after it. */
static void step_by_definition(const mps_case *c, torre_md_particles *p, double *pressure,
                               double *density, double *collision)
{
    const torre_md_problem *q = &c->problem;
    const torre_mps_norms norms = torre_mps_norms_of(q->dimensions, q->mps.spacing, q->cutoff);
    torre_md_particles change;
    CHECK_OK(torre_md_particles_new(q->count, &change));
    double d[3];
    for (int64_t i = 0; i < q->mps.fluid; i++) {
        for (int64_t j = 0; j < q->count; j++) {
            if (i == j) continue;
            double w = weight(separation(c, p->position, i, j, d), q->cutoff);
            for (int a = 0; a < 3; a++)
                change.velocity[a][i] += q->mps.viscosity * 2 * q->dimensions /
                                         (norms.lambda0 * norms.n0) *
                                         (p->velocity[a][j] - p->velocity[a][i]) * w;
        }
        change.velocity[1][i] -= q->mps.gravity;
    }
    for (int64_t i = 0; i < q->mps.fluid; i++)
        for (int a = 0; a < 3; a++) {
            p->velocity[a][i] += q->dt * change.velocity[a][i];
            p->position[a][i] += q->dt * p->velocity[a][i];
        }
    for (int64_t i = 0; i < q->count; i++) {
        density[i] = pressure[i] = 0;
        for (int64_t j = 0; j < q->count && i < q->mps.fluid + q->mps.wall; j++)
            if (i != j) density[i] += weight(separation(c, p->position, i, j, d), q->cutoff);
        if (density[i] > norms.n0)
            pressure[i] = q->mps.sound_speed * q->mps.sound_speed * q->mps.density / norms.n0 *
                          (density[i] - norms.n0);
    }
    const double l0 = q->mps.spacing, speed = q->mps.sound_speed;
    for (int64_t i = 0; i < q->mps.fluid; i++)
        for (int64_t j = 0; j < q->count; j++) {
            if (i == j) continue;
            double r = separation(c, p->position, i, j, d), overlap = fmax(0, 0.9 * l0 - r);
            if (r >= q->cutoff) continue;
            for (int a = 0; a < 3; a++) {
                change.position[a][i] -= q->dimensions / (q->mps.density * norms.n_grad) *
                                         (pressure[i] + pressure[j]) * d[a] / (r * r) * q->cutoff /
                                         r;
                change.position[a][i] -= pow(speed / l0, 2) * overlap * d[a] / r;
            }
        }
    for (int64_t i = 0; i < q->mps.fluid; i++)
        for (int a = 0; a < 3; a++) {
            p->velocity[a][i] += q->dt * change.position[a][i];
            p->position[a][i] += q->dt * q->dt * change.position[a][i];
        }
    for (int64_t i = 0; i < q->count; i++) {
        collision[i] = 0;
        for (int64_t j = 0; j < q->count && i < q->mps.fluid + q->mps.wall; j++) {
            if (i == j) continue;
            double overlap = fmax(0, 0.9 * l0 - separation(c, p->position, i, j, d));
            collision[i] += speed * speed / 4 * pow(overlap / l0, 2);
        }
    }
    torre_md_particles_free(&change);
}

/* Largest differences between a run and particles: positions in spacings, velocities in m/s. */
static void compare(const mps_case *c, const torre_md_run *run, const torre_md_particles *p,
                    double *position, double *velocity)
{
    *position = *velocity = 0;
    for (int64_t i = 0; i < c->problem.count; i++)
        for (int a = 0; a < 3; a++) {
            double d = run->fluid->now.position[a][i] - p->position[a][i];
            d -= c->problem.box[a] * rint(d / c->problem.box[a]);
            *position = fmax(*position, fabs(d) / c->problem.mps.spacing);
            *velocity = fmax(*velocity, fabs(run->fluid->now.velocity[a][i] - p->velocity[a][i]));
        }
}

/*
 * Three steps from a rough start, against the definition. Rounding: a number density is a sum of
 * some 60 terms up to about 5, so P is off by about 60 eps c^2 rho, and u after a step by
 * dt/(rho l0) times the number of neighbours times that, C c 60 60 eps with C = c dt/l0 < 0.3; the
 * positions themselves carry eps times the box (15 spacings), which moves n by about eps 15 60 and
 * the forces of collisions by far less than those of the pressure. The energy of a particle's
 * collisions, at most 12 pairs that overlap by less than half a spacing, is off by c^2/2 12/2 times
 * the error of two positions, in spacings.
 */
static void test_definition(void **state)
{
    (void)state;
    for (int dims = 2; dims <= 3; dims++) {
        for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
            mps_case c = small_case(dims, (torre_md_precision)precision);
            shake(&c, 0.15);
            c.problem.mps.viscosity = 0.01; /* enough to be seen */
            c.problem.dt = 0.9 * torre_mps_dt_limit(&c.problem);
            torre_md_plan plan = {0};
            torre_md_run *run = start(backend_name, &c, &plan);
            double *pressure = calloc((size_t)c.problem.count, sizeof *pressure);
            double *density = calloc((size_t)c.problem.count, sizeof *density), most = 0;
            double *collision = calloc((size_t)c.problem.count, sizeof *collision), heat = 0,
                   all = 0;
            for (int n = 0; n < 3; n++)
                step_by_definition(&c, &c.particles, pressure, density, collision);
            advance(run, 3);
            double r, u, eps = precision == TORRE_MD_F64 ? 2.3e-16 : 1.2e-7;
            compare(&c, run, &c.particles, &r, &u);
            for (int64_t i = 0; i < c.problem.count; i++) {
                most = fmax(most, fabs(density[i] - run->fluid->number_density[i]));
                heat = fmax(heat, fabs(collision[i] - run->fluid->collision[i]));
                all += collision[i];
            }
            double bound = 3 * 0.3 * c.problem.mps.sound_speed * 3600 * eps;
            CHECK(u < bound, "%d-D, %s: velocities differ by %.3g m/s, more than %.3g", dims,
                  torre_md_precision_name((torre_md_precision)precision), u, bound);
            CHECK(r < 3 * 0.3 * 3600 * eps, "positions differ by %.3g spacings", r);
            CHECK(most < 4 * 900 * eps, "number densities differ by %.3g", most);
            double square = c.problem.mps.sound_speed * c.problem.mps.sound_speed;
            CHECK(heat < square * 3 * 2 * (3 * 0.3 * 3600 + 15) * eps, "collisions differ by %.3g",
                  heat);
            CHECK(all > 1e-3 * square, "nothing collides: %.3g", all);
            free(pressure);
            free(density);
            free(collision);
            torre_md_run_free(run);
            torre_md_particles_free(&c.particles);
        }
    }
}

/* Free fall and no walls within reach: momentum changes by the weight alone, and a drop at rest
 * without gravity stays where it is. */
static void test_momentum(void **state)
{
    (void)state;
    mps_case c =
        make_case(3, 0.01, (double[2]){0.06, 0.08}, (double[3]){0.3, 0.5, 0.06}, TORRE_MD_F64);
    shake(&c, 0.1);
    for (int64_t i = 0; i < c.problem.mps.fluid; i++)
        for (int a = 0; a < 2; a++) c.particles.position[a][i] += 0.1;
    torre_md_plan plan = {0};
    torre_md_run *run = start(backend_name, &c, &plan);
    torre_mps_row before = run->fluid->row;
    advance(run, 50);
    double mass = 1000 * 1e-6 * (double)c.problem.mps.fluid;
    double scale = mass * run->fluid->row.speed;
    double fall = -mass * 9.81 * run->fluid->row.time;
    const double expected[3] = {0, fall, 0};
    for (int a = 0; a < 3; a++) {
        double change = run->fluid->row.momentum[a] - before.momentum[a];
        CHECK(fabs(change - expected[a]) < 1e-11 * scale, "momentum %d: %.15g, not %.15g", a,
              change, expected[a]);
    }
    torre_md_run_free(run);
    torre_md_particles_free(&c.particles);
}

/*
 * A drop of colliding particles without walls in reach: its energy never grows, from step to step.
 * A linear wave of the scheme, with h = omega dt, takes u and r' to (1 - h^2) u - h (1 - h^2) omega
 * r' and (1 - h^2) r' + h u/omega, which shrinks u^2 + (omega r')^2 whatever h < 1; a free fall
 * takes (g dt)^2/2. What is left is rounding.
 */
static void test_energy(void **state)
{
    (void)state;
    mps_case c =
        make_case(3, 0.01, (double[2]){0.06, 0.08}, (double[3]){0.3, 0.5, 0.06}, TORRE_MD_F64);
    shake(&c, 0.2);
    for (int64_t i = 0; i < c.problem.mps.fluid; i++)
        for (int a = 0; a < 2; a++) c.particles.position[a][i] += 0.1;
    torre_md_plan plan = {0};
    torre_md_run *run = start(backend_name, &c, &plan);
    advance(run, 1); /* to where r and r' are a step apart */
    double first = torre_mps_row_energy(&run->fluid->row), before = first, most = 0;
    CHECK(run->fluid->row.elastic > 0.01 * run->fluid->row.kinetic, "nothing is compressed");
    for (int n = 0; n < 200; n++) {
        advance(run, 1);
        double energy = torre_mps_row_energy(&run->fluid->row);
        CHECK(energy < before + 1e-12 * first, "step %d: energy rose by %.3g of %.6g J", n + 2,
              energy - before, first);
        most = fmax(most, before - energy);
        before = energy;
    }
    CHECK(before > 0.5 * first && most < 0.1 * first, "energy falls from %.6g to %.6g J", first,
          before);
    torre_md_run_free(run);
    torre_md_particles_free(&c.particles);
}

/*
 * Lone particles, shot at a tenth of the sound speed (the fastest that a fall reaches) at the gaps
 * between the particles of walls and floor, and one that lies there: none gets further than a tenth
 * of a spacing beyond the inner faces, and none is stuck in a wall or gets faster.
 */
static void test_walls(void **state)
{
    (void)state;
    static const double at[6][3] = {{10.5, 5, 3}, {1.5, 7, 2},    {4, 1.5, 3},
                                    {8, 8.5, 1},  {10.5, 1.5, 4}, {6, 0.7, 2}};
    static const double v[6][3] = {{2, 0, 0}, {-2, 0, 0}, {0, -2, 0}, {0, 2, 0}, {1.4, -1.4, 0}};
    const double size[3] = {0.12, 0.1, 0.06};
    mps_case c = make_case(3, 0.01, (double[2]){0.01, 0.01}, size, TORRE_MD_F64);
    c.problem.mps.sound_speed = 20;
    c.problem.dt = 0.9 * torre_mps_dt_limit(&c.problem);
    for (int64_t i = 0; i < 6; i++)
        for (int a = 0; a < 3; a++) {
            c.particles.position[a][i] = c.layout.origin[a] + 0.01 * at[i][a];
            c.particles.velocity[a][i] = v[i][a];
        }
    torre_md_plan plan = {0};
    torre_md_run *run = start(backend_name, &c, &plan);
    for (int n = 0; n < 300; n++) {
        advance(run, 10);
        CHECK(run->fluid->row.excursion < 0.1, "step %d: a particle is %.3f spacings outside",
              (int)run->step, run->fluid->row.excursion);
        CHECK(run->fluid->row.speed < 2.5, "step %d: a particle moves at %.3f m/s", (int)run->step,
              run->fluid->row.speed);
    }
    torre_md_run_free(run);
    torre_md_particles_free(&c.particles);
}

/*
 * Water that fills a tank to some height stays there; the pressure, as a line through all fluid
 * particles but the uppermost quarter, is rho g H at the bottom within 10 %.
 */
static void still_water(int dims, double spacing, const double size[3])
{
    const double height = 0.1;
    mps_case c = make_case(dims, spacing, (double[2]){size[0], height}, size, TORRE_MD_F64);
    torre_md_plan plan = {0};
    torre_md_run *run = start(backend_name, &c, &plan);
    double potential = run->fluid->row.potential, mean[4] = {0}, n = 0;
    double weight_all = 1000 * pow(spacing, dims) * (double)c.problem.mps.fluid * 9.81;
    advance(run, (int64_t)(0.5 / c.problem.dt));
    for (int sample = 0; sample < 20; sample++) {
        advance(run, 20);
        for (int64_t i = 0; i < c.problem.mps.fluid; i++) {
            double y = run->fluid->now.position[1][i] - c.layout.origin[1],
                   p = run->fluid->pressure[i];
            if (y > 0.75 * height) continue;
            n++;
            mean[0] += y;
            mean[1] += p;
            mean[2] += y * y;
            mean[3] += y * p;
        }
    }
    double slope = (n * mean[3] - mean[0] * mean[1]) / (n * mean[2] - mean[0] * mean[0]);
    double bottom = (mean[1] - slope * mean[0]) / n, expected = 1000 * 9.81 * height;
    printf("%d-D: bottom pressure %.1f Pa of %.1f, rms speed %.4f m/s\n", dims, bottom, expected,
           sqrt(2 * run->fluid->row.kinetic / (weight_all / 9.81)));
    CHECK(fabs(bottom / expected - 1) < 0.1, "bottom pressure %.1f Pa, not %.1f", bottom, expected);
    CHECK(fabs(slope / (-1000 * 9.81) - 1) < 0.1, "pressure gradient %.1f Pa/m", slope);
    /* a twentieth of the fastest fall, and less than a spacing of settling of the centre of mass */
    double rms = sqrt(2 * run->fluid->row.kinetic / (weight_all / 9.81));
    CHECK(rms < 0.05 * sqrt(2 * 9.81 * height), "it moves at %.3g m/s (rms)", rms);
    double sunk = (potential - run->fluid->row.potential) / weight_all;
    CHECK(sunk > -0.1 * spacing && sunk < 0.6 * spacing, "the centre of mass sank by %.3g spacings",
          sunk / spacing);
    CHECK(fabs(run->fluid->row.compression - 1) < 0.01, "n/n0 inside is %.4f",
          run->fluid->row.compression);
    torre_md_run_free(run);
    torre_md_particles_free(&c.particles);
}

static void test_still_water(void **state)
{
    (void)state;
    still_water(2, 0.005, (double[3]){0.1, 0.15, 0});
    still_water(3, 0.01, (double[3]){0.1, 0.15, 0.06});
}

/*
 * The front z/L over t sqrt(2g/L) of a column twice as high as wide, L = 2.25 inches: J. C. Martin,
 * W. J. Moyce, Phil. Trans. R. Soc. A 244 (1952) 312, figure 3, as read off by the authors of PySPH
 * (pysph/examples/db_exp_data.py).
 */
static const double martin_moyce[][2] = {
    {0.832, 1.217}, {1.219, 1.474}, {1.997, 2.292}, {2.547, 2.995}};

/*
 * The front of a collapsing column: never behind the experiment, where a gate had to be lifted
 * first, and ahead by no more than half a width, as gate-free particle methods are; no particle
 * lost, and energy only ever falls, but for the rounding of every step.
 */
static void collapse(int dims, double spacing, double depth)
{
    const double width = 0.1, scale = sqrt(2 * 9.81 / width);
    mps_case c = make_case(dims, spacing, (double[2]){width, 2 * width},
                           (double[3]){0.4, 0.4, depth}, TORRE_MD_F32);
    torre_md_plan plan = {0};
    torre_md_run *run = start(backend_name, &c, &plan);
    double energy = torre_mps_row_energy(&run->fluid->row), first = run->fluid->row.potential;
    for (int k = 0; k < 4; k++) {
        int64_t steps = (int64_t)(martin_moyce[k][0] / scale / c.problem.dt) - run->step;
        advance(run, steps);
        double x = (run->fluid->row.front - c.layout.origin[0]) / width;
        printf("%d-D: T %.3f front %.3f experiment %.3f\n", dims, martin_moyce[k][0], x,
               martin_moyce[k][1]);
        CHECK(x > martin_moyce[k][1] - 0.05 && x < martin_moyce[k][1] + 0.5,
              "T = %.3f: front at %.3f, the experiment's is at %.3f", martin_moyce[k][0], x,
              martin_moyce[k][1]);
        double now = torre_mps_row_energy(&run->fluid->row), eps = 1.2e-7;
        CHECK(now < energy + (double)steps * eps * first, "energy rose from %.6g to %.6g J", energy,
              now);
        CHECK(run->fluid->row.excursion < 0.1, "a particle is %.3f spacings outside",
              run->fluid->row.excursion);
        energy = now;
    }
    CHECK(fabs(run->fluid->row.compression - 1) < 0.01, "n/n0 inside is %.4f",
          run->fluid->row.compression);
    torre_md_run_free(run);
    torre_md_particles_free(&c.particles);
}

static void test_collapse(void **state)
{
    (void)state;
    collapse(2, 0.005, 0);
    collapse(3, 0.01, 0.06);
}

/*
 * Orderings, sorting and threads change the order of sums only: after a hundred steps in f64 the
 * same physics to far below a spacing (rounding grows by the instability of colliding particles).
 */
static void test_orderings(void **state)
{
    (void)state;
    mps_case c = small_case(3, TORRE_MD_F64);
    const torre_md_plan usual = {.threads = 1};
    torre_md_run *first = start(backend_name, &c, &usual);
    advance(first, 100);
    for (int kind = -1; kind < TORRE_ORDERING_KINDS; kind++) {
        torre_md_plan plan = {.threads = 2};
        if (kind < 0)
            plan.sort_every = TORRE_MD_NEVER;
        else
            plan.ordering.kind = (torre_ordering_kind)kind;
        torre_md_run *run;
        if (torre_md_run_new(&c.problem, backend_name, &plan, &run)) continue;
        CHECK_OK(torre_md_run_start(run, NULL));
        advance(run, 100);
        double r, u;
        compare(&c, run, &first->fluid->now, &r, &u);
        CHECK(r < 1e-9 && u < 1e-9, "%s: positions differ by %.3g spacings, velocities by %.3g m/s",
              kind < 0 ? "none" : torre_ordering_name((torre_ordering_kind)kind), r, u);
        torre_md_run_free(run);
    }
    torre_md_run_free(first);
    torre_md_particles_free(&c.particles);
}

/* The backend under test against the cpu one, a hundred steps in f64. */
static void test_backends(void **state)
{
    (void)state;
    for (int dims = 2; dims <= 3; dims++) {
        mps_case c = small_case(dims, TORRE_MD_F64);
        const torre_md_plan plan = {0};
        torre_md_run *cpu = start("cpu", &c, &plan), *run = start(backend_name, &c, &plan);
        double r, u, p = 0;
        advance(cpu, 100);
        advance(run, 40);
        advance(run, 60);
        compare(&c, run, &cpu->fluid->now, &r, &u);
        for (int64_t i = 0; i < c.problem.count; i++)
            p = fmax(p, fabs(run->fluid->pressure[i] - cpu->fluid->pressure[i]));
        CHECK(r < 1e-9 && u < 1e-9 && p < 1e-3,
              "%d-D: positions differ by %.3g spacings, velocities by %.3g m/s, pressures by %.3g "
              "Pa",
              dims, r, u, p);
        torre_md_run_free(run);
        torre_md_run_free(cpu);
        torre_md_particles_free(&c.particles);
    }
}

/* Points i of a periodic lattice of n^dims whose difference is (x, y, z). */
static int shifted(int i, int n, int dims, int x, int y, int z)
{
    int a = (i % n + x + n) % n, b = (i / n % n + y + n) % n;
    return dims == 2 ? a + n * b : a + n * (b + n * ((i / n / n + z + n) % n));
}

/*
 * Largest omega l0/c of sound on a periodic lattice of 16^dims points, from below, by power
 * iteration on the Hessian of U (mps_weight.h): d/(n_grad n0) D^T D, where D makes changes of
 * number densities of displacements.
 */
static double lattice_frequency(int dims, double reach)
{
    enum { N = 16, MOST = N * N * N };
    static double e[3][MOST], change[MOST];
    const int points = dims == 2 ? N * N : MOST, most = (int)reach, across = dims == 3 ? most : 0;
    const torre_mps_norms norms = torre_mps_norms_of(dims, 1, reach);
    double square = 0;
    for (int i = 0; i < points; i++)
        for (int a = 0; a < dims; a++)
            e[a][i] = torre_random_uniform(3, 1, (uint64_t)(3 * i + a)) - 0.5;
    for (int iteration = 0; iteration < 100; iteration++) {
        for (int transposed = 0; transposed < 2; transposed++) {
            double old = 0, sum = 0;
            for (int i = 0; i < points; i++)
                for (int a = 0; a < dims && transposed; a++) {
                    old += e[a][i] * e[a][i];
                    e[a][i] = 0;
                }
            memset(change, 0, transposed ? 0 : sizeof change);
            for (int x = -most; x <= most; x++)
                for (int y = -most; y <= most; y++)
                    for (int z = -across; z <= across; z++) {
                        const double r[3] = {x, y, z}, length = sqrt(x * x + y * y + z * z);
                        if (length == 0 || length >= reach) continue;
                        double slope = -reach / pow(length, 3); /* w'(r)/r */
                        for (int i = 0; i < points; i++) {
                            int j = shifted(i, N, dims, x, y, z);
                            for (int a = 0; a < dims; a++) {
                                if (transposed)
                                    e[a][i] -= slope * r[a] * (change[i] + change[j]);
                                else
                                    change[i] += slope * r[a] * (e[a][j] - e[a][i]);
                            }
                        }
                    }
            for (int i = 0; i < points; i++)
                for (int a = 0; a < dims && transposed; a++) sum += e[a][i] * e[a][i];
            if (!transposed) continue;
            square = sqrt(sum / old);
            for (int i = 0; i < points; i++)
                for (int a = 0; a < dims; a++) e[a][i] /= sqrt(sum);
        }
    }
    return sqrt(square * dims / (norms.n_grad * norms.n0));
}

/*
 * The Courant limit: a quarter of where the fastest sound wave on the lattice would grow, h^2 =
 * 4/3; for a large radius of influence less, so that the oscillation of twelve (in 2-D six)
 * colliding neighbours decays, too; with much viscosity less again. More than the limit is refused.
 */
static void test_courant(void **state)
{
    (void)state;
    for (int dims = 2; dims <= 3; dims++) {
        mps_case c = small_case(dims, TORRE_MD_F64);
        torre_md_problem p = c.problem;
        double limit = torre_mps_dt_limit(&p), crossing = p.mps.spacing / p.mps.sound_speed;
        double omega = lattice_frequency(dims, p.cutoff / p.mps.spacing) / crossing;
        double expected = 0.25 * sqrt(4.0 / 3) / omega;
        CHECK(limit < expected * (1 + 1e-9) && limit > 0.95 * expected,
              "%d-D: the limit is %.6g s, not %.6g s", dims, limit, expected);
        p.dt = limit;
        CHECK_OK(torre_md_problem_check(&p));
        p.dt = 1.001 * limit;
        CHECK(torre_md_problem_check(&p) == TORRE_ERR_UNSTABLE, "%d-D: 1.001 of the limit", dims);
        p.cutoff = 4 * p.mps.spacing;
        double h = torre_mps_dt_limit(&p) / crossing * sqrt(2.0 * (dims == 2 ? 3 : 4));
        CHECK(h * h < 4.0 / 3, "%d-D, r_e = 4: collisions are at h^2 = %.3f", dims, h * h);
        p.mps.viscosity = 10;
        double viscous =
            torre_mps_norms_of(dims, p.mps.spacing, p.cutoff).lambda0 / (2 * dims * 10);
        CHECK(fabs(torre_mps_dt_limit(&p) / viscous - 1) < 1e-12, "%d-D: viscous limit", dims);
        torre_md_particles_free(&c.particles);
    }
}

/* Twice the Courant limit is refused; so is a particle that is shot through a wall, by its id, and
 * one among the particles of a wall. */
static void test_refusals(void **state)
{
    (void)state;
    mps_case c = small_case(2, TORRE_MD_F64);
    torre_md_problem p = c.problem;
    p.dt = 2 * torre_mps_dt_limit(&p);
    CHECK(torre_md_problem_check(&p) == TORRE_ERR_UNSTABLE && strstr(torre_error_text(), "limit"),
          "dt: %s", torre_error_text());
    p = c.problem;
    p.mps.spacing = 0;
    CHECK(torre_md_problem_check(&p) == TORRE_ERR_USAGE, "spacing: %s", torre_error_text());
    c.particles.velocity[0][7] = 2 * c.problem.mps.sound_speed;
    torre_md_plan plan = {0};
    torre_md_run *run = start(backend_name, &c, &plan);
    torre_status status = torre_md_run_advance(run, 200, NULL);
    CHECK(status == TORRE_ERR_UNSTABLE && strstr(torre_error_text(), "particle 8"), "status %d: %s",
          (int)status, torre_error_text());
    torre_md_run_free(run);
    c.particles.velocity[0][7] = 0;
    c.particles.position[0][7] = c.layout.origin[0] - 0.6 * c.problem.mps.spacing;
    CHECK_OK(torre_md_run_new(&c.problem, backend_name, &plan, &run));
    status = torre_md_run_start(run, NULL);
    CHECK(status == TORRE_ERR_UNSTABLE && strstr(torre_error_text(), "particle 8 went through"),
          "status %d: %s", (int)status, torre_error_text());
    CHECK(fabs(run->fluid->row.excursion - 0.6) < 1e-9, "it is %.6f spacings outside",
          run->fluid->row.excursion);
    torre_md_run_free(run);
    torre_md_particles_free(&c.particles);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norms),       cmocka_unit_test(test_courant),
        cmocka_unit_test(test_definition),  cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_energy),      cmocka_unit_test(test_walls),
        cmocka_unit_test(test_still_water), cmocka_unit_test(test_collapse),
        cmocka_unit_test(test_orderings),   cmocka_unit_test(test_backends),
        cmocka_unit_test(test_refusals),
    };
    const struct CMUnitTest small[] = {cmocka_unit_test(test_definition),
                                       cmocka_unit_test(test_momentum)};
    if (argc > 1) backend_name = argv[1];
    const torre_md_backend *backend;
    const torre_md_plan plan = {0};
    if (torre_md_backend_find(backend_name, &plan, &backend)) {
        printf("skipped: %s\n", torre_error_text());
        return 77;
    }
    if (argc > 2 && !strcmp(argv[2], "small")) return cmocka_run_group_tests(small, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
