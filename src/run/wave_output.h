/* The files that a run of waves writes: opened before it starts, completed after it. */
#ifndef TORRE_WAVE_OUTPUT_H
#define TORRE_WAVE_OUTPUT_H

#include "io/output_file.h"
#include "io/trace_files.h"
#include "run/wave_snapshots.h"

/* Files that the caller writes and reads beside those of a specification, or NULL. */
typedef struct torre_wave_beside {
    const char *report, *checkpoint, *resume;
} torre_wave_beside;

typedef struct torre_wave_output {
    const torre_wave_spec *spec;
    torre_wave_beside beside;
    char *checkpoint_before; /* the second of the last two */
    const torre_wave_input *input;
    const torre_sink_format *field_format;
    torre_sink *field;
    void *cells;          /* of a frame of it */
    int64_t field_frames; /* written; 0 without a series */
    torre_trace_files traces;
    torre_sink *trace[TORRE_TRACE_FILES];
    torre_snapshots snapshots;
    torre_figure_about figure; /* what is drawn around traces */
    char detail[96];           /* of pictures */
} torre_wave_output;

/* Zero before. Parse the traces, refuse two results in one file (those beside count); tells whether
 * a format needs a time step of whole microseconds. */
torre_status torre_wave_output_plan(const torre_wave_spec *spec, const torre_wave_beside *beside,
                                    torre_wave_output *output, bool *whole_microseconds);

/* Say what pictures show. Refuse, before anything is opened, what the formats cannot hold. */
torre_status torre_wave_output_check(torre_wave_output *output, const torre_wave_input *input);

/* Open all files and prepare for snapshots. */
torre_status torre_wave_output_open(const torre_wave_input *input, torre_wave_output *output);

/* Have pictures drawn beside the time loop, by threads of their own unless the only core of the
 * host computes. Before their bytes are counted. */
void torre_wave_output_beside(torre_wave_output *output, const torre_wave_run *run);

/* Whether a picture is among the results. */
bool torre_wave_output_draws(const torre_wave_output *output);

/* Host bytes needed beside the run's own: planes, and the largest of pictures and dense field. */
int64_t torre_wave_output_bytes(const torre_wave_output *output, const torre_wave_input *input);

/*
 * Write what is due at the present step: snapshots (torre_snapshots_write), frame of the field,
 * which is due at step 0, too, so that frame i is that of step i N.
 */
torre_status torre_wave_output_frame(torre_wave_output *output, torre_wave_run *run);

/*
 * Write traces and field as they are at the present step, or complete the frames of the field, and
 * of snapshots. (The report has its own function.)
 */
torre_status torre_wave_output_results(torre_wave_output *output, torre_wave_run *run);

/* Close what is open, leaving nothing incomplete behind, and free. */
void torre_wave_output_close(torre_wave_output *output);

#endif
