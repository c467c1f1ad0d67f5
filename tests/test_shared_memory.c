/* Memory of several processes (src/core/shared_memory.h): they see what each other writes, and what
 * is not there is refused in a line. */
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "core/memory.h"
#include "core/shared_memory.h"

enum { BYTES = (5 << 20) + 7 };

static bool all_zero(const char *memory)
{
    for (int64_t i = 0; i < BYTES; i++)
        if (memory[i]) return false;
    return true;
}

/* Another process: finds it, and writes its ends. */
static int write_ends(const torre_shared_name *name)
{
    char *memory;
    if (torre_shared_open(name, BYTES, &memory)) return 1;
    const bool good = memory[1] == 17 && (uintptr_t)memory % TORRE_HUGE_PAGE == 0;
    memory[0] = 1;
    memory[BYTES - 1] = 2;
    torre_shared_free(memory, BYTES);
    return !good;
}

static void processes_see_the_same(void **unused)
{
    (void)unused;
    torre_shared_name name;
    char *memory;
    int code = -1;
    CHECK_OK(torre_shared_new(BYTES, &memory, &name));
    CHECK((uintptr_t)memory % TORRE_HUGE_PAGE == 0, "it does not begin a huge page");
    CHECK(torre_shared_pages(BYTES) == 3, "%d pages", (int)torre_shared_pages(BYTES));
    torre_shared_touch(memory, 0, torre_shared_pages(BYTES), 2);
    CHECK(all_zero(memory), "it is not zero");
    memory[1] = 17;
    const pid_t child = fork();
    if (child == 0) _exit(write_ends(&name));
    CHECK(child > 0 && waitpid(child, &code, 0) == child && code == 0, "the child's code is %d",
          code);
    torre_shared_close(&name);
    CHECK(memory[0] == 1 && memory[BYTES - 1] == 2, "the child wrote %d, %d", memory[0],
          memory[BYTES - 1]);
    torre_shared_free(memory, BYTES);
}

static void what_is_not_there_is_refused(void **unused)
{
    (void)unused;
    torre_shared_name name;
    char *memory, *other;
    CHECK_OK(torre_shared_new(BYTES, &memory, &name));
    torre_shared_close(&name);
    CHECK(torre_shared_open(&name, BYTES, &other) == TORRE_ERR_RESOURCE &&
              strstr(torre_error_text(), "/proc/") && !strchr(torre_error_text(), '\n'),
          "%s", torre_error_text());
    torre_shared_free(memory, BYTES);
    CHECK(torre_shared_new(INT64_MAX / 2, &memory, &name) == TORRE_ERR_RESOURCE &&
              strstr(torre_error_text(), "memory of several processes"),
          "%s", torre_error_text());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_see_the_same),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
