/* Options about runs that are stopped and go on later, as all programs with a time loop have. */
#ifndef TORRE_CHECKPOINT_OPTIONS_H
#define TORRE_CHECKPOINT_OPTIONS_H

#include "core/options.h"
#include "run/saving.h"

typedef struct torre_checkpoint_options {
    const char *every, *max_time; /* as on the command line, or NULL */
    torre_saving saving;
} torre_checkpoint_options;

/* What the variables hold before parsing. */
#define CHECKPOINT_DEFAULT                                                                         \
    {                                                                                              \
        .every = "10min"                                                                           \
    }

/* Rows of a table; o: pointer to torre_checkpoint_options; also: what --resume may change, beside
 * the number of threads. */
#define CHECKPOINT_ROWS(o, also)                                                                   \
    OPTION_TEXT("checkpoint", &(o)->saving.file, "FILE", NULL,                                     \
                "state of the run, from which --resume goes on, written now and then and when a "  \
                "signal or --max-time stops it; the one before is kept as FILE.1"),                \
        OPTION_TEXT("checkpoint-every", &(o)->every, "TIME|N", NULL,                               \
                    "time between checkpoints, such as 30s, 10min or 2h, or steps"),               \
        OPTION_TEXT("resume", &(o)->saving.resume, "FILE", NULL,                                   \
                    "go on from a checkpoint: the same command with it gives the bits of a run "   \
                    "that was never stopped, on any number of threads" also),                      \
        OPTION_TEXT("max-time", &(o)->max_time, "TIME", NULL,                                      \
                    "stop after 30min, 11.5h and the like, as a signal would, with exit code 75")

/* Read what they say, and let the program stop after --max-time, from now on. */
torre_status torre_checkpoint_options_read(torre_checkpoint_options *options,
                                           const torre_option *table);

#endif
