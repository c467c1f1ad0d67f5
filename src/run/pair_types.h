/*
 * Particles of several types, as users say it:
 *
 *     types   "80:20"   shares of the types of a lattice; a file has its own
 *     masses  "1,2.5"   one for each type
 *     pairs   "1-1 epsilon=1 cutoff=2.5; 1-2 epsilon=1.5 sigma=0.8 cutoff=2; 2-2 ..."
 *
 * Parameters of the pair model that an entry of pairs leaves out are those of all particles, its
 * cutoff likewise. A pair of two types without an entry is mixed of those of each with itself where
 * the model has a rule for that (torre_md_types_mix), which must be there.
 */
#ifndef TORRE_PAIR_TYPES_H
#define TORRE_PAIR_TYPES_H

#include "io/particle_file.h"
#include "particles/md_types.h"

/* NULL: not said. */
typedef struct torre_type_words {
    const char *types, *masses, *pairs;
} torre_type_words;

/* How many types the shares mean; 1 without them. TORRE_ERR_USAGE. */
torre_status torre_type_shares(const torre_type_words *words, double share[TORRE_MD_TYPES],
                               int *types);

/* Deal out types by their shares, at random. TORRE_ERR_RESOURCE. */
torre_status torre_type_deal(const double share[TORRE_MD_TYPES], int types, uint64_t seed,
                             torre_md_particles *particles);

/*
 * Masses and interactions of count types: of the words, of what the file said (source, NULL without
 * one) and, for what they leave out, of problem->pair and cutoff. mass: of the file, 0 where it has
 * none of a type. The problem gets the largest cutoff. TORRE_ERR_USAGE, TORRE_ERR_INPUT.
 */
torre_status torre_type_table(const torre_type_words *words, int count,
                              const torre_particle_source *source,
                              const double mass[TORRE_MD_TYPES], torre_md_problem *problem,
                              torre_md_types *table);

#endif
