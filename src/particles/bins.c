#include "particles/bins.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

torre_bin_grid torre_bins_grid(const double box[3], double bin_size, int64_t count)
{
    return torre_bin_grid_fit(box, bin_size, 1.1, 2 * (double)count + 64);
}

static torre_status make_stencil(const torre_bin_grid *grid, double reach, torre_bin_shape shape,
                                 torre_stencil_bins *stencil)
{
    *stencil = torre_stencil_of_grid(shape, grid, reach);
    for (int a = 0; a < 3; a++)
        if (stencil->reach[a] > 100)
            return torre_fail(TORRE_ERR_USAGE,
                              "{bin_size} %g is too small: more than 100 bins within cutoff + skin",
                              grid->edge[a]);
    return TORRE_OK;
}

torre_status torre_bins_plan(const torre_bin_grid *grid, double reach, torre_bin_shape shape,
                             int64_t count, int64_t *bytes)
{
    const torre_bins *b = NULL;
    const int64_t bins = torre_bin_grid_bins(grid);
    torre_stencil_bins stencil;
    TORRE_TRY(make_stencil(grid, reach, shape, &stencil));
    *bytes = bins * (int64_t)(sizeof *b->cell + sizeof *b->rank) +
             (bins + 1) * (int64_t)sizeof *b->start +
             count * (int64_t)(sizeof *b->member + sizeof *b->rank_of) +
             torre_stencil_bins_count(&stencil) * (int64_t)sizeof *b->offset;
    return TORRE_OK;
}

static torre_status make_offsets(torre_bins *b, torre_bin_shape shape)
{
    torre_stencil_bins stencil;
    TORRE_TRY(make_stencil(&b->grid, b->reach, shape, &stencil));
    b->offsets = torre_stencil_bins_count(&stencil);
    b->offset = malloc((size_t)b->offsets * sizeof *b->offset);
    if (!b->offset) return torre_fail(TORRE_ERR_RESOURCE, "no memory for a stencil of bins");
    torre_stencil_bins_fill(&stencil, b->offset);
    /* the own bin, from the middle to the front */
    memmove(b->offset + 1, b->offset, (size_t)(b->offsets / 2) * sizeof *b->offset);
    memset(b->offset[0], 0, sizeof b->offset[0]);
    return TORRE_OK;
}

torre_status torre_bins_rank(const torre_ordering_spec *spec, const int64_t n[3], const char *what,
                             int32_t *rank, int32_t (*cell)[3])
{
    torre_ordering ordering;
    const char *why;
    if (!torre_ordering_make_spec(spec, 3, n, &ordering, &why))
        return torre_fail(TORRE_ERR_USAGE, "{ordering} %s over %lldx%lldx%lld %s: %s",
                          torre_ordering_write(spec).text, (long long)n[0], (long long)n[1],
                          (long long)n[2], what, why);
#pragma omp parallel for
    for (int64_t r = 0; r < n[0] * n[1] * n[2]; r++) {
        int64_t at[3];
        torre_ordering_decode(&ordering, r, at);
        for (int a = 0; a < 3 && cell; a++) cell[r][a] = (int32_t)at[a];
        rank[(at[0] * n[1] + at[1]) * n[2] + at[2]] = (int32_t)r;
    }
    return TORRE_OK;
}

torre_status torre_bins_make(const torre_bin_grid *grid, double reach, torre_bin_shape shape,
                             const torre_ordering_spec *ordering, int64_t count, torre_bins *b)
{
    *b = (torre_bins){.grid = *grid,
                      .reach = reach,
                      .bins = torre_bin_grid_bins(grid),
                      .own = {0, torre_bin_grid_bins(grid)},
                      .count = count,
                      .room = count,
                      .threads = omp_get_max_threads()};
    if (count > INT32_MAX || b->bins > INT32_MAX)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "at most %d particles and %d bins can be sorted (got %lld and %lld)",
                          INT32_MAX, INT32_MAX, (long long)count, (long long)b->bins);
    b->cell = malloc((size_t)b->bins * sizeof *b->cell);
    b->rank = malloc((size_t)b->bins * sizeof *b->rank);
    b->start = calloc((size_t)b->bins + 1, sizeof *b->start);
    b->member = malloc((size_t)(count + 1) * sizeof *b->member);
    b->rank_of = malloc((size_t)(count + 1) * sizeof *b->rank_of);
    torre_status status = TORRE_OK;
    if (!b->cell || !b->rank || !b->start || !b->member || !b->rank_of)
        status = torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld bins", (long long)b->bins);
    if (!status) status = make_offsets(b, shape);
    if (!status) status = torre_bins_rank(ordering, grid->n, "bins", b->rank, b->cell);
    if (status) torre_bins_free(b);
    return status;
}

