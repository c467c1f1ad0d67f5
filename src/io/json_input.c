#include "io/json_input.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STRING = 1 << 16, DEPTH = 64 };

typedef struct reader {
    torre_text_input *in;
    const char *at; /* NULL at the end of the file */
    torre_status status;
    char string[STRING + 4]; /* the last one read, as UTF-8 */
} reader;

static torre_status refuse(reader *r, const char *what)
{
    if (!r->status)
        r->status = torre_fail(TORRE_ERR_INPUT, "%s: not a report: %s expected",
                               torre_text_input_where(r->in), what);
    return r->status;
}

/* The next character that is not white space, over the ends of lines; 0 at the end of the file. */
static char look(reader *r)
{
    while (r->at) {
        r->at += strspn(r->at, " \t\r\n");
        if (*r->at) return *r->at;
        char *line;
        r->status = torre_text_input_line(r->in, &line);
        r->at = r->status ? NULL : line;
    }
    return 0;
}

static bool take(reader *r, char c)
{
    if (look(r) != c) return false;
    r->at++;
    return true;
}

/* Four hexadecimal digits as UTF-8; halves of a pair are no character. False: not that. */
static bool take_code(reader *r, size_t *length)
{
    char digits[5] = "", *end, *out = r->string + *length;
    for (int i = 0; i < 4 && r->at[i]; i++) digits[i] = r->at[i];
    if (strspn(digits, "0123456789abcdefABCDEF") != 4) return false;
    const unsigned long code = strtoul(digits, &end, 16);
    if (code == 0 || (code >= 0xd800 && code < 0xe000)) return false;
    r->at += 4;
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    *length = (size_t)(out - r->string);
    return true;
}

static torre_status take_string(reader *r)
{
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    size_t length = 0;
    if (!take(r, '"')) return refuse(r, "a string");
    while (*r->at != '"') {
        if (!*r->at || length >= STRING) return refuse(r, "the end of a string");
        char c = *r->at++;
        if (c == '\\') {
            const char *escape = *r->at ? strchr(escapes, *r->at) : NULL;
            if (*r->at == 'u') {
                r->at++;
                if (!take_code(r, &length)) return refuse(r, "a character after \\u");
                continue;
            }
            if (!escape) return refuse(r, "an escape");
            c = meanings[escape - escapes];
            r->at++;
        }
        r->string[length++] = c;
    }
    r->at++;
    r->string[length] = 0;
    return TORRE_OK;
}

/* A number or a word: all that stands before the next sign. */
static torre_status pass_scalar(reader *r)
{
    const size_t length = look(r) ? strspn(r->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE") : 0;
    if (!length) return refuse(r, "a value");
    r->at += length;
    return TORRE_OK;
}

/* A value of any kind; brackets are counted, and must belong together. */
static torre_status pass_value(reader *r)
{
    char open[DEPTH];
    int depth = 0;
    do {
        const char c = look(r);
        if (c == '"') {
            TORRE_TRY(take_string(r));
        } else if (c == '{' || c == '[') {
            if (depth == DEPTH) return refuse(r, "less in each other");
            open[depth++] = c;
            r->at++;
        } else if (depth && (c == '}' || c == ']')) {
            if ((open[--depth] == '{') != (c == '}')) return refuse(r, "the other bracket");
            r->at++;
        } else if (depth && (c == ',' || c == ':')) {
            r->at++;
        } else {
            TORRE_TRY(pass_scalar(r));
        }
    } while (depth);
    return TORRE_OK;
}

static torre_status read_members(reader *r, torre_json_member *found, void *context)
{
    char name[256];
    if (!take(r, '{')) return refuse(r, "{");
    if (take(r, '}')) return TORRE_OK;
    do {
        TORRE_TRY(take_string(r));
        if (strlen(r->string) >= sizeof name) return refuse(r, "a shorter name");
        strcpy(name, r->string);
        if (!take(r, ':')) return refuse(r, ":");
        TORRE_TRY(take_string(r));
        TORRE_TRY(found(context, name, r->string, torre_text_input_where(r->in)));
    } while (take(r, ','));
    return take(r, '}') ? TORRE_OK : refuse(r, "}");
}

static torre_status read_object(reader *r, const char *name, torre_json_member *found,
                                void *context)
{
    bool met = false;
    if (!take(r, '{')) return refuse(r, "{");
    do {
        TORRE_TRY(take_string(r));
        const bool here = strcmp(r->string, name) == 0;
        if (!take(r, ':')) return refuse(r, ":");
        if (here && met) return refuse(r, "one config alone");
        TORRE_TRY(here ? read_members(r, found, context) : pass_value(r));
        met = met || here;
    } while (take(r, ','));
    if (!take(r, '}')) return refuse(r, "}");
    if (look(r) || r->status) return refuse(r, "nothing more");
    if (met) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT, "%s: this report has no \"%s\": it is of an older version",
                      torre_text_input_where(r->in), name);
}

torre_status torre_json_strings(torre_text_input *in, char *line, const char *name,
                                torre_json_member *found, void *context)
{
    reader *r = malloc(sizeof *r);
    if (!r) return torre_fail(TORRE_ERR_RESOURCE, "no memory to read a report");
    r->in = in;
    r->at = line;
    r->status = TORRE_OK;
    const torre_status status = read_object(r, name, found, context);
    free(r);
    return status;
}
