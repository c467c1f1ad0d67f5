#define _GNU_SOURCE /* O_TMPFILE, fallocate */
#include "io/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/numbers.h"

struct torre_scratch {
    int file;
    int64_t bytes;
    char *directory; /* for messages */
};

/* A file without a name; where the file system has none such, one that loses its name. */
static int open_nameless(const char *directory)
{
    static const char ending[] = "/torre-scratch-XXXXXX";
    int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
    const size_t size = strlen(directory) + sizeof ending;
    char *name = malloc(size);
    if (!name) return -1;
    snprintf(name, size, "%s%s", directory, ending);
    file = mkostemp(name, O_CLOEXEC);
    if (file >= 0 && unlink(name)) {
        const int reason = errno;
        close(file);
        errno = reason;
        file = -1;
    }
    free(name);
    return file;
}

/* Take the space, if the file system can; all of it reads as zero. */
static torre_status reserve(torre_scratch *s)
{
    char text[32];
    int failed;
    do failed = fallocate(s->file, 0, 0, s->bytes);
    while (failed && errno == EINTR);
    if (failed && errno == EOPNOTSUPP) failed = ftruncate(s->file, s->bytes);
    if (!failed) return TORRE_OK;
    torre_format_bytes((double)s->bytes, text, sizeof text);
    return torre_fail_errno("cannot take %s of scratch space in %s", text, s->directory);
}

torre_status torre_scratch_new(const char *directory, int64_t bytes, torre_scratch **scratch)
{
    torre_scratch *s = calloc(1, sizeof *s);
    if (s) s->directory = strdup(directory);
    if (!s || !s->directory) {
        free(s);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    }
    s->bytes = bytes;
    s->file = open_nameless(directory);
    torre_status status = TORRE_OK;
    if (s->file < 0) status = torre_fail_errno("cannot make a scratch file in %s", directory);
    if (!status) status = reserve(s);
    if (status) {
        torre_scratch_free(s);
        return status;
    }
    *scratch = s;
    return TORRE_OK;
}

void torre_scratch_free(torre_scratch *s)
{
    if (!s) return;
    if (s->file >= 0) close(s->file);
    free(s->directory);
    free(s);
}

torre_status torre_scratch_read(torre_scratch *s, int64_t at, void *to, int64_t bytes)
{
    for (int64_t done = 0; done < bytes;) {
        const ssize_t n = pread(s->file, (char *)to + done, (size_t)(bytes - done), at + done);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = EIO; /* cut short by somebody */
        if (n <= 0) return torre_fail_errno("cannot read the scratch file in %s", s->directory);
        done += n;
    }
    return TORRE_OK;
}

torre_status torre_scratch_write(torre_scratch *s, int64_t at, const void *from, int64_t bytes)
{
    for (int64_t done = 0; done < bytes;) {
        const ssize_t n =
            pwrite(s->file, (const char *)from + done, (size_t)(bytes - done), at + done);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return torre_fail_errno("cannot write the scratch file in %s", s->directory);
        done += n;
    }
    return TORRE_OK;
}

void torre_scratch_expect(torre_scratch *s, int64_t at, int64_t bytes)
{
    posix_fadvise(s->file, at, bytes, POSIX_FADV_WILLNEED);
}

torre_status torre_scratch_settle(torre_scratch *s)
{
    if (fdatasync(s->file))
        return torre_fail_errno("cannot write the scratch file in %s", s->directory);
    posix_fadvise(s->file, 0, 0, POSIX_FADV_DONTNEED);
    return TORRE_OK;
}

torre_status torre_scratch_clear(torre_scratch *s)
{
    if (ftruncate(s->file, 0))
        return torre_fail_errno("cannot clear the scratch file in %s", s->directory);
    return reserve(s);
}
