/*
 * How the library itself tells of failures, beside torre_fail (torre/status.h).
 *
 * A format names parameters in braces: "{tower_height} must be at least 1" is read as
 * "tower_height must be at least 1", and by users of a program, which calls it an option, as
 * "--tower-height must be at least 1" (torre_text_names_options). Braces in arguments are left
 * alone; a literal that is an argument names them as TORRE_PARAMETER("tower_height").
 */
#ifndef TORRE_STATUS_H
#define TORRE_STATUS_H

#include <stdarg.h>
#include <stddef.h>

#include "torre/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TORRE_PARAMETER(name) "\001" name "\002"

/*
 * torre_fail for a failed call to the system: the text gets ": " and what errno says, and the code
 * is TORRE_ERR_RESOURCE where memory ran out (ENOMEM), else TORRE_ERR_INPUT:
 * return torre_fail_errno("cannot read %s", path);
 */
__attribute__((format(printf, 1, 2))) torre_status torre_fail_errno(const char *format, ...);

/* Add "; " and more to the text of a failure, for what goes wrong while one is being handled. */
__attribute__((format(printf, 1, 2))) void torre_fail_also(const char *format, ...);

/* The same format and arguments to a buffer, for texts that are kept or told in other ways. */
__attribute__((format(printf, 3, 4))) void torre_text(char *buffer, size_t size, const char *format,
                                                      ...);

__attribute__((format(printf, 3, 0))) void torre_text_list(char *buffer, size_t size,
                                                           const char *format, va_list arguments);

/* From now on all texts of this process call parameters options: a program's first words. */
void torre_text_names_options(void);

#ifdef __cplusplus
}
#endif

#endif
