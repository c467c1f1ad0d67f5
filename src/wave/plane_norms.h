/*
 * Norms of a field from its planes: rows add up to planes and planes to the field, always in the
 * same order, so that the bits depend neither on threads nor on who holds which planes.
 */
#ifndef TORRE_PLANE_NORMS_H
#define TORRE_PLANE_NORMS_H

#include "torre/wave.h"

/* Of the cells so far; zero before the first. */
typedef struct torre_norm_sums {
    double top, squares;
} torre_norm_sums;

/* Add a row of cells, which begins at a multiple of 64 bytes. */
void torre_norms_add_row(torre_norm_sums *sums, torre_precision precision, const void *row,
                         int64_t cells);

/* Of planes in order. first_bad is left to the caller. */
torre_wave_norms torre_norms_of_planes(const torre_norm_sums *plane, int64_t planes);

#endif
