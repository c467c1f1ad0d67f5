#include "io/checkpoint_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/crc32c.h"
#include "io/output_file.h"

enum { MAGIC = 16, PIECE = 1 << 20 };

static const char magic[MAGIC + 1] = "TORRE STATE 001\n";
static const char last_name[] = "end";

typedef struct chunk_head {
    char name[TORRE_CHUNK_NAME];
    uint32_t checksum; /* of name and size */
    int64_t bytes;
} chunk_head;

_Static_assert(sizeof(chunk_head) == 32, "a head has no gaps");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are");

static uint32_t head_checksum(const chunk_head *h)
{
    return torre_crc32c(torre_crc32c(0, h->name, sizeof h->name), &h->bytes, sizeof h->bytes);
}

/* --- Writing --- */

struct torre_checkpoint_writer {
    torre_output *out;
    int64_t chunks;
    int64_t left; /* of the chunk being written */
    uint32_t checksum;
};

char *torre_checkpoint_before(const char *path)
{
    char *name = malloc(strlen(path) + 3);
    if (name) sprintf(name, "%s.1", path);
    return name;
}

torre_status torre_checkpoint_try(const char *path)
{
    torre_output_remove_stale(path);
    return torre_output_try(path);
}

torre_status torre_checkpoint_create(const char *path, torre_checkpoint_writer **writer)
{
    torre_checkpoint_writer *w = calloc(1, sizeof *w);
    if (!w) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    torre_status status = torre_output_open(path, &w->out);
    if (status) {
        free(w);
        return status;
    }
    torre_output_make_durable(w->out);
    torre_output_write(w->out, magic, MAGIC);
    *writer = w;
    return TORRE_OK;
}

static void end_chunk(torre_checkpoint_writer *w)
{
    torre_output_write(w->out, &w->checksum, sizeof w->checksum);
}

void torre_checkpoint_begin(torre_checkpoint_writer *w, const char *name, int64_t bytes)
{
    chunk_head head = {.bytes = bytes};
    snprintf(head.name, sizeof head.name, "%s", name);
    head.checksum = head_checksum(&head);
    torre_output_write(w->out, &head, sizeof head);
    w->chunks++;
    w->left = bytes;
    w->checksum = 0;
    if (bytes == 0) end_chunk(w);
}

void torre_checkpoint_put(torre_checkpoint_writer *w, const void *data, int64_t bytes)
{
    if (bytes == 0) return;
    w->checksum = torre_crc32c(w->checksum, data, (size_t)bytes);
    torre_output_write(w->out, data, (size_t)bytes);
    w->left -= bytes;
    if (w->left == 0) end_chunk(w);
}

void torre_checkpoint_chunk(torre_checkpoint_writer *w, const char *name, const void *data,
                            int64_t bytes)
{
    torre_checkpoint_begin(w, name, bytes);
    torre_checkpoint_put(w, data, bytes);
}

/* The file that is there gets a second name, so that it never lacks one. */
static torre_status keep_before(const char *path)
{
    char *before = torre_checkpoint_before(path);
    torre_status status =
        before ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    struct stat there;
    const bool found = stat(path, &there) == 0, replaces = found && S_ISREG(there.st_mode);
    if (!status && !found && errno != ENOENT) status = torre_fail_errno("cannot read %s", path);
    if (!status && replaces && unlink(before) && errno != ENOENT)
        status = torre_fail_errno("cannot remove %s", before);
    if (!status && replaces && link(path, before)) {
        /* a file system without links: for a moment there is FILE.1 alone */
        const bool without = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS;
        if (!without || rename(path, before)) status = torre_fail_errno("cannot write %s", before);
    }
    free(before);
    return status;
}

