/*
 * The granular gas against theory: single collisions, conserved quantities, Haff's law; and every
 * way of computing it against the others.
 */
#include "md_case.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "particles/granular.h"

#define TORRE_REAL        double
#define TORRE_TYPED(name) name##_f64
#include "particles/pair_granular.h"

static const double pi = 3.14159265358979323846;

/* Glass beads of a millimetre, SI units; speeds so that spheres overlap by about d/300. */
static torre_granular beads(void)
{
    return (torre_granular){.dimensions = 3,
                            .size = {0.012, 0.012, 0.012},
                            .diameter = 1e-3,
                            .mass = 1.3e-6,
                            .stiffness = 1000,
                            .restitution = 0.9,
                            .wall_restitution = 0.9,
                            .filling = 0.1,
                            .temperature = 0.01,
                            .seed = 5,
                            .sweeps = 20};
}

static md_case gas_case(const torre_granular *g, double dt, torre_md_precision precision)
{
    md_case c = {.problem = {.precision = precision}};
    CHECK_OK(torre_granular_problem(g, 0.5 * g->diameter, dt, &c.problem));
    CHECK_OK(torre_granular_start(g, &c.problem, &c.particles));
    torre_md_problem_set_particles(&c.problem, &c.particles);
    return c;
}

/* Lists that never miss a contact. */
static torre_md_plan safe_plan(const torre_granular *g)
{
    return (torre_md_plan){.skin = 0.3 * g->diameter, .rebuild_every = 5, .rebuild_check = true};
}

/* Two particles on the x axis that approach each other, 1.05 d apart. */
static md_case pair_case(const torre_granular *g, double speed, double dt)
{
    torre_granular two = *g;
    const double room = g->size[0] * g->size[1] * g->size[2];
    two.filling = 2.001 * pi / 6 * pow(g->diameter, 3) / room;
    md_case c = gas_case(&two, dt, TORRE_MD_F64);
    CHECK(c.particles.count == 2, "%lld particles", (long long)c.particles.count);
    for (int i = 0; i < 2; i++) {
        for (int a = 0; a < 3; a++) {
            c.particles.position[a][i] = 0.4 * g->size[a];
            c.particles.velocity[a][i] = 0;
        }
    }
    c.particles.position[0][1] += 1.05 * g->diameter;
    c.particles.velocity[0][0] = 0.75 * speed;
    c.particles.velocity[0][1] = -0.25 * speed;
    return c;
}

/*
 * Restitution and duration of a head-on collision at this speed, and what the solver says is lost.
 */
static void collide(const torre_granular *g, double speed, double dt, double *e, double *duration)
{
    md_case c = pair_case(g, speed, dt);
    const torre_md_plan plan = safe_plan(g);
    torre_md_solver *solver = md_case_solver(&c, &plan);
    double contact =
        torre_granular_contact_time(g->hertz, g->stiffness, g->mass / 2, g->restitution, speed);
    double approach = 0.05 * g->diameter / speed;
    int64_t steps = (int64_t)((approach + 3 * contact) / dt);
    torre_md_thermo before = md_case_thermo(&c, solver, 0);
    CHECK_OK(solver->backend->advance(solver, steps));
    torre_md_thermo after = md_case_thermo(&c, solver, steps);
    torre_md_particles p = md_case_particles(&c, solver);
    double away = p.velocity[0][1] - p.velocity[0][0];
    double gap = p.position[0][1] - p.position[0][0] - g->diameter;
    CHECK(away > 0 && gap > 0, "still in contact: %g, %g", away, gap);
    *e = away / speed;
    *duration = (double)steps * dt - gap / away - approach;
    double lost = 2 * (before.total_energy - after.total_energy);
    double expected = 0.25 * g->mass * speed * speed * (1 - g->restitution * g->restitution);
    CHECK(fabs(after.lost - lost) < 1e-4 * 0.25 * g->mass * speed * speed + 2e-3 * expected,
          "lost %g, energy fell by %g", after.lost, lost);
    double momentum = fabs(after.momentum[0] - before.momentum[0]);
    CHECK(momentum < 1e-14 * g->mass * speed, "momentum changed by %g", momentum);
    solver->backend->destroy(solver);
    torre_md_particles_free(&p);
    md_case_free(&c);
}

