/* A run of waves in a few lines for people. */
#ifndef TORRE_WAVE_SUMMARY_H
#define TORRE_WAVE_SUMMARY_H

#include <stdio.h>

#include "run/wave_output.h"

/* Before the run: grid, medium, time, waves, engine. */
void torre_wave_summary_setup(FILE *out, const torre_wave_input *input, const torre_wave_run *run);

/* Instead of the run: memory, and the cost at a rate in Gcells/s (0: unknown). */
void torre_wave_summary_cost(FILE *out, const torre_wave_input *input, const torre_wave_run *run,
                             const torre_wave_memory *memory, double rate);

/* After the run: files, field, and last the rate. */
void torre_wave_summary_result(FILE *out, const torre_wave_output *output,
                               const torre_wave_run *run);

#endif
