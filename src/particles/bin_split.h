/*
 * Bins shared between ranks: each has a run of them along the curve of the ordering, of about as
 * much work as the others', and needs those of others within the stencil of its own.
 *
 *     bins in the order of their ranks   | 0 0 0 0 0 | 1 1 1 1 1 1 | 2 2 2 2 |
 *                                       cut[0]      cut[1]        cut[2]    cut[3]
 *
 * Everybody knows the cuts, so two ranks agree about what they need of each other without a word.
 */
#ifndef TORRE_BIN_SPLIT_H
#define TORRE_BIN_SPLIT_H

#include "particles/bins.h"

/* Some bins, by rank, ascending. */
typedef struct torre_bin_list {
    int32_t *bin;
    int64_t count, room;
} torre_bin_list;

typedef struct torre_bin_split {
    int ranks, self;
    int64_t *cut;                   /* [ranks + 1] */
    torre_bin_list *lent, *lent_by; /* [ranks]: own bins that another one needs; its bins that this
                                       one needs */
} torre_bin_split;

/* Before the first cut nobody has any. TORRE_ERR_RESOURCE. */
torre_status torre_bin_split_new(int ranks, int self, torre_bin_split *split);
void torre_bin_split_free(torre_bin_split *split);

/* Cut bins of so much work each, in some unit: of particles. */
void torre_bin_split_cut(torre_bin_split *split, const int64_t *work, int64_t bins);

/* Whose a bin is. */
int torre_bin_split_owner(const torre_bin_split *split, int64_t bin);

/* lent and lent_by, after a cut or a change of the stencil. TORRE_ERR_RESOURCE. */
torre_status torre_bin_split_borders(torre_bin_split *split, const torre_bins *bins);

#endif
