/* A machine, points of sweeps and a diagnosis as members of a report (core/report.h). */
#ifndef TORRE_ROOFLINE_REPORT_H
#define TORRE_ROOFLINE_REPORT_H

#include "core/report.h"
#include "roofline/doctor.h"
#include "roofline/md_sweep_run.h"
#include "roofline/sweep_run.h"

/* The device and its ceilings, into an object. */
void torre_report_machine(torre_report *at, const torre_machine *machine);

/* A whole sweep; tuned: whether it gave recommendations. */
void torre_report_sweep(torre_report *report, const torre_sweep_setting *setting,
                        const torre_sweep_results *found, bool tuned);

/* A point, as a further entry of a list. */
void torre_report_sweep_point(torre_report *list, const torre_sweep_point *point);
void torre_report_md_point(torre_report *list, const torre_md_point *point);

/* What doctor found, into an object. */
void torre_report_diagnosis(torre_report *at, const torre_diagnosis *diagnosis);

#endif