/* Restitution and contact time of the linear spring to 1e-3 at a hundredth of the contact time. */
static void test_head_on(void **state)
{
    (void)state;
    static const double restitutions[] = {0.3, 0.5, 0.8, 0.9, 0.95, 1};
    for (int k = 0; k < 6; k++) {
        torre_granular g = beads();
        g.restitution = restitutions[k];
        double e, duration,
            wanted = torre_granular_contact_time(false, g.stiffness, g.mass / 2, g.restitution, 0);
        collide(&g, 0.2, wanted / 100, &e, &duration);
        CHECK(fabs(e / g.restitution - 1) < 1e-3, "e = %.6f, not %g", e, g.restitution);
        CHECK(fabs(duration / wanted - 1) < 1e-3, "e = %g: contact of %g, not %g", g.restitution,
              duration, wanted);
    }
}

/* The same restitution at any speed; the time of an elastic contact. */
static void test_hertz(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        torre_granular g = beads();
        g.hertz = true;
        g.stiffness = 1e5;
        g.restitution = (const double[]){0.5, 0.8, 1}[k % 3];
        double speed = k < 3 ? 0.2 : 0.02, e, duration;
        double wanted = torre_granular_contact_time(true, g.stiffness, g.mass / 2, 1, speed);
        collide(&g, speed, wanted / 100, &e, &duration);
        CHECK(fabs(e - g.restitution) < 1e-3, "e = %.6f, not %g", e, g.restitution);
        if (g.restitution == 1)
            CHECK(fabs(duration / wanted - 1) < 1e-3, "contact of %g, not %g", duration, wanted);
    }
}

/*
 * Where a contact begins, r just below d, the overlap may round to 0: there is no spring yet, but
 * the dashpot is whole, F = c w with the lag of the velocity taken out, F = c w / (1 + c lag);
 * Hertzian contacts have c delta^(1/4) = 0 instead.
 */
static void test_touch(void **state)
{
    (void)state;
    for (int hertz = 0; hertz < 2; hertz++) {
        torre_md_problem p = {.cutoff = 1, .mass = 2, .dimensions = 3};
        p.pair.granular =
            (torre_granular_parameters){.hertz = hertz, .stiffness = 100, .restitution = 0.5};
        const torre_pair_f64 pair = torre_pair_make_f64(&p, 0.01);
        const double c = torre_granular_dashpot(hertz, 100, 1, 0.5), w = 3;
        const double force = hertz ? 0 : c * w / (1 + c * 0.02), left = w - 0.02 * force;
        double energy, power, rsq = nextafter(1, 0);
        double found = torre_pair_eval_f64(&pair, rsq, -w, &energy, &power);
        /* about ten roundings, each of 2^-53 of no more than 2 c w */
        const double allowed = 10 * 0x1p-52 * c * w;
        CHECK(pair.diameter - rsq * (1 / sqrt(rsq)) == 0, "the overlap is not 0");
        CHECK(fabs(found - force) <= allowed, "a force of %g, not %g", found, force);
        CHECK(energy == 0, "an energy of %g", energy);
        CHECK(fabs(power - (hertz ? 0 : 0.5 * c * left * left)) <= allowed * w, "a power of %g",
              power);
    }
}

/* Walls push particles nearer than d/2: not one that is just that far, whatever its velocity. */
static void test_touch_wall(void **state)
{
    (void)state;
    torre_md_problem p = {.cutoff = 1, .mass = 2, .dimensions = 3};
    p.pair.granular = (torre_granular_parameters){.stiffness = 100,
                                                  .restitution = 0.5,
                                                  .wall_restitution = 0.5,
                                                  .walls = true,
                                                  .wall_low = 1,
                                                  .wall_high = 5};
    const torre_pair_f64 pair = torre_pair_make_f64(&p, 0.01);
    const torre_pair_walls_f64 walls = torre_pair_walls_at_f64(&pair, 0);
    for (int top = 0; top < 2; top++) {
        const double touch = top ? 4.5 : 1.5, towards = top ? 1 : -1;
        double energy, power;
        double force = torre_pair_field_f64(&pair, &walls, touch, 3 * towards, &energy, &power);
        CHECK(force == 0 && energy == 0 && power == 0, "a force of %g, where none begins", force);
        force = torre_pair_field_f64(&pair, &walls, nextafter(touch, 6 * top), 3 * towards, &energy,
                                     &power);
        CHECK(force * towards < 0 && power > 0, "a force of %g in a contact", force);
    }
}

/* The order of the integrator: a quarter of the error in e with half of the time step. */
static void test_order(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.restitution = 0.5;
    double e[2], duration;
    double contact = torre_granular_contact_time(false, g.stiffness, g.mass / 2, 0.5, 0);
    /* the error also depends on where in a step contact begins: means over many beginnings */
    double error[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        for (int n = 0; n < 40; n++) {
            double dt = contact / (k ? 100 : 50);
            collide(&g, 0.2 * (1 + 0.0123 * n), dt, &e[k], &duration);
            error[k] += fabs(e[k] - 0.5) / 40;
        }
    }
    CHECK(error[1] < 0.35 * error[0], "errors %g and %g", error[0], error[1]);
}

