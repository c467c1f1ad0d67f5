/*
 * A run of particles from its specification to its files, whatever the model:
 *
 *     torre_particle_run run = {.spec = {.kind = &torre_pair_runs, .pairs = &spec, ...}};
 *     status = torre_particle_run_plan(&run);                     who will compute, and how
 *     if (!status) status = torre_particle_run_particles(&run);
 *     if (!status) status = torre_particle_run_open(&run);        all files
 *     if (!status) status = torre_particle_run_start(&run, &watch);
 *     if (!status) status = torre_particle_run_advance(&run, &watch);
 *     if (!status) status = torre_particle_run_finish(&run);      complete the files
 *     torre_particle_run_close(&run);                             in any case
 *
 * What differs from model to model is a torre_particle_kind, a table of functions: pair_run.c has
 * that of the pair models, fluid_run.c that of a fluid.
 */
#ifndef TORRE_PARTICLE_RUN_H
#define TORRE_PARTICLE_RUN_H

#include <stdio.h>

#include "core/ranks.h"
#include "core/report.h"
#include "run/fluid_input.h"
#include "run/pair_files.h"
#include "run/pair_input.h"
#include "run/particle_checkpoint.h"
#include "run/saving.h"

typedef struct torre_particle_kind torre_particle_kind;

/* What is asked for; all that is pointed to outlives the run. */
typedef struct torre_particle_spec {
    const torre_particle_kind *kind;
    torre_pair_spec *pairs; /* of that kind, else NULL; what a file says goes into it */
    const torre_fluid_spec *fluid;
    const torre_particle_wishes *files;
    const char *backend; /* as in torre_particle_means */
    int64_t steps;       /* -1: as the time of the fluid says */
    int64_t row_every;   /* steps between rows; 0: first and last only, -1: a hundred rows */
    torre_saving *saving;
    const torre_ranks *ranks; /* that share the run (particles/md_ranks.h), or NULL */
    const char *report; /* another file of the caller's, which no other has the name of, or NULL */
} torre_particle_spec;

typedef struct torre_particle_run {
    torre_particle_spec spec; /* complete after torre_particle_run_plan */
    struct {
        torre_pair_input input;
        torre_pair_files files;
    } pairs;
    struct {
        torre_fluid_input input;
        torre_fluid_files files;
    } fluid;
    const torre_md_problem *problem; /* of the input of its kind */
    const torre_md_plan *plan;
    int64_t frame_every; /* steps between frames that the files want beside rows; 0: none */
    torre_particle_extras extras;
    torre_md_run *md;
} torre_particle_run;

/* What the caller wants to know on the way; each may be NULL. */
typedef struct torre_particle_watch {
    void (*row)(void *context); /* after each new row */
    void (*progress)(void *context, const torre_md_progress *now);
    bool (*stop)(void *context);
    void *context;
} torre_particle_watch;

struct torre_particle_kind {
    const char *unit; /* of rates: "M atom-steps/s" */
    /* Problem and plan, but for the particles, also of what spec leaves open; the particles. */
    torre_status (*read)(torre_particle_run *run);
    torre_status (*particles)(torre_particle_run *run);
    /* Open the files. */
    torre_status (*open)(torre_particle_run *run);
    /* What of the files a checkpoint needs. */
    void (*extras)(torre_particle_run *run, torre_particle_extras *extras);
    /* The last row, and a frame, to files; all that is left to write at the end (failed: of a run
     * that became unstable); close what is still open, leaving nothing incomplete, and free. */
    torre_status (*row)(torre_particle_run *run);
    torre_status (*frame)(torre_particle_run *run);
    torre_status (*results)(torre_particle_run *run, bool failed);
    void (*close)(torre_particle_run *run);
    /* For people: set-up, what it would take, head of the table, the last row, the end. */
    void (*tell_setup)(FILE *out, const torre_particle_run *run);
    void (*tell_cost)(FILE *out, const torre_particle_run *run);
    void (*tell_head)(FILE *out, const torre_particle_run *run);
    void (*tell_row)(FILE *out, const torre_particle_run *run);
    void (*tell_end)(FILE *out, const torre_particle_run *run);
    /* Add what there is to report of this kind. */
    void (*report)(torre_report *report, const torre_particle_run *run);
};

extern const torre_particle_kind torre_pair_runs, torre_fluid_runs;

/* Problem, backend and plan; nothing large is allocated, no file is written. */
torre_status torre_particle_run_plan(torre_particle_run *run);

/* Make the particles, and check everything about them. */
torre_status torre_particle_run_particles(torre_particle_run *run);

/* Open the files, and see that there can be checkpoints. */
torre_status torre_particle_run_open(torre_particle_run *run);

/*
 * Start, or go on from a checkpoint; advance to the last step or until watch stops it, at
 * run->md->step. Of a run that became unstable (TORRE_ERR_UNSTABLE) the files are completed with
 * what was computed before.
 */
torre_status torre_particle_run_start(torre_particle_run *run, const torre_particle_watch *watch);
torre_status torre_particle_run_advance(torre_particle_run *run, const torre_particle_watch *watch);

/* Pictures on the way that have been written. */
int64_t torre_particle_run_frames(const torre_particle_run *run);

/* Complete the files. */
torre_status torre_particle_run_finish(torre_particle_run *run);

/* Close what is open, leaving nothing incomplete behind, and free. */
void torre_particle_run_close(torre_particle_run *run);

/* What is in doubt after a run: one line, "" for nothing. */
void torre_particle_run_doubt(const torre_particle_run *run, char *text, size_t size);

/* A report but for options. gpu_not_used: why the GPU of this machine is not, or NULL. */
torre_report *torre_report_particle_run(const torre_particle_run *run, const char *gpu_not_used);

#endif
