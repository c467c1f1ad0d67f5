/* Stands in for cmocka where it is not installed. */
#include "check.h"

static jmp_buf back;
enum { PASSED, FAILED, SKIPPED };

void check_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    longjmp(back, FAILED);
}

void check_skip(void) { longjmp(back, SKIPPED); }

int check_run_group(const struct CMUnitTest *tests, size_t count)
{
    static const char *const word[] = {"passed", "FAILED", "skipped"};
    volatile int failures = 0;
    for (volatile size_t i = 0; i < count; i++) {
        int result = setjmp(back);
        if (result == PASSED) {
            void *state = NULL;
            tests[i].test_func(&state);
        }
        printf("%s: %s\n", tests[i].name, word[result]);
        failures += result == FAILED;
    }
    return failures;
}
