/*
 * Errors: a function that can fail returns a torre_status; the text of the last failure of the
 * calling thread is kept beside it. Library functions never print and never exit; only a main
 * program turns a status into its exit code (the values are the documented exit codes).
 */
#ifndef TORRE_STATUS_H
#define TORRE_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum torre_status {
    TORRE_OK = 0,
    TORRE_ERR_USAGE = 2,    /* an option or argument is illegal */
    TORRE_ERR_INPUT = 3,    /* a file cannot be read or written, or holds the wrong thing */
    TORRE_ERR_RESOURCE = 4, /* memory or device */
    TORRE_ERR_UNSTABLE = 5, /* the computation is unstable or not finite */
    TORRE_STOPPED = 75      /* stopped on request, results so far written */
} torre_status;

/*
 * Record a failure and return its code: return torre_fail(TORRE_ERR_INPUT, "%s: ...", path);
 * The text is one line without a newline: what, where, the legal range, how to fix it.
 *
 * A format names parameters in braces: "{tower_height} must be at least 1" is read as
 * "tower_height must be at least 1", and by users of a program, which calls it an option, as
 * "--tower-height must be at least 1" (torre_text_names_options). Braces in arguments are left
 * alone; a literal that is an argument names them as TORRE_PARAMETER("tower_height").
 */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
torre_status
torre_fail(torre_status code, const char *format, ...);

/*
 * The same for a failed call to the system: the text gets ": " and what errno says, and the code is
 * TORRE_ERR_RESOURCE where memory ran out (ENOMEM), else TORRE_ERR_INPUT:
 * return torre_fail_errno("cannot read %s", path);
 */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
torre_status
torre_fail_errno(const char *format, ...);

/* Add "; " and more to the text of a failure, for what goes wrong while one is being handled. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void
torre_fail_also(const char *format, ...);

#define TORRE_PARAMETER(name) "\001" name "\002"

/* The same format and arguments to a buffer, for texts that are kept or told in other ways. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void
torre_text(char *buffer, size_t size, const char *format, ...);

/* From now on all texts of this process call parameters options: a program's first words. */
void torre_text_names_options(void);

/* Text of this thread's last failure; "" before any. */
const char *torre_error_text(void);

/* Return from the calling function with the status of expr unless it is TORRE_OK. */
#define TORRE_TRY(expr)                                                                            \
    do {                                                                                           \
        torre_status torre_try_status_ = (expr);                                                   \
        if (torre_try_status_) return torre_try_status_;                                           \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
