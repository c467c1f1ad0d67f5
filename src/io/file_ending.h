/* Formats that are chosen by the ending of a file's name. */
#ifndef TORRE_FILE_ENDING_H
#define TORRE_FILE_ENDING_H

#include <stdbool.h>

#include "core/status.h"

/*
 * Which of endings[] (NULL after the last, as ".npy") path has, or -1 for none of them; packed: a
 * further .gz is passed over. A name that is nothing but the ending has none.
 */
int torre_file_ending(const char *path, const char *const *endings, bool packed);

/*
 * Refuse a name without one of the endings, with the list of them: TORRE_ERR_USAGE. What exists and
 * is not a regular file (/dev/null, a pipe) may have any name.
 */
torre_status torre_file_ending_check(const char *option, const char *path,
                                     const char *const *endings, bool packed);

#endif
