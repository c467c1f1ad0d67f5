/*
 * The pair models of this build, one line each: model NAME lives in md/pair_NAME.h, and that header
 * and its line here are all there is to add. CMake reads the lines too and compiles every sweep
 * once per model and precision (md_force.c.in).
 */
#ifndef TORRE_PAIR_LIST_H
#define TORRE_PAIR_LIST_H

/* clang-format off */
#define TORRE_PAIR_LIST(MODEL) \
    MODEL(lj) \
    MODEL(granular)
/* clang-format on */

#endif
