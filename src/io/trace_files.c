#include "io/trace_files.h"

#include <stdlib.h>
#include <string.h>

static torre_status bad_files(const char *text)
{
    char list[128];
    torre_sink_endings(TORRE_SINK_TRACES, false, list, sizeof list);
    return torre_fail(TORRE_ERR_USAGE,
                      "{traces} must be 1 to %d files that end in %s, separated by commas (got "
                      "%.80s)",
                      TORRE_TRACE_FILES, list, text);
}

torre_status torre_trace_files_parse(const char *text, torre_trace_files *files)
{
    files->names = strdup(text);
    if (!files->names) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    for (char *name = files->names; name;) {
        char *next = strchr(name, ',');
        if (next) *next++ = 0;
        const torre_sink_format *format = torre_sink_by_ending(name, TORRE_SINK_TRACES, false);
        if (!format || files->count == TORRE_TRACE_FILES) return bad_files(text);
        files->name[files->count] = name;
        files->format[files->count++] = format;
        name = next;
    }
    return TORRE_OK;
}

bool torre_trace_files_whole_microseconds(const torre_trace_files *files)
{
    bool whole = false;
    for (int i = 0; i < files->count; i++)
        whole = whole || torre_sink_whole_microseconds(files->format[i]);
    return whole;
}

void torre_trace_files_free(torre_trace_files *files)
{
    free(files->names);
    memset(files, 0, sizeof *files);
}
