/*
 * Studies of what orderings do to memory: each compares orderings of a box of bins, or shows one,
 * and gives a table for people, CSV, a report and a picture.
 *
 *     torre_study study = {.kind = &torre_study_offsets, .options = &offsets, .ordering = ...};
 *     torre_status status = torre_study_run(&study);
 *     status = torre_study_finish(&study, status);           study.report, and all files
 *     if (!status) status = torre_study_draw(&study, &drawn);
 *
 * The kinds are in studies.h, a file study_NAME.c each.
 */
#ifndef TORRE_STUDY_H
#define TORRE_STUDY_H

#include "core/orderings.h"
#include "core/report.h"
#include "io/output_file.h"
#include "io/sink.h"
#include "locality/series_plot.h"
#include "tiling/bins.h"

enum { TORRE_STUDY_ORDERINGS = 16, TORRE_STUDY_NUMBERS = 64, TORRE_STUDY_COLUMNS = 8 };

typedef struct torre_study_ordering {
    char name[64]; /* as given */
    bool none;     /* "none": no order at all; ordering is row-major then */
    torre_ordering_spec spec;
    torre_ordering ordering; /* of the box; unused where it is of towers */
} torre_study_ordering;

typedef struct torre_study torre_study;

typedef struct torre_study_kind {
    const char *name;
    bool stencil;       /* it has one */
    int ordering_limit; /* how many orderings it can compare; 0: it needs none */
    bool allow_none;
    bool of_towers; /* it orders towers, not bins */
    /* columns of the CSV; that of the orderings comes first where several are compared */
    const char *column[TORRE_STUDY_COLUMNS];
    int text; /* 1 + the column of words; 0: none but that of the orderings */
    /* Check what was asked for and complete the study, before a file is opened; NULL: nothing. */
    torre_status (*check)(torre_study *study);
    /* Compute and write. */
    torre_status (*run)(torre_study *study);
    torre_series_style drawn; /* of the CSV; settings NULL: nothing */
} torre_study_kind;

struct torre_study {
    const torre_study_kind *kind;
    void *options; /* of the kind alone: studies.h */
    /* what is asked for */
    const char *ordering; /* a list separated by commas */
    int64_t size[3];      /* bins; {n, 0, 0} a cube, {n, m, 0} a plane */
    bool exact;           /* refuse sizes at which the curve is cut out of a larger one */
    int shape;            /* torre_bin_shape */
    int64_t reach;
    bool half;
    const char *csv_file, *json_file, *plot; /* "-": standard output; plot: .png */
    FILE *people; /* where the table goes unless a file takes standard output; NULL: nowhere */

    /* filled in */
    int dims;
    torre_study_ordering list[TORRE_STUDY_ORDERINGS];
    int count;
    torre_stencil_bins stencil;
    const char *column[TORRE_STUDY_COLUMNS]; /* those of the kind, and more */
    int text;
    torre_sink *csv;    /* NULL where not asked for */
    torre_output *json; /* to write the report to, or NULL */
    torre_report *report;
    torre_report *report_list;  /* "orderings" */
    torre_report *report_first; /* its first entry */
    FILE *table;                /* NULL: none */
    char csv_path[1024], script_path[1024];
    const char *csv_column[TORRE_STUDY_COLUMNS + 1];
};

/* Legal names of a stencil, in the order of torre_bin_shape. */
extern const char *const torre_study_shapes[];

/* Check, open the files, compute. The files are not complete before torre_study_finish, which
 * takes the status of the run, whatever it is. */
torre_status torre_study_run(torre_study *study);

/* Complete the CSV, and leave report and json to the caller; after a failure leave nothing. */
torre_status torre_study_finish(torre_study *study, torre_status status);

/* Write the gnuplot script beside the CSV, and run it where a picture is asked for. *drawn: false
 * where that is left to do, for want of gnuplot. */
torre_status torre_study_draw(const torre_study *study, bool *drawn);

/* For the kinds. */

/* "8x8x4", "8x8" */
void torre_study_size_text(const torre_study *study, char *buffer, size_t size);

/* Refuse a box without interior bins, or stencils of no use. TORRE_ERR_USAGE by parameter. */
torre_status torre_study_check_reach(const torre_study *study);

/* Refuse boxes whose tables do not fit the memory. TORRE_ERR_RESOURCE. */
torre_status torre_study_check_memory(const torre_study *study, int64_t bytes_per_bin);

/* Refuse a parameter "1,,2" and the like: whole numbers low .. high separated by commas. */
torre_status torre_study_read_list(const char *parameter, const char *text, int64_t low,
                                   int64_t high, int64_t values[TORRE_STUDY_NUMBERS], int *count);

/*
 * Where the results of one ordering go in the report: a new entry of "orderings", be there one or
 * many. Adds the name and whether it is exact. Call it with index 0, 1, ... What the first one
 * holds is repeated beside the list, for readers that ask about one ordering.
 */
torre_report *torre_study_report_of(torre_study *study, int index);

/* A row of the CSV, if there is one: the ordering or what else its column of words holds (idle
 * where there is no such column), and the numbers. */
torre_status torre_study_row(const torre_study *study, const char *word, const double *numbers);

#endif
