/*
 * What the subcommands of `locality` share: each is a study (locality/study.h), told by a table of
 * options that it gives to locality_run.
 */
#ifndef TORRE_LOCALITY_CLI_H
#define TORRE_LOCALITY_CLI_H

#include "cli/option_rows.h"
#include "locality/studies.h"

typedef struct locality_job {
    const char *usage; /* what --help begins with */
    torre_study study;
    bool quiet, help;
} locality_job;

/* Parts of an option table. */
#define LOCALITY_BOX_OPTIONS(job)                                                                  \
    OPTION_GROUP("Ordering and box"),                                                              \
        OPTION_TEXT("ordering", &(job).study.ordering, "NAME", NULL, TORRE_ORDERING_HELP("")),     \
        OPTION_SIZE("size", (job).study.size, 1048576,                                             \
                    TORRE_COUNT_1 | TORRE_COUNT_2 | TORRE_COUNT_3, "M|MxN|MxNxP", NULL,            \
                    "bins along each axis; M is a cube, MxN a plane"),                             \
        OPTION_FLAG("exact", &(job).study.exact,                                                   \
                    "refuse sizes at which the curve is cut out of a larger one")

#define LOCALITY_STENCIL_OPTIONS(job)                                                              \
    OPTION_GROUP("Stencil"),                                                                       \
        OPTION_CHOICE("stencil", &(job).study.shape, torre_study_shapes,                           \
                      "which bins around a bin are read"),                                         \
        OPTION_NUMBER("reach", &(job).study.reach, 1, TORRE_STENCIL_MAX_REACH, "G",                \
                      "how many bins far"),                                                        \
        OPTION_FLAG("half", &(job).study.half,                                                     \
                    "only one of every two opposite bins (Newton's third law), and the own one")

#define LOCALITY_OUTPUT_OPTIONS(job)                                                               \
    OPTION_GROUP("Output"),                                                                        \
        OPTION_TEXT("csv", &(job).study.csv_file, "FILE", NULL,                                    \
                    "write the numbers as CSV (- for standard output), and beside a file the "     \
                    "gnuplot script that draws it"),                                               \
        OPTION_TEXT("json", &(job).study.json_file, "FILE", NULL,                                  \
                    "write the report as JSON (- for standard output); results of orderings are "  \
                    "a list, and those of the first stand beside it, too"),                        \
        OPTION_TEXT("plot", &(job).study.plot, "FILE.png", NULL, "draw a picture"), CONFIG_ROWS,   \
        OPTION_FLAG("quiet", &(job).quiet, "no table on standard output, no messages"),            \
        OPTION_HELP(&(job).help)

/* The whole subcommand: parse argv (argv[0] is its name), run, and complete the outputs or, after a
 * failure, remove them. */
torre_status locality_run(locality_job *job, torre_option *table, int argc, char **argv);

/* The subcommands; argv[0] is the name. */
torre_status locality_curve(int argc, char **argv);
torre_status locality_stencil(int argc, char **argv);
torre_status locality_offsets(int argc, char **argv);
torre_status locality_cache(int argc, char **argv);
torre_status locality_hits(int argc, char **argv);
torre_status locality_recommend(int argc, char **argv);
torre_status locality_tower(int argc, char **argv);

#endif
