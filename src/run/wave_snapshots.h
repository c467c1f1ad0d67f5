/*
 * Snapshots: a plane of the field, or all of it, every so many steps, in several files at once.
 *
 *     "u.h5,volume;pictures/u_{step}.png;z0.npy,xy@0"
 *
 * A name with {step} in it is a file for each step, the number of six digits or more in its place;
 * one without is a single file, of all steps along a first axis of time. A comma and xy, xz, yz,
 * with @INDEX or not, or volume, say what is in it, else spec->snapshot_plane does; zfp=E
 * compresses so that no value is further off than E. Without names
 * it is OUTPUT/snapshot_{step} with the ending of spec->snapshot_format.
 */
#ifndef TORRE_WAVE_SNAPSHOTS_H
#define TORRE_WAVE_SNAPSHOTS_H

#include "io/kept_frames.h"
#include "io/sink_queue.h"
#include "run/wave_input.h"
#include "wave/setup.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_SNAPSHOTS = 8 };

typedef struct torre_snapshot {
    const char *name, *part; /* part NULL: as spec->snapshot_plane says */
    const torre_sink_format *format;
    bool single; /* a file for each step */
    int axis;    /* across the plane; -1: all cells */
    int64_t index;
    torre_figure_about figure;
    char subject[96];
    torre_field_layout layout;
    void *cells;
    double *velocity;        /* pictures, in a medium that varies: of the cells */
    torre_sink *sink;        /* of all steps */
    torre_sink_loss loss;    /* tolerance 0: none */
    torre_kept_frames *kept; /* pictures of one scale, until they are drawn at the end */
    double one_scale;        /* of those, once they are */
    int64_t written;
    char last[4096]; /* file that was written */
} torre_snapshot;

typedef struct torre_snapshots {
    const torre_wave_spec *spec;
    const torre_wave_input *input;
    char *text; /* names and parts lie in it */
    int count;
    torre_snapshot item[TORRE_SNAPSHOTS];
    torre_plane_at plane_at[TORRE_SNAPSHOTS]; /* of torre_snapshots_planes */
    int64_t stride[3];                        /* every so many cells along x, y, z */
    void *plane;                              /* all cells of one, with strides */
    bool one_scale;   /* pictures have one that suits all of them, and are drawn at the end */
    int writers;      /* threads that write pictures beside the run, from the cells in the queue, */
    int writer_cores; /* and cores that they share */
    torre_sink_queue *queue;
} torre_snapshots;

/* The grid, or a plane of it across an axis, as sinks take them; and the velocity in a plane. */
torre_field_layout torre_wave_layout(const torre_wave_problem *problem);
torre_field_layout torre_wave_layout_plane(const torre_wave_problem *problem, int axis,
                                           int64_t index);
void torre_wave_plane_velocity(const torre_wave_problem *problem, int axis, int64_t index,
                               double *velocity);

/* Parse what the specification says, which must outlive it; none where it wants none. Zero before;
 * close in any case. TORRE_ERR_USAGE. */
torre_status torre_snapshots_plan(const torre_wave_spec *spec, torre_snapshots *snapshots);

/* Refuse what the grid does not have and formats cannot hold. figure: what all pictures say. */
torre_status torre_snapshots_check(torre_snapshots *snapshots, const torre_wave_input *input,
                                   const torre_figure_about *figure);

/* The planes of cells that frames of the run look at, if at nothing else; after check. */
torre_frame_planes torre_snapshots_planes(torre_snapshots *snapshots);

/* Whether one of a run of so many steps is written over a file; whether one is a picture. */
bool torre_snapshots_replace(const torre_snapshots *snapshots, int64_t steps, const char *file);
bool torre_snapshots_draw(const torre_snapshots *snapshots);

/* Host bytes that are kept, and that writing takes beside them. */
void torre_snapshots_bytes(const torre_snapshots *snapshots, int64_t *kept, int64_t *most);

torre_status torre_snapshots_open(torre_snapshots *snapshots);

/* Wait until all that has been given to the thread is written. */
torre_status torre_snapshots_settle(torre_snapshots *snapshots);

/*
 * Write all of them at the present step, pictures perhaps while the run goes on: a failure
 * is then told by a later call. zero: the field is zero everywhere, of which there is no
 * file of its own, but a frame in those of all steps, so that frame i is that of step i N.
 */
torre_status torre_snapshots_write(torre_snapshots *snapshots, torre_wave_run *run, bool zero);

/* Whether snapshot i is a file of many frames, which has a sink. */
bool torre_snapshots_are_frames(const torre_snapshots *snapshots, int i);

/* Complete the files of all steps, and draw the pictures of one scale. */
torre_status torre_snapshots_finish(torre_snapshots *snapshots);

void torre_snapshots_close(torre_snapshots *snapshots);

#ifdef __cplusplus
}
#endif

#endif
