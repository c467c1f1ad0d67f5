/* The level before a start at rest where density varies (rest_level.c has the other). */
#ifndef TORRE_REST_DENSITY_H
#define TORRE_REST_DENSITY_H

#include "wave/density.h"

/*
 * Of the cells low .. high - 1 of the planes that a slab owns, as torre_wave_rest_planes has it:
 *
 *     Lap p = sum over axes of h^-2 sum_i C_i (s(+i) (p(+i) - p) + s(-i) (p(-i) - p)) / s,
 *
 * which is (lap w - q w) / s, s and q of density.h. TORRE_ERR_RESOURCE.
 */
torre_status torre_rest_density(const torre_wave_problem *problem, const torre_region *slab,
                                const torre_box *cells, const void *now, void *previous);

#endif
