/* Runs of particles as members of a report (core/report.h), also before they start. */
#ifndef TORRE_PARTICLE_REPORT_H
#define TORRE_PARTICLE_REPORT_H

#include "core/report.h"
#include "particles/md_run.h"
#include "particles/mps_dam.h"

/* Of a pair model: how it is computed, its rate and times, the rows of its table. */
void torre_report_pair_run(torre_report *report, const torre_md_run *run);

/* Of a fluid: the same, its numbers and its last row. */
void torre_report_fluid_run(torre_report *report, const torre_md_run *run,
                            const torre_mps_dam *dam);

#endif
