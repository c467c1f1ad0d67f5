#include "io/text_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define LINE_LIMIT    (1 << 16)
#define DEFLATE_RATIO 1032 /* zlib packs no more into a byte (its technical notes) */

struct torre_text_input {
    gzFile file;
    char *path;
    int64_t number;
    int64_t bytes; /* of text at most; INT64_MAX for what is no regular file */
    char where[4352];
    char line[LINE_LIMIT];
};

torre_status torre_text_input_open(const char *path, torre_text_input **in)
{
    struct stat status;
    if (stat(path, &status)) return torre_fail_errno("%s", path);
    if (S_ISDIR(status.st_mode)) return torre_fail(TORRE_ERR_INPUT, "%s: is a directory", path);
    torre_text_input *t = calloc(1, sizeof *t);
    if (!t) return torre_fail(TORRE_ERR_RESOURCE, "%s: no memory to read it", path);
    errno = 0;
    t->path = strdup(path);
    if (t->path) t->file = gzopen(path, "rb");
    if (!t->file) {
        torre_status failed = torre_fail_errno("%s", path);
        torre_text_input_close(t);
        return failed;
    }
    gzbuffer(t->file, 1 << 18);
    t->bytes = !S_ISREG(status.st_mode)                     ? INT64_MAX
               : gzdirect(t->file)                          ? status.st_size
               : status.st_size < INT64_MAX / DEFLATE_RATIO ? status.st_size * DEFLATE_RATIO
                                                            : INT64_MAX;
    *in = t;
    return TORRE_OK;
}

torre_status torre_text_input_line(torre_text_input *t, char **line)
{
    int error = Z_OK;
    t->number++;
    *line = gzgets(t->file, t->line, sizeof t->line);
    if (!*line) {
        const char *text = gzerror(t->file, &error);
        if (error == Z_OK || error == Z_STREAM_END) return TORRE_OK;
        if (error == Z_ERRNO)
            return torre_fail_errno("%s: cannot be read", torre_text_input_where(t));
        return torre_fail(error == Z_MEM_ERROR ? TORRE_ERR_RESOURCE : TORRE_ERR_INPUT,
                          "%s: cannot be read: %s", torre_text_input_where(t), text);
    }
    size_t length = strlen(t->line);
    if (length + 1 == sizeof t->line && t->line[length - 1] != '\n')
        return torre_fail(TORRE_ERR_INPUT, "%s: the line is longer than %d bytes",
                          torre_text_input_where(t), LINE_LIMIT - 2);
    while (length && strchr("\r\n", t->line[length - 1])) t->line[--length] = 0;
    return TORRE_OK;
}

torre_status torre_text_input_expect(const torre_text_input *t, const char *what, int64_t count)
{
    int64_t left = t->bytes == INT64_MAX ? INT64_MAX : t->bytes - gztell(t->file) + 1;
    if (count <= left) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT,
                      "%s: %" PRId64 " %s are announced, more than the rest of the file can hold",
                      torre_text_input_where(t), count, what);
}

const char *torre_text_input_where(const torre_text_input *t)
{
    torre_text_input *writable = (torre_text_input *)t;
    snprintf(writable->where, sizeof t->where, "%.4096s:%lld", t->path, (long long)t->number);
    return t->where;
}

void torre_text_input_close(torre_text_input *t)
{
    if (!t) return;
    if (t->file) gzclose(t->file);
    free(t->path);
    free(t);
}

int torre_text_words(char *line, char **words, int limit)
{
    int count = 0;
    for (char *at = line; *at;) {
        while (*at == ' ' || *at == '\t') at++;
        if (!*at || *at == '#') break;
        if (count == limit) return limit + 1;
        words[count++] = at;
        while (*at && !strchr(" \t#", *at)) at++;
        if (*at == '#') {
            *at = 0;
            break;
        }
        if (*at) *at++ = 0;
    }
    return count;
}
