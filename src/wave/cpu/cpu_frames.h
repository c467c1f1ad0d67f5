/*
 * Planes of frames (wave/setup.h), copied out of rows that towers have just made: a pass goes on
 * through the steps of frames and does not end at each of them.
 */
#ifndef TORRE_CPU_FRAMES_H
#define TORRE_CPU_FRAMES_H

#include "wave/program.h"

typedef struct torre_cpu_solver torre_cpu_solver;
typedef struct torre_run torre_run;

typedef struct torre_cpu_frames {
    torre_frame_planes planes; /* along the axes of the caller */
    int axis[3];               /* axis a of the solver is the caller's axis[a] */
    int64_t cells;             /* of a frame */
    char *values;              /* of the current advance; NULL: no frames are wanted */
    int64_t first;             /* step of the first of them */
} torre_cpu_frames;

/* Cells of the planes of the program's setup, if its towers record them; or 0. */
int64_t torre_cpu_frames_cells(const torre_wave_program *program);

torre_cpu_frames torre_cpu_frames_of(const torre_wave_program *program);

/* From step n on frames go to `values`, one after the other. NULL: they do no more. */
void torre_cpu_frames_begin(torre_cpu_frames *frames, int64_t n, char *values);

static inline bool torre_cpu_frames_want(const torre_cpu_frames *frames, int64_t step)
{
    return frames->values && step % frames->planes.every == 0;
}

/* What is in the planes of the rows of a run in plane x, which have reached that step. */
void torre_cpu_frames_record(const torre_cpu_solver *solver, int64_t step, const torre_run *run,
                             int64_t x);

#endif
