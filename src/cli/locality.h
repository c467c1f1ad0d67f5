/*
 * What the subcommands of `locality` share: their common options, the orderings that these name,
 * and where the results go (table on standard output, CSV, JSON, plot).
 *
 * Life of a subcommand: fill a job with defaults, locality_job_start (parse, check, open outputs),
 * compute and write, locality_job_end (complete or remove the outputs, plot).
 */
#ifndef TORRE_LOCALITY_CLI_H
#define TORRE_LOCALITY_CLI_H

#include <stdio.h>

#include "core/options.h"
#include "core/orderings.h"
#include "core/report.h"
#include "core/status.h"
#include "io/output_file.h"
#include "tiling/bin_stencil.h"
#include "tiling/ordering.h"

#define LOCALITY_MAX_ORDERINGS 16

typedef struct locality_ordering {
    char name[64]; /* as given */
    bool none;     /* "none": no order at all (hits only); ordering is row-major then */
    torre_ordering_spec spec;
    torre_ordering ordering; /* of the box; unused where it is of towers */
} locality_ordering;

typedef struct locality_job {
    const char *subcommand, *about; /* about: first paragraphs of its --help */
    int ordering_limit;             /* how many orderings it can compare; 0: it needs none */
    bool allow_none;
    bool of_towers; /* it orders towers, not bins */

    /* options */
    const char *ordering;
    int64_t size[3];
    bool exact;
    int shape; /* torre_bin_shape */
    int64_t reach;
    bool half;
    const char *csv_option, *json_option, *plot;
    bool quiet, help;

    /* after locality_job_start */
    int dims;
    locality_ordering list[LOCALITY_MAX_ORDERINGS];
    int count;
    torre_stencil_bins stencil;
    torre_output *csv, *json;   /* NULL where not asked for */
    torre_report *report;       /* with size and stencil filled in */
    torre_report *report_list;  /* "orderings" */
    torre_report *report_first; /* its first entry */
    bool table;                 /* whether a table goes to standard output */
    char csv_path[1024], script_path[1024];

    /* writes the gnuplot commands after the usual settings; NULL: nothing to plot */
    void (*plot_commands)(const struct locality_job *job, FILE *script);
} locality_job;

/* Legal --stencil names, in the order of torre_bin_shape. */
extern const char *const locality_shapes[];

#define LOCALITY_MAX_NUMBERS 64 /* in a list of numbers */

/* Parts of an option table. */
#define LOCALITY_BOX_OPTIONS(job)                                                                  \
    {.name = "Ordering and box", .kind = TORRE_OPTION_GROUP},                                      \
        {.name = "ordering",                                                                       \
         .kind = TORRE_OPTION_TEXT,                                                                \
         .value = &(job).ordering,                                                                 \
         .metavar = "NAME",                                                                        \
         .help = TORRE_ORDERING_HELP("")},                                                         \
        {.name = "size",                                                                           \
         .kind = TORRE_OPTION_SIZE,                                                                \
         .value = (job).size,                                                                      \
         .low = 1,                                                                                 \
         .high = 1048576,                                                                          \
         .counts = TORRE_COUNT_1 | TORRE_COUNT_2 | TORRE_COUNT_3,                                  \
         .metavar = "M|MxN|MxNxP",                                                                 \
         .help = "bins along each axis; M is a cube, MxN a plane"},                                \
    {                                                                                              \
        .name = "exact", .kind = TORRE_OPTION_FLAG, .value = &(job).exact,                         \
        .help = "refuse sizes at which the curve is cut out of a larger one"                       \
    }

#define LOCALITY_STENCIL_OPTIONS(job)                                                              \
    {.name = "Stencil", .kind = TORRE_OPTION_GROUP},                                               \
        {.name = "stencil",                                                                        \
         .kind = TORRE_OPTION_CHOICE,                                                              \
         .value = &(job).shape,                                                                    \
         .choices = locality_shapes,                                                               \
         .help = "which bins around a bin are read"},                                              \
        {.name = "reach",                                                                          \
         .kind = TORRE_OPTION_INTEGER,                                                             \
         .value = &(job).reach,                                                                    \
         .low = 1,                                                                                 \
         .high = TORRE_STENCIL_MAX_REACH,                                                          \
         .metavar = "G",                                                                           \
         .help = "how many bins far"},                                                             \
    {                                                                                              \
        .name = "half", .kind = TORRE_OPTION_FLAG, .value = &(job).half,                           \
        .help = "only one of every two opposite bins (Newton's third law), and the own one"        \
    }

