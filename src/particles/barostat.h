/*
 * A barostat with the equations of Martyna, Tobias and Klein (J. Chem. Phys. 101 (1994) 4177), in
 * the splitting of Martyna, Tuckerman, Tobias, Klein (Mol. Phys. 87 (1996) 1117) and the order of
 * LAMMPS: what backends compute of them, on numbers. Along each axis a of a box of edges L, volume
 * V, with e_a the rate at which L_a grows and N particles,
 *
 *     dr = v + e r,   dL = e L,   dv = F/m - (e + (e_x + e_y + e_z)/3N) v,
 *     W de = (P_a - P) V + (sum m v^2)/3N,   P_a V = sum m v_a^2 + sum d_a F_a,
 *
 * isotropic with the mean of the right-hand side over the axes for all three. P is the target of
 * the step, W = (N + 1) T0 tau^2 with the target T0 of step 0. Around it all, chains of three
 * thermostats hold the temperature of the particles (bath.h) and of the barostat, with masses T0
 * tau^2. A step:
 *
 *     both chains, de, dv by e;  kick; r and L by e, half;  r += dt v;  r and L by e, half;
 *     F = F(r);  kick;  dv by e, de, both chains
 *
 * It may act once in N steps. Then the dt of what stands around the kicks is that of N steps: it is
 * done before the first of them and after the last one, and r and L go by e in these two, half of N
 * dt in each. The others are plain steps in a box that stays. No force is computed twice, and the
 * whole is its own mirror image, so that its error has the order of (N dt)^2. Between the couplings
 * both e and L are half an interval further than the time, so that what is conserved is so there,
 * too.
 *
 * With a bulk modulus B the edges swing at sqrt(3 B V/(N T))/tau, about 9/tau in a dense liquid, 45
 * in a cold crystal. At w the variance of the volume is 1/(1 - (w N dt/2)^2) times that of the
 * ensemble: for N dt = tau/40 the liquid's is off by 1 %.
 *
 * Conserved, but for the time step: the energy of the particles, the work P dV, W e^2/2, and what
 * the chains have taken. The states visited are those of constant P and T, weighted by V^(N-1), as
 * the centre of mass stays; with sums over 3N instead of 3N - 3 the exponent is off by 1/N.
 */
#ifndef TORRE_BAROSTAT_H
#define TORRE_BAROSTAT_H

#include <math.h>
#include <stdbool.h>

#include "particles/bath.h"

/* A barostat; plain data. */
typedef struct torre_barostat {
    double dt;                /* from one coupling to the next, which are ... */
    double step;              /* ... of a time step each ... */
    int64_t every;            /* ... so many steps */
    double pressure, ramp_to; /* target, which goes to this one ... */
    int64_t ramp_steps;       /* ... in a straight line until this step; 0: it stays */
    bool axes;                /* each edge by itself */
    double particles, weight; /* N, W */
    double chain;             /* mass of each member of its chain */
} torre_barostat;

/* What it remembers from step to step. */
typedef struct torre_barostat_state {
    double rate[3]; /* e */
    double chain[TORRE_CHAIN];
    double kinetic[3], virial[3]; /* sums of m v_a^2 and of d_a F_a at the step */
    double taken;                 /* by the barostat but for W e^2/2, and as work */
} torre_barostat_state;

/* The target of a step. */
static inline TORRE_HD double torre_barostat_target(const torre_barostat *b, int64_t step)
{
    if (b->ramp_steps == 0) return b->pressure;
    const double share = step < b->ramp_steps ? (double)step / (double)b->ramp_steps : 1;
    return b->pressure + share * (b->ramp_to - b->pressure);
}

