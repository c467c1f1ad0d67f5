/* A piece of a row of the level before a start at rest: once for each instruction set, like
 * line_kernel.h, and with the same bits in all of them. */
#ifndef TORRE_REST_PIECE_H
#define TORRE_REST_PIECE_H

#include "wave/problem.h"

enum { TORRE_REST_PIECE = 512 }; /* cells at once, whose sums stay in the first-level cache */

/* Cells `at` and those after it along z. */
typedef struct torre_rest_piece {
    const torre_wave_problem *problem;
    const void *now;      /* of planes held[0] .. held[1] - 1, around a periodic axis beyond it */
    int64_t held[2];      /* all that the sums need */
    int64_t at[3], first; /* first: index of the cell `at` */
    int64_t stride[3];    /* of the cells */
    int count;            /* 1 .. TORRE_REST_PIECE */
} torre_rest_piece;

/* to: of the first cell of the piece, in the problem's precision. */
typedef void torre_rest_function(const torre_rest_piece *piece, void *to);

torre_rest_function torre_rest_piece_base, torre_rest_piece_avx2, torre_rest_piece_avx512;

#endif
