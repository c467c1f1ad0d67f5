/*
 * What pair headers (pair_lj.h says what they provide) begin with: values for what the includer has
 * left undefined. No guard: once for each inclusion of a pair header.
 */
#include <math.h>

#include "particles/md.h"
#include "tiling/hd.h"

#undef TORRE_PAIR_DISSIPATES
#undef TORRE_PAIR_FIELD
#define TORRE_PAIR_DISSIPATES 0
#define TORRE_PAIR_FIELD      0

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
