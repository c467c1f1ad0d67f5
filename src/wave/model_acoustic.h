/*
 * The wave model "acoustic": pressure in a medium of constant density,
 *
 *     u_tt + 2 s u_t = c^2 lap(u) + q,
 *
 * or, of variable density, what density.h makes of pressure, with c^2 (lap(u) - potential u).
 *
 * What a model is
 * ---------------
 * Fields and time levels that are kept of each, coefficient arrays that may vary from cell to cell,
 * the reach of a step in cells (R = order / 2, stencil.h), and the update of a cell, with
 * d = s dt, k = (c dt)^2 / hx^2 or what else `lap` is measured in:
 *
 *     u[n+1] = (2 u[n] - (1 - d) u[n-1] + k lap) / (1 + d)
 *
 * after lap was made lap - potential u[n] where density varies.
 *
 * lap is a sum of differences of neighbours with the weights of stencil.h, so that it is zero where
 * the field is constant. Which differences and in which order is each backend's own matter, since
 * its vectors and registers decide what they cost: reference_step.h, line_kernel.h, wave_cell.cuh.
 *
 * The update is a C template, valid as C11 and as CUDA C++. Define
 *     TORRE_VALUE                  a number, or a vector of cells
 *     TORRE_NUMBER(x)              a number as such a value
 *     TORRE_PLUS(a, b)             a + b
 *     TORRE_TIMES_PLUS(a, b, c)    a b + c, rounded once or twice as the backend has it
 *     TORRE_TIMES_MINUS(a, b, c)   a b - c, likewise
 *     TORRE_OVER(a, b)             a / b
 *     TORRE_FUNCTION               what a function begins with, static inline
 *     TORRE_TYPED(name)            the name with a suffix of one's own
 * and include it, as often as wanted with different definitions; it takes back all but
 * TORRE_TYPED.
 */
#ifndef TORRE_MODEL_ACOUSTIC_H
#define TORRE_MODEL_ACOUSTIC_H

#include "torre/wave.h"

enum {
    TORRE_ACOUSTIC_FIELDS = 1,      /* u */
    TORRE_ACOUSTIC_LEVELS = 2,      /* u[n] and u[n-1], which u[n+1] takes the place of */
    TORRE_ACOUSTIC_COEFFICIENTS = 2 /* k and the potential, arrays where velocity and density are */
};

/* Arrays of the grid's size that a step reads; it writes TORRE_ACOUSTIC_FIELDS of them. */
static inline int torre_acoustic_arrays(const torre_wave_problem *problem)
{
    return TORRE_ACOUSTIC_FIELDS * TORRE_ACOUSTIC_LEVELS + (problem->velocity_cells ? 1 : 0) +
           (problem->density_cells ? 1 : 0);
}

#endif

#ifdef TORRE_VALUE

/* 2 u - before, where before is u[n-1], or (1 - d) u[n-1] */
TORRE_FUNCTION TORRE_VALUE TORRE_TYPED(acoustic_start)(TORRE_VALUE u, TORRE_VALUE before)
{
    return TORRE_TIMES_MINUS(TORRE_NUMBER(2), u, before);
}

/* 1 - d */
TORRE_FUNCTION TORRE_VALUE TORRE_TYPED(acoustic_before)(TORRE_VALUE d)
{
    return TORRE_PLUS(TORRE_NUMBER(1), -d);
}

/* 1 + d */
TORRE_FUNCTION TORRE_VALUE TORRE_TYPED(acoustic_after)(TORRE_VALUE d)
{
    return TORRE_PLUS(TORRE_NUMBER(1), d);
}

/* 2 u - (1 - d) u[n-1] in one go, from 2 u */
TORRE_FUNCTION TORRE_VALUE TORRE_TYPED(acoustic_start_damped)(TORRE_VALUE twice, TORRE_VALUE before,
                                                              TORRE_VALUE d)
{
    return TORRE_TIMES_PLUS(TORRE_PLUS(d, TORRE_NUMBER(-1)), before, twice);
}

/* lap where density varies */
TORRE_FUNCTION TORRE_VALUE TORRE_TYPED(acoustic_bind)(TORRE_VALUE potential, TORRE_VALUE u,
                                                      TORRE_VALUE lap)
{
    return TORRE_TIMES_PLUS(-potential, u, lap);
}

/* and k lap to what was started, or a part of it */
TORRE_FUNCTION TORRE_VALUE TORRE_TYPED(acoustic_add)(TORRE_VALUE k, TORRE_VALUE lap,
                                                     TORRE_VALUE started)
{
    return TORRE_TIMES_PLUS(k, lap, started);
}

/* and all that over 1 + d, where something damps */
TORRE_FUNCTION TORRE_VALUE TORRE_TYPED(acoustic_finish)(TORRE_VALUE sum, TORRE_VALUE d)
{
    return TORRE_OVER(sum, TORRE_TYPED(acoustic_after)(d));
}

#undef TORRE_VALUE
#undef TORRE_NUMBER
#undef TORRE_PLUS
#undef TORRE_TIMES_PLUS
#undef TORRE_TIMES_MINUS
#undef TORRE_OVER
#undef TORRE_FUNCTION

#endif
