/* Rough grains of the reference: all pairs, each once, in f64; spins, and what contacts remember.
 * */
#ifndef TORRE_MD_REFERENCE_GRAINS_H
#define TORRE_MD_REFERENCE_GRAINS_H

#include "particles/grains.h"

typedef struct torre_reference_grains {
    double *spin[3], *twist[3]; /* [axis][id]: w, and dw/dt times the mass of the problem */
    torre_contact_key *key;     /* [id][slots] of the partner with the larger id, or walls */
    double *spring;             /* [id][slots][TORRE_SPRINGS] */
    int slots;
} torre_reference_grains;

/* TORRE_ERR_RESOURCE; free also then. */
torre_status torre_reference_grains_make(const torre_md_problem *problem,
                                         torre_reference_grains *grains);
void torre_reference_grains_free(torre_reference_grains *grains);

/* Bytes of them. */
int64_t torre_reference_grains_bytes(const torre_md_problem *problem);

/* Spins of the start, and no contacts. */
void torre_reference_grains_load(const torre_md_problem *problem, torre_reference_grains *grains);

/* What torre_md_reference_pairs does, and twist. Forces are multiplied by the mass of the problem
 * over that of the grain. */
torre_status torre_reference_grains_forces(const torre_md_problem *problem, double half,
                                           int64_t step, double *const position[3],
                                           double *const velocity[3], double *const force[3],
                                           double *power, torre_reference_grains *grains,
                                           torre_md_sums *sums);

/* As `state` of torre_md_backend. */
torre_status torre_reference_grains_state(const torre_md_problem *problem,
                                          torre_reference_grains *grains, torre_md_visit *visit,
                                          void *context);

#endif
