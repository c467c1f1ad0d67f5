#include "io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
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
    bool durable;    /* what is committed is on the disk; there is a temporary file */
    bool kept;       /* the temporary file stays where it is not committed */
    torre_output *next;
};

/* Those that have a temporary file. */
static torre_output *unfinished;
static pthread_mutex_t unfinished_lock = PTHREAD_MUTEX_INITIALIZER;

static void enlist(torre_output *out)
{
    pthread_mutex_lock(&unfinished_lock);
    out->next = unfinished;
    unfinished = out;
    pthread_mutex_unlock(&unfinished_lock);
}

static void strike_off(const torre_output *out)
{
    pthread_mutex_lock(&unfinished_lock);
    torre_output **at = &unfinished;
    while (*at && *at != out) at = &(*at)->next;
    if (*at) *at = out->next;
    pthread_mutex_unlock(&unfinished_lock);
}

static void remove_temporary(const torre_output *out)
{
    if (out->kept) return;
    if (unlink(out->temporary))
        torre_fail_also("%s is left behind: %s", out->temporary, strerror(errno));
}

static void output_free(torre_output *out)
{
    strike_off(out);
    free(out->path);
    free(out->target);
    free(out->temporary);
    free(out);
}

static torre_status cannot(const char *what, const char *path)
{
    return torre_fail_errno("cannot %s %s", what, path);
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
    if (file < 0) return cannot("write", out->path);
    struct stat old;
    bool keep = stat(out->target, &old) == 0; /* replacing a file keeps its permissions */
    if ((keep && fchmod(file, old.st_mode & 0777)) || !(out->stream = fdopen(file, "wb"))) {
        torre_status status = cannot("write", out->path);
        close(file);
        remove_temporary(out);
        return status;
    }
    enlist(out);
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

void torre_output_make_durable(torre_output *out) { out->durable = out->temporary; }

torre_status torre_output_sync_folder(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    const int file = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return cannot("write", path);
    torre_status status = TORRE_OK;
    if (fsync(file) && errno != EINVAL) /* which says that the file system has no need of it */
        status = cannot("write", path);
    close(file);
    return status;
}

FILE *torre_output_stream(torre_output *out) { return out->stream; }

void torre_output_write(torre_output *out, const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, out->stream) != bytes && !out->reason) out->reason = errno;
}

const char *torre_output_path(const torre_output *out) { return out->path; }

const char *torre_output_temporary(const torre_output *out) { return out->temporary; }

/* The first failure of all writes counts. */
torre_status torre_output_flush(torre_output *out)
{
    errno = 0;
    if (!(ferror(out->stream) | fflush(out->stream))) return TORRE_OK;
    if (out->reason) errno = out->reason;
    return cannot("write", out->path);
}

torre_status torre_output_sync(torre_output *out)
{
    TORRE_TRY(torre_output_flush(out));
    return fsync(fileno(out->stream)) ? cannot("write", out->path) : TORRE_OK;
}

int64_t torre_output_position(torre_output *out)
{
    return out->target ? (int64_t)ftello(out->stream) : -1;
}

const char *torre_output_now(const torre_output *out)
{
    return out->temporary ? out->temporary : out->target ? out->target : out->path;
}

torre_status torre_output_adopt(torre_output *out, const char *file, int64_t bytes)
{
    const bool published = torre_output_same(file, out->target);
    char *name = published ? NULL : strdup(file);
    if (!published && !name) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    FILE *stream = fopen(file, "r+b");
    if (!stream || ftruncate(fileno(stream), bytes) || fseeko(stream, bytes, SEEK_SET)) {
        torre_status status = cannot("write", file);
        if (stream) fclose(stream);
        free(name);
        return status;
    }
    fclose(out->stream); /* what it holds is not wanted */
    out->stream = stream;
    const bool left = unlink(out->temporary) != 0;
    torre_status status = left ? cannot("remove", out->temporary) : TORRE_OK;
    if (published) strike_off(out);
    free(out->temporary);
    out->temporary = name;
    out->kept = true;
    return status;
}

void torre_output_keep(torre_output *out) { out->kept = out->temporary; }

torre_status torre_output_publish(torre_output *out)
{
    TORRE_TRY(torre_output_flush(out));
    if (!out->temporary) return TORRE_OK;
    if (rename(out->temporary, out->target)) return cannot("write", out->path);
    strike_off(out);
    free(out->temporary);
    out->temporary = NULL;
    return TORRE_OK;
}

