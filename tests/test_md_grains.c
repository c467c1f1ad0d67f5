/*
 * Rough grains against theory: a sphere that slides and rolls on a plane, oblique impacts,
 * conserved quantities, a pile at rest; and every way of computing them against the reference.
 */
#include "md_case.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "particles/grains.h"
#include "particles/granular.h"

static const double pi = 3.14159265358979323846;

/* Glass beads of a millimetre, SI units. */
static torre_granular beads(void)
{
    return (torre_granular){.dimensions = 3,
                            .size = {0.008, 0.008, 0.008},
                            .diameter = 1e-3,
                            .mass = 1.3e-6,
                            .stiffness = 1000,
                            .restitution = 0.9,
                            .wall_restitution = 0.9,
                            .friction = 0.3,
                            .wall_friction = 0.3,
                            .walls = true,
                            .filling = 0.1,
                            .seed = 5};
}

/* The problem of g with so many grains, all in the middle, at rest, of the largest size. */
static md_case grain_case(const torre_granular *g, int64_t count, double dt)
{
    md_case c = {.problem = {.precision = TORRE_MD_F64}};
    CHECK_OK(torre_granular_problem(g, 0.5 * g->diameter, dt, &c.problem));
    CHECK_OK(torre_md_particles_new(count, &c.particles));
    CHECK_OK(torre_md_particles_add_grains(&c.particles, g->diameter / 2));
    c.particles.mass = g->mass;
    memcpy(c.particles.box, c.problem.box, sizeof c.problem.box);
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < count; i++) c.particles.position[a][i] = c.problem.box[a] / 2;
    torre_md_problem_set_particles(&c.problem, &c.particles);
    return c;
}

static torre_md_solver *start(const md_case *c)
{
    const double diameter = c->problem.cutoff;
    const torre_md_plan plan = {.skin = 0.3 * diameter, .rebuild_every = 1, .rebuild_check = true};
    return md_case_solver(c, &plan);
}

/* A grain of the solver now. */
typedef struct grain {
    double position[3], velocity[3], spin[3];
} grain;

static grain look(const md_case *c, torre_md_solver *solver, int64_t i)
{
    grain g;
    torre_md_particles p = md_case_particles(c, solver);
    CHECK_OK(torre_md_particles_add_grains(&p, 1));
    CHECK_OK(solver->backend->get_spins(solver, p.spin));
    for (int a = 0; a < 3; a++) {
        g.position[a] = p.position[a][i];
        g.velocity[a] = p.velocity[a][i];
        g.spin[a] = p.spin[a][i];
    }
    torre_md_particles_free(&p);
    return g;
}

static void finish(md_case *c, torre_md_solver *solver)
{
    solver->backend->destroy(solver);
    md_case_free(c);
}

/* One on the lower wall, pressed into it as far as gravity does. */
static md_case on_wall(const torre_granular *g)
{
    md_case c = grain_case(g, 1, 0);
    const double load = g->mass * g->gravity * cos(g->incline * pi / 180);
    c.particles.position[2][0] =
        c.problem.pair.granular.wall_low + g->diameter / 2 - load / g->stiffness;
    return c;
}

/* Acceleration down the plane once the springs have settled. */
static double acceleration(const torre_granular *g, grain *last)
{
    md_case c = on_wall(g);
    torre_md_solver *solver = start(&c);
    CHECK_OK(solver->backend->advance(solver, 2000));
    const grain before = look(&c, solver, 0);
    CHECK_OK(solver->backend->advance(solver, 2000));
    *last = look(&c, solver, 0);
    const double a = (last->velocity[0] - before.velocity[0]) / (2000 * c.problem.dt);
    finish(&c, solver);
    return a;
}

/*
 * Down a plane: tan a < 7/2 mu: it rolls, at 5/7 g sin a; steeper: it slides, at g (sin a - mu cos
 * a), and spins up at 5/2 mu g cos a / R.
 */
