/* How fast this machine computes a problem: a short trial on a part of it. */
#ifndef TORRE_TRIAL_H
#define TORRE_TRIAL_H

#include "torre/wave.h"

/*
 * Measure the rate (billions of cell updates a second) of the planned run's own engine and plan on
 * a slab of its grid, without sources and receivers, in about half a second; results of the run
 * itself are within some 20 % of it where the slab is long enough. Allocates some hundred MB; 0
 * where there are none.
 */
torre_status torre_wave_trial(const torre_wave_run *run, double *gcells_per_s);

#endif
