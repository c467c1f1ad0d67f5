/* The files that a run of `wave` writes: opened before it starts, completed after it. */
#ifndef TORRE_WAVE_OUTPUT_H
#define TORRE_WAVE_OUTPUT_H

#include "cli/wave_settings.h"
#include "io/output_file.h"
#include "io/trace_files.h"

typedef struct wave_output {
    const wave_settings *settings;
    const torre_wave_input *input;
    torre_output *json;
    const torre_sink_format *field_format;
    torre_sink *field;
    void *cells;          /* of a frame of it */
    int64_t field_frames; /* written; 0 without a series */
    torre_trace_files traces;
    torre_sink *trace[TORRE_TRACE_FILES];
    const torre_sink_format *plane_format;
    void *plane;       /* cells of a snapshot */
    double *velocity;  /* of the snapshot plane; NULL in a constant medium */
    int64_t snapshots; /* written so far */
    char last_snapshot[4096];
} wave_output;

/* Parse --traces; tells whether a format needs a time step of whole microseconds. */
torre_status wave_output_plan(const wave_settings *settings, wave_output *output,
                              bool *whole_microseconds);

/* Refuse, before anything is opened, what the formats cannot hold. */
torre_status wave_output_check(const wave_output *output, const torre_wave_input *input);

/* Open all files and prepare for snapshots. */
torre_status wave_output_open(const torre_wave_input *input, wave_output *output);

/* Host bytes needed beside the run's own: planes, and the largest of pictures and dense field. */
int64_t wave_output_bytes(const wave_output *output, const torre_wave_input *input);

/* Write the snapshot of the present step. */
torre_status wave_output_snapshot(wave_output *output, torre_wave_run *run);

/*
 * Write what is due at the present step: snapshot, frame of the field. At step 0 a snapshot of a
 * field of zeros is not, but its frame is, so that frame i is that of step i N.
 */
torre_status wave_output_frame(wave_output *output, torre_wave_run *run);

/*
 * Write traces and field as they are at the present step, or complete the frames of the field.
 * (The report has its own function.)
 */
torre_status wave_output_results(wave_output *output, torre_wave_run *run);

/* Close what is open, leaving nothing incomplete behind, and free. */
void wave_output_close(wave_output *output);

#endif
