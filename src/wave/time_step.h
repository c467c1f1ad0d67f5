/* The time step of a run: what was asked for, or what is stable. */
#ifndef TORRE_TIME_STEP_H
#define TORRE_TIME_STEP_H

#include "torre/wave_spec.h"
#include "wave/caution.h"
#include "wave/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_time_step {
    double dt, dt_limit;               /* seconds: chosen, and the largest stable one */
    double courant, courant_limit;     /* the same as Courant numbers */
    double velocity_min, velocity_max; /* m/s: the range that they follow from */
} torre_time_step;

/*
 * Choose the step of a problem whose grid, order and velocity are known to be legal (dt is not
 * looked at). TORRE_ERR_USAGE: both are given, or the step is unstable and not forced; the text has
 * three ways out. Cautions: a forced step; velocities that look like km/s.
 */
torre_status torre_time_step_choose(const torre_wave_problem *problem,
                                    const torre_time_step_wish *wish, torre_cautions *cautions,
                                    torre_time_step *step);

/* The number of four digits next to x > 0 that is not above it (not below it), so that bounds stay
 * safe when they are printed. */
double torre_round_down(double x);
double torre_round_up(double x);

#ifdef __cplusplus
}
#endif

#endif
