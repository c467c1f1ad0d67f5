/*
 * The pictures of a sweep, drawn by gnuplot from a script and data that stay beside them:
 *
 *     roofline.gp, .png, .svg   ceilings; per order the stepwise engine and the best towers of each
 *                               DTS, joined to a trend line
 *     rates.gp, .png, .svg      the rate for each order/DTS, as in the paper on DiamondTorre
 *     points.dat                what both read
 */
#ifndef TORRE_ROOFLINE_PLOT_H
#define TORRE_ROOFLINE_PLOT_H

#include "roofline/sweep.h"

/*
 * Write scripts and data into the directory (which exists) and run gnuplot. *drawn is false, and
 * the status TORRE_OK, where gnuplot is not installed. TORRE_ERR_INPUT when writing or drawing
 * fails. Without a timed point nothing is written.
 */
torre_status torre_roofline_draw(const char *directory, const torre_machine *machine,
                                 torre_precision precision, const torre_sweep_point *points,
                                 int count, bool *drawn);

#endif
