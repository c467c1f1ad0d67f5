/*
 * A run of waves from its specification to its files:
 *
 *     torre_wave_job job = {.spec = &spec, .saving = &saving};
 *     status = torre_wave_job_read(&job, false);              all files of the input
 *     if (!status) status = torre_wave_job_plan(&job);        who will compute, and how
 *     if (!status) status = torre_wave_job_prepare(&job);     what it goes on from, its memory
 *     if (!status) status = torre_wave_job_open(&job);        all files of the output
 *     if (!status) status = torre_wave_job_start(&job);
 *     if (!status) status = torre_wave_job_advance(&job, &watch);
 *     if (!status) status = torre_wave_job_finish(&job);      complete the files
 *     torre_wave_job_close(&job);                             in any case
 */
#ifndef TORRE_WAVE_JOB_H
#define TORRE_WAVE_JOB_H

#include "core/ranks.h"
#include "io/movie.h"
#include "report/page.h"
#include "run/saving.h"
#include "run/wave_checkpoint.h"
#include "run/wave_output.h"

typedef struct torre_wave_job {
    torre_wave_spec *spec;
    torre_saving *saving;
    const char *report;       /* a file that the caller writes, or NULL */
    torre_page *page;         /* where the caller shows the run, or NULL */
    bool one_scale;           /* pictures have one, which suits all of them (automatic scale) */
    torre_movie *movie;       /* the caller's, of the pictures, or NULL */
    const torre_ranks *ranks; /* that compute together, or NULL */
    torre_wave_input input;
    torre_wave_output output;
    torre_wave_run *run;
    torre_checkpoint *resume; /* to go on from, or NULL */
    torre_wave_memory memory;
} torre_wave_job;

/* What the caller wants to know on the way; each may be NULL. */
typedef struct torre_wave_job_watch {
    void (*progress)(void *context, const torre_wave_progress *now);
    bool (*stop)(void *context);
    void *context;
} torre_wave_job_watch;

/* Read the input (view: as torre_wave_input_read), and see which files are wanted. */
torre_status torre_wave_job_read(torre_wave_job *job, bool view);

/* Let a backend plan. */
torre_status torre_wave_job_plan(torre_wave_job *job);

/* Open the checkpoint to go on from, count the memory, and add what is to be told (cautions). */
torre_status torre_wave_job_prepare(torre_wave_job *job);

/* Open all files that are written. */
torre_status torre_wave_job_open(torre_wave_job *job);

/* From the start, or a checkpoint; allocates the fields. */
torre_status torre_wave_job_start(torre_wave_job *job);

/* To the last step, or until watch stops it, with a checkpoint then. */
torre_status torre_wave_job_advance(torre_wave_job *job, const torre_wave_job_watch *watch);

/* Complete the files. */
torre_status torre_wave_job_finish(torre_wave_job *job);

/* Close what is open, leaving nothing incomplete behind, and free. */
void torre_wave_job_close(torre_wave_job *job);

#endif
