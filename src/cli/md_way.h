/*
 * The program `md` is one run loop (md.c) with two ways to fill it: pair models (md_pairs.c) and
 * the fluid of --model mps (md_fluid.c), each with options, files and tables of its own.
 */
#ifndef TORRE_MD_WAY_H
#define TORRE_MD_WAY_H

#include "cli/md_settings.h"
#include "cli/mps_settings.h"
#include "io/output_file.h"
#include "run/fluid_files.h"
#include "run/pair_files.h"
#include "run/particle_checkpoint.h"

typedef struct md_way md_way;

/* A run of the program. */
typedef struct md_job {
    const md_way *way;
    torre_option table[MD_OPTIONS];
    const particle_options *common; /* of the settings below */
    struct {
        md_settings settings;
        torre_pair_input input;
        torre_pair_files files;
    } pairs;
    struct {
        mps_settings settings;
        torre_mps_dam dam;
        torre_fluid_gauges gauges;
        torre_md_particles particles;
        torre_md_problem problem;
        torre_md_plan plan;
        torre_fluid_files files;
    } fluid;
    /* of the input: */
    const torre_md_problem *problem;
    const torre_md_plan *plan;
    int64_t steps, row_every;             /* to take; between rows, 0: first and last only */
    torre_checkpoint_options *checkpoint; /* of the settings, too */
    torre_particle_extras extras;
    torre_output *json; /* the report, NULL when it is not open */
    torre_md_run *run;
} md_job;

struct md_way {
    const char *unit; /* of rates: "M atom-steps/s" */
    const torre_program *program;
    /* Defaults, and the table of options that writes into the settings. */
    void (*init)(md_job *job);
    /* Problem and plan, but for the particles; the particles. */
    torre_status (*read)(md_job *job);
    torre_status (*particles)(md_job *job);
    /* Open the files; what they want beside rows goes into *watch, whose context is the job. */
    torre_status (*open)(md_job *job, torre_md_watch *watch);
    /* What of the files a checkpoint needs. */
    void (*extras)(md_job *job, torre_particle_extras *extras);
    /* The last row, to files; all that is left to write at the end (failed: of a run that became
     * unstable); close what is still open, without leaving anything incomplete, and free. */
    torre_status (*row)(md_job *job);
    torre_status (*results)(md_job *job, bool failed);
    void (*close)(md_job *job);
    /* For people: set-up, what a dry run finds, head of the table, the last row, the end. */
    void (*tell_setup)(FILE *out, const md_job *job);
    void (*tell_cost)(FILE *out, const md_job *job);
    void (*tell_head)(FILE *out, const md_job *job);
    void (*tell_row)(FILE *out, const md_job *job);
    void (*tell_end)(FILE *out, const md_job *job);
    /* Make the report for job->json, and keep both (torre_program_keep_report). */
    void (*report)(md_job *job);
};

extern const md_way md_pairs, md_fluid;

#endif
