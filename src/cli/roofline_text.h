/* What `roofline` tells: tables for people, CSV and the report for programs. */
#ifndef TORRE_ROOFLINE_TEXT_H
#define TORRE_ROOFLINE_TEXT_H

#include <stdio.h>

#include "core/options.h"
#include "core/report.h"
#include "io/output_file.h"
#include "roofline/sweep_run.h"

/* Everything there is to tell. */
typedef struct roofline_results {
    const torre_sweep_setting *setting;
    const torre_machine *machine;
    torre_sweep_results found;
    const char *directory;
    bool drawn, tuned;
    double wall_s;
} roofline_results;

void roofline_text_ceilings(FILE *out, const torre_machine *machine);

/* Stepwise and the best towers of each DTS, per order; then what orderings change. */
void roofline_text_points(FILE *out, const roofline_results *results);

torre_report *roofline_text_report(const torre_option *table, const roofline_results *results);

#endif
