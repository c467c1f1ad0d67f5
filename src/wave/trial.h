/* How fast this machine computes a problem: a short trial on a part of it. */
#ifndef TORRE_TRIAL_H
#define TORRE_TRIAL_H

#include "torre/wave.h"

/*
 * Measure the rate (billions of cell updates a second) of the planned run's own engine and plan on
 * a slab of its grid, without sources and receivers, in about half a second; results of the run
 * itself are within some 20 % of it where the slab is long enough. Allocates some hundred MB; 0
 * where there are none, and of steps that there are in windows alone.
 */
torre_status torre_wave_trial(const torre_wave_run *run, double *gcells_per_s);

/*
 * Measure what the scratch directory of a run that streams takes and gives, half each, in bytes a
 * second, where the system keeps none of it in memory: by 128 MiB. 0 for other runs.
 * TORRE_ERR_INPUT: the directory; TORRE_ERR_RESOURCE.
 */
torre_status torre_wave_trial_scratch(const torre_wave_run *run, double *bytes_per_s);

#endif
