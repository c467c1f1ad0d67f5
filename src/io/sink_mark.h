/*
 * Files that grow with a run, and a run that goes on: a mark says how far a file was when a
 * checkpoint was written. What was written after it is cut off when the run goes on from there, so
 * that the file becomes that of a run that was never stopped.
 */
#ifndef TORRE_SINK_MARK_H
#define TORRE_SINK_MARK_H

#include "io/sink.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Plain data, to be kept in a checkpoint. */
typedef struct torre_sink_mark {
    int64_t frames;
    int64_t head, bytes; /* where frames begin in the file, and how far it was */
    uint32_t checksum;   /* of what lies between */
    uint32_t unused;
    char file[4096]; /* under which name it was: a temporary one, or of logs the final one */
} torre_sink_mark;

/* Refuse sinks of which there can be no marks: TORRE_ERR_USAGE says why. NULL is fine. */
torre_status torre_sink_mark_check(const torre_sink *sink);

/* All frames so far are on the disk once this returns. */
torre_status torre_sink_mark_set(torre_sink *sink, torre_sink_mark *mark);

/* A mark is on the disk: from now on the file stays, under its temporary name, also where the sink
 * comes to nothing. NULL is fine. */
void torre_sink_mark_keep(torre_sink *sink);

/*
 * Go on from a mark with a sink of the same data and path that was just opened. TORRE_ERR_INPUT
 * where the frames before the mark are no longer there, neither under the name that they had nor
 * under the final one.
 */
torre_status torre_sink_mark_go_on(torre_sink *sink, const torre_sink_mark *mark);

#ifdef __cplusplus
}
#endif

#endif
