#include "particles/cpu/thermostat.h"

#include <math.h>

typedef torre_cpu_solver cpu_solver;
typedef torre_cpu_thermostat thermostat;

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

/* That of a step. */
static torre_md_noise noise_of(const cpu_solver *s, int64_t step)
{
    const torre_md_problem *p = s->problem;
    const torre_bath bath = torre_md_bath(p);
    const double keep = torre_bath_keep(&bath), target = torre_bath_target(&bath, step);
    return (torre_md_noise){.keep = keep,
                            .spread = sqrt((1 - keep * keep) * target / p->mass),
                            .seed = p->seed,
                            .stream = (uint64_t)step};
}

/* A drift with noise in front, which belongs to the step before, or in its middle. */
static double noise_drift(cpu_solver *s, thermostat *t, bool middle, double kick)
{
    torre_md_noise noise = noise_of(s, s->store.step - (middle ? 0 : 1));
    const double moved = s->state->noise_drift(&s->store, &noise, middle, kick, s->problem->dt);
    t->taken += 0.5 * s->problem->mass * noise.less;
    t->due = false;
    return moved;
}

static void scale_to_target(cpu_solver *s, thermostat *t)
{
    const torre_bath bath = torre_md_bath(s->problem);
    const double kinetic = kinetic_now(s);
    const torre_bath_drawn drawn = torre_bath_draw(&bath, s->store.step);
    scale(s, t, torre_bath_after(&bath, s->store.step, kinetic, &drawn, t->rate), kinetic);
}

void torre_cpu_thermostat_before(cpu_solver *s, thermostat *t)
{
    if (s->problem->ensemble == TORRE_NOSE_HOOVER &&
        torre_md_couples(s->problem, s->store.step - 1))
        scale_to_target(s, t);
}

double torre_cpu_thermostat_drift(cpu_solver *s, thermostat *t, double kick)
{
    if (t->due || s->problem->ensemble == TORRE_BAOAB) return noise_drift(s, t, !t->due, kick);
    return s->state->kick_drift(&s->store, kick, s->problem->dt);
}

void torre_cpu_thermostat_finish(cpu_solver *s, thermostat *t)
{
    if (!t->due) return;
    torre_md_noise noise = noise_of(s, s->store.step);
    s->state->noise(&s->store, &noise);
    t->taken += 0.5 * s->problem->mass * noise.less;
    t->due = false;
}

void torre_cpu_thermostat_after(cpu_solver *s, thermostat *t)
{
    switch (s->problem->ensemble) {
    case TORRE_LANGEVIN:
        t->due = true;
        break;
    case TORRE_BERENDSEN:
    case TORRE_BUSSI:
    case TORRE_NOSE_HOOVER:
        if (torre_md_couples(s->problem, s->store.step)) scale_to_target(s, t);
        break;
    default:
        break;
    }
}
