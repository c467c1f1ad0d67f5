#include "io/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void torre_record_add(torre_record *r, const char *name, const char *format, ...)
{
    if (r->count == TORRE_RECORD_MEMBERS || r->used + 1 >= TORRE_RECORD_BYTES) return;
    const int room = TORRE_RECORD_BYTES - r->used;
    char *value = r->bytes + r->used;
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(value, (size_t)room, format, args);
    va_end(args);
    r->used += (length < room ? length : room - 1) + 1;
    r->name[r->count] = name;
    r->value[r->count++] = value;
}

const char *torre_record_get(const torre_record *r, const char *name)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->name[i], name) == 0) return r->value[i];
    return NULL;
}

const char *torre_record_differs(const torre_record *wanted, const torre_record *found)
{
    for (int i = 0; i < wanted->count; i++) {
        const char *value = torre_record_get(found, wanted->name[i]);
        if (!value || strcmp(value, wanted->value[i]) != 0) return wanted->name[i];
    }
    return NULL;
}

/* Append text as a JSON string; false where there is no room. */
static bool put_string(char **at, const char *end, const char *text)
{
    if (end - *at < 3) return false;
    *(*at)++ = '"';
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (end - *at < 8) return false;
        if (c == '"' || c == '\\')
            *at += sprintf(*at, "\\%c", c);
        else if (c < ' ')
            *at += sprintf(*at, "\\u%04x", c);
        else
            *(*at)++ = (char)c;
    }
    *(*at)++ = '"';
    return true;
}

size_t torre_record_encode(const torre_record *r, char line[TORRE_RECORD_LINE])
{
    char *at = line;
    const char *end = line + TORRE_RECORD_LINE - 8;
    bool fits = true;
    *at++ = '{';
    for (int i = 0; i < r->count && fits; i++) {
        if (i > 0) at += sprintf(at, ", ");
        fits = put_string(&at, end, r->name[i]);
        if (fits) at += sprintf(at, ": ");
        fits = fits && put_string(&at, end, r->value[i]);
    }
    at += sprintf(at, "}\n");
    return (size_t)(at - line);
}

/* A JSON string at *at into the record's bytes, *at behind it; NULL: there is none. */
static const char *get_string(torre_record *r, const char **at)
{
    const char *from = *at, *value = r->bytes + r->used;
    char *to = r->bytes + r->used;
    if (*from++ != '"') return NULL;
    while (*from && *from != '"') {
        unsigned code = (unsigned char)*from++;
        if (code == '\\' && *from == 'u') {
            if (sscanf(from + 1, "%4x", &code) != 1 || strlen(from) < 5) return NULL;
            from += 5;
        } else if (code == '\\' && *from) {
            code = (unsigned char)*from++;
        }
        if (to + 1 >= r->bytes + TORRE_RECORD_BYTES) return NULL;
        *to++ = (char)code;
    }
    if (*from != '"') return NULL;
    *to++ = 0;
    r->used = (int)(to - r->bytes);
    *at = from + 1;
    return value;
}

static void skip(const char **at, const char *set) { *at += strspn(*at, set); }

bool torre_record_decode(const char *line, torre_record *r)
{
    const char *at = line;
    r->count = r->used = 0;
    skip(&at, " \t");
    if (*at++ != '{') return false;
    for (skip(&at, " \t"); *at == '"'; skip(&at, " \t")) {
        if (r->count == TORRE_RECORD_MEMBERS) return false;
        const char *name = get_string(r, &at);
        skip(&at, " \t");
        if (!name || *at++ != ':') return false;
        skip(&at, " \t");
        const char *value = get_string(r, &at);
        if (!value) return false;
        r->name[r->count] = name;
        r->value[r->count++] = value;
        skip(&at, " \t");
        if (*at != ',') break;
        at++;
    }
    return *at == '}';
}