/* Whether the backend under test has half lists for models that dissipate. */
static bool offered(const md_case *c, const torre_md_plan *plan)
{
    const torre_md_backend *backend = md_case_backend(plan);
    torre_md_program *program = NULL;
    if (plan->neighbor != TORRE_NEIGHBOR_HALF) return true;
    const bool planned = backend->plan(&c->problem, plan, &program) == TORRE_OK;
    torre_md_program_free(program);
    return planned;
}

/* Restitution of a head-on collision that begins at x = place diameters in a box of 10^4. */
static double restitution_at(const torre_granular *g, double place, torre_md_precision precision,
                             torre_neighbor neighbor, double speed, double dt)
{
    md_case c = pair_case(g, speed, dt);
    c.problem.precision = precision;
    for (int i = 0; i < 2; i++) {
        double x = (place + 1.05 * i) * g->diameter;
        c.particles.position[0][i] = x < g->size[0] ? x : x - g->size[0];
    }
    torre_md_plan plan = safe_plan(g);
    plan.neighbor = neighbor;
    torre_md_solver *solver = md_case_solver(&c, &plan);
    double contact = torre_granular_contact_time(false, g->stiffness, g->mass / 2, 1, 0);
    CHECK_OK(solver->backend->advance(solver,
                                      (int64_t)((0.05 * g->diameter / speed + 3 * contact) / dt)));
    torre_md_particles p = md_case_particles(&c, solver);
    double away = p.velocity[0][1] - p.velocity[0][0];
    solver->backend->destroy(solver);
    torre_md_particles_free(&p);
    md_case_free(&c);
    return away / speed;
}

/*
 * A collision 5000 diameters from the origin, or across a face, is as one near it.
 *
 * With M r'' + c r' + K (r - d) = 0 an error of epsilon in the overlap changes the velocity after
 * the contact, of duration pi/omega, by less than K epsilon/M pi/omega = pi omega epsilon. A
 * separation is off by its rounding, 2^-24 in f32 and mixed and 2^-53 in f64 of the half width of a
 * tile, below 16 diameters, for either particle; and positions, rounded in each of 100 steps by a
 * unit u of their last place, drift by five standard deviations of 200 errors within u/2, 5
 * sqrt(200/12) u = 20.4 u. In f32 that is more than an overlap at 5000 diameters: such boxes are
 * for the others.
 */
static void test_far_from_origin(void **state)
{
    (void)state;
    static const double places[] = {4.2, 5000.3, 9999.5};
    torre_granular g = beads();
    g.size[0] = 1e4 * g.diameter;
    const double omega = sqrt(g.stiffness / (g.mass / 2)), speed = 0.2, dt = pi / omega / 100;
    const double e = restitution_at(&g, places[0], TORRE_MD_F64, TORRE_NEIGHBOR_FULL, speed, dt);
    for (int k = 0; k < 3 * 3 * 3; k++) {
        const torre_md_precision precision = (torre_md_precision)(k / 9);
        const torre_neighbor neighbor = (torre_neighbor)(TORRE_NEIGHBOR_FULL + k / 3 % 3);
        const double place = places[k % 3];
        torre_md_plan plan = safe_plan(&g);
        plan.neighbor = neighbor;
        md_case any = pair_case(&g, speed, dt);
        bool there = offered(&any, &plan);
        md_case_free(&any);
        if (!there || (precision == TORRE_MD_F32 && place > places[0])) continue;
        const double pair = precision == TORRE_MD_F64 ? 0x1p-53 : 0x1p-24;
        const double last_place = precision == TORRE_MD_F32 ? 0x1p-23 : 0x1p-52;
        double epsilon = (32 * pair + 20.4 * last_place * (place + 2)) * g.diameter;
        double allowed = pi * omega * epsilon / speed;
        double off = restitution_at(&g, place, precision, neighbor, speed, dt) - e;
        printf("x = %g d, %s %s: e is %.1e off, allowed %.1e\n", place,
               torre_md_precision_name(precision), torre_neighbor_name(neighbor), off, allowed);
        CHECK(fabs(off) < allowed, "x = %g d, %s %s: e is %g off, allowed %g", place,
              torre_md_precision_name(precision), torre_neighbor_name(neighbor), off, allowed);
    }
}

