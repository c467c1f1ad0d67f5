/* What the tests of orderings share. The checks fail the running cmocka test. */
#ifndef ORDERING_CASE_H
#define ORDERING_CASE_H

#include "tiling/ordering.h"

torre_ordering case_ordering(torre_ordering_kind kind, int dims, int64_t m, int64_t n, int64_t p);

int64_t case_cells(const torre_ordering *o);

/* Steps along the axes from a to b. */
int64_t case_distance(const int64_t *a, const int64_t *b, int dims);

/* The cell of that rank, and back. */
void case_check_cell(const torre_ordering *o, int64_t rank, const int64_t *expected);

/*
 * Every rank decodes to a cell of the box, that encodes to the rank: with as many ranks as cells
 * this makes both maps bijections. The table says the same.
 */
void case_check_bijection(const torre_ordering *o);

/* The order is that of the enclosing curve. */
void case_check_order(const torre_ordering *o, const torre_ordering *whole);

/* Every step leads to a neighbour. */
void case_check_unit_steps(const torre_ordering *o);

#endif
