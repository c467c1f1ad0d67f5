/* What there is to tell of the curve that an ordering is: its cells, how far its steps reach. */
#ifndef TORRE_CURVE_FACTS_H
#define TORRE_CURVE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tiling/ordering.h"

/* Steps are measured along the axes: 1 for neighbours. */
typedef struct torre_curve_facts {
    int64_t cells, unit_steps, longest_step;
    int64_t first[3], last[3];
    bool closed; /* the last cell is a neighbour of the first */
} torre_curve_facts;

/* The cell of a row-major index. */
void torre_curve_cell(const torre_ordering *ordering, int64_t index, int64_t cell[3]);

/* Steps along the axes from one cell to another. */
int64_t torre_curve_distance(const int64_t from[3], const int64_t to[3]);

/* path: torre_ordering_path of the ordering. */
torre_curve_facts torre_curve_facts_of(const torre_ordering *ordering, const int64_t *path);

#endif