/* A particle that falls on the floor, and one that flies to the ceiling. */
static void test_walls(void **state)
{
    (void)state;
    for (int top = 0; top < 2; top++) {
        torre_granular g = beads();
        g.walls = true;
        g.wall_restitution = 0.7;
        double contact = torre_granular_contact_time(false, g.stiffness, g.mass, 0.7, 0);
        double dt = contact / 150;
        md_case c = pair_case(&g, 0.2, dt);
        for (int i = 0; i < 2; i++) c.particles.velocity[0][i] = 0;
        double low = c.problem.pair.granular.wall_low;
        double start = low + (top ? g.size[2] - g.diameter : g.diameter);
        c.particles.position[2][0] = start;
        c.particles.velocity[2][0] = top ? 0.2 : -0.2;
        const torre_md_plan plan = safe_plan(&g);
        torre_md_solver *solver = md_case_solver(&c, &plan);
        int64_t steps = (int64_t)((0.5 * g.diameter / 0.2 + 3 * contact) / dt);
        CHECK_OK(solver->backend->advance(solver, steps));
        torre_md_particles p = md_case_particles(&c, solver);
        double away = p.velocity[2][0] * (top ? -1 : 1);
        double gap = top ? low + g.size[2] - g.diameter / 2 - p.position[2][0]
                         : p.position[2][0] - low - g.diameter / 2;
        double duration = (double)steps * dt - gap / away - 0.5 * g.diameter / 0.2;
        CHECK(fabs(away / 0.2 / 0.7 - 1) < 1e-3, "e = %.6f, not 0.7", away / 0.2);
        CHECK(fabs(duration / contact - 1) < 1e-3, "contact of %g, not %g", duration, contact);
        solver->backend->destroy(solver);
        torre_md_particles_free(&p);
        md_case_free(&c);
    }
}

/* Walls move by A sin(2 pi f t): a particle meets a rising floor with both speeds. */
static void test_shaken_wall(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.walls = true;
    g.wall_restitution = 0.8;
    g.shake_amplitude = 2e-3;
    g.shake_frequency = 10;
    double contact = torre_granular_contact_time(false, g.stiffness, g.mass, 0.8, 0);
    double dt = contact / 150, fall = 0.1, rise = 2 * pi * 10 * 2e-3;
    md_case c = pair_case(&g, 0.2, dt);
    for (int i = 0; i < 2; i++) c.particles.velocity[0][i] = 0;
    double low = c.problem.pair.granular.wall_low;
    c.particles.position[2][1] = low + 0.8 * g.size[2];
    /* in a period from now the floor is where it is now and rises with the same speed */
    c.particles.position[2][0] = low + g.diameter / 2 + fall * 0.1 - rise * 0.25 * contact;
    c.particles.velocity[2][0] = -fall;
    const torre_md_plan plan = safe_plan(&g);
    torre_md_solver *solver = md_case_solver(&c, &plan);
    CHECK_OK(solver->backend->advance(solver, (int64_t)((0.1 + 3 * contact) / dt)));
    torre_md_particles p = md_case_particles(&c, solver);
    double expected = rise + 0.8 * (rise + fall);
    /* the floor slows down by A (2 pi f)^2 t_c, less than 1 % of its speed, during the contact */
    CHECK(fabs(p.velocity[2][0] / expected - 1) < 0.01, "leaves with %g, not %g", p.velocity[2][0],
          expected);
    solver->backend->destroy(solver);
    torre_md_particles_free(&p);
    md_case_free(&c);
}

static torre_md_thermo run_gas(const md_case *c, const torre_md_plan *plan, int64_t steps,
                               torre_md_thermo *before)
{
    torre_md_solver *solver = md_case_solver(c, plan);
    *before = md_case_thermo(c, solver, 0);
    CHECK_OK(solver->backend->advance(solver, steps));
    torre_md_thermo after = md_case_thermo(c, solver, steps);
    solver->backend->destroy(solver);
    return after;
}

/*
 * No energy change for e = 1. A contact begins in the middle of a step, so it changes the energy of
 * the pair by up to about (dt/t_c)^2 of itself, with either sign: about 5 collisions of each of
 * 1000 particles add up to much less than 1e-4 of the whole.
 */
static void test_elastic(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        torre_granular g = beads();
        g.dimensions = dimensions;
        g.gas = TORRE_GRANULAR_ELASTIC;
        g.filling = 0.3;
        if (dimensions == 2) g.size[0] = g.size[1] = 0.04;
        md_case c = gas_case(&g, 0, TORRE_MD_F64);
        const torre_md_plan plan = safe_plan(&g);
        torre_md_thermo before, after = run_gas(&c, &plan, 5000, &before);
        double change = fabs(after.total_energy / before.total_energy - 1);
        CHECK(change < 1e-4, "%d dimensions: energy changed by %g", dimensions, change);
        CHECK(after.lost == 0, "lost %g", after.lost);
        double tolerance = 1e-10 * g.mass * 0.1 * (double)c.particles.count;
        for (int a = 0; a < 3; a++)
            CHECK(fabs(after.momentum[a]) < tolerance, "momentum %g", after.momentum[a]);
        md_case_free(&c);
    }
}

