/* The files that a run of `md` writes: opened before it starts, completed after it. */
#ifndef TORRE_MD_OUTPUT_H
#define TORRE_MD_OUTPUT_H

#include "cli/md_input.h"
#include "io/output_file.h"
#include "io/sink.h"

typedef struct md_output {
    const md_settings *settings;
    torre_sink *dump, *csv, *profile, *picture;
    torre_granular_slice *slice; /* [profile_slices], of the profile */
    int64_t samples;
    torre_output *json;
    char picture_path[4096];
    torre_md_particles now; /* for frames */
} md_output;

/* Write the initial state where asked for, and open everything else. */
torre_status md_output_open(const md_settings *settings, const md_input *input, md_output *output);

/* Append a row of the thermo table to the CSV; a failure is kept for md_output_results. */
void md_output_row(md_output *output, const torre_md_run *run, const torre_md_thermo *row);

/* Append a frame to the dump and a sample to the profile where they are due. */
torre_status md_output_frame(md_output *output, torre_md_run *run);

/*
 * Complete dump, profile and picture with the state of the run, and end the CSV. After a run that
 * failed: only frames and rows that were computed before, no picture.
 */
torre_status md_output_results(md_output *output, torre_md_run *run, bool failed);

/* Close what is open, leaving nothing incomplete behind, and free. */
void md_output_close(md_output *output);

#endif
