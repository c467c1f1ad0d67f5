/*
 * The sweep as a CSV file: comment lines that say what was measured and on what, a line of names,
 * one line a point. Lines are flushed one by one, so an interrupted sweep loses nothing, and the
 * file can be read back to go on from there.
 */
#ifndef TORRE_SWEEP_CSV_H
#define TORRE_SWEEP_CSV_H

#include <stdio.h>

#include "roofline/sweep.h"

/* Write the head of the file. */
void torre_sweep_csv_head(FILE *out, const torre_sweep_setting *setting);

/* Append a point and flush. TORRE_ERR_INPUT with the path when it cannot be written. */
torre_status torre_sweep_csv_append(FILE *out, const char *path, const torre_sweep_point *point,
                                    torre_precision precision);

/* Write the whole file anew: points that have learnt something since they were appended. */
torre_status torre_sweep_csv_write(const char *path, const torre_sweep_setting *setting,
                                   const torre_sweep_point *points, int count);

/*
 * Read the points of an earlier sweep (*points is the caller's to free). A last line that was cut
 * off is left out. TORRE_ERR_INPUT when the file cannot be read, holds a broken
 * line, or comes from another device, version, size or precision.
 */
torre_status torre_sweep_csv_read(const char *path, const torre_sweep_setting *setting,
                                  torre_sweep_point **points, int *count);

/* Whether done is the result of the wish. */
bool torre_sweep_same_point(const torre_sweep_point *wish, const torre_sweep_point *done);

#endif
