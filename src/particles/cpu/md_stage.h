/*
 * Staging: the particles of a bin and of the bins of its stencil, copied side by side, at the
 * periodic image that lies around the bin and relative to its centre, so that their coordinates are
 * as precise far from the origin as near it. C template: lanes.h first, and TORRE_STAGED, the type
 * of coordinates.
 */
#ifndef TORRE_MD_STAGE_H
#define TORRE_MD_STAGE_H

#include <stdbool.h>
#include <stdlib.h>

#include "particles/cpu/lanes.h"
#include "particles/md_store.h"

/* One thread's stage. Entries: the bin's own particles first, then those of the other bins; padded
 * with the far position to whole vectors. */
typedef struct torre_stage {
    TORRE_STAGED *x, *y, *z;
#ifdef TORRE_PAIR_TYPES
    TORRE_STAGED *type;
#endif
    int32_t *member; /* place in storage */
    int64_t capacity;
    int64_t own, count; /* particles of the bin; all particles */
    uint8_t wraps;      /* bit a: some are images across the box along axis a */
} torre_stage;

static void torre_stage_free(torre_stage *s)
{
    free(s->x);
    free(s->y);
    free(s->z);
    free(s->member);
#ifdef TORRE_PAIR_TYPES
    free(s->type);
#endif
}

/* Room for the fullest neighbourhood there can be; false out of memory (then freed). */
static bool torre_stage_make(const torre_bins *bins, torre_stage *s)
{
    int64_t most = bins->occupancy * bins->offsets;
    /* the same particle can be there at several images, so count is no bound */
    s->capacity = (most + TORRE_LIST_PAD + 15) / 16 * 16;
    size_t bytes = (size_t)s->capacity * sizeof(TORRE_STAGED);
    bytes = (bytes + 63) / 64 * 64;
    s->x = aligned_alloc(64, bytes);
    s->y = aligned_alloc(64, bytes);
    s->z = aligned_alloc(64, bytes);
    s->member = aligned_alloc(64, ((size_t)s->capacity * sizeof(int32_t) + 63) / 64 * 64);
    bool made = s->x && s->y && s->z && s->member;
#ifdef TORRE_PAIR_TYPES
    s->type = aligned_alloc(64, bytes);
    made = made && s->type;
#endif
    if (made) return true;
    torre_stage_free(s);
    return false;
}

/* position: quads, near those particles were put into bins with, in the box of the store. */
static void torre_stage_fill(const torre_md_store *store, const TORRE_STATE *position,
                             const torre_bins *bins, int64_t rank, torre_stage *s)
{
    const TORRE_STAGED far = (TORRE_STAGED)((const TORRE_STATE *)store->position)[4 * store->far];
    const torre_bin_grid *g = &bins->grid;
    int64_t k = 0;
    s->wraps = 0;
    s->own = 0;
    for (int64_t o = 0; o < bins->offsets; o++) {
        int image[3];
        int64_t from = bins->rank[torre_bins_at(bins, rank, o, image)];
        const bool empty = bins->start[from] == bins->start[from + 1];
        double shift[3]; /* of the image, and to the centre of the bin */
        for (int a = 0; a < 3; a++) {
            shift[a] = image[a] * store->box[a] - (bins->cell[rank][a] + 0.5) * g->edge[a];
            if (image[a] && !empty) s->wraps |= (uint8_t)(1 << a);
        }
        for (int64_t m = bins->start[from]; m < bins->start[from + 1]; m++, k++) {
            int64_t i = bins->member[m];
            s->member[k] = (int32_t)i;
#ifdef TORRE_PAIR_TYPES
            s->type[k] = (TORRE_STAGED)position[4 * i + 3];
#endif
            s->x[k] = (TORRE_STAGED)((double)position[4 * i] + shift[0]);
            s->y[k] = (TORRE_STAGED)((double)position[4 * i + 1] + shift[1]);
            s->z[k] = (TORRE_STAGED)((double)position[4 * i + 2] + shift[2]);
        }
        if (o == 0) s->own = k;
    }
    s->count = k;
    for (int64_t pad = k; pad < k + TORRE_LIST_PAD; pad++) {
        s->x[pad] = s->y[pad] = s->z[pad] = far;
        s->member[pad] = (int32_t)store->far;
#ifdef TORRE_PAIR_TYPES
        s->type[pad] = 0;
#endif
    }
}

#endif