/* W e^2/2, over the axes */
static inline TORRE_HD double torre_barostat_energy(const torre_barostat *b,
                                                    const torre_barostat_state *s)
{
    const double *e = s->rate;
    return 0.5 * b->weight * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

/* Half a step of the chain on the barostat, at that temperature. */
static inline TORRE_HD void torre_barostat_chain(const torre_barostat *b, double temperature,
                                                 torre_barostat_state *s)
{
    const double energy = torre_barostat_energy(b, s);
    const torre_chain chain = {.dt = b->dt,
                               .target = temperature,
                               .freedom = b->axes ? 3.0 : 1.0,
                               .first = b->chain,
                               .other = b->chain};
    const double factor = torre_chain_half(&chain, energy, s->chain);
    for (int a = 0; a < 3; a++) s->rate[a] *= factor;
    s->taken += (1 - factor * factor) * energy;
}

/* Half a step of the rates in a box of that volume, towards a pressure. */
static inline TORRE_HD void torre_barostat_push(const torre_barostat *b, double target,
                                                double volume, torre_barostat_state *s)
{
    const double *k = s->kinetic, more = (k[0] + k[1] + k[2]) / (3 * b->particles);
    double push[3], mean = 0;
    for (int a = 0; a < 3; a++) {
        push[a] = k[a] + s->virial[a] - target * volume + more;
        mean += push[a] / 3;
    }
    for (int a = 0; a < 3; a++) s->rate[a] += 0.5 * b->dt / b->weight * (b->axes ? push[a] : mean);
}

/* What half a step multiplies velocities by along each axis; the sums of their squares follow. */
static inline TORRE_HD void torre_barostat_slow(const torre_barostat *b, torre_barostat_state *s,
                                                double factor[3])
{
    const double *e = s->rate, more = (e[0] + e[1] + e[2]) / (3 * b->particles);
    for (int a = 0; a < 3; a++) {
        factor[a] = exp(-0.5 * b->dt * (e[a] + more));
        s->kinetic[a] *= factor[a] * factor[a];
    }
}

/* The share of what the box changes between two couplings that it does in a step, from 1 on. */
static inline TORRE_HD double torre_barostat_share(const torre_barostat *b, int64_t step)
{
    const bool first = (step - 1) % b->every == 0, last = step % b->every == 0;
    return (first ? 0.5 : 0) + (last ? 0.5 : 0);
}

/* --- A step of barostat and chains together --- */

#define TORRE_MOST_GROWTH 0.1 /* of an edge in a step: far beyond what an interval resolves */

/* What all of them remember from step to step. */
typedef struct torre_couplings {
    torre_barostat_state box;
    double rate[TORRE_CHAIN]; /* of the chain on the particles */
    double taken;             /* by that */
} torre_couplings;

/* Half a step of the chain on the particles; returns what their velocities are multiplied by. */
static inline TORRE_HD double torre_couplings_cool(const torre_bath *bath, int64_t step,
                                                   torre_couplings *c)
{
    double *k = c->box.kinetic;
    const double kinetic = 0.5 * (k[0] + k[1] + k[2]);
    const double factor = torre_bath_chain(bath, step, kinetic, c->rate);
    for (int a = 0; a < 3; a++) k[a] *= factor * factor;
    c->taken += (1 - factor * factor) * kinetic;
    return factor;
}

/* What comes before the first kick of a step behind a coupling, in a box of that volume, on
 * velocities that are to be multiplied by keep. */
static inline TORRE_HD void torre_couplings_before(const torre_bath *bath, const torre_barostat *b,
                                                   int64_t step, double volume, torre_couplings *c,
                                                   double keep[3])
{
    torre_barostat_chain(b, torre_bath_target(bath, step), &c->box);
    const double factor = torre_couplings_cool(bath, step, c);
    torre_barostat_push(b, torre_barostat_target(b, step), volume, &c->box);
    torre_barostat_slow(b, &c->box, keep);
    for (int a = 0; a < 3; a++) keep[a] *= factor;
}

/* The box of a step, of that before it, its edges over those, and how positions get there: r +=
 * more r + forward v; returns whether that is a small change. */
static inline TORRE_HD bool torre_couplings_grow(const torre_barostat *b, int64_t step,
                                                 torre_couplings *c, double box[3], double grown[3],
                                                 double more[3], double forward[3])
{
    const double before = box[0] * box[1] * box[2], share = torre_barostat_share(b, step);
    for (int a = 0; a < 3; a++) {
        const double growth = c->box.rate[a] * (share * b->dt);
        if (!(fabs(growth) < TORRE_MOST_GROWTH)) return false;
        grown[a] = exp(growth);
        box[a] *= grown[a];
        more[a] = expm1(growth);
        forward[a] = b->step * exp(0.5 * growth);
    }
    c->box.taken += torre_barostat_target(b, step) * (box[0] * box[1] * box[2] - before);
    return true;
}

/* What comes after the second kick in front of a coupling, whose velocities c->box.kinetic is of;
 * they are to be multiplied by scale. */
static inline TORRE_HD void torre_couplings_after(const torre_bath *bath, const torre_barostat *b,
                                                  int64_t step, double volume, torre_couplings *c,
                                                  double scale[3])
{
    torre_barostat_slow(b, &c->box, scale);
    torre_barostat_push(b, torre_barostat_target(b, step), volume, &c->box);
    const double factor = torre_couplings_cool(bath, step, c);
    torre_barostat_chain(b, torre_bath_target(bath, step), &c->box);
    for (int a = 0; a < 3; a++) scale[a] *= factor;
}

/* Energy that barostat and chains have taken and hold. */
static inline TORRE_HD double torre_couplings_taken(const torre_barostat *b,
                                                    const torre_couplings *c)
{
    return c->taken + c->box.taken + torre_barostat_energy(b, &c->box);
}

/*
 * How far particles may be from where lists expect them, in a box whose edges were `built` when the
 * lists were made, as far as reach, the cutoff and skin. A box whose edges are s times what they
 * were leaves s of that, for which the smallest s counts; where one has grown by a tenth, lists are
 * made again.
 */
static inline TORRE_HD double torre_barostat_slack(const double box[3], const double built[3],
                                                   double skin, double reach)
{
    double least = 1, most = 1;
    for (int a = 0; a < 3; a++) {
        least = fmin(least, box[a] / built[a]);
        most = fmax(most, box[a] / built[a]);
    }
    if (most > 1.1) return 0;
    return fmax(0.0, 0.5 * (skin - (1 - least) * reach));
}

#endif
