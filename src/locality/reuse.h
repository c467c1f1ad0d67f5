/*
 * Reuse distances: the misses of an LRU cache for every capacity from one pass over the accesses.
 *
 * A fully associative cache of c blocks with least-recently-used replacement holds the c blocks
 * that were touched last. So an access misses exactly when at least c other blocks have been
 * touched since the last access to its block (its reuse distance d >= c) or when there was none
 * before (Mattson et al., IBM Syst. J. 9 (1970) 78):
 *
 *     misses(c) = first accesses + sum_{d >= c} count[d].
 *
 * d is the number of blocks whose last access is more recent. A Fenwick tree over time, with a mark
 * at the last access of every block, counts them in O(log blocks) (Bennett and Kruskal, IBM J. Res.
 * Dev. 19 (1975) 353). Time is renumbered whenever it has run twice round, so that the tree stays
 * as small as the number of blocks, however long the trace.
 */
#ifndef TORRE_REUSE_H
#define TORRE_REUSE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_reuse torre_reuse;

/* For blocks 0 .. blocks - 1, blocks in 1 .. 2^30; NULL when out of memory or range. */
torre_reuse *torre_reuse_new(int64_t blocks);
void torre_reuse_free(torre_reuse *r);

/* One access. */
void torre_reuse_touch(torre_reuse *r, int64_t block);

/* Accesses so far, and how many of them were the first to their block. */
int64_t torre_reuse_accesses(const torre_reuse *r);
int64_t torre_reuse_first(const torre_reuse *r);

/* misses[c] for capacities c = 0 .. blocks (blocks + 1 entries, caller's memory), in blocks. */
void torre_reuse_misses(const torre_reuse *r, int64_t *misses);

#ifdef __cplusplus
}
#endif

#endif
