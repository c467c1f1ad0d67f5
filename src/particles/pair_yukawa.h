/*
 * Pair model "yukawa": screened repulsion, cut at r_c.
 *
 *     V(r) = strength exp(-kappa r) / r - V_c,   r < r_c
 *
 * V_c = V(r_c) with shift, 0 without (the energy of LAMMPS's yukawa). pair_lj.h says what a pair
 * model provides.
 */
#include <stdbool.h>

#ifndef TORRE_PAIR_YUKAWA_H
#define TORRE_PAIR_YUKAWA_H

typedef struct torre_yukawa_parameters {
    double strength; /* energy times length, > 0 */
    double kappa;    /* inverse of the screening length, >= 0 */
    bool shift;      /* shift the energy to zero at the cutoff */
} torre_yukawa_parameters;

#define TORRE_PAIR_PARAMETERS_yukawa(ROW)                                                          \
    ROW(POSITIVE, strength, 10, "A", "of repulsion, energy times length")                          \
    ROW(NOT_NEGATIVE, kappa, 2, "K", "inverse of the screening length")                            \
    ROW(FLAG, shift, 0, NULL, "shift the energy to zero at the cutoff")

#endif

#if defined TORRE_REAL && !defined TORRE_PAIR_PARAMETERS_ONLY
#include "particles/pair_begin.h"

TORRE_PAIR_CONSTANTS(strength, kappa, energy_cut)

static inline torre_pair_lengths TORRE_TYPED(torre_pair_lengths)(const torre_pair_parameters *p)
{
    (void)p;
    return (torre_pair_lengths){.size = 1};
}

static inline double TORRE_TYPED(torre_pair_shift)(const torre_md_problem *problem)
{
    const torre_yukawa_parameters *yukawa = &problem->pair.yukawa;
    const double r = problem->cutoff;
    return yukawa->shift ? 0 : yukawa->strength * exp(-yukawa->kappa * r) / r;
}

static inline TORRE_TYPED(torre_pair)
    TORRE_TYPED(torre_pair_make)(const torre_md_problem *problem, double kick)
{
    (void)kick;
    const torre_yukawa_parameters *yukawa = &problem->pair.yukawa;
    const double r = problem->cutoff;
    TORRE_TYPED(torre_pair) pair;
    pair.strength = (TORRE_REAL)yukawa->strength;
    pair.kappa = (TORRE_REAL)yukawa->kappa;
    pair.energy_cut =
        yukawa->shift ? (TORRE_REAL)(yukawa->strength * exp(-yukawa->kappa * r) / r) : 0;
    return pair;
}

TORRE_HD static inline TORRE_VALUE TORRE_TYPED(torre_pair_eval)(const TORRE_PAIR_EVALUATED *pair,
                                                                TORRE_VALUE rsq, TORRE_VALUE rv,
                                                                TORRE_VALUE *energy,
                                                                TORRE_VALUE *power)
{
    (void)rv, (void)power;
    TORRE_VALUE r = TORRE_SQRT(rsq), inverse = 1 / r;
    TORRE_VALUE whole = pair->strength * TORRE_EXP(-pair->kappa * r) * inverse;
    *energy = whole - pair->energy_cut;
    return whole * (pair->kappa + inverse) * inverse;
}

#include "particles/pair_end.h"
#endif
