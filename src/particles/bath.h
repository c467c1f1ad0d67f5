/*
 * Thermostats, around the step of velocity Verlet: what all backends compute of them, on numbers.
 *
 *     before;  v += (dt/2m) F;  r += dt v (drift);  F = F(r);  v += (dt/2m) F;  after
 *
 * T is the target of the step, G = 3 N - 3 the degrees of freedom, K the kinetic energy. Random
 * numbers depend on the seed, the step and the id alone.
 *
 * langevin      after: the exact solution of m dv = -(m/tau) v dt + noise over a step,
 *               v = c v + sqrt((1 - c^2) T/m) g, c = exp(-dt/tau).
 * baoab         the same in the middle of drift (Leimkuhler and Matthews, Appl. Math. Res. Express
 *               2013, 34), which leaves hardly any error of dt in the positions.
 * berendsen     after: v scaled by sqrt(1 + dt/tau (T0/T - 1)) (J. Chem. Phys. 81 (1984) 3684, eq.
 *               11); its fluctuations are not canonical.
 * bussi         after: K goes on by the exact solution of its stochastic equation (Bussi, Donadio,
 *               Parrinello, J. Chem. Phys. 126 (2007) 014101, eq. A7), velocities are scaled to it.
 * nose-hoover   before and after: half a step of a chain of three (Martyna, Tuckerman, Tobias,
 *               Klein, Mol. Phys. 87 (1996) 1117), masses G T tau^2, T tau^2, T tau^2.
 *
 * What the thermostat takes from the particles is counted: their energy and this are conserved.
 *
 * Those that scale all velocities need K. They may act once in N steps, dt being N time steps then:
 * "after" behind the steps N, 2 N, ..., "before" in front of the steps behind these, and between
 * them are plain steps. That is the splitting of before in two levels (the outer level of RESPA:
 * Tuckerman, Berne, Martyna, J. Chem. Phys. 97 (1992) 1990), as symmetric as with N = 1, so that
 * its error has the order of (N dt)^2. bussi goes on exactly, whatever N.
 */
#ifndef TORRE_BATH_H
#define TORRE_BATH_H

#include <math.h>
#include <stdbool.h>

#include "core/random.h"
#include "torre/particles.h"

enum { TORRE_CHAIN = 3 };

/* A thermostat; plain data. */
typedef struct torre_bath {
    torre_md_ensemble ensemble;
    double dt, time;             /* from one time that it acts to the next; of relaxation */
    double temperature, ramp_to; /* target, which goes to this one ... */
    int64_t ramp_steps;          /* ... in a straight line until this step; 0: it stays */
    double freedom;              /* G */
    uint64_t seed;
} torre_bath;

/* The target of a step. */
static inline TORRE_HD double torre_bath_target(const torre_bath *b, int64_t step)
{
    if (b->ramp_steps == 0) return b->temperature;
    const double share = step < b->ramp_steps ? (double)step / (double)b->ramp_steps : 1;
    return b->temperature + share * (b->ramp_to - b->temperature);
}

/* Whether it adds noise to each velocity; otherwise it scales all of them. */
static inline TORRE_HD bool torre_bath_has_noise(torre_md_ensemble ensemble)
{
    return ensemble == TORRE_LANGEVIN || ensemble == TORRE_BAOAB;
}

/* c of langevin and baoab */
static inline TORRE_HD double torre_bath_keep(const torre_bath *b) { return exp(-b->dt / b->time); }

/* What velocities of this kinetic energy are multiplied by. */
static inline TORRE_HD double torre_bath_berendsen(const torre_bath *b, int64_t step,
                                                   double kinetic)
{
    const double now = b->freedom > 0 ? 2 * kinetic / b->freedom : 0;
    if (!(now > 0)) return 1;
    const double square = 1 + b->dt / b->time * (torre_bath_target(b, step) / now - 1);
    return square > 0 ? sqrt(square) : 0;
}

/* The sum of the squares of n >= 2 normal deviates: twice a deviate of the gamma distribution
 * (Marsaglia and Tsang, ACM Trans. Math. Softw. 26 (2000) 363). Numbers from id 1 on. */
