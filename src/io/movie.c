#include "io/movie.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/search_path.h"
#include "io/file_ending.h"
#include "io/output_file.h"

#define RATE           12 /* pictures a second */
#define TEXT(number)   #number
#define NUMBER(number) TEXT(number)

static const char *const endings[] = {".mp4", ".gif", ".webp", NULL};

/* What ffmpeg is told of each. Sizes of H.264 are even; the colours of a GIF are those it needs. */
static const char *const words[][8] = {
    {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-f", "mp4"},
    {"-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse", "-f", "gif"},
    {"-c:v", "libwebp_anim", "-loop", "0", "-f", "webp"}};

struct torre_movie {
    torre_output *file;
    int format; /* of endings */
    char **picture;
    int64_t pictures;
};

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a movie");
}

torre_status torre_movie_open(const char *path, torre_movie **movie)
{
    const int format = torre_file_ending(path, endings, false);
    if (format < 0)
        return torre_fail(TORRE_ERR_USAGE, "{movie} must end in .mp4, .gif or .webp (got %s)",
                          path);
    if (!torre_path_has("ffmpeg"))
        return torre_fail(TORRE_ERR_USAGE,
                          "{movie} needs the program ffmpeg, which is not here: install ffmpeg, or "
                          "leave the pictures as they are");
    torre_movie *m = calloc(1, sizeof *m);
    if (!m) return no_memory();
    m->format = format;
    torre_status status = torre_output_open(path, &m->file);
    if (!status && !torre_output_temporary(m->file))
        status = torre_fail(TORRE_ERR_INPUT, "%s: a movie needs a regular file", path);
    if (status)
        torre_movie_discard(m);
    else
        *movie = m;
    return status;
}

void torre_movie_discard(torre_movie *m)
{
    if (!m) return;
    torre_output_discard(m->file);
    for (int64_t i = 0; i < m->pictures; i++) free(m->picture[i]);
    free(m->picture);
    free(m);
}

torre_status torre_movie_picture(torre_movie *m, const char *path)
{
    const int64_t n = m->pictures;
    if ((n & (n - 1)) == 0) { /* full at powers of two */
        char **list = realloc(m->picture, (size_t)(n ? 2 * n : 1) * sizeof *list);
        if (!list) return no_memory();
        m->picture = list;
    }
    m->picture[n] = strdup(path);
    if (!m->picture[n]) return no_memory();
    m->pictures++;
    return TORRE_OK;
}

/* In the child: becomes ffmpeg, which reads `in`, or ends. */
static void become_ffmpeg(const torre_movie *m, int in)
{
    const char *list[32] = {"ffmpeg",     "-v",         "error", "-y",  "-f", "image2pipe",
                            "-framerate", NUMBER(RATE), "-c:v",  "png", "-i", "pipe:0"};
    int n = 0;
    while (list[n]) n++;
    for (int k = 0; k < 8 && words[m->format][k]; k++) list[n++] = words[m->format][k];
    list[n] = torre_output_temporary(m->file);
    const int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
        dup2(nowhere, 1);
        dup2(nowhere, 2);
    }
    dup2(in, 0);
    execvp("ffmpeg", (char *const *)list);
    _exit(127);
}

static torre_status send_picture(const char *path, int to)
{
    char bytes[1 << 14];
    size_t count;
    torre_status status = TORRE_OK;
    FILE *in = fopen(path, "rb");
    if (!in) return torre_fail_errno("%s", path);
    while (!status && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        for (size_t sent = 0; !status && sent < count;) {
            const ssize_t now = send(to, bytes + sent, count - sent, MSG_NOSIGNAL);
            if (now < 0 && errno != EINTR)
                status = torre_fail(TORRE_ERR_INPUT, "ffmpeg stopped reading pictures");
            if (now > 0) sent += (size_t)now;
        }
    if (!status && ferror(in)) status = torre_fail_errno("%s: cannot be read", path);
    fclose(in);
    return status;
}

static torre_status send_pictures(const torre_movie *m, int to)
{
    for (int64_t i = 0; i < m->pictures; i++) TORRE_TRY(send_picture(m->picture[i], to));
    return TORRE_OK;
}

static torre_status run_ffmpeg(const torre_movie *m)
{
    int ends[2], state;
    const char *path = torre_output_path(m->file);
    if (m->pictures == 0)
        return torre_fail(TORRE_ERR_INPUT, "%s: the run has written no picture for a movie", path);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return torre_fail_errno("%s: cannot start ffmpeg", path);
    const pid_t child = fork();
    if (child == 0) become_ffmpeg(m, ends[1]);
    torre_status status = child < 0 ? torre_fail_errno("%s: cannot start ffmpeg", path) : TORRE_OK;
    close(ends[1]);
    if (!status) status = send_pictures(m, ends[0]);
    close(ends[0]);
    if (child < 0) return status;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return torre_fail_errno("%s: cannot wait for ffmpeg", path);
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return status;
    return torre_fail(TORRE_ERR_INPUT,
                      "%s: ffmpeg could not make this movie; the pictures are there", path);
}

torre_status torre_movie_finish(torre_movie **movie, torre_status status)
{
    torre_movie *m = *movie;
    *movie = NULL;
    if (!m) return status;
    if (!status) status = torre_output_finish(&m->file, run_ffmpeg(m));
    torre_movie_discard(m);
    return status;
}
