/* What `md` tells: set-up, thermo table and summary for people, the report for programs. */
#ifndef TORRE_MD_TEXT_H
#define TORRE_MD_TEXT_H

#include <stdio.h>

#include "cli/md_settings.h"
#include "io/output_file.h"
#include "run/pair_files.h"

/* Lines that begin with '#': what runs, and the head of the thermo table with its units. */
void md_text_setup(FILE *out, const md_settings *settings, const torre_md_run *run);
void md_text_head(FILE *out, const torre_md_problem *problem);

void md_text_row(FILE *out, const torre_md_problem *problem, const torre_md_thermo *row);

/* --dry-run: memory and bins. */
void md_text_cost(FILE *out, const torre_md_run *run);

/* After the run: rate, phases, drift, files. */
void md_text_result(FILE *out, const md_settings *settings, const torre_md_run *run,
                    const torre_pair_files *files);

/* Make the report for the opened output, and keep both (torre_program_keep_report). */
void md_text_report(torre_output **json, const md_settings *settings, const torre_option *table,
                    const torre_md_run *run);

#endif