static inline TORRE_HD double torre_bath_squares(double n, uint64_t seed, uint64_t stream)
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

/* What bussi draws for a step: a normal deviate, and the sum of the squares of G - 1 others. It can
 * be drawn before K is known. */
typedef struct torre_bath_drawn {
    double normal, squares;
} torre_bath_drawn;

static inline TORRE_HD torre_bath_drawn torre_bath_draw(const torre_bath *b, int64_t step)
{
    torre_bath_drawn d = {0, 0};
    if (b->ensemble != TORRE_BUSSI || b->freedom < 3) return d;
    double g[3];
    torre_random_normal3(b->seed, (uint64_t)step, 0, g);
    d.normal = g[0];
    d.squares = torre_bath_squares(b->freedom - 1, b->seed, (uint64_t)step);
    return d;
}

static inline TORRE_HD double torre_bath_bussi(const torre_bath *b, int64_t step, double kinetic,
                                               const torre_bath_drawn *drawn)
{
    if (!(kinetic > 0) || b->freedom < 3) return 1;
    const double keep = torre_bath_keep(b);
    /* the energy of a degree of freedom at the target, over K */
    const double one = 0.5 * torre_bath_target(b, step) / kinetic;
    const double root = sqrt(keep) + drawn->normal * sqrt((1 - keep) * one);
    const double square = root * root + (1 - keep) * one * drawn->squares;
    return copysign(sqrt(square), root);
}

/* A chain of thermostats on so many degrees of freedom; masses of its members. */
typedef struct torre_chain {
    double dt, target, freedom, first, other;
} torre_chain;

/* Half a step of the chain, from its end to what moves with that kinetic energy and back; returns
 * what its velocities are multiplied by. rate: of its members, of which the first is a friction,
 * 1/time; 0 at the start. */
static inline TORRE_HD double torre_chain_half(const torre_chain *c, double kinetic,
                                               double rate[TORRE_CHAIN])
{
    const double mass[TORRE_CHAIN] = {c->first, c->other, c->other};
    const double half = 0.5 * c->dt, target = c->target;
    double factor = 1;
    for (int turn = 0; turn < 2; turn++) {
        for (int n = 0; n < TORRE_CHAIN; n++) {
            const int k = turn ? n : TORRE_CHAIN - 1 - n;
            const double drag = k < TORRE_CHAIN - 1 ? exp(-0.25 * half * rate[k + 1]) : 1;
            const double drive = k ? mass[k - 1] * rate[k - 1] * rate[k - 1] - target
                                   : 2 * kinetic - c->freedom * target;
            rate[k] = (rate[k] * drag + 0.5 * half * drive / mass[k]) * drag;
        }
        if (turn) break;
        factor = exp(-half * rate[0]);
        kinetic *= factor * factor;
    }
    return factor;
}

/* The same of the particles. */
static inline TORRE_HD double torre_bath_chain(const torre_bath *b, int64_t step, double kinetic,
                                               double rate[TORRE_CHAIN])
{
    if (b->freedom < 3) return 1;
    const double target = torre_bath_target(b, step), one = target * b->time * b->time;
    const torre_chain chain = {.dt = b->dt,
                               .target = target,
                               .freedom = b->freedom,
                               .first = b->freedom * one,
                               .other = one};
    return torre_chain_half(&chain, kinetic, rate);
}

/* What velocities of this kinetic energy are multiplied by after a step; drawn: of that step. */
static inline TORRE_HD double torre_bath_after(const torre_bath *b, int64_t step, double kinetic,
                                               const torre_bath_drawn *drawn,
                                               double rate[TORRE_CHAIN])
{
    switch (b->ensemble) {
    case TORRE_BERENDSEN:
        return torre_bath_berendsen(b, step, kinetic);
    case TORRE_BUSSI:
        return torre_bath_bussi(b, step, kinetic, drawn);
    case TORRE_NOSE_HOOVER:
        return torre_bath_chain(b, step, kinetic, rate);
    default:
        return 1;
    }
}

#endif
