/*
 * Text files to write, plain or compressed: a name that ends in .gz is written as gzip. Complete or
 * not there, as output_file.h says. (zlib stays inside text_output.c and text_input.c.)
 */
#ifndef TORRE_TEXT_OUTPUT_H
#define TORRE_TEXT_OUTPUT_H

#include <stdbool.h>

#include "core/status.h"
#include "io/output_file.h"

typedef struct torre_text_output torre_text_output;

/* Open path ("-": standard output, plain). As torre_output_open; TORRE_ERR_RESOURCE. */
torre_status torre_text_output_open(const char *path, torre_text_output **out);

/* Append formatted text of at most 1000 bytes; errors are kept for commit. */
void torre_text_output_print(torre_text_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The file below, the sink's own, which has what was printed once it is handed on. */
torre_output *torre_text_output_file(torre_text_output *out);
void torre_text_output_flush(torre_text_output *out);

/* Whether it is compressed. */
bool torre_text_output_is_packed(const torre_text_output *out);

/* For logs: torre_output_publish of all that was printed. Call it after every whole row. */
torre_status torre_text_output_publish(torre_text_output *out);

/* Complete the file; frees out in any case. As torre_output_commit. */
torre_status torre_text_output_commit(torre_text_output *out);

/* Leave nothing behind and free out. NULL is fine. */
void torre_text_output_discard(torre_text_output *out);

#endif