torre_status torre_checkpoint_finish(torre_checkpoint_writer *w, torre_status status)
{
    const int64_t chunks = w->chunks;
    char target[PATH_MAX];
    if (!realpath(torre_output_path(w->out), target)) /* the first one */
        snprintf(target, sizeof target, "%s", torre_output_path(w->out));
    if (!status) torre_checkpoint_chunk(w, last_name, &chunks, sizeof chunks);
    if (!status) status = torre_output_flush(w->out);
    if (!status) status = keep_before(target);
    status = torre_output_finish(&w->out, status);
    free(w);
    return status;
}

/* --- Reading --- */

typedef struct chunk {
    chunk_head head;
    int64_t start; /* in the file */
    int64_t given; /* bytes that were read */
} chunk;

struct torre_checkpoint {
    char *path;
    FILE *file;
    chunk *chunk;
    int64_t count, at, size; /* chunks, position in the file, its size */
};

/* A file that cannot be used, and what to do. */
static torre_status damaged(const torre_checkpoint *c, const char *what)
{
    char *before = torre_checkpoint_before(c->path);
    const bool other = before && access(before, F_OK) == 0;
    torre_status status = torre_fail(TORRE_ERR_INPUT, "%s: %s%s%s", c->path, what,
                                     other ? "; the one before it is " : "", other ? before : "");
    free(before);
    return status;
}

static torre_status cut_off(const torre_checkpoint *c)
{
    char what[120];
    snprintf(what, sizeof what, "the file ends too early, after %" PRId64 " bytes", c->size);
    return damaged(c, what);
}

static torre_status take(torre_checkpoint *c, void *data, int64_t bytes)
{
    if (bytes > c->size - c->at) return cut_off(c);
    errno = 0;
    if (fread(data, 1, (size_t)bytes, c->file) != (size_t)bytes) {
        if (ferror(c->file)) return torre_fail_errno("cannot read %s", c->path);
        return cut_off(c);
    }
    c->at += bytes;
    return TORRE_OK;
}

/* Read over a chunk and compare. */
static torre_status check_content(torre_checkpoint *c, const chunk_head *head, char *piece)
{
    uint32_t checksum = 0, written;
    for (int64_t left = head->bytes; left > 0;) {
        const int64_t n = left < PIECE ? left : PIECE;
        TORRE_TRY(take(c, piece, n));
        checksum = torre_crc32c(checksum, piece, (size_t)n);
        left -= n;
    }
    TORRE_TRY(take(c, &written, sizeof written));
    if (checksum == written) return TORRE_OK;
    char what[120];
    snprintf(what, sizeof what,
             "the chunk '%s' is damaged (bytes %" PRId64 " to %" PRId64 " of the file)", head->name,
             c->at - (int64_t)sizeof written - head->bytes, c->at - 1);
    return damaged(c, what);
}

static torre_status check_head(const torre_checkpoint *c, const chunk_head *head)
{
    char what[120];
    if (head->checksum != head_checksum(head)) {
        snprintf(what, sizeof what, "the head of a chunk is damaged (from byte %" PRId64 " on)",
                 c->at - (int64_t)sizeof *head);
        return damaged(c, what);
    }
    /* the rest is what this program has written: but nothing is relied on that was not looked at */
    const bool sound = head->bytes >= 0 && memchr(head->name, 0, sizeof head->name);
    return sound ? TORRE_OK : damaged(c, "a chunk has no name or size that can be");
}

static torre_status add_chunk(torre_checkpoint *c, const chunk_head *head)
{
    if ((c->count & (c->count - 1)) == 0) {
        const size_t room = c->count ? 2 * (size_t)c->count : 1;
        chunk *chunks = realloc(c->chunk, room * sizeof *chunks);
        if (!chunks) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", c->path);
        c->chunk = chunks;
    }
    c->chunk[c->count++] = (chunk){.head = *head, .start = c->at};
    return TORRE_OK;
}

