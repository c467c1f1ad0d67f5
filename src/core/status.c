#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_text[1024];

torre_status torre_fail(torre_status code, const char *format, ...)
{
    char text[sizeof last_text]; /* the arguments may point into last_text */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++) /* one line, whatever a file name or argument holds */
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    snprintf(last_text, sizeof last_text, "%s", text);
    return code;
}

const char *torre_error_text(void) { return last_text; }
