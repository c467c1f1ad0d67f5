/*
 * A format of files, from inside: what a file in io/sinks defines, under the name of its line in
 * sink_list.h. For a format "vtk" that takes fields, the whole of sinks/vtk.c would be
 *
 *     static torre_status frame(torre_sink *sink, const torre_frame *f)
 *     {
 *         const torre_field_layout *layout = &sink->data.field;
 *         ... torre_output_write(sink->file, f->values, bytes) ...
 *         return TORRE_OK;
 *     }
 *
 *     const torre_sink_format torre_sink_vtk = {
 *         .name = "vtk", .ending = {".vtk"}, .kinds = TORRE_SINK_FIELD, .frame = frame};
 *
 * and that of sink_list.h SINK(vtk). Opening, renaming and removing files is sink.c's.
 */
#ifndef TORRE_SINK_FORMAT_H
#define TORRE_SINK_FORMAT_H

#include "io/output_file.h"
#include "io/sink.h"
#include "io/text_output.h"

enum { TORRE_SINK_ENDINGS = 4 };

struct torre_sink_format {
    const char *name;                       /* as in sink_list.h */
    const char *ending[TORRE_SINK_ENDINGS]; /* of files, ".npy"; the first is the usual one */
    unsigned kinds;                         /* of data that it takes: sum of torre_sink_kind */
    bool series;                            /* a file may hold many frames */
    bool grows; /* at its end alone, what stands before the frames keeping its size */
    bool text;  /* files are text, which a further ending .gz compresses: sink->text, not ->file */
    bool compresses; /* fields and planes, with a loss */
    bool picture;    /* shows the data to people: scale, velocity, size, speed and title count */
    bool whole_microseconds; /* its files hold time steps as whole microseconds only */

    /* Each but frame may be NULL. */

    /* Refuse, before the run, what the format cannot hold (TORRE_ERR_USAGE: what, why, what to do).
     * The kind has been checked. */
    torre_status (*check)(const torre_sink_data *data);

    /* Host memory that writing a frame takes beside the frame, bytes. */
    int64_t (*bytes)(const torre_sink_data *data);

    /* The file has been opened: write what stands before the frames. */
    torre_status (*open)(torre_sink *sink);

    /* Write a frame; sink->frames were written before. */
    torre_status (*frame)(torre_sink *sink, const torre_frame *frame);

    /* There are no more frames, perhaps fewer than announced: write what depends on that. */
    torre_status (*commit)(torre_sink *sink);

    /* The sink ends, committed or not: free sink->own. */
    void (*discard)(torre_sink *sink);
};

struct torre_sink {
    const torre_sink_format *format;
    torre_sink_data data;
    torre_output *file;      /* NULL with text */
    torre_text_output *text; /* NULL without */
    int64_t frames;          /* written */
    int64_t head;            /* bytes before the frames; -1: no regular file */
    int64_t marked;          /* bytes before the last mark (sink_mark.h), */
    uint32_t checksum;       /* and of those behind the head */
    void *own;               /* the format's */
};

#endif
