/*
 * Many particles from few: the box in equal parts, each with a copy of one block of particles that
 * was melted by itself. The block is periodic along the axes that are cut (never the one across
 * walls), so a copy can be displaced in its part by any distance around, and mirrored; each is so
 * at random, and nothing repeats from part to part. Copies meet in faces, where some particles
 * overlap.
 */
#ifndef TORRE_GRANULAR_COPIES_H
#define TORRE_GRANULAR_COPIES_H

#include "particles/granular.h"

typedef struct torre_granular_copies {
    const torre_granular *system;
    const torre_md_problem *problem;
    int64_t parts[3], count; /* along the axes; all of them, 1: there is nothing to copy */
    double edge[3];          /* of a part */
    torre_granular block_system;
    torre_md_problem block_problem;
    int64_t *first;           /* [count + 1]: the first particle of each copy */
    torre_md_particles block; /* positions from 0 to edge */
} torre_granular_copies;

/*
 * How the box of a system would be cut, zero before; free in any case. Numbers of particles in the
 * copies are random, with a variance of `fluctuation` times their mean; the block, which is to be
 * made, has the largest of them.
 */
torre_status torre_granular_copies_plan(const torre_granular *system,
                                        const torre_md_problem *problem, double fluctuation,
                                        torre_granular_copies *copies);
void torre_granular_copies_free(torre_granular_copies *copies);

/* Fill in the positions of the system, copy after copy: of the block as many as each has, each
 * subset as likely as any other. */
void torre_granular_copies_fill(const torre_granular_copies *copies, torre_md_particles *particles);

#endif
