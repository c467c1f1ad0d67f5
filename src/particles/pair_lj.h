/*
 * Pair model "lj": Lennard-Jones, cut at r_c.
 *
 *     V(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) - V_c,   r < r_c
 *     F_i  = -dV/dr d/r = (24 epsilon / r^2) (2 (sigma/r)^12 - (sigma/r)^6) d,   d = r_i - r_j
 *
 * V_c = V(r_c) with shift, 0 without (the energy of LAMMPS's lj/cut). The force is the same.
 *
 * What every pair model provides
 * ------------------------------
 * Its parameters: a struct torre_NAME_parameters, the member NAME of torre_md_problem.pair, and
 * TORRE_PAIR_PARAMETERS_NAME, a row for each parameter that an option sets: its range (POSITIVE,
 * NOT_NEGATIVE, SHARE: above 0 and at most 1, FLAG: a bool), the member, the default, and the
 * letter and text of --help. torre_md_problem_check holds them to their range, `md` makes options
 * of them (--wall-restitution of wall_restitution); models may share an option.
 *
 * And a C template, valid as C11 and as CUDA C++. Define
 *     TORRE_REAL         the type of constants, float or double
 *     TORRE_STATE        the type of positions and velocities; TORRE_REAL when not defined
 *     TORRE_VALUE        the type of what differs from pair to pair: TORRE_REAL (when not defined),
 *                        or a GNU vector of it, so that one call treats as many pairs as it has
 *                        elements; only + - * / between values, constants and literals may be
 *                        used, TORRE_SQRT and TORRE_EXP
 *     TORRE_SQRT(value)  the square root of a TORRE_VALUE; sqrt when not defined
 *     TORRE_EXP(value)   likewise e to the power of one
 *     TORRE_TYPED(name)  the name with a suffix of one's own
 * and include it, as often as wanted with different definitions. It includes pair_begin.h and, at
 * its end, pair_end.h, which see to what is not defined. It then defines, where it is not 0,
 *     TORRE_PAIR_DISSIPATES          1 where the force depends on the relative velocity: sweeps of
 *                                    other models do not read velocities
 *     TORRE_PAIR_FIELD               1 where a force acts on every particle by itself (gravity,
 *                                    walls)
 * and declares
 *     TORRE_TYPED(torre_pair)        constants of the model, plain data (kernel argument); of a
 *                                    model that does not dissipate TORRE_REALs alone, which
 *                                    TORRE_PAIR_CONSTANTS names, and eval takes a
 *                                    TORRE_PAIR_EVALUATED: particles of several types have
 *                                    constants for each pair of types (md_types.h)
 *     TORRE_TYPED(torre_pair_make)   those constants from the problem (host, f64 arithmetic), for
 *                                    velocities that a kick of that size, v += kick F, will
 *                                    complete: dt/2m in a step, where v stands at n - 1/2 and F
 *                                    is wanted at n; 0 where v is that of the positions
 *     TORRE_TYPED(torre_pair_eval)   the interaction, for host and device. It is called for pairs
 *                                    with 0 < r < r_c only, or its results are discarded: it must
 *                                    not branch on r to protect itself.
 *     TORRE_TYPED(torre_pair_lengths)  what lengths its parameters mean (torre_pair_lengths, md.h)
 *     TORRE_TYPED(torre_pair_shift)  energy to subtract per pair inside the cutoff to make the
 *                                    energy continuous there (0 where it is already).
 *     TORRE_TYPED(torre_pair_field)  with TORRE_PAIR_FIELD, the force on a single particle
 *                                    (pair_granular.h has one).
 * Included without TORRE_REAL, or by pair_list.h, it declares the parameters alone.
 */
#include <stdbool.h>

#ifndef TORRE_PAIR_LJ_H
#define TORRE_PAIR_LJ_H

typedef struct torre_lj_parameters {
    double epsilon; /* depth of the well, > 0 */
    double sigma;   /* distance of zero energy, > 0 */
    bool shift;     /* shift the energy to zero at the cutoff */
} torre_lj_parameters;

#define TORRE_PAIR_PARAMETERS_lj(ROW)                                                              \
    ROW(POSITIVE, epsilon, 1, "E", "depth of the Lennard-Jones well")                              \
    ROW(POSITIVE, sigma, 1, "S", "distance of zero Lennard-Jones energy")                          \
    ROW(FLAG, shift, 0, NULL, "shift the energy to zero at the cutoff")

#endif

#if defined TORRE_REAL && !defined TORRE_PAIR_PARAMETERS_ONLY
#include "particles/pair_12_6.h"

static inline torre_pair_lengths TORRE_TYPED(torre_pair_lengths)(const torre_pair_parameters *p)
{
    return (torre_pair_lengths){.size = p->lj.sigma};
}

static inline double TORRE_TYPED(torre_pair_shift)(const torre_md_problem *problem)
{
    const torre_lj_parameters *lj = &problem->pair.lj;
    return lj->shift ? 0 : torre_pair_12_6_energy(lj->epsilon, lj->sigma, problem->cutoff);
}

static inline TORRE_TYPED(torre_pair)
    TORRE_TYPED(torre_pair_make)(const torre_md_problem *problem, double kick)
{
    (void)kick;
    const torre_lj_parameters *lj = &problem->pair.lj;
    const double cut = torre_pair_12_6_energy(lj->epsilon, lj->sigma, problem->cutoff);
    return TORRE_TYPED(torre_pair_12_6)(lj->epsilon, lj->sigma, lj->shift ? cut : 0);
}

#include "particles/pair_end.h"
#endif
