/*
 * Orderings: in which sequence tiles are computed, or particles stored. No result of a wave depends
 * on it, only the time that it takes.
 *
 * A text says which, with its parameters (torre_ordering_parse):
 *
 *     NAME                       "row-major", "morton" (or "z"), "hilbert", "moore", "peano",
 *                                "hybrid", "pancake", "turtle"
 *     NAME:AXES                  the curve's own first, second (and third) axis, "ijk" being the
 *                                natural order: row-major:kji has i fastest (column-major)
 *     hybrid:INNER/OUTER/TILE    INNER in tiles of TILE cells a side, OUTER between them; "hybrid"
 *                                alone is hybrid:row-major/hilbert/4
 *     strips:WIDTH               towers of a wave by stages, in strips of so many side by side;
 *                                not for bins of particles
 */
#ifndef TORRE_PUBLIC_ORDERING_H
#define TORRE_PUBLIC_ORDERING_H

#include <stdbool.h>
#include <stdint.h>

#include "torre/status.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum torre_ordering_kind {
    TORRE_ROW_MAJOR, /* last axis fastest */
    TORRE_MORTON,    /* bit interleave, the Z curve */
    TORRE_HILBERT,   /* unit steps from corner to corner */
    TORRE_MOORE,     /* Hilbert closed to a loop */
    TORRE_PEANO,     /* serpentine in serpentine */
    TORRE_HYBRID,    /* one ordering inside tiles, another between them */
    TORRE_PANCAKE,   /* 2-D Hilbert over 3-D Hilbert cubes, for flat boxes */
    TORRE_TURTLE,    /* another 3-D Hilbert curve, that of the granular-gas thesis */
    TORRE_ORDERING_KINDS
} torre_ordering_kind;

/* A kind with its parameters. Zero means default for all but kind. */
typedef struct torre_ordering_spec {
    torre_ordering_kind kind;
    int turn;                         /* frame axes of the curve in the box; 0: natural */
    torre_ordering_kind inner, outer; /* hybrid: inside tiles, between tiles */
    int64_t tile;                     /* hybrid: side of a tile, >= 1; 0: row-major 4x4x4 tiles
                                         along a Hilbert curve, inner and outer are not read */
    int64_t strip;                    /* row-major, of towers alone: WIDTH; 0: no strips */
} torre_ordering_spec;

/* An ordering as a text. */
typedef struct torre_ordering_words {
    char text[64];
} torre_ordering_words;

/* Name as above ("row-major", ...), static; NULL for an illegal kind. */
const char *torre_ordering_name(torre_ordering_kind kind);

/* One line on what it is and the sizes it is exact for, static; NULL for an illegal kind. */
const char *torre_ordering_text(torre_ordering_kind kind);

/* Kind of that name; false (and *kind unchanged) if unknown. */
bool torre_ordering_by_name(const char *name, torre_ordering_kind *kind);

/* "row-major, morton, hilbert, ...": the legal names for messages and help texts. Static. */
const char *torre_ordering_names(void);

/*
 * Read an ordering with its parameters, as above. false, *spec unchanged, with a static text in
 * *why (may be NULL), for what is none.
 */
bool torre_ordering_parse(const char *text, torre_ordering_spec *spec, const char **why);

/* The inverse: "hilbert", "morton:kji", "hybrid:row-major/hilbert/4". The spec must be legal. */
torre_ordering_words torre_ordering_write(const torre_ordering_spec *spec);

/* Whether both say the same: a default that is written out counts as another. */
bool torre_ordering_same(const torre_ordering_spec *a, const torre_ordering_spec *b);

/* An ordering of one box: which cell comes when. */
typedef struct torre_ordering torre_ordering;

/*
 * Order the cells (i, j, k) of a box of dims (2 or 3) axes, size[dims] cells of 1 .. 2^20 along
 * each: a bijection of the cells and the ranks 0 .. cells - 1. Other boxes than those that a curve
 * is exact for are cut out of the next larger one. Free with torre_ordering_free. TORRE_ERR_USAGE
 * for other boxes, axes that there are not, or tiles out of range.
 */
torre_status torre_ordering_new(const torre_ordering_spec *spec, int dims, const int64_t *size,
                                torre_ordering **ordering);

/* Rank of a cell (cell[dims], inside the box), and the cell of a rank; O(log n). */
int64_t torre_ordering_rank(const torre_ordering *ordering, const int64_t *cell);
void torre_ordering_cell(const torre_ordering *ordering, int64_t rank, int64_t *cell);

/* Whether the box is the whole domain of the curve, so that all properties of the curve hold. */
bool torre_ordering_is_exact(const torre_ordering *o);

/* Cells of the box. */
int64_t torre_ordering_cells(const torre_ordering *o);

/*
 * The whole table in O(cells): path[rank] = (i N + j) P + k. Caller's memory,
 * torre_ordering_cells(o) entries.
 */
void torre_ordering_path(const torre_ordering *o, int64_t *path);

/* NULL is fine. */
void torre_ordering_free(torre_ordering *ordering);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
