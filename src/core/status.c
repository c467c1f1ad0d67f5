#include "core/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 1024 };

static _Thread_local char last_text[TEXT];

/* One line, whatever a file name or argument holds. */
static void keep(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    snprintf(last_text, TEXT, "%s", text);
}

torre_status torre_fail(torre_status code, const char *format, ...)
{
    char text[TEXT]; /* the arguments may point into last_text */
    va_list args;
    va_start(args, format);
    vsnprintf(text, TEXT, format, args);
    va_end(args);
    keep(text);
    return code;
}

torre_status torre_fail_errno(const char *format, ...)
{
    char text[TEXT];
    int reason = errno ? errno : EIO;
    va_list args;
    va_start(args, format);
    vsnprintf(text, TEXT, format, args);
    va_end(args);
    size_t length = strlen(text);
    snprintf(text + length, TEXT - length, ": %s", strerror(reason));
    keep(text);
    return reason == ENOMEM ? TORRE_ERR_RESOURCE : TORRE_ERR_INPUT;
}

void torre_fail_also(const char *format, ...)
{
    char text[TEXT];
    int length = snprintf(text, TEXT, "%s; ", last_text);
    if (length >= TEXT) return;
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, TEXT - (size_t)length, format, args);
    va_end(args);
    keep(text);
}

const char *torre_error_text(void) { return last_text; }
