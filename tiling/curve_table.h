/*
 * The table of orderings: one line each, in the order of torre_ordering_kind (torre/ordering.h).
 *
 *     X(constant, "name", motif in 2-D, motif in 3-D, "what it is, exact sizes")
 *
 * An ordering that is not one recursive curve has no motifs; ordering.c assembles it from others.
 * Curves that need more than one motif have the rest in TORRE_INNER_MOTIF_TABLE:
 *
 *     X(constant, motif in 2-D, motif in 3-D)
 */
#ifndef TORRE_CURVE_TABLE_H
#define TORRE_CURVE_TABLE_H

#include <assert.h>

#include "curve.h"
#include "curve_hilbert.h"
#include "curve_moore.h"
#include "curve_morton.h"
#include "curve_peano.h"
#include "curve_turtle.h"
#include "torre/ordering.h"

#define TORRE_NO_MOTIF                                                                             \
    {                                                                                              \
        0, 0, 0, 0, 0, 0, {0}, { 0 }                                                               \
    }

#define TORRE_ORDERING_TABLE(X)                                                                    \
    X(TORRE_ROW_MAJOR, "row-major", TORRE_NO_MOTIF, TORRE_NO_MOTIF,                                \
      "last axis fastest; exact for every size")                                                   \
    X(TORRE_MORTON, "morton", TORRE_MORTON_2D, TORRE_MORTON_3D,                                    \
      "bit interleave, the Z curve; exact for equal powers of two")                                \
    X(TORRE_HILBERT, "hilbert", TORRE_HILBERT_2D, TORRE_HILBERT_3D,                                \
      "unit steps from corner to corner; exact for equal powers of two")                           \
    X(TORRE_MOORE, "moore", TORRE_MOORE_2D, TORRE_MOORE_3D,                                        \
      "Hilbert closed to a loop; exact for equal powers of two")                                   \
    X(TORRE_PEANO, "peano", TORRE_PEANO_2D, TORRE_PEANO_3D,                                        \
      "serpentine in serpentine; exact for equal powers of three")                                 \
    X(TORRE_HYBRID, "hybrid", TORRE_NO_MOTIF, TORRE_NO_MOTIF,                                      \
      "one ordering inside tiles, another between them; exact where both are")                     \
    X(TORRE_PANCAKE, "pancake", TORRE_HILBERT_2D, TORRE_HILBERT_3D,                                \
      "2-D Hilbert over 3-D Hilbert cubes, for flat boxes; exact for powers of two NxNxH, H <= N") \
    X(TORRE_TURTLE, "turtle", TORRE_HILBERT_2D, TORRE_TURTLE_3D,                                   \
      "another 3-D Hilbert curve, that of the granular-gas thesis; exact for equal powers of two")

#define TORRE_INNER_MOTIF_TABLE(X) X(TORRE_TURTLE_INNER, TORRE_NO_MOTIF, TORRE_TURTLE_INNER_3D)

/* The lines have the order of the enum. */
#define TORRE_ORDERING_LINE(kind, name, motif2, motif3, text) kind##_LINE,
enum { TORRE_ORDERING_TABLE(TORRE_ORDERING_LINE) TORRE_ORDERING_LINES };
#undef TORRE_ORDERING_LINE
#define TORRE_ORDERING_IN_ORDER(kind, name, motif2, motif3, text)                                  \
    static_assert((int)kind == (int)kind##_LINE, "another order than in torre/ordering.h");
TORRE_ORDERING_TABLE(TORRE_ORDERING_IN_ORDER)
#undef TORRE_ORDERING_IN_ORDER
static_assert((int)TORRE_ORDERING_LINES == (int)TORRE_ORDERING_KINDS, "an ordering has no line");

/* Continue the numbers of the orderings, but are none. */
enum {
    TORRE_BEFORE_INNER_MOTIFS = TORRE_ORDERING_KINDS - 1,
#define TORRE_INNER_CONSTANT(kind, motif2, motif3) kind,
    TORRE_INNER_MOTIF_TABLE(TORRE_INNER_CONSTANT)
#undef TORRE_INNER_CONSTANT
};

/* Motif of a kind in dims = 2 or 3 dimensions; its dims is 0 where there is none. */
static inline TORRE_HD const torre_motif *torre_motif_of(int kind, int dims)
{
#define TORRE_ORDERING_MOTIFS(kind, name, motif2, motif3, text) motif2, motif3,
#define TORRE_INNER_MOTIFS(kind, motif2, motif3)                motif2, motif3,
    static const torre_motif table[] = {TORRE_ORDERING_TABLE(TORRE_ORDERING_MOTIFS)
                                            TORRE_INNER_MOTIF_TABLE(TORRE_INNER_MOTIFS)};
#undef TORRE_ORDERING_MOTIFS
#undef TORRE_INNER_MOTIFS
    return &table[2 * kind + (dims == 3)];
}

#endif
