#include "particles/bins.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static void size_bins(const double box[3], double bin_size, int64_t count, int64_t n[3])
{
    for (double size = bin_size;; size *= 1.1) {
        double bins = 1;
        for (int a = 0; a < 3; a++) {
            /* A bin may be a rounding error smaller than asked for: the stencil is made for the
             * edges as they are. */
            double along = fmax(1, floor(box[a] / size * (1 + 1e-12)));
            n[a] = (int64_t)fmin(along, 1 << 20);
            bins *= (double)n[a];
        }
        if (bins <= 2 * (double)count + 64) return;
    }
}

/* Nearest distance between two bins that are offset bins apart along an axis. */
static double gap(int offset, double edge)
{
    int between = abs(offset) - 1;
    return between > 0 ? between * edge : 0;
}

/* Bins within reach to either side along each axis. */
static torre_status stencil_radius(const double edge[3], double reach, int radius[3])
{
    for (int a = 0; a < 3; a++) {
        double r = ceil(reach / edge[a] * (1 - 1e-12));
        if (r > 100)
            return torre_fail(TORRE_ERR_USAGE,
                              "{bin_size} %g is too small: more than 100 bins within cutoff + skin",
                              edge[a]);
        radius[a] = (int)r;
    }
    return TORRE_OK;
}

static int block_of(const int radius[3])
{
    return (2 * radius[0] + 1) * (2 * radius[1] + 1) * (2 * radius[2] + 1);
}

torre_status torre_bins_plan(const double box[3], double reach, double bin_size, int64_t count,
                             int64_t n[3], int64_t *bytes)
{
    const torre_bins *b = NULL;
    double edge[3];
    int radius[3];
    size_bins(box, bin_size, count, n);
    for (int a = 0; a < 3; a++) edge[a] = box[a] / (double)n[a];
    TORRE_TRY(stencil_radius(edge, reach, radius));
    const int64_t bins = n[0] * n[1] * n[2];
    *bytes = bins * (int64_t)(sizeof *b->cell + sizeof *b->rank) +
             (bins + 1) * (int64_t)sizeof *b->start +
             count * (int64_t)(sizeof *b->member + sizeof *b->rank_of) +
             block_of(radius) * (int64_t)sizeof *b->offset;
    return TORRE_OK;
}

static torre_status make_offsets(torre_bins *b, torre_bin_stencil stencil)
{
    int radius[3];
    TORRE_TRY(stencil_radius(b->edge, b->reach, radius));
    b->offset = malloc((size_t)block_of(radius) * sizeof *b->offset);
    if (!b->offset) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a stencil of bins");
    memset(b->offset[0], 0, sizeof b->offset[0]);
    b->offsets = 1;
    for (int i = -radius[0]; i <= radius[0]; i++) {
        for (int j = -radius[1]; j <= radius[1]; j++) {
            for (int k = -radius[2]; k <= radius[2]; k++) {
                double x = gap(i, b->edge[0]), y = gap(j, b->edge[1]), z = gap(k, b->edge[2]);
                if (i == 0 && j == 0 && k == 0) continue;
                if (stencil != TORRE_STENCIL_BLOCK && x * x + y * y + z * z >= b->reach * b->reach)
                    continue;
                int8_t *offset = b->offset[b->offsets++];
                offset[0] = (int8_t)i;
                offset[1] = (int8_t)j;
                offset[2] = (int8_t)k;
            }
        }
    }
    return TORRE_OK;
}

static torre_status rank_bins(torre_bins *b, const torre_ordering_spec *spec)
{
    torre_ordering ordering;
    const char *why;
    if (!torre_ordering_make_spec(spec, 3, b->n, &ordering, &why))
        return torre_fail(TORRE_ERR_USAGE, "{ordering} %s over %lldx%lldx%lld bins: %s",
                          torre_ordering_write(spec).text, (long long)b->n[0], (long long)b->n[1],
                          (long long)b->n[2], why);
#pragma omp parallel for
    for (int64_t rank = 0; rank < b->bins; rank++) {
        int64_t cell[3];
        torre_ordering_decode(&ordering, rank, cell);
        for (int a = 0; a < 3; a++) b->cell[rank][a] = (int32_t)cell[a];
        b->rank[(cell[0] * b->n[1] + cell[1]) * b->n[2] + cell[2]] = (int32_t)rank;
    }
    return TORRE_OK;
}

