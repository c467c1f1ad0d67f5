/*
 * Lists of points (sources, receivers): on the command line and in CSV files.
 *
 *     x,y,z[,amplitude][;x,y,z...]      points in metres; the amplitude is 1 unless given
 *     x0,y0,z0:x1,y1,z1:N               N points from one end to the other (N >= 2)
 *     FILE.csv                          one x,y,z[,amplitude] a line; '#' starts a comment; the
 *                                       first line may name the columns; blank lines are skipped
 */
#ifndef TORRE_POINT_LIST_H
#define TORRE_POINT_LIST_H

#include <stdint.h>

#include "wave/wave.h"

typedef struct torre_point_list {
    torre_point *points; /* free with torre_point_list_free */
    int64_t count;
} torre_point_list;

/*
 * Parse a list; text that ends in ".csv" is a file. with_amplitude says whether a fourth number is
 * legal. TORRE_ERR_USAGE "--option: ..." for a bad list, TORRE_ERR_INPUT "file:line: ..." for a bad
 * file; *list is empty then.
 */
torre_status torre_point_list_parse(const char *option, const char *text, bool with_amplitude,
                                    torre_point_list *list);

/* Read a CSV file; empty ones are refused. */
torre_status torre_csv_points_read(const char *path, bool with_amplitude, torre_point_list *list);

/* Add a point (used by the readers). TORRE_ERR_RESOURCE when there is no memory. */
torre_status torre_point_list_add(torre_point_list *list, const torre_point *point);

void torre_point_list_free(torre_point_list *list);

#endif
