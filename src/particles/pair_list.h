/*
 * The pair models of this build, two lines each: model NAME lives in pair_NAME.h (pair_lj.h says
 * what such a header provides), and these lines are all there is to add. CMake reads them too and
 * compiles every sweep once per model and precision.
 */
#ifndef TORRE_PAIR_LIST_H
#define TORRE_PAIR_LIST_H

#define TORRE_PAIR_PARAMETERS_ONLY
#include "particles/pair_granular.h"
#include "particles/pair_lj.h"
#include "particles/pair_morse.h"
#include "particles/pair_wca.h"
#include "particles/pair_yukawa.h"
#undef TORRE_PAIR_PARAMETERS_ONLY

/* clang-format off */
#define TORRE_PAIR_LIST(MODEL) \
    MODEL(lj) \
    MODEL(granular) \
    MODEL(wca) \
    MODEL(yukawa) \
    MODEL(morse)
/* clang-format on */

#endif