/* What collisions and walls take away is missing in the end: gas under gravity between walls. */
static void test_energy_balance(void **state)
{
    (void)state;
    for (int hertz = 0; hertz < 2; hertz++) {
        torre_granular g = beads();
        g.walls = true;
        g.gravity = 9.81;
        g.hertz = hertz;
        g.stiffness = hertz ? 1e5 : 1000;
        g.restitution = 0.8;
        md_case c = gas_case(&g, 0, TORRE_MD_F64);
        const torre_md_plan plan = safe_plan(&g);
        torre_md_thermo before, after = run_gas(&c, &plan, 8000, &before);
        double n = (double)c.particles.count;
        double fell = n * (before.total_energy - after.total_energy);
        CHECK(after.lost > 0.2 * n * before.temperature, "lost only %g", after.lost);
        CHECK(fabs(fell / after.lost - 1) < 2e-3, "energy fell by %g, %g was lost", fell,
              after.lost);
        md_case_free(&c);
    }
}

/*
 * Haff's law, T = T0 / (1 + t/tau)^2, with 1/tau = (1 - e^2) nu / 6 and Enskog's collision rate
 * nu = 24 phi chi sqrt(T0/pi) / d, chi = (1 - phi/2) / (1 - phi)^3. How near to it must a run come?
 *
 * Chance. A collision takes (1 - e^2) times an energy that is distributed exponentially (that of
 * the normal motion of pairs that meet), and there are about n = N/2 integral of nu dt of them,
 * Poisson distributed at most: the loss has a relative standard deviation of sqrt(2/n). By T0/T =
 * (1 + x)^2 that of x = t/tau, and of tau, is (2 + x)(1 + x)/2 times as large (less, in truth: who
 * has lost more loses less from then on).
 *
 * Theory. The first Sonine coefficient of the cooling gas, a2, changes the rate by 3 a2/16 once it
 * has set in (van Noije and Ernst, Granular Matter 1 (1998) 57); velocities are normal at first. To
 * second order chi is 1 + 5 phi/2 + 4.5908 phi^2; the formula has 4.5.
 *
 * Contacts last t_c. Particles in contact may be kept from meeting others for that time, so each of
 * a pair is free to meet for 1 - nu t_c of its time or more: tau is longer by 0 to 2 nu t_c. A
 * contact under way has lost less than it will: t is short by up to t_c. (Energies, not T, are
 * compared: springs hold some.)
 *
 * Five standard deviations and all of these make the bound of each case; the mean of the six cases
 * has a narrower one.
 */
static void test_haff(void **state)
{
    (void)state;
    const torre_md_plan usual = {0};
    const bool many = strcmp(md_case_backend(&usual)->name, "cuda") == 0;
    const double collisions = 6, busy = many ? 0.003 : 0.012; /* nu t; nu t_c */
    const double number = many ? 200000 : 6000;
    double mean = 0, variance = 0, systematic = 0;
    for (int k = 0; k < 6; k++) {
        torre_granular g = beads();
        const double e = g.restitution = (const double[]){0.8, 0.9, 0.95}[k % 3];
        const double phi = g.filling = k < 3 ? 0.1 : 0.05;
        double chi = (1 - phi / 2) / pow(1 - phi, 3);
        double rate = 24 * phi * chi * sqrt(g.temperature / pi) / g.diameter;
        double tau = 6 / (rate * (1 - e * e)), contact = busy / rate;
        g.stiffness = (pi * pi + log(e) * log(e)) * g.mass / 2 / (contact * contact);
        g.size[0] = g.size[1] = g.size[2] = g.diameter * cbrt(number * pi / 6 / phi);
        md_case c = gas_case(&g, contact / 25, TORRE_MD_F64);
        int64_t steps = (int64_t)(collisions / rate / c.problem.dt);
        const torre_md_plan plan = {
            .skin = 0.6 * g.diameter, .rebuild_every = 20, .rebuild_check = true};
        torre_md_thermo before, after = run_gas(&c, &plan, steps, &before);
        double start = torre_granular_temperature(&c.problem, &before);
        CHECK(fabs(start / g.temperature - 1) < 1e-12, "T0 = %g", start);
        double t = (double)steps * c.problem.dt, x = t / tau;
        double measured = t / (sqrt(before.total_energy / after.total_energy) - 1);
        double met = (double)c.particles.count / 2 * rate * tau * log1p(x);
        double deviation = (2 + x) * (1 + x) / 2 * sqrt(2 / met);
        double sonine = 16 * (1 - e) * (1 - 2 * e * e) / (81 - 17 * e + 30 * e * e * (1 - e));
        double theory = 3 * fabs(sonine) / 16 + 0.0908 * phi * phi + busy / collisions;
        double off = measured / tau - 1;
        printf("Haff: e = %g, phi = %g: tau is %.2f %% off, standard deviation %.2f %%\n", e, phi,
               100 * off, 100 * deviation);
        CHECK(off > -5 * deviation - theory && off < 5 * deviation + theory + 2 * busy,
              "e = %g, phi = %g: tau = %g, not %g", e, phi, measured, tau);
        mean += off / 6;
        variance += deviation * deviation / 36;
        systematic += theory / 6;
        md_case_free(&c);
    }
    printf("Haff: tau is %.2f %% off in the mean, standard deviation %.2f %%\n", 100 * mean,
           100 * sqrt(variance));
    CHECK(mean > -5 * sqrt(variance) - systematic &&
              mean < 5 * sqrt(variance) + systematic + 2 * busy,
          "tau is %.2f %% off in the mean", 100 * mean);
}

