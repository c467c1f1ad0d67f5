#include "io/sink_mark.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/crc32c.h"
#include "io/sink_format.h"

enum { PIECE = 1 << 18 };

static torre_output *file_of(const torre_sink *sink)
{
    return sink->text ? torre_text_output_file(sink->text) : sink->file;
}

torre_status torre_sink_mark_check(const torre_sink *sink)
{
    if (!sink) return TORRE_OK;
    const char *path = torre_output_path(file_of(sink)), *why = NULL;
    if (sink->head < 0 && torre_output_temporary(file_of(sink)))
        return torre_fail(TORRE_ERR_INPUT, "cannot tell how far %s is", path);
    if (!sink->format->grows) why = "files of its format are not whole before their end";
    if (sink->text && torre_text_output_is_packed(sink->text)) why = "it is compressed";
    if (sink->head < 0) why = "it is no regular file";
    return why ? torre_fail(TORRE_ERR_USAGE, "a run cannot go on with %s: %s", path, why)
               : TORRE_OK;
}

/* A function for every piece of the bytes low .. high - 1 of a file. */
typedef void on_piece(void *context, const void *bytes, size_t count);

static torre_status each_piece(const char *path, int64_t low, int64_t high, on_piece *function,
                               void *context)
{
    char *bytes = malloc(PIECE);
    FILE *in = bytes ? fopen(path, "rb") : NULL;
    torre_status status = TORRE_OK;
    if (!bytes) status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    if (!status && (!in || fseeko(in, low, SEEK_SET)))
        status = torre_fail_errno("cannot read %s", path);
    while (!status && low < high) {
        const size_t most = high - low < PIECE ? (size_t)(high - low) : PIECE;
        const size_t n = fread(bytes, 1, most, in);
        if (n == 0)
            status = ferror(in) ? torre_fail_errno("cannot read %s", path)
                                : torre_fail(TORRE_ERR_INPUT, "%s is too short", path);
        function(context, bytes, n);
        low += (int64_t)n;
    }
    if (in) fclose(in);
    free(bytes);
    return status;
}

static void add_checksum(void *context, const void *bytes, size_t count)
{
    uint32_t *checksum = context;
    *checksum = torre_crc32c(*checksum, bytes, count);
}

static void append(void *context, const void *bytes, size_t count)
{
    torre_output_write(context, bytes, count);
}

torre_status torre_sink_mark_set(torre_sink *sink, torre_sink_mark *mark)
{
    if (sink->text) torre_text_output_flush(sink->text);
    torre_output *file = file_of(sink);
    TORRE_TRY(torre_output_sync(file));
    const char *name = torre_output_now(file);
    const int64_t bytes = torre_output_position(file);
    TORRE_TRY(each_piece(name, sink->marked, bytes, add_checksum, &sink->checksum));
    sink->marked = bytes;
    *mark = (torre_sink_mark){
        .frames = sink->frames, .head = sink->head, .bytes = bytes, .checksum = sink->checksum};
    snprintf(mark->file, sizeof mark->file, "%s", name);
    return TORRE_OK;
}

void torre_sink_mark_keep(torre_sink *sink)
{
    if (sink) torre_output_keep(file_of(sink));
}

/* Whether a file begins with the frames before the mark. */
static torre_status check_frames(const char *path, const torre_sink_mark *mark)
{
    uint32_t checksum = 0;
    TORRE_TRY(each_piece(path, mark->head, mark->bytes, add_checksum, &checksum));
    if (checksum == mark->checksum) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT, "%s has changed", path);
}

static torre_status go_on(torre_sink *sink, const torre_sink_mark *mark)
{
    torre_output *file = file_of(sink);
    if (access(mark->file, F_OK) == 0) {
        TORRE_TRY(check_frames(mark->file, mark));
        return torre_output_adopt(file, mark->file, mark->bytes);
    }
    TORRE_TRY(check_frames(torre_output_path(file), mark));
    TORRE_TRY(each_piece(torre_output_path(file), mark->head, mark->bytes, append, file));
    return torre_output_flush(file);
}

torre_status torre_sink_mark_go_on(torre_sink *sink, const torre_sink_mark *mark)
{
    char why[512];
    torre_status status = TORRE_OK;
    if (mark->head != sink->head || mark->bytes < mark->head ||
        !memchr(mark->file, 0, sizeof mark->file))
        status = torre_fail(TORRE_ERR_INPUT, "it is of other data");
    if (!status) status = go_on(sink, mark);
    sink->frames = mark->frames;
    sink->marked = mark->bytes;
    sink->checksum = mark->checksum;
    if (!status) return TORRE_OK;
    snprintf(why, sizeof why, "%s", torre_error_text());
    return torre_fail(status, "cannot go on with %s, which had %" PRId64 " frames or rows: %s",
                      torre_output_path(file_of(sink)), mark->frames, why);
}
