/* Ceilings and sweeps as tables for people. */
#ifndef TORRE_SWEEP_TABLE_H
#define TORRE_SWEEP_TABLE_H

#include <stdio.h>

#include "roofline/md_sweep.h"
#include "roofline/sweep_run.h"

/* The machine and its ceilings. */
void torre_ceilings_table(FILE *out, const torre_machine *machine);

/* Stepwise and the best towers of each DTS, per order; then what orderings change. */
void torre_sweep_table(FILE *out, const torre_sweep_setting *setting,
                       const torre_sweep_results *found);

/* Of a sweep over particles: what comes before the first point, a point, what follows the last. */
void torre_md_sweep_table_head(FILE *out, const torre_md_sweep_setting *setting);
void torre_md_sweep_table_row(FILE *out, const torre_md_point *point);
void torre_md_sweep_table_foot(FILE *out);

#endif
