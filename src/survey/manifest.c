#include "survey/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
    char line[TORRE_RECORD_LINE];
    const off_t before = lseek(m->file, 0, SEEK_END);
    torre_status status = write_all(m, line, torre_record_encode(record, line));
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
        if (!torre_record_decode(line, record))
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
