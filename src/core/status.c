#include "core/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 1024, MARK = 1, MARK_END = 2 }; /* the bytes of TORRE_PARAMETER */

static _Thread_local char last_text[TEXT];

static bool names_options;

void torre_text_names_options(void) { names_options = true; }

/* The format with {name} as the marks around it; other braces stay. */
static void mark(const char *format, char marked[TEXT])
{
    snprintf(marked, TEXT, "%s", format);
    for (char *c = marked; (c = strchr(c, '{')); c++) {
        char *end = c + 1 + strspn(c + 1, "abcdefghijklmnopqrstuvwxyz_%");
        if (end == c + 1 || *end != '}') continue;
        *c = MARK;
        *end = MARK_END;
    }
}

/* One line, whatever a file name or argument holds, with the names between marks as users know
 * them. */
static void spell(const char *text, char *buffer, size_t size)
{
    size_t n = 0;
    bool name = false;
    for (; *text && n + 1 < size; text++) {
        if (*text == MARK || *text == MARK_END) {
            name = *text == MARK;
            for (int dash = 0; name && names_options && dash < 2 && n + 1 < size; dash++)
                buffer[n++] = '-';
        } else if (name && (*text == '-' || *text == '_')) {
            buffer[n++] = names_options ? '-' : '_';
        } else {
            buffer[n++] = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;
        }
    }
    buffer[n] = 0;
}

/* Appends to what `text` holds already; the arguments may point into last_text. */
static void format_text(char text[TEXT], const char *format, va_list args)
{
    char marked[TEXT];
    const size_t length = strlen(text);
    mark(format, marked);
    vsnprintf(text + length, TEXT - length, marked, args);
}

void torre_text_list(char *buffer, size_t size, const char *format, va_list args)
{
    char text[TEXT] = "";
    format_text(text, format, args);
    spell(text, buffer, size);
}

void torre_text(char *buffer, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    torre_text_list(buffer, size, format, args);
    va_end(args);
}

torre_status torre_fail(torre_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    torre_text_list(last_text, TEXT, format, args);
    va_end(args);
    return code;
}

torre_status torre_fail_errno(const char *format, ...)
{
    char text[TEXT] = "";
    int reason = errno ? errno : EIO;
    va_list args;
    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
    size_t length = strlen(text);
    snprintf(text + length, TEXT - length, ": %s", strerror(reason));
    spell(text, last_text, TEXT);
    return reason == ENOMEM ? TORRE_ERR_RESOURCE : TORRE_ERR_INPUT;
}

void torre_fail_also(const char *format, ...)
{
    char text[TEXT];
    snprintf(text, TEXT, "%.*s; ", TEXT - 3, last_text);
    va_list args;
    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
    spell(text, last_text, TEXT);
}

const char *torre_error_text(void) { return last_text; }
