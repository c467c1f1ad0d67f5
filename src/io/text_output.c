#include "io/text_output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LINE_LIMIT 1024
#define BUFFER     (1 << 18)

struct torre_text_output {
    torre_output *file;
    bool gzip, broken;
    z_stream stream;
    size_t used;
    char text[BUFFER];
    unsigned char packed[BUFFER];
};

torre_status torre_text_output_open(const char *path, torre_text_output **out)
{
    torre_text_output *t = calloc(1, sizeof *t);
    if (!t) return torre_fail(TORRE_ERR_RESOURCE, "%s: no memory to write it", path);
    size_t length = strlen(path);
    t->gzip = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    /*
     * window of 15 bits, 16 more for a gzip header; level 1: three times faster than 6, 5 % larger
     */
    if (t->gzip &&
        deflateInit2(&t->stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(t);
        return torre_fail(TORRE_ERR_RESOURCE, "%s: no memory to compress it", path);
    }
    torre_status status = torre_output_open(path, &t->file);
    if (status) {
        torre_text_output_discard(t);
        return status;
    }
    *out = t;
    return TORRE_OK;
}

/* Hand the buffer on, through zlib as it is told: Z_NO_FLUSH, Z_SYNC_FLUSH or, last, Z_FINISH. */
static void flush(torre_text_output *t, int how)
{
    if (!t->gzip) {
        torre_output_write(t->file, t->text, t->used);
        t->used = 0;
        return;
    }
    t->stream.next_in = (unsigned char *)t->text;
    t->stream.avail_in = (unsigned)t->used;
    int state;
    do {
        t->stream.next_out = t->packed;
        t->stream.avail_out = sizeof t->packed;
        state = deflate(&t->stream, how);
        if (state == Z_STREAM_ERROR) t->broken = true;
        torre_output_write(t->file, t->packed, sizeof t->packed - t->stream.avail_out);
    } while (t->stream.avail_out == 0 && !t->broken);
    t->used = 0;
}

void torre_text_output_print(torre_text_output *t, const char *format, ...)
{
    if (sizeof t->text - t->used < LINE_LIMIT) flush(t, Z_NO_FLUSH);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(t->text + t->used, LINE_LIMIT, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= LINE_LIMIT)
        t->broken = true;
    else
        t->used += (size_t)length;
}

torre_output *torre_text_output_file(torre_text_output *t) { return t->file; }

void torre_text_output_flush(torre_text_output *t) { flush(t, Z_SYNC_FLUSH); }

bool torre_text_output_is_packed(const torre_text_output *t) { return t->gzip; }

torre_status torre_text_output_publish(torre_text_output *t)
{
    flush(t, Z_SYNC_FLUSH);
    return torre_output_publish(t->file);
}

torre_status torre_text_output_commit(torre_text_output *t)
{
    flush(t, Z_FINISH);
    if (t->broken) {
        torre_status status = torre_fail(TORRE_ERR_INPUT, "%s: a line is too long to be written",
                                         torre_output_path(t->file));
        torre_text_output_discard(t);
        return status;
    }
    torre_output *file = t->file;
    t->file = NULL;
    torre_text_output_discard(t);
    return torre_output_commit(file);
}

void torre_text_output_discard(torre_text_output *t)
{
    if (!t) return;
    if (t->gzip) deflateEnd(&t->stream);
    torre_output_discard(t->file);
    free(t);
}
