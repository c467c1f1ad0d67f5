/* The files that a run of waves writes: opened before it starts, completed after it. */
#ifndef TORRE_WAVE_OUTPUT_H
#define TORRE_WAVE_OUTPUT_H

#include "io/output_file.h"
#include "io/trace_files.h"
#include "run/wave_input.h"

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
    const torre_sink_format *plane_format;
    void *plane;       /* cells of a snapshot */
    double *velocity;  /* of the snapshot plane; NULL in a constant medium */
    int64_t snapshots; /* written so far */
    char last_snapshot[4096];
    struct {
        torre_figure_about plane, traces;
        char plane_subject[96], detail[96];
    } figure; /* what is drawn around pictures */
} torre_wave_output;

/* The grid, or a plane of it across an axis, as sinks take them; and the velocity in a plane. */
torre_field_layout torre_wave_layout(const torre_wave_problem *problem);
torre_field_layout torre_wave_layout_plane(const torre_wave_problem *problem, int axis,
                                           int64_t index);
void torre_wave_plane_velocity(const torre_wave_problem *problem, int axis, int64_t index,
                               double *velocity);

/* Zero before. Parse the traces, refuse two results in one file (those beside count); tells whether
 * a format needs a time step of whole microseconds. */
torre_status torre_wave_output_plan(const torre_wave_spec *spec, const torre_wave_beside *beside,
                                    torre_wave_output *output, bool *whole_microseconds);

/* Say what pictures show. Refuse, before anything is opened, what the formats cannot hold. */
torre_status torre_wave_output_check(torre_wave_output *output, const torre_wave_input *input);

/* Open all files and prepare for snapshots. */
torre_status torre_wave_output_open(const torre_wave_input *input, torre_wave_output *output);

/* Whether a picture is among the results. */
bool torre_wave_output_draws(const torre_wave_output *output);

/* Host bytes needed beside the run's own: planes, and the largest of pictures and dense field. */
int64_t torre_wave_output_bytes(const torre_wave_output *output, const torre_wave_input *input);

/* Write the snapshot of the present step. */
torre_status torre_wave_output_snapshot(torre_wave_output *output, torre_wave_run *run);

/*
 * Write what is due at the present step: snapshot, frame of the field. At step 0 a snapshot of a
 * field of zeros is not, but its frame is, so that frame i is that of step i N.
 */
torre_status torre_wave_output_frame(torre_wave_output *output, torre_wave_run *run);

/*
 * Write traces and field as they are at the present step, or complete the frames of the field.
 * (The report has its own function.)
 */
torre_status torre_wave_output_results(torre_wave_output *output, torre_wave_run *run);

/* Close what is open, leaving nothing incomplete behind, and free. */
void torre_wave_output_close(torre_wave_output *output);

#endif
