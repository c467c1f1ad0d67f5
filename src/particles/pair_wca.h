/*
 * Pair model "wca": the repulsive part of Lennard-Jones (Weeks, Chandler, Andersen 1971).
 *
 *     V(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) + epsilon,   r < r_c = 2^(1/6) sigma
 *
 * pair_lj.h says what a pair model provides.
 */
#ifndef TORRE_PAIR_WCA_H
#define TORRE_PAIR_WCA_H

typedef struct torre_wca_parameters {
    double epsilon; /* energy at sigma, > 0 */
    double sigma;   /* > 0 */
} torre_wca_parameters;

#define TORRE_PAIR_PARAMETERS_wca(ROW)                                                             \
    ROW(POSITIVE, epsilon, 1, "E", "energy at sigma")                                              \
    ROW(POSITIVE, sigma, 1, "S", "cutoff over the sixth root of 2")

#endif

#if defined TORRE_REAL && !defined TORRE_PAIR_PARAMETERS_ONLY
#include "particles/pair_12_6.h"

static inline torre_pair_lengths TORRE_TYPED(torre_pair_lengths)(const torre_pair_parameters *p)
{
    return (torre_pair_lengths){
        .cutoff = pow(2, 1.0 / 6) * p->wca.sigma, .fixed = true, .size = p->wca.sigma};
}

/* The energy is zero at the cutoff. */
static inline double TORRE_TYPED(torre_pair_shift)(const torre_md_problem *problem)
{
    (void)problem;
    return 0;
}

static inline TORRE_TYPED(torre_pair)
    TORRE_TYPED(torre_pair_make)(const torre_md_problem *problem, double kick)
{
    (void)kick;
    const torre_wca_parameters *wca = &problem->pair.wca;
    return TORRE_TYPED(torre_pair_12_6)(wca->epsilon, wca->sigma, -wca->epsilon);
}

#include "particles/pair_end.h"
#endif