torre_status torre_bins_make(const double box[3], double reach, double bin_size,
                             torre_bin_stencil stencil, const torre_ordering_spec *ordering,
                             int64_t count, torre_bins *b)
{
    memset(b, 0, sizeof *b);
    size_bins(box, bin_size, count, b->n);
    b->bins = b->n[0] * b->n[1] * b->n[2];
    b->reach = reach;
    b->count = count;
    for (int a = 0; a < 3; a++) {
        b->box[a] = box[a];
        b->edge[a] = box[a] / (double)b->n[a];
    }
    b->threads = omp_get_max_threads();
    b->cell = malloc((size_t)b->bins * sizeof *b->cell);
    b->rank = malloc((size_t)b->bins * sizeof *b->rank);
    b->start = calloc((size_t)b->bins + 1, sizeof *b->start);
    b->member = malloc((size_t)count * sizeof *b->member);
    b->rank_of = malloc((size_t)count * sizeof *b->rank_of);
    torre_status status = TORRE_OK;
    if (!b->cell || !b->rank || !b->start || !b->member || !b->rank_of)
        status = torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld bins", (long long)b->bins);
    if (!status) status = make_offsets(b, stencil);
    if (!status) status = rank_bins(b, ordering);
    if (status) torre_bins_free(b);
    return status;
}

void torre_bins_free(torre_bins *b)
{
    free(b->cell);
    free(b->rank);
    free(b->offset);
    free(b->start);
    free(b->member);
    free(b->rank_of);
    memset(b, 0, sizeof *b);
}

void torre_bins_sort(torre_bins *b)
{
    int64_t *start = b->start;
    memset(start, 0, ((size_t)b->bins + 1) * sizeof *start);
#pragma omp parallel for num_threads(b->threads)
    for (int64_t i = 0; i < b->count; i++) {
#pragma omp atomic
        start[b->rank_of[i]]++;
    }
    int64_t before = 0;
    b->occupancy = 0;
    for (int64_t r = 0; r <= b->bins; r++) {
        int64_t here = start[r];
        if (here > b->occupancy) b->occupancy = here;
        start[r] = before;
        before += here;
    }
    /* start[r] runs through its bin while members are dealt out, then stands at the next one. */
#pragma omp parallel for num_threads(b->threads)
    for (int64_t i = 0; i < b->count; i++) {
        int64_t place;
#pragma omp atomic capture
        place = start[b->rank_of[i]]++;
        b->member[place] = (int32_t)i;
    }
    memmove(start + 1, start, (size_t)b->bins * sizeof *start);
    start[0] = 0;
    /* threads have dealt them out in any order */
#pragma omp parallel for num_threads(b->threads)
    for (int64_t r = 0; r < b->bins; r++) {
        for (int64_t m = start[r] + 1; m < start[r + 1]; m++) {
            int32_t i = b->member[m];
            int64_t to = m;
            for (; to > start[r] && b->member[to - 1] > i; to--) b->member[to] = b->member[to - 1];
            b->member[to] = i;
        }
    }
}

void torre_bins_renumber(torre_bins *b)
{
#pragma omp parallel for num_threads(b->threads)
    for (int64_t r = 0; r < b->bins; r++) {
        for (int64_t i = b->start[r]; i < b->start[r + 1]; i++) {
            b->member[i] = (int32_t)i;
            b->rank_of[i] = (int32_t)r;
        }
    }
}

double torre_bins_pairs(const torre_bins *b)
{
    double pairs = 0;
#pragma omp parallel for reduction(+ : pairs)
    for (int64_t r = 0; r < b->bins; r++) {
        int64_t around = 0;
        for (int o = 0; o < b->offsets; o++) {
            int image[3];
            int64_t from = b->rank[torre_bins_at(b, r, o, image)];
            around += b->start[from + 1] - b->start[from];
        }
        pairs += (double)around * (double)(b->start[r + 1] - b->start[r]);
    }
    return pairs / (double)b->count;
}