/*
 * Particles that touch nothing fall freely along the last axis, which velocity Verlet does exactly:
 * x0 - g t^2/2 and -g t, to the rounding of 200 additions to a number of the box's size (200 x
 * 0.012 x 1e-16 < 1e-15; of 0.08 m/s: 200 x 0.08 x 1e-16 < 1e-14).
 */
static void test_fall(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; dimensions++) {
        torre_granular g = beads();
        g.dimensions = dimensions;
        g.filling = dimensions == 2 ? 0.02 : 0.001; /* a few */
        g.walls = true;
        g.gravity = 9.81;
        md_case c = gas_case(&g, 4e-6, TORRE_MD_F64);
        CHECK(c.particles.count >= 2 && c.particles.count <= 5, "%lld particles",
              (long long)c.particles.count);
        for (int64_t i = 0; i < c.particles.count; i++) {
            for (int a = 0; a < dimensions; a++) {
                c.particles.position[a][i] = 0.5 * g.size[a];
                c.particles.velocity[a][i] = 0;
            }
            c.particles.position[0][i] = 2 * g.diameter * (double)(i + 1);
        }
        const int64_t steps = 200;
        const double t = (double)steps * c.problem.dt;
        torre_md_plan plan = safe_plan(&g);
        torre_md_solver *solver = md_case_solver(&c, &plan);
        CHECK_OK(solver->backend->advance(solver, steps));
        torre_md_particles got = md_case_particles(&c, solver);
        for (int64_t i = 0; i < got.count; i++) {
            for (int a = 0; a < dimensions; a++) {
                const bool down = a == dimensions - 1;
                double x = c.particles.position[a][i] - (down ? g.gravity * t * t / 2 : 0);
                double v = down ? -g.gravity * t : 0;
                CHECK(fabs(got.position[a][i] - x) < 1e-15, "%d dimensions, axis %d: %g off",
                      dimensions, a, got.position[a][i] - x);
                CHECK(fabs(got.velocity[a][i] - v) < 1e-14, "%d dimensions, axis %d: %g m/s off",
                      dimensions, a, got.velocity[a][i] - v);
            }
        }
        solver->backend->destroy(solver);
        torre_md_particles_free(&got);
        md_case_free(&c);
    }
}

