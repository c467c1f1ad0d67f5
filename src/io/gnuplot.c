#include "io/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127, NO_DIRECTORY = 126 };

/* In the child: becomes gnuplot or ends. */
static void become_gnuplot(const char *directory, const char *script)
{
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
        dup2(nowhere, 0);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
    }
    if (chdir(directory) != 0) _exit(NO_DIRECTORY);
    execlp("gnuplot", "gnuplot", script, (char *)NULL);
    _exit(NOT_FOUND);
}

torre_status torre_gnuplot_run(const char *directory, const char *script, bool *found)
{
    int state;
    pid_t child = fork();
    if (child < 0)
        return torre_fail(TORRE_ERR_RESOURCE, "cannot start gnuplot: %s", strerror(errno));
    if (child == 0) become_gnuplot(directory, script);
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return torre_fail(TORRE_ERR_RESOURCE, "cannot wait for gnuplot: %s", strerror(errno));
    *found = !(WIFEXITED(state) && WEXITSTATUS(state) == NOT_FOUND);
    if (!*found || (WIFEXITED(state) && WEXITSTATUS(state) == 0)) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT, "%s/%s: gnuplot failed", directory, script);
}
