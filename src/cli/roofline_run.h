/* From settings to results: ceilings, then the sweep, point by point. */
#ifndef TORRE_ROOFLINE_RUN_H
#define TORRE_ROOFLINE_RUN_H

#include "cli/roofline_settings.h"
#include "cli/roofline_text.h"

/* Measure the ceilings. TORRE_STOPPED when a signal came. */
torre_status roofline_ceilings(const roofline_settings *settings, const char *backend,
                               torre_machine *machine);

/*
 * Measure the points that the axes say into results->points (the caller's to free), appending each
 * to sweep.csv. Ends early, with TORRE_OK and count < planned, when the time is up or a signal
 * came.
 */
torre_status roofline_sweep(const roofline_settings *settings, const torre_sweep_axes *axes,
                            roofline_results *results);

#endif
