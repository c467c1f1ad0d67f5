#include "locality/block_hits.h"

#include <math.h>
#include <stdlib.h>

torre_status torre_block_hits_bins(const torre_bin_grid *grid, int64_t count, torre_bins *bins)
{
    const double *edge = grid->edge, least = fmin(edge[0], fmin(edge[1], edge[2]));
    return torre_bins_make(grid, least, TORRE_BIN_BLOCK,
                           &(torre_ordering_spec){.kind = TORRE_ROW_MAJOR}, count, bins);
}

void torre_block_hits_fill(const double (*position)[3], torre_bins *bins)
{
    for (int64_t p = 0; p < bins->count; p++) torre_bins_put(bins, p, position[p]);
    torre_bins_sort(bins);
}

bool torre_block_hits_sort(const torre_bins *bins, const torre_ordering *ordering, int64_t *slot)
{
    int64_t next = 0, *path = malloc((size_t)bins->bins * sizeof *path);
    if (!path) return false;
    torre_ordering_path(ordering, path);
    for (int64_t r = 0; r < bins->bins; r++)
        for (int64_t m = bins->start[path[r]]; m < bins->start[path[r] + 1]; m++)
            slot[bins->member[m]] = next++;
    free(path);
    return true;
}

/* The distinct bins adjacent to a bin, itself included; their number. An axis of one or two bins
 * wraps onto fewer than three. */
static int find_adjacent(const torre_bins *bins, int64_t bin, int64_t adjacent[27])
{
    int n = 0;
    for (int64_t o = 0; o < bins->offsets; o++) {
        int image[3], known = 0;
        const int64_t found = torre_bins_at(bins, bin, o, image);
        while (known < n && adjacent[known] != found) known++;
        adjacent[known] = found;
        if (known == n) n++;
    }
    return n;
}

static bool closer(const torre_bins *bins, const double *p, const double *q, double contact)
{
    double d[3];
    torre_bin_grid_nearest(&bins->grid, p, q, d);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < contact * contact;
}

void torre_block_hits_count(const torre_bins *bins, const double (*position)[3],
                            const int64_t *slot, int64_t cache, double contact,
                            torre_block_hits *result)
{
    const int64_t *start = bins->start;
    result->reads = result->hits = 0;
    for (int64_t bin = 0; bin < bins->bins; bin++) {
        int64_t adjacent[27], reads = 0, hits = 0;
        const int around = find_adjacent(bins, bin, adjacent);
        for (int64_t i = start[bin]; i < start[bin + 1]; i++) {
            const int64_t p = bins->member[i], block = slot[p] / cache;
            for (int n = 0; n < around; n++) {
                for (int64_t k = start[adjacent[n]]; k < start[adjacent[n] + 1]; k++) {
                    const int64_t q = bins->member[k];
                    if (q == p || (contact > 0 && !closer(bins, position[p], position[q], contact)))
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
}

double torre_block_hits_ratio(const torre_block_hits *hits)
{
    return hits->reads ? (double)hits->hits / (double)hits->reads : 1;
}

double torre_block_hits_speedup(double ratio, double cost)
{
    return 1 / (ratio / cost + 1 - ratio);
}
