/*
 * The run report: one JSON object, written by --json.
 *
 *     torre_report *r = torre_report_new("wave");      program, version
 *     torre_report_integer(r, "steps", 400);
 *     torre_report *t = torre_report_object(r, "time_s");
 *     torre_report_real(t, "force", 1.25);
 *     torre_report *list = torre_report_array(r, "thermo");
 *     torre_report_real(torre_report_object(list, NULL), "temp", 0.7);
 *     TORRE_TRY(torre_report_write(r, stdout));
 *     torre_report_free(r);
 *
 * Members keep the order in which they are added; inside an array the name is NULL. Running out of
 * memory is remembered and told by torre_report_write. Numbers that are not finite become null.
 */
#ifndef TORRE_REPORT_H
#define TORRE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/options.h"
#include "core/status.h"

typedef struct torre_report torre_report;

/*
 * A report that starts with program and version; NULL when out of memory (all functions take it).
 */
torre_report *torre_report_new(const char *program);
void torre_report_free(torre_report *report);

/* A nested object or array; it belongs to the report and lives as long. */
torre_report *torre_report_object(torre_report *parent, const char *name);
torre_report *torre_report_array(torre_report *parent, const char *name);

/* The members of one object once more at the end of another. */
void torre_report_repeat(torre_report *at, const torre_report *from);

void torre_report_text(torre_report *at, const char *name, const char *value);
void torre_report_integer(torre_report *at, const char *name, int64_t value);
void torre_report_real(torre_report *at, const char *name, double value);
void torre_report_bool(torre_report *at, const char *name, bool value);

/* "name": [values[0], ..., values[count - 1]] */
void torre_report_integers(torre_report *at, const char *name, const int64_t *values, int count);
void torre_report_reals(torre_report *at, const char *name, const double *values, int count);

/*
 * "options": {...}: every option of the table with the value it has now (names with '-' made '_'),
 * numbers as numbers, sizes and vectors as arrays, flags as booleans, texts that are not set as
 * null. Options that end the program (--help, --version) or are about the command line (--config)
 * are left out. Then "config": {...}: those that were given, names and values as they were written,
 * which say the same run again (io/config_file.h).
 */
void torre_report_options(torre_report *report, const torre_option *table);

/*
 * Write the object and a newline. TORRE_ERR_RESOURCE when memory ran out on the way,
 * torre_fail_errno when the stream does not take it (flushed here, so a full disk shows).
 */
torre_status torre_report_write(const torre_report *report, FILE *out);

#endif