/* Forces of all sweeps are the reference's, and trajectories follow, to rounding that grows. */
static void test_same_trajectory(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.walls = true;
    g.gravity = 9.81;
    g.shake_amplitude = 0.5e-3;
    g.shake_frequency = 50;
    g.filling = 0.3;
    g.size[0] = g.size[1] = 0.008;
    md_case c = gas_case(&g, 0, TORRE_MD_F64);
    torre_md_plan plan = safe_plan(&g);
    const int64_t steps = 300;
    torre_md_solver *oracle = md_case_solver_of("reference", &c, &plan);
    CHECK_OK(oracle->backend->advance(oracle, steps));
    torre_md_particles expected = md_case_particles(&c, oracle);
    torre_md_thermo wanted = md_case_thermo(&c, oracle, steps);
    CHECK(wanted.contacts > 10 && wanted.lost > 0, "%g contacts", wanted.contacts);
    for (int k = 0; k < 3 * 5; k++) {
        plan.neighbor = (torre_neighbor)(TORRE_NEIGHBOR_FULL + k % 3);
        if (!offered(&c, &plan)) continue;
        plan.ordering.kind = (torre_ordering_kind[]){TORRE_ROW_MAJOR, TORRE_MORTON, TORRE_HILBERT,
                                                     TORRE_HILBERT, TORRE_HILBERT}[k / 3];
        plan.sort_every = k / 3 == 3 ? TORRE_MD_NEVER : k / 3 == 4 ? 37 : 0;
        torre_md_solver *solver = md_case_solver(&c, &plan);
        CHECK_OK(solver->backend->advance(solver, 100));
        CHECK_OK(solver->backend->advance(solver, steps - 100));
        torre_md_particles got = md_case_particles(&c, solver);
        torre_md_thermo row = md_case_thermo(&c, solver, steps);
        double difference = md_case_difference(&got, &expected);
        CHECK(difference < 1e-9, "%s, case %d: differs by %g", torre_neighbor_name(plan.neighbor),
              k, difference);
        CHECK(fabs(row.lost / wanted.lost - 1) < 1e-7, "%s: lost %g, not %g",
              torre_neighbor_name(plan.neighbor), row.lost, wanted.lost);
        CHECK(row.contacts == wanted.contacts, "%g contacts, not %g", row.contacts,
              wanted.contacts);
        solver->backend->destroy(solver);
        torre_md_particles_free(&got);
    }
    /* f32: 0.01 m is rounded to 5e-10 m, a thousandth of an overlap; a hundredth of that in mixed
     * precision, where tiles are small. Velocities are wrong by as much. */
    for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision += 2) {
        c.problem.precision = (torre_md_precision)precision;
        plan = safe_plan(&g);
        torre_md_solver *solver = md_case_solver(&c, &plan);
        CHECK_OK(solver->backend->advance(solver, steps));
        torre_md_particles got = md_case_particles(&c, solver);
        torre_md_thermo row = md_case_thermo(&c, solver, steps);
        double difference = md_case_difference(&got, &expected);
        double tolerance = precision == TORRE_MD_F32 ? 2e-3 : 2e-4;
        CHECK(difference < tolerance, "%s: differs by %g", torre_md_precision_name(precision),
              difference);
        CHECK(fabs(row.lost / wanted.lost - 1) < tolerance, "lost %g, not %g", row.lost,
              wanted.lost);
        solver->backend->destroy(solver);
        torre_md_particles_free(&got);
    }
    oracle->backend->destroy(oracle);
    torre_md_particles_free(&expected);
    md_case_free(&c);
}

/* The same bits whatever the threads and however a run is cut. */
static void test_threads(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.walls = true;
    g.gravity = 9.81;
    g.filling = 0.2;
    for (int precision = TORRE_MD_F32; precision <= TORRE_MD_MIXED; precision++) {
        for (int neighbor = TORRE_NEIGHBOR_FULL; neighbor <= TORRE_NEIGHBOR_TILE; neighbor++) {
            md_case c = gas_case(&g, 0, (torre_md_precision)precision);
            torre_md_plan plan = safe_plan(&g);
            plan.neighbor = (torre_neighbor)neighbor;
            plan.deterministic = true;
            if (!offered(&c, &plan)) {
                md_case_free(&c);
                continue;
            }
            torre_md_particles got[2];
            for (int k = 0; k < 2; k++) {
                plan.threads = k ? 3 : 1;
                torre_md_solver *solver = md_case_solver(&c, &plan);
                for (int part = 0; part < (k ? 4 : 1); part++)
                    CHECK_OK(solver->backend->advance(solver, k ? 50 : 200));
                got[k] = md_case_particles(&c, solver);
                solver->backend->destroy(solver);
            }
            double difference = md_case_difference(&got[0], &got[1]);
            CHECK(difference == 0, "%s: differs by %g",
                  torre_neighbor_name((torre_neighbor)neighbor), difference);
            for (int k = 0; k < 2; k++) torre_md_particles_free(&got[k]);
            md_case_free(&c);
        }
    }
}

