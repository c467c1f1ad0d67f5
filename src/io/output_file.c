#include "io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct torre_output {
    FILE *stream;
    char *path;      /* as given */
    char *target;    /* what the rename replaces: path with symbolic links followed */
    char *temporary; /* NULL when written directly */
    int reason;      /* errno of the first failed write */
};

static void output_free(torre_output *out)
{
    free(out->path);
    free(out->target);
    free(out->temporary);
    free(out);
}

static torre_status cannot(const char *what, const char *path)
{
    return torre_fail(TORRE_ERR_INPUT, "cannot %s %s: %s", what, path, strerror(errno));
}

/* A new file of a name nobody has, with the permissions that the user's mask asks for. */
static int create_unique(char *name, size_t size, const char *target)
{
    for (int i = 0;; i++) {
        snprintf(name, size, "%s.%ld-%d.part", target, (long)getpid(), i);
        int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
}

static torre_status open_temporary(torre_output *out)
{
    size_t size = strlen(out->target) + 48;
    out->temporary = malloc(size);
    if (!out->temporary) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    int file = create_unique(out->temporary, size, out->target);
    if (file < 0) {
        torre_status status = cannot("write", out->path);
        free(out->temporary);
        out->temporary = NULL;
        return status;
    }
    struct stat old;
    bool keep = stat(out->target, &old) == 0; /* replacing a file keeps its permissions */
    if ((keep && fchmod(file, old.st_mode & 0777)) || !(out->stream = fdopen(file, "wb"))) {
        torre_status status = cannot("write", out->path);
        close(file);
        unlink(out->temporary);
        return status;
    }
    return TORRE_OK;
}

static torre_status open_target(torre_output *out)
{
    struct stat there;
    bool exists = stat(out->path, &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return cannot("write", out->path);
    }
    if (exists && !S_ISREG(there.st_mode)) {
        out->stream = fopen(out->path, "wb");
        return out->stream ? TORRE_OK : cannot("write", out->path);
    }
    if (exists && access(out->path, W_OK)) return cannot("write", out->path);
    out->target = exists ? realpath(out->path, NULL) : strdup(out->path);
    if (!out->target) return cannot("write", out->path);
    return open_temporary(out);
}

torre_status torre_output_open(const char *path, torre_output **result)
{
    torre_output *out = calloc(1, sizeof *out);
    if (out) out->path = strdup(path);
    if (!out || !out->path) {
        free(out);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    }
    if (strcmp(path, "-") == 0) {
        out->stream = stdout;
    } else {
        torre_status status = open_target(out);
        if (status) {
            output_free(out);
            return status;
        }
    }
    *result = out;
    return TORRE_OK;
}

FILE *torre_output_stream(torre_output *out) { return out->stream; }

void torre_output_write(torre_output *out, const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, out->stream) != bytes && !out->reason) out->reason = errno;
}

const char *torre_output_path(const torre_output *out) { return out->path; }

const char *torre_output_temporary(const torre_output *out) { return out->temporary; }

torre_status torre_output_publish(torre_output *out)
{
    errno = 0;
    if (ferror(out->stream) | fflush(out->stream)) {
        errno = out->reason ? out->reason : errno ? errno : EIO;
        return cannot("write", out->path);
    }
    if (!out->temporary) return TORRE_OK;
    if (rename(out->temporary, out->target)) return cannot("write", out->path);
    free(out->temporary);
    out->temporary = NULL;
    return TORRE_OK;
}

torre_status torre_output_commit(torre_output *out)
{
    torre_status status = TORRE_OK;
    errno = 0;
    if (ferror(out->stream) | fflush(out->stream)) {
        errno = out->reason ? out->reason : errno ? errno : EIO;
        status = cannot("write", out->path);
    }
    if (out->stream != stdout && fclose(out->stream) && !status)
        status = cannot("write", out->path);
    if (out->temporary && !status && rename(out->temporary, out->target))
        status = cannot("write", out->path);
    if (out->temporary && status) unlink(out->temporary);
    output_free(out);
    return status;
}

void torre_output_discard(torre_output *out)
{
    if (!out) return;
    if (out->stream != stdout) fclose(out->stream);
    if (out->temporary) unlink(out->temporary);
    output_free(out);
}

/* The file, or, where there is none, its folder and *name in it. False: neither can be there. */
static bool identify(const char *path, struct stat *there, char name[NAME_MAX + 1])
{
    char folder[PATH_MAX];
    name[0] = 0;
    if (stat(path, there) == 0) return true;
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    if (strlen(path) >= sizeof folder || strlen(last) > NAME_MAX) return false;
    strcpy(folder, path);
    strcpy(name, last);
    return stat(dirname(folder), there) == 0;
}

bool torre_output_same(const char *a, const char *b)
{
    struct stat at[2];
    char name[2][NAME_MAX + 1];
    if (!identify(a, &at[0], name[0]) || !identify(b, &at[1], name[1])) return false;
    bool regular = S_ISREG(at[0].st_mode) || name[0][0];
    return regular && at[0].st_dev == at[1].st_dev && at[0].st_ino == at[1].st_ino &&
           strcmp(name[0], name[1]) == 0;
}

torre_status torre_output_directory(const char *path)
{
    char part[PATH_MAX];
    if (strlen(path) + 64 >= sizeof part) { /* room for the names of files */
        errno = ENAMETOOLONG;
        return cannot("write into", path);
    }
    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0777) && errno != EEXIST) return cannot("create directory", path);
    }
    snprintf(part, sizeof part, "%s/.XXXXXX", path);
    int file = mkstemp(part);
    if (file < 0) return cannot("write into", path);
    close(file);
    unlink(part);
    return TORRE_OK;
}
