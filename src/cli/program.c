#include "cli/program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/version.h"

void torre_program_version(const char *program)
{
    printf("%s %s\n%s\n", program, torre_version_text(), torre_build_text());
}

int torre_program_end(const char *program, torre_status status)
{
    errno = 0;
    int bad = ferror(stdout) | fflush(stdout);
    if (bad && !status)
        status = torre_fail(TORRE_ERR_INPUT, "cannot write to standard output: %s",
                            strerror(errno ? errno : EIO));
    if (status) fprintf(stderr, "%s: %s\n", program, torre_error_text());
    return (int)status;
}

FILE *torre_program_people(const char *json)
{
    return json && strcmp(json, "-") == 0 ? stderr : stdout;
}