static void test_incline(void **state)
{
    (void)state;
    torre_granular g = beads();
    grain end;
    g.gravity = 9.81;
    for (g.incline = 10; g.incline < 90; g.incline += 15) {
        const double angle = g.incline * pi / 180, radius = g.diameter / 2;
        const bool rolls = tan(angle) < 3.5 * g.wall_friction;
        double wanted = 5. / 7 * g.gravity * sin(angle);
        if (!rolls) wanted = g.gravity * (sin(angle) - g.wall_friction * cos(angle));
        const double a = acceleration(&g, &end), slip = end.velocity[0] - radius * end.spin[1];
        CHECK(fabs(a / wanted - 1) < 1e-4, "%g degrees: %.6f, not %.6f", g.incline, a, wanted);
        if (rolls)
            CHECK(fabs(slip) < 1e-4 * end.velocity[0], "%g degrees: slips at %g", g.incline, slip);
        else
            CHECK(slip > 0.01 * end.velocity[0], "%g degrees: slips at %g", g.incline, slip);
    }
}

/* Thrown along a level plane: it slides until t = 2 v / (7 mu g), then rolls at 5/7 v. */
static void test_sliding_ends(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.gravity = 9.81;
    md_case c = on_wall(&g);
    const double v = 0.05, mu = g.wall_friction, time = 2 * v / (7 * mu * g.gravity);
    c.particles.velocity[0][0] = v;
    torre_md_solver *solver = start(&c);
    const int64_t steps = (int64_t)(0.9 * time / c.problem.dt);
    CHECK_OK(solver->backend->advance(solver, steps));
    grain now = look(&c, solver, 0);
    const double slid = v - mu * g.gravity * (double)steps * c.problem.dt;
    CHECK(fabs(now.velocity[0] / slid - 1) < 1e-3, "slides at %g, not %g", now.velocity[0], slid);
    CHECK_OK(solver->backend->advance(solver, steps / 4));
    now = look(&c, solver, 0);
    CHECK(fabs(now.velocity[0] / (5. / 7 * v) - 1) < 1e-3, "rolls at %g, not %g", now.velocity[0],
          5. / 7 * v);
    CHECK(fabs(now.spin[1] * g.diameter / 2 / now.velocity[0] - 1) < 1e-3, "spin %g, speed %g",
          now.spin[1], now.velocity[0]);
    finish(&c, solver);
}

/* psi_2 of an impact on a wall at psi_1: velocities of the surface along the wall, after and
 * before, over that of the centre towards it before (Foerster et al., Phys. Fluids 6 (1994) 1108).
 * */
static double rebound(const torre_granular *g, double psi)
{
    md_case c = grain_case(g, 1, 0);
    const double v = 0.05, radius = g->diameter / 2;
    c.particles.position[2][0] = c.problem.pair.granular.wall_low + 1.01 * radius;
    c.particles.velocity[2][0] = -v;
    c.particles.velocity[0][0] = 0.8 * psi * v; /* some of it by spin, which must not matter */
    c.particles.spin[1][0] = -0.2 * psi * v / radius;
    torre_md_solver *solver = start(&c);
    CHECK_OK(solver->backend->advance(solver, 200));
    const grain end = look(&c, solver, 0);
    CHECK(fabs(end.velocity[2] / (g->wall_restitution * v) - 1) < 2e-3, "rebounds at %g",
          end.velocity[2]);
    finish(&c, solver);
    return (end.velocity[0] - radius * end.spin[1]) / v;
}

/*
 * Two straight branches: slow impacts stick, psi_2 = -beta psi_1, others slide all the time,
 * psi_2 = psi_1 - 7/2 (1 + e) mu. They are exact where the spring across a contact has the
 * frequency and the damping of that along it, k_t = 2/7 k and beta = e: then the ratio of the two
 * forces does not change. Errors are of the order of the step squared, the step a fiftieth of a
 * contact, and of overlap over radius, 0.002.
 */
static void test_oblique_impact(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.gravity = 0;
    for (int k = 0; k < 2; k++) {
        const double e = g.wall_restitution = g.tangential_restitution = k ? 0.8 : 1;
        for (double psi = 0.1; psi < 5; psi += 0.35) {
            const double sticks = -e * psi, slides = psi - 3.5 * (1 + e) * g.wall_friction;
            const double wanted = fmax(sticks, slides), psi_2 = rebound(&g, psi);
            CHECK(fabs(psi_2 - wanted) < 0.015, "e %g, psi %g -> %.4f, not %.4f", e, psi, psi_2,
                  wanted);
        }
    }
}

