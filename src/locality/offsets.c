#include "locality/offsets.h"

#include <stdlib.h>

int64_t torre_locality_interior(const torre_ordering *o, const torre_stencil_bins *s)
{
    int64_t n = 1;
    for (int a = 0; a < o->dims; a++) {
        int64_t left = o->size[a] - 2 * s->reach[a];
        if (left <= 0) return 0;
        n *= left;
    }
    return n;
}

/* Everything a pass over the interior needs, bins numbered in row-major order. */
typedef struct interior {
    const torre_ordering *o;
    const torre_stencil_bins *s;
    int64_t stencil_count;
    int64_t *path;  /* [cells] bin at each rank */
    int64_t *rank;  /* [cells] rank of each bin */
    int64_t *shift; /* [stencil_count] distance to each bin of the stencil */
} interior;

static void interior_free(interior *in)
{
    free(in->path);
    free(in->rank);
    free(in->shift);
}

static bool interior_make(const torre_ordering *o, const torre_stencil_bins *s, interior *in)
{
    int64_t cells = torre_ordering_cells(o);
    *in = (interior){.o = o, .s = s, .stencil_count = torre_stencil_bins_count(s)};
    in->path = malloc((size_t)cells * sizeof *in->path);
    in->rank = malloc((size_t)cells * sizeof *in->rank);
    in->shift = malloc((size_t)in->stencil_count * sizeof *in->shift);
    int32_t(*offset)[3] = malloc((size_t)in->stencil_count * sizeof *offset);
    bool ok = in->path && in->rank && in->shift && offset;
    if (ok) {
        torre_ordering_path(o, in->path);
        for (int64_t r = 0; r < cells; r++) in->rank[in->path[r]] = r;
        torre_stencil_bins_fill(s, offset);
        for (int64_t i = 0; i < in->stencil_count; i++)
            in->shift[i] = (offset[i][0] * o->size[1] + offset[i][1]) * o->size[2] + offset[i][2];
    } else {
        interior_free(in);
    }
    free(offset);
    return ok;
}

static bool is_interior(const interior *in, int64_t bin)
{
    const int64_t *size = in->o->size, *g = in->s->reach;
    int64_t at[3] = {bin / size[2] / size[1], bin / size[2] % size[1], bin % size[2]};
    for (int a = 0; a < in->o->dims; a++)
        if (at[a] < g[a] || at[a] >= size[a] - g[a]) return false;
    return true;
}

bool torre_offsets_count(const torre_ordering *o, const torre_stencil_bins *s,
                         torre_offsets *offsets)
{
    int64_t cells = torre_ordering_cells(o);
    interior in;
    *offsets = (torre_offsets){.cells = cells};
    offsets->histogram = calloc((size_t)(2 * cells - 1), sizeof *offsets->histogram);
    if (!offsets->histogram || !interior_make(o, s, &in)) {
        torre_offsets_free(offsets);
        return false;
    }
    offsets->total = torre_locality_interior(o, s) * in.stencil_count;
    for (int64_t bin = 0; bin < cells; bin++) {
        if (!is_interior(&in, bin)) continue;
        int64_t *zero = offsets->histogram + cells - 1 - in.rank[bin];
        for (int64_t i = 0; i < in.stencil_count; i++) zero[in.rank[bin + in.shift[i]]]++;
    }
    interior_free(&in);
    for (int64_t d = cells - 1; d > 0 && offsets->max_abs == 0; d--)
        if (offsets->histogram[cells - 1 + d] || offsets->histogram[cells - 1 - d])
            offsets->max_abs = d;
    return true;
}

void torre_offsets_free(torre_offsets *offsets)
{
    free(offsets->histogram);
    *offsets = (torre_offsets){0};
}

double torre_offsets_within(const torre_offsets *offsets, int64_t limit)
{
    int64_t zero = offsets->cells - 1, sum = 0;
    if (limit > zero) limit = zero;
    for (int64_t d = zero - limit; d <= zero + limit; d++) sum += offsets->histogram[d];
    return offsets->total ? (double)sum / (double)offsets->total : 0;
}

bool torre_locality_accesses(const torre_ordering *o, const torre_stencil_bins *s,
                             int64_t block_bins, torre_reuse *reuse)
{
    interior in;
    if (!interior_make(o, s, &in)) return false;
    int64_t cells = torre_ordering_cells(o);
    for (int64_t bin = 0; bin < cells; bin++) in.rank[bin] /= block_bins;
    for (int64_t r = 0; r < cells; r++) {
        int64_t bin = in.path[r];
        if (!is_interior(&in, bin)) continue;
        for (int64_t i = 0; i < in.stencil_count; i++)
            torre_reuse_touch(reuse, in.rank[bin + in.shift[i]]);
    }
    interior_free(&in);
    return true;
}
