/*
 * Pair model "morse", cut at r_c.
 *
 *     V(r) = depth (exp(-2 alpha (r - r0)) - 2 exp(-alpha (r - r0))) - V_c,   r < r_c
 *
 * V_c = V(r_c) with shift, 0 without (the energy of LAMMPS's morse). pair_lj.h says what a pair
 * model provides.
 */
#include <stdbool.h>

#ifndef TORRE_PAIR_MORSE_H
#define TORRE_PAIR_MORSE_H

typedef struct torre_morse_parameters {
    double depth;       /* of the well, > 0 */
    double alpha;       /* inverse of its width, > 0 */
    double equilibrium; /* distance of least energy, r0 > 0 */
    bool shift;         /* shift the energy to zero at the cutoff */
} torre_morse_parameters;

#define TORRE_PAIR_PARAMETERS_morse(ROW)                                                           \
    ROW(POSITIVE, depth, 1, "D", "of the well")                                                    \
    ROW(POSITIVE, alpha, 6, "A", "inverse of the width of the well")                               \
    ROW(POSITIVE, equilibrium, 1, "R", "distance of least energy")                                 \
    ROW(FLAG, shift, 0, NULL, "shift the energy to zero at the cutoff")

#endif

#if defined TORRE_REAL && !defined TORRE_PAIR_PARAMETERS_ONLY
#include "particles/pair_begin.h"

#ifndef TORRE_PAIR_MORSE_ENERGY
#define TORRE_PAIR_MORSE_ENERGY

/* V(r) with V_c = 0 */
static inline double torre_pair_morse_energy(const torre_morse_parameters *p, double r)
{
    const double e = exp(-p->alpha * (r - p->equilibrium));
    return p->depth * (e * e - 2 * e);
}

#endif

TORRE_PAIR_CONSTANTS(depth, alpha, r0, force, energy_cut)

static inline torre_pair_lengths TORRE_TYPED(torre_pair_lengths)(const torre_pair_parameters *p)
{
    return (torre_pair_lengths){.size = p->morse.equilibrium};
}

static inline double TORRE_TYPED(torre_pair_shift)(const torre_md_problem *problem)
{
    const torre_morse_parameters *morse = &problem->pair.morse;
    return morse->shift ? 0 : torre_pair_morse_energy(morse, problem->cutoff);
}

static inline TORRE_TYPED(torre_pair)
    TORRE_TYPED(torre_pair_make)(const torre_md_problem *problem, double kick)
{
    (void)kick;
    const torre_morse_parameters *morse = &problem->pair.morse;
    const double cut = torre_pair_morse_energy(morse, problem->cutoff);
    TORRE_TYPED(torre_pair) pair;
    pair.depth = (TORRE_REAL)morse->depth;
    pair.alpha = (TORRE_REAL)morse->alpha;
    pair.r0 = (TORRE_REAL)morse->equilibrium;
    pair.force = (TORRE_REAL)(2 * morse->depth * morse->alpha);
    pair.energy_cut = morse->shift ? (TORRE_REAL)cut : 0;
    return pair;
}

TORRE_HD static inline TORRE_VALUE TORRE_TYPED(torre_pair_eval)(const TORRE_PAIR_EVALUATED *pair,
                                                                TORRE_VALUE rsq, TORRE_VALUE rv,
                                                                TORRE_VALUE *energy,
                                                                TORRE_VALUE *power)
{
    (void)rv, (void)power;
    TORRE_VALUE r = TORRE_SQRT(rsq), e = TORRE_EXP(pair->alpha * (pair->r0 - r));
    *energy = pair->depth * e * (e - 2) - pair->energy_cut;
    return pair->force * e * (e - 1) / r;
}

#include "particles/pair_end.h"
#endif
