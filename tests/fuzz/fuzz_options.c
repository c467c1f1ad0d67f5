/*
 * Command lines of all programs, as far as their tables of options: words separated by newlines,
 * the first the name of a program. The programs are linked with main renamed and with
 * torre_options_parse wrapped, so that they end after parsing.
 */
#include <string.h>

#include "cli/program.h"
#include "fuzz.h"
#include "io/config_file.h"

int wave_main(int argc, char **argv);
int md_main(int argc, char **argv);
int locality_main(int argc, char **argv);
int roofline_main(int argc, char **argv);
int doctor_main(int argc, char **argv);

static const struct {
    const char *name;
    int (*main)(int, char **);
} program[] = {{"wave", wave_main},
               {"md", md_main},
               {"locality", locality_main},
               {"roofline", roofline_main},
               {"doctor", doctor_main}};

enum { PROGRAMS = sizeof program / sizeof program[0], WORDS = 64 };

torre_status __real_torre_options_parse(torre_option *table, int argc, char *const *argv,
                                        const char **arguments, int limit, int *count);
torre_status __wrap_torre_options_parse(torre_option *table, int argc, char *const *argv,
                                        const char **arguments, int limit, int *count);
torre_status __wrap_torre_config_read(const char *path, torre_config *config);
void __wrap_torre_program_start(void);
int __wrap_torre_program_end(const char *name, torre_status status);

/* Every value is in its range, and can be told. */
static void check_values(const torre_option *table)
{
    char text[512];
    for (const torre_option *o = table; o->name; o++) {
        if (o->kind == TORRE_OPTION_GROUP) continue;
        torre_option_text(o, text, sizeof text);
        torre_option_rule(o, text, sizeof text);
        if (o->kind != TORRE_OPTION_CHOICE) continue;
        int choices = 0;
        while (o->choices[choices]) choices++;
        FUZZ_CHECK(*(int *)o->value >= 0 && *(int *)o->value < choices);
    }
}

torre_status __wrap_torre_options_parse(torre_option *table, int argc, char *const *argv,
                                        const char **arguments, int limit, int *count)
{
    torre_status status = __real_torre_options_parse(table, argc, argv, arguments, limit, count);
    FUZZ_CHECK(status == TORRE_OK || status == TORRE_ERR_USAGE);
    FUZZ_CHECK(status == TORRE_OK || torre_error_text()[0]);
    if (!status) check_values(table);
    return TORRE_ERR_USAGE;
}

/* No files are read: a word may name one that never ends. */
torre_status __wrap_torre_config_read(const char *path, torre_config *config)
{
    (void)path;
    *config = (torre_config){0};
    return TORRE_OK;
}

void __wrap_torre_program_start(void) {}

int __wrap_torre_program_end(const char *name, torre_status status)
{
    (void)name;
    return (int)status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096], *word[WORDS + 1];
    int words = 0;
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    for (char *at = text; at && words < WORDS;) {
        char *end = strchr(at, '\n');
        if (end) *end++ = 0;
        word[words++] = at;
        at = end;
    }
    word[words] = NULL;
    for (int i = 0; i < words; i++) /* prints, and would drown the fuzzer in help */
        if (strcmp(word[i], "--help") == 0 || strcmp(word[i], "-h") == 0 ||
            strcmp(word[i], "--version") == 0)
            return 0;
    for (int p = 0; p < PROGRAMS; p++)
        if (strcmp(word[0], program[p].name) == 0) program[p].main(words, word);
    return 0;
}
