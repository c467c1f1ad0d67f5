/*
 * The interaction that models "lj" and "wca" share, a part of their headers (pair_lj.h):
 *
 *     V(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) - V_c
 *     F_i  = -dV/dr d/r = (24 epsilon / r^2) (2 (sigma/r)^12 - (sigma/r)^6) d,   d = r_i - r_j
 */
#include "particles/pair_begin.h"

#ifndef TORRE_PAIR_12_6_H
#define TORRE_PAIR_12_6_H

/* V(r) with V_c = 0 */
static inline double torre_pair_12_6_energy(double epsilon, double sigma, double r)
{
    double s6 = pow(sigma, 6), r6 = pow(r, -6);
    return 4 * epsilon * s6 * r6 * (s6 * r6 - 1);
}

#endif

/* F.d = r^-2 r^-6 (force12 r^-6 - force6), V = r^-6 (energy12 r^-6 - energy6) - energy_cut */
TORRE_PAIR_CONSTANTS(force12, force6, energy12, energy6, energy_cut)

static inline TORRE_TYPED(torre_pair)
    TORRE_TYPED(torre_pair_12_6)(double epsilon, double sigma, double energy_cut)
{
    const double s6 = pow(sigma, 6);
    TORRE_TYPED(torre_pair) pair;
    pair.force12 = (TORRE_REAL)(48 * epsilon * s6 * s6);
    pair.force6 = (TORRE_REAL)(24 * epsilon * s6);
    pair.energy12 = (TORRE_REAL)(4 * epsilon * s6 * s6);
    pair.energy6 = (TORRE_REAL)(4 * epsilon * s6);
    pair.energy_cut = (TORRE_REAL)energy_cut;
    return pair;
}

/*
 * rsq: r^2; rv: d . (v_i - v_j), 0 for models that do not dissipate. Returns f with F_i = f d (so
 * that the pair's virial d . F_i is f r^2); *energy: V(r); *power: half of what the pair dissipates
 * per time (each of the two particles keeps count of its half), set where TORRE_PAIR_DISSIPATES.
 */
TORRE_HD static inline TORRE_VALUE TORRE_TYPED(torre_pair_eval)(const TORRE_PAIR_EVALUATED *pair,
                                                                TORRE_VALUE rsq, TORRE_VALUE rv,
                                                                TORRE_VALUE *energy,
                                                                TORRE_VALUE *power)
{
    (void)rv, (void)power;
    TORRE_VALUE inverse = 1 / rsq;
    TORRE_VALUE r6 = inverse * inverse * inverse;
    *energy = r6 * (pair->energy12 * r6 - pair->energy6) - pair->energy_cut;
    return inverse * r6 * (pair->force12 * r6 - pair->force6);
}
