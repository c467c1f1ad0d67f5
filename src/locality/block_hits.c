#include "locality/block_hits.h"

#include <stdlib.h>

bool torre_block_hits_sort(const torre_bin_box *box, const torre_ordering *ordering, int64_t count,
                           const double (*position)[3], int64_t *slot)
{
    torre_bin_lists lists;
    int64_t bins = torre_bin_box_bins(box), next = 0;
    int64_t *path = malloc((size_t)bins * sizeof *path);
    if (!path || !torre_bin_lists_make(box, count, position, &lists)) {
        free(path);
        return false;
    }
    torre_ordering_path(ordering, path);
    for (int64_t r = 0; r < bins; r++)
        for (int64_t i = lists.start[path[r]]; i < lists.start[path[r] + 1]; i++)
            slot[lists.member[i]] = next++;
    free(path);
    torre_bin_lists_free(&lists);
    return true;
}

static bool closer(const torre_bin_box *box, const double *p, const double *q, double contact)
{
    double d[3];
    torre_bin_box_nearest(box, p, q, d);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < contact * contact;
}

bool torre_block_hits_count(const torre_bin_box *box, int64_t count, const double (*position)[3],
                            const int64_t *slot, int64_t cache, double contact,
                            torre_block_hits *result)
{
    torre_bin_lists lists;
    if (!torre_bin_lists_make(box, count, position, &lists)) return false;
    result->reads = result->hits = 0;
    for (int64_t bin = 0; bin < torre_bin_box_bins(box); bin++) {
        int64_t adjacent[27], reads = 0, hits = 0;
        int bins = torre_bin_box_adjacent(box, bin, adjacent);
        for (int64_t i = lists.start[bin]; i < lists.start[bin + 1]; i++) {
            int64_t p = lists.member[i], block = slot[p] / cache;
            for (int n = 0; n < bins; n++) {
                for (int64_t k = lists.start[adjacent[n]]; k < lists.start[adjacent[n] + 1]; k++) {
                    int64_t q = lists.member[k];
                    if (q == p || (contact > 0 && !closer(box, position[p], position[q], contact)))
                        continue;
                    reads++;
                    hits += slot[q] / cache == block;
                }
            }
        }
        result->reads += reads;
        result->hits += hits;
        if (result->bin_reads) result->bin_reads[bin] += reads;
        if (result->bin_hits) result->bin_hits[bin] += hits;
    }
    torre_bin_lists_free(&lists);
    return true;
}

double torre_block_hits_ratio(const torre_block_hits *hits)
{
    return hits->reads ? (double)hits->hits / (double)hits->reads : 1;
}

double torre_block_hits_speedup(double ratio, double cost)
{
    return 1 / (ratio / cost + 1 - ratio);
}
