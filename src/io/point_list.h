/*
 * Lists of points (sources, receivers): on the command line and in CSV files.
 *
 *     x,y,z[,amplitude][,component][;x,y,z...]
 *                                       points in metres; the amplitude is 1 unless given
 *     x0,y0,z0:x1,y1,z1:N[:component]   N points from one end to the other (N >= 2)
 *     x,z and x0,z0:x1,z1:N             the same at y = 0, in two dimensions
 *     FILE.csv                          one x,y,z[,amplitude][,component] a line; '#' starts a
 *                                       comment; the first line may name the columns; blank lines
 *                                       are skipped
 *
 * component: p (pressure, unless given), or x, y, z.
 */
#ifndef TORRE_POINT_LIST_H
#define TORRE_POINT_LIST_H

#include <stdint.h>

#include "torre/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_point_list {
    torre_point *points; /* free with torre_point_list_free */
    int64_t count;
} torre_point_list;

/* What points of a list may be. */
typedef struct torre_point_rule {
    int dimensions;  /* 2: x,z means x,0,z */
    bool amplitudes; /* a fourth number is legal */
    bool components; /* a component is legal */
} torre_point_rule;

/*
 * Parse a list; text that ends in ".csv" is a file. TORRE_ERR_USAGE "--option: ..." for a bad list,
 * TORRE_ERR_INPUT "file:line: ..." for a bad file; *list is empty then.
 */
torre_status torre_point_list_parse(const char *option, const char *text, torre_point_rule rule,
                                    torre_point_list *list);

/* Read a CSV file; empty ones are refused. */
torre_status torre_csv_points_read(const char *path, torre_point_rule rule, torre_point_list *list);

/* The point that n numbers stand for; false where the rule has none of so many. */
bool torre_point_make(torre_point_rule rule, const double v[4], int n, torre_point *point);

/* "p", "x", "y", "z"; false for another name. */
bool torre_component_by_name(const char *name, torre_component *component);

/* "x,y,z[,amplitude][,component]": what the rule allows. */
const char *torre_point_form(torre_point_rule rule);

/* Add a point (used by the readers). TORRE_ERR_RESOURCE when there is no memory. */
torre_status torre_point_list_add(torre_point_list *list, const torre_point *point);

void torre_point_list_free(torre_point_list *list);

#ifdef __cplusplus
}
#endif

#endif
