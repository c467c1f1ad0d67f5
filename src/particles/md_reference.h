/*
 * The oracle: all pairs, one thread, f64, no bins, no lists. Every other solver is checked against
 * it. It takes the cutoff from the problem and has nothing to choose in the plan.
 */
#ifndef TORRE_MD_REFERENCE_H
#define TORRE_MD_REFERENCE_H

#include "particles/md.h"

extern const torre_md_backend torre_md_reference;

/*
 * Forces on all particles ([axis][id]), the power each dissipates, and the sums potential,
 * potential_shift, virial and contacts, each pair once, at a step, for velocities that a kick of
 * that size will complete (torre_pair_make). One function per pair model, and
 * what there is to know about it (md_reference_pairs.c.in).
 */
typedef void torre_md_reference_pairs(const torre_md_problem *problem, double kick, int64_t step,
                                      double *const position[3], double *const velocity[3],
                                      double *const force[3], double *power, torre_md_sums *sums);

#define TORRE_MD_REFERENCE_DECLARE(name)                                                           \
    torre_md_reference_pairs torre_md_reference_pairs_##name;                                      \
    extern const torre_pair_about torre_pair_about_##name;
TORRE_PAIR_LIST(TORRE_MD_REFERENCE_DECLARE)

#endif
