/* Gnuplot scripts that draw columns of a CSV file, a curve for each of the orderings compared. */
#ifndef TORRE_SERIES_PLOT_H
#define TORRE_SERIES_PLOT_H

#include "core/status.h"

/* What to draw; zero: nothing. */
typedef struct torre_series_style {
    const char *settings; /* gnuplot commands, each with its newline: labels, scales */
    int x, y;             /* columns, counted from 1 without that of the orderings */
    const char *style;    /* of the curves, "lines" */
    const char *plot;     /* instead of x, y and style: the whole plot command */
} torre_series_style;

/*
 * Write the script that draws data into png. name[count]: the orderings; with more than one the
 * first column of data has them. TORRE_ERR_INPUT where it cannot be written.
 */
torre_status torre_series_plot_write(const char *script, const char *data, const char *png,
                                     const torre_series_style *style, const char *const *name,
                                     int count);

#endif
