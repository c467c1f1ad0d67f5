/* What is legal in a problem but hardly meant. */
#ifndef TORRE_CAUTION_H
#define TORRE_CAUTION_H

#include "wave/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_CAUTIONS = 16 };

/* Lines for whoever runs the problem; what is too much for it is left out. Zero is empty. */
typedef struct torre_cautions {
    char text[TORRE_CAUTIONS][240];
    int count;
} torre_cautions;

/* Add a line, in the words of torre_fail; it is cut to the room there is. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void
torre_caution(torre_cautions *cautions, const char *format, ...);

/*
 * Absorbing layers that leave less than their own width between them, sources and receivers in a
 * layer, and an axis of one cell whose faces pull it to zero. Wavelet and dt are not looked at.
 */
void torre_caution_faces(const torre_wave_problem *problem, torre_cautions *cautions);

/* Densities so different from one cell to the next that fields may grow. */
void torre_caution_density(const torre_wave_problem *problem, torre_cautions *cautions);

#ifdef __cplusplus
}
#endif

#endif
