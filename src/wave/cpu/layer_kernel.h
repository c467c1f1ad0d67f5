/*
 * Perfectly matched layers (pml.h) of the engines stepwise and torre, which the line kernel knows
 * nothing of: after it, a layer adds to u[n+1] what its memory changes of the sum of differences,
 * and makes its memory of the next level. So the interior keeps its bits and its speed.
 *
 * What is kept are the sums of phi along the chains, sorted by the cell whose u they go with: with
 * r = 0 .. W - 1 the cells of a layer of W, counted outwards, and o for the outwards chain of a
 * layer, b for the other,
 *
 *     o(j)_r = phi(1)_(r-1) + phi(2)_(r-2) + .. + phi(j)_(r-j)  F(j) of cell r - j is u_r + o(j)_r
 *     b(j)_r = chi(1)_(r+1) + chi(2)_(r+2) + .. + chi(j)_(r+j)  B(j) of cell r + j is u_r + b(j)_r
 *
 *     u+_r   += k sum_m C_m (o(m)_(r+m) + b(m)_(r-m))
 *     o(j)_r <- o(j-1)_r + a_i (o(j) - o(j-1))_r - b_i ( du_r + o(j)_(r+1) - o(j-1)_(r-1))
 *     b(j)_r <- b(j-1)_r + a_i (b(j) - b(j-1))_r - b_i (-du_r + b(j)_(r-1) - b(j-1)_(r+1))
 *
 * with i = r - j + 1 of o and r + j of b, du_r = u_(r+1) - u_(r-1), o(j-1) and b(j-1) just in
 * front of a_i from the new level and all else from the old one, which stays as it is: there are
 * two, like those of u. A cell makes the sums of its own r from those of its neighbours and adds
 * those of cells at most R away: the dependences of u, so that layers go with any order of cells
 * that the field allows. The outermost cell makes those of the R places beyond, too, where u is 0.
 *
 * o(j)_r is called by j and i = 1 .. W, b(j)_r by j and i = 1 .. W - 1.
 */
#ifndef TORRE_LAYER_KERNEL_H
#define TORRE_LAYER_KERNEL_H

#include "wave/cpu/line_kernel.h"

/*
 * Layers across x and y: rows along z. The memory of a row of cells along the normal is 2 W - 1
 * times R rows, o(1)_1 .. o(1)_W, o(2)_1 .., then b(1)_1 .. b(1)_(W-1), ..
 */
typedef struct torre_layer_scheme {
    int width;             /* W */
    int64_t pitch;         /* of rows of the memory, values */
    const void *a, *b;     /* [W + 1], of the kernel's precision */
    const void *weight[2]; /* C_m times that of the axis, x or y, [R + 1] */
    const void *zeros;     /* a row of them */
    float factor_float;    /* k where line.factor is NULL */
    double factor_double;
} torre_layer_scheme;

/* A row of cells r, or of places beyond the face (next NULL). */
typedef struct torre_layer_line {
    int axis, r;
    int64_t blocks;
    void *next;                 /* u[n+1] */
    const void *ahead, *behind; /* u[n] of the cells after and before it, counted outwards */
    const void *factor;         /* or NULL */
    const void *old;            /* memory of n: of the first of its rows, at the same z */
    void *made;                 /* of n + 1 */
} torre_layer_line;

typedef void (*torre_layer_function)(const torre_layer_scheme *scheme,
                                     const torre_layer_line *line);

/*
 * All rows of a line of cells along the normal at once, where whoever calls can: from the last cell
 * to the first that the layer adds to, W + R - 1 in all. Then the memory is that of one level, of
 * which the new values take the place. With sums sorted by the cells that chains start from,
 *
 *     P(j)_i = o(j)_(i+j-1),  Q(j)_i = b(j)_(i-j),   i = 1 .. W, and of Q .. W - 1,
 *
 * which o(j) and b(j) of i are, the formulas above are
 *
 *     P(j)_i <- P(j-1)_(i+1) + a_i (P(j)_i - P(j-1)_(i+1)) - b_i ( du + P(j)_(i+1) - P(j-1)_i)
 *     Q(j)_i <- Q(j-1)_(i-1) + a_i (Q(j)_i - Q(j-1)_(i-1)) - b_i (-du + Q(j)_(i-1) - Q(j-1)_i)
 *     u+_r   += k sum_m C_m (P(m)_(r+1) + Q(m)_r)
 *
 * the first and third of a line from the new level, du at r = i + j - 1 and i - j: a walk inwards
 * has the P of the step before in registers, one outwards the Q. So each is read and written once,
 * in the same order of operations as row by row.
 */
typedef struct torre_layer_stack {
    int axis;
    int64_t blocks;
    int64_t step, factor_step; /* to the next cell outwards, of fields and of k, bytes */
    void *next;                /* u[n+1], u[n] and k or NULL of the first cell, r = 0 */
    const void *now, *factor;
    void *memory;  /* of the first of its rows, at the same z */
    int64_t later; /* bytes from there to that of the line that follows */
} torre_layer_stack;

typedef void (*torre_layer_stack_function)(const torre_layer_scheme *scheme,
                                           const torre_layer_stack *stack);

/*
 * Layers across z: the same sums and formulas, and vectors along the normal. All sums of a step i
 * have the same a_i and b_i and go to the same cell, r = i - 1 of P and i of Q. No row of cells
 * looks at another's, and a row is updated all at once: there is one level of this memory, of which
 * the new values take the place. It lies along z, too, in 2 R rows of places, P(1) .. P(R), Q(1) ..
 * Q(R), each whole vectors of TORRE_END_BYTES that end with the cell at the face. At places before
 * the layer P(j)_i is P(j-1)_(i+1), by a = b = 0: what the cells there need.
 */
#define TORRE_END_BYTES 32

typedef struct torre_layer_end {
    int places;         /* of a row */
    int outwards;       /* 1, or -1: the side */
    int64_t first;      /* z of place 0 */
    int before;         /* cells in front of the places that the layer adds to */
    const void *a, *b;  /* of P, then of Q, [2][places]; 0 where there is no step */
    const void *weight; /* C_m of the axis, [R + 1] */
    const void *front;  /* C_(m+q) of m = 1 .. R - 1, vectors of the cells before, nearest first */
    float factor_float; /* k where factor is NULL */
    double factor_double;
} torre_layer_end;

/* Rows of cells next to each other along y, of which those in the layer are there. */
typedef struct torre_layer_ends {
    int64_t rows, nz;
    int64_t pitch, factor_pitch; /* of fields, of k, values; that of the memory is 2 R places */
    void *next;                  /* rows of cells, at z = 0 of the first */
    const void *now, *factor;
    void *memory;
} torre_layer_ends;

typedef void (*torre_layer_end_function)(const torre_layer_end *end, const torre_layer_ends *rows);

/* The kernels of one instruction set. */
typedef struct torre_layer_kernels {
    torre_layer_function f32[TORRE_MAX_HALF_WIDTH], f64[TORRE_MAX_HALF_WIDTH]; /* [R - 1] */
    torre_layer_stack_function stack_f32[TORRE_MAX_HALF_WIDTH], stack_f64[TORRE_MAX_HALF_WIDTH];
    torre_layer_end_function end_f32[TORRE_MAX_HALF_WIDTH], end_f64[TORRE_MAX_HALF_WIDTH];
} torre_layer_kernels;

/* The best kernels that this machine can run. */
const torre_layer_kernels *torre_layer_kernels_best(void);

#endif