/* Glass on glass as Foerster et al. measured it: e = 0.97, mu = 0.092, beta = 0.44 with an error of
 * 0.07; with a damping of its own, and Coulomb's limit as the contact begins, sticking is only
 * nearly straight. */
static void test_glass(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.wall_restitution = 0.97;
    g.wall_friction = 0.092;
    for (double psi = 0.05; psi < 2; psi += 0.05) {
        const double slides = psi - 3.5 * 1.97 * g.wall_friction, psi_2 = rebound(&g, psi);
        if (psi < 0.2)
            CHECK(fabs(-psi_2 / psi - 0.44) < 0.07, "beta %.3f at %g", -psi_2 / psi, psi);
        if (psi > 0.8)
            CHECK(fabs(psi_2 - slides) < 0.01, "%g -> %.4f, not %.4f", psi, psi_2, slides);
    }
}

/* Two of different size, which meet off their centres and spin: momentum and angular momentum. */
static void test_pair_conserves(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.rolling_friction = 0.1;
    g.sizes = TORRE_GRANULAR_TWO_SIZES;
    g.size_ratio = 0.6;
    for (int hertz = 0; hertz < 2; hertz++) {
        g.hertz = hertz;
        if (hertz) g.stiffness = 1e5;
        md_case c = grain_case(&g, 2, 0);
        double angular[2][3] = {{0}}, most = 0;
        c.particles.radius[1] *= 0.6;
        c.particles.position[0][1] += 0.7 * g.diameter;
        c.particles.position[1][1] += 0.3 * g.diameter;
        c.particles.velocity[0][0] = 0.1;
        c.particles.spin[0][0] = 300;
        c.particles.spin[2][1] = -500;
        torre_md_solver *solver = start(&c);
        const torre_md_thermo before = md_case_thermo(&c, solver, 0);
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < 2; i++) {
                const grain n = look(&c, solver, i);
                const double m = torre_md_particle_mass(&c.particles, i);
                const double r = c.particles.radius[i];
                for (int a = 0; a < 3; a++) {
                    const int b = (a + 1) % 3, d = (a + 2) % 3;
                    angular[k][a] +=
                        m * (n.position[b] * n.velocity[d] - n.position[d] * n.velocity[b]) +
                        0.4 * m * r * r * n.spin[a];
                    most = fmax(most, fabs(angular[k][a]));
                }
            }
            CHECK_OK(solver->backend->advance(solver, 400));
        }
        const torre_md_thermo after = md_case_thermo(&c, solver, 800);
        for (int a = 0; a < 3; a++) {
            CHECK(fabs(angular[1][a] - angular[0][a]) < 1e-11 * most, "axis %d: %g, was %g", a,
                  angular[1][a], angular[0][a]);
            CHECK(fabs(after.momentum[a] - before.momentum[a]) < 1e-13 * g.mass * 0.1,
                  "axis %d: momentum changed by %g", a, after.momentum[a] - before.momentum[a]);
        }
        CHECK(after.lost > 0.01 * 2 * before.total_energy, "lost %g of %g", after.lost,
              2 * before.total_energy);
        finish(&c, solver);
    }
}

/* A gas of all that there is; sizes NULL-terminated by count. */
static md_case gas_case(torre_granular *g, double dt, torre_md_precision precision)
{
    md_case c = {.problem = {.precision = precision}};
    g->temperature = 0.01;
    g->sweeps = 20;
    g->filling = 0.25;
    CHECK_OK(torre_granular_problem(g, 0.5 * g->diameter, dt, &c.problem));
    CHECK_OK(torre_granular_start(g, &c.problem, &c.particles));
    torre_md_problem_set_particles(&c.problem, &c.particles);
    return c;
}

