/* Lines for people, on a stream of the caller's. */
#ifndef TORRE_TELL_H
#define TORRE_TELL_H

#include <stdio.h>

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* fprintf of texts that name parameters, as torre_fail does (core/status.h): "{order}" is read as
 * users know it. No line ends in the text. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void
torre_tell(FILE *out, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
