/* Programs that others provide, as a shell finds them. */
#ifndef TORRE_SEARCH_PATH_H
#define TORRE_SEARCH_PATH_H

#include <stdbool.h>

/* Whether a program of that name is in a folder of PATH. */
bool torre_path_has(const char *program);

#endif
