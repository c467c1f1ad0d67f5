/* Problems whose parts along some axis towers can compute, drawn at random. */
#ifndef TORRE_TEST_WAVE_RANDOM_CASE_H
#define TORRE_TEST_WAVE_RANDOM_CASE_H

#include "wave_case.h"

enum { WAVE_POINTS = 5, WAVE_STEPS = 64 };

typedef struct wave_random_case {
    torre_wave_problem problem; /* points into this */
    torre_wave_plan plan;       /* of towers; memory: what a run may take that streams */
    torre_array velocity, density;
    torre_point source[WAVE_POINTS], receiver[WAVE_POINTS];
    double wavelet[WAVE_STEPS];
    char text[280];
} wave_random_case;

/* A number of low .. high. */
int64_t wave_pick(uint64_t *state, int64_t low, int64_t high);

/* Anywhere in the grid, half of the coordinates on nodes. */
void wave_random_points(uint64_t *state, const torre_wave_problem *problem, int count,
                        torre_point *point);

/* The velocity of all cells, of columns along y, or none; the caller frees velocity->data. */
void wave_random_velocity(uint64_t *state, torre_wave_problem *problem, torre_array *velocity);

/* Any size, precision, kind of faces and of layers, velocities and densities, points, axes; none
 * periodic along the first of them, which is long. */
void wave_random_case_make(uint64_t *state, int order, wave_random_case *c);
void wave_random_case_free(wave_random_case *c);

/* Whether it has an absorbing face. */
bool wave_random_case_absorbs(const wave_random_case *c);

#endif