/* Starts without overlap, up to dense ones, the same on any number of threads. */
static void test_start(void **state)
{
    (void)state;
    int threads = omp_get_max_threads();
    for (int k = 0; k < 8; k++) {
        torre_granular g = beads();
        g.filling = (const double[]){0.01, 0.2, 0.5, 0.58}[k % 4];
        g.walls = k >= 4;
        if (k == 1 || k == 6) g.dimensions = 2;
        if (k == 2 || k == 5) g.sweeps = k / 3; /* 0, 1: all of them are further ones */
        torre_md_particles start[2];
        for (int t = 0; t < 2; t++) {
            omp_set_num_threads(t ? 3 : 1);
            md_case c = gas_case(&g, 0, TORRE_MD_F64);
            start[t] = c.particles;
            CHECK_OK(torre_md_problem_check(&c.problem));
        }
        omp_set_num_threads(threads);
        const torre_md_particles *p = &start[0];
        CHECK(md_case_difference(p, &start[1]) == 0, "case %d: threads change the start", k);
        CHECK_OK(torre_md_start_check_overlap(p, g.diameter));
        const int axis = g.dimensions - 1;
        for (int64_t i = 0; g.walls && i < p->count; i++)
            CHECK(p->position[axis][i] >= g.diameter &&
                      p->position[axis][i] <= g.size[axis] * (1 + 1e-12),
                  "particle %lld is in a wall", (long long)i);
        for (int t = 0; t < 2; t++) torre_md_particles_free(&start[t]);
    }
}

/*
 * The start is that of a fluid in equilibrium: elastic spheres collide as often as Enskog says.
 * Contacts last t_c, so there are N nu t_c / 2 of them at a time.
 */
static void test_collision_rate(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.gas = TORRE_GRANULAR_ELASTIC;
    g.filling = 0.3;
    g.sweeps = 40;
    g.stiffness = 2000;
    g.size[0] = g.size[1] = g.size[2] = 0.016;
    md_case c = gas_case(&g, 0, TORRE_MD_F64);
    const torre_md_plan plan = safe_plan(&g);
    torre_md_solver *solver = md_case_solver(&c, &plan);
    double contact = torre_granular_shortest_contact(&g), phi = g.filling, contacts = 0;
    for (int k = 1; k <= 60; k++) {
        CHECK_OK(solver->backend->advance(solver, 50));
        contacts += md_case_thermo(&c, solver, 50 * k).contacts / 60;
    }
    double chi = (1 - phi / 2) / pow(1 - phi, 3), n = (double)c.particles.count;
    double rate = 24 * phi * chi * sqrt(g.temperature / pi) / g.diameter;
    double measured = 2 * contacts / (n * contact);
    /* 60 samples of about 80 contacts: 1.5 %; overlaps of 1 % of d matter as much */
    CHECK(fabs(measured / rate - 1) < 0.06, "collision rate %g, not %g", measured, rate);
    printf("collision rate: %.2f %% off\n", 100 * (measured / rate - 1));
    solver->backend->destroy(solver);
    md_case_free(&c);
}

static void check_refused(const torre_granular *g, double dt, torre_status code, const char *text)
{
    torre_md_problem p = {0};
    torre_md_particles particles = {0};
    torre_status status = torre_granular_problem(g, 0.3 * g->diameter, dt, &p);
    if (!status) status = torre_granular_start(g, &p, &particles);
    CHECK(status == code, "%s: status %d", text, (int)status);
    CHECK(strstr(torre_error_text(), text), "\"%s\" does not say \"%s\"", torre_error_text(), text);
}

static void test_refused(void **state)
{
    (void)state;
    torre_granular g = beads();
    g.restitution = 0;
    check_refused(&g, 0, TORRE_ERR_USAGE, "restitution must be");
    g.restitution = 1.01;
    check_refused(&g, 0, TORRE_ERR_USAGE, "restitution must be");
    g = beads();
    g.filling = 0.75;
    check_refused(&g, 0, TORRE_ERR_USAGE, "0.7405");
    g.filling = 0.72;
    check_refused(&g, 0, TORRE_ERR_USAGE, "sites");
    g.dimensions = 2;
    g.filling = 0.91;
    check_refused(&g, 0, TORRE_ERR_USAGE, "0.9069");
    g = beads();
    double contact = torre_granular_shortest_contact(&g);
    check_refused(&g, contact / 19, TORRE_ERR_UNSTABLE, "contact time");
    g.gravity = 1;
    check_refused(&g, 0, TORRE_ERR_USAGE, "gravity needs walls");
}

int main(int argc, char **argv)
{
    md_case_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_on),         cmocka_unit_test(test_hertz),
        cmocka_unit_test(test_touch),           cmocka_unit_test(test_touch_wall),
        cmocka_unit_test(test_order),           cmocka_unit_test(test_fall),
        cmocka_unit_test(test_far_from_origin), cmocka_unit_test(test_walls),
        cmocka_unit_test(test_shaken_wall),     cmocka_unit_test(test_elastic),
        cmocka_unit_test(test_energy_balance),  cmocka_unit_test(test_haff),
        cmocka_unit_test(test_same_trajectory), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_start),           cmocka_unit_test(test_collision_rate),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
