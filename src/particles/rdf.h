/*
 * The radial distribution function g(r): how often particles are at a distance, over how often they
 * would be without interaction,
 *
 *     g(r) = pairs in a shell / (samples N (N - 1) / 2 V_shell / V),
 *
 * so that it is 1 on average for an ideal gas of any number of particles. In a plane shells are
 * rings, and volumes areas. Pairs are counted in integers: the result does not depend on threads
 * or on the order of the particles.
 */
#ifndef TORRE_RDF_H
#define TORRE_RDF_H

#include "particles/sorted.h"

typedef struct torre_rdf {
    const torre_md_problem *problem;
    double range;   /* distances below it are counted */
    int64_t shells; /* of equal thickness, below the range */
    int64_t *pairs; /* [shells + 1]: pairs of all samples; the last: samples */
    int64_t *part;  /* [threads][shells]: of a sample */
    torre_sorted sorted;
} torre_rdf;

/* The largest range: half of the shortest edge, in a plane of x and y. */
double torre_rdf_most(const torre_md_problem *problem);

/* The problem must outlive it, its arrays of particles need not. range: up to torre_rdf_most.
 * threads 0: as many as OpenMP likes. TORRE_ERR_RESOURCE. */
torre_status torre_rdf_make(const torre_md_problem *problem, double range, int64_t shells,
                            int threads, torre_rdf *rdf);
void torre_rdf_free(torre_rdf *rdf); /* zero is fine */

void torre_rdf_sample(torre_rdf *rdf, const torre_md_particles *particles);

/* Of a shell: distance of its middle, g, neighbours of a particle up to its outer edge, pairs. */
enum { TORRE_RDF_COLUMNS = 4 };
extern const char *const torre_rdf_column[TORRE_RDF_COLUMNS];
void torre_rdf_row(const torre_rdf *rdf, int64_t shell, double row[TORRE_RDF_COLUMNS]);

#endif
