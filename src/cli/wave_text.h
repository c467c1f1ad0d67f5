/* What `wave` tells: the summary for people, the report for programs. */
#ifndef TORRE_WAVE_TEXT_H
#define TORRE_WAVE_TEXT_H

#include "core/report.h"
#include "run/wave_output.h"

/* Before the run: grid, medium, time, waves, engine. */
void wave_text_setup(FILE *out, const torre_wave_input *input, const torre_wave_run *run);

/* Instead of the run (--dry-run): memory, and the cost at a rate in Gcells/s (0: unknown). */
void wave_text_cost(FILE *out, const torre_wave_input *input, const torre_wave_run *run,
                    const torre_wave_memory *memory, double rate);

/* After the run: files, field, and last the rate. */
void wave_text_result(FILE *out, const torre_wave_output *output, const torre_wave_run *run);

/* What a report says of what is known before the run. */
void wave_text_report_setup(torre_report *report, const torre_wave_input *input,
                            const torre_wave_run *run);

/* The report but for options. wall_s: seconds since the start. */
torre_report *wave_text_report(const torre_wave_output *output, const torre_wave_run *run,
                               const torre_wave_memory *memory, bool dry_run, double wall_s);

#endif
