#include "io/file_ending.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

void torre_file_ending_list(const char *const *endings, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; endings[k] && used < size; k++) {
        const char *between = k == 0 ? "" : endings[k + 1] ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, endings[k]);
    }
}

torre_status torre_file_ending_check(const char *option, const char *path,
                                     const char *const *endings, bool packed)
{
    struct stat there;
    char list[256];
    if (torre_file_ending(path, endings, packed) >= 0) return TORRE_OK;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return TORRE_OK;
    torre_file_ending_list(endings, list, sizeof list);
    return torre_fail(TORRE_ERR_USAGE, "{%s} must be a file that ends in %s%s (got %.200s)", option,
                      list, packed ? ", each also with .gz" : "", path);
}
