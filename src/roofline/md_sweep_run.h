/* A whole sweep over particles, kept in directory/md-sweep.csv, and its picture. */
#ifndef TORRE_MD_SWEEP_RUN_H
#define TORRE_MD_SWEEP_RUN_H

#include "roofline/md_sweep.h"

/* What the caller wants on the way: before a point (points[done]) and after it; stop, asked before
 * each, ends the sweep. */
typedef struct torre_md_sweep_watch {
    void (*before)(void *context, int done, int count);
    void (*after)(void *context, const torre_md_point *point);
    bool (*stop)(void *context);
    void *context;
} torre_md_sweep_watch;

/*
 * Measure the points, appending each to md-sweep.csv; *done and *wrong: how many were measured, and
 * differ from the reference. TORRE_ERR_INPUT when the file cannot be written.
 */
torre_status torre_md_sweep_run(const torre_md_sweep_setting *setting, torre_md_point *points,
                                int count, const char *directory, const torre_md_sweep_watch *watch,
                                int *done, int *wrong);

/* md-rates.gp in the directory, and by gnuplot .png and .svg; *drawn false where there is none. */
torre_status torre_md_sweep_draw(const char *directory, const torre_md_sweep_setting *setting,
                                 const torre_md_point *points, int count, bool *drawn);

/* Rate as a share of the bound; 0 without one. */
double torre_md_point_fraction(const torre_md_point *point);

#endif
