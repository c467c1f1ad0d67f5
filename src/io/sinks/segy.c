/* Seismic traces: SEG-Y, and Seismic Unix, which is the same without the head of the file. */
#include "io/segy.h"

#include "io/sink_format.h"

static torre_status check(const torre_sink_data *data) { return torre_segy_check(&data->traces); }

static torre_status check_file(torre_sink *sink) { return torre_segy_check_output(sink->file); }

static torre_status write_gather(torre_sink *sink, const torre_frame *frame, bool su)
{
    torre_gather gather = sink->data.traces;
    gather.values = frame->values;
    gather.samples = frame->samples;
    return torre_segy_encode(&gather, su, sink->file);
}

static torre_status write_segy(torre_sink *sink, const torre_frame *frame)
{
    return write_gather(sink, frame, false);
}

static torre_status write_su(torre_sink *sink, const torre_frame *frame)
{
    return write_gather(sink, frame, true);
}

const torre_sink_format torre_sink_segy = {
    .name = "segy",
    .ending = {".sgy", ".segy"},
    .kinds = TORRE_SINK_TRACES,
    .whole_microseconds = true,
    .check = check,
    .open = check_file,
    .frame = write_segy,
};

const torre_sink_format torre_sink_su = {
    .name = "su",
    .ending = {".su"},
    .kinds = TORRE_SINK_TRACES,
    .whole_microseconds = true,
    .check = check,
    .open = check_file,
    .frame = write_su,
};
