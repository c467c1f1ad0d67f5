/* The files that a run of `md --model mps` writes: opened before it starts, completed after it. */
#ifndef TORRE_MPS_OUTPUT_H
#define TORRE_MPS_OUTPUT_H

#include "cli/mps_input.h"
#include "io/output_file.h"
#include "io/sink.h"

typedef struct mps_output {
    const mps_settings *settings;
    const mps_input *input;
    torre_sink *front, *gauges, *csv, *dump, *picture;
    torre_output *json;
    char front_path[4096], gauges_path[4096], picture_path[4096];
    char gauge_name[MPS_GAUGES][48];
    const char *gauge_column[1 + MPS_GAUGES];
    int64_t rows, frames; /* written so far */
    int64_t dumped;       /* step of the last frame of the dump; -1: none */
} mps_output;

torre_status mps_output_open(const mps_settings *settings, const mps_input *input,
                             mps_output *output);

/* The front of a row, from the left wall, and its dimensionless time t sqrt(2 g / L). */
double mps_output_front(const mps_input *input, const torre_mps_row *row);
double mps_output_time(const mps_input *input, const torre_mps_row *row);

/* A row for every file that wants one. */
torre_status mps_output_row(mps_output *output, const torre_md_run *run);

/* End all tables, complete dump and picture with the last row; failed: no picture, no frame. */
torre_status mps_output_results(mps_output *output, const torre_md_run *run, bool failed);

/* Close what is open, leaving nothing incomplete behind. */
void mps_output_close(mps_output *output);

#endif
