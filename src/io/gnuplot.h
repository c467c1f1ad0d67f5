/* Running gnuplot on a script that was written next to its data. */
#ifndef TORRE_GNUPLOT_H
#define TORRE_GNUPLOT_H

#include <stdbool.h>

#include "core/status.h"

/*
 * Run `gnuplot script` with `directory` as working directory and wait for it. *found says whether
 * there is a gnuplot at all; its absence is no failure. TORRE_ERR_INPUT when gnuplot fails
 * (standard error of gnuplot is discarded).
 */
torre_status torre_gnuplot_run(const char *directory, const char *script, bool *found);

#endif
