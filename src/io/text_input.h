/*
 * Text files to read line by line, plain or gzip-compressed (told by their content), and the words
 * of a line.
 */
#ifndef TORRE_TEXT_INPUT_H
#define TORRE_TEXT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

typedef struct torre_text_input torre_text_input;

/* Open path. TORRE_ERR_INPUT with the system's reason; directories are refused. */
torre_status torre_text_input_open(const char *path, torre_text_input **in);

/*
 * Next line without its end, valid until the next call; *line is NULL at the end of the file.
 * TORRE_ERR_INPUT for a damaged file and for lines longer than 64 KiB.
 */
torre_status torre_text_input_line(torre_text_input *in, char **line);

/*
 * Refuse (TORRE_ERR_INPUT) a file that announces more lines of what than it has bytes left, before
 * anything of that size is allocated.
 */
torre_status torre_text_input_expect(const torre_text_input *in, const char *what, int64_t count);

/* "FILE:17": the line read last, for messages. */
const char *torre_text_input_where(const torre_text_input *in);

void torre_text_input_close(torre_text_input *in); /* NULL is fine */

/*
 * Cut a line into words at white space (in place; '#' begins a comment). words[limit] point into
 * the line. Returns their number, limit + 1 when there are more.
 */
int torre_text_words(char *line, char **words, int limit);

#endif
