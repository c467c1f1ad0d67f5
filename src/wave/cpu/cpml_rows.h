/*
 * Convolutional layers (cpml.h) of the engines stepwise and torre, plain C: they are there to
 * compare with. After the line kernel a cell gets k times what its layer changes of the second
 * difference, and its psi and zeta of the next level.
 *
 * The memory of a row of cells along the normal is psi of r = 0 .. W - 1, then zeta, each a row
 * along z at x and y faces, a value at z faces. The axis is counted outwards: the signs of psi, D
 * and D' change with it together.
 */
#ifndef TORRE_CPML_ROWS_H
#define TORRE_CPML_ROWS_H

#include <stdint.h>

#include "wave/stencil.h"

typedef struct torre_cpml_scheme {
    int width, half_width;
    int64_t pitch[3];  /* from one value of the memory to that of the next r, by axis */
    const void *a, *b; /* [W + 2], of r = -1 .. W, of the precision */
    double bend[TORRE_MAX_HALF_WIDTH + 1], slope[TORRE_MAX_HALF_WIDTH + 1]; /* [m]: C_m, D */
    double axis[3];                                                         /* (hx / h)^2 */
    double factor; /* k where it is the same everywhere */
} torre_cpml_scheme;

/* Cells next to each other along z, all at the same r >= -R of a layer across x or y; or one. */
typedef struct torre_cpml_cells {
    int axis, r;
    int64_t step, count; /* step: values to the next cell outwards */
    void *next;          /* rows at z = 0 */
    const void *now, *factor;
    const void *old; /* memory of the row of cells along the normal, at z = 0 */
    void *made;
} torre_cpml_cells;

/* Of those from z on. */
typedef void (*torre_cpml_function)(const torre_cpml_scheme *scheme, const torre_cpml_cells *cells,
                                    int64_t z);
void torre_cpml_cells_f32(const torre_cpml_scheme *scheme, const torre_cpml_cells *cells,
                          int64_t z);
void torre_cpml_cells_f64(const torre_cpml_scheme *scheme, const torre_cpml_cells *cells,
                          int64_t z);

#endif