torre_status torre_output_commit(torre_output *out)
{
    torre_status status = torre_output_flush(out);
    if (out->durable && !status && fsync(fileno(out->stream))) status = cannot("write", out->path);
    if (out->stream != stdout && fclose(out->stream) && !status)
        status = cannot("write", out->path);
    if (out->temporary && !status && rename(out->temporary, out->target))
        status = cannot("write", out->path);
    if (out->temporary && status)
        remove_temporary(out);
    else if (out->durable)
        status = torre_output_sync_folder(out->target);
    output_free(out);
    return status;
}

void torre_output_discard(torre_output *out)
{
    if (!out) return;
    if (out->stream != stdout) fclose(out->stream);
    if (out->temporary) remove_temporary(out);
    output_free(out);
}

torre_status torre_output_finish(torre_output **out, torre_status status)
{
    torre_output *file = *out;
    *out = NULL;
    if (!status) return torre_output_commit(file);
    torre_output_discard(file);
    return status;
}

torre_status torre_output_try(const char *path)
{
    torre_output *out;
    TORRE_TRY(torre_output_open(path, &out));
    torre_status status = TORRE_OK;
    if (out->temporary && unlink(out->temporary)) status = cannot("remove", out->temporary);
    if (out->stream != stdout) fclose(out->stream);
    output_free(out);
    return status;
}

void torre_output_remove_stale(const char *path)
{
    char pattern[2 * PATH_MAX + 16], *to = pattern;
    glob_t found;
    if (strlen(path) >= PATH_MAX) return;
    for (; *path; *to++ = *path++)
        if (strchr("*?[\\", *path)) *to++ = '\\';
    strcpy(to, ".*-*.part");
    if (glob(pattern, 0, NULL, &found)) return;
    for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
    globfree(&found);
}

torre_status torre_output_remove_unfinished(void)
{
    torre_status status = TORRE_OK;
    char text[4096] = ""; /* each that stays is named */
    pthread_mutex_lock(&unfinished_lock);
    for (const torre_output *out = unfinished; out; out = out->next) {
        if (out->kept || !unlink(out->temporary)) continue;
        status = cannot("remove", out->temporary);
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "", torre_error_text());
    }
    unfinished = NULL;
    pthread_mutex_unlock(&unfinished_lock);
    return status ? torre_fail(status, "%s", text) : TORRE_OK;
}

/* The file, or, where there is none, the nearest folder above it that is there (those below may be
 * made yet) and how the path goes on from it. False: there can be no such file. */
static bool identify(const char *path, struct stat *there, char rest[PATH_MAX])
{
    char folder[PATH_MAX], *slash;
    rest[0] = 0;
    if (stat(path, there) == 0) return true;
    const char *last = strrchr(path, '/');
    if (strlen(path) >= sizeof folder || strlen(last ? last + 1 : path) > NAME_MAX) return false;
    strcpy(folder, path);
    while ((slash = strrchr(folder, '/'))) {
        *slash = 0;
        strcpy(rest, path + (slash - folder) + 1);
        if (stat(*folder ? folder : "/", there) == 0) return true;
    }
    strcpy(rest, path);
    return stat(".", there) == 0;
}

bool torre_output_same(const char *a, const char *b)
{
    struct stat at[2];
    char rest[2][PATH_MAX];
    if (!identify(a, &at[0], rest[0]) || !identify(b, &at[1], rest[1])) return false;
    bool regular = S_ISREG(at[0].st_mode) || rest[0][0];
    return regular && at[0].st_dev == at[1].st_dev && at[0].st_ino == at[1].st_ino &&
           strcmp(rest[0], rest[1]) == 0;
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
    return unlink(part) ? cannot("remove", part) : TORRE_OK;
}

torre_status torre_output_append_file(torre_output *out, const char *path)
{
    char bytes[1 << 14];
    FILE *file = fopen(path, "rb");
    if (!file) return torre_fail_errno("cannot read %s", path);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        torre_output_write(out, bytes, n);
    torre_status status = TORRE_OK;
    if (ferror(file)) status = torre_fail(TORRE_ERR_INPUT, "cannot read %s", path);
    fclose(file);
    return status;
}
