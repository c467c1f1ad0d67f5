/* A survey in a few lines for people, and as a report (core/report.h). */
#ifndef TORRE_SURVEY_SUMMARY_H
#define TORRE_SURVEY_SUMMARY_H

#include <stdio.h>

#include "core/report.h"
#include "survey/survey.h"

/* Before it: the run of the first shot, and how many there are. */
void torre_survey_summary_setup(FILE *out, const torre_survey *survey);

/* Instead of it: what all shots take, one after the other. rate: billions of cell updates a second
 * of a short trial of the first, 0 where there was none. */
void torre_survey_summary_cost(FILE *out, const torre_survey *survey, double rate);

/* After it. seconds: since it was opened. */
void torre_survey_summary_result(FILE *out, const torre_survey *survey, double seconds);

/* dry_run: planned only. wall_s: since the start, survey_s: since the survey was opened. */
torre_report *torre_report_survey(const torre_survey *survey, bool dry_run, double wall_s,
                                  double survey_s);

#endif
