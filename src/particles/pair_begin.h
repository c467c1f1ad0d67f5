/*
 * What pair headers (pair_lj.h says what they provide) begin with: values for what the includer has
 * left undefined. No guard: once for each inclusion of a pair header.
 */
#include <math.h>

#include "particles/md.h"
#include "tiling/hd.h"

#undef TORRE_PAIR_DISSIPATES
#undef TORRE_PAIR_FIELD
#undef TORRE_PAIR_CONSTANTS
#undef TORRE_PAIR_EVALUATED
#define TORRE_PAIR_DISSIPATES 0
#define TORRE_PAIR_FIELD      0

/* The constants of a model, torre_pair, and what eval takes: these, or with TORRE_PAIR_TYPES
 * torre_pair_values, which has some of each value. */
#ifdef TORRE_PAIR_TYPES
#define TORRE_PAIR_EVALUATED TORRE_TYPED(torre_pair_values)
#define TORRE_PAIR_CONSTANTS(...)                                                                  \
    typedef struct TORRE_TYPED(torre_pair) {                                                       \
        TORRE_REAL __VA_ARGS__;                                                                    \
    } TORRE_TYPED(torre_pair);                                                                     \
    typedef struct TORRE_TYPED(torre_pair_values) {                                                \
        TORRE_VALUE __VA_ARGS__;                                                                   \
    } TORRE_TYPED(torre_pair_values);
#else
#define TORRE_PAIR_EVALUATED TORRE_TYPED(torre_pair)
#define TORRE_PAIR_CONSTANTS(...)                                                                  \
    typedef struct TORRE_TYPED(torre_pair) {                                                       \
        TORRE_REAL __VA_ARGS__;                                                                    \
    } TORRE_TYPED(torre_pair);
#endif

#ifndef TORRE_VALUE
#define TORRE_VALUE TORRE_REAL
#define TORRE_VALUE_UNSET
#endif
#ifndef TORRE_STATE
#define TORRE_STATE TORRE_REAL
#define TORRE_STATE_UNSET
#endif
#ifndef TORRE_SQRT
#define TORRE_SQRT(x) sqrt(x)
#define TORRE_SQRT_UNSET
#endif
#ifndef TORRE_EXP
#define TORRE_EXP(x) exp(x)
#define TORRE_EXP_UNSET
#endif
