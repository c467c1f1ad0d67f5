#include "particles/granular_bins.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { SLICES = 64 }; /* of the rows, for threads that add up */

static int64_t rows_of(const torre_granular_bins *b) { return b->grid.n[0] * b->grid.n[1]; }

static bool members_new(int64_t count, torre_granular_members *m)
{
    m->place = torre_memory_large((size_t)count * sizeof *m->place);
    m->number = torre_memory_large((size_t)count * sizeof *m->number);
    m->touches = torre_memory_zero((size_t)count * sizeof *m->touches);
    return m->place && m->number && m->touches;
}

static void members_free(torre_granular_members *m)
{
    free(m->place);
    free(m->number);
    free(m->touches);
}

static torre_status make_tables(torre_granular_bins *b)
{
    bool made = members_new(b->count, &b->now) && members_new(b->count, &b->next);
    b->start = torre_memory_large((size_t)(b->bins + 1) * sizeof *b->start);
    b->rank = torre_memory_large((size_t)b->count * sizeof *b->rank);
    b->order = torre_memory_large((size_t)b->count * sizeof *b->order);
    b->row = malloc((size_t)(rows_of(b) + 1) * sizeof *b->row);
    made = made && b->start && b->rank && b->order && b->row;
    return made ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "no memory for the start");
}

torre_status torre_granular_bins_make(const torre_bin_grid *grid, int64_t count,
                                      torre_granular_bins *b)
{
    *b = (torre_granular_bins){.grid = *grid, .bins = torre_bin_grid_bins(grid), .count = count};
    for (int a = 0; a < 3; a++) b->per_length[a] = 1 / grid->edge[a];
    if (count > INT32_MAX || b->bins > INT32_MAX)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "at most %d particles and %d bins can be sorted (got %lld and %lld)",
                          INT32_MAX, INT32_MAX, (long long)count, (long long)b->bins);
    TORRE_TRY(make_tables(b));
#pragma omp parallel for
    for (int64_t m = 0; m < count; m++) b->now.number[m] = (int32_t)m;
    return TORRE_OK;
}

void torre_granular_bins_free(torre_granular_bins *b)
{
    members_free(&b->now);
    members_free(&b->next);
    free(b->start);
    free(b->rank);
    free(b->order);
    free(b->row);
}

/* Where the particles of each row go, from their numbers: row[r] is where the next one does. */
static void add_up(torre_granular_bins *b)
{
    const int64_t rows = rows_of(b);
    int32_t before[SLICES + 1] = {0};
#pragma omp parallel for
    for (int k = 0; k < SLICES; k++)
        for (int64_t r = rows * k / SLICES; r < rows * (k + 1) / SLICES; r++)
            before[k + 1] += b->row[r];
    for (int k = 0; k < SLICES; k++) before[k + 1] += before[k];
#pragma omp parallel for
    for (int k = 0; k < SLICES; k++) {
        int32_t sum = before[k];
        for (int64_t r = rows * k / SLICES; r < rows * (k + 1) / SLICES; r++) {
            const int32_t here = b->row[r];
            b->row[r] = sum;
            sum += here;
        }
    }
}

/* The new bin of each particle, and all of them by rows, in any order within these. Afterwards
 * row[r] is where row r + 1 begins. */
static void sort_rows(torre_granular_bins *b)
{
    const uint32_t length = (uint32_t)b->grid.n[2];
    memset(b->row, 0, (size_t)(rows_of(b) + 1) * sizeof *b->row);
#pragma omp parallel for
    for (int64_t m = 0; m < b->count; m++) {
        b->rank[m] = (int32_t)torre_granular_bin_of(b, b->now.place[m]);
#pragma omp atomic
        b->row[(uint32_t)b->rank[m] / length]++;
    }
    add_up(b);
#pragma omp parallel for
    for (int64_t m = 0; m < b->count; m++) {
        int32_t at;
#pragma omp atomic capture
        at = b->row[(uint32_t)b->rank[m] / length]++;
        b->order[at] = (int32_t)m;
    }
}

