/* Files of traces, as an option lists them: "shot.npy,shot.sgy". */
#ifndef TORRE_TRACE_FILES_H
#define TORRE_TRACE_FILES_H

#include "io/sink.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_TRACE_FILES = 8 };

typedef struct torre_trace_files {
    char *names; /* the text, cut at the commas */
    int count;
    const char *name[TORRE_TRACE_FILES];
    const torre_sink_format *format[TORRE_TRACE_FILES];
} torre_trace_files;

/* Parse {traces}: TORRE_ERR_USAGE with the endings that there are. Free in any case. */
torre_status torre_trace_files_parse(const char *text, torre_trace_files *files);
void torre_trace_files_free(torre_trace_files *files);

/* Whether one of them holds time steps as whole microseconds only. */
bool torre_trace_files_whole_microseconds(const torre_trace_files *files);

#ifdef __cplusplus
}
#endif

#endif
