#include "particles/cpu/thermostat.h"

#include <math.h>

#include "core/random.h"

typedef torre_cpu_solver cpu_solver;
typedef torre_cpu_thermostat thermostat;

static double freedom_of(const cpu_solver *s) { return 3 * (double)s->store.count - 3; }

static double kinetic_now(const cpu_solver *s)
{
    double sum[4];
    return 0.5 * s->problem->mass * s->state->square_sum(&s->store, sum);
}

/* Velocities scaled, of particles of that kinetic energy. */
static void scale(cpu_solver *s, thermostat *t, double factor, double kinetic)
{
    s->state->scale(&s->store, factor);
    t->taken += (1 - factor * factor) * kinetic;
}

static void add_noise(cpu_solver *s, thermostat *t)
{
    const torre_md_problem *p = s->problem;
    const double keep = exp(-p->dt / p->damping_time);
    const double target = torre_md_target(p, s->store.step);
    const double noise = sqrt((1 - keep * keep) * target / p->mass);
    t->taken +=
        0.5 * p->mass * s->state->noise(&s->store, keep, noise, p->seed, (uint64_t)s->store.step);
}

static void berendsen(cpu_solver *s, thermostat *t)
{
    const torre_md_problem *p = s->problem;
    const double freedom = freedom_of(s), kinetic = kinetic_now(s);
    const double now = freedom > 0 ? 2 * kinetic / freedom : 0;
    if (!(now > 0)) return;
    const double target = torre_md_target(p, s->store.step);
    const double square = 1 + p->dt / p->damping_time * (target / now - 1);
    scale(s, t, sqrt(fmax(square, 0)), kinetic);
}

/* The sum of the squares of n >= 2 normal deviates: twice a deviate of the gamma distribution
 * (Marsaglia and Tsang, ACM Trans. Math. Softw. 26 (2000) 363). Numbers from id 1 on. */
static double normal_squares(double n, uint64_t seed, uint64_t stream)
{
    const double d = n / 2 - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (int64_t id = 1;; id += 2) {
        double g[3];
        torre_random_normal3(seed, stream, id, g);
        const double x = g[0], v = pow(1 + c * x, 3);
        const double u = torre_random_uniform(seed, stream, 4 * (uint64_t)(id + 1));
        if (v > 0 && log(u) < 0.5 * x * x + d * (1 - v + log(v))) return 2 * d * v;
    }
}

static void bussi(cpu_solver *s, thermostat *t)
{
    const torre_md_problem *p = s->problem;
    const uint64_t stream = (uint64_t)s->store.step;
    const double freedom = freedom_of(s), kinetic = kinetic_now(s);
    if (!(kinetic > 0) || freedom < 3) return;
    double g[3];
    torre_random_normal3(p->seed, stream, 0, g);
    const double others = normal_squares(freedom - 1, p->seed, stream);
    const double keep = exp(-p->dt / p->damping_time);
    /* the energy of a degree of freedom at the target, over K */
    const double one = 0.5 * torre_md_target(p, s->store.step) / kinetic;
    const double root = sqrt(keep) + g[0] * sqrt((1 - keep) * one);
    const double square = root * root + (1 - keep) * one * others;
    scale(s, t, copysign(sqrt(square), root), kinetic);
}

/* Half a step of the chain, from its end to the particles and back. */
static void chain(cpu_solver *s, thermostat *t)
{
    const torre_md_problem *p = s->problem;
    const double freedom = freedom_of(s), target = torre_md_target(p, s->store.step);
    const double one = target * p->damping_time * p->damping_time;
    const double mass[TORRE_CHAIN] = {freedom * one, one, one};
    const double half = 0.5 * p->dt, last = TORRE_CHAIN - 1;
    double kinetic = kinetic_now(s), factor = 1;
    if (freedom < 3) return;
    for (int turn = 0; turn < 2; turn++) {
        for (int n = 0; n < TORRE_CHAIN; n++) {
            const int k = turn ? n : TORRE_CHAIN - 1 - n;
            const double drag = k < last ? exp(-0.25 * half * t->rate[k + 1]) : 1;
            const double drive = k ? mass[k - 1] * t->rate[k - 1] * t->rate[k - 1] - target
                                   : 2 * kinetic - freedom * target;
            t->rate[k] = (t->rate[k] * drag + 0.5 * half * drive / mass[k]) * drag;
        }
        if (turn) break;
        factor = exp(-half * t->rate[0]);
        kinetic *= factor * factor;
    }
    scale(s, t, factor, kinetic / (factor * factor));
}

void torre_cpu_thermostat_before(cpu_solver *s, thermostat *t)
{
    if (s->problem->ensemble == TORRE_NOSE_HOOVER) chain(s, t);
}

double torre_cpu_thermostat_drift(cpu_solver *s, thermostat *t, double kick)
{
    const double dt = s->problem->dt;
    if (s->problem->ensemble != TORRE_BAOAB) return s->state->kick_drift(&s->store, kick, dt);
    s->state->kick_drift(&s->store, kick, 0.5 * dt);
    add_noise(s, t);
    return s->state->kick_drift(&s->store, 0, 0.5 * dt);
}

void torre_cpu_thermostat_after(cpu_solver *s, thermostat *t)
{
    switch (s->problem->ensemble) {
    case TORRE_LANGEVIN:
        add_noise(s, t);
        break;
    case TORRE_BERENDSEN:
        berendsen(s, t);
        break;
    case TORRE_BUSSI:
        bussi(s, t);
        break;
    case TORRE_NOSE_HOOVER:
        chain(s, t);
        break;
    default:
        break;
    }
}
