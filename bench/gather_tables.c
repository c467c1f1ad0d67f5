#include <stdlib.h>

#include "bench/gather.h"
#include "core/random.h"
#include "locality/offsets.h"

/* path[rank] = bin, as torre_ordering_path, or at random. */
static void make_path(const torre_ordering *o, bool random, int64_t *path)
{
    torre_ordering_path(o, path);
    uint64_t drawn = 0;
    for (int64_t i = torre_ordering_cells(o) - 1; random && i > 0; i--) {
        int64_t j = (int64_t)(torre_random_at(12345, drawn++) % (uint64_t)(i + 1)), kept = path[i];
        path[i] = path[j];
        path[j] = kept;
    }
}

static bool is_visited(const torre_ordering *o, int64_t reach, int64_t bin)
{
    int64_t at[3] = {bin / o->size[2] / o->size[1], bin / o->size[2] % o->size[1],
                     bin % o->size[2]};
    for (int a = 0; a < o->dims; a++)
        if (at[a] < reach || at[a] >= o->size[a] - reach) return false;
    return true;
}

/* Whole numbers 0 .. 7 that tell bins apart: sums over a stencil stay far below 2^24. */
static float value_of(int64_t bin, int64_t f) { return (float)((bin * 5 + f * 3 + bin / 64) & 7); }

static void fill(const torre_ordering *o, const torre_stencil_bins *s, const int64_t *path,
                 int32_t *rank, int32_t (*offset)[3], gather *g)
{
    int64_t v = 0;
    for (int64_t r = 0; r < g->bins; r++) {
        rank[path[r]] = (int32_t)r;
        for (int64_t f = 0; f < g->bin_floats; f++)
            g->data[r * g->bin_floats + f] = value_of(path[r], f);
    }
    for (int64_t r = 0; r < g->bins; r++) {
        if (!is_visited(o, s->reach[0], path[r])) continue;
        for (int64_t i = 0; i < g->stencil; i++) {
            int64_t bin =
                path[r] + (offset[i][0] * o->size[1] + offset[i][1]) * o->size[2] + offset[i][2];
            g->index[v * g->visit_stride + i * g->stencil_stride] = rank[bin];
            for (int64_t f = 0; f < g->bin_floats; f++) g->expected += (int64_t)value_of(bin, f);
        }
        v++;
    }
}

torre_status gather_make(const torre_ordering *o, const torre_stencil_bins *s, int64_t bin_bytes,
                         bool random, bool by_stencil, gather *g)
{
    *g = (gather){.bins = torre_ordering_cells(o),
                  .visited = torre_locality_interior(o, s),
                  .stencil = torre_stencil_bins_count(s),
                  .bin_floats = bin_bytes / 4};
    g->visit_stride = by_stencil ? 1 : g->stencil;
    g->stencil_stride = by_stencil ? g->visited : 1;
    if (g->visited < 1) return torre_fail(TORRE_ERR_USAGE, "--size is too small for the stencil");
    if (g->bins > INT32_MAX) return torre_fail(TORRE_ERR_USAGE, "--size: at most 2^31 - 1 bins");
    int64_t *path = malloc((size_t)g->bins * sizeof *path);
    int32_t *rank = malloc((size_t)g->bins * sizeof *rank);
    int32_t(*offset)[3] = malloc((size_t)g->stencil * sizeof *offset);
    /* on cache lines, so that a bin of 64 bytes is one line */
    g->data = aligned_alloc(64, (size_t)(g->bins * bin_bytes + 63) / 64 * 64);
    g->index = malloc((size_t)(g->visited * g->stencil) * sizeof *g->index);
    torre_status status = TORRE_OK;
    if (path && rank && offset && g->data && g->index) {
        make_path(o, random, path);
        torre_stencil_bins_fill(s, offset);
        fill(o, s, path, rank, offset, g);
    } else {
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld bins", (long long)g->bins);
        gather_free(g);
    }
    free(path);
    free(rank);
    free(offset);
    return status;
}

void gather_free(gather *g)
{
    free(g->data);
    free(g->index);
    *g = (gather){0};
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void gather_statistics(double *seconds, int count, gather_result *result)
{
    qsort(seconds, (size_t)count, sizeof *seconds, by_value);
    result->best = seconds[0];
    result->median = seconds[count / 2];
}

torre_status gather_check(const gather *g, const float *sums)
{
    int64_t sum = 0;
    for (int64_t v = 0; v < g->visited; v++) sum += (int64_t)sums[v];
    if (sum == g->expected) return TORRE_OK;
    return torre_fail(TORRE_ERR_UNSTABLE, "the gathered sum is %lld instead of %lld",
                      (long long)sum, (long long)g->expected);
}
