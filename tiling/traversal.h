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
 * ready tower of lowest rank. For row-major (by stage), strips and Morton that reproduces the
 * ordering itself, for Hilbert and the others it is the curve "by readiness".
 *
 * Strips (strips:WIDTH): with s' = s_max - s counted from the upwind side, the towers of the same
 * floor(floor((s' + m) / 2) / WIDTH) form a strip that runs along the direction in which they
 * depend on each other; strips are taken one after another and by stages inside. What the towers
 * of a strip leave for their neighbours is used while it is still in the cache. Upwind towers
 * (s' - 1, m -+ 1) and (s' - 2, m) lie in the same strip or in an earlier one. (Where rows wrap
 * around, readiness puts right what that says wrong.)
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
 * Whether an ordering of that specification can order towers; otherwise a static text in *why (may
 * be NULL). Tile coordinates are a plane: axes are i and j.
 */
bool torre_traversal_exists(const torre_ordering_spec *ordering, const char **why);

/* Whether torre_traversal_build would not return -2; otherwise a static text in *why. */
bool torre_traversal_fits(const torre_tower_grid *g, const torre_ordering_spec *ordering,
                          const char **why);

/*
 * Fill list[torre_traversal_count(g)] (caller's memory) with the towers of g in traversal order.
 * ordering: of the tile coordinates (row-major: by stages). Returns 0; -1 out of memory; -2, with a
 * static text in *why (may be NULL), where there is no such order or the grid has more than 2^20
 * stages or rows (strips: more than 2^31 pairs of them).
 */
int torre_traversal_build(const torre_tower_grid *g, const torre_ordering_spec *ordering,
                          torre_tower *list, const char **why);

/*
 * Check that list[count] holds every tower once and each after its upwind towers.
 * Returns 0 when legal, -1 out of memory, otherwise 1 + index of the first entry that is not.
 */
int64_t torre_traversal_check(const torre_tower_grid *g, const torre_tower *list, int64_t count);

#ifdef __cplusplus
}
#endif

#endif
