/* What is special about `md --model granular`: its options, its set-up and what it tells. */
#ifndef TORRE_MD_GRANULAR_H
#define TORRE_MD_GRANULAR_H

#include <stdio.h>

#include "cli/md_input.h"
#include "core/report.h"

/*
 * Problem without particles, and the lengths of the plan (given in diameters) in metres. Particles
 * come from --input or will be made by md_granular_particles.
 */
torre_status md_granular_read(md_settings *settings, const torre_option *table, md_input *input);

/* The random start, unless there is an input file; refuses particles that overlap. */
torre_status md_granular_particles(const md_settings *settings, md_input *input);

/* A line of the set-up, the head of the table and its rows. */
void md_granular_setup(FILE *out, const md_settings *settings, const torre_md_problem *problem);
void md_granular_head(FILE *out);
void md_granular_row(FILE *out, const torre_md_problem *problem, const torre_md_thermo *row);

/* The columns of the table, the step first, and a row of them. run->row[0] must be there. */
enum { MD_GRANULAR_COLUMNS = 11 };
extern const char *const md_granular_column[MD_GRANULAR_COLUMNS];
void md_granular_values(const torre_md_run *run, const torre_md_thermo *row,
                        double value[MD_GRANULAR_COLUMNS]);
void md_granular_report_row(torre_report *at, const torre_md_run *run, const torre_md_thermo *row);

/* The columns of the height profile, and the row of slice k: means over the samples. */
enum { MD_GRANULAR_PROFILE_COLUMNS = 5 };
extern const char *const md_granular_profile_column[MD_GRANULAR_PROFILE_COLUMNS];
void md_granular_profile_values(const torre_md_problem *problem, int slices, int k,
                                const torre_granular_slice *slice, int64_t samples,
                                double value[MD_GRANULAR_PROFILE_COLUMNS]);

#endif
