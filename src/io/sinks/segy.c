/* Seismic traces: SEG-Y, and Seismic Unix, which is the same without the head of the file. */
#include "io/segy.h"

#include "io/sink_format.h"

static torre_status check_segy(const torre_sink_data *data)
{
    return torre_segy_check(&data->traces, false);
}

static torre_status check_su(const torre_sink_data *data)
{
    return torre_segy_check(&data->traces, true);
}

static torre_status open_segy(torre_sink *sink)
{
    return torre_segy_open(sink->file, false, (torre_segy_writer **)&sink->own);
}

static torre_status open_su(torre_sink *sink)
{
    return torre_segy_open(sink->file, true, (torre_segy_writer **)&sink->own);
}

static torre_status write_gather(torre_sink *sink, const torre_frame *frame)
{
    torre_gather gather = frame->gather ? *frame->gather : sink->data.traces;
    gather.values = frame->values;
    gather.samples = frame->samples;
    return torre_segy_add(sink->own, &gather);
}

static torre_status commit(torre_sink *sink)
{
    torre_segy_writer *writer = sink->own;
    sink->own = NULL;
    return torre_segy_close(writer);
}

static void discard(torre_sink *sink) { torre_segy_close(sink->own); }

const torre_sink_format torre_sink_segy = {
    .name = "segy",
    .ending = {".sgy", ".segy"},
    .kinds = TORRE_SINK_TRACES,
    .series = true,
    .whole_microseconds = true,
    .check = check_segy,
    .open = open_segy,
    .frame = write_gather,
    .commit = commit,
    .discard = discard,
};

const torre_sink_format torre_sink_su = {
    .name = "su",
    .ending = {".su"},
    .kinds = TORRE_SINK_TRACES,
    .series = true,
    .whole_microseconds = true,
    .check = check_su,
    .open = open_su,
    .frame = write_gather,
    .commit = commit,
    .discard = discard,
};
