/*
 * NumPy arrays: numpy.load reads them. Fields and planes have the axes of the grid, traces (traces,
 * samples). A series is one array with a leading axis of frames, or of shots.
 */
#include "io/npy.h"

#include <stdio.h>
#include <string.h>

#include "io/sink_format.h"

/*
 * The number of frames is known once the last is written; the header of a series has room for 19
 * digits of it (four axes of such numbers and 61 bytes around them are less than this).
 */
enum { SERIES_HEADER = 192 };

static int shape_of(const torre_sink *sink, int64_t frames, int64_t shape[4])
{
    const torre_field_layout *l = &sink->data.field;
    const torre_gather *g = &sink->data.traces;
    const int lead = sink->data.series ? 1 : 0;
    shape[0] = frames;
    if (sink->data.kind == TORRE_SINK_TRACES) {
        shape[lead] = g->traces;
        shape[lead + 1] = g->samples;
        return lead + 2;
    }
    memcpy(shape + lead, l->shape, (size_t)l->dims * sizeof l->shape[0]);
    return lead + l->dims;
}

static void write_header(torre_sink *sink, int64_t frames)
{
    int64_t shape[4];
    const int dims = shape_of(sink, frames, shape);
    const bool traces = sink->data.kind == TORRE_SINK_TRACES;
    torre_npy_encode_header(sink->file,
                            traces ? sink->data.traces.precision : sink->data.field.precision, dims,
                            shape, sink->data.series ? SERIES_HEADER : 0);
}

/* An array has shots of equal numbers of traces alone. */
static torre_status check_array(const torre_sink_data *data)
{
    if (!data->ragged) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, ".npy holds gathers of equal numbers of traces alone, these "
                                       "differ; write a file for each, or .sgy");
}

static torre_status open_array(torre_sink *sink)
{
    if (sink->data.kind != TORRE_SINK_TRACES || sink->data.series)
        write_header(sink, sink->data.frames);
    return TORRE_OK;
}

static torre_status write_frame(torre_sink *sink, const torre_frame *frame)
{
    const torre_field_layout *l = &sink->data.field;
    const torre_gather *g = &sink->data.traces;
    const bool traces = sink->data.kind == TORRE_SINK_TRACES;
    if (traces && !sink->data.series) {
        const int64_t shape[2] = {g->traces, frame->samples};
        torre_npy_encode(sink->file, g->precision, 2, shape, frame->values);
        return TORRE_OK;
    }
    size_t bytes = (size_t)(traces ? g->precision : l->precision);
    if (traces) bytes *= (size_t)g->traces * (size_t)g->samples;
    for (int a = 0; a < l->dims && !traces; a++) bytes *= (size_t)l->shape[a];
    torre_output_write(sink->file, frame->values, bytes);
    return sink->data.series ? torre_output_flush(sink->file) : TORRE_OK;
}

/* A run that was stopped wrote fewer frames than its header announces. */
static torre_status correct_header(torre_sink *sink)
{
    if (!sink->data.series || sink->frames == sink->data.frames) return TORRE_OK;
    if (fseek(torre_output_stream(sink->file), 0, SEEK_SET))
        return torre_fail_errno("cannot write %s", torre_output_path(sink->file));
    write_header(sink, sink->frames);
    return TORRE_OK;
}

const torre_sink_format torre_sink_npy = {
    .name = "npy",
    .ending = {".npy"},
    .kinds = TORRE_SINK_FIELD | TORRE_SINK_PLANE | TORRE_SINK_TRACES,
    .series = true,
    .grows = true,
    .check = check_array,
    .open = open_array,
    .frame = write_frame,
    .commit = correct_header,
};