/* All chunks, each compared with its checksum; nothing may follow the last. */
static torre_status look_at_all(torre_checkpoint *c, char *piece)
{
    char begin[MAGIC];
    chunk_head head;
    int64_t chunks;
    TORRE_TRY(take(c, begin, MAGIC));
    if (memcmp(begin, magic, MAGIC) != 0)
        return damaged(c, "this is no checkpoint, or its first 16 bytes are damaged");
    do {
        TORRE_TRY(take(c, &head, sizeof head));
        TORRE_TRY(check_head(c, &head));
        TORRE_TRY(add_chunk(c, &head));
        TORRE_TRY(check_content(c, &head, piece));
    } while (strcmp(head.name, last_name) != 0);
    TORRE_TRY(torre_checkpoint_read(c, last_name, &chunks, sizeof chunks));
    if (chunks != c->count - 1) return damaged(c, "chunks are missing");
    if (c->at != c->size) return damaged(c, "there are bytes after its end");
    return TORRE_OK;
}

static torre_status open_file(torre_checkpoint *c)
{
    struct stat about;
    c->file = fopen(c->path, "rb");
    if (!c->file || fstat(fileno(c->file), &about))
        return torre_fail_errno("cannot read %s", c->path);
    if (!S_ISREG(about.st_mode))
        return torre_fail(TORRE_ERR_INPUT, "%s is no file of a checkpoint", c->path);
    c->size = about.st_size;
    char *piece = malloc(PIECE);
    if (!piece) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", c->path);
    torre_status status = look_at_all(c, piece);
    free(piece);
    return status;
}

torre_status torre_checkpoint_open(const char *path, torre_checkpoint **checkpoint)
{
    torre_checkpoint *c = calloc(1, sizeof *c);
    if (c) c->path = strdup(path);
    torre_status status =
        c && c->path ? open_file(c) : torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    if (status) {
        torre_checkpoint_close(c);
        return status;
    }
    *checkpoint = c;
    return TORRE_OK;
}

void torre_checkpoint_close(torre_checkpoint *c)
{
    if (!c) return;
    if (c->file) fclose(c->file);
    free(c->chunk);
    free(c->path);
    free(c);
}

static chunk *find(const torre_checkpoint *c, const char *name)
{
    for (int64_t i = 0; i < c->count; i++)
        if (strcmp(c->chunk[i].head.name, name) == 0) return &c->chunk[i];
    return NULL;
}

int64_t torre_checkpoint_bytes(const torre_checkpoint *c, const char *name)
{
    const chunk *found = find(c, name);
    return found ? found->head.bytes : -1;
}

torre_status torre_checkpoint_get(torre_checkpoint *c, const char *name, void *data, int64_t bytes)
{
    chunk *found = find(c, name);
    if (!found || bytes > found->head.bytes - found->given)
        return torre_fail(TORRE_ERR_INPUT, "%s: the chunk '%s' has less than is needed", c->path,
                          name);
    if (bytes == 0) return TORRE_OK;
    errno = 0;
    if (fseeko(c->file, found->start + found->given, SEEK_SET) ||
        fread(data, 1, (size_t)bytes, c->file) != (size_t)bytes)
        return errno
                   ? torre_fail_errno("cannot read %s", c->path)
                   : torre_fail(TORRE_ERR_INPUT, "cannot read %s: it has become shorter", c->path);
    found->given += bytes;
    return TORRE_OK;
}

torre_status torre_checkpoint_expect(const torre_checkpoint *c, const char *name, int64_t bytes)
{
    const int64_t there = torre_checkpoint_bytes(c, name);
    if (there == bytes) return TORRE_OK;
    if (there < 0)
        return torre_fail(TORRE_ERR_INPUT, "%s has no chunk '%s', which this run needs", c->path,
                          name);
    return torre_fail(TORRE_ERR_INPUT,
                      "%s: the chunk '%s' has %" PRId64 " bytes, this run needs %" PRId64, c->path,
                      name, there, bytes);
}

torre_status torre_checkpoint_read(torre_checkpoint *c, const char *name, void *data, int64_t bytes)
{
    TORRE_TRY(torre_checkpoint_expect(c, name, bytes));
    return torre_checkpoint_get(c, name, data, bytes);
}
