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

/* A row as members of the report. */
void md_granular_report_row(torre_report *at, const torre_md_run *run, const torre_md_thermo *row);

#endif
