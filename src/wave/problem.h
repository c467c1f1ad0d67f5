/* The wave problem (torre/wave.h) as the library's own parts read it. */
#ifndef TORRE_WAVE_PROBLEM_H
#define TORRE_WAVE_PROBLEM_H

#include <math.h>

#include "core/array_value.h"
#include "core/status.h"
#include "torre/wave.h"

/* Whether nothing varies along an axis: y in two dimensions (another once axes are turned). */
static inline bool torre_wave_is_flat(const torre_wave_problem *problem, int axis)
{
    return isinf(problem->spacing[axis]);
}

/* 3, or 2. */
static inline int torre_wave_dimensions(const torre_wave_problem *problem)
{
    return torre_wave_is_flat(problem, 1) ? 2 : 3;
}

/* The least and the largest spacing of the axes along which anything varies, metres. */
static inline double torre_wave_spacing_min(const torre_wave_problem *problem)
{
    const double *h = problem->spacing;
    return fmin(h[0], fmin(h[1], h[2]));
}
static inline double torre_wave_spacing_max(const torre_wave_problem *problem)
{
    const double *h = problem->spacing, most = fmax(h[0], h[2]);
    return torre_wave_is_flat(problem, 1) ? most : fmax(most, h[1]);
}

/* Whether one number tells the spacing. */
static inline bool torre_wave_equal_spacing(const torre_wave_problem *problem)
{
    return torre_wave_spacing_min(problem) == torre_wave_spacing_max(problem);
}

/* Where the last cell of an axis lies, metres. */
static inline double torre_wave_extent(const torre_wave_problem *problem, int axis)
{
    if (torre_wave_is_flat(problem, axis)) return 0;
    return (double)(problem->size[axis] - 1) * problem->spacing[axis];
}

/* Cells of the grid. */
static inline int64_t torre_wave_cells(const torre_wave_problem *problem)
{
    return problem->size[0] * problem->size[1] * problem->size[2];
}

/* Refuse to go from level n to n + steps where that is backwards or beyond problem->steps (the
 * wavelet ends there). */
torre_status torre_wave_steps_check(const torre_wave_problem *problem, int64_t n, int64_t steps);

/* The part of torre_wave_problem_check that looks at sources, wavelet and receivers. */
torre_status torre_wave_points_check(const torre_wave_problem *problem);

/* Whether two problems differ in nothing but sources, wavelet, receivers and the values of
 * velocity_cells and density_cells: what one solver can compute one after the other. */
bool torre_wave_same_grid(const torre_wave_problem *a, const torre_wave_problem *b);

/* Index of the first velocity or density that is not a positive finite number; -1 where all are. */
int64_t torre_wave_medium_bad(const torre_array *cells);

/* Least and largest of them, where all are. */
void torre_wave_medium_range(const torre_array *cells, double *low, double *high);

/* Refuse a wavelet that is not finite, and sources so strong that what a step adds is no number. */
torre_status torre_wave_wavelet_check(const torre_wave_problem *problem, const double *wavelet);

/* Velocity of cell (x, y, z), m/s. */
double torre_wave_velocity_at(const torre_wave_problem *problem, int64_t x, int64_t y, int64_t z);

#endif
