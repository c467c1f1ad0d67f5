#include "io/file_ending.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/options.h"

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t n = strlen(end);
    return length > n && text[length - n - 1] != '/' && strncmp(text + length - n, end, n) == 0;
}

int torre_file_ending(const char *path, const char *const *endings, bool packed)
{
    size_t length = strlen(path);
    if (packed && ends_with(path, length, ".gz")) length -= 3;
    for (int k = 0; endings[k]; k++)
        if (ends_with(path, length, endings[k])) return k;
    return -1;
}

torre_status torre_file_ending_check(const char *option, const char *path,
                                     const char *const *endings, bool packed)
{
    struct stat there;
    char list[256];
    if (torre_file_ending(path, endings, packed) >= 0) return TORRE_OK;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return TORRE_OK;
    torre_join_choices(endings, list, sizeof list);
    return torre_fail(TORRE_ERR_USAGE, "{%s} must be a file that ends in %s%s (got %.200s)", option,
                      list, packed ? ", each also with .gz" : "", path);
}