static torre_granular everything(void)
{
    torre_granular g = beads();
    g.rolling_friction = 0.05;
    g.side_walls = true;
    g.gravity = 9.81;
    g.incline = 0;
    g.sizes = TORRE_GRANULAR_TWO_SIZES;
    g.size_ratio = 0.7;
    return g;
}

/* What is lost by friction and dashpots is what energy falls by, the better the smaller the step.
 * */
static void test_energy(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        torre_granular g = everything();
        const double dt = torre_granular_shortest_contact(&g) / (k ? 200 : 50);
        md_case c = gas_case(&g, dt, TORRE_MD_F64);
        torre_md_solver *solver = start(&c);
        const torre_md_thermo before = md_case_thermo(&c, solver, 0);
        CHECK_OK(solver->backend->advance(solver, k ? 12000 : 3000));
        const torre_md_thermo after = md_case_thermo(&c, solver, 0);
        const double lost = after.lost / (double)c.problem.count;
        const double fell = before.total_energy - after.total_energy;
        CHECK(lost > 0.2 * (before.total_energy - before.pair_energy), "lost %g", lost);
        error[k] = fabs(fell / lost - 1);
        finish(&c, solver);
    }
    CHECK(error[0] < 0.02 && error[1] < 0.005, "energy is off by %g and %g of what is lost",
          error[0], error[1]);
}

/* Two beside each other and one on top, on a wall: with friction and rolling resistance they stay,
 * and do not creep; without, the upper one comes down. */
static void test_pile(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.gravity = 9.81;
    g.friction = g.wall_friction = 0.5;
    g.restitution = g.wall_restitution = 0.5;
    for (int rough = 1; rough >= 0; rough--) {
        if (!rough) g.friction = g.wall_friction = 1e-6;
        g.rolling_friction = rough ? 0.3 : 0;
        md_case c = grain_case(&g, 3, 0);
        const double r = g.diameter / 2;
        for (int i = 0; i < 3; i++) {
            c.particles.position[0][i] += (i - 1) * r;
            c.particles.position[2][i] =
                c.problem.pair.granular.wall_low + r + (i == 1 ? sqrt(3) * r : 0);
        }
        torre_md_solver *solver = start(&c);
        CHECK_OK(solver->backend->advance(solver, 20000));
        const grain before = look(&c, solver, 1);
        CHECK_OK(solver->backend->advance(solver, 20000));
        const grain after = look(&c, solver, 1);
        const double fell = before.position[2] - after.position[2];
        if (rough) {
            CHECK(fabs(fell) < 1e-9 * r, "the pile creeps by %g radii", fell / r);
            CHECK(fabs(after.spin[1] * r) < 1e-12, "its top rolls at %g", after.spin[1] * r);
        } else {
            const double height = after.position[2] - c.problem.pair.granular.wall_low;
            CHECK(height < 1.5 * r, "the pile stands at %g radii", height / r);
        }
        finish(&c, solver);
    }
}

/* Largest difference of spins. */
static double spin_difference(const md_case *c, torre_md_solver *a, torre_md_solver *b)
{
    torre_md_particles p[2];
    double most = 0;
    for (int k = 0; k < 2; k++) {
        torre_md_solver *s = k ? b : a;
        CHECK_OK(torre_md_particles_new(c->particles.count, &p[k]));
        CHECK_OK(torre_md_particles_add_grains(&p[k], 1));
        CHECK_OK(s->backend->get_spins(s, p[k].spin));
    }
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < c->particles.count; i++)
            most = fmax(most, fabs(p[0].spin[k][i] - p[1].spin[k][i]));
    torre_md_particles_free(&p[0]);
    torre_md_particles_free(&p[1]);
    return most;
}

