/*
 * Traversal: the sequence in which a backend starts the towers of a pass.
 *
 * An ordering (row-major, Morton, Hilbert, ...) ranks the tiles (a, b); a traversal is that order
 * restricted to what the dependencies allow. It always is a linear extension of the dependency rule
 * of diamond.h (every upwind tower stands earlier in the list), so workers that take towers from
 * the list one after another and wait on progress counters cannot deadlock, whatever their number.
 *
 * Construction: every tower gets a rank in the chosen ordering, counted from the upwind corner
 * (largest x). Ready towers (all upwind towers listed) wait in a heap; the next in the list is the
 * ready tower of lowest rank. For row-major (by stage) and Morton that reproduces the curve itself,
 * for Hilbert and the others it is the curve "by readiness".
 */
#ifndef TORRE_TRAVERSAL_H
#define TORRE_TRAVERSAL_H

#include <stddef.h>

#include "diamond.h"
#include "ordering.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of towers in the grid (valid (s, m) pairs). */
int64_t torre_traversal_count(const torre_tower_grid *g);

/*
 * Fill list[torre_traversal_count(g)] (caller's memory) with the towers of g in traversal order.
 * kind: the ordering of the tile coordinates (row-major: by stages). Returns 0; -1 out of memory;
 * -2 kind has no two-dimensional form, or the grid more than 2^20 stages or rows.
 */
int torre_traversal_build(const torre_tower_grid *g, torre_ordering_kind kind, torre_tower *list);

/*
 * Check that list[count] holds every tower once and each after its upwind towers.
 * Returns 0 when legal, -1 out of memory, otherwise 1 + index of the first entry that is not.
 */
int64_t torre_traversal_check(const torre_tower_grid *g, const torre_tower *list, int64_t count);

#ifdef __cplusplus
}
#endif

#endif
