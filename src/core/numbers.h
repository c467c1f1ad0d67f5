/*
 * Checked numbers: text from a command line or a file to a number, nothing tolerated silently.
 *
 * The whole text must be one plain decimal number: no spaces, no trailing characters, no NaN or
 * infinity, no hexadecimal, no overflow and no underflow to zero. Functions return false (and leave
 * the value alone) otherwise; the caller knows the names that belong into the message.
 */
#ifndef TORRE_NUMBERS_H
#define TORRE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "-12", "0", "4096": a whole number that fits 64 bits. */
bool torre_parse_integer(const char *text, int64_t *value);

/* "-12.5", "1e-3", ".5": a finite number. */
bool torre_parse_real(const char *text, double *value);

/*
 * Numbers separated by `separator`, at least one and at most `limit`, without empty items:
 * "512x512x512" with 'x', "10,20,-3.5" with ','. values[limit] is the caller's.
 */
bool torre_parse_integers(const char *text, char separator, int limit, int64_t *values, int *count);
bool torre_parse_reals(const char *text, char separator, int limit, double *values, int *count);

/* Copy of the item that starts at text; NULL in *next after the last one. False: too long. */
bool torre_text_item(const char *text, char separator, char item[64], const char **next);

/* The text behind the byte order mark of UTF-8, which some programs put first in a file. */
char *torre_text_begin(char *text);

/*
 * The content of a text line: cuts the comment ('#' to the end) and the white space around, in
 * place; returns the first character that is left ("" for a blank line).
 */
char *torre_line_content(char *line);

/* Shortest text that reads back as exactly this double; buffer of at least 32 bytes. */
void torre_format_real(double value, char *buffer, size_t size);

/* "1.50 GiB", "12.0 KiB", "17 bytes"; buffer of at least 32 bytes. */
void torre_format_bytes(double bytes, char *buffer, size_t size);

/* "2 h 05 min", "3 min 20 s", "7.3 s", "120 ms"; buffer of at least 32 bytes. */
void torre_format_seconds(double seconds, char *buffer, size_t size);

#endif
