/*
 * The radial distribution function g(r): how often particles are at a distance, over how often they
 * would be without interaction,
 *
 *     g(r) = pairs in a shell / (samples N (N - 1) / 2 V_shell / V),
 *
 * so that it is 1 on average for an ideal gas of any number of particles. In a plane shells are
 * rings, and volumes areas. Pairs are counted in integers: the result does not depend on threads
 * or on the order of the particles.
 *
 * Particles of several types have a g(r) of each two of them, too,
 *
 *     g_ab(r) = pairs of a and b in a shell / (samples N_a N_b V_shell / V),   a < b
 *
 * and as above of each with itself.
 */
#ifndef TORRE_RDF_H
#define TORRE_RDF_H

#include "particles/md_types.h"
#include "particles/sorted.h"

enum { TORRE_RDF_COLUMNS = 4, TORRE_RDF_KINDS = TORRE_MD_TYPES * (TORRE_MD_TYPES + 1) / 2 };

typedef struct torre_rdf {
    const torre_md_problem *problem;
    double range;   /* distances below it are counted */
    int64_t shells; /* of equal thickness, below the range */
    int kinds;      /* pairs of types, 1-1, 1-2, ..., 2-2, ...; 0: one type */
    int64_t
        *pairs;    /* [shells + 1]: pairs of all samples; the last: samples; then [kinds][shells] */
    int64_t *part; /* [threads][kinds, at least 1][shells]: of a sample */
    int columns;   /* of a row, and their names */
    const char *column[TORRE_RDF_COLUMNS + TORRE_RDF_KINDS];
    char kind_name[TORRE_RDF_KINDS][32]; /* "g_1-2" */
    torre_sorted sorted;
} torre_rdf;

/* The largest range: half of the shortest edge, in a plane of x and y. */
double torre_rdf_most(const torre_md_problem *problem);

/* The problem must outlive it, its arrays of particles need not. range: up to torre_rdf_most.
 * threads 0: as many as OpenMP likes. TORRE_ERR_RESOURCE. */
torre_status torre_rdf_make(const torre_md_problem *problem, double range, int64_t shells,
                            int threads, torre_rdf *rdf);
void torre_rdf_free(torre_rdf *rdf); /* zero is fine */

/* Of pairs: what has to be kept of a run. */
int64_t torre_rdf_bytes(const torre_rdf *rdf);

void torre_rdf_sample(torre_rdf *rdf, const torre_md_particles *particles);

/* Of a shell: distance of its middle, g, neighbours of a particle up to its outer edge, pairs, and
 * g of the kinds; rdf->columns of them. */
void torre_rdf_row(const torre_rdf *rdf, int64_t shell, double *row);

#endif
