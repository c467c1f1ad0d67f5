/*
 * Sinks: where results go. A run hands its results to sinks frame by frame and knows no format; a
 * format knows files and no run. What holds for all of them: a file is complete or not there.
 *
 *     const torre_sink_format *format;
 *     torre_sink *sink;
 *     TORRE_TRY(torre_sink_choose("dump", path, TORRE_SINK_PARTICLES, true, &format));
 *     torre_sink_data data = {.kind = TORRE_SINK_PARTICLES, .series = true, .particles = layout};
 *     TORRE_TRY(torre_sink_check(format, &data));             before the run: nothing is written
 *     TORRE_TRY(torre_sink_open(format, &data, path, &sink)); before the run: a temporary file
 *     ... status = torre_sink_frame(sink, &frame) ...         during the run
 *     status = torre_sink_finish(&sink, status);              the file, or nothing
 *
 * A new format is one file in io/sinks and one line in io/sink_list.h; sink_format.h says what is
 * to be written there.
 */
#ifndef TORRE_SINK_H
#define TORRE_SINK_H

#include "io/figure_about.h"
#include "io/gather.h"
#include "io/particle_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of data. */
typedef enum torre_sink_kind {
    TORRE_SINK_FIELD = 1,     /* a wave in all its cells */
    TORRE_SINK_PLANE = 2,     /* a plane of cells of a wave */
    TORRE_SINK_TRACES = 4,    /* samples over time at the receivers */
    TORRE_SINK_PARTICLES = 8, /* positions, velocities and further columns of all particles */
    TORRE_SINK_ROWS = 16      /* rows of a table of numbers */
} torre_sink_kind;

/* What compression may lose of values, and has lost, in their unit. */
typedef struct torre_sink_loss {
    double tolerance; /* wanted: no value is further off; > 0 */
    double error;     /* largest so far, of all that was written and read back */
    double largest;   /* absolute value among them */
} torre_sink_loss;

/* A field or plane. What only pictures need may be zero where there is none. */
typedef struct torre_field_layout {
    torre_precision precision;
    int dims;                 /* axes: 2 or 3 */
    int64_t shape[3];         /* cells; C order. Pictures: axis 0 to the right, 1 downwards */
    double spacing[3];        /* metres between cells */
    int axis[3];              /* which of x, y, z each axis is: 0, 1 or 2, ascending */
    double origin[3];         /* x, y, z of the first cell, metres */
    const double *velocity;   /* pictures: m/s, same shape; NULL: plain background */
    double velocity_range[2]; /* pictures: of the whole model, so that all have the same greys */
    double scale;             /* pictures: value in full colour; 0: suits each by itself */
    torre_sink_loss *loss;    /* compress, and add to it; NULL: write values as they are */
} torre_field_layout;

enum { TORRE_SINK_PARTICLE_KINDS = 4, TORRE_SINK_PARTICLE_COLUMNS = 4 };

/* Particles; their number may not change from frame to frame. */
typedef struct torre_particle_layout {
    torre_particle_about about;
    int kinds; /* kind k has the ids below kind_end[k]; 0 or 1: all are alike */
    int64_t kind_end[TORRE_SINK_PARTICLE_KINDS];
    int columns; /* further ones */
    const char *column[TORRE_SINK_PARTICLE_COLUMNS];
    double size; /* pictures: diameter of a sphere, unit of length of the positions */
} torre_particle_layout;

/* Rows of numbers. */
typedef struct torre_table_layout {
    int columns; /* >= 1 */
    const char *const *name;
    int text;   /* 1 + the column of words, which are the titles of the frames; 0: there is none */
    int digits; /* of a number: 17 reads back as the same f64, 9 as the same f32 */
    bool log;   /* rows are there as soon as they are written, also when the program is killed */
} torre_table_layout;

/* What a sink will be fed with. Memory that it points to is the caller's, until the sink ends. */
typedef struct torre_sink_data {
    torre_sink_kind kind;
    bool series;    /* a file of many frames; tables, whose frames are rows, need not say so */
    int64_t frames; /* of a series: as many as will come unless the run is stopped */
    bool ragged;    /* of a series: gathers of different numbers of traces */
    bool durable;   /* commit returns once the file is on the disk; not of text */
    const torre_figure_about *figure; /* pictures: what is drawn around the data; NULL, and scale 0:
                                         nothing, a bare raster */
    union {                           /* that of the kind */
        torre_field_layout field;     /* of fields and planes */
        torre_gather traces;          /* values NULL; samples: as many as there may be */
        torre_particle_layout particles;
        torre_table_layout table;
    };
} torre_sink_data;