/* Every sweep, ordering and precision against the reference over a few collisions. */
static void test_against_reference(void **state)
{
    (void)state;
    static const torre_neighbor neighbors[] = {TORRE_NEIGHBOR_FULL, TORRE_NEIGHBOR_TILE};
    static const torre_ordering_kind curves[] = {TORRE_ROW_MAJOR, TORRE_MORTON, TORRE_HILBERT};
    for (int k = 0; k < 18; k++) {
        torre_granular g = everything();
        g.hertz = k % 3 == 2;
        if (g.hertz) g.stiffness = 1e5;
        if (k % 2) g.sizes = TORRE_GRANULAR_UNIFORM_SIZES;
        md_case c = gas_case(&g, 0, TORRE_MD_F64);
        torre_md_solver *exact = md_case_solver_of("reference", &c, &(torre_md_plan){0});
        c.problem.precision = (torre_md_precision)(k % 3);
        const torre_md_plan plan = {.neighbor = neighbors[k % 2],
                                    .skin = 0.3 * g.diameter,
                                    .rebuild_every = 1,
                                    .rebuild_check = true,
                                    .ordering = {.kind = curves[k / 6]},
                                    .sort_every = k % 5 == 4 ? TORRE_MD_NEVER : 0};
        torre_md_solver *solver = md_case_solver(&c, &plan);
        CHECK_OK(exact->backend->advance(exact, 300));
        CHECK_OK(solver->backend->advance(solver, 300));
        torre_md_particles wanted = md_case_particles(&c, exact);
        torre_md_particles got = md_case_particles(&c, solver);
        const double v = md_case_difference(&wanted, &got);
        const double spin = spin_difference(&c, exact, solver) * g.diameter;
        /* rounding of positions (f32: 2^-24 of the box) changes what an overlap pushes with over
         * the few contacts there are in that time; mixed: that of forces */
        const double bound = c.problem.precision == TORRE_MD_F64     ? 1e-9
                             : c.problem.precision == TORRE_MD_MIXED ? 2e-4
                                                                     : 2e-3;
        CHECK(v < bound && spin < 3 * bound, "%d: velocities are off by %g, spins by %g", k, v,
              spin);
        const torre_md_thermo rows[2] = {md_case_thermo(&c, exact, 300),
                                         md_case_thermo(&c, solver, 300)};
        CHECK(fabs(rows[1].total_energy / rows[0].total_energy - 1) < 100 * bound,
              "%d: energy %g, not %g", k, rows[1].total_energy, rows[0].total_energy);
        CHECK(fabs(rows[1].lost / rows[0].lost - 1) < 1000 * bound, "%d: lost %g, not %g", k,
              rows[1].lost, rows[0].lost);
        torre_md_particles_free(&wanted);
        torre_md_particles_free(&got);
        exact->backend->destroy(exact);
        finish(&c, solver);
    }
}

/* A grain with four dozen small ones pressed into it from all sides, more than other grains ever
 * touch at a time: all of them count, once. */
static void test_crowd(void **state)
{
    (void)state;
    enum { SMALL = 44 };
    torre_granular g = everything();
    g.size_ratio = 0.25;
    md_case c = grain_case(&g, SMALL + 1, 0);
    const double small = g.size_ratio * g.diameter / 2;
    for (int i = 0; i < SMALL; i++) { /* evenly, along a spiral */
        const double z = 1 - (2 * i + 1.) / SMALL, turn = pi * (3 - sqrt(5)) * i;
        const double n[3] = {sqrt(1 - z * z) * cos(turn), sqrt(1 - z * z) * sin(turn), z};
        c.particles.radius[i] = small;
        for (int a = 0; a < 3; a++) {
            c.particles.position[a][i] += 0.99 * (g.diameter / 2 + small) * n[a];
            c.particles.velocity[a][i] = 0.05 * n[(a + 1) % 3];
            c.particles.spin[a][i] = 100 * n[(a + 2) % 3];
        }
    }
    torre_md_solver *exact = md_case_solver_of("reference", &c, &(torre_md_plan){0});
    torre_md_solver *solver = start(&c);
    const torre_md_thermo row = md_case_thermo(&c, solver, 0);
    CHECK(row.contacts == SMALL, "%g contacts, not %d", row.contacts, SMALL);
    /* less than a contact lasts: rounding does not grow */
    CHECK_OK(exact->backend->advance(exact, 30));
    CHECK_OK(solver->backend->advance(solver, 30));
    torre_md_particles wanted = md_case_particles(&c, exact), got = md_case_particles(&c, solver);
    const double v = md_case_difference(&wanted, &got);
    const double spin = spin_difference(&c, exact, solver) * small;
    CHECK(v < 1e-11 && spin < 1e-11, "velocities are off by %g, spins by %g", v, spin);
    const double pushed = fabs(got.velocity[0][0] - c.particles.velocity[0][0]);
    CHECK(pushed > 1e-3, "the first was pushed by %g only", pushed);
    torre_md_particles_free(&wanted);
    torre_md_particles_free(&got);
    exact->backend->destroy(exact);
    finish(&c, solver);
}