/* A particle to its bin, of which members first .. end-1 are there, in the order of numbers. */
static void put(torre_granular_bins *b, int32_t m, int32_t first, int32_t end)
{
    const torre_granular_members *from = &b->now, *to = &b->next;
    int32_t at = end;
    for (; at > first && to->number[at - 1] > from->number[m]; at--) {
        memcpy(to->place[at], to->place[at - 1], sizeof *to->place);
        to->number[at] = to->number[at - 1];
        to->touches[at] = to->touches[at - 1];
    }
    memcpy(to->place[at], from->place[m], sizeof *to->place);
    to->number[at] = from->number[m];
    to->touches[at] = from->touches[m];
}

/* Particles of a row, members low .. high-1, to their bins. Meanwhile end[c] is first how many cell
 * c of it has, then where the next of them goes, and at last where the next cell begins. */
static void sort_row(torre_granular_bins *b, int64_t row, int32_t low, int32_t high)
{
    const int64_t length = b->grid.n[2], first = row * length;
    int32_t *end = b->start + first + 1, *who = b->next.number, sum = low;
    memset(end, 0, (size_t)length * sizeof *end);
    for (int32_t i = low; i < high; i++) end[b->rank[b->order[i]] - first]++;
    for (int64_t c = 0; c < length; c++) {
        const int32_t here = end[c];
        end[c] = sum;
        sum += here;
    }
    for (int32_t i = low; i < high; i++) who[end[b->rank[b->order[i]] - first]++] = b->order[i];
    for (int64_t c = 0; c < length; c++)
        for (int32_t begins = c > 0 ? end[c - 1] : low, m = begins; m < end[c]; m++)
            put(b, who[m], begins, m);
}

void torre_granular_bins_displace(torre_granular_bins *b, const double shift[3])
{
    const torre_granular_members before = b->now;
    memcpy(b->shift, shift, sizeof b->shift);
    sort_rows(b);
    b->start[0] = 0;
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t r = 0; r < rows_of(b); r++) sort_row(b, r, r > 0 ? b->row[r - 1] : 0, b->row[r]);
    b->now = b->next;
    b->next = before;
}

void torre_granular_bins_places(torre_granular_bins *b)
{
#pragma omp parallel for
    for (int64_t m = 0; m < b->count; m++)
        memcpy(b->next.place[b->now.number[m]], b->now.place[m], sizeof *b->now.place);
}

/* Whether the bins around a cell lie side by side in the box: none beyond an end of the grid, nor
 * in the first bin, where positions begin anew (or, rounded, the next). */
static bool is_whole(const torre_granular_bins *b, const int64_t cell[3])
{
    bool whole = true;
    for (int a = 0; a < 3; a++) /* of 6 bins half of the box has three */
        whole = whole && cell[a] > 2 && cell[a] < b->grid.n[a] - 1 && b->grid.n[a] >= 6;
    return whole;
}

static void add_bins(torre_granular_around *around, const int32_t *start, int bins)
{
    around->from[around->count] = start[0];
    around->to[around->count++] = start[bins];
}

/* Bins are row-major, so that three of a row lie together. */
static void around_whole(const int32_t *own, int64_t layer, int64_t row,
                         torre_granular_around *around)
{
    add_bins(around, own, 1);
    for (int x = -1; x <= 1; x++) {
        for (int y = -1; y <= 1; y++) {
            if (x || y) {
                add_bins(around, own + x * layer + y * row - 1, 3);
            } else {
                add_bins(around, own - 1, 1);
                add_bins(around, own + 1, 1);
            }
        }
    }
}

void torre_granular_bins_around(const torre_granular_bins *b, int64_t rank,
                                torre_granular_around *around)
{
    int64_t cell[3];
    torre_granular_cell(b, rank, cell);
    around->count = 0;
    around->whole = is_whole(b, cell);
    if (around->whole) {
        around_whole(b->start + rank, b->grid.n[1] * b->grid.n[2], b->grid.n[2], around);
        return;
    }
    for (int o = 0; o < TORRE_GRANULAR_BLOCK; o++) {
        int64_t other[3];
        add_bins(around, b->start + torre_granular_around_cell(b, cell, o, other), 1);
    }
}
