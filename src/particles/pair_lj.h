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
 *                        used, and TORRE_SQRT
 *     TORRE_SQRT(value)  the square root of a TORRE_VALUE; sqrt when not defined
 *     TORRE_TYPED(name)  the name with a suffix of one's own
 * and include it, as often as wanted with different definitions. It then defines
 *     TORRE_PAIR_DISSIPATES          1 where the force depends on the relative velocity, else 0:
 *                                    sweeps of other models do not read velocities
 *     TORRE_PAIR_FIELD               1 where a force acts on every particle by itself (gravity,
 *                                    walls), else 0
 * and declares
 *     TORRE_TYPED(torre_pair)        constants of the model, plain data (kernel argument)
 *     TORRE_TYPED(torre_pair_make)   those constants from the problem (host, f64 arithmetic), for
 *                                    velocities that a kick of that size, v += kick F, will
 *                                    complete: dt/2m in a step, where v stands at n - 1/2 and F
 *                                    is wanted at n; 0 where v is that of the positions
 *     TORRE_TYPED(torre_pair_eval)   the interaction, for host and device. It is called for pairs
 *                                    with 0 < r < r_c only, or its results are discarded: it must
 *                                    not branch on r to protect itself.
 *     TORRE_TYPED(torre_pair_shift)  energy to subtract per pair inside the cutoff to make the
 *                                    energy continuous there (0 where it is already).
 *     TORRE_TYPED(torre_pair_field)  with TORRE_PAIR_FIELD, the force on a single particle
 *                                    (pair_granular.h has one).
 * Included without TORRE_REAL, or by pair_list.h, it declares the parameters alone.
 */
#include <math.h>
#include <stdbool.h>

#include "tiling/hd.h"

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
#include "particles/md.h"

#undef TORRE_PAIR_DISSIPATES
#undef TORRE_PAIR_FIELD
#define TORRE_PAIR_DISSIPATES 0
#define TORRE_PAIR_FIELD      0

#ifndef TORRE_VALUE
#define TORRE_VALUE TORRE_REAL
#define TORRE_VALUE_UNSET
#endif

typedef struct TORRE_TYPED(torre_pair) {
    TORRE_REAL force12, force6;   /* F.d = r^-2 r^-6 (force12 r^-6 - force6) */
    TORRE_REAL energy12, energy6; /* V = r^-6 (energy12 r^-6 - energy6) - energy_cut */
    TORRE_REAL energy_cut;
} TORRE_TYPED(torre_pair);

static inline TORRE_TYPED(torre_pair)
    TORRE_TYPED(torre_pair_make)(const torre_md_problem *problem, double kick)
{
    (void)kick;
    const torre_lj_parameters *lj = &problem->pair.lj;
    double epsilon = lj->epsilon, s6 = pow(lj->sigma, 6), c6 = pow(problem->cutoff, -6);
    double at_cutoff = 4 * epsilon * s6 * c6 * (s6 * c6 - 1);
    TORRE_TYPED(torre_pair) pair;
    pair.force12 = (TORRE_REAL)(48 * epsilon * s6 * s6);
    pair.force6 = (TORRE_REAL)(24 * epsilon * s6);
    pair.energy12 = (TORRE_REAL)(4 * epsilon * s6 * s6);
    pair.energy6 = (TORRE_REAL)(4 * epsilon * s6);
    pair.energy_cut = lj->shift ? (TORRE_REAL)at_cutoff : 0;
    return pair;
}

static inline double TORRE_TYPED(torre_pair_shift)(const torre_md_problem *problem)
{
    const torre_lj_parameters *lj = &problem->pair.lj;
    double s6 = pow(lj->sigma, 6), c6 = pow(problem->cutoff, -6);
    return lj->shift ? 0 : 4 * lj->epsilon * s6 * c6 * (s6 * c6 - 1);
}

/*
 * rsq: r^2; rv: d . (v_i - v_j), 0 for models that do not dissipate. Returns f with F_i = f d (so
 * that the pair's virial d . F_i is f r^2); *energy: V(r); *power: half of what the pair dissipates
 * per time (each of the two particles keeps count of its half), set where TORRE_PAIR_DISSIPATES.
 */
TORRE_HD static inline TORRE_VALUE
TORRE_TYPED(torre_pair_eval)(const TORRE_TYPED(torre_pair) * pair, TORRE_VALUE rsq, TORRE_VALUE rv,
                             TORRE_VALUE *energy, TORRE_VALUE *power)
{
    (void)rv, (void)power;
    TORRE_VALUE inverse = 1 / rsq;
    TORRE_VALUE r6 = inverse * inverse * inverse;
    *energy = r6 * (pair->energy12 * r6 - pair->energy6) - pair->energy_cut;
    return inverse * r6 * (pair->force12 * r6 - pair->force6);
}

#ifdef TORRE_VALUE_UNSET
#undef TORRE_VALUE
#undef TORRE_VALUE_UNSET
#endif

#endif
