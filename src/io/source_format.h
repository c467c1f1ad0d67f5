/* A format of models, from inside: what a file in io/sources defines (source_list.h). */
#ifndef TORRE_SOURCE_FORMAT_H
#define TORRE_SOURCE_FORMAT_H

#include <limits.h>

#include "io/source.h"

/* A text that was taken apart: FILE:rest. */
typedef struct torre_source {
    const struct torre_source_format *format;
    char path[PATH_MAX];
    const char *rest; /* behind the colon, in the text; "" where there is none */
} torre_source;

/* How the values lie in the file, slowest axis first. */
typedef struct torre_source_layout {
    torre_precision precision; /* that they are read in */
    int dims;
    int64_t shape[3];
} torre_source_layout;

typedef struct torre_source_format {
    /* Whether it is the format of a file of that name, and what stands behind a colon. */
    bool (*is)(const char *path, const char *rest);
    const char *form; /* for messages */
    bool bare;        /* files do not know their shape */

    /* Look at a file: *layout; of bare numbers it has the shape of the grid, and is checked. */
    torre_status (*look)(const torre_source *source, torre_source_layout *layout);

    /* Read all values in the order of the file, in native bytes. */
    torre_status (*read)(const torre_source *source, const torre_source_layout *layout,
                         void *values);
} torre_source_format;

#endif
