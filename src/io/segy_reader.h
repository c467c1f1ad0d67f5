/*
 * SEG-Y and SU files to read, a trace at a time: headers with their scalars applied, and samples.
 * (segyio stays inside segy.c and segy_reader.c.)
 */
#ifndef TORRE_SEGY_READER_H
#define TORRE_SEGY_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fields of the trace headers as Seismic Unix calls them: FIELD(name, what it is). */
#define TORRE_SEGY_FIELD_LIST(FIELD)                                                               \
    FIELD(tracl, "trace in the line")                                                              \
    FIELD(tracr, "trace in the file")                                                              \
    FIELD(fldr, "field record: shot")                                                              \
    FIELD(tracf, "trace in the record: channel")                                                   \
    FIELD(ep, "source point")                                                                      \
    FIELD(cdp, "ensemble")                                                                         \
    FIELD(trid, "kind of trace, 1: seismic")                                                       \
    FIELD(offset, "offset, m")                                                                     \
    FIELD(gelev, "elevation of receivers, m")                                                      \
    FIELD(selev, "elevation at the source, m")                                                     \
    FIELD(sdepth, "depth of the source, m")                                                        \
    FIELD(sx, "x of the source, m")                                                                \
    FIELD(sy, "y of the source, m")                                                                \
    FIELD(gx, "x of receivers, m")                                                                 \
    FIELD(gy, "y of receivers, m")                                                                 \
    FIELD(counit, "unit of coordinates, 1: length")                                                \
    FIELD(delrt, "delay of recording, ms")                                                         \
    FIELD(ns, "samples")                                                                           \
    FIELD(dt, "sampling, microseconds")                                                            \
    FIELD(iline, "in-line number")                                                                 \
    FIELD(xline, "cross-line number")

#define TORRE_SEGY_FIELD_NUMBER(name, text) TORRE_SEGY_##name,
typedef enum torre_segy_field {
    TORRE_SEGY_FIELD_LIST(TORRE_SEGY_FIELD_NUMBER) TORRE_SEGY_FIELDS
} torre_segy_field;

typedef struct torre_segy_reader {
    const char *path, *kind; /* "SEG-Y revision 1", "SU" */
    int64_t traces, samples;
    bool su, feet; /* SEG-Y: what its header says of lengths */
    bool floats;   /* samples are */
    struct torre_segy_file *file;
} torre_segy_reader;

/*
 * Open a regular file; su: Seismic Unix, of either byte order. path must outlive the reader.
 * TORRE_ERR_INPUT: path and reason; TORRE_ERR_USAGE where segyio is not in this build. Close in any
 * case.
 */
torre_status torre_segy_reader_open(const char *path, bool su, torre_segy_reader *reader);
void torre_segy_reader_close(torre_segy_reader *reader);

/* The fields of a trace; coordinates, elevations and delays have their scalars applied. */
torre_status torre_segy_reader_fields(const torre_segy_reader *reader, int64_t trace,
                                      double fields[TORRE_SEGY_FIELDS]);

/* Its samples; those that are no floats are refused. */
torre_status torre_segy_reader_samples(const torre_segy_reader *reader, int64_t trace,
                                       float *samples);

#ifdef __cplusplus
}
#endif

#endif
