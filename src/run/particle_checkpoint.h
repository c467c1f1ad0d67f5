/*
 * Checkpoints of a run of particles (io/checkpoint_file.h): the state that its backend shows, and
 * what the files of its results have so far.
 */
#ifndef TORRE_PARTICLE_CHECKPOINT_H
#define TORRE_PARTICLE_CHECKPOINT_H

#include "io/checkpoint_file.h"
#include "io/sink.h"
#include "particles/md_run.h"

enum { TORRE_GROWING = 8, TORRE_BLOCKS = 16 };

/* What goes on beside the run itself; zero is nothing. Names are literals. */
typedef struct torre_particle_extras {
    /* files that grow, and how many; sinks may be NULL */
    struct torre_growing {
        const char *name;
        torre_sink *sink;
    } file[TORRE_GROWING];
    int files;
    /* memory that files are made of in the end */
    struct torre_block {
        const char *name;
        void *data;
        int64_t bytes;
    } block[TORRE_BLOCKS];
    int blocks;
    int64_t row_every, frame_every; /* of the run: what is due when */
    char measured[256];             /* and what is measured how; "": nothing */
} torre_particle_extras;

/* Refuse what no checkpoint can be made of: TORRE_ERR_USAGE. The files have been opened. */
torre_status torre_particle_checkpoint_check(const torre_particle_extras *extras);

torre_status torre_particle_checkpoint_write(const char *path, torre_md_run *run,
                                             const torre_particle_extras *extras);

/*
 * Start a run from a checkpoint, in place of torre_md_run_start, and go on with the files, which
 * have been opened. TORRE_ERR_INPUT where it is damaged, or of another run: says what differs.
 */
torre_status torre_particle_checkpoint_start(const char *path, torre_md_run *run,
                                             const torre_particle_extras *extras);

#endif
