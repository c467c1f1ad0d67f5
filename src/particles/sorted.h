/*
 * A state of the particles on the host, sorted into bins, for what is measured of pairs: the same
 * whatever backend computed it, and whatever the order in which that stores it. Within a bin
 * particles come by id, so that sums over bins have one order.
 *
 * Each pair of bins is looked at once, each pair of particles with one of its images:
 *
 *     for (r = 0; r < sorted->bins.bins; r++)
 *         for (o = 0; o < sorted->bins.offsets; o++) {
 *             int64_t other = torre_sorted_partner(sorted, r, o, shift);
 *             if (other < 0) continue;
 *             ... members of r with those of other, moved by shift; o 0: with those after them ...
 *         }
 */
#ifndef TORRE_SORTED_H
#define TORRE_SORTED_H

#include "particles/bins.h"
#include "particles/md_start.h"

typedef struct torre_sorted {
    torre_bins bins;
    int dimensions;      /* 2: images along z are no images */
    double *position[3]; /* [axis][place]: in the order of bins.member */
    double *velocity[3]; /* likewise; NULL without */
} torre_sorted;

/* For pairs nearer than reach, at most half of an edge of the box (in a plane, of x and y). threads
 * 0: as many as OpenMP likes. TORRE_ERR_RESOURCE. */
torre_status torre_sorted_make(const torre_md_problem *problem, double reach, bool velocities,
                               int threads, torre_sorted *sorted);
void torre_sorted_free(torre_sorted *sorted); /* zero is fine */

void torre_sorted_fill(torre_sorted *sorted, const torre_md_particles *particles);

/* Rank of the bin at an offset from that of a rank, and what to add to its positions; -1 where the
 * pair of bins is seen from the other one, or not at all. */
int64_t torre_sorted_partner(const torre_sorted *sorted, int64_t rank, int64_t offset,
                             double shift[3]);

/* Whether positions along an axis are periodic: not across walls. */
bool torre_md_periodic(const torre_md_problem *problem, int axis);

/* 2 or 3. */
int torre_md_dimensions(const torre_md_problem *problem);

#endif
