/*
 * Minimisation by FIRE (Bitzek, Koskinen, Gaehler, Moseler, Gumbsch, Phys. Rev. Lett. 97 (2006)
 * 170201): steps of velocity Verlet from rest, in front of each of which, with a = F/m,
 *
 *     P = sum F . v;   v = (1 - s) v + s |v| a / |a|      lengths over all particles, weighted by m
 *     P > 0:           after 5 such steps in a row dt grows by 1.1, s shrinks by 0.99
 *     otherwise:       v = 0, dt halves, s = 0.1
 *
 * dt stays between 1/50 and 10 times that of the problem. No particle moves more than a 25th of the
 * cutoff in a step, so that starts may overlap. What all backends compute of it, on numbers.
 */
#ifndef TORRE_FIRE_H
#define TORRE_FIRE_H

#include <math.h>
#include <stdint.h>

#include "tiling/hd.h"

/* What it remembers from step to step. */
typedef struct torre_fire {
    double dt;        /* of the last step, and the next one */
    double share;     /* s */
    double keep, add; /* v becomes keep v + add F/m */
    int64_t downhill; /* steps since P was not positive */
} torre_fire;

/* Sums over particles: F . v, m (F/m)^2, m v^2, F^2. */
enum { TORRE_FIRE_POWER, TORRE_FIRE_PUSH, TORRE_FIRE_SPEED, TORRE_FIRE_FORCE, TORRE_FIRE_SUMS };

#define TORRE_FIRE_MOST 0.04 /* of the cutoff */

static inline TORRE_HD torre_fire torre_fire_start(double dt)
{
    torre_fire f;
    f.dt = dt;
    f.share = 0.1;
    f.keep = f.add = 0;
    f.downhill = 0;
    return f;
}

/* Decide about the next step; dt: of the problem. */
static inline TORRE_HD void torre_fire_decide(torre_fire *f, double dt,
                                              const double sum[TORRE_FIRE_SUMS])
{
    if (sum[TORRE_FIRE_POWER] > 0) {
        f->keep = 1 - f->share;
        f->add = f->share * sqrt(sum[TORRE_FIRE_SPEED] / sum[TORRE_FIRE_PUSH]);
        if (++f->downhill <= 5) return;
        f->dt = f->dt * 1.1 < 10 * dt ? f->dt * 1.1 : 10 * dt;
        f->share *= 0.99;
        return;
    }
    f->keep = f->add = 0;
    f->downhill = 0;
    f->share = 0.1;
    /* at the start nothing moves yet */
    if (sum[TORRE_FIRE_SPEED] > 0) f->dt = f->dt / 2 > dt / 50 ? f->dt / 2 : dt / 50;
}

#endif
