/* `roofline --program md`: ways to find pairs and orderings of bins against the ceilings. */
#ifndef TORRE_ROOFLINE_MD_H
#define TORRE_ROOFLINE_MD_H

#include "cli/roofline_settings.h"
#include "core/report.h"
#include "roofline/md_sweep.h"

/*
 * Refuse options that only make sense for wave, find the backend, fill in the setting but for the
 * machine. TORRE_ERR_USAGE, TORRE_ERR_RESOURCE.
 */
torre_status roofline_md_prepare(const roofline_settings *settings, const torre_option *table,
                                 torre_md_sweep_setting *setting);

/*
 * Measure, write md-sweep.csv and the picture into the directory, print the table to `out` (NULL:
 * nowhere), add the points to the report (may be NULL); *drawn: whether there is a picture.
 * TORRE_STOPPED when a signal came,
 * TORRE_ERR_RESOURCE when a point is wrong.
 */
torre_status roofline_md_run(const roofline_settings *settings,
                             const torre_md_sweep_setting *setting, const char *directory,
                             FILE *out, torre_report *report, bool *drawn);

#endif
