/* A run of waves in a few lines for people. */
#ifndef TORRE_WAVE_SUMMARY_H
#define TORRE_WAVE_SUMMARY_H

#include <stdio.h>

#include "run/wave_output.h"

/* Before the run: grid, medium, time, waves, engine. */
void torre_wave_summary_setup(FILE *out, const torre_wave_input *input, const torre_wave_run *run);

/* What trials found (wave/trial.h). */
typedef struct torre_wave_rates {
    double gcells_per_s; /* of this process in memory; 0: unknown */
    double scratch;      /* bytes a second, of a run that streams */
} torre_wave_rates;

/* Instead of the run: memory, and the cost at those rates. */
void torre_wave_summary_cost(FILE *out, const torre_wave_input *input, const torre_wave_run *run,
                             const torre_wave_memory *memory, const torre_wave_rates *rates);

/* After the run: files, field, and last the rate. */
void torre_wave_summary_result(FILE *out, const torre_wave_output *output,
                               const torre_wave_run *run);

#endif
