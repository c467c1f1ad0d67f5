#include "core/search_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool torre_path_has(const char *program)
{
    char path[4096];
    for (const char *at = getenv("PATH"); at;) {
        const size_t length = strcspn(at, ":");
        const int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, program);
        if (size < (int)sizeof path && access(path, X_OK) == 0) return true;
        at = at[length] ? at + length + 1 : NULL;
    }
    return false;
}
