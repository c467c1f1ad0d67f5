#include "survey/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/output_file.h"

struct torre_manifest {
    char *path;
    int file;
};

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

enum { LINE = 6 * TORRE_RECORD_BYTES + 64 * TORRE_RECORD_MEMBERS };

/* The line of a record with its end; returns its length. */
static size_t encode(const torre_record *r, char line[LINE])
{
    char *at = line;
    const char *end = line + LINE - 8;
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

/* A line, without its end, as a record; false where it is none. */
static bool decode(const char *line, torre_record *r)
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

static torre_status write_all(const torre_manifest *m, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t done = write(m->file, bytes, count);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return torre_fail_errno("cannot write %s", m->path);
        bytes += done;
        count -= (size_t)done;
    }
    return TORRE_OK;
}

torre_status torre_manifest_add(torre_manifest *m, const torre_record *record)
{
    char line[LINE];
    const off_t before = lseek(m->file, 0, SEEK_END);
    torre_status status = write_all(m, line, encode(record, line));
    if (!status && fsync(m->file)) status = torre_fail_errno("cannot write %s", m->path);
    /* half a line would spoil the next one */
    if (status && before >= 0 && ftruncate(m->file, before))
        torre_fail_also("and its last line is not whole");
    return status;
}

static torre_status check_head(const torre_manifest *m, const torre_record *wanted,
                               const torre_record *found)
{
    const char *name = torre_record_differs(wanted, found), *value;
    if (!name) return TORRE_OK;
    value = torre_record_get(found, name);
    if (!torre_record_get(found, wanted->name[0]))
        return torre_fail(TORRE_ERR_INPUT, "%s is no list of what a survey has done", m->path);
    return torre_fail(TORRE_ERR_INPUT,
                      "%s is of a survey with another %s: %.200s, now it is %.200s; give another "
                      "{manifest}, or remove that one to begin anew",
                      m->path, name, value ? value : "none", torre_record_get(wanted, name));
}

/* Whether a file without a whole line is the beginning of a manifest: only that may be cut. */
static bool is_begun_head(const char *text)
{
    static const char head[] = "{\"survey\"";
    const size_t n = strlen(text), least = n < sizeof head - 1 ? n : sizeof head - 1;
    return strncmp(text, head, least) == 0;
}

/* All lines that are whole; what follows the last of them is cut off. */
static torre_status read_lines(const torre_manifest *m, FILE *in, const torre_record *head,
                               torre_status (*each)(void *, const torre_record *), void *context,
                               int64_t *lines)
{
    torre_record *record = malloc(sizeof *record);
    char *line = NULL;
    size_t size = 0;
    ssize_t n = 0; /* of the last line */
    off_t whole = 0;
    torre_status status =
        record ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", m->path);
    while (!status && (n = getline(&line, &size, in)) > 0 && line[n - 1] == '\n') {
        line[n - 1] = 0;
        ++*lines;
        if (!decode(line, record))
            status = torre_fail(TORRE_ERR_INPUT, "%s:%" PRId64 ": not a line of a survey", m->path,
                                *lines);
        else if (*lines == 1)
            status = check_head(m, head, record);
        else
            status = each(context, record);
        whole += n;
    }
    if (!status && ferror(in)) status = torre_fail_errno("cannot read %s", m->path);
    if (!status && *lines == 0 && n > 0 && !is_begun_head(line))
        status = torre_fail(TORRE_ERR_INPUT, "%s is no list of what a survey has done", m->path);
    if (!status && ftruncate(m->file, whole)) status = torre_fail_errno("cannot write %s", m->path);
    free(line);
    free(record);
    return status;
}

static torre_status open_locked(torre_manifest *m)
{
    m->file = open(m->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (m->file < 0) return torre_fail_errno("cannot write %s", m->path);
    if (flock(m->file, LOCK_EX | LOCK_NB) == 0) return TORRE_OK;
    if (errno != EWOULDBLOCK) return torre_fail_errno("cannot lock %s", m->path);
    return torre_fail(TORRE_ERR_INPUT, "%s is in use: another process computes this survey",
                      m->path);
}

torre_status torre_manifest_open(const char *path, const torre_record *head,
                                 torre_status (*each)(void *, const torre_record *), void *context,
                                 torre_manifest **manifest)
{
    int64_t lines = 0;
    torre_manifest *m = calloc(1, sizeof *m);
    if (m) m->file = -1;
    if (m) m->path = strdup(path);
    torre_status status =
        m && m->path ? open_locked(m) : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    FILE *in = status ? NULL : fopen(path, "r");
    if (!status && !in) status = torre_fail_errno("cannot read %s", path);
    if (!status) status = read_lines(m, in, head, each, context, &lines);
    if (in) fclose(in);
    if (!status && lines == 0) status = torre_manifest_add(m, head);
    if (!status && lines == 0) status = torre_output_sync_folder(path);
    if (status) {
        torre_manifest_close(m);
        return status;
    }
    *manifest = m;
    return TORRE_OK;
}

void torre_manifest_close(torre_manifest *m)
{
    if (!m) return;
    if (m->file >= 0) close(m->file);
    free(m->path);
    free(m);
}
