/* What is in a file of traces, in lines for people. */
#ifndef TORRE_TRACE_INSPECT_H
#define TORRE_TRACE_INSPECT_H

#include <stdio.h>

#include "core/status.h"

/* By its ending, .sgy, .segy, .su or .npy. TORRE_ERR_INPUT: the file; TORRE_ERR_USAGE: {inspect},
 * its ending. */
torre_status torre_trace_inspect(FILE *out, const char *path);

#endif
