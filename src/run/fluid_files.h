/* The files that the run of a fluid writes: opened before it starts, completed after it. */
#ifndef TORRE_FLUID_FILES_H
#define TORRE_FLUID_FILES_H

#include "run/fluid_gauges.h"

/* How the particles of a fluid are written, and the state of the last row: its columns go into
 * column[2], which must live as long as the frame. */
torre_particle_layout torre_fluid_layout(const torre_md_problem *problem, const torre_mps_dam *dam);
torre_status torre_fluid_frame(const torre_md_run *run, const double *column[2],
                               torre_frame *frame);

/* Columns of the table, the first one step, and their values in a row. */
enum { TORRE_FLUID_COLUMNS = 15 };
extern const char *const torre_fluid_column[TORRE_FLUID_COLUMNS];
void torre_fluid_values(const torre_mps_dam *dam, const torre_mps_row *row,
                        double value[TORRE_FLUID_COLUMNS]);

/* Zero before open. */
typedef struct torre_fluid_files {
    const torre_particle_wishes *wishes;
    const torre_md_problem *problem;
    const torre_mps_dam *dam;
    torre_sink *front, *csv, *dump, *picture;
    torre_gauge_table gauges[TORRE_GAUGE_KINDS];
    char front_path[TORRE_PATH], picture_path[TORRE_PATH]; /* "": none */
    torre_figure_about figure;                             /* around pictures */
    struct {
        int64_t rows, frames; /* written so far */
        int64_t dumped;       /* step of the last frame of the dump; -1: none */
    } done;
} torre_fluid_files;

/* Open everything. All but files must outlive it. */
torre_status torre_fluid_files_open(const torre_particle_wishes *wishes,
                                    const torre_md_problem *problem, const torre_mps_dam *dam,
                                    const torre_fluid_gauges gauges[TORRE_GAUGE_KINDS],
                                    torre_fluid_files *files);

/* A row for every file that wants one. */
torre_status torre_fluid_files_row(torre_fluid_files *files, const torre_md_run *run);

/* End all tables, complete dump and picture with the last row; failed: no picture, no frame. */
torre_status torre_fluid_files_finish(torre_fluid_files *files, const torre_md_run *run,
                                      bool failed);

/* Close what is open, leaving nothing incomplete behind. */
void torre_fluid_files_close(torre_fluid_files *files);

#endif