/* One frame: what its kind needs, the rest zero. Memory is the caller's, and may change after the
 * call. */
typedef struct torre_frame {
    int64_t step;
    double time;        /* seconds, or the unit of time of the particles */
    const char *title;  /* pictures, and tables with a column of words */
    const void *values; /* field, plane: all cells; traces: (traces, samples) */
    int64_t samples;    /* traces: in each, at most as announced, since a run may be stopped */
    const torre_gather *gather; /* traces of a series: the shot, without values; else NULL */
    const torre_md_particles *particles;
    const double *const *column; /* particles: column[k][id]; NULL where there are none */
    double speed;                /* pictures of particles: in the colour of the fastest */
    const double *row;           /* table: its numbers, from left to right */
} torre_frame;

typedef struct torre_sink_format torre_sink_format; /* sink_format.h */
typedef struct torre_sink torre_sink;

/* The format of that name ("npy"); NULL: there is none. */
const torre_sink_format *torre_sink_by_name(const char *name);

/*
 * The format of a file by its ending, among those that take the kind and, with series, many frames
 * in a file; NULL: none.
 */
const torre_sink_format *torre_sink_by_ending(const char *path, torre_sink_kind kind, bool series);

/*
 * The same for an option: TORRE_ERR_USAGE with the endings that would do. What exists and is no
 * regular file (a pipe) may have any name, and gets the first such format of the list.
 */
torre_status torre_sink_choose(const char *option, const char *path, torre_sink_kind kind,
                               bool series, const torre_sink_format **format);

/* Names of the formats that take the kind, NULL after the last; room for all of them and it. */
enum { TORRE_SINK_NAMES = 32 };
void torre_sink_names(torre_sink_kind kind, const char *names[TORRE_SINK_NAMES]);

/* Their endings as a text: ".npy, .sgy or .png". */
void torre_sink_endings(torre_sink_kind kind, bool series, char *text, size_t size);

/* What torre_sink_by_name calls it, and its first ending (".npy"). */
const char *torre_sink_name(const torre_sink_format *format);
const char *torre_sink_ending(const torre_sink_format *format);

/* Whether it draws the data; what data and frames hold for pictures is idle otherwise. */
bool torre_sink_is_picture(const torre_sink_format *format);

/* Whether its files hold time steps as whole microseconds only. */
bool torre_sink_whole_microseconds(const torre_sink_format *format);

/*
 * Before the run: refuse data of another kind, or a series, that the format does not take
 * (TORRE_ERR_USAGE, with the formats that would do), and what it cannot hold. Nothing is written.
 */
torre_status torre_sink_check(const torre_sink_format *format, const torre_sink_data *data);

/* Host memory that writing a frame takes beside the frame, bytes. */
int64_t torre_sink_bytes(const torre_sink_format *format, const torre_sink_data *data);

/*
 * Check, then open: from now on there is a temporary file beside path, which commit renames. The
 * sink belongs to the caller until torre_sink_finish or _discard; the data is copied, but for what
 * it points to. TORRE_ERR_INPUT, TORRE_ERR_RESOURCE.
 */
torre_status torre_sink_open(const torre_sink_format *format, const torre_sink_data *data,
                             const char *path, torre_sink **sink);

/*
 * Write a frame, those of a series in the order of time. Under the final name there is nothing yet,
 * of a log all rows so far. Errors of writing may be kept for commit, which tells them all.
 */
torre_status torre_sink_frame(torre_sink *sink, const torre_frame *frame);

/* Frames written so far; 0 for NULL. */
int64_t torre_sink_frames(const torre_sink *sink);

/*
 * Commit where status is TORRE_OK: the file is complete with the frames written, also if they are
 * fewer than were announced. Else discard. Returns what it came to; frees, *sink becomes NULL, and
 * may be NULL before: then status is returned.
 */
torre_status torre_sink_finish(torre_sink **sink, torre_status status);

/* Leave nothing, of a log the rows so far, and free. NULL is fine. */
void torre_sink_discard(torre_sink *sink);

/* All at once, for one frame: check, open, write, commit. */
torre_status torre_sink_write(const torre_sink_format *format, const torre_sink_data *data,
                              const char *path, const torre_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