torre_status torre_bins_grow(torre_bins *b, int64_t count)
{
    b->count = count;
    if (count <= b->room) return TORRE_OK;
    const int64_t room = count + count / 16 + 64;
    int32_t *member = realloc(b->member, (size_t)(room + 1) * sizeof *member);
    if (member) b->member = member;
    int32_t *rank_of = realloc(b->rank_of, (size_t)(room + 1) * sizeof *rank_of);
    if (rank_of) b->rank_of = rank_of;
    if (!member || !rank_of)
        return torre_fail(TORRE_ERR_RESOURCE, "no memory for %lld particles", (long long)count);
    b->room = room;
    return TORRE_OK;
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

torre_status torre_bins_fit(torre_bins *b, const torre_bin_grid *grid, torre_bin_shape shape,
                            const torre_ordering_spec *ordering)
{
    const int threads = b->threads;
    if (memcmp(grid->n, b->grid.n, sizeof grid->n) == 0) {
        b->grid = *grid;
        free(b->offset);
        b->offset = NULL;
        return make_offsets(b, shape);
    }
    torre_bins other;
    TORRE_TRY(torre_bins_make(grid, b->reach, shape, ordering, b->count, &other));
    torre_bins_free(b);
    *b = other;
    b->threads = threads;
    return TORRE_OK;
}

/* Slices of some bins that threads add up. */
enum { SLICES = 64 };

static int64_t slice(const torre_bins_part *p, int k)
{
    return p->low + (p->high - p->low) * k / SLICES;
}

static bool has(const torre_bins_part *p, int64_t i)
{
    return p->rank_of[i] >= p->low && p->rank_of[i] < p->high;
}

/* While a part is sorted, b->start + 1 is of bin r first how many members it has, then where the
 * next of them goes, and in the end where bin r + 1 begins. */
int64_t torre_bins_count(torre_bins *b, const torre_bins_part *p)
{
    int64_t *number = b->start + 1, most = 0, all = 0;
#pragma omp parallel for num_threads(b->threads)
    for (int64_t r = p->low; r < p->high; r++) number[r] = 0;
#pragma omp parallel for num_threads(b->threads)
    for (int64_t i = 0; i < p->count; i++) {
        if (!has(p, i)) continue;
#pragma omp atomic
        number[p->rank_of[i]]++;
    }
#pragma omp parallel for num_threads(b->threads) reduction(max : most) reduction(+ : all)
    for (int64_t r = p->low; r < p->high; r++) {
        most = number[r] > most ? number[r] : most;
        all += number[r];
    }
    b->occupancy = most;
    return all;
}

/* Where the members of each bin go, from their numbers. */
static void add_up(torre_bins *b, const torre_bins_part *p, int64_t *from)
{
    int64_t before[SLICES + 1] = {p->first};
#pragma omp parallel for num_threads(b->threads)
    for (int k = 0; k < SLICES; k++) {
        int64_t sum = 0;
        for (int64_t r = slice(p, k); r < slice(p, k + 1); r++) sum += from[r];
        before[k + 1] = sum;
    }
    for (int k = 0; k < SLICES; k++) before[k + 1] += before[k];
#pragma omp parallel for num_threads(b->threads)
    for (int k = 0; k < SLICES; k++) {
        int64_t sum = before[k];
        for (int64_t r = slice(p, k); r < slice(p, k + 1); r++) {
            const int64_t here = from[r];
            from[r] = sum;
            sum += here;
        }
    }
}

void torre_bins_deal(torre_bins *b, const torre_bins_part *p)
{
    int64_t *next = b->start + 1;
    int32_t *member = b->member;
    add_up(b, p, next);
#pragma omp parallel for num_threads(b->threads)
    for (int64_t i = 0; i < p->count; i++) {
        int64_t place;
        if (!has(p, i)) continue;
#pragma omp atomic capture
        place = next[p->rank_of[i]]++;
        member[place - p->first] = (int32_t)(i - p->first);
    }
    /* threads have dealt them out in any order */
#pragma omp parallel for num_threads(b->threads)
    for (int64_t r = p->low; r < p->high; r++) {
        const int64_t low = (r > p->low ? b->start[r] : p->first) - p->first;
        for (int64_t m = low + 1; m < b->start[r + 1] - p->first; m++) {
            int32_t i = member[m];
            int64_t to = m;
            for (; to > low && member[to - 1] > i; to--) member[to] = member[to - 1];
            member[to] = i;
        }
    }
}

void torre_bins_sort(torre_bins *b)
{
    const torre_bins_part all = {.high = b->bins, .rank_of = b->rank_of, .count = b->count};
    b->start[0] = 0;
    torre_bins_count(b, &all);
    torre_bins_deal(b, &all);
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
    for (int64_t r = b->own[0]; r < b->own[1]; r++) {
        int64_t around = 0;
        for (int64_t o = 0; o < b->offsets; o++) {
            int image[3];
            int64_t from = b->rank[torre_bins_at(b, r, o, image)];
            around += b->start[from + 1] - b->start[from];
        }
        pairs += (double)around * (double)(b->start[r + 1] - b->start[r]);
    }
    return pairs;
}
