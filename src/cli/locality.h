/*
 * What the subcommands of `locality` share: their common options, the orderings that these name,
 * and where the results go (table on standard output, CSV, JSON, plot).
 *
 * A subcommand fills a job and a table of options, and gives both to locality_job_run.
 */
#ifndef TORRE_LOCALITY_CLI_H
#define TORRE_LOCALITY_CLI_H

#include "cli/option_rows.h"
#include "core/orderings.h"
#include "core/report.h"
#include "io/output_file.h"
#include "io/sink.h"
#include "locality/series_plot.h"
#include "tiling/bins.h"

enum { LOCALITY_ORDERINGS = 16, LOCALITY_NUMBERS = 64, LOCALITY_COLUMNS = 8 };

typedef struct locality_ordering {
    char name[64]; /* as given */
    bool none;     /* "none": no order at all (hits only); ordering is row-major then */
    torre_ordering_spec spec;
    torre_ordering ordering; /* of the box; unused where it is of towers */
} locality_ordering;

typedef struct locality_job locality_job;
struct locality_job {
    const char *subcommand, *usage; /* usage: what --help begins with */
    int ordering_limit;             /* how many orderings it can compare; 0: it needs none */
    bool allow_none;
    bool of_towers; /* it orders towers, not bins */
    /* columns of the CSV; that of the orderings comes first where several are compared */
    const char *column[LOCALITY_COLUMNS];
    int text;      /* 1 + the column of words; 0: none but that of the orderings */
    void *options; /* of the subcommand alone */
    /* Check what the options say and complete the job, before a file is opened; NULL: nothing. */
    torre_status (*check)(locality_job *job);
    /* Compute and write. */
    torre_status (*run)(locality_job *job);
    torre_series_style drawn; /* of the CSV; settings NULL: nothing */

    /* options */
    const char *ordering;
    int64_t size[3];
    bool exact;
    int shape; /* torre_bin_shape */
    int64_t reach;
    bool half;
    const char *csv_option, *json_option, *plot;
    bool quiet, help;

    /* filled in by locality_job_run */
    int dims;
    locality_ordering list[LOCALITY_ORDERINGS];
    int count;
    torre_stencil_bins stencil;
    torre_sink *csv; /* NULL where not asked for */
    torre_output *json;
    torre_report *report;       /* with size and stencil filled in */
    torre_report *report_list;  /* "orderings" */
    torre_report *report_first; /* its first entry */
    bool table;                 /* whether a table goes to standard output */
    char csv_path[1024], script_path[1024];
    const char *csv_column[LOCALITY_COLUMNS + 1];
};

/* Legal --stencil names, in the order of torre_bin_shape. */
extern const char *const locality_shapes[];

/* Parts of an option table. */
#define LOCALITY_BOX_OPTIONS(job)                                                                  \
    OPTION_GROUP("Ordering and box"),                                                              \
        OPTION_TEXT("ordering", &(job).ordering, "NAME", NULL, TORRE_ORDERING_HELP("")),           \
        OPTION_SIZE("size", (job).size, 1048576, TORRE_COUNT_1 | TORRE_COUNT_2 | TORRE_COUNT_3,    \
                    "M|MxN|MxNxP", NULL, "bins along each axis; M is a cube, MxN a plane"),        \
        OPTION_FLAG("exact", &(job).exact,                                                         \
                    "refuse sizes at which the curve is cut out of a larger one")

#define LOCALITY_STENCIL_OPTIONS(job)                                                              \
    OPTION_GROUP("Stencil"),                                                                       \
        OPTION_CHOICE("stencil", &(job).shape, locality_shapes,                                    \
                      "which bins around a bin are read"),                                         \
        OPTION_NUMBER("reach", &(job).reach, 1, TORRE_STENCIL_MAX_REACH, "G",                      \
                      "how many bins far"),                                                        \
        OPTION_FLAG("half", &(job).half,                                                           \
                    "only one of every two opposite bins (Newton's third law), and the own one")

#define LOCALITY_OUTPUT_OPTIONS(job)                                                               \
    OPTION_GROUP("Output"),                                                                        \
        OPTION_TEXT("csv", &(job).csv_option, "FILE", NULL,                                        \
                    "write the numbers as CSV (- for standard output), and beside a file the "     \
                    "gnuplot script that draws it"),                                               \
        OPTION_TEXT("json", &(job).json_option, "FILE", NULL,                                      \
                    "write the report as JSON (- for standard output); results of orderings are "  \
                    "a list, and those of the first stand beside it, too"),                        \
        OPTION_TEXT("plot", &(job).plot, "FILE.png", NULL, "draw a picture"),                      \
        OPTION_FLAG("quiet", &(job).quiet, "no table on standard output, no messages"),            \
        OPTION_HELP(&(job).help)

/*
 * The whole subcommand: parse argv (argv[0] is its name), check, open the outputs, run, and
 * complete the outputs or, after a failure, remove them.
 */
torre_status locality_job_run(locality_job *job, torre_option *table, int argc, char **argv);

/* "8x8x4", "8x8" */
void locality_size_text(const locality_job *job, char *buffer, size_t size);

/* Refuse a box without interior bins, or stencils of no use. TORRE_ERR_USAGE by option name. */
torre_status locality_check_reach(const locality_job *job);

/* Refuse boxes whose tables do not fit the memory. TORRE_ERR_RESOURCE. */
torre_status locality_check_memory(const locality_job *job, int64_t bytes_per_bin);

/* Refuse --capacity 1,,2 and the like: whole numbers low .. high separated by commas. */
torre_status locality_read_list(const char *option, const char *text, int64_t low, int64_t high,
                                int64_t values[LOCALITY_NUMBERS], int *count);

/*
 * Where the results of one ordering go in the report: a new entry of "orderings", be there one or
 * many. Adds the name and whether it is exact. Call it with index 0, 1, ... What the first one
 * holds is repeated beside the list, for readers that ask about one ordering.
 */
torre_report *locality_report_of(locality_job *job, int index);

/* A row of the CSV, if there is one: the ordering or what else its column of words holds (idle
 * where there is no such column), and the numbers. */
torre_status locality_csv_row(const locality_job *job, const char *word, const double *numbers);

/* The subcommands; argv[0] is the name. */
torre_status locality_curve(int argc, char **argv);
torre_status locality_stencil(int argc, char **argv);
torre_status locality_offsets(int argc, char **argv);
torre_status locality_cache(int argc, char **argv);
torre_status locality_hits(int argc, char **argv);
torre_status locality_recommend(int argc, char **argv);
torre_status locality_tower(int argc, char **argv);

#endif
