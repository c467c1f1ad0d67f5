/*
 * What every function of libtorre that can fail returns, and which libtorre this is.
 *
 *     torre_status status = torre_wave_run_new(...);
 *     if (status) fprintf(stderr, "%s\n", torre_error_text());
 *
 * The library never prints and never exits. The text of the last failure is kept for each thread.
 * The values are the exit codes of Torre's programs, for mains that return them.
 */
#ifndef TORRE_PUBLIC_STATUS_H
#define TORRE_PUBLIC_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum torre_status {
    TORRE_OK = 0,
    TORRE_ERR_USAGE = 2,    /* an option or argument is illegal */
    TORRE_ERR_INPUT = 3,    /* a file cannot be read or written, or holds the wrong thing */
    TORRE_ERR_RESOURCE = 4, /* memory or device */
    TORRE_ERR_UNSTABLE = 5, /* the computation is unstable or not finite */
    TORRE_STOPPED = 75      /* stopped on request, results so far written */
} torre_status;

/* One line without a newline, this thread's last failure: what, where, the legal range, how to fix
 * it. "" before any. Valid until the thread's next failure. */
const char *torre_error_text(void);

/*
 * Record a failure of the caller's own (in a callback, say) and return its code:
 *     return torre_fail(TORRE_ERR_INPUT, "%s: ...", path);
 */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
torre_status
torre_fail(torre_status code, const char *format, ...);

/* Return from the calling function with the status of expr unless it is TORRE_OK. */
#define TORRE_TRY(expr)                                                                            \
    do {                                                                                           \
        torre_status torre_try_status_ = (expr);                                                   \
        if (torre_try_status_) return torre_try_status_;                                           \
    } while (0)

/* "0.1.0" or, in a build from a repository, "0.1.0 (1a2b3c4d)". Static. */
const char *torre_version_text(void);

/* One line: compiler, build type, and the optional parts with and without. Static. */
const char *torre_build_text(void);

/*
 * 16 hexadecimal digits that change whenever a declaration of the public headers does: the head of
 * a SHA-256 of them without comments and white space (cmake/interface.cmake). Callers that know the
 * declarations but are not compiled with them, from other languages, compare it with their own.
 * Static.
 */
const char *torre_interface_text(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
