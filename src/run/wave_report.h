/* Runs of waves as reports (core/report.h), also before they start. */
#ifndef TORRE_WAVE_REPORT_H
#define TORRE_WAVE_REPORT_H

#include "core/report.h"
#include "run/wave_output.h"

/* Add what is known before the run. */
void torre_report_wave_setup(torre_report *report, const torre_wave_input *input,
                             const torre_wave_run *run);

/* Add warnings, as text. */
void torre_report_cautions(torre_report *report, const torre_cautions *cautions);

/* All of a run, or of a plan for one; wall_s: seconds since the start. */
torre_report *torre_report_wave_run(const torre_wave_output *output, const torre_wave_run *run,
                                    const torre_wave_memory *memory, bool dry_run, double wall_s);

#endif