/* Grains of which one corner of the box is full, more than tables are first made for: rough, and
 * smooth. */
static void test_corner(void **state)
{
    (void)state;
    enum { SIDE = 5 };
    for (int rough = 0; rough < 2; rough++) {
        torre_granular g = beads();
        g.size[0] = g.size[1] = g.size[2] = 0.012;
        g.walls = false;
        g.friction = rough ? 0.3 : 0;
        g.wall_friction = 0;
        md_case c = grain_case(&g, SIDE * SIDE * SIDE, 0);
        for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
            const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            for (int a = 0; a < 3; a++) {
                c.particles.position[a][i] = (1 + 0.98 * at[a]) * g.diameter;
                c.particles.velocity[a][i] = 0.05 * sin(3 * i + a);
            }
        }
        torre_md_solver *exact = md_case_solver_of("reference", &c, &(torre_md_plan){0});
        torre_md_solver *solver = start(&c);
        CHECK_OK(exact->backend->advance(exact, 30));
        CHECK_OK(solver->backend->advance(solver, 30));
        torre_md_particles wanted = md_case_particles(&c, exact),
                           got = md_case_particles(&c, solver);
        const double v = md_case_difference(&wanted, &got);
        CHECK(v < 1e-11, "%s: velocities are off by %g", rough ? "rough" : "smooth", v);
        torre_md_particles_free(&wanted);
        torre_md_particles_free(&got);
        exact->backend->destroy(exact);
        finish(&c, solver);
    }
}

/* Bits do not depend on threads, nor on when lists are made or a run is cut. */
static void test_bits(void **state)
{
    (void)state;
    torre_granular g = everything();
    md_case c = gas_case(&g, 0, TORRE_MD_F32);
    torre_md_plan plan = {.skin = 0.3 * g.diameter, .threads = 1};
    torre_md_solver *one = md_case_solver(&c, &plan);
    plan.threads = 3;
    torre_md_solver *cut = md_case_solver(&c, &plan);
    CHECK_OK(one->backend->advance(one, 200));
    for (int k = 0; k < 4; k++) {
        CHECK_OK(cut->backend->advance(cut, 50));
        md_case_thermo(&c, cut, 0);
    }
    torre_md_particles a = md_case_particles(&c, one), b = md_case_particles(&c, cut);
    CHECK(md_case_difference(&a, &b) == 0 && spin_difference(&c, one, cut) == 0, "bits differ");
    torre_md_particles_free(&a);
    torre_md_particles_free(&b);
    one->backend->destroy(one);
    finish(&c, cut);
}

/* What is refused, in one line. */
static void test_refused(void **state)
{
    (void)state;
    torre_granular g = everything();
    md_case c = gas_case(&g, 0, TORRE_MD_F32);
    const torre_md_plan half = {.neighbor = TORRE_NEIGHBOR_HALF, .skin = 0.3 * g.diameter};
    torre_md_program *program;
    const torre_status status = md_case_backend(&half)->plan(&c.problem, &half, &program);
    CHECK(status == TORRE_ERR_USAGE && strstr(torre_error_text(), "neighbor"), "status %d: %s",
          (int)status, torre_error_text());
    md_case_free(&c);
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incline),        cmocka_unit_test(test_sliding_ends),
        cmocka_unit_test(test_oblique_impact), cmocka_unit_test(test_glass),
        cmocka_unit_test(test_pair_conserves), cmocka_unit_test(test_energy),
        cmocka_unit_test(test_pile),           cmocka_unit_test(test_against_reference),
        cmocka_unit_test(test_crowd),          cmocka_unit_test(test_corner),
        cmocka_unit_test(test_bits),           cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