#define LOCALITY_OUTPUT_OPTIONS(job)                                                               \
    {.name = "Output", .kind = TORRE_OPTION_GROUP},                                                \
        {.name = "csv",                                                                            \
         .kind = TORRE_OPTION_TEXT,                                                                \
         .value = &(job).csv_option,                                                               \
         .metavar = "FILE",                                                                        \
         .help = "write the numbers as CSV (- for standard output), and beside a file the "        \
                 "gnuplot script that draws it"},                                                  \
        {.name = "json",                                                                           \
         .kind = TORRE_OPTION_TEXT,                                                                \
         .value = &(job).json_option,                                                              \
         .metavar = "FILE",                                                                        \
         .help = "write the report as JSON (- for standard output); results of orderings are "     \
                 "a list, and those of the first stand beside it, too"},                           \
        {.name = "plot",                                                                           \
         .kind = TORRE_OPTION_TEXT,                                                                \
         .value = &(job).plot,                                                                     \
         .metavar = "FILE.png",                                                                    \
         .help = "draw a picture"},                                                                \
        {.name = "quiet",                                                                          \
         .kind = TORRE_OPTION_FLAG,                                                                \
         .value = &(job).quiet,                                                                    \
         .help = "no table on standard output, no messages"},                                      \
    {                                                                                              \
        .name = "help", .kind = TORRE_OPTION_FLAG, .value = &(job).help, .stops = true,            \
        .help = "show this help"                                                                   \
    }

/*
 * Parse argv (argv[0] is the subcommand) and get everything ready. *stop is set when --help was
 * asked for and printed. After TORRE_OK without *stop, locality_job_end must be called.
 */
torre_status locality_job_start(locality_job *job, torre_option *table, int argc, char **argv,
                                bool *stop);

/*
 * Complete the outputs when status is TORRE_OK, remove them otherwise; returns status, or what went
 * wrong here.
 */
torre_status locality_job_end(locality_job *job, torre_status status);

/* "8x8x4", "8x8" */
void locality_size_text(const locality_job *job, char *buffer, size_t size);

/* Refuse a box without interior bins, or stencils of no use. TORRE_ERR_USAGE by option name. */
torre_status locality_check_reach(const locality_job *job);

/* Refuse boxes whose tables do not fit the memory. TORRE_ERR_RESOURCE. */
torre_status locality_check_memory(const locality_job *job, int64_t bytes_per_bin);

/* Refuse --capacity 1,,2 and the like: whole numbers low .. high separated by commas. */
torre_status locality_read_list(const char *option, const char *text, int64_t low, int64_t high,
                                int64_t values[LOCALITY_MAX_NUMBERS], int *count);

/*
 * Where the results of one ordering go in the report: a new entry of "orderings", be there one or
 * many. Adds the name and whether it is exact. Call it with index 0, 1, ... What the first one
 * holds is repeated beside the list, for readers that ask about one ordering.
 */
torre_report *locality_report_of(locality_job *job, int index);

/* Start a CSV line: "name," when several orderings are compared, else nothing; -1: the header. */
void locality_csv_begin(const locality_job *job, int index);

/*
 * Write "plot" and one curve for each ordering: CSV column y over column x (numbered without the
 * column of orderings), in a gnuplot style such as "lines".
 */
void locality_plot_series(const locality_job *job, FILE *script, int x, int y, const char *style);

/* The subcommands; argv[0] is the name. */
torre_status locality_curve(int argc, char **argv);
torre_status locality_stencil(int argc, char **argv);
torre_status locality_offsets(int argc, char **argv);
torre_status locality_cache(int argc, char **argv);
torre_status locality_hits(int argc, char **argv);
torre_status locality_recommend(int argc, char **argv);
torre_status locality_tower(int argc, char **argv);

#endif
