/*
 * The test framework: cmocka, or, where it is not installed (a bare GPU machine), the few parts of
 * it that the physics tests use, so that the same files build and run there.
 */
#ifndef TORRE_TEST_CHECK_H
#define TORRE_TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

#ifdef TORRE_HAVE_CMOCKA
#include <cmocka.h>
#else
struct CMUnitTest {
    const char *name;
    void (*test_func)(void **state);
};

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f                                                                                      \
    }
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    check_run_group(tests, sizeof(tests) / sizeof(tests)[0])
#define fail_msg(...) check_fail(__FILE__, __LINE__, __VA_ARGS__)
#define skip()        check_skip()

/* Run the tests; returns the number of failures. */
int check_run_group(const struct CMUnitTest *tests, size_t count);
void check_fail(const char *file, int line, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
void check_skip(void) __attribute__((noreturn));
#endif

/* CHECK(condition, "format", ...): fail the test with that text unless the condition holds. */
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) fail_msg(__VA_ARGS__);                                                   \
    } while (0)

/* Fail unless the expression's status is TORRE_OK. */
#define CHECK_OK(expr)                                                                             \
    do {                                                                                           \
        torre_status check_status_ = (expr);                                                       \
        if (check_status_)                                                                         \
            fail_msg("%s: status %d: %s", #expr, (int)check_status_, torre_error_text());          \
    } while (0)

#endif
